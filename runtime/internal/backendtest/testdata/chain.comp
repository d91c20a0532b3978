// Work-item i waits for nothing and runs n steps: work that takes a while.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi.glsl"
layout(push_constant, std430) uniform Block { HEADER Slice x; uint n; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i >= rangeX) return;
	uint v = Uints(x.address).v[i];
	for (uint k = 0; k < n; k++) v = v * 1664525u + 1013904223u;
	Uints(x.address).v[i] = v;
}

// Every work-item from index first on faults, the others store their index.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi.glsl"
layout(push_constant, std430) uniform Block { HEADER Slice x; uint first; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i >= rangeX) return;
	if (i >= first) {
		FAULT(0, uvec2(i + x.len.x, 0), x.len)
		return;
	}
	Uints(x.address).v[i] = i;
}

#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi.glsl"
layout(push_constant, std430) uniform Block { HEADER Slice x, y; float a; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i >= rangeX) return;
	precise float p = a * Floats(x.address).v[i];
	precise float s = Floats(y.address).v[i] + p;
	Floats(y.address).v[i] = s;
}

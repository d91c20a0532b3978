#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi.glsl"
layout(push_constant, std430) uniform Block { HEADER Slice x; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i < rangeX) Uints(x.address).v[i]++;
}

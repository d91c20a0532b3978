#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi.glsl"
layout(push_constant, std430) uniform Block { HEADER Slice y; uint value; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i < rangeX) Uints(y.address).v[i] = value;
}

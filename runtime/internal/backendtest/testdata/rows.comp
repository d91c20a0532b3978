// An nd-range of two dimensions; each work-group counts itself.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi.glsl"
layout(push_constant, std430) uniform Block { HEADER Slice x; };
void main() {
	uint i = gl_GlobalInvocationID.y * rangeX + gl_GlobalInvocationID.x;
	Uints(x.address).v[i] += i + 1u;
}

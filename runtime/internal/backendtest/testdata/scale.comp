// A specialization constant with id 7, which need not have its default.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi.glsl"
layout(constant_id = 7) const uint factor = 2;
layout(push_constant, std430) uniform Block { HEADER Slice x; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i < rangeX) Uints(x.address).v[i] *= factor;
}

// Arguments past the launch block: they stand in a buffer of their own.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi.glsl"
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Args { Slice out_; uint t[40]; };
layout(push_constant, std430) uniform Block { HEADER uvec2 args; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i >= rangeX) return;
	Args a = Args(args);
	Uints(a.out_.address).v[i] = a.t[i % 40];
}

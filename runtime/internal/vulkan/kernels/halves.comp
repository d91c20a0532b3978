// For each of n units of three float16s, each the low half of a word, and a float: unpacks the
// first and packs the float. Four units an invocation.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Units { uvec4 v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

void main() {
	Units d = Units(dst), s = Units(src);
	uint i = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x;
	for (uint k = 0; k < 4; k++, i += 256)
		if (i < n) {
			uvec4 a = s.v[i];
			d.v[i] = uvec4(floatBitsToUint(unpackHalf2x16(a.x).x), packHalf2x16(vec2(uintBitsToFloat(a.w), 0)), 0, 0);
		}
}

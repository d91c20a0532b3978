// For each of n units of three floats and a word: divides the first by the
// second and takes the square root of the third. Four units an invocation.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Units { vec4 v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

void main() {
	Units d = Units(dst), s = Units(src);
	uint i = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x;
	for (uint k = 0; k < 4; k++, i += 256)
		if (i < n) {
			vec4 a = s.v[i];
			precise float q = a.x / a.y;
			precise float r = sqrt(a.z);
			d.v[i] = vec4(q, r, 0, 0);
		}
}

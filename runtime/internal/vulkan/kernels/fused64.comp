// For each of n units of four doubles: multiplies the first two and adds the third. Four units an
// invocation.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Doubles { double v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

void main() {
	Doubles d = Doubles(dst), s = Doubles(src);
	uint i = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x;
	for (uint k = 0; k < 4; k++, i += 256)
		if (i < n) {
			precise double sum = fma(s.v[4 * i], s.v[4 * i + 1], s.v[4 * i + 2]);
			d.v[4 * i] = sum;
		}
}

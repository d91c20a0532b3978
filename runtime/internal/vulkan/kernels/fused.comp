// For each of n units of four floats: multiplies the first two and adds the third, takes
// the inverse square root of the fourth and the inverse of the first. Four units an
// invocation.
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
			precise float sum = fma(a.x, a.y, a.z);
			precise float root = inversesqrt(a.w);
			precise float one = 1.0;
			precise float inverse = one / a.x;
			d.v[i] = vec4(sum, root, inverse, 0);
		}
}

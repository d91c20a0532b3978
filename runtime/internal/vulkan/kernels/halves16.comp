// For each of n units as in halves.comp: converts by 16-bit types, and computes with them. A unit
// has two vectors of results. Four units an invocation.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Units { uvec4 v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

float16_t number(uint bits) { return unpackFloat2x16(bits).x; }

uint bits(float16_t x) { return packFloat2x16(f16vec2(x, 0)); }

void main() {
	Units d = Units(dst), s = Units(src);
	uint i = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x;
	for (uint k = 0; k < 4; k++, i += 256)
		if (i < n) {
			uvec4 v = s.v[i];
			float16_t a = number(v.x), b = number(v.y), c = number(v.z);
			precise float16_t sum = a + b, difference = a - b, product = a * b, quotient = a / b;
			d.v[2 * i] = uvec4(floatBitsToUint(float(a)), bits(float16_t(uintBitsToFloat(v.w))), bits(sum), bits(difference));
			d.v[2 * i + 1] = uvec4(bits(product), bits(quotient), bits(sqrt(a)), bits(fma(a, b, c)));
		}
}

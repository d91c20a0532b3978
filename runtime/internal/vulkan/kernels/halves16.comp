// For each of n units as in halves.comp: converts by 16-bit types, and computes with them. A unit
// has two vectors of results. Four units an invocation. Sums, differences, products and fma are computed
// of pairs of numbers, too: where a lane is another number than that of one operation, or one is NaN and the other
// is not, the word has a bit more.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Units { uvec4 v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

float16_t number(uint bits) { return unpackFloat2x16(bits).x; }

uint bits(float16_t x) { return packFloat2x16(f16vec2(x, 0)); }

bool isNaN(uint bits) { return (bits & 0x7fff) > 0x7c00; }

// both returns the bits of x, and another bit if the lanes of pair are not that number.
uint both(float16_t x, f16vec2 pair) {
	uint b = bits(x), low = packFloat2x16(pair) & 0xffff, high = packFloat2x16(pair) >> 16;
	bool same = isNaN(b) ? isNaN(low) && isNaN(high) : low == b && high == b;
	return same ? b : b | 0x10000;
}

void main() {
	Units d = Units(dst), s = Units(src);
	uint i = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x;
	for (uint k = 0; k < 4; k++, i += 256)
		if (i < n) {
			uvec4 v = s.v[i];
			float16_t a = number(v.x), b = number(v.y), c = number(v.z);
			precise float16_t sum = a + b, difference = a - b, product = a * b, quotient = a / b;
			f16vec2 p = f16vec2(a, b), q = f16vec2(b, a), r = f16vec2(c, c);
			precise f16vec2 sums = p + q, differences = f16vec2(a, -b) - f16vec2(b, -a), products = p * q;
			d.v[2 * i] = uvec4(floatBitsToUint(float(a)), bits(float16_t(uintBitsToFloat(v.w))), both(sum, sums), both(difference, differences));
			d.v[2 * i + 1] = uvec4(both(product, products), bits(quotient), bits(sqrt(a)), both(fma(a, b, c), fma(p, q, r)));
		}
}

// Does one float32 operation after the other with the subnormals that src has, and writes the
// results to dst, in the order of subnormalCases.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Floats { float v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uint v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

void main() {
	Floats s = Floats(src), d = Floats(dst);
	Words w = Words(dst);
	// 2^-149, 2^-127, -2^-127, 2^-126, 0, 1/2, 1, -1.
	float least = s.v[0], sub = s.v[1], negative = s.v[2], normal = s.v[3];
	float zero = s.v[4], half_ = s.v[5], one = s.v[6], minus = s.v[7];

	precise float sum = sub + least, difference = normal - sub, product = normal * half_;
	precise float grown = sub * (one + one), turned = -sub;
	d.v[0] = sum;
	d.v[1] = difference;
	d.v[2] = product;
	d.v[3] = grown;
	d.v[4] = turned;

	precise float out_ = fma(normal, half_, zero), in_ = fma(sub, one + one, zero), added = fma(one, least, sub);
	d.v[5] = out_;
	d.v[6] = in_;
	d.v[7] = added;

	precise float quotient = normal / (one + one), by = sub / normal, root = sqrt(sub), inverse = inversesqrt(sub);
	d.v[8] = quotient;
	d.v[9] = by;
	d.v[10] = root;
	d.v[11] = inverse;

	w.v[12] = sub == zero ? 1 : 0;
	w.v[13] = sub > zero ? 1 : 0;
	w.v[14] = negative < least ? 1 : 0;
	w.v[15] = least != sub ? 1 : 0;

	d.v[16] = min(sub, one);
	d.v[17] = max(sub, minus);
	d.v[18] = min(sub, least);

	d.v[19] = abs(negative);
	d.v[20] = sign(negative);

	d.v[21] = floor(negative);
	d.v[22] = ceil(sub);

	precise float logarithm = log2(sub), power = exp2(-127 * one);
	d.v[23] = logarithm;
	d.v[24] = power;
}

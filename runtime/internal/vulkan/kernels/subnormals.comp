// Reads two subnormals from src and the smallest normal number, and writes a sum
// and a product that are subnormal to dst.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

void main() {
	Floats s = Floats(src), d = Floats(dst);
	precise float sum = s.v[0] + s.v[1];
	precise float product = s.v[2] * 0.5;
	d.v[0] = sum;
	d.v[1] = product;
}

// Converts 2^-127 from float32 to float64 and back again.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Floats { float v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Doubles { double v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

void main() {
	Floats s = Floats(src), f = Floats(dst);
	Doubles d = Doubles(dst);
	d.v[0] = double(s.v[1]);
	precise double scaled = double(s.v[3]) * 0.5LF;
	f.v[2] = float(scaled);
}

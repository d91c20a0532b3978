// Adds 2^-149 to 2^-127 in dst, atomically.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_atomic_float : require

layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Floats { float v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

void main() {
	Floats s = Floats(src), d = Floats(dst);
	d.v[0] = s.v[1];
	atomicAdd(d.v[0], s.v[0]);
}

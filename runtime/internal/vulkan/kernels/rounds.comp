// Makes as many rounds as pattern says, each of which needs what the one before has left.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uint v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

void main() {
	uint x = 0;
	for (uint i = 0; i < pattern; i++)
		x = x * 1664525 + 1013904223;
	Words(dst).v[0] = x;
}

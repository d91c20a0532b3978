// Fills n 16-byte units and then tail words with pattern, 4 units an invocation.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Units { uvec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(push_constant) uniform Block { uvec2 dst, src; uint n, tail, pattern; };

void main() {
	Units d = Units(dst);
	uint i = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x;
	for (uint k = 0; k < 4; k++, i += 256)
		if (i < n) d.v[i] = uvec4(pattern);
	uint t = gl_LocalInvocationID.x;
	if (gl_WorkGroupID.x == 0 && t < tail) Words(dst).v[4 * n + t] = pattern;
}

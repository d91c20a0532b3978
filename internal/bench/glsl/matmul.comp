#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x_id = 65536, local_size_y_id = 65537, local_size_z_id = 65538) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats { float at[]; };

layout(push_constant, scalar) uniform Launch {
	uint64_t fault;
	uint rx, ry, rz, zero;
	int64_t m, k, n;
	Floats a;
	int64_t na;
	Floats b;
	int64_t nb;
	Floats c;
	int64_t nc;
} p;

shared float ta[16][16], tb[16][16];

void main() {
	int col = int(gl_GlobalInvocationID.x), row = int(gl_GlobalInvocationID.y);
	int x = int(gl_LocalInvocationID.x), y = int(gl_LocalInvocationID.y);
	int m = int(p.m), k = int(p.k), n = int(p.n);
	float sum = 0;
	for (int t = 0; t < k; t += 16) {
		ta[y][x] = row < m && t + x < k ? p.a.at[row * k + t + x] : 0;
		tb[y][x] = t + y < k && col < n ? p.b.at[(t + y) * n + col] : 0;
		barrier();
		for (int i = 0; i < 16; i++) {
			sum += ta[y][i] * tb[i][x];
		}
		barrier();
	}
	if (row < m && col < n) {
		p.c.at[row * n + col] = sum;
	}
}

#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x_id = 65536, local_size_y_id = 65537, local_size_z_id = 65538) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats { float at[]; };

layout(push_constant, scalar) uniform Launch {
	uint64_t fault;
	uint rx, ry, rz, zero;
	int64_t h, w;
	Floats src;
	int64_t nsrc;
	Floats dst;
	int64_t ndst;
} k;

void main() {
	int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
	if (x >= int(k.rx) || y >= int(k.ry)) {
		return;
	}
	int h = int(k.h), w = int(k.w);
	float sum = 0;
	for (int dy = -1; dy <= 1; dy++) {
		for (int dx = -1; dx <= 1; dx++) {
			sum += k.src.at[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
		}
	}
	k.dst.at[y * w + x] = sum * (1.0 / 9);
}

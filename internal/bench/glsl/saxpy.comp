#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x_id = 65536, local_size_y_id = 65537, local_size_z_id = 65538) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats { float at[]; };

layout(push_constant, scalar) uniform Launch {
	uint64_t fault;
	uint rx, ry, rz, zero;
	float a;
	uint pad;
	Floats x;
	int64_t nx;
	Floats y;
	int64_t ny;
} k;

void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i < k.rx) {
		k.y.at[i] += k.a * k.x.at[i];
	}
}

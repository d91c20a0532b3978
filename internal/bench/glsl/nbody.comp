#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x_id = 65536, local_size_y_id = 65537, local_size_z_id = 65538) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats { float at[]; };

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Bodies { vec4 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Vecs { vec3 at[]; };
layout(push_constant, scalar) uniform Launch {
	uint64_t fault;
	uint rx, ry, rz, zero;
	float dt, softening;
	Bodies old;
	int64_t nold;
	Bodies next;
	int64_t nnext;
	Vecs velocity;
	int64_t nvelocity;
} k;

shared vec4 tile[256];

void main() {
	int i = int(gl_GlobalInvocationID.x), l = int(gl_LocalInvocationID.x), n = int(k.nold);
	vec4 self = i < n ? k.old.at[i] : vec4(0);
	vec3 acc = vec3(0);
	for (int first = 0; first < n; first += 256) {
		tile[l] = first + l < n ? k.old.at[first + l] : vec4(0);
		barrier();
		for (int j = 0; j < 256; j++) {
			vec3 d = tile[j].xyz - self.xyz;
			float r = inversesqrt(dot(d, d) + k.softening * k.softening);
			acc += d * (tile[j].w * r * r * r);
		}
		barrier();
	}
	if (i < n) {
		vec3 v = k.velocity.at[i] + acc * k.dt;
		k.velocity.at[i] = v;
		k.next.at[i] = vec4(self.xyz + v * k.dt, self.w);
	}
}

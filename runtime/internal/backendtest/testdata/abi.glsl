// What every test kernel shares: the launch block of package abi, fault records
// and slices. Built with: make shaders
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#pragma use_vulkan_memory_model

layout(local_size_x_id = 0x10000, local_size_y_id = 0x10001, local_size_z_id = 0x10002) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Uints { uint v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float v[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer FaultRecord {
	uint state, site;
	uvec2 a, b;
	uint id[3];
};

struct Slice { uvec2 address, len; };

#define HEADER uvec2 faultAddress; uint rangeX, rangeY, rangeZ, reserved;

// The first work-item to fault claims the record.
#define FAULT(site_, a_, b_) { \
	FaultRecord r = FaultRecord(faultAddress); \
	if (atomicCompSwap(r.state, 0u, 1u) == 0u) { \
		r.site = site_; r.a = a_; r.b = b_; \
		r.id[0] = gl_GlobalInvocationID.x; r.id[1] = gl_GlobalInvocationID.y; r.id[2] = gl_GlobalInvocationID.z; \
	} \
}

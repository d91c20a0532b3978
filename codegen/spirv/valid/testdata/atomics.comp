#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_memory_scope_semantics : enable
#extension GL_EXT_control_flow_attributes : enable
layout(local_size_x_id = 65536, local_size_y_id = 65537, local_size_z_id = 65538) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats {
float at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Ints {
int at[];
};

layout(push_constant, scalar) uniform Launch {
uint64_t fault;
uint rx, ry, rz, zero;
Floats a;
int64_t na;
Ints b;
int64_t nb;
} p;

shared int s;
shared uint t;
void main(){
if(gl_LocalInvocationIndex==0){
s=0;
t=0;
} barrier();
atomicAdd(s,1);
atomicMax(t,3u);
atomicAnd(t,1u);
atomicExchange(s,2);
atomicCompSwap(s,2,3);
atomicAdd(p.b.at[0],s);
atomicXor(p.b.at[1],1);
int v=atomicLoad(p.b.at[2],gl_ScopeDevice,gl_StorageSemanticsBuffer,gl_SemanticsAcquire);
atomicStore(p.b.at[3],v,gl_ScopeDevice,gl_StorageSemanticsBuffer,gl_SemanticsRelease);
memoryBarrierBuffer();
memoryBarrier(gl_ScopeDevice,gl_StorageSemanticsBuffer,gl_SemanticsAcquireRelease);
}

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

shared float tile[256];
void main(){
uint i=gl_LocalInvocationIndex;
float v=p.a.at[gl_GlobalInvocationID.x];
v=subgroupAdd(v);
v+=subgroupInclusiveMul(v)+subgroupClusteredMax(v,4)+subgroupShuffle(v,1)+subgroupShuffleUp(v,1)+subgroupQuadBroadcast(v,1)+subgroupQuadSwapHorizontal(v)+subgroupBroadcast(v,2)+subgroupBroadcastFirst(v);
uvec4 b=subgroupBallot(v>0.);
if(subgroupElect()&&subgroupAny(v>1.)&&subgroupAllEqual(v)) v+=float(subgroupBallotBitCount(b)+subgroupBallotFindLSB(b)+gl_SubgroupSize+gl_NumSubgroups+gl_SubgroupID);
if(subgroupInverseBallot(b)) v++;
v+=float(gl_SubgroupLtMask.x);
tile[i]=v;
barrier();
memoryBarrierShared();
groupMemoryBarrier();
subgroupBarrier();
p.a.at[gl_GlobalInvocationID.x]=tile[255-i];
}

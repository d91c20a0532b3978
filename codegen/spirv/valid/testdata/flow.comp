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

int f(int n, out int m, inout float q){
m=0;
for(int i=0;
i<n;
i++){
if(i==7) continue;
if(i>90) break;
switch(i&7){
case 0: m++;
break;
case 1: case 2: m+=2;
case 3: m+=3;
break;
case 5: continue;
case 6: if(m>3) return m;
break;
default: m-=1;
} q*=1.5;
} do {
m--;
if(m==5) break;
} while(m>0);
while(true){
m+=3;
if(m>100) {
if (n>3) return 3;
break;
} } return m;
} void main(){
int m;
float q=p.a.at[0];
int r=f(p.b.at[gl_GlobalInvocationID.x],m,q);
if(r>3) return;
[[unroll]] for(int i=0;
i<4;
i++) p.b.at[i]+=m;
p.a.at[0]=q;
}

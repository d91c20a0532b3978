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

struct S {
vec3 v;
mat3 m;
dvec2 d;
int64_t l;
float a[4];
};
layout(buffer_reference) buffer Node;
layout(buffer_reference, scalar) buffer Node {
Node next;
S s;
mat4 mm;
float16_t h;
int8_t c;
uint16_t u;
S t[3];
};
layout(buffer_reference, scalar) buffer Root {
Node n;
};
shared S sh[4];
S g;
void main(){
Node n=Root(uint64_t(p.a)).n;
for(int i=0;
i<3 && uint64_t(n)!=0ul;
i++){
S s=n.s;
s.v=s.m*s.v*n.mm[1].xyz;
s.m=transpose(s.m)*2.0+outerProduct(s.v,s.v);
s.d+=dvec2(s.v.zx);
s.a[i]+=determinant(s.m)+inverse(n.mm)[0][i];
n.t[i]=s;
sh[i]=s;
g=s;
n.c=int8_t(i);
n.h=float16_t(s.a[0]);
n.u=uint16_t(n.h);
n.s.l+=int64_t(n.c);
n=n.next;
} float e[5]=float[5](1,2,3,4,5);
p.a.at[0]=e[p.b.at[0]]+g.v[p.b.at[1]];
bvec3 bb=lessThan(g.v,vec3(1));
if(any(bb)&&!all(bb)) p.a.at[1]=dot(g.v,cross(g.v,g.v.yzx));
}

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

layout(constant_id=3) const int N=4;
layout(constant_id=4) const float K=2.5;
layout(constant_id=5) const bool B=true;
const int M=N*2+1;
float arr[N];
void main(){
vec3 v=vec3(p.a.at[0],p.a.at[1],p.a.at[2]);
int e;
ivec3 ev;
vec3 fr=frexp(v,ev);
float ff=frexp(v.x,e);
float ip;
ff+=modf(v.y,ip);
v=normalize(sin(v)+cos(v)*tan(v)+asin(v)+acos(v)+atan(v,v)+sinh(v)+exp(v)+log2(v)+pow(v,v)+sqrt(abs(v))+inversesqrt(v)+floor(v)+fract(v)+mod(v,K)+min(v,ff)+clamp(v,0.,1.)+mix(v,v.zyx,.5)+smoothstep(0.,1.,v)+reflect(v,v)+refract(v,v,.3)+faceforward(v,v,v)+ldexp(v,ivec3(e)));
uint u=packHalf2x16(v.xy)+packUnorm4x8(v.xyzx);
v.xy+=unpackHalf2x16(u)+unpackSnorm2x16(u);
u=bitfieldInsert(u,u,3,4)+bitfieldExtract(u,1,2)+bitfieldReverse(u)+uint(bitCount(u)+findLSB(u)+findMSB(u));
uint c,lo,hi;
u=uaddCarry(u,3u,c);
umulExtended(u,u,hi,lo);
int sl,shh;
imulExtended(int(u),3,shh,sl);
if(isnan(v.x)||isinf(v.y)) u+=floatBitsToUint(v.x)+c+hi+lo+uint(sl+shh);
arr[u%N]=v.x+length(v)+distance(v,v);
if(B) p.a.at[0]=arr[0]+float(int(M));
double d=double(v.x);
d=fma(d,d,d);
p.a.at[1]=float(d)+roundEven(v.x)+trunc(v.y)+sign(v.z)+float(N);
p.b.at[0]=~int(u)<<2>>1;
}

#version 460
#extension GL_GOOGLE_include_directive : require
#define ELEM float16_t
#define SUM float
#define PER 8
#define DEEP 16
#include "tensor.glsl"

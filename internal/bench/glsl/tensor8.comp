#version 460
#extension GL_GOOGLE_include_directive : require
#define ELEM int8_t
#define SUM int
#define PER 16
#define DEEP 32
#include "tensor.glsl"

// The kernels of the CUDA program.
#pragma once

#include "harness.h"

#define AT(i, n)                                                 \
	size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;    \
	if (i >= (n)) return

template <class T> __global__ void copyKernel(const T *a, T *c, size_t n) { AT(i, n); c[i] = a[i]; }
template <class T> __global__ void mulKernel(T *b, const T *c, size_t n) { AT(i, n); b[i] = T(0.4) * c[i]; }
template <class T> __global__ void addKernel(const T *a, const T *b, T *c, size_t n) { AT(i, n); c[i] = a[i] + b[i]; }
template <class T> __global__ void triadKernel(T *a, const T *b, const T *c, size_t n) { AT(i, n); a[i] = b[i] + T(0.4) * c[i]; }

// chainKernel is a chain of kernels by hand, in one.
template <int kernels> __global__ void chainKernel(const float *x, float *out, size_t n) {
	AT(i, n);
	float v = x[i];
	for (int k = 0; k < kernels; k++) v = 0.75f * v + 0.5f;
	out[i] = v;
}

// over combines the values of a block of 256 threads; the first thread has the result.
template <class T, class F> __device__ T over(T v, F f) {
	__shared__ T all[256];
	unsigned l = threadIdx.x;
	__syncthreads();
	all[l] = v;
	__syncthreads();
	for (unsigned half = 128; half > 0; half /= 2) {
		if (l < half) all[l] = f(all[l], all[l + half]);
		__syncthreads();
	}
	return all[0];
}

struct Plus {
	template <class T> __device__ T operator()(T x, T y) const { return x + y; }
};
struct Most {
	__device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};

template <class T> __global__ void dotKernel(const T *a, const T *b, T *out, size_t n) {
	T sum = 0;
	for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) sum += a[i] * b[i];
	sum = over(sum, Plus());
	if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <class T> __global__ void sumKernel(const T *x, T *out, unsigned n) {
	T sum = 0;
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
	sum = over(sum, Plus());
	if (threadIdx.x == 0) out[0] = sum;
}

__global__ void fmaKernel(float x, float y, float *out, size_t n) {
	AT(i, n);
	float v[8], sum = 0;
#pragma unroll
	for (int c = 0; c < 8; c++) v[c] = float(i & 7) / 8 + c;
	for (int r = 0; r < 512; r++) {
#pragma unroll
		for (int c = 0; c < 8; c++) v[c] = v[c] * x + y;
	}
#pragma unroll
	for (int c = 0; c < 8; c++) sum += v[c];
	out[i] = sum;
}

__global__ void saxpyKernel(float a, const float *x, float *y, size_t n) { AT(i, n); y[i] += a * x[i]; }

struct Cells {
	__host__ __device__ u32 operator()(u32 i) const { return hash32(i, 5) % 3 / 2; }
};

__global__ void lifeKernel(const u32 *in, u32 *out, int n) {
	__shared__ u32 tile[18][18];
	int l = threadIdx.y * 16 + threadIdx.x;
	for (int i = l; i < 18 * 18; i += 256) {
		int y = (int(blockIdx.y) * 16 + i / 18 - 1 + n) % n, x = (int(blockIdx.x) * 16 + i % 18 - 1 + n) % n;
		tile[i / 18][i % 18] = in[size_t(y) * n + x];
	}
	__syncthreads();
	u32 sum = 0;
	for (int dy = 0; dy < 3; dy++) {
		for (int dx = 0; dx < 3; dx++) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
	}
	u32 self = tile[threadIdx.y + 1][threadIdx.x + 1];
	out[(size_t(blockIdx.y) * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x] = sum == 3 || (sum == 4 && self == 1);
}

__global__ void transposeKernel(const float *in, float *out, int n) {
	__shared__ float tile[32][33];
	int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 32, gy = blockIdx.y * 32;
	for (int j = 0; j < 32; j += 8) tile[y + j][x] = in[size_t(gy + y + j) * n + gx + x];
	__syncthreads();
	for (int j = 0; j < 32; j += 8) out[size_t(gx + y + j) * n + gy + x] = tile[x][y + j];
}

__global__ void stencilKernel(const float *in, float *out, int n) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
	if (x >= n - 2 || y >= n - 2) return;
	int i = ((z + 1) * n + y + 1) * n + x + 1;
	out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n]);
}

__global__ void blurKernel(const float *in, float *out, int h, int w) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h) return;
	float sum = 0;
	for (int dy = -1; dy <= 1; dy++) {
		for (int dx = -1; dx <= 1; dx++) sum += in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)];
	}
	out[y * w + x] = sum * (1.0f / 9);
}

__global__ void rowsKernel(const float *a, const float *x, float *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	float sum = 0;
	for (int j = 0; j < n; j++) sum += a[size_t(i) * n + j] * x[j];
	out[i] = sum;
}

struct Starts {
	u32 each;
	__host__ __device__ u32 operator()(u32 i) const { return i * each; }
};
struct Columns {
	size_t n;
	__host__ __device__ u32 operator()(u32 i) const { return u32(uint64_t(hash32(i, 6)) * n >> 32); }
};

struct Near {
	size_t n, each;
	__host__ __device__ u32 operator()(u32 i) const { return u32((i / each + 61 * (i % each)) % n); }
};

__global__ void spmvKernel(const u32 *starts, const u32 *columns, const float *values, const float *x, float *y, int n) {
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= n) return;
	float sum = 0;
	for (u32 i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * x[columns[i]];
	y[row] = sum;
}

__global__ void matmulKernel(const float *a, const float *b, float *c, int n) {
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	if (x >= n || y >= n) return;
	float sum = 0;
	for (int i = 0; i < n; i++) sum += a[y * n + i] * b[i * n + x];
	c[y * n + x] = sum;
}

__global__ void tiledKernel(const float *a, const float *b, float *c, int m, int k, int n) {
	__shared__ float ta[16][16], tb[16][16];
	int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
	float sum = 0;
	for (int t = 0; t < k; t += 16) {
		ta[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
		tb[y][x] = t + y < k && col < n ? b[(t + y) * n + col] : 0;
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
		__syncthreads();
	}
	if (row < m && col < n) c[row * n + col] = sum;
}

__global__ void softmaxKernel(const float *in, float *out, int n) {
	in += size_t(blockIdx.x) * n;
	out += size_t(blockIdx.x) * n;
	float most = -INFINITY, sum = 0;
	for (int i = threadIdx.x; i < n; i += 256) most = fmaxf(most, in[i]);
	most = over(most, Most());
	for (int i = threadIdx.x; i < n; i += 256) sum += expf(in[i] - most);
	float scale = 1 / over(sum, Plus());
	for (int i = threadIdx.x; i < n; i += 256) out[i] = expf(in[i] - most) * scale;
}

__device__ inline float normal(float d) {
	float k = 1 / (1 + 0.2316419f * fabsf(d));
	float n = 0.39894228f * expf(-0.5f * d * d) * k *
			  (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
	return d > 0 ? 1 - n : n;
}

__global__ void blackScholesKernel(float rate, float volatility, const float *price, const float *strike, const float *years, float *call, float *put, size_t n) {
	AT(i, n);
	float s = price[i], x = strike[i], t = years[i], root = volatility * sqrtf(t);
	float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / root;
	float n1 = normal(d1), n2 = normal(d1 - root), later = x * expf(-rate * t);
	call[i] = s * n1 - later * n2;
	put[i] = later * (1 - n2) - s * (1 - n1);
}

__global__ void mandelbrotKernel(float left, float top, float pixel, int limit, int width, u32 *count) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= width) return;
	float re = left + x * pixel, im = top + y * pixel, a = 0, b = 0;
	int n = 0;
	for (; n < limit; n++) {
		float a2 = a * a, b2 = b * b;
		if (a2 + b2 > 4) break;
		b = 2 * a * b + im;
		a = a2 - b2 + re;
	}
	count[y * width + x] = n;
}

struct Bodies {
	__host__ __device__ float4 operator()(u32 i) const { return make_float4(unit32(i, 1), unit32(i, 2), unit32(i, 3), unit32(i, 4)); }
};

__global__ void nbodyKernel(float softening, const float4 *bodies, float4 *force, int n) {
	__shared__ float4 tile[256];
	int i = blockIdx.x * 256 + threadIdx.x;
	float4 self = bodies[i], f = make_float4(0, 0, 0, 0);
	for (int first = 0; first < n; first += 256) {
		tile[threadIdx.x] = bodies[first + threadIdx.x];
		__syncthreads();
		for (int j = 0; j < 256; j++) {
			float4 b = tile[j];
			float x = b.x - self.x, y = b.y - self.y, z = b.z - self.z;
			float r = rsqrtf(x * x + y * y + z * z + softening), s = b.w * r * r * r;
			f.x += x * s;
			f.y += y * s;
			f.z += z * s;
		}
		__syncthreads();
	}
	force[i] = f;
}

__global__ void touchKernel(u32 *x) { x[0]++; }

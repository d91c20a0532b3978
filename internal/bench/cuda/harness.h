// What the CUDA program measures with: memory, works, rounds and checksums.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                          \
	do {                                                                                     \
		auto e_ = (call);                                                                    \
		if (e_ != 0) {                                                                       \
			fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, (int)e_);    \
			exit(1);                                                                         \
		}                                                                                    \
	} while (0)

typedef uint32_t u32;

// hash and unit are those of the suite's device.go.
__host__ __device__ inline u32 hash32(u32 i, u32 seed) {
	u32 x = i ^ seed * 0x9e3779b9u;
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

__host__ __device__ inline float unit32(u32 i, u32 seed) { return float(hash32(i, seed) >> 8) / 16777216.0f; }

template <class T, class F> __global__ void fillKernel(T *p, size_t n, F f) {
	size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
	if (i < n) p[i] = f(u32(i));
}

inline unsigned blocksOf(size_t n, size_t size = 256) { return unsigned((n + size - 1) / size); }

template <class T> T *alloc(size_t n) {
	T *p;
	CHECK(cudaMalloc(&p, n * sizeof(T)));
	CHECK(cudaMemset(p, 0xff, n * sizeof(T)));
	return p;
}

// make returns memory with what f returns for each index.
template <class T, class F> T *make(size_t n, F f) {
	T *p = alloc<T>(n);
	fillKernel<<<blocksOf(n), 256>>>(p, n, f);
	return p;
}

struct Units {
	u32 seed;
	float scale, add;
	__host__ __device__ float operator()(u32 i) const { return add + scale * unit32(i, seed); }
};

template <class T = float> T *units(size_t n, u32 seed, float scale = 1, float add = 0) { return make<T>(n, Units{seed, scale, add}); }

struct Hashes {
	u32 seed;
	__host__ __device__ u32 operator()(u32 i) const { return hash32(i, seed); }
};

// A Work is what a row of the report does. run does it once, on the default stream; reset
// readies what it changes and writes.
struct Work {
	std::function<void()> run, reset;
	bool fixed = false; // a round is one run
	double per = 1;     // what a run is divided by
	std::function<double()> sum;
};

// total adds up about a million of n elements by weights, as the suite does.
template <class T> double total(const T *device, size_t n) {
	std::vector<T> s(n);
	CHECK(cudaMemcpy(s.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
	size_t step = n / (1 << 20) | 1;
	double sum = 0;
	for (size_t i = 0; i < n; i += step) sum += double(s[i]) * double(1 + i / step % 8);
	return sum;
}

// output has a work poison and add up n elements.
template <class T> Work writes(T *p, size_t n, std::function<void()> run) {
	Work w;
	w.run = run;
	w.reset = [=] { CHECK(cudaMemset(p, 0xff, n * sizeof(T))); };
	w.sum = [=] { return total(p, n); };
	return w;
}

inline double now() {
	return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// timed returns the seconds that so many runs take.
inline double timed(const Work &w, long runs) {
	double begin = now();
	for (long i = 0; i < runs; i++) w.run();
	CHECK(cudaDeviceSynchronize());
	return now() - begin;
}

// serve measures a round for each line of the input, and ends with the checksum.
inline void serve(const Work &w, double round) {
	if (w.reset) w.reset();
	CHECK(cudaDeviceSynchronize());
	timed(w, 1);
	CHECK(cudaGetLastError());
	long runs = 1;
	while (!w.fixed) {
		double took = timed(w, runs);
		if (took >= round / 2 || runs >= 1 << 16) {
			runs = long(fmax(1, double(runs) * fmin(2, round / took) + 0.5));
			break;
		}
		runs = long(fmin(4.0 * runs, 1 + double(runs) * round / fmax(took, 1e-9)));
	}
	printf("{\"ns\": 0}\n");
	fflush(stdout);
	for (int c; (c = getchar()) != EOF;) {
		if (c != '\n') continue;
		printf("{\"ns\": %.3f}\n", timed(w, runs) / double(runs) / w.per * 1e9);
		fflush(stdout);
	}
	if (w.reset) w.reset();
	timed(w, 1);
	CHECK(cudaGetLastError());
	printf("{\"sum\": %.17g}\n", w.sum ? w.sum() : 0.0);
}

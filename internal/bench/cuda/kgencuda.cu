// The CUDA peers of the benchmark suite, one program for all of them:
//
//	kgencuda WORK N ROUND     # the round in microseconds
//
// It makes its inputs, writes a line when it is ready, measures a round for each line that it
// reads, and at the end of its input writes a checksum of the results of one more run. Lines are
// JSON. The kernels are what one writes in CUDA C++ for the same work, an element for each
// thread, and by CUB, cuBLAS, cuSPARSE and cuFFT where the report says so. "kgencuda device" names the device;
// "kgencuda first" launches one kernel and ends, for the row of process starts.
#include "harness.h"
#include "kernels.h"

#include <cub/cub.cuh>
#ifndef NO_CUBLAS
#include <cublas_v2.h>
#endif
#ifndef NO_CUSPARSE
#include <cusparse.h>
#endif
#ifndef NO_CUFFT
#include <cufft.h>
#endif
#include <cuda_fp16.h>
#include <map>

typedef std::function<Work(size_t n)> Maker;

template <class T> void stream(std::map<std::string, Maker> &m, const std::string &bits) {
	m["copy" + bits] = [](size_t n) {
		T *a = units<T>(n, 1), *c = alloc<T>(n);
		return writes(c, n, [=] { copyKernel<<<blocksOf(n), 256>>>(a, c, n); });
	};
	m["mul" + bits] = [](size_t n) {
		T *c = units<T>(n, 1), *b = alloc<T>(n);
		return writes(b, n, [=] { mulKernel<<<blocksOf(n), 256>>>(b, c, n); });
	};
	m["add" + bits] = [](size_t n) {
		T *a = units<T>(n, 1), *b = units<T>(n, 2), *c = alloc<T>(n);
		return writes(c, n, [=] { addKernel<<<blocksOf(n), 256>>>(a, b, c, n); });
	};
	m["triad" + bits] = [](size_t n) {
		T *b = units<T>(n, 1), *c = units<T>(n, 2), *a = alloc<T>(n);
		return writes(a, n, [=] { triadKernel<<<blocksOf(n), 256>>>(a, b, c, n); });
	};
	m["dot" + bits] = [](size_t n) {
		const unsigned parts = 2048;
		T *a = units<T>(n, 1), *b = units<T>(n, 2), *sums = alloc<T>(parts), *out = alloc<T>(1);
		return writes(out, 1, [=] {
			dotKernel<<<parts, 256>>>(a, b, sums, n);
			sumKernel<<<1, 256>>>(sums, out, parts);
		});
	};
}

template <int kernels> Work chain(size_t n) {
	float *x = units(n, 1), *out = alloc<float>(n);
	return writes(out, n, [=] { chainKernel<kernels><<<blocksOf(n), 256>>>(x, out, n); });
}

// withTemp calls one of CUB's functions, which say first how much memory they need.
template <class F> std::function<void()> withTemp(F f) {
	size_t bytes = 0;
	CHECK(f((void *)nullptr, bytes));
	void *temp = alloc<char>(bytes + 1);
	return [=] { size_t b = bytes; CHECK(f(temp, b)); };
}

void algorithms(std::map<std::string, Maker> &m) {
	m["histogram"] = [](size_t n) {
		u32 *x = make<u32>(n, Hashes{9}), *bins = alloc<u32>(256);
		return writes(bins, 256, withTemp([=](void *t, size_t &b) {
			return cub::DeviceHistogram::HistogramEven(t, b, (const uint8_t *)x, bins, 257, 0, 256, int(4 * n));
		}));
	};
	m["life"] = [](size_t n) {
		u32 *x = make<u32>(n * n, Cells{}), *out = alloc<u32>(n * n);
		return writes(out, n * n, [=] { lifeKernel<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(x, out, int(n)); });
	};
}

struct Hashes64 {
	__host__ __device__ uint64_t operator()(u32 i) const { return uint64_t(hash32(i, 9)) << 32 | hash32(i, 10); }
};

struct Runs {
	__host__ __device__ u32 operator()(u32 i) const { return hash32(i / 4, 9); }
};

struct Indices {
	__host__ __device__ u32 operator()(u32 i) const { return i; }
};

struct Positive {
	__host__ __device__ bool operator()(float x) const { return x > 0; }
};

template <class T> Work sum(const T *x, size_t n) {
	T *out = alloc<T>(1);
	return writes(out, 1, withTemp([=](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, out, int(n)); }));
}

template <class T> Work scan(const T *x, size_t n) {
	T *out = alloc<T>(n);
	return writes(out, n, withTemp([=](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, x, out, int(n)); }));
}

template <class T> Work sortKeys(const T *x, size_t n) {
	T *out = alloc<T>(n);
	return writes(out, n, withTemp([=](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, x, out, int(n)); }));
}

// libraries are CUB's functions, which stand beside those of prim.
void libraries(std::map<std::string, Maker> &m) {
	m["reduce"] = [](size_t n) { return sum(make<u32>(n, Hashes{9}), n); };
	m["reduce f32"] = [](size_t n) { return sum(units(n, 1), n); };
	m["scan"] = [](size_t n) { return scan(make<u32>(n, Hashes{9}), n); };
	m["scan f32"] = [](size_t n) { return scan(units(n, 1), n); };
	m["sort"] = [](size_t n) { return sortKeys(make<u32>(n, Hashes{9}), n); };
	m["sort f32"] = [](size_t n) { return sortKeys(units(n, 9), n); };
	m["sort u64"] = [](size_t n) { return sortKeys(make<uint64_t>(n, Hashes64{}), n); };
	m["min f32"] = [](size_t n) {
		float *x = units(n, 1), *out = alloc<float>(1);
		return writes(out, 1, withTemp([=](void *t, size_t &b) { return cub::DeviceReduce::Min(t, b, x, out, int(n)); }));
	};
	m["argmin f32"] = [](size_t n) {
		float *x = units(n, 1), *least = alloc<float>(1);
		int64_t *at = alloc<int64_t>(1);
		return writes(at, 1, withTemp([=](void *t, size_t &b) { return cub::DeviceReduce::ArgMin(t, b, x, least, at, int64_t(n)); }));
	};
	m["pairs"] = [](size_t n) {
		u32 *x = make<u32>(n, Hashes{9}), *y = make<u32>(n, Indices{}), *keys = alloc<u32>(n), *values = alloc<u32>(n);
		return writes(values, n, withTemp([=](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, x, keys, y, values, int(n)); }));
	};
	m["where"] = [](size_t n) {
		float *x = units(n, 1, 1, -0.5f), *out = alloc<float>(n);
		int64_t *count = alloc<int64_t>(1);
		return writes(count, 1, withTemp([=](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, x, out, count, int64_t(n), Positive{}); }));
	};
	m["unique"] = [](size_t n) {
		u32 *x = make<u32>(n, Runs{}), *out = alloc<u32>(n);
		int64_t *count = alloc<int64_t>(1);
		return writes(count, 1, withTemp([=](void *t, size_t &b) { return cub::DeviceSelect::Unique(t, b, x, out, count, int64_t(n)); }));
	};
	m["histogram u8"] = [](size_t n) {
		u32 *x = make<u32>(n / 4, Hashes{9}), *bins = alloc<u32>(256);
		return writes(bins, 256, withTemp([=](void *t, size_t &b) {
			return cub::DeviceHistogram::HistogramEven(t, b, (const uint8_t *)x, bins, 257, 0, 256, int(n));
		}));
	};
}

struct Halves {
	u32 seed;
	__host__ __device__ __half operator()(u32 i) const { return __float2half_rn(Units{seed, 1, 0}(i)); }
};

struct Bytes {
	u32 seed;
	__host__ __device__ int8_t operator()(u32 i) const { return int8_t(hash32(i, seed) >> 24); }
};

void grids(std::map<std::string, Maker> &m) {
	m["transpose"] = [](size_t n) {
		float *x = units(n * n, 1), *out = alloc<float>(n * n);
		return writes(out, n * n, [=] { transposeKernel<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(x, out, int(n)); });
	};
	m["stencil"] = [](size_t n) {
		float *x = units(n * n * n, 1), *out = alloc<float>(n * n * n);
		Work w = writes(out, n * n * n, [=] { stencilKernel<<<dim3(blocksOf(n - 2, 64), blocksOf(n - 2, 4), n - 2), dim3(64, 4)>>>(x, out, int(n)); });
		w.reset = [=] { CHECK(cudaMemset(out, 0, n * n * n * sizeof(float))); };
		return w;
	};
	m["blur"] = [](size_t n) {
		float *x = units(n * n, 1), *out = alloc<float>(n * n);
		return writes(out, n * n, [=] { blurKernel<<<dim3(blocksOf(n, 32), blocksOf(n, 8)), dim3(32, 8)>>>(x, out, int(n), int(n)); });
	};
	m["rows"] = [](size_t n) {
		float *a = units(n * n, 1), *x = units(n, 2), *out = alloc<float>(n);
		return writes(out, n, [=] { rowsKernel<<<blocksOf(n), 256>>>(a, x, out, int(n)); });
	};
	m["spmv"] = [](size_t n) {
		const size_t each = 32;
		u32 *starts = make<u32>(n + 1, Starts{u32(each)}), *columns = make<u32>(n * each, Columns{n});
		float *values = units(n * each, 1), *x = units(n, 2), *y = alloc<float>(n);
		return writes(y, n, [=] { spmvKernel<<<blocksOf(n), 256>>>(starts, columns, values, x, y, int(n)); });
	};
#ifndef NO_CUSPARSE
	m["sparse"] = [](size_t n) { // 27 elements in a row
		const size_t each = 27;
		u32 *starts = make<u32>(n + 1, Starts{u32(each)}), *columns = make<u32>(n * each, Near{n, each});
		float *values = units(n * each, 1), *x = units(n, 2), *y = alloc<float>(n);
		const float one = 1, zero = 0;
		cusparseHandle_t h;
		CHECK(cusparseCreate(&h));
		cusparseSpMatDescr_t a;
		CHECK(cusparseCreateCsr(&a, n, n, n * each, starts, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
		cusparseDnVecDescr_t vx, vy;
		CHECK(cusparseCreateDnVec(&vx, n, x, CUDA_R_32F));
		CHECK(cusparseCreateDnVec(&vy, n, y, CUDA_R_32F));
		size_t bytes = 0;
		CHECK(cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
		char *buffer = alloc<char>(bytes + 1);
		return writes(y, n, [=] {
			CHECK(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
		});
	};
#endif
	auto product = [](size_t n, std::function<void(const float *a, const float *b, float *c)> run) {
		float *a = units(n * n, 1), *b = units(n * n, 2), *c = alloc<float>(n * n);
		return writes(c, n * n, [=] { run(a, b, c); });
	};
	m["matmul"] = [=](size_t n) {
		return product(n, [=](const float *a, const float *b, float *c) {
			matmulKernel<<<dim3(blocksOf(n, 16), blocksOf(n, 16)), dim3(16, 16)>>>(a, b, c, int(n));
		});
	};
	m["tiled"] = [=](size_t n) {
		return product(n, [=](const float *a, const float *b, float *c) {
			tiledKernel<<<dim3(blocksOf(n, 16), blocksOf(n, 16)), dim3(16, 16)>>>(a, b, c, int(n), int(n), int(n));
		});
	};
#ifndef NO_CUBLAS
	m["sgemm"] = [=](size_t n) { // in float32: TF32 is off by default
		cublasHandle_t h;
		CHECK(cublasCreate(&h));
		return product(n, [=](const float *a, const float *b, float *c) {
			const float one = 1, zero = 0;
			int k = int(n); // by columns, so the other way around
			CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, k, k, k, &one, b, k, a, k, &zero, c, k));
		});
	};
	m["batched"] = [=](size_t n) { // 64 products
		cublasHandle_t h;
		CHECK(cublasCreate(&h));
		const size_t all = 64 * n * n;
		float *a = units(all, 1), *b = units(all, 2), *c = alloc<float>(all);
		return writes(c, all, [=] {
			const float one = 1, zero = 0;
			int k = int(n);
			CHECK(cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, k, k, k, &one, b, k, k * k, a, k, k * k, &zero, c, k, k * k, 64));
		});
	};
	m["gemv"] = [=](size_t n) { // by rows, so transposed
		cublasHandle_t h;
		CHECK(cublasCreate(&h));
		float *a = units(n * n, 1), *x = units(n, 2), *y = alloc<float>(n);
		return writes(y, n, [=] {
			const float one = 1, zero = 0;
			int k = int(n);
			CHECK(cublasSgemv(h, CUBLAS_OP_T, k, k, &one, a, k, x, 1, &zero, y, 1));
		});
	};
	m["hgemm"] = [=](size_t n) { // of 16-bit floats; the second one is given by columns, as kgen's is
		cublasHandle_t h;
		CHECK(cublasCreate(&h));
		__half *a = make<__half>(n * n, Halves{1}), *b = make<__half>(n * n, Halves{2});
		float *c = alloc<float>(n * n);
		return writes(c, n * n, [=] {
			const float one = 1, zero = 0;
			int k = int(n);
			CHECK(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, k, k, k, &one, b, CUDA_R_16F, k, a, CUDA_R_16F, k, &zero, c,
				CUDA_R_32F, k, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
		});
	};
	m["igemm"] = [=](size_t n) { // of bytes
		cublasHandle_t h;
		CHECK(cublasCreate(&h));
		int8_t *a = make<int8_t>(n * n, Bytes{1}), *b = make<int8_t>(n * n, Bytes{2});
		int *c = alloc<int>(n * n);
		return writes(c, n * n, [=] {
			const int one = 1, zero = 0;
			int k = int(n);
			CHECK(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, k, k, k, &one, b, CUDA_R_8I, k, a, CUDA_R_8I, k, &zero, c,
				CUDA_R_32I, k, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
		});
	};
#endif
}

void numeric(std::map<std::string, Maker> &m) {
	m["copy4"] = [](size_t n) {
		float *a = units(n, 1), *c = alloc<float>(n);
		return writes(c, n, [=] { copyKernel<<<blocksOf(n / 4), 256>>>((const float4 *)a, (float4 *)c, n / 4); });
	};
	m["fma"] = [](size_t n) {
		float *out = alloc<float>(n);
		return writes(out, n, [=] { fmaKernel<<<blocksOf(n), 256>>>(0.75f, 0.5f, out, n); });
	};
	m["saxpy"] = [](size_t n) {
		float *x = units(n, 1), *y = alloc<float>(n);
		Work w = writes(y, n, [=] { saxpyKernel<<<blocksOf(n), 256>>>(0.5f, x, y, n); });
		w.reset = [=] { fillKernel<<<blocksOf(n), 256>>>(y, n, Units{2, 1, 0}); };
		return w;
	};
#ifndef NO_CUFFT
	auto transforms = [](cufftHandle plan, size_t n) {
		float *x = units(2 * n, 1, 1, -0.5f), *out = alloc<float>(2 * n);
		return writes(out, 2 * n, [=] { CHECK(cufftExecC2C(plan, (cufftComplex *)x, (cufftComplex *)out, CUFFT_FORWARD)); });
	};
	m["fft rows"] = [=](size_t n) {
		const int width = 4096;
		cufftHandle plan;
		CHECK(cufftPlan1d(&plan, width, CUFFT_C2C, int(n)));
		return transforms(plan, n * width);
	};
	m["fft"] = [=](size_t n) {
		cufftHandle plan;
		CHECK(cufftPlan1d(&plan, int(n), CUFFT_C2C, 1));
		return transforms(plan, n);
	};
	m["fft square"] = [=](size_t n) {
		cufftHandle plan;
		CHECK(cufftPlan2d(&plan, int(n), int(n), CUFFT_C2C));
		return transforms(plan, n * n);
	};
#endif
	m["softmax"] = [](size_t n) {
		const size_t width = 4096;
		float *x = units(n * width, 1, 8, -4), *out = alloc<float>(n * width);
		return writes(out, n * width, [=] { softmaxKernel<<<n, 256>>>(x, out, int(width)); });
	};
	m["blackscholes"] = [](size_t n) {
		float *s = units(n, 1, 25, 5), *x = units(n, 2, 99, 1), *t = units(n, 3, 9.75f, 0.25f), *call = alloc<float>(n), *put = alloc<float>(n);
		return writes(call, n, [=] { blackScholesKernel<<<blocksOf(n), 256>>>(0.02f, 0.3f, s, x, t, call, put, n); });
	};
	m["mandelbrot"] = [](size_t n) {
		u32 *out = alloc<u32>(n * n);
		return writes(out, n * n, [=] {
			mandelbrotKernel<<<dim3(blocksOf(n, 32), blocksOf(n, 8)), dim3(32, 8)>>>(-2, -1.5f, 3.0f / float(n), 1000, int(n), out);
		});
	};
	m["nbody"] = [](size_t n) {
		float4 *in = make<float4>(n, Bodies{}), *out = alloc<float4>(n);
		return writes((float *)out, 4 * n, [=] { nbodyKernel<<<n / 256, 256>>>(0.01f, in, out, int(n)); });
	};
}

void launches(std::map<std::string, Maker> &m) {
	auto counting = [] {
		u32 *x = alloc<u32>(1);
		CHECK(cudaMemset(x, 0, 4));
		return x;
	};
	m["roundtrip"] = [=](size_t) {
		u32 *x = counting();
		Work w;
		w.run = [=] { touchKernel<<<1, 1>>>(x); CHECK(cudaDeviceSynchronize()); };
		return w;
	};
	m["dependent"] = [=](size_t n) {
		u32 *x = counting();
		Work w;
		w.fixed = true;
		w.per = double(n);
		w.run = [=] { for (size_t i = 0; i < n; i++) touchKernel<<<1, 1>>>(x); };
		return w;
	};
	m["graph"] = [=](size_t n) {
		u32 *x = counting();
		cudaStream_t s;
		cudaGraph_t g;
		cudaGraphExec_t ex;
		CHECK(cudaStreamCreate(&s));
		CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
		for (size_t i = 0; i < n; i++) touchKernel<<<1, 1, 0, s>>>(x);
		CHECK(cudaStreamEndCapture(s, &g));
		CHECK(cudaGraphInstantiateWithFlags(&ex, g, 0));
		Work w;
		w.run = [=] { CHECK(cudaGraphLaunch(ex, s)); };
		return w;
	};
	m["beside"] = [=](size_t n) {
		// The next batch is copied on a stream of its own; events keep the two buffers apart.
		float *buf[2], *host;
		cudaStream_t copies, kernels;
		cudaEvent_t copied[2], used[2];
		CHECK(cudaMallocHost(&host, n * sizeof *host));
		for (size_t i = 0; i < n; i++) host[i] = float(i & 0xffff);
		CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
		CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
		for (int i = 0; i < 2; i++) {
			buf[i] = alloc<float>(n);
			CHECK(cudaEventCreateWithFlags(&copied[i], cudaEventDisableTiming));
			CHECK(cudaEventCreateWithFlags(&used[i], cudaEventDisableTiming));
		}
		const int steps = 8;
		Work w = writes(buf[1], n, [=] {
			for (int i = 0; i < steps; i++) {
				int next = (i + 1) % 2, now = i % 2;
				CHECK(cudaStreamWaitEvent(copies, used[next], 0));
				CHECK(cudaMemcpyAsync(buf[next], host, n * sizeof *host, cudaMemcpyHostToDevice, copies));
				CHECK(cudaEventRecord(copied[next], copies));
				CHECK(cudaStreamWaitEvent(kernels, copied[now], 0));
				fmaKernel<<<blocksOf(n), 256, 0, kernels>>>(0.75f, 0.5f, buf[now], n);
				CHECK(cudaEventRecord(used[now], kernels));
			}
		});
		w.per = steps;
		return w;
	};
	for (bool pinned : {false, true}) {
		for (bool up : {false, true}) {
			m[std::string(up ? "upload" : "download") + (pinned ? "_pinned" : "")] = [=](size_t n) {
				u32 *x = make<u32>(n, Hashes{9}), *host = nullptr;
				if (pinned) {
					CHECK(cudaMallocHost(&host, 4 * n));
				} else {
					host = (u32 *)malloc(4 * n);
				}
				CHECK(cudaMemcpy(host, x, 4 * n, cudaMemcpyDeviceToHost));
				Work w;
				w.run = [=] {
					if (up) {
						CHECK(cudaMemcpy(x, host, 4 * n, cudaMemcpyHostToDevice));
					} else {
						CHECK(cudaMemcpy(host, x, 4 * n, cudaMemcpyDeviceToHost));
					}
				};
				return w;
			};
		}
	}
}

int firstResult() {
	float *y = units(3, 2), host[3];
	saxpyKernel<<<1, 256>>>(2.0f, y, y, 3);
	CHECK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
	puts(host[0] == 3 * unit32(0, 2) ? "ok" : "wrong");
	return 0;
}

int main(int argc, char **argv) {
	std::string work = argc > 1 ? argv[1] : "";
	if (work == "device") {
		cudaDeviceProp p;
		CHECK(cudaGetDeviceProperties(&p, 0));
		puts(p.name);
		return 0;
	}
	if (work == "first") return firstResult();
	std::map<std::string, Maker> m;
	stream<float>(m, "32");
	stream<double>(m, "64");
	m["chain2"] = chain<2>;
	m["chain5"] = chain<5>;
	m["chain10"] = chain<10>;
	algorithms(m);
	libraries(m);
	grids(m);
	numeric(m);
	launches(m);
	if (argc != 4 || !m.count(work)) {
		fprintf(stderr, "usage: kgencuda WORK N ROUND, where WORK is one of:");
		for (auto &w : m) fprintf(stderr, " %s", w.first.c_str());
		fprintf(stderr, "\n");
		return 2;
	}
	Work w = m[work](strtoull(argv[2], nullptr, 10));
	serve(w, atof(argv[3]) / 1e6);
	return 0;
}

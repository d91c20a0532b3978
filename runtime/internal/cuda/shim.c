//go:build cgo && linux && !android

#include "shim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The part of the driver's interface that is used, for 64-bit hosts. */
typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct {
	char bytes[16];
} CUuuid;

typedef struct {
	int type;
	union {
		int fd;
		struct {
			void *handle;
			const void *name;
		} win32;
		const void *nvSciBufObject;
	} handle;
	unsigned long long size;
	unsigned int flags;
	unsigned int reserved[16];
} external_memory_handle_desc;

typedef struct {
	unsigned long long offset, size;
	unsigned int flags;
	unsigned int reserved[16];
} external_memory_buffer_desc;

_Static_assert(sizeof(external_memory_handle_desc) == 104 && offsetof(external_memory_handle_desc, size) == 24, "as CUDA has it");
_Static_assert(sizeof(external_memory_buffer_desc) == 88, "as CUDA has it");

enum { HANDLE_OPAQUE_FD = 1, DEDICATED = 1, STREAM_NON_BLOCKING = 1, NOT_READY = 600, FUNCTION_MISSING = -1 };

/* X(function, its name in the library, arguments) */
#define FUNCTIONS(X) \
	X(Init, "cuInit", (unsigned int flags)) \
	X(DeviceGetCount, "cuDeviceGetCount", (int *n)) \
	X(DeviceGetUuid, "cuDeviceGetUuid_v2", (CUuuid *uuid, CUdevice d)) \
	X(DeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int *can, CUdevice d, CUdevice peer)) \
	X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext *c, CUdevice d)) \
	X(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice d)) \
	X(CtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext c)) \
	X(CtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext *c)) \
	X(StreamCreate, "cuStreamCreate", (CUstream *s, unsigned int flags)) \
	X(StreamDestroy, "cuStreamDestroy_v2", (CUstream s)) \
	X(StreamQuery, "cuStreamQuery", (CUstream s)) \
	X(MemcpyAsync, "cuMemcpyAsync", (CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream s)) \
	X(ImportExternalMemory, "cuImportExternalMemory", (CUexternalMemory *m, const external_memory_handle_desc *d)) \
	X(ExternalMemoryGetMappedBuffer, "cuExternalMemoryGetMappedBuffer", (CUdeviceptr *p, CUexternalMemory m, const external_memory_buffer_desc *d)) \
	X(MemFree, "cuMemFree_v2", (CUdeviceptr p)) \
	X(DestroyExternalMemory, "cuDestroyExternalMemory", (CUexternalMemory m)) \
	X(GetErrorName, "cuGetErrorName", (CUresult r, const char **name))

static struct {
#define X(function, name, arguments) CUresult (*function) arguments;
	FUNCTIONS(X)
#undef X
} cu;

static cuda_value value(const char *call, CUresult r, uint64_t v) {
	return r == 0 ? (cuda_value){NULL, 0, v} : (cuda_value){call, r, 0};
}

cuda_value cuda_open(const char *name, char *err, size_t n) {
	void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL) {
		snprintf(err, n, "%s", dlerror());
		return value("dlopen", FUNCTION_MISSING, 0);
	}
#define X(function, symbol, arguments) \
	if ((cu.function = (CUresult(*) arguments)dlsym(lib, symbol)) == NULL) { \
		snprintf(err, n, "%s has no %s", name, symbol); \
		return value(symbol, FUNCTION_MISSING, 0); \
	}
	FUNCTIONS(X)
#undef X
	return value("cuInit", cu.Init(0), 0);
}

const char *cuda_result_name(int32_t result) {
	const char *name = NULL;
	return cu.GetErrorName(result, &name) == 0 && name != NULL ? name : "";
}

cuda_value cuda_device_count(void) {
	int n = 0;
	CUresult r = cu.DeviceGetCount(&n);
	return value("cuDeviceGetCount", r, n);
}

cuda_value cuda_device_uuid(int32_t device, uint8_t *uuid) {
	CUuuid u = {{0}};
	CUresult r = cu.DeviceGetUuid(&u, device);
	memcpy(uuid, u.bytes, sizeof u.bytes);
	return value("cuDeviceGetUuid_v2", r, 0);
}

cuda_value cuda_can_access(int32_t device, int32_t peer) {
	int can = 0;
	CUresult r = cu.DeviceCanAccessPeer(&can, device, peer);
	return value("cuDeviceCanAccessPeer", r, can);
}

cuda_value cuda_retain(int32_t device) {
	CUcontext c = NULL;
	CUresult r = cu.DevicePrimaryCtxRetain(&c, device);
	return value("cuDevicePrimaryCtxRetain", r, (uintptr_t)c);
}

cuda_value cuda_release(int32_t device) { return value("cuDevicePrimaryCtxRelease", cu.DevicePrimaryCtxRelease(device), 0); }

/* Makes a call with ctx as the current context. */
#define WITHIN(ctx, name, call, v) \
	CUresult r = cu.CtxPushCurrent((CUcontext)(ctx)); \
	if (r != 0) return value("cuCtxPushCurrent", r, 0); \
	r = call; \
	CUcontext popped; \
	cu.CtxPopCurrent(&popped); \
	return value(name, r, v)

cuda_value cuda_stream_create(uintptr_t ctx) {
	CUstream s = NULL;
	WITHIN(ctx, "cuStreamCreate", cu.StreamCreate(&s, STREAM_NON_BLOCKING), (uintptr_t)s);
}

cuda_value cuda_stream_destroy(uintptr_t ctx, uintptr_t stream) {
	WITHIN(ctx, "cuStreamDestroy", cu.StreamDestroy((CUstream)stream), 0);
}

static CUresult query(CUstream s, int *done) {
	CUresult r = cu.StreamQuery(s);
	*done = r != NOT_READY;
	return *done ? r : 0;
}

cuda_value cuda_stream_done(uintptr_t ctx, uintptr_t stream) {
	int done = 0;
	WITHIN(ctx, "cuStreamQuery", query((CUstream)stream, &done), done);
}

cuda_value cuda_copy(uintptr_t ctx, uintptr_t stream, uint64_t dst, uint64_t src, uint64_t size) {
	WITHIN(ctx, "cuMemcpyAsync", cu.MemcpyAsync(dst, src, size, (CUstream)stream), 0);
}

cuda_value cuda_import(uintptr_t ctx, int fd, uint64_t size) {
	external_memory_handle_desc d = {.type = HANDLE_OPAQUE_FD, .handle.fd = fd, .size = size, .flags = DEDICATED};
	CUexternalMemory m = NULL;
	WITHIN(ctx, "cuImportExternalMemory", cu.ImportExternalMemory(&m, &d), (uintptr_t)m);
}

cuda_value cuda_map(uintptr_t ctx, uintptr_t memory, uint64_t size) {
	external_memory_buffer_desc d = {.size = size};
	CUdeviceptr p = 0;
	WITHIN(ctx, "cuExternalMemoryGetMappedBuffer", cu.ExternalMemoryGetMappedBuffer(&p, (CUexternalMemory)memory, &d), p);
}

cuda_value cuda_unmap(uintptr_t ctx, uint64_t address) { WITHIN(ctx, "cuMemFree", cu.MemFree(address), 0); }

cuda_value cuda_drop(uintptr_t ctx, uintptr_t memory) {
	WITHIN(ctx, "cuDestroyExternalMemory", cu.DestroyExternalMemory((CUexternalMemory)memory), 0);
}

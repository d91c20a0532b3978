/*
 * The calls into CUDA's driver. Each function makes the context current for its own duration, so that it may be called
 * on any thread. A handle is a uintptr_t.
 */
#ifndef KGEN_CUDA_SHIM_H
#define KGEN_CUDA_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
	const char *call; /* the function that failed, or NULL */
	int32_t result;   /* its CUresult */
	uint64_t value;   /* a handle, an address or a number */
} cuda_value;

/* Opens the library and initializes the driver. If the library cannot be opened, or lacks a function, err gets the reason. */
cuda_value cuda_open(const char *name, char *err, size_t n);
const char *cuda_result_name(int32_t result);

cuda_value cuda_device_count(void);
cuda_value cuda_device_uuid(int32_t device, uint8_t *uuid);
cuda_value cuda_can_access(int32_t device, int32_t peer);

/* The device's primary context. */
cuda_value cuda_retain(int32_t device);
cuda_value cuda_release(int32_t device);

cuda_value cuda_stream_create(uintptr_t ctx);
cuda_value cuda_stream_destroy(uintptr_t ctx, uintptr_t stream);
/* The value is 1 if all copies of the stream have completed. */
cuda_value cuda_stream_done(uintptr_t ctx, uintptr_t stream);
cuda_value cuda_copy(uintptr_t ctx, uintptr_t stream, uint64_t dst, uint64_t src, uint64_t size);

/* Imports an allocation of size bytes that one buffer has for itself. Unless it fails, the driver owns fd afterwards. */
cuda_value cuda_import(uintptr_t ctx, int fd, uint64_t size);
cuda_value cuda_map(uintptr_t ctx, uintptr_t memory, uint64_t size);
cuda_value cuda_unmap(uintptr_t ctx, uint64_t address);
cuda_value cuda_drop(uintptr_t ctx, uintptr_t memory);

#endif

/*
 * A library that stands in for libcuda.so.1: its devices are memory of the host, which lavapipe has exported as file
 * descriptors. The environment says what it does:
 *
 *   FAKE_CUDA_UUIDS  the UUIDs of its devices, in hexadecimal, separated by commas
 *   FAKE_CUDA_FAIL   FUNCTION:N makes the N-th call of a function fail, counted since the variable last changed
 *   FAKE_CUDA_WRONG  not empty: copies have other words than their source
 *   FAKE_CUDA_HANG   not empty: copies do not end
 *   FAKE_CUDA_APART  not empty: no device reaches another
 *   FAKE_CUDA_LOG    a file that gets a line for each call that makes, frees or copies
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INVALID_VALUE = 1, INVALID_CONTEXT = 201, NOT_READY = 600, LAUNCH_FAILED = 719 };

typedef struct {
	int current; /* how many threads have it */
} context;

typedef struct {
	char *base; /* the whole file */
	size_t length, start;
} memory;

typedef struct stream {
	char *dst;
	const char *src;
	size_t size;
	int asked;
} stream;

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static context contexts[8];
static _Thread_local context *stack[8];
static _Thread_local int depth;

static const char *var(const char *name) {
	const char *s = getenv(name);
	return s != NULL ? s : "";
}

static void note(const char *call) {
	const char *path = var("FAKE_CUDA_LOG");
	if (*path == 0) return;
	FILE *f = fopen(path, "a");
	if (f == NULL) abort();
	fprintf(f, "%s\n", call);
	fclose(f);
}

/* Whether this call of the function is the one that fails. */
static int fails(const char *call) {
	static char last[100];
	static int calls;
	const char *now = var("FAKE_CUDA_FAIL");
	pthread_mutex_lock(&mu);
	if (strcmp(now, last) != 0) {
		snprintf(last, sizeof last, "%s", now);
		calls = 0;
	}
	const char *colon = strchr(last, ':');
	int yes = colon != NULL && strlen(call) == (size_t)(colon - last) && strncmp(call, last, colon - last) == 0 && ++calls == atoi(colon + 1);
	pthread_mutex_unlock(&mu);
	return yes;
}

#define CALL() \
	do { \
		if (fails(__func__)) return LAUNCH_FAILED; \
	} while (0)
#define CALL_IN_CONTEXT() \
	do { \
		if (depth == 0) return INVALID_CONTEXT; \
		CALL(); \
	} while (0)

int cuInit(unsigned flags) {
	CALL();
	return flags != 0;
}

int cuGetErrorName(int r, const char **name) {
	*name = r == LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : r == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : NULL;
	return *name == NULL;
}

int cuDeviceGetCount(int *n) {
	CALL();
	*n = (strlen(var("FAKE_CUDA_UUIDS")) + 1) / 33;
	return 0;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int d) {
	CALL();
	const char *s = var("FAKE_CUDA_UUIDS") + 33 * d;
	for (int i = 0; i < 16; i++) {
		unsigned b;
		if (sscanf(s + 2 * i, "%2x", &b) != 1) return INVALID_VALUE;
		uuid[i] = b;
	}
	return 0;
}

int cuDeviceCanAccessPeer(int *can, int d, int peer) {
	CALL();
	*can = d != peer && *var("FAKE_CUDA_APART") == 0;
	return 0;
}

int cuDevicePrimaryCtxRetain(context **c, int d) {
	CALL();
	note(__func__);
	*c = &contexts[d];
	return 0;
}

int cuDevicePrimaryCtxRelease_v2(int d) {
	(void)d;
	CALL();
	note(__func__);
	return 0;
}

int cuCtxPushCurrent_v2(context *c) {
	CALL();
	stack[depth++] = c;
	return 0;
}

int cuCtxPopCurrent_v2(context **c) {
	if (depth == 0) return INVALID_CONTEXT;
	*c = stack[--depth];
	return 0;
}

int cuStreamCreate(stream **s, unsigned flags) {
	(void)flags;
	CALL_IN_CONTEXT();
	note(__func__);
	*s = calloc(1, sizeof **s);
	return 0;
}

int cuStreamDestroy_v2(stream *s) {
	CALL_IN_CONTEXT();
	note(__func__);
	free(s);
	return 0;
}

/* The copy runs when a second call asks for it. If a call fails, half of the bytes have been copied. */
int cuStreamQuery(stream *s) {
	if (depth == 0) return INVALID_CONTEXT;
	if (s->dst == NULL) return 0;
	int failed = fails(__func__);
	if (*var("FAKE_CUDA_HANG") != 0 || (s->asked++ == 0 && !failed)) return NOT_READY;
	size_t n = failed ? s->size / 2 : s->size;
	memcpy(s->dst, s->src, n);
	if (*var("FAKE_CUDA_WRONG") != 0)
		for (size_t i = 0; i < n; i++) s->dst[i] ^= 0x55;
	s->dst = NULL;
	return failed ? LAUNCH_FAILED : 0;
}

int cuMemcpyAsync(uint64_t dst, uint64_t src, size_t size, stream *s) {
	CALL_IN_CONTEXT();
	note(__func__);
	if (s->dst != NULL) return INVALID_VALUE; /* the streams here have one copy at a time */
	*s = (stream){(char *)dst, (const char *)src, size, 0};
	return 0;
}

struct handle {
	int type, pad;
	union {
		int fd;
		void *pointers[2];
	} handle;
	unsigned long long size;
};

struct range {
	unsigned long long offset, size;
};

/* lavapipe's files begin with a header. It has the numbers of bytes of the file and before the memory. */
int cuImportExternalMemory(memory **out, const struct handle *h) {
	CALL_IN_CONTEXT();
	struct stat st;
	if (h->type != 1 || fstat(h->handle.fd, &st) != 0 || (size_t)st.st_size < h->size) return INVALID_VALUE;
	memory *m = calloc(1, sizeof *m);
	m->length = st.st_size;
	m->base = mmap(NULL, m->length, PROT_READ | PROT_WRITE, MAP_SHARED, h->handle.fd, 0);
	if (m->base == MAP_FAILED) {
		free(m);
		return INVALID_VALUE;
	}
	const size_t *header = (const size_t *)m->base;
	if (getenv("FAKE_DEBUG")) fprintf(stderr, "file %zu, size %llu: %zu %zu %zu %zu\n", m->length, h->size, header[0], header[1], header[2], header[3]);
	m->start = header[1];
	close(h->handle.fd);
	note(__func__);
	*out = m;
	return 0;
}

int cuExternalMemoryGetMappedBuffer(uint64_t *p, memory *m, const struct range *r) {
	CALL_IN_CONTEXT();
	if (m->start + r->offset + r->size > m->length) return INVALID_VALUE;
	note(__func__);
	*p = (uint64_t)(m->base + m->start + r->offset);
	return 0;
}

int cuMemFree_v2(uint64_t p) {
	CALL_IN_CONTEXT();
	note(__func__);
	return p == 0;
}

int cuDestroyExternalMemory(memory *m) {
	CALL_IN_CONTEXT();
	note(__func__);
	munmap(m->base, m->length);
	free(m);
	return 0;
}

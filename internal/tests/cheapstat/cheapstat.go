//go:build cgo && linux

// Package cheapstat measures the heap of the C library, for tests of the memory that drivers keep.
package cheapstat

/*
#include <malloc.h>

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
static long long in_use(void) {
	struct mallinfo2 m = mallinfo2();
	return (long long)m.uordblks + (long long)m.hblkhd;
}
#else
static long long in_use(void) { return -1; }
#endif
*/
import "C"

// InUse returns the number of bytes that the program has allocated in the C heap. Result `ok` is false if the
// number is not known. InUse adds up all arenas of the GNU C library.
func InUse() (bytes int, ok bool) {
	n := int(C.in_use())
	return n, n >= 0
}

package host

import "syscall"

// preferHuge asks for large pages, which take a tenth of the time to come into use. An
// error means that there are none.
func preferHuge(pages []byte) { syscall.Madvise(pages, syscall.MADV_HUGEPAGE) }

// addressLimit returns how many bytes of addresses the process may have.
func addressLimit() (uint64, bool) {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_AS, &l)
	return uint64(l.Cur), err == nil && uint64(l.Cur) < 1<<62
}

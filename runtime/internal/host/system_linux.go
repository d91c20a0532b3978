package host

import "syscall"

// preferHuge asks for huge pages, which need a tenth of the time of small pages until they can be
// used. An error means that there are none.
func preferHuge(pages []byte) { syscall.Madvise(pages, syscall.MADV_HUGEPAGE) }

// addressLimit returns the limit of the process's address space in bytes.
func addressLimit() (uint64, bool) {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_AS, &l)
	return uint64(l.Cur), err == nil && uint64(l.Cur) < 1<<62
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package host

import "syscall"

// hasPages says that this system can map memory.
const hasPages = true

// mapPages returns n bytes of zero memory from the operating system.
func mapPages(n int) ([]byte, error) {
	pages, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err == nil {
		preferHuge(pages)
	}
	return pages, err
}

// unmapPages unmaps memory that mapPages returned.
func unmapPages(pages []byte) {
	if err := syscall.Munmap(pages); err != nil {
		panic("BUG: host: munmap: " + err.Error())
	}
}

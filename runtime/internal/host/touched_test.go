//go:build linux

package host

import (
	"syscall"
	"testing"
)

// TestTouched: of a mapping, the pages that were written to count, not those that were
// read.
func TestTouched(t *testing.T) {
	const size = 64 << 20
	pages, err := mapPages(size)
	if err != nil {
		t.Fatal(err)
	}
	defer unmapPages(pages)
	if err := syscall.Madvise(pages, syscall.MADV_NOHUGEPAGE); err != nil {
		t.Log(err)
	}
	page, sum := syscall.Getpagesize(), byte(0)
	var want uint64
	for at := 0; at < size; at += page {
		switch at / page % 5 {
		case 1:
			pages[at] = 1
			want += uint64(page)
		case 2:
			sum += pages[at]
		}
	}
	if got := (system{"/"}).touched(pages); got != want || sum != 0 {
		t.Errorf("%d bytes count as touched, want %d", got, want)
	}
	if got := (system{t.TempDir()}).touched(pages); got != 0 {
		t.Errorf("%d bytes count as touched on a system that does not say", got)
	}
}

//go:build linux

package host

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// addresses returns how many bytes of addresses the process has.
func addresses(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[0])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestUnmapped: memory goes back to the system when it is freed, and when its device is
// closed.
func TestUnmapped(t *testing.T) {
	if !canMap {
		t.Skip("memory is Go's, which keeps the addresses")
	}
	before := addresses(t)
	for i := range 100 {
		d := newDevice()
		m, err := d.Alloc(64<<20, hal.DeviceMemory)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			m.Free()
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if more := addresses(t) - before; more > 1<<30 {
		t.Errorf("%d more bytes of addresses after 100 times 64 MiB", more)
	}
}

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

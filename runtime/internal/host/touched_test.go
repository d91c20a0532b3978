//go:build linux

package host

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

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

// resident returns the memory that a mapping takes, by /proc/self/smaps: the shared page of zeros,
// which most kernels give to pages that are only read, is no part of it.
func resident(t *testing.T, pages []byte) (bytes uint64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	first := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(pages))))
	inside := false
	for line := range strings.Lines(string(text)) {
		var from, to uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from < first+uint64(len(pages)) && to > first
			if inside && (from < first || to > first+uint64(len(pages))) {
				t.Fatalf("the mapping is a part of %x-%x", from, to)
			}
			continue
		}
		var kb uint64
		if n, _ := fmt.Sscanf(line, "Rss: %d kB", &kb); n == 1 && inside {
			bytes += kb << 10
		}
	}
	return bytes
}

// TestTouched: of a mapping, the pages that take memory count: those that were written to and,
// where the kernel gives them memory of their own, those that were read.
func TestTouched(t *testing.T) {
	const size = 64 << 20
	page := syscall.Getpagesize()
	all, err := mapPages(size + 2*page)
	if err != nil {
		t.Fatal(err)
	}
	defer unmapPages(all)
	// Between pages without access, so that the kernel joins it with no other mapping.
	pages := all[page : page+size]
	for _, edge := range [][]byte{all[:page], all[page+size:]} {
		if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Madvise(pages, syscall.MADV_NOHUGEPAGE); err != nil {
		t.Log(err)
	}
	sum := byte(0)
	var written uint64
	for at := 0; at < size; at += page {
		switch at / page % 5 {
		case 1:
			pages[at] = 1
			written += uint64(page)
		case 2:
			sum += pages[at]
		}
	}
	want := resident(t, pages)
	if got := (limitReader{"/"}).touchedBytes(pages); got != want || got < written || got >= size || sum != 0 {
		t.Errorf("%d bytes count as touched, want %d; %d were written", got, want, written)
	}
	if got := (limitReader{t.TempDir()}).touchedBytes(pages); got != 0 {
		t.Errorf("%d bytes count as touched on a system that does not say", got)
	}
}

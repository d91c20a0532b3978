package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestSort(t *testing.T) {
	for _, *count = range []int{1, 256, 1000, 20011} {
		devtest.Run(t, run)
	}
}

// TestSortFile sorts a real file: the program's own test, of all things.
func TestSortFile(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	*file, *out = filepath.Join(t.TempDir(), "keys"), filepath.Join(t.TempDir(), "sorted")
	defer func() { *file, *out = "", "" }()
	if err := os.WriteFile(*file, b[:min(len(b), 200000)], 0o666); err != nil {
		t.Fatal(err)
	}
	devtest.Run(t, run)
	if b, err = os.ReadFile(*out); err != nil {
		t.Fatal(err)
	}
	var keys []uint32
	for i := 0; i+4 <= len(b); i += 4 {
		keys = append(keys, binary.LittleEndian.Uint32(b[i:]))
	}
	if len(keys) != min(len(b), 200000)/4 || !slices.IsSorted(keys) {
		t.Errorf("%d keys were written, sorted: %v", len(keys), slices.IsSorted(keys))
	}
}

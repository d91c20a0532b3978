package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestReduce(t *testing.T) {
	for _, *count = range []int{1, 257, 40000} {
		devtest.Run(t, run)
	}
	*file = filepath.Join(t.TempDir(), "numbers")
	defer func() { *file = "" }()
	var b []byte
	for i := range 1000 {
		b = binary.LittleEndian.AppendUint32(b, 0x3f000000+uint32(i)<<8) // from 1/2 on
	}
	if err := os.WriteFile(*file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	devtest.Run(t, run)
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestHash(t *testing.T) {
	*count, *length = 300, 150
	devtest.Run(t, run)

	*lines = filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(*lines, []byte("one\n\nthree\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	defer func() { *lines = "" }()
	devtest.Run(t, run)
}

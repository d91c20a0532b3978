package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestHistogram(t *testing.T) {
	*out = filepath.Join(t.TempDir(), "histogram.png")
	for _, *rows = range []int{1, 33, 300} {
		devtest.Run(t, run)
	}
	// A picture from a file: the histogram's own.
	*in = filepath.Join(t.TempDir(), "in.png")
	defer func() { *in = "" }()
	if err := demo.WritePNG(*in, draw([3 * levels]int64{7: 3})); err != nil {
		t.Fatal(err)
	}
	devtest.Run(t, run)
	f, err := os.Open(*out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.Bounds().Dx() != 768 {
		t.Errorf("the picture: %v", err)
	}
}

package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestMandelbrot(t *testing.T) {
	*height, *maxIter = 90, 300
	*out = filepath.Join(t.TempDir(), "m.png")
	devtest.Run(t, run)
	f, err := os.Open(*out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil || img.Bounds().Dx() != 160 || img.Bounds().Dy() != 90 {
		t.Errorf("the picture: %v, %v", img, err)
	}
}

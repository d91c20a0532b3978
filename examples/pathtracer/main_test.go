package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestPathtracer(t *testing.T) {
	*out, *samples = filepath.Join(t.TempDir(), "p.png"), 4
	for _, *height = range []int{1, 36} {
		devtest.Run(t, run)
	}
	f, err := os.Open(*out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil || img.Bounds().Dx() != 64 || img.Bounds().Dy() != 36 {
		t.Fatalf("the picture: %v", err)
	}
	if r, _, b, _ := img.At(0, 0).RGBA(); r >= b {
		t.Error("the sky is not blue")
	}
	if r, g, _, _ := img.At(11, 17).RGBA(); r <= g {
		t.Error("the ball on the left is not red")
	}
}

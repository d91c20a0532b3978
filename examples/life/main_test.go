package main

import (
	"image/gif"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestLife(t *testing.T) {
	*out, *frames = filepath.Join(t.TempDir(), "life.gif"), 7
	for _, *size = range []int{3, 16, 50} {
		devtest.Run(t, run)
	}
	f, err := os.Open(*out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if g, err := gif.DecodeAll(f); err != nil || len(g.Image) != 7 {
		t.Errorf("the animation: %v", err)
	}
}

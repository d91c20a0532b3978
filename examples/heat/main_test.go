package main

import (
	"image/gif"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestHeat(t *testing.T) {
	dir := t.TempDir()
	*out, *dot, *frames, *steps = filepath.Join(dir, "heat.gif"), filepath.Join(dir, "heat.dot"), 7, 4
	for _, *size = range []int{8, 33, 64} {
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
	text, err := os.ReadFile(*dot)
	if err != nil || strings.Count(string(text), "->") != 9 {
		t.Errorf("the graph is %s, %v", text, err)
	}
}

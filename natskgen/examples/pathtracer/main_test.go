package main

import (
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kgen-go/kgen/examples/pathtracer/light"
)

// TestMain is the program itself when it is started as a worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-work" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestPathtracer: the picture of three processes is that of a plain loop, to the last bit, also where
// tiles are cut at the edges.
func TestPathtracer(t *testing.T) {
	*out, *height, *samples, *side, *device = filepath.Join(t.TempDir(), "p.png"), 45, 4, 16, "host"
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	if err := render(ctx); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(*out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil || img.Bounds() != image.Rect(0, 0, 80, 45) {
		t.Fatalf("the picture: %v", err)
	}
	k := light.Render{Samples: 4, Bounces: 8}
	for y := range 45 {
		for x := range 80 {
			v := k.Pixel(y, x, 45, 80)
			r, g, b, _ := img.At(x, y).RGBA()
			if uint8(r>>8) != level(v.X) || uint8(g>>8) != level(v.Y) || uint8(b>>8) != level(v.Z) {
				t.Fatalf("pixel %d, %d is %v, not %v", y, x, img.At(x, y), v)
			}
		}
	}
}

func TestFlags(t *testing.T) {
	defer func(n int) { *height = n }(*height)
	*height = 0
	if err := render(t.Context()); err == nil {
		t.Error("a picture without rows")
	}
	if err := serve(t.Context()); err == nil {
		t.Error("a worker without a server")
	}
}

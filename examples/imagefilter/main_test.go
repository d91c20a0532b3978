package main

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/examples/imagefilter/filter"
	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestImageFilter(t *testing.T) {
	dir := t.TempDir()
	small := drawLake(61, 40)
	jpg := filepath.Join(dir, "small.jpg")
	f, err := os.Create(jpg)
	if err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(f, small, nil); err != nil {
		t.Fatal(err)
	}
	f.Close()
	*in, *out, *radius = jpg, filepath.Join(dir, "out.png"), 3
	for _, *filters = range []string{"blur", "edges", "brightness", "blur,edges,brightness"} {
		devtest.Run(t, run)
	}
	data, err := os.ReadFile(*out)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() != 61 || img.Bounds().Dy() != 40 {
		t.Errorf("the result: %v, %v", img, err)
	}
}

// TestLake: without a picture, the program draws one.
func TestLake(t *testing.T) {
	*in, *out, *filters = "", filepath.Join(t.TempDir(), "out.png"), "brightness"
	devtest.Run(t, run)
	data, err := os.ReadFile(*out)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil || img.Bounds().Dx() != lakeWidth || img.Bounds().Dy() != lakeHeight {
		t.Fatalf("the result: %v, %v", img, err)
	}
	colors := map[color.Color]bool{}
	for y := range lakeHeight {
		for x := range lakeWidth {
			colors[img.At(x, y)] = true
		}
	}
	if len(colors) < 1000 {
		t.Errorf("the picture has %d colours", len(colors))
	}
}

func TestGauss(t *testing.T) {
	for r := range 60 {
		sum := int32(0)
		for _, w := range gauss(r) {
			sum += w
		}
		if sum != filter.One {
			t.Errorf("radius %d: the weights' sum is %d", r, sum)
		}
	}
}

func TestPlan(t *testing.T) {
	if _, err := plan([]string{"blur", "sharpen"}); err == nil {
		t.Error("a filter that is none is taken")
	}
}

// TestTransparent: colours under alpha come through.
func TestTransparent(t *testing.T) {
	img := image.NewNRGBA(image.Rect(3, 4, 5, 6))
	img.SetNRGBA(4, 5, color.NRGBA{10, 20, 30, 40})
	p := fromImage(img)
	if p.w != 2 || p.h != 2 || p.pixels[3] != 40<<24|30<<16|20<<8|10 {
		t.Errorf("%+v", p)
	}
	if got := p.image().At(1, 1); got != (color.NRGBA{10, 20, 30, 40}) {
		t.Errorf("%v", got)
	}
}

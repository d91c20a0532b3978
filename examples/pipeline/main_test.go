package main

import (
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/examples/pipeline/develop"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

func TestPipeline(t *testing.T) {
	*out, *rounds = filepath.Join(t.TempDir(), "pipeline.png"), 2
	for _, *size = range []int{1, 7, 64} {
		devtest.Run(t, run)
	}
	f, err := os.Open(*out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.Bounds().Dx() != 2*96 || img.Bounds().Dy() != 64 {
		t.Errorf("the picture: %v", err)
	}
}

// TestLaunches: the six edits are six launches or one, and a blur is one of its own, which has
// the mean of what they leave.
func TestLaunches(t *testing.T) {
	const rows, columns = 20, 30
	source := scene(rows, columns)
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		var v []view
		for range 10 {
			b, err := runtime.BufferOf(dev, source)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			v = append(v, b.All())
		}
		list, err := ways(dev, runtime.Range2{rows, columns}, v[0], v[1:6], v[6:9])
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []struct{ launches, internal int }{{6, 0}, {1, 0}, {1, 5}} {
			r := list[i].graph.Report()
			if len(r.Launches) != want.launches || len(r.Launches[0].Internal) != want.internal || len(r.External) > 0 {
				t.Errorf("%s:\n%v", list[i].name, r)
			}
		}
		soft, err := blurred(dev, runtime.Range2{rows, columns}, v[:7], v[9])
		if err != nil {
			t.Fatal(err)
		}
		r := soft.Report()
		if len(r.Launches) != 2 || len(r.Launches[0].Nodes) != 6 || len(r.Splits) != 1 || !strings.Contains(r.Splits[0], "develop/kernel.go:") {
			t.Errorf("with a blur:\n%v", r)
		}
		if err := submit(t.Context(), dev.DefaultQueue(), soft); err != nil {
			t.Fatal(err)
		}
		got := make([]develop.Pixel, len(source))
		if err := v[9].CopyTo(t.Context(), dev.DefaultQueue(), got); err != nil {
			t.Fatal(err)
		}
		if want := mean(plain(source, rows, columns), rows, columns); !slices.EqualFunc(got, want, sameBits) {
			t.Error("the blurred photo is not the plain loop's")
		}
	})
}

// mean blurs a picture by plain loops.
func mean(in []develop.Pixel, rows, columns int) []develop.Pixel {
	var out []develop.Pixel
	for y := range rows {
		for x := range columns {
			var sum develop.Pixel
			for i := range 9 {
				p := in[min(max(y+i/3-1, 0), rows-1)*columns+min(max(x+i%3-1, 0), columns-1)]
				sum.R, sum.G, sum.B = sum.R+p.R, sum.G+p.G, sum.B+p.B
			}
			out = append(out, sum.Scale(1./9, 1./9, 1./9))
		}
	}
	return out
}

package main

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime"
)

// array is a picture in plain Go.
type array struct {
	h, w, c int
	v       []float64
}

// conv is a convolution in plain Go.
func (a array) conv(m map[string]weights, name string) array {
	k, b := m[name+"/kernel"], m[name+"/bias"].data
	side, outs := k.Shape[0], k.Shape[3]
	y := array{a.h, a.w, outs, make([]float64, a.h*a.w*outs)}
	for i := range y.v {
		row, column, out := i/outs/a.w, i/outs%a.w, i%outs
		sum := float64(b[out])
		for dy := range side {
			for dx := range side {
				r, c := row+dy-side/2, column+dx-side/2
				if r < 0 || r >= a.h || c < 0 || c >= a.w {
					continue
				}
				for in := range a.c {
					sum += a.v[(r*a.w+c)*a.c+in] * float64(k.data[((dy*side+dx)*a.c+in)*outs+out])
				}
			}
		}
		y.v[i] = sum
	}
	return y
}

func (a array) relu() array {
	for i, v := range a.v {
		a.v[i] = max(v, 0)
	}
	return a
}

func (a array) plus(b array) array {
	for i, v := range b.v {
		a.v[i] += v
	}
	return a
}

func (a array) beside(b array) array {
	y := array{h: a.h, w: a.w, c: a.c + b.c}
	for i := range a.h * a.w {
		y.v = append(append(y.v, a.v[i*a.c:][:a.c]...), b.v[i*b.c:][:b.c]...)
	}
	return y
}

func (a array) twice() array {
	y := array{h: 2 * a.h, w: 2 * a.w, c: a.c}
	for i := range y.h * y.w {
		y.v = append(y.v, a.v[(i/y.w/2*a.w+i%y.w/2)*a.c:][:a.c]...)
	}
	return y
}

// plain makes a picture twice as large in plain Go.
func plain(m map[string]weights, src image.Image) *image.RGBA {
	size := src.Bounds().Size()
	x := array{h: size.Y, w: size.X, c: 3}
	for i := range size.X * size.Y {
		r, g, b, _ := src.At(i%size.X, i/size.X).RGBA()
		x.v = append(x.v, float64(r>>8), float64(g>>8), float64(b>>8))
	}
	first := x.conv(m, "F_m1")
	a := first.conv(m, "F_0")
	b := a.beside(a.conv(m, "F_1_1").relu()).conv(m, "LFF_1").plus(a)
	c := b.beside(b.conv(m, "F_2_1").relu()).conv(m, "LFF_2").plus(b)
	d := b.beside(c).conv(m, "GFF_1").conv(m, "GFF_2").plus(first)
	y := d.conv(m, "UPN1").relu().conv(m, "UPN2").relu().conv(m, "UPN3").twice().conv(m, "SR")
	dst := image.NewRGBA(image.Rect(0, 0, y.w, y.h))
	for i := range y.w * y.h {
		level := func(c int) uint8 { return uint8(math.Round(max(0, min(255, y.v[3*i+c])))) }
		dst.SetRGBA(i%y.w, i/y.w, color.RGBA{level(0), level(1), level(2), 255})
	}
	return dst
}

// made makes a model of few channels. A weight is that of a place in a filter, a channel that goes in and one that comes out.
func made(bias func(name string) float32, weight func(name string, shape [4]int, place, in, out int) float32) map[string]weights {
	m := map[string]weights{}
	for name, shape := range map[string][4]int{
		"F_m1": {3, 3, 3, 20}, "F_0": {3, 3, 20, 20}, "F_1_1": {3, 3, 20, 4}, "LFF_1": {1, 1, 24, 20}, "F_2_1": {3, 3, 20, 4}, "LFF_2": {1, 1, 24, 20},
		"GFF_1": {1, 1, 40, 20}, "GFF_2": {3, 3, 20, 20}, "UPN1": {5, 5, 20, 20}, "UPN2": {3, 3, 20, 12}, "UPN3": {3, 3, 12, 7}, "SR": {3, 3, 7, 3},
	} {
		k, b := weights{Shape: shape}, weights{Shape: [4]int{shape[3]}}
		for i := range shape[0] * shape[1] * shape[2] * shape[3] {
			k.data = append(k.data, weight(name, shape, i/shape[3]/shape[2], i/shape[3]%shape[2], i%shape[3]))
		}
		for range shape[3] {
			b.data = append(b.data, bias(name))
		}
		m[name+"/kernel"], m[name+"/bias"] = k, b
	}
	return m
}

// anyModel has random weights.
func anyModel() map[string]weights {
	r := rand.New(rand.NewPCG(3, 4))
	return made(func(name string) float32 {
		if name == "SR" {
			return 100
		}
		return float32(r.NormFloat64())
	}, func(name string, shape [4]int, place, in, out int) float32 {
		return float32(r.NormFloat64() / math.Sqrt(float64(4*shape[2])))
	})
}

// shifts is a model whose filters take the pixel to the left as far as they reach, or the one up, and so shows every pixel
// that a result depends on.
func shifts(up bool) map[string]weights {
	return made(func(string) float32 { return 0 }, func(name string, shape [4]int, place, in, out int) float32 {
		at, from := shape[0]/2*shape[0], out
		if up {
			at = shape[0] / 2
		}
		switch name {
		case "LFF_1", "LFF_2", "GFF_1": // the last of the pictures
			from = 20 + out
		}
		switch {
		case place != at || in != from:
			return 0
		case name == "SR":
			return 0.2
		}
		return 1
	})
}

// anyPicture has a size that is no multiple of anything.
func anyPicture(w, h int) image.Image {
	r := rand.New(rand.NewPCG(1, 2))
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		if img.Pix[i] = uint8(r.Uint32()); i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

// differ returns how far apart the colours of two pictures are at most, and how much they differ inside of one.
func differ(t *testing.T, a, b image.Image) (most, spread int) {
	t.Helper()
	if a.Bounds().Size() != b.Bounds().Size() {
		t.Fatalf("the picture has %v pixels, want %v", a.Bounds().Size(), b.Bounds().Size())
	}
	least, greatest := 255, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			for i, v := range []uint32{r, g, bl} {
				d := int(v>>8) - int([]uint32{r2, g2, b2}[i]>>8)
				most = max(most, d, -d)
				least, greatest = min(least, int(v>>8)), max(greatest, int(v>>8))
			}
		}
	}
	return most, greatest - least
}

// set sets flags until the test ends.
func set(t *testing.T, side int, half bool) {
	oldSide, oldHalf := *tile, *halves
	t.Cleanup(func() { *tile, *halves = oldSide, oldHalf })
	*tile, *halves = side, half
}

// TestUpscale compares models of few channels with plain Go, in one tile and in several, with numbers of both kinds.
func TestUpscale(t *testing.T) {
	for _, c := range []struct {
		name       string
		model      map[string]weights
		w, h, side int
		half       bool
		most       int
	}{
		{"one tile", anyModel(), 19, 13, 128, false, 1},
		{"tiles", shifts(false), 41, 5, 16, false, 1},
		{"halves", anyModel(), 19, 13, 128, true, 5}, // one more than on the host
		{"tiles of halves", shifts(true), 5, 41, 16, true, 1},
	} {
		src := anyPicture(c.w, c.h)
		want := plain(c.model, src)
		t.Run(c.name, func(t *testing.T) {
			devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
				if testing.Short() && c.side < c.w+c.h && dev.Info().Backend != "host" {
					t.Skip("the host makes tiles of the picture, and -short is set")
				}
				set(t, c.side, c.half)
				dst, err := upscale(t.Context(), dev, c.model, src)
				if err != nil {
					t.Fatal(err)
				}
				most, spread := differ(t, dst, want)
				t.Logf("at most %d off", most)
				if most > c.most || spread < 100 {
					t.Errorf("a colour is %d off, which may be %d; they differ by %d", most, c.most, spread)
				}
			})
		})
	}
}

// TestModel compares the whole network with the picture that its authors have made. The limit of 16-bit floats is the
// difference on the host, and one.
func TestModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute, and -short is set")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		need.Missing(t, need.Models, "%v", err)
	}
	folder := filepath.Join(cache, "kgen/models/esrgan-slim-1.0.0")
	m, err := load(filepath.Join(folder, "models/x2"))
	if err != nil {
		need.Missing(t, need.Models, "%v", err)
	}
	src, _, err1 := demo.ReadPicture(filepath.Join(folder, "assets/fixture.png"))
	want, _, err2 := demo.ReadPicture(filepath.Join(folder, "assets/samples/2x/result.png"))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		if dev.Info().Type == runtime.VulkanCPU {
			t.Skip("it takes 8 minutes on a driver on the processor, which runs TestUpscale")
		}
		for half, limit := range map[bool]int{false: 1, true: 2} {
			set(t, map[bool]int{false: 100, true: 128}[half], half) // four tiles, and one
			dst, err := upscale(t.Context(), dev, m, src)
			if err != nil {
				t.Fatal(err)
			}
			most, _ := differ(t, dst, want)
			t.Logf("16 bits %v: at most %d off", half, most)
			if most > limit {
				t.Errorf("16 bits %v: a colour is %d off, which may be %d", half, most, limit)
			}
		}
	})
}

// TestErrors: a model that is not there or is another one is an error.
func TestErrors(t *testing.T) {
	dir := need.Dir(t)
	fails := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	_, err := load(dir)
	fails(err, "sh scripts/models.sh fetches it")
	if err := os.WriteFile(filepath.Join(dir, "group1-shard1of1.bin"), make([]byte, 99), 0o666); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "model.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"weightsManifest": [{"weights": [{"name": "SR/kernel", "shape": [3, 3, 12, 3]}]}]}`)
	_, err = load(dir)
	fails(err, "the weights SR/kernel")
	write("<html>")
	_, err = load(dir)
	fails(err, "no model: invalid character")
	m := anyModel()
	delete(m, "GFF_1/kernel")
	_, err = upscale(t.Context(), devtest.Host(t), m, anyPicture(8, 8))
	fails(err, "the weights GFF_1 are of 0 channels, not of 40")
}

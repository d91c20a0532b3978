package fractal_test

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/mandelbrot/fractal"
)

// escape is the textbook definition, in complex128.
func escape(c complex128, limit int) (float64, bool) {
	z := complex(0, 0)
	for n := range limit {
		if r := cmplx.Abs(z); r > 256 {
			return float64(n) + 1 - math.Log2(math.Log2(r)), true
		}
		z = z*z + c
	}
	return 0, false
}

// Orbits near the border of the set are chaotic, so that float32 and complex128
// may part; elsewhere they may not.
func TestEscape(t *testing.T) {
	const limit = 300
	far, points := 0, 0
	for y := -1.25; y <= 1.25; y += 0.013 {
		for x := -2.25; x <= 0.75; x += 0.013 {
			p := fractal.Point{Re: float32(x), Im: float32(y)}
			got, out := p.Escape(limit)
			want, wantOut := escape(complex(float64(p.Re), float64(p.Im)), limit)
			points++
			if out != wantOut || math.Abs(float64(got)-want) > 0.01 {
				far++
				if want < 20 && wantOut {
					t.Errorf("point %v: %g, %v; want %g", p, got, out, want)
				}
			}
		}
	}
	if far*200 > points {
		t.Errorf("%d of %d points differ", far, points)
	}
}

func TestImage(t *testing.T) {
	const h, w = 61, 90
	img := make([]fractal.RGBA, h*w)
	view := fractal.View{X: -0.75, Pixel: 3.0 / w}
	hostrun.Range(t, fractal.Mandelbrot{View: view, MaxIter: 200, Image: img}.Kernel, h, w)
	if img[h/2*w+w/2] != 0xff000000 {
		t.Errorf("the centre, inside the set, is %#08x", img[h/2*w+w/2])
	}
	black := 0
	for y := range h {
		for x := range w {
			p := img[y*w+x]
			if p>>24 != 0xff {
				t.Fatalf("pixel %d, %d is not opaque: %#08x", y, x, p)
			}
			if p == 0xff000000 {
				black++
			}
			if p != img[(h-1-y)*w+x] {
				t.Fatalf("pixel %d, %d breaks the symmetry", y, x)
			}
		}
	}
	// The set's area is 1.5066.
	if area := float64(black) * float64(view.Pixel) * float64(view.Pixel); math.Abs(area-1.45) > 0.1 {
		t.Errorf("area of black pixels: %g", area)
	}
}

func TestPack(t *testing.T) {
	for _, c := range []struct {
		color fractal.Color
		want  fractal.RGBA
	}{
		{fractal.Color{}, 0xff000000},
		{fractal.Color{R: 1}, 0xff0000ff},
		{fractal.Color{G: 0.5, B: 7}, 0xffff8000},
		{fractal.Color{R: -1, B: 1.0 / 255}, 0xff010000},
	} {
		if got := c.color.Pack(); got != c.want {
			t.Errorf("%v: %#08x, want %#08x", c.color, got, c.want)
		}
	}
}

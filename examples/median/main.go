// Median removes noise from a picture. Every pixel becomes the median of a window around it. The
// size of the window is a specialization constant, which also sets the size of each work-item's
// private memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/median/filter"
	filtergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/runtime"
)

var (
	size   = demo.Int("n", 512, 1, 1<<14, "rows and columns of the picture")
	output = flag.String("o", "", "write the filtered picture to this PNG file, and the one with noise beside it")
)

var windows = []int{1, 3, 5, 7, 9}

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	n := *size
	clean, noisy := picture(n)
	demo.Line("picture", "%d x %d, error %.4f", n, n, distance(noisy, clean))
	in, err := runtime.BufferOf(dev, noisy)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := runtime.NewBuffer[float32](dev, n*n)
	if err != nil {
		return err
	}
	defer out.Close()

	k := filtergen.Median{In: in.All(), Out: out.All()}
	filtered, best := make([]float32, n*n), math.Inf(1)
	for _, w := range windows {
		launch := func() error {
			return k.Run(ctx, dev.DefaultQueue(), runtime.Range2{n, n}, runtime.WithSpec(filter.Window, w))
		}
		if err := launch(); err != nil { // the first launch creates the pipeline, and is not timed
			return err
		}
		d, err := demo.Best(3, launch)
		if err != nil {
			return err
		}
		got := make([]float32, n*n)
		if err := out.CopyTo(ctx, dev.DefaultQueue(), got); err != nil {
			return err
		}
		plain, pixels, err := check(noisy, got, n, w)
		if err != nil {
			return err
		}
		off := distance(got, clean)
		demo.Line(fmt.Sprintf("window %d", w), "%10v  %s  error %.4f  (plain Go %s)", d.Round(d/1000+1),
			demo.PerSecond(float64(n)*float64(n), d, "pixel"), off, demo.PerSecond(float64(pixels), plain, "pixel"))
		if off < best {
			best = off
			copy(filtered, got)
		}
	}
	demo.Line("check", "ok: pixels agree with sorted windows")
	if *output == "" {
		return nil
	}
	dir, name := filepath.Split(*output)
	for prefix, p := range map[string][]float32{"noise-": noisy, "": filtered} {
		if err := demo.WritePNG(filepath.Join(dir, prefix+name), gray(p, n)); err != nil {
			return err
		}
	}
	return nil
}

// picture() returns a picture of rings on a slope, and the same picture with every tenth pixel wrong.
func picture(n int) (clean, noisy []float32) {
	r := rand.New(rand.NewPCG(1, 2))
	clean, noisy = make([]float32, n*n), make([]float32, n*n)
	for i := range clean {
		y, x := float64(i/n)/float64(n), float64(i%n)/float64(n)
		v := 0.5 + 0.2*(x-y)
		if int(12*math.Hypot(x-0.4, y-0.6))%2 == 0 {
			v += 0.25
		}
		clean[i] = float32(v)
		noisy[i] = clean[i]
		switch r.IntN(20) {
		case 0:
			noisy[i] = 0
		case 1:
			noisy[i] = 1
		}
	}
	return clean, noisy
}

// distance() returns the mean difference between two pictures.
func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += math.Abs(float64(a[i] - b[i]))
	}
	return sum / float64(len(a))
}

// check() sorts the windows of some pixels, and compares the pixels with the medians. check()
// returns the time of sorting, and the number of pixels.
func check(in, out []float32, n, w int) (took time.Duration, pixels int, err error) {
	r := rand.New(rand.NewPCG(5, 6))
	pixels = 2000
	took, err = demo.Time(func() error {
		var near []float32
		for range pixels {
			y, x := r.IntN(n), r.IntN(n)
			near = near[:0]
			for dy := -(w / 2); dy <= w/2; dy++ {
				for dx := -(w / 2); dx <= w/2; dx++ {
					near = append(near, in[min(max(y+dy, 0), n-1)*n+min(max(x+dx, 0), n-1)])
				}
			}
			slices.Sort(near)
			if got, want := out[y*n+x], near[len(near)/2]; got != want {
				return fmt.Errorf("window %d: pixel %d, %d is %g, want %g", w, y, x, got, want)
			}
		}
		return nil
	})
	return took, pixels, err
}

func gray(p []float32, n int) image.Image {
	img := image.NewGray(image.Rect(0, 0, n, n))
	for i, v := range p {
		img.SetGray(i%n, i/n, color.Gray{Y: uint8(min(max(v, 0), 1)*255 + 0.5)})
	}
	return img
}

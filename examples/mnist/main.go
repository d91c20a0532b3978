// Mnist teaches a small network of convolutions to read digits that people have written, in float32 or in BFloat16.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/mnist/neural"
	"github.com/kgen-go/kgen/runtime"
)

var (
	dir    = flag.String("data", "", "the folder of the digits (default: that of scripts/models.sh)")
	out    = flag.String("o", "wrong.png", "where to write a picture of the digits that it got wrong")
	count  = demo.Int("n", 60000, 1, 60000, "pictures to learn from")
	batch  = demo.Int("batch", 100, 1, 1000, "pictures of a step")
	epochs = demo.Int("epochs", 5, 1, 100, "times that it sees each picture")
	halves = flag.Bool("half", false, "keep pictures, derivatives and weights in 16 bits, as BFloat16s")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	cache, _ := os.UserCacheDir()
	folder := cmp.Or(*dir, filepath.Join(cache, "kgen/models/mnist"))
	train, err := load(folder, "train")
	test, missing := load(folder, "t10k")
	if err = cmp.Or(err, missing); err != nil {
		return err
	}
	n := min(*count, len(train.labels))
	train = digits{train.pixels[:n*side*side], train.labels[:n]}
	var guesses []byte
	d, err := demo.Time(func() error { _, guesses, err = learn(ctx, dev, train, test); return err })
	if err != nil {
		return err
	}
	img, wrong := sheet(test, guesses)
	demo.Line("result", "%.2f %% of %d digits right, after %v, %s", 100-100*float64(wrong)/float64(len(guesses)), len(guesses),
		d.Round(d/1000), demo.PerSecond(float64(*epochs*n), d, "picture"))
	return demo.WritePNG(*out, img)
}

const side = 28 // number of pixels in a row and in a column

// The type `digits` contains pictures, with a byte for each pixel, and the digits in these pictures.
type digits struct{ pixels, labels []byte }

// load() reads digits from a folder.
func load(dir, name string) (digits, error) {
	pixels, err := read(filepath.Join(dir, name+"-images-idx3-ubyte.gz"), side, side)
	labels, missing := read(filepath.Join(dir, name+"-labels-idx1-ubyte.gz"))
	if err = cmp.Or(err, missing); err != nil {
		return digits{}, fmt.Errorf("no digits %s: %w; sh scripts/models.sh fetches them by go, and -data names their folder", filepath.Join(dir, name), err)
	}
	if len(pixels) != len(labels)*side*side || len(labels) == 0 || slices.Max(labels) >= neural.Classes {
		return digits{}, fmt.Errorf("the %d labels %s are not those of the pictures, or are no digits", len(labels), name)
	}
	return digits{pixels, labels}, nil
}

// read() reads an array from a gzip file, which begins with the array's type and dimensions. The last dimensions must equal shape.
func read(name string, shape ...uint32) ([]byte, error) {
	packed, err := os.ReadFile(name)
	r, bad := gzip.NewReader(bytes.NewReader(packed))
	if err = cmp.Or(err, bad); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	head := make([]uint32, 2+len(shape))
	n, short := binary.Decode(b, binary.BigEndian, head)
	if err = cmp.Or(err, short); err == nil && (head[0] != uint32(0x801+len(shape)) || !slices.Equal(head[2:], shape)) {
		err = errors.New("it is no array of such bytes")
	}
	return b[n:], err
}

// The variable `shapes` contains the digits of a small font. A digit has five rows, from top to bottom, of three bits each.
var shapes = [neural.Classes]int{0o75557, 0o26227, 0o71747, 0o71317, 0o55711, 0o74717, 0o74757, 0o71122, 0o75757, 0o75717}

// sheet() draws each digit whose guess was wrong, twice as large, with the guess in red. sheet() also returns the number of wrong guesses.
func sheet(d digits, guesses []byte) (image.Image, int) {
	var at []int
	for i, g := range guesses {
		if g != d.labels[i] {
			at = append(at, i)
		}
	}
	const columns, wide, high, dot = 16, 2*side + 20, 2*side + 4, 4
	img := image.NewRGBA(image.Rect(0, 0, columns*wide, max(1, (len(at)+columns-1)/columns)*high))
	for i := range img.Rect.Dx() * img.Rect.Dy() {
		x, y := i%img.Rect.Dx(), i/img.Rect.Dx()
		c := color.RGBA{A: 255}
		if n := y/high*columns + x/wide; n < len(at) {
			x, y := x%wide, y%high
			if x < 2*side && y < 2*side {
				v := d.pixels[(at[n]*side+y/2)*side+x/2]
				c = color.RGBA{v, v, v, 255}
			} else if x, y := (x-2*side)/dot-1, y/dot; x >= 0 && x < 3 && y < 5 && shapes[guesses[at[n]]]>>(14-3*y-x)&1 == 1 {
				c = color.RGBA{255, 64, 64, 255}
			}
		}
		img.SetRGBA(i%img.Rect.Dx(), i/img.Rect.Dx(), c)
	}
	return img, len(at)
}

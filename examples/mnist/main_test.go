package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

// set sets flags until the test ends.
func set(t *testing.T, n, size, times int, half bool) {
	oldN, oldBatch, oldEpochs, oldHalf := *count, *batch, *epochs, *halves
	t.Cleanup(func() { *count, *batch, *epochs, *halves = oldN, oldBatch, oldEpochs, oldHalf })
	*count, *batch, *epochs, *halves = n, size, times, half
}

// some makes n digits that are easy to tell apart: a digit is a bright square at a place of its own, with noise.
func some(n int, seed uint64) digits {
	r := rand.New(rand.NewPCG(seed, 0))
	d := digits{make([]byte, n*side*side), make([]byte, n)}
	for i := range n {
		label := r.IntN(10)
		d.labels[i] = byte(label)
		for p := range side * side {
			level := r.IntN(100)
			if y, x := p/side-2-5*(label/2), p%side-3-11*(label%2); y >= 0 && y < 5 && x >= 0 && x < 9 {
				level += 120
			}
			d.pixels[i*side*side+p] = byte(level)
		}
	}
	return d
}

// right returns the share of guesses that are right.
func right(d digits, guesses []byte) float64 {
	_, wrong := sheet(d, guesses)
	return 1 - float64(wrong)/float64(len(guesses))
}

func mean(s []float32) (sum float64) {
	for _, v := range s {
		sum += float64(v)
	}
	return sum / float64(len(s))
}

// TestLearn: a network on the host learns to tell easy digits apart. On each device, and each time, the losses of its first
// steps have the same bits.
func TestLearn(t *testing.T) {
	for name, half := range map[string]bool{"float32": false, "BFloat16": true} {
		t.Run(name, func(t *testing.T) {
			train, test := some(600, 1), some(105, 2) // the last batch is not full
			set(t, 600, 10, 1, half)
			losses, guesses, err := learn(t.Context(), devtest.Host(t), train, test)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("the loss falls from %.4f to %.4f, and %.4f of the digits are right", mean(losses[:60]), mean(losses[540:]), right(test, guesses))
			if first, last := mean(losses[:60]), mean(losses[540:]); first < 1 || last > 0.4 || right(test, guesses) < 0.97 {
				t.Errorf("the loss falls from %g to %g, and %g of the digits are right", first, last, right(test, guesses))
			}
			few, rest := digits{train.pixels[:20*side*side], train.labels[:20]}, digits{test.pixels[:5*side*side], test.labels[:5]}
			*batch = 9 // two of its pictures are seen by no step
			var want []float32
			var same []byte
			devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
				losses, guesses, err := learn(t.Context(), dev, few, rest)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					if want, same, err = learn(t.Context(), devtest.Host(t), few, rest); err != nil {
						t.Fatal(err)
					}
				}
				if !slices.Equal(losses, want) || !slices.Equal(guesses, same) {
					t.Errorf("losses %g and guesses %d, on the host %g and %d", losses, guesses, want, same)
				}
				if len(losses) != 18 || losses[0] == 0 {
					t.Errorf("the losses are %g", losses)
				}
			})
		})
	}
}

// TestModel teaches the whole network the digits of MNIST.
func TestModel(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes, and -short is set")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		need.Missing(t, need.Models, "%v", err)
	}
	train, err := load(filepath.Join(cache, "kgen/models/mnist"), "train")
	if err != nil {
		need.Missing(t, need.Models, "%v", err)
	}
	test, err := load(filepath.Join(cache, "kgen/models/mnist"), "t10k")
	if err != nil {
		t.Fatal(err)
	}
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		if dev.Info().Type == runtime.VulkanCPU {
			t.Skip("it takes hours on a driver on the processor, which runs TestLearn")
		}
		var shares [2]float64
		for i := range shares {
			set(t, 60000, *batch, *epochs, i == 1)
			_, guesses, err := learn(t.Context(), dev, train, test)
			if err != nil {
				t.Fatal(err)
			}
			shares[i] = right(test, guesses)
			t.Logf("16 bits %v: %.2f %% are right", i == 1, 100*shares[i])
		}
		if min(shares[0], shares[1]) < 0.985 || math.Abs(shares[0]-shares[1]) > 0.003 {
			t.Errorf("%v are right; 0.985 should be, and the two differ by 0.003 at most", shares)
		}
	})
}

// pack is the file of an array of bytes.
func pack(t *testing.T, kind uint32, shape []uint32, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := binary.Write(w, binary.BigEndian, append([]uint32{kind}, shape...)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// folder makes a folder of digits.
func folder(t *testing.T, train, test digits) string {
	t.Helper()
	dir := need.Dir(t)
	for name, d := range map[string]digits{"train": train, "t10k": test} {
		n := uint32(len(d.labels))
		write(t, dir, name+"-images-idx3-ubyte.gz", pack(t, 0x803, []uint32{n, side, side}, d.pixels))
		write(t, dir, name+"-labels-idx1-ubyte.gz", pack(t, 0x801, []uint32{n}, d.labels))
	}
	return dir
}

func write(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRun: the program reads digits, learns some of them, and writes a picture of its mistakes.
func TestRun(t *testing.T) {
	oldDir, oldOut := *dir, *out
	t.Cleanup(func() { *dir, *out = oldDir, oldOut })
	*dir = folder(t, some(50, 1), some(300, 2))
	*out = filepath.Join(*dir, "wrong.png")
	set(t, 40, 20, 1, false)
	if err := run(t.Context(), devtest.Host(t)); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(*out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.Bounds().Dx() != 16*76 || img.Bounds().Dy()%60 != 0 || img.Bounds().Dy() < 120 {
		t.Errorf("the picture is %v, %v", img.Bounds(), err)
	}
}

// TestSheet: of three digits, the one that is not guessed is drawn twice as large, with the guess beside it.
func TestSheet(t *testing.T) {
	d := some(3, 1)
	d.labels = []byte{5, 7, 2}
	img, wrong := sheet(d, []byte{5, 1, 2})
	if size := img.Bounds().Size(); wrong != 1 || size.X != 16*76 || size.Y != 60 {
		t.Fatalf("%d are wrong, and the picture has %v pixels", wrong, size)
	}
	var text strings.Builder
	for y := range 5 {
		for x := range 3 {
			if r, g, _, _ := img.At(56+4+4*x+1, 4*y+2).RGBA(); r > 2*g {
				text.WriteByte('#')
			} else {
				text.WriteByte('.')
			}
		}
		text.WriteByte('\n')
	}
	if want := ".#.\n##.\n.#.\n.#.\n###\n"; text.String() != want {
		t.Errorf("the guess is\n%swant\n%s", text.String(), want)
	}
	for p := range side * side {
		if v, _, _, _ := img.At(p%side*2+1, p/side*2).RGBA(); byte(v) != d.pixels[side*side+p] {
			t.Fatalf("pixel %d is %d, want %d", p, byte(v), d.pixels[side*side+p])
		}
	}
	if img, wrong := sheet(d, d.labels); wrong != 0 || img.Bounds().Empty() {
		t.Errorf("%d are wrong, and the picture is %v", wrong, img.Bounds())
	}
}

// TestErrors: files that are not there or are others are errors, as are too few pictures.
func TestErrors(t *testing.T) {
	fails := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	_, err := load(need.Dir(t), "train")
	fails(err, "sh scripts/models.sh fetches them")
	d := some(3, 1)
	good := pack(t, 0x803, []uint32{3, side, side}, d.pixels)
	const pictures, labels = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
	for _, c := range []struct {
		name string
		text []byte
		want string
	}{
		{pictures, []byte("<html></html>"), "gzip: invalid header"},
		{pictures, good[:len(good)/2], "unexpected EOF"},
		{pictures, pack(t, 0x801, nil, nil), "no digits"},
		{pictures, pack(t, 0x803, []uint32{3, side, side + 1}, d.pixels), "no array of such bytes"},
		{pictures, pack(t, 0xd03, []uint32{3, side, side}, d.pixels), "no array of such bytes"},
		{pictures, pack(t, 0x803, []uint32{3, side, side}, d.pixels[1:]), "the 3 labels train"},
		{labels, pack(t, 0x801, []uint32{2}, d.labels[1:]), "the 2 labels train"},
		{labels, pack(t, 0x801, []uint32{3}, []byte{1, 10, 2}), "or are no digits"},
	} {
		dir := folder(t, d, d)
		write(t, dir, c.name, c.text)
		_, err := load(dir, "train")
		fails(err, c.want)
	}
	host := devtest.Host(t)
	set(t, 3, 7, 2, false)
	_, _, err = learn(t.Context(), host, d, d)
	fails(err, "2 times 3 pictures are no batch of 7")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	*batch = 2
	_, _, err = learn(ctx, host, d, d)
	fails(err, "context canceled")
}

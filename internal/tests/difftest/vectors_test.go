package difftest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	for _, n := range []int{1, 4, 300, 3000} {
		floats, wide := make([]float32, n), make([]float64, n)
		for i := range floats {
			floats[i] = float32(i%101) - 50.25
			wide[i] = float64(i*i) / 3
		}
		add1("VectorAdd64", corpusgen.RunVectorAdd64, n, func() corpus.VectorAdd64 {
			return corpus.VectorAdd64{A: wide, B: wide, C: make([]float64, n)}
		})
		add1("VectorAdd", corpusgen.RunVectorAdd, n, func() corpus.VectorAdd {
			return corpus.VectorAdd{A: floats, B: floats, C: make([]float32, n)}
		})
		add1("Vectors", corpusgen.RunVectors, n, func() corpus.Vectors {
			b := slices.Clone(floats)
			return corpus.Vectors{A: b, B: b, C: mixedInts(n), D: out32(n), All: []int32{2}, N: n - n/9}
		})
		add1("Vectors", corpusgen.RunVectors, n, func() corpus.Vectors {
			return corpus.Vectors{A: floats, B: make([]float32, n), C: mixedInts(n), D: out32(n), All: []int32{1}, N: n}
		})
	}
}

// vectorCase is a launch of Vectors: where the slices begin in the two buffers that there are, one
// of floats and one of integers, and their lengths.
type vectorCase struct {
	name       string
	a, b, c, d int
	items, n   int
	lens       int
	fault      bool
}

// TestVectors has work-groups use parts of buffers that begin at multiples of 16 bytes and
// elsewhere, that are one and the same, that end within a work-group, and compares with the host.
func TestVectors(t *testing.T) {
	const at = 8192 // the second of the two parts of a buffer
	cases := []vectorCase{
		{"all of it", 0, at, 0, at, 5000, 5000, 5000, false},
		{"small", 0, at, 0, at, 6, 6, 6, false},
		{"an end of its own", 0, at, 0, at, 5000, 4099, 4099, false},
		{"at a float", 1, at, 0, at, 5000, 5000, 5000, false},
		{"at two floats", 0, at + 2, 0, at, 5000, 5000, 5000, false},
		{"at three integers", 0, at, 3, at, 5000, 5000, 5000, false},
		{"at four", 4, at + 4, 8, at + 12, 5000, 5000, 5000, false},
		{"the same floats", 4, 4, 0, at, 5000, 5000, 5000, false},
		{"the same floats at one", 1, 1, 0, at, 5000, 5000, 5000, false},
		{"short slices", 0, at, 0, at, 5000, 5000, 4098, true},
	}
	run := func(t *testing.T, dev *runtime.Device, c vectorCase) (floats []float32, ints []int32) {
		t.Helper()
		floats, ints = make([]float32, 2*at), make([]int32, 2*at)
		for i := range floats {
			floats[i], ints[i] = float32(i%1013)-500.25, int32(i*40503)
		}
		fb, err := runtime.BufferOf(dev, floats)
		if err != nil {
			t.Fatal(err)
		}
		defer fb.Close()
		ib, err := runtime.BufferOf(dev, ints)
		if err != nil {
			t.Fatal(err)
		}
		defer ib.Close()
		all, err := runtime.BufferOf(dev, []int32{7})
		if err != nil {
			t.Fatal(err)
		}
		defer all.Close()
		ev, err := corpusgen.Vectors{
			A: fb.Slice(c.a, c.a+c.lens), B: fb.Slice(c.b, c.b+c.lens), C: ib.Slice(c.c, c.c+c.lens), D: ib.Slice(c.d, c.d+c.lens), All: all.All(), N: c.n,
		}.ParallelFor(dev.DefaultQueue(), runtime.Range1(c.items))
		if err != nil {
			t.Fatal(err)
		}
		err = ev.Wait(context.Background())
		if f := new(runtime.Fault); errors.As(err, &f) != c.fault || (err != nil) != c.fault {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := errors.Join(fb.CopyTo(context.Background(), dev.DefaultQueue(), floats), ib.CopyTo(context.Background(), dev.DefaultQueue(), ints)); err != nil {
			t.Fatal(err)
		}
		return floats, ints
	}
	test := func(t *testing.T, dev *runtime.Device) {
		host := devtest.Host(t)
		for _, c := range cases {
			wf, wi := run(t, host, c)
			gf, gi := run(t, dev, c)
			if d := Diff(gf, wf, false); d != "" {
				t.Errorf("%s: floats%s", c.name, d)
			}
			if d := Diff(gi, wi, false); d != "" {
				t.Errorf("%s: integers%s", c.name, d)
			}
		}
	}
	t.Run("native", func(t *testing.T) { devtest.Each(t, test) })
	t.Run("words", func(t *testing.T) { test(t, devtest.Vulkan(t, runtime.MaskAspects(properties.Int64))) })
}

// TestSmallVectors is TestVectors for elements of 16 and 8 bits. A vector has more of these, and
// for both beside wider ones. A slice begins at most 15 elements past a multiple of 16 bytes.
func TestSmallVectors(t *testing.T) {
	devtest.Each(t, compareSmallVectors)
}

// TestSmallVectorsWords is TestSmallVectors on a device without small integers.
func TestSmallVectorsWords(t *testing.T) {
	compareSmallVectors(t, devtest.Vulkan(t, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64)))
}

func compareSmallVectors(t *testing.T, dev *runtime.Device) {
	const at, size = 1 << 14, 1 << 15 // the second of the two parts of a buffer
	host := devtest.Host(t)
	type starts struct{ a, b, c, items, n, lens int }
	cases := []starts{
		{0, at, 0, 9000, 9000, 9000},
		{0, at, at, 5, 5, 5},
		{0, at, 0, 9000, 8197, 8197},
		{8, at + 16, 24, 9000, 9000, 9000},
		{8, 8, 8, 9000, 9000, 9000},
		{3, 3, at, 9000, 9000, 9000},
		{0, at, 0, 9000, 9000, 8195}, // faults
	}
	for o := 1; o < 16; o++ {
		cases = append(cases, starts{o, at, 0, 5000, 5000, 5000}, starts{0, at + o, 16, 5000, 5000, 5000}, starts{16, at, o, 5000, 5000, 5000})
	}
	for _, c := range cases {
		var shorts, pairs [2][]uint16
		var bytes [2][]uint8
		var words [2][]int32
		var faults [2]error
		for i, d := range []*runtime.Device{dev, host} {
			shorts[i], pairs[i], bytes[i], words[i] = make([]uint16, size), make([]uint16, size), make([]uint8, size), make([]int32, size)
			for j := range size {
				n := uint32(j) * 2654435761 >> 7
				shorts[i][j], pairs[i][j], bytes[i][j], words[i][j] = uint16(n), uint16(n>>3), uint8(n>>5), int32(n)
			}
			faults[i] = errors.Join(runSmall(t, d, c.a, c.b, c.c, c.items, c.n, c.lens, shorts[i], pairs[i]),
				runMixed(t, d, c.a, c.b, c.c, c.items, c.n, c.lens, bytes[i], shorts[i], words[i]))
		}
		if faulted := c.lens < c.n; (faults[0] != nil) != faulted || (faults[1] != nil) != faulted {
			t.Errorf("%v: %v; host: %v", c, faults[0], faults[1])
		}
		if !slices.Equal(shorts[0], shorts[1]) || !slices.Equal(pairs[0], pairs[1]) || !slices.Equal(bytes[0], bytes[1]) || !slices.Equal(words[0], words[1]) {
			t.Errorf("%v: the host leaves other memory", c)
		}
	}
}

// buffer returns the memory of a slice, and copies it back when the test's part ends.
func buffer[T any](t *testing.T, dev *runtime.Device, data []T) (b *runtime.Buffer[T], back func()) {
	t.Helper()
	b, err := runtime.BufferOf(dev, data)
	if err != nil {
		t.Fatal(err)
	}
	return b, func() {
		if err := b.CopyTo(context.Background(), dev.DefaultQueue(), data); err != nil {
			t.Fatal(err)
		}
		b.Close()
	}
}

func runSmall(t *testing.T, dev *runtime.Device, a, b, c, items, n, lens int, shorts, pairs []uint16) error {
	x, back := buffer(t, dev, shorts)
	defer back()
	y, back := buffer(t, dev, pairs)
	defer back()
	ev, err := corpusgen.VectorsSmall{A: x.Slice(a, a+lens), B: x.Slice(b, b+lens), C: y.Slice(c, c+lens), N: n}.ParallelFor(dev.DefaultQueue(), runtime.Range1(items))
	if err != nil {
		t.Fatal(err)
	}
	return ev.Wait(context.Background())
}

func runMixed(t *testing.T, dev *runtime.Device, a, b, c, items, n, lens int, bytes []uint8, shorts []uint16, words []int32) error {
	x, back := buffer(t, dev, bytes)
	defer back()
	signed := make([]int16, len(shorts))
	for i, v := range shorts {
		signed[i] = int16(v)
	}
	y, end := buffer(t, dev, signed)
	defer func() {
		end()
		for i, v := range signed {
			shorts[i] = uint16(v)
		}
	}()
	z, back := buffer(t, dev, words)
	defer back()
	ev, err := corpusgen.VectorsMixed{A: x.Slice(a, a+lens), B: y.Slice(b, b+lens), C: z.Slice(c, c+lens), N: n}.ParallelFor(dev.DefaultQueue(), runtime.Range1(items))
	if err != nil {
		t.Fatal(err)
	}
	return ev.Wait(context.Background())
}

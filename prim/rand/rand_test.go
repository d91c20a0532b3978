package rand

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/rand/kernels"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPhilox: the words are those that the authors of Philox publish (Random123's kat_vectors), also as numbers of
// a stream.
func TestPhilox(t *testing.T) {
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1}, [2]uint32{1<<32 - 1, 1<<32 - 1}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0}, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		var got [4]uint32
		got[0], got[1], got[2], got[3] = kernels.Philox(c.counter[0], c.counter[1], c.counter[2], c.counter[3], c.key[0], c.key[1])
		if plain := philox4x32(c.counter, c.key); got != c.want || plain != c.want {
			t.Errorf("%x: %x and in plain Go %x, want %x", c.counter, got, plain, c.want)
		}
	}
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		xs := make([]uint32, 1024)
		check(t, Bits(t.Context(), dev, Stream{}, xs))
		prims.Equal(t, "the first block", []uint32{xs[0], xs[256], xs[512], xs[768]}, []uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8})
	})
}

// streams are streams with all words, and with offsets in rows.
var streams = []Stream{
	{Seed: 0x0123456789abcdef, Sequence: 0xfedcba9876543210, Offset: 0},
	{Seed: 1, Sequence: 1 << 40, Offset: 513},
	{Seed: 1 << 63, Offset: 1<<40 - 301},
	{Seed: 5877308579085986471, Sequence: 4167980779242492, Offset: 5608323615}, // which begins with a word near the greatest
	{Seed: math.MaxUint64, Sequence: math.MaxUint64, Offset: MaxIndex - 1<<24 + 255},
}

// lengths are the numbers of elements of calls, and the number that prim.Length says.
func lengths() [][2]int {
	list := [][2]int{{0, 5}, {1, 1}, {257, 200}, {2049, math.MaxInt}, {sample.Of(70001, 3001), 2000}}
	if !testing.Short() {
		list = append(list, [2]int{2, -3}, [2]int{255, 256}, [2]int{256, 255}, [2]int{1023, 1}, [2]int{1024, 1024}, [2]int{1025, 1024}, [2]int{5000, 0})
	}
	return list
}

// filled compares a function that fills a view with plain Go: for all streams and lengths, also where a length
// leaves other elements as they are. Float numbers may differ by some part of 1.
func filled[T any](t *testing.T, q *runtime.Queue, name string, near float64, on func(s Stream, out runtime.View[T], opts ...prim.Option) (runtime.Event, error), want func(s Stream, i uint64) T) {
	t.Helper()
	v := prims.Views{T: t, Q: q}
	for _, s := range streams {
		for _, l := range lengths() {
			n, m := l[0], min(max(l[1], 0), l[0])
			all, old := make([]T, n), prims.FromBits[T](0x5a5a5a5a5a5a5a5a)
			for i := range all {
				if all[i] = old; i < m {
					all[i] = want(s, s.Offset+uint64(i))
				}
			}
			out := prims.View(v, slices.Repeat([]T{old}, n))
			_, err := on(s, out, prim.Length(prims.View(v, []int64{int64(l[1])})))
			check(t, err)
			got := prims.Read(v, out)
			for i := range got {
				differs := prims.Bits(got[i]) != prims.Bits(all[i])
				if near > 0 && i < m {
					x, y := reflect.ValueOf(got[i]).Float(), reflect.ValueOf(all[i]).Float()
					differs = !(math.Abs(x-y) <= near*max(1, math.Abs(y)))
				}
				if differs {
					t.Errorf("%s, %+v: element %d of %d is %v, want %v", name, s, i, m, got[i], all[i])
					return
				}
			}
		}
	}
}

// integersOf compares integers of a type, below some numbers, with plain Go.
func integersOf[T Integer](t *testing.T, q *runtime.Queue, below ...T) {
	t.Helper()
	size := int(unsafe.Sizeof(T(0)))
	filled(t, q, fmt.Sprintf("Bits of %T", T(0)), 0, func(s Stream, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return BitsOn(q, s, out, opts...)
	}, func(s Stream, i uint64) T { return T(plainBits(s, i, size)) })
	for _, n := range below {
		filled(t, q, fmt.Sprintf("IntN of %T below %d", n, n), 0, func(s Stream, out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
			return IntNOn(q, s, n, out, opts...)
		}, func(s Stream, i uint64) T { return T(plainIntN(s, i, uint64(n), size)) })
	}
}

// uniform compares uniform numbers with plain Go.
func uniform(t *testing.T, q *runtime.Queue) {
	filled(t, q, "Uniform of float32", 0, func(s Stream, out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
		return UniformOn(q, s, out, opts...)
	}, plainUniform32)
	if q.Device().Has(properties.FP64) {
		filled(t, q, "Uniform of float64", 0, func(s Stream, out runtime.View[float64], opts ...prim.Option) (runtime.Event, error) {
			return UniformOn(q, s, out, opts...)
		}, plainUniform64)
	}
}

// normals compares normal numbers with package math.
func normals(t *testing.T, q *runtime.Queue) {
	filled(t, q, "Normal of float32", 1e-6, func(s Stream, out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
		return NormalOn(q, s, out, opts...)
	}, func(s Stream, i uint64) float32 { return float32(plainNormal(s, i, 4)) })
	if q.Device().Has(properties.FP64) {
		filled(t, q, "Normal of float64", 4e-15, func(s Stream, out runtime.View[float64], opts ...prim.Option) (runtime.Event, error) {
			return NormalOn(q, s, out, opts...)
		}, func(s Stream, i uint64) float64 { return plainNormal(s, i, 8) })
	}
}

// shuffled compares orders with plain Go.
func shuffled[T any](t *testing.T, q *runtime.Queue, of func(i int) T) {
	t.Helper()
	v := prims.Views{T: t, Q: q}
	for j, n := range []int{0, 1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 1000, sample.Of(70001, 3001)} {
		for _, length := range []int{n, n / 2} {
			s := Stream{Seed: 77, Sequence: 1<<33 + uint64(j), Offset: 1<<59 + uint64(n)}
			xs, want := make([]T, n), make([]T, n)
			for i := range xs {
				xs[i], want[i] = of(i), of(-i-1)
			}
			out := prims.View(v, want)
			for i, from := range plainOrder(s, length) {
				want[i] = xs[from]
			}
			_, err := ShuffleOn(q, s, prims.View(v, xs), out, prim.Length(prims.View(v, []int64{int64(length)})))
			check(t, err)
			prims.Equal(t, fmt.Sprintf("Shuffle of %d of %T", length, want), prims.Read(v, out), want)
		}
	}
}

// triple and wide are elements of three words.
type (
	triple [3]uint8
	wide   [3]uint32
)

// everything compares all functions with plain Go. With -short the host makes all types, and each driver some.
func everything(t *testing.T, q *runtime.Queue) {
	whole := !testing.Short() || q.Device().Info().Backend == "host"
	uniform(t, q)
	integersOf[uint32](t, q, 1, 3, 1<<31+1, math.MaxUint32)
	normals(t, q)
	shuffled(t, q, func(i int) float32 { return float32(i) })
	integersOf[int64](t, q, 6, 1<<40+1, math.MaxInt64)
	if !whole {
		return
	}
	integersOf[int8](t, q, 1, 100, 127)
	integersOf[uint16](t, q, 1000, math.MaxUint16)
	integersOf[int32](t, q, 1<<30+1)
	integersOf[uint64](t, q, 1<<63+1, math.MaxUint64)
	shuffled(t, q, func(i int) triple { return triple{uint8(i), uint8(i >> 8), uint8(i >> 16)} })
	shuffled(t, q, func(i int) half.Float16 { return half.Float16(i) })
	shuffled(t, q, func(i int) wide { return wide{uint32(i), 7, ^uint32(i)} })
}

func TestHost(t *testing.T) { everything(t, devtest.Host(t).DefaultQueue()) }

func TestVulkan(t *testing.T) { everything(t, devtest.Vulkan(t).DefaultQueue()) }

func TestSwiftShader(t *testing.T) {
	if testing.Short() {
		t.Skip("prim/scan runs on the driver, and -short is set")
	}
	swiftshader.Run(t, "^Test(Vulkan|Same)$")
}

// TestChunks: a view with more elements than a launch makes takes several launches, with the same numbers.
func TestChunks(t *testing.T) {
	defer func(n int) { maxElements = n }(maxElements)
	maxElements = 700
	everything(t, devtest.Host(t).DefaultQueue())
}

// TestSame: normal numbers have the same bits on all devices.
func TestSame(t *testing.T) {
	s, n := Stream{Seed: 5, Offset: 99}, sample.Of(1<<20, 10000)
	host, there := make([]float32, n), make([]float32, n)
	long, far := make([]float64, n), make([]float64, n)
	dev := devtest.Vulkan(t)
	check(t, Normal(t.Context(), devtest.Host(t), s, host))
	check(t, Normal(t.Context(), dev, s, there))
	prims.Equal(t, "float32", there, host)
	check(t, Normal(t.Context(), devtest.Host(t), s, long))
	if dev.Has(properties.FP64) {
		check(t, Normal(t.Context(), dev, s, far))
		prims.Equal(t, "float64", far, long)
	}
}

// TestEnds: the least and the greatest word, which a search has found, make no 1 of Uniform and no infinity of Normal.
func TestEnds(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		for _, c := range []struct {
			index    uint64
			word     uint32
			uniform  float32
			distance float64
		}{{12922966614, 0, 0, math.Sqrt(64 * math.Ln2)}, {8098165425, math.MaxUint32, 1 - 0x1p-24, 0}} {
			s, words, u, n := Stream{Offset: c.index}, make([]uint32, 1), make([]float32, 1), make([]float32, 257)
			check(t, Bits(t.Context(), dev, s, words))
			check(t, Uniform(t.Context(), dev, s, u))
			check(t, Normal(t.Context(), dev, s, n))
			if words[0] != c.word || u[0] != c.uniform {
				t.Errorf("the word is %#x, want %#x, and the number %v, want %v", words[0], c.word, u[0], c.uniform)
			}
			if d := math.Hypot(float64(n[0]), float64(n[256])); math.Abs(d-c.distance) > 1e-6 {
				t.Errorf("the normal numbers of %#x are %v from 0, want %v", c.word, d, c.distance)
			}
		}
	})
}

// TestGoOn: a call with the offset of one before and its number of elements makes the elements that follow.
func TestGoOn(t *testing.T) {
	dev, ctx := devtest.Host(t), t.Context()
	s := Stream{Seed: 3, Sequence: 4, Offset: 5}
	whole, parts := make([]float64, 5000), make([]float64, 5000)
	check(t, Normal(ctx, dev, s, whole))
	for rest := parts; len(rest) > 0; {
		n := min(len(rest), 1+len(rest)/3)
		check(t, Normal(ctx, dev, s, rest[:n]))
		s.Offset += uint64(n)
		rest = rest[n:]
	}
	prims.Equal(t, "parts", parts, whole)
}

// TestGraph: functions that are recorded become nodes, which run as often as the graph is submitted.
func TestGraph(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		v, s, n := prims.Views{T: t, Q: dev.DefaultQueue()}, Stream{Seed: 9}, 1000
		x, y := prims.View(v, make([]float32, n)), prims.View(v, make([]float32, n))
		g := runtime.NewGraph(dev)
		check(t, v.Q.BeginRecording(g))
		_, err := UniformOn(v.Q, s, x)
		check(t, err)
		_, err = ShuffleOn(v.Q, s, x, y)
		check(t, err)
		check(t, v.Q.EndRecording())
		ex, err := g.Finalize()
		check(t, err)
		want := make([]float32, n)
		for i, from := range plainOrder(s, n) {
			want[i] = plainUniform32(s, uint64(from))
		}
		for range 3 {
			check(t, y.CopyFrom(t.Context(), v.Q, make([]float32, n)))
			_, err := v.Q.Submit(ex)
			check(t, err)
			prims.Equal(t, "a graph", prims.Read(v, y), want)
		}
	})
}

// TestErrors: a call that makes no sense is an error, and launches nothing.
func TestErrors(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()}
	q, s := v.Q, Stream{}
	xs := prims.View(v, []int64{1, 2, 3, 4})
	short := prims.View(v, []int8{1})
	halves := prims.View(v, make([]half.Float16, 2))
	length := prim.Length(xs.Slice(0, 1))
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"nothing below", of(IntNOn(q, s, 0, xs)), "rand.IntNOn: there are no integers of at least 0 and less than 0"},
		{"below a negative number", of(IntNOn(q, s, -128, short)), "less than -128"},
		{"halves", of(BitsOn(q, s, halves)), "no kernel for elements of package half"},
		{"the end of a stream", of(BitsOn(q, Stream{Offset: MaxIndex - 3}, xs)), "4 elements from 1152921504606846973 on"},
		{"beyond a stream", of(BitsOn(q, Stream{Offset: math.MaxUint64}, xs)), "use another sequence"},
		{"no order", of(ShuffleOn(q, Stream{Offset: MaxIndex}, xs, prims.View(v, make([]int64, 4)))), "orders up to 1<<60"},
		{"no bytes", of(ShuffleOn(q, s, prims.View(v, make([]struct{}, 2)), prims.View(v, make([]struct{}, 2)))), "the elements have no bytes"},
		{"in place", of(ShuffleOn(q, s, xs, xs)), "out overlaps v"},
		{"short", of(ShuffleOn(q, s, xs, xs.Slice(0, 3))), "out has 3 elements: the function writes 4"},
		{"the length", of(BitsOn(q, s, xs, length)), "out overlaps the length"},
		{"no device", Uniform(t.Context(), nil, s, []float32{1}), "rand.Uniform: the device is nil"},
		{"slices", IntN(t.Context(), q.Device(), s, 0, []int{1}), "rand.IntN: there are no integers"},
	} {
		if !errors.Is(c.err, runtime.ErrInvalid) || !strings.Contains(fmt.Sprint(c.err), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
	prims.Equal(t, "the elements", prims.Read(v, xs), []int64{1, 2, 3, 4})
	check(t, of(BitsOn(q, Stream{Offset: MaxIndex - 4}, xs)))
	want := make([]int64, 4)
	for i := range want {
		want[i] = int64(plainPair(Stream{}, MaxIndex-4+uint64(i)))
	}
	prims.Equal(t, "the last elements of a stream", prims.Read(v, xs), want)
}

func of(_ runtime.Event, err error) error { return err }

// TestNarrow: float64s need a device that has them.
func TestNarrow(t *testing.T) {
	dev := devtest.Vulkan(t, runtime.MaskAspects(properties.FP64))
	for name, f := range map[string]func() error{
		"Uniform": func() error { return Uniform(t.Context(), dev, Stream{}, make([]float64, 5)) },
		"Normal":  func() error { return Normal(t.Context(), dev, Stream{}, make([]float64, 5)) },
	} {
		if err := f(); !errors.Is(err, runtime.ErrKernelNotSupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package difftest

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/words"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/words/wordsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	convertWords("Int8", gen.RunConvertInt8, firsts[int8]())
	convertWords("Int16", gen.RunConvertInt16, firsts[int16]())
	convertWords("Int32", gen.RunConvertInt32, middles(firsts[int32]()))
	convertWords("Int64", gen.RunConvertInt64, middles(firsts[int64]()))
	convertWords("Int", gen.RunConvertInt, middles(firsts[int]()))
	convertWords("Uint8", gen.RunConvertUint8, firsts[uint8]())
	convertWords("Uint16", gen.RunConvertUint16, firsts[uint16]())
	convertWords("Uint32", gen.RunConvertUint32, middles(firsts[uint32]()))
	convertWords("Uint64", gen.RunConvertUint64, middles(firsts[uint64]()))
	convertWords("Uint", gen.RunConvertUint, middles(firsts[uint]()))
	var floats []float32
	for s := range 70 {
		p := math.Ldexp(1, s-3)
		for _, x := range []float64{1, -1, 1.5, -1.25, 1 + 0x1p-23, 2 - 0x1p-23, 1.7182818, -1.3333333} {
			floats = append(floats, float32(p*x), float32(p*x)+0.5)
		}
	}
	convertWords("Float32", gen.RunConvertFloat32, append(floats, 0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.NaN())))
	wordCases()
}

func firsts[T words.Number](extra ...T) []T {
	switch any(T(0)).(type) {
	case int8:
		return numbers[int8, T]()
	case int16:
		return numbers[int16, T]()
	case int32:
		return numbers[int32, T]()
	case uint8:
		return numbers[uint8, T]()
	case uint16:
		return numbers[uint16, T]()
	case uint32:
		return numbers[uint32, T]()
	}
	return numbers[int64, T]()
}

func numbers[I interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}, T words.Number]() []T {
	in, _ := intPairs[I](1000)
	out := make([]T, len(in))
	for i, x := range in {
		out[i] = T(x)
	}
	return out
}

// middles adds integers as near as can be to the middle between two float32.
func middles[T words.Number](in []T) []T {
	for s := range 64 {
		for _, m := range []uint64{1<<24 + 1, 1<<25 - 1, 3<<23 + 1, 1<<24 + 3} {
			x := m << 39 >> s
			in = append(in, T(x), T(x-1), T(x+1), -T(x))
		}
	}
	return in
}

func convertWords[T words.Number](name string, run runner[words.Convert[T]], in []T) {
	add1("Words"+name, run, len(in), func() words.Convert[T] {
		return words.Convert[T]{In: in, Out: make([]words.Converted, len(in))}
	})
}

func wordCases() {
	add1("WordsFill", gen.RunFill, 77, func() words.Fill { return words.Fill{X: make([]uint8, 77)} })
	for _, n := range []int{6, 64, 1001} {
		add1("WordsBytes", gen.RunBytes, n, func() words.Bytes {
			k := words.Bytes{By: 5, A: make([]uint8, n), B: make([]uint8, n+1), C: make([]int16, n), D: make([][3]int8, n), E: make([]bool, n),
				Count: make([]uint32, n)}
			for n%k.By == 0 {
				k.By += 2
			}
			for i := range n {
				k.A[i], k.C[i], k.D[i][1], k.E[i] = uint8(i*7), int16(i*129), int8(i), i%3 == 0
			}
			return k
		})
	}
	add1("WordsRecords", gen.RunRecords, 90, func() words.Records {
		k := words.Records{By: words.Record{Wide: 1 << 40, Small: [5]uint8{1, 2, 3, 4, 255}, Half: -3, Total: math.MaxUint64, Last: -128},
			In: make([]words.Record, 90), Out: make([]words.Inside, 90)}
		for i := range k.In {
			x := int64(scramble(i))
			k.In[i] = words.Record{Flag: i%3 == 0, Wide: x, Small: [5]uint8{uint8(i)}, Half: int16(x >> 7), Total: uint64(x) * 77, Last: int8(i)}
		}
		return k
	})
	for _, local := range []int{1, 5, 32, 64} {
		add("WordsTile", func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := words.Tile{In: make([]uint64, 3*local), Out: make([]uint64, 3*local)}
			for i := range k.In {
				k.In[i] = scramble(i)
			}
			return k, launch(ctx, dev, gen.RunTile, k, nd1(3*local, local))
		})
	}
	add1("WordsInsertion", gen.RunInsertion, 20, func() words.Insertion {
		k := words.Insertion{In: make([]int, 320), Out: make([]int, 320)}
		for i := range k.In {
			k.In[i] = int(scramble(i))
		}
		return k
	})
	add1("WordsTable", gen.RunTable, 100, func() words.Table { return words.Table{Out: make([]int64, 100)} })
	for _, bad := range []int{-1, 0, 7, 1 << 40} {
		add1("WordsWalk", gen.RunWalk, 40, func() words.Walk {
			k := words.Walk{From: make([]int64, 40), To: make([]int64, 40), Step: make([]int64, 40), At: make([]int, 40), Out: make([]int64, 40)}
			for i := range 40 {
				x := int64(scramble(i)) >> (i % 60)
				k.From[i], k.To[i], k.Step[i], k.At[i] = x, x+int64(i)<<32, int64(1)<<31+int64(i)*1001, i
			}
			if bad >= 0 {
				k.At[11] = 40 + bad
			}
			return k
		})
	}
}

func scramble(i int) uint64 {
	x := uint64(i)*0x9e3779b97f4a7c15 + 1
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return x ^ x>>27
}

// TestWordsViews fills views that begin and end within words: what lies beside them
// stays, in the same words and at the buffer's end.
func TestWordsViews(t *testing.T) {
	ctx := context.Background()
	for _, opts := range [][]runtime.OpenOption{nil, {runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64)}} {
		dev := devtest.Vulkan(t, opts...)
		for n := range 13 {
			for lo := range n + 1 {
				for hi := lo; hi <= n; hi++ {
					in := bytes.Repeat([]byte{0xaa}, n)
					b, err := runtime.BufferOf(dev, in)
					if err != nil {
						t.Fatal(err)
					}
					if _, err = (gen.Fill{X: b.Slice(lo, hi)}).ParallelFor(dev.DefaultQueue(), runtime.Range1(hi-lo)); err != nil {
						t.Fatal(err)
					}
					got := make([]byte, n)
					if err := b.CopyTo(ctx, dev.DefaultQueue(), got); err != nil {
						t.Fatal(err)
					}
					for i := lo; i < hi; i++ {
						in[i] = uint8(i-lo+1) + 0x80
					}
					if !bytes.Equal(got, in) {
						t.Errorf("%s, %v: [%d:%d] of %d bytes: %x, want %x", dev.Name(), dev.Has(properties.Int8), lo, hi, n, got, in)
					}
					_ = b.Close()
				}
			}
		}
	}
}

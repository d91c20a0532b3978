package difftest

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/atomics"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/atomics/atomicsgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	for _, n := range []int{1, 7, 100, 1000, 4099} {
		add("AtomicWords", func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := atomics.Words{In: mixedInts(n), Sum: out32(7), U: make([]uint32, 6), Out: out32(2 * n)}
			k.Sum[1], k.U[1], k.U[5] = -1, ^uint32(0), 5
			err := launch(ctx, dev, gen.RunWords, k, runtime.Range1(n))
			k.Sum[5] += k.Sum[6] // which comes last is open
			k.Sum[6] = 0
			return k, err
		})
		add("AtomicLongs", func(ctx context.Context, dev *runtime.Device) (any, error) {
			in, _ := intPairs[int64](n)
			k := atomics.Longs{In: in[:n], Sum: make([]int64, 7), U: make([]uint64, 6), Out: make([]int64, 2*n)}
			k.Sum[1], k.U[1], k.U[5] = -1, ^uint64(0), 5
			for i, v := range k.In {
				if v == math.MinInt64+5 {
					k.In[i] = 0
				}
			}
			err := launch(ctx, dev, gen.RunLongs, k, runtime.Range1(n))
			k.Sum[5] += k.Sum[6]
			k.Sum[6] = 0
			return k, err
		})
		add("AtomicOwn", func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := atomics.Own{In: mixedInts(n), Out: out32(n)}
			return k, launch(ctx, dev, gen.RunOwn, k, runtime.Range1(n))
		})
		add("AtomicPush", func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := atomics.Push{Head: []int32{-1}, Next: out32(n)}
			err := launch(ctx, dev, gen.RunPush, k, runtime.Range1(n))
			seen := make([]bool, n)
			for i := k.Head[0]; i >= 0 && !seen[i]; i = k.Next[i] {
				seen[i] = true
			}
			return seen, err
		})
	}
	for _, local := range []int{1, 5, 8, 40, 64} {
		for _, cells := range []int{1, 3, 64} {
			add("AtomicTyped", func(ctx context.Context, dev *runtime.Device) (any, error) {
				n := local * 11
				k := atomics.Typed{In: mixedInts(n), Cells: make([]atomics.Cell, cells), Next: make([]atomic.Int32, 88), Out: out32(11)}
				return k, launch(ctx, dev, gen.RunTyped, k, nd1(n, local))
			})
		}
		add("AtomicFaulted", func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := atomics.Faulted{In: mixedInts(local * 9), Sum: out32(3)}
			err := launch(ctx, dev, gen.RunFaulted, k, nd1(local*9, local))
			for _, v := range k.In {
				if f := new(runtime.Fault); errors.As(err, &f) && v&3 == 0 {
					err = nil // which fault comes first is open
				}
			}
			return k, err
		})
		atomicGenerics(local)
		relaxed(gen.RunRelaxed32, local, 1<<31-5)
		relaxed(gen.RunRelaxedU64, local, 1<<63+9)
		relaxed(gen.RunRelaxedInt, local, 1<<62)
	}
	add("AtomicNative", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := atomics.Native{In: wholeFloats[float32](300), Sum: make([]float32, 1)}
		return k, launch(ctx, dev, gen.RunNative, k, 300)
	})
}

func relaxed[T dsl.AtomicInteger](run runnerND[atomics.Relaxed[T]], local int, first T) {
	add("AtomicRelaxed", func(ctx context.Context, dev *runtime.Device) (any, error) {
		n := 5 * local
		k := atomics.Relaxed[T]{In: make([]T, n), Mid: make([]T, n), Out: make([]T, n)}
		for i := range k.In {
			k.In[i] = first - T(i*i)*77
		}
		return k, launch(ctx, dev, run, k, nd1(n, local))
	})
}

// wholeFloats returns numbers whose sums are exact.
func wholeFloats[T ~float32 | ~float64](n int) []T {
	r := rng()
	in := make([]T, n)
	for i := range in {
		in[i] = T(r.IntN(4001) - 2000)
		if i%29 == 7 {
			in[i] = T(math.Copysign(0, -1))
		}
	}
	return in
}

func atomicGeneric[T dsl.AtomicNumber](run runnerND[atomics.Generic[T]], local int, in []T) {
	const groups = 7
	add("AtomicGeneric", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := atomics.Generic[T]{In: in, Out: make([]T, 4+3*groups)}
		return k, launch(ctx, dev, run, k, nd1(len(in), local))
	})
}

func atomicGenerics(local int) {
	n := 7 * max(local, 3)
	local = max(local, 3)
	i64, _ := intPairs[int64](n)
	ints, uints, words, uwords, uints64 := make([]int, n), make([]uint, n), make([]int32, n), make([]uint32, n), make([]uint64, n)
	for i, v := range i64[:n] {
		ints[i], uints[i], words[i], uwords[i], uints64[i] = int(v), uint(v), int32(v), uint32(v), uint64(v)
	}
	atomicGeneric(gen.RunGenericInt32, local, words)
	atomicGeneric(gen.RunGenericUint32, local, uwords)
	atomicGeneric(gen.RunGenericInt64, local, i64[:n])
	atomicGeneric(gen.RunGenericUint64, local, uints64)
	atomicGeneric(gen.RunGenericInt, local, ints)
	atomicGeneric(gen.RunGenericUint, local, uints)
	f32, f64 := wholeFloats[float32](n), wholeFloats[float64](n)
	atomicGeneric(gen.RunGenericFloat32, local, f32)
	atomicGeneric(gen.RunGenericFloat64, local, f64)
	f32, f64 = wholeFloats[float32](n), wholeFloats[float64](n)
	f32[n/2], f64[n/3] = float32(math.NaN()), math.NaN()
	f32[n/4], f64[n/5] = float32(math.Inf(1)), math.Inf(-1)
	atomicGeneric(gen.RunGenericFloat32, local, f32)
	atomicGeneric(gen.RunGenericFloat64, local, f64)
}

// TestAtomicMany has a million work-items change single words: no change is lost.
func TestAtomicMany(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		n := sample.Of(1<<20, 1<<16)
		r := runtime.Range1(n)
		w := atomics.Words{In: mixedInts(n), Sum: out32(7), U: make([]uint32, 6), Out: out32(2 * n)}
		if err := gen.RunWords(context.Background(), dev, w, r); err != nil {
			t.Fatal(err)
		}
		var sum, bits int32
		steps := uint32(0)
		for i, v := range w.In {
			sum += v
			bits ^= v
			for k := i % 5; k > 0; k-- {
				steps += uint32(k)
			}
		}
		if w.Sum[0] != sum || w.U[0] != uint32(sum) || w.Sum[3] != int32(n) || w.Sum[4] != bits || w.U[3] != steps || w.Sum[5]+w.Sum[6] != sum {
			t.Errorf("32 bits: got %v and %v, want sums of %d and %d, %d tickets, and %d", w.Sum, w.U, sum, steps, n, bits)
		}
		for i, ticket := range w.Out[:n] {
			if ticket != 1 {
				t.Fatalf("nobody has ticket %d", i)
			}
		}
		l := atomics.Longs{In: make([]int64, n), Sum: make([]int64, 7), U: make([]uint64, 6), Out: make([]int64, 2*n)}
		long := int64(0)
		for i := range l.In {
			l.In[i] = int64(i)<<33 - int64(w.In[i])
			long += l.In[i]
		}
		err := gen.RunLongs(context.Background(), dev, l, r)
		if refused(dev, "AtomicLongs", err) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if l.Sum[0] != long || l.Sum[3] != int64(n) {
			t.Errorf("64 bits: got %v, want the sum %d and %d tickets", l.Sum, long, n)
		}
	})
}

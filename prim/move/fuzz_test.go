package move

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/runtime"
)

// FuzzMove compares all functions with plain Go.
func FuzzMove(f *testing.F) {
	prims.Fuzz(f, fuzzMoves[uint8], fuzzMoves[triple], fuzzMoves[[2]uint16], fuzzMoves[float32], fuzzMoves[[3]uint16], fuzzMoves[uint64], fuzzMoves[[5]int32],
		fuzzIota[int32], fuzzIota[uint8], fuzzIota[int64], fuzzIota[float32], fuzzIota[float64])
}

// anyBits makes elements of any type with any bits.
func anyBits[T any](in *prims.Input, n int) []T {
	xs := make([]T, n)
	for i := range xs {
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&xs[i])), unsafe.Sizeof(xs[i]))
		for j := range raw {
			raw[j] = byte(in.Uint32())
		}
	}
	return xs
}

func fuzzMoves[T any](in *prims.Input) {
	in.N %= 5000
	in.M = min(in.M, in.N, in.Most)
	xs, old, at := anyBits[T](in, in.N), anyBits[T](in, in.N), make([]int64, in.N)
	for i := range at {
		if at[i] = in.Int64N(int64(in.N)+4) - 2; in.IntN(50) == 0 {
			at[i] = int64(in.Uint64())
		}
	}
	v, indices, zero := prims.View(in.Views, xs), prims.View(in.Views, at), *new(T)
	// on runs a function on an output that has other elements before, and wants those that set sets.
	on := func(name string, set func(want []T), call func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error)) {
		in.T.Helper()
		out, want := prims.View(in.Views, old), slices.Clone(old)
		set(want)
		_, err := call(out, in.Opts...)
		check(in.T, err)
		holds(in.T, in.Q, fmt.Sprintf("%s of %d of %T", name, in.M, xs), out, want)
	}
	within := func(i int64) bool { return i >= 0 && i < int64(in.N) }
	on("Reverse", func(want []T) {
		copy(want, xs[:in.M])
		slices.Reverse(want[:in.M])
	}, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return ReverseOn(in.Q, v, out, opts...)
	})
	on("Reverse in place", func(want []T) { slices.Reverse(want[:in.M]) }, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return ReverseOn(in.Q, out, out, opts...)
	})
	on("Gather", func(want []T) {
		for i, j := range at[:in.M] {
			if want[i] = zero; within(j) {
				want[i] = xs[j]
			}
		}
	}, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return GatherOn(in.Q, v, indices, out, opts...)
	})
	if unsafe.Sizeof(zero) <= 64 && in.N > 0 {
		on("Fill", func(want []T) {
			for i := range want[:in.M] {
				want[i] = xs[0]
			}
		}, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
			return FillOn(in.Q, out, xs[0], opts...)
		})
	}
	in.Scratch(ScratchBytes(in.N))
	on("Scatter", func(want []T) {
		for i, j := range at[:in.M] {
			if within(j) {
				want[j] = xs[i]
			}
		}
	}, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return ScatterOn(in.Q, v, indices, out, opts...)
	})
	rows := 1 + in.IntN(in.N+1)
	columns := in.N / rows
	whole, out := prims.View(in.Views, xs[:rows*columns]), prims.View(in.Views, old[:rows*columns])
	want := make([]T, rows*columns)
	for i := range want {
		want[i%columns*rows+i/columns] = xs[i]
	}
	_, err := TransposeOn(in.Q, whole, out, rows, columns)
	check(in.T, err)
	holds(in.T, in.Q, fmt.Sprintf("Transpose of %d rows and %d columns of %T", rows, columns, xs), out, want)
}

func fuzzIota[T prims.Real](in *prims.Input) {
	few := prims.Elements[T](in, 2)
	want := make([]T, in.N)
	for i := range want[:in.M] {
		want[i] = few[0] + T(T(i)*few[1])
	}
	got := prims.Result(in.Views, in.N, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return IotaOn(in.Q, out, few[0], few[1], opts...)
	})
	prims.Equal(in.T, fmt.Sprintf("Iota of %d from %v by %v", in.M, few[0], few[1]), got, want)
}

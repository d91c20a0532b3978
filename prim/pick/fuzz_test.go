package pick_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/pick"
	"github.com/kgen-go/kgen/runtime"
)

// FuzzPick compares all functions with plain Go.
func FuzzPick(f *testing.F) {
	prims.Fuzz(f, fuzzWhere, fuzzFlagged, fuzzFlaggedTriples,
		fuzzRuns[float32], fuzzRuns[int8], fuzzRuns[uint16], fuzzRuns[int32], fuzzRuns[uint64], fuzzRuns[float64])
}

func fuzzWhere(in *prims.Input) {
	xs := prims.Elements[float32](in, in.N)
	in.Scratch(pick.ScratchBytes(in.N))
	x, limit := prims.View(in.Views, xs), ops.Greater{Than: float32(in.NormFloat64())}
	var some, others []float32
	for _, e := range xs[:in.M] {
		if e > limit.Than {
			some = append(some, e)
		} else {
			others = append(others, e)
		}
	}
	picked(in.Views, "Where", in.N, some, func(out runtime.View[float32], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return pick.Where[opsgen.Above](in.Q, limit, x, out, count, opts...)
	})
	count := prims.View(in.Views, []int64{-7})
	prims.Equal(in.T, fmt.Sprint("Partition of ", in.M), prims.Result(in.Views, in.N, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
		return pick.Partition[opsgen.Split](in.Q, limit, x, out, count, opts...)
	}), prims.Padded(append(slices.Clone(some), others...), in.N))
	prims.Equal(in.T, "Partition: the number", prims.Read(in.Views, count), []int64{int64(len(some))})
}

func fuzzFlagged(in *prims.Input) { fuzzFlags(in, prims.Elements[float32](in, in.N)) }

func fuzzFlaggedTriples(in *prims.Input) {
	xs := make([]triple, in.N)
	for i := range xs {
		xs[i] = triple{uint8(in.Uint32()), uint8(i), uint8(i >> 8)}
	}
	fuzzFlags(in, xs)
}

func fuzzFlags[T any](in *prims.Input, xs []T) {
	in.Scratch(pick.ScratchBytes(in.N))
	share, flags := in.Float64()*1.2-0.1, make([]bool, in.N)
	var want []T
	for i, e := range xs {
		if flags[i] = in.Float64() < share; flags[i] && i < in.M {
			want = append(want, e)
		}
	}
	x, f := prims.View(in.Views, xs), prims.View(in.Views, flags)
	picked(in.Views, fmt.Sprintf("Flagged of %T", xs), in.N, want, func(out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return pick.FlaggedOn(in.Q, x, f, out, count, opts...)
	})
}

func fuzzRuns[T prims.Real](in *prims.Input) {
	xs := prims.Elements[T](in, in.N)
	in.Scratch(pick.ScratchBytes(in.N))
	x, values := prims.View(in.Views, xs), prims.View(in.Views, make([]T, in.N))
	var want []T
	var lengths []int64
	for i, e := range xs[:in.M] {
		if i == 0 || cmp.Compare(e, xs[i-1]) != 0 {
			want, lengths = append(want, e), append(lengths, 0)
		}
		lengths[len(lengths)-1]++
	}
	picked(in.Views, fmt.Sprintf("Unique of %T", xs), in.N, want, func(out runtime.View[T], count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return pick.UniqueOn(in.Q, x, out, count, opts...)
	})
	picked(in.Views, fmt.Sprintf("RunLengths of %T", xs), in.N, lengths, func(out, count runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return pick.RunLengthsOn(in.Q, x, values, out, count, opts...)
	})
	prims.Equal(in.T, fmt.Sprintf("RunLengths of %T: the values", xs), prims.Read(in.Views, values), prims.Padded(want, in.N))
}

package sort_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/runtime"
)

// FuzzSort compares all functions with plain Go, by the kernels of the host, of GPUs, and of those with
// sub-groups of 32.
func FuzzSort(f *testing.F) {
	var tests []func(in *prims.Input)
	for _, test := range []func(in *prims.Input){
		fuzzType[float32], fuzzType[uint32], fuzzType[int8], fuzzType[uint16], fuzzType[int64], fuzzType[float64], fuzzType[int32],
		fuzzBits[uint32], fuzzBits[int16], fuzzBits[int64], fuzzBits[uint8],
		fuzzPairs[float32, uint32], fuzzPairs[int64, rgb], fuzzPairs[uint8, [3]int32], fuzzPairs[float64, uint64],
	} {
		tests = append(tests, test, as(test, false), as(test, true))
	}
	prims.Fuzz(f, tests...)
}

// as has a test sort as GPUs do.
func as(test func(in *prims.Input), lanes bool) func(in *prims.Input) {
	return func(in *prims.Input) {
		defer sort.AsGPU(lanes)()
		if lanes {
			in.AnySubGroups()
		}
		test(in)
	}
}

func fuzzType[T prims.Real](in *prims.Input) {
	xs, k := prims.Elements[T](in, in.N), in.IntN(in.N+9)
	free := in.Views // whose scratch memory is the pool's
	in.Scratch(sort.ScratchBytes[T](in.N))
	descending := in.IntN(2) == 0
	top, both := in.Views, free
	if descending {
		in.Opts = append(in.Opts, sort.Descending())
		both.Opts = append(slices.Clip(free.Opts), sort.Descending())
	}
	compare, name := order[T](descending), fmt.Sprintf("%d of %d %Ts, descending %v", in.M, in.N, xs, descending)
	ordered := slices.Clone(xs[:in.M])
	slices.SortStableFunc(ordered, compare)
	x := prims.View(in.Views, xs)
	sameBits(in.T, "Keys of "+name, prims.Result(in.Views, in.N, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return sort.KeysOn(in.Q, x, out, opts...)
	}), prims.Padded(ordered, in.N))
	prims.Equal(in.T, "IsSorted of "+name, prims.Result(in.Views, 1, func(out runtime.View[bool], opts ...prim.Option) (runtime.Event, error) {
		return sort.IsSortedOn(in.Q, x, out, opts...)
	}), []bool{slices.IsSortedFunc(xs[:in.M], compare)})

	whole := slices.Clone(xs) // which is in order, as Search and Merge take it
	slices.SortStableFunc(whole, compare)
	needles := prims.Elements[T](in, in.IntN(300))
	at := make([]int64, len(needles))
	for i, needle := range needles {
		j, _ := slices.BinarySearchFunc(whole[:in.M], needle, compare)
		at[i] = int64(j)
	}
	w, n := prims.View(in.Views, whole), prims.View(in.Views, needles)
	prims.Equal(in.T, "Search of "+name, prims.Result(both, len(needles), func(out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
		return sort.SearchOn(in.Q, w, n, out, opts...)
	}), at)
	slices.SortStableFunc(needles, compare)
	merged := slices.Concat(whole[:in.M], needles[:min(in.Most, len(needles))])
	slices.SortStableFunc(merged, compare)
	n = prims.View(in.Views, needles)
	sameBits(in.T, "Merge of "+name, prims.Result(both, in.N+len(needles), func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return sort.MergeOn(in.Q, w, n, out, opts...)
	}), prims.Padded(merged, in.N+len(needles)))

	greatest := slices.Clone(xs[:in.M])
	slices.SortStableFunc(greatest, order[T](true))
	greatest = greatest[:min(k, in.M)]
	count := prims.View(in.Views, []int64{-7})
	sameBits(in.T, fmt.Sprintf("TopK, %d of %s", k, name), prims.Result(top, k, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return sort.TopKOn(in.Q, x, out, count, opts...)
	}), prims.Padded(greatest, k))
	prims.Equal(in.T, "TopK of "+name+": the count", prims.Read(in.Views, count), []int64{int64(len(greatest))})
}

func fuzzBits[T int16 | int64 | uint8 | uint32](in *prims.Input) {
	xs, width := prims.Elements[T](in, in.N), int(8*unsafe.Sizeof(T(0)))
	lo := in.IntN(width)
	hi := lo + 1 + in.IntN(width-lo)
	part := func(x T) uint64 {
		b := prims.Bits(x)
		if ^T(0) < 0 {
			b ^= 1 << (width - 1)
		}
		return b << (64 - hi) >> (64 - hi + lo)
	}
	in.Opts = append(in.Opts, sort.Bits(lo, hi))
	want := slices.Clone(xs[:in.M])
	slices.SortStableFunc(want, func(x, y T) int { return cmp.Compare(part(x), part(y)) })
	x := prims.View(in.Views, xs)
	sameBits(in.T, fmt.Sprintf("Keys of %d %Ts by the bits %d to %d", in.M, xs, lo, hi), prims.Result(in.Views, in.N, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return sort.KeysOn(in.Q, x, out, opts...)
	}), prims.Padded(want, in.N))
}

func fuzzPairs[K prims.Real, V any](in *prims.Input) {
	keys, values, at := prims.Elements[K](in, in.N), make([]V, in.N), make([]int, in.M)
	for i := range values {
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&values[i])), unsafe.Sizeof(values[i]))
		for j := range raw {
			raw[j] = byte(i >> (8 * (j % 4)))
		}
	}
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(keys[i], keys[j]) })
	wantKeys, wantValues := make([]K, in.N), make([]V, in.N)
	for i, j := range at {
		wantKeys[i], wantValues[i] = keys[j], values[j]
	}
	in.Scratch(sort.ScratchBytes[K](in.N))
	k, x, o := prims.View(in.Views, keys), prims.View(in.Views, values), prims.View(in.Views, make([]K, in.N))
	got := prims.Result(in.Views, in.N, func(out runtime.View[V], opts ...prim.Option) (runtime.Event, error) {
		return sort.PairsOn(in.Q, k, x, o, out, opts...)
	})
	name := fmt.Sprintf("Pairs of %d keys %T and values %T", in.M, keys, values)
	sameBits(in.T, name, prims.Read(in.Views, o), wantKeys)
	prims.Equal(in.T, name+": the values", got, wantValues)
}

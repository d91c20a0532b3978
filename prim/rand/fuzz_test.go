package rand

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/runtime"
)

// FuzzRand compares all functions with plain Go.
func FuzzRand(f *testing.F) {
	prims.Fuzz(f, fuzzIntegers[uint8], fuzzIntegers[int16], fuzzIntegers[uint32], fuzzIntegers[int64], fuzzIntegers[uint64], fuzzFloats, fuzzShuffle)
}

// stream makes a stream.
func stream(in *prims.Input) Stream {
	return Stream{Seed: in.Uint64(), Sequence: in.Uint64() >> in.IntN(64), Offset: in.Uint64() >> (4 + in.IntN(60)) &^ (1 << 16)}
}

// compare compares the numbers that a function makes with plain Go. They may differ by some part of 1.
func compare[T prims.Real](in *prims.Input, s Stream, name string, near float64, on func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error), want func(i uint64) T) {
	in.T.Helper()
	all := make([]T, in.N)
	got := prims.Result(in.Views, in.N, on)
	for i := range all[:in.M] {
		if all[i] = want(s.Offset + uint64(i)); math.Abs(float64(got[i])-float64(all[i])) <= near {
			all[i] = got[i]
		}
	}
	prims.Equal(in.T, fmt.Sprintf("%s of %d of %T and %+v", name, in.M, all, s), got, all)
}

func fuzzIntegers[T Integer](in *prims.Input) {
	in.N %= 5000
	in.M = min(in.M, in.N)
	s, size, n := stream(in), int(unsafe.Sizeof(T(0))), prims.FromBits[T](in.Uint64()>>in.IntN(64))
	compare(in, s, "Bits", -1, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
		return BitsOn(in.Q, s, out, opts...)
	}, func(i uint64) T { return T(plainBits(s, i, size)) })
	if n > 0 {
		compare(in, s, fmt.Sprint("IntN below ", n), -1, func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
			return IntNOn(in.Q, s, n, out, opts...)
		}, func(i uint64) T { return T(plainIntN(s, i, uint64(n), size)) })
	}
}

func fuzzFloats(in *prims.Input) {
	in.N %= 5000
	in.M = min(in.M, in.N)
	s := stream(in)
	compare(in, s, "Uniform", -1, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
		return UniformOn(in.Q, s, out, opts...)
	}, func(i uint64) float32 { return plainUniform32(s, i) })
	compare(in, s, "Uniform", -1, func(out runtime.View[float64], opts ...prim.Option) (runtime.Event, error) {
		return UniformOn(in.Q, s, out, opts...)
	}, func(i uint64) float64 { return plainUniform64(s, i) })
	compare(in, s, "Normal", 2e-6, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
		return NormalOn(in.Q, s, out, opts...)
	}, func(i uint64) float32 { return float32(plainNormal(s, i, 4)) })
	compare(in, s, "Normal", 1e-14, func(out runtime.View[float64], opts ...prim.Option) (runtime.Event, error) {
		return NormalOn(in.Q, s, out, opts...)
	}, func(i uint64) float64 { return plainNormal(s, i, 8) })
}

func fuzzShuffle(in *prims.Input) {
	s, xs := stream(in), prims.Elements[uint16](in, in.N)
	want := make([]uint16, in.N)
	for i, from := range plainOrder(s, in.M) {
		want[i] = xs[from]
	}
	v := prims.View(in.Views, xs)
	prims.Equal(in.T, fmt.Sprintf("Shuffle of %d by %+v", in.M, s), prims.Result(in.Views, in.N, func(out runtime.View[uint16], opts ...prim.Option) (runtime.Event, error) {
		return ShuffleOn(in.Q, s, v, out, opts...)
	}), want)
}

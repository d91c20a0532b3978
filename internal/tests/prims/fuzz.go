package prims

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// Input contains the arguments that a fuzz target chooses for a function. The arguments depend only on the
// numbers of the fuzz input.
type Input struct {
	Views
	*rand.Rand
	N    int // number of elements
	M    int // number of elements that the function processes; if it is less than N, prim.Length sets it
	Most int // argument of prim.Length; may exceed the number of elements
	kind uint8
	size int // index of the option for the size of sub-groups, or -1
}

// Fuzz runs the tests on the host device with inputs from the fuzzer. The first numbers of an input
// select the test, the length, and the kinds of elements and options.
func Fuzz(f *testing.F, tests ...func(in *Input)) {
	dev := devtest.Host(f)
	for i := range tests {
		f.Add(uint8(i), uint16(i*2311+7), uint8(i), uint16(i*37), uint64(i))
		f.Add(uint8(i), uint16(i%4), uint8(i+1), uint16(i*91+1), uint64(i))
	}
	f.Fuzz(func(t *testing.T, test uint8, n uint16, kind uint8, options uint16, seed uint64) {
		in := &Input{Views: Views{T: t, Q: dev.DefaultQueue(), Offset: 1 + int(options>>8)%7}, N: int(n) % 25000, Most: math.MaxInt, kind: kind, size: -1}
		in.Rand = rand.New(rand.NewPCG(seed, 1))
		in.M = in.N
		if options&1 != 0 {
			length := in.Int64N(int64(in.N)+5) - 2
			in.Most = int(max(length, 0))
			in.M = min(in.Most, in.N)
			in.Opts = append(in.Opts, prim.Length(View(in.Views, []int64{length})))
		}
		if lanes := options >> 1 & 7; lanes > 0 {
			in.size = len(in.Opts)
			in.Opts = append(in.Opts, prim.Launch(runtime.With(properties.SubGroupSize(1<<lanes))))
		}
		if options&16 != 0 { // makes some work-groups publish no results, so that other work-groups compute them
			in.Opts = append(in.Opts, prim.Launch(runtime.WithSpec(lookback.Silent, 1+in.Uint32N(7)), runtime.WithSpec(lookback.Polls, uint32(2))))
		}
		tests[int(test)%len(tests)](in)
	})
}

// AnySubGroups removes the option for the size of sub-groups, for kernels that support only one
// size.
func (in *Input) AnySubGroups() {
	if in.size >= 0 {
		in.Opts = slices.Delete(in.Opts, in.size, in.size+1)
		in.size = -1
	}
}

// Scratch adds an option with scratch memory of the given size in bytes. It does this only for some inputs.
func (in *Input) Scratch(bytes int) {
	if in.IntN(3) > 0 {
		return
	}
	b, err := runtime.NewBuffer[byte](in.Q.Device(), bytes)
	if err != nil {
		in.T.Fatal(err)
	}
	in.T.Cleanup(func() { b.Close() })
	in.Opts = append(in.Opts, prim.Scratch(b.All()))
}

// Elements returns n elements. The fuzz input selects the kind of elements, such as equal numbers
// or special values, and whether they ascend.
func Elements[T Real](in *Input, n int) []T {
	xs := make([]T, n)
	for i := range xs {
		if IsFloat[T]() {
			xs[i] = T(in.NormFloat64())
		} else {
			xs[i] = FromBits[T](in.Uint64() >> in.IntN(64))
		}
	}
	special := []T{0, FromBits[T](1 << (8*unsafe.Sizeof(T(0)) - 1)), 1, FromBits[T](^uint64(0)), 100}
	if IsFloat[T]() {
		// Special values are zeros, infinities, NaNs with payloads, the least subnormal, and the greatest
		// number.
		inf, quiet := uint64(0x7f800000), uint64(1)<<22
		if unsafe.Sizeof(T(0)) == 8 {
			inf, quiet = 0x7ff<<52, 1<<51
		}
		sign := Bits(special[1])
		for _, b := range []uint64{1, sign | 1, inf - 1, inf, sign | inf, inf | quiet, inf | quiet | 5, sign | inf | 77} {
			special = append(special, FromBits[T](b))
		}
	}
	for i := range xs {
		switch in.kind % 8 {
		case 1: // few different elements
			xs[i] = xs[in.IntN(min(n, 5))]
		case 2: // runs of equal elements
			if i > 0 && in.IntN(20) > 0 {
				xs[i] = xs[i-1]
			}
		case 3: // equal elements
			xs[i] = xs[0]
		case 4: // some special values
			if in.IntN(10) == 0 {
				xs[i] = special[in.IntN(len(special))]
			}
		case 5: // only special values
			xs[i] = special[in.IntN(len(special))]
		case 6: // any bits
			xs[i] = FromBits[T](in.Uint64())
		case 7: // special values in runs
			if xs[i] = special[in.IntN(len(special))]; i > 0 && in.IntN(4) > 0 {
				xs[i] = xs[i-1]
			}
		}
	}
	if in.kind&8 != 0 {
		slices.Sort(xs)
	}
	return xs
}

// Padded returns n elements, which are xs followed by zeros. A tested function must produce xs and must not
// change the zeros.
func Padded[T any](xs []T, n int) []T { return append(slices.Clip(xs), make([]T, n-len(xs))...) }

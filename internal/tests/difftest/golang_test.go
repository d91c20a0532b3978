package difftest

import (
	"math"

	"github.com/kgen-go/kgen/internal/tests/difftest/golang"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/golang/golanggen"
)

func seq(n int, f func(i int) int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

var bessel = []float64{0, 1e-20, 1e-5, 0.3, 1, 1.5, 2, 2.2, 2.9, 3.1, 4.6, 5, 7.9, 8, 9, 33, 1e3, 1e10, 1e300, -0.5, -3, math.Inf(1), math.NaN()}

func init() {
	mixed := func(n int) []int { return seq(n, func(i int) int { return i*37%101 - 20 }) }
	add1("LoopVars", gen.RunLoopVars, 40, func() golang.LoopVars { return golang.LoopVars{Out: make([]int, 40)} })
	add1("Initial", gen.RunInitial, 20, func() golang.Initial { return golang.Initial{Out: make([]int, 20)} })
	add1("Signals", gen.RunSignals, 64, func() golang.Signals {
		return golang.Signals{Out: make([]float32, 64), Bits: make([]uint32, 64), Wide: make([]uint64, 64)}
	})
	add1("Deferred", gen.RunDeferred, 20, func() golang.Deferred {
		return golang.Deferred{Out: make([]int, 20), Log: seq(20*8, func(int) int { return 99 })}
	})
	for mode := range 4 {
		for _, y := range []uint64{0, 1, 2, 3} {
			add1("BitsFault", gen.RunBitsFault, 1, func() golang.BitsFault {
				return golang.BitsFault{Mode: mode, X: []uint64{2}, Y: []uint64{y}, Z: make([]uint64, 1)}
			})
		}
	}
	for mode := range 3 {
		add1("DeferredNil", gen.RunDeferredNil, 1, func() golang.DeferredNil { return golang.DeferredNil{Mode: mode, Out: make([]int, 4)} })
	}
	add1("Strings", gen.RunStrings, 40, func() golang.Strings { return golang.Strings{Out: make([]int, 40)} })
	add1("Appends", gen.RunAppends, 20, func() golang.Appends {
		return golang.Appends{In: mixed(20 * 8), Out: make([]int, 20*4), Text: make([]byte, 20*5)}
	})
	add1("Iterators", gen.RunIterators, 20, func() golang.Iterators {
		return golang.Iterators{In: []int{1, 2, 5, 3, 7, 9, 11, 0}, Out: make([]int, 20)}
	})
	add1("TypeSwitches", gen.RunTypeSwitches, 20, func() golang.TypeSwitches { return golang.TypeSwitches{Out: make([]int, 20)} })
	add1("ToArrays", gen.RunToArrays, 20, func() golang.ToArrays {
		return golang.ToArrays{In: mixedInts(30), Out: make([]int32, 40)}
	})
	add1("ToArraysFault", gen.RunToArrays, 24, func() golang.ToArrays {
		return golang.ToArrays{In: mixedInts(24), Out: make([]int32, 48)}
	})
	add1("Complexes", gen.RunComplexes, 20, func() golang.Complexes {
		k := golang.Complexes{In: make([]complex64, 20), By: complex(2, -0.5), Out: make([]complex128, 20)}
		k.Pairs = make([]struct {
			Z [2]complex64
			N int32
		}, 20)
		for i := range k.In {
			k.In[i] = complex(float32(i)/4, float32(-i))
			k.Pairs[i].Z[0] = complex(float32(i), 0.25)
		}
		return k
	})
	add1("UTF8", gen.RunUTF8, 14, func() golang.UTF8 {
		return golang.UTF8{
			In:  []rune{'a', 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff, 0x110000, -1, 0xd800, 0xdfff, 0xe000, 0xfffd},
			Raw: []byte("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc0z, and many more of ASCII than fit in one word of the machine"),
			Out: make([]int, 14),
		}
	})
	add1("Binary", gen.RunBinary, 16, func() golang.Binary {
		k := golang.Binary{In: make([]byte, 16*8), Out: make([]byte, 16*16), Sum: make([]uint64, 16)}
		for i := range k.In {
			k.In[i] = byte(i*i*7 + 3)
		}
		return k
	})
	add1("Slices", gen.RunSlices, 20, func() golang.Slices { return golang.Slices{In: mixed(40), Out: make([]int, 20)} })
	add1("Edits", gen.RunEdits, 20, func() golang.Edits {
		return golang.Edits{In: mixedInts(40), Buf: make([]int32, 320), Out: out32(20)}
	})
	add1("Sorts", gen.RunSorts, 16, func() golang.Sorts { return golang.Sorts{In: mixedInts(80), Buf: make([]int64, 16*40)} })
	add1("Stable", gen.RunStable, 16, func() golang.Stable { return golang.Stable{In: mixedInts(80), Out: out32(16)} })
	add1("Large", gen.RunLarge, 40, func() golang.Large { return golang.Large{In: mixedInts(40), Out: out32(40)} })
	add1("Runes", gen.RunRunes, 90, func() golang.Runes {
		raw := []byte("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc0z\xe2\x82日本語\xed\xa0\x80\xf4\x90\x80\x80")
		return golang.Runes{In: append(raw, make([]byte, 90)...), Out: out32(90)}
	})
	add1("SwapLoops", gen.RunSwapLoops, 40, func() golang.SwapLoops {
		return golang.SwapLoops{In: mixedInts(77), Out: out32(40)}
	})
	add1("Tables", gen.RunTables, 100, func() golang.Tables {
		return golang.Tables{In: mixedInts(110), Out: make([]float64, 100)}
	})
	add1("TablesFault", gen.RunTables, 100, func() golang.Tables {
		return golang.Tables{In: mixedInts(98), Out: make([]float64, 100)}
	})
	add1("Bessel", gen.RunBessel, len(bessel), func() golang.Bessel {
		return golang.Bessel{X: bessel, Out: make([]float64, 6*len(bessel))}
	})
	add1("Random", gen.RunRandom, 50, func() golang.Random {
		return golang.Random{Seed: math.MaxUint64 / 3, Out: make([]uint64, 50), F: make([]float64, 50)}
	})
	addShifts("ShiftsInt8", gen.RunShiftsInt8)
	addShifts("ShiftsInt16", gen.RunShiftsInt16)
	addShifts("ShiftsInt32", gen.RunShiftsInt32)
	addShifts("ShiftsInt64", gen.RunShiftsInt64)
	addShifts("ShiftsInt", gen.RunShiftsInt)
	addShifts("ShiftsUint8", gen.RunShiftsUint8)
	addShifts("ShiftsUint16", gen.RunShiftsUint16)
	addShifts("ShiftsUint32", gen.RunShiftsUint32)
	addShifts("ShiftsUint64", gen.RunShiftsUint64)
	addShifts("ShiftsUint", gen.RunShiftsUint)
	addRounded("Rounded32", gen.RunRounded32)
	addRounded("Rounded64", gen.RunRounded64)
	add1("Zeroed", gen.RunZeroed, 30, func() golang.Zeroed { return golang.Zeroed{Out: make([]int, 30)} })
}

// addShifts adds a case without negative counts, and two with one.
func addShifts[T int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint](name string, run runner[golang.Shifts[T]]) {
	small := []int8{0, 1, 2, 6, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, 127}
	large := []int64{0, 1, 3, 7, 8, 31, 32, 63, 64, 255, 256, 1 << 32, 1<<32 + 1, math.MaxInt64}
	add := func(name string, change func(k *golang.Shifts[T])) {
		const n = 3 * 16 * 14
		add1(name, run, n, func() golang.Shifts[T] {
			k := golang.Shifts[T]{Out: make([]T, 8*n)}
			for i := range n {
				x := T(0) - T(i%3)
				if i%3 == 0 {
					x = T(i) * 77
				}
				k.X, k.Small, k.Large = append(k.X, x), append(k.Small, small[i/3%16]), append(k.Large, large[i/48])
			}
			change(&k)
			return k
		})
	}
	add(name, func(*golang.Shifts[T]) {})
	add(name+"Small", func(k *golang.Shifts[T]) { k.Small[99] = -1 })
	add(name+"Large", func(k *golang.Shifts[T]) { k.Large[7] = math.MinInt64 })
}

func init() {
	add1("InFloat64", gen.RunInFloat64, 2500, func() golang.InFloat64 {
		k := golang.InFloat64{Out: make([]float32, 2500*golang.InFloat64Results), Is: make([]uint32, 2500), Bits: make([]uint32, 10000)}
		edges := []float32{0.1, 1.0 / 3, -0.7, 1e-6, -1e10, 2.5, math.MaxFloat32}
		for _, x := range floatEdges {
			edges = append(edges, float32(x))
		}
		for _, x := range edges[:7] {
			edges = append(edges, math.Nextafter32(x, 0), math.Nextafter32(x, float32(math.Inf(1))))
		}
		edges = append(edges, math.Float32frombits(0x7f800001), math.Float32frombits(0xffa54321))
		r := rng()
		for i := range 2500 {
			x, y := float32(math.Ldexp(r.Float64()*2-1, r.IntN(60)-30)), float32(math.Ldexp(r.Float64()*2-1, r.IntN(60)-30))
			if i < len(edges)*len(edges) {
				x, y = edges[i%len(edges)], edges[i/len(edges)%len(edges)]
			}
			k.X, k.Y = append(k.X, x), append(k.Y, y)
		}
		return k
	})
}

func init() {
	add1("Shifted", gen.RunShifted, 1000, func() golang.Shifted {
		k := golang.Shifted{Out: make([]uint64, 1000*golang.ShiftedResults)}
		r := rng()
		for i := range 1000 {
			x := int64(r.Uint64()) >> r.IntN(64)
			if i < 128 {
				x = math.MinInt64>>(i/2) ^ int64(i%2)
			}
			k.X, k.N = append(k.X, x), append(k.N, r.Uint32())
		}
		return k
	})
}

func init() {
	add1("Peepholes", gen.RunPeepholes, 2000, func() golang.Peepholes {
		k := golang.Peepholes{Out: make([]golang.PeepholeResults, 2000)}
		r := rng()
		value := func() uint64 {
			switch r.IntN(4) {
			case 0:
				return math.Float64bits(floatEdges[r.IntN(len(floatEdges))])
			case 1:
				return uint64(math.Float32bits(float32(floatEdges[r.IntN(len(floatEdges))])))
			case 2:
				return uint64(r.IntN(40) - 20)
			}
			return r.Uint64() >> r.IntN(64)
		}
		for range 2000 {
			k.X, k.Y = append(k.X, value()), append(k.Y, value())
		}
		return k
	})
}

func init() {
	addChunks("SignedChunks", gen.RunSignedChunks)
	addChunks("UnsignedChunks", gen.RunUnsignedChunks)
	add1("Unrolled", gen.RunUnrolled, len(starts()), func() golang.Unrolled {
		return golang.Unrolled{X: starts(), Out: make([]uint64, len(starts())*golang.UnrolledResults)}
	})
}

// starts returns what loops may begin at.
func starts() []uint64 {
	xs := make([]uint64, 500)
	r := rng()
	for i := range xs {
		xs[i] = r.Uint64() >> (8 + r.IntN(56))
		if i < 64 {
			xs[i] = uint64(i)
		}
	}
	return xs
}

func addChunks[T int32 | uint32, U int64 | uint64](name string, run runner[golang.Chunks[T, U]]) {
	add1(name, run, len(starts()), func() golang.Chunks[T, U] {
		return golang.Chunks[T, U]{X: starts(), Out: make([]uint64, len(starts())*golang.ChunkResults)}
	})
}

func addRounded[T float32 | float64](name string, run runner[golang.Rounded[T]]) {
	values := []T{1, -1, 3, 1.0 / 3, 0.1, -0.7, 1e-3, 1e6, 12345.678, 1 << 20}
	add1(name, run, 1000, func() golang.Rounded[T] {
		k := golang.Rounded[T]{Out: make([]T, 6000)}
		for i := range 1000 {
			x, y := values[i%10], values[i/10%10]
			// Near what cancels, where fusing shows.
			k.X, k.Y, k.Z = append(k.X, x), append(k.Y, y), append(k.Z, T(-x*y)+values[i/100]*T(i%3))
		}
		return k
	})
}

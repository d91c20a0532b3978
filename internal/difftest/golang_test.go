package difftest

import (
	"math"

	"github.com/kgen-go/kgen/internal/difftest/golang"
	gen "github.com/kgen-go/kgen/internal/difftest/golang/golanggen"
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
	add1("Deferred", gen.RunDeferred, 20, func() golang.Deferred {
		return golang.Deferred{Out: make([]int, 20), Log: seq(20*8, func(int) int { return 99 })}
	})
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
}

package difftest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/golang"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/golang/golanggen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	add1("Makes", gen.RunMakes, 20, func() golang.Makes { return golang.Makes{In: mixedInts(20), Out: out32(20)} })
	add1("MakesAmong", gen.RunMakesAmong, 40, func() golang.MakesAmong {
		return golang.MakesAmong{In: append(mixedInts(20), ints32(20, func(i int) int32 { return int32(i) })...), Out: out32(40)}
	})
	add1("MakesOf", gen.RunMakesOf, 20, func() golang.MakesOf { return golang.MakesOf{In: mixedInts(24), Out: out32(20)} })
	for _, x := range []int32{3, 4, 12, 13, 256, 260, 268, 269, 512, 768, 1024, 1280, 1536, 1792, 2048, 2049, 2050, 2048 + 128} {
		add1("MakesFault", gen.RunMakesFault, 1, func() golang.MakesFault {
			return golang.MakesFault{In: []int32{x}, Out: out32(1)}
		})
	}
	add1("MoreSlices", gen.RunMoreSlices, 20, func() golang.MoreSlices {
		k := golang.MoreSlices{In: mixedInts(40), Out: out32(20)}
		for i, x := range mixedInts(40) {
			k.F = append(k.F, float32(x)/2+float32(i%3)*80)
		}
		k.F[33] = float32(math.Copysign(0, -1))
		return k
	})
	add1("MoreSlicesFault", gen.RunMoreSlices, 1, func() golang.MoreSlices {
		return golang.MoreSlices{In: mixedInts(40), F: []float32{1, 2, 3}, Out: out32(20)}
	})
	add1("Varints", gen.RunVarints, 40, func() golang.Varints {
		k := golang.Varints{Bytes: make([]byte, 400), Out: make([]uint64, 40)}
		for i := range 40 {
			k.In = append(k.In, (int64(i)-20)<<(i*3/2))
		}
		k.In[5], k.In[6] = math.MaxInt64, math.MinInt64
		return k
	})
	add1("Ciphers", gen.RunCiphers, 9, func() golang.Ciphers { return golang.Ciphers{Out: make([]uint64, 9*70)} })
	add1("Generators", gen.RunGenerators, 20, func() golang.Generators { return golang.Generators{Out: make([]uint64, 20)} })
	add1("Passed", gen.RunPassed, 24, func() golang.Passed {
		golang.PassOn(2)
		return golang.Passed{Out: make([]uint32, 24)}
	})
	add1("Refilled", gen.RunRefilled, 9, func() golang.Refilled { return golang.Refilled{Out: make([]uint64, 90)} })
	add1("Texts", gen.RunTexts, 20, func() golang.Texts { return golang.Texts{Out: out32(20), B: make([]byte, 200)} })
	for how := range 6 {
		for _, n := range [][]int{{7, 3, 5}, {6, 5, 6}, {-1, 6, 6}, {3, 4, 1}} {
			add1("TextBounds", gen.RunTextBounds, 1, func() golang.TextBounds {
				return golang.TextBounds{Out: out32(1), N: append(slices.Clone(n), how)}
			})
		}
	}
	add1("Named", gen.RunNamed, 20, func() golang.Named { return golang.Named{Out: out32(20)} })
	add1("LongTexts", gen.RunLongTexts, 20, func() golang.LongTexts { return golang.LongTexts{Out: out32(20)} })
	add1("Units", gen.RunUnits, 12, func() golang.Units {
		return golang.Units{In: []int32{0, 'a', 0xd7ff, 0xd800, 0xdc00, 0xdfff, 0xe000, 0xffff, 0x10000, 0x1f600, 0x10ffff, 0x110000}, Out: make([]uint64, 12)}
	})
	for mode := range 6 {
		add1("PanicsDouble", gen.RunPanicsDouble, 1, func() golang.PanicsDouble { return golang.PanicsDouble{Mode: mode, Out: make([]int, 1)} })
	}
	for mode := range golang.PanicModes {
		add1("Panics", gen.RunPanics, 1, func() golang.Panics { return golang.Panics{Mode: mode, Out: make([]int, 1)} })
	}
	add1("Changes", gen.RunChanges, 60, func() golang.Changes {
		k := golang.Changes{A: make([]int64, 60), B: make([]int64, 60), Out: make([]int64, 60*9)}
		for i := range k.A {
			k.A[i], k.B[i] = int64(i*i%23-5), int64(i*7%19-4)
		}
		return k
	})
	add1("Records", gen.RunRecords, 24, func() golang.Records { return golang.Records{In: mixedInts(24), Out: out32(24)} })
	add1("Outcomes", gen.RunOutcomes, 40, func() golang.Outcomes {
		return golang.Outcomes{In: []byte("12a4567 89,10000099999123x4567890 1 22 444 88 16 32"), Out: make([]int, 40)}
	})
	add1("Nones", gen.RunNones, 40, func() golang.Nones {
		return golang.Nones{In: ints32(40, func(i int) int32 { return int32(i) }), Out: out32(40)}
	})
	add1("Unlike", gen.RunUnlike, 40, func() golang.Unlike {
		return golang.Unlike{In: ints32(40, func(i int) int32 { return int32(i)*4 + int32(i)%3 + 1 }), Out: out32(40)}
	})
	add1("UnlikeFault", gen.RunUnlike, 40, func() golang.Unlike {
		return golang.Unlike{In: ints32(40, func(i int) int32 { return int32(i)*3 | min(1, int32(i)^24) }), Out: out32(40)}
	})
	add1("NilMethods", gen.RunNilMethods, 16, func() golang.NilMethods {
		return golang.NilMethods{In: ints32(16, func(i int) int32 { return min(int32(i), 12) - int32(i/13) }), Out: out32(16)}
	})
	for _, last := range []int32{11, 12, 13} { // the first two fault
		add1(fmt.Sprintf("NilCalls%d", last), gen.RunNilCalls, 12, func() golang.NilCalls {
			return golang.NilCalls{In: append(ints32(11, func(i int) int32 { return int32(i) }), last), Out: out32(36)}
		})
	}
	add1("Slots", gen.RunSlots, 40, func() golang.Slots {
		return golang.Slots{In: ints32(40, func(i int) int32 { return int32(i) }), Out: out32(40)}
	})
	add1("Firsts", gen.RunFirsts, 12, func() golang.Firsts {
		return golang.Firsts{In: ints32(12, func(i int) int32 { return int32(i) }), Out: out32(12)}
	})
}

func init() {
	add1("Alternatives", gen.RunAlternatives, 60, func() golang.Alternatives {
		return golang.Alternatives{In: append(mixedInts(40), ints32(20, func(i int) int32 { return int32(i) })...), Out: out32(60)}
	})
	solids := func() golang.Solids {
		return golang.Solids{In: append(mixedInts(40), ints32(60, func(i int) int32 { return int32(i) })...), Out: out32(100)}
	}
	add1("Solids", gen.RunSolids, 100, solids)
	add1("SolidUses", gen.RunSolidUses, 100, func() golang.SolidUses { return golang.SolidUses{Solids: solids()} })
	add1("Sentinels", gen.RunSentinels, 40, func() golang.Sentinels {
		return golang.Sentinels{In: []byte("12a4-67 89,10-00099-99123x4567890 -1 22-444 88 16 32"), Out: make([]int, 40)}
	})
	add1("Spelled", gen.RunSpelled, 120, func() golang.Spelled {
		const odd = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc0z\xe2\x82日本語\xed\xa0\x80\xf4\x90\x80\x80\xed\x9f\xbf\xf4\x8f\xbf\xbf\xe0\x9f\x80\xe0\xa0\x80\xf0\x8f\xbf\xbf\xf0\x90\x80\x80\xc1\xbf\xc2\x80\xc2\xf5\x80"
		return golang.Spelled{In: []byte(odd + "abcdbcdcalm" + odd + odd)[:124], Other: []byte("abcd\xc3\xa9\xacxyz"), Out: out32(120)}
	})
	add1("SpelledFault", gen.RunSpelled, 1, func() golang.Spelled {
		return golang.Spelled{In: make([]byte, 30), Other: []byte("ab"), Out: out32(1)}
	})
	add1("Computed", gen.RunComputed, 300, func() golang.Computed {
		k := golang.Computed{In: make([]uint32, 300), Out: make([]uint32, 300), F: make([]float32, 300), D: make([]float64, 300)}
		for i := range k.In {
			k.In[i] = uint32(i) * 0x01000193
		}
		return k
	})
	add1("Joined", gen.RunJoined, 32, func() golang.Joined {
		return golang.Joined{In: ints32(32, func(i int) int32 { return int32(i) }), Out: out32(32)}
	})
	add1("Casts", gen.RunCasts, 60, func() golang.Casts {
		k := golang.Casts{N: mixedInts(60), F: make([]float32, 60), L: make([]uint64, 60), Out: make([]uint32, 60)}
		for i := range k.F {
			k.F[i], k.L[i] = math.Float32frombits(uint32(i)*0x41234567), uint64(i)*0x9e3779b97f4a7c15
		}
		return k
	})
	add1("Bytes", gen.RunBytes, 60, func() golang.Bytes {
		return golang.Bytes{In: []byte("get put post getput tputtu \x00\x01\x02\x03 tttuuu a get p q xyz put abcdef"), Buf: make([]byte, 16*60), Out: make([]int, 60)}
	})
	add1("Wares", gen.RunWares, 24, func() golang.Wares { return golang.Wares{Out: make([]int, 2*24)} })
	add1("Rings", gen.RunRings, 12, func() golang.Rings { return golang.Rings{Out: make([]int, 12)} })
	add1("Unicodes", gen.RunUnicodes, 40, func() golang.Unicodes {
		k := golang.Unicodes{Raw: []byte("a \t\n. x\u00a0!\u2003é, b  .c\x80 \xe2\x80 ---- abc 1 2 3 4"), Out: out32(40)}
		for i := range 40 {
			k.In = append(k.In, []rune("aZ9 é.Жж\u00a0λ漢あ\u2028ſKǅ\x00!٣")[i%19]+rune(i/19))
		}
		return k
	})
	add1("Again", gen.RunAgain, 64, func() golang.Again {
		return golang.Again{In: ints32(64, func(i int) int32 { return int32(i) }), Out: out32(64)}
	})
	add1("Swapped", gen.RunSwapped, 64, func() golang.Swapped {
		return golang.Swapped{In: ints32(64, func(i int) int32 { return int32(i) }), Out: out32(64)}
	})
	add1("Turns", gen.RunTurns, 20, func() golang.Turns {
		k := golang.Turns{X: make([]int64, 80), Out: make([]int64, 160)}
		for i := range k.X {
			k.X[i] = int64(i * 7 % 5)
		}
		return k
	})
	add("Side", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := golang.Side{In: mixedInts(32), Out: out32(32)}
		err := launch(ctx, dev, gen.RunSide, k, runtime.NDRange1{Global: 32, Local: 8})
		return k.Out, err
	})
	add1("Rounds", gen.RunRounds, 20, func() golang.Rounds { return golang.Rounds{In: mixedInts(20), Out: out32(20)} })
	add1("Kept", gen.RunKept, 20, func() golang.Kept { return golang.Kept{In: mixedInts(20), Out: out32(20)} })
	add1("MoreClosures", gen.RunClosures, 20, func() golang.Closures { return golang.Closures{In: mixedInts(20), Out: out32(20)} })
	add1("Behind", gen.RunBehind, 20, func() golang.Behind { return golang.Behind{In: mixedInts(20), Out: out32(20)} })
	add1("Lookups", gen.RunLookups, 20, func() golang.Lookups { return golang.Lookups{In: mixedInts(20), Out: out32(20)} })
	add1("Elsewhere", gen.RunElsewhere, 6, func() golang.Elsewhere { return golang.Elsewhere{Out: out32(6)} })
	add1("Visitors", gen.RunVisitors, 20, func() golang.Visitors { return golang.Visitors{In: mixedInts(30), Out: out32(20)} })
	add("Pipeline", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := golang.Pipeline{In: mixedInts(40), Out: out32(32), T: dsl.LocalLen[int32](8)}
		err := launch(ctx, dev, gen.RunPipeline, k, runtime.NDRange1{Global: 32, Local: 8})
		return k.Out, err
	})
}

// panicMode asks for a process that panics, in the environment of this test.
const panicMode = "DIFFTEST_PANIC_MODE"

// panicIfAsked panics if this is that process.
func panicIfAsked() {
	if mode, err := strconv.Atoi(os.Getenv(panicMode)); err == nil {
		golang.Panicking(mode)
	}
}

// diedOf returns the text of the panic that a process ended with.
var diedOf = regexp.MustCompile(`(?s)^panic: (.*?)(?: 0x[0-9a-f]+)?(?:\n\[signal .*?)?\n\ngoroutine `)

// TestPanicTexts: the texts of panics are what gc prints as a program ends, but for addresses.
func TestPanicTexts(t *testing.T) {
	text := func(mode int) string {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", panicMode, mode))
		out, err := cmd.CombinedOutput()
		m := diedOf.FindSubmatch(out)
		if m == nil {
			t.Fatalf("mode %d: %v\n%s", mode, err, out)
		}
		text, _ := strings.CutSuffix(string(m[1]), " [recovered]")
		return strings.TrimPrefix(text, "runtime error: ")
	}
	wants := make([]string, golang.PanicModes)
	for mode := range wants {
		if mode%sample.Of(4, 12) == 0 || *everyCase { // each is a process
			wants[mode] = text(mode)
		}
	}
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		for mode := range golang.PanicModes {
			err := gen.RunPanics(t.Context(), dev, golang.Panics{Mode: mode, Out: make([]int, 1)}, 1)
			var f *runtime.Fault
			if !errors.As(err, &f) {
				t.Errorf("mode %d: got %v", mode, err)
			} else if wants[mode] == "" {
				continue
			} else if got, want := strings.TrimPrefix(f.Kind.Describe(f.A, f.B, f.Unsigned, f.Message), "runtime error: "), wants[mode]; got != want {
				t.Errorf("mode %d: got %q, want %q", mode, got, want)
			}
		}
	})
}

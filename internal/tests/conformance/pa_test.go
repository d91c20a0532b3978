package conformance

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates/privatesgen"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func fill(t *testing.T, dev *runtime.Device, n int) {
	t.Helper()
	out, aligned := make([]float32, n), make([]float32, n)
	check(t, privatesgen.RunFill(ctx, dev, privates.Fill{Out: out, Aligned: aligned}, runtime.Range1(n), runtime.WithSpec(privates.N, n)))
	for i := range out {
		want := float32(i)
		if i == 0 {
			want = float32(n)
		}
		equal(t, "element", out[i], want)
		equal(t, "element, aligned", aligned[i], want)
	}
}

func TestPA1_Lengths(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{1, 2, 5, 10, 20, 30, 1000} {
			fill(t, dev, n)
		}
	})
}

// The length of the array is the constant with the SpecId.
func TestPA2_Lowering(t *testing.T) {
	for _, file := range []string{"Fill.spv", "Fill.words.spv"} {
		lengthIsConstant(t, "privates/"+file)
	}
}

// fillID is the number of the constant that kernel Fill reads.
func fillID(t *testing.T) string {
	t.Helper()
	return sprintf("SpecId %d", kernel(t, privatesgen.Kernels(), "Fill").ABI().Specs[0].ID)
}

func lengthIsConstant(t *testing.T, file string) {
	t.Helper()
	text := disassemble(t, file)
	id := regexp.MustCompile(`OpDecorate (%\w+) ` + fillID(t) + `\b`).FindStringSubmatch(text)
	if id == nil {
		t.Fatalf("no constant in\n%s", text)
	}
	array := regexp.MustCompile(`(%\w+) = OpTypeArray %\w+ ` + id[1] + `\n`).FindStringSubmatch(text)
	if array == nil {
		t.Fatalf("no array of length %s in\n%s", id[1], text)
	}
	if n := len(regexp.MustCompile(`= OpTypePointer Function `+array[1]+`\n`).FindAllString(text, -1)); n != 1 {
		t.Errorf("%d pointers to the array in\n%s", n, text)
	}
	validate(t, file)
}

// inner runs the kernel that allocates n elements in a branch and a loop.
func inner(t *testing.T, dev *runtime.Device, rounds, n int) {
	t.Helper()
	out := make([]int32, 4)
	check(t, privatesgen.RunInner(ctx, dev, privates.Inner{Rounds: rounds, Out: out}, 4, runtime.WithSpec(privates.N, n)))
	want := int32(n * rounds * (rounds + 1) / 2)
	equal(t, "sums", [4]int32(out), [4]int32{0, want, 0, want})
}

func TestPA3_EntryBlock(t *testing.T) {
	for _, file := range []string{"Inner.spv", "Inner.words.spv"} {
		text := disassemble(t, "privates/"+file)
		function := text[strings.Index(text, "OpFunction "):]
		label := strings.Index(function, "OpLabel")
		branch := regexp.MustCompile(`Op(Branch|SelectionMerge|LoopMerge)`).FindStringIndex(function)
		last := strings.LastIndex(function, "OpVariable")
		if last < label || last > branch[0] {
			t.Errorf("a variable is not in the entry block of\n%s", function)
		}
		validate(t, "privates/"+file)
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) { inner(t, dev, 1, 7) })
}

const allocate = `
var N = dsl.NewSpecConstant(%s)
type K struct { M int; Out []int32 }
func (k K) Kernel(t dsl.Task) { %s }`

func TestPA4_OnlyConstants(t *testing.T) {
	for _, length := range []string{"10", "k.M", "N.Get(t) + k.M", "len(k.Out)"} {
		diagnostic(t, "KG603", sprintf(allocate, "10", "k.Out[0] = dsl.PrivateAlloca[int32](t, "+length+")[0]"))
	}
	diagnostic(t, "KG603", sprintf(allocate, "10", "for i := range 3 { k.Out[i] = dsl.PrivateAlloca[int32](t, i)[0] }"))
	for _, length := range []string{"N", "N.Get(t)", "2*N.Get(t)+1", "N.Get(t)/2", "min(N.Get(t), 4)", "N.Get(t)<<1"} {
		accepted(t, sprintf(allocate, "10", "k.Out[0] = dsl.PrivateAlloca[int32](t, "+length+")[0]"))
	}
}

// divided is what the kernel Divided computes.
func divided(n, m, o int, uints ...uint) [6]int32 {
	tri := func(n int) int32 { return int32(n * (n + 1) / 2) }
	x, y := uints[0], uints[1]
	return [6]int32{tri(m * o / n), tri((m + o - 1) / n), tri(m%n + o%(n-m) + 1), tri(int(y/x + y%x)), tri(n/-m + min(o/n/2, 7) + n), int32(1 + 20/m)}
}

// Lengths that divide by constants need no 64-bit integers.
func TestPA4_Divided(t *testing.T) {
	if a := kernel(t, privatesgen.Kernels(), "Divided").Aspects(); !slices.Equal(a, []properties.Aspect{properties.PrivateAlloca}) {
		t.Errorf("aspects %v", a)
	}
	type specs = []runtime.LaunchOption
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 6)
		run := func(s specs) error { return privatesgen.RunDivided(ctx, dev, privates.Divided{Out: out}, s...) }
		check(t, run(nil))
		equal(t, "defaults", [6]int32(out), divided(10, 20, 30, 6, 7))
		for _, c := range []struct {
			n, m, o, u32, unsigned int
			class                  error
		}{
			{7, 9, 100, 5, 9, nil},
			{300, 250, 60, 1 << 31, 1<<31 + 5, nil},
			{7, 3, 40, 3, 1<<32 - 1<<20, runtime.ErrMemoryAllocation},
			{3, 1, 1<<31 - 1, 1, 9, runtime.ErrMemoryAllocation},
			{7, 1 << 16, 1 << 16, 5, 9, runtime.ErrSpecConst}, // m*o needs 33 bits
		} {
			err := run(specs{runtime.WithSpec(privates.N, c.n), runtime.WithSpec(privates.M, c.m), runtime.WithSpec(privates.O, c.o),
				runtime.WithSpec(privates.U32, uint32(c.u32)), runtime.WithSpec(privates.Uint, uint(c.unsigned))})
			if c.class != nil {
				wantErr(t, err, c.class)
				continue
			}
			check(t, err)
			equal(t, "lengths", [6]int32(out), divided(c.n, c.m, c.o, uint(c.u32), uint(c.unsigned)))
		}
		for _, s := range []specs{
			{runtime.WithSpec(privates.N, 0)}, {runtime.WithSpec(privates.M, 0)}, {runtime.WithSpec(privates.N, -20)},
			{runtime.WithSpec(privates.N, 20)}, // which makes n-m zero
			{runtime.WithSpec(privates.O, -1<<31)},
		} {
			wantSpec(t, run(s))
		}
	})
	diagnostic(t, "KG604", sprintf(allocate, "0", "k.Out[0] = dsl.PrivateAlloca[int32](t, 100/N.Get(t))[0]"), "division by zero")
	accepted(t, "var R = dsl.RequireSpecConstant[int]()\n"+sprintf(allocate, "9", "k.Out[0] = dsl.PrivateAlloca[int32](t, 100/R.Get(t))[0]"))
}

func TestPA5_LengthTypes(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 12)
		run := func(opts ...runtime.LaunchOption) error {
			clear(out)
			return privatesgen.RunTypes(ctx, dev, privates.Types{Out: out}, opts...)
		}
		check(t, run())
		equal(t, "lengths", [12]int32(out), [12]int32{3, 4, 5, 1, 7, 6, 7, 2, 8, 9, 11, 2})
		check(t, run(runtime.WithSpec(privates.S16, 5), runtime.WithSpec(privates.S32, 1), runtime.WithSpec(privates.U64, 2),
			runtime.WithSpec(privates.U32, 70), runtime.WithSpec(privates.Uint, 3), runtime.WithSpec(privates.S8, 127),
			runtime.WithSpec(privates.U8, 255), runtime.WithSpec(privates.U16, 300), runtime.WithSpec(privates.S64, 13)))
		equal(t, "lengths", [12]int32(out), [12]int32{5, 1, 2, 1, 11, 70, 3, 127, 255, 300, 13, 2})
		for name, opt := range map[string]runtime.LaunchOption{
			"bool": runtime.WithSpec(privates.One, false), "int8": runtime.WithSpec(privates.S8, -1), "uint8": runtime.WithSpec(privates.U8, 0),
			"int16": runtime.WithSpec(privates.S16, -2), "uint16": runtime.WithSpec(privates.U16, 0), "int32": runtime.WithSpec(privates.S32, -1<<31),
			"uint32": runtime.WithSpec(privates.U32, 0), "int64": runtime.WithSpec(privates.S64, -1<<40), "uint64": runtime.WithSpec(privates.U64, 0),
			"uint": runtime.WithSpec(privates.Uint, 0),
		} {
			if err := run(opt); !errors.Is(err, runtime.ErrSpecConst) {
				t.Errorf("a length of %s below 1: %v", name, err)
			}
		}
		// Lengths that are no int.
		wantSpec(t, run(runtime.WithSpec(privates.U64, 1<<63)))
		wantErr(t, run(runtime.WithSpec(privates.U32, 1<<31)), runtime.ErrMemoryAllocation)
		wantErr(t, run(runtime.WithSpec(privates.S64, 1<<40)), runtime.ErrMemoryAllocation)

		double := []int32{0}
		launch := func() error { return privatesgen.RunDoubles(ctx, dev, privates.Doubles{Out: double}) }
		if !lacks(t, dev, launch) {
			check(t, launch())
			equal(t, "float64", double[0], 4)
		}
	})
	diagnostic(t, "KG001", sprintf(allocate, "float32(10)", "_ = dsl.PrivateAlloca[int32](t, N)"), "PrivateLength")
}

func TestPA6_Elements(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]float32, 6)
		check(t, privatesgen.RunElements(ctx, dev, privates.Elements{Out: out}, 6, runtime.WithSpec(privates.N, 6)))
		for i, got := range out {
			equal(t, "element", got, float32(2*i+2))
		}
	})
	for _, elem := range []string{"[]int32", "any", "func()", "string", "*int32"} {
		diagnostic(t, "KG201", sprintf(allocate, "10", "_ = dsl.PrivateAlloca["+elem+"](t, N)"))
	}
}

func TestPA7_Default(t *testing.T) {
	for _, def := range []string{"0", "-1", "-9"} {
		diagnostic(t, "KG604", sprintf(allocate, def, "_ = dsl.PrivateAlloca[int32](t, N)"))
	}
	diagnostic(t, "KG604", sprintf(allocate, "1", "_ = dsl.PrivateAlloca[int32](t, N.Get(t)-1)"))
	diagnostic(t, "KG604", sprintf(allocate, "-1", "_ = dsl.PrivateAlloca[int32](t, N.Get(t)+3)"))
	diagnostic(t, "KG601", "func ten() int { return 10 }"+sprintf(allocate, "1-ten()", "_ = dsl.PrivateAlloca[int32](t, N)"))
}

func TestPA8_BelowOne(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		before := dev.Pipelines()
		for _, n := range []int{0, -1} {
			p := must(runtime.NewProgram(dev, kernel(t, privatesgen.Kernels(), "Fill")))(t)
			_, err := runtime.SetSpec(p, privates.N, n)
			wantSpec(t, err)
			k := privates.Fill{Out: make([]float32, 1), Aligned: make([]float32, 1)}
			wantSpec(t, privatesgen.RunFill(ctx, dev, k, 1, runtime.WithSpec(privates.N, n)))
		}
		equal(t, "pipelines", dev.Pipelines(), before)
	})
}

func TestPA9_DefaultLength(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out, aligned := make([]float32, 10), make([]float32, 10)
		check(t, privatesgen.RunFill(ctx, dev, privates.Fill{Out: out, Aligned: aligned}, 10))
		equal(t, "length", out[0], 10)
		fill(t, dev, 1)
	})
}

// What is too large is refused alike, whether arrays or constants ask for it.
func TestPA10_Exhaustion(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := []int32{0}
		wantErr(t, privatesgen.RunSum(ctx, dev, privates.Sum{Out: out}, runtime.WithSpec(privates.Many, 10_000_000)), runtime.ErrMemoryAllocation)
		p := must(runtime.NewProgram(dev, kernel(t, privatesgen.Kernels(), "Sum")))(t)
		must(runtime.SetSpec(p, privates.Many, 10_000_000))(t)
		_, err := p.Build()
		wantErr(t, err, runtime.ErrMemoryAllocation)
		err = privatesgen.RunStatic(ctx, dev, privates.Static{Out: []float32{0}})
		wantErr(t, err, runtime.ErrMemoryAllocation)
		equal(t, "pipelines", dev.Pipelines(), 0)
		check(t, privatesgen.RunSum(ctx, dev, privates.Sum{Out: out}, runtime.WithSpec(privates.Many, 100)))
		equal(t, "afterwards", out[0], 5050)
	})
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		wantErr(t, privatesgen.RunSum(ctx, dev, privates.Sum{Out: []int32{0}}, runtime.WithSpec(privates.Many, 300)), runtime.ErrMemoryAllocation)
	}, runtime.OverrideLimits(runtime.Limits{PrivateMemory: 1000}))
	// One array that no device takes is known when code is generated.
	diagnostic(t, "KG206", "func (k K) Kernel(t dsl.Task) { var a [10_000_000]float32; a[k.Out[0]] = 1; k.Out[0] = int32(a[k.Out[1]]) }")
}

func TestPA11_Several(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 4)
		check(t, privatesgen.RunThree(ctx, dev, privates.Three{Out: out}))
		equal(t, "sums", [4]int32(out), [4]int32{10, 40, 90, 40})
	})
}

func TestPA12_Alignment(t *testing.T) {
	const stmt = "k.Out[0] = int32(dsl.AlignedPrivateAlloca[float32](t, N, %s)[0])"
	for align, words := range map[string]string{"3": "not a power of 2", "1": "below the 4", "1<<60": "larger than", "1<<28": "larger than", "0": "not a power of 2",
		"k.M": "must be a constant"} {
		diagnostic(t, "KG605", sprintf(allocate, "10", sprintf(stmt, align)), words)
	}
	for _, align := range []string{"4", "8", "1<<27"} {
		accepted(t, sprintf(allocate, "10", sprintf(stmt, align)))
	}
}

func TestPA13_RecordedAlignment(t *testing.T) {
	rows := kernel(t, privatesgen.Kernels(), "Fill").ABI().Privates
	equal(t, "alignment", rows[0].Align, 4)
	equal(t, "alignment that was asked for", rows[1].Align, 64)
	onDevices(t, func(t *testing.T, dev *runtime.Device) { fill(t, dev, 9) })
}

func TestPA14_DefaultAlignment(t *testing.T) {
	var got []int
	for _, name := range []string{"Types", "Doubles"} {
		for _, r := range kernel(t, privatesgen.Kernels(), name).ABI().Privates {
			got = append(got, r.Align)
		}
	}
	if want := []int{1, 4, 1, 2, 8, 4, 1, 4, 2, 8, 1, 8}; !slices.Equal(got, want) {
		t.Errorf("alignments %v, want %v", got, want)
	}
}

func TestPA15_Lifetime(t *testing.T) {
	const kept, s = "kept in a variable of ", "s := dsl.PrivateAlloca[int32](h, N); "
	for _, c := range []struct{ decl, use, words string }{
		{"func get(h dsl.KernelHandler) []int32 { return dsl.PrivateAlloca[int32](h, N) }", "get(t)[0]", "returned by"},
		{"func get(h dsl.KernelHandler) *int32 { " + s + "return &s[0] }", "*get(t)", "returned by"},
		{"type S struct{ s []int32 }; func get(h dsl.KernelHandler) S { return S{dsl.PrivateAlloca[int32](h, N)} }", "get(t).s[0]", "returned by"},
		{"func get(h dsl.KernelHandler) [1][]int32 { return [1][]int32{dsl.PrivateAlloca[int32](h, N)} }", "get(t)[0][0]", "returned by"},
		{"func get(h dsl.KernelHandler) (s []int32) { func() { s = dsl.PrivateAlloca[int32](h, N) }(); return }", "get(t)[0]", kept},
		{"func get(h dsl.KernelHandler) (s []int32) { defer func() { s = dsl.PrivateAlloca[int32](h, N) }(); return nil }", "get(t)[0]", kept},
		// What is returned refers to a variable that holds it.
		{"func get(h dsl.KernelHandler) *[]int32 { " + s + "return &s }", "(*get(t))[0]", "returned by"},
		{"type S struct{ s []int32 }; func get(h dsl.KernelHandler) *S { return &S{dsl.PrivateAlloca[int32](h, N)} }", "get(t).s[0]", "returned by"},
		{"func get(h dsl.KernelHandler) func() int32 { " + s + "return func() int32 { return s[0] } }", "get(t)()", "returned by"},
		{"func get(h dsl.KernelHandler) [2]func() int32 { " + s + "return [2]func() int32{nil, func() int32 { return s[0] }} }", "get(t)[1]()", "returned by"},
		{"func get(h dsl.KernelHandler) func() int32 { " + s + "f := func() int32 { return s[0] }; return func() int32 { return f() } }", "get(t)()", "returned by"},
		{"type S struct{ s []int32 }; func (s *S) get() int32 { return s.s[0] }; func get(h dsl.KernelHandler) func() int32 { return (&S{dsl.PrivateAlloca[int32](h, N)}).get }", "get(t)()", "returned by"},
		{"type S struct{ s []int32 }; func (s *S) get() int32 { return s.s[0] }; func get(h dsl.KernelHandler) interface{ get() int32 } { return &S{dsl.PrivateAlloca[int32](h, N)} }", "get(t).get()", "returned by"},
	} {
		diagnostic(t, "KG606", c.decl+sprintf(allocate, "9", "k.Out[0] = "+c.use), c.words)
	}
	for _, c := range [][2]string{
		{"func get(h dsl.KernelHandler, s *[]int32) { *s = dsl.PrivateAlloca[int32](h, N) }", "var s []int32; get(t, &s); k.Out[0] = s[0]"},
		{"func get(h dsl.KernelHandler, p **[]int32) { " + s + "*p = &s }", "var p *[]int32; get(t, &p); k.Out[0] = (*p)[0]"},
		{"func get(h dsl.KernelHandler, p **[]int32) { var s []int32; *p = &s; s = dsl.PrivateAlloca[int32](h, N) }", "var p *[]int32; get(t, &p); k.Out[0] = (*p)[0]"},
		{"func get(h dsl.KernelHandler, p *[2][]int32) { p[1] = dsl.PrivateAlloca[int32](h, N) }", "var p [2][]int32; get(t, &p); k.Out[0] = p[1][0]"},
	} {
		diagnostic(t, "KG606", c[0]+sprintf(allocate, "9", c[1]), kept)
	}
	for _, c := range [][2]string{
		{"func sum(s []int32) (n int32) { for _, x := range s { n += x }; return n }", "{ s := dsl.PrivateAlloca[int32](t, N); u := s[1:]; k.Out[0] = sum(u) }"},
		{"func get(h dsl.KernelHandler) int32 { " + s + "f := func() int32 { return s[0] }; return f() }", "k.Out[0] = get(t)"},
		{"func part(s []int32) []int32 { return s[1:] }", "k.Out[0] = part(dsl.PrivateAlloca[int32](t, N))[0]"},
		{"func twice(f func() int32) func() int32 { return func() int32 { return 2 * f() } }", "s := dsl.PrivateAlloca[int32](t, N); k.Out[0] = twice(func() int32 { return s[0] })()"},
	} {
		accepted(t, c[0]+sprintf(allocate, "9", c[1]))
	}
	// Beyond an iteration.
	diagnostic(t, "KG203", sprintf(allocate, "9", "var p []int32; for i := range 3 { s := dsl.PrivateAlloca[int32](t, N); if i > 0 { k.Out[i] = p[0] }; p = s }"))
}

func TestPA16_Zeroed(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{1, 7, 64, 65, 500} { // zeroed at once, or in a loop
			inner(t, dev, 1, n)
		}
	})
	// Devices often have zeros there anyway. The interpreter reports what is read before it
	// was written, of the kernel as it is at several points of the passes.
	kernels, err := oracle.Corpus(t.Context(), []string{"./privates"}, oracle.Points)
	check(t, err)
	k := kernels["github.com/kgen-go/kgen/internal/tests/conformance/privates.Inner"]
	for _, point := range oracle.Points {
		for _, n := range []int{1, 7, 64, 65, 100} {
			arg := privates.Inner{Rounds: 2, Out: make([]int32, 4)}
			l := oracle.Launch{Global: []int{4}, Local: []int{1}, SubGroupSize: 4, Arg: &arg, MaxSteps: 1 << 30,
				Specs: map[uint32]uint64{k.ABI.Specs[0].ID: uint64(n)}}
			if err := l.Run(k, point); err != nil {
				t.Fatalf("%d elements, after %s: %v", n, point, err)
			}
			equal(t, "sums in the interpreter", [4]int32(arg.Out), [4]int32{0, int32(3 * n), 0, int32(3 * n)})
		}
	}
}

func TestPA17_Loop(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{1, 7, 64, 65, 500} {
			inner(t, dev, 3, n)
		}
	})
}

func TestPA18_DeviceFunction(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := []int32{0}
		check(t, privatesgen.RunHelped(ctx, dev, privates.Helped{Out: out}, runtime.WithSpec(privates.N, 3)))
		equal(t, "sum", out[0], 3*1+3*100)
	})
}

func TestPA19_PassedOn(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := []int32{0}
		check(t, privatesgen.RunSum(ctx, dev, privates.Sum{Out: out}, runtime.WithSpec(privates.Many, 12)))
		equal(t, "sum", out[0], 12*13/2)
	})
}

func TestPA20_PipelinePerLength(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int32{4, 9, 4} {
			out := []int32{0}
			check(t, privatesgen.RunSum(ctx, dev, privates.Sum{Out: out}, runtime.WithSpec(privates.Many, int(n))))
			equal(t, "sum", out[0], n*(n+1)/2)
		}
		equal(t, "pipelines", dev.Pipelines(), 2)
	})
}

func TestPA21_HostCall(t *testing.T) {
	wantPanic(t, runtime.ErrFeatureNotSupported, func() { dsl.PrivateAlloca[float32](dsl.Item1{}, privates.N) })
	wantPanic(t, runtime.ErrFeatureNotSupported, func() { dsl.AlignedPrivateAlloca[float32](dsl.NDItem2{}, privates.N, 64) })
	wantPanic(t, runtime.ErrFeatureNotSupported, func() { dsl.PrivateAlloca[float32](dsl.Task{}, 3) })
	wantPanic(t, runtime.ErrFeatureNotSupported, func() { privates.N.Get(dsl.Task{}) })
}

func TestPA22_MissingAspect(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		before := dev.Pipelines()
		err := privatesgen.RunThree(ctx, dev, privates.Three{Out: make([]int32, 4)})
		wantErr(t, err, runtime.ErrKernelNotSupported)
		if err != nil && !strings.Contains(err.Error(), "private_alloca") {
			t.Errorf("%v does not name the aspect", err)
		}
		wantChain(t, err, properties.PrivateAlloca, "(privates.Three).Kernel")
		// By the launch, not by the wait.
		out := must(runtime.NewBuffer[int32](dev, 4))(t).All()
		_, err = privatesgen.Three{Out: out}.SingleTask(dev.DefaultQueue())
		wantErr(t, err, runtime.ErrKernelNotSupported)
		_, err = privatesgen.Helped{Out: out}.SingleTask(dev.DefaultQueue())
		wantErr(t, err, runtime.ErrKernelNotSupported)
		equal(t, "pipelines", dev.Pipelines(), before)
		check(t, privatesgen.RunNarrow(ctx, dev, privates.Narrow{Out: make([]int32, 1)}))
	}, runtime.MaskAspects(properties.PrivateAlloca))
}

func TestPA23_AspectOfUse(t *testing.T) {
	if a := kernel(t, privatesgen.Kernels(), "Three").Aspects(); !slices.Contains(a, properties.PrivateAlloca) {
		t.Errorf("aspects %v", a)
	}
	const kernel = "\nfunc (K) Properties() properties.List { return properties.List{properties.DeviceHas(%s)} }"
	alloca := sprintf(allocate, "9", "k.Out[0] = dsl.PrivateAlloca[int32](t, N)[0]")
	diagnostic(t, "KG504", alloca+sprintf(kernel, ""), "private_alloca")
	accepted(t, alloca+sprintf(kernel, "properties.PrivateAlloca"))
}

// There is no target whose constants are emulated: the module for devices without
// 64-bit integers has native constants as well.
func TestPA24_Native(t *testing.T) {
	for _, file := range []string{"Fill.spv", "Fill.words.spv"} {
		if text := disassemble(t, "privates/"+file); !strings.Contains(text, fillID(t)+"\n") {
			t.Errorf("no native constant in %s:\n%s", file, text)
		}
	}
}

func TestPA25_NoPointer(t *testing.T) {
	for _, stmt := range []string{
		"f := dsl.PrivateAlloca[int32, *dsl.SpecConstant[int]]; k.Out[0] = f(t, N)[0]",
		"k.Out[0] = apply(t, dsl.PrivateAlloca[int32, *dsl.SpecConstant[int]])",
	} {
		diagnostic(t, "KG302", "func apply(t dsl.Task, f func(dsl.KernelHandler, *dsl.SpecConstant[int]) []int32) int32 { return f(t, N)[0] }"+
			sprintf(allocate, "9", stmt))
	}
}

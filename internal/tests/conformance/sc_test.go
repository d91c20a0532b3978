package conformance

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/tests/conformance/consts"
	"github.com/kgen-go/kgen/internal/tests/conformance/consts/constsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates/privatesgen"
	"github.com/kgen-go/kgen/runtime"
)

var ctx = context.Background()

func program(t *testing.T, dev *runtime.Device, names ...string) *runtime.Program {
	t.Helper()
	var ks []*runtime.Kernel
	for _, n := range names {
		ks = append(ks, kernel(t, constsgen.Kernels(), n))
	}
	return must(runtime.NewProgram(dev, ks...))(t)
}

func runScale(t *testing.T, dev *runtime.Device, opts ...runtime.LaunchOption) (float32, error) {
	t.Helper()
	out := []float32{-1}
	err := constsgen.RunScale(ctx, dev, consts.Scale{Out: out}, opts...)
	return out[0], err
}

func runSum(t *testing.T, dev *runtime.Device, opts ...runtime.LaunchOption) int {
	t.Helper()
	out := []int{-1, -1}
	check(t, constsgen.RunSum(ctx, dev, consts.Sum{Out: out}, 2, opts...))
	equal(t, "both elements", out[1], out[0])
	return out[0]
}

func TestSC1_SetBeforeBuild(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Scale")
		must(runtime.SetSpec(p, consts.Gain, 3.5))(t)
		exe := must(p.Build())(t)
		got, err := runScale(t, dev, runtime.WithProgram(exe))
		check(t, err)
		equal(t, "out[0]", got, 3.5)
		got, err = runScale(t, dev, runtime.WithSpec(consts.Gain, 2.5))
		check(t, err)
		equal(t, "out[0] of a launch", got, 2.5)
	})
}

func TestSC2_RequiredUnset(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Scale")
		wantSpec(t, p.Compile())
		_, err := p.Build()
		wantSpec(t, err)
		_, err = runScale(t, dev)
		wantSpec(t, err)
		must(runtime.SetSpec(p, consts.Gain, 1.5))(t)
		got, err := runScale(t, dev, runtime.WithProgram(must(p.Build())(t)))
		check(t, err)
		equal(t, "after a failed build", got, 1.5)
	})
}

func TestSC3_OnlyBuiltKernels(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Sum", "Wide")
		_, err := p.Build(kernel(t, constsgen.Kernels(), "Wide"))
		wantSpec(t, err)
		exe := must(p.Build(kernel(t, constsgen.Kernels(), "Sum")))(t)
		equal(t, "sum", runSum(t, dev, runtime.WithProgram(exe)), 5)
		wantSpec(t, p.Compile()) // which is about all kernels
		out := []int32{0}
		wantErr(t, constsgen.RunWide(ctx, dev, consts.Wide{Out: out}, runtime.WithProgram(exe)), runtime.ErrInvalid)
		_, err = program(t, dev, "Wide").Build()
		wantSpec(t, err)
	})
}

// after sets constants in every way that there is, which must fail: a program was
// compiled or built with the values 10, 20 and {3 {4 5}}.
func after(t *testing.T, p *runtime.Program) {
	t.Helper()
	for _, v := range []float32{10, 11} {
		_, err := runtime.SetSpec(p, consts.Gain, v)
		wantSpec(t, err)
	}
	for _, v := range []any{20, int32(20), 21} {
		wantSpec(t, p.SetSpecByID(42, v))
	}
	_, err := runtime.SetSpec(p, consts.Nested, consts.Outer{X: 3, N: consts.Inner{A: 4, B: 5}})
	wantSpec(t, err)
	for i, r := range kernel(t, constsgen.Kernels(), "Structs").ABI().Specs[1:4] { // its scalars
		wantSpec(t, p.SetSpecByID(r.ID, []any{3, float32(4), float32(6)}[i]))
	}
	_, err = runtime.SetSpec(p, consts.Unused, 1) // which no kernel reads
	wantSpec(t, err)
	equal(t, "Gain", must(runtime.GetSpec(p, consts.Gain))(t), 10)
	equal(t, "Fortytwo", must(runtime.GetSpec(p, consts.Fortytwo))(t), 20)
	equal(t, "Nested", must(runtime.GetSpec(p, consts.Nested))(t), consts.Outer{X: 3, N: consts.Inner{A: 4, B: 5}})
	equal(t, "Unused", must(runtime.GetSpec(p, consts.Unused))(t), 42)
}

// before returns a program with the values that after wants.
func before(t *testing.T, dev *runtime.Device) *runtime.Program {
	t.Helper()
	p := program(t, dev, "Scale", "Ids", "Structs")
	must(runtime.SetSpec(p, consts.Gain, 10))(t)
	check(t, p.SetSpecByID(42, 20))
	must(runtime.SetSpec(p, consts.Nested, consts.Outer{X: 3, N: consts.Inner{A: 4, B: 5}}))(t)
	return p
}

// unchanged checks that kernels read the values that after wants.
func unchanged(t *testing.T, dev *runtime.Device, exe *runtime.Executable) {
	t.Helper()
	got, err := runScale(t, dev, runtime.WithProgram(exe))
	check(t, err)
	equal(t, "out[0]", got, 10)
	out := []int32{0, 0, 0}
	check(t, constsgen.RunIds(ctx, dev, consts.Ids{Out: out}, runtime.WithProgram(exe)))
	equal(t, "out[1]", out[1], 20)
	k := consts.Structs{Index: make([]int32, 1), Outer: make([]consts.Outer, 1), Pair: make([]consts.Inner, 1)}
	check(t, constsgen.RunStructs(ctx, dev, k, runtime.WithProgram(exe)))
	equal(t, "struct", k.Outer[0], consts.Outer{X: 3, N: consts.Inner{A: 4, B: 5}})
}

func TestSC4_SetAfterBuild(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := before(t, dev)
		exe := must(p.Build())(t)
		after(t, p)
		unchanged(t, dev, exe)
	})
}

func TestSC5_SetAfterCompile(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := before(t, dev)
		check(t, p.Compile())
		after(t, p)
		unchanged(t, dev, must(p.Build())(t))
	})
}

func TestSC6_LastWins(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Sum")
		must(runtime.SetSpec(p, consts.Left, 1))(t)
		must(runtime.SetSpec(p, consts.Left, 2))(t)
		must(runtime.SetSpec(p, consts.Right, 0))(t)
		equal(t, "host", must(runtime.GetSpec(p, consts.Left))(t), 2)
		equal(t, "sum", runSum(t, dev, runtime.WithProgram(must(p.Build())(t))), 2)
		// By name and by number alike.
		for i, last := range []int32{8, 7} {
			q := program(t, dev, "Ids")
			if i == 1 {
				check(t, q.SetSpecByID(42, 8))
			}
			must(runtime.SetSpec(q, consts.Fortytwo, 7))(t)
			if i == 0 {
				check(t, q.SetSpecByID(42, 8))
			}
			out := []int32{0, 0, 0}
			check(t, constsgen.RunIds(ctx, dev, consts.Ids{Out: out}, runtime.WithProgram(must(q.Build())(t))))
			equal(t, "out[1]", out[1], last)
		}
	})
}

// Two constants with one id are SC7's diagnostic; here is what the host does
// with a value of another type.
func TestSC7_TypeOfAnID(t *testing.T) {
	diagnostic(t, "KG505", `
//kgen:spec id=7
var A = dsl.NewSpecConstant(int32(1))

//kgen:spec id=7
var B = dsl.NewSpecConstant(float32(1))

func (k K) Kernel(t dsl.Task) { k.Out[0] = A.Get(t) }`)
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Ids")
		check(t, p.SetSpecByID(42, int32(9)))
		wantSpec(t, p.SetSpecByID(42, float32(1)))
		wantSpec(t, p.SetSpecByID(42, 1<<40))
		equal(t, "the value", must(runtime.GetSpec(p, consts.Fortytwo))(t), 9)
		other := must(runtime.NewProgram(dev, kernel(t, privatesgen.Kernels(), "PinnedOnly")))(t)
		check(t, other.SetSpecByID(42, 3))
		both := must(runtime.Join(program(t, dev, "Ids"), other))(t)
		wantSpec(t, both.SetSpecByID(42, 4))
		equal(t, "the joined value", must(runtime.GetSpec(both, privates.Pinned))(t), 3)
	})
}

func TestSC8_StaleValue(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Sum")
		c1 := must(runtime.SetSpec(p, consts.Left, 1))(t)
		c2 := must(runtime.SetSpec(p, consts.Left, 2))(t)
		must(runtime.SetSpec(p, consts.Right, 5))(t)
		out := []int{0}
		wantErr(t, constsgen.RunSum(ctx, dev, consts.Sum{Out: out}, 1, runtime.WithSpecValue(c1)), runtime.ErrInvalid)
		equal(t, "with the last value", runSum(t, dev, runtime.WithSpecValue(c2)), 2+3)
		equal(t, "after another constant was set", c2.Get(), 2)
		exe := must(p.Build())(t)
		equal(t, "with its program", runSum(t, dev, runtime.WithSpecValue(c2), runtime.WithProgram(exe)), 2+5)
		wantErr(t, constsgen.RunSum(ctx, dev, consts.Sum{Out: out}, 1, runtime.WithProgram(exe), runtime.WithSpecValue(c1)), runtime.ErrInvalid)
		other := must(runtime.SetSpec(program(t, dev, "Sum"), consts.Left, 2))(t)
		wantErr(t, constsgen.RunSum(ctx, dev, consts.Sum{Out: out}, 1, runtime.WithProgram(exe), runtime.WithSpecValue(other)), runtime.ErrInvalid)
		wantPanic(t, runtime.ErrInvalid, func() { c1.Get() })
	})
}

func wantPanic(t *testing.T, class error, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		err, _ := recover().(error)
		wantErr(t, err, class)
	}()
	f()
}

func TestSC9_ZeroValue(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		var c runtime.SpecValue[int]
		wantPanic(t, runtime.ErrInvalid, func() { c.Get() })
		wantErr(t, constsgen.RunSum(ctx, dev, consts.Sum{Out: []int{0}}, 1, runtime.WithSpecValue(c)), runtime.ErrInvalid)
	})
}

func TestSC10_Immutable(t *testing.T) {
	const kernel = "\nfunc (k K) Kernel(t dsl.Task) { %s; k.Out[0] = int32(B.Get(t)) }"
	for _, write := range []string{"B = dsl.NewSpecConstant(2)", "*B = dsl.SpecConstant[int]{}"} {
		diagnostic(t, "KG601", "var B = dsl.NewSpecConstant(1)"+sprintf(kernel, write))
	}
	for _, f := range []string{"func set() { B = dsl.NewSpecConstant(2) }", "func set() { *B = dsl.SpecConstant[int]{} }"} {
		diagnostic(t, "KG601", "var B = dsl.NewSpecConstant(1)\n"+f+sprintf(kernel, "set()"))
		diagnostic(t, "KG601", "var B = dsl.NewSpecConstant(1)\n"+f+sprintf(kernel, "")) // called by the host alone
	}
	// What cannot be written at all: the type has no exported fields.
	diagnostic(t, "KG001", "var B = &dsl.SpecConstant[int]{def: 3}"+sprintf(kernel, ""))
	diagnostic(t, "KG601", "var B = &dsl.SpecConstant[int]{}"+sprintf(kernel, ""))
}

// The matrix product sizes its accessors and its nd-range on the host.
func TestSC11_HostValue(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, block := range []int{2, 4, 8} {
			p := program(t, dev, "MM32")
			b := must(runtime.SetSpec(p, consts.Block, block))(t)
			matmul(t, dev, b.Get(), runtime.WithProgram(must(p.Build())(t)))
		}
	})
}

// A constant and a kernel of another package have one name, and constants have
// those of what is generated for their package.
func TestSC12_Names(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := []int32{0}
		check(t, privatesgen.RunBlock(ctx, dev, privates.Block{Out: out}))
		equal(t, "the default", out[0], 202)
		check(t, privatesgen.RunBlock(ctx, dev, privates.Block{Out: out}, runtime.WithSpec(consts.Block, 5)))
		equal(t, "Block of Block", out[0], 505)
		p := must(runtime.NewProgram(dev, kernel(t, privatesgen.Kernels(), "Block"), kernel(t, constsgen.Kernels(), "TellInt")))(t)
		must(runtime.SetSpec(p, consts.Block, 7))(t)
		exe := must(p.Build())(t)
		check(t, privatesgen.RunBlock(ctx, dev, privates.Block{Out: out}, runtime.WithProgram(exe)))
		equal(t, "Block in a program", out[0], 707)
		check(t, constsgen.RunTellInt(ctx, dev, consts.TellInt{Out: out}, runtime.WithProgram(exe)))
		equal(t, "the constant in its own package", out[0], 7)

		check(t, constsgen.RunBoth(ctx, dev, consts.Both{Out: out}, runtime.WithSpec(consts.BothSize, struct{ N int32 }{8}),
			runtime.WithSpec(consts.Kernels, 3), runtime.WithSpec(consts.RunBoth, 4)))
		equal(t, "out[0]", out[0], 4308)
	})
}

func TestSC13_Generic(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "MM32", "MM64")
		b := must(runtime.SetSpec(p, consts.Block, 4))(t).Get()
		exe := must(p.Build())(t)
		matmul(t, dev, b, runtime.WithProgram(exe))
		if !lacks(t, dev, func() error { return runMM64(dev, b, runtime.WithProgram(exe)) }) {
			check(t, runMM64(dev, b, runtime.WithProgram(exe)))
		}
		// And on devices without float64.
		p = program(t, dev, "TellInt", "TellFloat")
		must(runtime.SetSpec(p, consts.Block, 4))(t)
		exe = must(p.Build())(t)
		ints, floats := []int32{0}, []float32{0}
		check(t, constsgen.RunTellInt(ctx, dev, consts.TellInt{Out: ints}, runtime.WithProgram(exe)))
		check(t, constsgen.RunTellFloat(ctx, dev, consts.TellFloat{Out: floats}, runtime.WithProgram(exe)))
		equal(t, "int32", ints[0], 4)
		equal(t, "float32", floats[0], 4)
	})
}

func TestSC14_Programs(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p1, p2 := program(t, dev, "Wide"), program(t, dev, "Wide")
		must(runtime.SetSpec(p1, consts.Width, 3))(t)
		must(runtime.SetSpec(p2, consts.Width, 7))(t)
		e1, e2 := must(p1.Build())(t), must(p2.Build())(t)
		for _, c := range []struct {
			exe  *runtime.Executable
			want int32
		}{{e1, 3}, {e2, 7}, {e1, 3}, {e2, 7}} {
			out := []int32{0}
			check(t, constsgen.RunWide(ctx, dev, consts.Wide{Out: out}, runtime.WithProgram(c.exe)))
			equal(t, "out[0]", out[0], c.want)
		}
		// Launches that nothing waits for in between.
		out := must(runtime.NewBuffer[int32](dev, 4))(t)
		for i, exe := range []*runtime.Executable{e1, e2, e1, e2} {
			must(constsgen.Wide{Out: out.Slice(i, i+1)}.SingleTask(dev.DefaultQueue(), runtime.WithProgram(exe)))(t)
		}
		got := make([]int32, 4)
		check(t, out.CopyTo(ctx, dev.DefaultQueue(), got))
		equal(t, "alternating", [4]int32(got), [4]int32{3, 7, 3, 7})
		equal(t, "pipelines", dev.Pipelines(), 2)
	})
}

func TestSC15_PipelinePerValues(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		before := dev.Pipelines()
		for _, v := range [][2]int{{2, 3}, {3, 4}, {2, 3}, {3, 4}} {
			got := runSum(t, dev, runtime.WithSpec(consts.Left, v[0]), runtime.WithSpec(consts.Right, v[1]))
			equal(t, "sum", got, v[0]+v[1])
		}
		equal(t, "pipelines", dev.Pipelines()-before, 2)
	})
}

func TestSC16_ByNumber(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Ids")
		check(t, p.SetSpecByID(42, 9))
		out := []int32{0, 0, 0}
		check(t, constsgen.RunIds(ctx, dev, consts.Ids{Out: out}, runtime.WithProgram(must(p.Build())(t))))
		equal(t, "out[1]", out[1], 9)
	})
	t.Run("raw module", func(t *testing.T) { rawModule(t, open(t, "vulkan")) })
	t.Run("all or none", func(t *testing.T) { rawModules(t, open(t, "vulkan")) })
}

func TestSC17_UnknownNumber(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Ids")
		wantSpec(t, p.SetSpecByID(43, 1))
		wantSpec(t, p.SetSpecByID(1<<16, 1)) // one of the runtime's own
		out := []int32{0, 0, 0}
		check(t, constsgen.RunIds(ctx, dev, consts.Ids{Out: out}, runtime.WithProgram(must(p.Build())(t))))
		equal(t, "the defaults", [3]int32(out), [3]int32{1, 1, 5})
	})
}

func TestSC18_NumbersDiffer(t *testing.T) {
	// In all kernels of the package.
	seen := map[uint32]string{}
	for _, k := range constsgen.Kernels() {
		for _, r := range k.ABI().Specs {
			if name := r.Name + r.Path; seen[r.ID] != "" && seen[r.ID] != name {
				t.Errorf("%s and %s both have the id %d", seen[r.ID], name, r.ID)
			} else {
				seen[r.ID] = name
			}
		}
	}
	rows := kernel(t, constsgen.Kernels(), "Ids").ABI().Specs
	equal(t, "constants", len(rows), 3)
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		// Ids has the number 0 for a constant; Sum has none that the source numbered.
		p := program(t, dev, "Ids", "Sum")
		check(t, p.SetSpecByID(0, 8))
		must(runtime.SetSpec(p, consts.Index, 9))(t)
		left := kernel(t, constsgen.Kernels(), "Sum").ABI().Specs[0]
		equal(t, "the first of Sum", left.Name, "github.com/kgen-go/kgen/internal/tests/conformance/consts.Left")
		check(t, p.SetSpecByID(left.ID, 30))
		out := []int32{0, 0, 0}
		exe := must(p.Build())(t)
		check(t, constsgen.RunIds(ctx, dev, consts.Ids{Out: out}, runtime.WithProgram(exe)))
		equal(t, "the ids' values", [3]int32(out), [3]int32{8, 1, 9})
		equal(t, "the sum", runSum(t, dev, runtime.WithProgram(exe)), 33)

		// Across packages, what the source chose goes before what kgen chose.
		var chosen *runtime.Kernel // of another constant than the one with the number 20
		for _, k := range constsgen.Kernels() {
			if slices.ContainsFunc(k.ABI().Specs, func(r abi.SpecConstant) bool { return r.ID == 20 && !r.Pinned }) {
				chosen = k
			}
		}
		if chosen == nil {
			t.Fatal("no kernel has the number 20 by kgen's choice")
		}
		p = must(runtime.NewProgram(dev, chosen, kernel(t, privatesgen.Kernels(), "ReadTwenty")))(t)
		check(t, p.SetSpecByID(20, 6))
		equal(t, "the constant with the number", must(runtime.GetSpec(p, privates.Twenty))(t), 6)

		// What was chosen for two is reported, as what was given to two.
		p = must(runtime.NewProgram(dev, append(privatesgen.Kernels(), constsgen.Kernels()...)...))(t)
		for id := range uint32(12) {
			switch err := p.SetSpecByID(id, 1); {
			case id == 0 && err != nil:
				t.Error(err)
			case id > 0:
				wantSpec(t, err)
				if err == nil || !strings.Contains(err.Error(), "stands for") {
					t.Errorf("the id %d: %v", id, err)
				}
			}
		}
	})
	// Structs that share some of their numbers, in one kernel, in two, and in none.
	const shared = `
//kgen:spec id=10
var A = dsl.NewSpecConstant([4]int32{1, 2, 3, 4})

//kgen:spec id=13
var B = dsl.NewSpecConstant(struct{ X, Y int32 }{1, 2})
`
	diagnostic(t, "KG505", shared+"func (k K) Kernel(t dsl.Task) { k.Out[0] = A.Get(t)[0] + B.Get(t).X }", "A and B have the same id, 13")
	diagnostic(t, "KG505", shared+"func (k K) Kernel(t dsl.Task) { k.Out[0] = A.Get(t)[0] }\ntype L struct{ Out []int32 }\nfunc (k L) Kernel(t dsl.Task) { k.Out[0] = B.Get(t).X }", "A and B have the same id, 13")
	diagnostic(t, "KG505", shared+"func (k K) Kernel(t dsl.Task) { k.Out[0] = 1 }", "A and B have the same id, 13")
	diagnostic(t, "KG505", "//kgen:spec id=65535\nvar A = dsl.NewSpecConstant([2]int32{})\nfunc (k K) Kernel(t dsl.Task) { k.Out[0] = A.Get(t)[0] }", "65535 to 65536")
	accepted(t, strings.Replace(shared, "=13", "=14", 1)+"func (k K) Kernel(t dsl.Task) { k.Out[0] = A.Get(t)[0] + B.Get(t).X }")
}

func TestSC19_Types(t *testing.T) {
	for _, typ := range []string{"[]int", "string", "map[int]int", "*int", "any", "func()", "struct{ S []int }", "complex64", "uintptr"} {
		diagnostic(t, "KG602", "var C = dsl.RequireSpecConstant["+typ+"]()\nfunc (k K) Kernel(t dsl.Task) { _ = C.Get(t) }")
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		_, err := runtime.SetSpec(program(t, dev, "Sum"), badConstant, []int{1})
		wantSpec(t, err)
		// Named types, arrays of arrays, and types whose values have no parts.
		out := make([]float32, 6)
		wantSpec(t, constsgen.RunNamed(ctx, dev, consts.Named{I: 1, Out: out}))
		p := program(t, dev, "Named")
		must(runtime.SetSpec(p, consts.Share, 0.5))(t)
		must(runtime.SetSpec(p, consts.None, struct{}{}))(t)
		check(t, constsgen.RunNamed(ctx, dev, consts.Named{I: 1, Out: out}, runtime.WithProgram(must(p.Build())(t))))
		equal(t, "defaults", [6]float32(out), [6]float32{3, 0.5, 6, 1, 0, 1})
		piece := consts.Parts{}
		piece.In.D[0] = 2.5
		check(t, constsgen.RunNamed(ctx, dev, consts.Named{Out: out[:6]}, runtime.WithSpec(consts.Speed, 200), runtime.WithSpec(consts.Share, -1),
			runtime.WithSpec(consts.Cells, consts.Table{{0, -7}}), runtime.WithSpec(consts.Piece, piece), runtime.WithSpec(consts.None, struct{}{})))
		equal(t, "values", [6]float32(out), [6]float32{200, -1, -7, 1, 2.5, 1})
	})
}

func TestSC20_Structs(t *testing.T) {
	type row struct {
		id           uint32
		offset, size int
	}
	var got []row
	rows := kernel(t, constsgen.Kernels(), "Structs").ABI().Specs[:4]
	for _, r := range rows { // from the constant before the struct on
		got = append(got, row{r.ID - rows[0].ID, r.Offset, r.Size})
	}
	equal(t, "rows", [4]row(got), [4]row{{0, 0, 4}, {1, 0, 4}, {2, 4, 4}, {3, 8, 4}})
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for i, want := range []consts.Inner{{A: 1, B: 2}, {A: 3, B: 4}} {
			k := consts.Structs{Index: make([]int32, 1), Outer: make([]consts.Outer, 1), Pair: make([]consts.Inner, 1), I: i}
			v := consts.Outer{X: 7, N: consts.Inner{A: 1.5, B: 2.5}}
			check(t, constsgen.RunStructs(ctx, dev, k, runtime.WithSpec(consts.Nested, v)))
			equal(t, "struct", k.Outer[0], v)
			equal(t, "element of the array", k.Pair[0], want)
		}
		// By number, each scalar.
		p := program(t, dev, "Structs")
		check(t, p.SetSpecByID(rows[1].ID, 7))
		check(t, p.SetSpecByID(rows[3].ID, float32(2.5)))
		wantSpec(t, p.SetSpecByID(rows[2].ID, 1)) // no float32
		want := consts.Outer{X: 7, N: consts.Inner{A: 2, B: 2.5}}
		equal(t, "on the host", must(runtime.GetSpec(p, consts.Nested))(t), want)
		k := consts.Structs{Index: make([]int32, 1), Outer: make([]consts.Outer, 1), Pair: make([]consts.Inner, 1)}
		check(t, constsgen.RunStructs(ctx, dev, k, runtime.WithProgram(must(p.Build())(t))))
		equal(t, "struct, by number", k.Outer[0], want)
		// A part of what has no value.
		wantSpec(t, program(t, dev, "Gaps").SetSpecByID(kernel(t, constsgen.Kernels(), "Gaps").ABI().Specs[0].ID, int8(1)))
	})
}

func TestSC21_Padding(t *testing.T) {
	v := consts.Padded{C: -3, F: 1.25, B: true}
	v.D.E, v.D.G = true, -70000
	for _, r := range kernel(t, constsgen.Kernels(), "Gaps").ABI().Specs {
		equal(t, "size of "+r.Path, r.Size, 4)
	}
	equal(t, "leaves of an array", len(kernel(t, constsgen.Kernels(), "Structs").ABI().Specs), 1+3+4)
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, v := range []consts.Padded{v, {C: 127, F: -1}} {
			out := make([]consts.Padded, 1)
			check(t, constsgen.RunGaps(ctx, dev, consts.Gaps{Out: out}, runtime.WithSpec(consts.Gappy, v)))
			equal(t, "round trip", out[0], v)
		}
		arrays(t, dev)
	})
}

// arrays sets an array of structs, and integers of all widths, to other values than
// their defaults and reads them on the device.
func arrays(t *testing.T, dev *runtime.Device) {
	leaves := 0
	for _, r := range kernel(t, constsgen.Kernels(), "Arrays").ABI().Specs {
		if strings.HasSuffix(r.Name, ".Outers") {
			leaves++
		}
	}
	equal(t, "leaves of [2]Outer", leaves, 6)
	for _, w := range []consts.Widths{
		{A: -128, B: 65535, C: math.MinInt64, D: math.MaxUint64, E: 255, F: -32768, G: math.MaxUint32, H: true, I: math.MinInt32},
		{A: 127, B: 0x8000, C: math.MaxInt64, D: 1 << 63, E: 0x80, F: 32767, G: 1 << 31, I: math.MaxInt32},
		{},
	} {
		set := [2]consts.Outer{{X: -1, N: consts.Inner{A: 4, B: 5}}, {X: 7, N: consts.Inner{B: -0.5}}}
		out, ints := make([]consts.Outer, 2), make([]consts.Widths, 1)
		check(t, constsgen.RunArrays(ctx, dev, consts.Arrays{Out: out, Ints: ints},
			runtime.WithSpec(consts.Outers, set), runtime.WithSpec(consts.Extremes, w)))
		equal(t, "array", [2]consts.Outer(out), set)
		equal(t, "integers", ints[0], w)
	}
}

func TestSC22_Defaults(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Types", "Singles")
		equal(t, "Zero", must(runtime.GetSpec(p, consts.Zero))(t), 0)
		equal(t, "Pi", must(runtime.GetSpec(p, consts.Pi))(t), 3.14)
		words := consts.Words{I8: -8, U8: 200, I16: -300, U16: 60000, I32: -70000, U32: 4000000000, I64: -1 << 40, U64: 1 << 63,
			Uint: 4000000000, F32: 0.1}
		all := consts.All{I8: -8, U8: 200, I16: -300, U16: 60000, I32: -70000, U32: 4000000000, I64: -1 << 40, U64: 1 << 63,
			Uint: 4000000000, F32: 0.1, F64: 0.1, Pi: 3.14}
		run := func(what string, opts ...runtime.LaunchOption) {
			t.Helper()
			single, out := make([]consts.Words, 1), make([]consts.All, 1)
			check(t, constsgen.RunSingles(ctx, dev, consts.Singles{Out: single}, opts...))
			equal(t, what, single[0], words)
			launch := func() error { return constsgen.RunTypes(ctx, dev, consts.Types{Out: out}, opts...) }
			if !lacks(t, dev, launch) {
				check(t, launch())
				equal(t, what+", with float64", out[0], all)
			}
		}
		run("defaults")
		must(runtime.SetSpec(p, consts.Zero, 42))(t)
		must(runtime.SetSpec(p, consts.Flag, true))(t)
		equal(t, "set", must(runtime.GetSpec(p, consts.Zero))(t), 42)
		exe := must(p.Build())(t)
		equal(t, "built", must(runtime.GetSpec(exe, consts.Zero))(t), 42)
		words.Int, words.Flag, all.Int, all.Flag = 42, true, 42, true
		run("on the device", runtime.WithProgram(exe))

		_, err := runtime.GetSpec(p, consts.Gain)
		wantSpec(t, err)
		// An int constant has 32 bits, everywhere.
		_, err = runtime.SetSpec(program(t, dev, "Types"), consts.Zero, 1<<31)
		wantSpec(t, err)
	})
}

func TestSC23_ZeroIsAValue(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := program(t, dev, "Sum")
		must(runtime.SetSpec(p, consts.Left, 0))(t)
		equal(t, "host", must(runtime.GetSpec(p, consts.Left))(t), 0)
		equal(t, "program", runSum(t, dev, runtime.WithProgram(must(p.Build())(t))), 3)
		equal(t, "launch", runSum(t, dev, runtime.WithSpec(consts.Left, 0)), 3)
	})
}

func TestSC24_Unused(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p, q := program(t, dev, "Sum"), program(t, dev, "Scale")
		equal(t, "Has(Unused)", p.Has(consts.Unused), false)
		equal(t, "Has(Left)", p.Has(consts.Left), true)
		equal(t, "default", must(runtime.GetSpec(p, consts.Unused))(t), 42)
		must(runtime.SetSpec(p, consts.Unused, 1))(t)
		equal(t, "set", must(runtime.GetSpec(p, consts.Unused))(t), 1)
		must(runtime.SetSpec(q, consts.Gain, 6))(t)
		both := must(runtime.Join(p, q))(t)
		equal(t, "Unused, joined", must(runtime.GetSpec(both, consts.Unused))(t), 1)
		equal(t, "Gain, joined", must(runtime.GetSpec(both, consts.Gain))(t), 6)
		equal(t, "kernels, joined", len(both.Kernels()), 2)
		must(runtime.SetSpec(q, consts.Unused, 2))(t)
		_, err := runtime.Join(p, q)
		wantErr(t, err, runtime.ErrInvalid)
		joinFloats(t, dev)
	})
}

// joinFloats: values are equal where kernels are given the same bits.
func joinFloats(t *testing.T, dev *runtime.Device) {
	t.Helper()
	nan := float32(math.NaN())
	zero := float32(0)
	for _, c := range []struct {
		a, b  float32
		equal bool
	}{{nan, nan, true}, {1, 1, true}, {nan, 1, false}, {zero, zero, true}, {zero, float32(math.Copysign(0, -1)), false}} {
		var ps [4]*runtime.Program
		for i, v := range []float32{c.a, c.b, c.a, c.b} {
			ps[i] = program(t, dev, "Scale", "Gaps")
			if i < 2 {
				must(runtime.SetSpec(ps[i], consts.Gain, v))(t)
			} else {
				must(runtime.SetSpec(ps[i], consts.Gappy, consts.Padded{F: v}))(t)
			}
		}
		for i := range 2 {
			both, err := runtime.Join(ps[2*i], ps[2*i+1])
			if !c.equal {
				wantErr(t, err, runtime.ErrInvalid)
				continue
			}
			check(t, err)
			if i == 0 {
				equal(t, "the joined value", math.Float32bits(must(runtime.GetSpec(both, consts.Gain))(t)), math.Float32bits(c.a))
			}
		}
	}
}

func TestSC25_Exclusive(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		exe := must(program(t, dev, "Sum").Build())(t)
		one, two := runtime.WithProgram(exe), runtime.WithSpec(consts.Left, 1)
		for _, opts := range [][]runtime.LaunchOption{{one, two}, {two, one}} {
			wantErr(t, constsgen.RunSum(ctx, dev, consts.Sum{Out: []int{0}}, 1, opts...), runtime.ErrInvalid)
		}
	})
}

func TestSC26_Executable(t *testing.T) {
	if of := reflect.TypeOf(runtime.SetSpec[int]).In(0); reflect.TypeFor[*runtime.Executable]().AssignableTo(of) {
		t.Errorf("%v takes an executable", of)
	}
	if !testing.Short() {
		goError(t, "runtime.SetSpec(exe, c, 1)", "cannot use exe")
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		var got [2]int
		for i, compile := range []bool{false, true} {
			p := program(t, dev, "Sum")
			must(runtime.SetSpec(p, consts.Left, 20))(t)
			if compile {
				check(t, p.Compile())
			}
			got[i] = runSum(t, dev, runtime.WithProgram(must(p.Build())(t)))
		}
		equal(t, "both ways", got, [2]int{23, 23})
	})
}

func TestSC27_Folded(t *testing.T) {
	// A constant is the same for all work-items, so barriers may depend on it.
	const kernel = "var B = dsl.NewSpecConstant(%s)\nfunc (k K) Kernel(it dsl.NDItem1) { %s; k.Out[it.GlobalID()] = 1 }"
	accepted(t, sprintf(kernel, "1", "if B.Get(it) > 8 { it.Barrier() }; for range B.Get(it) { it.Barrier() }"))
	accepted(t, sprintf(kernel, "true", "if B.Get(it) { _ = dsl.LocalSlice[int32](it, 4) }"))
	diagnostic(t, "KG604", sprintf(kernel, "0", "_ = dsl.LocalSlice[int32](it, B.Get(it))"))
	diagnostic(t, "KG402", sprintf(kernel, "1", "_ = dsl.LocalSlice[int32](it, B.Get(it)+len(k.Out))"))
	// The lengths are folded by the device's compiler.
	m := must(spirv.Parse(moduleWords(t, "consts/Folded.spv")))(t)
	folded := 0
	for _, in := range m.Globals {
		if in.Op == spirv.OpSpecConstantOp {
			folded++
		}
	}
	if folded < 2 {
		t.Errorf("%d expressions of specialization constants in the module", folded)
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{1, 4, 6, 100, 101, 128} { // above 100 the branch is taken
			out := make([]int32, 2*n)
			r := runtime.NDRange1{Global: runtime.Range1(2 * n), Local: runtime.Range1(n)}
			check(t, constsgen.RunFolded(ctx, dev, consts.Folded{Out: out}, r, runtime.WithSpec(consts.Size, int32(n))))
			for _, got := range out {
				want := 2*n*1000 + 3*n*(n-1)/2 + n/2 + 1
				if n > 100 {
					want = -1
				}
				equal(t, "sum", int(got), want)
			}
		}
		for _, b := range []int{2, 4} {
			out := make([]int32, b*b)
			r := runtime.NDRange1{Global: runtime.Range1(b * b), Local: runtime.Range1(b * b)}
			check(t, constsgen.RunLocal(ctx, dev, consts.Local{Out: out}, r, runtime.WithSpec(consts.Block, b)))
			for i, got := range out {
				equal(t, "reversed", int(got), b*b-1-i)
			}
		}
		r := runtime.NDRange1{Global: 4, Local: 4}
		err := constsgen.RunLocal(ctx, dev, consts.Local{Out: make([]int32, 4)}, r, runtime.WithSpec(consts.Block, 0))
		wantSpec(t, err)
		err = constsgen.RunLocal(ctx, dev, consts.Local{Out: make([]int32, 4)}, r, runtime.WithSpec(consts.Block, 20000))
		wantErr(t, err, runtime.ErrMemoryAllocation)
	})
}

// Eight goroutines set, build and launch.
func TestSC_Concurrent(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 4 {
					p, err := runtime.NewProgram(dev, constsgen.Kernels()...)
					if err == nil {
						_, err = runtime.SetSpec(p, consts.Left, g)
					}
					var exe *runtime.Executable
					if err == nil {
						exe, err = p.Build(kernel(t, constsgen.Kernels(), "Sum"))
					}
					out := []int{0}
					if err == nil {
						err = constsgen.RunSum(ctx, dev, consts.Sum{Out: out}, 1, runtime.WithProgram(exe))
					}
					if err != nil || out[0] != g+3 {
						t.Errorf("%d/%d: %v, %v", g, i, out[0], err)
					}
				}
			})
		}
		wg.Wait()
	})
}

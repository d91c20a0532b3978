package conformance

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/tests/conformance/args"
	"github.com/kgen-go/kgen/internal/tests/conformance/args/argsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/consts/constsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates/privatesgen"
	"github.com/kgen-go/kgen/runtime"
)

// params returns what generated code says of a kernel's arguments.
func params(t *testing.T, name string) []abi.Param {
	t.Helper()
	return kernel(t, argsgen.Kernels(), name).ABI().Params
}

func TestDM1_OnlyReachable(t *testing.T) {
	const host = "func bar() (m map[string]chan int) { go bar(); defer recover(); panic(bar()) }\n"
	accepted(t, host+"func foo() int32 { return 1 }\nfunc (k K) Kernel(t dsl.Task) { k.Out[0] = foo() }")
	diagnostic(t, "KG", host+"func (k K) Kernel(t dsl.Task) { bar() }", "KG102")
}

func TestDM2_Unsupported(t *testing.T) {
	for _, c := range []struct{ code, body string }{
		{"KG301", "f(); f()"}, {"KG102", "go func() {}()"}, {"KG105", "recover()"}, {"KG104", "c := make(chan int); <-c"},
		{"KG207", "m := map[int]int{}; m[1] = 2"}, {"KG204", "s := make([]int32, k.Out[0]); k.Out[0] = s[0]"},
		{"KG202", "written++"}, {"KG305", "println(k.Out)"},
	} {
		src := "var written int32\nfunc f() { %s }\nfunc (k K) Kernel(t dsl.Task) { f2(k) }\nfunc f2(k K) { %s }"
		if c.code == "KG301" {
			diagnostic(t, c.code, sprintf(src, c.body, "f()"), "called here from")
			continue
		}
		diagnostic(t, c.code, sprintf(src, "", c.body), "called here from")
	}
	// What is known when the kernel is generated is no dynamic call or allocation.
	accepted(t, `type shape interface{ area() int32 }
type square int32
func (s square) area() int32 { return int32(s * s) }
func (k K) Kernel(t dsl.Task) {
	var s shape = square(3)
	list := append(make([]int32, 0, 4), 1, 2)
	f := func(x int32) int32 { return x + list[1] }
	defer func() { k.Out[1] = int32(len("a" + "b")) }()
	k.Out[0] = f(s.area())
}`)
}

func TestDM3_Tables(t *testing.T) {
	const src = "var tbl = [4]int32{1, 2, 3, 4}\nconst c = 5\nfunc (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = tbl[it.GlobalID()%4] + c }\n"
	accepted(t, src)
	diagnostic(t, "KG202", src+"func Set() { tbl[1] = 2 }", "tbl")
}

func TestDM4_Declarations(t *testing.T) {
	diagnostic(t, "KG004", "func (k K) Kernel(t dsl.Task) int { return 1 }", "results")
	diagnostic(t, "KG005", "func (k K) Kernel(t dsl.Task) {}\ntype RunK struct{}\nfunc (RunK) Kernel(t dsl.Task) {}", "collide")
	diagnostic(t, "KG005", "type G[T int32 | float32] struct{ Out []T }\nfunc (k G[T]) Kernel(t dsl.Task) {}\nfunc (k K) Kernel(t dsl.Task) {}", "no alias")
	// Each instance of a generic kernel has an entry of its own.
	a, b := kernel(t, constsgen.Kernels(), "MM32"), kernel(t, constsgen.Kernels(), "MM64")
	equal(t, "modules of two instances are one", a.ABI().SPIRV == b.ABI().SPIRV, false)
}

func TestDM5_Captured(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		k := args.Captured{Out: []int32{0}, I: 55}
		k.S.M = 66
		check(t, argsgen.RunCaptured(ctx, dev, k))
		equal(t, "sum", k.Out[0], 121)
	})
}

func TestDM6_Nested(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		k := args.Deep{In1: []int32{10, 20}, Out: []int32{0, 0}}
		k.Part.Inner = args.Mixed{M: 55, In: []int32{1, 2}}
		check(t, argsgen.RunDeep(ctx, dev, k, 2))
		equal(t, "sums", [2]int32(k.Out), [2]int32{66, 77})
	})
}

func TestDM7_Arrays(t *testing.T) {
	if p := params(t, "Array"); len(p) != 2 || p[0].Kind != abi.Value || p[0].Size != 8 {
		t.Errorf("an array by value is %+v", p)
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := must(runtime.NewBuffer[int32](dev, 2))(t)
		k := argsgen.Array{A: [2]int32{3, 4}, Out: out.All()}
		must(k.ParallelFor(dev.DefaultQueue(), 2))(t)
		k.A = [2]int32{-1, -2} // the launch has its own
		got := make([]int32, 2)
		check(t, out.CopyTo(ctx, dev.DefaultQueue(), got))
		equal(t, "elements", [2]int32(got), [2]int32{3, 4})
		a := args.Array{A: [2]int32{5, 6}, Out: got}
		check(t, argsgen.RunArray(ctx, dev, a, 2))
		equal(t, "elements of Run", [2]int32(got), [2]int32{5, 6})
	})
}

func TestDM8_ArraysOfSlices(t *testing.T) {
	var names []string
	for _, p := range params(t, "Slices") {
		if p.Kind == abi.Slice {
			names = append(names, p.Name)
		}
	}
	equal(t, "slices", strings.Join(names, " "), "In[0] In[1] Pairs[0].In[0] Pairs[0].In[1] Pairs[1].In[0] Pairs[1].In[1] Out")
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		s := func(v ...int32) []int32 { return v }
		k := args.Slices{In: [2][]int32{s(100, 200), s(1, 2)}, Out: s(0, 0),
			Pairs: [2]args.Pair{{M: 3, In: [2][]int32{s(1000, 2000), s(7, 8)}}, {M: 5, In: [2][]int32{s(-1, -2), s(11, 13)}}}}
		want := func(i int) int32 {
			n := k.In[0][i] - k.In[1][i]
			for _, p := range k.Pairs {
				n += p.M*p.In[0][i] + p.M*11*p.In[1][i]
			}
			return n
		}
		check(t, argsgen.RunSlices(ctx, dev, k, 2))
		equal(t, "sums", [2]int32(k.Out), [2]int32{want(0), want(1)})
		// In device memory, each slice of its own buffer.
		view := func(v []int32) runtime.View[int32] { return must(runtime.BufferOf(dev, v))(t).All() }
		out := must(runtime.NewBuffer[int32](dev, 2))(t)
		v := argsgen.Slices{Out: out.All()}
		for i := range 2 {
			v.In[i], v.Pairs[i].M = view(k.In[i]), k.Pairs[i].M
			for j := range 2 {
				v.Pairs[i].In[j] = view(k.Pairs[i].In[j])
			}
		}
		must(v.ParallelFor(dev.DefaultQueue(), 2))(t)
		got := s(0, 0)
		check(t, out.CopyTo(ctx, dev.DefaultQueue(), got))
		equal(t, "sums in device memory", [2]int32(got), [2]int32(k.Out))
	})
}

func TestDM9_Parts(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		base := make([]int32, 300)
		for i := range base {
			base[i] = int32(i)
		}
		out := make([]int32, 3)
		buf := must(runtime.BufferOf(dev, base))(t)
		res := must(runtime.NewBuffer[int32](dev, 3))(t)
		must(argsgen.Part{In: buf.All().Slice(100, 200), Out: res.All()}.SingleTask(dev.DefaultQueue()))(t)
		check(t, res.CopyTo(ctx, dev.DefaultQueue(), out))
		equal(t, "what the kernel sees", [3]int32(out), [3]int32{100, 100, 100})
		got := make([]int32, 300)
		check(t, buf.CopyTo(ctx, dev.DefaultQueue(), got))
		equal(t, "around the last element", [3]int32(got[198:]), [3]int32{198, -1, 200})
		check(t, argsgen.RunPart(ctx, dev, args.Part{In: base[100:200], Out: out}))
		equal(t, "what Run's sees", [3]int32(out), [3]int32{100, 100, 100})
		equal(t, "around its last element", [3]int32(base[198:]), [3]int32{198, -1, 200})
	})
}

func TestDM10_Table(t *testing.T) {
	type row struct {
		name         string
		kind         abi.ParamKind
		offset, host int
	}
	var got []row
	for _, p := range params(t, "Captured") {
		got = append(got, row{p.Name, p.Kind, p.Offset, p.HostOffset})
	}
	equal(t, "rows", [3]row(got), [3]row{{"Out", abi.Slice, 0, 0}, {"I", abi.Value, 16, 24}, {"S", abi.Value, 20, 28}})
}

func TestDM14_Unused(t *testing.T) {
	read := map[string]bool{}
	for _, p := range params(t, "Idle") {
		read[p.Name] = p.Offset >= 0
	}
	for name, want := range map[string]bool{"Flag": false, "Scale": false, "Big": false, "N": true, "Out": true, "More": false,
		"Parts[0].Used": true, "Parts[0].Unused": false, "Parts[1].Used": true, "Parts[1].Unused": false} {
		if got, there := read[name]; got != want || !there {
			t.Errorf("%s: read %v, in the table %v", name, got, there)
		}
	}
	k := kernel(t, argsgen.Kernels(), "Idle").ABI()
	equal(t, "bytes of arguments", k.ArgSize, 8+16+8+4) // each as aligned as before
	equal(t, "bytes of no arguments", kernel(t, argsgen.Kernels(), "Nothing").ABI().ArgSize, 0)
	// A device with memory for what is read: more would not go there.
	small := runtime.OverrideLimits(runtime.Limits{MaxAllocation: 1 << 10})
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		idle := args.Idle{Flag: true, Scale: 2, N: -3, Out: make([]int32, 4), Big: make([]float32, 1000), More: make([]args.Pairless, 1000)}
		for i := range idle.Parts {
			idle.Parts[i].Used, idle.Parts[i].Unused = int32(5+i), make([]int32, 1000)
		}
		check(t, argsgen.RunIdle(ctx, dev, idle, 4))
		equal(t, "out", [4]int32(idle.Out), [4]int32{27, 27, 27, 27})
		check(t, argsgen.RunNothing(ctx, dev, args.Nothing{A: 1, X: make([]int32, 1000)}, 4))
		out := must(runtime.NewBuffer[int32](dev, 4))(t)
		v := argsgen.Idle{N: 9, Out: out.All(), Scale: 3}
		must(v.ParallelFor(dev.DefaultQueue(), 4))(t)
		check(t, out.CopyTo(ctx, dev.DefaultQueue(), idle.Out))
		equal(t, "out of views", idle.Out[3], 9)
	}, small)
}

func TestDM15_Pointers(t *testing.T) {
	diagnostic(t, "KG007", "type K struct{ P *float32; Out []int32 }\nfunc (k K) Kernel(t dsl.Task) {}", "write []float32")
}

func TestDM17_AddressSpaces(t *testing.T) {
	text := disassemble(t, "args/Spaces.spv")
	for _, class := range []string{"OpTypePointer PhysicalStorageBuffer", "OpTypePointer Workgroup", "OpTypePointer Function"} {
		if !strings.Contains(text, class) {
			t.Errorf("no %s in\n%s", class, text)
		}
	}
	if strings.Contains(text, "Generic") {
		t.Errorf("a generic pointer in\n%s", text)
	}
}

// spaces runs the kernel that sums memory of each kind.
func spaces(t *testing.T, dev *runtime.Device) []int32 {
	t.Helper()
	k := args.Spaces{In: []int32{1, 2, 3, 4}, Out: make([]int32, 5)}
	check(t, argsgen.RunSpaces(ctx, dev, k, nd1(4, 4)))
	return k.Out
}

func TestDM18_Helper(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		equal(t, "sums of device, work-group and private memory", [3]int32(spaces(t, dev)), [3]int32{10, 100, 6})
	})
}

func TestDM19_TwoSpaces(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		equal(t, "sum of what the variable holds", spaces(t, dev)[4], 100)
		for _, n := range []int{1, 4, 6} {
			for _, rounds := range []int{0, 1, 5} {
				k := privates.Swapped{Rounds: rounds, Out: make([]int32, 2*n)}
				check(t, privatesgen.RunSwapped(ctx, dev, k, nd1(2*n, n), runtime.WithSpec(privates.N, n)))
				if want := swappedBuffers(rounds, n); !slices.Equal(k.Out, want) {
					t.Errorf("buffers of %d swapped %d times: %v, want %v", n, rounds, k.Out, want)
				}
			}
		}
	})
	// What cannot be told apart when the kernel is generated is an error still.
	diagnostic(t, "KG203", "func (k K) Kernel(t dsl.Task) {\n\tvar a [4]int32\n\tp := (*[2]int32)(k.Out)\n\tif k.Out[0] > 0 {\n\t\tp = (*[2]int32)(a[1:])\n\t}\n\tk.Out[1] = p[0]\n}")
}

// swappedBuffers returns the results of the kernel Swapped with two work-groups of n.
func swappedBuffers(rounds, n int) (out []int32) {
	for g := range 2 {
		var before []int32
		from, own := make([]int32, n), make([][]int32, n)
		for l := range n {
			from[l] = int32(g*n + l)
			for j := range n {
				own[l] = append(own[l], from[l]*int32(j))
			}
		}
		for r := range rounds {
			next := make([]int32, n)
			for l, old := range own {
				own[l] = make([]int32, n)
				for j := range n {
					own[l][j] = old[(j+r)%n] + 1
				}
				next[l] = from[(l+1)%n] * 2
				if before != nil {
					next[l] += before[(l+r)%n]
				}
			}
			from, before = next, slices.Clone(next)
			for l := range n {
				before[l] += int32(1 - r%2)
			}
		}
		for l := range n {
			out = append(out, own[l][l]*1000+from[l])
		}
	}
	return out
}

func TestDM20_NilSlice(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		equal(t, "length and sum of a nil slice", spaces(t, dev)[3], 0)
	})
}

func TestDM21_Layout(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, v := range []args.Scalars{
			{B: true, I8: math.MinInt8, U8: math.MaxUint8, I16: math.MinInt16, U16: math.MaxUint16, I32: math.MinInt32, U32: math.MaxUint32,
				I64: math.MinInt64, U64: math.MaxUint64, Int: math.MinInt, Uint: math.MaxUint, F32: -math.MaxFloat32},
			{I8: math.MaxInt8, I16: math.MaxInt16, I32: math.MaxInt32, I64: math.MaxInt64, Int: math.MaxInt, F32: 0x1p-126},
		} {
			k := args.Echo{V: v, In: []args.Scalars{{}, v}, Out: make([]args.Scalars, 2)}
			check(t, argsgen.RunEcho(ctx, dev, k, 2))
			equal(t, "by value", k.Out[0], v)
			equal(t, "in memory", k.Out[1], v)
		}
	})
}

func TestDM22_Spilled(t *testing.T) {
	equal(t, "spilled", kernel(t, argsgen.Kernels(), "Large").ABI().Spilled, true)
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		k := args.Large{Out: make([]float32, 40)}
		for i := range k.A {
			k.A[i] = float32(i) + 0.5
		}
		check(t, argsgen.RunLarge(ctx, dev, k, 40))
		equal(t, "elements", [40]float32(k.Out), k.A)
	})
}

func TestDM24_Uniform(t *testing.T) {
	const kernel = "func (k K) Kernel(it dsl.NDItem1) { if %s { it.Barrier() }; k.Out[it.GlobalID()] = 1 }"
	diagnostic(t, "KG401", sprintf(kernel, "it.LocalID() == 0"))
	accepted(t, sprintf(kernel, "it.GroupID() == 0"))
	accepted(t, "var C = dsl.NewSpecConstant(1)\n"+sprintf(kernel, "C.Get(it) == 0"))
	accepted(t, sprintf(kernel, "dsl.GroupBroadcast(it.Group(), k.Out[it.LocalID()], 0) == 0"))
	diagnostic(t, "KG401", sprintf(kernel, "[2]int{1, it.LocalID()}[it.GroupID()&1] == 0"))
	accepted(t, sprintf(kernel, "[2]int{1, len(k.Out)}[it.GroupID()&1] == 0"))
}

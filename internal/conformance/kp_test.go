package conformance

import (
	"errors"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/conformance/consts/constsgen"
	"github.com/kgen-go/kgen/internal/conformance/privates/privatesgen"
	"github.com/kgen-go/kgen/internal/conformance/props"
	"github.com/kgen-go/kgen/internal/conformance/props/propsgen"
	"github.com/kgen-go/kgen/internal/difftest/atomics/atomicsgen"
	"github.com/kgen-go/kgen/internal/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/difftest/groups/groupsgen"
	"github.com/kgen-go/kgen/internal/difftest/words"
	"github.com/kgen-go/kgen/internal/difftest/words/wordsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func propsKernel(t *testing.T, name string) *runtime.Kernel {
	t.Helper()
	return kernel(t, propsgen.Kernels(), name)
}

// withProperties is a package with a kernel that states the properties.
func withProperties(list string) string {
	return "func (k K) Properties() properties.List { return properties.List{" + list + "} }\n" +
		"func (k K) Kernel(it dsl.NDItem1) { k.Out[it.GlobalID()]++ }"
}

// nd1 is a square nd-range in one dimension and so on.
func nd1(global, local int) runtime.NDRange1 {
	return runtime.NDRange1{Global: runtime.Range1(global), Local: runtime.Range1(local)}
}

func TestKP1_Keys(t *testing.T) {
	k := propsKernel(t, "Keys")
	want := properties.List{properties.DeviceHas(properties.SubGroups), properties.SubGroupSize(8),
		properties.WorkGroupSizeHint(2, 8), properties.WorkGroupSize(2, 8)}
	if !k.Properties().Equal(want) {
		t.Errorf("got %v, want %v", k.Properties(), want)
	}
	if text := disassemble(t, "props/propsgen/Keys.spv"); !strings.Contains(text, "LocalSize 8 2 1") {
		t.Errorf("no work-group size in\n%s", text)
	}
}

func TestKP2_Dimensions(t *testing.T) {
	for _, p := range []string{"WorkGroupSize()", "WorkGroupSize(0)", "WorkGroupSize(1, 0)", "WorkGroupSize(1, 1, 1, 1)", "WorkGroupSize(-1)",
		"WorkGroupSizeHint()", "WorkGroupSizeHint(0)", "SubGroupSize(0)"} {
		diagnostic(t, "KG501", withProperties("properties."+p))
	}
}

func TestKP3_Constants(t *testing.T) {
	diagnostic(t, "KG502", "type K struct { N int; Out []int32 }\n"+withProperties("properties.WorkGroupSize(k.N)"), "field N")
	diagnostic(t, "KG502", "var size = 8\n"+withProperties("properties.WorkGroupSize(size)"), "variable size")
	accepted(t, "const size = 1 << 5\n"+withProperties("properties.WorkGroupSize(size / 2)"))
	for name, want := range map[string]int{"SizedInt": 4, "SizedFloat": 2} {
		p, _ := propsKernel(t, name).Properties().Get(properties.KeyWorkGroupSize)
		if !slices.Equal(p.Dims(), []int{want}) {
			t.Errorf("%s: %v", name, p)
		}
	}
}

func TestKP4_Twice(t *testing.T) {
	for _, second := range []string{"8", "16"} {
		diagnostic(t, "KG501", withProperties("properties.WorkGroupSize(8), properties.WorkGroupSize("+second+")"), "twice")
	}
	a := properties.List{properties.SubGroupSize(8), properties.WorkGroupSize(8)}
	b := properties.List{properties.WorkGroupSize(8), properties.SubGroupSize(8)}
	equal(t, "lists in any order", a.Equal(b), true)
}

func square(w int) (a, b, c []int32) {
	a, b, c = make([]int32, w*w), make([]int32, w*w), make([]int32, w*w)
	for i := range a {
		a[i], b[i] = int32(i), int32(2*i+1)
	}
	return a, b, c
}

// A kernel type has one Kernel method, so what SYCL says of call operators is
// said of the kernels that embed the type with the list.
func TestKP5_AllEntries(t *testing.T) {
	want := properties.List{properties.WorkGroupSize(8, 8)}
	for _, name := range []string{"Add", "Mul"} {
		if got := propsKernel(t, name).Properties(); !got.Equal(want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		a, b, c := square(16)
		r := runtime.NDRange2{Global: runtime.Range2{16, 16}, Local: runtime.Range2{8, 8}}
		check(t, propsgen.RunMul(ctx, dev, props.Mul{A: a, B: b, C: c}, r))
		equal(t, "product", c[100], 100*201)
		r.Local = runtime.Range2{4, 4}
		wantErr(t, propsgen.RunMul(ctx, dev, props.Mul{A: a, B: b, C: c}, r), runtime.ErrNDRange)
	})
}

func TestKP6_Derived(t *testing.T) {
	base, sub := properties.WorkGroupSize(8, 8), properties.SubGroupSize(8)
	for name, want := range map[string]properties.List{"Add": {base}, "More": {base, sub}, "Other": {sub}} {
		if got := propsKernel(t, name).Properties(); !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// The forms of launch, each with a list, each with and without a dependency.
func TestKP7_LaunchForms(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		out := must(runtime.NewBuffer[int32](dev, 64))(t)
		v := out.All()
		wg := func(d ...int) runtime.LaunchOption { return runtime.With(properties.WorkGroupSize(d...)) }
		var last runtime.Event
		for _, deps := range []bool{false, true} {
			opt := func(d ...int) []runtime.LaunchOption {
				if deps {
					return []runtime.LaunchOption{wg(d...), runtime.DependsOn(last)}
				}
				return []runtime.LaunchOption{wg(d...)}
			}
			launches := []struct {
				name  string
				local []int
				run   func() (runtime.Event, error)
			}{
				{"task", []int{}, func() (runtime.Event, error) { return propsgen.Once{Out: v}.SingleTask(q, opt(1)...) }},
				{"range 1", []int{4}, func() (runtime.Event, error) {
					return propsgen.Items1{Out: v}.ParallelFor(q, 64, opt(4)...)
				}},
				{"range 2", []int{4, 2}, func() (runtime.Event, error) {
					return propsgen.Items2{Out: v}.ParallelFor(q, runtime.Range2{8, 8}, opt(4, 2)...)
				}},
				{"range 3", []int{1, 2, 4}, func() (runtime.Event, error) {
					return propsgen.Items3{Out: v}.ParallelFor(q, runtime.Range3{4, 4, 4}, opt(1, 2, 4)...)
				}},
				{"nd-range 1", []int{8}, func() (runtime.Event, error) {
					return propsgen.Group1{Out: v}.ParallelFor(q, nd1(64, 8), opt(8)...)
				}},
				{"nd-range 2", []int{4, 2}, func() (runtime.Event, error) {
					return propsgen.Group2{Out: v}.ParallelFor(q, runtime.NDRange2{Global: runtime.Range2{8, 8}, Local: runtime.Range2{4, 2}}, opt(4, 2)...)
				}},
				{"nd-range 3", []int{1, 2, 4}, func() (runtime.Event, error) {
					return propsgen.Group3{Out: v}.ParallelFor(q, runtime.NDRange3{Global: runtime.Range3{4, 4, 4}, Local: runtime.Range3{1, 2, 4}}, opt(1, 2, 4)...)
				}},
			}
			for _, l := range launches {
				ev, err := l.run()
				if err != nil {
					t.Fatalf("%s: %v", l.name, err)
				}
				if got := ev.LocalRange(); !slices.Equal(got, l.local) {
					t.Errorf("%s: work-group %v, want %v", l.name, got, l.local)
				}
				check(t, ev.Wait(ctx))
				last = ev
			}
			got := make([]int32, 64)
			check(t, out.CopyTo(ctx, q, got))
			equal(t, "the last launch's size", got[63], 124)
		}
		_, err := propsgen.Group1{Out: v}.ParallelFor(q, nd1(64, 8), wg(4))
		wantErr(t, err, runtime.ErrNDRange)
		_, err = propsgen.Once{Out: v}.SingleTask(q, wg(2))
		wantErr(t, err, runtime.ErrNDRange)
	})
}

// subGroup is a sub-group size that the device has.
func subGroup(dev *runtime.Device) int { return min(dev.Info().MaxSubGroup, 8) }

func TestKP8_Combined(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		a, b, c := square(16)
		r := runtime.NDRange2{Global: runtime.Range2{16, 16}, Local: runtime.Range2{8, 8}}
		check(t, propsgen.RunMul(ctx, dev, props.Mul{A: a, B: b, C: c}, r, runtime.With(properties.SubGroupSize(subGroup(dev)))))
		equal(t, "product", c[100], 100*201)
		with := runtime.With(properties.SubGroupSize(dev.Info().MaxSubGroup * 2))
		wantErr(t, propsgen.RunMul(ctx, dev, props.Mul{A: a, B: b, C: c}, r, with), runtime.ErrKernelNotSupported)
		r.Local = runtime.Range2{4, 4}
		with = runtime.With(properties.SubGroupSize(subGroup(dev)))
		wantErr(t, propsgen.RunMul(ctx, dev, props.Mul{A: a, B: b, C: c}, r, with), runtime.ErrNDRange)
	})
}

func TestKP9_SameKey(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 8)
		run := func(p ...properties.Property) error {
			return propsgen.RunFour(ctx, dev, props.Four{Out: out}, nd1(8, 4), runtime.With(p...))
		}
		check(t, run(properties.WorkGroupSize(4)))
		before := slices.Clone(out)
		size := 2 // made at run time
		for _, list := range [][]properties.Property{
			{properties.WorkGroupSize(size)},
			{properties.WorkGroupSize(4, 1)},
			{properties.WorkGroupSize(4), properties.WorkGroupSize(4)},
			{properties.SubGroupSize(1), properties.SubGroupSize(2)},
		} {
			wantErr(t, run(list...), runtime.ErrInvalid)
		}
		if !slices.Equal(out, before) {
			t.Errorf("something was dispatched: %v", out)
		}
		wantErr(t, propsgen.RunHugeSub(ctx, dev, props.HugeSub{Out: out}, nd1(8, 4), runtime.With(properties.SubGroupSize(1))), runtime.ErrInvalid)
	})
}

func TestKP10_TwoLists(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{32, 64, 32} {
			out := make([]int32, 128)
			check(t, propsgen.RunGroup1(ctx, dev, props.Group1{Out: out}, nd1(128, n), runtime.With(properties.WorkGroupSize(n))))
			equal(t, "size", out[127], int32(n))
		}
		equal(t, "pipelines", dev.Pipelines(), 2)
	})
}

// A launch's list changes the launch and nothing that was compiled.
func TestKP11_LaunchOnly(t *testing.T) {
	k := propsKernel(t, "Group1")
	module, list := k.ABI().SPIRV, k.Properties()
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 64)
		with := runtime.With(properties.WorkGroupSize(16), properties.SubGroupSize(subGroup(dev)))
		check(t, propsgen.RunGroup1(ctx, dev, props.Group1{Out: out}, nd1(64, 16), with))
		equal(t, "size", out[0], 16)
	})
	equal(t, "module", k.ABI().SPIRV == module, true)
	equal(t, "list", k.Properties().Equal(list), true)
}

func TestKP12_OpaqueKernel(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := must(runtime.NewBuffer[int32](dev, 64))(t)
		k, args := propsKernel(t, "Group1"), []any{out.All()}
		for _, p := range []properties.Property{properties.WorkGroupSize(8), properties.SubGroupSize(8), properties.DeviceHas(),
			properties.DeviceHas(properties.FP64), properties.Float(properties.FloatGo), properties.Float(properties.FloatFast)} {
			_, err := runtime.LaunchKernel(dev.DefaultQueue(), k, nd1(64, 8), args, runtime.With(p))
			wantErr(t, err, runtime.ErrInvalid)
		}
		_, err := runtime.LaunchKernel(dev.DefaultQueue(), propsKernel(t, "Trivial"), nil, args)
		if dev.Has(properties.FP64) {
			check(t, err)
		} else {
			wantErr(t, err, runtime.ErrKernelNotSupported) // its own list counts
		}
		// A hint takes effect at the launch.
		ev := must(runtime.LaunchKernel(dev.DefaultQueue(), k, nd1(64, 8), args, runtime.With(properties.WorkGroupSizeHint(16))))(t)
		check(t, ev.Wait(ctx))
		got := make([]int32, 64)
		check(t, out.CopyTo(ctx, dev.DefaultQueue(), got))
		equal(t, "size", got[63], 8)
	})
}

func TestKP13_TwoClasses(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		cube := func(z, y, x int) error {
			r := runtime.NDRange3{Global: runtime.Range3{8, 8, 8}, Local: runtime.Range3{z, y, x}}
			return propsgen.RunCube(ctx, dev, props.Cube{Out: make([]int32, 512)}, r)
		}
		check(t, cube(2, 2, 2))
		for _, l := range [][3]int{{4, 4, 4}, {4, 2, 2}, {2, 2, 4}} {
			wantErr(t, cube(l[0], l[1], l[2]), runtime.ErrNDRange)
		}
		out := make([]int32, 8)
		wantErr(t, propsgen.RunFour(ctx, dev, props.Four{Out: out}, nd1(8, 2)), runtime.ErrNDRange)
		const most = 1<<32 - 1
		wantErr(t, propsgen.RunHuge(ctx, dev, props.Huge{Out: out}, nd1(most, most)), runtime.ErrKernelNotSupported)
		// First whether the device can, then whether the launch agrees.
		wantErr(t, propsgen.RunHuge(ctx, dev, props.Huge{Out: out}, nd1(8, 2)), runtime.ErrKernelNotSupported)
		wantErr(t, propsgen.RunFour(ctx, dev, props.Four{Out: out}, nd1(8, 2), runtime.With(properties.SubGroupSize(1<<20))),
			runtime.ErrKernelNotSupported)
		// A product that does not fit 32 bits.
		big := runtime.With(properties.WorkGroupSize(1<<16, 1<<16))
		r := runtime.NDRange2{Global: runtime.Range2{1 << 16, 1 << 16}, Local: runtime.Range2{1 << 16, 1 << 16}}
		wantErr(t, propsgen.RunGroup2(ctx, dev, props.Group2{Out: out}, r, big), runtime.ErrKernelNotSupported)
	})
}

func TestKP14_Rank(t *testing.T) {
	diagnostic(t, "KG503", withProperties("properties.WorkGroupSize(8, 8)"))
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 64)
		for _, p := range []properties.Property{properties.WorkGroupSize(8, 8), properties.WorkGroupSizeHint(8, 8)} {
			wantErr(t, propsgen.RunGroup1(ctx, dev, props.Group1{Out: out}, nd1(64, 8), runtime.With(p)), runtime.ErrNDRange)
		}
		k := propsKernel(t, "Group1")
		r := runtime.NDRange2{Global: runtime.Range2{8, 8}, Local: runtime.Range2{8, 8}}
		_, err := runtime.LaunchKernel(dev.DefaultQueue(), k, r, []any{runtime.View[int32]{}})
		wantErr(t, err, runtime.ErrNDRange)
	})
}

func TestKP15_Order(t *testing.T) {
	if text := disassemble(t, "props/propsgen/Keys.spv"); !strings.Contains(text, "LocalSize 8 2 1") {
		t.Errorf("no LocalSize 8 2 1 in\n%s", text)
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		if dev.Info().MaxSubGroup < 8 {
			t.Skip("no sub-groups of 8")
		}
		out := make([]int32, 4*16)
		r := runtime.NDRange2{Global: runtime.Range2{4, 16}, Local: runtime.Range2{2, 8}}
		check(t, propsgen.RunKeys(ctx, dev, props.Keys{Out: out}, r))
		maxY, maxX := int32(0), int32(0)
		for _, v := range out {
			maxY, maxX = max(maxY, v/100), max(maxX, v%100)
		}
		equal(t, "largest local id", [2]int32{maxY, maxX}, [2]int32{1, 7})
	})
}

func TestKP16_RangeUsesSize(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		a, b, c := square(16)
		bufs := [3]*runtime.Buffer[int32]{}
		for i, s := range [][]int32{a, b, c} {
			bufs[i] = must(runtime.BufferOf(dev, s))(t)
		}
		ev := must(propsgen.Add{A: bufs[0].All(), B: bufs[1].All(), C: bufs[2].All()}.ParallelFor(dev.DefaultQueue(), runtime.Range2{16, 16}))(t)
		check(t, ev.Wait(ctx))
		if got := ev.LocalRange(); !slices.Equal(got, []int{8, 8}) {
			t.Errorf("work-group %v", got)
		}
		check(t, bufs[2].CopyTo(ctx, dev.DefaultQueue(), c))
		for i := range c {
			equal(t, "sum", c[i], a[i]+b[i])
		}
	})
}

func TestKP17_NotDivisible(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 12)
		check(t, propsgen.RunFourItems(ctx, dev, props.FourItems{Out: out}, 10))
		equal(t, "writes and canaries", [12]int32(out), [12]int32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0})
		wantErr(t, propsgen.RunFour(ctx, dev, props.Four{Out: out}, nd1(10, 4)), runtime.ErrNDRange)
		check(t, propsgen.RunFourItems(ctx, dev, props.FourItems{Out: out}, 0))
		check(t, propsgen.RunFour(ctx, dev, props.Four{Out: out}, nd1(0, 4)))
		equal(t, "nothing more", out[0], 1)
	})
}

func TestKP18_Hint(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 64)
		check(t, propsgen.RunHinted(ctx, dev, props.Hinted{Out: out}, nd1(64, 64)))
		equal(t, "size", out[0], 64)
		wantErr(t, propsgen.RunGroup1(ctx, dev, props.Group1{Out: out}, nd1(64, 64), runtime.With(properties.WorkGroupSizeHint(8, 8))), runtime.ErrNDRange)
		v := must(runtime.NewBuffer[int32](dev, 64))(t).All()
		ev := must(propsgen.Items1{Out: v}.ParallelFor(dev.DefaultQueue(), 64, runtime.With(properties.WorkGroupSizeHint(16))))(t)
		check(t, ev.Wait(ctx))
		if got := ev.LocalRange(); !slices.Equal(got, []int{16}) {
			t.Errorf("work-group %v, hinted at 16", got)
		}
	})
}

func TestKP19_SubGroups(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		r := runtime.NDRange2{Global: runtime.Range2{8, 8}, Local: runtime.Range2{8, 8}}
		out := make([]int32, 64)
		if dev.Info().MaxSubGroup >= 8 {
			check(t, propsgen.RunOther(ctx, dev, props.Other{Out: out}, r))
			equal(t, "size in the kernel", out[0], 8)
		}
		before := dev.Pipelines()
		for _, n := range []int{dev.Info().MaxSubGroup * 2, 3, math.MaxInt32} {
			err := propsgen.RunGroup2(ctx, dev, props.Group2{Out: out}, r, runtime.With(properties.SubGroupSize(n)))
			wantErr(t, err, runtime.ErrKernelNotSupported)
		}
		equal(t, "pipelines", dev.Pipelines(), before)
	})
}

func TestKP20_DeviceHas(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		err := propsgen.RunTrivial(ctx, dev, props.Trivial{Out: []int32{0}})
		wantErr(t, err, runtime.ErrKernelNotSupported)
		if err != nil && !strings.Contains(err.Error(), "fp64") {
			t.Errorf("%v does not name the aspect", err)
		}
	}, runtime.MaskAspects(properties.FP64))
}

func TestKP21_Inferred(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		err := propsgen.RunDeep(ctx, dev, props.Deep{Out: []int32{0}})
		wantErr(t, err, runtime.ErrKernelNotSupported)
		wantChain(t, err, properties.FP64, "(props.Deep).Kernel", "props.outer", "props.inner")
		wantChain(t, dev.Compatible(propsKernel(t, "Deep")), properties.FP64, "(props.Deep).Kernel", "props.outer", "props.inner")
		check(t, propsgen.RunPlain(ctx, dev, props.Plain{Out: []int32{0}}))
		equal(t, "on the host", props.OnHost(3), 1)
	}, runtime.MaskAspects(properties.FP64))
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := []int32{2}
		if lacks(t, dev, func() error { return propsgen.RunDeep(ctx, dev, props.Deep{Out: out}) }) {
			return
		}
		check(t, propsgen.RunDeep(ctx, dev, props.Deep{Out: out}))
		equal(t, "where the aspect is there", out[0], 4)
	})
}

// wantChain checks that an error says which functions lead to the use of an aspect,
// with the line of each call and of the use.
func wantChain(t *testing.T, err error, aspect properties.Aspect, functions ...string) {
	t.Helper()
	var e *runtime.Error
	if !errors.As(err, &e) || len(e.Uses) != 1 || e.Uses[0].Aspect != aspect || len(e.Uses[0].Chain) != len(functions) {
		t.Errorf("the error %v has the uses %v", err, e.Uses)
		return
	}
	text := "the aspect " + aspect.String() + ", which the device .* lacks: "
	for i, f := range e.Uses[0].Chain {
		if f.Func != functions[i] || !calls(t, f.Pos, functions, i) {
			t.Errorf("function %d of the chain is %v", i, f)
		}
		if i > 0 {
			text += " → "
		}
		text += regexp.QuoteMeta(f.Func + " (" + f.Pos + ")")
	}
	if !regexp.MustCompile(text + "$").MatchString(err.Error()) {
		t.Errorf("the error is %q and not %q", err, text)
	}
}

// calls reports whether the source at pos, file:line:col in this module, names the
// function that follows function i of a chain.
func calls(t *testing.T, pos string, functions []string, i int) bool {
	t.Helper()
	parts := strings.Split(pos, ":")
	text, err := os.ReadFile("../../" + parts[0])
	check(t, err)
	line := strings.Split(string(text), "\n")[must(strconv.Atoi(parts[1]))(t)-1]
	if i+1 == len(functions) {
		return true
	}
	_, name, _ := strings.Cut(functions[i+1], ".")
	return strings.HasPrefix(line[must(strconv.Atoi(parts[2]))(t)-1-len(name):], name+"(")
}

// Every aspect that a kernel needs is there for a reason that an error can tell.
func TestKP21_EveryUse(t *testing.T) {
	for _, k := range slices.Concat(constsgen.Kernels(), privatesgen.Kernels(), propsgen.Kernels(), wordsgen.Kernels(), corpusgen.Kernels(),
		groupsgen.Kernels(), atomicsgen.Kernels()) {
		var got []properties.Aspect
		for _, u := range k.ABI().Uses {
			got = append(got, u.Aspect)
			for _, f := range u.Chain {
				if f.Func == "" || strings.Count(f.Pos, ":") != 2 {
					t.Errorf("%s: %v is used at %v", k.Name(), u.Aspect, &u)
				}
			}
			if first := u.Chain[0].Func; !strings.HasSuffix(first, ".Kernel") {
				t.Errorf("%s: the chain begins with %s", k.Name(), first)
			}
		}
		if !slices.Equal(got, k.Aspects()) {
			t.Errorf("%s needs %v and uses %v", k.Name(), k.Aspects(), got)
		}
	}
}

// TestKP21_Variants: integers of any size are used, but needed only by a kernel that
// lists them.
func TestKP21_Variants(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		k := words.Table{Out: make([]int64, 9)}
		check(t, wordsgen.RunTable(ctx, dev, k, 9))
		equal(t, "an int64", k.Out[3], -1<<63^(-3))
		check(t, wordsgen.RunBytes(ctx, dev, words.Bytes{By: 1, A: []uint8{1}, B: []uint8{1, 2}, C: []int16{1}, D: make([][3]int8, 1), E: []bool{true}, Count: []uint32{0}}, 1))
		for _, a := range []properties.Aspect{properties.Int64, properties.Int8} {
			err := wordsgen.RunTable(ctx, dev, k, 9, runtime.With(properties.DeviceHas(a)))
			wantErr(t, err, runtime.ErrKernelNotSupported)
			if err != nil && !strings.Contains(err.Error(), a.String()) {
				t.Errorf("the error does not name %v: %v", a, err)
			}
		}
	}, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64))
	const kernels = `
type K struct { X []%s; N []int }
func add(x, y %[1]s) %[1]s { return x + y }
func (K) Properties() properties.List { return properties.List{properties.DeviceHas(%s)} }
func (k K) Kernel(it dsl.Item1) { i := it.GlobalID(); %s }`
	const use = "k.X[i] = add(k.X[i], 1)"
	accepted(t, sprintf(kernels, "int", "", use))
	accepted(t, sprintf(kernels, "uint", "", use))
	accepted(t, sprintf(kernels, "int64", "properties.Int64", use))
	diagnostic(t, "KG504", sprintf(kernels, "int64", "", use), "int64")
	diagnostic(t, "KG504", sprintf(kernels, "uint64", "", use), "int64")
	diagnostic(t, "KG504", sprintf(kernels, "int32", "", "k.N[i] = int(int64(k.N[i]) * 3)"), "int64")
	diagnostic(t, "KG504", `
type K struct { X []int32 }
func wide(x int32) int32 { y := int64(x) << 20; return int32(y >> 30) }
func (K) Properties() properties.List { return properties.List{properties.DeviceHas()} }
func (k K) Kernel(it dsl.Item1) { k.X[0] = wide(k.X[0]) }`, "kernels.go:7:", "aspect int64", "\ncalled here from ", ".K).Kernel")
	diagnostic(t, "KG504", sprintf(kernels, "struct { A [2]uint64 }", "", "k.N[i]++"), "int64")
	diagnostic(t, "KG504", sprintf(kernels, "int8", "", use), "int8")
}

func TestKP22_Unlisted(t *testing.T) {
	const kernels = `
type K struct { Out []int32; S []int16 }
func far(x int32) int32 { return int32(float64(x) * 1.5) }
func near(x int32) int32 { return far(x) + 1 }
func (K) Properties() properties.List { return properties.List{properties.DeviceHas(%s)} }
func (k K) Kernel(it dsl.Item1) { i := it.GlobalID(); %s }`
	const use = "k.Out[i] = near(int32(k.S[i]))"
	all := sprintf(kernels, "properties.Int16", use)
	diagnostic(t, "KG504", all, ".far uses the aspect fp64", "\ncalled here from ", ".near", ".K).Kernel")
	diags := generate(t, sprintf(kernels, "properties.GPU", use))
	equal(t, "diagnostics of two aspects", len(diags), 2)
	accepted(t, sprintf(kernels, "properties.Int16, properties.FP64", use))
	accepted(t, sprintf(kernels, "properties.Int16", "const on = false; k.Out[i] = int32(k.S[i]); if on { k.Out[i] = near(1) }"))
	// A function's own list counts too, whatever the kernel says.
	diagnostic(t, "KG504", `
//kgen:device_has int16
func own(x int32) int32 { return int32(float64(x) * 1.5) }
func (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = own(k.Out[0]) }`, "//kgen:device_has of ", ".own does not list")
}

func TestKP23_EmptyList(t *testing.T) {
	const kernels = "func (K) Properties() properties.List { return properties.List{properties.DeviceHas()} }\n" +
		"func (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = %s }"
	diagnostic(t, "KG504", sprintf(kernels, "int32(float64(k.Out[0]) / 3)"), "fp64")
	accepted(t, sprintf(kernels, "k.Out[0] / 3"))
}

func TestKP24_Directive(t *testing.T) {
	if got := propsKernel(t, "Annotated").Aspects(); !slices.Equal(got, []properties.Aspect{properties.FP64, properties.Int16}) {
		t.Errorf("aspects %v", got)
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		wantErr(t, propsgen.RunAnnotated(ctx, dev, props.Annotated{Out: []int32{0}}), runtime.ErrKernelNotSupported)
	}, runtime.MaskAspects(properties.Int16))
	const kernels = "//kgen:device_has %s\nfunc f() int32 { return 1 }\nfunc (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = f() }"
	diagnostic(t, "KG505", sprintf(kernels, "fp65"), "unknown aspect", "fp64")
	diagnostic(t, "KG505", "//kgen:devicehas fp64\nfunc f() {}\nfunc (k K) Kernel(it dsl.Item1) { f() }", "unknown directive")
	accepted(t, sprintf(kernels, "fp64 int16"))
	// On the kernel itself, it is its DeviceHas.
	diagnostic(t, "KG504", "//kgen:device_has\nfunc (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = int32(float64(k.Out[0]) / 3) }", "fp64")
}

func TestKP25_NoBody(t *testing.T) {
	diagnostic(t, "KG303", "func asm(int32) int32\nfunc (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = asm(1) }", "asm")
}

func TestKP26_NoDisturbance(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		p := must(runtime.NewProgram(dev, propsgen.Kernels()...))(t)
		exe := must(p.Build())(t)
		out := []int32{0}
		check(t, propsgen.RunPlain(ctx, dev, props.Plain{Out: out}, runtime.WithProgram(exe)))
		equal(t, "out[0]", out[0], 1)
		wantErr(t, propsgen.RunDeep(ctx, dev, props.Deep{Out: out}, runtime.WithProgram(exe)), runtime.ErrKernelNotSupported)
	}, runtime.MaskAspects(properties.FP64))
}

func TestKP27_Compatible(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		check(t, dev.Compatible())
		check(t, dev.Compatible(propsKernel(t, "Plain"), propsKernel(t, "Cube")))
		for _, name := range []string{"Huge", "HugeSub"} {
			wantErr(t, dev.Compatible(propsKernel(t, "Plain"), propsKernel(t, name)), runtime.ErrKernelNotSupported)
		}
		// It agrees with launches.
		out := make([]int32, 64)
		for name, run := range map[string]func() error{
			"Plain":   func() error { return propsgen.RunPlain(ctx, dev, props.Plain{Out: out}) },
			"Deep":    func() error { return propsgen.RunDeep(ctx, dev, props.Deep{Out: out}) },
			"HugeSub": func() error { return propsgen.RunHugeSub(ctx, dev, props.HugeSub{Out: out}, nd1(64, 8)) },
			"Trivial": func() error { return propsgen.RunTrivial(ctx, dev, props.Trivial{Out: out}) },
		} {
			equal(t, name, run() == nil, dev.Compatible(propsKernel(t, name)) == nil)
		}
	})
}

func TestKP28_Attributes(t *testing.T) {
	k := propsKernel(t, "Attributes")
	want := properties.List{properties.WorkGroupSize(8, 8), properties.SubGroupSize(8), properties.DeviceHas(properties.FP16)}
	equal(t, "attributes", k.Properties().Equal(want), true)
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 64)
		check(t, propsgen.RunGroup1(ctx, dev, props.Group1{Out: out}, nd1(64, 8), runtime.With(properties.WorkGroupSize(8))))
		equal(t, "a launch's list is no attribute", len(propsKernel(t, "Group1").Properties()), 0)
	})
}

func TestKP29_StatedTwice(t *testing.T) {
	diagnostic(t, "KG505", `
func (K) Properties() properties.List { return properties.List{properties.DeviceHas(properties.FP64)} }

//kgen:device_has fp64
func (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()]++ }`, "twice")
}

func TestKP30_Traits(t *testing.T) {
	l := properties.List{properties.WorkGroupSize(8, 4), properties.SubGroupSize(8)}
	equal(t, "Has", l.Has(properties.KeyWorkGroupSize), true)
	equal(t, "Has of absent", l.Has(properties.KeyDeviceHas), false)
	p, ok := l.Get(properties.KeyWorkGroupSize)
	equal(t, "Get", ok && slices.Equal(p.Dims(), []int{8, 4}), true)
	_, ok = l.Get(properties.KeyDeviceHas)
	equal(t, "Get of absent", ok, false)
	equal(t, "Equal", l.Equal(properties.List{l[1], l[0]}), true)
	equal(t, "unequal", l.Equal(l[:1]), false)
}

package conformance

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/conformance/props"
	"github.com/kgen-go/kgen/internal/tests/conformance/props/propsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
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
	if text := disassemble(t, "props/Keys.spv"); !strings.Contains(text, "LocalSize 8 2 1") {
		t.Errorf("no work-group size in\n%s", text)
	}
}

func TestKP2_Dimensions(t *testing.T) {
	for _, p := range []string{"WorkGroupSize()", "WorkGroupSize(0)", "WorkGroupSize(1, 0)", "WorkGroupSize(1, 1, 1, 1)", "WorkGroupSize(-1)",
		"WorkGroupSizeHint()", "WorkGroupSizeHint(0)", "WorkGroupSizeHint(1, 0)", "WorkGroupSizeHint(1, 1, 1, 1)", "SubGroupSize(0)", "SubGroupSize(-8)"} {
		diagnostic(t, "KG501", withProperties("properties."+p))
	}
}

func TestKP3_Constants(t *testing.T) {
	diagnostic(t, "KG502", "type K struct { N int; Out []int32 }\n"+withProperties("properties.WorkGroupSize(k.N)"), "field N")
	diagnostic(t, "KG502", "var size = 8\nfunc init() { go func() { size = 4 }() }\n"+withProperties("properties.WorkGroupSize(size)"), "variable size", "written")
	accepted(t, "var size = 8\n"+withProperties("properties.WorkGroupSize(size)"))
	// What the machine says that kgen runs on.
	for _, size := range []string{"len(os.Getenv(`HOME`))", "os.Getpid()", "len(os.Args)"} {
		diagnostic(t, "KG502", withProperties("properties.WorkGroupSize("+size+")"))
	}
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
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		other := func(w int) runtime.NDRange2 {
			return runtime.NDRange2{Global: runtime.Range2{16, 16}, Local: runtime.Range2{w, w}}
		}
		out := make([]int32, 256)
		if !hasSubGroup(dev, 8) { // the size that both override with
			wantErr(t, propsgen.RunMore(ctx, dev, props.More{Out: out}, other(8)), runtime.ErrKernelNotSupported)
			wantErr(t, propsgen.RunOther(ctx, dev, props.Other{Out: out}, other(4)), runtime.ErrKernelNotSupported)
			return
		}
		check(t, propsgen.RunMore(ctx, dev, props.More{Out: out}, other(8)))
		equal(t, "sub-group", out[255], 8)
		wantErr(t, propsgen.RunMore(ctx, dev, props.More{Out: out}, other(4)), runtime.ErrNDRange) // as Base states
		check(t, propsgen.RunOther(ctx, dev, props.Other{Out: out}, other(4)))                     // which does not
	})
}

// The forms of launch, each with a list, each with and without a dependency.
func TestKP7_LaunchForms(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		out := must(runtime.NewBuffer[int32](dev, 64))(t)
		v := out.All()
		wg := func(d ...int) runtime.LaunchOption { return runtime.With(properties.WorkGroupSize(d...)) }
		want := make([]int32, 64) // what is in the buffer
		count := func(n int) func() {
			return func() {
				for i := range n {
					want[i]++
				}
			}
		}
		fill := func(x int32) func() {
			return func() {
				for i := range want {
					want[i] = x
				}
			}
		}
		square, cube := runtime.Range2{8, 8}, runtime.Range3{4, 4, 4}
		// What launches depend on is of another device, and slow: nothing else has them wait.
		other := devtest.Host(t)
		busy := must(runtime.NewBuffer[uint32](other, 1))(t)
		slow := func() runtime.Event {
			return must(propsgen.Slow{Rounds: 10_000_000, Out: busy.All()}.SingleTask(other.DefaultQueue()))(t)
		}
		var last, before runtime.Event
		for _, deps := range []bool{false, true} {
			opt := func(d ...int) []runtime.LaunchOption {
				if deps {
					before = slow()
					return []runtime.LaunchOption{wg(d...), runtime.DependsOn(last, before)}
				}
				return []runtime.LaunchOption{wg(d...)}
			}
			launches := []struct {
				name   string
				local  []int
				effect func()
				run    func() (runtime.Event, error)
			}{
				{"task", []int{}, count(1), func() (runtime.Event, error) { return propsgen.Once{Out: v}.SingleTask(q, opt(1)...) }},
				{"range 1", []int{4}, count(64), func() (runtime.Event, error) {
					return propsgen.Items1{Out: v}.ParallelFor(q, 64, opt(4)...)
				}},
				{"range 2", []int{4, 2}, count(64), func() (runtime.Event, error) {
					return propsgen.Items2{Out: v}.ParallelFor(q, square, opt(4, 2)...)
				}},
				{"range 3", []int{1, 2, 4}, count(64), func() (runtime.Event, error) {
					return propsgen.Items3{Out: v}.ParallelFor(q, cube, opt(1, 2, 4)...)
				}},
				{"nd-range 1", []int{8}, fill(8), func() (runtime.Event, error) {
					return propsgen.Group1{Out: v}.ParallelFor(q, nd1(64, 8), opt(8)...)
				}},
				{"nd-range 2", []int{4, 2}, fill(42), func() (runtime.Event, error) {
					return propsgen.Group2{Out: v}.ParallelFor(q, runtime.NDRange2{Global: square, Local: runtime.Range2{4, 2}}, opt(4, 2)...)
				}},
				{"nd-range 3", []int{1, 2, 4}, fill(124), func() (runtime.Event, error) {
					return propsgen.Group3{Out: v}.ParallelFor(q, runtime.NDRange3{Global: cube, Local: runtime.Range3{1, 2, 4}}, opt(1, 2, 4)...)
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
				last = ev
				if check(t, ev.Wait(ctx)); deps && !before.Done() {
					t.Errorf("%s: it is done before what it depends on", l.name)
				}
				l.effect()
				got := make([]int32, 64)
				check(t, out.CopyTo(ctx, q, got))
				if !slices.Equal(got, want) {
					t.Errorf("%s, with dependencies %v: %v", l.name, deps, got)
				}
			}
		}
		// The forms that wait take lists, too.
		host := make([]int32, 64)
		for name, err := range map[string]error{
			"task":       propsgen.RunOnce(ctx, dev, props.Once{Out: host}, wg(1)),
			"range 1":    propsgen.RunItems1(ctx, dev, props.Items1{Out: host}, 64, wg(4)),
			"range 2":    propsgen.RunItems2(ctx, dev, props.Items2{Out: host}, square, wg(4, 2)),
			"range 3":    propsgen.RunItems3(ctx, dev, props.Items3{Out: host}, cube, wg(1, 2, 4)),
			"nd-range 1": propsgen.RunGroup1(ctx, dev, props.Group1{Out: host}, nd1(64, 8), wg(8)),
			"nd-range 2": propsgen.RunGroup2(ctx, dev, props.Group2{Out: host}, runtime.NDRange2{Global: square, Local: runtime.Range2{4, 2}}, wg(4, 2)),
			"nd-range 3": propsgen.RunGroup3(ctx, dev, props.Group3{Out: host}, runtime.NDRange3{Global: cube, Local: runtime.Range3{1, 2, 4}}, wg(1, 2, 4)),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		// And each is held to its list.
		for name, launch := range map[string]func() (runtime.Event, error){
			"task":       func() (runtime.Event, error) { return propsgen.Once{Out: v}.SingleTask(q, wg(2)) },
			"range 1":    func() (runtime.Event, error) { return propsgen.Items1{Out: v}.ParallelFor(q, 64, wg(4, 4)) },
			"range 2":    func() (runtime.Event, error) { return propsgen.Items2{Out: v}.ParallelFor(q, square, wg(4)) },
			"range 3":    func() (runtime.Event, error) { return propsgen.Items3{Out: v}.ParallelFor(q, cube, wg(4, 4)) },
			"nd-range 1": func() (runtime.Event, error) { return propsgen.Group1{Out: v}.ParallelFor(q, nd1(64, 8), wg(4)) },
			"nd-range 2": func() (runtime.Event, error) {
				return propsgen.Group2{Out: v}.ParallelFor(q, runtime.NDRange2{Global: square, Local: runtime.Range2{4, 2}}, wg(2, 4))
			},
			"nd-range 3": func() (runtime.Event, error) {
				return propsgen.Group3{Out: v}.ParallelFor(q, runtime.NDRange3{Global: cube, Local: runtime.Range3{1, 2, 4}}, wg(4, 2, 1))
			},
		} {
			if _, err := launch(); !errors.Is(err, runtime.ErrNDRange) {
				t.Errorf("%s of another size: %v", name, err)
			}
		}
	})
}

// subGroup is a sub-group size that the device has.
func subGroup(dev *runtime.Device) int {
	info := dev.Info()
	return max(min(info.MaxSubGroup, 8), info.MinSubGroup)
}

// hasSubGroup reports whether the device has sub-groups of n.
func hasSubGroup(dev *runtime.Device, n int) bool {
	info := dev.Info()
	return info.MinSubGroup <= n && n <= info.MaxSubGroup
}

func TestKP8_Combined(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		r := runtime.NDRange2{Global: runtime.Range2{16, 16}, Local: runtime.Range2{8, 8}}
		info := dev.Info()
		before := dev.Pipelines()
		sizes := 0
		for n := 1; n <= 2*info.MaxSubGroup; n *= 2 {
			out := make([]int32, 256)
			err := propsgen.RunSizes(ctx, dev, props.Sizes{Out: out}, r, runtime.With(properties.SubGroupSize(n)))
			if !hasSubGroup(dev, n) {
				wantErr(t, err, runtime.ErrKernelNotSupported)
				continue
			}
			check(t, err)
			sizes++
			for _, got := range out { // both sizes, in every work-item
				equal(t, "sub-group and work-group", got, int32(n*10000+8*100+8))
			}
		}
		equal(t, "pipelines", dev.Pipelines()-before, sizes)
		// And the kernel's own list counts beside the launch's.
		r.Local = runtime.Range2{4, 4}
		with := runtime.With(properties.SubGroupSize(subGroup(dev)))
		wantErr(t, propsgen.RunSizes(ctx, dev, props.Sizes{Out: make([]int32, 256)}, r, with), runtime.ErrNDRange)
	})
}

func TestKP9_SameKey(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 8)
		run := func(p ...properties.Property) error {
			return propsgen.RunFour(ctx, dev, props.Four{Out: out}, nd1(8, 4), runtime.With(p...))
		}
		check(t, run(properties.WorkGroupSize(4)))
		before, pipelines := slices.Clone(out), dev.Pipelines()
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
		equal(t, "pipelines", dev.Pipelines(), pipelines)
		r := runtime.NDRange2{Global: runtime.Range2{8, 8}, Local: runtime.Range2{8, 8}}
		sizes := func(d ...int) error {
			return propsgen.RunSizes(ctx, dev, props.Sizes{Out: make([]int32, 64)}, r, runtime.With(properties.WorkGroupSize(d...)))
		}
		check(t, sizes(8, 8))
		wantErr(t, sizes(8, 4), runtime.ErrInvalid)
		// Equal sub-group sizes merge; what is left is what the device says.
		err := propsgen.RunHugeSub(ctx, dev, props.HugeSub{Out: out}, nd1(8, 4), runtime.With(properties.SubGroupSize(math.MaxInt32)))
		wantErr(t, err, runtime.ErrKernelNotSupported)
		if errors.Is(err, runtime.ErrInvalid) {
			t.Error(err)
		}
		wantErr(t, propsgen.RunHugeSub(ctx, dev, props.HugeSub{Out: out}, nd1(8, 4), runtime.With(properties.SubGroupSize(1))), runtime.ErrInvalid)
	})
}

func TestKP10_TwoLists(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{32, 64, 32} {
			out := make([]int32, 128)
			check(t, propsgen.RunGroup1(ctx, dev, props.Group1{Out: out}, nd1(128, n), runtime.With(properties.WorkGroupSize(n))))
			for _, got := range out {
				equal(t, "size", got, int32(n))
			}
		}
		equal(t, "pipelines", dev.Pipelines(), 2)
	})
}

// A launch's list changes the launch and nothing that was compiled.
func TestKP11_LaunchOnly(t *testing.T) {
	k := propsKernel(t, "Sizes")
	list := k.Properties()
	r := runtime.NDRange2{Global: runtime.Range2{8, 8}, Local: runtime.Range2{8, 8}}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := make([]int32, 64)
		run := func(p ...properties.Property) error {
			return propsgen.RunSizes(ctx, dev, props.Sizes{Out: out}, r, runtime.With(p...))
		}
		check(t, run())
		// What is known before: nothing is made ready again.
		made := dev.Pipelines()
		check(t, run(properties.WorkGroupSize(8, 8)))
		check(t, run(properties.DeviceHas(properties.SubGroups)))
		check(t, run(properties.WorkGroupSizeHint(2, 4)))
		check(t, run(properties.DeviceHas(), properties.WorkGroupSizeHint(2, 4), properties.Float(properties.FloatGo)))
		equal(t, "pipelines", dev.Pipelines(), made)
		// What would need another module is refused.
		for _, m := range []properties.FloatMode{properties.FloatExact, properties.FloatFast} {
			wantErr(t, run(properties.Float(m)), runtime.ErrInvalid)
		}
		check(t, run(properties.SubGroupSize(subGroup(dev))))
		equal(t, "list", k.Properties().Equal(list), true)
	})
	// The modules are those that kgen wrote.
	for file, module := range map[string]string{"Sizes.spv": k.ABI().SPIRV, "Sizes.words.spv": k.ABI().Variants[0].SPIRV} {
		text, err := os.ReadFile(filepath.Join(must(modules.Folder(modules.Module+"/internal/tests/conformance/props"))(t), file))
		check(t, err)
		equal(t, file, module == string(text), true)
	}
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
	for _, name := range []string{"Keys", "Ordered", "Ordered.words"} {
		if text := disassemble(t, "props/"+name+".spv"); !strings.Contains(text, "LocalSize 8 2 1") {
			t.Errorf("no LocalSize 8 2 1 in\n%s", text)
		}
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		r := runtime.NDRange2{Global: runtime.Range2{4, 16}, Local: runtime.Range2{2, 8}}
		largest := func(out []int32) {
			t.Helper()
			maxY, maxX := int32(0), int32(0)
			for i, v := range out {
				maxY, maxX = max(maxY, v/100), max(maxX, v%100)
				equal(t, "local id", v, int32(i/16%2*100+i%8))
			}
			equal(t, "largest local id", [2]int32{maxY, maxX}, [2]int32{1, 7})
		}
		out := make([]int32, 4*16)
		check(t, propsgen.RunOrdered(ctx, dev, props.Ordered{Out: out}, r))
		largest(out)
		r.Local = runtime.Range2{8, 2} // not this way around
		wantErr(t, propsgen.RunOrdered(ctx, dev, props.Ordered{Out: out}, runtime.NDRange2{Global: runtime.Range2{16, 4}, Local: r.Local}), runtime.ErrNDRange)

		// With all keys, of which one is a sub-group size of 8.
		r.Local = runtime.Range2{2, 8}
		clear(out)
		err := propsgen.RunKeys(ctx, dev, props.Keys{Out: out}, r)
		if !hasSubGroup(dev, 8) {
			wantErr(t, err, runtime.ErrKernelNotSupported)
			return
		}
		check(t, err)
		largest(out)
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
		err := propsgen.RunOther(ctx, dev, props.Other{Out: out}, r) // which requires 8
		if hasSubGroup(dev, 8) {
			check(t, err)
			equal(t, "size in the kernel", out[0], 8)
		} else {
			wantErr(t, err, runtime.ErrKernelNotSupported)
		}
		info := dev.Info()
		for _, n := range []int{info.MinSubGroup, info.MaxSubGroup} {
			check(t, propsgen.RunSizes(ctx, dev, props.Sizes{Out: out}, r, runtime.With(properties.SubGroupSize(n))))
			equal(t, "sizes in the kernel", out[63], int32(n*10000+808))
		}
		before := dev.Pipelines()
		for _, n := range []int{info.MaxSubGroup * 2, info.MinSubGroup / 2, 3, math.MaxInt32} {
			if n == 0 {
				continue
			}
			err := propsgen.RunGroup2(ctx, dev, props.Group2{Out: out}, r, runtime.With(properties.SubGroupSize(n)))
			wantErr(t, err, runtime.ErrKernelNotSupported)
		}
		equal(t, "pipelines", dev.Pipelines(), before)
	})
	// A device without sub-groups has none of any size.
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		r := runtime.NDRange2{Global: runtime.Range2{8, 8}, Local: runtime.Range2{8, 8}}
		for _, n := range []int{1, 4, 8} {
			err := propsgen.RunGroup2(ctx, dev, props.Group2{Out: make([]int32, 64)}, r, runtime.With(properties.SubGroupSize(n)))
			wantErr(t, err, runtime.ErrKernelNotSupported)
		}
		check(t, propsgen.RunGroup2(ctx, dev, props.Group2{Out: make([]int32, 64)}, r))
	}, runtime.MaskAspects(properties.SubGroups))
}

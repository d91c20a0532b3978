package conformance

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/consts/constsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates/privatesgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/props"
	"github.com/kgen-go/kgen/internal/tests/conformance/props/propsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/atomics/atomicsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/groups"
	"github.com/kgen-go/kgen/internal/tests/difftest/groups/groupsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/words"
	"github.com/kgen-go/kgen/internal/tests/difftest/words/wordsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func TestKP20_DeviceHas(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		err := propsgen.RunTrivial(ctx, dev, props.Trivial{Out: []int32{0}})
		wantErr(t, err, runtime.ErrKernelNotSupported)
		if err != nil && !strings.Contains(err.Error(), "fp64") {
			t.Errorf("%v does not name the aspect", err)
		}
	}, runtime.MaskAspects(properties.FP64))
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		out := []int32{0}
		launch := func() error { return propsgen.RunTrivial(ctx, dev, props.Trivial{Out: out}) }
		if !lacks(t, dev, launch) {
			check(t, launch())
			equal(t, "where the aspect is there", out[0], 1)
		}
		// And one that a launch adds.
		check(t, propsgen.RunPlain(ctx, dev, props.Plain{Out: out}, runtime.With(properties.DeviceHas(properties.SubGroups))))
		err := propsgen.RunPlain(ctx, dev, props.Plain{Out: out}, runtime.With(properties.DeviceHas(properties.SubGroups, properties.GPU)))
		if dev.Has(properties.GPU) {
			check(t, err)
		} else {
			wantErr(t, err, runtime.ErrKernelNotSupported)
			equal(t, "the error names it", strings.Contains(err.Error(), "requires the aspect gpu"), true)
		}
	})
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
	text, err := os.ReadFile("../../../" + parts[0])
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

// TestKP21_Alone: what work-groups do needs no sub-groups, but a kernel's own use does,
// and a list insists.
func TestKP21_Alone(t *testing.T) {
	if a := kernel(t, groupsgen.Kernels(), "WholeInt32").Aspects(); len(a) > 0 {
		t.Errorf("aspects %v", a)
	}
	in := make([]int32, 100)
	sum := int32(0)
	for i := range in {
		in[i] = int32(i) + 1
		sum += in[i]
	}
	masked := []properties.Aspect{properties.SubGroups}
	for range 2 {
		onDevices(t, func(t *testing.T, dev *runtime.Device) {
			k := groups.WholeInt32{N: 100, In: in, Out: make([]int32, 100*groups.WholeResults)}
			check(t, dev.Compatible(kernel(t, groupsgen.Kernels(), "WholeInt32")))
			check(t, groupsgen.RunWholeInt32(ctx, dev, k, nd1(100, 100)))
			equal(t, "sum", k.Out[0], sum)
			equal(t, "scan", k.Out[99*groups.WholeResults+7], sum)
			if dev.Has(properties.SubGroups) {
				return
			}
			err := groupsgen.RunWholeInt32(ctx, dev, k, nd1(100, 100), runtime.With(properties.DeviceHas(properties.SubGroups)))
			wantErr(t, err, runtime.ErrKernelNotSupported)
			err = groupsgen.RunBallots(ctx, dev, groups.Ballots{N: 100, X: in, Out: make([]uint32, 400)}, nd1(100, 100))
			wantErr(t, err, runtime.ErrKernelNotSupported)
			wantChain(t, err, properties.SubGroups, "(groups.Ballots).Kernel")
		}, runtime.MaskAspects(masked...))
		masked = nil
	}
	// With a list, only what the code says of sub-groups counts.
	const kernels = "func (K) Properties() properties.List { return properties.List{properties.DeviceHas(%s)} }\n" +
		"func (k K) Kernel(it dsl.NDItem1) { k.Out[it.GlobalID()] = dsl.ReduceOverGroup(it.%s(), k.Out[0], dsl.Plus) }"
	accepted(t, sprintf(kernels, "", "Group"))
	accepted(t, sprintf(kernels, "properties.SubGroups", "SubGroup"))
	diagnostic(t, "KG504", sprintf(kernels, "", "SubGroup"), "sub_groups")
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
	diagnostics(t, 2, sprintf(kernels, "properties.GPU", use)) // one for each of two aspects
	accepted(t, sprintf(kernels, "properties.Int16, properties.FP64", use))
	accepted(t, sprintf(kernels, "properties.Int16", "const on = false; k.Out[i] = int32(k.S[i]); if on { k.Out[i] = near(1) }"))
	// Half-precision floats are used by functions that list them.
	const halves = `
//kgen:device_has fp16
func half(x int32) int32 { return x / 2 }
func quarter(x int32) int32 { return half(half(x)) }
func (K) Properties() properties.List { return properties.List{properties.DeviceHas(%s)} }
func (k K) Kernel(it dsl.Item1) { %s }`
	diagnostic(t, "KG504", sprintf(halves, "properties.FP64", "k.Out[0] = quarter(k.Out[1])"), ".half uses the aspect fp16", "\ncalled here from ", ".quarter", ".K).Kernel")
	diagnostics(t, 2, sprintf(halves, "properties.GPU", "k.Out[0] = quarter(k.Out[1]) + int32(float64(k.Out[2]) * 1.5)"), "fp16", "fp64")
	accepted(t, sprintf(halves, "properties.FP16, properties.FP64", "k.Out[0] = quarter(k.Out[1])"))
	accepted(t, sprintf(halves, "properties.FP64", "if false { k.Out[0] = quarter(k.Out[1]) }"))
	// Packages have no paths in the names of functions, nor have they in type arguments.
	diagnostic(t, "KG504", `
type pair[T any] struct{ x T }
func (p pair[T]) wide(x int32) int32 { return int32(float64(x) * 1.5) }
func (K) Properties() properties.List { return properties.List{properties.DeviceHas()} }
func (k K) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = pair[dsl.Item1]{}.wide(k.Out[0]) }`, ".pair[dsl.Item1]).wide uses the aspect fp64")
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
		err := propsgen.RunAnnotated(ctx, dev, props.Annotated{Out: []int32{0}})
		wantErr(t, err, runtime.ErrKernelNotSupported)
		if dev.Has(properties.FP64) { // else the error is about both
			wantChain(t, err, properties.Int16, "(props.Annotated).Kernel", "props.wants")
		}
	}, runtime.MaskAspects(properties.Int16))
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for aspects, launch := range map[[2]properties.Aspect]func(out []int32) error{
			{properties.FP64, properties.Int16}: func(out []int32) error { return propsgen.RunAnnotated(ctx, dev, props.Annotated{Out: out}) },
			{properties.FP16, properties.FP16}:  func(out []int32) error { return propsgen.RunHalf(ctx, dev, props.Half{Out: out}) },
		} {
			out := []int32{2}
			err := launch(out)
			if !dev.Has(aspects[0]) || !dev.Has(aspects[1]) {
				wantErr(t, err, runtime.ErrKernelNotSupported)
				continue
			}
			check(t, err)
			equal(t, "where the aspects are there", out[0], map[properties.Aspect]int32{properties.FP64: 3, properties.FP16: 1}[aspects[0]])
		}
	})
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		wantChain(t, propsgen.RunHalf(ctx, dev, props.Half{Out: []int32{0}}), properties.FP16, "(props.Half).Kernel", "props.half")
	}, runtime.MaskAspects(properties.FP16))
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
		wantErr(t, dev.Compatible(nil), runtime.ErrInvalid)
	})
	// It agrees with launches, whatever the device lacks.
	for _, mask := range [][]runtime.OpenOption{
		nil,
		{runtime.MaskAspects(properties.FP64)},
		{runtime.MaskAspects(properties.FP16, properties.Int16)},
		{runtime.MaskAspects(properties.SubGroups)},
		{runtime.MaskAspects(properties.PrivateAlloca)},
		{runtime.MaskAspects(properties.Aspects()...)},
		{runtime.OverrideLimits(runtime.Limits{MaxWorkItems: 32})},
		{runtime.OverrideLimits(runtime.Limits{MaxWorkGroupSize: [3]int{4, 4, 4}})},
	} {
		onDevices(t, agrees, mask...)
	}
}

// agrees checks that kernels are compatible with the device where it launches them.
func agrees(t *testing.T, dev *runtime.Device) {
	out := make([]int32, 64)
	square := func(w int) runtime.NDRange2 {
		return runtime.NDRange2{Global: runtime.Range2{8, 8}, Local: runtime.Range2{w, w}}
	}
	for name, run := range map[string]func() error{
		"Plain":     func() error { return propsgen.RunPlain(ctx, dev, props.Plain{Out: out}) },
		"Deep":      func() error { return propsgen.RunDeep(ctx, dev, props.Deep{Out: out}) },
		"Half":      func() error { return propsgen.RunHalf(ctx, dev, props.Half{Out: out}) },
		"Annotated": func() error { return propsgen.RunAnnotated(ctx, dev, props.Annotated{Out: out}) },
		"HugeSub":   func() error { return propsgen.RunHugeSub(ctx, dev, props.HugeSub{Out: out}, nd1(64, 8)) },
		"Trivial":   func() error { return propsgen.RunTrivial(ctx, dev, props.Trivial{Out: out}) },
		"Sizes":     func() error { return propsgen.RunSizes(ctx, dev, props.Sizes{Out: out}, square(8)) },
		"Other":     func() error { return propsgen.RunOther(ctx, dev, props.Other{Out: out}, square(2)) },
		"FourItems": func() error { return propsgen.RunFourItems(ctx, dev, props.FourItems{Out: out}, 64) },
		"Three":     func() error { return privatesgen.RunThree(ctx, dev, privates.Three{Out: out}) },
	} {
		list := propsgen.Kernels()
		if name == "Three" {
			list = privatesgen.Kernels()
		}
		launched, compatible := run(), dev.Compatible(kernel(t, list, name))
		if (launched == nil) != (compatible == nil) {
			t.Errorf("%s: launched: %v; compatible: %v", name, launched, compatible)
		}
		if compatible != nil {
			wantErr(t, compatible, runtime.ErrKernelNotSupported)
			wantErr(t, launched, runtime.ErrKernelNotSupported)
		}
	}
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

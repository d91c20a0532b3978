package runtime_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// kernel returns a kernel with a body that does nothing.
func kernel(form abi.Form, rank int, edit func(*abi.Kernel)) *runtime.Kernel {
	k := &abi.Kernel{Name: "K", Package: "example.com/k", Form: form, Rank: rank, Items: 1}
	if edit != nil {
		edit(k)
	}
	return kernelimpl.Register(k, func(*kernelimpl.HostArgs) any {
		switch {
		case form == abi.Task:
			return func(dsl.Task) {}
		case form == abi.Range && rank == 1:
			return func(dsl.Item1) {}
		case form == abi.Range && rank == 2:
			return func(dsl.Item2) {}
		case form == abi.NDRange && rank == 1:
			return func(dsl.NDItem1) {}
		case form == abi.NDRange && rank == 2:
			return func(dsl.NDItem2) {}
		case form == abi.NDRange && rank == 3:
			return func(dsl.NDItem3) {}
		}
		return func(dsl.Item3) {}
	})
}

func props(p ...properties.Property) func(*abi.Kernel) {
	return func(k *abi.Kernel) { k.Properties = p }
}

type opts = []runtime.LaunchOption

// launchOf launches k with a range of any of the types.
func launchOf(q *runtime.Queue, k *runtime.Kernel, r any, o opts) (runtime.Event, error) {
	l := kernelimpl.NewLaunch(k)
	switch r := r.(type) {
	case nil:
		return l.SingleTask(q, o)
	case runtime.Range1:
		return l.ParallelFor1(q, r, o)
	case runtime.Range2:
		return l.ParallelFor2(q, r, o)
	case runtime.Range3:
		return l.ParallelFor3(q, r, o)
	case runtime.NDRange1:
		return l.ParallelForND1(q, r, o)
	case runtime.NDRange2:
		return l.ParallelForND2(q, r, o)
	case runtime.NDRange3:
		return l.ParallelForND3(q, r, o)
	}
	panic(r)
}

// nd1, nd2 and nd3 are short for nd-ranges.
func nd1(g, l int) any { return runtime.NDRange1{Global: runtime.Range1(g), Local: runtime.Range1(l)} }
func nd2(g, l runtime.Range2) any {
	return runtime.NDRange2{Global: g, Local: l}
}
func nd3(g, l int) any {
	return runtime.NDRange3{Global: runtime.Range3{g, g, g}, Local: runtime.Range3{l, l, l}}
}

func TestLaunchChecks(t *testing.T) {
	dev := openHost(t, runtime.MaskAspects(properties.FP64),
		runtime.OverrideLimits(runtime.Limits{MaxWorkItems: 256, LocalMemory: 1000, MaxWorkGroupSize: [3]int{256, 128, 64}}))
	q := dev.DefaultQueue()
	wg, hint, sg := properties.WorkGroupSize, properties.WorkGroupSizeHint, properties.SubGroupSize
	local := func(n int) func(*abi.Kernel) {
		return func(k *abi.Kernel) {
			k.Locals = []abi.Local{{Name: "a", ElemSize: 4, Len: 100, Accessor: -1}, {Name: "b", ElemSize: 1, Len: n, Accessor: -1}}
		}
	}
	for _, c := range []struct {
		name  string
		form  abi.Form
		rank  int
		edit  func(*abi.Kernel)
		r     any
		opts  opts
		class error  // nil: it is launched
		text  string // part of the message
	}{
		{"task", abi.Task, 0, nil, nil, nil, nil, ""},
		{"range", abi.Range, 1, nil, runtime.Range1(10), nil, nil, ""},
		{"range of another rank", abi.Range, 1, nil, runtime.Range2{1, 1}, nil, runtime.ErrInvalid, "rank"},
		{"range of another form", abi.Range, 1, nil, nd1(1, 1), nil, runtime.ErrInvalid, "form"},
		{"negative range", abi.Range, 2, nil, runtime.Range2{4, -1}, nil, runtime.ErrInvalid, "[4 -1]"},
		{"empty range", abi.Range, 2, nil, runtime.Range2{0, 1 << 20}, nil, nil, ""},
		{"largest dimension", abi.Range, 3, nil, runtime.Range3{math.MaxInt32, 0, 1}, nil, nil, ""},
		{"dimension too large", abi.Range, 2, nil, runtime.Range2{math.MaxInt32 + 1, 0}, nil, runtime.ErrInvalid, "2147483647"},
		{"too many work-items", abi.Range, 3, nil, runtime.Range3{math.MaxInt32, math.MaxInt32, 3}, nil, runtime.ErrInvalid, "int"},

		{"nd-range", abi.NDRange, 1, nil, nd1(10, 5), nil, nil, ""},
		{"empty nd-range", abi.NDRange, 1, nil, nd1(0, 5), nil, nil, ""},
		{"zero nd-range", abi.NDRange, 1, nil, nd1(0, 0), nil, nil, ""},
		{"negative nd-range", abi.NDRange, 1, nil, nd1(-4, 4), nil, runtime.ErrInvalid, ""},
		{"negative work-group size", abi.NDRange, 1, nil, nd1(4, -4), nil, runtime.ErrInvalid, ""},
		{"zero work-group size", abi.NDRange, 1, nil, nd1(4, 0), nil, runtime.ErrNDRange, ""},
		{"no multiple", abi.NDRange, 1, nil, nd1(10, 4), nil, runtime.ErrNDRange, "multiple"},
		{"work-group too large", abi.NDRange, 1, nil, nd1(512, 512), nil, runtime.ErrNDRange, "256"},
		{"one dimension too large", abi.NDRange, 3, nil, runtime.NDRange3{Global: runtime.Range3{128, 1, 1}, Local: runtime.Range3{128, 1, 1}}, nil, runtime.ErrNDRange, "64"},
		{"too many items in a group", abi.NDRange, 2, nil, nd2(runtime.Range2{32, 32}, runtime.Range2{32, 32}), nil, runtime.ErrNDRange, "256"},

		{"required 2,2,2", abi.NDRange, 3, props(wg(2, 2, 2)), nd3(8, 2), nil, nil, ""},
		{"required 2,2,2, launched 4,4,4", abi.NDRange, 3, props(wg(2, 2, 2)), nd3(8, 4), nil, runtime.ErrNDRange, "[2 2 2]"},
		{"required 4, launched 2", abi.NDRange, 1, props(wg(4)), nd1(8, 2), nil, runtime.ErrNDRange, ""},
		{"required too large", abi.NDRange, 1, props(wg(math.MaxUint32)), nd1(math.MaxInt32, math.MaxInt32), nil, runtime.ErrKernelNotSupported, "4294967295"},
		{"required too large and different", abi.NDRange, 1, props(wg(512)), nd1(4, 4), nil, runtime.ErrKernelNotSupported, "512"},
		{"required, total too large", abi.Range, 2, props(wg(64, 64)), runtime.Range2{64, 64}, nil, runtime.ErrKernelNotSupported, "256"},
		{"required of another rank", abi.Range, 1, props(wg(8, 8)), runtime.Range1(64), nil, runtime.ErrNDRange, "dimensions"},
		{"required, range no multiple", abi.Range, 1, props(wg(4)), runtime.Range1(10), nil, nil, ""},
		{"required of a task", abi.Task, 0, props(wg(1)), nil, nil, nil, ""},
		{"required of a task, 2", abi.Task, 0, props(wg(2)), nil, nil, runtime.ErrNDRange, ""},
		{"hint of another size", abi.NDRange, 1, props(hint(32)), nd1(64, 64), nil, nil, ""},
		{"hint too large", abi.Range, 1, props(hint(4096)), runtime.Range1(64), nil, nil, ""},
		{"hint of another rank", abi.Range, 1, props(hint(8, 8)), runtime.Range1(64), nil, runtime.ErrNDRange, ""},

		{"at launch", abi.NDRange, 1, nil, nd1(8, 4), opts{runtime.With(wg(4))}, nil, ""},
		{"at launch, different", abi.NDRange, 1, nil, nd1(8, 4), opts{runtime.With(wg(8))}, runtime.ErrNDRange, ""},
		{"at launch, equal", abi.Range, 1, props(wg(4)), runtime.Range1(8), opts{runtime.With(wg(4), sg(8))}, nil, ""},
		{"at launch, conflict", abi.Range, 1, props(wg(4)), runtime.Range1(8), opts{runtime.With(wg(8))}, runtime.ErrInvalid, "WorkGroupSize(8)"},
		{"at launch, twice", abi.Range, 1, nil, runtime.Range1(8), opts{runtime.With(wg(8)), runtime.With(wg(8))}, runtime.ErrInvalid, "twice"},
		{"at launch, invalid", abi.Range, 1, nil, runtime.Range1(8), opts{runtime.With(wg())}, runtime.ErrInvalid, ""},
		{"at launch, float mode", abi.Range, 1, nil, runtime.Range1(8), opts{runtime.With(properties.Float(properties.FloatFast))}, runtime.ErrInvalid, "Properties"},
		{"nil option", abi.Range, 1, nil, runtime.Range1(8), opts{nil}, runtime.ErrInvalid, ""},

		{"sub-group", abi.NDRange, 1, props(sg(8)), nd1(8, 8), nil, nil, ""},
		{"sub-group too large", abi.NDRange, 1, props(sg(256)), nd1(8, 8), nil, runtime.ErrKernelNotSupported, "sub-groups of 256"},
		{"sub-group odd", abi.NDRange, 1, props(sg(12)), nd1(8, 8), nil, runtime.ErrKernelNotSupported, ""},

		{"local memory", abi.NDRange, 1, local(600), nd1(8, 8), nil, nil, ""},
		{"too much local memory", abi.NDRange, 1, local(601), nd1(8, 8), nil, runtime.ErrMemoryAllocation, "1000"},
		{"far too much", abi.NDRange, 1, local(math.MaxInt64), nd1(8, 8), nil, runtime.ErrMemoryAllocation, "1000"},

		{"aspect", abi.Range, 1, func(k *abi.Kernel) { k.Aspects = []properties.Aspect{properties.Int64} }, runtime.Range1(8), nil, nil, ""},
		{"aspect missing", abi.Range, 1, func(k *abi.Kernel) { k.Aspects = []properties.Aspect{properties.FP64} }, runtime.Range1(8), nil, runtime.ErrKernelNotSupported, "fp64"},
		{"aspect missing, empty", abi.Range, 1, func(k *abi.Kernel) { k.Aspects = []properties.Aspect{properties.FP64} }, runtime.Range1(0), nil, runtime.ErrKernelNotSupported, "fp64"},
		{"device_has missing", abi.Range, 1, props(properties.DeviceHas(properties.FP64)), runtime.Range1(8), nil, runtime.ErrKernelNotSupported, "fp64"},
		{"device_has at launch", abi.Range, 1, nil, runtime.Range1(8), opts{runtime.With(properties.DeviceHas(properties.GPU))}, runtime.ErrKernelNotSupported, "gpu"},

		{"constant without a value", abi.Range, 1, func(k *abi.Kernel) { k.Specs = []abi.SpecConstant{{Name: "k.Width", Size: 4, Required: true}} }, runtime.Range1(8), nil, runtime.ErrSpecConst, "k.Width"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kernel(c.form, c.rank, c.edit)
			e, err := launchOf(q, k, c.r, c.opts)
			if c.class == nil {
				if err != nil {
					t.Fatal(err)
				}
				check(t, e.Wait(ctx))
				return
			}
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), "k.K: ") && c.name != "nil option" {
				t.Errorf("got %v, want %v with %q", err, c.class, c.text)
			}
			for _, other := range []error{runtime.ErrInvalid, runtime.ErrNDRange, runtime.ErrKernelNotSupported, runtime.ErrMemoryAllocation, runtime.ErrSpecConst} {
				if other != c.class && errors.Is(err, other) {
					t.Errorf("%v is also %v", err, other)
				}
			}
			// A required work-group size is used as it is, and what a kernel states by
			// itself is found before any launch.
			if c.class == runtime.ErrKernelNotSupported && c.opts == nil {
				if err := dev.Compatible(k); !errors.Is(err, c.class) {
					t.Errorf("Compatible: %v", err)
				}
			}
		})
	}
	if err := dev.Compatible(); err != nil {
		t.Error(err)
	}
	if err := dev.Compatible(modelgen.Kernels()...); err != nil {
		t.Error(err)
	}
	if !errors.Is(runtime.ErrSpecConst, runtime.ErrCompileProgram) {
		t.Error("ErrSpecConst is not of the class ErrCompileProgram")
	}
}

func TestRequiredLocalRange(t *testing.T) {
	q := openHost(t).DefaultQueue()
	k := kernel(abi.Range, 2, props(properties.WorkGroupSize(8, 8)))
	e := must(launchOf(q, k, runtime.Range2{16, 16}, nil))
	equal(t, "required", e.LocalRange(), []int{8, 8})
	k = kernel(abi.Range, 2, props(properties.WorkGroupSizeHint(4, 2)))
	e = must(launchOf(q, k, runtime.Range2{16, 16}, nil))
	equal(t, "hint", e.LocalRange(), []int{4, 2})
	e = must(launchOf(q, k, runtime.Range2{16, 16}, opts{runtime.With(properties.WorkGroupSize(2, 2))}))
	equal(t, "at launch", e.LocalRange(), []int{2, 2})
}

func TestArgumentErrors(t *testing.T) {
	dev, other := openHost(t), openHost(t)
	q := dev.DefaultQueue()
	nd := runtime.NDRange1{Global: 16, Local: 16}
	is := func(what string, err, class error, text string) {
		t.Helper()
		if !errors.Is(err, class) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v, want %v", what, err, class)
		}
	}
	mine, theirs := must(runtime.NewBuffer[int32](dev, 16)), must(runtime.NewBuffer[int32](other, 16))
	_, err := modelgen.Reverse{X: theirs.All()}.ParallelFor(q, nd)
	is("another device", err, runtime.ErrKernelArgument, "X")
	is("another device", theirs.CopyTo(ctx, q, make([]int32, 16)), runtime.ErrInvalid, "")
	is("length", mine.CopyTo(ctx, q, make([]int32, 15)), runtime.ErrInvalid, "15")
	is("length", mine.CopyFrom(ctx, q, make([]int32, 17)), runtime.ErrInvalid, "17")
	var none *runtime.Buffer[int32]
	_, err = modelgen.Reverse{X: none.All()}.ParallelFor(q, nd)
	is("nil buffer", err, runtime.ErrKernelArgument, "X is a view of a nil buffer")
	is("nil buffer", none.CopyTo(ctx, q, nil), runtime.ErrInvalid, "nil")
	is("nil buffer", none.CopyFrom(ctx, q, make([]int32, 3)), runtime.ErrInvalid, "nil")
	if n, dev := none.Len()+none.All().Len(), none.Device(); n != 0 || dev != nil || none.Close() != nil {
		t.Errorf("a nil buffer has %d elements on %v", n, dev)
	}
	_, err = runtime.Open(nil)
	is("nil option", err, runtime.ErrInvalid, "option")
	mine.Close()
	_, err = modelgen.Reverse{X: mine.All()}.ParallelFor(q, nd)
	is("closed buffer", err, runtime.ErrKernelArgument, "X")
	is("closed buffer", mine.CopyTo(ctx, q, make([]int32, 16)), runtime.ErrInvalid, "closed")
	for _, n := range []int{0, 1 << 40} {
		k := modelgen.GroupSum{}
		if n > 0 {
			k.Scratch = dsl.LocalLen[int32](n)
		}
		_, err = k.ParallelFor(q, nd)
		is("accessor", err, runtime.ErrKernelArgument, "Scratch")
	}
	_, err = modelgen.GroupSum{Scratch: dsl.LocalLen[int32](1 << 30)}.ParallelFor(q, nd)
	is("accessor", err, runtime.ErrMemoryAllocation, "1048576")

	_, err = runtime.NewBuffer[int32](dev, -1)
	is("negative", err, runtime.ErrInvalid, "-1")
	_, err = runtime.NewBuffer[int64](dev, math.MaxInt64)
	is("huge", err, runtime.ErrMemoryAllocation, "")
	_, err = runtime.NewBuffer[struct{ A [2]struct{ S []int } }](dev, 1)
	is("slice in the element", err, runtime.ErrInvalid, ".A[0].S")
	_, err = runtime.NewBuffer[*int](dev, 1)
	is("pointer", err, runtime.ErrInvalid, "ptr")
	_, err = runtime.NewBuffer[string](dev, 0)
	is("string", err, runtime.ErrInvalid, "string")

	_, err = modelgen.Sum{}.SingleTask(nil)
	is("nil queue", err, runtime.ErrInvalid, "queue")
	_, err = modelgen.Sum{}.SingleTask(&runtime.Queue{})
	is("zero queue", err, runtime.ErrInvalid, "queue")
	is("nil device", modelgen.RunSum(ctx, nil, model.Sum{}), runtime.ErrInvalid, "device")
	_, err = runtime.NewBuffer[int](nil, 1)
	is("nil device", err, runtime.ErrInvalid, "device")
	is("nil context", modelgen.RunSum(nil, dev, model.Sum{}), runtime.ErrInvalid, "context")
	is("nil context", q.Wait(nil), runtime.ErrInvalid, "context")
	is("nil queue", mine.CopyTo(ctx, nil, nil), runtime.ErrInvalid, "queue")
	dev.Close()
	_, err = modelgen.Sum{}.SingleTask(q)
	is("closed device", err, runtime.ErrInvalid, "closed")
	is("closed device", modelgen.RunSum(ctx, dev, model.Sum{}), runtime.ErrInvalid, "closed")
	_, err = runtime.NewBuffer[int](dev, 1)
	is("closed device", err, runtime.ErrInvalid, "closed")
}

func TestViewBounds(t *testing.T) {
	b := must(runtime.NewBuffer[int32](openHost(t), 4))
	for _, c := range [][2]int{{-1, 2}, {3, 2}, {0, 5}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Slice(%d, %d) does not panic", c[0], c[1])
				}
			}()
			b.Slice(c[0], c[1])
		}()
	}
	if v := b.Slice(1, 4).Slice(3, 3); v.Len() != 0 {
		t.Error(v.Len())
	}
	if n := (runtime.View[int]{}).Len(); n != 0 {
		t.Error(n)
	}
}

func TestOpen(t *testing.T) {
	all := runtime.Devices()
	at := slices.IndexFunc(all, func(d runtime.DeviceInfo) bool { return d.Backend == "host" && d.Type == runtime.HostCPU })
	if at < 0 {
		t.Fatalf("no host device among %v", all)
	}
	t.Setenv("KGEN_DEVICE", "host")
	dev := must(runtime.Open())
	if !strings.HasPrefix(dev.Name(), "host (") || !dev.Has(properties.CPU) || dev.Has(properties.GPU) {
		t.Errorf("%v: %+v", dev, dev.Info())
	}
	check(t, dev.Close())
	t.Setenv("KGEN_DEVICE", "none such")
	_, err := runtime.Open()
	if !errors.Is(err, runtime.ErrNoDevice) || !strings.Contains(err.Error(), `KGEN_DEVICE="none such"`) || !strings.Contains(err.Error(), "host (") {
		t.Error(err)
	}
	// Select is stronger, and takes names, parts of names and indices.
	for _, s := range []string{"host", "HOST (", all[at].Name, strconv.Itoa(at)} {
		dev := must(runtime.Open(runtime.Select(s)))
		if dev.Info().Backend != "host" {
			t.Errorf("Select(%q): %v", s, dev)
		}
		check(t, dev.Close())
	}
	if _, err := runtime.Open(runtime.Select("99")); !errors.Is(err, runtime.ErrNoDevice) || !strings.Contains(err.Error(), "Select") {
		t.Error(err)
	}
	dev = openHost(t, runtime.MaskAspects(properties.FP16, properties.SubGroups), runtime.OverrideLimits(runtime.Limits{LocalMemory: 1, MaxWorkItems: 1 << 30}))
	info := dev.Info()
	if dev.Has(properties.FP16) || slices.Contains(info.Aspects, properties.FP16) || info.MaxSubGroup != 0 ||
		info.Limits.LocalMemory != 1 || info.Limits.MaxWorkItems != 1024 {
		t.Errorf("%+v", info)
	}
}

// TestEnvironment: a value that means nothing is an error that names the variable, the
// value and what it may be.
func TestEnvironment(t *testing.T) {
	for _, c := range [][3]string{
		{"KGEN_SMALL", "nevr", "it may be never"},
		{"KGEN_EXACT_DIVIDE", "allways", "it may be always, never"},
		{"KGEN_VALIDATE", "true", "it may be 1, 0"},
		{"KGEN_CHECKED", "yes", "it may be an integer"},
		{"KGEN_HOST_FORM", "of", "it may be off, on"},
		{"KGEN_HOST_SUBGROUP", "31", "it may be a power of two up to 128"},
		{"KGEN_PIPELINE_CACHE", "of", "it may be off, a directory"},
	} {
		t.Run(c[0], func(t *testing.T) {
			t.Setenv(c[0], c[1])
			dev, err := runtime.Open(runtime.Select("host"))
			var e *runtime.Error
			if !errors.As(err, &e) || !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("%s=%q", c[0], c[1])) ||
				!strings.Contains(err.Error(), c[2]) {
				t.Errorf("device %v, error %v", dev, err)
			}
		})
	}
}

func TestKernelInfo(t *testing.T) {
	for _, k := range modelgen.Kernels() {
		if k.Name() == "model.Reverse" {
			if !k.Properties().Equal(properties.List{properties.WorkGroupSize(16)}) {
				t.Error(k.Properties())
			}
			return
		}
	}
	t.Error("no Reverse")
}

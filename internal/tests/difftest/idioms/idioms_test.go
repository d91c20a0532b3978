package idioms_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/idioms"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/idioms/idiomsgen"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var (
	random = flag.Int("random", 500, "random pairs of operands, besides those of edges")
	all    = flag.Bool("all", false, "all pairs of 8-bit operands")

	everyCase = flag.Bool("every-case", false, "have each test of devices run all cases, and not some of them")
)

// TestMain has the host device run what gc makes of kernels.
func TestMain(m *testing.M) {
	devtest.ManyKernels()
	devtest.SmallGroups()
	os.Setenv("KGEN_HOST_FORM", "off")
	os.Exit(m.Run())
}

// launcher runs a kernel whose argument k points to.
type launcher func(k any, n int) error

// testCase is an instance of a kernel.
type testCase struct {
	name  string
	arg   reflect.Type
	local int // size of the interpreter's work-groups
	on    func(ctx context.Context, dev *runtime.Device) launcher
}

var cases []testCase

func add[K any](run func(context.Context, *runtime.Device, K, runtime.Range1, ...runtime.LaunchOption) error) {
	t := reflect.TypeFor[K]()
	cases = append(cases, testCase{t.Name(), t, 8, func(ctx context.Context, dev *runtime.Device) launcher {
		return func(k any, n int) error { return run(ctx, dev, *k.(*K), runtime.Range1(n)) }
	}})
}

// addGroups is add for kernels whose work-groups are one work-item each.
func addGroups[K any](run func(context.Context, *runtime.Device, K, runtime.NDRange1, ...runtime.LaunchOption) error) {
	add(func(ctx context.Context, dev *runtime.Device, k K, r runtime.Range1, opts ...runtime.LaunchOption) error {
		return run(ctx, dev, k, runtime.NDRange1{Global: r, Local: 1}, opts...)
	})
	cases[len(cases)-1].local = 1
}

// results runs the kernel on each so many of its operands.
func (c *testCase) results(each int, run launcher) (operands, []idioms.Rows, error) {
	k := reflect.New(c.arg)
	field := func(name string) reflect.Value { return k.Elem().FieldByName(name) }
	o := operandsOf(field("A").Type().Elem(), sample.Of(*random, *random/5), *all).each(each)
	n := o.a.Len()
	field("A").Set(o.a)
	field("B").Set(o.b)
	if f := field("C"); f.IsValid() {
		f.Set(o.c)
	}
	f := field("Out")
	f.Set(reflect.MakeSlice(f.Type(), n, n))
	if err := run(k.Interface(), n); err != nil {
		return o, nil, err
	}
	out, ok := f.Interface().([]idioms.Rows)
	if !ok {
		for _, r := range f.Interface().([]idioms.Row) {
			out = append(out, idioms.Rows{Loaded: r})
		}
	}
	return o, out, nil
}

// compare says which slots differ, for how many operands, and gives the first ones.
func compare(t *testing.T, o operands, got, want []idioms.Rows) {
	t.Helper()
	slot := func(name string, n int, row func(r *idioms.Rows) *idioms.Row) {
		bad, first := 0, ""
		for i := range got {
			if g, w := row(&got[i])[n], row(&want[i])[n]; g != w {
				if bad++; bad <= 3 {
					first += fmt.Sprintf("\n\ta, b, c = %v, %v, %v: %#x, want %#x", o.a.Index(i), o.b.Index(i), o.c.Index(i), g, w)
				}
			}
		}
		if bad > 0 {
			t.Errorf("out[%d] of %s operands differs in %d of %d rows:%s", n, name, bad, len(got), first)
		}
	}
	for n := range idioms.Slots {
		slot("loaded", n, func(r *idioms.Rows) *idioms.Row { return &r.Loaded })
		slot("summed", n, func(r *idioms.Rows) *idioms.Row { return &r.Summed })
	}
}

// compareDevices compares the host device with the Vulkan device, in the case with index first of
// each `of` in a row; in all with -every-case. Kernels have instances of up to ten types: a number
// that does not divide ten leaves some of each kernel and of each type.
func compareDevices(t *testing.T, first, of int, opts ...runtime.OpenOption) {
	host, dev := devtest.Host(t), devtest.Vulkan(t, opts...)
	t.Logf("comparing %s with %s", dev.Name(), host.Name())
	for i := range cases {
		c := &cases[i]
		if i%of != first && !*everyCase || swiftshader.On() && !sample.Has(c.name, 5) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // drivers compile slowly
			o, got, err := c.results(1, c.on(t.Context(), dev))
			if errors.Is(err, runtime.ErrKernelNotSupported) && strings.HasPrefix(c.name, "Floats64") && !dev.Has(properties.FP64) {
				t.Skipf("%s: %v", dev.Name(), err)
			} else if err != nil {
				t.Fatal(err)
			}
			_, want, err := c.results(1, c.on(t.Context(), host))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, o, got, want)
		})
	}
}

// TestDevices compares idioms on the Vulkan device with what gc makes of it.
func TestDevices(t *testing.T) {
	if swiftshader.On() {
		compareDevices(t, 1, 7)
	} else {
		compareDevices(t, 0, 13)
	}
}

// TestModules sees to it that TestDevices runs the general modules: kernels have no others
// for small launches, which it would run instead.
func TestModules(t *testing.T) {
	for _, k := range gen.Kernels() {
		for i := range k.ABI().Variants {
			if k.ABI().Variants[i].Products != nil {
				t.Errorf("%s has a module for small launches: run the general one, too (KGEN_SMALL=never)", k.ABI().Name)
			}
		}
	}
}

// TestWords does so with the variants for devices that compute in words, which one in seven of the
// cases uses on SwiftShader.
func TestWords(t *testing.T) {
	compareDevices(t, 2, 17, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64))
}

// TestSwiftShader does so on a device that has nothing else.
func TestSwiftShader(t *testing.T) {
	var flags []string
	if *everyCase {
		flags = append(flags, "-every-case")
	}
	swiftshader.Run(t, "^TestDevices$", flags...)
}

// TestInterpreter compares with the interpreter: of each kernel the first of several points of
// the passes and one of the others in turn, or all with -every-case.
func TestInterpreter(t *testing.T) {
	const few = 13
	if _, err := exec.LookPath("go"); err != nil {
		need.Missing(t, "", "no go command")
	}
	kernels, err := oracle.OpenCorpus(t.Context(), []string{"."}, oracle.Points)
	if err != nil {
		t.Fatal(err)
	}
	host := devtest.Host(t)
	for i := range cases {
		c := &cases[i]
		if !sample.Has(c.name, 8) {
			continue
		}
		k, err := kernels.Kernel(c.arg.PkgPath() + "." + c.name)
		if err != nil || k == nil {
			t.Errorf("no kernel %s: %v", c.name, err)
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, want, err := c.results(few, c.on(t.Context(), host))
			if err != nil {
				t.Fatal(err)
			}
			for j, p := range oracle.Points {
				if j > 0 && (i+j)%8 > 0 && !*everyCase {
					continue
				}
				o, got, err := c.results(few, func(arg any, n int) error {
					l := oracle.Launch{Arg: arg, Global: []int{n}, Local: []int{c.local}, SubGroupSize: 8, MaxSteps: 1 << 40}
					return l.Run(k, p)
				})
				if err != nil {
					t.Fatalf("%s: %v", p, err)
				}
				t.Run(p, func(t *testing.T) { compare(t, o, got, want) })
			}
		})
	}
	if n := len(kernels.Names()); len(cases) != n {
		t.Errorf("%d cases for %d kernels", len(cases), n)
	}
}

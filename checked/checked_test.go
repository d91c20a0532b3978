package checked_test

import (
	"context"
	"errors"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	_ "github.com/kgen-go/kgen/checked"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/tests/wrong"
	gen "github.com/kgen-go/kgen/internal/tests/wrong/wronggen"
	"github.com/kgen-go/kgen/runtime"
)

func open(t *testing.T, seed uint64) *runtime.Device {
	t.Helper()
	dev, err := runtime.Open(runtime.Select("host"), runtime.Checked(seed))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return dev
}

var ctx = context.Background()

type launch struct {
	name string
	run  func(dev *runtime.Device) error
}

// wrongKernels launches each kernel of package wrong.
func wrongKernels() []launch {
	mem := func() wrong.Mem {
		m := wrong.Mem{N: 100, X: make([]int32, 128), Y: make([]int32, 128), Scratch: dsl.LocalLen[int32](64)}
		for i := range m.X {
			m.X[i] = int32(i)
		}
		return m
	}
	flat := func() wrong.Flat { m := mem(); return wrong.Flat{X: m.X, Y: m.Y} }
	nd := runtime.NDRange1{Global: 128, Local: 64}
	return []launch{
		{"MissingBarrier", func(d *runtime.Device) error {
			return gen.RunMissingBarrier(ctx, d, wrong.MissingBarrier{Mem: mem()}, nd)
		}},
		{"MissingSecond", func(d *runtime.Device) error {
			return gen.RunMissingSecond(ctx, d, wrong.MissingSecond{Mem: mem()}, nd)
		}},
		{"SameElement", func(d *runtime.Device) error { return gen.RunSameElement(ctx, d, wrong.SameElement{Mem: mem()}, nd) }},
		{"Neighbour", func(d *runtime.Device) error { return gen.RunNeighbour(ctx, d, wrong.Neighbour{Flat: flat()}, 128) }},
		{"InPlace", func(d *runtime.Device) error { return gen.RunInPlace(ctx, d, wrong.InPlace{Flat: flat()}, 128) }},
		{"Counts", func(d *runtime.Device) error { return gen.RunCounts(ctx, d, wrong.Counts{Mem: mem()}, nd) }},
		{"GlobalCounts", func(d *runtime.Device) error {
			return gen.RunGlobalCounts(ctx, d, wrong.GlobalCounts{Flat: flat()}, 128)
		}},
		{"HalfAtomic", func(d *runtime.Device) error { return gen.RunHalfAtomic(ctx, d, wrong.HalfAtomic{Mem: mem()}, nd) }},
		{"Halo", func(d *runtime.Device) error { return gen.RunHalo(ctx, d, wrong.Halo{Mem: mem()}, nd) }},
		{"Guarded", func(d *runtime.Device) error { return gen.RunGuarded(ctx, d, wrong.Guarded{Mem: mem()}, nd) }},
		{"Evens", func(d *runtime.Device) error { return gen.RunEvens(ctx, d, wrong.Evens{Mem: mem()}, nd) }},
		{"Accessor", func(d *runtime.Device) error { return gen.RunAccessor(ctx, d, wrong.Accessor{Mem: mem()}, nd) }},
		{"SmallBarrier", func(d *runtime.Device) error { return gen.RunSmallBarrier(ctx, d, wrong.SmallBarrier{Mem: mem()}, nd) }},
		{"Tree", func(d *runtime.Device) error { return gen.RunTree(ctx, d, wrong.Tree{Mem: mem()}, nd) }},
		{"LastSteps", func(d *runtime.Device) error { return gen.RunLastSteps(ctx, d, wrong.LastSteps{Mem: mem()}, nd) }},
		{"Lie", func(d *runtime.Device) error { return gen.RunLie(ctx, d, wrong.Lie{Mem: mem()}, nd) }},
		{"LieRounds", func(d *runtime.Device) error { return gen.RunLieRounds(ctx, d, wrong.LieRounds{Mem: mem()}, nd) }},
		{"Overlap", func(d *runtime.Device) error { return gen.RunOverlap(ctx, d, wrong.Overlap{Mem: mem()}, nd) }},
		{"Flag", func(d *runtime.Device) error { return gen.RunFlag(ctx, d, wrong.Flag{Mem: mem()}, nd) }},
		{"Shared", func(d *runtime.Device) error { return gen.RunShared(ctx, d, wrong.Shared{Mem: mem()}, nd) }},
		{"Halves", func(d *runtime.Device) error { return gen.RunHalves(ctx, d, wrong.Halves{Mem: mem()}, nd) }},
		{"AfterReduction", func(d *runtime.Device) error {
			return gen.RunAfterReduction(ctx, d, wrong.AfterReduction{Mem: mem()}, nd)
		}},
		{"MatrixMissingBarrier", func(d *runtime.Device) error {
			return gen.RunMatrixMissingBarrier(ctx, d, wrong.MatrixMissingBarrier{Mem: mem()}, nd)
		}},
		{"MatrixOfEach", func(d *runtime.Device) error { return gen.RunMatrixOfEach(ctx, d, wrong.MatrixOfEach{Mem: mem()}, nd) }},
		{"Swapped", func(d *runtime.Device) error { return gen.RunSwapped(ctx, d, wrong.Swapped{Mem: mem()}, nd) }},
	}
}

var want = regexp.MustCompile(`// want (\w+)$`)

// wanted returns the line of the kernel's mistake and its kind.
func wanted(t *testing.T, lines []string, name string) (int, runtime.FindingKind) {
	t.Helper()
	in := false
	for i, line := range lines {
		in = in && line != "}" || strings.HasPrefix(line, "func (k "+name+")")
		if m := want.FindStringSubmatch(line); in && m != nil {
			return i + 1, map[string]runtime.FindingKind{"race": runtime.FindRace, "unwritten": runtime.FindUnwritten,
				"divergence": runtime.FindDivergence, "uniform": runtime.FindNotUniform}[m[1]]
		}
	}
	t.Fatalf("%s has no want comment", name)
	return 0, 0
}

// TestWrong: the checked mode finds the mistake of every kernel, and nothing else,
// in each order.
func TestWrong(t *testing.T) {
	source, err := os.ReadFile("../internal/tests/wrong/kernel.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	kernels := wrongKernels()
	if len(kernels) < 20 || strings.Count(string(source), "// want ") != len(kernels) {
		t.Errorf("%d kernels, %d want comments", len(kernels), strings.Count(string(source), "// want "))
	}
	for _, seed := range []uint64{0, 1, 77} {
		dev := open(t, seed)
		for _, k := range kernels {
			t.Run(k.name+"/"+strconv.Itoa(int(seed)), func(t *testing.T) {
				line, kind := wanted(t, lines, k.name)
				err := k.run(dev)
				e := &runtime.CheckError{}
				if !errors.As(err, &e) || len(e.Findings) == 0 {
					t.Fatalf("nothing was found: %v", err)
				}
				at := "internal/tests/wrong/kernel.go:" + strconv.Itoa(line) + ":"
				for _, f := range e.Findings {
					if f.Kind != kind || !strings.HasPrefix(f.Pos, at) && !strings.HasPrefix(f.Other, at) {
						t.Errorf("not wanted: %v %s: %s", f.Kind, f.Pos, f.Message)
					}
					group := map[string]string{"Neighbour": "]", "InPlace": "]", "GlobalCounts": "]", // kernels over ranges
						"SameElement": ", of the same work-group,", "MissingBarrier": ", of the same work-group,", "Overlap": ", of another work-group,"}[k.name]
					if !strings.Contains(f.Message, group+" are of the same memory") && group != "" {
						t.Errorf("want %q in %s", group+" are of the same memory", f.Message)
					}
				}
				if !strings.Contains(err.Error(), path.Base(at)) || !strings.HasPrefix(err.Error(), "wrong."+k.name+": ") {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// TestSeed: the same seed finds the same, in the same order.
func TestSeed(t *testing.T) {
	for _, k := range wrongKernels()[:3] {
		a, b := k.run(open(t, 5)), k.run(open(t, 5))
		if a == nil || b == nil || a.Error() != b.Error() {
			t.Errorf("%s: %v, then %v", k.name, a, b)
		}
	}
}

// TestFaultFirst: what a work-item did not store since it faulted is no mistake of its own.
func TestFaultFirst(t *testing.T) {
	k := corpus.FaultBeforeBarrier{Bad: 40, In: make([]int32, 64), Out: make([]int32, 64)}
	err := corpusgen.RunFaultBeforeBarrier(ctx, open(t, 1), k, runtime.NDRange1{Global: 64, Local: 32})
	if f := new(runtime.Fault); !errors.As(err, &f) || f.GlobalID[0] != 40 {
		t.Errorf("got %v, not the fault", err)
	}
}

func TestNeedsHost(t *testing.T) {
	if _, err := runtime.Open(runtime.Select("vulkan"), runtime.Checked(1)); err == nil {
		t.Error("a Vulkan device was opened in checked mode")
	}
}

// reported returns the text of an error. Where a sub-group uses a matrix, any of its work-items may be the one that
// panics, at any place of the line.
func reported(err error) string {
	if f := new(runtime.Fault); errors.As(err, &f) && f.Message == matrix.NotSame {
		return f.Message
	}
	return err.Error()
}

// TestUnchecked: without checks the mistakes end no process, whichever way the host
// device runs the kernels, and both ways report the same.
func TestUnchecked(t *testing.T) {
	var devs []*runtime.Device
	for _, form := range []string{"on", "off"} {
		t.Setenv("KGEN_HOST_FORM", form)
		dev, err := runtime.Open(runtime.Select("host"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		devs = append(devs, dev)
	}
	for _, k := range wrongKernels() {
		t.Run(k.name, func(t *testing.T) {
			a, b := k.run(devs[0]), k.run(devs[1])
			if (a == nil) != (b == nil) || a != nil && reported(a) != reported(b) {
				t.Errorf("host form: %v, coroutines: %v", a, b)
			}
		})
	}
}

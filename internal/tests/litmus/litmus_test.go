package litmus_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/litmus"
	gen "github.com/kgen-go/kgen/internal/tests/litmus/litmusgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/runtime"
)

var (
	trials = testflag.Int("trials", 1<<15, 1, math.MaxInt, "instances of each litmus test on each device, for groups of each kind")
	seed   = flag.Uint64("seed", 1, "what the permutations depend on")
	spread = testflag.PowerOfTwo("instances", 1<<13, 256, "instances in one launch")
)

// outcome is what an instance leaves: its results and the last values of x and y.
type outcome struct{ r0, r1, r2, r3, x, y int }

func (o outcome) String() string {
	return fmt.Sprintf("r0=%d r1=%d r2=%d r3=%d x=%d y=%d", o.r0, o.r1, o.r2, o.r3, o.x, o.y)
}

// count returns how many instances of each test run.
func count() int { return sample.Of(*trials, min(*trials, 1<<10)) }

type kernel interface {
	ParallelFor(q *runtime.Queue, nd runtime.NDRange1, opts ...runtime.LaunchOption) (runtime.Event, error)
}

type instances = gen.Instances

// test is a litmus test. Forbidden says what the Go memory model does not allow.
type test struct {
	name      string
	roles     int
	local     bool // the work-items of an instance must be of one work-group
	forbidden func(o outcome) bool
	kernel    func(in instances) kernel
}

var tests = []test{
	{"MP", 2, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 0 }, func(in instances) kernel { return gen.MP{Instances: gen.Instances(in)} }},
	{"MPAtomic", 2, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 0 }, func(in instances) kernel { return gen.MPAtomic{Instances: gen.Instances(in)} }},
	{"MPAdd", 2, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 0 }, func(in instances) kernel { return gen.MPAdd{Instances: gen.Instances(in)} }},
	{"MPSwap", 2, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 0 }, func(in instances) kernel { return gen.MPSwap{Instances: gen.Instances(in)} }},
	{"FenceMP", 2, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 0 }, func(in instances) kernel { return gen.FenceMP{Instances: gen.Instances(in)} }},
	{"LocalMP", 2, true, func(o outcome) bool { return o.r0 == 1 && (o.r1 == 0 || o.r2 == 0) }, func(in instances) kernel { return gen.LocalMP{Instances: gen.Instances(in)} }},
	{"SB", 2, false, func(o outcome) bool { return o.r0 == 0 && o.r1 == 0 }, func(in instances) kernel { return gen.SB{Instances: gen.Instances(in)} }},
	{"SBSwap", 2, false, func(o outcome) bool { return o.r0 == 0 && o.r1 == 0 }, func(in instances) kernel { return gen.SBSwap{Instances: gen.Instances(in)} }},
	{"LocalSB", 2, true, func(o outcome) bool { return o.r0 == 0 && o.r1 == 0 }, func(in instances) kernel { return gen.LocalSB{Instances: gen.Instances(in)} }},
	{"LB", 2, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 1 }, func(in instances) kernel { return gen.LB{Instances: gen.Instances(in)} }},
	{"S", 2, false, func(o outcome) bool { return o.r0 == 1 && o.x == 2 }, func(in instances) kernel { return gen.S{Instances: gen.Instances(in)} }},
	{"R", 2, false, func(o outcome) bool { return o.y == 2 && o.r0 == 0 }, func(in instances) kernel { return gen.R{Instances: gen.Instances(in)} }},
	{"2+2W", 2, false, func(o outcome) bool { return o.x == 1 && o.y == 1 }, func(in instances) kernel { return gen.TwoTwoW{Instances: gen.Instances(in)} }},
	{"CoRR", 2, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 0 }, func(in instances) kernel { return gen.CoRR{Instances: gen.Instances(in)} }},
	{"CoWW", 2, false, func(o outcome) bool { return o.x != 2 || o.r1 < o.r0 }, func(in instances) kernel { return gen.CoWW{Instances: gen.Instances(in)} }},
	{"CoWR", 2, false, func(o outcome) bool { return o.r0 == 0 || o.r0 == 2 && o.x != 2 }, func(in instances) kernel { return gen.CoWR{Instances: gen.Instances(in)} }},
	{"CoRW", 2, false, func(o outcome) bool { return o.r0 == 1 || o.r0 == 2 && o.x != 1 }, func(in instances) kernel { return gen.CoRW{Instances: gen.Instances(in)} }},
	{"RelaxedMP", 2, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 0 }, func(in instances) kernel { return gen.RelaxedMP{Instances: gen.Instances(in)} }},
	{"RelaxedCoRR", 2, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 0 }, func(in instances) kernel { return gen.RelaxedCoRR{Instances: gen.Instances(in)} }},
	{"RelaxedCoWW", 2, false, func(o outcome) bool { return o.x != 2 || o.r1 < o.r0 }, func(in instances) kernel { return gen.RelaxedCoWW{Instances: gen.Instances(in)} }},
	{"RelaxedCoRW", 2, false, func(o outcome) bool { return o.r0 == 1 || o.r0 == 2 && o.x != 1 }, func(in instances) kernel { return gen.RelaxedCoRW{Instances: gen.Instances(in)} }},
	{"IRIW", 4, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 0 && o.r2 == 1 && o.r3 == 0 }, func(in instances) kernel { return gen.IRIW{Instances: gen.Instances(in)} }},
	{"WRC", 4, false, func(o outcome) bool { return o.r0 == 1 && o.r1 == 1 && o.r2 == 0 }, func(in instances) kernel { return gen.WRC{Instances: gen.Instances(in)} }},
}

// TestLitmus runs all tests on each device. With -v it prints the outcomes.
func TestLitmus(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		for _, c := range tests {
			for _, within := range []bool{false, true} {
				if within || !c.local {
					t.Run(fmt.Sprintf("%s/within=%v", c.name, within), func(t *testing.T) { c.run(t, dev, within) })
				}
			}
		}
	})
}

// TestSwiftShader runs all tests on another driver.
func TestSwiftShader(t *testing.T) { swiftshader.Whole(t, "^TestLitmus$") }

func (c test) run(t *testing.T, dev *runtime.Device, within bool) {
	n := *spread
	buffer := func(n int) *runtime.Buffer[int32] {
		b, err := runtime.BufferOf(dev, make([]int32, n))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		return b
	}
	mem, results, busy := buffer(2*n), buffer(4*n), buffer(1)
	counts, err := runtime.BufferOf(dev, make([]uint32, litmus.Bins))
	if err != nil {
		t.Fatal(err)
	}
	defer counts.Close()
	q, ctx := dev.DefaultQueue(), context.Background()
	r := rand.New(rand.NewPCG(*seed, uint64(len(c.name))))
	sizes := []int{32, 64, 128, 256}
	var last runtime.Event
	for done := 0; done < count(); done += n {
		in := instances{N: n, Within: within, P: r.IntN(n) | 1, Q: r.IntN(n), S: r.IntN(n) | 1, T: r.IntN(n) | 1, U: r.IntN(n),
			Spin: []int{0, 0, 1, 7}[r.IntN(4)], Mem: mem.All(), R: results.All(), Busy: busy.All()}
		local := sizes[r.IntN(len(sizes))]
		if _, err := c.kernel(in).ParallelFor(q, runtime.NDRange1{Global: runtime.Range1(n * c.roles), Local: runtime.Range1(local)}); err != nil {
			t.Fatal(err)
		}
		last, err = gen.Collect{Instances: in, Counts: counts.All()}.ParallelFor(q, runtime.Range1(n))
		if err != nil {
			t.Fatal(err)
		}
		if done/n%16 == 0 {
			if err := last.Wait(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := last.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	list := make([]uint32, litmus.Bins)
	if err := counts.CopyTo(ctx, q, list); err != nil {
		t.Fatal(err)
	}
	c.report(t, list)
}

// report fails for outcomes that are forbidden, and logs all.
func (c test) report(t *testing.T, counts []uint32) {
	seen := map[outcome]uint32{}
	total := 0
	for code, n := range counts {
		if n > 0 {
			total += int(n)
			bits := func(i int) int { return code >> (2 * i) & 3 }
			seen[outcome{bits(0), bits(1), bits(2), bits(3), bits(4), bits(5)}] = n
		}
	}
	for _, o := range slices.SortedFunc(maps.Keys(seen), func(a, b outcome) int { return cmp.Compare(seen[b], seen[a]) }) {
		t.Logf("%9d  %v", seen[o], o)
		if c.forbidden(o) {
			t.Errorf("%v, which Go forbids, in %d of %d instances", o, seen[o], total)
		}
	}
	if total < count() {
		t.Errorf("%d instances were counted", total)
	}
}

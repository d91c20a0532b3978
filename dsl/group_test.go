package dsl_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/dslhook"
)

// treeSum adds up each group's elements in local memory.
type treeSum struct {
	in, out []int
}

func (k treeSum) Kernel(it dsl.NDItem1) {
	s := dsl.Local[[1024]int](it)
	l, n := it.LocalID(), it.LocalRange()
	s[l] = k.in[it.GlobalID()]
	it.Barrier()
	for n > 1 {
		half := (n + 1) / 2
		if l < n-half {
			s[l] += s[l+half]
		}
		it.Barrier()
		n = half
	}
	if l == 0 {
		k.out[it.GroupID()] = s[0]
	}
}

func TestTreeReduction(t *testing.T) {
	for _, wg := range []int{1, 2, 7, 64, 255, 256, 1024} {
		const groups = 5
		k := treeSum{make([]int, wg*groups), make([]int, groups)}
		want := make([]int, groups)
		for i := range k.in {
			k.in[i] = i*i - 7
			want[i/wg] += k.in[i]
		}
		runND(k.Kernel, ndLaunch([]int{wg * groups}, []int{wg}))
		mustEqual(t, fmt.Sprint("sums at work-group size ", wg), fmt.Sprint(k.out), fmt.Sprint(want))
	}
}

func TestTiledTranspose(t *testing.T) {
	const n = 64
	in, out := make([]int, n*n), make([]int, n*n)
	for i := range in {
		in[i] = i
	}
	runND(func(it dsl.NDItem2) {
		tile := dsl.Local[[16][17]int](it)
		y, x := it.GlobalID()
		ly, lx := it.LocalID()
		tile[ly][lx] = in[y*n+x]
		it.Barrier()
		gy, gx := it.GroupID()
		out[(gx*16+ly)*n+gy*16+lx] = tile[lx][ly]
	}, ndLaunch([]int{n, n}, []int{16, 16}))
	for i, v := range out {
		if want := i%n*n + i/n; v != want {
			t.Fatalf("out[%d] = %d, want %d", i, v, want)
		}
	}
}

// A Local in a loop is fresh memory in every round; two calls are two memories.
func TestLocalZeroedPerReach(t *testing.T) {
	const wg, rounds = 4, 50
	bad := make([]int, 3*wg)
	runND(func(it dsl.NDItem1) {
		i, l := it.GlobalID(), it.LocalID()
		for r := range rounds {
			a := dsl.Local[[wg]int](it)
			b := dsl.LocalSlice[int](it, wg)
			if a[l] != 0 || b[l] != 0 {
				bad[i]++
			}
			a[l] = r + 1
			b[l] = -r - 1
			it.Barrier()
			if o := (l + 1) % wg; a[o] != r+1 || b[o] != -r-1 {
				bad[i]++
			}
		}
	}, ndLaunch([]int{3 * wg}, []int{wg}))
	for i, n := range bad {
		mustEqual(t, fmt.Sprint("wrong values seen by ", i), n, 0)
	}
}

func TestLocalReuseAcrossKernels(t *testing.T) {
	var s dslhook.Scratch
	l := ndLaunch([]int{2}, []int{2})
	for round := range 3 {
		dslhook.RunGroup(func(it dsl.NDItem1) {
			p := dsl.Local[[2]int](it)
			mustEqual(t, "int before", p[it.LocalID()], 0)
			p[it.LocalID()] = 9
		}, l, 0, &s)
		dslhook.RunGroup(func(it dsl.NDItem1) {
			p := dsl.LocalSlice[float32](it, 2+round)
			mustEqual(t, "float before", p[it.LocalID()], 0)
			p[it.LocalID()] = 9
		}, l, 0, &s)
	}
}

func TestDivergentLocal(t *testing.T) {
	var f faults
	l := ndLaunch([]int{2}, []int{2})
	l.Panicked = f.add
	var s dslhook.Scratch
	dslhook.RunGroup(func(it dsl.NDItem1) {
		if it.LocalID() == 0 {
			dsl.Local[int](it)
		} else {
			dsl.Local[float32](it)
		}
	}, l, 0, &s)
	if len(f.list) != 1 || !strings.Contains(fmt.Sprint(f.list[0].v), "not uniform") {
		t.Errorf("faults: %v", f.list)
	}
}

type accessorKernel struct {
	a, b, empty dsl.LocalAccessor[int]
	out         []int
}

func (k accessorKernel) Kernel(it dsl.NDItem1) {
	l := it.LocalID()
	a, b := k.a.Slice(it), k.b.Slice(it)
	if a[l] != 0 || b[l] != 0 || len(k.empty.Slice(it)) != 0 {
		panic("not fresh")
	}
	a[l], b[l] = l, -l
	it.Barrier()
	o := it.LocalRange() - 1 - l
	k.out[it.GlobalID()] = k.a.Slice(it)[o]*1000 + k.b.Slice(it)[o]
}

func TestLocalAccessor(t *testing.T) {
	k := accessorKernel{a: dsl.LocalLen[int](8), b: dsl.LocalLen[int](8), out: make([]int, 64)}
	mustEqual(t, "length", k.a.Len(), 8)
	mustEqual(t, "length of the zero accessor", k.empty.Len(), 0)
	runND(k.Kernel, ndLaunch([]int{64}, []int{8}))
	for i, v := range k.out {
		mustEqual(t, "out", v, (7-i%8)*999)
	}
}

func TestSubGroupBarrier(t *testing.T) {
	const wg, sub = 20, 8
	out := make([]int, wg)
	runND(func(it dsl.NDItem1) {
		s := dsl.Local[[wg]int](it)
		sg := it.SubGroup()
		l := it.LocalID()
		// Sub-groups pass different numbers of barriers, then meet.
		for range sg.GroupID() + 1 {
			v := s[sg.GroupID()*sub+(sg.LocalID()+1)%sg.LocalRange()]
			sg.Barrier()
			s[l] = v + 1
			sg.Barrier()
		}
		it.Barrier()
		out[l] = s[wg-1-l]
	}, ndLaunch([]int{wg}, []int{wg}))
	for l, v := range out {
		mustEqual(t, fmt.Sprint("out ", l), v, (wg-1-l)/sub+1)
	}
}

func TestDivergentBarriersFault(t *testing.T) {
	var f faults
	l := ndLaunch([]int{8}, []int{8})
	l.Panicked = f.add
	after := 0
	var s dslhook.Scratch
	dslhook.RunGroup(func(it dsl.NDItem1) {
		if it.LocalID() == 3 {
			it.SubGroup().Barrier()
		} else {
			it.Barrier()
		}
		after++
	}, l, 0, &s)
	mustEqual(t, "went on", after, 0)
	mustEqual(t, "faults", len(f.list), 8)
	if !strings.Contains(fmt.Sprint(f.list[0].v), "divergent") {
		t.Errorf("fault: %v", f.list[0].v)
	}
	checkScratchWorks(t, &s)
}

func TestReturnedItemsAreNotWaitedFor(t *testing.T) {
	rounds := make([]int, 6)
	runND(func(it dsl.NDItem1) {
		l := it.LocalID()
		for range l {
			it.Barrier()
			rounds[l]++
		}
	}, ndLaunch([]int{6}, []int{6}))
	for l, n := range rounds {
		mustEqual(t, "rounds", n, l)
	}
}

// crash is named, so that the test finds its frame in the panic's stack.
func crash(xs []int, i int) int { return xs[i] }

func TestPanicInGroup(t *testing.T) {
	const wg = 16
	var f faults
	l := ndLaunch([]int{wg, 2}, []int{wg, 1})
	var stack string
	l.Panicked = func(id [3]int, v any) {
		f.add(id, v)
		pcs := make([]uintptr, 64)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
		for more := true; more; {
			var fr runtime.Frame
			fr, more = frames.Next()
			stack += fr.Function + "\n"
		}
	}
	var done atomic.Int64
	xs := make([]int, 5)
	var s dslhook.Scratch
	dslhook.RunGroup(func(it dsl.NDItem2) {
		y, _ := it.LocalID()
		it.Barrier()
		if y == 7 {
			crash(xs, y)
		}
		it.Barrier()
		it.Barrier()
		done.Add(1)
	}, l, 1, &s)
	mustEqual(t, "went on", int(done.Load()), wg-1)
	mustEqual(t, "faults", len(f.list), 1)
	mustEqual(t, "id", f.list[0].id, [3]int{7, 1})
	var re runtime.Error
	if err, _ := f.list[0].v.(error); !errors.As(err, &re) || !strings.Contains(re.Error(), "index out of range [7] with length 5") {
		t.Errorf("fault: %v", f.list[0].v)
	}
	if !strings.Contains(stack, "dsl_test.crash\n") {
		t.Errorf("the panicking frame is gone:\n%s", stack)
	}
	checkScratchWorks(t, &s)
}

func checkScratchWorks(t *testing.T, s *dslhook.Scratch) {
	t.Helper()
	k := treeSum{[]int{1, 2, 3, 4, 5, 6, 7, 8}, []int{0}}
	dslhook.RunGroup(k.Kernel, ndLaunch([]int{8}, []int{8}), 0, s)
	mustEqual(t, "sum in the same scratch", k.out[0], 36)
}

func BenchmarkReduction256(b *testing.B) {
	const wg = 256
	k := treeSum{make([]int, wg), make([]int, 1)}
	l := ndLaunch([]int{wg}, []int{wg})
	var s dslhook.Scratch
	for b.Loop() {
		dslhook.RunGroup(k.Kernel, l, 0, &s)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/wg, "ns/item")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(wg*9), "ns/wait")
}

func BenchmarkGroupWithoutBarrier(b *testing.B) {
	const wg = 256
	ys := make([]float32, wg)
	l := ndLaunch([]int{wg}, []int{wg})
	var s dslhook.Scratch
	for b.Loop() {
		dslhook.RunGroup(func(it dsl.NDItem1) { ys[it.GlobalID()]++ }, l, 0, &s)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/wg, "ns/item")
}

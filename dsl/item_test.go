package dsl_test

import (
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/dslhook"
)

func TestTaskRunsOnce(t *testing.T) {
	n := 0
	dslhook.RunItems(func(dsl.Task) { n++ }, &dslhook.Launch{}, 0, 1)
	dslhook.RunItems(func(dsl.Task) { n++ }, &dslhook.Launch{}, 0, 0)
	mustEqual(t, "runs", n, 1)
}

func TestItem1(t *testing.T) {
	l := &dslhook.Launch{Rank: 1, Global: [3]int{100}}
	var got []int
	dslhook.RunItems(func(it dsl.Item1) {
		mustEqual(t, "range", it.GlobalRange(), 100)
		mustEqual(t, "linear id", it.GlobalLinearID(), it.GlobalID())
		got = append(got, it.GlobalID())
	}, l, 7, 19)
	for i, id := range got {
		mustEqual(t, "id", id, 7+i)
	}
	mustEqual(t, "items", len(got), 12)
}

func TestItem2(t *testing.T) {
	l := &dslhook.Launch{Rank: 2, Global: [3]int{5, 7}}
	for lo := range 35 {
		next := lo
		dslhook.RunItems(func(it dsl.Item2) {
			y, x := it.GlobalID()
			ny, nx := it.GlobalRange()
			mustEqual(t, "range", [2]int{ny, nx}, [2]int{5, 7})
			mustEqual(t, "id", [2]int{y, x}, [2]int{next / 7, next % 7})
			mustEqual(t, "linear id", it.GlobalLinearID(), next)
			next++
		}, l, lo, 35)
		mustEqual(t, "end", next, 35)
	}
}

func TestItem3(t *testing.T) {
	l := &dslhook.Launch{Rank: 3, Global: [3]int{3, 4, 5}}
	for lo := range 60 {
		next := lo
		dslhook.RunItems(func(it dsl.Item3) {
			z, y, x := it.GlobalID()
			nz, ny, nx := it.GlobalRange()
			mustEqual(t, "range", [3]int{nz, ny, nx}, [3]int{3, 4, 5})
			mustEqual(t, "id", [3]int{z, y, x}, [3]int{next / 20, next / 5 % 4, next % 5})
			mustEqual(t, "linear id", it.GlobalLinearID(), next)
			next++
		}, l, lo, 60)
		mustEqual(t, "end", next, 60)
	}
}

func TestNDItem1(t *testing.T) {
	const n, wg = 60, 12
	seen := make([]int, n)
	runND(func(it dsl.NDItem1) {
		i := it.GlobalID()
		seen[i]++
		mustEqual(t, "local id", it.LocalID(), i%wg)
		mustEqual(t, "group id", it.GroupID(), i/wg)
		mustEqual(t, "local range", it.LocalRange(), wg)
		mustEqual(t, "group range", it.GroupRange(), n/wg)
		mustEqual(t, "global range", it.GlobalRange(), n)
		mustEqual(t, "linear ids", [3]int{it.GlobalLinearID(), it.LocalLinearID(), it.GroupLinearID()},
			[3]int{i, i % wg, i / wg})
		checkGroups(t, it.Group(), it.SubGroup(), i%wg, wg, i/wg, n/wg)
	}, ndLaunch([]int{n}, []int{wg}))
	checkOnce(t, seen)
}

func TestNDItem2(t *testing.T) {
	seen := make([]int, 6*20)
	runND(func(it dsl.NDItem2) {
		y, x := it.GlobalID()
		seen[y*20+x]++
		ly, lx := it.LocalID()
		gy, gx := it.GroupID()
		mustEqual(t, "local id", [2]int{ly, lx}, [2]int{y % 3, x % 5})
		mustEqual(t, "group id", [2]int{gy, gx}, [2]int{y / 3, x / 5})
		mustEqual(t, "local range", tuple2(it.LocalRange()), [2]int{3, 5})
		mustEqual(t, "group range", tuple2(it.GroupRange()), [2]int{2, 4})
		mustEqual(t, "global range", tuple2(it.GlobalRange()), [2]int{6, 20})
		mustEqual(t, "linear ids", [3]int{it.GlobalLinearID(), it.LocalLinearID(), it.GroupLinearID()},
			[3]int{y*20 + x, ly*5 + lx, gy*4 + gx})
		checkGroups(t, it.Group(), it.SubGroup(), ly*5+lx, 15, gy*4+gx, 8)
	}, ndLaunch([]int{6, 20}, []int{3, 5}))
	checkOnce(t, seen)
}

func TestNDItem3(t *testing.T) {
	seen := make([]int, 4*6*10)
	runND(func(it dsl.NDItem3) {
		z, y, x := it.GlobalID()
		seen[(z*6+y)*10+x]++
		lz, ly, lx := it.LocalID()
		gz, gy, gx := it.GroupID()
		mustEqual(t, "local id", [3]int{lz, ly, lx}, [3]int{z % 2, y % 3, x % 5})
		mustEqual(t, "group id", [3]int{gz, gy, gx}, [3]int{z / 2, y / 3, x / 5})
		mustEqual(t, "local range", tuple3(it.LocalRange()), [3]int{2, 3, 5})
		mustEqual(t, "group range", tuple3(it.GroupRange()), [3]int{2, 2, 2})
		mustEqual(t, "global range", tuple3(it.GlobalRange()), [3]int{4, 6, 10})
		mustEqual(t, "linear ids", [3]int{it.GlobalLinearID(), it.LocalLinearID(), it.GroupLinearID()},
			[3]int{(z*6+y)*10 + x, (lz*3+ly)*5 + lx, (gz*2+gy)*2 + gx})
		checkGroups(t, it.Group(), it.SubGroup(), (lz*3+ly)*5+lx, 30, (gz*2+gy)*2+gx, 8)
	}, ndLaunch([]int{4, 6, 10}, []int{2, 3, 5}))
	checkOnce(t, seen)
}

func tuple2(y, x int) [2]int    { return [2]int{y, x} }
func tuple3(z, y, x int) [3]int { return [3]int{z, y, x} }

func checkOnce(t *testing.T, seen []int) {
	t.Helper()
	for i, n := range seen {
		if n != 1 {
			t.Errorf("work-item %d ran %d times", i, n)
		}
	}
}

// checkGroups checks the group views of work-item lin of a group of size n, at
// the test launches' sub-group size of 8.
func checkGroups(t *testing.T, g dsl.Group, s dsl.SubGroup, lin, n, group, groups int) {
	t.Helper()
	mustEqual(t, "group", [5]int{g.LocalID(), g.LocalRange(), g.MaxLocalRange(), g.GroupID(), g.GroupRange()},
		[5]int{lin, n, n, group, groups})
	mustEqual(t, "sub-group", [5]int{s.LocalID(), s.LocalRange(), s.MaxLocalRange(), s.GroupID(), s.GroupRange()},
		[5]int{lin % 8, min(8, n-lin/8*8), 8, lin / 8, (n + 7) / 8})
}

func TestItemsGoOnAfterPanic(t *testing.T) {
	var f faults
	l := &dslhook.Launch{Rank: 2, Global: [3]int{4, 5}, Panicked: f.add}
	ran := 0
	dslhook.RunItems(func(it dsl.Item2) {
		ran++
		if y, x := it.GlobalID(); y == x {
			panic(x)
		}
	}, l, 0, 20)
	mustEqual(t, "ran", ran, 20)
	mustEqual(t, "faults", len(f.list), 4)
	for i, ft := range f.list {
		mustEqual(t, "fault", ft, fault{[3]int{i, i}, i})
	}
}

func BenchmarkRange(b *testing.B) {
	const n = 1 << 20
	xs, ys := make([]float32, n), make([]float32, n)
	l := &dslhook.Launch{Rank: 1, Global: [3]int{n}}
	for b.Loop() {
		dslhook.RunItems(func(it dsl.Item1) {
			i := it.GlobalID()
			ys[i] += 2 * xs[i]
		}, l, 0, n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/item")
}

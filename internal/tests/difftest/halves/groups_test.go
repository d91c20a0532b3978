package halves_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/halves"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/halves/halvesgen"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestGroups has work-items of a group combine numbers, and change numbers atomically. The
// expected numbers come from the formulas in package dsl's documentation.
func TestGroups(t *testing.T) {
	for _, form := range []string{"off", "on"} {
		t.Run("Host/"+form, func(t *testing.T) {
			t.Setenv("KGEN_HOST_FORM", form)
			t.Setenv("KGEN_HOST_SUBGROUP", "8")
			dev, err := runtime.Open(runtime.Select("host"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = dev.Close() })
			groupsAndAtomics(t, dev, form == "on")
		})
	}
	t.Run("Vulkan", func(t *testing.T) { groupsAndAtomics(t, devtest.Vulkan(t), true) })
	t.Run("Words", func(t *testing.T) {
		groupsAndAtomics(t, devtest.Vulkan(t, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64, properties.FP64)), false)
	})
}

// TestGroupsSwiftShader is TestGroups on a second driver.
func TestGroupsSwiftShader(t *testing.T) { swiftshader.Whole(t, "^TestGroups$/^Vulkan$") }

// TestGroupsInterpreter is TestGroups in the interpreter, after lowering and after passes.
func TestGroupsInterpreter(t *testing.T) {
	sample.Deep(t, "TestGroups has them on devices")
	points := []string{"built", "narrow", "atomics", "expand", "words"}
	kernels, err := oracle.OpenCorpus(t.Context(), []string{"."}, points)
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			interpretGroups[half.Float16](t, kernels, point, 16, 1)
			interpretGroups[half.Float8E5M2](t, kernels, point, 13, 4)
			interpretGroups[half.BFloat16](t, kernels, point, 13, 3)
			interpretGroups[half.Float8E4M3](t, kernels, point, 16, 0)
		})
	}
}

func interpretGroups[T half.Float[T]](t *testing.T, kernels *oracle.Set, point string, local, leave int) {
	launch := func(k any, global int) {
		t.Helper()
		c, err := kernels.Kernel(oracleName(k))
		if err != nil {
			t.Fatal(err)
		}
		l := oracle.Launch{Arg: k, SubGroupSize: 8, MaxSteps: 1 << 40, WholeWords: true, Global: []int{global}, Local: []int{local}}
		if err := l.Run(c, point); err != nil {
			t.Fatal(err)
		}
	}
	g := newGroup[T](3*local, leave)
	launch(&g, 3*local)
	checkGroup(t, g, local)
	a := newAtomic[T](local)
	launch(&a, len(a.X))
	checkAtomic(t, a, local)
}

// groupsAndAtomics runs all types. With -short, it leaves out every other one, the odd or the even
// ones.
func groupsAndAtomics(t *testing.T, dev *runtime.Device, odd bool) {
	if !testing.Short() || !odd {
		t.Run("Float16", func(t *testing.T) { groupOf(t, dev, gen.RunGroup16, gen.RunAtomic16) })
		t.Run("Float8E4M3", func(t *testing.T) { groupOf(t, dev, gen.RunGroupE4M3, gen.RunAtomicE4M3) })
	}
	if !testing.Short() || odd {
		t.Run("BFloat16", func(t *testing.T) { groupOf(t, dev, gen.RunGroupB, gen.RunAtomicB) })
		t.Run("Float8E5M2", func(t *testing.T) { groupOf(t, dev, gen.RunGroupE5M2, gen.RunAtomicE5M2) })
	}
}

type launcher[K any] = func(context.Context, *runtime.Device, K, runtime.NDRange1, ...runtime.LaunchOption) error

func groupOf[T half.Float[T]](t *testing.T, dev *runtime.Device, group launcher[halves.Group[T]], atomic launcher[halves.Atomic[T]]) {
	for _, c := range []struct{ local, leave int }{{37, 0}, {37, 5}, {37, 1}} {
		k, n := newGroup[T](3*c.local, c.leave), runtime.Range1(c.local)
		if err := group(t.Context(), dev, k, runtime.NDRange1{Global: 3 * n, Local: n}); err != nil {
			t.Fatal(err)
		}
		checkGroup(t, k, c.local)
	}
	for _, local := range []int{1, 32} {
		k := newAtomic[T](local)
		if err := atomic(t.Context(), dev, k, runtime.NDRange1{Global: runtime.Range1(len(k.X)), Local: runtime.Range1(local)}); err != nil {
			t.Fatal(err)
		}
		checkAtomic(t, k, local)
	}
}

func newGroup[T half.Float[T]](n, leave int) halves.Group[T] {
	r := rand.New(rand.NewPCG(uint64(n), uint64(leave)))
	k := halves.Group[T]{In: make([]T, n), Out: make([]T, n*halves.Combined), Leave: int32(leave), Sub: make([]int32, n)}
	for i := range k.In {
		k.In[i] = half.FromFloat32[T](float32(r.NormFloat64())*2 + 1)
	}
	k.In[n-1], k.In[n-2] = half.FromBits[T](0xffff), half.Inf[T](-1) // a NaN that no operation returns
	return k
}

// value is a number, or none, where a work-item has left.
type value[T any] struct {
	x    T
	here bool
}

func join[T any](x, y value[T], op func(x, y T) T) value[T] {
	switch {
	case !x.here:
		return y
	case !y.here:
		return x
	}
	return value[T]{op(x.x, y.x), true}
}

// canonical returns the numbers with the NaN that operations return.
func canonical[T half.Float[T]](in []value[T]) []value[T] {
	v := slices.Clone(in)
	for i := range v {
		if v[i].x.IsNaN() {
			v[i].x = half.NaN[T]()
		}
	}
	return v
}

func reduction[T half.Float[T]](in []value[T], op func(x, y T) T) T {
	v := canonical(in)
	for d := 1; d < len(v); d *= 2 {
		for i := 0; i+d < len(v); i += 2 * d {
			v[i] = join(v[i], v[i+d], op)
		}
	}
	return v[0].x
}

func scans[T half.Float[T]](in []value[T], op func(x, y T) T) []value[T] {
	v := canonical(in)
	for d := 1; d < len(v); d *= 2 {
		was := slices.Clone(v)
		for i := d; i < len(v); i++ {
			v[i] = join(was[i-d], was[i], op)
		}
	}
	return v
}

// before returns the work-item i's result of an exclusive scan with the identity e.
func before[T half.Float[T]](in []value[T], i int, e T, op func(x, y T) T) T {
	if i == 0 {
		return e
	}
	return join(value[T]{e, true}, scans(in, op)[i-1], op).x
}

func checkGroup[T half.Float[T]](t *testing.T, k halves.Group[T], local int) {
	t.Helper()
	add, mul, least, most := T.Add, T.Mul, T.Min, T.Max
	top := half.Inf[T](1)
	if top.IsNaN() {
		top = half.Largest[T]()
	}
	for i, x := range k.In {
		if k.Leave > 0 && i%int(k.Leave) == 0 {
			continue
		}
		all := func(lo, hi int) (vs []value[T]) {
			for j := lo; j < hi; j++ {
				v := value[T]{here: k.Leave == 0 || j%int(k.Leave) != 0}
				if v.here {
					v.x = k.In[j]
				}
				vs = append(vs, v)
			}
			return vs
		}
		lo, size := i/local*local, int(k.Sub[i])
		from := i - (i-lo)%size
		g, s := all(lo, lo+local), all(from, min(from+size, lo+local))
		at := func(vs []value[T], j int) (x T) {
			if j >= 0 && j < len(vs) {
				x = vs[j].x
			}
			return x
		}
		gi, si := i-lo, i-from
		want := [halves.Combined]T{
			reduction(g, add), before(g, gi, 0, add), reduction(s, mul), scans(s, mul)[si].x,
			reduction(g, least), scans(g, most)[gi].x, before(s, si, top, least), at(g, 1),
			at(g, 3), at(s, si^1), at(s, si+1), x.Add(x.Mul(x.Min(x.Neg().Max(0)))),
		}
		for j, w := range want {
			if got := k.Out[halves.Combined*i+j]; got != w {
				t.Fatalf("%T: work-group of %d, leave %d, sub-groups of %d: result %d of work-item %d is %v (%#x), want %v (%#x)", x, local, k.Leave, size, j, i, got, got.Bits(), w, w.Bits())
			}
		}
	}
}

// perCell is how often each cell is changed. All types have the integers up to it.
const perCell = 8

func newAtomic[T half.Float[T]](local int) halves.Atomic[T] {
	r := rand.New(rand.NewPCG(3, 4))
	n := halves.Cells * perCell * local
	cells := n / perCell
	k := halves.Atomic[T]{X: make([]T, n), After: make([]T, n), Local: make([]T, n/local*halves.Cells), Own: make([]T, n)}
	k.Sum, k.Min, k.Max, k.Count = make([]T, cells), make([]T, cells), make([]T, cells), make([]T, cells)
	for i := range k.X {
		k.X[i] = half.FromFloat32[T](float32(r.IntN(3) - 1))
	}
	return k
}

func checkAtomic[T half.Float[T]](t *testing.T, k halves.Atomic[T], local int) {
	t.Helper()
	number := func(n int) T { return half.FromFloat32[T](float32(n)) }
	cells := len(k.Sum)
	for c := range cells {
		var sum, least, most T
		after := map[T]bool{}
		for i := c; i < len(k.X); i += cells {
			sum, least, most = sum.Add(k.X[i]), least.Min(k.X[i]), most.Max(k.X[i])
			after[k.After[i]] = true
		}
		if k.Sum[c] != sum || k.Min[c] != least || k.Max[c] != most || k.Count[c] != number(perCell) {
			t.Errorf("%T, cell %d: sum %v, least %v, most %v of %v; want %v, %v, %v of %d", sum, c, k.Sum[c], k.Min[c], k.Max[c], k.Count[c], sum, least, most, perCell)
		}
		for n := range perCell {
			if !after[number(n+1)] {
				t.Fatalf("%T, cell %d: no addition returned %d", sum, c, n+1)
			}
		}
	}
	for j, got := range k.Local {
		var most T
		for l := j % halves.Cells; l < local; l += halves.Cells {
			most = most.Max(k.X[j/halves.Cells*local+l])
		}
		if j%halves.Cells < local && got != most {
			t.Fatalf("%T: the greatest of cell %d in work-group %d is %v, want %v", most, j%halves.Cells, j/halves.Cells, got, most)
		}
	}
	for i, x := range k.X {
		least := x.Min(number(1))
		if want := least.Add(least); k.Own[i] != want {
			t.Fatalf("%T: own %v, want %v", x, k.Own[i], want)
		}
	}
}

// oracleName returns the name of k's type as package oracle has it.
func oracleName(k any) string { t := reflect.TypeOf(k).Elem(); return t.PkgPath() + "." + t.Name() }

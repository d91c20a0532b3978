package sort_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/runtime"
)

// sorted returns sorted elements.
func sorted[T prims.Real](n, kind int, descending bool) []T {
	xs := made[T](n, kind)
	slices.SortStableFunc(xs, order[T](descending))
	return xs
}

// ordered runs the functions that take sorted elements, beside plain Go.
func ordered[T prims.Real](t *testing.T, q *runtime.Queue) {
	for i, n := range []int{0, 1, 2, 7, 8, 9, 1000, 4097} {
		descending := i%2 == 1
		v := prims.Views{T: t, Q: q}
		if descending {
			v.Opts = []prim.Option{sort.Descending()}
		}
		name, compare := fmt.Sprintf("%d %T", n, *new(T)), order[T](descending)
		xs, ys := sorted[T](n, i%3/2, descending), sorted[T](n/2+3, 0, descending)
		x, y := prims.View(v, xs), prims.View(v, ys)

		isSorted := func(want bool, xs []T) {
			x := prims.View(v, xs)
			prims.Equal(t, name+" sorted", prims.Result(v, 1, func(out runtime.View[bool], opts ...prim.Option) (runtime.Event, error) {
				return sort.IsSortedOn(q, x, out, opts...)
			}), []bool{want})
		}
		isSorted(true, xs)
		if wrong := slices.Clone(xs); n > 1 && compare(xs[0], xs[n-1]) != 0 {
			wrong[0], wrong[n-1] = wrong[n-1], wrong[0]
			isSorted(false, wrong)
		}

		want := make([]int64, len(ys))
		for i, needle := range ys {
			at, _ := slices.BinarySearchFunc(xs, needle, compare)
			want[i] = int64(at)
		}
		prims.Equal(t, name+" search", prims.Result(v, len(ys), func(out runtime.View[int64], opts ...prim.Option) (runtime.Event, error) {
			return sort.SearchOn(q, x, y, out, opts...)
		}), want)

		both := append(slices.Clone(xs), ys...)
		slices.SortStableFunc(both, compare)
		sameBits(t, name+" merge", prims.Result(v, len(both), func(out runtime.View[T], opts ...prim.Option) (runtime.Event, error) {
			return sort.MergeOn(q, x, y, out, opts...)
		}), both)
	}
}

// orderedAll runs them with elements of some types.
func orderedAll(t *testing.T, q *runtime.Queue) {
	ordered[float32](t, q)
	ordered[int64](t, q)
	ordered[int8](t, q)
}

func TestOrderedHost(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	orderedAll(t, q)
	ordered[float64](t, q)
	ordered[uint16](t, q)
	ordered[uint32](t, q)
}

func TestOrderedVulkan(t *testing.T) { orderedAll(t, devtest.Vulkan(t).DefaultQueue()) }

// TestMergeLength: of a length on the device, each run has that many elements.
func TestMergeLength(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	v := prims.Views{T: t, Q: q}
	for _, n := range []int64{0, 2, 3, 9} {
		v.Opts = []prim.Option{prim.Length(prims.View(v, []int64{n}))}
		a, b := []uint8{1, 5, 9}, []uint8{2, 5, 6, 7}
		x, y := prims.View(v, a), prims.View(v, b)
		want := append(slices.Clone(a[:min(n, 3)]), b[:min(n, 4)]...)
		slices.Sort(want)
		want = append(want, make([]uint8, 7-len(want))...)
		prims.Equal(t, fmt.Sprint("merge of ", n), prims.Result(v, 7, func(out runtime.View[uint8], opts ...prim.Option) (runtime.Event, error) {
			return sort.MergeOn(q, x, y, out, opts...)
		}), want)
	}
}

// TestErrors: a call that makes no sense is an error of a class, and launches nothing.
func TestErrors(t *testing.T) {
	v := prims.Views{T: t, Q: devtest.Host(t).DefaultQueue()}
	xs, out := prims.View(v, make([]float32, 100)), prims.View(v, make([]float32, 99))
	ints, flags := prims.View(v, make([]int16, 9)), prims.View(v, make([]bool, 9))
	none := prims.View(v, make([]struct{}, 9))
	for _, c := range []struct {
		name string
		call func() error
		want string
	}{
		{"short output", func() error { _, err := sort.KeysOn(v.Q, xs, out); return err }, "out has 99 elements: the function writes 100"},
		{"partly in place", func() error { _, err := sort.KeysOn(v.Q, xs.Slice(1, 100), xs); return err }, "out overlaps v"},
		{"bits of floats", func() error { _, err := sort.KeysOn(v.Q, xs, xs, sort.Bits(0, 8)); return err }, "floats are not sorted by some of their bits"},
		{"no bits", func() error { _, err := sort.KeysOn(v.Q, ints, ints, sort.Bits(3, 3)); return err }, "not sorted by the bits 3 to 2"},
		{"too many bits", func() error { _, err := sort.KeysOn(v.Q, ints, ints, sort.Bits(0, 17)); return err }, "elements of 16 bits"},
		{"lengths", func() error {
			_, err := sort.PairsOn(v.Q, ints, prims.View(v, make([]bool, 8)), prims.View(v, make([]int16, 9)), prims.View(v, make([]bool, 9)))
			return err
		}, "there are 9 keys, and 8 values"},
		{"lengths of slices", func() error {
			_, _, err := sort.Pairs(t.Context(), v.Q.Device(), []float32{3, 1, 2}, []int{1, 2})
			return err
		}, "sort.Pairs: there are 3 keys, and 2 values"},
		{"no bytes", func() error { _, err := sort.PairsOn(v.Q, ints, none, ints, none); return err }, "the values have no bytes"},
		{"pairs in place", func() error { _, err := sort.PairsOn(v.Q, ints, flags, ints, flags); return err }, "outKeys overlaps keys"},
		{"bits of a search", func() error {
			_, err := sort.SearchOn(v.Q, ints, ints, prims.View(v, make([]int64, 9)), sort.Bits(0, 8))
			return err
		}, "the function does not sort by bits"},
		{"order of a sum", func() error { _, err := reduce.SumOn(v.Q, xs, out, sort.Descending()); return err }, "no order that sort.Descending changes"},
		{"scratch", func() error {
			_, err := sort.KeysOn(v.Q, ints, ints, prim.Scratch(prims.View(v, make([]byte, 0))))
			return err
		}, "the scratch memory"},
	} {
		if err := c.call(); !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	prims.Equal(t, "the output", prims.Read(v, out), make([]float32, 99))
}

// TestSlices: the functions on slices, and memory of the caller's.
func TestSlices(t *testing.T) {
	dev, ctx := devtest.Host(t), t.Context()
	keys, values, err := sort.Pairs(ctx, dev, []int32{2, 1, 2}, []uint8{})
	if !errors.Is(err, runtime.ErrInvalid) || keys != nil || values != nil {
		t.Errorf("lengths that differ: %v", err)
	}
	v := prims.Views{T: t, Q: dev.DefaultQueue()}
	for _, n := range []int{0, 1, 5000} {
		xs, at := made[int16](n, 0), make([][3]int32, n)
		for i := range at {
			at[i] = [3]int32{int32(i)}
		}
		bytes := sort.ScratchBytes[int16](n)
		memory, err := runtime.NewBuffer[byte](dev, bytes)
		if err != nil {
			t.Fatal(err)
		}
		defer memory.Close()
		k, o := prims.View(v, make([]int16, n)), prims.View(v, at)
		if _, err := sort.PairsOn(v.Q, prims.View(v, xs), o, k, prims.View(v, make([][3]int32, n)), prim.Scratch(memory.All())); err != nil {
			t.Error(n, err)
		}
		prims.Equal(t, "keys", prims.Read(v, k), slices.SortedFunc(slices.Values(xs), cmp.Compare[int16]))
	}
}

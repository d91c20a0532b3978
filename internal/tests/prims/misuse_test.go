package prims_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/blas"
	"github.com/kgen-go/kgen/prim/hist"
	"github.com/kgen-go/kgen/prim/move"
	"github.com/kgen-go/kgen/prim/pick"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/prim/scan"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/prim/sparse"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// run calls a function, with a length if it takes one, and returns the call's memory.
func (f function) run(m *memory, withLength bool, opts ...prim.Option) error {
	if withLength {
		opts = append(opts, prim.Length(in(m, "the length", []int64{size - 1000})))
	}
	return f.on(m, opts...)
}

// TestMisuse calls each function with each of its views wrong in each way, in turn: the error has a
// class and names the view, and no element of any view has changed.
func TestMisuse(t *testing.T) {
	dev, other := devtest.Host(t), devtest.Host(t)
	for _, f := range functions {
		for _, withLength := range []bool{false, true} {
			if withLength && f.noLength {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", f.name, withLength), func(t *testing.T) {
				made := func(t *testing.T) *memory {
					return &memory{t: t, home: dev.DefaultQueue(), q: dev.DefaultQueue(), other: other, offset: 3, wrong: -1}
				}
				plain := made(t)
				check(t, f.run(plain, withLength))
				for i, v := range plain.views {
					fails := func(how fault, overlapped int, class error, want string) {
						t.Helper()
						m := made(t)
						m.wrong, m.fault, m.overlapped = i, how, overlapped
						err := f.run(m, withLength)
						if class == nil {
							check(t, err)
							return
						}
						if !errors.Is(err, class) || !strings.Contains(fmt.Sprint(err), want) || !strings.Contains(fmt.Sprint(err), f.name+": ") {
							t.Errorf("got %v, want an error of %s with %q", err, f.name, want)
						}
						m.untouched()
					}
					fails(closed, 0, runtime.ErrKernelArgument, v.name+" is a view of a closed buffer")
					fails(far, 0, runtime.ErrKernelArgument, v.name+" is a view of another device's buffer")
					if v.name != "the length" {
						fails(absent, 0, runtime.ErrKernelArgument, v.name+" is a view of a nil buffer")
					}
					switch {
					case v.name == "the length":
						fails(absent, 0, runtime.ErrInvalid, "the length is a view of 0 elements")
						fails(short, 0, runtime.ErrInvalid, "the length is a view of 0 elements")
					case slices.Contains(f.fits, v.name):
						fails(short, 0, runtime.ErrInvalid, f.name+": ")
					case v.out && !slices.Contains(f.sizes, v.name):
						fails(short, 0, runtime.ErrInvalid, v.name+" has ")
					case v.name != "the length":
						fails(short, 0, nil, "")
					}
					for j, w := range plain.views[:i] {
						if !v.out || v.elem != w.elem {
							continue
						}
						if w.n > 1 {
							fails(overlap, j, runtime.ErrInvalid, "overlaps")
						}
						if !f.inPlace || w.name == "the length" {
							fails(same, j, runtime.ErrInvalid, "overlaps")
						}
					}
				}
			})
		}
	}
}

// TestBadOptions: options that make no sense are errors of each function, which writes nothing.
func TestBadOptions(t *testing.T) {
	dev, other := devtest.Host(t), devtest.Host(t)
	view := func(dev *runtime.Device, n int) runtime.View[byte] {
		b, err := runtime.NewBuffer[byte](dev, n)
		check(t, err)
		return b.All()
	}
	gone := view(dev, 1<<20)
	b, err := runtime.NewBuffer[byte](dev, 1<<20)
	check(t, err)
	check(t, b.Close())
	two, err := runtime.NewBuffer[int64](dev, 2)
	check(t, err)
	late, err := runtime.Open(runtime.Select("host"))
	check(t, err)
	ended := late.DefaultQueue()
	check(t, late.Close())
	for _, f := range functions {
		for _, c := range []struct {
			name  string
			opt   prim.Option
			class error
		}{
			{"nil", nil, runtime.ErrInvalid},
			{"a nil launch option", prim.Launch(nil), runtime.ErrInvalid},
			{"a length of two", prim.Length(two.All()), runtime.ErrInvalid},
			{"closed scratch memory", prim.Scratch(b.All()), runtime.ErrKernelArgument},
			{"another device's scratch memory", prim.Scratch(view(other, 1<<20)), runtime.ErrKernelArgument},
			{"scratch memory at an odd offset", prim.Scratch(gone.Slice(1, gone.Len())), runtime.ErrInvalid},
		} {
			m := &memory{t: t, home: dev.DefaultQueue(), q: dev.DefaultQueue(), offset: 1, wrong: -1}
			if err := f.on(m, c.opt); !errors.Is(err, c.class) || !strings.Contains(fmt.Sprint(err), f.name+": ") {
				t.Errorf("%s with %s: %v", f.name, c.name, err)
			}
			m.untouched()
		}
		for name, q := range map[string]*runtime.Queue{"no queue": nil, "a queue of a closed device": ended} {
			m := &memory{t: t, home: dev.DefaultQueue(), q: q, offset: 1, wrong: -1}
			err := f.on(m)
			if !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(fmt.Sprint(err), f.name+": ") {
				t.Errorf("%s on %s: %v", f.name, name, err)
			}
		}
	}
}

// TestPlaces: each function has the same results at all offsets of its views, in place, and with sub-groups of any
// size, and writes nothing around its outputs.
func TestPlaces(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			for _, withLength := range []bool{false, true} {
				if withLength && f.noLength {
					continue
				}
				var want []string
				run := func(name string, m *memory, opts ...prim.Option) {
					t.Helper()
					m.t, m.q, m.home = t, q, q
					check(t, f.run(m, withLength, opts...))
					got := m.results()
					if want == nil {
						want = got
					}
					if i := len(want) - 1; m.fault == same && got[i] != want[i] || m.fault != same && !slices.Equal(got, want) {
						t.Errorf("%s, length %v: %.300q, want %.300q", name, withLength, got, want)
					}
				}
				for offset := range 6 {
					run(fmt.Sprint("offset ", offset), &memory{offset: offset, wrong: -1})
				}
				if f.inPlace && !withLength { // elements after a length stay, which are others in place
					run("in place", &memory{offset: 2, wrong: 1, fault: same})
				}
				for lanes := 1; lanes <= 128; lanes *= sample.Of(2, 8) {
					run(fmt.Sprint("sub-groups of ", lanes), &memory{wrong: -1}, prim.Launch(runtime.With(properties.SubGroupSize(lanes))))
				}
			}
		})
	}
}

// TestShared: a function may have one view as several of its inputs. The results are those of copies.
func TestShared(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	ids := make([]int64, 2000) // which are elements, keys, flags and places
	for i := range ids {
		ids[i] = int64(i / 3)
	}
	shared := map[string]bool{}
	for _, f := range []function{
		{name: "reduce.DotOn", on: func(m *memory, opts ...prim.Option) error {
			return of(reduce.DotOn(m.q, in(m, "x", ids), in(m, "y", ids), out[int64](m, "out", 1), opts...))
		}},
		{name: "reduce.ByKeyOn", on: func(m *memory, opts ...prim.Option) error {
			return of(reduce.ByKeyOn(m.q, in(m, "keys", ids), in(m, "v", ids), out[int64](m, "each", 2000), out[int64](m, "sums", 2000), out[int64](m, "count", 1), opts...))
		}},
		{name: "scan.ByKeyOn", on: func(m *memory, opts ...prim.Option) error {
			return of(scan.ByKeyOn(m.q, in(m, "keys", ids), in(m, "v", ids), out[int64](m, "out", 2000), opts...))
		}},
		{name: "sort.PairsOn", on: func(m *memory, opts ...prim.Option) error {
			return of(sort.PairsOn(m.q, in(m, "keys", ids), in(m, "values", ids), out[int64](m, "outKeys", 2000), out[int64](m, "outValues", 2000), opts...))
		}},
		{name: "sort.SearchOn", on: func(m *memory, opts ...prim.Option) error {
			return of(sort.SearchOn(m.q, in(m, "v", ids), in(m, "needles", ids), out[int64](m, "out", 2000), opts...))
		}},
		{name: "sort.MergeOn", on: func(m *memory, opts ...prim.Option) error {
			return of(sort.MergeOn(m.q, in(m, "a", ids), in(m, "b", ids), out[int64](m, "out", 4000), opts...))
		}},
		{name: "pick.FlaggedOn", on: func(m *memory, opts ...prim.Option) error {
			return of(pick.FlaggedOn(m.q, in(m, "v", someFlags), in(m, "flags", someFlags), out[bool](m, "out", size), out[int64](m, "count", 1), opts...))
		}},
		{name: "hist.EdgesOn", on: func(m *memory, opts ...prim.Option) error {
			return of(hist.EdgesOn(m.q, in(m, "v", ids), in(m, "edges", ids), out[int64](m, "counts", 1999), opts...))
		}},
		{name: "move.GatherOn", on: func(m *memory, opts ...prim.Option) error {
			return of(move.GatherOn(m.q, in(m, "v", ids), in(m, "at", ids), out[int64](m, "out", 2000), opts...))
		}},
		{name: "blas.GemmOn", on: func(m *memory, opts ...prim.Option) error {
			s := blas.Shape{Rows: 90, Cols: 90}
			view := func(v runtime.View[float32]) blas.View[float32] { return blas.View[float32]{Shape: s, Data: v} }
			return of(blas.GemmOn(m.q, 1, view(in(m, "a", someFloats[:8100])), view(in(m, "b", someFloats[:8100])), 0, view(out[float32](m, "c", 8100)), opts...))
		}},
		{name: "blas.GemvOn", on: func(m *memory, opts ...prim.Option) error {
			return of(blas.GemvOn(m.q, 1, blas.View[float32]{Shape: blas.Shape{Rows: 1, Cols: size}, Data: in(m, "a", someFloats)}, in(m, "x", someFloats), 0, out[float32](m, "y", 1), opts...))
		}},
		{name: "blas.GerOn", on: func(m *memory, opts ...prim.Option) error {
			s := blas.Shape{Rows: 90, Cols: 90}
			return of(blas.GerOn(m.q, 1, in(m, "x", someFloats[:90]), in(m, "y", someFloats[:90]), blas.View[float32]{Shape: s, Data: out[float32](m, "a", 8100)}, opts...))
		}},
		{name: "blas.GemmInt8On", on: func(m *memory, opts ...prim.Option) error {
			view := func(name string) blas.View[int8] {
				return blas.View[int8]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: in(m, name, someBytes[:8100])}
			}
			return of(blas.GemmInt8On(m.q, 1, view("a"), view("b"), 0, blas.View[int32]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: out[int32](m, "c", 8100)}, opts...))
		}},
		{name: "blas.GemmHalfOn", on: func(m *memory, opts ...prim.Option) error {
			view := func(name string) blas.View[half.Float16] {
				return blas.View[half.Float16]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: in(m, name, someHalves[:8100])}
			}
			return of(blas.GemmHalfOn(m.q, 1, view("a"), view("b"), 0, blas.View[float32]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: out[float32](m, "c", 8100)}, opts...))
		}},
		{name: "sparse.GemvOn", on: func(m *memory, opts ...prim.Option) error {
			var ascending []int32
			for i := range int32(100) {
				ascending = append(ascending, i)
			}
			a := sparse.View[float32]{Rows: 99, Cols: 100, Start: in(m, "a.Start", ascending), Columns: in(m, "a.Columns", ascending), Values: in(m, "a.Values", someFloats[:100])}
			return of(sparse.GemvOn(m.q, 1, a, in(m, "x", someFloats[:100]), 0, out[float32](m, "y", 99), opts...))
		}},
		{name: "sparse.CSROfOn", on: func(m *memory, opts ...prim.Option) error {
			i, j, v := in(m, "i", someRows), in(m, "j", someRows), in(m, "v", someFloats[:9000])
			a := sparse.View[float32]{Rows: 90, Cols: 90, Start: out[int32](m, "out.Start", 91), Columns: out[int32](m, "out.Columns", 9000), Values: out[float32](m, "out.Values", 9000)}
			return of(sparse.CSROfOn(m.q, i, j, v, a, opts...))
		}},
		{name: "move.ScatterOn", on: func(m *memory, opts ...prim.Option) error {
			return of(move.ScatterOn(m.q, in(m, "v", ids), in(m, "at", ids), out[int64](m, "out", 2000), opts...))
		}},
	} {
		apart, together := &memory{t: t, home: q, q: q, offset: 1, wrong: -1}, &memory{t: t, home: q, q: q, offset: 1, wrong: 1, fault: same}
		check(t, f.on(apart))
		check(t, f.on(together))
		if got, want := together.results(), apart.results(); !slices.Equal(got[2:], want[2:]) {
			t.Errorf("%s of one view: %.300q, want %.300q", f.name, got[2:], want[2:])
		}
		shared[f.name] = true
	}
	for _, f := range functions { // those with two inputs are all above
		m := &memory{t: t, home: q, q: q, wrong: -1}
		check(t, f.on(m))
		if len(m.views) > 1 && !m.views[1].out && !shared[f.name] && f.name != "scan.ExclusiveByKeyOn" {
			t.Errorf("%s has two inputs, and is not called with one view as both", f.name)
		}
	}
}

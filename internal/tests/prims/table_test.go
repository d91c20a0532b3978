package prims_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/memoryhook"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/blas"
	"github.com/kgen-go/kgen/prim/fft"
	"github.com/kgen-go/kgen/prim/hist"
	"github.com/kgen-go/kgen/prim/move"
	"github.com/kgen-go/kgen/prim/pick"
	primrand "github.com/kgen-go/kgen/prim/rand"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/prim/scan"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/prim/sparse"
	"github.com/kgen-go/kgen/runtime"
)

// function is a function on views, as the tests of all functions call it.
type function struct {
	name string
	// on makes the function's views, those that it reads first, and calls it.
	on       func(m *memory, opts ...prim.Option) error
	fits     []string // inputs, which are refused if they are shorter than others say; outputs are, too
	sizes    []string // outputs of which the length says how much the function makes
	inPlace  bool     // the first view and the output may be the same
	noLength bool     // the function takes no prim.Length
}

// The elements of the calls.
const size = 9001 // more than a block, a tile and a part of each family

var (
	someFloats = filled[float32](size)
	moreFloats = filled[float32](size)
	fewFloats  = filled[float32](77)

	someBytes  = filled[int8](9000)
	someHalves = func() (h []half.Float16) {
		for _, x := range someBytes {
			h = append(h, half.FromFloat32[half.Float16](float32(x)))
		}
		return h
	}()

	someComplexes = func() []complex64 {
		xs := make([]complex64, 9000)
		for i := range xs {
			xs[i] = complex(someFloats[i], moreFloats[i])
		}
		return xs
	}()
	inOrder  = slices.Sorted(slices.Values(someFloats))
	someInts = filled[int64](size)
	someKeys = func() []uint32 {
		keys := make([]uint32, size)
		for i := range keys {
			keys[i] = uint32(i / 3 % 50)
		}
		return keys
	}()
	someFlags = func() []bool {
		flags := make([]bool, size)
		for i := range flags {
			flags[i] = rand.IntN(3) > 0
		}
		return flags
	}()
	indices = func() []int64 {
		at := make([]int64, size)
		for i := range at {
			at[i] = rand.Int64N(size+2) - 1
		}
		return at
	}()
)

func filled[T prims.Real](n int) []T {
	xs := make([]T, n)
	prims.Fill(xs)
	return xs
}

// to1 is a call of a function with one input, and an output of n elements.
func to1[T, R any](xs []T, n int, on func(q *runtime.Queue, v runtime.View[T], out runtime.View[R], opts ...prim.Option) (runtime.Event, error)) func(m *memory, opts ...prim.Option) error {
	return func(m *memory, opts ...prim.Option) error {
		return of(on(m.q, in(m, "v", xs), out[R](m, "out", n), opts...))
	}
}

func of(_ runtime.Event, err error) error { return err }

// functions are all functions on views.
var functions = slices.Concat(reduceTable, scanTable, sortTable, pickTable, histTable, moveTable, randTable, fftTable, blasTable, sparseTable)

var reduceTable = []function{
	{name: "reduce.SumOn", on: to1(someFloats, 1, reduce.SumOn[float32])},
	{name: "reduce.DotOn", fits: []string{"x", "y"}, on: func(m *memory, opts ...prim.Option) error {
		return of(reduce.DotOn(m.q, in(m, "x", someFloats), in(m, "y", moreFloats), out[float32](m, "out", 1), opts...))
	}},
	{name: "reduce.NormOn", on: to1(someFloats, 1, reduce.NormOn[float32])},
	{name: "reduce.MinOn", on: to1(someFloats, 1, reduce.MinOn[float32])},
	{name: "reduce.MaxOn", on: to1(someInts, 1, reduce.MaxOn[int64])},
	{name: "reduce.MinMaxOn", on: to1(someFloats, 2, reduce.MinMaxOn[float32])},
	{name: "reduce.ArgMinOn", on: to1(someInts, 1, reduce.ArgMinOn[int64])},
	{name: "reduce.ArgMaxOn", on: to1(someFloats, 1, reduce.ArgMaxOn[float32])},
	{name: "reduce.CountOn", on: to1(someInts, 1, reduce.CountOn[int64])},
	{name: "reduce.AnyOn", on: to1(someFlags, 1, reduce.AnyOn[bool])},
	{name: "reduce.AllOn", on: to1(someFlags, 1, reduce.AllOn[bool])},
	{name: "reduce.By", on: func(m *memory, opts ...prim.Option) error {
		return of(reduce.By[opsgen.SumSquares](m.q, ops.Square{From: 1}, in(m, "v", someFloats), out[float32](m, "out", 1), opts...))
	}},
	{name: "reduce.ByKeyOn", fits: []string{"keys", "v"}, on: func(m *memory, opts ...prim.Option) error {
		return of(reduce.ByKeyOn(m.q, in(m, "keys", someKeys), in(m, "v", someFloats), out[uint32](m, "each", size), out[float32](m, "sums", size), out[int64](m, "count", 1), opts...))
	}},
}

var scanTable = []function{
	{name: "scan.InclusiveOn", on: to1(someFloats, size, scan.InclusiveOn[float32])},
	{name: "scan.ExclusiveOn", on: to1(someInts, size, scan.ExclusiveOn[int64])},
	{name: "scan.By", on: func(m *memory, opts ...prim.Option) error {
		return of(scan.By[opsgen.Distances](m.q, ops.Square{From: 1}, in(m, "v", someFloats), out[float32](m, "out", size), opts...))
	}},
	{name: "scan.ExclusiveBy", on: func(m *memory, opts ...prim.Option) error {
		return of(scan.ExclusiveBy[opsgen.Distances](m.q, ops.Square{From: 1}, in(m, "v", someFloats), out[float32](m, "out", size), opts...))
	}},
	{name: "scan.ByKeyOn", fits: []string{"keys", "v"}, on: func(m *memory, opts ...prim.Option) error {
		return of(scan.ByKeyOn(m.q, in(m, "keys", someKeys), in(m, "v", someFloats), out[float32](m, "out", size), opts...))
	}},
	{name: "scan.ExclusiveByKeyOn", fits: []string{"keys", "v"}, on: func(m *memory, opts ...prim.Option) error {
		return of(scan.ExclusiveByKeyOn(m.q, in(m, "keys", someKeys), in(m, "v", someFloats), out[float32](m, "out", size), opts...))
	}},
}

var sortTable = []function{
	{name: "sort.KeysOn", inPlace: true, on: to1(someFloats, size, sort.KeysOn[float32])},
	{name: "sort.PairsOn", fits: []string{"keys", "values"}, on: func(m *memory, opts ...prim.Option) error {
		return of(sort.PairsOn(m.q, in(m, "keys", someFloats), in(m, "values", someInts), out[float32](m, "outKeys", size), out[int64](m, "outValues", size), opts...))
	}},
	{name: "sort.TopKOn", sizes: []string{"out"}, on: func(m *memory, opts ...prim.Option) error {
		return of(sort.TopKOn(m.q, in(m, "v", someFloats), out[float32](m, "out", 99), out[int64](m, "count", 1), opts...))
	}},
	{name: "sort.IsSortedOn", on: to1(inOrder, 1, sort.IsSortedOn[float32])},
	{name: "sort.SearchOn", on: func(m *memory, opts ...prim.Option) error {
		return of(sort.SearchOn(m.q, in(m, "v", inOrder), in(m, "needles", fewFloats), out[int64](m, "out", len(fewFloats)), opts...))
	}},
	{name: "sort.MergeOn", on: func(m *memory, opts ...prim.Option) error {
		return of(sort.MergeOn(m.q, in(m, "a", inOrder), in(m, "b", inOrder[:70]), out[float32](m, "out", size+70), opts...))
	}},
}

var pickTable = []function{
	{name: "pick.Where", on: func(m *memory, opts ...prim.Option) error {
		return of(pick.Where[opsgen.Above](m.q, ops.Greater{Than: 0.25}, in(m, "v", someFloats), out[float32](m, "out", size), out[int64](m, "count", 1), opts...))
	}},
	{name: "pick.Partition", on: func(m *memory, opts ...prim.Option) error {
		return of(pick.Partition[opsgen.Split](m.q, ops.Greater{Than: 0.25}, in(m, "v", someFloats), out[float32](m, "out", size), out[int64](m, "count", 1), opts...))
	}},
	{name: "pick.FlaggedOn", fits: []string{"v", "flags"}, on: func(m *memory, opts ...prim.Option) error {
		return of(pick.FlaggedOn(m.q, in(m, "v", someInts), in(m, "flags", someFlags), out[int64](m, "out", size), out[int64](m, "count", 1), opts...))
	}},
	{name: "pick.UniqueOn", on: func(m *memory, opts ...prim.Option) error {
		return of(pick.UniqueOn(m.q, in(m, "v", someKeys), out[uint32](m, "out", size), out[int64](m, "count", 1), opts...))
	}},
	{name: "pick.RunLengthsOn", on: func(m *memory, opts ...prim.Option) error {
		return of(pick.RunLengthsOn(m.q, in(m, "v", someKeys), out[uint32](m, "out", size), out[int64](m, "lengths", size), out[int64](m, "count", 1), opts...))
	}},
}

var histTable = []function{
	{name: "hist.EvenOn", sizes: []string{"counts"}, on: func(m *memory, opts ...prim.Option) error {
		return of(hist.EvenOn(m.q, in(m, "v", someFloats), -1, 1, out[int64](m, "counts", 50), opts...))
	}},
	{name: "hist.EdgesOn", fits: []string{"edges", "counts"}, on: func(m *memory, opts ...prim.Option) error {
		return of(hist.EdgesOn(m.q, in(m, "v", someFloats), in(m, "edges", inOrder[:300]), out[int64](m, "counts", 299), opts...))
	}},
	{name: "hist.ByKeyOn", sizes: []string{"counts"}, on: func(m *memory, opts ...prim.Option) error {
		return of(hist.ByKeyOn(m.q, in(m, "keys", someKeys), out[int64](m, "counts", 60), opts...))
	}},
}

var moveTable = []function{
	{name: "move.FillOn", sizes: []string{"out"}, on: func(m *memory, opts ...prim.Option) error {
		return of(move.FillOn(m.q, out[float32](m, "out", size), 3.5, opts...))
	}},
	{name: "move.IotaOn", sizes: []string{"out"}, on: func(m *memory, opts ...prim.Option) error {
		return of(move.IotaOn(m.q, out[int64](m, "out", size), 3, -2, opts...))
	}},
	{name: "move.ReverseOn", inPlace: true, on: to1(someFloats, size, move.ReverseOn[float32])},
	{name: "move.GatherOn", on: func(m *memory, opts ...prim.Option) error {
		return of(move.GatherOn(m.q, in(m, "v", someFloats), in(m, "at", indices), out[float32](m, "out", size), opts...))
	}},
	{name: "move.ScatterOn", fits: []string{"v", "at"}, sizes: []string{"out"}, on: func(m *memory, opts ...prim.Option) error {
		return of(move.ScatterOn(m.q, in(m, "v", someFloats), in(m, "at", indices), out[float32](m, "out", size), opts...))
	}},
	{name: "move.TransposeOn", fits: []string{"v"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		return of(move.TransposeOn(m.q, in(m, "v", someFloats[:9000]), out[float32](m, "out", 9000), 40, 225, opts...))
	}},
}

var someStream = primrand.Stream{Seed: 1, Sequence: 2, Offset: 3}

var randTable = []function{
	{name: "rand.UniformOn", sizes: []string{"out"}, on: func(m *memory, opts ...prim.Option) error {
		return of(primrand.UniformOn(m.q, someStream, out[float32](m, "out", size), opts...))
	}},
	{name: "rand.NormalOn", sizes: []string{"out"}, on: func(m *memory, opts ...prim.Option) error {
		return of(primrand.NormalOn(m.q, someStream, out[float64](m, "out", size), opts...))
	}},
	{name: "rand.BitsOn", sizes: []string{"out"}, on: func(m *memory, opts ...prim.Option) error {
		return of(primrand.BitsOn(m.q, someStream, out[int64](m, "out", size), opts...))
	}},
	{name: "rand.IntNOn", sizes: []string{"out"}, on: func(m *memory, opts ...prim.Option) error {
		return of(primrand.IntNOn(m.q, someStream, 1<<31+1, out[uint32](m, "out", size), opts...))
	}},
	{name: "rand.ShuffleOn", on: to1(someFloats, size, func(q *runtime.Queue, v, out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
		return primrand.ShuffleOn(q, someStream, v, out, opts...)
	})},
}

// someShape is that of matrices of 9000 elements.
var someShape = blas.Shape{Rows: 90, Cols: 100}

func someView(v runtime.View[float32]) blas.View[float32] {
	return blas.View[float32]{Shape: someShape, Data: v}
}

// blasTable has products of a matrix of 90 rows and 100 columns.
var blasTable = []function{
	{name: "blas.GemmOn", fits: []string{"a", "b"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		return of(blas.GemmOn(m.q, 1, someView(in(m, "a", someFloats[:9000])), someView(in(m, "b", moreFloats[:9000])).T(), 0,
			blas.View[float32]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: out[float32](m, "c", 8100)}, opts...))
	}},
	{name: "blas.GemvOn", fits: []string{"a", "x"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		return of(blas.GemvOn(m.q, 1, someView(in(m, "a", someFloats[:9000])), in(m, "x", moreFloats[:100]), 0, out[float32](m, "y", 90), opts...))
	}},
	{name: "blas.GerOn", fits: []string{"x", "y"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		return of(blas.GerOn(m.q, 1, in(m, "x", someFloats[:90]), in(m, "y", moreFloats[:100]), someView(out[float32](m, "a", 9000)), opts...))
	}},
	{name: "blas.AxpyOn", fits: []string{"x"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		return of(blas.AxpyOn(m.q, 2, in(m, "x", someFloats), out[float32](m, "y", size), opts...))
	}},
	{name: "blas.GemmHalfOn", fits: []string{"a", "b"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		view := func(name string) blas.View[half.Float16] {
			return blas.View[half.Float16]{Shape: someShape, Data: in(m, name, someHalves)}
		}
		return of(blas.GemmHalfOn(m.q, 1, view("a"), view("b").T(), 0, blas.View[float32]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: out[float32](m, "c", 8100)}, opts...))
	}},
	{name: "blas.GemmInt8On", fits: []string{"a", "b"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		view := func(name string) blas.View[int8] {
			return blas.View[int8]{Shape: someShape, Data: in(m, name, someBytes)}
		}
		return of(blas.GemmInt8On(m.q, 1, view("a"), view("b").T(), 0, blas.View[int32]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: out[int32](m, "c", 8100)}, opts...))
	}},
}

// The matrix of sparse has 90 rows and 100 columns, with 100 elements in each row.
var (
	someStarts = func() []int32 {
		s := make([]int32, 91)
		for i := range s {
			s[i] = int32(100 * i)
		}
		return s
	}()
	someRows, someColumns = func() (i, j []int32) {
		for e := range int32(9000) {
			i, j = append(i, e/100), append(j, (e*37+e/100)%100)
		}
		return i, j
	}()
)

var sparseTable = []function{
	{name: "sparse.GemvOn", fits: []string{"a.Start", "a.Columns", "a.Values", "x"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		a := sparse.View[float32]{Rows: 90, Cols: 100, Start: in(m, "a.Start", someStarts), Columns: in(m, "a.Columns", someColumns), Values: in(m, "a.Values", someFloats[:9000])}
		return of(sparse.GemvOn(m.q, 1, a, in(m, "x", moreFloats[:100]), 0, out[float32](m, "y", 90), opts...))
	}},
	{name: "sparse.CSROfOn", fits: []string{"i", "j", "v"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		i, j, v := in(m, "i", someRows), in(m, "j", someColumns), in(m, "v", someFloats[:9000])
		a := sparse.View[float32]{Rows: 90, Cols: 100, Start: out[int32](m, "out.Start", 91), Columns: out[int32](m, "out.Columns", 9000), Values: out[float32](m, "out.Values", 9000)}
		return of(sparse.CSROfOn(m.q, i, j, v, a, opts...))
	}},
}

// fftTable has transforms of three arrays of 3000 elements.
var fftTable = []function{
	{name: "fft.Plan.ForwardOn", fits: []string{"v"}, inPlace: true, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		p := planned(m, fft.NewPlan[complex64])
		return of(p.ForwardOn(m.q, in(m, "v", someComplexes), out[complex64](m, "out", len(someComplexes)), opts...))
	}},
	{name: "fft.Plan.InverseOn", fits: []string{"v"}, inPlace: true, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		p := planned(m, fft.NewPlan[complex64])
		return of(p.InverseOn(m.q, in(m, "v", someComplexes), out[complex64](m, "out", len(someComplexes)), opts...))
	}},
	{name: "fft.RealPlan.ForwardOn", fits: []string{"v"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		p := planned(m, fft.NewRealPlan[float32, complex64])
		return of(p.ForwardOn(m.q, in(m, "v", someFloats[:9000]), out[complex64](m, "out", 3*1501), opts...))
	}},
	{name: "fft.RealPlan.InverseOn", fits: []string{"v"}, noLength: true, on: func(m *memory, opts ...prim.Option) error {
		p := planned(m, fft.NewRealPlan[float32, complex64])
		return of(p.InverseOn(m.q, in(m, "v", someComplexes[:3*1501]), out[float32](m, "out", 9000), opts...))
	}},
}

// planned returns a plan for arrays of 3000 elements. Tests that limit memory do not count its own.
func planned[P interface{ Close() error }](m *memory, made func(dev *runtime.Device, shape ...int) (P, error)) P {
	m.t.Helper()
	watch := memoryhook.Watch
	memoryhook.Watch = nil
	p, err := made(m.home.Device(), 3000)
	memoryhook.Watch = watch
	check(m.t, err)
	m.t.Cleanup(func() { p.Close() })
	return p
}

// receiver returns the name of a method's type.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	for {
		switch u := t.(type) {
		case *ast.StarExpr:
			t = u.X
		case *ast.IndexExpr:
			t = u.X
		case *ast.IndexListExpr:
			t = u.X
		default:
			return t.(*ast.Ident).Name
		}
	}
}

// slicesFunction is a function on slices of the program's memory.
type slicesFunction struct {
	name string
	call func(ctx context.Context, dev *runtime.Device) error
}

// slice1 is a call of a function with one slice and one result.
func slice1[T, R any](name string, xs []T, f func(ctx context.Context, dev *runtime.Device, xs []T) (R, error)) slicesFunction {
	return slicesFunction{name, func(ctx context.Context, dev *runtime.Device) error {
		_, err := f(ctx, dev, xs)
		return err
	}}
}

// sorts is slice1 for functions that take options.
func sorts[T, R any](name string, xs []T, f func(ctx context.Context, dev *runtime.Device, xs []T, opts ...prim.Option) (R, error)) slicesFunction {
	return slice1(name, xs, func(ctx context.Context, dev *runtime.Device, xs []T) (R, error) { return f(ctx, dev, xs) })
}

// onSlices are all functions on slices.
var onSlices = []slicesFunction{
	slice1("reduce.Sum", someFloats, reduce.Sum[float32]),
	slice1("reduce.Norm", someFloats, reduce.Norm[float32]),
	slice1("reduce.Min", someFloats, reduce.Min[float32]),
	slice1("reduce.Max", someFloats, reduce.Max[float32]),
	slice1("reduce.ArgMin", someFloats, reduce.ArgMin[float32]),
	slice1("reduce.ArgMax", someFloats, reduce.ArgMax[float32]),
	slice1("reduce.Count", someFloats, reduce.Count[float32]),
	slice1("reduce.Any", someFloats, reduce.Any[float32]),
	slice1("reduce.All", someFloats, reduce.All[float32]),
	{"reduce.MinMax", func(ctx context.Context, dev *runtime.Device) error {
		_, _, err := reduce.MinMax(ctx, dev, someFloats)
		return err
	}},
	{"reduce.Dot", func(ctx context.Context, dev *runtime.Device) error {
		_, err := reduce.Dot(ctx, dev, someFloats, moreFloats)
		return err
	}},
	{"reduce.ByKey", func(ctx context.Context, dev *runtime.Device) error {
		_, _, err := reduce.ByKey(ctx, dev, someKeys, someFloats)
		return err
	}},
	slice1("scan.Inclusive", someFloats, scan.Inclusive[float32]),
	slice1("scan.Exclusive", someFloats, scan.Exclusive[float32]),
	{"scan.ByKey", func(ctx context.Context, dev *runtime.Device) error {
		_, err := scan.ByKey(ctx, dev, someKeys, someFloats)
		return err
	}},
	{"scan.ExclusiveByKey", func(ctx context.Context, dev *runtime.Device) error {
		_, err := scan.ExclusiveByKey(ctx, dev, someKeys, someFloats)
		return err
	}},
	sorts("sort.Keys", someFloats, sort.Keys[float32]),
	sorts("sort.IsSorted", someFloats, sort.IsSorted[float32]),
	{"sort.Pairs", func(ctx context.Context, dev *runtime.Device) error {
		_, _, err := sort.Pairs(ctx, dev, someFloats, someInts)
		return err
	}},
	{"sort.TopK", func(ctx context.Context, dev *runtime.Device) error {
		_, err := sort.TopK(ctx, dev, someFloats, 99)
		return err
	}},
	{"sort.Search", func(ctx context.Context, dev *runtime.Device) error {
		_, err := sort.Search(ctx, dev, inOrder, fewFloats)
		return err
	}},
	{"sort.Merge", func(ctx context.Context, dev *runtime.Device) error {
		_, err := sort.Merge(ctx, dev, inOrder, inOrder[:70])
		return err
	}},
	slice1("pick.Unique", someKeys, pick.Unique[uint32]),
	{"pick.Flagged", func(ctx context.Context, dev *runtime.Device) error {
		_, err := pick.Flagged(ctx, dev, someInts, someFlags)
		return err
	}},
	{"pick.RunLengths", func(ctx context.Context, dev *runtime.Device) error {
		_, _, err := pick.RunLengths(ctx, dev, someKeys)
		return err
	}},
	{"hist.Even", func(ctx context.Context, dev *runtime.Device) error {
		_, err := hist.Even(ctx, dev, someFloats, -1, 1, 50)
		return err
	}},
	{"hist.Edges", func(ctx context.Context, dev *runtime.Device) error {
		_, err := hist.Edges(ctx, dev, someFloats, inOrder[:300])
		return err
	}},
	{"hist.ByKey", func(ctx context.Context, dev *runtime.Device) error {
		_, err := hist.ByKey(ctx, dev, someKeys, 60)
		return err
	}},
	{"move.Fill", func(ctx context.Context, dev *runtime.Device) error {
		return move.Fill(ctx, dev, make([]int16, size), 7)
	}},
	{"move.Iota", func(ctx context.Context, dev *runtime.Device) error {
		return move.Iota(ctx, dev, make([]int16, size), 7, 1)
	}},
	{"move.Reverse", func(ctx context.Context, dev *runtime.Device) error {
		return move.Reverse(ctx, dev, make([]int16, size))
	}},
	{"move.Gather", func(ctx context.Context, dev *runtime.Device) error {
		_, err := move.Gather(ctx, dev, someFloats, indices)
		return err
	}},
	{"move.Scatter", func(ctx context.Context, dev *runtime.Device) error {
		return move.Scatter(ctx, dev, someFloats, indices, make([]float32, size))
	}},
	{"rand.Uniform", func(ctx context.Context, dev *runtime.Device) error {
		return primrand.Uniform(ctx, dev, someStream, make([]float32, size))
	}},
	{"rand.Normal", func(ctx context.Context, dev *runtime.Device) error {
		return primrand.Normal(ctx, dev, someStream, make([]float32, size))
	}},
	{"rand.Bits", func(ctx context.Context, dev *runtime.Device) error {
		return primrand.Bits(ctx, dev, someStream, make([]int16, size))
	}},
	{"rand.IntN", func(ctx context.Context, dev *runtime.Device) error {
		return primrand.IntN(ctx, dev, someStream, 6, make([]int8, size))
	}},
	slice1("rand.Shuffle", someFloats, func(ctx context.Context, dev *runtime.Device, xs []float32) ([]float32, error) {
		return primrand.Shuffle(ctx, dev, someStream, xs)
	}),
	{"move.Transpose", func(ctx context.Context, dev *runtime.Device) error {
		_, err := move.Transpose(ctx, dev, someFloats[:9000], 40, 225)
		return err
	}},
	{"blas.Gemm", func(ctx context.Context, dev *runtime.Device) error {
		m := blas.Matrix[float32]{Shape: someShape, Data: someFloats}
		return blas.Gemm(ctx, dev, 1, m, m.T(), 0, blas.Matrix[float32]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: make([]float32, 8100)})
	}},
	{"blas.Gemv", func(ctx context.Context, dev *runtime.Device) error {
		return blas.Gemv(ctx, dev, 1, blas.Matrix[float32]{Shape: someShape, Data: someFloats}, moreFloats[:100], 0, make([]float32, 90))
	}},
	{"blas.Ger", func(ctx context.Context, dev *runtime.Device) error {
		return blas.Ger(ctx, dev, 1, someFloats[:90], moreFloats[:100], blas.Matrix[float32]{Shape: someShape, Data: make([]float32, 9000)})
	}},
	{"blas.Axpy", func(ctx context.Context, dev *runtime.Device) error {
		return blas.Axpy(ctx, dev, 2, someFloats, make([]float32, size))
	}},
	{"blas.GemmHalf", func(ctx context.Context, dev *runtime.Device) error {
		m := blas.Matrix[half.Float16]{Shape: someShape, Data: someHalves}
		return blas.GemmHalf(ctx, dev, 1, m, m.T(), 0, blas.Matrix[float32]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: make([]float32, 8100)})
	}},
	{"blas.GemmInt8", func(ctx context.Context, dev *runtime.Device) error {
		m := blas.Matrix[int8]{Shape: someShape, Data: someBytes}
		return blas.GemmInt8(ctx, dev, 1, m, m.T(), 0, blas.Matrix[int32]{Shape: blas.Shape{Rows: 90, Cols: 90}, Data: make([]int32, 8100)})
	}},
	{"sparse.Gemv", func(ctx context.Context, dev *runtime.Device) error {
		a := sparse.CSR[float32]{Rows: 90, Cols: 100, Start: someStarts, Columns: someColumns, Values: someFloats[:9000]}
		return sparse.Gemv(ctx, dev, 1, a, moreFloats[:100], 0, make([]float32, 90))
	}},
	{"sparse.CSROf", func(ctx context.Context, dev *runtime.Device) error {
		_, err := sparse.CSROf(ctx, dev, 90, 100, someRows, someColumns, someFloats[:9000])
		return err
	}},
	plans("fft.NewPlan", fft.NewPlan[complex64], func(context.Context, *fft.Plan[complex64]) error { return nil }),
	plans("fft.Plan.Forward", fft.NewPlan[complex64], func(ctx context.Context, p *fft.Plan[complex64]) error {
		_, err := p.Forward(ctx, someComplexes)
		return err
	}),
	plans("fft.Plan.Inverse", fft.NewPlan[complex64], func(ctx context.Context, p *fft.Plan[complex64]) error {
		_, err := p.Inverse(ctx, someComplexes)
		return err
	}),
	plans("fft.NewRealPlan", fft.NewRealPlan[float32, complex64], func(context.Context, *fft.RealPlan[float32, complex64]) error { return nil }),
	plans("fft.RealPlan.Forward", fft.NewRealPlan[float32, complex64], func(ctx context.Context, p *fft.RealPlan[float32, complex64]) error {
		_, err := p.Forward(ctx, someFloats[:9000])
		return err
	}),
	plans("fft.RealPlan.Inverse", fft.NewRealPlan[float32, complex64], func(ctx context.Context, p *fft.RealPlan[float32, complex64]) error {
		_, err := p.Inverse(ctx, someComplexes[:3002])
		return err
	}),
}

// plans is a call of a method of a plan for arrays of 3000 elements, which is made and closed.
func plans[P interface{ Close() error }](name string, made func(dev *runtime.Device, shape ...int) (P, error), f func(ctx context.Context, p P) error) slicesFunction {
	return slicesFunction{name, func(ctx context.Context, dev *runtime.Device) error {
		p, err := made(dev, 3000)
		if err != nil {
			return err
		}
		defer p.Close()
		return f(ctx, p)
	}}
}

// TestTables: the tables have all functions and methods of prim that take a queue, and all that take a device or a
// context.
func TestTables(t *testing.T) {
	want, have := map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob("../../../prim/*/*.go")
	check(t, err)
	for _, name := range files {
		family := filepath.Base(filepath.Dir(name))
		if _, err := filepath.Glob(filepath.Join(filepath.Dir(name), "kernels")); err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		check(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			called := family + "." + f.Name.Name
			if f.Recv != nil {
				called = family + "." + receiver(f) + "." + f.Name.Name
			}
			for _, p := range f.Type.Params.List {
				s, ok := p.Type.(*ast.SelectorExpr)
				if star, is := p.Type.(*ast.StarExpr); is {
					s, ok = star.X.(*ast.SelectorExpr)
				}
				if ok && f.Name.Name != "ScratchBytes" && (s.Sel.Name == "Queue" || s.Sel.Name == "Device" || s.Sel.Name == "Context") {
					want[called] = true
				}
			}
		}
	}
	for _, f := range functions {
		have[f.name] = true
	}
	for _, f := range onSlices {
		have[f.name] = true
	}
	if len(want) < 60 {
		t.Errorf("only %d functions are found", len(want))
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !have[name] {
			t.Errorf("no table has %s: add it to functions or onSlices", name)
		}
	}
	for name := range have {
		if !want[name] {
			t.Errorf("a table has %s, which is no function", name)
		}
	}
}

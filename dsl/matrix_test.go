package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/matrix"
)

// TestMatrixMistakes: the host panics with the texts of kgen's diagnostics, which package mistakes has.
func TestMatrixMistakes(t *testing.T) {
	var a dsl.MatrixA[[2][4]int8]
	var b dsl.MatrixB[[4][2]int8]
	var wide dsl.MatrixB[[2][4]int8]
	var c dsl.Accumulator[[2][2]int32]
	text := func(p matrix.Problem) string { return "dsl: " + p.Text + ": " + p.Hint }
	shape := func(use matrix.Use, rows, cols int, e matrix.Elem) matrix.Shape {
		return matrix.Shape{Use: use, Rows: rows, Cols: cols, Elem: e}
	}
	sum := shape(matrix.Accumulator, 2, 2, matrix.Int32)
	for name, test := range map[string]struct {
		want string
		do   func(it dsl.NDItem1)
	}{
		"product": {text(matrix.Product(shape(matrix.A, 2, 4, matrix.Int8), shape(matrix.B, 2, 4, matrix.Int8), sum)), func(it dsl.NDItem1) { dsl.MulAdd(it.SubGroup(), a, wide, c) }},
		"sum": {text(matrix.Product(shape(matrix.A, 2, 4, matrix.Int8), shape(matrix.B, 4, 2, matrix.Int8), shape(matrix.Accumulator, 2, 2, matrix.Uint32))), func(it dsl.NDItem1) {
			var u dsl.Accumulator[[2][2]uint32]
			dsl.MulAdd(it.SubGroup(), a, b, u)
		}},
		"shape":   {text(matrix.NoShape(matrix.Accumulator, "[4]int32")), func(it dsl.NDItem1) { dsl.Fill[[4]int32](it.SubGroup(), int32(1)) }},
		"element": {text(shape(matrix.A, 2, 2, matrix.Int32).Check("int32")), func(it dsl.NDItem1) { dsl.LoadA[[2][2]int32](it.SubGroup(), ints, 2, dsl.RowMajor) }},
		"large": {text(shape(matrix.Accumulator, 65, 64, matrix.Int32).Check("int32")), func(it dsl.NDItem1) {
			dsl.Fill[[65][64]int32](it.SubGroup(), int32(1))
		}},
		"slice": {text(sum.CheckMemory("uint32")), func(it dsl.NDItem1) {
			dsl.LoadAccumulator[[2][2]int32](it.SubGroup(), words, 2, dsl.RowMajor)
		}},
		"value":  {text(sum.CheckValue("int")), func(it dsl.NDItem1) { dsl.Fill[[2][2]int32](it.SubGroup(), 0) }},
		"layout": {matrix.BadLayout, func(it dsl.NDItem1) { dsl.LoadA[[2][2]int8](it.SubGroup(), mem[:4], 2, 2) }},
		"group":  {matrix.NoSubGroup, func(it dsl.NDItem1) { dsl.MulAdd(it.Group(), a, b, c) }},
		"stride": {matrix.BadStride, func(it dsl.NDItem1) { dsl.StoreAccumulator(it.SubGroup(), c, ints, 1, dsl.RowMajor) }},
		"short": {"index out of range [5] with length 5", func(it dsl.NDItem1) {
			dsl.LoadA[[2][2]int8](it.SubGroup(), mem[:5], 4, dsl.RowMajor)
		}},
		"left": {matrix.Left, func(it dsl.NDItem1) {
			if it.LocalID() > 0 {
				dsl.MulAdd(it.SubGroup(), a, b, c)
			}
		}},
		"past": {"index out of range [1] with length 1", func(it dsl.NDItem1) {
			n := dsl.ElementCount(it.SubGroup(), c)
			dsl.Element[int32](it.SubGroup(), c, n)
		}},
		"differ": {matrix.NotSame, func(it dsl.NDItem1) {
			dsl.LoadA[[2][2]int8](it.SubGroup(), mem[it.LocalID():], 2, dsl.RowMajor)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var f faults
			l := ndLaunch([]int{4}, []int{4})
			l.Panicked = f.add
			runND(test.do, l)
			if len(f.list) == 0 || !strings.Contains(fmt.Sprint(f.list[0].v), test.want) {
				t.Errorf("got %v, want %s", f.list, test.want)
			}
		})
	}
}

var (
	mem   = make([]int8, 8)
	words = make([]uint32, 4)
	ints  = make([]int32, 4)
)

// TestMatrixZero: the zero values are zero, and a matrix does not change when variables of it do.
func TestMatrixZero(t *testing.T) {
	out := make([]float32, 8)
	runND(func(it dsl.NDItem1) {
		sg := it.SubGroup()
		var a dsl.MatrixA[[2][2]half.Float16]
		var b dsl.MatrixB[[2][2]half.Float16]
		var zero dsl.Accumulator[[2][2]float32]
		one := dsl.Fill[[2][2]float32](sg, float32(1))
		old := one
		one = dsl.Add(sg, one, dsl.MulAdd(sg, a, b, one))
		dsl.StoreAccumulator(sg, dsl.Add(sg, one, zero), out, 2, dsl.RowMajor)
		dsl.StoreAccumulator(sg, old, out[4:], 2, dsl.ColumnMajor)
	}, ndLaunch([]int{8}, []int{8}))
	mustEqual(t, "the sums", fmt.Sprint(out), "[2 2 2 2 1 1 1 1]")
}

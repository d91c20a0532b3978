package interp

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/matrix"
)

// This file has the ops of matrices. The items of a sub-group hold a matrix together: element i is
// that with the number i/n of item i%n.

// matrix does the op at which the items of a sub-group wait, if it is one of matrices.
func (x *machine) matrix(v *ir.Value, items []*item) {
	switch a := v.Aux.(type) {
	case *ir.Tile:
		x.sameMemory(v, items)
		for id, w := range items {
			for i := id; w.at != nil && i < a.Matrix.Type.Matrix.Len(); i += len(items) {
				w.tile(v, a, i, w.held(v, a.Matrix, i/len(items)))
			}
		}
	case *ir.Product:
		x.multiply(v, a, items)
	}
}

// sameMemory checks that the items load or store with the same arguments.
func (x *machine) sameMemory(v *ir.Value, items []*item) {
	var first *item
	for _, w := range items {
		switch {
		case w.at == nil:
			continue
		case first == nil:
			first = w
		}
		for _, a := range v.Args {
			if w.value(a) == first.value(a) {
				continue
			}
			if c := x.check; c != nil {
				c.stop(Finding{Kind: NotUniform, Pos: v.Pos, Message: fmt.Sprintf("the work-items of a sub-group use a matrix with different slices or strides: work-item %v has others than %v", w.globalID(), first.globalID())})
			}
			w.fail(v, "the argument %#x is not the sub-group's, %#x", w.value(a), first.value(a))
		}
	}
}

// held returns element e of a matrix among the elements that the item has.
func (w *item) held(v *ir.Value, m *ir.Var, e int) *cell {
	s := w.variable(m)
	if e >= len(s.cells) {
		w.fail(v, "element %d of an invocation that holds %d", e, len(s.cells))
	}
	return &s.cells[e]
}

// tile loads or stores element i of a matrix, which the item holds in c.
func (w *item) tile(v *ir.Value, t *ir.Tile, i int, c *cell) {
	s := t.Matrix.Type.Matrix
	row, col := i/s.Cols, i%s.Cols
	if t.Columns {
		row, col = col, row
	}
	path := append([]*ir.Value{}, v.Path()...)
	last := path[len(path)-1]
	at := sext(last.Type, w.value(last)) + int64(row)*sext(v.Args[0].Type, w.value(v.Args[0])) + int64(col)
	path[len(path)-1] = &ir.Value{Op: ir.OpConst, Type: ir.TypeI64, Bits: uint64(at)}
	if v.Op == ir.OpMatrixStore {
		if !c.set {
			w.fail(v, "read before it was written")
		}
		w.store(v, t.Mem, path, mask(ir.MatrixElem(s.Elem, t.Mem.Var == nil), c.bits))
		return
	}
	bits := w.load(v, t.Mem, path)
	switch {
	case s.Elem == matrix.Int8:
		bits = uint64(uint32(int8(bits)))
	case s.Elem == matrix.Float16 && s.Use != matrix.Accumulator:
		bits = uint64(math.Float32bits(float32(ir.Float16frombits(uint16(bits)))))
	case s.Elem == matrix.BFloat16:
		bits = bits << 16 & math.MaxUint32
	}
	*c = cell{bits: bits, set: true}
}

// multiply does MatrixMulAdd.
func (x *machine) multiply(v *ir.Value, p *ir.Product, items []*item) {
	get := func(m *ir.Var, i int) uint32 {
		w := items[i%len(items)]
		if w.at == nil {
			return 0 // it has left, and may only do so with a fault
		}
		c := w.held(v, m, i/len(items))
		if !c.set {
			w.fail(v, "element %d of %s is read before it was written", i, m.Name)
		}
		return uint32(c.bits)
	}
	a, b, s := p.A.Type.Matrix, p.B.Type.Matrix, p.C.Type.Matrix
	for id, w := range items {
		for i := id; w.at != nil && i < s.Len(); i += len(items) {
			sum := get(p.C, i)
			for k := range a.Cols {
				y, z := get(p.A, i/s.Cols*a.Cols+k), get(p.B, k*b.Cols+i%s.Cols)
				product := float32(math.Float32frombits(y) * math.Float32frombits(z)) // rounded
				switch s.Elem {
				case matrix.Float32:
					sum = math.Float32bits(math.Float32frombits(sum) + product)
				case matrix.Float16:
					sum = uint32(ir.Float16bits(float64(float32(ir.Float16frombits(uint16(sum))) + product)))
				default:
					sum += y * z
				}
			}
			*w.held(v, p.To, i/len(items)) = cell{bits: uint64(sum), set: true}
		}
	}
}

// heldOf returns how many elements of a matrix the item holds.
func (w *item) heldOf(m *ir.Var) uint64 {
	n, id := int(w.builtIn(ir.SubgroupLocalRange)), int(w.builtIn(ir.SubgroupLocalInvocationID))
	return uint64((m.Type.Matrix.Len() - 1 - id + n) / n)
}

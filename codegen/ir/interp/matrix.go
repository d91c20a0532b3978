package interp

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/matrix"
)

// This file runs the matrix ops. The elements of a matrix are distributed over the n work-items of a sub-group.
// Work-item i%n stores element i of the matrix at index i/n of the work-item's array.

// The method matrix runs the matrix op at which the work-items of a sub-group wait.
func (x *machine) matrix(v *ir.Value, items []*item) {
	switch a := v.Aux.(type) {
	case *ir.Tile:
		x.sameMemory(v, items)
		if i := slices.IndexFunc(items, func(w *item) bool { return w.at != nil }); i < 0 || sext(v.Args[0].Type, items[i].value(v.Args[0])) < 0 {
			return // all work-items of the sub-group have returned
		}
		h := holding{a.Matrix.Type, a.Part, len(items)}
		_, cols := h.size()
		for i := range h.len() {
			if w := items[h.id(i)]; w.at != nil {
				w.tile(v, a, i/cols, i%cols, w.held(v, a.Matrix, h.at(i)))
			}
		}
	case *ir.Product:
		x.multiply(v, a, items)
	}
}

// holding describes how a matrix, or a part of a matrix, is distributed over n work-items. The elements are numbered
// row by row.
type holding struct {
	t    *ir.Type
	part int // number of the part, from 1; 0 for the whole matrix
	n    int
}

func (h holding) size() (rows, cols int) {
	if h.part == 0 {
		return h.t.Matrix.Rows, h.t.Matrix.Cols
	}
	return h.t.Part[0], h.t.Part[1]
}

func (h holding) len() int {
	rows, cols := h.size()
	return rows * cols
}

// The method each returns the largest number of elements of one part that a single work-item stores.
func (h holding) each() int { return (h.len() + h.n - 1) / h.n }

// The method id returns the index of the work-item that stores element i. The method at returns the index of element i
// in the array of this work-item.
func (h holding) id(i int) int { return i % h.n }
func (h holding) at(i int) int { return max(h.part-1, 0)*h.each() + i/h.n }

// sameMemory checks that all items execute a load or store of a matrix with the same arguments.
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

// The method held returns the e-th cell of work-item w's array for matrix m.
func (w *item) held(v *ir.Value, m *ir.Var, e int) *cell {
	s := w.variable(m)
	if e >= len(s.cells) {
		w.fail(v, "element %d of an invocation that holds %d", e, len(s.cells))
	}
	return &s.cells[e]
}

// The method tile copies one element of a matrix between memory and cell c of work-item w. Parameters row and col
// select the element.
func (w *item) tile(v *ir.Value, t *ir.Tile, row, col int, c *cell) {
	s := t.Matrix.Type.Matrix
	if t.Columns {
		row, col = col, row
	}
	path := append([]*ir.Value{}, v.Path()...)
	last := path[len(path)-1]
	if x := t.Mem.Var; x != nil && x.Type.Elem == ir.TypeI32x4 {
		w.tileOfVectors(v, t, row, col, c)
		return
	}
	at := sext(last.Type, w.value(last)) + int64(row)*sext(v.Args[0].Type, w.value(v.Args[0])) + int64(col)
	path[len(path)-1] = &ir.Value{Op: ir.OpConst, Type: ir.TypeI64, Bits: uint64(at)}
	if v.Op == ir.OpMatrixStore {
		if !c.set {
			w.fail(v, "read before it was written")
		}
		w.store(v, t.Mem, path, mask(ir.MatrixElem(s.Elem, t.Mem.Var == nil || t.Mem.Var.Packed()), c.bits))
		return
	}
	*c = cell{bits: loaded(s, w.load(v, t.Mem, path)), set: true}
}

// loaded converts the bits of a matrix element in memory to the bits that work-items store in their arrays.
func loaded(s *matrix.Shape, bits uint64) uint64 {
	switch {
	case s.Elem == matrix.Int8:
		return uint64(uint32(int8(bits)))
	case s.Elem == matrix.Float16 && s.Use != matrix.Accumulator:
		return uint64(math.Float32bits(float32(ir.Float16frombits(uint16(bits)))))
	case s.Elem == matrix.BFloat16:
		return bits << 16 & math.MaxUint32
	}
	return bits
}

// tileOfVectors is like method tile, but the memory is a work-group array of vectors. Each vector in that memory
// contains several matrix elements. Parameters row and col are already swapped if the memory is column-major.
func (w *item) tileOfVectors(v *ir.Value, t *ir.Tile, row, col int, c *cell) {
	s, words := t.Matrix.Type.Matrix, w.variable(t.Mem.Var).cells
	size := s.Elem.Size()
	first := sext(v.Path()[0].Type, w.value(v.Path()[0])) + int64(row)*sext(v.Args[0].Type, w.value(v.Args[0])) // index of the first vector
	at := int(first)*ir.TypeI32x4.Size + col*size
	if at < 0 || at/4 >= len(words) {
		w.fail(v, "byte %d of an array of %d words", at, len(words))
	}
	word, by := &words[at/4], at%4*8
	w.checkAccess(v, t.Mem, memoryKey{cell: word}, v.Op == ir.OpMatrixStore)
	if !word.set && v.Op == ir.OpMatrixLoad || !c.set && v.Op == ir.OpMatrixStore {
		w.fail(v, "read before it was written")
	}
	part := uint64(1)<<(8*size) - 1
	if v.Op == ir.OpMatrixStore {
		*word = cell{word.bits&^(part<<by) | c.bits&part<<by, true, true}
		return
	}
	*c = cell{bits: loaded(s, word.bits>>by&part), set: true}
}

// multiply runs MatrixMulAdd.
func (x *machine) multiply(v *ir.Value, p *ir.Product, items []*item) {
	get := func(m *ir.Var, part, i int) uint32 {
		h := holding{m.Type, part, len(items)}
		w := items[h.id(i)]
		if w.at == nil {
			return 0 // the item has returned, which is correct only after a fault
		}
		c := w.held(v, m, h.at(i))
		if !c.set && m.Type.Part == [2]int{} { // with native matrices, all work-items of the sub-group may have returned
			w.fail(v, "element %d of %s is read before it was written", i, m.Name)
		}
		return uint32(c.bits)
	}
	to := holding{p.To.Type, p.Parts[2], len(items)}
	_, inner := holding{p.A.Type, p.Parts[0], len(items)}.size()
	_, cols := to.size()
	s := p.C.Type.Matrix
	for i := range to.len() {
		if w := items[to.id(i)]; w.at != nil {
			sum := get(p.C, p.Parts[2], i)
			for k := range inner {
				y, z := get(p.A, p.Parts[0], i/cols*inner+k), get(p.B, p.Parts[1], k*cols+i%cols)
				product := float32(math.Float32frombits(y) * math.Float32frombits(z)) // product, rounded to float32
				switch s.Elem {
				case matrix.Float32:
					sum = math.Float32bits(math.Float32frombits(sum) + product)
				case matrix.Float16:
					sum = uint32(ir.Float16bits(float64(float32(ir.Float16frombits(uint16(sum))) + product)))
				default:
					sum += y * z
				}
			}
			*w.held(v, p.To, to.at(i)) = cell{bits: uint64(sum), set: true}
		}
	}
}

// heldOf returns the number of elements of matrix m that work-item w stores.
func (w *item) heldOf(m *ir.Var) uint64 {
	n, id := int(w.builtIn(ir.SubgroupLocalRange)), int(w.builtIn(ir.SubgroupLocalInvocationID))
	if rows, cols := m.Type.Parts(); rows > 0 {
		return uint64(rows * cols * (holding{m.Type, 1, n}).each())
	}
	return uint64((m.Type.Matrix.Len() - 1 - id + n) / n)
}

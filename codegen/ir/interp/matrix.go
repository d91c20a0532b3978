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

// runMatrixOp runs the matrix op at which the work-items of a sub-group wait.
func (x *launchState) runMatrixOp(v *ir.Value, items []*itemState) {
	switch a := v.Aux.(type) {
	case *ir.Tile:
		x.sameMemory(v, items)
		if i := slices.IndexFunc(items, func(w *itemState) bool { return w.at != nil }); i < 0 || sext(v.Args[0].Type, items[i].operandBits(v.Args[0])) < 0 {
			return // no work-item executes the op, because all work-items of the sub-group have returned
		}
		h := matrixHolding{a.Matrix.Type, a.Part, len(items)}
		_, cols := h.size()
		for i := range h.len() {
			if w := items[h.itemOf(i)]; w.at != nil {
				w.copyElement(v, a, i/cols, i%cols, w.matrixCell(v, a.Matrix, h.indexOf(i)))
			}
		}
	case *ir.Product:
		x.multiply(v, a, items)
	}
}

// matrixHolding describes how a matrix, or a part of a matrix, is distributed over n work-items. A
// part of a matrix is a smaller matrix for which devices have instructions. The elements of the
// matrix or part are numbered row by row.
type matrixHolding struct {
	t    *ir.Type
	part int // number (from 1) of a part of the matrix; 0 for the whole matrix
	n    int
}

func (h matrixHolding) size() (rows, cols int) {
	if h.part == 0 {
		return h.t.Matrix.Rows, h.t.Matrix.Cols
	}
	return h.t.Part[0], h.t.Part[1]
}

func (h matrixHolding) len() int {
	rows, cols := h.size()
	return rows * cols
}

// maxPerItem returns the largest number of elements that a single work-item stores.
func (h matrixHolding) maxPerItem() int { return (h.len() + h.n - 1) / h.n }

// itemOf returns the index of the work-item that stores element i. indexOf returns the index of element
// i in the array of the work-item that stores the element.
func (h matrixHolding) itemOf(i int) int  { return i % h.n }
func (h matrixHolding) indexOf(i int) int { return max(h.part-1, 0)*h.maxPerItem() + i/h.n }

// sameMemory checks that all work-items execute a load or store of a matrix with the same
// arguments.
func (x *launchState) sameMemory(v *ir.Value, items []*itemState) {
	var first *itemState
	for _, w := range items {
		switch {
		case w.at == nil:
			continue
		case first == nil:
			first = w
		}
		for _, a := range v.Args {
			if w.operandBits(a) == first.operandBits(a) {
				continue
			}
			if c := x.check; c != nil {
				c.stopRun(Finding{Kind: NotUniform, Pos: v.Pos, Message: fmt.Sprintf("the work-items of a sub-group use a matrix with different slices or strides: work-item %v has others than %v", w.globalID(), first.globalID())})
			}
			w.failAt(v, "the argument %#x is not the sub-group's, %#x", w.operandBits(a), first.operandBits(a))
		}
	}
}

// matrixCell returns the e-th scalar in work-item w's array for matrix m.
func (w *itemState) matrixCell(v *ir.Value, m *ir.Var, e int) *cell {
	s := w.memoryOf(m)
	if e >= len(s.cells) {
		w.failAt(v, "element %d of an invocation that holds %d", e, len(s.cells))
	}
	return &s.cells[e]
}

// copyElement copies the matrix element in the given row and column between memory and c, a scalar
// in the array of work-item w.
func (w *itemState) copyElement(v *ir.Value, t *ir.Tile, row, col int, c *cell) {
	s := t.Matrix.Type.Matrix
	if t.Columns {
		row, col = col, row
	}
	path := append([]*ir.Value{}, v.Path()...)
	last := path[len(path)-1]
	if x := t.Mem.Var; x != nil && x.Type.Elem == ir.TypeI32x4 {
		w.copyFromVectors(v, t, row, col, c)
		return
	}
	at := sext(last.Type, w.operandBits(last)) + int64(row)*sext(v.Args[0].Type, w.operandBits(v.Args[0])) + int64(col)
	path[len(path)-1] = &ir.Value{Op: ir.OpConst, Type: ir.TypeI64, Bits: uint64(at)}
	if v.Op == ir.OpMatrixStore {
		if !c.set {
			w.failAt(v, "read before it was written")
		}
		w.store(v, t.Mem, path, maskBits(ir.MatrixElem(s.Elem, t.Mem.Var == nil || t.Mem.Var.Packed()), c.bits))
		return
	}
	*c = cell{bits: loadedBits(s, w.load(v, t.Mem, path)), set: true}
}

// loadedBits converts a matrix element from its bits in memory to its bits in the array of a
// work-item.
func loadedBits(s *matrix.Shape, bits uint64) uint64 {
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

// copyFromVectors is like copyElement, but the memory is a work-group array of vectors. Each vector
// in the array contains several matrix elements. For column-major memory, the caller must swap row
// and col.
func (w *itemState) copyFromVectors(v *ir.Value, t *ir.Tile, row, col int, c *cell) {
	s, words := t.Matrix.Type.Matrix, w.memoryOf(t.Mem.Var).cells
	size := s.Elem.Size()
	first := sext(v.Path()[0].Type, w.operandBits(v.Path()[0])) + int64(row)*sext(v.Args[0].Type, w.operandBits(v.Args[0])) // index of the first vector
	at := int(first)*ir.TypeI32x4.Size + col*size
	if at < 0 || at/4 >= len(words) {
		w.failAt(v, "byte %d of an array of %d words", at, len(words))
	}
	word, by := &words[at/4], at%4*8
	w.checkAccess(v, t.Mem, memoryKey{cell: word}, v.Op == ir.OpMatrixStore)
	if !word.set && v.Op == ir.OpMatrixLoad || !c.set && v.Op == ir.OpMatrixStore {
		w.failAt(v, "read before it was written")
	}
	part := uint64(1)<<(8*size) - 1
	if v.Op == ir.OpMatrixStore {
		*word = cell{word.bits&^(part<<by) | c.bits&part<<by, true, true}
		return
	}
	*c = cell{bits: loadedBits(s, word.bits>>by&part), set: true}
}

// multiply runs MatrixMulAdd.
func (x *launchState) multiply(v *ir.Value, p *ir.Product, items []*itemState) {
	get := func(m *ir.Var, part, i int) uint32 {
		h := matrixHolding{m.Type, part, len(items)}
		w := items[h.itemOf(i)]
		if w.at == nil {
			return 0 // the work-item has returned after a fault, so its elements do not matter
		}
		c := w.matrixCell(v, m, h.indexOf(i))
		if !c.set && m.Type.Part == [2]int{} { // for a matrix with parts, elements may be unset, because all work-items of the sub-group may have returned
			w.failAt(v, "element %d of %s is read before it was written", i, m.Name)
		}
		return uint32(c.bits)
	}
	to := matrixHolding{p.To.Type, p.Parts[2], len(items)}
	_, inner := matrixHolding{p.A.Type, p.Parts[0], len(items)}.size()
	_, cols := to.size()
	s := p.C.Type.Matrix
	for i := range to.len() {
		if w := items[to.itemOf(i)]; w.at != nil {
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
			*w.matrixCell(v, p.To, to.indexOf(i)) = cell{bits: uint64(sum), set: true}
		}
	}
}

// heldOf returns the number of elements of matrix m that work-item w stores.
func (w *itemState) heldOf(m *ir.Var) uint64 {
	n, id := int(w.builtIn(ir.SubgroupLocalRange)), int(w.builtIn(ir.SubgroupLocalInvocationID))
	if rows, cols := m.Type.Parts(); rows > 0 {
		return uint64(rows * cols * (matrixHolding{m.Type, 1, n}).maxPerItem())
	}
	return uint64((m.Type.Matrix.Len() - 1 - id + n) / n)
}

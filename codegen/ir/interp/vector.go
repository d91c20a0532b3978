package interp

// This file runs operations on vectors.

import (
	"encoding/binary"

	"github.com/kgen-go/kgen/codegen/ir"
)

// setElement sets element i of the vector v.
func (w *itemState) setElement(v *ir.Value, i int, bits uint64) {
	f := w.frame
	at := int(w.x.slots[v.ID]) - 1 + i
	f.vals[at], f.known[at] = bits, true
}

// vectorElement returns element i of vector v.
func (w *itemState) vectorElement(v *ir.Value, i int) uint64 {
	f := w.frame
	at := int(w.x.slots[v.ID]) - 1 + i
	if !f.known[at] {
		w.failAt(v, "used before it was computed")
	}
	return f.vals[at]
}

// loadVector reads a vector from memory. The address of the vector must be a multiple of the vector's size.
func (w *itemState) loadVector(v *ir.Value) {
	if x := v.Ref().Var; x != nil {
		for i, c := range w.vectorCells(v, x) {
			w.checkAccess(v, v.Ref(), memoryKey{cell: c}, false)
			if !c.set {
				w.failAt(v, "read before it was written")
			}
			w.setElement(v, i, c.bits)
		}
		return
	}
	for i, b := range w.vectorBytes(v, v.Type, false) {
		w.setElement(v, i, readBytes(b))
	}
}

// storeVector writes a vector.
func (w *itemState) storeVector(v *ir.Value) {
	if x := v.Ref().Var; x != nil {
		for i, c := range w.vectorCells(v, x) {
			w.checkAccess(v, v.Ref(), memoryKey{cell: c}, true)
			*c = cell{w.vectorElement(v.Args[0], i), true, true}
		}
		return
	}
	for i, b := range w.vectorBytes(v, v.Args[0].Type, true) {
		var all [8]byte
		binary.LittleEndian.PutUint64(all[:], w.vectorElement(v.Args[0], i))
		copy(b, all[:])
	}
}

// vectorCells returns the scalars of variable x that op v loads or stores as a vector.
func (w *itemState) vectorCells(v *ir.Value, x *ir.Var) []*cell {
	s := w.memoryOf(x)
	at := int(w.checkedIndex(v, s.typ, v.Path()[0])) * s.typ.Elem.Lanes()
	list := make([]*cell, s.typ.Elem.Lanes())
	for i := range list {
		list[i] = &s.cells[at+i]
	}
	return list
}

// vectorBytes returns the device memory of the vector that op v accesses, as one slice of bytes for
// each element.
func (w *itemState) vectorBytes(v *ir.Value, t *ir.Type, writes bool) [][]byte {
	b, _ := w.deviceBytes(v, v.Ref(), v.Path())
	size := t.Elem.Size
	var elems [][]byte
	for i := range t.Lanes() {
		elems = append(elems, b[i*size:][:size])
		if w.x.check != nil {
			a, _ := w.deviceAddress(v, v.Ref(), v.Path())
			w.checkAccess(v, v.Ref(), memoryKey{addr: a + uint64(i*size)}, writes)
		}
	}
	return elems
}

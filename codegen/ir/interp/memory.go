package interp

// This file implements the memory of variables and of the device.

import (
	"encoding/binary"
	"fmt"

	"github.com/kgen-go/kgen/codegen/ir"
)

// varMemory is the memory of a variable, as a list of scalars. Ops access variables only by paths
// of indices, so the interpreter needs no byte offsets in variables.
type varMemory struct {
	typ   *ir.Type
	cells []cell
}

type cell struct {
	bits    uint64
	set     bool
	written bool // whether a store has written the scalar
}

// maxCells is the largest number of scalars in a variable.
const maxCells = 1 << 24

func (x *launchState) newStore(v *ir.Var) *varMemory {
	return &varMemory{v.Type, make([]cell, x.countCells(v.Type))}
}

// arrayLength returns the length of array type t, which may be a constant expression.
func (x *launchState) arrayLength(t *ir.Type) int {
	n := int32(x.constantBits(t.Len))
	if n < 0 {
		panic(runError{fmt.Errorf("the array %v has the length %d", t, n)})
	}
	return int(n)
}

// countCells returns the number of scalars in a variable of type t.
func (x *launchState) countCells(t *ir.Type) int {
	n := 0
	switch t.Kind {
	case ir.Array:
		n = x.arrayLength(t) * x.countCells(t.Elem)
	case ir.Struct:
		for _, f := range t.Fields {
			n += x.countCells(f.Type)
		}
	case ir.I32x4:
		n = t.Lanes()
	default:
		n = 1
	}
	if n > maxCells {
		panic(runError{fmt.Errorf("the type %v is too large", t)})
	}
	return n
}

// cellAt returns the scalar of s that the path selects.
func (w *itemState) cellAt(v *ir.Value, s *varMemory, path []*ir.Value) *cell {
	t, at := s.typ, 0
	for _, p := range path {
		if t.Kind == ir.Array {
			at += int(w.checkedIndex(v, t, p)) * w.x.countCells(t.Elem)
			t = t.Elem
			continue
		}
		for _, f := range t.Fields[:p.Bits] {
			at += w.x.countCells(f.Type)
		}
		t = t.Fields[p.Bits].Type
	}
	return &s.cells[at]
}

// checkedIndex returns the value of index p, and checks that the value is less than the length of array type t.
func (w *itemState) checkedIndex(v *ir.Value, t *ir.Type, p *ir.Value) int64 {
	i := sext(p.Type, w.operandBits(p))
	if n := w.x.arrayLength(t); i < 0 || i >= int64(n) {
		w.failAt(v, "index %d of an array of length %d", i, n)
	}
	return i
}

// deviceAddress returns the device address that the path selects, and the type of the memory at that address.
func (w *itemState) deviceAddress(v *ir.Value, r *ir.Ref, path []*ir.Value) (uint64, *ir.Type) {
	t := r.Elem
	i := sext(path[1].Type, w.operandBits(path[1]))
	if i < 0 && path[1].Type == ir.TypeI32 {
		w.failAt(v, "index %d has 32 bits: drivers differ in whether it has a sign", i)
	}
	a := w.operandBits(path[0]) + uint64(i*int64(t.Size))
	for _, p := range path[2:] {
		if t.Kind == ir.Array {
			a += uint64(w.checkedIndex(v, t, p) * int64(t.Elem.Size))
			t = t.Elem
			continue
		}
		f := &t.Fields[p.Bits]
		a += uint64(f.Offset)
		t = f.Type
	}
	return a, t
}

// deviceBytes returns the memory at a device address.
func (w *itemState) deviceBytes(v *ir.Value, r *ir.Ref, path []*ir.Value) ([]byte, *ir.Type) {
	a, t := w.deviceAddress(v, r, path)
	if a%uint64(t.Align) != 0 {
		w.failAt(v, "address %#x is not aligned to %d", a, t.Align)
	}
	if told := w.x.l.Accessed; told != nil {
		told([3]uint32{w.builtIn(ir.GlobalInvocationIDX), w.builtIn(ir.GlobalInvocationIDY), w.builtIn(ir.GlobalInvocationIDZ)}, v, a)
	}
	for _, m := range w.x.memory {
		if a >= m.Addr && a-m.Addr < uint64(len(m.Data)) && uint64(len(m.Data))-(a-m.Addr) >= uint64(t.Size) {
			return m.Data[a-m.Addr:][:t.Size], t
		}
	}
	w.failAt(v, "%d bytes at address %#x are no memory of the launch", t.Size, a)
	return nil, nil
}

// memoryOf returns the memory of a variable.
func (w *itemState) memoryOf(v *ir.Var) *varMemory {
	switch v.Storage {
	case ir.Private:
		return w.x.tables[v]
	case ir.Workgroup:
		return w.x.group[v]
	}
	return w.frame.vars[v]
}

// load reads memory.
func (w *itemState) load(v *ir.Value, r *ir.Ref, path []*ir.Value) uint64 {
	if r.Var != nil {
		c := w.cellAt(v, w.memoryOf(r.Var), path)
		w.checkAccess(v, r, memoryKey{cell: c}, false)
		if !c.set {
			w.failAt(v, "read before it was written")
		}
		return c.bits
	}
	b, t := w.deviceBytes(v, r, path)
	if w.x.check != nil {
		a, _ := w.deviceAddress(v, r, path)
		w.checkAccess(v, r, memoryKey{addr: a}, false)
	}
	bits := readBytes(b)
	if t == ir.TypeBool && bits > 1 {
		w.failAt(v, "a bool of value %d in memory", bits)
	}
	return bits
}

// store writes memory.
func (w *itemState) store(v *ir.Value, r *ir.Ref, path []*ir.Value, bits uint64) {
	if r.Var != nil {
		c := w.cellAt(v, w.memoryOf(r.Var), path)
		w.checkAccess(v, r, memoryKey{cell: c}, true)
		*c = cell{bits, true, true}
		return
	}
	b, _ := w.deviceBytes(v, r, path)
	if w.x.check != nil {
		a, _ := w.deviceAddress(v, r, path)
		w.checkAccess(v, r, memoryKey{addr: a}, true)
	}
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], bits)
	copy(b, all[:])
}

// readBytes reads a little-endian number of up to eight bytes.
func readBytes(b []byte) uint64 {
	var all [8]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:])
}

// clearAll sets all scalars of a variable to zero.
func (s *varMemory) clearAll() {
	for i := range s.cells {
		s.cells[i] = cell{set: true}
	}
}

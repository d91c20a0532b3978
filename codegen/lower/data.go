package lower

// This file makes tables of constants. Each table is a variable of the module, or data in device
// memory.

import (
	"encoding/binary"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// dataAlign is the alignment of tables in constant data.
const dataAlign = 16

// constTables holds the constant tables that a kernel reads. Each table is a variable of the
// module, constant data outside of the module, or a table of texts.
type constTables struct {
	*builder
	foresight *foresight
	vars      map[*ir.Var]*ssa.Global // tables that are variables of the module
	inData    map[*ssa.Global]bool    // tables that must be constant data according to an earlier lowering

	data []byte    // constant data of the kernel
	base *ir.Value // address of the constant data

	texts      *textTable
	textTables [2]slice // the table of the texts' bytes, and the table of their runes
}

// dataTable adds a table of the given scalars to the kernel's constant data, with gc's memory
// layout of type t.
func (ts *constTables) dataTable(scalars []*ir.Value, t types.Type) mem {
	if ts.base == nil {
		ts.data = []byte(abi.DataHeader)
		ts.m.DataOffset = (ts.m.ArgSize + 7) &^ 7
		ts.m.ArgSize = ts.m.DataOffset + 8
		ts.m.Spilled = abi.OffsetArgs+ts.m.ArgSize > abi.MaxLaunchBlock
		ts.base = ts.opInPrologue(ir.OpArg, ir.TypeAddr)
		ts.base.Bits = uint64(abi.OffsetArgs + ts.m.DataOffset)
	}
	at := (len(ts.data) + dataAlign - 1) &^ (dataAlign - 1)
	ts.data = append(ts.data, make([]byte, at-len(ts.data)+int(sizes.Sizeof(t)))...)
	ts.encodeValue(&scalars, t, at)
	addr := ts.opInPrologue(ir.OpAddrOf, ir.TypeAddr, ts.base, ts.m.Int(ir.TypeI64, int64(at/dataAlign)))
	addr.Aux = &ir.Ref{Elem: ts.m.ArrayOf(ir.TypeI32, ts.m.Int(ir.TypeI32, dataAlign/4))}
	return mem{addr: addr, elem: ts.memType(t, true), path: []*ir.Value{ts.m.Int(ir.TypeI32, 0)}}
}

// encodeValue writes a value of type t to the constant data, at the given offset. encodeValue
// consumes the value's scalars from *scalars.
func (ts *constTables) encodeValue(scalars *[]*ir.Value, t types.Type, offset int) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		size := int(sizes.Sizeof(u.Elem()))
		for i := range int(u.Len()) {
			ts.encodeValue(scalars, u.Elem(), offset+i*size)
		}
		return
	case *types.Basic:
		if gotypes.IsComplex(t) {
			break
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], (*scalars)[0].Bits)
		copy(ts.data[offset:offset+int(sizes.Sizeof(t))], b[:])
		*scalars = (*scalars)[1:]
		return
	}
	offsets := ts.offsets(t)
	for i, f := range gotypes.Fields(t) {
		ts.encodeValue(scalars, f, offset+offsets[i])
	}
}

// opInPrologue appends an instruction to the kernel's prologue.
func (w *builder) opInPrologue(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := w.f.NewValue(op, t, args...)
	v.Block = w.f.Blocks[0]
	w.prologue = append(w.prologue, v)
	return v
}

// finishData completes the module's constant data and the code at the kernel's start.
func (ts *constTables) finishData() {
	for len(ts.data)%dataAlign != 0 {
		ts.data = append(ts.data, 0)
	}
	ts.m.Data = ts.data
	first := ts.f.Blocks[0]
	first.Insts = append(ts.prologue[:len(ts.prologue):len(ts.prologue)], first.Insts...)
}

// moveTables moves tables to constant data, where each table has an address. Tables need addresses
// if the same pointer or slice may refer to several tables. moveTables reports whether it moved a
// table.
func (ts *constTables) moveTables(vs ...val) bool {
	moved := false
	for _, v := range vs {
		var r ref
		switch v := v.(type) {
		case slice:
			r = v.at
		case pointer:
			r = v.ref
		}
		if m, ok := r.(mem); ok && m.v != nil && ts.vars[m.v] != nil {
			ts.inData[ts.vars[m.v]] = true
			moved = true
		}
	}
	ts.foresight.repeat = ts.foresight.repeat || moved
	return moved
}

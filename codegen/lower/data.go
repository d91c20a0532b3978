package lower

import (
	"encoding/binary"
	"go/types"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// dataAlign is the alignment of tables in constant data.
const dataAlign = 16

// dataTable puts a table of the given scalars into the kernel's constant data, laid
// out as gc does.
func (l *lowerer) dataTable(scalars []*ir.Value, t types.Type) mem {
	if l.dataBase == nil {
		l.data = []byte(abi.DataHeader)
		l.m.DataOffset = (l.m.ArgSize + 7) &^ 7
		l.m.ArgSize = l.m.DataOffset + 8
		l.m.Spilled = abi.OffsetArgs+l.m.ArgSize > abi.MaxLaunchBlock
		l.dataBase = l.early(ir.OpArg, ir.TypeAddr)
		l.dataBase.Bits = uint64(abi.OffsetArgs + l.m.DataOffset)
	}
	at := (len(l.data) + dataAlign - 1) &^ (dataAlign - 1)
	l.data = append(l.data, make([]byte, at-len(l.data)+int(sizes.Sizeof(t)))...)
	l.encode(&scalars, t, at)
	addr := l.early(ir.OpAddrOf, ir.TypeAddr, l.dataBase, l.m.Int(ir.TypeI64, int64(at/dataAlign)))
	addr.Aux = &ir.Ref{Elem: l.m.ArrayOf(ir.TypeI32, l.m.Int(ir.TypeI32, dataAlign/4))}
	return mem{addr: addr, elem: l.memType(t, true), path: []*ir.Value{l.m.Int(ir.TypeI32, 0)}}
}

// encode writes the next scalars as a value of type t.
func (l *lowerer) encode(scalars *[]*ir.Value, t types.Type, at int) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		size := int(sizes.Sizeof(u.Elem()))
		for i := range int(u.Len()) {
			l.encode(scalars, u.Elem(), at+i*size)
		}
		return
	case *types.Basic:
		if isComplex(t) {
			break
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], (*scalars)[0].Bits)
		copy(l.data[at:at+int(sizes.Sizeof(t))], b[:])
		*scalars = (*scalars)[1:]
		return
	}
	offsets := l.offsets(t)
	for i, f := range fields(t) {
		l.encode(scalars, f, at+offsets[i])
	}
}

// early adds a value at the kernel's start.
func (w *builder) early(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := w.f.NewValue(op, t, args...)
	v.Block = w.f.Blocks[0]
	w.prologue = append(w.prologue, v)
	return v
}

// finishData adds to the module what was kept until it was known as a whole.
func (l *lowerer) finishData() {
	for len(l.data)%dataAlign != 0 {
		l.data = append(l.data, 0)
	}
	l.m.Data = l.data
	first := l.f.Blocks[0]
	first.Insts = append(l.prologue[:len(l.prologue):len(l.prologue)], first.Insts...)
}

// moveTables sees to it that tables which the same pointer or slice may lie in are
// constant data, where all have addresses. It reports whether that helps.
func (l *lowerer) moveTables(vs ...val) bool {
	moved := false
	for _, v := range vs {
		var r ref
		switch v := v.(type) {
		case slice:
			r = v.at
		case pointer:
			r = v.ref
		}
		if m, ok := r.(mem); ok && m.v != nil && l.tables[m.v] != nil {
			l.inData[l.tables[m.v]] = true
			moved = true
		}
	}
	l.foresight.again = l.foresight.again || moved
	return moved
}

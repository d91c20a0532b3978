package lower

// This file lowers loads and stores through pointers that unsafe.Pointer has converted.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

// unsafe.Pointer does not change an address. Loads and stores through a converted pointer
// reinterpret the bits of the original number.

// loadAs lowers a load through a converted pointer whose target is r.
func (l *lowerer) loadAs(r ref, in *ssa.UnOp) val {
	from, ok := castFrom(in.X)
	if !ok {
		return l.loadRef(r, in.Type())
	}
	x, ok := l.loadRef(r, from).(*ir.Value)
	if !ok {
		return l.reportLost(in.Type())
	}
	return l.reinterpret(x, from, in.Type())
}

// storeAs lowers a store through a converted pointer whose target is r.
func (l *lowerer) storeAs(r ref, v val, in *ssa.Store) {
	t := in.Val.Type()
	if from, ok := castFrom(in.Addr); ok {
		if x, ok := v.(*ir.Value); ok {
			v = l.reinterpret(x, t, from)
		}
		t = from
	}
	l.storeRef(r, v, t)
}

func castFrom(addr ssa.Value) (types.Type, bool) {
	c, ok := addr.(*ssa.Convert)
	if !ok {
		return nil, false
	}
	return load.Reinterpreted(c)
}

// reinterpret converts number x to another type of the same size. The bits of x stay the same.
func (l *lowerer) reinterpret(x *ir.Value, from, to types.Type) val {
	switch {
	case gotypes.IsFloat(from) == gotypes.IsFloat(to):
		if gotypes.IsFloat(from) {
			return x
		}
		return l.intToInt(x, from, to)
	case gotypes.IsFloat(from):
		return l.op(ir.OpBitcast, regType(to), l.markRounded(x))
	}
	return l.op(ir.OpBitcast, regType(to), x)
}

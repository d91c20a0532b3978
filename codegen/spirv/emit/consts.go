package emit

// This file emits constants.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// constantID returns the id of v, which is a constant, a specialization constant or a constant expression.
func (e *emitter) constantID(v *ir.Value) spirv.ID {
	id, ok := e.consts[v]
	if !ok {
		id = e.newConstant(v)
		e.consts[v] = id
	}
	return id
}

func (e *emitter) newConstant(v *ir.Value) spirv.ID {
	b := e.b
	switch v.Op {
	case ir.OpConst:
		switch v.Type.Kind {
		case ir.Bool:
			return b.ConstBool(v.Bits != 0)
		case ir.Addr:
			return b.ConstComposite(e.uvec2(), b.ConstU32(uint32(v.Bits)), b.ConstU32(uint32(v.Bits>>32)))
		}
		return b.ConstBits(e.registerType(v.Type), v.Bits)
	case ir.OpSpecConst:
		return e.specID(v.Aux.(*ir.Spec))
	}
	r := &singleInstructions[v.Op]
	if !r.fold {
		e.errorf("%v is no constant expression of SPIR-V", v.Op)
		return b.Undef(e.registerType(v.Type))
	}
	if isConversion(v.Op) && v.Type == v.Args[0].Type {
		return e.constantID(v.Args[0])
	}
	var args []spirv.ID
	for _, a := range v.Args {
		args = append(args, e.constantID(a))
	}
	return b.SpecConstOp(e.registerType(v.Type), r.op, args...)
}

// isFoldable reports whether v can be emitted as a constant expression of SPIR-V.
func isFoldable(v *ir.Value) bool {
	if v.Op.Has(ir.FlagConst) {
		return true
	}
	if !v.IsConstExpr() || !singleInstructions[v.Op].fold {
		return false
	}
	for _, a := range v.Args {
		// The upper bits of the 32-bit word of a narrow integer are undefined. The emitted code must
		// extend a narrow integer to 32 bits, which a SPIR-V constant expression cannot do.
		if !isFoldable(a) || isNarrow(a.Type) {
			return false
		}
	}
	return !isNarrow(v.Type)
}

// specID returns the id of specialization constant s. The module defines one constant per SpecId.
func (e *emitter) specID(s *ir.Spec) spirv.ID {
	id, ok := e.specs[s.ID]
	if !ok {
		if s.Type.Kind == ir.Bool {
			id = e.b.SpecConstBool(s.ID, s.Default != 0)
		} else {
			id = e.b.SpecConst(e.registerType(s.Type), s.ID, s.Default)
		}
		e.specs[s.ID] = id
	}
	return id
}

// tableConstant returns the constant that initializes a table of type t. The argument scalarList
// points to a list that begins with the scalars of the table. tableConstant removes these scalars
// from the list.
func (e *emitter) tableConstant(t *ir.Type, scalarList *[]*ir.Value) spirv.ID {
	var parts []spirv.ID
	switch t.Kind {
	case ir.Array:
		n, _ := t.ArrayLen()
		for range n {
			parts = append(parts, e.tableConstant(t.Elem, scalarList))
		}
	case ir.Struct:
		for _, f := range t.Fields {
			if !isEmpty(f.Type) {
				parts = append(parts, e.tableConstant(f.Type, scalarList))
			}
		}
	default:
		if len(*scalarList) == 0 {
			panic("BUG: a table with too few values")
		}
		v := (*scalarList)[0]
		*scalarList = (*scalarList)[1:]
		return e.constantID(v)
	}
	return e.b.ConstComposite(e.variableType(t), parts...)
}

package ir

// This file checks the rules of values, types and memory references.

import (
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
)

// isOneOf reports whether t is one of the scalar types.
func (x *verifier) isOneOf(t *Type) bool {
	return t != nil && t.IsScalar() && scalarTypes[t.Kind] == t
}

// isVector reports whether t is one of the vector types.
func isVector(t *Type) bool { return t != nil && t.Elem != nil && VectorOf(t.Elem, t.Size) == t }

// isNarrow reports whether t is i8 or i16, for which the IR has no arithmetic.
func isNarrow(t *Type) bool { return t == TypeI8 || t == TypeI16 }

// typeOK reports whether t is a valid type of the module, for memory or for values.
func (x *verifier) typeOK(t *Type) bool {
	if t == nil || int(t.Kind) >= len(kindNames) || t.Kind == Void {
		return false
	}
	ok, seen := x.types[t]
	if seen {
		return ok
	}
	switch t.Kind {
	case Array:
		ok = t.Len != nil && t.Len.Type == TypeI32 && x.m.arrays[arrayKey{t.Elem, t.Len, t.matrixShape(), t.Part}] == t && x.typeOK(t.Elem) && (!t.Elem.IsVector() || t.Elem == TypeI32x4) &&
			(t.Len.Op == OpConst && x.m.consts[constKey{TypeI32, t.Len.Bits}] == t.Len || x.isExpr(t.Len))
	case Struct:
		ok = x.m.structs[structKey(t)] == t
		for _, f := range t.Fields {
			ok = ok && x.typeOK(f.Type) && !f.Type.IsVector()
		}
	case F32x4, I32x4, F64x2, F32x2, I32x2:
		ok = isVector(t)
	default:
		ok = scalarTypes[t.Kind] == t
	}
	x.types[t] = ok
	return ok
}

// hasFixedSize reports whether the size of a type is a plain constant.
func hasFixedSize(t *Type) bool {
	switch t.Kind {
	case Array:
		_, ok := t.ArrayLen()
		return ok && hasFixedSize(t.Elem)
	case Struct:
		for _, f := range t.Fields {
			if !hasFixedSize(f.Type) {
				return false
			}
		}
	}
	return true
}

func (x *verifier) variable(v *Var, local bool) {
	if !x.typeOK(v.Type) || v.Type.IsVector() {
		x.errorf(nil, "variable %s: the type is not the module's", v.Name)
		return
	}
	if local != (v.Storage == Function) {
		x.errorf(nil, "variable %s: storage %v does not belong here", v.Name, v.Storage)
	}
	if v.Accessor >= 0 && v.Storage != Workgroup {
		x.errorf(nil, "variable %s: an accessor with storage %v", v.Name, v.Storage)
	}
	if v.Storage != Private {
		if len(v.Init) > 0 {
			x.errorf(nil, "variable %s: storage %v has no initializer", v.Name, v.Storage)
		}
		return
	}
	if !hasFixedSize(v.Type) {
		x.errorf(nil, "variable %s: a table's size is constant", v.Name)
		return
	}
	if n := countScalars(v.Type); n != len(v.Init) {
		x.errorf(nil, "variable %s: %d initial values for %d leaves", v.Name, len(v.Init), n)
		return
	}
	for i, c := range v.Init {
		if c == nil || c.Op != OpConst || c.Type != leafAt(v.Type, i) {
			x.errorf(nil, "variable %s: initial value %d is not a constant of the leaf's type", v.Name, i)
			return
		}
	}
}

// countScalars returns the number of scalars in type t, whose size must be a plain constant.
func countScalars(t *Type) int {
	switch t.Kind {
	case Array:
		n, _ := t.ArrayLen()
		return n * countScalars(t.Elem)
	case Struct:
		n := 0
		for _, f := range t.Fields {
			n += countScalars(f.Type)
		}
		return n
	}
	return 1
}

// leafAt returns the type of the i-th scalar in type t.
func leafAt(t *Type, i int) *Type {
	switch t.Kind {
	case Array:
		return leafAt(t.Elem, i%countScalars(t.Elem))
	case Struct:
		for _, f := range t.Fields {
			n := countScalars(f.Type)
			if i < n {
				return leafAt(f.Type, i)
			}
			i -= n
		}
	}
	return t
}

// checkValue checks value v against the properties of its op.
func (x *verifier) checkValue(v *Value) {
	info := v.Op.Info()
	params, result, _ := strings.Cut(info.Sig, ":")
	var same *Type // type that the letters I, F and S in the signature represent
	fits := func(c byte, t *Type) bool {
		if c == '-' {
			return t == TypeVoid
		}
		if (c == 'v' || c == 'm') && isVector(t) {
			return true
		}
		if c == 'v' || !x.isOneOf(t) {
			return false
		}
		switch c {
		case 'b':
			return t == TypeBool
		case 'w', 'k':
			return t == TypeI32
		case 'q':
			return t == TypeI64
		case 'a':
			return t == TypeAddr
		case 'i':
			return t.IsInt()
		case 'f':
			return t.IsFloat()
		case 's', 'm':
			return true
		}
		if same == nil {
			same = t
		}
		return t == same && !isNarrow(t) && (c == 'S' || c == 'I' && t.IsInt() || c == 'F' && t.IsFloat())
	}
	fixedArgs := strings.TrimRight(params, ".*")
	if len(v.Args) < len(fixedArgs) || len(fixedArgs) == len(params) && len(v.Args) != len(params) {
		x.errorf(v, "%d arguments where %v has the signature %q", len(v.Args), v.Op, info.Sig)
		return
	}
	for i := range len(fixedArgs) {
		if a := v.Args[i]; a != nil && !fits(fixedArgs[i], a.Type) {
			x.errorf(v, "argument %d has the type %v where %v has the signature %q", i, a.Type, v.Op, info.Sig)
			return
		}
	}
	if !fits(result[0], v.Type) {
		x.errorf(v, "the result has the type %v where %v has the signature %q", v.Type, v.Op, info.Sig)
		return
	}
	if slices.Contains(v.Args, nil) {
		return // checkOperand reports the missing type
	}
	if !x.checkAux(v, info.Aux) {
		return
	}
	if v.Op.Has(FlagFloat32) && v.Type != TypeF32 {
		x.errorf(v, "the op exists for f32 only")
	}
	if i := v.Op.wordArg(); i >= 0 && (!v.Args[i].IsConst() || v.Args[i].Bits > 3) {
		x.errorf(v, "argument %d is not the number of one of four words", i)
	}
	if v.Op.Has(FlagSubGroup) && v.GroupScope() != ScopeSubGroup {
		x.errorf(v, "the op exists for sub-groups only")
	}
	switch v.Op {
	case OpVecMake:
		if len(v.Args) != v.Type.Lanes() {
			x.errorf(v, "%d elements", len(v.Args))
		}
		for _, a := range v.Args {
			if a.Type != v.Type.Elem {
				x.errorf(v, "an element of type %v", a.Type)
			}
		}
	case OpVecExtract:
		if v.Type != v.Args[0].Type.Elem || v.Bits >= uint64(v.Args[0].Type.Lanes()) {
			x.errorf(v, "no element of the vector")
		}
	case OpFToHalf:
		if v.Args[0].Type != TypeF32 {
			x.errorf(v, "the op is of f32 only")
		}
	case OpBitcast:
		if from := v.Args[0].Type; from.Bits() != v.Type.Bits() || from == TypeBool {
			x.errorf(v, "a bitcast from %v to %v", from, v.Type)
		}
	case OpArg:
		if x.m.Level < Legal {
			break // tests of passes use launch arguments at arbitrary offsets
		}
		if v.Bits%uint64(v.Type.Align) != 0 || v.Bits+uint64(v.Type.Size) > uint64(abi.OffsetArgs+x.m.ArgSize) {
			x.errorf(v, "the offset is not in the launch block, or not aligned")
		}
	}
}

// checkAux checks the auxiliary data of value v and the rules that depend on this data. checkAux returns
// whether the auxiliary data exists.
func (x *verifier) checkAux(v *Value, kind AuxKind) bool {
	ok := true
	switch kind {
	case AuxSpec:
		s, _ := v.Aux.(*Spec)
		if ok = s != nil && slices.Contains(x.m.Specs, s); ok && s.Type != v.Type {
			x.errorf(v, "the constant has the type %v", s.Type)
		}
	case AuxBuiltIn:
		var b BuiltIn
		b, ok = v.Aux.(BuiltIn)
		ok = ok && b < NumBuiltIns
	case AuxCombine:
		var c Combine
		c, ok = v.Aux.(Combine)
		ok = ok && c.Scope <= ScopeSubGroup && c.By < numCombiners
		if ok && (c.By.Float() != v.Type.IsFloat() || !c.By.Float() && !v.Type.IsInt()) {
			x.errorf(v, "the combiner %v does not fit the type %v", c.By, v.Type)
		}
		if ok && v.Args[1].Op != OpConst {
			x.errorf(v, "the identity is not constant")
		}
	case AuxScope:
		var s Scope
		s, ok = v.Aux.(Scope)
		ok = ok && (s <= ScopeSubGroup || s == ScopeDevice && v.Op == OpAtomicFence)
	case AuxSite:
		s, _ := v.Aux.(*Site)
		ok = s != nil && s.Index >= 0 && s.Index < len(x.m.Sites) && x.m.Sites[s.Index] == s
	case AuxFunc:
		f, _ := v.Aux.(*Func)
		if ok = f != nil && slices.Contains(x.m.Helpers, f); ok {
			x.call(v, f)
		}
	case AuxCopy:
		c, _ := v.Aux.(*Copy)
		ok = c != nil && c.Dst != nil && c.Src != nil
		if ok && (c.Dst.Type != c.Src.Type || !x.ownsVar(c.Dst) || !x.ownsVar(c.Src) ||
			c.Dst.Storage != Function || c.Src.Storage != Function) {
			x.errorf(v, "not two Function variables of one type")
		}
	case AuxRef:
		r, _ := v.Aux.(*Ref)
		if ok = r != nil && (r.Var != nil || r.Elem != nil); ok {
			x.checkRef(v, r)
		}
	case AuxTile:
		t, _ := v.Aux.(*Tile)
		if ok = t != nil; ok {
			x.checkMatrixOp(v)
		}
	case AuxProduct:
		p, _ := v.Aux.(*Product)
		if ok = p != nil; ok {
			x.checkMatrixOp(v)
		}
	default:
		if v.Aux != nil {
			x.errorf(v, "%v has no such auxiliary", v.Op)
			return false
		}
	}
	if !ok {
		x.errorf(v, "the auxiliary is missing or not the module's")
	}
	return ok
}

func (x *verifier) call(v *Value, f *Func) {
	if len(v.Args) != len(f.Params) {
		x.errorf(v, "a call with %d arguments of a helper with %d parameters", len(v.Args), len(f.Params))
		return
	}
	for i, a := range v.Args {
		if a.Type != f.Params[i].Type {
			x.errorf(v, "argument %d has the type %v, the parameter %v", i, a.Type, f.Params[i].Type)
		}
	}
}

// ownsVar reports whether the variable belongs to the current function or to the module.
func (x *verifier) ownsVar(v *Var) bool {
	return slices.Contains(x.m.Vars, v) || x.f != nil && slices.Contains(x.f.Vars, v)
}

// checkRef checks a memory reference with its path.
func (x *verifier) checkRef(v *Value, r *Ref) {
	path, ok := v.pathOK()
	if !ok {
		return // another check reports that v has too few arguments
	}
	index := path
	if r.Var != nil {
		if !x.ownsVar(r.Var) {
			x.errorf(v, "the variable belongs to another function")
			return
		}
		if !x.storageOK(v, r.Var) {
			return
		}
	} else {
		if !x.typeOK(r.Elem) || !hasFixedSize(r.Elem) {
			x.errorf(v, "%v is no type for device memory", r.Elem)
			return
		}
		switch {
		case len(path) < 2 || path[0].Type != TypeAddr:
			x.errorf(v, "a reference without an address and an index")
			return
		case path[1].Type != TypeI32 && path[1].Type != TypeI64:
			x.errorf(v, "an element index of type %v", path[1].Type)
			return
		case v.Op == OpZero || v.Op == OpZeroLocal:
			x.errorf(v, "not a variable")
			return
		}
		index = path[2:]
	}
	for _, p := range index {
		if p.Type != TypeI32 && p.Type != TypeI64 {
			x.errorf(v, "an index of type %v", p.Type)
			return
		}
	}
	leaf := r.Leaf(path)
	if leaf == nil {
		x.errorf(v, "the path does not fit the type")
		return
	}
	want := v.Type
	switch v.Op {
	case OpStore, OpAtomicStore, OpAtomicStoreRelaxed:
		want = v.Args[0].Type
	case OpAtomicCompareAndSwap:
		if want = v.Args[0].Type; v.Args[1].Type != want {
			x.errorf(v, "the new value has the type %v, the comparator %v", want, v.Args[1].Type)
		}
	case OpAddrOf, OpZero, OpZeroLocal:
		return
	case OpMatrixLoad, OpMatrixStore:
		if want = MatrixElem(v.Matrices()[0].Type.Matrix.Elem, r.Var == nil || r.Var.Packed()); leaf == TypeI32x4 && r.Var != nil {
			want = leaf // an op with a vector type accesses several elements
		}
	}
	if leaf != want {
		x.errorf(v, "the path leads to %v, the value has the type %v", leaf, want)
	}
}

// storageOK checks that the storage class of a variable permits an op on the variable.
func (x *verifier) storageOK(v *Value, r *Var) bool {
	ok := true
	switch v.Op {
	case OpStore:
		ok = r.Storage != Private
	case OpZero:
		ok = r.Storage == Function
	case OpZeroLocal, OpMatrixLoad, OpMatrixStore:
		ok = r.Storage == Workgroup
	case OpAddrOf, OpAtomicFAddNative:
		ok = false
	default:
		ok = !v.Op.Has(FlagAtomic) || r.Storage == Workgroup
	}
	if !ok {
		x.errorf(v, "not for a variable with storage %v", r.Storage)
	}
	return ok
}

package lower

// This file rebuilds the kernel's receiver from its arguments.

import (
	"cmp"
	"go/token"
	"go/types"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// rebuildReceiver rebuilds the kernel's receiver from the kernel's arguments.
func (l *lowerer) rebuildReceiver() val {
	if l.k.Struct == nil {
		return badVal{} // package load has reported an error in the kernel's type
	}
	next := 0
	var v val
	if len(l.m.Params) == 0 { // all fields of the struct are blank
		v = l.zeroValue(l.k.Type)
	} else {
		v = l.fromArgs(l.k.Type, &next, token.NoPos)
	}
	if _, ok := l.k.Fn.Params[0].Type().Underlying().(*types.Pointer); !ok {
		return v
	}
	c := l.newCell(l.k.Type, "receiver")
	l.storeCell(c, v)
	return pointer{ref: c}
}

// fromArgs builds a value of Go type t. The kernel's parameter with index *next is the first
// parameter of the value. fromArgs increments *next by the number of used parameters. The parameter
// `field` is the position of the struct field that holds the value.
func (l *lowerer) fromArgs(t types.Type, next *int, field token.Pos) val {
	if l.k.BadFields[field] || l.k.Unsound && *next >= len(l.m.Params) {
		return badVal{}
	}
	if isDSL(t, "LocalAccessor") {
		*next++
		return l.newAccessor(t, l.m.Params[*next-1].Name)
	}
	if _, ok := t.Underlying().(*types.Slice); ok {
		p := &l.m.Params[*next]
		*next++
		return l.sliceArg(p, t.Underlying().(*types.Slice).Elem())
	}
	if l.isFlat(t) {
		p := &l.m.Params[*next]
		*next++
		return l.valueArg(abi.OffsetArgs+p.Offset, t, cmp.Or(field, l.k.Pos))
	}
	out := tuple{}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" {
				out.elems = append(out.elems, l.zeroValue(f.Type()))
				continue
			}
			out.elems = append(out.elems, l.fromArgs(f.Type(), next, f.Pos()))
		}
	case *types.Array:
		for range u.Len() {
			out.elems = append(out.elems, l.fromArgs(u.Elem(), next, field))
		}
	default:
		l.errorf(diag.FieldType, l.k.Pos, "pass numbers, bools, arrays, structs and slices of them", "%v cannot be an argument of a kernel", t)
		return badVal{}
	}
	return out
}

// sliceArg builds the slice for a slice argument. The slice's capacity is its length.
func (w *builder) sliceArg(p *abi.Param, elem types.Type) val {
	at := abi.OffsetArgs + p.Offset
	n := w.arg(at+8, ir.TypeI64)
	return slice{at: mem{addr: w.arg(at, ir.TypeAddr), elem: w.memType(elem, true)}, len: n, cap: n}
}

// valueArg loads a flat value from the launch block at the given offset. The parameter `field` is
// the position of the struct field that holds the value.
func (l *lowerer) valueArg(at int, t types.Type, field token.Pos) val {
	switch l.classify(t) {
	case classScalar:
		return l.scalarArg(at, t)
	case classStruct:
		out := tuple{}
		offsets := l.offsets(t)
		for i, f := range gotypes.Fields(t) {
			out.elems = append(out.elems, l.valueArg(at+offsets[i], f, field))
		}
		return out
	}
	c := l.newCell(t, "argument")
	if c.bad {
		return badVal{}
	}
	l.fillArray(c.mem, at, t, field)
	return array{c.mem}
}

// fillArray stores an array argument in memory m, element by element. A copy is needed because the
// launch block cannot be indexed dynamically.
func (l *lowerer) fillArray(m mem, at int, t types.Type, field token.Pos) {
	a, ok := t.Underlying().(*types.Array)
	if !ok {
		l.storeMem(m, l.valueArg(at, t, field), t)
		return
	}
	if a.Len() > maxArrayArg {
		l.errorf(diag.TooLarge, field, "pass a slice", "an array argument of %d elements is too large to pass by value", a.Len())
		return
	}
	size := int(sizes.Sizeof(a.Elem()))
	for i := range a.Len() {
		l.fillArray(m.atIndex(l.m.Int(ir.TypeI32, i)), at+int(i)*size, a.Elem(), field)
	}
}

// maxArrayArg is the largest number of elements of an array argument that is passed by value.
const maxArrayArg = 4096

func (w *builder) scalarArg(at int, t types.Type) *ir.Value {
	mt := deviceScalar(t.Underlying().(*types.Basic))
	v := w.arg(at, mt)
	switch {
	case mt == regType(t):
		return v
	case gotypes.IsBoolean(t):
		return w.op(ir.OpINe, ir.TypeBool, w.op(ir.OpUConvert, ir.TypeI32, v), w.m.Int(ir.TypeI32, 0))
	case gotypes.IsUnsigned(t):
		return w.op(ir.OpUConvert, ir.TypeI32, v)
	}
	return w.op(ir.OpSConvert, ir.TypeI32, v)
}

// newAccessor makes the work-group variable of the kernel's next accessor. The variable is zeroed
// when the kernel starts.
func (l *lowerer) newAccessor(t types.Type, name string) val {
	i := len(l.accessors)
	elem := types.Unalias(t).(*types.Named).TypeArgs().At(0)
	if !l.isFlat(elem) {
		l.errorf(diag.FieldType, l.k.Pos, "use numbers, bools, and structs and arrays of them", "work-group memory cannot hold values of type %v", elem)
		return badVal{}
	}
	s := &ir.Spec{ID: abi.SpecAccessor + uint32(i), Name: "Accessor", Type: ir.TypeI32, Default: 1}
	l.m.Specs = append(l.m.Specs, s)
	v := l.m.NewVar(nil, ir.Workgroup, "accessor", l.m.ArrayOf(l.memType(elem, false), l.m.SpecValue(s)))
	v.Accessor = i
	l.accessors = append(l.accessors, v)
	l.foresight.registerMemory(&cell{typ: t, cls: classArray, mem: mem{v: v}, name: name}, l.foresight.pathOf(nil, t))
	l.op(ir.OpZeroLocal, ir.TypeVoid).Aux = &ir.Ref{Var: v}
	return accessor{i}
}

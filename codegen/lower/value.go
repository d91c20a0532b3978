package lower

// This file defines the lowered form of Go values.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// A val is the lowered form of a Go value. A val has one of these types:
//
//   - An *ir.Value is a bool, integer or float. An integer of at most 32 bits is an i32 that is
//     sign-extended or zero-extended from the width of its Go type.
//   - A tuple is a struct, the list of a call's results, or a complex number.
//   - An array is an array value or a matrix.
//   - The types pointer, slice, resolvedSlice, str, dynText, bytesView, stringIter, textIter,
//     function, iface, item, group, subGroup and accessor represent Go or dsl values.
//   - A badVal is a value of any type for which an error has been reported.
//   - A heldArray is an array inside another value, in memory of the variable that holds the value.
//   - A oneOf is a function, pointer, slice or interface value with several possible targets, types
//     or functions. The running kernel selects one alternative by an index.
type val any

type tuple struct{ elems []val }

// An array is an array value in memory. No code writes to the memory after the value is made.
type array struct{ at mem }

// A pointer is a lowered Go pointer. The field isNil is a run-time bool that is true if the pointer
// is nil. If the pointer is never nil, the field isNil is nil.
type pointer struct {
	ref   ref
	isNil *ir.Value
}

// A slice is a lowered Go slice. If the elements are in device memory, at.addr is the address of
// the first element. If the elements are in other memory, the fields contain an array (at) and the
// first element's index in the array (off).
type slice struct {
	at       mem
	off      *ir.Value // index of the slice's first element; nil in device memory
	len, cap *ir.Value
}

// A str is a string that is known during lowering.
type str struct{ s string }

// A function is a Go function value that is known during lowering.
type function struct {
	fn       *ssa.Function
	builtin  *ssa.Builtin
	bindings []val
}

// An iface is an interface value whose dynamic type is known. For a nil interface, the field typ is
// nil.
type iface struct {
	typ types.Type
	v   val
}

// An item represents a dsl item or task. The types group and subGroup represent results of an
// item's methods.
type item struct{}
type group struct{}
type subGroup struct{}

// An accessor represents a dsl.LocalAccessor. The field `index` is the accessor's number in the
// kernel.
type accessor struct{ index int }

// A ref is the target of a pointer. A ref has type *cell, mem, innerArray, chosenVar or constRef.
type ref any

// innerArray is the target of a pointer to an array that is inside another array. The inner array
// begins at the first element of slice s.
type innerArray struct {
	s   slice
	typ *types.Array
}

// A mem is memory selected by a path of indices and field numbers. The memory is in the variable v,
// or in device memory at address addr. For device memory, the path begins with the index of an
// element of type elem.
type mem struct {
	v    *ir.Var
	addr *ir.Value
	elem *ir.Type
	path []*ir.Value
}

func (m mem) device() bool { return m.v == nil }

// atIndex returns element i of the array in m.
func (m mem) atIndex(i *ir.Value) mem { return m.extend([]*ir.Value{i}) }

// extend returns memory m with the given steps appended to its path.
func (m mem) extend(steps []*ir.Value) mem {
	m.path = slices.Concat(m.path, steps)
	return m
}

func (m mem) args() []*ir.Value {
	if m.device() {
		return append([]*ir.Value{m.addr}, m.path...)
	}
	return m.path
}

func (m mem) auxRef() *ir.Ref {
	if m.device() {
		return &ir.Ref{Elem: m.elem}
	}
	return &ir.Ref{Var: m.v}
}

// typeClass classifies Go types by the representation of their values.
type typeClass uint8

const (
	classScalar typeClass = iota
	classStruct           // structs and complex numbers
	classArray
	classMatrix
	classShape // values that contain data known during lowering, such as pointers
	classBad
)

func (w *builder) classify(t types.Type) typeClass {
	if isDSL(t, items...) || isDSL(t, "Group", "SubGroup", "LocalAccessor") {
		return classShape
	}
	if isMatrix(t) {
		return classMatrix
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsComplex != 0:
			return classStruct
		case info&types.IsString != 0, u.Kind() == types.UntypedNil:
			return classShape
		case info&(types.IsBoolean|types.IsInteger|types.IsFloat) != 0:
			return classScalar
		}
		return classBad
	case *types.Struct, *types.Tuple:
		return classStruct
	case *types.Array:
		return classArray
	case *types.Slice, *types.Pointer, *types.Signature, *types.Interface:
		return classShape
	}
	return classBad
}

// items is the list of the types that package dsl provides for the parameter of a kernel.
var items = []string{"Task", "Item1", "Item2", "Item3", "NDItem1", "NDItem2", "NDItem3"}

// isDSL reports whether t is one of the named types of package dsl.
func isDSL(t types.Type, names ...string) bool { return gotypes.IsNamed(t, dslPath, names...) }

const dslPath = "github.com/kgen-go/kgen/dsl"

// isFlat reports whether values of the type consist of scalars only, so that one variable can hold
// them.
func (w *builder) isFlat(t types.Type) bool {
	switch w.classify(t) {
	case classScalar:
		return true
	case classStruct:
		for _, f := range gotypes.Fields(t) {
			if !w.isFlat(f) {
				return false
			}
		}
		return true
	case classArray:
		return w.isFlat(t.Underlying().(*types.Array).Elem())
	}
	return false
}

// regType returns the IR type that holds scalars of a Go type.
func regType(t types.Type) *ir.Type {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return ir.TypeI32
	}
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		return ir.TypeBool
	case types.Int, types.Int64, types.Uint, types.Uint64, types.Uintptr, types.UntypedInt:
		return ir.TypeI64
	case types.Float32:
		return ir.TypeF32
	case types.Float64, types.UntypedFloat:
		return ir.TypeF64
	}
	return ir.TypeI32
}

// memType returns the IR type of a flat Go type in memory. Device memory has gc's layout. In
// variables, each scalar has the same IR type as in a register.
func (w *builder) memType(t types.Type, device bool) *ir.Type {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsComplex == 0 {
			if device {
				return deviceScalar(u)
			}
			return regType(t)
		}
	case *types.Array:
		return w.m.ArrayOf(w.memType(u.Elem(), device), w.m.Int(ir.TypeI32, u.Len()))
	}
	var fs []ir.Field
	off, align := 0, 1
	offsets := w.offsets(t)
	for i, f := range gotypes.Fields(t) {
		ft := w.memType(f, device)
		fs = append(fs, ir.Field{Type: ft, Offset: offsets[i]})
		off = offsets[i] + ft.Size
		align = max(align, ft.Align)
	}
	size := (off + align - 1) / align * align
	if device {
		size, align = int(sizes.Sizeof(t)), int(sizes.Alignof(t))
	}
	return w.m.StructOf(fs, size, align)
}

func deviceScalar(b *types.Basic) *ir.Type {
	switch b.Kind() {
	case types.Bool, types.Int8, types.Uint8:
		return ir.TypeI8
	case types.Int16, types.Uint16:
		return ir.TypeI16
	}
	return regType(b)
}

var sizes = types.SizesFor("gc", "amd64")

// offsets returns the offset of each field of a struct in gc's layout.
func (w *builder) offsets(t types.Type) []int {
	var out []int
	switch u := t.Underlying().(type) {
	case *types.Struct:
		var fs []*types.Var
		for f := range u.Fields() {
			fs = append(fs, f)
		}
		for _, o := range sizes.Offsetsof(fs) {
			out = append(out, int(o))
		}
	case *types.Basic:
		out = []int{0, int(sizes.Sizeof(t)) / 2}
	}
	return out
}

// scalarsOf returns the run-time scalars of a value. Values of the same shape have their scalars in
// the same order.
func scalarsOf(v val) []*ir.Value {
	switch v := v.(type) {
	case *ir.Value:
		return []*ir.Value{v}
	case tuple:
		var out []*ir.Value
		for _, e := range v.elems {
			out = append(out, scalarsOf(e)...)
		}
		return out
	case slice:
		if v.at.device() {
			return []*ir.Value{v.at.addr, v.len, v.cap}
		}
		return append([]*ir.Value{v.off, v.len, v.cap}, v.at.path...)
	case dynText:
		return []*ir.Value{v.off, v.n}
	case bytesView:
		return scalarsOf(v.s)
	case pointer:
		var out []*ir.Value
		if v.isNil != nil {
			out = append(out, v.isNil)
		}
		if m, ok := v.ref.(mem); ok {
			out = append(out, m.args()...)
		}
		return out
	case function:
		var out []*ir.Value
		for _, b := range v.bindings {
			out = append(out, scalarsOf(b)...)
		}
		return out
	case iface:
		return scalarsOf(v.v)
	case oneOf:
		out := []*ir.Value{v.tag}
		for _, alt := range v.alts {
			out = append(out, scalarsOf(alt)...)
		}
		return out
	}
	return nil
}

// rebuild returns a value with the shape of v. nextScalar supplies the run-time scalars of the new
// value.
func rebuild(v val, nextScalar func() *ir.Value) val {
	switch v := v.(type) {
	case *ir.Value:
		return nextScalar()
	case tuple:
		out := make([]val, len(v.elems))
		for i, e := range v.elems {
			out[i] = rebuild(e, nextScalar)
		}
		return tuple{out}
	case slice:
		if v.at.device() {
			v.at.addr = nextScalar()
		} else {
			v.off = nextScalar()
		}
		v.len, v.cap = nextScalar(), nextScalar()
		if !v.at.device() {
			v.at.path = v.at.rebuildPath(nextScalar)
		}
		return v
	case dynText:
		v.off, v.n = nextScalar(), nextScalar()
		return v
	case bytesView:
		v.s = rebuild(v.s, nextScalar).(slice)
		return v
	case pointer:
		if v.isNil != nil {
			v.isNil = nextScalar()
		}
		if m, ok := v.ref.(mem); ok {
			if m.device() {
				m.addr = nextScalar()
			}
			m.path = m.rebuildPath(nextScalar)
			v.ref = m
		}
		return v
	case function:
		b := make([]val, len(v.bindings))
		for i := range b {
			b[i] = rebuild(v.bindings[i], nextScalar)
		}
		v.bindings = b
		return v
	case iface:
		v.v = rebuild(v.v, nextScalar)
		return v
	case oneOf:
		u := oneOf{tag: nextScalar(), alts: make([]val, len(v.alts))}
		for i, alt := range v.alts {
			u.alts[i] = rebuild(alt, nextScalar)
		}
		return u
	}
	return v
}

// rebuildPath replaces the indices in m's path by results of nextScalar. rebuildPath returns the
// new path. Field numbers in a path do not change, since they belong to the shape. The path of
// device memory does not change either, since its only step is zero.
func (m mem) rebuildPath(nextScalar func() *ir.Value) []*ir.Value {
	out := make([]*ir.Value, len(m.path))
	for i := range out {
		if out[i] = nextScalar(); m.isField(i) || m.device() {
			out[i] = m.path[i]
		}
	}
	return out
}

// isField reports whether step i of the path is the number of a field, not an index.
func (m mem) isField(i int) bool {
	path, t := m.path[:i], m.elem
	if !m.device() {
		t = m.v.Type
	} else if i == 0 {
		return false
	} else {
		path = path[1:]
	}
	for _, p := range path {
		if t.Kind == ir.Struct {
			t = t.Fields[p.Bits].Type
		} else {
			t = t.Elem
		}
	}
	return t.Kind == ir.Struct
}

// sameShape reports whether two values differ only in run-time scalars.
func sameShape(a, b val) bool {
	switch a := a.(type) {
	case *ir.Value:
		b, ok := b.(*ir.Value)
		return ok && a.Type == b.Type
	case tuple:
		b, ok := b.(tuple)
		if !ok || len(a.elems) != len(b.elems) {
			return false
		}
		for i := range a.elems {
			if !sameShape(a.elems[i], b.elems[i]) {
				return false
			}
		}
		return true
	case array:
		b, ok := b.(array)
		return ok && a.at.v == b.at.v
	case heldArray:
		b, ok := b.(heldArray)
		return ok && types.Identical(a.typ, b.typ)
	case slice:
		b, ok := b.(slice)
		return ok && sameMem(a.at, b.at)
	case dynText:
		_, ok := b.(dynText)
		return ok
	case resolvedSlice:
		b, ok := b.(resolvedSlice)
		return ok && a.sameElems(b)
	case pointer:
		b, ok := b.(pointer)
		if !ok || (a.isNil == nil) != (b.isNil == nil) {
			return false
		}
		if m, ok := a.ref.(mem); ok {
			n, ok := b.ref.(mem)
			return ok && sameMem(m, n)
		}
		return sameCell(a.ref, b.ref)
	case function:
		b, ok := b.(function)
		if !ok || a.fn != b.fn || a.builtin != b.builtin || len(a.bindings) != len(b.bindings) {
			return false
		}
		for i := range a.bindings {
			if !sameShape(a.bindings[i], b.bindings[i]) {
				return false
			}
		}
		return true
	case iface:
		b, ok := b.(iface)
		if !ok || (a.typ == nil) != (b.typ == nil) || a.typ != nil && !types.Identical(a.typ, b.typ) {
			return false
		}
		return sameShape(a.v, b.v)
	case oneOf:
		b, ok := b.(oneOf)
		if !ok || len(a.alts) != len(b.alts) {
			return false
		}
		for i := range a.alts {
			if !sameShape(a.alts[i], b.alts[i]) {
				return false
			}
		}
		return true
	case nilAlt:
		_, ok := b.(nilAlt)
		return ok
	case nil:
		return b == nil
	}
	return a == b
}

// sameCell reports whether two references refer to the same variable. Callers use sameMem if both
// references have type mem. Package-level variables are compared by identity, since some of their
// values cannot be compared with ==.
func sameCell(a, b ref) bool {
	switch x := a.(type) {
	case *cell:
		y, ok := b.(*cell)
		return ok && x == y
	case constRef:
		y, ok := b.(constRef)
		return ok && x.id != nil && x.id == y.id
	}
	return false
}

func sameMem(a, b mem) bool {
	if a.v != b.v || a.elem != b.elem || len(a.path) != len(b.path) {
		return false
	}
	for i := range a.path {
		if a.isField(i) && a.path[i] != b.path[i] {
			return false
		}
	}
	return true
}

// Package gotypes contains functions on Go types for several stages of the compiler.
package gotypes

import (
	"go/types"
	"slices"
)

// basicInfo returns the properties of a type's underlying type, or 0 if the underlying type is not
// basic.
func basicInfo(t types.Type) types.BasicInfo {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Info()
	}
	return 0
}

// The functions from IsInteger to IsNumeric report a property of a type's underlying type.

func IsInteger(t types.Type) bool  { return basicInfo(t)&types.IsInteger != 0 }
func IsUnsigned(t types.Type) bool { return basicInfo(t)&types.IsUnsigned != 0 }
func IsFloat(t types.Type) bool    { return basicInfo(t)&types.IsFloat != 0 }
func IsComplex(t types.Type) bool  { return basicInfo(t)&types.IsComplex != 0 }
func IsBoolean(t types.Type) bool  { return basicInfo(t)&types.IsBoolean != 0 }
func IsString(t types.Type) bool   { return basicInfo(t)&types.IsString != 0 }
func IsNumeric(t types.Type) bool  { return basicInfo(t)&types.IsNumeric != 0 }

// isKind reports whether the underlying type of t is a basic type of the given kind.
func isKind(t types.Type, k types.BasicKind) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == k
}

// The functions from IsFloat32 to IsUnsafePointer report whether a type's underlying type is a
// certain basic type.

func IsFloat32(t types.Type) bool       { return isKind(t, types.Float32) }
func IsComplex64(t types.Type) bool     { return isKind(t, types.Complex64) }
func IsUnsafePointer(t types.Type) bool { return isKind(t, types.UnsafePointer) }

// IsMap reports whether the underlying type of t is a map.
func IsMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// IsNamed reports whether t is one of the named types that the package with the given path
// declares.
func IsNamed(t types.Type, path string, names ...string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && slices.Contains(names, n.Obj().Name())
}

// IsError reports whether t is Go's predeclared type error.
func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// Width returns the width in bits of an integer type on the device. On the device, types int, uint and uintptr have 64
// bits.
func Width(t types.Type) int {
	switch t.Underlying().(*types.Basic).Kind() {
	case types.Int8, types.Uint8:
		return 8
	case types.Int16, types.Uint16:
		return 16
	case types.Int32, types.Uint32, types.UntypedRune:
		return 32
	}
	return 64
}

// Fields returns the types of a struct's fields, a tuple's elements or a complex number's parts.
func Fields(t types.Type) []types.Type {
	var out []types.Type
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			out = append(out, f.Type())
		}
	case *types.Tuple:
		for v := range u.Variables() {
			out = append(out, v.Type())
		}
	case *types.Basic:
		part := types.Typ[types.Float64]
		if u.Kind() == types.Complex64 {
			part = types.Typ[types.Float32]
		}
		out = []types.Type{part, part}
	}
	return out
}

// ElemTypes returns a function that returns the type of a struct's i-th field or of an array's i-th
// element.
func ElemTypes(t types.Type) func(i int) types.Type {
	if a, ok := t.Underlying().(*types.Array); ok {
		return func(int) types.Type { return a.Elem() }
	}
	fs := Fields(t)
	return func(i int) types.Type { return fs[i] }
}

// Less reports whether x < y, where x and y are the bits of integers of type t.
func Less(x, y int64, t types.Type) bool {
	if IsUnsigned(t) {
		return uint64(x) < uint64(y)
	}
	return x < y
}

// HalfPath is the import path of package half.
const HalfPath = "github.com/kgen-go/kgen/dsl/half"

// Half returns the name of t if t is a number type of package half. If t is not a number type of
// package half, Half returns "".
func Half(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != HalfPath || !IsInteger(n) {
		return ""
	}
	return n.Obj().Name()
}

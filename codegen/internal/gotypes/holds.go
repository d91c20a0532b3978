package gotypes

// This file checks whether types contain certain other types.

import (
	"go/types"
	"slices"
	"strings"
)

// IsTypeParam reports whether t is a type parameter or contains a type parameter.
func IsTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return IsTypeParam(t.Elem())
	case *types.Slice:
		return IsTypeParam(t.Elem())
	case *types.Array:
		return IsTypeParam(t.Elem())
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if IsTypeParam(a) {
				return true
			}
		}
	}
	return false
}

// HoldsInterface reports whether a value of type t is an interface, contains an interface, or
// points to an interface. checkedTypes contains the types that the recursion has already visited.
func HoldsInterface(t types.Type, checkedTypes []types.Type) bool {
	if slices.Contains(checkedTypes, t) {
		return false
	}
	checkedTypes = append(checkedTypes, t)
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Pointer:
		return HoldsInterface(u.Elem(), checkedTypes)
	case *types.Slice:
		return HoldsInterface(u.Elem(), checkedTypes)
	case *types.Array:
		return HoldsInterface(u.Elem(), checkedTypes)
	case *types.Struct:
		for f := range u.Fields() {
			if HoldsInterface(f.Type(), checkedTypes) {
				return true
			}
		}
	}
	return false
}

// HoldsSync reports whether values of type t contain a type of package sync or sync/atomic.
func HoldsSync(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && strings.HasPrefix(n.Obj().Pkg().Path(), "sync") {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if HoldsSync(f.Type()) {
				return true
			}
		}
	case *types.Array:
		return HoldsSync(t.Elem())
	}
	return false
}

// HoldsArray reports whether values of type t contain an array. Package lower cannot lower a
// selection between two values that contain arrays.
func HoldsArray(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if HoldsArray(f.Type()) {
				return true
			}
		}
	}
	return false
}

package load

// This file recognizes pointer conversions through unsafe.Pointer.

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// Reinterpreted recognizes code like *(*uint32)(unsafe.Pointer(&f)). The conversion c must convert
// an unsafe.Pointer to a pointer to a number. The unsafe.Pointer must come from a pointer to a
// number of the same size. If the result of c is used only for loads and stores, Reinterpreted
// returns the type of the original number.
func Reinterpreted(c *ssa.Convert) (from types.Type, ok bool) {
	through, ok := c.X.(*ssa.Convert)
	if !ok || !gotypes.IsUnsafePointer(through.Type()) {
		return nil, false
	}
	from, ok1 := toNumber(through.X.Type())
	to, ok2 := toNumber(c.Type())
	if !ok1 || !ok2 || Sizes.Sizeof(from) != Sizes.Sizeof(to) {
		return nil, false
	}
	for _, r := range *c.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.UnOp:
			if r.Op == token.MUL {
				continue
			}
		case *ssa.Store:
			if r.Addr == c && r.Val != c {
				continue
			}
		}
		return nil, false
	}
	return from, true
}

// OnlyReinterpreted reports whether Reinterpreted accepts all uses of a conversion to
// unsafe.Pointer.
func OnlyReinterpreted(c *ssa.Convert) bool {
	if !gotypes.IsUnsafePointer(c.Type()) {
		return false
	}
	for _, r := range *c.Referrers() {
		if _, ok := r.(*ssa.DebugRef); ok {
			continue
		}
		to, ok := r.(*ssa.Convert)
		if !ok {
			return false
		}
		if _, ok := Reinterpreted(to); !ok {
			return false
		}
	}
	return true
}

// toNumber returns the element type of pointer type t, if the element type is an integer or a
// float.
func toNumber(t types.Type) (types.Type, bool) {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil, false
	}
	b, ok := p.Elem().Underlying().(*types.Basic)
	return p.Elem(), ok && b.Info()&(types.IsInteger|types.IsFloat) != 0
}

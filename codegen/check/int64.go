package check

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/load"
)

// Explicit64 reports whether the kernel's author uses the types int64 or uint64, and returns the
// position of the use. Explicit64 searches the kernel's fields, and the functions in the kernel's
// own module that the kernel reaches. Explicit64 does not search functions of other modules than
// the kernel's module. Uses of the types int and uint, and results of len, are ignored.
func Explicit64(k *load.Kernel) (token.Pos, bool) {
	for _, l := range k.Leaves {
		if has64(l.GoType, nil) {
			for _, step := range l.Path {
				if step.Field != nil {
					return step.Field.Pos(), true
				}
			}
			return k.Pos, true
		}
	}
	w := &walk64{module: k.Pkg.ModulePath, seen: map[*ssa.Function]bool{}}
	found := w.uses64(k.Fn)
	return w.at, found
}

type walk64 struct {
	module string
	seen   map[*ssa.Function]bool
	at     token.Pos // position of the first use
}

// uses64 reports whether fn, or a function that fn may call, has values of type int64
// or uint64.
func (w *walk64) uses64(fn *ssa.Function) bool {
	if w.seen[fn] || !w.inModule(fn) {
		return false
	}
	w.seen[fn] = true
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if _, ok := in.(*ssa.DebugRef); ok {
				continue
			}
			for _, op := range in.Operands(nil) {
				switch x := (*op).(type) {
				case nil:
				case *ssa.Function:
					if w.uses64(x) {
						return true
					}
				default:
					// The search skips the receiver, because Explicit64 has already examined the
					// kernel's fields.
					if x != receiverOf(fn) && has64(x.Type(), nil) {
						w.at = cmp.Or(in.Pos(), fn.Pos())
						return true
					}
				}
			}
		}
	}
	return false
}

// receiverOf returns the receiver of a method, or nil.
func receiverOf(fn *ssa.Function) ssa.Value {
	if fn.Signature.Recv() == nil || len(fn.Params) == 0 {
		return nil
	}
	return fn.Params[0]
}

// inModule reports whether function fn belongs to the kernel's module. For functions of package dsl, inModule always
// returns false.
func (w *walk64) inModule(fn *ssa.Function) bool {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Pkg == nil {
		return fn.Synthetic != ""
	}
	path := fn.Pkg.Pkg.Path()
	const dsl = "github.com/kgen-go/kgen/dsl"
	inside := func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
	return inside(w.module) && !inside(dsl)
}

// has64 reports whether values of type t contain an int64 or uint64.
func has64(t types.Type, outer []types.Type) bool {
	if slices.Contains(outer, t) {
		return false
	}
	outer = append(outer, t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Int64 || u.Kind() == types.Uint64
	case *types.Slice:
		return has64(u.Elem(), outer)
	case *types.Array:
		return has64(u.Elem(), outer)
	case *types.Pointer:
		return has64(u.Elem(), outer)
	case *types.Struct:
		for i := range u.NumFields() {
			if has64(u.Field(i).Type(), outer) {
				return true
			}
		}
	case *types.Tuple:
		for i := range u.Len() {
			if has64(u.At(i).Type(), outer) {
				return true
			}
		}
	}
	return false
}

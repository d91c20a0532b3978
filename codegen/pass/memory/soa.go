package memory

// This file contains the pass soa, which splits arrays of structs. SoA runs before SRoA, which
// splits the resulting arrays.

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// SoA turns a private array of structs into one array for each field. After SoA, elements with
// constant indices can be in registers, and devices can address the smaller elements faster. SoA
// also avoids a bug of NVIDIA's driver (see the quirk array-of-structs).
func SoA(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		for splitStructs(f) {
		}
	}
	return nil
}

// splitStructs splits each variable into the fields of its outermost struct. If splitStructs has
// split any variable, it returns true.
func splitStructs(f *ir.Func) bool {
	parts := map[*ir.Var][]*ir.Var{}
	depth := map[*ir.Var]int{}
	for _, v := range f.Vars {
		if d, ok := structDepth(v.Type); ok && canSplit(f, v, d) {
			depth[v] = d
			parts[v] = nil
		}
	}
	if len(parts) == 0 {
		return false
	}
	for _, v := range append([]*ir.Var(nil), f.Vars...) {
		if d, ok := depth[v]; ok {
			for _, field := range structBelow(v.Type, d).Fields {
				t := wrapArrays(f.Module, v.Type, d, field.Type)
				parts[v] = append(parts[v], f.Module.NewVar(f, ir.Function, v.Name, t))
			}
		}
	}
	for _, b := range f.Blocks {
		var out []*ir.Value
		for _, v := range b.Insts {
			r := v.Ref()
			if r == nil || r.Var == nil || parts[r.Var] == nil {
				out = append(out, v)
				continue
			}
			if v.Op == ir.OpZero {
				for _, p := range parts[r.Var] {
					z := f.NewValue(ir.OpZero, ir.TypeVoid)
					z.Aux, z.Block, z.Pos = &ir.Ref{Var: p}, b, v.Pos
					out = append(out, z)
				}
				continue
			}
			path := v.Path()
			d := depth[r.Var]
			rest := append(append([]*ir.Value(nil), path[:d]...), path[d+1:]...)
			v.Aux = &ir.Ref{Var: parts[r.Var][path[d].Bits]}
			v.Args = append(append([]*ir.Value(nil), v.Args[:len(v.Args)-len(path)]...), rest...)
			out = append(out, v)
		}
		b.Insts = out
	}
	kept := f.Vars[:0]
	for _, v := range f.Vars {
		if _, split := parts[v]; !split {
			kept = append(kept, v)
		}
	}
	f.Vars = kept
	return true
}

// structDepth returns the number of arrays around the outermost struct of t.
func structDepth(t *ir.Type) (int, bool) {
	d := 0
	for t.Kind == ir.Array {
		t = t.Elem
		d++
	}
	return d, t.Kind == ir.Struct && len(t.Fields) > 0
}

func structBelow(t *ir.Type, d int) *ir.Type {
	for range d {
		t = t.Elem
	}
	return t
}

// wrapArrays returns the type of nested arrays with elements of type elem. The nested arrays have
// the lengths of the d outer arrays of t.
func wrapArrays(m *ir.Module, t *ir.Type, d int, elem *ir.Type) *ir.Type {
	if d == 0 {
		return elem
	}
	return m.ArrayOf(wrapArrays(m, t.Elem, d-1, elem), t.Len)
}

// canSplit reports whether every access to variable x selects a field of the struct
// inside d arrays.
func canSplit(f *ir.Func, x *ir.Var, d int) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if c, ok := v.Aux.(*ir.Copy); ok && (c.Dst == x || c.Src == x) {
				return false
			}
			r := v.Ref()
			if r == nil || r.Var != x || v.Op == ir.OpZero {
				continue
			}
			if path := v.Path(); len(path) <= d || !path[d].IsConst() {
				return false
			}
		}
	}
	return true
}

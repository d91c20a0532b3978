package memory

// This file contains the pass sroa, which splits structs and short arrays. SRoA runs before
// mem2reg, which promotes only scalars.

import (
	"slices"
	"strconv"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// SRoA splits a private variable into one variable for each part that a constant path selects. SRoA
// splits all structs, and splits short arrays if no index varies.
func SRoA(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		splitVars(f)
	}
	return nil
}

// splitShape describes how the variables of one class are split into parts. Variables that are
// copied to each other belong to the same class. Variables of the same class are split in the same
// way, so that a copy becomes copies of the parts.
type splitShape struct {
	typ     *ir.Type
	unsplit bool // whether the variable is not split, because it is a scalar or an array with a varying index
	kids    []*splitShape
}

// varParts contains the variables that replace one variable, or replace a part of a variable.
type varParts struct {
	v    *ir.Var // the variable, if this part is not split further
	kids []*varParts
}

type splitter struct {
	f     *ir.Func
	class map[*ir.Var]*ir.Var     // maps a variable to its parent in a union-find structure
	shape map[*ir.Var]*splitShape // maps the root of a class to the shape of the class
	parts map[*ir.Var]*varParts
}

func splitVars(f *ir.Func) {
	s := &splitter{f: f, class: map[*ir.Var]*ir.Var{}, shape: map[*ir.Var]*splitShape{}, parts: map[*ir.Var]*varParts{}}
	vars := f.Vars
	any := false
	for _, v := range vars {
		any = any || !v.Type.IsScalar()
	}
	if !any {
		return
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if c, ok := v.Aux.(*ir.Copy); ok {
				s.class[s.find(c.Dst)] = s.find(c.Src)
			}
		}
	}
	for _, v := range vars {
		if c := s.find(v); s.shape[c] == nil && !v.Type.IsScalar() {
			s.shape[c] = newShape(v.Type)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if r := v.Ref(); r != nil && r.Var != nil && v.Op != ir.OpZero {
				if h := s.shape[s.find(r.Var)]; h != nil {
					h.markAccess(v.Path())
				}
			}
		}
	}
	f.Vars = nil
	for _, v := range vars {
		h := s.shape[s.find(v)]
		if h == nil || h.unsplit {
			f.Vars = append(f.Vars, v)
			continue
		}
		s.parts[v] = s.splitVar(v.Name, h)
	}
	for _, b := range f.Blocks {
		s.rewrite(b)
	}
}

func (s *splitter) find(v *ir.Var) *ir.Var {
	for s.class[v] != nil && s.class[v] != v {
		v = s.class[v]
	}
	return v
}

// newShape returns a shape for type t in which every struct and every short array is split.
func newShape(t *ir.Type) *splitShape {
	h := &splitShape{typ: t}
	switch t.Kind {
	case ir.Struct:
		for _, f := range t.Fields {
			h.kids = append(h.kids, newShape(f.Type))
		}
	case ir.Array:
		n, ok := t.ArrayLen()
		if !ok || n > rewrite.MaxSplitLen {
			h.unsplit = true
			break
		}
		for range n {
			h.kids = append(h.kids, newShape(t.Elem))
		}
		if h.leaves() > rewrite.MaxSplitParts {
			h.unsplit, h.kids = true, nil
		}
	default:
		h.unsplit = true
	}
	return h
}

func (h *splitShape) leaves() int {
	if h.unsplit {
		return 1
	}
	n := 0
	for _, k := range h.kids {
		n += k.leaves()
	}
	return n
}

// markAccess marks an array as unsplit if the path indexes the array with a varying value.
func (h *splitShape) markAccess(path []*ir.Value) {
	for _, p := range path {
		if h.unsplit {
			return
		}
		if !p.IsConst() || p.Bits >= uint64(len(h.kids)) {
			h.unsplit, h.kids = true, nil
			return
		}
		h = h.kids[p.Bits]
	}
}

// splitVar creates the variables for the parts that the shape h describes.
func (s *splitter) splitVar(name string, h *splitShape) *varParts {
	if h.unsplit {
		return &varParts{v: s.f.Module.NewVar(s.f, ir.Function, name, h.typ)}
	}
	p := &varParts{}
	for i, k := range h.kids {
		p.kids = append(p.kids, s.splitVar(name+"."+strconv.Itoa(i), k))
	}
	return p
}

// eachVar calls visitPair for each variable in p and the corresponding variable in q.
func (p *varParts) eachVar(q *varParts, visitPair func(v, w *ir.Var)) {
	if p.v != nil {
		visitPair(p.v, q.v)
		return
	}
	for i, k := range p.kids {
		k.eachVar(q.kids[i], visitPair)
	}
}

func (s *splitter) rewrite(b *ir.Block) {
	var out []*ir.Value
	touched := false
	for _, v := range b.Insts {
		switch r := v.Ref(); {
		case v.Op == ir.OpCopyVar:
			c := v.Aux.(*ir.Copy)
			if s.parts[c.Dst] == nil {
				break
			}
			touched = true
			s.parts[c.Dst].eachVar(s.parts[c.Src], func(dst, src *ir.Var) {
				n := s.f.NewValue(ir.OpCopyVar, ir.TypeVoid)
				n.Aux, n.Block, n.Pos = &ir.Copy{Dst: dst, Src: src}, b, v.Pos
				out = append(out, n)
			})
			continue
		case r == nil || r.Var == nil || s.parts[r.Var] == nil:
		case v.Op == ir.OpZero:
			touched = true
			p := s.parts[r.Var]
			p.eachVar(p, func(dst, _ *ir.Var) {
				n := s.f.NewValue(ir.OpZero, ir.TypeVoid)
				n.Aux, n.Block, n.Pos = &ir.Ref{Var: dst}, b, v.Pos
				out = append(out, n)
			})
			continue
		default:
			p, path := s.parts[r.Var], v.Path()
			front := len(v.Args) - len(path)
			n := 0
			for p.v == nil {
				p = p.kids[path[n].Bits]
				n++
			}
			v.Aux = &ir.Ref{Var: p.v}
			v.Args = slices.Delete(slices.Clone(v.Args), front, front+n)
		}
		out = append(out, v)
	}
	if touched {
		b.Insts = out
	}
}

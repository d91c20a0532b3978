package rewrite

// This file promotes the variables of demoted phis. In most blocks their contents are undefined,
// since nothing reads them there. It builds on mem2reg and must stand beside it.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Undefs are undefined values, one for each type. An Undef stands for the contents of a variable
// that is not yet stored, or no longer read. The IR has no such values: they live from demotion
// to settle, which replaces each by the value that makes the code simplest, or zero.
type Undefs struct{ byType map[*ir.Type]*ir.Value }

// of returns the Undef of type t.
func (u *Undefs) of(t *ir.Type) *ir.Value {
	v := u.byType[t]
	if v == nil {
		if u.byType == nil {
			u.byType = map[*ir.Type]*ir.Value{}
		}
		v = &ir.Value{Op: ir.OpConst, Type: t}
		u.byType[t] = v
	}
	return v
}

// Is reports whether v is an Undef.
func (u *Undefs) Is(v *ir.Value) bool { return u.byType[v.Type] == v }

// Forget returns stores of Undefs to the variables, for block b.
func (u *Undefs) Forget(b *ir.Block, vars []*ir.Var) []*ir.Value {
	var stores []*ir.Value
	for _, v := range vars {
		s := b.Func.NewValue(ir.OpStore, ir.TypeVoid, u.of(v.Type))
		s.Aux, s.Block = &ir.Ref{Var: v}, b
		stores = append(stores, s)
	}
	return stores
}

// Promote makes values of f's variables, of which vars are undefined at first.
func (u *Undefs) Promote(f *ir.Func, vars []*ir.Var) {
	entry := f.Blocks[0]
	entry.Insts = append(u.Forget(entry, vars), entry.Insts...)
	promoteVars(f)
	u.settle(f)
}

// settle removes the Undefs from f: a phi or selection that chooses between one value and
// an Undef becomes that value where the value is available.
func (u *Undefs) settle(f *ir.Func) {
	if len(u.byType) == 0 {
		return
	}
	s := &settler{u: u, order: f.ReversePostorder(), dom: f.Dominators(), is: map[*ir.Value]*ir.Value{}, own: map[*ir.Value]bool{}, turns: map[*ir.Value]int{}}
	// A phi whose value is not to be had at its place stands for itself, which
	// may change what others stand for.
	for s.solve(); s.misplaced(); s.solve() {
		clear(s.is)
		clear(s.turns)
	}
	repl := map[*ir.Value]*ir.Value{}
	for v, x := range s.is {
		if x != v {
			repl[v] = x
		}
	}
	gone := func(v *ir.Value) bool { return repl[v] != nil }
	for _, b := range f.Blocks {
		b.Phis = slices.DeleteFunc(b.Phis, gone)
		b.Insts = slices.DeleteFunc(b.Insts, gone)
	}
	ReplaceUses(f, func(v *ir.Value) *ir.Value {
		if x := repl[v]; x != nil {
			v = x
		}
		if u.Is(v) {
			return f.Module.Const(v.Type, 0)
		}
		return v
	})
}

// settler finds what phis and selections stand for, starting with nothing.
type settler struct {
	u     *Undefs
	order []*ir.Block
	dom   *ir.DomTree
	is    map[*ir.Value]*ir.Value // a stand-in, another value, or itself
	own   map[*ir.Value]bool      // those that must stand for themselves
	turns map[*ir.Value]int
}

// chooses returns the values that v is one of, or nil if v computes something.
func chooses(v *ir.Value) []*ir.Value {
	switch v.Op {
	case ir.OpPhi:
		return v.Args
	case ir.OpSelect:
		return v.Args[1:]
	}
	return nil
}

func (s *settler) solve() {
	for changed := true; changed; {
		changed = false
		for _, b := range s.order {
			for _, vs := range [][]*ir.Value{b.Phis, b.Insts} {
				for _, v := range vs {
					if args := chooses(v); args != nil {
						if x := s.meet(v, args); s.is[v] != x {
							s.is[v], changed = x, true
						}
					}
				}
			}
		}
	}
}

// maxTurns bounds how often one value may come to stand for another.
const maxTurns = 8

// meet returns what v stands for, as one of args.
func (s *settler) meet(v *ir.Value, args []*ir.Value) *ir.Value {
	if s.own[v] || s.is[v] == v {
		return v
	}
	one := s.u.of(v.Type)
	for _, a := range args {
		x := a
		if chooses(a) != nil {
			if x = s.is[a]; x == nil {
				continue // not looked at yet
			}
		}
		switch {
		case s.u.Is(x) || x == one:
		case s.u.Is(one):
			one = x
		default:
			return v
		}
	}
	if was := s.is[v]; was != nil && !s.u.Is(was) && was != one {
		// Perhaps the value that v stood for turned out to stand for itself.
		if s.turns[v]++; s.turns[v] > maxTurns {
			return v
		}
	}
	return one
}

// misplaced notes the phis that stand for a value which does not dominate them,
// and reports whether there are any.
func (s *settler) misplaced() bool {
	found := false
	for _, b := range s.order {
		for _, v := range b.Phis {
			x := s.is[v]
			if x == v || x.Block == nil {
				continue
			}
			if x.Block != b && s.dom.Dominates(x.Block, b) {
				continue
			}
			s.own[v], found = true, true
		}
	}
	return found
}

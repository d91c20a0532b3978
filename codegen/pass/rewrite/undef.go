package rewrite

// This file promotes the variables of demoted phis. In most blocks their contents are undefined,
// since nothing reads them there. It uses promoteVars of mem2reg.go, so it is in the same package.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Undefs are undefined values, one for each type. An Undef represents the contents of a variable
// before its first store or after its last load. The IR has no undefined values. Undefs exist only
// from demotion to settle, which replaces each by the value that makes the code simplest, or by
// zero.
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

// Forget returns stores of Undefs to the variables, to be inserted in block b.
func (u *Undefs) Forget(b *ir.Block, vars []*ir.Var) []*ir.Value {
	var stores []*ir.Value
	for _, v := range vars {
		s := b.Func.NewValue(ir.OpStore, ir.TypeVoid, u.of(v.Type))
		s.Aux, s.Block = &ir.Ref{Var: v}, b
		stores = append(stores, s)
	}
	return stores
}

// Promote promotes f's variables. The contents of vars are undefined at the function's entry.
func (u *Undefs) Promote(f *ir.Func, vars []*ir.Var) {
	entry := f.Blocks[0]
	entry.Insts = append(u.Forget(entry, vars), entry.Insts...)
	promoteVars(f)
	u.settle(f)
}

// settle removes the Undefs from f. A phi or selection whose operands are one value and Undefs
// becomes that value, if the value dominates it.
func (u *Undefs) settle(f *ir.Func) {
	if len(u.byType) == 0 {
		return
	}
	s := &settler{u: u, order: f.ReversePostorder(), dom: f.Dominators(), is: map[*ir.Value]*ir.Value{}, own: map[*ir.Value]bool{}, turns: map[*ir.Value]int{}}
	// A phi whose replacement does not dominate it keeps its own value. That may change the
	// replacements of other phis, so all are computed again.
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

// settler finds the values that phis and selections can be replaced by. It begins without any
// replacement.
type settler struct {
	u     *Undefs
	order []*ir.Block
	dom   *ir.DomTree
	is    map[*ir.Value]*ir.Value // an Undef, another value, or the value itself
	own   map[*ir.Value]bool      // values that have no replacement
	turns map[*ir.Value]int
}

// chooses returns the operands that phi or selection v chooses from, or nil if v is another op.
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

// maxTurns bounds how often the replacement of one value may change.
const maxTurns = 8

// meet returns the replacement of v, whose operands are args.
func (s *settler) meet(v *ir.Value, args []*ir.Value) *ir.Value {
	if s.own[v] || s.is[v] == v {
		return v
	}
	one := s.u.of(v.Type)
	for _, a := range args {
		x := a
		if chooses(a) != nil {
			if x = s.is[a]; x == nil {
				continue // not visited yet
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
		// The earlier replacement may have become a value without a replacement.
		if s.turns[v]++; s.turns[v] > maxTurns {
			return v
		}
	}
	return one
}

// misplaced adds to own the phis whose replacement does not dominate them, and reports whether
// there are any.
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

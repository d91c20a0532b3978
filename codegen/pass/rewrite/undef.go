package rewrite

// This file turns the variables that DemotePhis has created back into phis. In most blocks the
// contents of a phi's variable are undefined, because every path from the block to a load contains
// a store.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Undefs is a set of undefined values, one for each type. An undefined value represents the
// contents of a variable before its first store or after its last load. The IR itself has no
// undefined values. Undefined values exist only between the demotion of phis and the call of
// settleUndefs. settleUndefs replaces each undefined value by another operand of the same phi
// or selection, or by zero.
type Undefs struct{ byType map[*ir.Type]*ir.Value }

// undefOf returns the undefined value of type t.
func (u *Undefs) undefOf(t *ir.Type) *ir.Value {
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

// Is reports whether v is an undefined value of u.
func (u *Undefs) Is(v *ir.Value) bool { return u.byType[v.Type] == v }

// Forget returns stores of undefined values to the given variables. The caller inserts the stores
// in block b.
func (u *Undefs) Forget(b *ir.Block, vars []*ir.Var) []*ir.Value {
	var stores []*ir.Value
	for _, v := range vars {
		s := b.Func.NewValue(ir.OpStore, ir.TypeVoid, u.undefOf(v.Type))
		s.Aux, s.Block = &ir.Ref{Var: v}, b
		stores = append(stores, s)
	}
	return stores
}

// Promote promotes the variables of f to SSA values. The variables in vars are treated as undefined
// at the function's entry, not as zero.
func (u *Undefs) Promote(f *ir.Func, vars []*ir.Var) {
	entry := f.Blocks[0]
	entry.Insts = append(u.Forget(entry, vars), entry.Insts...)
	promoteVars(f)
	u.settleUndefs(f)
}

// settleUndefs removes the undefined values from f. A phi or selection whose operands are all
// undefined or equal to a single value x is replaced by x. A phi is replaced only by a value that
// dominates it.
func (u *Undefs) settleUndefs(f *ir.Func) {
	if len(u.byType) == 0 {
		return
	}
	s := &settler{u: u, order: f.ReversePostorder(), dom: f.Dominators(), repl: map[*ir.Value]*ir.Value{}, kept: map[*ir.Value]bool{}, turns: map[*ir.Value]int{}}
	// A phi is kept if its replacement does not dominate it. Keeping a phi may change the
	// replacements of other phis, so all replacements are computed again.
	for s.solve(); s.findMisplaced(); s.solve() {
		clear(s.repl)
		clear(s.turns)
	}
	repl := map[*ir.Value]*ir.Value{}
	for v, x := range s.repl {
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

// A settler finds values that can replace phis and selections, as settleUndefs describes. A settler
// repeats the search until no replacement changes.
type settler struct {
	u     *Undefs
	order []*ir.Block
	dom   *ir.DomTree
	repl  map[*ir.Value]*ir.Value // maps a phi or selection to its replacement, or to itself
	kept  map[*ir.Value]bool      // phis that must not be replaced
	turns map[*ir.Value]int
}

// choicesOf returns the operands from which the phi or selection v chooses. choicesOf returns
// nil for any other op.
func choicesOf(v *ir.Value) []*ir.Value {
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
					if args := choicesOf(v); args != nil {
						if x := s.meetArgs(v, args); s.repl[v] != x {
							s.repl[v], changed = x, true
						}
					}
				}
			}
		}
	}
}

// maxTurns is the largest number of times that the replacement of one value may change.
const maxTurns = 8

// meetArgs computes the replacement of the phi or selection v from the replacements of the operands
// in args.
func (s *settler) meetArgs(v *ir.Value, args []*ir.Value) *ir.Value {
	if s.kept[v] || s.repl[v] == v {
		return v
	}
	one := s.u.undefOf(v.Type)
	for _, a := range args {
		x := a
		if choicesOf(a) != nil {
			if x = s.repl[a]; x == nil {
				continue // the operand a was not visited yet
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
	if was := s.repl[v]; was != nil && !s.u.Is(was) && was != one {
		// The earlier replacement of v may be a phi for which the search has since found no
		// replacement.
		if s.turns[v]++; s.turns[v] > maxTurns {
			return v
		}
	}
	return one
}

// findMisplaced finds phis whose replacements do not dominate them, and adds the phis to the set
// "kept". findMisplaced reports whether it found any such phi.
func (s *settler) findMisplaced() bool {
	found := false
	for _, b := range s.order {
		for _, v := range b.Phis {
			x := s.repl[v]
			if x == v || x.Block == nil {
				continue
			}
			if x.Block != b && s.dom.Dominates(x.Block, b) {
				continue
			}
			s.kept[v], found = true, true
		}
	}
	return found
}

package simplify

// This file contains the pass cse, which eliminates common subexpressions along the dominator tree.
// The pass uses package uniform to find the branches that all work-items take in the same way.

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// CSE replaces a pure value by an equal value that dominates it. In a block whose only incoming
// edge comes from a branch, CSE replaces the condition of this branch by true or false. At the end
// CSE calls Run, which removes branches with constant conditions. For example, the condition of a
// repeated index check is now constant.
func CSE(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		c := &cse{m: m, repl: map[*ir.Value]*ir.Value{}, knownBools: map[*ir.Value]*ir.Value{}, liveOnly: map[*ir.Value]*ir.Value{},
			table: map[string]*ir.Value{}, refs: map[refKey]uint64{}}
		if f == m.Kernel {
			uniform.Arrange(m)
			c.common, c.divergent, c.u = uniform.CommonBranches(m)
		}
		c.dom = f.Dominators()
		c.numberBlock(f.Blocks[0])
		c.rewritePhis()
	}
	return Run(m)
}

type cse struct {
	m          *ir.Module
	dom        *ir.DomTree
	repl       map[*ir.Value]*ir.Value // maps removed values to their replacements
	knownBools map[*ir.Value]*ir.Value // maps conditions and phis to their constant values in the current block
	// liveOnly is like knownBools, but its values are known only for live lanes. A live lane is a
	// work-item that has not left its group (see uniform.CommonBranches).
	liveOnly          map[*ir.Value]*ir.Value
	common, divergent map[*ir.Block]bool
	u                 *uniform.Info
	table             map[string]*ir.Value
	undo              []func()
	refs              map[refKey]uint64
	buf               []byte
}

type refKey struct {
	v *ir.Var
	t *ir.Type
}

// numberBlock replaces values in b and in all blocks that b dominates.
func (c *cse) numberBlock(b *ir.Block) {
	mark := len(c.undo)
	if len(b.Preds) == 1 {
		if t := b.Preds[0].Term; t.Kind == ir.Branch && t.Succs[0] != t.Succs[1] && !t.Cond.IsConst() {
			in := c.knownBools
			if c.divergent[b.Preds[0]] && c.u.Value(t.Cond) {
				in = c.liveOnly
			}
			c.assumeBool(in, t.Cond, t.Succs[0] == b)
		}
	}
	b.Phis = slices.DeleteFunc(b.Phis, func(v *ir.Value) bool {
		for i, a := range v.Args {
			v.Args[i] = c.resolve(a)
		}
		return c.findEqual(v)
	})
	b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
		for i, a := range v.Args {
			v.Args[i] = c.useOf(a)
		}
		return isNumbered(v) && c.findEqual(v)
	})
	if b.Term.Cond != nil {
		b.Term.Cond = c.useOf(b.Term.Cond)
		if is := c.liveOnly[b.Term.Cond]; is != nil && !c.common[b] {
			b.Term.Cond = is
		}
	}
	for _, s := range b.Term.Succs {
		// Facts that hold at the end of b also hold for the phi arguments on the edge from b.
		for i, p := range s.Preds {
			if p == b {
				for _, phi := range s.Phis {
					phi.Args[i] = c.useOf(phi.Args[i])
				}
			}
		}
	}
	for _, d := range c.dom.Children(b) {
		c.numberBlock(d)
	}
	for len(c.undo) > mark {
		c.undo[len(c.undo)-1]()
		c.undo = c.undo[:len(c.undo)-1]
	}
}

// assumeBool records in the map "known" that the bool v has the given value. The record is valid in
// the current block and in all blocks that the current block dominates.
func (c *cse) assumeBool(known map[*ir.Value]*ir.Value, v *ir.Value, is bool) {
	for v.Op == ir.OpLNot {
		c.learn(known, v, c.m.Bool(is))
		v, is = v.Args[0], !is
	}
	c.learn(known, v, c.m.Bool(is))
	if v.Op == ir.OpPhi {
		c.assumePhis(known, v, is)
	}
}

// assumePhis assumes that the phi v has the given value, and records which other phis of the block
// are then constant. assumePhis ignores an incoming edge if v's argument on this edge is a
// different constant. Often one phi determines another phi, because structurize adds phis that
// serve as flags.
func (c *cse) assumePhis(known map[*ir.Value]*ir.Value, v *ir.Value, is bool) {
	for _, phi := range v.Block.Phis {
		var only *ir.Value
		for i, a := range phi.Args {
			if from := v.Args[i]; from.IsConst() && from.Bits != c.m.Bool(is).Bits {
				continue
			}
			if !a.IsConst() || only != nil && only != a {
				only = nil
				break
			}
			only = a
		}
		if only != nil && phi != v {
			c.learn(known, phi, only)
		}
	}
}

func (c *cse) learn(known map[*ir.Value]*ir.Value, v, is *ir.Value) {
	old, ok := known[v]
	known[v] = is
	c.undo = append(c.undo, func() {
		if ok {
			known[v] = old
		} else {
			delete(known, v)
		}
	})
}

func (c *cse) resolve(v *ir.Value) *ir.Value {
	if w := c.repl[v]; w != nil {
		return w
	}
	return v
}

// useOf returns the value that replaces a use of v in the current block.
func (c *cse) useOf(v *ir.Value) *ir.Value {
	v = c.resolve(v)
	if k := c.knownBools[v]; k != nil {
		return k
	}
	return v
}

// isNumbered reports whether v's result depends only on its operands.
func isNumbered(v *ir.Value) bool {
	if v.Op == ir.OpLoad {
		r := v.Ref()
		return r.Var != nil && r.Var.Storage == ir.Private && r.Var.Init != nil
	}
	return v.Op.Has(ir.FlagPure)
}

// findEqual searches for a value that equals v and dominates it. If findEqual finds an equal value,
// it records that value as the replacement of v and returns true.
func (c *cse) findEqual(v *ir.Value) bool {
	k := c.key(v)
	if w := c.table[k]; w != nil {
		c.repl[v] = w
		return true
	}
	c.table[k] = v
	c.undo = append(c.undo, func() { delete(c.table, k) })
	return false
}

func (c *cse) key(v *ir.Value) string {
	args := v.Args
	if v.Op.Has(ir.FlagCommutative) && len(args) == 2 && cmp.Compare(args[0].ID, args[1].ID) > 0 {
		args = []*ir.Value{args[1], args[0]}
	}
	b := append(c.buf[:0], byte(v.Op), byte(v.Type.Kind))
	b = binary.AppendUvarint(b, v.Bits)
	switch aux := v.Aux.(type) {
	case ir.BuiltIn:
		b = append(b, byte(aux))
	case *ir.Ref:
		k := refKey{aux.Var, aux.Elem}
		if c.refs[k] == 0 {
			c.refs[k] = uint64(len(c.refs) + 1)
		}
		b = binary.AppendUvarint(b, c.refs[k])
	}
	if v.Op == ir.OpPhi { // phis of different blocks are never equal
		b = binary.AppendUvarint(b, uint64(v.Block.ID))
	}
	for _, a := range args {
		b = binary.AppendUvarint(b, uint64(a.ID))
	}
	c.buf = b
	return string(b)
}

// rewritePhis replaces removed values that are still arguments of phis.
func (c *cse) rewritePhis() {
	for _, b := range c.dom.Order {
		for _, v := range b.Phis {
			for i, a := range v.Args {
				v.Args[i] = c.resolve(a)
			}
		}
	}
}

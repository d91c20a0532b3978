package simplify

// This file is the pass cse: it eliminates common subexpressions along the dominator tree. It asks
// package uniform which branches all work-items take in the same way.

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// CSE replaces a pure value by an equal value that dominates it. In blocks that only one edge of a
// branch reaches, it replaces the branch's condition by true or false. Run then removes the
// branches that are decided, such as the second check of an index.
func CSE(m *ir.Module) diag.List {
	for _, f := range rewrite.Bodies(m) {
		c := &cse{m: m, repl: map[*ir.Value]*ir.Value{}, known: map[*ir.Value]*ir.Value{}, own: map[*ir.Value]*ir.Value{},
			table: map[string]*ir.Value{}, refs: map[refKey]uint64{}}
		if f == m.Kernel {
			uniform.Arrange(m)
			c.common, c.divergent, c.u = uniform.CommonBranches(m)
		}
		c.dom = f.Dominators()
		c.block(f.Blocks[0])
		c.rewritePhis()
	}
	return Run(m)
}

type cse struct {
	m     *ir.Module
	dom   *ir.DomTree
	repl  map[*ir.Value]*ir.Value // replacements of removed values
	known map[*ir.Value]*ir.Value // conditions and phis with a known value in the current block
	// own is like known, for values that are known only of live lanes; see uniform.CommonBranches.
	own               map[*ir.Value]*ir.Value
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

// block numbers the values of b and of all blocks that b dominates.
func (c *cse) block(b *ir.Block) {
	mark := len(c.undo)
	if len(b.Preds) == 1 {
		if t := b.Preds[0].Term; t.Kind == ir.Branch && t.Succs[0] != t.Succs[1] && !t.Cond.IsConst() {
			in := c.known
			if c.divergent[b.Preds[0]] && c.u.Value(t.Cond) {
				in = c.own
			}
			c.assume(in, t.Cond, t.Succs[0] == b)
		}
	}
	b.Phis = slices.DeleteFunc(b.Phis, func(v *ir.Value) bool {
		for i, a := range v.Args {
			v.Args[i] = c.resolve(a)
		}
		return c.number(v)
	})
	b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool {
		for i, a := range v.Args {
			v.Args[i] = c.use(a)
		}
		return numbered(v) && c.number(v)
	})
	if b.Term.Cond != nil {
		b.Term.Cond = c.use(b.Term.Cond)
		if is := c.own[b.Term.Cond]; is != nil && !c.common[b] {
			b.Term.Cond = is
		}
	}
	for _, s := range b.Term.Succs {
		// Facts that hold on the edge also hold for the phi's argument.
		for i, p := range s.Preds {
			if p == b {
				for _, phi := range s.Phis {
					phi.Args[i] = c.use(phi.Args[i])
				}
			}
		}
	}
	for _, d := range c.dom.Children(b) {
		c.block(d)
	}
	for len(c.undo) > mark {
		c.undo[len(c.undo)-1]()
		c.undo = c.undo[:len(c.undo)-1]
	}
}

// assume records in known that the bool v has the value is, for the current block and all blocks
// that it dominates.
func (c *cse) assume(known map[*ir.Value]*ir.Value, v *ir.Value, is bool) {
	for v.Op == ir.OpLNot {
		c.learn(known, v, c.m.Bool(is))
		v, is = v.Args[0], !is
	}
	c.learn(known, v, c.m.Bool(is))
	if v.Op == ir.OpPhi {
		c.assumePhis(known, v, is)
	}
}

// assumePhis records the values of the other phis of v's block, given that v is is. v is often a
// flag: its value tells by which edges control may have come, and so which arguments the other phis
// may have.
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

// use returns the replacement for a use of v in the current block.
func (c *cse) use(v *ir.Value) *ir.Value {
	v = c.resolve(v)
	if k := c.known[v]; k != nil {
		return k
	}
	return v
}

// numbered reports whether v depends only on its arguments.
func numbered(v *ir.Value) bool {
	if v.Op == ir.OpLoad {
		r := v.Ref()
		return r.Var != nil && r.Var.Storage == ir.Private && r.Var.Init != nil
	}
	return v.Op.Has(ir.FlagPure)
}

// number reports whether v equals a value that dominates it; that value then replaces v.
func (c *cse) number(v *ir.Value) bool {
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
	if v.Op == ir.OpPhi { // only phis of the same block can be equal
		b = binary.AppendUvarint(b, uint64(v.Block.ID))
	}
	for _, a := range args {
		b = binary.AppendUvarint(b, uint64(a.ID))
	}
	c.buf = b
	return string(b)
}

// rewritePhis replaces the arguments of phis that come over back edges.
func (c *cse) rewritePhis() {
	for _, b := range c.dom.Order {
		for _, v := range b.Phis {
			for i, a := range v.Args {
				v.Args[i] = c.resolve(a)
			}
		}
	}
}

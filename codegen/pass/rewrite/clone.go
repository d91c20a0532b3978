package rewrite

// This file copies blocks with their values, for the passes that copy loops (ahead, gather, unroll)
// and for the pass deadlanes.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Cloner copies code. The methods Value and Block return a value or block unchanged if it was not
// copied.
type Cloner struct {
	f      *ir.Func
	Blocks map[*ir.Block]*ir.Block // maps each copied block to its copy
	values map[*ir.Value]*ir.Value
	from   map[*ir.Block]*ir.Block // maps each copy to its original
}

// NewCloner returns a Cloner for f. The Cloner has copied nothing yet.
func NewCloner(f *ir.Func) *Cloner {
	return &Cloner{f, map[*ir.Block]*ir.Block{}, map[*ir.Value]*ir.Value{}, map[*ir.Block]*ir.Block{}}
}

// Value returns the copy of v, or v itself if v was not copied.
func (c *Cloner) Value(v *ir.Value) *ir.Value {
	if w := c.values[v]; w != nil {
		return w
	}
	return v
}

// Block returns the copy of b, or b itself if b was not copied.
func (c *Cloner) Block(b *ir.Block) *ir.Block {
	if d := c.Blocks[b]; d != nil {
		return d
	}
	return b
}

// Pair records that block "to" is the copy of b. The methods End and Phis then treat b as the
// original and "to" as the copy.
func (c *Cloner) Pair(b, to *ir.Block) {
	c.Blocks[b], c.from[to] = to, b
}

// Copy copies the given blocks, but no terminators and no arguments of phis. The methods End and
// Phis add the terminators and the arguments of phis.
func (c *Cloner) Copy(blocks []*ir.Block) {
	for _, b := range blocks {
		d := c.f.NewBlock()
		d.Unroll, d.Cold, d.Loop = b.Unroll, b.Cold, b.Loop
		c.Pair(b, d)
		for _, v := range b.Phis {
			d.Phis = append(d.Phis, c.bareCopy(v, d))
		}
		for _, v := range b.Insts {
			d.Insts = append(d.Insts, c.bareCopy(v, d))
		}
	}
	for _, b := range blocks {
		c.fillArgs(b.Insts)
	}
}

// Insts appends copies of b's instructions to block "to".
func (c *Cloner) Insts(b, to *ir.Block) {
	for _, v := range b.Insts {
		to.Insts = append(to.Insts, c.bareCopy(v, to))
	}
	c.fillArgs(b.Insts)
}

// bareCopy returns a copy of v that has no arguments yet.
func (c *Cloner) bareCopy(v *ir.Value, b *ir.Block) *ir.Value {
	w := c.f.NewValue(v.Op, v.Type)
	w.Bits, w.Aux, w.Pos, w.Block = v.Bits, v.Aux, v.Pos, b
	c.values[v] = w
	return w
}

// fillArgs sets the arguments of the copies of the given values.
func (c *Cloner) fillArgs(values []*ir.Value) {
	for _, v := range values {
		w := c.values[v]
		for _, a := range v.Args {
			w.Args = append(w.Args, c.Value(a))
		}
	}
}

// End copies the terminators of the given blocks to the copies of the blocks. In the copied
// terminators, lead(s) replaces each successor s.
func (c *Cloner) End(blocks []*ir.Block, lead func(s *ir.Block) *ir.Block) {
	for _, b := range blocks {
		t := b.Term
		t.Succs = make([]*ir.Block, len(b.Term.Succs))
		for i, s := range b.Term.Succs {
			t.Succs[i] = lead(s)
		}
		if t.Cond != nil {
			t.Cond = c.Value(t.Cond)
		}
		c.Blocks[b].SetTerm(t)
	}
}

// Phis appends an argument to the phis at the end of each edge between two copies. The predecessors
// of a copy may be in a different order than the predecessors of the original block.
func (c *Cloner) Phis(blocks []*ir.Block) {
	for _, b := range blocks {
		d := c.Blocks[b]
		for i, p := range d.Preds {
			from := c.from[p]
			if from == nil {
				continue
			}
			// If several edges come from the same block, the phi has one argument for each edge.
			nth := len(indicesOf(d.Preds[:i], p))
			at := indicesOf(b.Preds, from)[nth]
			for j, phi := range b.Phis {
				d.Phis[j].Args = append(d.Phis[j].Args, c.Value(phi.Args[at]))
			}
		}
	}
}

// indicesOf returns the positions of b in blocks.
func indicesOf(blocks []*ir.Block, b *ir.Block) []int {
	var at []int
	for i, x := range blocks {
		if x == b {
			at = append(at, i)
		}
	}
	return at
}

// Entered redirects the edge from b to head, so that the edge leads to the copy of head. Block b
// itself must not have a copy, and Entered must be called before End.
func (c *Cloner) Entered(head, b *ir.Block) {
	d := c.Blocks[head]
	at := slices.Index(head.Preds, b)
	for i, phi := range head.Phis {
		d.Phis[i].Args = append(d.Phis[i].Args, phi.Args[at])
	}
	phis := d.Phis
	d.Phis = nil // Retarget requires a block without phis
	b.Retarget(head, d)
	d.Phis = phis
}

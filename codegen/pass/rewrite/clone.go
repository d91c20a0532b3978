package rewrite

// This file copies blocks with their values. Passes that version loops (ahead, gather, unroll)
// share it, and dead lanes.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Cloner copies code. Values and blocks that were not copied map to themselves.
type Cloner struct {
	f      *ir.Func
	Blocks map[*ir.Block]*ir.Block // with their copies
	values map[*ir.Value]*ir.Value
	from   map[*ir.Block]*ir.Block // what a block is a copy of
}

// NewCloner returns a Cloner for f that has copied nothing yet.
func NewCloner(f *ir.Func) *Cloner {
	return &Cloner{f, map[*ir.Block]*ir.Block{}, map[*ir.Value]*ir.Value{}, map[*ir.Block]*ir.Block{}}
}

// Value returns what stands for v in the copy.
func (c *Cloner) Value(v *ir.Value) *ir.Value {
	if w := c.values[v]; w != nil {
		return w
	}
	return v
}

// Block returns b's copy, or b.
func (c *Cloner) Block(b *ir.Block) *ir.Block {
	if d := c.Blocks[b]; d != nil {
		return d
	}
	return b
}

// Pair makes to the copy of b as far as edges and phis go.
func (c *Cloner) Pair(b, to *ir.Block) {
	c.Blocks[b], c.from[to] = to, b
}

// Copy copies the blocks. The copies have no terminators, and phis without arguments.
func (c *Cloner) Copy(blocks []*ir.Block) {
	for _, b := range blocks {
		d := c.f.NewBlock()
		d.Unroll, d.Cold, d.Loop = b.Unroll, b.Cold, b.Loop
		c.Pair(b, d)
		for _, v := range b.Phis {
			d.Phis = append(d.Phis, c.bare(v, d))
		}
		for _, v := range b.Insts {
			d.Insts = append(d.Insts, c.bare(v, d))
		}
	}
	for _, b := range blocks {
		c.fill(b.Insts)
	}
}

// Insts appends copies of b's instructions to the block to.
func (c *Cloner) Insts(b, to *ir.Block) {
	for _, v := range b.Insts {
		to.Insts = append(to.Insts, c.bare(v, to))
	}
	c.fill(b.Insts)
}

// bare returns a copy of v that has no arguments yet.
func (c *Cloner) bare(v *ir.Value, b *ir.Block) *ir.Value {
	w := c.f.NewValue(v.Op, v.Type)
	w.Bits, w.Aux, w.Pos, w.Block = v.Bits, v.Aux, v.Pos, b
	c.values[v] = w
	return w
}

// fill gives the copies of the values their arguments.
func (c *Cloner) fill(values []*ir.Value) {
	for _, v := range values {
		w := c.values[v]
		for _, a := range v.Args {
			w.Args = append(w.Args, c.Value(a))
		}
	}
}

// End ends the copies of the blocks as the blocks end, with what lead returns for where
// they lead.
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

// Phis appends the arguments for edges between copies to the phis of the blocks' copies.
// Edges come in an order of their own there.
func (c *Cloner) Phis(blocks []*ir.Block) {
	for _, b := range blocks {
		d := c.Blocks[b]
		for i, p := range d.Preds {
			from := c.from[p]
			if from == nil {
				continue
			}
			// Of several edges from one block, each has its own argument.
			nth := len(indices(d.Preds[:i], p))
			at := indices(b.Preds, from)[nth]
			for j, phi := range b.Phis {
				d.Phis[j].Args = append(d.Phis[j].Args, c.Value(phi.Args[at]))
			}
		}
	}
}

// indices returns where b stands in blocks.
func indices(blocks []*ir.Block, b *ir.Block) []int {
	var at []int
	for i, x := range blocks {
		if x == b {
			at = append(at, i)
		}
	}
	return at
}

// Entered gives the edge that b, of which there is no copy, has to head to head's copy. It
// comes before end.
func (c *Cloner) Entered(head, b *ir.Block) {
	d := c.Blocks[head]
	at := slices.Index(head.Preds, b)
	for i, phi := range head.Phis {
		d.Phis[i].Args = append(d.Phis[i].Args, phi.Args[at])
	}
	phis := d.Phis
	d.Phis = nil // which Retarget asks for
	b.Retarget(head, d)
	d.Phis = phis
}

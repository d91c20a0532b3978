package numbers

// This file contains the pass narrow, which replaces 64-bit computations by 32-bit computations.
// The pass runs after the passes on checks, since checks compare 64-bit integers as in Go.

import (
	"math"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Narrow replaces 64-bit computations by 32-bit computations if the result is provably the same.
// Go's int has 64 bits, but loop counters and indices into work-group memory need fewer bits, and
// devices compute in 32 bits. A value is narrowed only if its operands are also narrowed, so that
// no conversions are needed inside a computation.
//
// Divisions of non-negative values by constants become unsigned. For example, if i is not negative,
// i/16 becomes a shift and i%16 becomes a mask.
func Narrow(m *ir.Module, r *facts.Result) diag.List { return NarrowValues(m, r, nil) }

// NarrowValues implements Narrow. If the function `chosen` is not nil, NarrowValues calls it as
// soon as the values to narrow are known.
func NarrowValues(m *ir.Module, r *facts.Result, chosen func(n *Narrower)) diag.List {
	a := facts.Solved(m, nil, r)
	n := &Narrower{Ranges: a, m: m, Set: map[*ir.Value]bool{}, low: map[*ir.Value]*ir.Value{}, wide: map[*ir.Value]*ir.Value{}}
	n.findUnsigned()
	n.chooseValues()
	if chosen != nil {
		chosen(n)
	}
	n.addNarrowed()
	simplify.Run(m)
	return simplify.DCE(m)
}

// Narrower narrows the values of one function.
type Narrower struct {
	Ranges *facts.Ranges
	m      *ir.Module
	Set    map[*ir.Value]bool
	low    map[*ir.Value]*ir.Value // maps a 64-bit value to its 32-bit form
	wide   map[*ir.Value]*ir.Value // maps a 64-bit value to its 32-bit form extended to 64 bits
	// unsignedDivs is the set of signed divisions by constants in which no operand is
	// negative.
	unsignedDivs map[*ir.Value]bool
}

// NarrowOp reports whether op may be narrowed if its result fits in 32 bits. The second result
// reports whether the operands must also fit in 32 bits.
func NarrowOp(op ir.Op) (ok, args bool) {
	return op.Has(ir.FlagLow), op.Has(ir.FlagLow | ir.FlagPartial)
}

// chooseValues finds the largest set of values that can be narrowed together.
func (n *Narrower) chooseValues() {
	for _, b := range n.Ranges.Dom.Order {
		for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
			for _, v := range vs {
				if ok, _ := NarrowOp(v.Op); ok && v.Type == ir.TypeI64 && n.Ranges.Value(v).Fits32() {
					n.Set[v] = true
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range n.Ranges.Dom.Order {
			for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
				for _, v := range vs {
					if n.Set[v] && !n.argsNarrow(v) {
						delete(n.Set, v)
						changed = true
					}
				}
			}
		}
	}
}

// findUnsigned finds the divisions by constants in which no operand is negative. findUnsigned also
// replaces remainders by powers of two, such as x - x/16*16, by masks.
func (n *Narrower) findUnsigned() {
	n.unsignedDivs = map[*ir.Value]bool{}
	positive := func(x, d *ir.Value, b *ir.Block) bool {
		return d.IsConst() && d.Int() > 0 && n.Ranges.At(x, b).Lo >= 0
	}
	for _, b := range n.Ranges.Dom.Order {
		for _, v := range b.Insts {
			switch v.Op {
			case ir.OpSDiv:
				n.unsignedDivs[v] = positive(v.Args[0], v.Args[1], b)
			case ir.OpISub:
				if x, d := facts.Divided(v); d != nil && positive(x, d, b) && d.Bits&(d.Bits-1) == 0 {
					v.Op, v.Args = ir.OpAnd, []*ir.Value{x, n.m.Const(v.Type, d.Bits-1)}
				}
			}
		}
	}
}

// argsNarrow reports whether all 64-bit operands of v have a 32-bit form.
func (n *Narrower) argsNarrow(v *ir.Value) bool {
	_, fit := NarrowOp(v.Op)
	unsigned := v.Op == ir.OpUDiv || v.Op == ir.OpUMod || v.Op == ir.OpShrL
	for i, x := range v.Args {
		if x.Type != ir.TypeI64 {
			continue
		}
		if !n.IsNarrow(x) {
			return false
		}
		p := n.Ranges.Value(x)
		if fit && (!p.Fits32() || unsigned && p.Lo < 0) {
			return false
		}
		if i == 1 && (v.Op == ir.OpShl || v.Op == ir.OpShrA || v.Op == ir.OpShrL) && (p.Lo < 0 || p.Hi > 31) {
			return false
		}
	}
	return true
}

// IsNarrow reports whether x has a 32-bit form, or gets a 32-bit form by narrowing.
func (n *Narrower) IsNarrow(x *ir.Value) bool {
	return x.IsConst() || n.Set[x] || extendedInt(x) != nil
}

// extendedInt returns the 32-bit integer that x extends, or nil.
func extendedInt(x *ir.Value) *ir.Value {
	if (x.Op == ir.OpSConvert || x.Op == ir.OpUConvert) && x.Args[0].Type == ir.TypeI32 {
		return x.Args[0]
	}
	return nil
}

// lowOf returns the 32-bit form of x.
func (n *Narrower) lowOf(x *ir.Value) *ir.Value {
	switch {
	case x.Type != ir.TypeI64:
		return x
	case x.IsConst():
		return n.m.Const(ir.TypeI32, x.Bits)
	case n.Set[x]:
		return n.low[x]
	}
	return extendedInt(x)
}

// addNarrowed adds a 32-bit value next to each narrowed value. Code that is not narrowed then uses
// the 32-bit values extended to 64 bits, so that the original values become unused.
func (n *Narrower) addNarrowed() {
	f := n.m.Kernel
	for _, b := range n.Ranges.Dom.Order {
		for _, v := range b.Phis {
			n.make(f, v)
		}
		for _, v := range b.Insts {
			n.make(f, v)
		}
	}
	for _, b := range n.Ranges.Dom.Order {
		var phis, insts []*ir.Value
		for _, v := range b.Phis {
			phis = append(phis, v)
			if n.Set[v] {
				phis = append(phis, n.fill(v))
				insts = append(insts, n.wide[v])
			}
		}
		for _, v := range b.Insts {
			if n.unsignedDivs[v] && !n.Set[v] {
				v.Op = ir.OpUDiv
			}
			n.narrowCompare(v)
			insts = append(insts, v)
			if n.Set[v] {
				insts = append(insts, n.fill(v), n.wide[v])
			}
		}
		b.Phis, b.Insts = phis, insts
	}
	defer n.narrowIndexes()
	made := map[*ir.Value]bool{}
	for _, v := range n.low {
		made[v] = true
	}
	for _, v := range n.wide {
		made[v] = true
	}
	for _, b := range f.Blocks {
		for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
			for _, v := range vs {
				if made[v] || n.Set[v] {
					continue
				}
				for i, x := range v.Args {
					if n.Set[x] {
						v.Args[i] = n.wide[x]
					}
				}
			}
		}
	}
}

// narrowIndexes removes extensions of 32-bit indices in memory operations. The device sign-extends
// a 32-bit index when it computes the address.
func (n *Narrower) narrowIndexes() {
	low := map[*ir.Value]bool{}
	for _, v := range n.low {
		low[v] = true
	}
	for _, b := range n.Ranges.Dom.Order {
		for _, v := range b.Insts {
			if v.Ref() == nil {
				continue
			}
			path := v.Path()
			for i, x := range path {
				y := extendedInt(x)
				if y == nil {
					continue
				}
				if p := n.Ranges.Value(y); low[y] || x.Op == ir.OpSConvert || p.Lo >= 0 && p.Hi <= math.MaxInt32 {
					path[i] = y
				}
			}
		}
	}
}

func (n *Narrower) make(f *ir.Func, v *ir.Value) {
	if !n.Set[v] {
		return
	}
	low := f.NewValue(v.Op, ir.TypeI32)
	if n.unsignedDivs[v] {
		low.Op = ir.OpUDiv
	}
	op := ir.OpSConvert
	if n.Ranges.Value(v).Lo >= 0 {
		op = ir.OpUConvert
	}
	wide := f.NewValue(op, ir.TypeI64, low)
	low.Block, wide.Block = v.Block, v.Block
	low.Pos, wide.Pos = v.Pos, v.Pos
	n.low[v], n.wide[v] = low, wide
}

func (n *Narrower) fill(v *ir.Value) *ir.Value {
	low := n.low[v]
	low.Bits = v.Bits // if v is an Arg op, Bits is the argument's offset
	for _, x := range v.Args {
		low.Args = append(low.Args, n.lowOf(x))
	}
	return low
}

// narrowCompare turns v into a 32-bit comparison if both operands have a 32-bit form.
func (n *Narrower) narrowCompare(v *ir.Value) {
	if !v.Op.Has(ir.FlagCompare) || v.Args[0].Type != ir.TypeI64 {
		return
	}
	for _, x := range v.Args {
		if !n.IsNarrow(x) || !n.Ranges.Value(x).Fits32() {
			return
		}
	}
	// Unsigned comparisons remain correct, because sign extension of both operands preserves the
	// unsigned order.
	for i, x := range v.Args {
		v.Args[i] = n.lowOf(x)
	}
}

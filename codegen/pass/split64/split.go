package split64

// This file contains Lower, which replaces types, variables and values of a module by 32-bit words.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/codegen/pass/quirks"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Lower rewrites a Legal module for devices that have only 32-bit integers, in arithmetic and in
// memory. Lower reports whether it succeeded. After a failure the module must not be used. A 64-bit
// integer becomes two 32-bit words. An access to an 8-bit or 16-bit integer in device memory
// becomes an access to the 32-bit word that contains the integer. Operations on float64 do not
// change, except conversions from and to 64-bit integers.
//
// Lower fails for 64-bit atomic operations, and for 64-bit divisions in constant expressions.
//
// Lower runs after all passes. Lower can run last because the code that Lower adds has no control
// flow, except in a helper function. When Lower runs, the pass narrow has already reduced the
// number of 64-bit integers.
func Lower(m *ir.Module) bool {
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				if facts.IsAtomic(v) && accessedType(v) == ir.TypeI64 {
					return false
				}
			}
		}
	}
	w := &wordLowerer{m: m, simp: &simplify.Simplifier{Module: m}, pairs: map[*ir.Value]pair{}, repl: map[*ir.Value]*ir.Value{},
		types: map[*ir.Type]*ir.Type{}, specs: map[*ir.Spec]pair{}, small: map[*ir.Value]bool{}}
	w.findSmall()
	w.splitSpecs()
	for _, v := range m.Vars {
		w.variable(v)
	}
	funcs := rewrite.Bodies(m) // the functions that existed before Lower adds helpers
	for _, f := range funcs {
		w.splitParams(f)
	}
	for _, f := range funcs {
		w.function(f)
	}
	seen := map[*ir.Value]bool{}
	m.DropExprs(func(v *ir.Value) bool { return facts.Deep64(v, seen) })
	if w.failed {
		return false
	}
	maskWords(m)
	simplify.CSE(m)
	simplify.DCE(m)
	if facts.Avoids(m, "unrolled-floats") {
		for _, f := range rewrite.Bodies(m) {
			for _, b := range f.Blocks {
				b.Unroll = false
			}
		}
	}
	quirks.Outlive(m) // repeated, because the pairs are new values that loopvalues has not processed
	return true
}

// accessedType returns the type of the value that the memory op v loads or stores.
func accessedType(v *ir.Value) *ir.Type {
	if v.Type == ir.TypeVoid {
		return v.Args[0].Type
	}
	return v.Type
}

// A pair is a 64-bit integer that is represented by two 32-bit words.
type pair struct{ lo, hi *ir.Value }

// wordLowerer contains the state of Lower.
type wordLowerer struct {
	m     *ir.Module
	simp  *simplify.Simplifier
	pairs map[*ir.Value]pair      // maps a 64-bit integer to its pair
	repl  map[*ir.Value]*ir.Value // maps other values to their replacements
	types map[*ir.Type]*ir.Type
	specs map[*ir.Spec]pair
	small map[*ir.Value]bool // 64-bit values known to be from 0 to MaxInt32
	// storeFunc is the helper function that storeHelper creates. storeFunc is nil if the module
	// needs no such function.
	storeFunc *ir.Func

	// The following fields determine the position to which code is added. If outer is set, code is
	// added to the module's constant expressions, and otherwise to a block.
	f     *ir.Func
	b     *ir.Block
	pos   ir.Pos
	out   []*ir.Value
	outer bool

	failed bool
}

// findSmall finds 64-bit values, such as indices, whose high word is always zero.
func (w *wordLowerer) findSmall() {
	a := facts.NewRanges(w.m)
	a.Solve()
	for _, b := range a.Dom.Order {
		for _, v := range b.Insts {
			if r := v.Ref(); r == nil || r.Var != nil {
				continue
			}
			if i := v.Path()[1]; i.Type == ir.TypeI64 {
				p := a.At(i, b)
				w.small[v] = p.Lo >= 0 && p.Hi <= 1<<31-1
			}
		}
	}
}

// splitSpecs adds a second specialization constant for the high word of each 64-bit specialization
// constant.
func (w *wordLowerer) splitSpecs() {
	var list []*ir.Spec
	for _, s := range w.m.Specs {
		if s.Type != ir.TypeI64 {
			list = append(list, s)
			continue
		}
		lo := &ir.Spec{ID: s.ID, Name: s.Name, Type: ir.TypeI32, Default: s.Default & facts.Mask(ir.TypeI32)}
		hi := &ir.Spec{ID: abi.SpecHigh + s.ID, Name: s.Name + ".high", Type: ir.TypeI32, Default: s.Default >> 32}
		list = append(list, lo, hi)
		w.specs[s] = pair{w.m.SpecValue(lo), w.m.SpecValue(hi)}
	}
	w.m.Specs = list
}

// maskWords works around the quirk store-index in stores whose indices had 64 bits. Package quirks
// has applied the workaround for store-index only to 32-bit indices.
func maskWords(m *ir.Module) {
	if !facts.Avoids(m, "store-index") {
		return
	}
	for _, f := range rewrite.Bodies(m) {
		h := quirks.NewHider(f, nil)
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				out = append(out, quirks.MaskPhis(h, v)...)
				out = append(out, v)
			}
			b.Insts = out
		}
	}
}

// memoryType returns the type that replaces t in memory.
func (w *wordLowerer) memoryType(t *ir.Type) *ir.Type {
	u, ok := w.types[t]
	if ok {
		return u
	}
	u = t
	switch t.Kind {
	case ir.I64:
		u = ir.TypeAddr
	case ir.Array:
		u = w.m.ArrayOf(w.memoryType(t.Elem), w.valueOf(t.Len))
	case ir.Struct:
		fields := slices.Clone(t.Fields)
		for i := range fields {
			fields[i].Type = w.memoryType(fields[i].Type)
		}
		u = w.m.StructOf(fields, t.Size, t.Align)
	}
	w.types[t] = u
	return u
}

func (w *wordLowerer) variable(v *ir.Var) {
	v.Type = w.memoryType(v.Type)
	for i, c := range v.Init {
		if c.Type == ir.TypeI64 {
			v.Init[i] = w.m.Const(ir.TypeAddr, c.Bits)
		}
	}
}

// splitParams splits the 64-bit parameters of the helper function f.
func (w *wordLowerer) splitParams(f *ir.Func) {
	params := f.Params
	f.Params = nil
	for _, p := range params {
		if p.Type == ir.TypeI64 {
			lo := f.NewParam(ir.TypeI32)
			w.pairs[p] = pair{lo, f.NewParam(ir.TypeI32)}
		} else {
			f.Params = append(f.Params, p)
		}
	}
}

func (w *wordLowerer) function(f *ir.Func) {
	w.f = f
	for _, v := range f.Vars {
		w.variable(v)
	}
	order := f.ReversePostorder()
	for _, b := range f.Blocks {
		if !slices.Contains(order, b) {
			order = append(order, b)
		}
	}
	phis := map[*ir.Block][]*ir.Value{}
	for _, b := range order {
		phis[b] = b.Phis
		b.Phis = nil
		for _, v := range phis[b] {
			if v.Type != ir.TypeI64 {
				b.Phis = append(b.Phis, v)
				continue
			}
			p := pair{b.NewPhi(ir.TypeI32), b.NewPhi(ir.TypeI32)}
			p.lo.Pos, p.hi.Pos = v.Pos, v.Pos
			w.pairs[v] = p
		}
	}
	for _, b := range order {
		w.block(b)
	}
	for _, b := range order {
		for _, v := range phis[b] {
			for i, a := range v.Args {
				if v.Type != ir.TypeI64 {
					v.Args[i] = w.valueOf(a)
					continue
				}
				p, q := w.pairs[v], w.toPair(a)
				p.lo.Args, p.hi.Args = append(p.lo.Args, q.lo), append(p.hi.Args, q.hi)
			}
		}
	}
}

func (w *wordLowerer) block(b *ir.Block) {
	w.b, w.out = b, nil
	for _, v := range b.Insts {
		w.pos = v.Pos
		w.lowerInst(v)
	}
	b.Insts = w.out
	if b.Term.Cond != nil {
		b.Term.Cond = w.valueOf(b.Term.Cond)
	}
}

// lowerInst rewrites the instruction v.
func (w *wordLowerer) lowerInst(v *ir.Value) {
	switch {
	case v.Ref() != nil:
		w.lowerMemory(v)
	case v.Op == ir.OpArg && v.Type == ir.TypeI64:
		p := pair{w.addWord(ir.OpArg), w.addWord(ir.OpArg)}
		p.lo.Bits, p.hi.Bits = v.Bits, v.Bits+4
		w.pairs[v] = p
	case v.Op == ir.OpCall:
		var args []*ir.Value
		for _, a := range v.Args {
			if a.Type != ir.TypeI64 {
				args = append(args, w.valueOf(a))
				continue
			}
			p := w.toPair(a)
			args = append(args, p.lo, p.hi)
		}
		v.Args = args
		w.out = append(w.out, v)
	case facts.Has64(v):
		w.lowerPure(v)
	case numbers.RoundsTwice(v) && facts.Avoids(w.m, "unsigned-float"):
		x, scale := numbers.Halved(w.m, w.valueOf(v.Args[0]), w.addOp)
		v.Op, v.Args = ir.OpFMul, []*ir.Value{w.addOp(ir.OpSToF, v.Type, x), scale}
		w.out = append(w.out, v)
	default:
		for i, a := range v.Args {
			v.Args[i] = w.valueOf(a)
		}
		w.out = append(w.out, v)
	}
}

// lowerPure records the replacement of v, which is a pure op with a 64-bit operand or
// result.
func (w *wordLowerer) lowerPure(v *ir.Value) {
	if v.Type == ir.TypeI64 {
		w.pairs[v] = w.pairOf(v)
	} else {
		w.repl[v] = w.scalarOf(v)
	}
}

// valueOf returns the replacement of v, which must not be a 64-bit integer.
func (w *wordLowerer) valueOf(v *ir.Value) *ir.Value {
	if r := w.repl[v]; r != nil {
		return r
	}
	if v.Block != nil || !v.IsConstExpr() || v.Op.Has(ir.FlagConst) {
		return v
	}
	w.lowerConst(v)
	return w.repl[v]
}

// toPair returns the 64-bit integer v as a pair.
func (w *wordLowerer) toPair(v *ir.Value) pair {
	p, ok := w.pairs[v]
	switch {
	case ok:
		return p
	case v.IsConst():
		return pair{w.m.Const(ir.TypeI32, v.Bits), w.m.Const(ir.TypeI32, v.Bits>>32)}
	case v.Op == ir.OpSpecConst:
		return w.specs[v.Aux.(*ir.Spec)]
	case !v.IsConstExpr() || v.Block != nil:
		panic("BUG: " + v.LongString() + " is used before it is computed")
	}
	w.lowerConst(v)
	return w.pairs[v]
}

// lowerConst rewrites the constant expression v, which contains specialization constants.
func (w *wordLowerer) lowerConst(v *ir.Value) {
	was := w.outer
	w.outer = true
	if facts.Has64(v) {
		w.lowerPure(v)
	} else {
		args := make([]*ir.Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = w.valueOf(a)
		}
		w.repl[v] = v
		if !slices.Equal(args, v.Args) {
			w.repl[v] = w.addOp(v.Op, v.Type, args...)
		}
	}
	w.outer = was
}

// addOp appends an op and returns its result. If the op simplifies to an existing value, addOp
// returns that value and appends nothing.
func (w *wordLowerer) addOp(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := w.m.Kernel.NewValue(op, t, args...)
	if len(args) > 0 {
		if x, _ := w.simp.Pure(v); x != v {
			return x
		}
	}
	if w.outer {
		return w.m.ConstExpr(v.Op, v.Type, v.Args...)
	}
	v.Block, v.Pos = w.b, w.pos
	w.out = append(w.out, v)
	return v
}

// addWord appends an operation on 32-bit words.
func (w *wordLowerer) addWord(op ir.Op, args ...*ir.Value) *ir.Value {
	return w.addOp(op, ir.TypeI32, args...)
}

// addBool appends a comparison or another operation with a bool result.
func (w *wordLowerer) addBool(op ir.Op, args ...*ir.Value) *ir.Value {
	return w.addOp(op, ir.TypeBool, args...)
}

// wordConst returns the 32-bit constant n.
func (w *wordLowerer) wordConst(n int64) *ir.Value { return w.m.Int(ir.TypeI32, n) }

// bitOf returns 1 if c is true, and 0 if not.
func (w *wordLowerer) bitOf(c *ir.Value) *ir.Value {
	return w.addWord(ir.OpSelect, c, w.wordConst(1), w.wordConst(0))
}

// choosePair returns the pair x if c is true, and y if not.
func (w *wordLowerer) choosePair(c *ir.Value, x, y pair) pair {
	return pair{w.addWord(ir.OpSelect, c, x.lo, y.lo), w.addWord(ir.OpSelect, c, x.hi, y.hi)}
}

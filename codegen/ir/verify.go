package ir

// This file checks the rules of modules, functions and blocks.

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/abi"
)

// Verify checks the rules of the module's level. Verify returns all violations as one error, or nil.
func Verify(m *Module) error {
	x := &verifier{m: m, types: map[*Type]bool{}, ids: map[int]*Value{}, home: map[*Value]*Func{}, args: map[**Value]*Value{}}
	x.module()
	return errors.Join(x.errs...)
}

// maxFindings is the largest number of reported violations.
const maxFindings = 100

type verifier struct {
	m     *Module
	errs  []error
	types map[*Type]bool     // maps a checked type to true if the type is valid
	ids   map[int]*Value     // maps a Value.ID to the value
	home  map[*Value]*Func   // maps a parameter or a value in a block to its function
	args  map[**Value]*Value // maps the first element of an argument slice to the value that owns the slice
	f     *Func
	b     *Block
}

// errorf records that value v in the current block violates a rule. For violations without a value, v is nil.
func (x *verifier) errorf(v *Value, format string, args ...any) {
	if len(x.errs) >= maxFindings {
		return
	}
	s := ""
	if x.f != nil {
		s = x.f.Name + ": "
		if x.b != nil {
			s += x.blockName(x.b) + ": "
		}
	}
	if v != nil {
		s += v.LongString() + ": "
	}
	x.errs = append(x.errs, errors.New(s+fmt.Sprintf(format, args...)))
}

// blockName returns the name of a block in the printed text.
func (x *verifier) blockName(b *Block) string {
	for i, c := range x.f.Blocks {
		if c == b {
			return fmt.Sprintf("b%d", i)
		}
	}
	return "b?"
}

func (x *verifier) module() {
	m := x.m
	if m.Kernel == nil {
		x.errorf(nil, "the module has no kernel")
		return
	}
	if m.Form == abi.Task && m.Rank != 0 || m.Form != abi.Task && (m.Rank < 1 || m.Rank > 3) {
		x.errorf(nil, "a kernel of form %v has rank %d", m.Form, m.Rank)
	}
	if m.Items < 1 || m.Items > 1 && m.Form != abi.Range {
		x.errorf(nil, "a kernel of form %v has %d items per invocation", m.Form, m.Items)
	}
	if len(m.Kernel.Params) > 0 {
		x.errorf(nil, "the kernel has parameters")
	}
	ids := map[uint32]bool{}
	for _, s := range m.Specs {
		if ids[s.ID] {
			x.errorf(nil, "two specialization constants have the id %d", s.ID)
		}
		ids[s.ID] = true
		if !x.isOneOf(s.Type) {
			x.errorf(nil, "specialization constant %s has the type %v", s.Name, s.Type)
		}
	}
	for i, s := range m.Sites {
		if s.Index != i {
			x.errorf(nil, "site %d has the index %d", i, s.Index)
		}
	}
	for _, v := range m.exprs {
		x.constExpr(v)
	}
	for _, v := range m.Vars {
		x.variable(v, false)
	}
	funcs := append([]*Func{m.Kernel}, m.Helpers...)
	for _, f := range funcs {
		x.f, x.b = f, nil
		x.recordHome(f)
	}
	for _, f := range funcs {
		x.f, x.b = f, nil
		x.function(f)
	}
	x.f, x.b = nil, nil
	x.checkRecursion(funcs)
}

// recordHome records f as the function of each value in f.
func (x *verifier) recordHome(f *Func) {
	id := func(v *Value) {
		if w := x.ids[v.ID]; w != nil && w != v {
			x.errorf(v, "another value has the id %d too", v.ID)
		}
		x.ids[v.ID] = v
		if x.home[v] != nil {
			x.errorf(v, "the value stands in two places")
		}
		if len(v.Args) > 0 {
			if w := x.args[&v.Args[0]]; w != nil && w != v {
				x.errorf(v, "its arguments are changed with those of %%%d: it has the same slice", w.ID)
			}
			x.args[&v.Args[0]] = v
		}
		x.home[v] = f
	}
	for _, v := range f.Params {
		id(v)
		if v.Op != OpInvalid || v.Block != nil {
			x.errorf(v, "not a parameter")
		}
		if !x.isOneOf(v.Type) || isNarrow(v.Type) {
			x.errorf(v, "a parameter has the type %v", v.Type)
		}
	}
	for _, b := range f.Blocks {
		x.b = b
		for _, vs := range [...][]*Value{b.Phis, b.Insts} {
			for _, v := range vs {
				id(v)
				if v.Block != b {
					x.errorf(v, "the value's Block is another")
				}
			}
		}
	}
}

func (x *verifier) function(f *Func) {
	if len(f.Blocks) == 0 {
		x.errorf(nil, "the function has no blocks")
		return
	}
	for _, v := range f.Vars {
		x.variable(v, true)
	}
	sound := x.checkEdges(f)
	for _, b := range f.Blocks {
		x.b = b
		x.block(b)
	}
	x.b = nil
	// The checks after this line need correct edges between blocks.
	if !sound {
		return
	}
	dom := f.Dominators()
	x.checkDominance(f, dom)
	if x.m.Level >= Structured {
		x.structure(f, dom)
	}
}

// checkEdges checks the terminators and predecessors of f's blocks, and reports whether all are correct.
func (x *verifier) checkEdges(f *Func) bool {
	found := len(x.errs)
	in := map[*Block]bool{}
	for _, b := range f.Blocks {
		x.b = b
		if in[b] {
			x.errorf(nil, "the block stands twice in the function")
		}
		in[b] = true
		if b.Func != f {
			x.errorf(nil, "the block's Func is another")
		}
	}
	type edge struct{ from, to *Block }
	count := map[edge]int{}
	for _, b := range f.Blocks {
		x.b = b
		want := 0
		switch b.Term.Kind {
		case Jump:
			want = 1
		case Branch:
			want = 2
		case Return, Unreachable:
		default:
			x.errorf(nil, "the block has no terminator")
		}
		if len(b.Term.Succs) != want {
			x.errorf(nil, "the terminator %v has %d successors", b.Term.Kind, len(b.Term.Succs))
		}
		for _, s := range b.Term.Succs {
			if !in[s] {
				x.errorf(nil, "a successor is not in the function")
				continue
			}
			count[edge{b, s}]++
		}
	}
	for _, b := range f.Blocks {
		x.b = b
		for _, p := range b.Preds {
			if !in[p] {
				x.errorf(nil, "a predecessor is not in the function")
				continue
			}
			count[edge{p, b}]--
		}
	}
	wrong := slices.Collect(maps.Values(count))
	wrong = slices.DeleteFunc(wrong, func(n int) bool { return n == 0 })
	// The loop runs over f.Blocks, not over a map, so errors always have the same order.
	for _, b := range f.Blocks {
		if x.b = b; len(wrong) == 0 {
			break
		}
		for _, s := range f.Blocks {
			switch n := count[edge{b, s}]; {
			case n > 0:
				x.errorf(nil, "the edge to %s is not among its predecessors", x.blockName(s))
			case n < 0:
				x.errorf(nil, "%s has it as a predecessor without an edge", x.blockName(s))
			}
		}
	}
	if x.b = f.Blocks[0]; len(x.b.Preds) > 0 {
		x.errorf(nil, "the entry has predecessors")
	}
	x.b = nil
	return len(x.errs) == found
}

func (x *verifier) block(b *Block) {
	for _, v := range b.Phis {
		if v.Op != OpPhi {
			x.errorf(v, "not a phi, but it stands among the phis")
			continue
		}
		if len(v.Args) != len(b.Preds) {
			x.errorf(v, "a phi with %d arguments in a block with %d predecessors", len(v.Args), len(b.Preds))
		}
		if !x.isOneOf(v.Type) {
			x.errorf(v, "a phi has the type %v", v.Type)
		}
		for _, a := range v.Args {
			if x.checkOperand(v, a) && a.Type != v.Type {
				x.errorf(v, "a phi of type %v has an argument of type %v", v.Type, a.Type)
			}
		}
	}
	for _, v := range b.Insts {
		switch {
		case v.Op == OpInvalid || v.Op >= numOps:
			x.errorf(v, "no operation")
			continue
		case v.Op.Has(FlagConst):
			x.errorf(v, "constants stand outside of blocks")
			continue
		case v.Op == OpPhi:
			x.errorf(v, "a phi stands after other values")
			continue
		}
		for _, a := range v.Args {
			x.checkOperand(v, a)
		}
		x.checkValue(v)
		if v.Op.Has(FlagSync) && !x.m.UsesGroup {
			x.errorf(v, "the module does not say that it uses the group")
		}
		if x.m.Level == Legal && (v.Op.Has(FlagBuilt) && !v.LegalMatrixOp() || v.IsGroupOp() && !v.LegalGroupOp()) {
			x.errorf(v, "the op is not legal")
		}
	}
	switch t := &b.Term; {
	case t.Kind != Branch && t.Cond != nil:
		x.errorf(nil, "the terminator %v has a condition", t.Kind)
	case t.Kind == Branch && x.checkOperand(nil, t.Cond) && t.Cond.Type != TypeBool:
		x.errorf(nil, "the condition has the type %v", t.Cond.Type)
	}
}

// checkOperand checks that userValue, a value of the current function, may use operand a. The result
// is false if the operand is missing or has no type.
func (x *verifier) checkOperand(userValue, a *Value) bool {
	switch {
	case a == nil:
		x.errorf(userValue, "a missing argument")
		return false
	case a.Type == nil:
		x.errorf(userValue, "an argument without a type")
		return false
	case a.Block == nil && a.Op != OpInvalid:
		if a.Op == OpConst {
			if !a.Type.IsScalar() || x.m.consts[constKey{a.Type, a.Bits}] != a {
				x.errorf(userValue, "the constant %s is not the module's", a.LongString())
			}
		} else if !x.isExpr(a) {
			x.errorf(userValue, "an argument stands in no block: %s", a.LongString())
		}
	case x.home[a] != x.f:
		x.errorf(userValue, "an argument does not stand in the function: %s", a.LongString())
	}
	return true
}

func (x *verifier) isExpr(v *Value) bool { return slices.Contains(x.m.exprs, v) }

func (x *verifier) constExpr(v *Value) {
	if v.Block != nil || v.Op == OpConst || !v.Op.Has(FlagConst) && !v.Op.Has(FlagFold) {
		x.errorf(v, "not a constant expression")
		return
	}
	for _, a := range v.Args {
		if a == nil || !a.IsConstExpr() {
			x.errorf(v, "an argument is no constant expression")
			return
		}
	}
	x.checkValue(v)
}

// checkDominance checks that the definition of each value dominates its uses.
func (x *verifier) checkDominance(f *Func, dom *DomTree) {
	at := map[*Value]int{}
	for _, b := range f.Blocks {
		for i, v := range b.Insts {
			at[v] = i + 1 // phis have index 0
		}
	}
	// isDefinedAt reports whether value a is defined before index i of block b. For an unreachable block b, the
	// result is true.
	isDefinedAt := func(a *Value, b *Block, i int) bool {
		if a == nil || a.Block == nil || !dom.Reachable(b) {
			return true
		}
		if a.Block == b {
			return at[a] < i
		}
		return dom.Reachable(a.Block) && dom.Dominates(a.Block, b)
	}
	for _, b := range f.Blocks {
		x.b = b
		for _, v := range b.Phis {
			for i, a := range v.Args[:min(len(v.Args), len(b.Preds))] {
				if p := b.Preds[i]; !isDefinedAt(a, p, len(p.Insts)+1) {
					x.errorf(v, "%s does not dominate the end of %s", a.LongString(), x.blockName(p))
				}
			}
		}
		for _, v := range b.Insts {
			for _, a := range v.Args {
				if !isDefinedAt(a, b, at[v]) {
					x.errorf(v, "used before %s", a.LongString())
				}
			}
		}
		if a := b.Term.Cond; !isDefinedAt(a, b, len(b.Insts)+1) {
			x.errorf(nil, "the condition does not dominate the branch: %s", a.LongString())
		}
	}
	x.b = nil
}

// checkRecursion reports recursive helpers, which SPIR-V does not allow.
func (x *verifier) checkRecursion(funcs []*Func) {
	const open, closed = 1, 2
	state := map[*Func]int{}
	var visit func(f *Func)
	visit = func(f *Func) {
		state[f] = open
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				g, ok := v.Aux.(*Func)
				switch {
				case !ok || g == nil || state[g] == closed:
				case state[g] == open:
					x.errorf(v, "a recursive call")
				default:
					visit(g)
				}
			}
		}
		state[f] = closed
	}
	for _, f := range funcs {
		if state[f] == 0 {
			visit(f)
		}
	}
}

package emit

// This file emits functions and blocks.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// funcEmitter emits one function.
type funcEmitter struct {
	*spirv.FunctionBuilder
	e      *emitter
	helper bool

	ids      map[*ir.Value]spirv.ID
	raw      map[*ir.Value]spirv.ID // maps a loaded narrow integer to its id with 8 or 16 bits
	words    map[*ir.Value]bool     // narrow integers that are also used as 32-bit words
	vars     map[*ir.Var]spirv.ID
	labels   map[*ir.Block]spirv.ID
	builtIns [ir.NumBuiltIns]spirv.ID
	ballot   struct { // last emitted ballot instruction
		v  *ir.Value
		id spirv.ID
	}
}

// emitFunction emits the parameters and the body of fn.
func (e *emitter) emitFunction(fn *ir.Func) {
	f := &funcEmitter{
		FunctionBuilder: e.funcs[fn], e: e, helper: fn != e.m.Kernel,
		ids: map[*ir.Value]spirv.ID{}, raw: map[*ir.Value]spirv.ID{}, words: map[*ir.Value]bool{},
		vars: map[*ir.Var]spirv.ID{}, labels: map[*ir.Block]spirv.ID{},
	}
	for _, p := range fn.Params {
		f.ids[p] = f.Param(e.registerType(p.Type))
	}
	for _, b := range fn.Blocks {
		f.labels[b] = e.b.NewID()
	}
	unreached := f.unreachedBlocks(fn)
	u := findUses(fn)
	f.words = u.words
	for i, b := range fn.Blocks {
		f.setOrigin(Origin{Block: b})
		f.Label(f.labels[b])
		if i == 0 {
			f.Tag = 0
			f.loadBuiltIns(u.builtIns)
			for _, v := range u.exprs {
				f.emit(v)
			}
		}
		f.block(b)
	}
	f.Tag = 0
	for _, u := range unreached {
		f.Label(f.labels[u.block])
		if u.header == nil {
			f.Unreachable()
		} else {
			f.Branch(f.labels[u.header])
		}
	}
	for _, b := range fn.Blocks {
		f.phiArgs(b)
	}
}

// unreachedBlock is an unreachable merge block or continue target. For a continue target, the field
// header is the loop header. For a merge block, the field header is nil.
type unreachedBlock struct{ block, header *ir.Block }

// unreachedBlocks returns the merge blocks and continue targets that are no longer in the function.
// Passes have removed them because they are unreachable. SPIR-V requires merge blocks and continue
// targets even if they are unreachable.
func (f *funcEmitter) unreachedBlocks(fn *ir.Func) (list []unreachedBlock) {
	add := func(b, header *ir.Block) {
		if b != nil && f.labels[b] == 0 {
			f.labels[b] = f.e.b.NewID()
			list = append(list, unreachedBlock{b, header})
		}
	}
	for _, b := range fn.Blocks {
		add(b.Continue, b)
		add(b.Merge, nil)
	}
	return list
}

func (f *funcEmitter) block(b *ir.Block) {
	for _, v := range b.Phis {
		f.emit(v)
	}
	for _, v := range b.Insts {
		f.emit(v)
	}
	t := &b.Term
	f.setOrigin(Origin{Block: b, Ends: true})
	f.emitMerge(b)
	switch t.Kind {
	case ir.Jump:
		f.Branch(f.labels[t.Succs[0]])
	case ir.Branch:
		f.BranchConditional(f.valueID(t.Cond), f.labels[t.Succs[0]], f.labels[t.Succs[1]])
	case ir.Return:
		f.Return()
	case ir.Unreachable:
		f.Unreachable()
	default:
		panic("BUG: a block without a terminator")
	}
}

// emitMerge emits the merge instruction of a header block.
func (f *funcEmitter) emitMerge(b *ir.Block) {
	switch {
	case b.Continue != nil:
		control := spirv.LoopControlNone
		switch {
		case b.Cold: // unrolling a rarely executed loop only enlarges the code
			control = spirv.LoopControlDontUnroll
		case b.Unroll:
			control = spirv.LoopControlUnroll
		}
		f.LoopMerge(f.labels[b.Merge], f.labels[b.Continue], control)
	case b.Merge != nil && b.Term.Kind == ir.Branch:
		f.SelectionMerge(f.labels[b.Merge], spirv.SelectionControlNone)
	}
}

func (f *funcEmitter) emit(v *ir.Value) {
	f.setOrigin(Origin{Value: v})
	if t := narrowType(v); t != nil && !v.Op.Has(ir.FlagNarrow) {
		f.e.errorf("%v of %v", v.Op, t)
	}
	var id spirv.ID
	if fn := specialEmitters[v.Op]; fn != nil {
		id = fn(f, v)
	} else if in := &singleInstructions[v.Op]; in.op != 0 || in.glsl != 0 {
		id = f.emitInstruction(in, v)
	} else {
		f.e.errorf("%v is not legal", v.Op)
		if v.Type != ir.TypeVoid {
			id = f.e.b.Undef(f.e.registerType(v.Type))
		}
	}
	if id != 0 {
		f.ids[v] = id
	}
}

// valueID returns the id of a value that dominates the current position.
func (f *funcEmitter) valueID(v *ir.Value) spirv.ID {
	if id, ok := f.ids[v]; ok {
		return id
	}
	if v.IsConstExpr() {
		return f.e.constantID(v)
	}
	panic("BUG: " + v.Op.String() + " is used before it is computed")
}

func (f *funcEmitter) values(vs []*ir.Value) []spirv.ID {
	ids := make([]spirv.ID, len(vs))
	for i, v := range vs {
		ids[i] = f.valueID(v)
	}
	return ids
}

// emitPhi emits a phi without arguments. phiArgs adds the arguments when all blocks are emitted, because arguments may
// come from later blocks.
func emitPhi(f *funcEmitter, v *ir.Value) spirv.ID { return f.Phi(f.e.registerType(v.Type)) }

func (f *funcEmitter) phiArgs(b *ir.Block) {
	for _, v := range b.Phis {
		for i, a := range v.Args {
			f.AddIncoming(f.ids[v], spirv.Incoming{Value: f.valueID(a), Parent: f.labels[b.Preds[i]]})
		}
		if c := b.Continue; c != nil && !slices.Contains(b.Func.Blocks, c) {
			undef := f.e.b.Undef(f.e.registerType(v.Type))
			f.AddIncoming(f.ids[v], spirv.Incoming{Value: undef, Parent: f.labels[c]})
		}
	}
}

func emitCall(f *funcEmitter, v *ir.Value) spirv.ID {
	callee := f.e.funcs[v.Aux.(*ir.Func)]
	f.Op(spirv.OpFunctionCall, f.e.b.TypeVoid(), append([]spirv.ID{callee.ID}, f.values(v.Args)...)...)
	return 0
}

// narrowType returns the first narrow integer type among the types of v and its arguments, or nil.
func narrowType(v *ir.Value) *ir.Type {
	if isNarrow(v.Type) {
		return v.Type
	}
	for _, a := range v.Args {
		if isNarrow(a.Type) {
			return a.Type
		}
	}
	return nil
}

// entryValues lists the values that a function computes at its start.
type entryValues struct {
	builtIns [ir.NumBuiltIns]bool
	words    map[*ir.Value]bool
	exprs    []*ir.Value // constant expressions that SPIR-V does not support; arguments come first
	seen     map[*ir.Value]bool
}

func findUses(fn *ir.Func) *entryValues {
	u := &entryValues{words: map[*ir.Value]bool{}, seen: map[*ir.Value]bool{}}
	for _, b := range fn.Blocks {
		for _, v := range b.Phis {
			u.value(v)
		}
		for _, v := range b.Insts {
			if v.Op == ir.OpBuiltIn {
				u.builtIns[v.Aux.(ir.BuiltIn)] = true
			}
			u.value(v)
		}
		if c := b.Term.Cond; c != nil {
			u.expr(c)
		}
	}
	return u
}

func (u *entryValues) value(v *ir.Value) {
	for i, a := range v.Args {
		u.expr(a)
		if !isNarrow(a.Type) {
			continue
		}
		switch {
		case isConversion(v.Op) && !isNarrow(v.Type):
		case v.Op == ir.OpStore && i == 0 && (v.Ref().Var == nil || v.Ref().Var.Packed()):
		default:
			u.words[a] = true
		}
	}
}

func (u *entryValues) expr(v *ir.Value) {
	if u.seen[v] || !v.IsConstExpr() || isFoldable(v) {
		return
	}
	u.seen[v] = true
	u.value(v)
	u.exprs = append(u.exprs, v)
}

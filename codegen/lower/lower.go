package lower

// This file lowers the kernel's entry, the inlined functions and the blocks of functions.

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/properties"
)

// These limits bound the size of a kernel's code, so that drivers accept it.
const (
	maxInlineDepth = 200
	maxNested      = 40 // largest number of nested calls of one function
	unrollLimit    = 32 // largest number of elements that are copied without a loop
)

// lowerer is the state of lowering one kernel.
type lowerer struct {
	*builder
	*reporter
	budget       codeBudget
	foresight    *foresight
	alternatives altState
	tables       *constTables
	readonly     writeChecker
	specs        specConsts

	fuse       bool               // whether a product and a sum may be fused into one operation
	gx, gy, gz *ir.Value          // global id of the work-item
	accessors  []*ir.Var          // work-group variables of the kernel's local accessors
	heads      map[*ir.Block]bool // head blocks of loops
	prints     *printState        // state of printing; nil if the kernel does not print

	objects map[any]val            // pointers to objects of packages
	endless map[*ssa.Function]bool // functions found to call themselves without end
	opaques int                    // number of opaque values that replace bad values
	quiet   bool                   // suppresses "unsupported variable" diagnostics
}

// A frame is one inlined call of a function.
type frame struct {
	fn        *ssa.Function
	path      *callPath
	args      []val
	bindings  []val
	caller    *frame
	callPos   token.Pos
	vals      map[ssa.Value]val
	blocks    map[*ssa.BasicBlock]*ir.Block
	reached   map[*ssa.BasicBlock]bool // blocks that are reachable when constant conditions are evaluated
	phis      map[*ssa.Phi]*cell
	allocs    map[*ssa.Alloc]*cell
	cur       ssa.Instruction // instruction being lowered
	site      ssa.Instruction // call instruction in the caller
	uses      [32]bool        // whether the use of an aspect has been recorded, indexed by aspect
	ret       *ir.Block
	result    *cell
	single    bool // whether the function has only one return statement, so that its results need no cell
	retVal    val
	defers    []*deferStmt
	converted map[ssa.Value]bool      // floats that the source converts explicitly to their own type
	looks     map[ssa.Value]bytesView // views of conversions []byte(view) that need no copy; the keys are the conversions
	late      map[ssa.Value]*lateAddr
	unrolled  []*unrolledLoop     // loops that are lowered iteration by iteration; inner loops come last
	outs      map[ssa.Value]*cell // variables for values that are defined in an unrolled loop and used after the loop
	as        map[ssa.Value]val   // maps a oneOf operand to the alternative that is being lowered
	begin     int                 // number of instructions in the module before the call
	returns   int                 // number of return statements lowered so far; counted only if sizes of slices may depend on results
	common    []val               // constant results of all lowered return statements; nil for a result with different values
	inner     int                 // number of instructions emitted for the calls inside this call
}

// Lower translates a kernel into an ir module at level Built. Lower reports all errors of the
// kernel except errors that follow from other errors. If there are errors, the module must not be
// used.
func Lower(p *load.Program, k *load.Kernel) (*ir.Module, diag.List) {
	m, diags, _ := LowerRest(p, k, nil)
	return m, diags
}

// LowerRest searches for further errors in a kernel after package check has refused some
// instructions. LowerRest lowers the other instructions. If the kernel has errors, lowering may
// panic because of a bug in kgen. A panic during LowerRest only ends the search for errors. After a
// panic, the module is nil, and the result `stopped` is the value of the panic.
func LowerRest(p *load.Program, k *load.Kernel, refused map[ssa.Instruction]bool) (m *ir.Module, diags diag.List, stopped any) {
	inData := map[*ssa.Global]bool{}
	texts, kept := &textTable{dynamic: map[any]bool{}}, newCarried(initsOf(p, k.Pkg))
	for {
		l := newLowerer(p, k, refused, inData, texts, kept)
		if stopped = l.lowerKernel(); stopped != nil {
			l.m, l.foresight.repeat = nil, false
		}
		if l.budget.tooLarge {
			// Further errors are dropped, since they may be caused by missing code.
			l.m, l.foresight.repeat = nil, false
			l.diags = slices.DeleteFunc(l.diags, func(d *diag.Diagnostic) bool { return d.Code != diag.TooLarge })
		}
		if !l.foresight.repeat {
			l.diags.Sort()
			return l.m, l.diags, stopped
		}
	}
}

// newLowerer returns the state for lowering a kernel. Parameter inData lists the tables that must
// be constant data. Parameter knownTexts contains the strings that must be in the table of texts.
// The parameter `earlier` holds the results of earlier lowerings.
func newLowerer(p *load.Program, k *load.Kernel, refused map[ssa.Instruction]bool, inData map[*ssa.Global]bool, knownTexts *textTable, earlier *carriedState) *lowerer {
	m := ir.NewModule(k.Name)
	m.Form, m.Rank, m.Disabled = k.Form, k.Rank, p.Disabled
	args := slices.Clone(k.Leaves)
	m.ArgSize, m.Spilled = load.Layout(args)
	for _, leaf := range args {
		m.Params = append(m.Params, leaf.Param)
	}
	m.Kernel = m.NewFunc("main")
	w := &builder{prog: p, m: m, f: m.Kernel, b: m.Kernel.Blocks[0], posCache: map[token.Pos]ir.Pos{}}
	r := &reporter{builder: w, k: k, globals: map[*ssa.Global]val{}, refused: refused}
	fs := &foresight{builder: w, carried: earlier, times: map[callPath]int{}, declared: map[*callPath]*cell{}}
	t := &constTables{builder: w, foresight: fs, vars: map[*ir.Var]*ssa.Global{}, inData: inData, texts: knownTexts}
	l := &lowerer{
		builder: w, reporter: r, foresight: fs, tables: t,
		budget:       codeBudget{reporter: r, copies: map[*ssa.Function]copyCounts{}},
		alternatives: altState{builder: w},
		readonly:     writeChecker{reporter: r, tables: t, written: map[any]*ir.Value{}},
		specs:        specConsts{reporter: r},
		objects:      map[any]val{}, heads: map[*ir.Block]bool{}, endless: map[*ssa.Function]bool{},
	}
	l.pos = k.Fn.Pos()
	if wg, ok := k.Properties.Get(properties.KeyWorkGroupSize); ok {
		m.WorkGroup = [3]int{1, 1, 1}
		for i, n := range wg.Dims() {
			m.WorkGroup[len(wg.Dims())-1-i] = n
		}
	}
	mode, _ := k.Properties.Get(properties.KeyFloatMode)
	m.Float = mode.FloatMode()
	l.fuse = m.Float != properties.FloatExact
	if has, ok := k.Properties.Get(properties.KeyDeviceHas); ok {
		m.Target.NoSubGroups = !slices.Contains(has.Aspects(), properties.SubGroups)
	}
	return l
}

// lowerKernel lowers the kernel. If the kernel has errors, lowerKernel recovers from a panic and
// returns the value of the panic.
func (l *lowerer) lowerKernel() (stopped any) {
	defer func() {
		if len(l.diags) > 0 || len(l.refused) > 0 || l.k.Unsound {
			stopped = recover()
		}
	}()
	l.lowerEntry()
	for _, f := range l.ends {
		f()
	}
	l.specs.finishSpecs()
	l.finishVariables()
	l.tables.finishData()
	l.m.Kernel.RemoveUnreachable()
	return nil
}

// lowerEntry lowers the range guard, the receiver and the body of the kernel.
func (l *lowerer) lowerEntry() {
	m := l.m
	for i := range 3 {
		s := &ir.Spec{ID: abi.SpecLocalSizeX + uint32(i), Name: "LocalSize" + "XYZ"[i:i+1], Type: ir.TypeI32, Default: uint64(max(m.WorkGroup[i], 1))}
		m.Specs = append(m.Specs, s)
	}
	zero := m.Int(ir.TypeI32, 0)
	l.gx, l.gy, l.gz = zero, zero, zero
	ids := []**ir.Value{&l.gx, &l.gy, &l.gz}
	for d := range l.k.Rank {
		*ids[d] = l.builtIn(ir.GlobalInvocationIDX + ir.BuiltIn(d))
	}
	if l.k.Form == abi.Range {
		for d := range l.k.Rank {
			body, outside := l.f.NewBlock(), l.f.NewBlock()
			l.b.Branch(l.op(ir.OpULt, ir.TypeBool, *ids[d], l.rangeArg(d)), body, outside)
			outside.SetTerm(ir.Term{Kind: ir.Return})
			l.b = body
		}
	}
	recv := l.rebuildReceiver()
	args := []val{recv}
	for _, p := range l.k.Fn.Params[1:] {
		if isDSL(p.Type(), items...) {
			args = append(args, item{})
		} else {
			args = append(args, badVal{})
		}
	}
	l.inlineCall(l.k.Fn, args, nil, l.k.Fn.Pos())
	l.b.SetTerm(ir.Term{Kind: ir.Return})
	for _, b := range l.f.Blocks {
		if b.Term.Kind == ir.Invalid {
			b.SetTerm(ir.Term{Kind: ir.Unreachable})
		}
		for _, v := range b.Insts {
			m.UsesGroup = m.UsesGroup || v.Op.Has(ir.FlagSync)
		}
	}
}

// FuncName returns a function's name with the last element of its package's path.
func FuncName(f *ssa.Function) string {
	return load.WithoutPaths(f.RelString(nil))
}

// emitCheck emits a fault, and a branch that leads to the fault if ok is false.
func (l *lowerer) emitCheck(ok *ir.Value, kind abi.FaultKind, a, b func() *ir.Value, message string) {
	l.checkBound(ok, kind, a, b, message, false)
}

// checkBound is like emitCheck. If unsigned is set, the first value of the fault is a uint64.
func (l *lowerer) checkBound(ok *ir.Value, kind abi.FaultKind, a, b func() *ir.Value, message string, unsigned bool) {
	if ok.IsConst() && ok.Bits == 1 {
		return
	}
	if ok.IsConst() {
		l.faultBound(kind, a, b, message, unsigned)
		l.startDead()
		return
	}
	cont, fault := l.newBlock(), l.newBlock()
	l.b.Branch(ok, cont, fault)
	l.b.Term.Pos = l.irPos(l.pos)
	l.b = fault
	l.faultBound(kind, a, b, message, unsigned)
	l.b = cont
}

// emitFault emits a fault record and a return from the kernel.
func (l *lowerer) emitFault(kind abi.FaultKind, a, b func() *ir.Value, message string) {
	l.faultBound(kind, a, b, message, false)
}

func (l *lowerer) faultBound(kind abi.FaultKind, a, b func() *ir.Value, message string, unsigned bool) {
	var args []*ir.Value
	for _, f := range []func() *ir.Value{a, b} {
		if f == nil {
			args = append(args, l.m.Int(ir.TypeI64, 0))
		} else {
			args = append(args, f())
		}
	}
	v := l.op(ir.OpFault, ir.TypeVoid, append(args, l.gx, l.gy, l.gz)...)
	v.Aux = l.m.NewSite(kind, l.faultPos(v.Pos), message, unsigned)
	l.b.SetTerm(ir.Term{Kind: ir.Return})
}

// faultPos returns the source position that a fault reports. gc replaces calls of functions of
// package math/bits by instructions, without stack frames. So a fault inside a function of
// math/bits has the position of the call.
func (w *builder) faultPos(at ir.Pos) ir.Pos {
	for f := w.frame; f != nil && f.caller != nil && load.PackageOf(f.fn) == "math/bits"; f = f.caller {
		at = w.irPos(f.callPos)
	}
	return at
}

// inlineCall inlines fn and returns the results of the call. inlineCall returns a val for a single
// result, a tuple for several results, and nil for no result.
func (l *lowerer) inlineCall(fn *ssa.Function, args, bindings []val, at token.Pos) val {
	fn, args = l.simplerCall(fn, args)
	res := fn.Signature.Results()
	fail := func() val { return badVal{} }
	depth, nested := 0, 0
	for f := l.frame; f != nil; f = f.caller {
		if f.fn == fn {
			nested++
		}
		if nested > 0 && l.endless[fn] {
			return fail()
		}
		l.endless[fn] = l.endless[fn] || nested > maxNested
		if nested > maxNested || f.fn == fn && sameFuncs(f.args, args) && sameFuncs(f.bindings, bindings) && sameShapes(f.args, args) &&
			!otherVars(f, f.args, args) && !otherVars(f, f.bindings, bindings) {
			l.addDiag(diag.Recursion, at, "write it as a loop, with an explicit stack of fixed size if it needs one",
				"%s calls itself; a device has no call stack", load.FuncText(fn))
			return fail()
		}
		depth++
	}
	if errs := l.prog.Broken(fn); len(errs) > 0 && fn != l.k.Fn {
		for _, e := range errs {
			d := *e
			d.Related = []diag.Related{{Pos: l.prog.DiagPos(at), Message: "called here from " + load.FuncText(l.frame.fn)}}
			l.addCalls(&d)
			l.diags = append(l.diags, &d)
		}
		return fail()
	}
	if len(fn.Blocks) == 0 {
		l.addDiag(diag.NoBody, at, "write it in Go, or call it on the host and pass the result",
			"%s has no Go body that kgen could compile", load.FuncText(fn))
		return fail()
	}
	if depth > maxInlineDepth {
		l.addDiag(diag.TooLarge, at, "split the kernel", "more than %d calls nest here", maxInlineDepth)
		return fail()
	}
	if l.budget.tooLarge {
		return fail()
	}
	f := &frame{fn: fn, args: args, bindings: bindings, caller: l.frame, callPos: at, begin: l.m.Len(),
		vals: map[ssa.Value]val{}, blocks: map[*ssa.BasicBlock]*ir.Block{},
		reached: map[*ssa.BasicBlock]bool{fn.Blocks[0]: true}, phis: map[*ssa.Phi]*cell{}, allocs: map[*ssa.Alloc]*cell{}}
	f.findConverted()
	for i, p := range fn.Params {
		l.setValue(f, p, args[i])
	}
	for i, p := range fn.FreeVars {
		f.vals[p] = bindings[i]
	}
	if f.caller != nil {
		f.site = f.caller.cur
		f.path = l.foresight.pathOf(f.caller.path, f.site)
	}
	f.path = l.foresight.pathOf(f.path, fn)
	l.frame = f
	l.noteRequired(fn)
	saved := l.pos
	l.lowerBody(f)
	l.budget.countCopy(f)
	l.frame, l.pos = f.caller, saved
	l.b = f.ret
	if f.single {
		return f.retVal
	}
	v := l.loadCell(f.result)
	if t, ok := v.(tuple); ok {
		v = f.constantResults(t)
	}
	return l.unwrap(v, res)
}

// sameFuncs reports whether the argument lists a and b contain the same function values. If the
// function values differ, lowering does not treat a nested call of the same function as a
// recursion. For example, apply(f) may call g, which calls apply(h).
func sameFuncs(a, b []val) bool {
	for i := range a {
		f, ok := funcIn(a[i])
		g, ok2 := funcIn(b[i])
		if ok && ok2 && (f.fn != g.fn || f.builtin != g.builtin) {
			return false
		}
	}
	return true
}

// otherVars compares the arguments of a call f with the arguments of an inner call of the same
// function. otherVars returns true if some argument of the inner call refers to a variable that
// existed before f, but the argument of f refers to another variable. If otherVars returns true,
// the inner call is not an endless recursion, because the number of variables that existed before f
// is limited. For example, a closure of an iterator may call another closure of the same function
// literal.
func otherVars(f *frame, outer, inner []val) bool {
	for i, v := range inner {
		switch v := v.(type) {
		case pointer:
			c, ok := v.ref.(*cell)
			if p, isPointer := outer[i].(pointer); ok && c.home != nil && c.declaredIn(f) == nil && isPointer && p.ref != v.ref {
				return true
			}
		case function:
			if g, ok := outer[i].(function); ok && g.fn == v.fn && otherVars(f, g.bindings, v.bindings) {
				return true
			}
		}
	}
	return false
}

// sameShapes reports whether each value of list a has the same shape as the value of list b at the
// same index. If the shapes differ, lowering does not treat a nested call of the same method as a
// recursion. For example, the inner call's receiver may be a part of the outer call's receiver.
func sameShapes(a, b []val) bool {
	for i := range a {
		if !sameShape(a[i], b[i]) {
			return false
		}
	}
	return true
}

// funcIn returns v if v is a function value. If v is a pointer to a variable, funcIn returns the
// function value in that variable. The free variables of closures are pointers to variables.
func funcIn(v val) (function, bool) {
	if p, ok := v.(pointer); ok {
		if c, ok := p.ref.(*cell); ok {
			v = c.shape
		}
	}
	f, ok := v.(function)
	return f, ok
}

// unwrap returns the results of a function. If the function has only one result, unwrap returns the
// single value instead of a tuple.
func (w *builder) unwrap(v val, res *types.Tuple) val {
	if t, ok := v.(tuple); ok && res.Len() == 1 {
		return t.elems[0]
	}
	return v
}

// lowerBody lowers the blocks of f's function in reverse postorder.
func (l *lowerer) lowerBody(f *frame) {
	f.ret = l.newBlock()
	order := blockOrder(f.fn)
	l.foresight.findUnrolled(f, order)
	returns := 0
	for _, b := range order {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			if returns++; f.unrolledAt(b) != nil {
				returns++ // the return statement is lowered several times, so the results need a cell
			}
		}
	}
	if f.single = returns <= 1; !f.single {
		f.result = l.newCell(f.fn.Signature.Results(), "result")
		l.setKey(f.result, f.fn)
	}
	f.findLate()
	l.armDefers(f, order)
	l.b.Jump(f.block(l, f.fn.Blocks[0]))
	l.lowerBlocks(f, order)
	if f.single && f.retVal == nil { // the function has no reachable return statement
		f.retVal = l.unwrap(l.zeroIn(f.ret, f.fn.Signature.Results()), f.fn.Signature.Results())
	}
}

// lowerBlocks lowers the given blocks, which must be in reverse postorder.
func (l *lowerer) lowerBlocks(f *frame, order []*ssa.BasicBlock) {
	for _, b := range order {
		if !f.reached[b] {
			continue
		}
		if u := f.unrolledAt(b); u != nil {
			if b == u.head {
				l.unrollLoop(f, u, order)
			}
			continue
		}
		l.b = f.block(l, b)
		if loop := naturalLoop(b); loop != nil {
			l.heads[l.b], l.b.Loop = true, l.irPos(loopPos(f.fn, loop))
		}
		for _, in := range b.Instrs {
			l.lowerNext(f, in)
		}
		if l.budget.isTooLarge() {
			break
		}
	}
}

// lowerNext lowers one instruction of frame f.
func (l *lowerer) lowerNext(f *frame, in ssa.Instruction) {
	if p := in.Pos(); p.IsValid() && inSource(f.fn, p) {
		l.pos = p
	}
	if !l.refused[in] {
		l.lowerInstr(in)
	} else if v, ok := in.(ssa.Value); ok {
		f.vals[v] = badVal{}
	}
}

// inSource reports whether position p is in the source of fn. Not all instructions of fn have a
// position in the source of fn. For example, if a function is passed to a variadic parameter, the
// instruction that stores the function has the position of the function's declaration.
func inSource(fn *ssa.Function, p token.Pos) bool {
	n := fn.Syntax()
	return n == nil || n.Pos() <= p && p <= n.End()
}

func (f *frame) block(l *lowerer, b *ssa.BasicBlock) *ir.Block {
	n := f.blocks[b]
	if n == nil {
		n = l.newBlock()
		f.blocks[b] = n
	}
	return n
}

// blockOrder returns the reachable blocks in reverse postorder.
func blockOrder(fn *ssa.Function) []*ssa.BasicBlock {
	seen := make([]bool, len(fn.Blocks))
	var post []*ssa.BasicBlock
	type visit struct {
		b *ssa.BasicBlock
		i int
	}
	stack := []visit{{fn.Blocks[0], 0}}
	seen[0] = true
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		if v.i == len(v.b.Succs) {
			post = append(post, v.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := v.b.Succs[len(v.b.Succs)-1-v.i]
		v.i++
		if !seen[s.Index] {
			seen[s.Index] = true
			stack = append(stack, visit{s, 0})
		}
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// edgeTo returns the IR block that is the target of a jump from the block "from" to the given
// successor. If the successor has phis, the target is a new block that first stores the phis'
// operands.
func (l *lowerer) edgeTo(f *frame, from *ssa.BasicBlock, succ int) *ir.Block {
	to := from.Succs[succ]
	f.reached[to] = true
	target := f.block(l, to)
	if _, ok := to.Instrs[0].(*ssa.Phi); !ok && !f.inRound(from) {
		return target
	}
	pred := -1
	for i, p := range to.Preds {
		// Both edges of a branch may lead to the same block.
		if p == from && (pred < 0 || succ == 1) {
			pred = i
		}
	}
	// The stores of the phis' operands are in a separate block, since the branch's other edge must
	// not execute them.
	save := l.b
	mid := l.newBlock()
	l.b = mid
	l.storeOuts(f, from, to)
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		c, x := f.phis[phi], l.valueOf(phi.Edges[pred])
		if c == nil {
			c = l.phiCell(f, phi, x)
		}
		l.keepsOld(f, phi, phi.Edges[pred], x)
		l.storeCell(c, x)
		c.recordStore(x)
		c.edges, c.edge = c.edges+1, x
	}
	l.b.Jump(target)
	l.b = save
	return mid
}

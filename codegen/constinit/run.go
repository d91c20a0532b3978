package constinit

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// This file runs package initializers with the same results as gc on amd64, up to a limited number of
// steps (instructions). A value is unknown if it depends on an unknown value, or on constructs such as
// maps or functions of the host.

const (
	maxSteps    = 10_000_000   // largest number of instructions that are run for one variable
	maxAllSteps = 4 * maxSteps // largest number for all variables of a package together
)

// asmFuncs lists the functions that gc implements in assembly on some ports. The results of the
// assembly may differ from the results of the Go code in the last bits.
var asmFuncs = map[string]bool{"math.Exp": true, "math.Exp2": true, "math.Log": true, "math.Hypot": true}

// maxCallDepth is the largest depth of nested calls in an initializer.
const maxCallDepth = 100

// initRun is the state of the evaluation of all initializers.
type initRun struct {
	env     *Env
	vars    map[*ssa.Global]*Var
	objects map[any]*Var // maps Object.ID of an object from tree.go to the object's variable
	ran     map[*ssa.Package]bool
	steps   int
	limit   int // largest allowed value of steps
	depth   int
	pkg     *ssa.Package // package whose initializer is running
	evaluationPoint
}

// Unknown represents a value that could not be evaluated. An operation that needs the value ends
// the evaluation by a panic with a value of type Unknown.
type Unknown struct{ Why *Reason }

// Var is a variable, a field of a struct variable, or an element of an array variable.
type Var struct {
	v     any    // value of a variable without fields and elements
	elems []*Var // fields of a struct, or elements of an array
	typ   types.Type
	obj   *Object // object that represents the variable as the target of pointers; nil for a field or element
	owner any     // package-level variable or object that contains this variable
}

// The value of a variable without fields and elements is a bool, int64 (bits of an integer),
// float64, complex128, string, *Var, funcVal, Slice or Iface. A struct, array or tuple value is
// represented by []any. An unknown value is represented by Unknown.
type (
	funcVal struct {
		fn       *ssa.Function
		bindings []any
	}
	Slice struct {
		elems []*Var     // elements of the slice; elems[len(elems):cap(elems)] contains the later elements of the array
		room  *arrayRoom // not nil if append has made the array
	}
	// arrayRoom describes an array that append has made. Field `free` is the number of elements at
	// the array's end that no append has written yet. In compiled code, gc chooses the number of
	// elements of the array.
	arrayRoom struct{ free int }
	Iface     struct {
		typ types.Type
		v   any
	}
	stringIterVal struct {
		s  string
		at *int
	}
)

// runInits evaluates the initializer of a package once.
func (r *initRun) runInits(p *ssa.Package) {
	if r.ran[p] {
		return
	}
	r.ran[p] = true
	init := p.Func("init")
	if init == nil || len(init.Blocks) == 0 {
		return
	}
	// The steps of each package's initializer are counted separately, even if the initializer of
	// one package runs while the initializer of another package is running. Because steps are
	// counted separately, the results do not depend on the package that is evaluated first.
	outer, pkg, steps, limit := r.evaluationPoint, r.pkg, r.steps, r.limit
	defer func() { r.evaluationPoint, r.pkg, r.steps, r.limit = outer, pkg, steps, limit }()
	r.pkg, r.steps = p, 0
	f := &runFrame{r: r, fn: init, vals: map[ssa.Value]any{}}
	for _, b := range init.Blocks {
		always := alwaysRun(init, b)
		for _, in := range b.Instrs {
			r.limit, r.evaluationPoint = min(r.steps+maxSteps, maxAllSteps), evaluationPoint{}
			if isInitCall(in, p) || !always || !f.tryRun(func() { f.recordBegin(in); f.execInstr(in) }) {
				f.giveUp(in, f.reasonFor(in))
			}
		}
	}
}

// alwaysRun reports whether the initialization of a package always executes block b of the
// initializer.
func alwaysRun(init *ssa.Function, b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{b: true, init.Blocks[0]: true}
	work := []*ssa.BasicBlock{init.Blocks[0].Succs[len(init.Blocks[0].Succs)-1]}
	if b == init.Blocks[0] || b == work[0] {
		return true
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[at] {
			continue
		}
		if seen[at] = true; len(at.Succs) == 0 {
			return false // a path to a return avoids b
		}
		work = append(work, at.Succs...)
	}
	return true
}

// isInitCall reports whether an instruction calls the initializer of another package.
func isInitCall(in ssa.Instruction, p *ssa.Package) bool {
	c, ok := in.(*ssa.Call)
	return ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Name() == "init" && c.Call.StaticCallee().Pkg != p
}

// tryRun calls the function do. tryRun returns false if an unknown value ended the call.
func (f *runFrame) tryRun(do func()) (ok bool) {
	depth := f.r.depth
	defer func() {
		if v := recover(); v != nil {
			u, mine := v.(Unknown)
			if !mine {
				panic(v)
			}
			f.r.depth, f.r.stopped, ok = depth, u.Why, false
		}
	}()
	do()
	return true
}

// giveUp handles an instruction that could not be run. giveUp marks as unknown all variables that
// the instruction might have changed.
func (f *runFrame) giveUp(in ssa.Instruction, why *Reason) {
	switch in := in.(type) {
	case *ssa.Store:
		if b, ok := f.valueOrUnknown(RootOf(in.Addr)).(*Var); ok && b != nil {
			b.markUnknown(why)
		}
	case *ssa.Call:
		f.vals[in] = Unknown{why}
		for _, a := range in.Call.Args {
			forgetAll(f.valueOrUnknown(a), why)
		}
		f.forgetMentioned(in, map[*ssa.Function]bool{}, why)
	case ssa.Value:
		f.vals[in] = Unknown{why}
	}
}

// forgetMentioned marks variables as unknown if an instruction or its called functions mention
// them. forgetMentioned also marks the memory that can be reached from the mentioned variables.
// Other variables keep their values, because only functions that are called by name write to
// variables.
func (f *runFrame) forgetMentioned(in ssa.Instruction, seen map[*ssa.Function]bool, why *Reason) {
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		switch x := (*op).(type) {
		case *ssa.Global:
			if x.Pkg == f.fn.Pkg && !f.r.isConstInit(x) {
				b := f.r.globalVar(x)
				forgetAll(b.Load(), why)
				b.markUnknown(why)
			}
		case *ssa.Function:
			if seen[x] {
				continue
			}
			seen[x] = true
			for _, b := range x.Blocks {
				for _, in := range b.Instrs {
					f.forgetMentioned(in, seen, why)
				}
			}
		}
	}
}

// valueOrUnknown returns the value of operand v, or an Unknown if evaluation fails.
func (f *runFrame) valueOrUnknown(v ssa.Value) (x any) {
	x = Unknown{}
	f.tryRun(func() { x = f.operandValue(v) })
	return x
}

func (b *Var) markUnknown(why *Reason) {
	b.v = Unknown{why}
	for _, e := range b.elems {
		e.markUnknown(why)
	}
}

// forgetAll marks all memory that can be reached from a value as unknown.
func forgetAll(v any, why *Reason) {
	through := func(b *Var) {
		held := b.Load()
		b.markUnknown(why)
		forgetAll(held, why)
	}
	switch v := v.(type) {
	case *Var:
		if v != nil && !isUnknown(v.v) {
			through(v)
		}
	case Slice:
		for _, e := range v.elems[:cap(v.elems)] {
			through(e)
		}
	case Iface:
		forgetAll(v.v, why)
	case []any:
		for _, e := range v {
			forgetAll(e, why)
		}
	case funcVal:
		for _, e := range v.bindings {
			forgetAll(e, why)
		}
	}
}

// newVar makes a variable whose value is zero.
func newVar(t types.Type) *Var {
	b := &Var{typ: t}
	if isProperty(t) {
		b.v = Property{}
		return b
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		if u.Len() > MaxTable {
			panic(Unknown{})
		}
		b.elems = make([]*Var, u.Len())
		for i := range b.elems {
			b.elems[i] = newVar(u.Elem())
		}
	case *types.Struct:
		b.elems = make([]*Var, u.NumFields())
		for i := range b.elems {
			b.elems[i] = newVar(u.Field(i).Type())
		}
	default:
		b.v = zeroOf(t)
	}
	return b
}

// Parts returns the fields of a struct variable, or the elements of an array variable. If the
// variable is neither a struct nor an array, Parts returns nil.
func (b *Var) Parts() []*Var { return b.elems }

// Type returns the variable's type.
func (b *Var) Type() types.Type { return b.typ }

// Elems returns the elements of a slice. The returned Go slice has the length and the capacity of
// s.
func (s Slice) Elems() []*Var { return s.elems }

// Room returns an identifier of the slice's array if append made the array. The capacity of an
// array that append made depends on gc. The result `free` is the number of the array's elements
// that no append has written. If append did not make the array, Room returns nil as the identifier.
func (s Slice) Room() (id any, free int) {
	if s.room == nil {
		return nil, 0
	}
	return s.room, s.room.free
}

// Type returns the dynamic type of an interface value. For a nil interface, Type returns nil.
func (i Iface) Type() types.Type { return i.typ }

// Value returns the value in an interface.
func (i Iface) Value() any { return i.v }

// newHeld makes a variable that can be the target of a pointer.
func newHeld(t types.Type) *Var {
	b := newVar(t)
	b.obj = &Object{Type: t}
	b.obj.ID = b.obj
	return b
}

func zeroOf(t types.Type) any {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			return false
		case info&types.IsInteger != 0:
			return int64(0)
		case info&types.IsFloat != 0:
			return float64(0)
		case info&types.IsComplex != 0:
			return complex128(0)
		case info&types.IsString != 0:
			return ""
		}
	case *types.Pointer:
		return (*Var)(nil)
	case *types.Signature:
		return funcVal{}
	case *types.Slice:
		return Slice{}
	case *types.Interface:
		return Iface{}
	case *types.Array, *types.Struct:
		return newVar(t).Load()
	}
	return Unknown{}
}

// Load returns the value of a variable. A scalar value is a bool, an int64 with the bits of an
// integer, a float64, complex128, string, *Var, Slice, Iface or Property. Load returns a struct or
// array as a []any. Load returns a function as a value of an unexported type. Load returns an
// Unknown for an unknown value.
func (b *Var) Load() any {
	if b.elems == nil {
		if _, ok := b.v.([]any); ok || b.v == nil {
			return []any{}
		}
		return b.v
	}
	out := make([]any, len(b.elems))
	for i, e := range b.elems {
		out[i] = e.Load()
	}
	return out
}

func (b *Var) store(v any) {
	vs, ok := v.([]any)
	if !ok {
		if b.elems != nil {
			x, _ := v.(Unknown)
			b.markUnknown(x.Why)
			return
		}
		b.v = v
		return
	}
	for i, e := range b.elems {
		e.store(vs[i])
	}
}

// globalVar returns the Var of a package-level variable.
func (r *initRun) globalVar(g *ssa.Global) *Var {
	if b := r.vars[g]; b != nil {
		return b
	}
	b := newHeld(g.Type().Underlying().(*types.Pointer).Elem())
	b.obj = &Object{ID: g}
	r.vars[g] = b
	if r.isConstInit(g) {
		if !r.fillVar(b, r.env.runConstInit(g.Pkg).treeOf(g)) {
			b.markUnknown(nil)
		}
	} else if !r.ran[g.Pkg] {
		r.runInits(g.Pkg)
	}
	init := g.Pkg.Func("init")
	if r.env.facts.Written(g).IsValid() || init == nil || len(init.Blocks) == 0 { // code may write to the variable after the initialization, or the variable's package is not loaded
		b.markUnknown(nil)
	}
	return b
}

// isConstInit reports whether tree.go can evaluate variable g from constants. For a variable with a
// constant initial value, the evaluation uses the objects of tree.go and runs no code.
func (r *initRun) isConstInit(g *ssa.Global) bool {
	env := r.env.runConstInit(g.Pkg)
	return env != nil && !env.unknownVars[g] && !r.env.facts.Filled(g).IsValid()
}

// fillVar stores the value of a tree in variable b. fillVar returns false if the evaluator in
// run.go cannot represent the value.
func (r *initRun) fillVar(b *Var, tree *Tree) bool {
	if tree == nil {
		return true // a missing tree stands for the value zero
	}
	if b.elems != nil {
		for i, part := range tree.Parts {
			if !r.fillVar(b.elems[i], part) {
				return false
			}
		}
		return true
	}
	v, ok := r.valueOf(tree, b.typ)
	if ok {
		b.v = v
	}
	return ok
}

// valueOf converts a tree to a value of type t.
func (r *initRun) valueOf(tree *Tree, t types.Type) (any, bool) {
	if tree.Dynamic != nil {
		concrete := *tree
		concrete.Dynamic = nil
		b := newVar(tree.Dynamic)
		ok := r.fillVar(b, &concrete)
		return Iface{tree.Dynamic, b.Load()}, ok
	}
	switch {
	case tree.Number != nil && gotypes.IsComplex(t):
		return complex(tree.Number[0], tree.Number[1]), true
	case tree.Number != nil:
		return tree.Number[0], true
	case tree.To != nil:
		if g, ok := tree.To.ID.(*ssa.Global); ok {
			return r.globalVar(g), true
		}
		b := r.objects[tree.To.ID]
		if b == nil {
			b = newVar(tree.To.Type)
			b.obj = tree.To
			r.objects[tree.To.ID] = b
			if !r.fillVar(b, tree.To.Tree) {
				return nil, false
			}
		}
		return b, true
	case tree.Leaf != nil:
		if gotypes.IsFloat(t) {
			x, ok := ExactFloat(tree.Leaf)
			return x, ok
		}
		switch leaf := tree.Leaf.(type) {
		case *ssa.Const:
			return constVal(leaf), true
		case *ssa.Function:
			return funcVal{fn: leaf}, true
		}
		return nil, false
	}
	s, ok := t.Underlying().(*types.Slice)
	if !ok || tree.Length == 0 && !tree.Made {
		return zeroOf(t), len(tree.Parts) == 0
	}
	out := Slice{elems: make([]*Var, tree.Length)}
	for i := range out.elems {
		out.elems[i] = newVar(s.Elem())
		out.elems[i].owner = tree // all copies of the slice share the elements, and the tree is the owner of the elements
		if !r.fillVar(out.elems[i], tree.Parts[i]) {
			return nil, false
		}
	}
	return out, true
}

// computeTree runs the package's initializer to find the value of variable g.
func (e *Env) computeTree(g *ssa.Global) (tree *Tree, ok bool) {
	if tree, ok := e.trees[g]; ok {
		return tree, tree != nil
	}
	e.trees[g] = nil // prevents an endless recursion if the initializer needs the value of g
	f := &runFrame{r: e.run}
	ok = f.tryRun(func() {
		e.run.runInits(g.Pkg)
		tree = e.run.globalVar(g).toTree(g)
	})
	if !ok {
		return nil, false
	}
	e.trees[g] = tree
	return tree, true
}

// runFrame is the state of one running call.
type runFrame struct {
	r    *initRun
	fn   *ssa.Function
	vals map[ssa.Value]any
}

// callFunc runs function fn. Parameter `at` is the position of the call.
func (r *initRun) callFunc(fn *ssa.Function, args, bindings []any, at token.Pos) any {
	name := fn.RelString(nil)
	if asmFuncs[name] {
		panic(Unknown{})
	}
	if native := nativeFuncs[name]; native != nil {
		if slices.ContainsFunc(args, isUnknown) {
			panic(Unknown{})
		}
		return native(args)
	}
	if native := r.env.facts.Native; native != nil && ofProperties(fn) {
		if v, ok := native(fn, args, at); ok {
			return v
		}
		panic(Unknown{whyAny(args)})
	}
	if len(fn.Blocks) == 0 {
		panic(Unknown{})
	}
	if r.depth++; r.depth > maxCallDepth {
		panic(Unknown{&Reason{Pos: r.at.Pos(), Text: fmt.Sprintf("calls are more than %d deep", maxCallDepth)}})
	}
	f := &runFrame{r: r, fn: fn, vals: map[ssa.Value]any{}}
	for i, p := range fn.Params {
		f.vals[p] = args[i]
	}
	for i, p := range fn.FreeVars {
		f.vals[p] = bindings[i]
	}
	res := f.runBlocks()
	r.depth--
	return res
}

func isUnknown(v any) bool { _, ok := v.(Unknown); return ok }

// runBlocks executes the blocks of a function.
func (f *runFrame) runBlocks() any {
	var from *ssa.BasicBlock
	var phis []any // new values of a block's phis, which are all computed before any phi is set
	for b := f.fn.Blocks[0]; ; {
		phis = phis[:0]
		for _, in := range b.Instrs {
			phi, ok := in.(*ssa.Phi)
			if !ok {
				break
			}
			phis = append(phis, f.operandValue(phi.Edges[slices.Index(b.Preds, from)]))
		}
		for i, x := range phis {
			f.vals[b.Instrs[i].(*ssa.Phi)] = x
		}
		for _, in := range b.Instrs[len(phis):] {
			f.recordBegin(in)
			if f.r.steps++; f.r.steps > f.r.limit {
				panic(Unknown{f.r.tooLong()})
			}
			switch in := in.(type) {
			case *ssa.Return:
				switch len(in.Results) {
				case 0:
					return nil
				case 1:
					return f.operandValue(in.Results[0])
				}
				out := make([]any, len(in.Results))
				for i, x := range in.Results {
					out[i] = f.operandValue(x)
				}
				return out
			case *ssa.Jump:
				from, b = b, b.Succs[0]
			case *ssa.If:
				cond, ok := f.operandValue(in.Cond).(bool)
				if !ok {
					panic(Unknown{})
				}
				from = b
				if b = b.Succs[1]; cond {
					b = from.Succs[0]
				}
			default:
				f.execInstr(in)
			}
		}
	}
}

// operandValue returns the value of an operand.
func (f *runFrame) operandValue(v ssa.Value) any {
	switch v := v.(type) {
	case *ssa.Const:
		return constVal(v)
	case *ssa.Global:
		return f.r.globalVar(v)
	case *ssa.Function:
		return funcVal{fn: v}
	}
	x, ok := f.vals[v]
	if !ok {
		panic(Unknown{})
	}
	return x
}

func constVal(c *ssa.Const) any {
	t := c.Type()
	switch {
	case c.Value == nil:
		return zeroOf(t)
	case gotypes.IsBoolean(t):
		return constant.BoolVal(c.Value)
	case gotypes.IsInteger(t) && gotypes.IsUnsigned(t):
		return int64(c.Uint64())
	case gotypes.IsInteger(t):
		return c.Int64()
	case gotypes.IsFloat(t):
		x, _ := constFloat(c)
		return x
	case gotypes.IsComplex(t):
		re, _ := constant.Float64Val(constant.Real(c.Value))
		im, _ := constant.Float64Val(constant.Imag(c.Value))
		return roundComplex(complex(re, im), t)
	case gotypes.IsString(t):
		return constant.StringVal(c.Value)
	}
	panic(Unknown{})
}

// execInstr runs an instruction that does not end its block.
func (f *runFrame) execInstr(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.DebugRef, *ssa.Jump, *ssa.If, *ssa.Return, *ssa.RunDefers:
	case *ssa.Store:
		if g, ok := RootOf(in.Addr).(*ssa.Global); !ok || !f.r.isConstInit(g) {
			f.pointee(in.Addr).store(f.operandValue(in.Val))
		}
	case ssa.Value:
		f.vals[in] = f.evalInstr(in)
	default:
		panic(Unknown{})
	}
}

// pointee returns the variable to which pointer v points.
func (f *runFrame) pointee(v ssa.Value) *Var {
	b, ok := f.operandValue(v).(*Var)
	if !ok || b == nil {
		panic(Unknown{})
	}
	return b
}

func (f *runFrame) int(v ssa.Value) int64 {
	n, ok := f.operandValue(v).(int64)
	if !ok {
		panic(Unknown{})
	}
	return n
}

// indexValue returns the value of index v. If the index is not in the range from 0 to n-1,
// indexValue ends the evaluation.
func (f *runFrame) indexValue(v ssa.Value, n int) int {
	i := f.int(v)
	if i < 0 || i >= int64(n) {
		panic(Unknown{})
	}
	return int(i)
}

// evalInstr computes the value of an instruction.
func (f *runFrame) evalInstr(in ssa.Value) any {
	switch in := in.(type) {
	case *ssa.BinOp:
		return binaryOp(in.Op, f.operandValue(in.X), f.operandValue(in.Y), in.X.Type(), in.Y.Type())
	case *ssa.UnOp:
		if in.Op == token.MUL {
			return f.pointee(in.X).Load()
		}
		return unary(in.Op, f.operandValue(in.X), in.Type())
	case *ssa.Convert:
		return convertVal(f.operandValue(in.X), in.X.Type(), in.Type())
	case *ssa.MultiConvert:
		return convertVal(f.operandValue(in.X), in.X.Type(), in.Type())
	case *ssa.ChangeType:
		return f.operandValue(in.X)
	case *ssa.ChangeInterface:
		return f.operandValue(in.X)
	case *ssa.MakeInterface:
		return Iface{in.X.Type(), f.operandValue(in.X)}
	case *ssa.MakeClosure:
		v := funcVal{fn: in.Fn.(*ssa.Function)}
		for _, b := range in.Bindings {
			v.bindings = append(v.bindings, f.operandValue(b))
		}
		return v
	case *ssa.Alloc:
		return newHeld(in.Type().Underlying().(*types.Pointer).Elem())
	case *ssa.FieldAddr:
		return f.pointee(in.X).elems[in.Field]
	case *ssa.Field:
		return f.aggregateParts(in.X)[in.Field]
	case *ssa.Extract:
		return f.aggregateParts(in.Tuple)[in.Index]
	case *ssa.IndexAddr:
		if s, ok := f.operandValue(in.X).(Slice); ok {
			return s.elems[f.indexValue(in.Index, len(s.elems))]
		}
		elems := f.pointee(in.X).elems
		return elems[f.indexValue(in.Index, len(elems))]
	case *ssa.Index:
		if s, ok := f.operandValue(in.X).(string); ok {
			return int64(s[f.indexValue(in.Index, len(s))])
		}
		vs := f.aggregateParts(in.X)
		return vs[f.indexValue(in.Index, len(vs))]
	case *ssa.Slice:
		return f.evalSlice(in)
	case *ssa.MakeSlice:
		return makeSliceVal(f.int(in.Len), f.int(in.Cap), in.Type())
	case *ssa.Call:
		return f.evalCall(in)
	case *ssa.TypeAssert:
		return f.typeAssert(in)
	case *ssa.Range:
		s, ok := f.operandValue(in.X).(string)
		if !ok {
			panic(Unknown{})
		}
		return stringIterVal{s, new(int)}
	case *ssa.Next:
		return nextOf(f.operandValue(in.Iter))
	}
	panic(Unknown{})
}

func (f *runFrame) aggregateParts(v ssa.Value) []any {
	vs, ok := f.operandValue(v).([]any)
	if !ok {
		panic(Unknown{})
	}
	return vs
}

func (f *runFrame) typeAssert(in *ssa.TypeAssert) any {
	x, ok := f.operandValue(in.X).(Iface)
	if !ok {
		panic(Unknown{})
	}
	match := false
	u, isIface := in.AssertedType.Underlying().(*types.Interface)
	if x.typ != nil && isIface {
		match = types.Implements(x.typ, u)
	} else if x.typ != nil {
		match = types.Identical(x.typ, in.AssertedType)
	}
	var v any = x
	switch {
	case !match && !in.CommaOk:
		panic(Unknown{})
	case !match:
		v = zeroOf(in.AssertedType)
	case !isIface:
		v = x.v
	}
	if in.CommaOk {
		return []any{v, match}
	}
	return v
}

// evalCall evaluates a call instruction.
func (f *runFrame) evalCall(in *ssa.Call) any {
	var args []any
	for _, a := range in.Call.Args {
		args = append(args, f.operandValue(a))
	}
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		return runBuiltin(b.Name(), args, in)
	}
	if in.Call.IsInvoke() {
		x, ok := f.operandValue(in.Call.Value).(Iface)
		if !ok || x.typ == nil {
			panic(Unknown{})
		}
		fn := f.r.env.facts.SSA.LookupMethod(x.typ, in.Call.Method.Pkg(), in.Call.Method.Name())
		if fn == nil {
			panic(Unknown{})
		}
		return f.r.callFunc(fn, append([]any{x.v}, args...), nil, in.Pos())
	}
	fn, ok := f.operandValue(in.Call.Value).(funcVal)
	if !ok || fn.fn == nil {
		panic(Unknown{})
	}
	return f.r.callFunc(fn.fn, args, fn.bindings, in.Pos())
}

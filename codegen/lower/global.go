package lower

// This file lowers uses of package-level variables.

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

// Read-only tables with at most maxVarTable scalars are variables of the module. Larger tables, up
// to constinit.MaxTable scalars, are constant data in device memory.
const (
	maxVarTable = 1 << 8
)

// globalPointer returns a pointer to a package-level variable that the program never changes.
func (l *lowerer) globalPointer(g *ssa.Global) val {
	if v, ok := l.globals[g]; ok {
		return v
	}
	switch t := elemOf(g).Underlying().(type) {
	case *types.Map, *types.Chan: // kernels cannot use such a value, so every use is an error
		if !l.usedWrongly() {
			code, hint := badType(t)
			l.errorf(code, token.NoPos, hint, "kernels cannot read the package-level variable %s of type %v", g.Name(), elemOf(g))
		}
		return badVal{}
	}
	if cur, ok := l.frame.cur.(ssa.Value); ok && g.Pkg.Pkg.Path() == "os" && l.onlyRefused(cur, 0) {
		return badVal{} // all uses are refused by package check, for example os.Stderr as an argument of fmt.Fprintln
	}
	v := l.makeGlobal(g)
	l.globals[g] = v
	return v
}

// elemOf returns the type of a package-level variable.
func elemOf(g *ssa.Global) types.Type { return g.Type().Underlying().(*types.Pointer).Elem() }

// usedWrongly reports whether package check reports an error for every use of the current
// instruction's value.
func (r *reporter) usedWrongly() bool {
	v, ok := r.frame.cur.(ssa.Value)
	return ok && r.onlyRefused(v, maxLooks)
}

// onlyRefused reports whether package check reports an error for every use of value v. A conversion
// of v to an interface counts as an error if every use of the interface is an error.
func (r *reporter) onlyRefused(v ssa.Value, depth int) bool {
	n := 0
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.MakeInterface, *ssa.ChangeInterface:
			if depth < maxLooks && r.onlyRefused(use.(ssa.Value), depth+1) {
				n++
				continue
			}
		}
		if n++; !r.refused[use] {
			return false
		}
	}
	return n > 0
}

// globalValue returns the value of a package-level variable if the value needs no memory, for
// example a scalar or a slice of a table.
func (l *lowerer) globalValue(g *ssa.Global) (val, bool) {
	p, ok := l.globalPointer(g).(pointer)
	if !ok {
		return nil, false
	}
	if t, ok := p.ref.(constRef); ok {
		return t.v, true
	}
	return nil, false
}

// constRef is the target of a pointer to a package-level variable whose value is known while
// lowering.
type constRef struct {
	v  val
	id any // identity of the variable or object; nil if the identity is unknown or field v is only a part of a constant
}

// partRef returns a reference to field or element i of the constant r.
func (r constRef) partRef(i int) constRef {
	out := constRef{v: r.v.(tuple).elems[i]}
	if r.id != nil {
		out.id = partKey{r.id, i}
	}
	return out
}

var bitsErrors = map[string]string{
	"overflowError": "runtime error: integer overflow",
	"divideError":   divideText,
}

const divideText = "runtime error: integer divide by zero"

func (l *lowerer) makeGlobal(g *ssa.Global) val {
	t := g.Type().Underlying().(*types.Pointer).Elem()
	fail := func(code diag.Code, hint, format string, args ...any) val {
		l.errorf(code, token.NoPos, globalHint(t, hint), format, args...)
		return badVal{}
	}
	if g.Pkg.Pkg.Path() == "math/bits" && types.IsInterface(t) {
		// Functions of math/bits panic with the value of g, which is the variable overflowError or
		// divideError.
		return pointer{ref: constRef{v: iface{typ: types.Typ[types.String], v: str{bitsErrors[g.Name()]}}}}
	}
	if at, out := writtenAt(l.prog, l.k.Pkg, g); !isSpecPointer(t) && out {
		hint := "export the variable, so that launches check that it is as it was"
		if h := globalHint(t, ""); h == "" {
			hint += "; or pass it as a field of the kernel"
		}
		l.errorf(diag.GlobalVar, token.NoPos, hint,
			"the package-level variable %s is given away at %v: %s, so that other code may write there; kernels can read only variables that nothing writes once their package is initialized",
			g.Name(), l.prog.DiagPos(at), l.prog.Fate(g).OutBy)
		return badVal{}
	} else if at.IsValid() && !isSpecPointer(t) {
		return fail(diag.GlobalVar, "pass it as a field of the kernel",
			"the package-level variable %s is written at %v; kernels can read only variables that are not once their package is initialized",
			g.Name(), l.prog.DiagPos(at))
	}
	if isSpecPointer(t) {
		if c, ok := l.specGlobal(g); ok {
			return pointer{ref: constRef{v: c}}
		}
		return badVal{}
	}
	tree, ok := l.foresight.carried.inits.Tree(g)
	if !ok {
		return fail(diag.GlobalVar, "initialise it with constants or by functions of numbers, slices and structs; or pass it as a field of the kernel",
			"the value of the package-level variable %s is not known when the kernel is generated%s", g.Name(), l.foresight.unknownFor(g))
	}
	if s, ok := t.Underlying().(*types.Slice); ok {
		return l.globalSlice(g, s, tree, fail)
	}
	switch l.classify(t) {
	case classScalar, classStruct:
		if v, ok := l.constTree(tree, t); ok {
			return pointer{ref: constRef{v, g}}
		}
	case classArray:
		if !l.isFlat(t) {
			if v, ok := l.constTree(tree, t); ok {
				return pointer{ref: constRef{v, g}}
			}
			break
		}
		if m, ok := l.tableMem(g, g.Name(), tree, t); ok {
			return pointer{ref: m}
		}
	case classShape:
		if gotypes.IsString(t) {
			if c, ok := tree.Leaf.(*ssa.Const); ok {
				return pointer{ref: constRef{v: l.constant(c)}}
			}
			return pointer{ref: constRef{v: str{}}}
		}
		if f, ok := tree.Leaf.(*ssa.Function); ok {
			return pointer{ref: constRef{v: function{fn: f}}}
		}
		if _, isPointer := t.Underlying().(*types.Pointer); isPointer || types.IsInterface(t) {
			if v, ok := l.constTree(tree, t); ok {
				return pointer{ref: constRef{v: v}}
			}
		}
	}
	return fail(diag.GlobalVar, "pass it as a field of the kernel", "kernels cannot read the package-level variable %s of type %v", g.Name(), t)
}

// globalHint returns the hint for a variable of type t that kernels cannot read. If the type has no
// hint of its own, globalHint returns the parameter `hint`.
func globalHint(t types.Type, hint string) string {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if types.Implements(t, errorType) {
			return errorHint
		}
		return "initialise it with values that are no pointers, and never write it; or use a switch over what it may be"
	case *types.Signature:
		return "initialise it with a function, and never write it; or call each function in its own branch"
	case *types.Array:
		return globalHint(u.Elem(), hint)
	case *types.Slice:
		return globalHint(u.Elem(), hint)
	}
	return hint
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// errorHint is the hint for values of type error. The hint explains how kernels can report errors
// without values of type error.
const errorHint = "return a bool, or a number that says what is wrong; panic(\"text\") reports a fault"

func (l *lowerer) globalSlice(g *ssa.Global, s *types.Slice, tree *constinit.Tree, fail func(diag.Code, string, string, ...any) val) val {
	n := int64(tree.Length)
	if n == 0 && !tree.Made && tree.Leaf == nil {
		return pointer{ref: constRef{v: l.zeroValue(s)}}
	}
	if tree.Leaf == nil && !l.isFlat(s.Elem()) {
		if v, ok := l.constTree(tree, types.NewArray(s.Elem(), n)); ok {
			p := constParts(v.(tuple).elems, l.foresight.backingArray(tree))
			p.global = g
			return pointer{ref: constRef{v: p}}
		}
	}
	if tree.Leaf != nil || !l.isFlat(s.Elem()) {
		return fail(diag.GlobalVar, "pass it as a field of the kernel", "kernels cannot read the package-level variable %s of type %v", g.Name(), s)
	}
	// An empty slice that is not nil also needs a table, since a slice without a table is nil.
	m, ok := l.tableMem(g, g.Name(), tree, types.NewArray(s.Elem(), max(n, 1)))
	if !ok {
		return fail(diag.TooLarge, "pass it as a field of the kernel", "the table %s is too large or not constant", g.Name())
	}
	return pointer{ref: constRef{v: l.tableSlice(m, s, n)}}
}

// tableMem returns the memory of a read-only variable that holds the constants of a Tree.
func (l *lowerer) tableMem(g *ssa.Global, name string, tree *constinit.Tree, t types.Type) (mem, bool) {
	if !l.isFlat(t) {
		return mem{}, false
	}
	var init []*ir.Value
	if !l.flatten(tree, t, &init) {
		return mem{}, false
	}
	if len(init) > maxVarTable || l.tables.inData[g] {
		return l.tables.dataTable(init, t), true
	}
	v := l.m.NewVar(nil, ir.Private, name, l.memType(t, false))
	v.Init = init
	l.tables.vars[v] = g
	return mem{v: v}, true
}

func (l *lowerer) flatten(tree *constinit.Tree, t types.Type, out *[]*ir.Value) bool {
	if len(*out) > constinit.MaxTable {
		return false
	}
	sub := func(i int) *constinit.Tree {
		if tree == nil {
			return nil
		}
		return tree.Parts[i]
	}
	if tree != nil && tree.Number != nil {
		*out = append(*out, l.numberOf(tree, t)...)
		return true
	}
	if tree != nil && tree.Leaf != nil {
		if x, ok := constinit.ExactFloat(tree.Leaf); ok {
			*out = append(*out, l.float(regType(t), x))
			return true
		}
		c, ok := tree.Leaf.(*ssa.Const)
		if !ok {
			return false
		}
		if c.Value == nil { // the zero value of an aggregate
			tree = nil
		} else {
			vs := scalarsOf(l.constant(c))
			*out = append(*out, vs...)
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		for i := range int(u.Len()) {
			if !l.flatten(sub(i), u.Elem(), out) {
				return false
			}
		}
		return true
	case *types.Struct:
		for i := range u.NumFields() {
			if !l.flatten(sub(i), u.Field(i).Type(), out) {
				return false
			}
		}
		return true
	}
	*out = append(*out, scalarsOf(l.zeroValue(t))...)
	return true
}

// constTree converts tree to a value of type t.
func (l *lowerer) constTree(tree *constinit.Tree, t types.Type) (val, bool) {
	if types.IsInterface(t) && tree != nil && tree.Dynamic != nil {
		concrete := *tree
		concrete.Dynamic = nil
		v, ok := l.constTree(&concrete, tree.Dynamic)
		return iface{typ: tree.Dynamic, v: v}, ok
	}
	if tree != nil && tree.To != nil {
		return l.objectPointer(tree.To)
	}
	if tree != nil && tree.Number != nil {
		parts := l.numberOf(tree, t)
		if gotypes.IsComplex(t) {
			return tuple{[]val{parts[0], parts[1]}}, true
		}
		return parts[0], true
	}
	if tree != nil && tree.Leaf != nil {
		if x, ok := constinit.ExactFloat(tree.Leaf); ok {
			return l.float(regType(t), x), true
		}
		switch leaf := tree.Leaf.(type) {
		case *ssa.Const:
			return l.constant(leaf), true
		case *ssa.Function:
			return function{fn: leaf}, true
		}
		return nil, false
	}
	if a, ok := t.Underlying().(*types.Array); ok && !l.isFlat(t) {
		out := tuple{}
		for i := range int(a.Len()) {
			var part *constinit.Tree
			if tree != nil {
				part = tree.Parts[i]
			}
			v, ok := l.constTree(part, a.Elem())
			if !ok || i > maxVarTable {
				return nil, false
			}
			out.elems = append(out.elems, v)
		}
		return out, true
	}
	if l.classify(t) == classArray {
		m, ok := l.tableMem(nil, "table", tree, t)
		return array{m}, ok
	}
	if l.classify(t) == classStruct && !gotypes.IsComplex(t) {
		out := tuple{}
		for i, f := range gotypes.Fields(t) {
			var part *constinit.Tree
			if tree != nil {
				part = tree.Parts[i]
			}
			v, ok := l.constTree(part, f)
			if !ok {
				return nil, false
			}
			out.elems = append(out.elems, v)
		}
		return out, true
	}
	if s, ok := t.Underlying().(*types.Slice); ok && tree != nil && (tree.Length > 0 || tree.Made) {
		return l.rowSlice(tree, s)
	}
	if tree != nil && (tree.Length > 0 || len(tree.Parts) > 0) {
		return nil, false
	}
	return l.zeroValue(t), true
}

// rowSlice returns a slice value that is an element of a table.
func (l *lowerer) rowSlice(tree *constinit.Tree, s *types.Slice) (val, bool) {
	if !l.isFlat(s.Elem()) {
		v, ok := l.constTree(tree, types.NewArray(s.Elem(), int64(tree.Length)))
		if !ok {
			return nil, false
		}
		return constParts(v.(tuple).elems, l.foresight.backingArray(tree)), true
	}
	m, ok := l.tableMem(nil, "row", tree, types.NewArray(s.Elem(), int64(max(tree.Length, 1))))
	return l.tableSlice(m, s, int64(tree.Length)), ok
}

// backingArray returns the identity of the array to which a constant slice refers. backingArray
// returns nil if the array is unknown.
func (fs *foresight) backingArray(tree *constinit.Tree) any {
	if tree.Array == nil {
		return nil
	}
	fs.carried.objects[tree.Array.ID] = tree.Array
	return tree.Array.ID
}

// tableSlice returns a slice with all n elements of the table in memory m.
func (w *builder) tableSlice(m mem, s *types.Slice, n int64) slice {
	length := w.m.Int(ir.TypeI64, n)
	if m.device() {
		return slice{at: mem{addr: m.addr, elem: w.memType(s.Elem(), true)}, len: length, cap: length}
	}
	return slice{at: m, off: w.m.Int(ir.TypeI64, 0), len: length, cap: length}
}

// stringTable returns a table with the bytes of a string.
func (w *builder) stringTable(s string) mem {
	bytes := make([]int64, len(s))
	for i := range bytes {
		bytes[i] = int64(s[i])
	}
	return w.numberTable("string "+s, bytes)
}

// numberTable returns a table of 32-bit integers. Tables with different contents must have
// different names.
func (w *builder) numberTable(name string, ns []int64) mem {
	for _, v := range w.m.Vars {
		if v.Storage == ir.Private && v.Name == name {
			return mem{v: v}
		}
	}
	v := w.m.NewVar(nil, ir.Private, name, w.m.ArrayOf(ir.TypeI32, w.m.Int(ir.TypeI32, int64(len(ns)))))
	for _, n := range ns {
		v.Init = append(v.Init, w.m.Int(ir.TypeI32, n))
	}
	return mem{v: v}
}

// scalarTable returns a table of constants of type t. The table's name is derived from its
// contents.
func (w *builder) scalarTable(t *ir.Type, vs []*ir.Value) mem {
	var b strings.Builder
	fmt.Fprintf(&b, "%v", t)
	for _, v := range vs {
		fmt.Fprintf(&b, " %#x", v.Bits)
	}
	for _, v := range w.m.Vars {
		if v.Storage == ir.Private && v.Name == b.String() {
			return mem{v: v}
		}
	}
	v := w.m.NewVar(nil, ir.Private, b.String(), w.m.ArrayOf(t, w.m.Int(ir.TypeI32, int64(len(vs)))))
	v.Init = vs
	return mem{v: v}
}

// initsOf returns the initial values of the package-level variables that kernels of package pkg may
// read. All kernels of a package share the result, since evaluating the initializers again for each
// kernel would take long.
func initsOf(p *load.Program, pkg *load.Package) *constinit.Env {
	return pkg.Inits(func() *constinit.Env {
		return constinit.New(constinit.Facts{
			SSA: p.SSA,
			Written: func(g *ssa.Global) token.Pos {
				at, _ := writtenAt(p, pkg, g)
				return at
			},
			Filled: func(g *ssa.Global) token.Pos { return p.Fate(g).Filled },
		})
	})
}

// writtenAt returns the position where the program writes to a package-level variable, or to memory
// that the variable points to. writtenAt returns token.NoPos if there is no write. Code that makes
// the variable available to unknown code also counts as a write, unless launches check the variable
// for changes. The result isPassed is true if the code at the returned position writes nothing, and
// only makes the variable available to unknown code.
func writtenAt(p *load.Program, pkg *load.Package, g *ssa.Global) (at token.Pos, isPassed bool) {
	f := p.Fate(g)
	if f.Written.IsValid() || launchWatches(p, pkg, g) || p.IsStd(g.Pkg.Pkg.Path()) {
		return f.Written, false
	}
	return f.Out, f.Out.IsValid()
}

// numberOf returns the scalars of a float or complex number that package initialization computed.
func (w *builder) numberOf(tree *constinit.Tree, t types.Type) []*ir.Value {
	if gotypes.IsComplex(t) {
		part := regType(gotypes.Fields(t)[0])
		return []*ir.Value{w.float(part, tree.Number[0]), w.float(part, tree.Number[1])}
	}
	return []*ir.Value{w.float(regType(t), tree.Number[0])}
}

// objectPointer returns a pointer to object o, which package initialization allocated.
func (l *lowerer) objectPointer(o *constinit.Object) (val, bool) {
	if g, ok := o.ID.(*ssa.Global); ok {
		return l.globalPointer(g), true
	}
	l.foresight.carried.objects[o.ID] = o
	if p, ok := l.objects[o.ID]; ok {
		return p, p != nil
	}
	l.objects[o.ID] = nil // stops the recursion for an object that points to itself
	v, ok := l.constTree(o.Tree, o.Type)
	delete(l.objects, o.ID)
	if !ok {
		return nil, false
	}
	p := pointer{ref: constRef{v, o.ID}}
	if a, ok := v.(array); ok {
		p.ref = a.at
	}
	l.objects[o.ID] = p
	return p, true
}

// unknownFor returns the end of a diagnostic's text, which explains why a variable's value is
// unknown. The text begins with a colon, or is empty.
func (fs *foresight) unknownFor(g *ssa.Global) string {
	w := fs.carried.inits.Why(g)
	if w == nil {
		return ""
	}
	return ": " + w.Describe(func(p token.Pos) string { return fs.prog.DiagPos(p).String() })
}

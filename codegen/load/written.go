package load

// This file finds the writes to package-level variables.

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// Fate describes the writes to a package-level variable, and to memory that can be reached from the
// variable. Writes of the package's initializer are ignored. Written is the position of a write, or
// token.NoPos. Out is the position of an operation through which code outside of the loaded
// packages can access the memory, or token.NoPos. For example, a caller of an exported function may
// get a pointer to the memory.
type Fate struct {
	Written, Out token.Pos
	// Stored is the position of a write that is not an append, or token.NoPos. An append writes after
	// the end of a slice, to elements that the variable's slice does not contain.
	Stored token.Pos
	// OutBy describes the operation at position Out. For example, "the exported method Hit returns
	// a Hit, whose field M may hold *Mesh".
	OutBy string
	// Filled is the position of a write in a function that runs only while the variable's package
	// is initialized.
	Filled token.Pos
}

// fateCache computes and caches the Fate of each package-level variable.
type fateCache struct {
	mu sync.Mutex
	of map[*ssa.Global]Fate
	in []*usageIndex
	// The map "held" caches, for each interface value, a description of the values that it may
	// hold.
	held map[ssa.Value]heldValues
}

// usageIndex is an index of the uses of package-level variables and functions in some packages from
// source. go/ssa does not provide an index of uses.
type usageIndex struct {
	once     sync.Once
	packages []*ssa.Package
	partial  map[*ssa.Package]bool // packages from which code was removed
	uses     map[ssa.Value][]ssa.Instruction
	invokes  map[string][]ssa.CallInstruction // maps the name of a method to its calls through interfaces
	methods  map[string][]*ssa.Function
	fields   map[fieldKey][]*ssa.FieldAddr // maps a field with an interface type to its addresses
	asserts  []*ssa.TypeAssert             // type assertions on values of type error
	finds    []*ssa.Call                   // calls of errors.As and errors.AsType
	// initialTypes lists the types of values that package initializers convert to interfaces.
	// boxedTypes contains the types of values that any code converts to interfaces. boxesAny is set
	// if a generic method converts a value of a type parameter to an interface. If boxesAny is set,
	// an interface may hold a value of any type, because not all instances of generic methods are
	// known.
	initialTypes []types.Type
	boxedTypes   typeutil.Map
	boxesAny     bool
}

func newFates(in ...*usageIndex) *fateCache {
	return &fateCache{of: map[*ssa.Global]Fate{}, in: in, held: map[ssa.Value]heldValues{}}
}

// usageOf returns the index of uses for the packages in sources. The index is computed at its first
// use. Packages with removed code are marked as partial.
func usageOf(sources []*sourcePackage, repaired map[*ast.File]bool) *usageIndex {
	u := &usageIndex{partial: map[*ssa.Package]bool{}}
	for _, s := range sources {
		if s.ssa != nil {
			u.packages = append(u.packages, s.ssa)
			u.partial[s.ssa] = slices.ContainsFunc(s.files, func(f *ast.File) bool { return repaired[f] })
		}
	}
	return u
}

// Fate returns the Fate of package-level variable g, based on the loaded packages.
func (p *Program) Fate(g *ssa.Global) Fate {
	p.fates.mu.Lock()
	defer p.fates.mu.Unlock()
	f, ok := p.fates.of[g]
	if !ok {
		f = p.fates.findFate(p.SSA, g)
		p.fates.of[g] = f
	}
	return f
}

// IsStd reports whether the package with the given path belongs to the standard library. The
// standard library does not write to memory after it has made the memory available to other
// packages.
func (p *Program) IsStd(path string) bool { return p.listed[path] != nil && p.listed[path].std }

// buildIndex computes the index of all uses.
func (f *usageIndex) buildIndex() {
	f.uses, f.invokes, f.methods = map[ssa.Value][]ssa.Instruction{}, map[string][]ssa.CallInstruction{}, map[string][]*ssa.Function{}
	f.fields = map[fieldKey][]*ssa.FieldAddr{}
	f.findInitialTypes()
	seen := map[*ssa.Function]bool{}
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if fn == nil || seen[fn] {
			return
		}
		seen[fn] = true
		var ops [8]*ssa.Value
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if _, ok := in.(*ssa.DebugRef); ok {
					continue
				}
				if c, ok := in.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
					name := c.Common().Method.Name()
					f.invokes[name] = append(f.invokes[name], c)
				}
				if m, ok := in.(*ssa.MakeInterface); ok {
					f.boxedTypes.Set(m.X.Type(), true)
				}
				f.boxesAny = f.boxesAny || boxesParam(in) && methodOf(fn)
				if a, ok := in.(*ssa.FieldAddr); ok && types.IsInterface(a.Type().Underlying().(*types.Pointer).Elem()) {
					if of, ok := fieldOf(a); ok {
						f.fields[of] = append(f.fields[of], a)
					}
				}
				if a, ok := in.(*ssa.TypeAssert); ok && gotypes.IsError(a.X.Type()) && PackageOf(fn) != "errors" {
					f.asserts = append(f.asserts, a)
				} else if c, ok := in.(*ssa.Call); ok && isErrorsAs(c) {
					f.finds = append(f.finds, c)
				}
				for _, op := range in.Operands(ops[:0]) {
					switch x := (*op).(type) {
					case *ssa.Global:
						f.uses[x] = append(f.uses[x], in)
					case *ssa.Function:
						f.uses[x] = append(f.uses[x], in)
						add(x) // fn is an instance, a wrapper or a function literal
					}
				}
			}
		}
		for _, a := range fn.AnonFuncs {
			add(a)
		}
	}
	for _, pkg := range f.packages {
		for _, m := range pkg.Members {
			switch m := m.(type) {
			case *ssa.Function:
				add(m)
			case *ssa.Type:
				n, ok := types.Unalias(m.Type()).(*types.Named)
				if !ok || n.Obj().Pkg() != pkg.Pkg {
					continue
				}
				for obj := range n.Methods() {
					if fn := pkg.Prog.FuncValue(obj); fn != nil {
						add(fn)
						f.methods[obj.Name()] = append(f.methods[obj.Name()], fn)
					}
				}
			}
		}
	}
}

// boxesParam reports whether an instruction converts a value of a type parameter to an interface.
func boxesParam(in ssa.Instruction) bool {
	var x ssa.Value
	switch in := in.(type) {
	case *ssa.MakeInterface:
		x = in.X
	case *ssa.ChangeInterface:
		x = in.X
	case *ssa.ChangeType:
		x = in.X
	default:
		return false
	}
	_, from := types.Unalias(x.Type()).(*types.TypeParam)
	_, to := types.Unalias(in.(ssa.Value).Type()).(*types.TypeParam)
	return from && !to
}

// methodOf reports whether function fn is a method, or a function literal in a method.
func methodOf(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn.Signature.Recv() != nil
}

// findInitialTypes collects the types of values that package initializers convert to interfaces.
func (f *usageIndex) findInitialTypes() {
	seen := map[*ssa.Function]bool{}
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if fn == nil || seen[fn] {
			return
		}
		seen[fn] = true
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.MakeInterface:
					t := in.X.Type()
					if !slices.ContainsFunc(f.initialTypes, func(u types.Type) bool { return types.Identical(t, u) }) {
						f.initialTypes = append(f.initialTypes, t)
					}
				case *ssa.Call:
					add(in.Call.StaticCallee())
				}
			}
		}
	}
	for _, pkg := range f.packages {
		add(pkg.Func("init"))
	}
}

// A valueFlow is a value from which the memory of the followed variable can be reached. At depth 0,
// the value contains a pointer or slice that refers to the memory. At depth n, the program needs n
// loads to reach a pointer or slice that refers to the memory.
type valueFlow struct {
	v     ssa.Value
	depth int
}

// maxDepth is the largest depth of a valueFlow.
const maxDepth = 8

// A follower finds all values and instructions through which a variable's memory is accessed.
type follower struct {
	prog   *ssa.Program
	in     []*usageIndex
	g      *ssa.Global
	held   map[ssa.Value]heldValues
	seen   map[valueFlow]bool
	work   []valueFlow
	types  []types.Type  // types of values in interfaces; the memory may be reached through such values
	boxed  []types.Type  // types of values that visited code converts to interfaces
	errors []thrownValue // followed values that the program converts to error
	known  typeutil.Map  // maps a type to the result of leadText
	at     ssa.Value     // value that is being followed
	found  Fate
	near   bool // whether the position found.Out is in the package of the variable
}

func (f *fateCache) findFate(prog *ssa.Program, g *ssa.Global) Fate {
	w := &follower{prog: prog, in: f.in, g: g, held: f.held, seen: map[valueFlow]bool{}}
	for _, u := range f.in {
		u.once.Do(u.buildIndex)
		w.types = append(w.types, u.initialTypes...)
	}
	w.followValue(g, 0)
	for len(w.work) > 0 {
		at := w.work[len(w.work)-1]
		w.work, w.at = w.work[:len(w.work)-1], at.v
		for _, in := range w.referrers(at.v) {
			w.followUse(at, in)
		}
	}
	return w.found
}

// usesOf returns the instructions that have a package-level variable or a function as an operand.
func (w *follower) usesOf(v ssa.Value) (all []ssa.Instruction) {
	for _, u := range w.in {
		all = append(all, u.uses[v]...)
	}
	return all
}

func (w *follower) referrers(v ssa.Value) []ssa.Instruction {
	switch v.(type) {
	case *ssa.Global, *ssa.Function:
		return w.usesOf(v)
	}
	if rs := v.Referrers(); rs != nil {
		return *rs
	}
	return nil
}

// followValue queues value v to be followed, unless no memory can be reached from v.
func (w *follower) followValue(v ssa.Value, depth int) {
	if v == nil || w.leadText(v.Type()) == "" {
		return
	}
	if at := (valueFlow{v, depth}); !w.seen[at] {
		w.seen[at] = true
		w.work = append(w.work, at)
	}
}

// posOf returns the position of an instruction. An instruction of a wrapper has no position, so
// posOf returns the position of the function or of the variable.
func (w *follower) posOf(in ssa.Instruction) token.Pos {
	return cmp.Or(in.Pos(), in.Parent().Pos(), w.g.Pos())
}

// keepEarlier sets *pos to the position `at`, unless *pos is a valid position before `at`.
func keepEarlier(pos *token.Pos, at token.Pos) {
	if !pos.IsValid() || at < *pos {
		*pos = at
	}
}

// recordWrite records that an instruction writes to the followed memory.
func (w *follower) recordWrite(in ssa.Instruction) {
	at := w.posOf(in)
	if w.runsInitially(in.Parent(), nil) {
		keepEarlier(&w.found.Filled, at)
		return
	}
	keepEarlier(&w.found.Written, at)
	if c, ok := in.(ssa.CallInstruction); ok {
		if b, ok := c.Common().Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return
		}
	}
	keepEarlier(&w.found.Stored, at)
}

// recordEscape records that an instruction makes the followed memory available to unknown code. If
// there are several such instructions, recordEscape prefers one in the variable's package, because
// users understand its position best.
func (w *follower) recordEscape(in ssa.Instruction) {
	near := in.Parent().Pkg == w.g.Pkg
	if at := w.posOf(in); !w.found.Out.IsValid() || near && !w.near || near == w.near && at < w.found.Out {
		w.found.Out, w.near, w.found.OutBy = at, near, w.outBy(in)
	}
}

// recordHeld records that an interface holds a value of type t that leads to the followed memory.
// If no held value of type t was recorded before, the search starts again from the variable.
func (w *follower) recordHeld(t types.Type) {
	is := func(u types.Type) bool { return types.Identical(t, u) }
	if leadsToMemory(t) && !slices.ContainsFunc(w.boxed, is) {
		w.boxed = append(w.boxed, t)
		if !slices.ContainsFunc(w.types, is) {
			w.types = append(w.types, t)
		}
		clear(w.seen)
		w.errors = nil
		w.followValue(w.g, 0)
	}
}

// followUse follows a value into an instruction that uses the value.
func (w *follower) followUse(at valueFlow, in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Store:
		w.followStore(at, in)
	case *ssa.UnOp:
		if in.Op == token.MUL {
			w.followValue(in, max(at.depth-1, 0))
		} else if in.Op == token.ARROW {
			w.recordEscape(in)
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.Phi, *ssa.ChangeType, *ssa.SliceToArrayPointer:
		w.followValue(in.(ssa.Value), at.depth)
	case *ssa.MakeInterface, *ssa.TypeAssert:
		w.followValue(in.(ssa.Value), at.depth)
		if m, ok := in.(*ssa.MakeInterface); ok {
			w.recordHeld(m.X.Type())
			if gotypes.IsError(m.Type()) {
				w.followThrown(at, m.X.Type(), in)
			}
		} else if a := in.(*ssa.TypeAssert); gotypes.IsError(a.AssertedType) {
			w.throwHeld(at, in)
		}
	case *ssa.ChangeInterface:
		w.followValue(in, at.depth)
		if gotypes.IsError(in.Type()) {
			w.throwHeld(at, in)
		}
	case *ssa.Field, *ssa.Index, *ssa.Extract, *ssa.Lookup, *ssa.Range, *ssa.Next:
		w.followValue(in.(ssa.Value), at.depth)
	case *ssa.Convert, *ssa.MultiConvert:
		if v := in.(ssa.Value); leadsToMemory(v.Type()) {
			w.followValue(v, at.depth)
		} else if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Uintptr {
			w.recordEscape(in)
		}
	case *ssa.MakeClosure:
		fn := in.Fn.(*ssa.Function)
		for i, b := range in.Bindings {
			if b == at.v {
				w.followValue(fn.FreeVars[i], at.depth)
			}
		}
	case *ssa.Return:
		w.followReturn(at, in)
	case *ssa.MapUpdate, *ssa.Send, *ssa.Select:
		w.recordEscape(in)
	case ssa.CallInstruction:
		w.followCall(at, in)
	}
}

// followStore follows a store of the value, or a store to memory that can be reached from the
// value.
func (w *follower) followStore(at valueFlow, in *ssa.Store) {
	if in.Addr == at.v && at.depth == 0 && !w.isInitialStore(in) {
		w.recordWrite(in)
	}
	if in.Val != at.v {
		return
	}
	root := constinit.RootOf(in.Addr)
	switch root.(type) {
	case *ssa.Alloc, *ssa.Global:
		if at.depth < maxDepth {
			w.followValue(root, at.depth+1)
			if g, ok := root.(*ssa.Global); ok && token.IsExported(g.Name()) && g != w.g {
				w.recordEscape(in)
			}
			return
		}
	}
	w.recordEscape(in)
}

// isInitialStore reports whether a store sets the initial value of the followed variable.
func (w *follower) isInitialStore(in *ssa.Store) bool {
	fn := in.Parent()
	if fn.Synthetic == "" || fn.Name() != "init" {
		return false
	}
	for v := in.Addr; ; {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		default:
			return v == ssa.Value(w.g)
		}
	}
}

// runsInitially reports whether function fn runs only while the variable's package is initialized.
// runsInitially returns true if fn is an init function of the package. runsInitially also returns
// true if all uses of fn are calls, and the calling functions run only during initialization.
func (w *follower) runsInitially(fn *ssa.Function, up []*ssa.Function) bool {
	if fn.Pkg != w.g.Pkg || slices.Contains(up, fn) {
		return fn.Pkg == w.g.Pkg
	}
	if fn.Synthetic != "" && fn.Parent() == nil {
		return fn.Name() == "init"
	}
	if isInit(fn) {
		return true
	}
	obj := objectOf(fn)
	if fn.Parent() == nil && (obj == nil || obj.Exported() || fn.Origin() != nil || fn.Name() == "main") {
		return false
	}
	if len(w.invokesOf(fn)) > 0 {
		return false
	}
	up = append(up, fn)
	uses := w.usesOf(fn)
	for _, in := range uses {
		if c, ok := in.(*ssa.MakeClosure); ok {
			for _, r := range *c.Referrers() {
				if !w.callsInitially(c, r, up) {
					return false
				}
			}
		} else if !w.callsInitially(fn, in, up) {
			return false
		}
	}
	return len(uses) > 0
}

// isInit reports whether fn is an init function that the source declares.
func isInit(fn *ssa.Function) bool {
	return fn.Parent() == nil && fn.Signature.Recv() == nil && strings.HasPrefix(fn.Name(), "init#")
}

// callsInitially reports whether an instruction is a call of function fn that runs only while the
// variable's package is initialized.
func (w *follower) callsInitially(fn ssa.Value, in ssa.Instruction, up []*ssa.Function) bool {
	if _, ok := in.(*ssa.DebugRef); ok {
		return true
	}
	c, ok := in.(*ssa.Call)
	return ok && c.Call.Value == fn && !slices.Contains(c.Call.Args, fn) && w.runsInitially(in.Parent(), up)
}

// followReturn follows a returned value to the calls of the returning function.
func (w *follower) followReturn(at valueFlow, in *ssa.Return) {
	fn := in.Parent()
	if obj := objectOf(fn); fn.Parent() == nil && obj != nil && token.IsExported(obj.Name()) {
		w.recordEscape(in)
	}
	for _, use := range w.usesOf(fn) {
		w.followResults(fn, use, at.depth, in)
	}
	for _, c := range w.invokesOf(fn) {
		if v := c.Value(); v != nil {
			w.followValue(v, at.depth)
		}
	}
}

// followResults follows the results of function fn at an instruction that has fn as an operand.
func (w *follower) followResults(fn ssa.Value, use ssa.Instruction, depth int, at ssa.Instruction) {
	switch use := use.(type) {
	case ssa.CallInstruction:
		if use.Common().Value == fn {
			if v := use.Value(); v != nil {
				w.followValue(v, depth)
			}
			return
		}
	case *ssa.MakeClosure:
		for _, r := range *use.Referrers() {
			w.followResults(use, r, depth, at)
		}
		return
	case *ssa.DebugRef:
		return
	}
	w.recordEscape(at)
}

// followCall follows a value into a call. The followed value is an argument or the called function.
func (w *follower) followCall(at valueFlow, in ssa.CallInstruction) {
	c := in.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		w.followBuiltin(at, in, b.Name())
		return
	}
	if c.IsInvoke() {
		w.followInvoke(at, in)
		return
	}
	if fn := c.StaticCallee(); fn != nil {
		w.enterBody(at, in, fn, c.Args)
	} else if c.Value != at.v {
		w.recordEscape(in)
	}
}

// enterBody follows a value into the body of function fn, which a call may execute. Parameter args
// contains the values of fn's parameters.
func (w *follower) enterBody(at valueFlow, in ssa.CallInstruction, fn *ssa.Function, args []ssa.Value) {
	for i, a := range args {
		switch {
		case a != at.v:
		case len(fn.Blocks) > 0:
			w.followValue(fn.Params[i], at.depth)
		case onlyReads(fn, i):
			if v := in.Value(); v != nil {
				w.followValue(v, at.depth)
			}
			w.followFormatted(at, in, fn)
		case PackageOf(fn) == "sync/atomic":
			w.recordWrite(in)
		default:
			w.recordEscape(in)
		}
	}
}

// followInvoke follows a value into a call through an interface.
func (w *follower) followInvoke(at valueFlow, in ssa.CallInstruction) {
	c := in.Common()
	args := slices.Concat([]ssa.Value{c.Value}, c.Args)
	to := w.heldBy(c.Value)
	if !to.anyValue {
		for _, t := range to.types {
			w.enterMethod(at, in, t, args)
		}
		if to.anyHash && c.Method.Name() != "Write" && slices.Contains(c.Args, at.v) {
			w.recordEscape(in)
		}
		return
	}
	if c.Value == at.v { // the memory is reached through the interface itself, not only through an argument
		iface := c.Value.Type().Underlying().(*types.Interface)
		for _, t := range w.types {
			if types.Implements(t, iface) {
				w.enterMethod(at, in, t, args[:1])
			}
		}
	}
	if !slices.Contains(c.Args, at.v) {
		return
	}
	for _, u := range w.in {
		for _, fn := range u.methods[c.Method.Name()] {
			if len(fn.Params) == len(args) && mayCall(in, fn) {
				w.enterBody(at, in, fn, slices.Concat([]ssa.Value{nil}, c.Args))
			}
		}
	}
	if c.Method.Exported() {
		w.recordEscape(in)
	}
}

// enterMethod follows a value into a call through an interface. enterMethod assumes that the
// interface holds a value of type t, and enters the method of type t.
func (w *follower) enterMethod(at valueFlow, in ssa.CallInstruction, t types.Type, args []ssa.Value) {
	m := in.Common().Method
	sel := w.prog.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
	if sel == nil {
		return // type t does not implement the interface to which the value is asserted
	}
	if fn := w.prog.MethodValue(sel); fn != nil {
		w.enterBody(at, in, fn, args)
	} else if slices.Contains(args, at.v) {
		w.recordEscape(in)
	}
}

// invokesOf returns the calls through interfaces that may call function fn.
func (w *follower) invokesOf(fn *ssa.Function) (all []ssa.CallInstruction) {
	if fn.Signature.Recv() == nil {
		return nil
	}
	for _, u := range w.in {
		for _, c := range u.invokes[fn.Name()] {
			if mayCall(c, fn) {
				all = append(all, c)
			}
		}
	}
	return all
}

// mayCall reports whether a call through an interface may call fn, a method of the same name. In
// generic code mayCall returns true, because the types are not known.
func mayCall(in ssa.CallInstruction, fn *ssa.Function) bool {
	return fn.TypeParams().Len() > 0 || in.Parent().TypeParams().Len() > 0 ||
		types.Identical(in.Common().Method.Type(), fn.Signature)
}

func (w *follower) followBuiltin(at valueFlow, in ssa.CallInstruction, name string) {
	args := in.Common().Args
	switch {
	case at.depth == 0 && (name == "clear" || name == "copy" && args[0] == at.v || name == "append" && args[0] == at.v):
		w.recordWrite(in)
	case name == "append": // at depth 0, the copied elements may lead to the memory
		if s, ok := in.Value().Type().Underlying().(*types.Slice); ok && w.leadText(s.Elem()) != "" {
			w.followValue(in.Value(), max(at.depth, 1))
		}
	case name == "copy" && args[1] == at.v:
		if s, ok := args[1].Type().Underlying().(*types.Slice); ok && w.leadText(s.Elem()) != "" {
			w.recordEscape(in)
		}
	case name == "clear", name == "copy":
	case name == "len", name == "cap", name == "print", name == "println", name == "panic":
	default:
		if v := in.Value(); v != nil { // the result of ssa:wrapnilchk or unsafe.Slice
			w.followValue(v, at.depth)
		}
	}
}

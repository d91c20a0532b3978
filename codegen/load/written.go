package load

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

// Fate is what becomes of the memory of a package-level variable, and of what it leads
// to, after its package's initializer: where something writes it, and where it is let
// out to what may, or token.NoPos. Out counts for what may be anywhere, such as the
// callers of an exported function.
type Fate struct {
	Written, Out token.Pos
	// Stored is Written without calls of append, which write after the end of a slice: elements
	// that the variable itself does not have.
	Stored token.Pos
	// OutBy says what is done at Out: "the exported method Hit returns a Hit, whose field M
	// may hold *Mesh".
	OutBy string
	// Filled is where functions write it that run only while its package is initialized.
	Filled token.Pos
}

// fates finds them.
type fates struct {
	mu sync.Mutex
	of map[*ssa.Global]Fate
	in []*usage
	// held is what interfaces may hold, as far as that was asked for.
	held map[ssa.Value]held
}

// usage is what packages that come from source do with package-level variables and
// functions, of which go/ssa does not keep it.
type usage struct {
	once     sync.Once
	packages []*ssa.Package
	partial  map[*ssa.Package]bool // packages that code was taken out of
	uses     map[ssa.Value][]ssa.Instruction
	invokes  map[string][]ssa.CallInstruction // by the method's name
	methods  map[string][]*ssa.Function
	fields   map[field][]*ssa.FieldAddr // those that interfaces lie in
	asserts  []*ssa.TypeAssert          // of errors
	finds    []*ssa.Call                // of errors, too
	// first are the types of what interfaces hold that initializers make, and boxed those
	// of what any code puts into interfaces. The instances of methods of generic types are not
	// all known: where one puts a value of a type parameter there, it may be of any type.
	first    []types.Type
	boxed    typeutil.Map
	boxesAny bool
}

func newFates(in ...*usage) *fates {
	return &fates{of: map[*ssa.Global]Fate{}, in: in, held: map[ssa.Value]held{}}
}

// usageOf returns the usage of sources, which it looks at when that is asked for. What was
// taken out of some files is not known.
func usageOf(sources []*source, repaired map[*ast.File]bool) *usage {
	u := &usage{partial: map[*ssa.Package]bool{}}
	for _, s := range sources {
		if s.ssa != nil {
			u.packages = append(u.packages, s.ssa)
			u.partial[s.ssa] = slices.ContainsFunc(s.files, func(f *ast.File) bool { return repaired[f] })
		}
	}
	return u
}

// Fate returns the fate of a package-level variable, as far as the loaded packages tell.
func (p *Program) Fate(g *ssa.Global) Fate {
	p.fates.mu.Lock()
	defer p.fates.mu.Unlock()
	f, ok := p.fates.of[g]
	if !ok {
		f = p.fates.find(p.SSA, g)
		p.fates.of[g] = f
	}
	return f
}

// IsStd reports whether a package is of the standard library, which does not write to
// what it lets out.
func (p *Program) IsStd(path string) bool { return p.listed[path] != nil && p.listed[path].std }

// index notes what uses package-level variables and functions.
func (f *usage) index() {
	f.uses, f.invokes, f.methods = map[ssa.Value][]ssa.Instruction{}, map[string][]ssa.CallInstruction{}, map[string][]*ssa.Function{}
	f.fields = map[field][]*ssa.FieldAddr{}
	f.initial()
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
					f.boxed.Set(m.X.Type(), true)
				}
				f.boxesAny = f.boxesAny || boxesParam(in) && methodOf(fn)
				if a, ok := in.(*ssa.FieldAddr); ok && types.IsInterface(a.Type().Underlying().(*types.Pointer).Elem()) {
					if of, ok := fieldOf(a); ok {
						f.fields[of] = append(f.fields[of], a)
					}
				}
				if a, ok := in.(*ssa.TypeAssert); ok && gotypes.IsError(a.X.Type()) && PackageOf(fn) != "errors" {
					f.asserts = append(f.asserts, a)
				} else if c, ok := in.(*ssa.Call); ok && finds(c) {
					f.finds = append(f.finds, c)
				}
				for _, op := range in.Operands(ops[:0]) {
					switch x := (*op).(type) {
					case *ssa.Global:
						f.uses[x] = append(f.uses[x], in)
					case *ssa.Function:
						f.uses[x] = append(f.uses[x], in)
						add(x) // an instance, a wrapper or a literal
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

// boxesParam reports whether an instruction puts a value of a type parameter into an interface.
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

// methodOf reports whether a function is a method, or a literal in one.
func methodOf(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn.Signature.Recv() != nil
}

// initial notes the types of what interfaces hold that initializers make.
func (f *usage) initial() {
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
					if !slices.ContainsFunc(f.first, func(u types.Type) bool { return types.Identical(t, u) }) {
						f.first = append(f.first, t)
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

// flow is a value by which memory that matters is reached: a pointer, a slice or what
// holds one. Above a depth of 0 it leads, by as many loads, to such a value.
type flow struct {
	v     ssa.Value
	depth int
}

// maxDepth bounds how deep what leads to memory is looked for.
const maxDepth = 8

// follower follows a variable's memory to what is done with it.
type follower struct {
	prog   *ssa.Program
	in     []*usage
	g      *ssa.Global
	held   map[ssa.Value]held
	seen   map[flow]bool
	work   []flow
	types  []types.Type // of what interfaces may hold by which the memory is reached
	boxed  []types.Type // those of them that what was followed was put into interfaces with
	errors []thrown     // what became errors
	known  typeutil.Map // what lead says of types
	at     ssa.Value    // what is followed at the moment
	found  Fate
	near   bool // whether found.Out lies in the variable's package
}

func (f *fates) find(prog *ssa.Program, g *ssa.Global) Fate {
	w := &follower{prog: prog, in: f.in, g: g, held: f.held, seen: map[flow]bool{}}
	for _, u := range f.in {
		u.once.Do(u.index)
		w.types = append(w.types, u.first...)
	}
	w.add(g, 0)
	for len(w.work) > 0 {
		at := w.work[len(w.work)-1]
		w.work, w.at = w.work[:len(w.work)-1], at.v
		for _, in := range w.referrers(at.v) {
			w.use(at, in)
		}
	}
	return w.found
}

// uses returns the instructions that have a package-level variable or a function as an
// operand.
func (w *follower) uses(v ssa.Value) (all []ssa.Instruction) {
	for _, u := range w.in {
		all = append(all, u.uses[v]...)
	}
	return all
}

func (w *follower) referrers(v ssa.Value) []ssa.Instruction {
	switch v.(type) {
	case *ssa.Global, *ssa.Function:
		return w.uses(v)
	}
	if rs := v.Referrers(); rs != nil {
		return *rs
	}
	return nil
}

// add follows v, unless it cannot lead to memory.
func (w *follower) add(v ssa.Value, depth int) {
	if v == nil || w.lead(v.Type()) == "" {
		return
	}
	if at := (flow{v, depth}); !w.seen[at] {
		w.seen[at] = true
		w.work = append(w.work, at)
	}
}

// where returns the position of an instruction, or of what it is for: wrappers have none.
func (w *follower) where(in ssa.Instruction) token.Pos {
	return cmp.Or(in.Pos(), in.Parent().Pos(), w.g.Pos())
}

// earlier moves a position to at if that comes first.
func earlier(pos *token.Pos, at token.Pos) {
	if !pos.IsValid() || at < *pos {
		*pos = at
	}
}

// wrote notes a write by an instruction.
func (w *follower) wrote(in ssa.Instruction) {
	at := w.where(in)
	if w.initially(in.Parent(), nil) {
		earlier(&w.found.Filled, at)
		return
	}
	earlier(&w.found.Written, at)
	if c, ok := in.(ssa.CallInstruction); ok {
		if b, ok := c.Common().Value.(*ssa.Builtin); ok && b.Name() == "append" {
			return
		}
	}
	earlier(&w.found.Stored, at)
}

// out notes that an instruction lets it out. Those of the variable's package say most.
func (w *follower) out(in ssa.Instruction) {
	near := in.Parent().Pkg == w.g.Pkg
	if at := w.where(in); !w.found.Out.IsValid() || near && !w.near || near == w.near && at < w.found.Out {
		w.found.Out, w.near, w.found.OutBy = at, near, w.outBy(in)
	}
}

// made notes that an interface holds a value of type t, and follows the variable once more
// if that is news.
func (w *follower) made(t types.Type) {
	is := func(u types.Type) bool { return types.Identical(t, u) }
	if leads(t) && !slices.ContainsFunc(w.boxed, is) {
		w.boxed = append(w.boxed, t)
		if !slices.ContainsFunc(w.types, is) {
			w.types = append(w.types, t)
		}
		clear(w.seen)
		w.errors = nil
		w.add(w.g, 0)
	}
}

// use follows what an instruction does with a value.
func (w *follower) use(at flow, in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Store:
		w.store(at, in)
	case *ssa.UnOp:
		if in.Op == token.MUL {
			w.add(in, max(at.depth-1, 0))
		} else if in.Op == token.ARROW {
			w.out(in)
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.Phi, *ssa.ChangeType, *ssa.SliceToArrayPointer:
		w.add(in.(ssa.Value), at.depth)
	case *ssa.MakeInterface, *ssa.TypeAssert:
		w.add(in.(ssa.Value), at.depth)
		if m, ok := in.(*ssa.MakeInterface); ok {
			w.made(m.X.Type())
			if gotypes.IsError(m.Type()) {
				w.throw(at, m.X.Type(), in)
			}
		} else if a := in.(*ssa.TypeAssert); gotypes.IsError(a.AssertedType) {
			w.throwHeld(at, in)
		}
	case *ssa.ChangeInterface:
		w.add(in, at.depth)
		if gotypes.IsError(in.Type()) {
			w.throwHeld(at, in)
		}
	case *ssa.Field, *ssa.Index, *ssa.Extract, *ssa.Lookup, *ssa.Range, *ssa.Next:
		w.add(in.(ssa.Value), at.depth)
	case *ssa.Convert, *ssa.MultiConvert:
		if v := in.(ssa.Value); leads(v.Type()) {
			w.add(v, at.depth)
		} else if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Uintptr {
			w.out(in)
		}
	case *ssa.MakeClosure:
		fn := in.Fn.(*ssa.Function)
		for i, b := range in.Bindings {
			if b == at.v {
				w.add(fn.FreeVars[i], at.depth)
			}
		}
	case *ssa.Return:
		w.returns(at, in)
	case *ssa.MapUpdate, *ssa.Send, *ssa.Select:
		w.out(in)
	case ssa.CallInstruction:
		w.call(at, in)
	}
}

// store follows a store to what a value leads to, or of the value.
func (w *follower) store(at flow, in *ssa.Store) {
	if in.Addr == at.v && at.depth == 0 && !w.initial(in) {
		w.wrote(in)
	}
	if in.Val != at.v {
		return
	}
	root := constinit.RootOf(in.Addr)
	switch root.(type) {
	case *ssa.Alloc, *ssa.Global:
		if at.depth < maxDepth {
			w.add(root, at.depth+1)
			if g, ok := root.(*ssa.Global); ok && token.IsExported(g.Name()) && g != w.g {
				w.out(in)
			}
			return
		}
	}
	w.out(in)
}

// initial reports whether a store gives the variable the value that it has at first.
func (w *follower) initial(in *ssa.Store) bool {
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

// initially reports whether a function runs only while the variable's package is
// initialized: an init of the package, or what only those call, and nothing else has.
func (w *follower) initially(fn *ssa.Function, up []*ssa.Function) bool {
	if fn.Pkg != w.g.Pkg || slices.Contains(up, fn) {
		return fn.Pkg == w.g.Pkg
	}
	if fn.Synthetic != "" && fn.Parent() == nil {
		return fn.Name() == "init"
	}
	if isInit(fn) {
		return true
	}
	obj := object(fn)
	if fn.Parent() == nil && (obj == nil || obj.Exported() || fn.Origin() != nil || fn.Name() == "main") {
		return false
	}
	if len(w.invokes(fn)) > 0 {
		return false
	}
	up = append(up, fn)
	uses := w.uses(fn)
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

// isInit reports whether a function is an init that a package declares.
func isInit(fn *ssa.Function) bool {
	return fn.Parent() == nil && fn.Signature.Recv() == nil && strings.HasPrefix(fn.Name(), "init#")
}

// callsInitially reports whether an instruction does nothing with a function but call it,
// while the variable's package is initialized.
func (w *follower) callsInitially(fn ssa.Value, in ssa.Instruction, up []*ssa.Function) bool {
	if _, ok := in.(*ssa.DebugRef); ok {
		return true
	}
	c, ok := in.(*ssa.Call)
	return ok && c.Call.Value == fn && !slices.Contains(c.Call.Args, fn) && w.initially(in.Parent(), up)
}

// returns follows a result to the calls of the function.
func (w *follower) returns(at flow, in *ssa.Return) {
	fn := in.Parent()
	if obj := object(fn); fn.Parent() == nil && obj != nil && token.IsExported(obj.Name()) {
		w.out(in)
	}
	for _, use := range w.uses(fn) {
		w.results(fn, use, at.depth, in)
	}
	for _, c := range w.invokes(fn) {
		if v := c.Value(); v != nil {
			w.add(v, at.depth)
		}
	}
}

// results follows the results of a function where an instruction has it as an operand.
func (w *follower) results(fn ssa.Value, use ssa.Instruction, depth int, at ssa.Instruction) {
	switch use := use.(type) {
	case ssa.CallInstruction:
		if use.Common().Value == fn {
			if v := use.Value(); v != nil {
				w.add(v, depth)
			}
			return
		}
	case *ssa.MakeClosure:
		for _, r := range *use.Referrers() {
			w.results(use, r, depth, at)
		}
		return
	case *ssa.DebugRef:
		return
	}
	w.out(at)
}

// call follows a value into a call.
func (w *follower) call(at flow, in ssa.CallInstruction) {
	c := in.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		w.builtin(at, in, b.Name())
		return
	}
	if c.IsInvoke() {
		w.invoke(at, in)
		return
	}
	if fn := c.StaticCallee(); fn != nil {
		w.enter(at, in, fn, c.Args)
	} else if c.Value != at.v {
		w.out(in)
	}
}

// enter follows a value into a function that a call may call, with its parameters' values.
func (w *follower) enter(at flow, in ssa.CallInstruction, fn *ssa.Function, args []ssa.Value) {
	for i, a := range args {
		switch {
		case a != at.v:
		case len(fn.Blocks) > 0:
			w.add(fn.Params[i], at.depth)
		case onlyReads(fn, i):
			if v := in.Value(); v != nil {
				w.add(v, at.depth)
			}
			w.formatted(at, in, fn)
		case PackageOf(fn) == "sync/atomic":
			w.wrote(in)
		default:
			w.out(in)
		}
	}
}

// invoke follows a value into a call by an interface.
func (w *follower) invoke(at flow, in ssa.CallInstruction) {
	c := in.Common()
	args := slices.Concat([]ssa.Value{c.Value}, c.Args)
	to := w.holds(c.Value)
	if !to.unknown {
		for _, t := range to.types {
			w.enterMethod(at, in, t, args)
		}
		if to.hashes && c.Method.Name() != "Write" && slices.Contains(c.Args, at.v) {
			w.out(in)
		}
		return
	}
	if c.Value == at.v { // what it holds has been there from the first, or is followed on its own
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
				w.enter(at, in, fn, slices.Concat([]ssa.Value{nil}, c.Args))
			}
		}
	}
	if c.Method.Exported() {
		w.out(in)
	}
}

// enterMethod follows a value into the method that a call by an interface calls if that
// holds a t.
func (w *follower) enterMethod(at flow, in ssa.CallInstruction, t types.Type, args []ssa.Value) {
	m := in.Common().Method
	sel := w.prog.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
	if sel == nil {
		return // the interface is asserted to be another one, which t does not implement
	}
	if fn := w.prog.MethodValue(sel); fn != nil {
		w.enter(at, in, fn, args)
	} else if slices.Contains(args, at.v) {
		w.out(in)
	}
}

// invokes returns the calls by interfaces that may call a function.
func (w *follower) invokes(fn *ssa.Function) (all []ssa.CallInstruction) {
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

// mayCall reports whether a call by an interface may call a method of the same name. What
// types are in generic code is not known.
func mayCall(in ssa.CallInstruction, fn *ssa.Function) bool {
	return fn.TypeParams().Len() > 0 || in.Parent().TypeParams().Len() > 0 ||
		types.Identical(in.Common().Method.Type(), fn.Signature)
}

func (w *follower) builtin(at flow, in ssa.CallInstruction, name string) {
	args := in.Common().Args
	switch {
	case at.depth == 0 && (name == "clear" || name == "copy" && args[0] == at.v || name == "append" && args[0] == at.v):
		w.wrote(in)
	case name == "append": // at a depth of 0, what is copied may lead to the memory
		if s, ok := in.Value().Type().Underlying().(*types.Slice); ok && w.lead(s.Elem()) != "" {
			w.add(in.Value(), max(at.depth, 1))
		}
	case name == "copy" && args[1] == at.v:
		if s, ok := args[1].Type().Underlying().(*types.Slice); ok && w.lead(s.Elem()) != "" {
			w.out(in)
		}
	case name == "clear", name == "copy":
	case name == "len", name == "cap", name == "print", name == "println", name == "panic":
	default:
		if v := in.Value(); v != nil { // ssa:wrapnilchk, unsafe.Slice
			w.add(v, at.depth)
		}
	}
}

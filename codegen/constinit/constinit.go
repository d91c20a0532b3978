// Package constinit evaluates package initializers while code is generated. The package computes
// the value that a package-level variable has after the variable's package is initialized. The
// input is the SSA form of the program ([Facts]). An [Env] returns the value of a variable as a
// [Tree] or a [Var].
//
// The package contains two evaluators. The first evaluator (tree.go) reads the stores of an
// initializer if the stored values consist of constants. The second evaluator (run.go) runs the
// initializer's SSA form with a limited number of steps. The second evaluator can compute tables
// that functions fill. The values that the evaluators compute are the same as with gc on amd64. A
// value that depends on a map, the environment, a goroutine or a similar construct is unknown.
// Env.Why returns the reason why a value is unknown.
package constinit

import (
	"go/token"
	"sync"

	"golang.org/x/tools/go/ssa"
)

// MaxTable is the largest number of elements of a slice, array or string that is evaluated.
const MaxTable = 1 << 22

// Facts holds information about the whole program. The evaluation of initializers needs this
// information.
type Facts struct {
	SSA *ssa.Program
	// Written returns the position of code that may write to variable g, or to memory that can be
	// reached from g. If there is no such code, Written returns token.NoPos. Writes during the
	// initialization of g's package are ignored.
	Written func(g *ssa.Global) token.Pos
	// Filled returns the position of a write to variable g. The write must be in a function that
	// runs only during the initialization of g's package. If there is no such write, Filled returns
	// token.NoPos.
	Filled func(g *ssa.Global) token.Pos
	// Native evaluates a call of a function of package properties. The arguments args have the same
	// representation as results of Var.Load. Native is nil if calls of package properties are not
	// evaluated.
	Native func(fn *ssa.Function, args []any, at token.Pos) (result any, ok bool)
}

// Env evaluates the package initializers of one program. Each initializer is evaluated at most
// once. Several goroutines may call the methods of an Env at the same time. The results of the
// methods do not depend on the order of calls.
type Env struct {
	mu    sync.Mutex
	facts Facts
	inits map[*ssa.Package]*constState // maps a package to the state after its initializer; nil for a package without code
	trees map[*ssa.Global]*Tree        // maps a variable to the value that run.go computed; nil if the value is unknown
	run   *initRun
}

// New returns an Env that has not evaluated any initializer.
func New(facts Facts) *Env {
	e := &Env{facts: facts, inits: map[*ssa.Package]*constState{}, trees: map[*ssa.Global]*Tree{}}
	e.run = &initRun{env: e, vars: map[*ssa.Global]*Var{}, objects: map[any]*Var{}, ran: map[*ssa.Package]bool{}}
	return e
}

// Tree returns the value of a variable after the initialization of the variable's package, or false
// if the value is unknown. The caller must check that no code writes to the variable after the
// initialization.
func (e *Env) Tree(g *ssa.Global) (*Tree, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.treeValue(g)
}

func (e *Env) treeValue(g *ssa.Global) (*Tree, bool) {
	init := e.runConstInit(g.Pkg)
	if init == nil {
		return nil, false
	}
	if init.unknownVars[g] || e.facts.Filled(g).IsValid() {
		return e.computeTree(g)
	}
	return init.treeOf(g), true
}

// Var returns variable g with the value after the initialization of g's package. Var returns nil if
// the value is unknown. Some fields or elements of the value may still be Unknown.
func (e *Env) Var(g *ssa.Global) (v *Var) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := &runFrame{r: e.run}
	f.tryRun(func() {
		e.run.runInits(g.Pkg)
		v = e.run.globalVar(g)
	})
	return v
}

// Why returns the reason why a variable's value is unknown, or nil if there is no specific reason.
// A call of Var or Tree for the same variable must precede the call of Why.
func (e *Env) Why(g *ssa.Global) *Reason {
	e.mu.Lock()
	defer e.mu.Unlock()
	v := e.run.vars[g]
	if v == nil {
		return nil
	}
	return v.unknownFor()
}

// RootOf returns the variable that contains the field or element at address v.
func RootOf(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		default:
			return v
		}
	}
}

// StoredCall returns the call whose result an initializer stores in g, and the value of the call's
// first argument. The value of the argument may depend on earlier stores of the initializer. If the
// initializer does not store the result of a static call in g, the result `call` is nil. If the
// argument's value is unknown, the result `known` is false.
func StoredCall(init *ssa.Function, g *ssa.Global) (call *ssa.Call, arg *Tree, known bool) {
	if init == nil {
		return nil, nil, false
	}
	in := &constState{trees: map[ssa.Value]*Tree{}, loadedValues: map[*ssa.UnOp]*Tree{}}
	for _, b := range init.Blocks {
		for _, instr := range b.Instrs {
			if ld, ok := instr.(*ssa.UnOp); ok && ld.Op == token.MUL {
				in.recordLoad(ld)
			}
			st, ok := instr.(*ssa.Store)
			if !ok {
				continue
			}
			if st.Addr == ssa.Value(g) {
				c, ok := st.Val.(*ssa.Call)
				if !ok || c.Call.StaticCallee() == nil {
					return nil, nil, false
				}
				arg = &Tree{}
				return c, arg, len(c.Call.Args) > 0 && in.storeTree(arg, c.Call.Args[0])
			}
			if at := in.treeAt(st.Addr); at != nil && !in.storeTree(at, st.Val) {
				at.Leaf = st.Val
			}
		}
	}
	return nil, nil, false
}

// Package constinit evaluates, while code is generated, the initializers of packages: it
// computes the value that a package-level variable has once its package is initialized.
//
// Two evaluators share the work. The first one (tree.go) follows the stores of an initializer
// whose values are made of constants. The second one (run.go) runs the initializer's SSA form, with
// a bound on its steps, for tables that functions fill. Both compute as gc does on amd64. A value
// that depends on anything else (a map, the environment, a goroutine) is not known, and Env.Why
// says where that comes from.
package constinit

import (
	"go/token"
	"sync"

	"golang.org/x/tools/go/ssa"
)

// MaxTable is the greatest number of elements that a slice, array or string may have here.
const MaxTable = 1 << 22

// Facts is the knowledge of the whole program that evaluation needs.
type Facts struct {
	SSA *ssa.Program
	// Written returns a place where code may write a variable, or memory that the variable
	// leads to, after its package is initialized; token.NoPos if there is none.
	Written func(g *ssa.Global) token.Pos
	// Filled returns a place where a function writes the variable that runs only while its
	// package is initialized; token.NoPos if there is none.
	Filled func(g *ssa.Global) token.Pos
	// Native evaluates a call of a function of package properties. The arguments are values as
	// Var.Load returns them. It is nil where no such call is to be evaluated.
	Native func(fn *ssa.Function, args []any, at token.Pos) (result any, ok bool)
}

// Env evaluates the initializers of one program, each at most once. Several goroutines may call
// its methods; their results do not depend on the order of calls.
type Env struct {
	mu    sync.Mutex
	facts Facts
	inits map[*ssa.Package]*initializer // nil for a package without code
	trees map[*ssa.Global]*Tree         // by run; nil for what is not known
	run   *initRun
}

// New returns an Env that has evaluated nothing yet.
func New(facts Facts) *Env {
	e := &Env{facts: facts, inits: map[*ssa.Package]*initializer{}, trees: map[*ssa.Global]*Tree{}}
	e.run = &initRun{env: e, vars: map[*ssa.Global]*Var{}, objects: map[any]*Var{}, ran: map[*ssa.Package]bool{}}
	return e
}

// Tree returns the value that a variable has once its package is initialized, or false if it is
// not known. Whether something writes the variable later is for the caller to ask.
func (e *Env) Tree(g *ssa.Global) (*Tree, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tree(g)
}

func (e *Env) tree(g *ssa.Global) (*Tree, bool) {
	init := e.initializer(g.Pkg)
	if init == nil {
		return nil, false
	}
	if init.failed[g] || e.facts.Filled(g).IsValid() {
		return e.computed(g)
	}
	return init.treeOf(g), true
}

// Var returns a variable with the value that it has once its package is initialized, or nil if
// nothing of it is known. Parts of the value may be Unknown.
func (e *Env) Var(g *ssa.Global) (v *Var) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := &runFrame{r: e.run}
	f.try(func() {
		e.run.runInits(g.Pkg)
		v = e.run.global(g)
	})
	return v
}

// Why returns the reason for which a variable's value is not known, or nil if there is none to
// tell. The variable has been asked for before.
func (e *Env) Why(g *ssa.Global) *Reason {
	e.mu.Lock()
	defer e.mu.Unlock()
	v := e.run.vars[g]
	if v == nil {
		return nil
	}
	return v.unknownFor()
}

// RootOf returns the variable or value that an address of a part leads into.
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
// first argument, which may depend on what the initializer has stored by then. The call is nil if
// no static call's result is stored; known is false if the argument's value is not known.
func StoredCall(init *ssa.Function, g *ssa.Global) (call *ssa.Call, arg *Tree, known bool) {
	if init == nil {
		return nil, nil, false
	}
	in := &initializer{trees: map[ssa.Value]*Tree{}, loaded: map[*ssa.UnOp]*Tree{}}
	for _, b := range init.Blocks {
		for _, instr := range b.Instrs {
			if ld, ok := instr.(*ssa.UnOp); ok && ld.Op == token.MUL {
				in.load(ld)
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
				return c, arg, len(c.Call.Args) > 0 && in.store(arg, c.Call.Args[0])
			}
			if at := in.place(st.Addr); at != nil && !in.store(at, st.Val) {
				at.Leaf = st.Val
			}
		}
	}
	return nil, nil, false
}

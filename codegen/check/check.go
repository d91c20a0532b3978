package check

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// Check reports every construct that no kernel may have in the functions that
// the kernel reaches, each position once. Functions for which known is true, by
// the full name of their origin, are compiled without their bodies.
func Check(p *load.Program, k *load.Kernel, known func(fullName string) bool) diag.List {
	c := &checker{prog: p, known: known, seen: map[*ssa.Function]*visit{}, reported: map[reportKey]bool{}}
	c.walk(&visit{fn: k.Fn, at: k.Fn.Pos()})
	c.recursion()
	c.diags.Sort()
	return c.diags
}

// checker is the state of checking one kernel.
type checker struct {
	prog     *load.Program
	known    func(fullName string) bool
	seen     map[*ssa.Function]*visit
	order    []*visit // those in seen, in the order of coming to them
	reported map[reportKey]bool
	diags    diag.List
}

type reportKey struct {
	pos  diag.Pos
	code diag.Code
}

// visit is a function and how the kernel first came to it.
type visit struct {
	fn    *ssa.Function
	from  *visit    // nil for the kernel
	at    token.Pos // of the call
	calls []call    // the function's static calls, in order
}

// call is a call whose callee is known from the code alone.
type call struct {
	callee *ssa.Function
	at     token.Pos
}

// report adds a diagnostic with the calls that lead to v's function.
func (c *checker) report(v *visit, code diag.Code, pos token.Pos, hint, format string, args ...any) {
	at := c.prog.DiagPos(pos)
	key := reportKey{at, code}
	if c.reported[key] {
		return
	}
	c.reported[key] = true
	d := c.diags.Add(code, at, hint, format, args...)
	for ; v.from != nil; v = v.from {
		d.Related = append(d.Related, diag.Related{Pos: c.prog.DiagPos(v.at),
			Message: "called here from " + funcName(v.from.fn)})
	}
}

// walk applies the rules to the code of v's function and of what it reaches.
func (c *checker) walk(v *visit) {
	c.seen[v.fn] = v
	c.order = append(c.order, v)
	for _, b := range liveBlocks(v.fn) {
		pos := v.fn.Pos()
		for _, in := range b.Instrs {
			if _, ok := in.(*ssa.DebugRef); ok {
				continue
			}
			if p := in.Pos(); p.IsValid() {
				pos = p
			}
			for i := range rules {
				r := &rules[i]
				r.check(in, func(hint, format string, args ...any) { c.report(v, r.code, pos, hint, format, args...) })
			}
			c.follow(v, in, pos)
		}
	}
}

// follow walks the functions that an instruction calls or takes the value of.
func (c *checker) follow(v *visit, in ssa.Instruction, pos token.Pos) {
	switch in := in.(type) {
	case *ssa.Go:
		return // wrong by itself: what it calls does not matter
	case *ssa.MakeClosure:
		if onlyStarted(in) {
			return
		}
	case *ssa.Call:
		if callee := in.Call.StaticCallee(); callee != nil {
			v.calls = append(v.calls, call{callee, pos})
		}
	}
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		fn, ok := (*op).(*ssa.Function)
		if !ok || c.known(origin(fn).RelString(nil)) {
			continue
		}
		if pkg := pkgPath(fn); hostOnly(pkg) || len(fn.Blocks) == 0 && isStd(pkg) {
			c.report(v, diag.HostOnly, pos, hostHint(pkg), "%s runs only on the host", funcName(origin(fn)))
			continue
		}
		if len(fn.Blocks) == 0 {
			hint := "write it in Go, or call it on the host and pass the result"
			if pkgPath(fn) == "sync/atomic" {
				hint = "use an integer of 32 or 64 bits, or atomic.Bool"
			}
			c.report(v, diag.NoBody, pos, hint,
				"%s has no Go body that kgen could compile", funcName(origin(fn)))
			continue
		}
		if c.seen[fn] == nil {
			c.walk(&visit{fn: fn, from: v, at: pos})
		}
	}
}

// onlyStarted reports whether a closure is made for go statements alone.
func onlyStarted(in *ssa.MakeClosure) bool {
	found := false
	for _, r := range *in.Referrers() {
		switch r.(type) {
		case *ssa.DebugRef:
		case *ssa.Go:
			found = true
		default:
			return false
		}
	}
	return found
}

// recursion reports the calls that lead back to a function that is being called.
// Calls of function values do not count: they depend on values.
func (c *checker) recursion() {
	const (
		active = 1
		done   = 2
	)
	state := map[*visit]int{}
	var down func(v *visit)
	down = func(v *visit) {
		state[v] = active
		for _, call := range v.calls {
			callee := c.seen[call.callee]
			switch {
			case callee == nil:
			case state[callee] == active:
				c.report(v, diag.Recursion, call.at, "write it as a loop, with an explicit stack of fixed size if it needs one",
					"%s calls itself; a device has no call stack", funcName(callee.fn))
			case state[callee] == 0:
				down(callee)
			}
		}
		state[v] = done
	}
	// Functions that are only called by value are in nobody's calls.
	for _, v := range c.order {
		if state[v] == 0 {
			down(v)
		}
	}
}

func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

func pkgPath(fn *ssa.Function) string {
	fn = origin(fn)
	if fn.Pkg != nil {
		return fn.Pkg.Pkg.Path()
	}
	if o := fn.Object(); o != nil && o.Pkg() != nil {
		return o.Pkg().Path()
	}
	return ""
}

// funcName returns a function's name with the package's name instead of its path.
func funcName(f *ssa.Function) string {
	name := f.RelString(nil)
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return name
	}
	for _, prefix := range []string{"(*", "("} {
		if strings.HasPrefix(name, prefix) {
			return prefix + name[i+1:]
		}
	}
	return name[i+1:]
}

// liveBlocks returns the blocks that conditions known from the code alone do not
// rule out, such as a constant or the arm of a type switch over a generic
// function's parameter, in the order in which they stand.
func liveBlocks(fn *ssa.Function) []*ssa.BasicBlock {
	if len(fn.Blocks) == 0 {
		return nil
	}
	live := map[*ssa.BasicBlock]bool{}
	stack := []*ssa.BasicBlock{fn.Blocks[0]}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if live[b] {
			continue
		}
		live[b] = true
		succs := b.Succs
		if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			if yes, known := fold(br.Cond); known && yes {
				succs = succs[:1]
			} else if known {
				succs = succs[1:]
			}
		}
		stack = append(stack, succs...)
	}
	var out []*ssa.BasicBlock
	for _, b := range fn.Blocks {
		if live[b] {
			out = append(out, b)
		}
	}
	return out
}

// fold returns the value of a condition where it is known from the code alone.
func fold(v ssa.Value) (yes, known bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value != nil && v.Value.String() == "true", true
	case *ssa.UnOp:
		if v.Op == token.NOT {
			yes, known = fold(v.X)
			return !yes, known
		}
	case *ssa.Extract:
		if a, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 1 {
			if x, ok := a.X.(*ssa.MakeInterface); ok {
				if i, ok := a.AssertedType.Underlying().(*types.Interface); ok {
					return types.Implements(x.X.Type(), i), true
				}
				return types.Identical(x.X.Type(), a.AssertedType), true
			}
		}
	}
	return false, false
}

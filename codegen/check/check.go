package check

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// Check reports all forbidden constructs in the functions that the kernel reaches, once for each
// position. Check also returns the set of reported instructions. isIntrinsic reports whether the
// function with the given full name is an intrinsic. kgen compiles calls of intrinsics without the
// body of the function, so Check does not examine the bodies of intrinsics. For an instance of a
// generic function, Check passes the name of the generic function to isIntrinsic.
func Check(p *load.Program, k *load.Kernel, isIntrinsic func(fullName string) bool) (map[ssa.Instruction]bool, diag.List) {
	c := newChecker(&ruleScanner{known: isIntrinsic})
	c.checkKernel(k.Fn)
	var diags diag.List
	own := func(fn *ssa.Function) bool { return p.Own(p.DiagPos(fn.Pos())) }
	for _, f := range c.findings {
		vias := [][]hop{f.via}
		if !own(f.fn) {
			if vias = c.callChains(f.fn, own); len(vias) == 0 {
				vias = [][]hop{f.via}
			}
		}
		for _, via := range vias {
			d := diags.Add(f.code, p.DiagPos(f.pos), f.hint, "%s", f.message)
			for _, h := range via {
				d.Related = append(d.Related, diag.Related{Pos: p.DiagPos(h.at), Message: h.String()})
			}
			p.AddSite(d)
		}
	}
	diags.Sort()
	return c.refused, diags
}

// checker is the state of a check of one kernel.
type checker struct {
	*ruleScanner
	seen     map[*ssa.Function]*visit
	order    []*visit // visited functions, in the order in which the search reached them
	reported map[reportKey]bool
	findings []finding
	refused  map[ssa.Instruction]bool // instructions that violate a rule
	callers  map[*ssa.Function][]hop  // maps a function to the calls and other uses of the function
}

type reportKey struct {
	pos  token.Pos
	code diag.Code
}

// A finding is a forbidden construct, with the chain of calls that leads to it. The innermost call
// is the first call of the chain.
type finding struct {
	violation
	fn  *ssa.Function
	via []hop
}

// A hop is one call in a chain of calls from a kernel to a function.
type hop struct {
	from *ssa.Function
	at   token.Pos
}

func (h hop) String() string { return "called here from " + load.FuncText(h.from) }

// A visit is a function that the search from the kernel has reached. Fields `from` and `at`
// describe the first call through which the search reached the function.
type visit struct {
	fn   *ssa.Function
	from *visit    // the calling function; nil for the kernel
	at   token.Pos // position of the call
}

func newChecker(s *ruleScanner) *checker {
	return &checker{ruleScanner: s, seen: map[*ssa.Function]*visit{}, reported: map[reportKey]bool{}, refused: map[ssa.Instruction]bool{}}
}

// checkKernel finds the forbidden constructs in fn and in the functions that fn reaches.
func (c *checker) checkKernel(fn *ssa.Function) {
	c.walkCalls(&visit{fn: fn, at: fn.Pos()})
	c.reportRecursion()
}

// addFinding adds a finding in v's function, with the calls that lead to v's function.
func (c *checker) addFinding(v *visit, f violation) {
	c.refused[f.in] = true
	key := reportKey{f.pos, f.code}
	if c.reported[key] {
		return
	}
	c.reported[key] = true
	c.findings = append(c.findings, finding{violation: f, fn: v.fn, via: v.callChain()})
}

// callChain returns the first chain of calls that led the search to v's function. In the result,
// the innermost call is first.
func (v *visit) callChain() []hop {
	var out []hop
	for ; v.from != nil; v = v.from {
		out = append(out, hop{v.from.fn, v.at})
	}
	return out
}

// callChains returns the chains of calls that lead to fn, a function of a library. Each chain begins with a call of a
// library in the user's own code and continues with calls inside libraries. callChains returns one chain for each call
// of a library in the user's code.
func (c *checker) callChains(fn *ssa.Function, own func(*ssa.Function) bool) [][]hop {
	if c.callers == nil {
		c.callers = map[*ssa.Function][]hop{}
		for _, v := range c.order {
			for _, st := range c.scanFunc(v.fn).next {
				c.callers[st.fn] = append(c.callers[st.fn], hop{v.fn, st.at})
			}
		}
	}
	var out [][]hop
	way := map[*ssa.Function][]hop{fn: nil}
	for queue := []*ssa.Function{fn}; len(queue) > 0; queue = queue[1:] {
		for _, h := range c.callers[queue[0]] {
			via := append(slices.Clip(way[queue[0]]), h)
			if own(h.from) {
				out = append(out, append(via, c.seen[h.from].callChain()...))
			} else if _, ok := way[h.from]; !ok {
				way[h.from] = via
				queue = append(queue, h.from)
			}
		}
	}
	return out
}

// walkCalls applies the rules to v's function, and to all functions that v's function
// reaches.
func (c *checker) walkCalls(v *visit) {
	c.seen[v.fn] = v
	c.order = append(c.order, v)
	s := c.scanFunc(v.fn)
	for _, f := range s.found {
		c.addFinding(v, f)
	}
	for _, st := range s.next {
		if c.seen[st.fn] == nil {
			c.walkCalls(&visit{fn: st.fn, from: v, at: st.at})
		}
	}
}

// reportRecursion reports direct and indirect recursion. reportRecursion ignores calls of function
// values, because run-time data determines the called function.
func (c *checker) reportRecursion() {
	const (
		active = 1
		done   = 2
	)
	state := map[*visit]int{}
	var down func(v *visit)
	down = func(v *visit) {
		state[v] = active
		for _, call := range c.scanFunc(v.fn).calls {
			callee := c.seen[call.fn]
			switch {
			case callee == nil:
			case state[callee] == active && load.HasOtherCode(callee.fn):
			case state[callee] == active:
				c.addFinding(v, violation{rule: ruleRecursion, code: diag.Recursion, pos: call.at, in: call.in,
					hint:    recursionHint,
					message: fmt.Sprintf("%s calls itself; a device has no call stack", load.FuncText(callee.fn))})
			case state[callee] == 0:
				down(callee)
			}
		}
		state[v] = done
	}
	// A function that is called only through function values is in no list of calls, so the loop
	// begins at every visited function.
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

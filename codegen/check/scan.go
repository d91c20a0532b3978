package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/load"
)

// ruleScanner applies the rules to functions. A ruleScanner examines each function only once.
type ruleScanner struct {
	known func(fullName string) bool
	// foreignFindings, if not nil, returns the findings in a function whose code is not loaded. The
	// result `ok` is false if the findings in the function are not known.
	foreignFindings func(fn *ssa.Function) (wrong []violation, ok bool)
	scans           map[*ssa.Function]*scanResult
}

// scanResult holds the results of applying all rules to one function.
type scanResult struct {
	found []violation
	next  []step // functions that the scanned function calls or uses as values
	calls []step // static calls in the function, in order
}

// A violation is a forbidden construct.
type violation struct {
	rule    string // name of the violated rule in the table of rules
	code    diag.Code
	pos     token.Pos
	in      ssa.Instruction
	hint    string
	message string
	abroad  *foreignFound // the finding in a function of another package; nil if the construct is in this package
}

type step struct {
	fn *ssa.Function
	at token.Pos
	in ssa.Instruction
}

// eachInstruction calls the function do for each instruction of fn that may run, with the
// instruction's position. An instruction without a position gets the position of the preceding
// instruction in the block.
func eachInstruction(fn *ssa.Function, do func(in ssa.Instruction, pos token.Pos)) {
	for _, b := range liveBlocks(fn) {
		pos := fn.Pos()
		for _, in := range b.Instrs {
			if _, ok := in.(*ssa.DebugRef); ok {
				continue
			}
			if p := in.Pos(); p.IsValid() && inSource(fn, p) {
				pos = p
			} else if p := rangePos(fn, in); p.IsValid() {
				pos = p
			}
			do(in, pos)
		}
	}
}

// rangePos returns the position of the number n if parameter `in` is the comparison i < n of a
// range over n. In go/ssa, the comparison i < n itself has no position. rangePos identifies the
// range statement by a position in the loop's body.
func rangePos(fn *ssa.Function, in ssa.Instruction) (p token.Pos) {
	cond, ok := in.(*ssa.BinOp)
	if !ok || cond.Op != token.LSS || cond.Pos().IsValid() || len(cond.Block().Succs) != 2 || fn.Syntax() == nil {
		return token.NoPos
	}
	body := firstPos(fn, cond.Block().Succs[0], map[*ssa.BasicBlock]bool{cond.Block(): true})
	ast.Inspect(fn.Syntax(), func(n ast.Node) bool {
		if loop, ok := n.(*ast.RangeStmt); ok && loop.Body.Pos() <= body && body < loop.Body.End() {
			p = loop.X.Pos() // the innermost loop is visited last, and sets the result
		}
		return true
	})
	return p
}

// firstPos returns the first position in the code of fn. The search starts at block b.
func firstPos(fn *ssa.Function, b *ssa.BasicBlock, seen map[*ssa.BasicBlock]bool) token.Pos {
	if seen[b] {
		return token.NoPos
	}
	seen[b] = true
	for _, in := range b.Instrs {
		switch in.(type) {
		case *ssa.DebugRef, *ssa.Phi: // a DebugRef or Phi may have the position of a variable's declaration
			continue
		}
		if in.Pos().IsValid() && inSource(fn, in.Pos()) {
			return in.Pos()
		}
	}
	for _, s := range b.Succs {
		if p := firstPos(fn, s, seen); p.IsValid() {
			return p
		}
	}
	return token.NoPos
}

// scanFunc applies the rules to the code of function fn.
func (s *ruleScanner) scanFunc(fn *ssa.Function) *scanResult {
	if out := s.scans[fn]; out != nil {
		return out
	}
	out := &scanResult{}
	if s.scans == nil {
		s.scans = map[*ssa.Function]*scanResult{}
	}
	s.scans[fn] = out
	eachInstruction(fn, func(in ssa.Instruction, pos token.Pos) {
		for i := range rules {
			if r := &rules[i]; r.check != nil {
				r.check(in, func(hint, format string, args ...any) {
					out.found = append(out.found, violation{rule: r.name, code: r.code, pos: pos, in: in, hint: hint, message: fmt.Sprintf(format, args...)})
				})
			}
		}
		s.addSteps(out, in, pos)
	})
	return out
}

// inSource reports whether position p is in the source of fn. The position of an instruction of fn
// may be outside of the source of fn. For example, the slice of a call's variadic arguments may
// have the position of the parameter's declaration.
func inSource(fn *ssa.Function, p token.Pos) bool {
	n := fn.Syntax()
	return n == nil || n.Pos() <= p && p <= n.End()
}

// addSteps adds to out the functions that an instruction calls or uses as values.
func (s *ruleScanner) addSteps(out *scanResult, in ssa.Instruction, pos token.Pos) {
	switch in := in.(type) {
	case *ssa.Go:
		return // the go statement itself has been reported
	case *ssa.MakeClosure:
		if onlyStarted(in) {
			return
		}
	case *ssa.Call:
		if callee := in.Call.StaticCallee(); callee != nil {
			out.calls = append(out.calls, step{callee, pos, in})
		}
	}
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		fn, ok := (*op).(*ssa.Function)
		if !ok || s.known(origin(fn).RelString(nil)) {
			continue
		}
		if _, wrong := halfForInteger(fn); wrong != "" {
			continue // halfNumbers has already reported the call
		}
		if wrong, stop := s.unscanned(fn, in, pos); stop {
			out.found = append(out.found, wrong...)
			continue
		}
		out.next = append(out.next, step{fn, pos, in})
	}
}

// unscanned returns the findings for a call of function fn if the rules do not examine the body of
// fn. If the rules must examine the body of fn, the result `stop` is false.
func (s *ruleScanner) unscanned(fn *ssa.Function, in ssa.Instruction, pos token.Pos) (wrong []violation, stop bool) {
	pkg := pkgPath(fn)
	hosts := violation{rule: ruleHost, code: diag.HostOnly, pos: pos, in: in, hint: hostHint(pkg),
		message: load.FuncText(origin(fn)) + " runs only on the host"}
	if !needsHost(pkg) {
		hosts.message = load.FuncText(origin(fn)) + " is not supported in kernels yet"
	}
	o := origin(fn)
	if hostOnly(pkg) || hostFunc(o, pkg) {
		return []violation{hosts}, true
	}
	if len(fn.Blocks) > 0 {
		// The driver of the analyzers may have loaded a body of fn that kgen does not use. For some
		// functions, kgen compiles other code in kernels.
		return nil, s.foreignFindings != nil && load.HasOtherCode(fn)
	}
	if s.foreignFindings != nil {
		if wrong, ok := s.foreignFindings(fn); ok {
			for i := range wrong {
				wrong[i].pos, wrong[i].in = pos, in
			}
			return wrong, true
		}
	}
	if isStd(pkg) {
		return []violation{hosts}, true
	}
	hint := "write it in Go, or call it on the host and pass the result"
	if pkg == "sync/atomic" {
		hint = "use an integer of 32 or 64 bits, or atomic.Bool"
	}
	return []violation{{rule: ruleNoBody, code: diag.NoBody, pos: pos, in: in, hint: hint,
		message: load.FuncText(origin(fn)) + " has no Go body that kgen could compile"}}, true
}

// onlyStarted reports whether all uses of a closure are go statements.
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

// liveBlocks returns the reachable blocks of a function. liveBlocks evaluates constant conditions.
// liveBlocks also evaluates the type tests of a type switch over a parameter of a generic function.
// If a generic function is not instantiated, liveBlocks omits all blocks that are reached only
// after a type test of a type parameter.
func liveBlocks(fn *ssa.Function) []*ssa.BasicBlock {
	if len(fn.Blocks) == 0 {
		return nil
	}
	live := map[*ssa.BasicBlock]bool{}
	var open []*ssa.BasicBlock // blocks that are reached only if a type parameter has a certain type
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
			if yes, known := foldCond(br.Cond); known && yes {
				succs = succs[:1]
			} else if known {
				succs = succs[1:]
			} else if onTypeParam(br.Cond) {
				open = append(open, succs...)
			}
		}
		stack = append(stack, succs...)
	}
	var out []*ssa.BasicBlock
	for _, b := range fn.Blocks {
		for _, o := range open {
			if len(o.Preds) == 1 && o.Dominates(b) {
				live[b] = false
			}
		}
		if live[b] {
			out = append(out, b)
		}
	}
	return out
}

// foldCond returns the value of a condition if the value does not depend on data.
func foldCond(v ssa.Value) (yes, known bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value != nil && v.Value.String() == "true", true
	case *ssa.UnOp:
		if v.Op == token.NOT {
			yes, known = foldCond(v.X)
			return !yes, known
		}
	case *ssa.Extract:
		if t, a := typeTest(v); t != nil && !gotypes.IsTypeParam(t) && !gotypes.IsTypeParam(a.AssertedType) {
			if i, ok := a.AssertedType.Underlying().(*types.Interface); ok {
				return types.Implements(t, i), true
			}
			return types.Identical(t, a.AssertedType), true
		}
	}
	return false, false
}

// typeTest recognizes the result v of a type test whose operand is a conversion to an interface. typeTest returns the
// type of the converted value, and the type assertion.
func typeTest(v *ssa.Extract) (put types.Type, a *ssa.TypeAssert) {
	a, ok := v.Tuple.(*ssa.TypeAssert)
	if !ok || v.Index != 1 {
		return nil, nil
	}
	switch x := a.X.(type) {
	case *ssa.MakeInterface:
		return x.X.Type(), a
	case *ssa.ChangeType:
		if gotypes.IsTypeParam(x.X.Type()) {
			return x.X.Type(), a
		}
	}
	return nil, a
}

// onTypeParam reports whether a condition tests the dynamic type of a value whose type is a type
// parameter.
func onTypeParam(v ssa.Value) bool {
	if v, ok := v.(*ssa.Extract); ok {
		t, _ := typeTest(v)
		return t != nil && gotypes.IsTypeParam(t)
	}
	return false
}

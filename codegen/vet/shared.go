package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/kgen-go/kgen/codegen/diag"
)

// sharedAnalyzer reports that all work-items change the same element of a slice. sharedAnalyzer reports only changes
// that are evident from the code of the Kernel method. The race detector and checked mode find other races.
func sharedAnalyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "kgenshared",
		Doc: fmt.Sprintf("report elements that every work-item changes, as k.Sum[0] += x does (%v)\n\n%s",
			diag.SharedElement, diag.Summary(diag.SharedElement)),
		Run: func(pass *analysis.Pass) (any, error) {
			for _, f := range pass.Files {
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
						if s := newSharing(pass, fn); s != nil {
							s.classifyVars()
							s.reportChanges()
						}
					}
				}
			}
			return nil, nil
		},
	}
}

// A class is the set of inputs on which a value depends, such as ids and elements of slices. A
// value with class 0 is the same for all work-items.
type class uint8

const (
	byItem   class = 1 << iota // the value depends on the work-item's id
	byGroup                    // the value depends on the work-group's id
	byData                     // the value depends on elements of slices
	byFlow                     // the value depends on the path through the code
	byOthers                   // the value depends on code that is not examined
	byOwn                      // the value depends on slice elements at the work-item's own index
	byAgain                    // the value depends on which of several assignments was last
)

// sharedScan examines the Kernel method of one kernel with many work-items.
type sharedScan struct {
	pass *analysis.Pass
	fn   *ast.FuncDecl
	k    types.Object // receiver of the Kernel method
	it   types.Object // item parameter of the Kernel method
	vars map[types.Object]class
}

const dslPath = "github.com/kgen-go/kgen/dsl"

func newSharing(pass *analysis.Pass, fn *ast.FuncDecl) *sharedScan {
	ps := fn.Type.Params.List
	if fn.Name.Name != "Kernel" || fn.Recv == nil || len(fn.Recv.List[0].Names) != 1 || len(ps) != 1 || len(ps[0].Names) != 1 {
		return nil
	}
	s := &sharedScan{pass: pass, fn: fn, vars: map[types.Object]class{},
		k: pass.TypesInfo.Defs[fn.Recv.List[0].Names[0]], it: pass.TypesInfo.Defs[ps[0].Names[0]]}
	if s.k == nil || s.it == nil {
		return nil
	}
	t, ok := types.Unalias(s.it.Type()).(*types.Named)
	if !ok || t.Obj().Pkg() == nil || t.Obj().Pkg().Path() != dslPath || !strings.Contains(t.Obj().Name(), "Item") {
		return nil
	}
	return s
}

// classifyVars finds the classes of the method's variables.
func (s *sharedScan) classifyVars() {
	steps := map[ast.Stmt]bool{} // post statements of for loops, such as i++; assumed to run equally often in all work-items
	for before := -1; before != s.sum(); {
		before = s.sum()
		ast.Inspect(s.fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt:
				if n.Post != nil {
					steps[n.Post] = true
				}
			case *ast.AssignStmt:
				s.assign(n, steps[n])
			case *ast.IncDecStmt:
				if !steps[n] {
					s.addClass(n.X, byFlow)
				}
			case *ast.RangeStmt:
				c := s.classOf(n.X)
				if n.Key != nil {
					s.addClass(n.Key, c)
				}
				if n.Value != nil {
					s.addClass(n.Value, c|byData)
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if len(n.Values) == len(n.Names) {
						s.addClass(name, s.classOf(n.Values[i]))
					} else if len(n.Values) > 0 {
						s.addClass(name, s.classOf(n.Values[0]))
					}
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					s.addClass(n.X, byOthers)
				}
			}
			return true
		})
	}
}

func (s *sharedScan) sum() (n int) {
	for _, c := range s.vars {
		n += int(c)
	}
	return n + len(s.vars)<<10
}

func (s *sharedScan) assign(n *ast.AssignStmt, step bool) {
	for i, x := range n.Lhs {
		c := s.classOf(n.Rhs[min(i, len(n.Rhs)-1)])
		if n.Tok != token.DEFINE && !step {
			c |= byFlow
			if n.Tok == token.ASSIGN && !containsExpr(n.Rhs[min(i, len(n.Rhs)-1)], x) {
				c |= byAgain
			}
		}
		s.addClass(x, c)
	}
}

// addClass adds class c to the variable x. If x is not a variable, addClass does nothing.
func (s *sharedScan) addClass(x ast.Expr, c class) {
	id, ok := x.(*ast.Ident)
	if !ok {
		return
	}
	obj := s.pass.TypesInfo.ObjectOf(id)
	if v, ok := obj.(*types.Var); ok {
		s.vars[v] |= c
	}
}

// classOf returns the class of an expression.
func (s *sharedScan) classOf(e ast.Expr) class {
	if s.pass.TypesInfo.Types[e].Value != nil {
		return 0
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.classOf(e.X)
	case *ast.Ident:
		obj := s.pass.TypesInfo.ObjectOf(e)
		c, known := s.vars[obj]
		if obj == s.k || e.Name == "nil" || known {
			return c
		}
	case *ast.SelectorExpr:
		if sel := s.pass.TypesInfo.Selections[e]; sel != nil && sel.Kind() == types.FieldVal {
			return s.classOf(e.X)
		}
	case *ast.IndexExpr:
		if s.pass.TypesInfo.Types[e].IsValue() {
			if s.classOf(e.Index)&byItem != 0 {
				return byData | byOwn
			}
			return byData
		}
	case *ast.UnaryExpr:
		if e.Op != token.AND && e.Op != token.ARROW {
			return s.classOf(e.X)
		}
	case *ast.BinaryExpr:
		return s.classOf(e.X) | s.classOf(e.Y)
	case *ast.CallExpr:
		return s.call(e)
	}
	return byOthers
}

func (s *sharedScan) call(e *ast.CallExpr) (c class) {
	args := func() (c class) {
		for _, a := range e.Args {
			c |= s.classOf(a)
		}
		return c
	}
	if s.pass.TypesInfo.Types[e.Fun].IsType() {
		return args()
	}
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		if b, ok := s.pass.TypesInfo.Uses[f].(*types.Builtin); ok && slices.Contains([]string{"len", "cap", "min", "max"}, b.Name()) {
			return args()
		}
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		if !ok || s.pass.TypesInfo.Uses[x] != s.it {
			break
		}
		switch f.Sel.Name {
		case "GlobalID", "GlobalLinearID", "LocalID", "LocalLinearID":
			return byItem
		case "GroupID", "GroupLinearID":
			return byGroup
		case "GlobalRange", "LocalRange", "GroupRange":
			return 0
		}
	}
	return byOthers
}

// reportChanges reports elements of slices that all work-items change.
func (s *sharedScan) reportChanges() {
	var up []ast.Node
	ast.Inspect(s.fn.Body, func(n ast.Node) bool {
		if n == nil {
			up = up[:len(up)-1]
			return true
		}
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		up = append(up, n)
		var x ast.Expr
		reads := true
		switch n := n.(type) {
		case *ast.IncDecStmt:
			x = n.X
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs) {
				s.reportStores(n, up)
			}
			if len(n.Lhs) != 1 {
				return true
			}
			if x = n.Lhs[0]; n.Tok == token.ASSIGN {
				reads = containsExpr(n.Rhs[0], x) || slices.ContainsFunc(s.guardConds(n, up), func(g ast.Expr) bool { return containsExpr(g, x) })
			}
		}
		if x != nil && reads && s.oneElement(x) && !slices.ContainsFunc(s.guardConds(n.(ast.Stmt), up), s.fewPass) {
			text := types.ExprString(x)
			s.pass.Report(analysis.Diagnostic{Pos: x.Pos(), End: x.End(), Category: diag.SharedElement.String(), Message: fmt.Sprintf(
				"%v: the work-items change %s all at once, so that what some of them store is lost; "+
					"use dsl.AtomicAdd(&%[2]s, …) or another atomic operation, best once for each work-group with what dsl.ReduceOverGroup returns; "+
					"a kernel for a single work-item has the method Kernel(dsl.Task)", diag.SharedElement, text)})
		}
		return true
	})
}

// reportStores reports slice elements in which each work-item stores a different value.
func (s *sharedScan) reportStores(n *ast.AssignStmt, up []ast.Node) {
	for i, x := range n.Lhs {
		if c := s.classOf(n.Rhs[i]); c&(byItem|byOwn) == 0 || c&(byOthers|byAgain) != 0 || containsExpr(n.Rhs[i], x) || !s.oneElement(x) {
			continue
		}
		if slices.ContainsFunc(s.guardConds(n, up), func(g ast.Expr) bool { return !s.allPass(g) }) {
			continue
		}
		s.pass.Report(analysis.Diagnostic{Pos: x.Pos(), End: x.End(), Category: diag.SharedElement.String(), Message: fmt.Sprintf(
			"%v: the work-items store values of their own in %s all at once, so that one of them is left, whichever that is; "+
				"index by the work-item's id, store what dsl.ReduceOverGroup returns in one work-item alone, or use an atomic operation; "+
				"a kernel for a single work-item has the method Kernel(dsl.Task)", diag.SharedElement, types.ExprString(x))})
	}
}

// allPass reports whether all or nearly all work-items pass condition cond. allPass is true for conditions that are the
// same for all work-items, and for comparisons of ids with sizes.
func (s *sharedScan) allPass(cond ast.Expr) bool {
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return s.allPass(e.X)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return s.allPass(e.X) && s.allPass(e.Y)
		}
	}
	return (s.classOf(cond)&^byItem == 0) && !s.fewPass(cond)
}

// oneElement reports whether x denotes the same slice element, or the same part of an element, for
// all work-items of a work-group. The element must belong to a slice of the kernel.
func (s *sharedScan) oneElement(x ast.Expr) bool {
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.SelectorExpr:
			x = e.X
			continue
		case *ast.IndexExpr:
			if _, ok := s.pass.TypesInfo.TypeOf(e.X).Underlying().(*types.Slice); !ok {
				x = e.X
				continue
			}
			return s.classOf(e.Index)&^byGroup == 0 && s.ofKernel(e.X)
		}
		return false
	}
}

// ofKernel reports whether expression e is the kernel's receiver, or a field inside the receiver.
func (s *sharedScan) ofKernel(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return s.pass.TypesInfo.Uses[e] == s.k
	case *ast.SelectorExpr:
		return s.ofKernel(e.X)
	}
	return false
}

// containsExpr reports whether expression e contains the expression x.
func containsExpr(e, x ast.Expr) bool {
	text := types.ExprString(x)
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if y, ok := n.(ast.Expr); ok && types.ExprString(y) == text {
			found = true
		}
		return !found
	})
	return found
}

// guardConds returns the conditions that decide whether a statement runs. guardConds includes the conditions of the
// enclosing statements. guardConds also includes the conditions of earlier statements in which work-items may have
// returned.
func (s *sharedScan) guardConds(at ast.Stmt, up []ast.Node) (all []ast.Expr) {
	for i, n := range up {
		switch n := n.(type) {
		case *ast.IfStmt:
			if i+1 < len(up) && up[i+1] != ast.Node(n.Init) {
				all = append(all, n.Cond)
			}
		case *ast.ForStmt:
			if n.Cond != nil {
				all = append(all, n.Cond)
			}
		case *ast.SwitchStmt:
			all = append(all, caseConds(n)...)
		case *ast.TypeSwitchStmt, *ast.SelectStmt:
			all = append(all, &ast.BadExpr{})
		}
	}
	ast.Inspect(s.fn.Body, func(n ast.Node) bool {
		if n == nil || n.Pos() > at.Pos() {
			return false
		}
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.End() <= at.Pos() && hasExit(n) {
				all = append(all, n.Cond)
			}
		case *ast.SwitchStmt:
			if n.End() <= at.Pos() && hasExit(n) {
				all = append(all, caseConds(n)...)
			}
		}
		return true
	})
	return all
}

// caseConds returns the conditions of a switch statement's case clauses.
func caseConds(n *ast.SwitchStmt) (all []ast.Expr) {
	for _, c := range n.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if n.Tag != nil {
				e = &ast.BinaryExpr{X: n.Tag, Op: token.EQL, Y: e}
			}
			all = append(all, e)
		}
	}
	return all
}

// hasExit reports whether a statement contains a return, a jump or a panic.
func hasExit(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
				found = true
			}
		}
		return !found
	})
	return found
}

// fewPass reports whether only one work-item, or a few work-items, may pass condition cond. fewPass is false for a
// comparison of the work-item's id with a size, and for a comparison that involves data.
func (s *sharedScan) fewPass(cond ast.Expr) bool {
	const item = byItem | byGroup
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return s.fewPass(e.X)
		}
	case *ast.BinaryExpr:
		x, y := s.classOf(e.X), s.classOf(e.Y)
		switch e.Op {
		case token.LAND, token.LOR:
			return s.fewPass(e.X) || s.fewPass(e.Y)
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			if x&item != 0 && y == 0 || y&item != 0 && x == 0 {
				size := e.Y
				if x == 0 {
					size = e.X
				}
				return x|y != byItem || s.pass.TypesInfo.Types[size].Value != nil
			}
		}
		return (x|y)&(item|byOthers) != 0
	}
	return s.classOf(cond)&(item|byOthers) != 0
}

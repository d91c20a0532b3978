package load

// This file finds chains of calls from a kernel to a position.

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
)

// Chain returns a shortest chain of calls from kernel k to the function that contains a position.
// The innermost call is first. Diagnostics about inlined code print the chain.
func (p *Program) Chain(k *Kernel, at diag.Pos) []diag.Related {
	var chain []diag.Related
	for v := p.shortestChain(k, at); v != nil && v.from != nil; v = v.from {
		if v.at.IsValid() {
			chain = append(chain, diag.Related{Pos: p.DiagPos(v.at), Message: "called here from " + FuncText(v.from.fn)})
		}
	}
	return chain
}

// Concerns reports whether a position is in a function that kernel k may call, or in the
// declaration of the kernel's type.
func (p *Program) Concerns(k *Kernel, at diag.Pos) bool {
	for _, f := range p.trees {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					if nodeHolds(s, k.Pos) && p.nodeContains(s, at) {
						return true
					}
				}
			}
		}
	}
	return k.Fn != nil && p.shortestChain(k, at) != nil
}

// callStep is a function on a path of calls from a kernel.
type callStep struct {
	fn   *ssa.Function
	from *callStep
	at   token.Pos // position of the call
}

// shortestChain returns a shortest path of calls from kernel k to the function that contains a
// position. If the kernel does not reach the position, shortestChain returns nil.
func (p *Program) shortestChain(k *Kernel, at diag.Pos) *callStep {
	seen := map[*ssa.Function]bool{k.Fn: true}
	var found *callStep
	for queue := []*callStep{{fn: k.Fn}}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		// The source of a function literal is inside its parent function, so the innermost function is
		// chosen.
		if p.funcContains(v.fn, at) && (found == nil || found.fn == v.fn.Parent()) {
			found = v
		}
		for _, b := range v.fn.Blocks {
			for _, in := range b.Instrs {
				if _, ok := in.(*ssa.DebugRef); ok {
					continue
				}
				for _, op := range in.Operands(nil) {
					if fn, ok := (*op).(*ssa.Function); ok && !seen[fn] {
						seen[fn] = true
						queue = append(queue, &callStep{fn, v, in.Pos()})
					}
				}
			}
		}
	}
	return found
}

// Returns reports whether a position is in the condition of an if statement whose body ends with a
// return statement.
func (p *Program) Returns(at diag.Pos) bool {
	found := false
	for _, file := range p.trees {
		if p.DiagPos(file.Package).File != at.File {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.IfStmt)
			// For a condition without a position, diagnostics use the position of the if keyword.
			if ok && p.nodeContains(s, at) && !p.nodeContains(s.Body, at) && (s.Else == nil || !p.nodeContains(s.Else, at)) && len(s.Body.List) > 0 {
				_, found = s.Body.List[len(s.Body.List)-1].(*ast.ReturnStmt)
			}
			return !found
		})
	}
	return found
}

// funcContains reports whether a position is in the source of fn.
func (p *Program) funcContains(fn *ssa.Function, at diag.Pos) bool {
	n := fn.Syntax()
	return n != nil && p.nodeContains(n, at)
}

// nodeContains reports whether a position is inside a syntax node.
func (p *Program) nodeContains(n ast.Node, at diag.Pos) bool {
	begin, end := p.DiagPos(n.Pos()), p.DiagPos(n.End())
	return begin.File == at.File && (begin.Line < at.Line || begin.Line == at.Line && begin.Col <= at.Col) &&
		(at.Line < end.Line || at.Line == end.Line && at.Col <= end.Col)
}

// WithoutPaths replaces the import paths in a name by package names, also in type arguments.
func WithoutPaths(name string) string { return pathPrefix.ReplaceAllString(name, "") }

// pathPrefix matches an import path up to the last element.
var pathPrefix = regexp.MustCompile(`[^\s\[\](){}*,;]*/`)

// FuncText returns a function's name for messages, with the package's name instead of the package's
// path. For a function literal, FuncText returns the name of the function that contains the
// literal.
func FuncText(f *ssa.Function) string {
	if p := f.Parent(); p != nil {
		for p.Parent() != nil {
			p = p.Parent()
		}
		if f.Synthetic == "range-over-func yield" {
			return "a loop of " + FuncText(p)
		}
		return "a function literal of " + FuncText(p)
	}
	name := f.RelString(nil)
	for _, suffix := range []string{"$bound", "$thunk"} { // suffixes of method values and method expressions
		name = strings.TrimSuffix(name, suffix)
	}
	name = WithoutPaths(name)
	// A version at the end of an import path is not the package's name.
	if o := f.Origin(); o != nil {
		f = o
	}
	if o := f.Object(); o != nil && o.Pkg() != nil {
		name = strings.Replace(name, path.Base(o.Pkg().Path())+".", o.Pkg().Name()+".", 1)
	}
	return name
}

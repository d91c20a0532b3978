package load

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
)

// Chain returns the calls that lead from a kernel to the function that holds a
// position, the innermost first; of several ways it is a shortest one. It is for
// findings about code whose calls are gone.
func (p *Program) Chain(k *Kernel, at diag.Pos) []diag.Related {
	type visit struct {
		fn   *ssa.Function
		from *visit
		at   token.Pos
	}
	seen := map[*ssa.Function]bool{k.Fn: true}
	var found *visit
	for queue := []*visit{{fn: k.Fn}}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		// A function literal stands in its parent, too: the innermost counts.
		if p.holds(v.fn, at) && (found == nil || found.fn == v.fn.Parent()) {
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
						queue = append(queue, &visit{fn, v, in.Pos()})
					}
				}
			}
		}
	}
	var chain []diag.Related
	for v := found; v != nil && v.from != nil; v = v.from {
		if v.at.IsValid() {
			chain = append(chain, diag.Related{Pos: p.DiagPos(v.at), Message: "called here from " + shortName(v.from.fn)})
		}
	}
	return chain
}

// holds reports whether a position stands in the source of fn.
func (p *Program) holds(fn *ssa.Function, at diag.Pos) bool {
	n := fn.Syntax()
	if n == nil {
		return false
	}
	begin, end := p.DiagPos(n.Pos()), p.DiagPos(n.End())
	return begin.File == at.File && (begin.Line < at.Line || begin.Line == at.Line && begin.Col <= at.Col) &&
		(at.Line < end.Line || at.Line == end.Line && at.Col <= end.Col)
}

// shortName returns a function's name with the last element of its package's path.
func shortName(f *ssa.Function) string {
	name := f.RelString(nil)
	i := strings.LastIndexByte(name, '/')
	switch {
	case i < 0:
		return name
	case strings.HasPrefix(name, "(*"):
		return "(*" + name[i+1:]
	case strings.HasPrefix(name, "("):
		return "(" + name[i+1:]
	}
	return name[i+1:]
}

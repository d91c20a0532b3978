package emit

// This file lists the positions of loops.

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Loops returns the positions of a module's loops in the source, in the order in which Emit writes the
// loops. The list that Loops returns has the format of abi.Kernel.Loops.
func Loops(m *ir.Module) string {
	var list []string
	file := ""
	for _, f := range calledFuncs(m.Kernel) {
		for _, b := range f.Blocks {
			switch p := b.Loop; {
			case b.Continue == nil:
			case p.File == "":
				list = append(list, "-")
			case p.File == file:
				list = append(list, fmt.Sprintf("%d:%d", p.Line, p.Col))
			default:
				file = p.File
				list = append(list, fmt.Sprintf("%s:%d:%d", file, p.Line, p.Col))
			}
		}
	}
	return strings.Join(list, " ")
}

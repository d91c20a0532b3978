package lower

import (
	"go/token"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

// builder adds code to a module at one place.
type builder struct {
	prog *load.Program
	m    *ir.Module
	f    *ir.Func

	b        *ir.Block // the place where code is added
	pos      token.Pos // the position of the instruction being lowered, or the last known one
	posCache map[token.Pos]ir.Pos
	frame    *frame
	prologue []*ir.Value // the code at the kernel's start
}

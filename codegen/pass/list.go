package pass

import "github.com/kgen-go/kgen/codegen/ir"

// passes is the pipeline. The order matters; each row's reason for standing
// where it does is in its comment.
var passes = []Pass{
	// What sroa leaves of a variable's parts are scalars for mem2reg.
	{Name: "sroa", Doc: "split variables into their parts", Run: sroa},
	// Everything after it looks at values, not at memory.
	{Name: "mem2reg", Doc: "turn scalar variables into values", Run: mem2reg},
	// Checks and dead lanes are branches by now; nothing after it adds any.
	{Name: "structurize", Doc: "give control flow SPIR-V's structure", Run: structurize, Level: ir.Structured},
}

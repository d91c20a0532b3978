// Package pass holds the transformations of package ir's modules, as data in a
// stated order.
package pass

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Pass is one transformation. Its name is what -dump takes.
type Pass struct {
	Name string
	Doc  string
	// Run transforms the module. Diagnostics are about the user's kernel; a bug
	// in kgen panics.
	Run func(m *ir.Module) diag.List
	// Level, if not Built, is the level that the module has after the pass.
	Level ir.Level
}

// Run runs the passes in order and stops after the first that reports
// diagnostics. after, which may be nil, is called after every pass.
func Run(m *ir.Module, after func(p *Pass, m *ir.Module)) diag.List {
	for i := range passes {
		p := &passes[i]
		if d := p.Run(m); len(d) > 0 {
			return d
		}
		m.Level = max(m.Level, p.Level)
		if after != nil {
			after(p, m)
		}
	}
	return nil
}

// Passes returns the passes in order.
func Passes() []Pass { return passes[:] }

// Package pass holds the transformations of package ir's modules: passes lists them in the
// order in which they run, and passOrder says which must run before which, and why. An init
// function compares the two.
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
	// Check, if not nil, reports what Run would, also of code that the passes
	// before have not been through.
	Check func(m *ir.Module) diag.List
	// Level, if not Built, is the level that the module has after the pass.
	Level ir.Level
}

// Run runs the passes in order. After the first that reports diagnostics it asks
// the others for theirs and stops. after, which may be nil, is called after every
// pass.
func Run(m *ir.Module, after func(p *Pass, m *ir.Module)) diag.List {
	for i := range passes {
		p := &passes[i]
		if diags := p.Run(m); len(diags) > 0 {
			for _, p := range passes[i+1:] {
				if p.Check != nil {
					diags = append(diags, p.Check(m)...)
				}
			}
			return diags
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

// clean tidies up after a pass that copied code.
func clean(m *ir.Module) diag.List {
	if diags := runSimplify(m); len(diags) > 0 {
		return diags
	}
	runCSE(m)
	return runDCE(m)
}

// maker makes what is to stand before, behind or instead of a value.
type maker struct {
	f    *ir.Func
	at   *ir.Value
	made []*ir.Value
}

// op makes a value of type t where at stands.
func (m *maker) op(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := m.f.NewValue(op, t, args...)
	v.Block, v.Pos = m.at.Block, m.at.Pos
	m.made = append(m.made, v)
	return v
}

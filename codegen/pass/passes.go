package pass

// This file has the type Pass and Run, which applies the list of passes to a module.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// Pass is one transformation. Its name is what -dump takes.
type Pass struct {
	Name string
	Doc  string
	// Run transforms the module. Diagnostics are about the user's kernel; a bug
	// in kgen panics.
	Run func(m *ir.Module) diag.List
	// RunNoting is there instead of Run where the pass also notes something in the result.
	RunNoting func(m *ir.Module, r *facts.Result) diag.List
	// Check, if not nil, reports what Run would, also of code that the passes
	// before have not been through.
	Check func(m *ir.Module) diag.List
	// GoesOn says that the module is whole after Run has reported diagnostics, so that the passes
	// behind can look for what else is wrong.
	GoesOn bool
	// Level, if not Built, is the level that the module has after the pass.
	Level ir.Level
}

// LinkPoint is the pass behind which modules can be linked (see package link): products and
// sums are settled, what is internal is no argument any more, arrays are not copied for nothing, and
// nothing depends on the target yet.
const LinkPoint = "arrays"

// LateLinkPoint is the pass behind which modules can be linked that have barriers: each part's
// work-items that return early have become dead lanes of that part by then, and those lanes live
// again in the next part.
const LateLinkPoint = "deadlanes"

// Run makes a module, as it was lowered, one for a target: it runs the passes in order. After
// the first that reports diagnostics it asks the others for theirs and stops. after, which may
// be nil, is called after every pass.
func Run(m *ir.Module, target ir.Target, after func(p *Pass, m *ir.Module)) (*facts.Result, diag.List) {
	return RunFrom("", m, target, after)
}

// RunFrom is Run for a module that has been through the passes up to the one called last; ""
// is none.
func RunFrom(last string, m *ir.Module, target ir.Target, after func(p *Pass, m *ir.Module)) (*facts.Result, diag.List) {
	return runBetween(last, "", m, target, after)
}

// ForLateLink takes a module on from LinkPoint to LateLinkPoint.
func ForLateLink(m *ir.Module) diag.List {
	_, diags := runBetween(LinkPoint, LateLinkPoint, m, ir.Target{}, nil)
	return diags
}

// HostPoint is the pass after which no target has made a difference yet, and barriers, group
// algorithms, atomic operations and faults still are single operations. Host forms are made
// from the module as it is there.
const HostPoint = "narrow"

// HasMatrices reports whether a module, as it was lowered, has matrices.
func HasMatrices(m *ir.Module) bool {
	return slices.ContainsFunc(m.Kernel.Vars, func(v *ir.Var) bool { return v.Type.Matrix != nil })
}

// ForHostMatrices takes a module with matrices on from LinkPoint to HostPoint: its host form holds them whole.
func ForHostMatrices(m *ir.Module) diag.List {
	_, diags := runBetween(LinkPoint, HostPoint, m, ir.Target{Host: true}, nil)
	return diags
}

// runBetween runs the passes behind the one called last, up to and including the one called
// until; "" is the first and the last of all.
func runBetween(last, until string, m *ir.Module, target ir.Target, after func(p *Pass, m *ir.Module)) (*facts.Result, diag.List) {
	listInOrder()
	m.Target = m.Target.Add(target)
	r := &facts.Result{}
	begin := 1 + slices.IndexFunc(passes, func(p Pass) bool { return p.Name == last })
	if begin == 0 && last != "" {
		panic("BUG: there is no pass " + last)
	}
	if last == LinkPoint {
		m.Renumber()
	}
	var diags diag.List
	for i := begin; i < len(passes); i++ {
		p := &passes[i]
		found := p.run(m, r)
		if diags = append(diags, found...); len(found) > 0 && !p.GoesOn {
			for _, p := range passes[i+1:] {
				if p.Check != nil {
					diags = append(diags, p.Check(m)...)
				}
			}
			return r, diags
		}
		m.Level = max(m.Level, p.Level)
		if p.Name == LinkPoint {
			m.Renumber() // as Parse would number what is behind this point
		}
		if after != nil {
			after(p, m)
		}
		if p.Name == until {
			break
		}
	}
	return r, diags
}

// run runs one pass.
func (p *Pass) run(m *ir.Module, r *facts.Result) diag.List {
	if p.RunNoting != nil {
		return p.RunNoting(m, r)
	}
	return p.Run(m)
}

// Passes returns the passes in order.
func Passes() []Pass { return passes[:] }

package pass

// This file has the type Pass, and the function Run, which applies the list of passes to a module.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// Pass is one transformation of modules. The name of a Pass can be given to kgen's flag -dump.
type Pass struct {
	Name string
	Doc  string
	// Run transforms the module. Run returns diagnostics about the user's kernel. Run panics if
	// kgen has a bug.
	Run func(m *ir.Module) diag.List
	// RunNoting is set instead of Run if the pass also records facts in the facts.Result.
	RunNoting func(m *ir.Module, r *facts.Result) diag.List
	// Check, if not nil, reports the diagnostics that Run would report. Check also accepts code
	// that the earlier passes have not processed.
	Check func(m *ir.Module) diag.List
	// GoesOn is set if the module remains valid when Run reports diagnostics, so that later passes
	// can find more errors.
	GoesOn bool
	// Level is the level of the module after the pass. If Level is Built, the pass does not change
	// the level.
	Level ir.Level
}

// LinkPoint is the pass after which modules can be linked (see package link). After LinkPoint,
// products and sums are fused, internal slices are no longer arguments, and needless copies of
// arrays are removed. The code at LinkPoint does not depend on the target yet.
const LinkPoint = "arrays"

// LateLinkPoint is the pass after which modules with barriers can be linked. At LateLinkPoint, the
// work-items that return early from a part of a kernel have become dead lanes. Dead lanes of one
// part of a kernel are live again in the next part.
const LateLinkPoint = "deadlanes"

// Run compiles a lowered module for a target, by running the passes in order. When a pass reports
// diagnostics and its field GoesOn is false, Run collects the diagnostics of the later passes'
// Check functions and stops. If afterPass is not nil, Run calls it after every pass.
func Run(m *ir.Module, target ir.Target, afterPass func(p *Pass, m *ir.Module)) (*facts.Result, diag.List) {
	return RunFrom("", m, target, afterPass)
}

// RunFrom is like Run, but runs only the passes after the given pass. If last is "", RunFrom runs
// all passes.
func RunFrom(last string, m *ir.Module, target ir.Target, afterPass func(p *Pass, m *ir.Module)) (*facts.Result, diag.List) {
	return runBetween(last, "", m, target, afterPass)
}

// ForLateLink runs the passes after LinkPoint, up to LateLinkPoint.
func ForLateLink(m *ir.Module) diag.List {
	_, diags := runBetween(LinkPoint, LateLinkPoint, m, ir.Target{}, nil)
	return diags
}

// HostPoint is the pass after which package gohost makes host forms from the module. At HostPoint,
// the code is still the same for all targets, and barriers, group algorithms, atomic operations and
// faults are still single ops.
const HostPoint = "narrow"

// HasMatrices reports whether a lowered module has matrices.
func HasMatrices(m *ir.Module) bool {
	return slices.ContainsFunc(m.Kernel.Vars, func(v *ir.Var) bool { return v.Type.Matrix != nil })
}

// ForHostMatrices runs the passes after LinkPoint, up to HostPoint, on a module with matrices. The
// host form of the module stores each matrix as a whole, instead of divided among the work-items.
func ForHostMatrices(m *ir.Module) diag.List {
	_, diags := runBetween(LinkPoint, HostPoint, m, ir.Target{Host: true}, nil)
	return diags
}

// runBetween runs the passes after the pass "last", up to and including the pass "until". If `last`
// is empty, runBetween starts with the first pass. If `until` is empty, runBetween ends after the
// last pass.
func runBetween(last, until string, m *ir.Module, target ir.Target, afterPass func(p *Pass, m *ir.Module)) (*facts.Result, diag.List) {
	listInOrder()
	m.Target = m.Target.Add(target)
	r := &facts.Result{}
	begin := 1 + slices.IndexFunc(allPasses, func(p Pass) bool { return p.Name == last })
	if begin == 0 && last != "" {
		panic("BUG: there is no pass " + last)
	}
	if last == LinkPoint {
		m.Renumber()
	}
	var diags diag.List
	for i := begin; i < len(allPasses); i++ {
		p := &allPasses[i]
		found := p.runPass(m, r)
		if diags = append(diags, found...); len(found) > 0 && !p.GoesOn {
			for _, p := range allPasses[i+1:] {
				if p.Check != nil {
					diags = append(diags, p.Check(m)...)
				}
			}
			return r, diags
		}
		m.Level = max(m.Level, p.Level)
		if p.Name == LinkPoint {
			m.Renumber() // Renumber assigns the ids that Parse would assign when it reads the module's text
		}
		if afterPass != nil {
			afterPass(p, m)
		}
		if p.Name == until {
			break
		}
	}
	return r, diags
}

// runPass calls the pass's function Run or RunNoting.
func (p *Pass) runPass(m *ir.Module, r *facts.Result) diag.List {
	if p.RunNoting != nil {
		return p.RunNoting(m, r)
	}
	return p.Run(m)
}

// Passes returns the passes in order.
func Passes() []Pass { return allPasses[:] }

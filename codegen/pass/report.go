package pass

// This file creates the report that kgen -explain prints. The report lists the checks that were
// proved, and the checks that remain. It also lists the integers that keep 64 bits, and the
// elements of slices that work-items use. The file report_why.go finds the reasons why checks
// remain and integers keep 64 bits.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
)

// Proof is the kind of proof that made a check unnecessary.
type Proof string

// These are the kinds of proofs, in the order in which reports list them.
const (
	ProofConstant  Proof = "constants"
	ProofRepeated  Proof = "an equal check before it"
	ProofRange     Proof = "range"
	ProofCondition Proof = "dominating condition"
	ProofLoop      Proof = "loop induction"
	ProofItem      Proof = "work-item id against range"
	ProofLength    Proof = "equal lengths"
	ProofDead      Proof = "never reached"
)

// Proofs returns all kinds of proofs, in the order in which reports list them.
func Proofs() []Proof {
	return []Proof{ProofConstant, ProofRepeated, ProofRange, ProofCondition, ProofLoop, ProofItem, ProofLength, ProofDead}
}

// Report describes which checks of a kernel were proved, which 64-bit integers were narrowed, and
// how the kernel uses its slices.
type Report struct {
	Proved   map[Proof]int
	Open     []OpenCheck // remaining checks, in the order of the code
	Narrowed int         // number of 64-bit values that are computed in 32 bits
	Wide     []WideValue // values that must be computed in 64 bits
	// Params are the kernel's parameters. The list Footprints describes, for each parameter, the
	// elements that the kernel uses.
	Params     []abi.Param
	Footprints []facts.Footprint
	// Matrices describes how known devices run the kernel's operations on matrices. Matrices is nil
	// if it was not computed.
	Matrices []MatrixUse
	// MatrixMemory describes the work-group memory for matrices in the module for devices without
	// matrix hardware.
	MatrixMemory []MatrixMemory
}

// OpenCheck describes a check that could not be proved. The field Reason relates A and B, which are
// the arguments of the check's fault. The report prints A and B as expressions of the source.
type OpenCheck struct {
	Site   *ir.Site
	Reason Reason
	Ahead  bool // whether the check is hoisted, so that it is executed once before its loops
}

// WideValue describes a 64-bit computation that could not be narrowed.
type WideValue struct {
	Pos    ir.Pos
	Op     ir.Op
	Reason Reason
}

// Explain runs the passes like Run, and returns a report. The report contains the results of the
// passes bounds and narrow, and the footprints of the kernel after the pass fuse.
func Explain(m *ir.Module) (*Report, diag.List) {
	e := &explainer{r: &Report{Proved: map[Proof]int{}}, left: checkValues(m)}
	for i := range allPasses {
		p := &allPasses[i]
		run := p.runPass
		switch p.Name {
		case "bounds":
			run = e.explainBounds
		case "narrow":
			run = e.explainNarrow
		}
		if diags := run(m, &facts.Result{}); len(diags) > 0 {
			return nil, diags
		}
		m.Level = max(m.Level, p.Level)
		switch p.Name {
		case "simplify":
			e.countRemoved(m, ProofConstant)
		case "dce":
			e.countRemoved(m, ProofRepeated)
		case "fuse":
			e.r.Params, e.r.Footprints = slices.Clone(m.Params), facts.Footprints(m)
		case "ahead":
			e.markHoisted(m)
		}
	}
	return e.r, nil
}

type explainer struct {
	r    *Report
	left map[*ir.Value]bool // faults of the checks that were not yet proved
}

// checkValues returns the set of faults of m's checks. A panic in the source is not a check.
func checkValues(m *ir.Module) map[*ir.Value]bool {
	all := map[*ir.Value]bool{}
	for _, b := range m.Kernel.ReversePostorder() {
		if v := checkIn(b); v != nil {
			all[v] = true
		}
	}
	return all
}

// checkIn returns the fault of the check that fails in block b, or nil.
func checkIn(b *ir.Block) *ir.Value {
	for _, v := range b.Insts {
		if v.Op == ir.OpFault && v.Aux.(*ir.Site).Kind != abi.FaultPanic {
			return v
		}
	}
	return nil
}

// countRemoved counts the checks that were removed since the last call. The report lists them as
// proved by the given kind of proof.
func (e *explainer) countRemoved(m *ir.Module, proofKind Proof) {
	now := checkValues(m)
	for v := range e.left {
		if !now[v] {
			delete(e.left, v)
			e.r.Proved[proofKind]++
		}
	}
}

// explainBounds runs the pass bounds and counts the checks that the pass proves.
func (e *explainer) explainBounds(m *ir.Module, r *facts.Result) diag.List {
	diags := checks.DecideBounds(m, r, func(d *checks.Decider, b, dead *ir.Block, how facts.Evidence) {
		if v := checkIn(dead); v != nil && e.left[v] && len(dead.Preds) == 1 {
			delete(e.left, v)
			e.r.Proved[proofOf(d, b.Term.Cond, how)]++
		}
	})
	e.countRemoved(m, ProofDead)
	d := checks.NewDecider(m, nil, nil)
	for _, b := range d.Ranges.Dom.Order {
		if b.Term.Kind != ir.Branch {
			continue
		}
		for _, s := range b.Term.Succs {
			if v := checkIn(s); v != nil {
				e.r.Open = append(e.r.Open, OpenCheck{Site: v.Aux.(*ir.Site), Reason: whyOpen(d, v, b)})
			}
		}
	}
	return diags
}

// markHoisted marks the open checks that loops.Ahead has hoisted. The faults of hoisted checks
// remain only in cold blocks, which run if a hoisted check fails.
func (e *explainer) markHoisted(m *ir.Module) {
	hot := map[*ir.Site]bool{}
	for _, b := range m.Kernel.ReversePostorder() {
		if v := checkIn(b); v != nil && !b.Cold {
			hot[v.Aux.(*ir.Site)] = true
		}
	}
	for i, o := range e.r.Open {
		e.r.Open[i].Ahead = !hot[o.Site]
	}
}

// proofOf returns the kind of proof for a branch with the known condition c. The argument "how" is
// the evidence for the condition.
func proofOf(d *checks.Decider, c *ir.Value, how facts.Evidence) Proof {
	switch {
	case how&facts.ByItem != 0:
		return ProofItem
	case how&facts.ByLength != 0:
		return ProofLength
	case how&facts.ByInduction != 0 || comparesCounter(d, c):
		return ProofLoop
	case how&facts.ByCondition != 0:
		return ProofCondition
	}
	return ProofRange
}

// comparesCounter reports whether the condition c compares the counter of a loop.
func comparesCounter(d *checks.Decider, c *ir.Value) bool {
	for _, x := range c.Args {
		if x.Type == ir.TypeBool {
			if comparesCounter(d, x) {
				return true
			}
			continue
		}
		if !x.Type.IsInt() {
			continue
		}
		if v := d.Prover.Term(x).Base; v != nil && v.Op == ir.OpPhi && isLoopHead(d.Ranges, v.Block) {
			return true
		}
	}
	return false
}

// isLoopHead reports whether block b is the head of a loop.
func isLoopHead(a *facts.Ranges, b *ir.Block) bool {
	for _, p := range b.Preds {
		if a.Dom.IsBackEdge(p, b) {
			return true
		}
	}
	return false
}

// explainNarrow runs the pass narrow and lists the values that still have 64 bits.
func (e *explainer) explainNarrow(m *ir.Module, r *facts.Result) diag.List {
	return numbers.NarrowValues(m, r, func(n *numbers.Narrower) {
		e.r.Narrowed = len(n.Set)
		seen := map[ir.Pos]bool{}
		for _, b := range n.Ranges.Dom.Order {
			for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
				for _, v := range vs {
					if ok, _ := numbers.NarrowOp(v.Op); !ok || v.Type != ir.TypeI64 || n.Set[v] {
						continue
					}
					pos := v.Pos
					if v.Op == ir.OpPhi {
						pos = stepPos(v)
					}
					if pos.File == "" || seen[pos] {
						continue
					}
					seen[pos] = true
					e.r.Wide = append(e.r.Wide, WideValue{pos, v.Op, whyWide(n, v)})
				}
			}
		}
	})
}

// stepPos returns the source position of the addition that increments the counter phi. If there is
// no such addition, stepPos returns the position of phi.
func stepPos(phi *ir.Value) ir.Pos {
	for _, x := range phi.Args {
		if x.Op == ir.OpIAdd && (x.Args[0] == phi || x.Args[1] == phi) {
			return x.Pos
		}
	}
	return phi.Pos
}

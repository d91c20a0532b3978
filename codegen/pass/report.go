package pass

// This file makes the report of which checks were proved, which remain, which integers stay 64
// bits wide, and which elements of slices work-items use: what kgen -explain prints. report_why.go finds the reasons.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
)

// Proof is what made a check unnecessary.
type Proof string

// The proofs, in the order in which reports have them.
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

// Proofs returns all of them.
func Proofs() []Proof {
	return []Proof{ProofConstant, ProofRepeated, ProofRange, ProofCondition, ProofLoop, ProofItem, ProofLength, ProofDead}
}

// Report says what became of a kernel's checks and of its 64-bit integers, and what the kernel
// does with its slices.
type Report struct {
	Proved   map[Proof]int
	Open     []OpenCheck // in order of code
	Narrowed int         // values that are computed in 32 bits instead of 64
	Wide     []WideValue // those that are not
	// Params are the kernel's parameters, and Footprints what it does with the memory of each.
	Params     []abi.Param
	Footprints []facts.Footprint
	// Matrices says how known devices run the kernel's matrices; nil if nobody asks.
	Matrices []MatrixUse
	// MatrixMemory is the work-group memory of expanded matrices, in the general module.
	MatrixMemory []MatrixMemory
}

// OpenCheck is a check that remains. The reasons are about A and B, the values of
// its fault, for which the reader puts the expressions of the source.
type OpenCheck struct {
	Site   *ir.Site
	Reason Reason
	Ahead  bool // it is made once for all rounds of its loops, ahead of them
}

// WideValue is a computation in 64 bits that may need them.
type WideValue struct {
	Pos    ir.Pos
	Op     ir.Op
	Reason Reason
}

// Explain runs the passes as Run does and reports what bounds and narrow did, and what the
// footprints are that fuse leaves.
func Explain(m *ir.Module) (*Report, diag.List) {
	e := &explainer{r: &Report{Proved: map[Proof]int{}}, left: checkValues(m)}
	for i := range passes {
		p := &passes[i]
		run := p.run
		switch p.Name {
		case "bounds":
			run = e.bounds
		case "narrow":
			run = e.narrow
		}
		if diags := run(m, &facts.Result{}); len(diags) > 0 {
			return nil, diags
		}
		m.Level = max(m.Level, p.Level)
		switch p.Name {
		case "simplify":
			e.gone(m, ProofConstant)
		case "dce":
			e.gone(m, ProofRepeated)
		case "fuse":
			e.r.Params, e.r.Footprints = slices.Clone(m.Params), facts.Footprints(m)
		case "ahead":
			e.ahead(m)
		}
	}
	return e.r, nil
}

type explainer struct {
	r    *Report
	left map[*ir.Value]bool // checks that are not proved yet, by their faults
}

// checkValues returns the faults of m's checks; a panic is none.
func checkValues(m *ir.Module) map[*ir.Value]bool {
	all := map[*ir.Value]bool{}
	for _, b := range m.Kernel.ReversePostorder() {
		if v := checkIn(b); v != nil {
			all[v] = true
		}
	}
	return all
}

// checkIn returns the fault that block b is there for, or nil.
func checkIn(b *ir.Block) *ir.Value {
	for _, v := range b.Insts {
		if v.Op == ir.OpFault && v.Aux.(*ir.Site).Kind != abi.FaultPanic {
			return v
		}
	}
	return nil
}

// gone counts the checks that are there no more.
func (e *explainer) gone(m *ir.Module, by Proof) {
	now := checkValues(m)
	for v := range e.left {
		if !now[v] {
			delete(e.left, v)
			e.r.Proved[by]++
		}
	}
}

// bounds is the pass bounds, with a count of what it proves.
func (e *explainer) bounds(m *ir.Module, r *facts.Result) diag.List {
	diags := checks.DecideBounds(m, r, func(d *checks.Decider, b, dead *ir.Block, how facts.Evidence) {
		if v := checkIn(dead); v != nil && e.left[v] && len(dead.Preds) == 1 {
			delete(e.left, v)
			e.r.Proved[proof(d, b.Term.Cond, how)]++
		}
	})
	e.gone(m, ProofDead)
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

// ahead notes which checks only code has now that work-items run for which those that
// were made ahead of it fail.
func (e *explainer) ahead(m *ir.Module) {
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

// proof names the kind of a proof that a branch's condition is known.
func proof(d *checks.Decider, c *ir.Value, how facts.Evidence) Proof {
	switch {
	case how&facts.ByItem != 0:
		return ProofItem
	case how&facts.ByLength != 0:
		return ProofLength
	case how&facts.ByInduction != 0 || counts(d, c):
		return ProofLoop
	case how&facts.ByCondition != 0:
		return ProofCondition
	}
	return ProofRange
}

// counts reports whether a condition is about the counter of a loop.
func counts(d *checks.Decider, c *ir.Value) bool {
	for _, x := range c.Args {
		if x.Type == ir.TypeBool {
			if counts(d, x) {
				return true
			}
			continue
		}
		if !x.Type.IsInt() {
			continue
		}
		if v := d.Prover.Term(x).Base; v != nil && v.Op == ir.OpPhi && heads(d.Ranges, v.Block) {
			return true
		}
	}
	return false
}

// heads reports whether a block is the head of a loop.
func heads(a *facts.Ranges, b *ir.Block) bool {
	for _, p := range b.Preds {
		if a.Dom.IsBackEdge(p, b) {
			return true
		}
	}
	return false
}

// narrow is the pass narrow, with a list of what it leaves wide.
func (e *explainer) narrow(m *ir.Module, r *facts.Result) diag.List {
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

// stepPos is where the counter that a phi is goes on.
func stepPos(phi *ir.Value) ir.Pos {
	for _, x := range phi.Args {
		if x.Op == ir.OpIAdd && (x.Args[0] == phi || x.Args[1] == phi) {
			return x.Pos
		}
	}
	return phi.Pos
}

package pass

// This file prepares modules for the host device. Package gohost generates Go code from the
// prepared modules.

import (
	"cmp"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
)

// ForHost prepares a module, after the pass narrow, for compilers with few loop optimizations, such
// as Go's. ForHost unrolls loops with a small constant number of iterations, and turns small
// branches into selections. Then ForHost analyses which values are uniform and which loops are
// short.
func ForHost(m *ir.Module) *uniform.Info {
	f := m.Kernel
	withinRange(m)
	dropOperands(m)
	hostConstants(m)
	f.RemoveUnreachable()
	rewrite.SingleLatches(f)
	for tried := map[*ir.Block]bool{}; loops.UnrollOne(f, tried, (*loops.Loop).WorthOnHost); {
		simplify.Clean(m)
	}
	memory.Arrays(m) // unrolling has made the indices of arrays constant
	for simplify.SelectBranches(f) {
		simplify.Clean(m)
	}
	f.RemoveUnreachable()
	rewrite.SingleLatches(f)
	u := uniform.Of(f)
	u.ShortLoops = loops.CostOfLoops(f).Short
	cutBeforeLoops(m, u)
	return u
}

// dropOperands replaces each named result (an op with ir.FlagNamed) by its first argument, which is
// the code that computes the result. The host has no instruction for a named result. dropOperands
// also removes the code that computes the other arguments of named results, unless that code has
// other uses.
func dropOperands(m *ir.Module) {
	named := false
	for _, f := range rewrite.Bodies(m) {
		rewrite.ReplaceUses(f, func(v *ir.Value) *ir.Value {
			for v.Op.Has(ir.FlagNamed) {
				v, named = v.Args[0], true
			}
			return v
		})
	}
	if named {
		simplify.Clean(m)
	}
}

// hostConstants sets the reserved specialization constants that describe the device. The host
// supports subnormals and has a fast FMA.
func hostConstants(m *ir.Module) {
	known := map[*ir.Value]*ir.Value{}
	for _, s := range m.Specs {
		switch s.ID {
		case abi.SpecFlushed:
			known[m.SpecValue(s)] = m.Int(ir.TypeI32, 0)
		case abi.SpecFused, abi.SpecFused64:
			known[m.SpecValue(s)] = m.Bool(true)
		}
	}
	if len(known) == 0 {
		return
	}
	for _, f := range rewrite.Bodies(m) {
		rewrite.ReplaceUses(f, func(v *ir.Value) *ir.Value { return cmp.Or(known[v], v) })
	}
	simplify.Clean(m)
}

// Common analyses a module, after the pass narrow, and returns the values and blocks that are
// uniform in a work-group. The analysis is made on a clone of the module, which Common also
// returns. The values and blocks of the clone have the same ids as the originals. The clone also
// contains blocks that SingleLatches inserts, as for the pass deadlanes.
func Common(m *ir.Module) (*ir.Module, *uniform.Info) {
	m = m.Clone()
	allExist(m)
	m.Kernel.RemoveUnreachable()
	rewrite.SingleLatches(m.Kernel)
	return m, uniform.Of(m.Kernel)
}

// withinRange removes the checks that a work-item's id is within the launch's range. The host runs
// only work-items within the range, so the checks of the ids always pass.
func withinRange(m *ir.Module) {
	if m.Form == abi.Range {
		allExist(m)
		simplify.Run(m)
		simplify.DCE(m)
	}
}

// allExist replaces the checks that a work-item's id is within the launch's range by true.
func allExist(m *ir.Module) {
	if m.Form != abi.Range {
		return
	}
	exists := func(v *ir.Value) bool {
		if v.Op != ir.OpULt || v.Args[0].Op != ir.OpBuiltIn || v.Args[1].Op != ir.OpArg {
			return false
		}
		d := v.Args[0].Aux.(ir.BuiltIn) - ir.GlobalInvocationIDX
		return d < 3 && v.Args[1].Bits == uint64(abi.OffsetRange+4*int(d))
	}
	repl := map[*ir.Value]*ir.Value{}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if exists(v) {
				repl[v] = m.Bool(true)
			}
		}
	}
	rewrite.ReplaceUses(m.Kernel, (&rewrite.Promoter{Repl: repl}).Resolve)
}

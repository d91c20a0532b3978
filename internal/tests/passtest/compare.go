package passtest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/testflag"
)

var seeds = testflag.Int("seeds", uint64(400), 1, math.MaxInt, "number of random functions")

// Count returns the number of random functions that a test generates.
func Count() uint64 { return min(*seeds, uint64(sample.Of(math.MaxInt, 100))) }

// RandomCFG returns a random function. Equal seeds give equal functions.
func RandomCFG(seed uint64) *CFG {
	g := NewCFG(seed)
	if seed%2 == 0 {
		g.randomGraph(2 + g.r.IntN(24))
	} else {
		g.randomProgram(3 + g.r.IntN(40))
	}
	if len(structurize.CheckReducible(g.M)) > 0 {
		// Merging blocks occasionally makes a function irreducible.
		return RandomCFG(seed + 1<<32)
	}
	g.Fill()
	g.loudLoops()
	return g
}

// runTrace runs the function from the given state, and returns its effects.
func (g *CFG) runTrace(state uint64) ([]uint64, bool, error) {
	m := &Machine{Out: g.Out, seed: g.Seed, state: state, Limit: 150}
	done, err := m.Run(g.F)
	if len(m.Trace) >= m.Limit { // a block that reaches the limit runs to its end, so the trace may be longer
		return m.Trace[:m.Limit], false, err
	}
	return m.Trace, done, err
}

// Compare compares the effects of the random function g before and after a call of `pass`, which changes g.
func Compare(g *CFG, pass func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := CheckSSA(g.F); err != nil {
		return fmt.Errorf("generator: %w", err)
	}
	const runs = 8
	var want [runs][]uint64
	var wantDone [runs]bool
	for i := range want {
		if want[i], wantDone[i], err = g.runTrace(uint64(i)); err != nil {
			return fmt.Errorf("generator: %w", err)
		}
	}
	pass()
	if err := CheckSSA(g.F); err != nil {
		return err
	}
	for i := range want {
		got, done, err := g.runTrace(uint64(i))
		if err != nil {
			return err
		}
		if !slices.Equal(got, want[i]) || done != wantDone[i] {
			return fmt.Errorf("run %d: trace %v, %v; want %v, %v", i, got, done, want[i], wantDone[i])
		}
	}
	return nil
}

// CheckStructured checks that the function obeys the rules of the level Structured.
func (g *CFG) CheckStructured() error {
	g.M.Level = ir.Structured
	if err := Verify(g.M); err != nil {
		return err
	}
	return CheckStructured(g.F)
}

// Verify does the same as ir.Verify, but allows unreachable blocks, because infinite loops need
// such merge blocks.
func Verify(m *ir.Module) error {
	err := ir.Verify(m)
	if err == nil {
		return nil
	}
	for _, s := range strings.Split(err.Error(), "\n") {
		if m.Level < ir.Structured || !strings.HasSuffix(s, ": unreachable") {
			return err
		}
	}
	return nil
}

// Show prints a function's blocks.
func Show(f *ir.Func) string {
	var s []byte
	for _, b := range f.Blocks {
		s = fmt.Appendf(s, "b%d:", b.ID)
		if b.Merge != nil {
			s = fmt.Appendf(s, " merge b%d", b.Merge.ID)
		}
		if b.Continue != nil {
			s = fmt.Appendf(s, " continue b%d", b.Continue.ID)
		}
		s = append(s, '\n')
		for _, v := range append(slices.Clone(b.Phis), b.Insts...) {
			s = fmt.Appendf(s, "\t%%%d = %v %v", v.ID, v.Op, v.Type)
			if r := v.Ref(); r != nil {
				s = fmt.Appendf(s, " %s%d", r.Var.Name, r.Var.ID)
			}
			for i, a := range v.Args {
				if a.IsConst() {
					s = fmt.Appendf(s, " %d", a.Bits)
				} else {
					s = fmt.Appendf(s, " %%%d", a.ID)
				}
				if v.Op == ir.OpPhi {
					s = fmt.Appendf(s, ":b%d", b.Preds[i].ID)
				}
			}
			s = append(s, '\n')
		}
		s = fmt.Appendf(s, "\t%v", b.Term.Kind)
		if c := b.Term.Cond; c != nil {
			s = fmt.Appendf(s, " %%%d", c.ID)
		}
		for _, x := range b.Term.Succs {
			s = fmt.Appendf(s, " b%d", x.ID)
		}
		s = append(s, '\n')
	}
	return string(s)
}

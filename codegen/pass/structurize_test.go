package pass

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/testflag"
)

var seeds = testflag.Int("seeds", uint64(400), 1, math.MaxInt, "number of random functions")

// count returns the number of random functions that a test makes.
func count() uint64 { return min(*seeds, uint64(sample.Of(math.MaxInt, 100))) }

// random returns a random function; the same one for the same seed.
func random(seed uint64) *cfgGen {
	g := newCFGGen(seed)
	if seed%2 == 0 {
		g.graph(2 + g.r.IntN(24))
	} else {
		g.program(3 + g.r.IntN(40))
	}
	if len(structurize.CheckReducible(g.m)) > 0 {
		// Merging blocks does that now and then.
		return random(seed + 1<<32)
	}
	g.fill()
	g.loudLoops()
	return g
}

// trace runs f from the given state.
func (g *cfgGen) trace(state uint64) ([]uint64, bool, error) {
	m := &machine{out: g.out, seed: g.seed, state: state, limit: 150}
	done, err := m.run(g.f)
	if len(m.trace) >= m.limit { // blocks are run to their ends
		return m.trace[:m.limit], false, err
	}
	return m.trace, done, err
}

// compare runs pass over a random function and compares what it does.
func compare(g *cfgGen, pass func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := checkSSA(g.f); err != nil {
		return fmt.Errorf("generator: %w", err)
	}
	const runs = 8
	var want [runs][]uint64
	var wantDone [runs]bool
	for i := range want {
		if want[i], wantDone[i], err = g.trace(uint64(i)); err != nil {
			return fmt.Errorf("generator: %w", err)
		}
	}
	pass()
	if err := checkSSA(g.f); err != nil {
		return err
	}
	for i := range want {
		got, done, err := g.trace(uint64(i))
		if err != nil {
			return err
		}
		if !slices.Equal(got, want[i]) || done != wantDone[i] {
			return fmt.Errorf("run %d: trace %v, %v; want %v, %v", i, got, done, want[i], wantDone[i])
		}
	}
	return nil
}

func TestStructurizeRandom(t *testing.T) {
	for seed := range count() {
		g := random(seed)
		err := compare(g, func() {
			if ds := structurize.Run(g.m); len(ds) > 0 {
				panic(ds)
			}
		})
		if err == nil {
			err = g.checkStructured()
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, show(g.f))
		}
	}
}

func TestMem2regRandom(t *testing.T) {
	for seed := range count() {
		g := random(seed)
		err := compare(g, func() { rewrite.Mem2Reg(g.m) })
		if err == nil && len(g.f.Vars) > 0 {
			err = fmt.Errorf("variables are left")
		}
		if err == nil {
			err = verify(g.m)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, show(g.f))
		}
	}
}

// The neighbours in the list keep what structurize makes, and it copes with
// what they make.
func TestStructurizeAmongOthers(t *testing.T) {
	names := []string{"sroa", "mem2reg", "simplify", "cse", "dce", "structurize", "simplify3", "dce3"}
	for seed := range count() {
		g := random(seed)
		at := ""
		err := compare(g, func() {
			for _, p := range Passes() {
				if slices.Contains(names, p.Name) {
					at = p.Name
					p.Run(g.m)
					g.m.Level = max(g.m.Level, p.Level)
					if err := verify(g.m); err != nil {
						panic(err)
					}
				}
			}
		})
		if err == nil {
			err = g.checkStructured()
		}
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, at, err, show(g.f))
		}
	}
}

// checkStructured checks the rules of level Structured.
func (g *cfgGen) checkStructured() error {
	g.m.Level = ir.Structured
	if err := verify(g.m); err != nil {
		return err
	}
	return checkStructured(g.f)
}

// verify is ir.Verify, but for merge blocks that nothing jumps to: those of
// infinite loops must be there.
func verify(m *ir.Module) error {
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

// TestStructurizeSame checks that the output depends on nothing but the input.
func TestStructurizeSame(t *testing.T) {
	for seed := range uint64(100) {
		a, b := random(seed), random(seed)
		structurize.Run(a.m)
		structurize.Run(b.m)
		if show(a.f) != show(b.f) {
			t.Fatalf("seed %d:\n%s\nand\n%s", seed, show(a.f), show(b.f))
		}
	}
}

// show prints a function's blocks.
func show(f *ir.Func) string {
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

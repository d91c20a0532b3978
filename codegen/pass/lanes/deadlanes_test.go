package lanes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// TestDeadLanesRandom compares random kernels under the host's rule, where work-
// items that have returned are not waited for, with what becomes of them, where
// all work-items must meet at every Sync op.
func TestDeadLanesRandom(t *testing.T) { deadLanesRandom(t, false) }

// TestDeadLanesArrays has arrays of a work-item's own, too, in some of which all work-items
// have the same.
func TestDeadLanesArrays(t *testing.T) { deadLanesRandom(t, true) }

func deadLanesRandom(t *testing.T, arrays bool) {
	accepted, left, even := 0, 0, 0
	for seed := range passtest.Count() {
		g := passtest.NewLaneGenOf(seed, arrays && seed%2 > 0, arrays)
		if ds := rewrite.Mem2Reg(g.M); len(ds) > 0 {
			t.Fatal(ds)
		}
		m := &passtest.LaneMachine{F: g.F, Out: g.Out, In: g.In, Size: 5, Limit: 4000}
		var want [4][][]uint64
		var errs [4]error
		for i := range want {
			m.Args = []uint64{uint64(i), uint64(i >> 1), 3, uint64(i * 5)}
			want[i], errs[i] = m.Run()
		}
		simplify.Run(g.M)
		simplify.CSE(g.M)
		simplify.Run(g.M)
		simplify.DCE(g.M)
		before := g.M.String()
		compare := func(after string) {
			if err := ir.Verify(g.M); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s\n%v", seed, after, err, before, g.M)
			}
			for i := range want {
				m.Args = []uint64{uint64(i), uint64(i >> 1), 3, uint64(i * 5)}
				got, err := m.Run()
				if err != nil || errs[i] != nil || !slices.EqualFunc(got, want[i], slices.Equal) {
					t.Fatalf("seed %d, %s, run %d: %v, %v\n got %v\nwant %v\n%s\n%v", seed, after, i, errs[i], err, got, want[i], before, g.M)
				}
			}
		}
		if ds := lanes.DeadLanes(g.M); len(ds) > 0 {
			if !slices.ContainsFunc(errs[:], func(err error) bool { return err != nil }) {
				even++ // rejected, though these runs went well
			}
			continue
		}
		accepted++
		if g.M.String() != before {
			left++
		}
		m.Strict = true
		compare("deadlanes")
		lanes.ZeroLocal(g.M)
		compare("zerolocal")
		simplify.Run(g.M)
		simplify.CSE(g.M)
		simplify.DCE(g.M)
		compare("simplify")
		structurize.Run(g.M)
		g.M.Level = ir.Structured
		simplify.Run(g.M)
		simplify.DCE(g.M)
		compare("structurize")
		if text := g.M.String(); strings.Contains(text, "GroupAny") || strings.Contains(text, "GroupUniform") {
			continue // which has been made of other ops by then
		}
		lanes.Expand(g.M, nil)
		g.M.Level = ir.Legal
		compare("expand")
	}
	t.Logf("%d kernels: %d accepted, %d of them changed; %d rejected without need in these runs", passtest.Count(), accepted, left, even)
	if left < int(passtest.Count()/10) {
		t.Errorf("too few kernels are accepted")
	}
}

// groupKernel builds a kernel over blocks named by letters from an edge list
// such as "a:v?b:c b>d", where v and u are a varying and a uniform condition, n
// counts the rounds of the loop that the block heads, and a capital letter is a
// block with a barrier. Blocks without an edge return.
func groupKernel(edges string) *ir.Module {
	m := ir.NewModule("t")
	m.UsesGroup, m.Form, m.Rank, m.ArgSize = true, abi.NDRange, 1, 16
	f := m.NewFunc("main")
	m.Kernel = f
	blocks := map[string]*ir.Block{}
	block := func(s string) *ir.Block {
		b := blocks[s]
		if b == nil {
			b = f.Blocks[0]
			if len(blocks) > 0 {
				b = f.NewBlock()
			}
			blocks[s] = b
			line := int(s[0])
			if s != strings.ToLower(s) {
				v := b.Append(ir.OpBarrier, ir.TypeVoid)
				v.Aux, v.Pos = ir.ScopeWorkGroup, ir.Pos{File: "k.go", Line: line}
			}
		}
		return b
	}
	for _, e := range strings.Fields(edges) {
		if from, to, ok := strings.Cut(e, ">"); ok {
			block(from).Jump(block(to))
			continue
		}
		from, rest, _ := strings.Cut(e, ":")
		c, rest, _ := strings.Cut(rest, "?")
		yes, no, _ := strings.Cut(rest, ":")
		b := block(from)
		var v *ir.Value
		if c == "n" {
			v = b.NewPhi(ir.TypeI32)
			b.Append(ir.OpIAdd, ir.TypeI32, v, m.Int(ir.TypeI32, 1))
		} else if c == "u" {
			v = b.Append(ir.OpArg, ir.TypeI32)
			v.Bits = 24
		} else {
			v = b.Append(ir.OpBuiltIn, ir.TypeI32)
			v.Aux, v.Pos = ir.LocalInvocationIDX, ir.Pos{File: "k.go", Line: 7}
		}
		b.Branch(b.Append(ir.OpULt, ir.TypeBool, v, m.Int(ir.TypeI32, 3)), block(yes), block(no))
		b.Term.Pos = ir.Pos{File: "k.go", Line: int(from[0])}
	}
	for _, b := range f.Blocks {
		if b.Term.Kind == ir.Invalid {
			b.SetTerm(ir.Term{Kind: ir.Return})
		}
	}
	f.RemoveUnreachable()
	dom := f.Dominators()
	for _, b := range f.Blocks {
		for _, p := range b.Preds {
			for _, v := range b.Phis {
				if dom.Dominates(b, p) {
					v.Args = append(v.Args, b.Insts[0])
				} else {
					v.Args = append(v.Args, m.Int(ir.TypeI32, 0))
				}
			}
		}
	}
	return m
}

func TestDivergent(t *testing.T) {
	for _, c := range []struct {
		edges string
		lines []int // of the barriers that are reported
	}{
		{"a>B", nil},
		{"a:v?r:B", nil},                             // early return
		{"a:v?r:b b:u?r:B", nil},                     // if v || u { return }
		{"a:v?b:c b>d c>d d>B", nil},                 // an if before the barrier
		{"a:v?B:c B>c", []int{'B'}},                  // if v { barrier }
		{"a:u?B:c B>c", nil},                         // if u { barrier }
		{"a:v?B:C B>d C>d", []int{'B', 'C'}},         // in both arms
		{"a:v?h:r h:u?B:r B>h", []int{'B'}},          // if v { for u { barrier } }
		{"a>h h:u?B:r B>h", nil},                     // for u { barrier }
		{"a>h h:v?B:r B>h", []int{'B'}},              // for v { barrier }
		{"a>h h:n?b:r b:v?x:B B>h", nil},             // for u { if v { return }; barrier }
		{"a>h h:n?b:r b:v?r:B B>h", []int{'B'}},      // for u { if v { break }; barrier }
		{"a>h h:n?b:r b:v?h:B B>h", []int{'B'}},      // for u { if v { continue }; barrier }
		{"a>h h:n?B:r B>b b:v?h:c c>h", nil},         // for u { barrier; if v { continue }; c }
		{"a>h h:v?b:c b>h c>D", nil},                 // for v {}; barrier
		{"a>b b:v?x:C C>b", []int{'C'}},              // for { if v { return }; barrier }
		{"a>b b:v?x:C C:u?b:d", []int{'C'}},          // nothing that changes ends it
		{"a>h h:v?b:t b:u?x:C C>h", []int{'C'}},      // for v { if u { return }; barrier }
		{"a:v?b:c b:u?r:d d>c c>E", nil},             // if v { if u { return } }; barrier
		{"a:v?b:c b:u?r:d d>c c>h h:u?E:t E>h", nil}, // and a loop after it
		{"a:u?r:b b>C C:v?d:e d>e", nil},             // nothing after the last barrier counts
	} {
		m := groupKernel(c.edges)
		var lines []int
		for _, d := range lanes.DeadLanes(m) {
			if d.Code != diag.Divergent {
				t.Errorf("%s: %v", c.edges, d)
			}
			lines = append(lines, d.Pos.Line)
		}
		if !slices.Equal(lines, c.lines) {
			t.Errorf("%s: barriers %q are rejected, want %q", c.edges, fmt.Sprint(lines), fmt.Sprint(c.lines))
		}
	}
}

func TestDivergentMessage(t *testing.T) {
	ds := lanes.DeadLanes(groupKernel("a:v?B:c B>c"))
	var b strings.Builder
	ds.WriteText(&b)
	want := `k.go:66:0: KG401: this barrier must be reached by all work-items of the group or by none, but that depends on it.LocalID(), which differs between work-items
	k.go:97:0: work-items of one group part ways here
	k.go:7:0: it.LocalID(), which differs between work-items
	move the barrier out of the if or loop, and guard only the loads and stores
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

package loops

import (
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// countedLoop is a loop that goes on while n+k op end, where n begins with start and grows
// by step. Late says that the test comes after the step.
type countedLoop struct {
	t                   *ir.Type
	op                  ir.Op
	start, k, end, step int64
	swap, late          bool
}

// module returns a kernel with the loop, and its head.
func (c *countedLoop) module() (*ir.Module, *ir.Block) {
	m := ir.NewModule("K")
	f := m.NewFunc("main")
	m.Kernel = f
	entry, head, body, exit := f.Blocks[0], f.NewBlock(), f.NewBlock(), f.NewBlock()
	num := func(n int64) *ir.Value { return m.Int(c.t, n) }
	entry.Jump(head)
	n := head.NewPhi(c.t, num(c.start))
	at := head
	if c.late {
		head.Jump(body)
		at = body
	}
	next := body.Append(ir.OpIAdd, c.t, n, num(c.step))
	x := n
	if c.late {
		x = next
	}
	x, y := at.Append(ir.OpIAdd, c.t, x, num(c.k)), num(c.end)
	if c.swap {
		x, y = y, x
	}
	cond := at.Append(c.op, ir.TypeBool, x, y)
	if c.late {
		body.Branch(cond, head, exit)
	} else {
		head.Branch(cond, body, exit)
		body.Jump(head)
	}
	n.Args = append(n.Args, next)
	exit.SetTerm(ir.Term{Kind: ir.Return})
	return m, head
}

// rounds returns how often the head runs, up to most.
func (c *countedLoop) rounds(most int64) int64 {
	wrap := func(n int64) int64 {
		shift := 64 - c.t.Bits()
		return n << shift >> shift
	}
	mask := ^uint64(0) >> (64 - c.t.Bits())
	for n, i := c.start, int64(1); ; i++ {
		next := wrap(n + c.step)
		x := n
		if c.late {
			x = next
		}
		x, y := wrap(x+c.k), c.end
		if c.swap {
			x, y = y, x
		}
		on := map[ir.Op]bool{ir.OpSLt: x < y, ir.OpSLe: x <= y, ir.OpULt: uint64(x)&mask < uint64(y)&mask, ir.OpULe: uint64(x)&mask <= uint64(y)&mask,
			ir.OpIEq: x == y, ir.OpINe: x != y}[c.op]
		if !on || i >= most {
			return i
		}
		n = next
	}
}

// TestRounds compares the bounds of random loops with how often they go round, wrapping
// around where they do.
func TestRounds(t *testing.T) {
	const most = 4 * maxUnasked
	r := rand.New(rand.NewPCG(3, 4))
	ops := []ir.Op{ir.OpSLt, ir.OpSLe, ir.OpULt, ir.OpULe, ir.OpIEq, ir.OpINe}
	known := 0
	for range 20000 {
		c := countedLoop{t: []*ir.Type{ir.TypeI8, ir.TypeI16, ir.TypeI32, ir.TypeI64}[r.IntN(4)], op: ops[r.IntN(len(ops))], swap: r.IntN(2) == 0, late: r.IntN(2) == 0}
		full := facts.FullRange(c.t)
		pick := func() int64 {
			switch r.IntN(4) {
			case 0:
				return full.Lo + r.Int64N(4)
			case 1:
				return full.Hi - r.Int64N(4)
			}
			return max(min(r.Int64N(400)-200, full.Hi), full.Lo)
		}
		c.start, c.end, c.k, c.step = pick(), pick(), r.Int64N(7)-3, r.Int64N(9)-4
		m, head := c.module()
		dom := m.Kernel.Dominators()
		x := &roundCounter{Ranges: facts.NewRanges(m), dom: dom, outside: ir.NewModule("")}
		x.Ranges.Solve()
		loops := dom.Loops().All
		if len(loops) != 1 || loops[0].Head != head {
			t.Fatal("no loop")
		}
		n, ok := x.maxRounds(loops[0])
		if !ok {
			continue
		}
		known++
		if is := c.rounds(most); is > n && n < most {
			t.Errorf("%+v: a bound of %d rounds, but there are %d", c, n, is)
		}
	}
	if known < 2000 {
		t.Errorf("only %d loops have bounds", known)
	}
}

package checks_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// intProgram makes random programs over a few integers, with the comparisons
// and loops that kernels are full of. Each comparison leaves its outcome in a
// log in device memory.
type intProgram struct {
	r    *rand.Rand
	m    *ir.Module
	b    *ir.Block
	vars []*ir.Var
	at   *ir.Var // entries in the log
	fuel *ir.Var // rounds of loops that are left
	addr *ir.Value
	next int64 // number of the next comparison
	left int
}

const (
	logSize    = 1024
	proveShare = 3 // these programs are larger than those of other tests
)

func newIntProgram(seed uint64) *ir.Module {
	m := ir.NewModule("t")
	m.Form, m.Rank = abi.Range, 1
	for i := range 3 {
		s := &ir.Spec{ID: abi.SpecLocalSizeX + uint32(i), Name: "LocalSize" + "XYZ"[i:i+1], Type: ir.TypeI32, Default: 1}
		m.Specs = append(m.Specs, s)
	}
	m.Kernel = m.NewFunc("main")
	p := &intProgram{r: rand.New(rand.NewPCG(seed, 7)), m: m, b: m.Kernel.Blocks[0], left: 25}
	m.ArgSize = 8 + 16 + 16 + 8
	m.Params = []abi.Param{
		{Name: "Log", Kind: abi.Value, Type: "uint64", Offset: 0, Size: 8},
		{Name: "X", Kind: abi.Slice, Type: "[]int32", Offset: 8, Size: 16, ElemSize: 4},
		{Name: "Y", Kind: abi.Slice, Type: "[]int32", Offset: 24, Size: 16, ElemSize: 4},
		{Name: "N", Kind: abi.Value, Type: "int", Offset: 40, Size: 8},
	}
	arg := func(t *ir.Type, offset int) *ir.Value {
		v := p.b.Append(ir.OpArg, t)
		v.Bits = uint64(offset)
		return v
	}
	p.addr = arg(ir.TypeAddr, abi.OffsetArgs)
	p.at = m.NewVar(m.Kernel, ir.Function, "at", ir.TypeI64)
	p.fuel = m.NewVar(m.Kernel, ir.Function, "fuel", ir.TypeI64)
	p.store(p.at, p.num(0))
	p.store(p.fuel, p.num(40))
	id := p.b.Append(ir.OpBuiltIn, ir.TypeI32)
	id.Aux = ir.GlobalInvocationIDX
	n := arg(ir.TypeI32, abi.OffsetRange)
	p.when(p.b.Append(ir.OpULt, ir.TypeBool, id, n), func() {
		for _, v := range []*ir.Value{
			p.b.Append(ir.OpUConvert, ir.TypeI64, id), p.b.Append(ir.OpUConvert, ir.TypeI64, n),
			arg(ir.TypeI64, abi.OffsetArgs+16), arg(ir.TypeI64, abi.OffsetArgs+32), arg(ir.TypeI64, abi.OffsetArgs+40), p.num(0),
		} {
			x := m.NewVar(m.Kernel, ir.Function, "v", ir.TypeI64)
			p.store(x, v)
			p.vars = append(p.vars, x)
		}
		for p.left > 0 {
			p.statement(0)
		}
	}, nil)
	p.b.SetTerm(ir.Term{Kind: ir.Return})
	return m
}

func (p *intProgram) num(n int64) *ir.Value { return p.m.Int(ir.TypeI64, n) }

func (p *intProgram) store(v *ir.Var, x *ir.Value) {
	p.b.Append(ir.OpStore, ir.TypeVoid, x).Aux = &ir.Ref{Var: v}
}

func (p *intProgram) load(v *ir.Var) *ir.Value {
	x := p.b.Append(ir.OpLoad, v.Type)
	x.Aux = &ir.Ref{Var: v}
	return x
}

func (p *intProgram) when(c *ir.Value, yes, no func()) {
	a, b, end := p.m.Kernel.NewBlock(), p.m.Kernel.NewBlock(), p.m.Kernel.NewBlock()
	p.b.Branch(c, a, b)
	for _, arm := range []struct {
		b *ir.Block
		f func()
	}{{a, yes}, {b, no}} {
		p.b = arm.b
		if arm.f != nil {
			arm.f()
		}
		p.b.Jump(end)
	}
	p.b = end
}

// operand is mostly a variable, perhaps moved a little.
func (p *intProgram) operand() *ir.Value {
	switch p.r.IntN(8) {
	case 0:
		return p.num(p.r.Int64N(5) - 1)
	case 1, 2:
		return p.b.Append(ir.OpIAdd, ir.TypeI64, p.load(p.any()), p.num(p.r.Int64N(5)-2))
	}
	return p.load(p.any())
}

func (p *intProgram) any() *ir.Var { return p.vars[p.r.IntN(len(p.vars))] }

func (p *intProgram) expr() *ir.Value {
	x, y := p.operand(), p.operand()
	op := func(op ir.Op, a ...*ir.Value) *ir.Value { return p.b.Append(op, ir.TypeI64, a...) }
	switch p.r.IntN(12) {
	case 0, 1:
		return op(ir.OpIAdd, x, y)
	case 2, 3:
		return op(ir.OpISub, x, y)
	case 4:
		return op(ir.OpIMul, x, y)
	case 5:
		return op(ir.OpAnd, x, y)
	case 6:
		return op(ir.OpShrA, op(ir.OpIAdd, x, y), p.num(1))
	case 7:
		return op(ir.OpSDiv, x, p.num(1+p.r.Int64N(3)))
	case 8, 9:
		return op(ir.OpSelect, p.condition(), x, y)
	case 10:
		// A remainder, where that is defined.
		d := op(ir.OpSelect, p.b.Append(ir.OpSLt, ir.TypeBool, p.num(0), y), y, p.num(1))
		return op(ir.OpISub, x, op(ir.OpIMul, op(ir.OpSDiv, x, d), d))
	}
	return x
}

func (p *intProgram) condition() *ir.Value {
	ops := []ir.Op{ir.OpSLt, ir.OpSLt, ir.OpSLe, ir.OpULt, ir.OpULt, ir.OpULe, ir.OpIEq, ir.OpINe}
	return p.b.Append(ops[p.r.IntN(len(ops))], ir.TypeBool, p.operand(), p.operand())
}

// note logs a condition's outcome.
func (p *intProgram) note() { p.log(p.condition()) }

func (p *intProgram) log(c *ir.Value) {
	k := p.next
	p.next += 2
	log := func(n int64) func() {
		return func() {
			i := p.load(p.at)
			p.b.Append(ir.OpStore, ir.TypeVoid, p.num(n), p.addr, p.b.Append(ir.OpAnd, ir.TypeI64, i, p.num(logSize-1))).Aux = &ir.Ref{Elem: ir.TypeI64}
			p.store(p.at, p.b.Append(ir.OpIAdd, ir.TypeI64, i, p.num(1)))
		}
	}
	p.when(c, log(k), log(k+1))
}

func (p *intProgram) statement(depth int) {
	p.left--
	switch k := p.r.IntN(11); {
	case k == 10 && depth < 3:
		p.idiom()
	case k < 4:
		p.note()
	case k < 6 || depth > 3:
		p.store(p.any(), p.expr())
	case k < 8:
		body := func() {
			for range 1 + p.r.IntN(3) {
				p.statement(depth + 1)
			}
		}
		var no func()
		if p.r.IntN(3) == 0 {
			no = body
		}
		p.when(p.condition(), body, no)
	default:
		p.loop(depth)
	}
}

// while makes a loop that ends when the fuel is used up, too.
func (p *intProgram) while(cond func() *ir.Value, body func()) {
	f := p.m.Kernel
	head, in, fuelled, end := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
	p.b.Jump(head)
	p.b = head
	p.b.Branch(cond(), in, end)
	p.b = in
	left := p.load(p.fuel)
	p.store(p.fuel, p.b.Append(ir.OpIAdd, ir.TypeI64, left, p.num(-1)))
	p.b.Branch(p.b.Append(ir.OpSLt, ir.TypeBool, p.num(0), left), fuelled, end)
	p.b = fuelled
	body()
	p.b.Jump(head)
	p.b = end
}

// idiom is something that kernels have, with each number perhaps off by one.
func (p *intProgram) idiom() {
	op := func(op ir.Op, a ...*ir.Value) *ir.Value { return p.b.Append(op, ir.TypeI64, a...) }
	cmp := func(op ir.Op, a ...*ir.Value) *ir.Value { return p.b.Append(op, ir.TypeBool, a...) }
	off := func(x *ir.Value) *ir.Value { // mostly x
		if d := p.r.Int64N(9) - 4; d == 1 || d == -1 {
			return op(ir.OpIAdd, x, p.num(d))
		}
		return x
	}
	smaller := func(x, y *ir.Value) *ir.Value { return op(ir.OpSelect, cmp(ir.OpSLt, x, y), x, y) }
	larger := func(x, y *ir.Value) *ir.Value { return op(ir.OpSelect, cmp(ir.OpSLt, x, y), y, x) }
	less := func() ir.Op { return []ir.Op{ir.OpSLt, ir.OpULt, ir.OpSLe}[p.r.IntN(3)] }
	count := func(i *ir.Var, n func() *ir.Value, body func()) {
		p.store(i, off(p.num(0)))
		p.while(func() *ir.Value { return cmp(ir.OpSLt, p.load(i), n()) }, func() {
			body()
			p.store(i, op(ir.OpIAdd, p.load(i), p.num(1)))
		})
	}
	fresh := func() *ir.Var { return p.m.NewVar(p.m.Kernel, ir.Function, "x", ir.TypeI64) }
	h, w, i, j := p.load(p.vars[1]), p.load(p.vars[p.r.IntN(4)]), fresh(), fresh()
	switch p.r.IntN(5) {
	case 0: // rows and columns
		size := off(op(ir.OpIMul, h, w))
		count(i, func() *ir.Value { return h }, func() {
			count(j, func() *ir.Value { return w }, func() {
				row := off(p.load(i))
				if p.r.IntN(2) == 0 {
					row = smaller(larger(row, p.num(0)), off(op(ir.OpIAdd, h, p.num(-1))))
				}
				p.log(cmp(less(), op(ir.OpIAdd, op(ir.OpIMul, row, w), off(p.load(j))), size))
			})
		})
	case 1: // binary search
		p.store(i, p.num(0))
		p.store(j, off(w))
		p.while(func() *ir.Value { return cmp(ir.OpSLt, p.load(i), p.load(j)) }, func() {
			mid := off(op(ir.OpShrA, op(ir.OpIAdd, p.load(i), p.load(j)), p.num(1)))
			p.log(cmp(less(), mid, w))
			p.when(p.condition(), func() { p.store(i, off(op(ir.OpIAdd, mid, p.num(1)))) }, func() { p.store(j, off(mid)) })
		})
	case 2: // the shorter of two, downward
		n := smaller(w, p.load(p.vars[2]))
		p.store(i, off(n))
		p.while(func() *ir.Value { return cmp(ir.OpSLt, p.num(0), p.load(i)) }, func() {
			p.store(i, op(ir.OpIAdd, p.load(i), p.num(-1)))
			p.log(cmp(less(), off(p.load(i)), w))
			p.log(cmp(ir.OpSLe, p.num(0), off(p.load(i))))
		})
	case 3: // what is left of a slice
		lo, x := off(p.load(p.vars[0])), p.load(p.vars[2])
		p.when(cmp(ir.OpULe, lo, x), func() {
			left := op(ir.OpISub, x, lo)
			p.log(cmp(ir.OpSLt, p.num(0), off(left)))
			count(i, func() *ir.Value { return left }, func() {
				p.log(cmp(less(), off(op(ir.OpIAdd, p.load(i), lo)), x))
			})
		}, nil)
	default: // remainders and halves
		x, d := p.load(p.any()), p.load(p.any())
		p.when(cmp(ir.OpSLt, p.num(0), d), func() {
			r := op(ir.OpISub, x, op(ir.OpIMul, op(ir.OpSDiv, x, d), d))
			p.log(cmp(less(), off(r), d))
			p.log(cmp(ir.OpSLe, p.num(0), off(r)))
			p.log(cmp(less(), off(op(ir.OpShrA, d, p.num(1))), d))
		}, nil)
	}
}

// loop counts a variable up or down while a comparison holds.
func (p *intProgram) loop(depth int) {
	i, step := p.any(), int64(1)
	if p.r.IntN(3) == 0 {
		step = -1
	}
	if p.r.IntN(4) > 0 {
		p.store(i, p.operand())
	}
	f := p.m.Kernel
	head, body, fuelled, end := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
	p.b.Jump(head)
	p.b = head
	x, y := p.load(i), p.operand()
	if step < 0 {
		x, y = y, x
	}
	ops := []ir.Op{ir.OpSLt, ir.OpSLe, ir.OpINe, ir.OpULt}
	p.b.Branch(p.b.Append(ops[p.r.IntN(len(ops))], ir.TypeBool, x, y), body, end)
	p.b = body
	left := p.load(p.fuel)
	p.store(p.fuel, p.b.Append(ir.OpIAdd, ir.TypeI64, left, p.num(-1)))
	p.b.Branch(p.b.Append(ir.OpSLt, ir.TypeBool, p.num(0), left), fuelled, end)
	p.b = fuelled
	for range 1 + p.r.IntN(3) {
		p.statement(depth + 1)
	}
	p.store(i, p.b.Append(ir.OpIAdd, ir.TypeI64, p.load(i), p.num(step)))
	p.b.Jump(head)
	p.b = end
}

// TestProveRandom compares random programs before and after the passes that
// prove comparisons, on values of all sizes.
func TestProveRandom(t *testing.T) {
	const addr = 1 << 32
	proofs, open := map[facts.Evidence]int{}, 0
	for seed := range passtest.Count() / proveShare {
		plain, fast := newIntProgram(seed), newIntProgram(seed)
		rewrite.Mem2Reg(fast)
		simplify.Run(fast)
		simplify.CSE(fast)
		simplify.DCE(fast)
		before := fast.String()
		checks.DecideBounds(fast, nil, func(_ *checks.Decider, _, _ *ir.Block, how facts.Evidence) { proofs[how]++ })
		for _, b := range fast.Kernel.Blocks {
			if b.Term.Kind == ir.Branch {
				open++
			}
		}
		numbers.Narrow(fast, nil)
		r := rand.New(rand.NewPCG(seed, 9))
		for range 6 {
			args := binary.LittleEndian.AppendUint64(nil, addr)
			n := uint32(1 + r.IntN(3))
			length := func() uint64 {
				return []uint64{0, 1, uint64(n), uint64(r.IntN(6)), 1<<31 - 1, 1 << 31, 1<<48 - 1}[r.IntN(7)]
			}
			for range 2 {
				args = binary.LittleEndian.AppendUint64(args, 0)
				args = binary.LittleEndian.AppendUint64(args, length())
			}
			k := []int64{int64(r.IntN(7)) - 3, int64(r.IntN(7)) - 3, math.MaxInt64, math.MinInt64, 1 << 32, int64(r.Uint64())}[r.IntN(6)]
			args = binary.LittleEndian.AppendUint64(args, uint64(k))
			l := interp.Launch{Global: [3]uint32{n, 1, 1}, Local: [3]uint32{1, 1, 1}, Args: args,
				Memory: []interp.Region{{Addr: addr, Data: make([]byte, 8*logSize)}}}
			want, err := interp.Run(plain, l)
			if err != nil {
				t.Fatalf("seed %d: generator: %v\n%s", seed, err, plain)
			}
			got, err := interp.Run(fast, l)
			if err != nil || !slices.Equal(got.Memory[0].Data, want.Memory[0].Data) {
				t.Fatalf("seed %d, n %d, args %x: %v\nbefore:\n%s\nafter:\n%s", seed, n, args, err, before, fast)
			}
		}
	}
	t.Log(proofs, open)
	if passtest.Count() > 150 {
		for _, how := range []facts.Evidence{facts.ByCondition, facts.ByInduction, facts.ByItem} {
			n := 0
			for e, k := range proofs {
				if e&how != 0 {
					n += k
				}
			}
			if n == 0 {
				t.Errorf("no proof rests on %b", how)
			}
		}
	}
}

// TestProveExtremes: where one side may be any integer, the sums of bounds on the
// way overflow, and prove nothing.
func TestProveExtremes(t *testing.T) {
	m := ir.NewModule("t")
	m.Form, m.Rank = abi.Range, 1
	m.Kernel = m.NewFunc("main")
	m.Params = []abi.Param{
		{Name: "X", Kind: abi.Slice, Offset: 0, Size: 16, ElemSize: 4},
		{Name: "Y", Kind: abi.Slice, Offset: 16, Size: 16, ElemSize: 4},
		{Name: "N", Kind: abi.Value, Type: "int", Offset: 32, Size: 8},
	}
	m.ArgSize = 40
	b, in, yes, no := m.Kernel.Blocks[0], m.Kernel.NewBlock(), m.Kernel.NewBlock(), m.Kernel.NewBlock()
	var args []*ir.Value
	for _, offset := range []int{8, 24, 32} {
		v := b.Append(ir.OpArg, ir.TypeI64)
		v.Bits = uint64(abi.OffsetArgs + offset)
		args = append(args, v)
	}
	x, y, n := args[0], args[1], args[2]
	b.Branch(b.Append(ir.OpULt, ir.TypeBool, y, b.Append(ir.OpIAdd, ir.TypeI64, x, m.Int(ir.TypeI64, 2))), in, no)
	left := in.Append(ir.OpISub, ir.TypeI64, x, y)
	in.Branch(in.Append(ir.OpSLt, ir.TypeBool, n, left), yes, no)
	yes.SetTerm(ir.Term{Kind: ir.Return})
	no.SetTerm(ir.Term{Kind: ir.Return})
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	if known, is, _ := checks.NewDecider(m, nil, nil).Decide(in.Term.Cond, in); known {
		t.Errorf("any integer is less than what is left of a slice: %v\n%v", is, m)
	}
}

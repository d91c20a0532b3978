package passtest

import (
	"math/rand/v2"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// CFG generates random reducible functions. CFG first generates blocks and edges. The method Fill then
// adds values, phis, variables and effects.
type CFG struct {
	r         *rand.Rand
	M         *ir.Module
	F         *ir.Func
	Out, Seed *ir.Var
	vars      []*ir.Var // variables of storage class Function, which the code loads and stores
	Cond      map[*ir.Block]bool
	cur       *ir.Block
	loops     [][2]*ir.Block // continue and break targets, outermost first
	gotos     []*ir.Block    // targets of gotos, which are the blocks after enclosing statements
	left      int            // number of statements that remain to be generated
}

// NewCFG returns a generator whose function has only an entry block and variables so far.
func NewCFG(seed uint64) *CFG {
	g := &CFG{r: rand.New(rand.NewPCG(seed, 1)), M: ir.NewModule("t"), Cond: map[*ir.Block]bool{}}
	g.F = g.M.NewFunc("k")
	g.M.Kernel = g.F
	g.Out = g.M.NewVar(nil, ir.Workgroup, "out", ir.TypeI32)
	g.Seed = g.M.NewVar(nil, ir.Workgroup, "seed", ir.TypeI32)
	for _, t := range []*ir.Type{ir.TypeI32, ir.TypeI32, ir.TypeI8, ir.TypeI16} {
		g.vars = append(g.vars, g.M.NewVar(g.F, ir.Function, "v", t))
	}
	return g
}

func (g *CFG) chance(percent int) bool { return g.r.IntN(100) < percent }

// Branch ends b with a branch. The method Fill adds the branch's condition.
func (g *CFG) Branch(b, yes, no *ir.Block) {
	g.Cond[b] = true
	b.Branch(g.M.Bool(true), yes, no)
}

// randomGraph generates an arbitrary reducible graph. randomGraph adds random forward edges, and then back edges to
// dominators.
func (g *CFG) randomGraph(n int) {
	bs := []*ir.Block{g.F.Blocks[0]}
	for range n {
		bs = append(bs, g.F.NewBlock())
	}
	far := 2 + g.r.IntN(6)
	for i, b := range bs {
		next := func() *ir.Block {
			if g.chance(15) {
				return bs[i+1+g.r.IntN(len(bs)-i-1)]
			}
			return bs[min(len(bs)-1, i+1+g.r.IntN(far))]
		}
		switch k := g.r.IntN(20); {
		case i == len(bs)-1 || k == 0 && i > 0:
			b.SetTerm(ir.Term{Kind: ir.Return})
		case k < 8:
			b.Jump(next())
		default:
			g.Branch(b, next(), next())
		}
	}
	g.F.RemoveUnreachable()
	dom := g.F.Dominators()
	percent := 10 + g.r.IntN(50)
	for _, b := range dom.Order[1:] {
		if !g.chance(percent) {
			continue
		}
		h := b
		for k := g.r.IntN(5); k > 0 && dom.Idom(dom.Idom(h)) != nil; k-- {
			h = dom.Idom(h)
		}
		old := append([]*ir.Block(nil), b.Term.Succs...)
		switch b.ClearTerm(); len(old) {
		case 0:
			if g.chance(60) {
				b.SetTerm(ir.Term{Kind: ir.Return})
			} else {
				b.Jump(h)
			}
		case 1:
			g.Branch(b, old[0], h)
		default:
			g.Branch(b, h, old[1])
		}
	}
	g.F.RemoveUnreachable()
}

// randomProgram generates the graph to which a front end would lower a structured program of the given size.
func (g *CFG) randomProgram(size int) {
	g.left = size
	g.cur = g.F.Blocks[0]
	g.stmts(0)
	if g.cur.Term.Kind == ir.Invalid {
		g.cur.SetTerm(ir.Term{Kind: ir.Return})
	}
	g.F.RemoveUnreachable()
	g.mergeBlocks()
}

func (g *CFG) stmts(depth int) {
	for range 1 + g.r.IntN(4) {
		if g.left--; g.left < 0 {
			return
		}
		g.stmt(depth)
	}
}

// jumpTo ends the current block with a jump to block `to`, if the current block has not ended yet. Later code
// is added to block `to`.
func (g *CFG) jumpTo(to *ir.Block) {
	if g.cur.Term.Kind == ir.Invalid {
		g.cur.Jump(to)
	}
}

// writeTest writes a branch to block yes or block no, possibly through a chain of && and ||.
func (g *CFG) writeTest(yes, no *ir.Block) {
	for g.chance(25) {
		n := g.F.NewBlock()
		if g.chance(50) {
			g.Branch(g.cur, n, no)
		} else {
			g.Branch(g.cur, yes, n)
		}
		g.cur = n
	}
	g.Branch(g.cur, yes, no)
}

func (g *CFG) stmt(depth int) {
	if g.cur.Term.Kind != ir.Invalid {
		g.cur = g.F.NewBlock() // an unreachable block
	}
	k := g.r.IntN(13)
	if depth > 6 && k < 8 {
		k = 8 + k%5
	}
	switch k {
	case 0, 1, 2:
		yes, no, end := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
		g.gotos = append(g.gotos, end)
		g.writeTest(yes, no)
		g.cur = yes
		g.stmts(depth + 1)
		g.jumpTo(end)
		g.cur = no
		if g.chance(50) {
			g.stmts(depth + 1)
		}
		g.jumpTo(end)
		g.cur = end
		g.gotos = g.gotos[:len(g.gotos)-1]
	case 3, 4, 5, 6:
		g.loop(depth)
	case 7: // a switch, with fallthrough
		end := g.F.NewBlock()
		body := g.F.NewBlock()
		g.loops = append(g.loops, [2]*ir.Block{nil, end})
		for range 1 + g.r.IntN(4) {
			next, after := g.F.NewBlock(), g.F.NewBlock()
			g.writeTest(body, next)
			g.cur = body
			g.stmts(depth + 1)
			if g.chance(30) {
				g.jumpTo(after)
			} else {
				g.jumpTo(end)
			}
			g.cur, body = next, after
		}
		g.jumpTo(body)
		g.cur = body
		g.jumpTo(end)
		g.cur = end
		g.loops = g.loops[:len(g.loops)-1]
	case 8, 9:
		next, out := g.F.NewBlock(), g.F.NewBlock()
		var to *ir.Block
		if n := len(g.loops); n > 0 {
			to = g.loops[g.r.IntN(n)][g.r.IntN(2)]
		}
		if n := len(g.gotos); n > 0 && g.chance(15) {
			to = g.gotos[g.r.IntN(n)]
		}
		if to == nil {
			return
		}
		if g.chance(80) {
			g.writeTest(out, next)
		} else {
			g.jumpTo(out)
		}
		out.Jump(to)
		g.cur = next
	case 10: // a return or a fault
		next, out := g.F.NewBlock(), g.F.NewBlock()
		g.writeTest(next, out)
		if g.chance(50) {
			g.Fault(out)
		}
		out.SetTerm(ir.Term{Kind: ir.Return})
		g.cur = next
	}
}

// Fault ends b with a fault, like the code for a failed check.
func (g *CFG) Fault(b *ir.Block) {
	n, id := g.M.Int(ir.TypeI64, 77), g.M.Int(ir.TypeI32, 0)
	v := b.Append(ir.OpFault, ir.TypeVoid, n, n, id, id, id)
	v.Aux = g.M.NewSite(abi.FaultKind(1), ir.Pos{}, "", false)
}

func (g *CFG) loop(depth int) {
	head, body, post, end := g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock(), g.F.NewBlock()
	g.loops = append(g.loops, [2]*ir.Block{post, end})
	kind := g.r.IntN(4)
	switch kind {
	case 0: // a for statement with a condition
		g.jumpTo(head)
		g.cur = head
		g.writeTest(body, end)
	case 1: // an if statement that contains a do-while loop, as in the code for a range over an integer
		g.writeTest(body, end)
	default: // a for statement without a condition, or a do-while loop
		g.jumpTo(body)
	}
	g.cur = body
	g.stmts(depth + 1)
	g.jumpTo(post)
	g.cur = post
	switch kind {
	case 0:
		g.jumpTo(head)
	case 3:
		g.jumpTo(body)
	default:
		g.writeTest(body, end)
	}
	g.cur = end
	g.loops = g.loops[:len(g.loops)-1]
}

// mergeBlocks joins blocks as the optimizer of go/ssa does. It makes branches skip empty blocks. If
// a block has only one predecessor, the two blocks are merged.
func (g *CFG) mergeBlocks() {
	for _, b := range g.F.Blocks {
		for i := range b.Term.Succs {
			for range 10 {
				s := b.Term.Succs[i]
				if len(s.Insts) > 0 || s.Term.Kind != ir.Jump || s.Term.Succs[0] == s || g.chance(10) {
					break
				}
				b.Term.Succs[i] = s.Term.Succs[0]
			}
		}
	}
	g.recomputePreds()
	for _, b := range g.F.Blocks {
		for b.Term.Kind == ir.Jump && len(b.Insts) == 0 {
			s := b.Term.Succs[0]
			if s == b || len(s.Preds) != 1 || g.chance(10) {
				break
			}
			b.Insts, b.Term, g.Cond[b] = s.Insts, s.Term, g.Cond[s]
			for _, v := range b.Insts {
				v.Block = b
			}
			s.Insts, s.Term = nil, ir.Term{Kind: ir.Return}
		}
	}
	g.recomputePreds()
}

// recomputePreds recomputes the predecessors of all blocks.
func (g *CFG) recomputePreds() {
	for _, b := range g.F.Blocks {
		b.Preds = nil
	}
	order := g.F.ReversePostorder()
	for _, b := range order {
		for _, s := range b.Term.Succs {
			s.Preds = append(s.Preds, b)
		}
	}
	g.F.Blocks = order
}

// Fill adds values and effects to the blocks.
func (g *CFG) Fill() {
	dom := g.F.Dominators()
	avail := map[*ir.Block][]*ir.Value{}
	load := func(b *ir.Block, v *ir.Var) *ir.Value {
		l := b.Append(ir.OpLoad, v.Type)
		l.Aux = &ir.Ref{Var: v}
		return l
	}
	store := func(b *ir.Block, v *ir.Var, x *ir.Value) {
		b.Append(ir.OpStore, ir.TypeVoid, x).Aux = &ir.Ref{Var: v}
	}
	var phis []*ir.Value
	for i, b := range dom.Order {
		vs := []*ir.Value{g.M.Int(ir.TypeI32, int64(i))}
		if p := dom.Idom(b); p != nil {
			vs = append(vs, avail[p]...)
		}
		any := func() *ir.Value { return vs[len(vs)-1-g.r.IntN(min(len(vs), 6))] }
		if len(b.Preds) > 1 {
			for range g.r.IntN(3) {
				phi := b.NewPhi(ir.TypeI32, make([]*ir.Value, len(b.Preds))...)
				phis = append(phis, phi)
				vs = append(vs, phi)
			}
		}
		if quiet := g.chance(20); !quiet || g.Cond[b] || b.Term.Kind == ir.Jump && b.Term.Succs[0] == b {
			store(b, g.Out, g.M.Int(ir.TypeI32, int64(1000+i)))
		}
		if g.chance(50) {
			vs = append(vs, b.Append(ir.OpIAdd, ir.TypeI32, any(), any()))
			store(b, g.Out, any())
		}
		if x := g.vars[g.r.IntN(len(g.vars))]; g.chance(40) {
			v := any()
			if x.Type != ir.TypeI32 {
				v = b.Append(ir.OpUConvert, x.Type, v)
			}
			store(b, x, v)
		}
		if x := g.vars[g.r.IntN(len(g.vars))]; g.chance(40) {
			v := load(b, x)
			if x.Type != ir.TypeI32 {
				v = b.Append(ir.OpUConvert, ir.TypeI32, v)
			}
			store(b, g.Out, v)
		}
		if g.Cond[b] {
			v := load(b, g.Seed)
			one := b.Append(ir.OpAnd, ir.TypeI32, v, g.M.Int(ir.TypeI32, 1+int64(g.r.IntN(3))))
			b.Term.Cond = b.Append(ir.OpINe, ir.TypeBool, one, g.M.Int(ir.TypeI32, 0))
			if g.chance(20) {
				vs = append(vs, one)
			}
		}
		avail[b] = vs
	}
	for _, phi := range phis {
		for k, p := range phi.Block.Preds {
			vs := avail[p]
			phi.Args[k] = vs[len(vs)-1-g.r.IntN(min(len(vs), 6))]
		}
	}
}

// loudLoops adds an effect to every loop, because a loop without effects could run forever unnoticed.
func (g *CFG) loudLoops() {
	dom := g.F.Dominators()
	for i, b := range dom.Order {
		for _, p := range b.Preds {
			if dom.IsBackEdge(p, b) {
				b.Append(ir.OpStore, ir.TypeVoid, g.M.Int(ir.TypeI32, int64(5000+i))).Aux = &ir.Ref{Var: g.Out}
				break
			}
		}
	}
}

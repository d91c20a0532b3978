package passtest

import (
	"fmt"

	"github.com/kgen-go/kgen/codegen/ir"
)

// CheckStructured checks SPIR-V's rules for structured control flow. As in SPIR-V's definition of dominance, a
// header has edges to its merge block and its continue block. CheckStructured shares no code with pass structurize.
func CheckStructured(f *ir.Func) error {
	n := len(f.Blocks)
	index := map[*ir.Block]int{}
	for i, b := range f.Blocks {
		index[b] = i
	}
	succs := func(b *ir.Block) []*ir.Block {
		s := append([]*ir.Block(nil), b.Term.Succs...)
		for _, x := range []*ir.Block{b.Merge, b.Continue} {
			if x != nil {
				s = append(s, x)
			}
		}
		return s
	}
	dom := make([][]bool, n) // dom[b][a] is true if a dominates b
	for i := range dom {
		dom[i] = make([]bool, n)
		for j := range dom[i] {
			dom[i][j] = i != 0 || j == 0
		}
	}
	for changed := true; changed; {
		changed = false
		in := make([][]bool, n)
		for i, b := range f.Blocks {
			for _, s := range succs(b) {
				j, ok := index[s]
				if !ok {
					return fmt.Errorf("b%d leads to a block outside of the function", i)
				}
				if in[j] == nil {
					in[j] = append([]bool(nil), dom[i]...)
					continue
				}
				for k := range in[j] {
					in[j][k] = in[j][k] && dom[i][k]
				}
			}
		}
		for i := 1; i < n; i++ {
			if in[i] == nil {
				return fmt.Errorf("b%d is not reachable, not even as a merge block", i)
			}
			in[i][i] = true
			for k := range in[i] {
				if dom[i][k] != in[i][k] {
					dom[i], changed = in[i], true
					break
				}
			}
		}
	}
	return checkConstructs(f, index, dom)
}

func checkConstructs(f *ir.Func, index map[*ir.Block]int, dom [][]bool) error {
	merges := map[*ir.Block]bool{}
	for i, b := range f.Blocks {
		for j := range f.Blocks {
			if dom[i][j] && j > i {
				return fmt.Errorf("b%d stands before b%d, which dominates it", i, j)
			}
		}
		if b.Merge == nil {
			if b.Continue != nil {
				return fmt.Errorf("b%d has Continue but no Merge", i)
			}
			continue
		}
		if merges[b.Merge] {
			return fmt.Errorf("b%d is the merge block of two headers", index[b.Merge])
		}
		merges[b.Merge] = true
		if b.Continue == nil && b.Term.Kind != ir.Branch {
			return fmt.Errorf("b%d selects nothing", i)
		}
	}
	in := func(h, b *ir.Block) bool { // whether the construct of h contains b
		return dom[index[b]][index[h]] && !dom[index[b]][index[h.Merge]]
	}
	innermost := func(b *ir.Block, skip *ir.Block) *ir.Block {
		var best *ir.Block
		for _, h := range f.Blocks {
			if h.Continue != nil && h != skip && in(h, b) && (best == nil || in(best, h)) {
				best = h
			}
		}
		return best
	}
	for i, b := range f.Blocks {
		if b.Continue != nil {
			if b.Term.Kind != ir.Jump || len(b.Insts) > 0 || len(b.Preds) != 2 {
				return fmt.Errorf("loop header b%d is not bare", i)
			}
			if c := b.Continue; c.Term.Kind != ir.Jump || c.Term.Succs[0] != b || len(c.Insts) > 0 {
				return fmt.Errorf("continue block of b%d does not just jump back", i)
			}
		}
		loop := innermost(b, nil)
		for _, s := range b.Term.Succs {
			if index[s] <= i && (s.Continue == nil || s.Continue != b) {
				return fmt.Errorf("back edge b%d to b%d", i, index[s])
			}
			if s.Continue != nil && s.Continue != b && loop != nil && s == loop {
				return fmt.Errorf("b%d enters its own loop", i)
			}
		}
		if b.Term.Kind == ir.Branch {
			if b.Term.Succs[0] == b.Term.Succs[1] {
				return fmt.Errorf("b%d branches to one block twice", i)
			}
			free := 0
			for _, s := range b.Term.Succs {
				if loop == nil || s != loop.Merge && s != loop.Continue {
					free++
				}
			}
			if b.Merge == nil && free > 1 {
				return fmt.Errorf("b%d branches without a merge block", i)
			}
		}
		if b.Merge == nil {
			continue
		}
		// Check all exits of the construct.
		around := innermost(b, b)
		for j, x := range f.Blocks {
			if !in(b, x) {
				continue
			}
			for _, s := range x.Term.Succs {
				switch {
				case in(b, s), s == b.Merge:
				case b.Continue == nil && around != nil && (s == around.Merge || s == around.Continue):
				case b.Continue != nil && s == b:
				default:
					return fmt.Errorf("b%d leaves the construct of b%d for b%d", j, i, index[s])
				}
			}
		}
		// Check that the header is the only entry.
		for j, x := range f.Blocks {
			if in(b, x) {
				continue
			}
			for _, s := range x.Term.Succs {
				if in(b, s) && s != b {
					return fmt.Errorf("b%d enters the construct of b%d sideways at b%d", j, i, index[s])
				}
			}
		}
	}
	return nil
}

// CheckSSA checks that definitions dominate uses, and that phis fit their predecessors.
func CheckSSA(f *ir.Func) error {
	dom := f.Dominators()
	pos := map[*ir.Value]int{}
	for _, b := range f.Blocks {
		for _, v := range b.Phis {
			pos[v] = -1
		}
		for i, v := range b.Insts {
			pos[v] = i
		}
		for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
			for _, v := range vs {
				if v.Block != b {
					return fmt.Errorf("%%%d stands in b%d and thinks otherwise", v.ID, b.ID)
				}
			}
		}
	}
	for _, b := range f.Blocks {
		if !dom.Reachable(b) {
			continue
		}
		ok := func(a *ir.Value, at *ir.Block, i int) bool {
			if a.Block == nil {
				return a.IsConst()
			}
			p, there := pos[a]
			return there && (a.Block == at && p < i || a.Block != at && dom.Reachable(a.Block) && dom.Dominates(a.Block, at))
		}
		for _, v := range b.Phis {
			if len(v.Args) != len(b.Preds) {
				return fmt.Errorf("phi %%%d has %d arguments, b%d has %d predecessors", v.ID, len(v.Args), b.ID, len(b.Preds))
			}
			for k, a := range v.Args {
				if p := b.Preds[k]; dom.Reachable(p) && !ok(a, p, len(p.Insts)) {
					return fmt.Errorf("phi %%%d: argument %%%d is not there in b%d", v.ID, a.ID, p.ID)
				}
				if a.Type != v.Type {
					return fmt.Errorf("phi %%%d: type", v.ID)
				}
			}
		}
		for i, v := range b.Insts {
			for _, a := range v.Args {
				if !ok(a, b, i) {
					return fmt.Errorf("%%%d in b%d uses %%%d, which is not there", v.ID, b.ID, a.ID)
				}
			}
		}
		if c := b.Term.Cond; c != nil && !ok(c, b, len(b.Insts)) {
			return fmt.Errorf("b%d's condition %%%d is not there", b.ID, c.ID)
		}
		for _, s := range b.Term.Succs {
			n := 0
			for _, p := range s.Preds {
				if p == b {
					n++
				}
			}
			m := 0
			for _, x := range b.Term.Succs {
				if x == s {
					m++
				}
			}
			if n != m {
				return fmt.Errorf("edge b%d to b%d stands %d times in Preds, %d times in Succs", b.ID, s.ID, n, m)
			}
		}
	}
	return nil
}

// Machine runs a function that uses only a few ops. Machine appends each store to Out to the list
// Trace. A load of the variable `seed` returns a pseudo-random number, which changes after every store.
type Machine struct {
	Out, seed *ir.Var
	state     uint64
	Trace     []uint64
	mem       map[*ir.Var]uint64
	Limit     int // largest length of the trace
}

// Run runs f, and reports whether it ended before the limit.
func (m *Machine) Run(f *ir.Func) (bool, error) {
	val := map[*ir.Value]uint64{}
	m.mem = map[*ir.Var]uint64{}
	get := func(v *ir.Value) uint64 {
		if v.IsConst() {
			return v.Bits
		}
		x, ok := val[v]
		if !ok {
			panic(fmt.Sprintf("%%%d has no value yet", v.ID))
		}
		return x
	}
	b, from := f.Blocks[0], (*ir.Block)(nil)
	second := false
	for steps := 0; len(m.Trace) < m.Limit; steps++ {
		if steps > 1000*(m.Limit+len(f.Blocks)) {
			return false, fmt.Errorf("runs forever without effects")
		}
		if len(b.Phis) > 0 {
			k := -1
			for i, p := range b.Preds {
				// If two edges come from one block, the first edge is taken if the condition is true.
				if p == from && (k < 0 || second) {
					k = i
				}
			}
			var in []uint64
			for _, v := range b.Phis {
				in = append(in, get(v.Args[k]))
			}
			for i, v := range b.Phis {
				val[v] = in[i]
			}
		}
		for _, v := range b.Insts {
			m.exec(v, val, get)
		}
		from = b
		switch b.Term.Kind {
		case ir.Return:
			return true, nil
		case ir.Jump:
			b = b.Term.Succs[0]
		case ir.Branch:
			if second = get(b.Term.Cond) == 0; !second {
				b = b.Term.Succs[0]
			} else {
				b = b.Term.Succs[1]
			}
		default:
			return false, fmt.Errorf("b%d: reached %v", b.ID, b.Term.Kind)
		}
	}
	return false, nil
}

func (m *Machine) exec(v *ir.Value, val map[*ir.Value]uint64, get func(*ir.Value) uint64) {
	mask := func(x uint64) uint64 {
		if n := v.Type.Bits(); n < 64 {
			x &= 1<<n - 1
		}
		return x
	}
	switch v.Op {
	case ir.OpLoad:
		if r := v.Ref().Var; r == m.seed {
			x := (m.state<<32 + uint64(len(m.Trace)) + 1) * 0x9e3779b97f4a7c15
			x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
			val[v] = mask(x >> 31)
		} else {
			val[v] = m.mem[r]
		}
	case ir.OpStore:
		x := get(v.Args[0])
		if r := v.Ref().Var; r == m.Out {
			m.Trace = append(m.Trace, x)
		} else {
			m.mem[r] = x
		}
	case ir.OpFault:
		m.Trace = append(m.Trace, get(v.Args[0]))
	case ir.OpIAdd:
		val[v] = mask(get(v.Args[0]) + get(v.Args[1]))
	case ir.OpIMul:
		val[v] = mask(get(v.Args[0]) * get(v.Args[1]))
	case ir.OpISub:
		val[v] = mask(get(v.Args[0]) - get(v.Args[1]))
	case ir.OpXor, ir.OpLNe:
		val[v] = get(v.Args[0]) ^ get(v.Args[1])
	case ir.OpLEq:
		val[v] = get(v.Args[0]) ^ get(v.Args[1]) ^ 1
	case ir.OpShl:
		val[v] = mask(get(v.Args[0]) << get(v.Args[1]))
	case ir.OpAnd, ir.OpLAnd:
		val[v] = get(v.Args[0]) & get(v.Args[1])
	case ir.OpOr, ir.OpLOr:
		val[v] = get(v.Args[0]) | get(v.Args[1])
	case ir.OpLNot:
		val[v] = get(v.Args[0]) ^ 1
	case ir.OpINe:
		val[v] = 0
		if get(v.Args[0]) != get(v.Args[1]) {
			val[v] = 1
		}
	case ir.OpIEq:
		val[v] = 1
		if get(v.Args[0]) != get(v.Args[1]) {
			val[v] = 0
		}
	case ir.OpUConvert:
		val[v] = mask(get(v.Args[0]))
	case ir.OpSelect:
		val[v] = get(v.Args[2])
		if get(v.Args[0]) != 0 {
			val[v] = get(v.Args[1])
		}
	case ir.OpArg:
		val[v] = 0 // the reserved argument is zero
	case ir.OpZero:
		m.mem[v.Ref().Var] = 0
	case ir.OpCopyVar:
		c := v.Aux.(*ir.Copy)
		m.mem[c.Dst] = m.mem[c.Src]
	default:
		panic("test machine: " + v.Op.String())
	}
}

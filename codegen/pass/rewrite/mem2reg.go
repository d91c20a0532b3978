package rewrite

// This file promotes scalar variables to SSA values. The file contains the pass mem2reg, and code
// that turns demoted phis back into phis.

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Within the limits MaxSplitLen and MaxSplitParts, the pass sroa splits an array into variables,
// which Mem2Reg then promotes. MaxSplitLen limits the array's length, and MaxSplitParts limits the
// number of resulting variables.
const (
	MaxSplitLen   = 32
	MaxSplitParts = 128
)

// Mem2Reg turns scalar Function variables into SSA values.
func Mem2Reg(m *ir.Module) diag.List {
	for _, f := range Bodies(m) {
		promoteVars(f)
	}
	return nil
}

// Bodies returns the module's functions that have blocks.
func Bodies(m *ir.Module) []*ir.Func {
	var fs []*ir.Func
	if m.Kernel != nil {
		fs = append(fs, m.Kernel)
	}
	return append(fs, m.Helpers...)
}

// Promoter promotes all promotable variables of one function at once. Promoter places phis at the
// iterated dominance frontier of the stores, where the variable is live. Then Promoter replaces all
// loads in one walk over the dominator tree.
type Promoter struct {
	f     *ir.Func
	dom   *ir.DomTree
	vars  []*ir.Var
	index map[*ir.Var]int
	defs  [][]int       // indices of the blocks that store to each variable
	uses  [][]int       // indices of the blocks that load each variable before they store to it
	phis  [][]placedPhi // phis placed in each block
	cur   []*ir.Value   // current value of each variable during the walk over the dominator tree
	Repl  map[*ir.Value]*ir.Value
	all   []*ir.Value // all placed phis, in the order of the walk
}

type placedPhi struct {
	phi *ir.Value
	v   int
}

// promoteVars promotes the scalar variables of f whose only uses are loads and stores. A load that
// no store reaches becomes the constant zero.
func promoteVars(f *ir.Func) {
	scalarCopies(f)
	removeUnread(f)
	p := &Promoter{f: f, index: map[*ir.Var]int{}, Repl: map[*ir.Value]*ir.Value{}}
	p.candidates()
	if len(p.vars) == 0 {
		return
	}
	p.dom = f.Dominators()
	p.scan()
	p.placePhis()
	p.renameAll()
	p.dropTrivial()
}

// regType returns the type of a value that replaces a variable of type t. Integers of 8 and 16 bits
// exist only in memory, so a 32-bit value replaces a variable of 8 or 16 bits.
func regType(t *ir.Type) *ir.Type {
	if t.Kind == ir.I8 || t.Kind == ir.I16 {
		return ir.TypeI32
	}
	return t
}

// scalarCopies rewrites the ops Zero and CopyVar as loads and stores if their variables are
// scalars.
func scalarCopies(f *ir.Func) {
	for _, b := range f.Blocks {
		var out []*ir.Value
		for i, v := range b.Insts {
			switch v.Op {
			case ir.OpZero:
				if r := v.Ref(); r.Var.Type.IsScalar() && len(v.Args) == 0 {
					v.Op = ir.OpStore
					v.Args = []*ir.Value{f.Module.Const(r.Var.Type, 0)}
				}
			case ir.OpCopyVar:
				c := v.Aux.(*ir.Copy)
				if !c.Dst.Type.IsScalar() {
					break
				}
				if out == nil {
					out = append(out, b.Insts[:i]...)
				}
				l := f.NewValue(ir.OpLoad, c.Src.Type)
				l.Aux, l.Block, l.Pos = &ir.Ref{Var: c.Src}, b, v.Pos
				v.Op, v.Aux, v.Args = ir.OpStore, &ir.Ref{Var: c.Dst}, []*ir.Value{l}
				out = append(out, l)
			}
			if out != nil {
				out = append(out, v)
			}
		}
		if out != nil {
			b.Insts = out
		}
	}
}

// removeUnread removes each Function variable that nothing reads, with the instructions that write
// it.
func removeUnread(f *ir.Func) {
	for {
		read := map[*ir.Var]bool{}
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				switch v.Op {
				case ir.OpStore, ir.OpZero:
				case ir.OpCopyVar:
					read[v.Aux.(*ir.Copy).Src] = true
				default:
					if r := v.Ref(); r != nil && r.Var != nil {
						read[r.Var] = true
					}
					for _, x := range v.Matrices() {
						read[x] = true
					}
				}
			}
		}
		dead := map[*ir.Var]bool{}
		keep := f.Vars[:0:0]
		for _, v := range f.Vars {
			if read[v] {
				keep = append(keep, v)
			} else {
				dead[v] = true
			}
		}
		if len(dead) == 0 {
			return
		}
		f.Vars = keep
		for _, b := range f.Blocks {
			removeInsts(b, func(v *ir.Value) bool {
				switch v.Op {
				case ir.OpStore, ir.OpZero:
					return dead[v.Ref().Var]
				case ir.OpCopyVar:
					return dead[v.Aux.(*ir.Copy).Dst]
				}
				return false
			})
		}
	}
}

// removeInsts removes the instructions of b for which mustDrop returns true.
func removeInsts(b *ir.Block, mustDrop func(*ir.Value) bool) {
	out := b.Insts[:0]
	for _, v := range b.Insts {
		if !mustDrop(v) {
			out = append(out, v)
		}
	}
	clear(b.Insts[len(out):])
	b.Insts = out
}

func (p *Promoter) candidates() {
	bad := map[*ir.Var]bool{}
	for _, b := range p.f.Blocks {
		for _, v := range b.Insts {
			r := v.Ref()
			if r == nil || r.Var == nil {
				continue
			}
			if v.Op != ir.OpLoad && v.Op != ir.OpStore {
				bad[r.Var] = true
			}
		}
	}
	keep := p.f.Vars[:0:0]
	for _, v := range p.f.Vars {
		if v.Storage == ir.Function && v.Type.IsScalar() && !bad[v] {
			p.index[v] = len(p.vars)
			p.vars = append(p.vars, v)
		} else {
			keep = append(keep, v)
		}
	}
	p.f.Vars = keep
}

// promotedIndex returns the index of the promoted variable that v loads or stores.
func (p *Promoter) promotedIndex(v *ir.Value) (int, bool) {
	if v.Op != ir.OpLoad && v.Op != ir.OpStore {
		return 0, false
	}
	i, ok := p.index[v.Ref().Var]
	return i, ok
}

func (p *Promoter) scan() {
	p.defs = make([][]int, len(p.vars))
	p.uses = make([][]int, len(p.vars))
	stored := make([]int, len(p.vars)) // for each variable, 1 + the index of the last scanned block that stored to it
	loaded := make([]int, len(p.vars))
	for bi, b := range p.dom.Order {
		for _, v := range b.Insts {
			i, ok := p.promotedIndex(v)
			switch {
			case !ok || stored[i] == bi+1:
			case v.Op == ir.OpStore:
				stored[i] = bi + 1
				p.defs[i] = append(p.defs[i], bi)
			case loaded[i] != bi+1:
				loaded[i] = bi + 1
				p.uses[i] = append(p.uses[i], bi)
			}
		}
	}
}

func (p *Promoter) placePhis() {
	order := p.dom.Order
	p.phis = make([][]placedPhi, len(order))
	frontier := p.frontiersOf()
	live := make([]int, len(order))
	def := make([]int, len(order))
	placed := make([]int, len(order))
	for i, v := range p.vars {
		for _, d := range p.defs[i] {
			def[d] = i + 1
		}
		var work []int
		for _, u := range p.uses[i] {
			live[u] = i + 1
			work = append(work, u)
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, q := range order[b].Preds {
				if !p.dom.Reachable(q) {
					continue
				}
				if j := p.dom.Index(q); live[j] != i+1 && def[j] != i+1 {
					live[j] = i + 1
					work = append(work, j)
				}
			}
		}
		// The variable's initial zero at the entry needs no element in defs, since no dominance
		// frontier contains the entry.
		work = append(work, p.defs[i]...)
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, j := range frontier[b] {
				if placed[j] == i+1 || live[j] != i+1 {
					continue
				}
				placed[j] = i + 1
				phi := order[j].NewPhi(regType(v.Type), make([]*ir.Value, len(order[j].Preds))...)
				p.phis[j] = append(p.phis[j], placedPhi{phi, i})
				if def[j] != i+1 {
					work = append(work, j)
				}
			}
		}
	}
}

// frontiersOf returns the dominance frontier of each block, as indices of blocks.
func (p *Promoter) frontiersOf() [][]int {
	fr := make([][]int, len(p.dom.Order))
	for j, b := range p.dom.Order {
		if len(b.Preds) < 2 {
			continue
		}
		stop := p.dom.Idom(b)
		for _, q := range b.Preds {
			if !p.dom.Reachable(q) {
				continue
			}
			for q != stop {
				i := p.dom.Index(q)
				if n := len(fr[i]); n > 0 && fr[i][n-1] == j {
					break // the frontier of every block from q up to stop then already contains j
				}
				fr[i] = append(fr[i], j)
				q = p.dom.Idom(q)
			}
		}
	}
	return fr
}

// renameAll walks over the dominator tree and replaces each load by the current value of
// its variable.
func (p *Promoter) renameAll() {
	type saved struct {
		v   int
		old *ir.Value
	}
	p.cur = make([]*ir.Value, len(p.vars))
	for i, v := range p.vars {
		p.cur[i] = p.f.Module.Const(regType(v.Type), 0)
	}
	var log []saved
	set := func(i int, v *ir.Value) {
		log = append(log, saved{i, p.cur[i]})
		p.cur[i] = v
	}
	type frame struct {
		b    *ir.Block
		next int
		log  int
	}
	stack := []frame{{b: p.dom.Order[0]}}
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.next == 0 {
			p.renameBlock(t.b, set)
		}
		if kids := p.dom.Children(t.b); t.next < len(kids) {
			t.next++
			stack = append(stack, frame{b: kids[t.next-1], log: len(log)})
			continue
		}
		for len(log) > t.log {
			s := log[len(log)-1]
			log = log[:len(log)-1]
			p.cur[s.v] = s.old
		}
		stack = stack[:len(stack)-1]
	}
}

func (p *Promoter) renameBlock(b *ir.Block, set func(int, *ir.Value)) {
	for _, x := range p.phis[p.dom.Index(b)] {
		set(x.v, x.phi)
		p.all = append(p.all, x.phi)
	}
	out := make([]*ir.Value, 0, len(b.Insts))
	for _, v := range b.Insts {
		i, ok := p.promotedIndex(v)
		if !ok {
			out = append(out, v)
			continue
		}
		narrow := regType(p.vars[i].Type) != p.vars[i].Type
		switch {
		case v.Op == ir.OpLoad && !narrow:
			p.Repl[v] = p.cur[i]
		case v.Op == ir.OpLoad:
			v.Op, v.Aux, v.Args = ir.OpUConvert, nil, []*ir.Value{p.cur[i]}
			out = append(out, v)
		case !narrow:
			set(i, p.Resolve(v.Args[0]))
		case v.Args[0].IsConst():
			set(i, p.f.Module.Const(ir.TypeI32, v.Args[0].Bits))
		default:
			v.Op, v.Aux, v.Type = ir.OpUConvert, nil, ir.TypeI32
			out = append(out, v)
			set(i, v)
		}
	}
	b.Insts = out
	for _, s := range b.Term.Succs {
		for _, x := range p.phis[p.dom.Index(s)] {
			for k, q := range s.Preds {
				if q == b {
					x.phi.Args[k] = p.cur[x.v]
				}
			}
		}
	}
}

// Resolve follows the recorded replacements of v, and returns the last value, or v if it has no
// replacement.
func (p *Promoter) Resolve(v *ir.Value) *ir.Value {
	r, ok := p.Repl[v]
	if !ok {
		return v
	}
	for {
		n, ok := p.Repl[r]
		if !ok {
			break
		}
		r = n
	}
	p.Repl[v] = r
	return r
}

// dropTrivial removes each phi that has only itself and one other value as arguments, and replaces
// all uses of removed phis and loads.
func (p *Promoter) dropTrivial() {
	for _, phi := range p.all {
		for k, a := range phi.Args {
			if a == nil {
				phi.Args[k] = p.f.Module.Const(phi.Type, 0)
			}
		}
	}
	DropTrivialPhis(p.f, p.Repl)
	ReplaceUses(p.f, p.Resolve)
}

// DropTrivialPhis removes each phi that has only itself and one other value as arguments.
// DropTrivialPhis records the other value in repl as the phi's replacement. The caller must replace
// the uses of the removed phis.
func DropTrivialPhis(f *ir.Func, repl map[*ir.Value]*ir.Value) {
	resolve := (&Promoter{Repl: repl}).Resolve
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			keep := b.Phis[:0]
			for _, phi := range b.Phis {
				if one := trivialArg(phi, resolve); one != nil {
					repl[phi] = one
					changed = true
				} else {
					keep = append(keep, phi)
				}
			}
			clear(b.Phis[len(keep):])
			b.Phis = keep
		}
	}
}

// trivialArg returns the only argument of phi that differs from phi itself. trivialArg returns
// nil if there are several different arguments.
func trivialArg(phi *ir.Value, resolve func(*ir.Value) *ir.Value) *ir.Value {
	var one *ir.Value
	for _, a := range phi.Args {
		a = resolve(a)
		if a == phi || a == one {
			continue
		}
		if one != nil {
			return nil
		}
		one = a
	}
	return one
}

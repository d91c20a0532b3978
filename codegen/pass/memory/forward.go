package memory

// This file is the pass forward. It runs after fuse, since Go rounds a float when it is stored: a
// product that was stored must not be fused into a sum.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Limits of forward.
const (
	// maxPlaces bounds the number of places in a function that are tracked; the first ones are.
	maxPlaces = 256
	// maxForwards bounds the repetitions of the pass. A loaded index, such as b[i] in a[b[i]], is a
	// single value only after a round has merged its loads.
	maxForwards = 3
)

// Forward replaces a load from device memory by the value that the work-item has last stored there
// or loaded from there:
//
//	k.Out[i] = a                    k.Out[i] = a
//	x := k.Out[i] * 2       ──▶     x := a * 2
//
// The value of a place is available after such an access, on all paths, until an operation may
// change the memory. Such operations are stores that may alias the place, and operations by which
// work-items see each other's stores: barriers, group operations and atomic operations. A value
// from several accesses becomes a phi. If a loop computes the place's index, no value passes from
// one round to the next: on entry to the loop nothing has accessed the place, since all accesses
// come after the computation of the index.
//
// Loads stay in place or disappear; none is hoisted. The checks of their indexes are branches
// before them and stay. CSE removes a check that an earlier check decides.
func Forward(m *ir.Module) diag.List {
	changed := false
	for range maxForwards {
		again := false
		for _, f := range rewrite.Bodies(m) {
			again = forwardIn(m, f) || again
		}
		if !again {
			break
		}
		changed = true
		rewrite.Mem2Reg(m)
		simplify.CSE(m)
	}
	if changed {
		for _, f := range rewrite.Bodies(m) {
			dropOverwritten(m, f)
		}
		simplify.DCE(m)
	}
	return nil
}

// follower describes a tracked place.
type follower struct {
	place
	// fixed says that the memory does not change during the launch.
	fixed bool
	// ref is the variable that holds the place's value while it is available, if some load needs
	// it. Mem2reg later turns the variable into values.
	ref *ir.Ref
}

// forwarder forwards the loads of one function.
type forwarder struct {
	f      *ir.Func
	dom    *ir.DomTree
	loops  *ir.Loops
	places *places
	all    []*follower
	at     map[*ir.Value]int   // index of the place that a load or store accesses
	kills  map[*ir.Value][]int // places that a value makes unavailable
	// unasked has, for each head of a loop, the places that the loop does not load. Their values
	// would only occupy registers in the loop.
	unasked map[*ir.Block][]bool
	in      map[*ir.Block][]bool // places available at a block's beginning
}

// forwardIn makes loads of f read variables instead of memory, where the value is available. It
// reports whether there were such loads.
func forwardIn(m *ir.Module, f *ir.Func) bool {
	if !loadsTwice(f) {
		return false
	}
	w := &forwarder{f: f, dom: f.Dominators(), places: newPlaces(m)}
	if w.collect(); len(w.all) == 0 {
		return false
	}
	w.loops = w.dom.Loops()
	w.findKills()
	w.findUnasked()
	w.solve()
	return w.rewrite()
}

// loadsTwice reports whether f has at least two accesses of device memory, of which one is a load.
// It quickly excludes most small kernels.
func loadsTwice(f *ir.Func) bool {
	n, loads := 0, 0
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if isDevice(v) {
				n++
				if v.Op == ir.OpLoad {
					loads++
				}
			}
		}
	}
	return n > 1 && loads > 0
}

// collect finds the places that are loaded and have at least two accesses.
func (w *forwarder) collect() {
	type found struct {
		place
		accesses []*ir.Value
		loaded   bool
	}
	byName := map[string]*found{}
	var order []*found
	for _, b := range w.dom.Order {
		for _, v := range b.Insts {
			if !isDevice(v) {
				continue
			}
			pl := w.places.of(v)
			name := w.places.name(pl)
			x := byName[name]
			if x == nil {
				x = &found{place: pl}
				byName[name] = x
				order = append(order, x)
			}
			x.accesses = append(x.accesses, v)
			x.loaded = x.loaded || v.Op == ir.OpLoad
		}
	}
	w.at = map[*ir.Value]int{}
	for _, x := range order {
		if !x.loaded || len(x.accesses) < 2 || len(w.all) == maxPlaces {
			continue
		}
		for _, v := range x.accesses {
			w.at[v] = len(w.all)
		}
		w.all = append(w.all, &follower{place: x.place, fixed: w.places.fixed(x.place)})
	}
}

// findKills records which places each value makes unavailable.
func (w *forwarder) findKills() {
	w.kills = map[*ir.Value][]int{}
	var changing []int // places that are not fixed
	for k, x := range w.all {
		if !x.fixed {
			changing = append(changing, k)
		}
	}
	for _, b := range w.dom.Order {
		for _, v := range b.Insts {
			switch {
			case v.Op == ir.OpStore && isDevice(v):
				s := w.places.of(v)
				for _, k := range changing {
					if w.places.mayAlias(s, w.all[k].place) {
						w.kills[v] = append(w.kills[v], k)
					}
				}
			case tellsOthers(v):
				w.kills[v] = append(w.kills[v], changing...)
			}
		}
	}
}

// tellsOthers reports whether stores of other work-items may become visible at v. It is also true
// if v may store to memory in a way that this pass does not analyse.
func tellsOthers(v *ir.Value) bool {
	return v.Op.Has(ir.FlagSync) || v.Op.Has(ir.FlagAtomic) || v.Op == ir.OpCall
}

// findUnasked finds the places that each loop does not load.
func (w *forwarder) findUnasked() {
	w.unasked = map[*ir.Block][]bool{}
	for _, l := range w.loops.All {
		un := make([]bool, len(w.all))
		for k := range un {
			un[k] = true
		}
		for _, b := range l.Blocks {
			for _, v := range b.Insts {
				if k, ok := w.at[v]; ok && v.Op == ir.OpLoad {
					un[k] = false
				}
			}
		}
		w.unasked[l.Head] = un
	}
}

// solve finds the places available at each block's beginning: those available at the ends of all
// its predecessors. It first assumes that all places are available everywhere except at the entry.
// Then it removes places that are missing on some path, until nothing changes.
func (w *forwarder) solve() {
	w.in = map[*ir.Block][]bool{}
	out := map[*ir.Block][]bool{}
	for changed := true; changed; {
		changed = false
		for i, b := range w.dom.Order {
			in := make([]bool, len(w.all))
			for k := range in {
				in[k] = i > 0 && (w.unasked[b] == nil || !w.unasked[b][k])
			}
			for _, p := range b.Preds {
				if o := out[p]; o != nil {
					for k := range in {
						in[k] = in[k] && o[k] && !w.leavesLoop(k, p, b)
					}
				}
			}
			w.in[b] = in
			o := w.walk(b, func(*ir.Value, bool) {})
			for k := range o {
				changed = changed || out[b] == nil || o[k] != out[b][k]
			}
			out[b] = o
		}
	}
}

// leavesLoop reports whether the edge from p to b leaves a loop in which place k became available.
// Its value must not live past the loop: workarounds for drivers (passes loopvalues and outlive)
// would then cost more in each round than the later load costs.
func (w *forwarder) leavesLoop(k int, p, b *ir.Block) bool {
	for l := w.loops.Of(p); l != nil && !l.Contains(b); l = l.Outer {
		if !w.in[l.Head][k] {
			return true
		}
	}
	return false
}

// walk goes through the values of a block. For each access to a place, it calls access; the
// argument available says whether the place was available before. It returns the places available
// at the end.
func (w *forwarder) walk(b *ir.Block, access func(v *ir.Value, available bool)) []bool {
	now := append([]bool(nil), w.in[b]...)
	for _, v := range b.Insts {
		k, ok := w.at[v]
		was := ok && now[k]
		for _, dead := range w.kills[v] {
			now[dead] = false
		}
		if ok {
			access(v, was)
			now[k] = true
		}
	}
	return now
}

// rewrite makes the loads whose values are available read variables. After all other accesses of
// the same place it stores the stored or loaded value to the variable.
func (w *forwarder) rewrite() bool {
	replaced := map[*ir.Value]bool{}
	for _, b := range w.dom.Order {
		w.walk(b, func(v *ir.Value, available bool) {
			if v.Op != ir.OpLoad || !available {
				return
			}
			replaced[v] = true
			if x := w.all[w.at[v]]; x.ref == nil {
				x.ref = &ir.Ref{Var: w.f.Module.NewVar(w.f, ir.Function, "forward", v.Type)}
			}
		})
	}
	if len(replaced) == 0 {
		return false
	}
	e := rewrite.NewEdits(w.f)
	for _, b := range w.dom.Order {
		for _, v := range b.Insts {
			k, ok := w.at[v]
			if !ok || w.all[k].ref == nil {
				continue
			}
			ref := w.all[k].ref
			if replaced[v] {
				v.Args, v.Aux = nil, ref
				continue
			}
			value := v
			if v.Op == ir.OpStore {
				value = v.Args[0]
			}
			s := w.f.NewValue(ir.OpStore, ir.TypeVoid, value)
			s.Aux, s.Block, s.Pos = ref, b, v.Pos
			e.After[v] = append(e.After[v], s)
		}
	}
	e.Apply()
	return true
}

// dropOverwritten removes a store if another store to the same place follows in the same block. No
// instruction between the two may read the stored value:
//
//	k.Out[i] += a                   x := k.Out[i] + a
//	k.Out[i] += b           ──▶     k.Out[i] = x + b
func dropOverwritten(m *ir.Module, f *ir.Func) {
	p := newPlaces(m)
	for _, b := range f.Blocks {
		dead := map[*ir.Value]bool{}
		later := map[string]place{} // places stored to by later instructions, with no read before these stores
		for i := len(b.Insts) - 1; i >= 0; i-- {
			v := b.Insts[i]
			switch {
			case tellsOthers(v) || v.Op == ir.OpFault:
				clear(later)
			case !isDevice(v):
			case v.Op == ir.OpLoad:
				pl := p.of(v)
				for name, x := range later {
					if p.mayAlias(pl, x) {
						delete(later, name)
					}
				}
			default:
				pl := p.of(v)
				name := p.name(pl)
				if _, ok := later[name]; ok {
					dead[v] = true
				}
				later[name] = pl
			}
		}
		if len(dead) > 0 {
			b.Insts = slices.DeleteFunc(b.Insts, func(v *ir.Value) bool { return dead[v] })
		}
	}
}

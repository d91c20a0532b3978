package memory

// This file is the pass forward. It stands behind fuse, since Go rounds a float where it is
// stored: a product that comes out of memory goes into no sum.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// Limits of forward.
const (
	// maxPlaces is how many places of a function are followed, the first ones.
	maxPlaces = 256
	// maxForwards is how often the pass runs: indexes that were loaded, as b in a[b[i]], are
	// one value only after the round that has joined their loads.
	maxForwards = 3
)

// Forward replaces a load from device memory by the value that the work-item has stored there,
// or loaded from there, last:
//
//	k.Out[i] = a                    k.Out[i] = a
//	x := k.Out[i] * 2       ──▶     x := a * 2
//
// The value of a place is available from such an access on, on all paths, until something may
// change the memory: a store that may alias the place, and all by which work-items hear of
// each other, which are barriers, group and atomic operations. A value that comes from
// several accesses becomes a phi. Where a loop computes the place's index, no value comes from one
// round into the next: on the way into the loop nothing has accessed the place, since all
// that does stands behind where the index is computed.
//
// Loads stay where they are, or go: none is hoisted. The checks of their indexes are branches
// ahead of them and stay; that one decides another is CSE's to find.
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

// follower is what is known of a place that is followed.
type follower struct {
	place
	// fixed says that nothing changes the memory in the whole launch.
	fixed bool
	// ref is the variable that holds the place's value while it is available, if some load
	// asks for it. Mem2reg makes values of it.
	ref *ir.Ref
}

// forwarder forwards the loads of one function.
type forwarder struct {
	f      *ir.Func
	dom    *ir.DomTree
	loops  *ir.Loops
	places *places
	all    []*follower
	at     map[*ir.Value]int   // the place that a load or store accesses
	kills  map[*ir.Value][]int // the places that are not available behind a value
	// unasked has, for the heads of loops, the places that the loop does not load. Their
	// values would only keep registers from it.
	unasked map[*ir.Block][]bool
	in      map[*ir.Block][]bool // the places that are available at a block's beginning
}

// forwardIn forwards loads of f, whose values are then those of variables, and reports
// whether there were any.
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

// loadsTwice reports whether f accesses device memory twice, one of which is a load: a quick
// no for most small kernels.
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

// collect finds the places that are loaded and accessed at least twice.
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

// findKills notes which values kill which places.
func (w *forwarder) findKills() {
	w.kills = map[*ir.Value][]int{}
	var changing []int // all that anything can change
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

// tellsOthers reports whether others may write device memory where v stands, so that the
// work-item is to see it, or v itself may in a way that is not looked into.
func tellsOthers(v *ir.Value) bool {
	return v.Op.Has(ir.FlagSync) || v.Op.Has(ir.FlagAtomic) || v.Op == ir.OpCall
}

// findUnasked finds the places that loops do not load.
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

// solve finds what is available at each block's beginning: what is at the end of all of its
// predecessors. It begins with everything everywhere but at the entry, and takes away what
// some path lacks until nothing changes.
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

// leavesLoop reports whether the edge from p to b leaves a loop that made place k available
// and did not have it from outside. Its value is not to outlive the loop: what has drivers
// keep it (passes loopvalues and outlive) costs each round more than the load behind costs.
func (w *forwarder) leavesLoop(k int, p, b *ir.Block) bool {
	for l := w.loops.Of(p); l != nil && !l.Contains(b); l = l.Outer {
		if !w.in[l.Head][k] {
			return true
		}
	}
	return false
}

// walk follows a block's values, calls access for each access to a place, with whether its
// value was available then, and returns what is available at the end.
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

// rewrite has the loads whose values are available read variables, to which all other
// accesses of the place store what they store or load.
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

// dropOverwritten removes the stores that another one to the same place follows in the same
// block, with nothing between that could read what was stored:
//
//	k.Out[i] += a                   x := k.Out[i] + a
//	k.Out[i] += b           ──▶     k.Out[i] = x + b
func dropOverwritten(m *ir.Module, f *ir.Func) {
	p := newPlaces(m)
	for _, b := range f.Blocks {
		dead := map[*ir.Value]bool{}
		later := map[string]place{} // what is stored to behind, before anything reads it
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

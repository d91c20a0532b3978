package memory

// This file contains the pass forward. The pass runs after fuse. Go rounds a float when it is
// stored, so a product that was stored must not be fused into a sum.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// These constants limit the pass forward. A place is a location in device memory (see the type
// place).
const (
	// maxPlaces is the largest number of places that are tracked in a function. Only the first
	// places in the code are tracked.
	maxPlaces = 256
	// maxForwards is the largest number of repetitions of the pass. Repetitions help with loaded
	// indices, such as b[i] in a[b[i]], which are single values only after their loads have been
	// merged.
	maxForwards = 3
)

// Forward replaces a load from device memory by the value that the work-item has last stored to the
// same location or loaded from it:
//
//	k.Out[i] = a                    k.Out[i] = a
//	x := k.Out[i] * 2       ──▶     x := a * 2
//
// The value of a location is available after an access, until an operation may change the memory.
// These operations are stores that may alias the location, barriers, group operations and atomic
// operations. A load is replaced if the value is available on all paths to it. If the value comes
// from several accesses, it becomes a phi. If a loop computes the location's index, no value is
// available from one iteration to the next. The reason is that the location has not been accessed
// when the loop is entered.
//
// Forward does not move loads, it only removes them. The checks of their indices are not removed.
// CSE later removes a check that is equal to an earlier check.
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

// follower describes a tracked location in device memory.
type follower struct {
	place
	// The field fixed is set if the memory does not change during the launch.
	fixed bool
	// The field ref is the variable that contains the available value of the location. It is nil if
	// no load needs the value. Mem2reg later turns the variable into values.
	ref *ir.Ref
}

// forwarder replaces loads from device memory in one function.
type forwarder struct {
	f      *ir.Func
	dom    *ir.DomTree
	loops  *ir.Loops
	places *places
	all    []*follower
	at     map[*ir.Value]int   // maps a load or store to the index of the place that it accesses
	kills  map[*ir.Value][]int // maps an instruction to the places that it makes unavailable
	// The field unasked maps the head of a loop to the places that the loop does not load. Values
	// of these places are not kept available in the loop, where they would only occupy registers.
	unasked map[*ir.Block][]bool
	in      map[*ir.Block][]bool // maps a block to the places available at its beginning
}

// forwardIn replaces loads of f by loads of variables where the loaded value is available. It
// reports whether it has replaced any loads.
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

// loadsTwice reports whether f has at least two accesses to device memory, one of which is a load.
// The test quickly excludes most small kernels.
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

// The method collect finds the places that at least two instructions access, at least one of them
// by a load.
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

// findKills records for each instruction the places that it makes unavailable.
func (w *forwarder) findKills() {
	w.kills = map[*ir.Value][]int{}
	var changing []int // indices of the places that may change during the launch
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
			case synchronizes(v):
				w.kills[v] = append(w.kills[v], changing...)
			}
		}
	}
}

// The function synchronizes reports whether stores of other work-items may become visible at v. It
// also returns true if v may store to memory in a way that this pass does not analyse.
func synchronizes(v *ir.Value) bool {
	return v.Op.Has(ir.FlagSync) || v.Op.Has(ir.FlagAtomic) || v.Op == ir.OpCall
}

// findUnasked finds for each loop the places that the loop does not load.
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

// The method solve finds the places available at the beginning of each block. A place must be
// available at the ends of all predecessors. The method solve first assumes that all places are
// available everywhere except at the entry. Then it removes places that are unavailable on some
// path, until nothing changes.
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
// The value of such a place must not be live after the loop. If it were, workarounds for drivers
// (passes loopvalues and outlive) would cost more in each iteration than a load after the loop.
func (w *forwarder) leavesLoop(k int, p, b *ir.Block) bool {
	for l := w.loops.Of(p); l != nil && !l.Contains(b); l = l.Outer {
		if !w.in[l.Head][k] {
			return true
		}
	}
	return false
}

// The method walk visits the instructions of block b and returns the places that are available at
// its end. For each access to a place, it calls the function access. The argument available of that
// function tells whether the place was available before the access.
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

// The method rewrite replaces each load of an available place by a load of the place's variable.
// After each other access to the place, it adds a store of the accessed value to the variable.
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

// dropOverwritten removes a store if a later store in the same block writes the same location and
// no instruction between the two may read it. For example:
//
//	k.Out[i] += a                   x := k.Out[i] + a
//	k.Out[i] += b           ──▶     k.Out[i] = x + b
func dropOverwritten(m *ir.Module, f *ir.Func) {
	p := newPlaces(m)
	for _, b := range f.Blocks {
		dead := map[*ir.Value]bool{}
		later := map[string]place{} // places that a later instruction of b stores to, without a read before that store
		for i := len(b.Insts) - 1; i >= 0; i-- {
			v := b.Insts[i]
			switch {
			case synchronizes(v) || v.Op == ir.OpFault:
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

package memory

// This file contains the pass forward, which removes loads of known values. Forward runs after
// fuse, the pass that combines products and sums. Go rounds a float when it is stored, so fuse must
// see that a product is stored before it is added.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// These constants limit the pass forward.
const (
	// maxPlaces is the largest number of memory locations that are tracked in a function. In larger
	// functions, only the locations that the code accesses first are tracked.
	maxPlaces = 256
	// maxForwards is the largest number of repetitions of the pass. Repetitions help if an index is
	// itself loaded, such as b[i] in a[b[i]]. Two loads of b[i] must become one value before the
	// loads of a[b[i]] are recognized as equal.
	maxForwards = 3
)

// Forward replaces a load from device memory by the value that the work-item has last stored to the
// same location or loaded from it:
//
//	k.Out[i] = a
//	x := k.Out[i] * 2       becomes x := a * 2.
//
// The value of a location is available after an access, until an operation may change the memory. A
// location may be changed by stores that may alias the location, and by barriers, group operations
// and atomic operations. A load is replaced if the location's value is available on all paths to
// the load. If different accesses provide the value on different paths to the load, the value
// becomes a phi. If a loop computes the index of a location, the value of the location is not
// available from one iteration to the next. On entry to the loop, the location that the first
// iteration uses has not been accessed yet.
//
// Forward does not move loads, it only removes them. Forward does not remove the checks of the
// loads' indices. CSE later removes a check that is equal to an earlier check.
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

// trackedPlace describes a tracked location in device memory.
type trackedPlace struct {
	memPlace
	// isFixed is set if the memory does not change during the launch.
	isFixed bool
	// valueVar is the variable that contains the available value of the location. If no load needs
	// the value, valueVar is nil. Mem2reg later turns the variable into values.
	valueVar *ir.Ref
}

// forwarder replaces loads from device memory in one function.
type forwarder struct {
	f        *ir.Func
	dom      *ir.DomTree
	loops    *ir.Loops
	places   *placeTable
	tracked  []*trackedPlace
	placeOf  map[*ir.Value]int   // maps a load or store to the index of the location that it accesses
	killedBy map[*ir.Value][]int // maps an instruction to the locations whose values it makes unavailable
	// unloadedIn maps the head of a loop to the memory locations that the loop does not load.
	// Values of unloaded locations are not kept available in the loop, where they would only occupy
	// registers.
	unloadedIn  map[*ir.Block][]bool
	availableAt map[*ir.Block][]bool // maps a block to the locations whose values are available at its beginning
}

// forwardIn replaces loads from device memory in function f by loads of variables, if the loaded
// values are available. forwardIn reports whether it replaced a load.
func forwardIn(m *ir.Module, f *ir.Func) bool {
	if !loadsTwice(f) {
		return false
	}
	w := &forwarder{f: f, dom: f.Dominators(), places: newPlaces(m)}
	if w.collectPlaces(); len(w.tracked) == 0 {
		return false
	}
	w.loops = w.dom.Loops()
	w.findKills()
	w.findUnloaded()
	w.solveAvailable()
	return w.rewriteLoads()
}

// loadsTwice reports whether f has at least two accesses to device memory, including at least one
// load. This test lets Forward quickly skip most small kernels.
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

// collectPlaces finds the memory locations that at least two instructions access. At least one of
// these instructions must be a load.
func (w *forwarder) collectPlaces() {
	type found struct {
		memPlace
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
			pl := w.places.placeOf(v)
			name := w.places.placeName(pl)
			x := byName[name]
			if x == nil {
				x = &found{memPlace: pl}
				byName[name] = x
				order = append(order, x)
			}
			x.accesses = append(x.accesses, v)
			x.loaded = x.loaded || v.Op == ir.OpLoad
		}
	}
	w.placeOf = map[*ir.Value]int{}
	for _, x := range order {
		if !x.loaded || len(x.accesses) < 2 || len(w.tracked) == maxPlaces {
			continue
		}
		for _, v := range x.accesses {
			w.placeOf[v] = len(w.tracked)
		}
		w.tracked = append(w.tracked, &trackedPlace{memPlace: x.memPlace, isFixed: w.places.isFixed(x.memPlace)})
	}
}

// findKills records for each instruction the memory locations whose values it makes unavailable.
func (w *forwarder) findKills() {
	w.killedBy = map[*ir.Value][]int{}
	var changing []int // indices of the locations that may change during the launch
	for k, x := range w.tracked {
		if !x.isFixed {
			changing = append(changing, k)
		}
	}
	for _, b := range w.dom.Order {
		for _, v := range b.Insts {
			switch {
			case v.Op == ir.OpStore && isDevice(v):
				s := w.places.placeOf(v)
				for _, k := range changing {
					if w.places.mayAlias(s, w.tracked[k].memPlace) {
						w.killedBy[v] = append(w.killedBy[v], k)
					}
				}
			case isSynchronizing(v):
				w.killedBy[v] = append(w.killedBy[v], changing...)
			}
		}
	}
}

// isSynchronizing reports whether stores of other work-items may become visible at v.
// isSynchronizing also returns true for a call, because the pass does not analyse the stores of
// called functions.
func isSynchronizing(v *ir.Value) bool {
	return v.Op.Has(ir.FlagSync) || v.Op.Has(ir.FlagAtomic) || v.Op == ir.OpCall
}

// findUnloaded finds for each loop the memory locations that the loop does not load.
func (w *forwarder) findUnloaded() {
	w.unloadedIn = map[*ir.Block][]bool{}
	for _, l := range w.loops.All {
		un := make([]bool, len(w.tracked))
		for k := range un {
			un[k] = true
		}
		for _, b := range l.Blocks {
			for _, v := range b.Insts {
				if k, ok := w.placeOf[v]; ok && v.Op == ir.OpLoad {
					un[k] = false
				}
			}
		}
		w.unloadedIn[l.Head] = un
	}
}

// solveAvailable finds the memory locations whose values are available at the beginning of each
// block. A value is available at the beginning of a block only if it is available at the ends of
// all predecessors. solveAvailable first assumes that all values are available everywhere except at
// the entry. Then solveAvailable removes values that are unavailable on some path, until nothing
// changes.
func (w *forwarder) solveAvailable() {
	w.availableAt = map[*ir.Block][]bool{}
	out := map[*ir.Block][]bool{}
	for changed := true; changed; {
		changed = false
		for i, b := range w.dom.Order {
			in := make([]bool, len(w.tracked))
			for k := range in {
				in[k] = i > 0 && (w.unloadedIn[b] == nil || !w.unloadedIn[b][k])
			}
			for _, p := range b.Preds {
				if o := out[p]; o != nil {
					for k := range in {
						in[k] = in[k] && o[k] && !w.leavesLoop(k, p, b)
					}
				}
			}
			w.availableAt[b] = in
			o := w.walkBlock(b, func(*ir.Value, bool) {})
			for k := range o {
				changed = changed || out[b] == nil || o[k] != out[b][k]
			}
			out[b] = o
		}
	}
}

// leavesLoop reports whether the edge from p to b leaves a loop in which the value of location k
// became available. A value that became available in the loop must not be live after the loop.
// Because of workarounds for drivers (the passes loopvalues and outlive), a live-out value costs
// more in each iteration than a load after the loop.
func (w *forwarder) leavesLoop(k int, p, b *ir.Block) bool {
	for l := w.loops.Of(p); l != nil && !l.Contains(b); l = l.Outer {
		if !w.availableAt[l.Head][k] {
			return true
		}
	}
	return false
}

// walkBlock visits the instructions of block b and returns the memory locations whose values are
// available at its end. For each access to a tracked location, walkBlock calls visitAccess. The
// parameter isAvailable of visitAccess is true if the location's value was available before the
// access.
func (w *forwarder) walkBlock(b *ir.Block, visitAccess func(v *ir.Value, isAvailable bool)) []bool {
	now := append([]bool(nil), w.availableAt[b]...)
	for _, v := range b.Insts {
		k, ok := w.placeOf[v]
		was := ok && now[k]
		for _, dead := range w.killedBy[v] {
			now[dead] = false
		}
		if ok {
			visitAccess(v, was)
			now[k] = true
		}
	}
	return now
}

// rewriteLoads replaces each load of an available value by a load of the location's variable. After
// each access that is not replaced, rewriteLoads stores the accessed value in the location's
// variable.
func (w *forwarder) rewriteLoads() bool {
	replaced := map[*ir.Value]bool{}
	for _, b := range w.dom.Order {
		w.walkBlock(b, func(v *ir.Value, available bool) {
			if v.Op != ir.OpLoad || !available {
				return
			}
			replaced[v] = true
			if x := w.tracked[w.placeOf[v]]; x.valueVar == nil {
				x.valueVar = &ir.Ref{Var: w.f.Module.NewVar(w.f, ir.Function, "forward", v.Type)}
			}
		})
	}
	if len(replaced) == 0 {
		return false
	}
	e := rewrite.NewEdits(w.f)
	for _, b := range w.dom.Order {
		for _, v := range b.Insts {
			k, ok := w.placeOf[v]
			if !ok || w.tracked[k].valueVar == nil {
				continue
			}
			ref := w.tracked[k].valueVar
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

// dropOverwritten removes a store if a later store in the same block writes the same location. No
// instruction between the two stores may read the location. For example:
//
//	k.Out[i] += a           becomes x := k.Out[i] + a
//	k.Out[i] += b           becomes k.Out[i] = x + b
func dropOverwritten(m *ir.Module, f *ir.Func) {
	p := newPlaces(m)
	for _, b := range f.Blocks {
		dead := map[*ir.Value]bool{}
		later := map[string]memPlace{} // locations that a later instruction of b overwrites before any read
		for i := len(b.Insts) - 1; i >= 0; i-- {
			v := b.Insts[i]
			switch {
			case isSynchronizing(v) || v.Op == ir.OpFault:
				clear(later)
			case !isDevice(v):
			case v.Op == ir.OpLoad:
				pl := p.placeOf(v)
				for name, x := range later {
					if p.mayAlias(pl, x) {
						delete(later, name)
					}
				}
			default:
				pl := p.placeOf(v)
				name := p.placeName(pl)
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

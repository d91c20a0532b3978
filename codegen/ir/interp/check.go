package interp

// This file searches for data races and other errors in a run.

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Checks makes a run search for errors even if they have no effect in this run.
type Checks struct {
	// Seed selects the order in which work-items execute. Equal seeds have the same order.
	Seed uint64
	// Found is called for each finding, but only once for a pair of positions.
	Found func(Finding)
}

// Finding is an error in a kernel. If a finding ends the run, it is also the run's error.
type Finding struct {
	Kind FindingKind
	Pos  ir.Pos
	// Other is the position of the other access, or of the barrier where other work-items wait. It
	// may be zero.
	Other   ir.Pos
	Message string
}

// FindingKind is the kind of a finding.
type FindingKind uint8

// The kinds of findings.
const (
	// Race: two work-items access the same memory, at least one of them writes, and the accesses
	// are not ordered.
	Race FindingKind = iota
	// Unwritten: a load reads work-group memory that no work-item has written.
	Unwritten
	// Divergence: work-items of a group wait at different barriers.
	Divergence
	// NotUniform: a value that must be uniform is not.
	NotUniform
)

func (f Finding) Error() string { return fmt.Sprintf("%v: %s", f.Pos, f.Message) }

// checker is the state of the checks of a launch.
type checker struct {
	Checks
	rng  *rand.Rand
	seen map[place]bool
	// items is the number of work-items in the groups before the current one.
	items   int
	device  map[uint64]*shadow // accesses of device memory, by address
	local   map[*cell]*shadow
	atomics map[memoryKey][]uint32 // clocks that atomic ops on a location have released
	// early has loads of cells that have not been written yet.
	early map[*cell][]*ir.Value
	// relaxed has the variables that the kernel accesses by atomic ops.
	relaxed map[*ir.Var]bool
	// across says that accesses of different groups are compared. That is correct if the kernel has
	// no atomic ops on device memory, because accesses of groups are not ordered then.
	across bool
}

// place is the key of a finding: findings with equal keys are reported once.
type place struct {
	kind       FindingKind
	pos, other ir.Pos
}

type memoryKey struct {
	addr uint64
	cell *cell
}

// shadow has the last accesses of a location.
type shadow struct{ writes, reads []access }

// access is the last access of its kind by a work-item. It is ordered before all accesses by a
// work-item whose clock for the accessing work-item is at least the access's clock.
type access struct {
	item, linear int
	clock        uint32
	v            *ir.Value
	atomic       bool
	id           []uint32
}

func newChecker(m *ir.Module, c *Checks) *checker {
	x := &checker{Checks: *c, rng: rand.New(rand.NewPCG(c.Seed, 1)), seen: map[place]bool{},
		device: map[uint64]*shadow{}, relaxed: map[*ir.Var]bool{}, across: true}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if !v.Op.Has(ir.FlagAtomic) {
				continue
			}
			if r := v.Ref(); r != nil && r.Var != nil {
				x.relaxed[r.Var] = true
			} else {
				x.across = false
			}
		}
	}
	return x
}

// begin resets the checker for a group.
func (c *checker) begin(items []*item) {
	if !c.across {
		clear(c.device)
	}
	c.local, c.atomics, c.early = map[*cell]*shadow{}, map[memoryKey][]uint32{}, map[*cell][]*ir.Value{}
	for i, w := range items {
		w.clock = make([]uint32, len(items))
		w.clock[i] = 1
	}
}

// found reports a finding unless an equal one has been reported.
func (c *checker) found(f Finding) {
	key := place{f.Kind, f.Pos, f.Other}
	if f.Other.File == f.Pos.File && (f.Other.Line < f.Pos.Line || f.Other.Line == f.Pos.Line && f.Other.Col < f.Pos.Col) {
		key.pos, key.other = key.other, key.pos
	}
	if !c.seen[key] {
		c.seen[key] = true
		c.Found(f)
	}
}

// turns runs the items in random turns until each of them waits or has returned.
func (c *checker) turns(items []*item) {
	ready := slices.DeleteFunc(slices.Clone(items), func(w *item) bool { return w.frame == nil || w.at != nil })
	for len(ready) > 0 {
		i := c.rng.IntN(len(ready))
		w := ready[i]
		for n := 1 + c.rng.IntN(64); n > 0 && w.frame != nil && w.at == nil; n-- {
			w.step()
		}
		if w.frame == nil || w.at != nil {
			ready = slices.Delete(ready, i, i+1)
		}
	}
}

// meet orders the accesses of the items before their next accesses. Accesses of items that have
// returned are ordered, too, because on a device these items also reach the barrier.
func (c *checker) meet(items []*item) {
	var all []uint32
	for _, w := range items {
		if w.at != nil || w.frame == nil {
			all = later(all, w.clock)
		}
	}
	for _, w := range items {
		if w.at != nil {
			copy(w.clock, all)
			w.clock[w.linear]++
		}
	}
}

// later sets a to the later of two clocks and returns it.
func later(a, b []uint32) []uint32 {
	if a == nil {
		return slices.Clone(b)
	}
	for i, n := range b {
		a[i] = max(a[i], n)
	}
	return a
}

// acquire is the first part of an atomic op on a location. It orders earlier ops on the location
// before the work-item's next accesses.
func (c *checker) acquire(w *item, k memoryKey) { later(w.clock, c.atomics[k]) }

// release is the last part of an atomic op on a location. It orders the work-item's accesses before
// later ops on the location.
func (c *checker) release(w *item, k memoryKey) {
	c.atomics[k] = later(c.atomics[k], w.clock)
	w.clock[w.linear]++
}

// access compares an access with earlier ones and records it.
func (c *checker) access(w *item, v *ir.Value, key memoryKey, writes bool) {
	s := c.local[key.cell]
	if key.cell == nil {
		s = c.device[key.addr]
	}
	if s == nil {
		s = &shadow{}
		if key.cell == nil {
			c.device[key.addr] = s
		} else {
			c.local[key.cell] = s
		}
	}
	a := access{c.items + int(w.linear), int(w.linear), w.clock[w.linear], v, v.Op.Has(ir.FlagAtomic), w.globalID()}
	c.compare(w, a, s.writes, true, writes)
	if writes {
		c.compare(w, a, s.reads, false, true)
		s.writes = s.add(s.writes, a)
	} else {
		s.reads = s.add(s.reads, a)
	}
}

// add replaces the item's access of the same kind in the list.
func (*shadow) add(list []access, a access) []access {
	for i := range list {
		if list[i].item == a.item && list[i].atomic == a.atomic {
			list[i] = a
			return list
		}
	}
	return append(list, a)
}

func (c *checker) compare(w *item, a access, others []access, wrote, writes bool) {
	for _, o := range others {
		same := o.item/len(w.clock) == a.item/len(w.clock) // same group
		if o.item == a.item || o.atomic && a.atomic || same && o.clock <= w.clock[o.linear] {
			continue
		}
		kind := map[bool]string{false: "load", true: "store"}
		where := "of their group"
		if !same {
			where = "of two groups"
		}
		c.found(Finding{Race, a.v.Pos, o.v.Pos, fmt.Sprintf(
			"a data race: this %s by work-item %v and the %s at %v by work-item %v, %s, are of the same memory, and nothing orders them",
			kind[writes], a.id, kind[wrote], o.v.Pos, o.id, where)})
	}
}

// unwritten reports loads of memory that only the group's zeroing has set. It is called at the end
// of the group's use of the memory. Nothing is reported if a work-item has faulted, because its
// stores may be missing.
func (c *checker) unwritten(of *store, items []*item) {
	faulted := slices.ContainsFunc(items, func(w *item) bool { return w.faulted })
	for i := range of.cells {
		cell := &of.cells[i]
		if !cell.written && !faulted {
			for _, v := range c.early[cell] {
				c.found(Finding{Kind: Unwritten, Pos: v.Pos, Message: "this work-group memory was never written: no work-item has stored what is loaded here"})
			}
		}
		delete(c.early, cell)
	}
}

// stop ends the run with a finding.
func (c *checker) stop(f Finding) {
	c.found(f)
	panic(runError{f})
}

// globalID returns the work-item's global id in the kernel's index order.
func (w *item) globalID() (id []uint32) {
	for i := max(w.x.m.Rank, 1) - 1; i >= 0; i-- {
		id = append(id, w.group[i]*w.x.l.Local[i]+w.local[i])
	}
	return id
}

// checkAccess checks an access to memory that work-items share.
func (w *item) checkAccess(v *ir.Value, r *ir.Ref, k memoryKey, writes bool) {
	c := w.x.check
	if c == nil || r.Var != nil && r.Var.Storage != ir.Workgroup || k.addr >= faultAddr {
		return
	}
	if k.cell != nil && !writes && !k.cell.written && k.cell.set && !c.relaxed[r.Var] && !slices.Contains(c.early[k.cell], v) {
		c.early[k.cell] = append(c.early[k.cell], v)
	}
	c.access(w, v, k, writes)
}

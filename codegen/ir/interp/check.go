package interp

// This file searches for data races and other errors in a run.

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Checks enables a search for errors, such as data races, that may have no effect on the results of
// a run.
type Checks struct {
	// Seed selects the order in which work-items execute. With the same seed, work-items execute in
	// the same order.
	Seed uint64
	// Found is called for each finding. If several findings have the same kind and the same two
	// positions, Found is called only for the first finding.
	Found func(Finding)
}

// Finding is an error in a kernel. If a finding ends the run, Run returns the finding as the error.
type Finding struct {
	Kind FindingKind
	Pos  ir.Pos
	// Other is the second position of the finding. For a data race, Other is the position of the
	// other access. For divergent barriers, Other is the position at which another work-item waits.
	// Other is zero if the finding has only one position.
	Other   ir.Pos
	Message string
}

// FindingKind is the kind of error that a finding reports.
type FindingKind uint8

// The kinds of findings.
const (
	// Race means that two work-items access the same memory, at least one of them writes, and
	// nothing orders the accesses.
	Race FindingKind = iota
	// Unwritten means that a load reads work-group memory that no work-item has written.
	Unwritten
	// Divergence means that work-items of one group wait at different barriers.
	Divergence
	// NotUniform means that a value differs between work-items of a group, although the value must
	// be uniform.
	NotUniform
)

func (f Finding) Error() string { return fmt.Sprintf("%v: %s", f.Pos, f.Message) }

// checker records the memory accesses and the findings of one launch.
type checker struct {
	Checks
	rng  *rand.Rand
	seen map[findingKey]bool
	// itemsBefore is the number of work-items in all groups that ran before the current group.
	itemsBefore int
	device      map[uint64]*accessList // maps a device address to the accesses of the memory at this address
	local       map[*cell]*accessList
	atomics     map[memoryKey][]uint32 // maps a memory location to the vector clock that atomic ops on the location released
	// unwrittenLoads maps a scalar in memory to the loads that read the scalar before any store.
	unwrittenLoads map[*cell][]*ir.Value
	// atomicVars is the set of variables that the kernel accesses by atomic ops.
	atomicVars map[*ir.Var]bool
	// acrossGroups is true if the checker compares accesses of different groups. Accesses of
	// different groups are compared only if the kernel has no atomic ops on device memory, because
	// atomic ops could order the accesses.
	acrossGroups bool
}

// findingKey identifies a finding. If several findings have the same findingKey, only the first
// finding is reported.
type findingKey struct {
	kind       FindingKind
	pos, other ir.Pos
}

type memoryKey struct {
	addr uint64
	cell *cell
}

// accessList lists, for one memory location, the last accesses of each work-item.
type accessList struct{ writes, reads []accessRecord }

// accessRecord is the last load or the last store of a memory location by one work-item. The
// recorded access happens before an access of another work-item if element `linear` of that
// work-item's vector clock is at least `clock`.
type accessRecord struct {
	item, linear int
	clock        uint32
	v            *ir.Value
	atomic       bool
	id           []uint32
}

func newChecker(m *ir.Module, c *Checks) *checker {
	x := &checker{Checks: *c, rng: rand.New(rand.NewPCG(c.Seed, 1)), seen: map[findingKey]bool{},
		device: map[uint64]*accessList{}, atomicVars: map[*ir.Var]bool{}, acrossGroups: true}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if !v.Op.Has(ir.FlagAtomic) {
				continue
			}
			if r := v.Ref(); r != nil && r.Var != nil {
				x.atomicVars[r.Var] = true
			} else {
				x.acrossGroups = false
			}
		}
	}
	return x
}

// beginGroup resets the checker before a group runs.
func (c *checker) beginGroup(items []*itemState) {
	if !c.acrossGroups {
		clear(c.device)
	}
	c.local, c.atomics, c.unwrittenLoads = map[*cell]*accessList{}, map[memoryKey][]uint32{}, map[*cell][]*ir.Value{}
	for i, w := range items {
		w.clock = make([]uint32, len(items))
		w.clock[i] = 1
	}
}

// reportFinding reports a finding, unless a finding with the same findingKey has already been
// reported.
func (c *checker) reportFinding(f Finding) {
	key := findingKey{f.Kind, f.Pos, f.Other}
	if f.Other.File == f.Pos.File && (f.Other.Line < f.Pos.Line || f.Other.Line == f.Pos.Line && f.Other.Col < f.Pos.Col) {
		key.pos, key.other = key.other, key.pos
	}
	if !c.seen[key] {
		c.seen[key] = true
		c.Found(f)
	}
}

// runRandomly runs the work-items in random order, a few steps at a time, until every work-item waits or has
// returned.
func (c *checker) runRandomly(items []*itemState) {
	ready := slices.DeleteFunc(slices.Clone(items), func(w *itemState) bool { return w.frame == nil || w.at != nil })
	for len(ready) > 0 {
		i := c.rng.IntN(len(ready))
		w := ready[i]
		for n := 1 + c.rng.IntN(64); n > 0 && w.frame != nil && w.at == nil; n-- {
			w.runStep()
		}
		if w.frame == nil || w.at != nil {
			ready = slices.Delete(ready, i, i+1)
		}
	}
}

// recordBarrier records a barrier. A barrier divides the accesses of the group into earlier and
// later accesses. All earlier accesses happen before all later accesses. A barrier also orders
// accesses of work-items that have returned, because on a device the invocations of these
// work-items reach the barrier too.
func (c *checker) recordBarrier(items []*itemState) {
	var all []uint32
	for _, w := range items {
		if w.at != nil || w.frame == nil {
			all = maxClock(all, w.clock)
		}
	}
	for _, w := range items {
		if w.at != nil {
			copy(w.clock, all)
			w.clock[w.linear]++
		}
	}
}

// maxClock sets each element of vector clock a to the maximum of the elements of a and b, and returns a.
func maxClock(a, b []uint32) []uint32 {
	if a == nil {
		return slices.Clone(b)
	}
	for i, n := range b {
		a[i] = max(a[i], n)
	}
	return a
}

// acquireClock is called before an atomic op of work-item w on memory location k. acquireClock
// orders earlier atomic ops on k before the next accesses of w.
func (c *checker) acquireClock(w *itemState, k memoryKey) { maxClock(w.clock, c.atomics[k]) }

// releaseClock is called after an atomic op of work-item w on memory location k. releaseClock
// orders the accesses of w before later atomic ops on k.
func (c *checker) releaseClock(w *itemState, k memoryKey) {
	c.atomics[k] = maxClock(c.atomics[k], w.clock)
	w.clock[w.linear]++
}

// recordAccess records a memory access by work-item w. If a conflicting earlier access is not
// ordered before the recorded access, recordAccess reports a data race.
func (c *checker) recordAccess(w *itemState, v *ir.Value, key memoryKey, writes bool) {
	s := c.local[key.cell]
	if key.cell == nil {
		s = c.device[key.addr]
	}
	if s == nil {
		s = &accessList{}
		if key.cell == nil {
			c.device[key.addr] = s
		} else {
			c.local[key.cell] = s
		}
	}
	a := accessRecord{c.itemsBefore + int(w.linear), int(w.linear), w.clock[w.linear], v, v.Op.Has(ir.FlagAtomic), w.globalID()}
	c.compare(w, a, s.writes, true, writes)
	if writes {
		c.compare(w, a, s.reads, false, true)
		s.writes = s.replaceAccess(s.writes, a)
	} else {
		s.reads = s.replaceAccess(s.reads, a)
	}
}

// replaceAccess returns a list that contains access `a`. If the list contains an earlier access of
// the same work-item and kind (atomic or not), `a` replaces the earlier access.
func (*accessList) replaceAccess(list []accessRecord, a accessRecord) []accessRecord {
	for i := range list {
		if list[i].item == a.item && list[i].atomic == a.atomic {
			list[i] = a
			return list
		}
	}
	return append(list, a)
}

func (c *checker) compare(w *itemState, a accessRecord, others []accessRecord, wrote, writes bool) {
	for _, o := range others {
		same := o.item/len(w.clock) == a.item/len(w.clock) // whether both accesses are accesses of the same group
		if o.item == a.item || o.atomic && a.atomic || same && o.clock <= w.clock[o.linear] {
			continue
		}
		kind := map[bool]string{false: "load", true: "store"}
		where := ", of the same work-group,"
		if w.x.m.Form == abi.Range {
			where = "" // the kernel does not see the groups
		} else if !same {
			where = ", of another work-group,"
		}
		c.reportFinding(Finding{Race, a.v.Pos, o.v.Pos, fmt.Sprintf(
			"a data race: this %s by work-item %v and the %s at %v by work-item %v%s are of the same memory, and nothing orders them",
			kind[writes], a.id, kind[wrote], o.v.Pos, o.id, where)})
	}
}

// reportUnwritten reports loads of work-group memory that no store has written. reportUnwritten is
// called when the group does not use the memory any more. If a work-item has faulted,
// reportUnwritten reports nothing, because the fault may have skipped stores.
func (c *checker) reportUnwritten(of *varMemory, items []*itemState) {
	faulted := slices.ContainsFunc(items, func(w *itemState) bool { return w.faulted })
	for i := range of.cells {
		cell := &of.cells[i]
		if !cell.written && !faulted {
			for _, v := range c.unwrittenLoads[cell] {
				c.reportFinding(Finding{Kind: Unwritten, Pos: v.Pos, Message: "this work-group memory was never written: no work-item has stored what is loaded here"})
			}
		}
		delete(c.unwrittenLoads, cell)
	}
}

// stopRun ends the run with a finding.
func (c *checker) stopRun(f Finding) {
	c.reportFinding(f)
	panic(runError{f})
}

// globalID returns the global id of work-item w. The components of the id are in the order of the
// kernel's Go index.
func (w *itemState) globalID() (id []uint32) {
	for i := max(w.x.m.Rank, 1) - 1; i >= 0; i-- {
		id = append(id, w.group[i]*w.x.l.Local[i]+w.local[i])
	}
	return id
}

// checkAccess searches for races and for loads of unwritten memory. checkAccess is called for each
// access to memory that work-items share.
func (w *itemState) checkAccess(v *ir.Value, r *ir.Ref, k memoryKey, writes bool) {
	c := w.x.check
	if c == nil || r.Var != nil && r.Var.Storage != ir.Workgroup || k.addr >= faultAddr {
		return
	}
	if k.cell != nil && !writes && !k.cell.written && k.cell.set && !c.atomicVars[r.Var] && !slices.Contains(c.unwrittenLoads[k.cell], v) {
		c.unwrittenLoads[k.cell] = append(c.unwrittenLoads[k.cell], v)
	}
	c.recordAccess(w, v, k, writes)
}

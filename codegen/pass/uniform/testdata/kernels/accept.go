// Package uniform has kernels whose barriers are all in uniform flow, which kgen
// must see, and in reject.go those where one is not.
package uniform

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

// Mem is what the kernels work on: they write Y and Z.
type Mem struct {
	N, M    int
	Flag    bool
	X, Y, Z []int32
	F       []float32
}

type (
	A01 struct{ Mem }
	A02 struct{ Mem }
	A03 struct{ Mem }
	A04 struct{ Mem }
	A05 struct{ Mem }
	A06 struct{ Mem }
	A07 struct{ Mem }
	A08 struct{ Mem }
	A09 struct{ Mem }
	A10 struct{ Mem }
	A11 struct{ Mem }
	A12 struct{ Mem }
	A13 struct{ Mem }
	A14 struct{ Mem }
	A15 struct{ Mem }
	A16 struct{ Mem }
	A17 struct{ Mem }
	A18 struct{ Mem }
	A19 struct{ Mem }
	A20 struct{ Mem }
	A21 struct{ Mem }
	A22 struct{ Mem }
	A23 struct{ Mem }
	A24 struct{ Mem }
	A25 struct{ Mem }
	A26 struct{ Mem }
	A27 struct{ Mem }
	A28 struct{ Mem }
	A29 struct{ Mem }
	A30 struct{ Mem }
	A31 struct{ Mem }
	A32 struct{ Mem }
	A33 struct{ Mem }
	A34 struct{ Mem }
	A35 struct{ Mem }
	A36 struct{ Mem }
	A37 struct{ Mem }
	A38 struct{ Mem }
	A39 struct{ Mem }
	A40 struct{ Mem }
	A41 struct{ Mem }
	A42 struct{ Mem }
	A43 struct{ Mem }
	A44 struct{ Mem }
	A45 struct{ Mem }
	A46 struct{ Mem }
	A47 struct{ Mem }
	A48 struct{ Mem }
	A49 struct{ Mem }
	A50 struct{ Mem }
	A51 struct{ Mem }
	A52 struct{ Mem }
)

// A kernel's field decides.
func (k A01) Kernel(it dsl.NDItem1) {
	if k.Flag {
		it.Barrier()
	}
}

// So do group ids and ranges.
func (k A02) Kernel(it dsl.NDItem2) {
	y, x := it.GroupID()
	h, w := it.GroupRange()
	if y == h-1 || x == w-1 {
		it.Barrier()
	}
}

// A loop of a number of rounds that a field says.
func (k A03) Kernel(it dsl.NDItem1) {
	for i := range k.N {
		k.Y[it.GlobalID()] += int32(i)
		it.Barrier()
	}
}

// A loop that halves.
func (k A04) Kernel(it dsl.NDItem1) {
	for s := it.LocalRange() / 2; s > 0; s /= 2 {
		if it.LocalID() < s {
			k.Y[it.GlobalID()] += k.Y[it.GlobalID()+s]
		}
		it.Barrier()
	}
}

// Work-items that return before a barrier are no longer waited for.
func (k A05) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	if i >= k.N {
		return
	}
	it.Barrier()
	k.Y[i] = 1
}

// In two dimensions, by two ifs.
func (k A06) Kernel(it dsl.NDItem2) {
	y, x := it.GlobalID()
	if y >= k.M {
		return
	}
	if x >= k.N {
		return
	}
	it.Barrier()
	k.Y[y*k.N+x] = 1
}

// By one condition of two parts.
func (k A07) Kernel(it dsl.NDItem2) {
	y, x := it.GlobalID()
	if y >= k.M || x >= k.N {
		return
	}
	it.Barrier()
	k.Y[y*k.N+x] = 1
	it.Barrier()
}

// After a store of its own.
func (k A08) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	if k.X[i] < 0 {
		k.Y[i] = -1
		return
	}
	it.Barrier()
}

// Between barriers.
func (k A09) Kernel(it dsl.NDItem1) {
	it.Barrier()
	if it.LocalID() > 3 {
		return
	}
	it.Barrier()
	if k.X[it.GlobalID()] == 0 {
		return
	}
	it.Barrier()
}

// In a loop that ends by itself.
func (k A10) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	for j := range k.N {
		if k.X[i] == int32(j) {
			return
		}
		it.Barrier()
	}
}

// Guarded loads and stores, and a barrier beside.
func (k A11) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	if i := it.GlobalID(); i < k.N {
		tile[it.LocalID()%64] = k.X[i]
	}
	it.Barrier()
	if i := it.GlobalID(); i < k.N {
		k.Y[i] = tile[63-it.LocalID()%64]
	}
}

// A load at a uniform index from what the kernel never writes.
func (k A12) Kernel(it dsl.NDItem1) {
	if k.X[it.GroupID()] > 0 {
		it.Barrier()
	}
}

// A number of rounds from there.
func (k A13) Kernel(it dsl.NDItem1) {
	for j := k.X[it.GroupID()]; j < k.X[it.GroupID()+1]; j++ {
		k.Y[it.GlobalID()] += j
		it.Barrier()
	}
}

// What a group reduces to.
func (k A14) Kernel(it dsl.NDItem1) {
	v := k.X[it.GlobalID()]
	for dsl.ReduceOverGroup(it.Group(), v, dsl.Maximum) > 0 {
		v--
		it.Barrier()
	}
}

// What a group votes.
func (k A15) Kernel(it dsl.NDItem1) {
	done := false
	for !dsl.AllOfGroup(it.Group(), done) {
		done = k.X[it.GlobalID()]%2 == 0 || done
		if dsl.AnyOfGroup(it.Group(), done) && dsl.NoneOfGroup(it.Group(), k.Flag) {
			it.Barrier()
		}
	}
}

// What is broadcast.
func (k A16) Kernel(it dsl.NDItem1) {
	if dsl.GroupBroadcast(it.Group(), k.X[it.GlobalID()], 0) > 3 {
		it.Barrier()
	}
}

// What the kernel says is uniform.
func (k A17) Kernel(it dsl.NDItem1) {
	if dsl.Uniform(k.X[it.GlobalID()/64]) > 3 {
		it.Barrier()
	}
}

// Also where work-items have left.
func (k A18) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	if i >= k.N {
		return
	}
	if dsl.Uniform(k.X[i/64] > 3) {
		it.Barrier()
	}
	for range dsl.Uniform(int(k.F[i/64])) {
		it.Barrier()
	}
	if dsl.Uniform(k.F[i/64]) > 2.5 {
		it.Barrier()
	}
}

// A constant condition.
func (k A19) Kernel(it dsl.NDItem1) {
	const debug = false
	if debug && it.LocalID() == 0 {
		it.Barrier()
	}
}

// A condition that is the same for all though it is made of ids.
func (k A20) Kernel(it dsl.NDItem1) {
	if it.GlobalID()-it.LocalID() == it.GroupID()*it.LocalRange() || it.LocalID() < it.LocalRange() {
		k.Y[0] = 1
	}
	if it.GroupID()*it.LocalRange() < k.N {
		it.Barrier()
	}
}

// A barrier on both sides of a uniform if.
func (k A21) Kernel(it dsl.NDItem1) {
	if k.N > 3 {
		it.Barrier()
		k.Y[it.GlobalID()] = 1
	} else {
		it.Barrier()
	}
}

// A uniform switch.
func (k A22) Kernel(it dsl.NDItem1) {
	switch it.GroupID() % 3 {
	case 0:
		it.Barrier()
	case 1:
		k.Y[it.GlobalID()] = 1
		fallthrough
	default:
		it.Barrier()
		it.Barrier()
	}
}

// break and continue that depend on what is uniform.
func (k A23) Kernel(it dsl.NDItem1) {
	for i := 0; ; i++ {
		if i == k.N {
			break
		}
		if i%2 == 0 {
			continue
		}
		it.Barrier()
	}
}

// A divergent loop between barriers.
func (k A24) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	it.Barrier()
	for n := k.X[i]; n > 0; n-- {
		k.Y[i] += n
	}
	it.Barrier()
}

// A divergent loop with break, inside a uniform one.
func (k A25) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	for range k.N {
		for j := range k.M {
			if k.X[i] < int32(j) {
				break
			}
			k.Y[i]++
		}
		it.Barrier()
	}
}

// A divergent continue after the round's last barrier.
func (k A26) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	for j := range k.N {
		it.Barrier()
		if k.X[i] == int32(j) {
			continue
		}
		k.Y[i] += int32(j)
	}
}

// A variable that takes uniform values alone.
func (k A27) Kernel(it dsl.NDItem1) {
	n := k.N
	if k.Flag {
		n = k.M
	}
	for range n {
		it.Barrier()
	}
}

// A struct, and a pointer to what is uniform.
func (k A28) Kernel(it dsl.NDItem1) {
	type pair struct{ mine, all int }
	p := pair{it.LocalID(), it.GroupID()}
	q := &p.all
	k.Y[it.GlobalID()] = int32(p.mine)
	if *q > 3 {
		it.Barrier()
	}
}

// A helper that is given what is uniform.
func (k A29) Kernel(it dsl.NDItem1) {
	rounds(it, k.N, k.Y)
	rounds(it, it.GroupID(), k.Y)
}

func rounds(it dsl.NDItem1, n int, y []int32) {
	for j := range n {
		y[it.GlobalID()] += int32(j)
		it.Barrier()
	}
}

// Work-group memory in a uniform loop.
func (k A30) Kernel(it dsl.NDItem1) {
	for j := range k.N {
		tile := dsl.Local[[8]int32](it)
		tile[it.LocalID()%8] += int32(j)
		it.Barrier()
		k.Y[it.GlobalID()] += tile[0]
		it.Barrier()
	}
}

// Sub-groups meet where the work-group does.
func (k A31) Kernel(it dsl.NDItem1) {
	s := it.SubGroup()
	v := dsl.ReduceOverGroup(s, k.X[it.GlobalID()], dsl.Plus)
	s.Barrier()
	if s.LocalID() == 0 {
		k.Y[s.GroupID()] = v
	}
	it.Group().Barrier()
}

// Faults between barriers.
func (k A32) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	k.Y[i] = 12 / k.X[i]
	it.Barrier()
	if k.X[i] > 100 {
		panic("too large")
	}
	it.Barrier()
}

// Atomics decide what is not followed by a barrier.
func (k A33) Kernel(it dsl.NDItem1) {
	it.Barrier()
	if atomic.AddInt32(&k.Y[0], 1) == 1 {
		k.Z[0] = 1
	}
}

// The number of sub-groups, and their size.
func (k A34) Kernel(it dsl.NDItem1) {
	if it.SubGroup().GroupRange() > 1 && it.SubGroup().MaxLocalRange() > 4 {
		it.Barrier()
	}
}

// Leaving one by one in a loop that reduces.
func (k A35) Kernel(it dsl.NDItem1) {
	v := k.X[it.GlobalID()]
	for r := dsl.ReduceOverGroup(it.Group(), v, dsl.Plus); r > 0; r /= 2 {
		if v > r {
			return
		}
		it.Barrier()
	}
}

// A labelled continue of a uniform loop out of a divergent one.
func (k A36) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
rounds:
	for j := range k.N {
		it.Barrier()
		for n := range k.M {
			if k.X[i] == int32(n+j) {
				continue rounds
			}
			k.Y[i]++
		}
	}
}

// A loop that work-items go round as often as they like, right before one that they
// go round together.
func (k A37) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	for i := range k.X[id*16:] {
		_ = i
	}
	for i := 0; i < k.N; i++ {
		it.Barrier()
	}
	k.Y[id] = 1
}

// The same with a loop in the loop.
func (k A38) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	v := k.X[id]
	for v > 3 {
		for v%7 != 0 {
			v--
		}
		v /= 2
	}
	for i := 0; i < k.N; i++ {
		it.Barrier()
		v += int32(i)
	}
	k.Y[id] = v
}

// A bound that a loop of the work-item's own has computed, too, before its end.
func (k A39) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	v := k.X[id]
	for {
		v += int32(k.N % 7)
		if v > 100 {
			break
		}
	}
	if v > 105 {
		return
	}
	for range k.N % 7 {
		it.Barrier()
	}
	k.Y[id] = v
}

// A panic after the last barrier of a loop that all go round together.
func (k A40) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	for i := range k.N {
		if k.X[id] == int32(i) {
			return
		}
		it.Barrier()
	}
	it.Barrier()
	panic("none")
}

// A panic is the only way out for those that are left.
func (k A41) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	for i := range k.N {
		if k.X[id] == int32(i) {
			return
		}
		it.Barrier()
	}
	panic("not found")
}

// A loop that ends when nobody votes for another round.
func (k A42) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	v := k.X[id]
	for dsl.AnyOfGroup(it.Group(), v > 3) {
		if v == 7 {
			return
		}
		it.Barrier()
		v = k.Y[id] - v
	}
}

// A return statement for two conditions, one of which all have in common.
func (k A43) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	for i := 0; i < k.N; i++ {
		it.Barrier()
		if k.Flag || k.X[id] == int32(i) {
			return
		}
	}
	it.Barrier()
}

// Rounds until nobody wants another, with a check in each.
func (k A44) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	for {
		v := k.Y[id]
		if v > 0 {
			k.Y[id] = v - 1
		}
		if !dsl.AnyOfGroup(it.Group(), v > 1) {
			break
		}
	}
}

// The same by a sum, which dead lanes never bring to an end.
func (k A45) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	for {
		v := k.Y[id]
		if v < 0 || k.Flag && v == 3 {
			return
		}
		k.Y[id] = v - 1
		if dsl.ReduceOverGroup(it.Group(), k.X[id]-v, dsl.Plus) > 100 {
			break
		}
	}
	it.Barrier()
}

// A check that no third round passes.
func (k A46) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	s := k.Y[2*id : 2*id+2]
	for i := range 3 {
		if s[i] > 0 {
			s[0] = 0
			if k.X[id] > 3 {
				return
			}
		}
		it.Barrier()
	}
}

// What all have in common decides between a value and another one, which is the same
// wherever work-items go.
func (k A47) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	n := k.N
	if k.Flag {
		n = k.M
	} else if k.X[id] > 3 {
		k.Y[id] = 1
	} else if k.X[id] > 2 {
		k.Y[id] = 2
	}
	if n > 3 {
		it.Barrier()
	}
}

// However long they stay there.
func (k A48) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	n := k.N
	if k.Flag {
		n = k.M
	} else {
		for i := int32(0); i < k.X[id]; i++ {
			k.Y[i] = 2
		}
	}
	if n > 3 {
		it.Barrier()
	}
}

// Some have left before a loop that dead lanes never bring to an end.
func (k A49) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	v := k.X[id]
	for {
		if v /= 2; dsl.ReduceOverGroup(it.Group(), v, dsl.Minimum) < 3 {
			break
		}
	}
	k.Y[id] = v
}

// The same a level further in.
func (k A50) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	n := k.N
	if k.Flag {
		if k.M > 3 {
			k.Y[id] = 0
		} else {
			n = k.M
			if k.X[id] > 3 {
				k.Y[id] = 1
			} else if k.X[id] > 2 {
				k.Y[id] = 2
			}
		}
	}
	if n > 3 {
		it.Barrier()
	}
}

// A loop that ends by a vote of those that are left, or when none is.
func (k A51) Kernel(it dsl.NDItem1) {
	for i := 0; ; i++ {
		if i > it.LocalID() {
			return
		}
		it.Barrier()
		if dsl.AnyOfGroup(it.Group(), i > k.N) {
			break
		}
	}
	it.Barrier()
}

// A loop that looks for a place, at first alike for all.
func (k A52) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	x := k.X[id]
	lo, hi := 0, k.N
	for lo < hi {
		if h := int(uint(lo+hi) >> 1); x > int32(h*h) {
			lo = h + 1
		} else {
			hi = h
		}
	}
	it.Barrier()
	k.Y[id] = int32(lo)
}

type (
	AMatrix1 struct{ Mem }
	AMatrix2 struct{ Mem }
	AMatrix3 struct{ Mem }
)

// All return, or none; a check may fail; and some return in the end.
func (k AMatrix1) Kernel(it dsl.NDItem1) {
	sg, i := it.SubGroup(), it.GlobalID()
	if k.N > 3 {
		return
	}
	k.Y[i] = k.X[2*i]
	acc := dsl.LoadAccumulator[[4][4]int32](sg, k.X[sg.GroupID():], 4, dsl.RowMajor)
	for range k.N {
		acc = dsl.Add(sg, acc, acc)
	}
	dsl.StoreAccumulator(sg, acc, k.Y[16*sg.GroupID():], 4, dsl.RowMajor)
	if k.X[i] > 0 {
		return
	}
	k.Y[i]++
}

// A branch that all take together.
func (k AMatrix2) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	var acc dsl.Accumulator[[4][4]int32]
	if dsl.ReduceOverGroup(it.Group(), k.X[it.GlobalID()], dsl.Plus) > 0 {
		acc = dsl.LoadAccumulator[[4][4]int32](sg, k.X, 4, dsl.RowMajor)
	}
	dsl.StoreAccumulator(sg, acc, k.Y[16*sg.GroupID():], 4, dsl.RowMajor)
}

// Whole sub-groups return.
func (k AMatrix3) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	tile := it.GroupID()*sg.GroupRange() + sg.GroupID()
	if tile >= k.N {
		return
	}
	acc := dsl.LoadAccumulator[[4][4]int32](sg, k.X[16*tile:], 4, dsl.RowMajor)
	dsl.StoreAccumulator(sg, acc, k.Y[16*tile:], 4, dsl.RowMajor)
}

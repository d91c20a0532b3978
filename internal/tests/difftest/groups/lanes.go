package groups

import (
	"slices"

	"github.com/kgen-go/kgen/dsl"
)

// Lanes contains the fields of the kernels below. Work-items of the kernels exit loops, or return,
// before barriers that other work-items still reach.
type Lanes struct {
	N, M int
	T    []int32 // table that the kernels never write
	X, Y []int32
}

// OwnLoops has barriers in a loop that work-items leave one by one.
type OwnLoops struct{ Lanes }

// Kernel also has a loop without barriers, which computes the bound of the loops with barriers.
func (k OwnLoops) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.X[i]
	for {
		v += int32(k.N%7) + 2
		if v > 50 {
			break
		}
	}
	if v%5 == 0 {
		k.Y[i] = -1
		return
	}
	for r := k.N % 7; r < k.M; r++ {
		it.Barrier()
		v += int32(r)
	}
	for range k.N % 7 {
		it.Barrier()
		v ^= 3
	}
	k.Y[i] = v
}

// OwnChecks has barriers after checks, in a loop that work-items leave one by
// one.
type OwnChecks struct{ Lanes }

// Kernel faults in all work-items that remain, or in none.
func (k OwnChecks) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.X[i]
	if v%7 == 3 {
		k.Y[i] = -1
		return
	}
	var quotient int
	var loaded int32
	for {
		quotient = 12 / k.M
		loaded = k.T[k.N]
		if v += loaded&3 + int32(quotient)&1 + 1; v > 50 {
			break
		}
	}
	if v%5 == 0 {
		k.Y[i] = -2
		return
	}
	for range quotient {
		it.Barrier()
		v ^= 5
	}
	for range 12 / k.M {
		it.Barrier()
		v++
	}
	for r := range loaded {
		it.Barrier()
		v += r
	}
	k.Y[i] = v
}

// Steps has barriers in a loop with steps that may be zero or negative. The loop ends when no work-item
// remains.
type Steps struct{ Lanes }

// Kernel returns in one of two successive iterations.
func (k Steps) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.X[i]
	r, step := int(v&1), k.N-3
	for j := 0; j < k.M; j += step {
		it.Barrier()
		if r > 5 {
			k.Y[i] = v
			return
		}
		v ^= k.T[r] + int32(j)
		r++
	}
	k.Y[i] = v
}

// OneWayOut has loops with panics. The work-items leave a loop either all at once, or at different times.
type OneWayOut struct{ Lanes }

// Kernel also has panics after the last barrier.
func (k OneWayOut) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.X[i]
	if v == 3 && k.N > 5 {
		k.Y[i] = 1
		return
	}
	for {
		v += 3
		if k.N == 5 {
			k.Y[i] = 7
			return
		}
		if v > 50 {
			break
		}
	}
	for j := range k.M {
		if j*k.N > 30 {
			panic("too many")
		}
		if int(v)*j == 104 {
			k.Y[i] = v
			return
		}
		v += int32(j)
	}
	it.Barrier()
	k.Y[i] = v
	if k.N > 3 {
		panic("the end")
	}
}

// Replaced has a loop with a barrier. The number of iterations is one of two constants.
type Replaced struct{ Lanes }

// Kernel adds one per iteration.
func (k Replaced) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.X[i]
	n := 3
	if k.M > 3 {
		n = 5
	}
	if v%3 == 0 {
		k.Y[i] = v
		return
	}
	for range n {
		it.Barrier()
		v++
	}
	k.Y[i] = v
}

// Search has a loop that work-items leave when they have found a value. Work-items that find no value panic.
type Search struct{ Lanes }

// Kernel counts rounds.
func (k Search) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	rounds := 64
	if k.N > 5 {
		rounds = 50
	}
	for j := range rounds {
		if k.X[i]&63 == int32(j) {
			k.Y[i] = int32(j)
			return
		}
		it.Barrier()
	}
	panic("not found")
}

// Votes has a loop that continues as long as one remaining work-item votes to continue.
type Votes struct{ Lanes }

// Kernel halves numbers, with fewer work-items in each iteration.
func (k Votes) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.X[i]
	for dsl.AnyOfGroup(it.Group(), v > 3) {
		if v%8 == 7 {
			k.Y[i] = -1
			return
		}
		it.Barrier()
		v /= 2
	}
	k.Y[i] = v
}

// Bisections searches the numbers of the group, with a different number of iterations in each work-item.
type Bisections struct{ Lanes }

// Before its barriers, Kernel has loops whose exits depend on the numbers found.
func (k Bisections) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.X[i] & 63
	sorted := dsl.Local[[64]int32](it)
	for j := it.LocalID(); j < 64; j += it.LocalRange() {
		sorted[j] = int32(j*j)/64 + int32(k.M)
	}
	it.Barrier()
	lo, hi := 0, len(sorted)
	for lo < hi {
		if h := int(uint(lo+hi) >> 1); sorted[h] < v {
			lo = h + 1
		} else {
			hi = h
		}
	}
	v = dsl.ExclusiveScanOverGroup(it.Group(), int32(lo), dsl.Plus)
	if at, ok := slices.BinarySearch(sorted[:k.N+40], v&31); ok {
		v += int32(at) << 8
	}
	it.Barrier()
	k.Y[i] = v
}

// Package litmus contains kernels that search for outcomes that the Go memory model forbids. Each
// kernel is a litmus test from the literature (Alglave, Maranget and Tautschnig, "Herding Cats",
// 2014). Two to four work-items make a few accesses of two locations, x and y. A launch runs many
// instances of a test at once. Each launch pairs work-items and locations in a different order. The
// test lists the forbidden outcomes. On a new device, run the tests with the flag -trials
// 100000000.
//
//kgen:bare nospare views
package litmus

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

//go:generate go tool kgen .

// Instances contains the arguments that all tests share.
type Instances struct {
	N       int     // number of instances, a power of two
	Within  bool    // whether the work-items of an instance are in one work-group
	P, Q    int     // permutation of the work-items; P is odd
	S, T, U int     // permutation of the locations; S and T are odd
	Spin    int     // largest number of iterations of a work-item's waiting loop before it begins
	Mem     []int32 // 2*N locations, initially zero
	R       []int32 // 4 results for each instance
	Busy    []int32 // one word that waiting work-items access
}

// begin() returns the work-item's role, from 0 to roles-1, and the number of its instance.
func (k *Instances) begin(it dsl.NDItem1, roles int) (role, instance int) {
	g, l, size := it.GroupID(), it.LocalID(), it.LocalRange()
	if k.Within {
		role = l % roles
		per := size / roles
		instance = g*per + (l/roles*k.P+k.Q*role)&(per-1)
	} else {
		role = g % roles
		instance = g/roles*size + l
		if role > 0 {
			instance = (instance*k.P + k.Q*role) & (k.N - 1)
		}
	}
	for n := (it.GlobalID()*k.Q ^ instance) & k.Spin; n > 0; n-- {
		atomic.AddInt32(&k.Busy[0], 1)
	}
	return role, instance
}

func (k *Instances) x(i int) *int32 { return &k.Mem[(i*k.S)&(k.N-1)*2] }
func (k *Instances) y(i int) *int32 { return &k.Mem[(i*k.T+k.U)&(k.N-1)*2+1] }

// result() stores result n of an instance. Results are numbered from 0.
func (k *Instances) result(i, n int, v int32) { k.R[i*4+n] = v }

// Bins is the number of outcomes that Collect distinguishes.
const Bins = 1 << 12

// Collect counts the outcomes of the instances, and clears the memory. An outcome consists of the
// low two bits of six numbers, which are the four results and the last values of x and y.
type Collect struct {
	Instances
	Counts []uint32
}

// Kernel counts the outcome of one instance.
func (k Collect) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.x(i), k.y(i)
	r := k.R[i*4:][:4]
	code := r[0] | r[1]<<2 | r[2]<<4 | r[3]<<6 | *x<<8 | *y<<10
	atomic.AddUint32(&k.Counts[code&(Bins-1)], 1)
	clear(r)
	*x, *y = 0, 0
}

// MP passes a message (a value and a flag). A value written before a flag must be visible after the flag is seen.
type MP struct{ Instances }

// Kernel passes a word by non-atomic accesses.
func (k MP) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		*k.x(i) = 1
		atomic.StoreInt32(k.y(i), 1)
		return
	}
	seen := atomic.LoadInt32(k.y(i))
	k.result(i, 0, seen)
	if seen == 1 {
		k.result(i, 1, *k.x(i))
	}
}

// MPAtomic is the test MP with only atomic accesses.
type MPAtomic struct{ Instances }

// Kernel reads both words.
func (k MPAtomic) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		atomic.StoreInt32(k.x(i), 1)
		atomic.StoreInt32(k.y(i), 1)
		return
	}
	k.result(i, 0, atomic.LoadInt32(k.y(i)))
	k.result(i, 1, atomic.LoadInt32(k.x(i)))
}

// MPAdd is the test MP with a flag that both work-items change by atomic operations.
type MPAdd struct{ Instances }

// Kernel passes a word by non-atomic accesses.
func (k MPAdd) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		*k.x(i) = 1
		atomic.AddInt32(k.y(i), 1)
		return
	}
	seen := dsl.AtomicMax(k.y(i), 0)
	k.result(i, 0, seen)
	if seen == 1 {
		k.result(i, 1, *k.x(i))
	}
}

// MPSwap is the test MP with a flag that both work-items change by compare-and-swap.
type MPSwap struct{ Instances }

// Kernel passes a word by non-atomic accesses.
func (k MPSwap) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		*k.x(i) = 1
		atomic.CompareAndSwapInt32(k.y(i), 0, 1)
		return
	}
	if atomic.CompareAndSwapInt32(k.y(i), 1, 2) {
		k.result(i, 0, 1)
		k.result(i, 1, *k.x(i))
	}
}

// SB is a test of store buffering. Of two work-items that write and then read, at least one must see the other's write.
type SB struct{ Instances }

// Kernel writes one word and reads the other.
func (k SB) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		atomic.StoreInt32(k.x(i), 1)
		k.result(i, 0, atomic.LoadInt32(k.y(i)))
		return
	}
	atomic.StoreInt32(k.y(i), 1)
	k.result(i, 1, atomic.LoadInt32(k.x(i)))
}

// SBSwap is the test SB, but it reads words by compare-and-swap operations that fail.
type SBSwap struct{ Instances }

// Kernel writes one word, and tries to change the other.
func (k SBSwap) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		atomic.StoreInt32(k.x(i), 1)
		if atomic.CompareAndSwapInt32(k.y(i), 1, 2) {
			k.result(i, 0, 1)
		}
		return
	}
	atomic.StoreInt32(k.y(i), 1)
	if atomic.CompareAndSwapInt32(k.x(i), 1, 2) {
		k.result(i, 1, 1)
	}
}

// LB is a test of load buffering. Two work-items that read and then write must not both see the other's write.
type LB struct{ Instances }

// Kernel reads one word and writes the other.
func (k LB) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		k.result(i, 0, atomic.LoadInt32(k.x(i)))
		atomic.StoreInt32(k.y(i), 1)
		return
	}
	k.result(i, 1, atomic.LoadInt32(k.y(i)))
	atomic.StoreInt32(k.x(i), 1)
}

// S tests the order of two writes of x. The second work-item reads y, and then writes x.
type S struct{ Instances }

// Kernel has two writes of x.
func (k S) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		atomic.StoreInt32(k.x(i), 2)
		atomic.StoreInt32(k.y(i), 1)
		return
	}
	k.result(i, 0, atomic.LoadInt32(k.y(i)))
	atomic.StoreInt32(k.x(i), 1)
}

// R tests the order of two writes of y. The second work-item writes y, and then reads x.
type R struct{ Instances }

// Kernel has two writes of y.
func (k R) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		atomic.StoreInt32(k.x(i), 1)
		atomic.StoreInt32(k.y(i), 1)
		return
	}
	atomic.StoreInt32(k.y(i), 2)
	k.result(i, 0, atomic.LoadInt32(k.x(i)))
}

// TwoTwoW has two work-items that write both words in opposite orders.
type TwoTwoW struct{ Instances }

// Kernel writes twice.
func (k TwoTwoW) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		atomic.StoreInt32(k.x(i), 1)
		atomic.StoreInt32(k.y(i), 2)
		return
	}
	atomic.StoreInt32(k.y(i), 1)
	atomic.StoreInt32(k.x(i), 2)
}

// CoRR tests two reads of one word.
type CoRR struct{ Instances }

// Kernel writes once.
func (k CoRR) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		atomic.StoreInt32(k.x(i), 1)
		return
	}
	k.result(i, 0, atomic.LoadInt32(k.x(i)))
	k.result(i, 1, atomic.LoadInt32(k.x(i)))
}

// CoWW tests two writes of one word, which another work-item reads twice.
type CoWW struct{ Instances }

// Kernel writes 1 and 2.
func (k CoWW) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		atomic.StoreInt32(k.x(i), 1)
		atomic.StoreInt32(k.x(i), 2)
		return
	}
	k.result(i, 0, atomic.LoadInt32(k.x(i)))
	k.result(i, 1, atomic.LoadInt32(k.x(i)))
}

// CoWR tests a read of a word after a write by the same work-item.
type CoWR struct{ Instances }

// Kernel writes 1 in one work-item, and 2 in the other.
func (k CoWR) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		atomic.StoreInt32(k.x(i), 1)
		k.result(i, 0, atomic.LoadInt32(k.x(i)))
		return
	}
	atomic.StoreInt32(k.x(i), 2)
}

// CoRW tests a write of a word after a read by the same work-item.
type CoRW struct{ Instances }

// Kernel writes 1 in one work-item, and 2 in the other.
func (k CoRW) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		k.result(i, 0, atomic.LoadInt32(k.x(i)))
		atomic.StoreInt32(k.x(i), 1)
		return
	}
	atomic.StoreInt32(k.x(i), 2)
}

// IRIW has two work-items that write and two that read. Both readers must see the writes in the same order.
type IRIW struct{ Instances }

// Kernel writes one word, or reads both.
func (k IRIW) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 4)
	x, y := k.x(i), k.y(i)
	switch role {
	case 0:
		atomic.StoreInt32(x, 1)
	case 1:
		atomic.StoreInt32(y, 1)
	case 2:
		k.result(i, 0, atomic.LoadInt32(x))
		k.result(i, 1, atomic.LoadInt32(y))
	default:
		k.result(i, 2, atomic.LoadInt32(y))
		k.result(i, 3, atomic.LoadInt32(x))
	}
}

// WRC passes a message through a second work-item to a third one.
type WRC struct{ Instances }

// Kernel writes one word, copies it to the other word, or reads both words.
func (k WRC) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 4)
	x, y := k.x(i), k.y(i)
	switch role {
	case 0:
		atomic.StoreInt32(x, 1)
	case 1:
		seen := atomic.LoadInt32(x)
		k.result(i, 0, seen)
		atomic.StoreInt32(y, seen)
	case 2:
		k.result(i, 1, atomic.LoadInt32(y))
		k.result(i, 2, atomic.LoadInt32(x))
	}
}

// The constant `places` is the number of locations in work-group memory, and the largest number of instances per group.
const places = 256

// LocalMP is the test MP with a flag in work-group memory. LocalMP passes one word in work-group memory
// and one in device memory.
type LocalMP struct{ Instances }

// Kernel passes two words by non-atomic accesses.
func (k LocalMP) Kernel(it dsl.NDItem1) {
	words := dsl.Local[[places]int32](it)
	flags := dsl.Local[[places]atomic.Int32](it)
	role, i := k.begin(it, 2)
	word, flag := &words[i*k.S&(places-1)], &flags[(i*k.T+k.U)&(places-1)]
	if role == 0 {
		*word, *k.x(i) = 1, 1
		flag.Store(1)
		return
	}
	seen := flag.Load()
	k.result(i, 0, seen)
	if seen == 1 {
		k.result(i, 1, *word)
		k.result(i, 2, *k.x(i))
	}
}

// LocalSB is the test SB with one location in work-group memory and one in device memory.
type LocalSB struct{ Instances }

// Kernel writes one word and reads the other.
func (k LocalSB) Kernel(it dsl.NDItem1) {
	words := dsl.Local[[places]atomic.Int32](it)
	role, i := k.begin(it, 2)
	x, y := &words[i*k.S&(places-1)], k.y(i)
	if role == 0 {
		x.Store(1)
		k.result(i, 0, atomic.LoadInt32(y))
		return
	}
	atomic.StoreInt32(y, 1)
	k.result(i, 1, x.Load())
}

// FenceMP is the test MP with fences around accesses of the flag.
type FenceMP struct{ Instances }

// Kernel passes a word by non-atomic accesses.
func (k FenceMP) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		*k.x(i) = 1
		dsl.AtomicFence(dsl.MemoryScopeDevice)
		atomic.StoreInt32(k.y(i), 1)
		return
	}
	seen := atomic.LoadInt32(k.y(i))
	dsl.AtomicFence(dsl.MemoryScopeDevice)
	k.result(i, 0, seen)
	if seen == 1 {
		k.result(i, 1, *k.x(i))
	}
}

// RelaxedMP is the test FenceMP with relaxed accesses of the flag.
type RelaxedMP struct{ Instances }

// Kernel passes a word by non-atomic accesses.
func (k RelaxedMP) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		*k.x(i) = 1
		dsl.AtomicFence(dsl.MemoryScopeDevice)
		dsl.AtomicStoreRelaxed(k.y(i), 1)
		return
	}
	seen := dsl.AtomicLoadRelaxed(k.y(i))
	dsl.AtomicFence(dsl.MemoryScopeDevice)
	k.result(i, 0, seen)
	if seen == 1 {
		k.result(i, 1, *k.x(i))
	}
}

// RelaxedCoRR is the test CoRR with relaxed operations.
type RelaxedCoRR struct{ Instances }

// Kernel writes once.
func (k RelaxedCoRR) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		dsl.AtomicStoreRelaxed(k.x(i), 1)
		return
	}
	k.result(i, 0, dsl.AtomicLoadRelaxed(k.x(i)))
	k.result(i, 1, dsl.AtomicLoadRelaxed(k.x(i)))
}

// RelaxedCoWW is the test CoWW with relaxed operations.
type RelaxedCoWW struct{ Instances }

// Kernel writes 1 and 2.
func (k RelaxedCoWW) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		dsl.AtomicStoreRelaxed(k.x(i), 1)
		dsl.AtomicStoreRelaxed(k.x(i), 2)
		return
	}
	k.result(i, 0, dsl.AtomicLoadRelaxed(k.x(i)))
	k.result(i, 1, dsl.AtomicLoadRelaxed(k.x(i)))
}

// RelaxedCoRW is the test CoRW with relaxed operations.
type RelaxedCoRW struct{ Instances }

// Kernel writes 1 in one work-item, and 2 in the other.
func (k RelaxedCoRW) Kernel(it dsl.NDItem1) {
	role, i := k.begin(it, 2)
	if role == 0 {
		k.result(i, 0, dsl.AtomicLoadRelaxed(k.x(i)))
		dsl.AtomicStoreRelaxed(k.x(i), 1)
		return
	}
	dsl.AtomicStoreRelaxed(k.x(i), 2)
}

// Package atomics contains kernels with atomic operations. The results do not depend on the order of the
// work-items. The differential test runs the kernels in the same way as the kernels of package
// corpus. In host forms, which kgen generates, an int is an int64.
//
//kgen:bare noform=GenericInt,GenericUint,RelaxedInt
package atomics

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Words calls sync/atomic's functions for 32 bits.
type Words struct {
	In  []int32
	Sum []int32
	U   []uint32
	Out []int32
}

// Kernel has loops that end when an exchange succeeds, in different iterations for different work-items.
func (k Words) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	v := k.In[i]
	atomic.AddInt32(&k.Sum[0], v)
	atomic.AndInt32(&k.Sum[1], v|1<<20)
	atomic.OrInt32(&k.Sum[2], v)
	atomic.AddUint32(&k.U[0], uint32(v))
	atomic.AndUint32(&k.U[1], uint32(v)|7)
	atomic.OrUint32(&k.U[2], uint32(v))
	// Each ticket number is returned to exactly one work-item.
	k.Out[atomic.AddInt32(&k.Sum[3], 1)-1] = 1
	for {
		old := atomic.LoadInt32(&k.Sum[4])
		if atomic.CompareAndSwapInt32(&k.Sum[4], old, old^v) {
			break
		}
	}
	for n := i % 5; n > 0; n-- {
		atomic.AddUint32(&k.U[3], uint32(n))
	}
	// Each exchanged value is counted once at the end.
	atomic.AddInt32(&k.Sum[5], atomic.SwapInt32(&k.Sum[6], v))
	if i%3 == 0 {
		atomic.StoreUint32(&k.U[4], 77)
	}
	r := &k.Out[len(k.In)+i]
	*r = int32(atomic.LoadUint32(&k.U[5]))
	if !atomic.CompareAndSwapUint32(&k.U[5], uint32(v)|1<<31, 9) {
		*r |= 1 << 8
	}
}

// Longs calls sync/atomic's functions for 64 bits.
type Longs struct {
	In  []int64
	Sum []int64
	U   []uint64
	Out []int64
}

// Kernel does the same as the kernel of Words.
func (k Longs) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	v := k.In[i]
	atomic.AddInt64(&k.Sum[0], v)
	atomic.AndInt64(&k.Sum[1], v|1<<50)
	atomic.OrInt64(&k.Sum[2], v)
	atomic.AddUint64(&k.U[0], uint64(v))
	atomic.AndUint64(&k.U[1], uint64(v)|7)
	atomic.OrUint64(&k.U[2], uint64(v))
	k.Out[atomic.AddInt64(&k.Sum[3], 1)-1] = 1
	for {
		old := atomic.LoadInt64(&k.Sum[4])
		if atomic.CompareAndSwapInt64(&k.Sum[4], old, old^v) {
			break
		}
	}
	atomic.AddInt64(&k.Sum[5], atomic.SwapInt64(&k.Sum[6], v))
	if i%3 == 0 {
		atomic.StoreUint64(&k.U[4], 77<<40)
	}
	r := &k.Out[len(k.In)+i]
	*r = int64(atomic.LoadUint64(&k.U[5]))
	if !atomic.CompareAndSwapUint64(&k.U[5], uint64(v)|1<<63, 9) {
		*r |= 1 << 8
	}
}

// Cell is a struct with typed atomics among other fields.
type Cell struct {
	Tag   int8
	Count atomic.Int32
	Bits  atomic.Uint32
	Seen  atomic.Bool
	Total atomic.Int64
	Mask  atomic.Uint64
	Names [2]atomic.Uint32
}

// Typed has variables of sync/atomic's types in buffers and in local memory.
type Typed struct {
	In    []int32
	Cells []Cell
	Next  []atomic.Int32
	Out   []int32
}

// Kernel distributes the elements over the cells by index modulo the number of cells.
func (k Typed) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	v := k.In[i]
	c := &k.Cells[i%len(k.Cells)]
	c.Count.Add(v)
	c.Bits.Or(1 << (uint32(v) % 32))
	c.Names[i&1].And(^uint32(1 << (uint32(v) % 32)))
	if v%7 == 0 {
		c.Seen.Store(true)
	}
	c.Total.Add(int64(v) << 20)
	c.Mask.Or(uint64(1) << (uint32(v) % 64))

	tile := dsl.Local[[8]Cell](it)
	slot := dsl.Local[atomic.Uint32](it)
	mine := slot.Add(1) - 1 // distinct numbers from 0 to the size of the group minus one
	t := &tile[mine%8]
	t.Count.Add(int32(mine))
	t.Total.Add(int64(mine) << 33)
	t.Mask.Or(uint64(1) << mine)
	first := !t.Seen.Swap(true)
	it.Barrier()
	if l < 8 {
		k.Next[it.GroupID()*8+l].Store(tile[l].Count.Load() + int32(tile[l].Total.Load()>>33) + int32(tile[l].Mask.Load()))
	}
	n := int32(0)
	if first {
		n = 1
	}
	n = dsl.ReduceOverGroup(it.Group(), n, dsl.Plus)
	if b := &tile[0].Seen; l == 0 && b.CompareAndSwap(true, false) && !b.CompareAndSwap(true, false) && !b.Load() {
		n += 100
	}
	if l == 0 {
		k.Out[it.GroupID()] = n + int32(slot.Load())
	}
}

// Generic calls package dsl's atomic functions on numbers of type T.
type Generic[T dsl.AtomicNumber] struct {
	In  []T
	Out []T // four results, then three per work-group
}

type (
	GenericInt32   = Generic[int32]
	GenericUint32  = Generic[uint32]
	GenericInt64   = Generic[int64]
	GenericUint64  = Generic[uint64]
	GenericInt     = Generic[int]
	GenericUint    = Generic[uint]
	GenericFloat32 = Generic[float32]
	GenericFloat64 = Generic[float64]
)

// Kernel combines all elements, and the elements of each group.
func (k Generic[T]) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	v := k.In[i]
	dsl.AtomicAdd(&k.Out[0], v)
	dsl.AtomicMin(&k.Out[1], v)
	dsl.AtomicMax(&k.Out[2], v)
	for n := i % 4; n > 0; n-- {
		dsl.AtomicAdd(&k.Out[3], 1)
	}
	tile := dsl.Local[struct {
		pad  bool
		sums [3]T
	}](it)
	if l == 0 {
		tile.sums[1], tile.sums[2] = v, v
	}
	it.Barrier()
	dsl.AtomicAdd(&tile.sums[0], v)
	dsl.AtomicMin(&tile.sums[1], v)
	dsl.AtomicMax(&tile.sums[2], v)
	it.Barrier()
	if l < 3 {
		k.Out[4+it.GroupID()*3+l] = tile.sums[l]
	}
}

// Own has atomic operations on private variables of a work-item.
type Own struct {
	In  []int32
	Out []int32
}

// Kernel mixes atomics and plain accesses.
func (k Own) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	v := k.In[i]
	var n atomic.Int32
	var b atomic.Bool
	a := [4]int32{1, 2, 3, 4}
	f := float32(v)
	r := n.Add(v) + n.And(v&0xff) + n.Or(256) + n.Swap(v>>1) + n.Load()
	if n.CompareAndSwap(v>>1, 7) && !n.CompareAndSwap(8, 9) && !b.Swap(true) && b.Load() {
		r += n.Load()
	}
	r ^= atomic.AddInt32(&a[i%4], v) ^ dsl.AtomicMin(&a[1], v) ^ dsl.AtomicMax(&a[2], v) ^ a[3]
	atomic.StoreInt32(&r, r+int32(dsl.AtomicAdd(&f, 0.5))+int32(dsl.AtomicMin(&f, 3))+int32(dsl.AtomicMax(&f, -3)))
	k.Out[i] = r
}

// Faulted has work-items that fault between atomics.
type Faulted struct {
	In  []int32
	Sum []int32
}

// Kernel counts the work-items that do not fault.
func (k Faulted) Kernel(it dsl.NDItem1) {
	v := k.In[it.GlobalID()]
	atomic.AddInt32(&k.Sum[0], 1)
	n := dsl.Local[atomic.Int32](it)
	v = 100 / (v & 3)
	atomic.AddInt32(&k.Sum[1], v)
	n.Add(v)
	it.Barrier()
	dsl.AtomicFence(dsl.MemoryScopeDevice)
	for j := n.Load() % 9; j > 0; j-- {
		dsl.AtomicFence(dsl.MemoryScopeWorkGroup)
		atomic.AddInt32(&k.Sum[2], j)
	}
	dsl.AtomicFence(dsl.MemoryScopeSubGroup)
}

// Push builds a linked list to which many work-items add nodes at the same time.
type Push struct {
	Head []int32
	Next []int32
}

// Kernel pushes the work-item's node.
func (k Push) Kernel(it dsl.Item1) {
	i := int32(it.GlobalID())
	for {
		head := atomic.LoadInt32(&k.Head[0])
		k.Next[i] = head
		if atomic.CompareAndSwapInt32(&k.Head[0], head, i) {
			return
		}
	}
}

// Native adds floats by atomic additions, on devices that have aspect AtomicFloat32.
type Native struct {
	In  []float32
	Sum []float32
}

// Properties requires the aspect for atomic addition of float32.
func (Native) Properties() properties.List {
	return properties.List{properties.DeviceHas(properties.AtomicFloat32)}
}

// Kernel adds up the elements.
func (k Native) Kernel(it dsl.Item1) { dsl.AtomicAdd(&k.Sum[0], k.In[it.GlobalID()]) }

// Relaxed has relaxed atomic loads and stores, which order no other accesses.
type Relaxed[T dsl.AtomicInteger] struct {
	In  []T
	Mid []T
	Out []T
}

type (
	Relaxed32  = Relaxed[int32]
	RelaxedU64 = Relaxed[uint64]
	RelaxedInt = Relaxed[int]
)

// Kernel passes numbers from each work-item of a group to the previous work-item, in memory of each kind.
func (k Relaxed[T]) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]T](it)
	i, l, n := it.GlobalID(), it.LocalID(), it.LocalRange()
	v := k.In[i]
	var own T
	dsl.AtomicStoreRelaxed(&own, v+1)
	dsl.AtomicStoreRelaxed(&tile[l%64], dsl.AtomicLoadRelaxed(&own))
	dsl.AtomicStoreRelaxed(&k.Mid[i], v)
	it.Barrier()
	next := (l + 1) % n
	v = dsl.AtomicLoadRelaxed(&tile[next%64])*3 + dsl.AtomicAddRelaxed(&own, v)
	it.Barrier()
	dsl.AtomicAddRelaxed(&tile[0], v)
	last := dsl.AtomicAddRelaxed(&k.Mid[i], 5)
	it.Barrier()
	v ^= dsl.AtomicLoadRelaxed(&tile[0]) + last
	for j := T(0); j < T(i%3); j++ { // loads the value again in each iteration
		v += dsl.AtomicLoadRelaxed(&k.Mid[i-l+next]) ^ j
	}
	k.Out[i] = v
}

package groups

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

// Swaps has double buffers in each kind of allocated memory. Some pairs of buffers are swapped in a loop, and some
// buffers are kept for the next iteration.
type Swaps struct {
	Rounds int
	In     []int32
	Out    []int32
	A, B   dsl.LocalAccessor[int32]
}

// SwapResults is the number of results of each work-item.
const SwapResults = 7

func (k Swaps) Kernel(it dsl.NDItem1) {
	out := k.Out[it.GlobalID()*SwapResults:][:SwapResults]
	out[0] = k.scan(it)
	out[1] = k.stencil(it)
	out[2] = k.slices(it)
	out[3] = k.carried(it)
	out[4] = k.mixed(it)
	out[5] = k.later(it)
	out[6] = k.passed(it)
}

// scan() computes a prefix sum by the algorithm of Hillis and Steele.
func (k Swaps) scan(it dsl.NDItem1) int32 {
	src, dst := dsl.Local[[32]int32](it), dsl.Local[[32]int32](it)
	l, n := it.LocalID(), it.LocalRange()
	src[l] = k.In[it.GlobalID()]
	it.Barrier()
	for d := 1; d < n; d *= 2 {
		dst[l] = src[l]
		if l >= d {
			dst[l] += src[l-d]
		}
		it.Barrier()
		src, dst = dst, src
	}
	return src[l]
}

// stencil() adds neighbours in memory whose size the host sets.
func (k Swaps) stencil(it dsl.NDItem1) int32 {
	from, to := k.A.Slice(it), k.B.Slice(it)
	l, n := it.LocalID(), len(from)
	from[l] = k.In[it.GlobalID()]
	it.Barrier()
	for range k.Rounds {
		v := from[(l+n-1)%n] - 2*from[l] + from[(l+1)%n]
		to[l] = v
		it.Barrier()
		from, to = to, from
	}
	return from[l]
}

func (k Swaps) slices(it dsl.NDItem1) int32 {
	a, b, c := dsl.LocalSlice[int32](it, 32), dsl.LocalSlice[int32](it, 40), dsl.LocalSlice[int32](it, 33)
	l, n := it.LocalID(), it.LocalRange()
	a[l], b[l] = k.In[it.GlobalID()], int32(l)
	for r := range k.Rounds {
		it.Barrier()
		c[l] = a[n-1-l] ^ b[(l+r)%n]
		a, b, c = b, c[:32], a[:]
	}
	it.Barrier()
	return a[n-1-l] + b[n-1-l]
}

// carried() keeps a pointer into work-group memory for the next iteration.
func (k Swaps) carried(it dsl.NDItem1) int32 {
	sh, other := dsl.Local[[32]int32](it), dsl.Local[[8][4]int32](it)
	l, n := it.LocalID(), it.LocalRange()
	p := &sh[l]
	for r := range k.Rounds {
		*p += k.In[it.GlobalID()] + int32(r)
		it.Barrier()
		if r%3 == 1 {
			p = &other[l/4][l%4]
		} else {
			p = &sh[(l+r)%n]
		}
		it.Barrier()
	}
	it.Barrier()
	return *p + sh[n-1-l] + other[l%8][l%4]
}

// mixed() swaps work-group memory with private memory.
func (k Swaps) mixed(it dsl.NDItem1) int32 {
	var own [32]int32
	l, n := it.LocalID(), it.LocalRange()
	sh := dsl.LocalSlice[int32](it, 32)
	p, q := own[:], sh
	for r := range k.Rounds {
		p[l] = k.In[it.GlobalID()] * int32(r)
		it.Barrier()
		p[l] += q[(l+1)%n]
		it.Barrier()
		p, q = q, p
	}
	return p[l] - q[l]
}

// later() uses work-group memory that the end of the previous iteration has allocated.
func (k Swaps) later(it dsl.NDItem1) (sum int32) {
	var before *[32]int32
	l, n := it.LocalID(), it.LocalRange()
	first := dsl.Local[[32]int32](it)
	first[l] = 3
	for r := range k.Rounds {
		it.Barrier()
		if before != nil {
			sum = sum*5 + before[(l+r)%n]
		}
		it.Barrier()
		if now := dsl.Local[[32]int32](it); r%2 == 0 {
			now[l] = k.In[it.GlobalID()]
			before = now
		} else {
			before = first
		}
	}
	return sum
}

func (k Swaps) passed(it dsl.NDItem1) int32 {
	type pair struct{ src, dst *[32]int32 }
	l, n := it.LocalID(), it.LocalRange()
	p := pair{dsl.Local[[32]int32](it), dsl.Local[[32]int32](it)}
	p.src[l] = k.In[it.GlobalID()]
	for r := range k.Rounds {
		it.Barrier()
		exchanged(p.src, p.dst, l, n, r)
		p.src, p.dst = p.dst, p.src
	}
	it.Barrier()
	return p.src[n-1-l]
}

func exchanged(src, dst *[32]int32, l, n, r int) { dst[l] = src[(l+r)%n] + int32(r) }

// SwapUses uses swapped buffers in all ways in which kernels may use slices and pointers.
type SwapUses struct{ Swaps }

func (k SwapUses) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	k.Out[i] = k.uses(it)
}

func (k SwapUses) uses(it dsl.NDItem1) (sum int32) {
	a, b := dsl.Local[[32]int32](it), dsl.Local[[32]int32](it)
	s, t := dsl.LocalSlice[int32](it, 32), dsl.LocalSlice[int32](it, 64)
	l, n := it.LocalID(), it.LocalRange()
	a[l], s[l] = k.In[it.GlobalID()], int32(l)
	var last *int32
	for r := range k.Rounds {
		it.Barrier()
		atomic.AddInt32(&b[0], a[l]&7)
		dsl.AtomicMax(&b[1], a[(l+r)%n])
		if l == 0 {
			copy(t[1:20], s)
			clear(s[:r%4])
		}
		it.Barrier()
		for i, v := range s[:n] {
			sum = sum*3 + v*int32(i)
		}
		for _, v := range b {
			sum += v
		}
		if a == b || last == &a[1] {
			sum++
		}
		sum += int32(len(t)) + int32(cap(s[2:9]))
		it.Barrier()
		b[l] += int32(r)
		last = &a[1]
		a, b = b, a
		s, t = t, s
	}
	it.Barrier()
	if last != nil {
		sum += *last
	}
	return sum + a[l] + s[l]
}

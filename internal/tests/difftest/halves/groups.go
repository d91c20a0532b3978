package halves

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
)

// Combined is the number of results of Group for each element of In.
const Combined = 12

// Group combines numbers of a work-group and of its sub-groups. If Leave is not 0, work-items whose id is a
// multiple of Leave return early.
type Group[T half.Float[T]] struct {
	In, Out []T
	Leave   int32
	Sub     []int32 // size of the work-item's sub-group
}

// Instances of Group for each type of package half.
type (
	Group16   = Group[half.Float16]
	GroupB    = Group[half.BFloat16]
	GroupE4M3 = Group[half.Float8E4M3]
	GroupE5M2 = Group[half.Float8E5M2]
)

func (k Group[T]) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	g, s := it.Group(), it.SubGroup()
	x := k.In[i]
	k.Sub[i] = int32(s.MaxLocalRange())
	if k.Leave > 0 && int32(i)%k.Leave == 0 {
		return
	}
	out := k.Out[Combined*i : Combined*i+Combined]
	sum := dsl.ReduceOverGroup(g, x, dsl.Plus)
	out[0] = sum
	out[1] = dsl.ExclusiveScanOverGroup(g, x, dsl.Plus)
	out[2] = dsl.ReduceOverGroup(s, x, dsl.Multiplies)
	out[3] = dsl.InclusiveScanOverGroup(s, x, dsl.Multiplies)
	out[4] = dsl.ReduceOverGroup(g, x, dsl.Minimum)
	out[5] = dsl.InclusiveScanOverGroup(g, x, dsl.Maximum)
	out[6] = dsl.ExclusiveScanOverGroup(s, x, dsl.Minimum)
	out[7] = dsl.GroupBroadcast(g, x, 1)
	if sum.Compare(sum) == 0 { // the sum is the same in all work-items of the group
		it.Barrier()
		out[8] = dsl.Uniform(dsl.GroupBroadcast(g, x, 3))
	}
	out[9] = dsl.PermuteGroupByXor(s, x, 1)
	out[10] = dsl.ShiftGroupLeft(s, x, 1)
	out[11] = dsl.Plus(x, dsl.Multiplies(x, dsl.Minimum(x, dsl.Maximum(x.Neg(), 0))))
}

// Cells is the number of elements that kernel Atomic modifies in device memory, and in the memory of each work-group.
const Cells = 13

// Atomic has atomic operations on numbers that share a 32-bit word with other numbers.
type Atomic[T half.Float[T]] struct {
	X             []T
	Sum, Min, Max []T
	Count         []T // sums to which work-items add one
	After         []T // results of the additions to Count
	Local         []T // Cells numbers for each work-group
	Own           []T
}

// Instances of Atomic for each type of package half.
type (
	Atomic16   = Atomic[half.Float16]
	AtomicB    = Atomic[half.BFloat16]
	AtomicE4M3 = Atomic[half.Float8E4M3]
	AtomicE5M2 = Atomic[half.Float8E5M2]
)

func (k Atomic[T]) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	x, one := k.X[i], half.FromFloat32[T](1)
	c := i % len(k.Sum)
	dsl.AtomicAdd(&k.Sum[c], x)
	dsl.AtomicMin(&k.Min[c], x)
	dsl.AtomicMax(&k.Max[c], x)
	k.After[i] = dsl.AtomicAdd(&k.Count[c], one)

	local := dsl.Local[[Cells]T](it)
	dsl.AtomicMax(&local[it.LocalID()%Cells], x)
	it.Barrier()
	if l := it.LocalID(); l < Cells {
		k.Local[it.GroupID()*Cells+l] = local[l]
	}
	own := x
	dsl.AtomicAdd(&own, dsl.AtomicMin(&own, one))
	k.Own[i] = own
}

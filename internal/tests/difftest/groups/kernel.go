// Package groups contains kernels with uniform values and group algorithms. The differential test runs the kernels
// in the same way as the kernels of package corpus.
//
//kgen:bare
package groups

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Stated has barriers under conditions that dsl.Uniform declares to be uniform. In some launches work-items
// return before the barriers.
type Stated struct {
	N    int
	X, Y []int32
	F    []float32
}

// Kernel rotates the elements of its group. The group's element of F is the number of rotations.
func (k Stated) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	if i >= k.N {
		return
	}
	tile := dsl.Local[[64]int32](it)
	tile[l] = k.X[i]
	it.Barrier()
	for range dsl.Uniform(int(k.F[i/it.LocalRange()])) {
		v := tile[(l+1)%it.LocalRange()]
		it.Barrier()
		tile[l] = v + 1
		it.Barrier()
	}
	if dsl.Uniform(k.F[i-l] > 2.5) {
		sum := dsl.ReduceOverGroup(it.Group(), tile[l], dsl.Plus)
		if dsl.Uniform(sum)%2 == 0 {
			it.Barrier()
			tile[l] -= sum
		}
	}
	if dsl.Uniform(k.F[i/it.LocalRange()]) == 1.5 {
		it.Barrier()
		first := tile[0]
		it.Barrier()
		tile[l] ^= first
	}
	k.Y[i] = tile[l]
}

// Ballots counts lanes by ballots.
type Ballots struct {
	N   int
	X   []int32
	Out []uint32
}

// Kernel gives consecutive numbers to the work-items of a sub-group that have odd elements.
func (k Ballots) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	if i >= k.N {
		return
	}
	s := it.SubGroup()
	odd := k.X[i]&1 != 0
	m := dsl.GroupBallot(s, odd)
	n := 0
	for w, bits32 := range m {
		if below := s.LocalID() - w*32; below > 0 {
			n += bits.OnesCount32(bits32 & (1<<min(below, 32) - 1))
		}
	}
	out := k.Out[i*4:][:4]
	out[0], out[1], out[2] = m[0], m[s.LocalID()/32], uint32(n)
	all := dsl.GroupBallot(s, true)
	out[3] = all[0] ^ all[3]
}

// Alone uses group algorithms on devices that may not support sub-groups.
type Alone struct {
	N   int
	X   []int32
	F   []float32
	Out []int32
	G   []float32
}

// Properties declares that the kernel uses no optional feature.
func (Alone) Properties() properties.List { return properties.List{properties.DeviceHas()} }

// Kernel has work-items that return before some group algorithms.
func (k Alone) Kernel(it dsl.NDItem1) {
	i, g := it.GlobalID(), it.Group()
	out, fs := k.Out[i*6:][:6], k.G[i*5:][:5]
	out[0] = dsl.ReduceOverGroup(g, k.X[i], dsl.Plus)
	out[1] = dsl.InclusiveScanOverGroup(g, k.X[i], dsl.Maximum)
	out[2] = dsl.ExclusiveScanOverGroup(g, k.X[i], dsl.Plus)
	fs[0] = dsl.ReduceOverGroup(g, k.F[i], dsl.Plus)
	if i >= k.N {
		return
	}
	if dsl.AnyOfGroup(g, k.X[i] > 140) {
		out[3] = dsl.ReduceOverGroup(g, k.X[i], dsl.BitXor)
	}
	fs[1] = dsl.ReduceOverGroup(g, k.F[i], dsl.Plus)
	fs[2] = dsl.ReduceOverGroup(g, k.F[i], dsl.Minimum)
	fs[3] = dsl.ExclusiveScanOverGroup(g, k.F[i], dsl.Maximum)
	fs[4] = dsl.InclusiveScanOverGroup(g, k.F[i], dsl.Multiplies)
	out[4] = dsl.GroupBroadcast(g, k.X[i], 3)
	if dsl.AllOfGroup(g, k.X[i] > -61) {
		out[5] = 1
	}
}

// Whole uses only the group algorithms of work-groups, over integers. A device without sub-groups can run
// Whole.
type Whole[T dsl.Integer] struct {
	N   int
	In  []T
	Out []T
}

// WholeResults is the number of results per work-item of Whole and WholeFloats.
const WholeResults = 16

// Instances of Whole.
type (
	WholeInt8   = Whole[int8]
	WholeInt16  = Whole[int16]
	WholeInt32  = Whole[int32]
	WholeUint32 = Whole[uint32]
	WholeInt64  = Whole[int64]
	WholeUint64 = Whole[uint64]
)

// Kernel has work-items that return, and one that divides by zero.
func (k Whole[T]) Kernel(it dsl.NDItem1) {
	i, g := it.GlobalID(), it.Group()
	v := k.In[i]
	out := k.Out[i*WholeResults:][:WholeResults]
	out[0] = dsl.ReduceOverGroup(g, v, dsl.Plus)
	out[1] = dsl.ReduceOverGroup(g, v|1, dsl.Multiplies)
	out[2] = dsl.ReduceOverGroup(g, v, dsl.Minimum)
	out[3] = dsl.ReduceOverGroup(g, v, dsl.Maximum)
	if i >= k.N {
		return
	}
	out[4] = dsl.ReduceOverGroup(g, v|3, dsl.BitAnd)
	out[5] = dsl.ReduceOverGroup(g, v, dsl.BitOr)
	out[6] = dsl.ReduceOverGroup(g, v, dsl.BitXor)
	out[7] = dsl.InclusiveScanOverGroup(g, v, dsl.Plus)
	out[8] = dsl.ExclusiveScanOverGroup(g, v, dsl.Plus)
	if dsl.AnyOfGroup(g, v > 100) {
		out[9] = dsl.InclusiveScanOverGroup(g, v, dsl.Maximum)
	}
	if dsl.AllOfGroup(g, v < 120) || dsl.NoneOfGroup(g, v == 1) {
		out[10] = dsl.ExclusiveScanOverGroup(g, v, dsl.Minimum)
	}
	out[11] = dsl.ExclusiveScanOverGroup(g, v, dsl.BitAnd)
	out[12] = dsl.GroupBroadcast(g, v, it.LocalRange()/2)
	out[13] = 100 / v
	out[14] = dsl.ReduceOverGroup(g, v, dsl.Plus)
	if dsl.ReduceOverGroup(g, v > 3, dsl.LogicalOr) {
		out[15] = dsl.Uniform(out[14])
	}
}

// WholeFloats uses the group algorithms of work-groups over floats.
type WholeFloats[T ~float32 | ~float64] struct {
	N   int
	In  []T
	Out []T
}

// Instances of WholeFloats.
type (
	WholeFloat32 = WholeFloats[float32]
	WholeFloat64 = WholeFloats[float64]
)

// Kernel has work-items that return.
func (k WholeFloats[T]) Kernel(it dsl.NDItem1) {
	i, g := it.GlobalID(), it.Group()
	v := k.In[i]
	out := k.Out[i*WholeResults:][:WholeResults]
	out[0] = dsl.ReduceOverGroup(g, v, dsl.Plus)
	out[1] = dsl.ReduceOverGroup(g, v, dsl.Multiplies)
	if i >= k.N {
		return
	}
	out[2] = dsl.ReduceOverGroup(g, v, dsl.Minimum)
	out[3] = dsl.ReduceOverGroup(g, v, dsl.Maximum)
	out[4] = dsl.InclusiveScanOverGroup(g, v, dsl.Plus)
	out[5] = dsl.ExclusiveScanOverGroup(g, v, dsl.Plus)
	out[6] = dsl.ExclusiveScanOverGroup(g, v, dsl.Minimum)
	out[7] = dsl.InclusiveScanOverGroup(g, v, dsl.Maximum)
	out[8] = dsl.GroupBroadcast(g, v, it.LocalRange()-1)
}

// Choices has loops with barriers in branches. Either all work-items take a branch, or none. The
// conditions depend on memory.
type Choices struct {
	N       int
	In, Out []int32
}

// Kernel allows work-groups whose last sub-group is smaller.
func (k Choices) Kernel(it dsl.NDItem1) {
	i, l, g := it.GlobalID(), it.LocalID(), it.Group()
	v := k.In[i]
	if i >= k.N {
		return
	}
	tile := dsl.Local[[128]int32](it)
	tile[l] = v
	it.Barrier()
	first := tile[0]
	it.Barrier()
	if dsl.Uniform(first) > 3 {
		v++
	} else {
		for r := range 5 {
			tile[l] = v + int32(r)
			it.Barrier()
			v += tile[(l+1)%it.LocalRange()]
			it.Barrier()
		}
	}
	if dsl.AllOfGroup(g, v < 120) || dsl.AllOfGroup(g, v == 1) {
		v += 7
	}
	k.Out[i] = dsl.ReduceOverGroup(g, v, dsl.Plus)
}

// Rows has the loops of Choices in work-groups of two dimensions. At each branch in the loops, either all work-items
// or none take the branch.
type Rows struct {
	Choice, In, Out []int32
}

// Kernel allows rows that do not fill sub-groups.
func (k Rows) Kernel(it dsl.NDItem2) {
	l, g := it.LocalLinearID(), it.GroupLinearID()
	h, w := it.LocalRange()
	i := g*h*w + l
	v := k.In[i]
	tile := dsl.Local[[128]int32](it)
	tile[l] = v
	it.Barrier()
	if k.Choice[g] > 3 {
		v++
	} else {
		for r := range k.Choice[g] + 3 {
			tile[l] = v + r
			it.Barrier()
			v += tile[(l+1)%(h*w)]
			it.Barrier()
		}
	}
	tile[l] = v
	it.Barrier()
	for range k.Choice[g] % 4 {
		v += tile[(l+5)%(h*w)]
		it.Barrier()
		tile[l] = v
		it.Barrier()
	}
	k.Out[i] = v
}

// UniformRows is like Rows, but only calls of dsl.Uniform say that all work-items take the same branch.
type UniformRows struct {
	In, Out []int32
}

// Kernel allows rows that do not fill sub-groups.
func (k UniformRows) Kernel(it dsl.NDItem2) {
	l := it.LocalLinearID()
	h, w := it.LocalRange()
	i := it.GroupLinearID()*h*w + l
	v := k.In[i]
	tile := dsl.Local[[128]int32](it)
	tile[l] = v
	it.Barrier()
	for range dsl.Uniform(tile[0]%4) + 1 {
		v += tile[(l+5)%(h*w)]
		it.Barrier()
		tile[l] = v
		it.Barrier()
	}
	if dsl.Uniform(tile[h*w-1] == 0) {
		it.Barrier()
		tile[l]++
		it.Barrier()
		v += tile[(l+7)%(h*w)]
	}
	k.Out[i] = v
}

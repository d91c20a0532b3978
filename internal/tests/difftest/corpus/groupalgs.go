package corpus

import "github.com/kgen-go/kgen/dsl"

// GroupInts runs the group algorithms over integers. GroupInts stores GroupIntResults results per
// work-item.
type GroupInts[T dsl.Integer] struct {
	In  []T
	Out []T
}

// GroupIntResults is the number of results per work-item of GroupInts.
const GroupIntResults = 24

type (
	GroupIntsInt8   = GroupInts[int8]
	GroupIntsUint8  = GroupInts[uint8]
	GroupIntsInt16  = GroupInts[int16]
	GroupIntsInt32  = GroupInts[int32]
	GroupIntsUint32 = GroupInts[uint32]
	GroupIntsInt64  = GroupInts[int64]
	GroupIntsUint64 = GroupInts[uint64]
)

func (k GroupInts[T]) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.In[i]
	out := k.Out[i*GroupIntResults:][:GroupIntResults]
	g, s := it.Group(), it.SubGroup()
	out[0] = dsl.ReduceOverGroup(g, v, dsl.Plus)
	out[1] = dsl.ReduceOverGroup(g, v|1, dsl.Multiplies)
	out[2] = dsl.ReduceOverGroup(g, v, dsl.Minimum)
	out[3] = dsl.ReduceOverGroup(g, v, dsl.Maximum)
	out[4] = dsl.ReduceOverGroup(g, v|3, dsl.BitAnd)
	out[5] = dsl.ReduceOverGroup(g, v, dsl.BitOr)
	out[6] = dsl.ReduceOverGroup(g, v, dsl.BitXor)
	out[7] = dsl.InclusiveScanOverGroup(g, v, dsl.Plus)
	out[8] = dsl.ExclusiveScanOverGroup(g, v, dsl.Plus)
	out[9] = dsl.InclusiveScanOverGroup(g, v, dsl.Maximum)
	out[10] = dsl.ExclusiveScanOverGroup(g, v, dsl.Minimum)
	out[11] = dsl.ExclusiveScanOverGroup(g, v, dsl.BitAnd)

	out[12] = dsl.ReduceOverGroup(s, v, dsl.Plus)
	out[13] = dsl.ReduceOverGroup(s, v, dsl.Multiplies)
	out[14] = dsl.ReduceOverGroup(s, v, dsl.Minimum)
	out[15] = dsl.ReduceOverGroup(s, v, dsl.Maximum)
	out[16] = dsl.ReduceOverGroup(s, v|3, dsl.BitAnd)
	out[17] = dsl.ReduceOverGroup(s, v, dsl.BitOr)
	out[18] = dsl.ReduceOverGroup(s, v, dsl.BitXor)
	out[19] = dsl.InclusiveScanOverGroup(s, v, dsl.Plus)
	out[20] = dsl.ExclusiveScanOverGroup(s, v, dsl.Plus)
	out[21] = dsl.InclusiveScanOverGroup(s, v, dsl.Minimum)
	out[22] = dsl.ExclusiveScanOverGroup(s, v, dsl.Maximum)
	out[23] = dsl.ExclusiveScanOverGroup(s, v, dsl.Multiplies)
}

// GroupFloats runs the group algorithms over floats.
type GroupFloats[T ~float32 | ~float64] struct {
	In  []T
	Out []T
}

// GroupFloatResults is the number of results per work-item of GroupFloats.
const GroupFloatResults = 18

type (
	GroupFloats32 = GroupFloats[float32]
	GroupFloats64 = GroupFloats[float64]
)

func (k GroupFloats[T]) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.In[i]
	out := k.Out[i*GroupFloatResults:][:GroupFloatResults]
	g, s := it.Group(), it.SubGroup()
	out[0] = dsl.ReduceOverGroup(g, v, dsl.Plus)
	out[1] = dsl.ReduceOverGroup(g, v, dsl.Multiplies)
	out[2] = dsl.ReduceOverGroup(g, v, dsl.Minimum)
	out[3] = dsl.ReduceOverGroup(g, v, dsl.Maximum)
	out[4] = dsl.InclusiveScanOverGroup(g, v, dsl.Plus)
	out[5] = dsl.ExclusiveScanOverGroup(g, v, dsl.Plus)
	out[6] = dsl.ExclusiveScanOverGroup(g, v, dsl.Minimum)
	out[7] = dsl.InclusiveScanOverGroup(g, v, dsl.Maximum)
	out[8] = dsl.ReduceOverGroup(s, v, dsl.Plus)
	out[9] = dsl.ReduceOverGroup(s, v, dsl.Multiplies)
	out[10] = dsl.ReduceOverGroup(s, v, dsl.Minimum)
	out[11] = dsl.ReduceOverGroup(s, v, dsl.Maximum)
	out[12] = dsl.InclusiveScanOverGroup(s, v, dsl.Plus)
	out[13] = dsl.ExclusiveScanOverGroup(s, v, dsl.Plus)
	out[14] = dsl.InclusiveScanOverGroup(s, v, dsl.Minimum)
	out[15] = dsl.ExclusiveScanOverGroup(s, v, dsl.Multiplies)
	out[16] = dsl.GroupBroadcast(g, v, it.LocalRange()-1)
	out[17] = dsl.ShiftGroupLeft(s, v, 1)
}

// Shuffles moves values between the work-items of groups.
type Shuffles[T dsl.Scalar] struct {
	In    []T
	Lanes []int
	Out   []T
}

// ShuffleResults is the number of results per work-item of Shuffles.
const ShuffleResults = 12

type (
	ShufflesBool    = Shuffles[bool]
	ShufflesInt16   = Shuffles[int16]
	ShufflesUint32  = Shuffles[uint32]
	ShufflesInt     = Shuffles[int]
	ShufflesFloat32 = Shuffles[float32]
	ShufflesFloat64 = Shuffles[float64]
)

func (k Shuffles[T]) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.In[i]
	out := k.Out[i*ShuffleResults:][:ShuffleResults]
	g, s := it.Group(), it.SubGroup()
	out[0] = dsl.GroupBroadcast(g, v, 0)
	out[1] = dsl.GroupBroadcast(g, v, it.GroupID())
	out[2] = dsl.GroupBroadcast(g, v, k.Lanes[i])
	out[3] = dsl.GroupBroadcast(s, v, 0)
	out[4] = dsl.GroupBroadcast(s, v, 2)
	out[5] = dsl.SelectFromGroup(s, v, k.Lanes[i])
	out[6] = dsl.ShiftGroupLeft(s, v, 1)
	out[7] = dsl.ShiftGroupRight(s, v, 3)
	out[8] = dsl.ShiftGroupLeft(s, v, k.Lanes[i])
	out[9] = dsl.PermuteGroupByXor(s, v, 1)
	out[10] = dsl.PermuteGroupByXor(s, v, 5)
	out[11] = dsl.SelectFromGroup(s, v, s.LocalRange()-1)
}

// GroupVotes runs votes and logical reductions, and stores the ids of groups.
type GroupVotes struct {
	In  []int32
	Out []bool
	IDs []int
}

// GroupVoteResults is the number of results per work-item of GroupVotes.
const GroupVoteResults = 14

func (k GroupVotes) Kernel(it dsl.NDItem2) {
	i := it.GlobalLinearID()
	g, s := it.Group(), it.SubGroup()
	v := k.In[i]
	out := k.Out[i*GroupVoteResults:][:GroupVoteResults]
	out[0] = dsl.AnyOfGroup(g, v > 100)
	out[1] = dsl.AllOfGroup(g, v > -60)
	out[2] = dsl.NoneOfGroup(g, v > 148)
	out[3] = dsl.AnyOfGroup(s, v > 100)
	out[4] = dsl.AllOfGroup(s, v > -20)
	out[5] = dsl.NoneOfGroup(s, v > 120)
	out[6] = dsl.ReduceOverGroup(g, v > 100, dsl.LogicalOr)
	out[7] = dsl.ReduceOverGroup(s, v > -20, dsl.LogicalAnd)
	out[8] = dsl.InclusiveScanOverGroup(g, v > 100, dsl.LogicalOr)
	out[9] = dsl.ExclusiveScanOverGroup(g, v > -30, dsl.LogicalAnd)
	out[10] = dsl.ExclusiveScanOverGroup(s, v > 0, dsl.LogicalAnd)
	out[11] = dsl.InclusiveScanOverGroup(s, v > 0, dsl.LogicalOr)
	out[12] = dsl.AnyOfGroup(g, true)
	out[13] = dsl.AllOfGroup(s, false)
	ids := k.IDs[i*9:][:9]
	ids[0], ids[1], ids[2], ids[3] = g.LocalID(), g.LocalRange(), g.GroupID(), g.GroupRange()
	ids[4], ids[5], ids[6], ids[7] = s.LocalID(), s.LocalRange(), s.GroupID(), s.GroupRange()
	ids[8] = g.MaxLocalRange() + s.MaxLocalRange()
}

// GroupGuards has branches that depend on the results of group algorithms of work-groups.
type GroupGuards struct {
	In  []int32
	Out []int32
}

func (k GroupGuards) Kernel(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	g := it.Group()
	v := k.In[i]
	r := int32(0)
	for dsl.AnyOfGroup(g, v > 0) {
		v -= 10 + int32(l%4)
		r += dsl.ReduceOverGroup(g, v&1, dsl.Plus)
	}
	if dsl.GroupBroadcast(g, v, 3) < -5 {
		tile := dsl.Local[[64]int32](it)
		tile[l] = v
		it.Barrier()
		r += tile[63-l]
	}
	for round := range 3 {
		if dsl.ReduceOverGroup(g, r, dsl.Maximum) > 40*int32(round) {
			r -= dsl.InclusiveScanOverGroup(it.SubGroup(), v, dsl.Plus)
		}
	}
	k.Out[i] = r
}

// GroupLeavers has work-items that return or fault before group algorithms.
type GroupLeavers struct {
	Bad int
	In  []int32
	X   []float32
	Out []int32
	F   []float32
}

func (k GroupLeavers) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	g, s := it.Group(), it.SubGroup()
	v := k.In[i]
	if v%7 == 3 {
		k.Out[i*8] = -1
		return
	}
	out := k.Out[i*8:][:8]
	out[0] = dsl.ReduceOverGroup(g, int32(1), dsl.Plus)
	out[1] = dsl.ReduceOverGroup(s, v, dsl.Minimum)
	out[2] = dsl.ExclusiveScanOverGroup(g, v, dsl.Maximum)
	if i == k.Bad {
		v /= int32(k.Bad - i)
	}
	out[3] = dsl.GroupBroadcast(g, v+1, 5)
	out[4] = dsl.ShiftGroupLeft(s, v+1, 1)
	out[5] = dsl.InclusiveScanOverGroup(s, v, dsl.Plus)
	if dsl.AllOfGroup(g, v > -50) {
		out[6] = 1
	}
	if dsl.AnyOfGroup(s, v == 0) {
		out[7] = 1
	}
	k.F[i*4] = dsl.ReduceOverGroup(g, k.X[i], dsl.Plus)
	k.F[i*4+1] = dsl.ExclusiveScanOverGroup(g, k.X[i], dsl.Plus)
	k.F[i*4+2] = dsl.InclusiveScanOverGroup(s, k.X[i], dsl.Multiplies)
	k.F[i*4+3] = dsl.ExclusiveScanOverGroup(s, k.X[i], dsl.Minimum)
}

// GroupRounds has work-items that return between the iterations of loops with group algorithms, in three-dimensional
// groups.
type GroupRounds struct {
	Bad int
	In  []int32
	Out []int32
}

func sumTo[T dsl.Number](g dsl.Group, v T, op func(x, y T) T) T {
	return dsl.InclusiveScanOverGroup(g, v, op)
}

func (k GroupRounds) Kernel(it dsl.NDItem3) {
	i := it.GlobalLinearID()
	g, s := it.Group(), it.SubGroup()
	v, r := k.In[i], int32(0)
	for round := range int32(4) {
		if v%9 == round {
			k.Out[i] = r - 1000
			return
		}
		r += dsl.ReduceOverGroup(g, v, dsl.Plus) + sumTo(g, round+1, dsl.Plus)
		for n := dsl.ReduceOverGroup(g, v, dsl.Maximum) / 40; n > 0; n-- {
			if v%23 == 5 && n == 2 {
				v /= int32(k.Bad - i)
			}
			r ^= dsl.InclusiveScanOverGroup(s, r+n, dsl.Plus)
		}
		switch dsl.GroupBroadcast(g, v, int(round)) & 1 {
		case 0:
			r = dsl.Maximum(dsl.Plus(r, dsl.ReduceOverGroup(s, r, dsl.BitXor)), dsl.Multiplies(r, 3))
		default:
			r = dsl.BitOr(dsl.Minimum(r, v), dsl.BitAnd(dsl.ShiftGroupLeft(s, r, 1), 0xff))
		}
	}
	if dsl.LogicalAnd(dsl.LogicalOr(r > 0, v > 0), dsl.NoneOfGroup(s, v > 140)) {
		r = dsl.BitXor(r, 1)
	}
	k.Out[i] = r
}

// GroupSettles loops until one work-item of the group has reached a small value. If all work-items have returned or
// faulted, no work-item ever reaches a small value.
type GroupSettles struct {
	Bad int
	In  []int32
	Out []int32
}

func (k GroupSettles) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.In[i]
	if v%5 == 2 {
		k.Out[i] = -1
		return
	}
	for {
		if k.Bad > 1000 || v < 0 || v == 77 && i > 3 {
			k.Out[i] = -2
			return
		}
		k.Out[i] += int32(9 / (k.Bad - i))
		v = v/2 - 1
		if dsl.ReduceOverGroup(it.Group(), v, dsl.Minimum) < 2 {
			break
		}
	}
	k.Out[i] += v * 10
}

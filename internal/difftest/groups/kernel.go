// Package groups holds kernels of uniform values and group algorithms. The
// differential test runs them as it runs package corpus.
package groups

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Stated has barriers that depend on what it says is uniform, with work-items that
// leave before, or without.
type Stated struct {
	N    int
	X, Y []int32
	F    []float32
}

// Kernel shifts elements around in its group as often as the group's F says.
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

// Ballots counts lanes by ballot.
type Ballots struct {
	N   int
	X   []int32
	Out []uint32
}

// Kernel numbers the work-items of a sub-group that have an odd element.
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

// Alone has group algorithms on devices that may lack sub-groups.
type Alone struct {
	N   int
	X   []int32
	F   []float32
	Out []int32
	G   []float32
}

// Properties states that no optional feature is used.
func (Alone) Properties() properties.List { return properties.List{properties.DeviceHas()} }

// Kernel has work-items that leave before some.
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

package kernels

import (
	"math/bits"
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

// Lanes is the size of the sub-groups that PassLanes asks for.
const Lanes = 32

// PassLanes does the work of Pass32, on GPUs that can have sub-groups of 32, and faster.
type PassLanes[K Keys, W words[K]] pass[K, W]

// PassLanes of elements of each size.
type (
	PassLanes32 = PassLanes[uint32, One]
	PassLanes64 = PassLanes[uint64, Two]
)

// Properties states the sizes of work-groups and sub-groups.
func (PassLanes[K, W]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.SubGroupSize(Lanes)}
}

// Kernel sorts a tile by the whole digit at once. Each sub-group counts the digits of its own part of the
// tile, 32 keys at a time: the work-items learn by ballots which of them have keys with the same
// digit, and the first of these adds their number to the count.
func (lanes PassLanes[K, W]) Kernel(it dsl.NDItem1) {
	k := pass[K, W](lanes)
	tile := dsl.Local[[Tile]uint32](it)  // and before that counts for each sub-group
	run := dsl.Local[[Digits]uint32](it) // the way of a key from its place in the tile to that in Out
	again := dsl.Local[[Digits]atomic.Uint32](it)
	sub := it.SubGroup()
	l, lane, mine := uint32(it.LocalID()), uint32(sub.LocalID()), uint32(sub.GroupID())*Digits
	float := Floats.Get(it)
	n := rest(len(k.Keys), k.Begin, k.Length)
	t := lookback.Ticket(it, k.State)
	base := t * Tile
	if t >= Chunk || base >= n {
		return
	}
	for s := range uint32(Size / Lanes) {
		tile[s*Digits+l] = 0
	}
	var key [Each]K
	var value, place [Each]uint32
	begin := base + uint32(sub.GroupID())*(Lanes*Each) + lane
	for j := range uint32(Each) {
		if i := begin + j*Lanes; i < n && int(i) < len(k.Keys) {
			key[j] = k.Keys[i]
		}
	}
	if Paired.Get(it) {
		for j := range uint32(Each) {
			if i := begin + j*Lanes; i < n && int(i) < len(k.Values) {
				value[j] = k.Values[i]
			}
		}
	}
	it.Barrier()
	for j := range uint32(Each) {
		d := k.digit(key[j], float, begin+j*Lanes < n)
		same := ^uint32(0) // the lanes whose keys have this digit
		for b := range uint(Bits) {
			bit := d >> b & 1
			same &= dsl.GroupBallot(sub, bit == 1)[0] ^ (bit - 1)
		}
		before := uint32(bits.OnesCount32(same & (1<<lane - 1)))
		place[j] = tile[(mine+d)%Tile] + before
		sub.Barrier()
		if before == 0 {
			tile[(mine+d)%Tile] = place[j] + uint32(bits.OnesCount32(same))
		}
		sub.Barrier()
	}
	it.Barrier()
	count := uint32(0) // the keys with digit l of the sub-groups before
	for s := range uint32(Size / Lanes) {
		c := tile[s*Digits+l]
		tile[s*Digits+l] = count
		count += c
	}
	board := lookback.Columns{State: k.State}
	board.Post(it, t, count)
	start := dsl.ExclusiveScanOverGroup(it.Group(), count, dsl.Plus)
	for s := range uint32(Size / Lanes) {
		tile[s*Digits+l] += start
	}
	it.Barrier()
	for j := range uint32(Each) {
		place[j] += tile[(mine+k.digit(key[j], float, begin+j*Lanes < n))%Tile]
	}
	before := board.Before(it, t, count, func(t uint32) uint32 {
		return k.count(it, again, float, t*Tile, n)
	})
	k.write(it, tile, run, float, base, n, &place, &key, &value, start, before, count)
}

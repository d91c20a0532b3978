package kernels

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

// Lanes is the sub-group size that PassLanes requires.
const Lanes = 32

// PassLanes does the work of Pass32 faster, on GPUs that support sub-groups of 32.
type PassLanes[K Keys, W words[K]] pass[K, W]

// These types instantiate the kernel PassLanes for elements of each size.
type (
	PassLanes32 = PassLanes[uint32, One]
	PassLanes64 = PassLanes[uint64, Two]
)

// Properties sets the sizes of work-groups and sub-groups.
func (PassLanes[K, W]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.SubGroupSize(Lanes)}
}

// While keys are ranked, the first half of a tile's memory contains the count of each digit in each
// sub-group. For each count, the second half contains the set of lanes whose keys have the digit.
const (
	counters = Size / Lanes * Digits
	ranking  = 2 * counters
)

// Kernel sorts a tile by the whole digit at once. Each sub-group counts the digits of its own part of the tile,
// 32 keys at a time. Each lane sets its bit in the word of its key's digit. The word then says which lanes have
// the same digit. The first of the lanes with the same digit adds the number of these lanes to the digit's count.
func (lanes PassLanes[K, W]) Kernel(it dsl.NDItem1) {
	k := pass[K, W](lanes)
	tile := dsl.Local[[memory]uint32](it) // first the counts and sets of each sub-group, later the elements of the tile
	run := dsl.Local[[Digits]uint32](it)  // for each digit, the distance from a key's index in the sorted tile to the key's index in Out
	sub := it.SubGroup()
	l, lane, part := uint32(it.LocalID()), uint32(sub.LocalID()), uint32(sub.GroupID())
	o, n := orderOf(it, k.Flip), k.rest()
	t := k.tile(it, n)
	if t >= Chunk {
		return
	}
	base := t * Tile
	for s := range uint32(ranking / Size) {
		tile[s*Size+l] = 0
	}
	var key [Each]K
	var value, place [Each]uint32
	k.load(it, o, base, n, &key, &value, &place)
	it.Barrier()
	mine, bit := part*Digits, uint32(1)<<(lane%Lanes)
	for j := range uint32(Each) {
		count := (mine + place[j]) % counters
		meet := &tile[count+counters]
		dsl.AtomicAddRelaxed(meet, bit)
		sub.Barrier()
		same := dsl.AtomicLoadRelaxed(meet) // set of lanes whose keys have the same digit
		before := uint32(bits.OnesCount32(same & (bit - 1)))
		rank := tile[count] + before
		place[j] |= rank << Bits
		sub.Barrier()
		if before == 0 {
			tile[count] = rank + uint32(bits.OnesCount32(same))
			dsl.AtomicStoreRelaxed(meet, 0)
		}
		sub.Barrier()
	}
	it.Barrier()
	count := uint32(0) // number of keys with digit l in earlier sub-groups
	for s := range uint32(Size / Lanes) {
		c := tile[s*Digits+l]
		tile[s*Digits+l] = count
		count += c
	}
	board := lookback.Columns{State: k.State, At: k.Board}
	board.Post(it, t, count)
	start := dsl.ExclusiveScanOverGroup(it.Group(), count, dsl.Plus)
	for s := range uint32(Size / Lanes) {
		tile[s*Digits+l] += start
	}
	it.Barrier()
	for j := range uint32(Each) {
		place[j] = place[j]>>Bits + tile[(mine+place[j]%Digits)%counters]
	}
	before := board.Before(it, t, count, func(t uint32) uint32 {
		return k.count(it, run, o, t*Tile, n)
	})
	k.write(it, tile, run, o, base, n, &place, &key, &value, start, before, count)
}

// load() loads the work-item's keys of a tile, their values if Paired is set, and the keys' digits. Indices
// past the end of the elements count as the greatest digit. Neighbouring work-items load neighbouring keys.
func (k pass[K, W]) load(it dsl.NDItem1, o Order[K], base, n uint32, key *[Each]K, value, digits *[Each]uint32) {
	sub := it.SubGroup()
	at := uint32(sub.GroupID())%(Size/Lanes)*(Lanes*Each) + uint32(sub.LocalID())%Lanes
	begin, end := base+at, int(base)+Tile
	if base+Tile <= n && end <= len(k.Keys) { // all indices of the tile are in range
		keys := k.Keys[base:end]
		for j := range uint32(Each) {
			key[j] = keys[at+j*Lanes]
		}
	} else {
		keys := k.Keys[:min(int(n), len(k.Keys))]
		for j := range uint32(Each) {
			if i := int(begin + j*Lanes); i < len(keys) {
				key[j] = keys[i]
			}
		}
	}
	for j := range uint32(Each) {
		digits[j] = Digits - 1
		if begin+j*Lanes < n {
			digits[j] = k.digit(o, key[j])
		}
	}
	if Paired.Get(it) {
		values := k.Values[:min(int(n), len(k.Values))]
		for j := range uint32(Each) {
			if i := int(begin + j*Lanes); i < len(values) {
				value[j] = values[i]
			}
		}
	}
}

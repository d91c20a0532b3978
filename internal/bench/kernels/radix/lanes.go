package radix

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Lanes is the size of sub-groups that ScatterLanes requires.
const Lanes = 32

// ScatterLanes computes the same as Scatter, but faster, on GPUs that support sub-groups of 32.
type ScatterLanes struct {
	Shift  int
	Keys   []uint32
	Starts []uint32
	Out    []uint32
}

// Properties sets the sizes of work-groups and sub-groups.
func (ScatterLanes) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size), properties.SubGroupSize(Lanes)}
}

// Kernel sorts each block in local memory, by the whole digit at once. Each sub-group counts the digits of its own
// part of the block, 32 keys at a time. Ballots tell each work-item which lanes have keys with the same digit. The
// first lane with a digit adds the number of lanes with this digit to the count.
func (k ScatterLanes) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[Block]uint32](it)
	counts := dsl.Local[[Size / Lanes][Digits]uint32](it) // counts of digits for each sub-group
	run := dsl.Local[[Digits]uint32](it)                  // for each digit, a key's index in Out minus its index in the block
	sub := it.SubGroup()
	l, lane, mine := uint32(it.LocalID()), uint32(sub.LocalID()), &counts[sub.GroupID()%(Size/Lanes)]
	shift, first := uint(k.Shift), uint32(it.GroupID())*Part

	var next uint32 // index in Out of the next key with digit l
	if i := int(l)*it.GroupRange() + it.GroupID(); i < len(k.Starts) {
		next = k.Starts[i]
	}
	for base := first; base < min(first+Part, uint32(len(k.Keys))); base += Block {
		for s := range counts {
			counts[s][l] = 0
		}
		var key, place [Each]uint32
		begin := base + uint32(sub.GroupID())*(Lanes*Each) + lane
		for j := range uint32(Each) {
			key[j] = ^uint32(0) // keys past the end stay at the end
			if i := begin + j*Lanes; int(i) < len(k.Keys) {
				key[j] = k.Keys[i]
			}
		}
		it.Barrier()
		for j := range Each {
			digit := key[j] >> shift % Digits
			same := ^uint32(0) // set of lanes whose keys have this digit
			for b := range uint(Bits) {
				bit := digit >> b & 1
				same &= dsl.GroupBallot(sub, bit == 1)[0] ^ (bit - 1)
			}
			before := uint32(bits.OnesCount32(same & (1<<lane - 1)))
			place[j] = mine[digit] + before
			sub.Barrier()
			if before == 0 {
				mine[digit] = place[j] + uint32(bits.OnesCount32(same))
			}
			sub.Barrier()
		}
		it.Barrier()
		sum := uint32(0) // number of keys with digit l in the previous sub-groups
		for s := range counts {
			n := counts[s][l]
			counts[s][l] = sum
			sum += n
		}
		start := dsl.ExclusiveScanOverGroup(it.Group(), sum, dsl.Plus)
		for s := range counts {
			counts[s][l] += start
		}
		run[l] = next - start
		next += sum
		it.Barrier()
		for j := range Each {
			tile[(mine[key[j]>>shift%Digits]+place[j])%Block] = key[j]
		}
		it.Barrier()
		for p := l; p < Block; p += Size {
			if to := run[tile[p]>>shift%Digits] + p; int(base+p) < len(k.Keys) && int(to) < len(k.Out) {
				k.Out[to] = tile[p]
			}
		}
	}
}

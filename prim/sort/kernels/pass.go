package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/prim/lookback"
	"github.com/kgen-go/kgen/properties"
)

// Pass32 copies each key to its index in the order of digits, and keeps the order of keys with the
// same digit. Pass32 reads the keys only once. GPUs without sub-groups of 32 run Pass32.
type Pass32 pass[uint32, One]

// Properties sets the work-group size.
func (Pass32) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size)}
}

// rank() sorts by half a digit, which has halfBits bits. Each work-item has a column of counters, one for each value of half a digit.
const (
	halfBits = Bits / 2
	halves   = 1 << halfBits
	row      = Size + Size/32
)

// Kernel sorts a tile first by the low half of the digit, and then by the high half. Each work-item processes neighbouring keys.
func (neighbours Pass32) Kernel(it dsl.NDItem1) {
	k := pass[uint32, One](neighbours)
	tile := dsl.Local[[memory]uint32](it)
	run := dsl.Local[[Digits]uint32](it) // for each digit, the distance from a key's index in the sorted tile to the key's index in Out
	counts := dsl.Local[[Digits]uint32](it)
	o, n := orderOf(it, k.Flip), k.rest()
	t := k.tile(it, n)
	if t >= Chunk {
		return
	}
	base := t * Tile
	count := k.count(it, counts, o, base, n)
	board := lookback.Columns{State: k.State, At: k.Board}
	board.Post(it, t, count)
	start := dsl.ExclusiveScanOverGroup(it.Group(), count, dsl.Plus)

	var key, value, place, digits [Each]uint32
	begin := base + uint32(it.LocalID())*Each
	for j := range uint32(Each) {
		digits[j] = Digits - 1
		if i := begin + j; i < n && int(i) < len(k.Keys) {
			key[j] = k.Keys[i]
			digits[j] = k.digit(o, key[j])
		}
	}
	if Paired.Get(it) {
		for j := range uint32(Each) {
			if i := begin + j; i < n && int(i) < len(k.Values) {
				value[j] = k.Values[i]
			}
		}
	}
	rank(it, tile, &digits, 0, &place)
	byNeighbours(it, tile, &place, &key)
	if Paired.Get(it) {
		byNeighbours(it, tile, &place, &value)
	}
	byNeighbours(it, tile, &place, &digits)
	rank(it, tile, &digits, halfBits, &place)
	before := board.Before(it, t, count, func(t uint32) uint32 {
		return k.count(it, counts, o, t*Tile, n)
	})
	k.write(it, tile, run, o, base, n, &place, &key, &value, start, before, count)
}

// rank() computes each key's index in the tile after sorting by half a digit. Each work-item counts
// its own keys. One scan of all counters, by digit and then by work-item, gives the index of each key.
func rank(it dsl.NDItem1, tile *[memory]uint32, digits *[Each]uint32, shift uint, place *[Each]uint32) {
	l := it.LocalID()
	column := l + l/32
	it.Barrier()
	for d := range halves {
		tile[d*row+column] = 0
	}
	for j := range Each {
		c := int(digits[j]>>shift%halves)*row + column
		place[j] = tile[c]
		tile[c] = place[j] + 1
	}
	it.Barrier()
	var count [halves]uint32
	sum := uint32(0)
	for d := range halves {
		i := l*halves + d
		count[d] = tile[i+i/32]
		sum += count[d]
	}
	before := dsl.ExclusiveScanOverGroup(it.Group(), sum, dsl.Plus)
	for d := range halves {
		i := l*halves + d
		tile[i+i/32] = before
		before += count[d]
	}
	it.Barrier()
	for j := range Each {
		place[j] += tile[int(digits[j]>>shift%halves)*row+column]
	}
}

// byNeighbours moves one word of each element to the element's index in the tile, and then loads neighbouring words.
func byNeighbours(it dsl.NDItem1, tile *[memory]uint32, place, word *[Each]uint32) {
	l := it.LocalID()
	it.Barrier()
	for j := range Each {
		p := place[j] % Tile
		tile[p+p/32] = word[j]
	}
	it.Barrier()
	for j := range Each {
		p := l*Each + j
		word[j] = tile[p+p/32]
	}
}

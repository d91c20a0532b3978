package lookback

import "github.com/kgen-go/kgen/dsl"

// Columns is a board that holds Size counts for each tile. A work-item adds up the counts in one
// column, for all tiles before the work-group's own tile:
//
//	board.Post(it, t, count)                    // posts the counts of the work-group's tile.
//	…                                           // Work that needs no counts of other tiles goes here.
//	before := board.Before(it, t, count, again)
//
// The counts of a column add up to less than 1<<30.
type Columns struct {
	State []uint32
	At    uint32 // index in State at which the board begins; its ColumnWords words must be zero before a launch
}

// ColumnWords returns the number of words of State that Columns needs for a number of tiles.
func ColumnWords(tiles int) int { return (tiles + 1) * Size }

// Post posts the counts of tile t, one for each column.
func (b Columns) Post(it dsl.NDItem1, t, count uint32) {
	if silent := Silent.Get(it); silent != 0 && t%silent == 0 {
		return
	}
	kind := total
	if t == 0 {
		kind = whole
	}
	b.post(it, t, kind, count)
}

func (b Columns) post(it dsl.NDItem1, t, kind, count uint32) {
	if i := b.At + (t+1)*Size + uint32(it.LocalID()); int(i) < len(b.State) {
		dsl.AtomicStoreRelaxed(&b.State[i], kind<<bits|count)
	}
}

// Before returns the sum of a column in the tiles before t. The argument `count` must be the same as in
// the call of Post for tile t. The argument `again` is a function that counts the column in another tile.
func (b Columns) Before(it dsl.NDItem1, t, count uint32, again func(tile uint32) uint32) uint32 {
	l, limit := uint32(it.LocalID()), Polls.Get(it)
	before, next := uint32(0), t // tiles below `next` have not been added yet
	for t > 0 {
		// Each work-item looks back in its own column, until `limit` polls have found no post. The
		// posts of a tile are neighbours in memory, so work-items load neighbours.
		for polls := uint32(0); next > 0 && polls < limit; {
			post := uint32(0)
			if i := b.At + next*Size + l; int(i) < len(b.State) {
				post = dsl.AtomicLoadRelaxed(&b.State[i])
			}
			switch post >> bits {
			case none:
				polls++
				continue
			case whole:
				next = 0
			default:
				next--
			}
			before += post & (1<<bits - 1)
		}
		// If some columns still wait for posts, all work-items count the nearest of the missing tiles together.
		missing := dsl.ReduceOverGroup(it.Group(), next, dsl.Maximum)
		if missing == 0 {
			break
		}
		n := again(missing - 1)
		if i := b.At + missing*Size + l; int(i) < len(b.State) {
			dsl.AtomicMax(&b.State[i], total<<bits|n)
		}
		if next == missing {
			before += n
			next--
		}
	}
	if t > 0 && FromFirst.Get(it) == 0 {
		b.post(it, t, whole, before+count)
	}
	return before
}

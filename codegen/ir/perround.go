package ir

const (
	shortLoop      = 32 // rounds that drivers unroll
	straightStores = 32 // that code without a loop may have instead of a short loop
	minRounds      = 64 // of a loop that handles several elements in a round
	storesPerRound = 4
)

// PerRound returns how many of n elements a loop that stores to a work-item's array is to
// handle in one round, given how many scalars of each it stores to. It returns n where
// straight code is better than a loop.
//
// A round with few stores compiles quickly: lavapipe turns most stores into a block or two
// for each of a sub-group's work-items, and LLVM's time grows with the square of the number
// of blocks. lavapipe unrolls loops of up to 32 rounds, so a loop with fewer rounds and more
// stores in each gains nothing. A loop with one store in each round would use up the 65,535
// rounds that lavapipe allows all loops of a work-item together.
func PerRound(n, scalars int64) int64 {
	if n <= shortLoop && n*scalars <= straightStores {
		return n
	}
	return max(1, min(n/minRounds, storesPerRound/scalars))
}

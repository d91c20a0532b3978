package ir

const (
	shortLoop      = 32 // largest number of iterations of a loop that drivers unroll
	straightStores = 32 // largest number of stores for which straight code is better than a loop
	minRounds      = 64 // smallest number of iterations of a loop that handles several elements in each
	storesPerRound = 4
)

// PerRound returns the number of elements that a loop should store in one iteration. The loop stores to a
// work-item's array of n elements, and each element consists of the given number of scalars. The result is n
// if straight code is better than a loop.
//
// Iterations with few stores compile quickly. lavapipe compiles a store into one or two basic blocks for each
// work-item of a sub-group. LLVM's time grows with the square of the number of blocks. lavapipe unrolls loops
// of up to 32 iterations, so fewer iterations with more stores have no advantage. A loop with one store in
// each iteration might use all of the 65,535 iterations that lavapipe allows for the loops of a work-item
// together.
func PerRound(n, scalars int64) int64 {
	if n <= shortLoop && n*scalars <= straightStores {
		return n
	}
	return max(1, min(n/minRounds, storesPerRound/scalars))
}

package ir

// This file chooses how many elements a loop stores in one iteration, so that drivers compile the
// loop quickly.

const (
	shortLoop      = 32 // largest number of iterations of a loop that drivers unroll
	straightStores = 32 // largest number of stores for which code without a loop is better than a loop
	minRounds      = 64 // smallest number of iterations of a loop that stores several elements in each iteration
	storesPerRound = 4
)

// PerRound returns the number of elements that a loop should store in one iteration. The loop stores to
// a work-item's array of n elements, each with the given number of scalars. If code without a loop is
// better, PerRound returns n.
//
// Loops with few stores in each iteration compile quickly. lavapipe compiles a store into one or
// two basic blocks for each work-item of a sub-group. The compile time of LLVM grows with the
// square of the number of blocks. lavapipe unrolls loops of up to 32 iterations, so a smaller
// number of iterations does not reduce the number of basic blocks. lavapipe allows 65,535
// iterations for all loops of a work-item together. Loops with one store in each iteration might
// exceed lavapipe's limit on iterations.
func PerRound(n, scalars int64) int64 {
	if n <= shortLoop && n*scalars <= straightStores {
		return n
	}
	return max(1, min(n/minRounds, storesPerRound/scalars))
}

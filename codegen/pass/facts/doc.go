// Package facts computes facts about the values of a module. The analyses of package facts do not
// change code.
//
//	Ranges.At returns the interval of an integer in a block, from its type, branches and loops.
//	Prover.Le proves inequalities such as i < len(s) from conditions, loops and sums.
//	Solved finds integers that fit in 32 bits in small launches, and records the assumptions in Result.
//	Possible returns the bits of an integer that may be set.
//	Certain returns the bits of an integer that are always set.
//	FoldConst folds a value, and returns the resulting constant.
//	FindRoots returns the slices into which an address may point.
//	Footprints tells whether a work-item uses only its own elements of a slice.
//	Speculative reports whether a value may be computed on paths that do not use it.
//
// For example:
//
//	if i < len(s) {     // Ranges finds that i is at most len(s)-1 in the branch
//		j := i / 2      // Prover finds that j ≤ i, so j < len(s) holds as well
//		s[j] = 0        // The pass bounds removes the check.
//	}
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package facts may import only rewrite. Package facts describes the values of a single
// work-item. Package uniform imports package facts, and compares the values of all work-items of a
// group.
package facts

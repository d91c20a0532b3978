// Package facts computes facts about the values of a module. It does not change code.
//
//	question                                            answered by
//
//	is i in [0, 99] in block b                          Ranges.At, by intervals from types,
//	                                                      branches and loops
//	is i < len(s) in block b                            Prover.Le, by sums of terms, compared
//	                                                      along conditions and inductions
//	is n*m below 2^28 in launches that are small        bounder, and Result records the product
//	which bits of v may be set                          Possible, Certain
//	which constant is v                                 FoldConst
//	which slice does an address point into              FindRoots
//	which elements of a slice does a work-item use      Footprints, only its own, or others too
//	may v be computed on paths that do not use v        Speculative.
//
// For example, in
//
//	if i < len(s) {     // Ranges finds that i is at most len(s)-1 in the branch
//		j := i / 2      // Prover finds that j ≤ i, so j < len(s) holds as well
//		s[j] = 0        // pass bounds removes the check
//	}
//
// The doc of package pass shows the order in which the packages below codegen/pass may import each
// other. Package facts may import only rewrite. It describes the values of a single work-item.
// Package uniform compares the values of all work-items of a group, and uses package facts for
// that.
package facts

// Package facts finds out facts about values. It changes no code.
//
//	question                                            answer from
//
//	i in [0, 99] in block b?                            Ranges.At: intervals, from types,
//	                                                      branches and loops
//	i < len(s) in block b?                              Prover.Le: sums of terms, compared
//	                                                      along conditions and inductions
//	n*m below 2^28 in launches that are small?          bounder; Result has the products
//	which bits of v may be set?                         Possible, Certain
//	which constant is v?                                FoldConst
//	which slice does an address lie in?                 FindRoots
//	which elements of a slice does a work-item use?     Footprints: its own alone, or any
//	may v be computed on paths that do not need it?     Speculative
//
// For example, in
//
//	if i < len(s) {     // Ranges: i is at most len(s)-1 in the branch, len(s) at most MaxLength
//		j := i / 2      // Prover: j ≤ i, so j < len(s) holds as well
//		s[j] = 0        // pass bounds removes the check
//	}
//
// Package pass has a picture of the rooms and of their imports. This room may import rewrite.
// Package uniform asks this package about single values, and itself describes all work-items of a
// group together.
package facts

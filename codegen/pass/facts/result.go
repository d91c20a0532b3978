package facts

// This file has what the passes hand back beside the module. Bounds of small launches add to
// it, so it stands here and not with the list of passes.

import "slices"

// Result is what the passes find out of a module that does not stand in it.
type Result struct {
	// Products are the products of sizes that a module for small launches takes to be small,
	// as abi.Variant has them.
	Products [][]int
	// Foreign is set where a variant has a fault that is none of the first module's: it must
	// not be used.
	Foreign bool
}

// assume notes that a product of sizes is taken to be small. A nil result is that of who only
// asks, and uses nothing of what follows.
func (r *Result) assume(factors ...int) {
	if r != nil && !slices.ContainsFunc(r.Products, func(p []int) bool { return slices.Equal(p, factors) }) {
		r.Products = append(r.Products, slices.Clone(factors))
	}
}

package facts

// Result is returned by pass.Run beside the module. It stands here, and not with the list of
// passes, because bounds of small launches add to it.

import "slices"

// Result is what the passes find out about a module that is not in the module itself.
type Result struct {
	// Products are the products of sizes that a module for small launches takes to be small,
	// as abi.Variant has them.
	Products [][]int
	// Foreign is set where a variant has a fault that is none of the first module's: it must
	// not be used.
	Foreign bool
}

// assume notes that a product of sizes is taken to be small. A nil receiver discards the
// assumption, for callers that only ask.
func (r *Result) assume(factors ...int) {
	if r != nil && !slices.ContainsFunc(r.Products, func(p []int) bool { return slices.Equal(p, factors) }) {
		r.Products = append(r.Products, slices.Clone(factors))
	}
}

package reject

import (
	"github.com/kgen-go/kgen/dsl"
)

// SizedMakes makes slices of sizes that are not known.
type SizedMakes struct {
	N       int
	In, Out []int32
}

func scratchOf(n int) []int32 {
	return make([]int32, n) // want KG204 `allocate memory whose size is not known`
}

func wideOf(n int) []int32 {
	return make([]int32, n, 2*n) // want KG206 `\[1048576\]int32 is too large`
}

var MadeRows = dsl.NewSpecConstant(8)

func (k SizedMakes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := make([]int32, k.N)  // want KG204 `allocate`
	t := make([]int32, 3, i) // want KG204 `allocate`
	n := 4
	for range i {
		n++
	}
	u := make([]int32, n) // want KG204 `allocate`
	m := 4
	if k.In[i] > 3 {
		m = 5
	}
	v := make([]int32, m) // want KG204 `allocate`
	k.Out[i] = s[0] + t[0] + u[0] + v[0] + scratchOf(3)[0] + scratchOf(i)[1]
	k.Out[i] += wideOf(1 << 19)[0] + make([]int32, MadeRows.Get(it))[0] // want KG204 `allocate`
	fs := make([]func() int32, n&3, m&^3)                               // want KG204 `allocate`
	k.Out[i] += fs[0]()
}

// MadeParts makes slices of what is resolved while lowering.
type MadeParts struct {
	In, Out []int32
}

func madeFuncs(n, c int) []func() int32 {
	return make([]func() int32, n, c) // want KG201 `how many elements this`
}

func madeNames(n int) []string {
	return make([]string, n) // want KG201 `too large`
}

func (k MadeParts) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	fs := madeFuncs(i&3, 4)
	k.Out[i] = int32(len(fs) + len(madeNames(1000)))
}

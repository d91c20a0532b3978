package uniform

import "github.com/kgen-go/kgen/dsl"

var (
	table = [3]int{1, 4, 2}
	lists = []int{3, 1}
)

// View is a matrix with its shape.
type View struct {
	Data          []float32
	Shape, Stride [2]int
}

type (
	U01 struct {
		Mem
		Sizes [3]int
	}
	U02 struct{ Mem }
	U03 struct{ Mem }
	U04 struct{ Mem }
	U05 struct {
		Mem
		V View
	}
	U06 struct {
		Mem
		Sizes [3]int
	}
	U07 struct{ Mem }
	U08 struct{ Mem }
	U09 struct {
		Mem
		Sizes [40]int
	}
	U10 struct{ Mem }
	U11 struct {
		Mem
		Sizes [8]int
	}
	U12 struct{ Mem }
)

// A field that is an array, by its index.
func (k U01) Kernel(it dsl.NDItem1) {
	for i := range k.Sizes {
		for range k.Sizes[i] {
			it.Barrier()
		}
	}
}

// Package-level variables, by their elements.
func (k U02) Kernel(it dsl.NDItem1) {
	for _, n := range table {
		for range n {
			it.Barrier()
		}
	}
	for _, n := range lists {
		for range n {
			it.Barrier()
		}
	}
}

// A literal of an array.
func (k U03) Kernel(it dsl.NDItem1) {
	for _, n := range [3]int{k.N, k.M, 4} {
		for range n {
			it.Barrier()
		}
	}
}

// A literal of a slice, in a variable.
func (k U04) Kernel(it dsl.NDItem1) {
	rounds := []int{k.N, it.GroupID(), int(k.X[0])}
	for _, n := range rounds {
		for range n {
			it.Barrier()
		}
	}
}

// The shape of a view, along a dimension that a field says.
func (k U05) Kernel(it dsl.NDItem1) {
	for range k.V.Shape[k.N&1] {
		it.Barrier()
	}
	v := k.V
	for d := range v.Shape {
		if v.Shape[d] > v.Stride[d] {
			it.Barrier()
		}
	}
}

// Work-items leave before, between and in the rounds.
func (k U06) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	if id >= k.N {
		return
	}
	for _, n := range k.Sizes {
		if k.X[id] == int32(n) {
			return
		}
		for r := range n {
			if k.Y[id] == int32(r) {
				return
			}
			it.Barrier()
		}
	}
}

// A variable that changes, by helpers, too, where all are.
func scale(a *[4]int, by int) {
	for i := range a {
		a[i] *= by
	}
}

func (k U07) Kernel(it dsl.NDItem1) {
	var a [4]int
	for i := range a {
		a[i] = i + k.N
	}
	scale(&a, k.M)
	if k.Flag {
		a[k.M&3]++
	}
	b := a
	for r := 0; r < b[k.N&3]; r++ {
		it.Barrier()
		b[r&3] -= 2
	}
}

// A variable of each round's own.
func (k U08) Kernel(it dsl.NDItem1) {
	for r := range k.N {
		var seen [2]bool
		seen[r&1] = true
		it.Barrier()
		if seen[k.M&1] {
			it.Barrier()
		}
	}
}

// An array that is filled in a loop of words.
func (k U09) Kernel(it dsl.NDItem1) {
	sizes := k.Sizes
	for i := range sizes {
		if sizes[i] > 3 {
			it.Barrier()
		}
	}
}

// The smallest of several counts, which each work-item looks for by itself.
func (k U10) Kernel(it dsl.NDItem1) {
	a := [4]int{k.N, k.M, it.LocalRange(), 9}
	least := a[0]
	for _, x := range a[1:] {
		least = min(least, x)
	}
	v := k.X[it.GlobalID()]
	for v > 0 && v < 100 {
		v *= v
	}
	k.Y[it.GlobalID()] = v
	for range least {
		it.Barrier()
	}
}

// A loop with checks that differ fills the array.
func (k U11) Kernel(it dsl.NDItem1) {
	var counts [40]int
	id := it.GlobalID()
	for d := range counts {
		counts[d] = k.Sizes[d&7]
		k.Y[id*40+d] = k.X[id+d]
	}
	for _, n := range counts {
		for range n {
			it.Barrier()
		}
	}
}

// So does a load whose index was loaded.
func (k U12) Kernel(it dsl.NDItem1) {
	var counts [4]int
	id := it.GlobalID()
	sum := int32(0)
	for d := range k.N {
		counts[d&3] += d
		sum += k.Z[k.X[id+d]]
	}
	for range counts[k.M&3] {
		it.Barrier()
	}
	k.Y[id] = sum
}

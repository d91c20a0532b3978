// Package rounds contains kernels whose loops have iteration counts from arguments.
//
//kgen:bare
package rounds

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Count counts to a number.
type Count struct {
	N   []int
	Out []int
}

func (k Count) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := 0
	for n < k.N[i] {
		n++
	}
	k.Out[i] = n
}

// Until has several consecutive loops that end in different ways.
type Until struct {
	N   []int
	Out []uint32
}

func (k Until) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = until(uint32(i), k.N[i]/2) ^ until(uint32(i)*7, k.N[i]-k.N[i]/2)<<1
}

func until(s uint32, n int) uint32 {
	for range n {
		x := s >> 3
		s = s*1664525 + 1013904223
		if s == 12345 {
			return x
		}
	}
	return s
}

// Product has nested loops of rows times columns iterations.
type Product struct {
	Rows, Columns int
	Out           []int
}

func (k Product) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	sum := 0
	for r := range k.Rows {
		for c := 0; c < k.Columns; c++ {
			sum += r ^ c + i
		}
	}
	k.Out[i] = sum
}

// Distance computes the edit distance of words, one row of the table at a time.
type Distance struct {
	Words [][256]byte
	N     int // number of letters in a word
	Rows  [][257]int32
	Out   []int32
}

func (k Distance) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := &k.Words[2*i], &k.Words[2*i+1]
	row := &k.Rows[i]
	for x := range k.N + 1 {
		row[x] = int32(x)
	}
	for y := 1; y <= k.N; y++ {
		diagonal := row[0]
		row[0] = int32(y)
		for x := 1; x <= k.N; x++ {
			cost := diagonal
			if a[x-1] != b[y-1] {
				cost++
			}
			diagonal = row[x]
			row[x] = min(cost, row[x]+1, row[x-1]+1)
		}
	}
	k.Out[i] = row[k.N]
}

// Meet has a barrier in each iteration of a loop.
type Meet struct {
	N   int
	Out []int
}

func (Meet) Properties() properties.List { return properties.List{properties.WorkGroupSize(16)} }

func (k Meet) Kernel(it dsl.NDItem1) {
	t := dsl.Local[[16]int](it)
	l := it.LocalID()
	t[l] = l
	for n := range k.N {
		it.Barrier()
		x := t[(l+1)&15]
		it.Barrier()
		t[l] = x + n
	}
	k.Out[it.GlobalID()] = t[l]
}

// Astray uses the final value of a loop as an index.
type Astray struct {
	N   int
	Out []int
}

func (k Astray) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := 0
	for n < k.N {
		n++
	}
	k.Out[i+n-k.N] = 1
}

// Package nearest finds the vectors that are nearest to queries, by comparing each query with all
// vectors.
package nearest

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

const (
	// MaxK is the largest number of neighbours of a query.
	MaxK = 16
	// GroupSize is the number of work-items in a group.
	GroupSize = 64
	// PartSize is the number of vectors that a group compares with a query.
	PartSize = 32 * GroupSize
)

// Hit is a neighbour of a query, with the number of its vector and the square of its distance.
type Hit struct {
	Distance float32
	Index    int32
}

// nearer() reports whether h comes before g. Of two equally near hits, the hit with the smaller number comes first.
func (h Hit) nearer(g Hit) bool {
	return h.Distance < g.Distance || h.Distance == g.Distance && h.Index < g.Index
}

// List contains the nearest hits so far, in order. Missing hits are infinitely far away.
type List [MaxK]Hit

func newList() (l List) {
	for i := range l {
		l[i] = Hit{math32.Inf(1), -1}
	}
	return l
}

// add() inserts a hit into the list at its position. add() reports whether the hit is near enough to be inserted.
func (l *List) add(h Hit) bool {
	if !h.nearer(l[MaxK-1]) {
		return false
	}
	i := MaxK - 1
	for ; i > 0 && h.nearer(l[i-1]); i-- {
		l[i] = l[i-1]
	}
	l[i] = h
	return true
}

// merge() adds the hits of another list, up to the first hit that is too far away.
func (l *List) merge(other *List) {
	for i := range other {
		if !l.add(other[i]) {
			break
		}
	}
}

// Search finds the hits of each query in each part of the vectors. Each row of work-groups
// processes a query, and each work-group of a row processes a part of the vectors.
type Search struct {
	Dim     int       // number of elements in a vector
	Vectors []float32 // all vectors, one after the other
	Queries []float32
	Lists   []List // for each query, one list for each part
	Query   dsl.LocalAccessor[float32]
}

// Properties sets the work-group's size.
func (Search) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(1, GroupSize)}
}

// Kernel compares a query with every GroupSize-th vector of a part.
func (k Search) Kernel(it dsl.NDItem2) {
	q, part := it.GroupID()
	_, parts := it.GroupRange()
	_, l := it.LocalID()

	query := k.Query.Slice(it)[:k.Dim]
	for d := l; d < k.Dim; d += GroupSize {
		query[d] = k.Queries[q*k.Dim+d]
	}
	it.Barrier()
	best := newList()
	n := len(k.Vectors) / k.Dim
	for i := part*PartSize + l; i < min((part+1)*PartSize, n); i += GroupSize {
		best.add(Hit{distance(k.Vectors[i*k.Dim:][:k.Dim], query), int32(i)})
	}

	// In each iteration, half of the work-items merge the other half's lists into their own.
	lists := dsl.Local[[GroupSize]List](it)
	lists[l] = best
	it.Barrier()
	for s := GroupSize / 2; s > 0; s /= 2 {
		if l < s {
			best.merge(&lists[l+s])
			lists[l] = best
		}
		it.Barrier()
	}
	if l == 0 {
		k.Lists[q*parts+part] = best
	}
}

// distance() returns the square of the distance between v and w. The conversion keeps compilers
// from fusing product and sum, so all devices compute the same result.
func distance(v, w []float32) float32 {
	sum := float32(0)
	for i, x := range v {
		d := x - w[i]
		sum += float32(d * d)
	}
	return sum
}

// Merge merges the lists of each query into one list.
type Merge struct {
	Parts int
	Lists []List
	Hits  []List // one list for each query
}

// Kernel merges the lists of a query.
func (k Merge) Kernel(it dsl.Item1) {
	q := it.GlobalID()
	best := newList()
	lists := k.Lists[q*k.Parts:][:k.Parts]
	for i := range lists {
		best.merge(&lists[i])
	}
	k.Hits[q] = best
}

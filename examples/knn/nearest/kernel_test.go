package nearest_test

import (
	"testing"

	"github.com/kgen-go/kgen/examples/internal/hostrun"
	"github.com/kgen-go/kgen/examples/knn/nearest"
)

// TestMerge merges lists that are written down, with ties and gaps.
func TestMerge(t *testing.T) {
	far := nearest.List{}
	for i := range far {
		far[i] = nearest.Hit{Distance: 1e9, Index: int32(1000 + i)}
	}
	a, b := far, far
	a[0], a[1] = nearest.Hit{Distance: 1, Index: 7}, nearest.Hit{Distance: 2, Index: 3}
	b[0], b[1], b[2] = nearest.Hit{Distance: 1, Index: 5}, nearest.Hit{Distance: 2, Index: 4}, nearest.Hit{Distance: 3, Index: 9}
	k := nearest.Merge{Parts: 2, Lists: []nearest.List{a, b, b, b}, Hits: make([]nearest.List, 2)}
	hostrun.Range(t, k.Kernel, 2)
	for i, want := range []int32{5, 7, 3, 4, 9} {
		if got := k.Hits[0][i].Index; got != want {
			t.Errorf("hit %d is %d, want %d", i, got, want)
		}
	}
	if k.Hits[1][0].Index != 5 || k.Hits[1][1].Index != 5 || k.Hits[1][2].Index != 4 {
		t.Errorf("%v", k.Hits[1])
	}
}

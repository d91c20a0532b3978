package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/knn/nearest"
	"github.com/kgen-go/kgen/examples/knn/vectors"
	nearestgen "github.com/kgen-go/kgen/generated/examples/knn/nearest"
	"github.com/kgen-go/kgen/runtime"
)

// onDevice returns the nearest vectors of each query, found on the device.
func onDevice(ctx context.Context, dev *runtime.Device, s, q *vectors.Set) ([]nearest.List, error) {
	queue := dev.DefaultQueue()
	data, err := runtime.BufferOf(dev, s.Data)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	queries, err := runtime.BufferOf(dev, q.Data)
	if err != nil {
		return nil, err
	}
	defer queries.Close()
	parts := (s.Len() + nearest.PartSize - 1) / nearest.PartSize
	lists, err := runtime.NewBuffer[nearest.List](dev, q.Len()*parts)
	if err != nil {
		return nil, err
	}
	defer lists.Close()
	hits, err := runtime.NewBuffer[nearest.List](dev, q.Len())
	if err != nil {
		return nil, err
	}
	defer hits.Close()

	find := nearestgen.Search{Dim: s.Dim, Vectors: data.All(), Queries: queries.All(), Lists: lists.All(),
		Query: dsl.LocalLen[float32](s.Dim)}
	merge := nearestgen.Merge{Parts: parts, Lists: lists.All(), Hits: hits.All()}
	local := runtime.Range2{1, nearest.GroupSize}
	nd := runtime.NDRange2{Global: runtime.Range2{q.Len(), parts * nearest.GroupSize}, Local: local}
	d, err := demo.Best(3, func() error {
		if _, err := find.ParallelFor(queue, nd); err != nil {
			return err
		}
		return merge.Run(ctx, queue, runtime.Range1(q.Len()))
	})
	if err != nil {
		return nil, err
	}
	demo.Rate("kernel", d, float64(q.Len())*float64(s.Len()), "distances")
	got := make([]nearest.List, q.Len())
	return got, hits.CopyTo(ctx, queue, got)
}

// check() compares the result with a plain loop that computes all distances in float64 and sorts
// them. If there are many queries, check() compares only some of the results.
func check(s, q *vectors.Set, got []nearest.List) error {
	n := min(q.Len(), max(1, 200_000_000/(s.Len()*s.Dim)))
	all := make([]float64, s.Len())
	sorted := make([]float64, s.Len())
	var err error
	d, _ := demo.Time(func() error {
		for i := range n {
			for j := range all {
				all[j] = distance(q.At(i), s.At(j))
			}
			copy(sorted, all)
			slices.Sort(sorted)
			if err == nil {
				err = checkQuery(got[i], all, sorted)
			}
			if err != nil {
				err = fmt.Errorf("query %d: %w", i, err)
				break
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	demo.Rate("plain Go", d, float64(n)*float64(s.Len()), "distances")
	demo.Line("check", "ok: the %d nearest of %d queries", min(*k, s.Len()), n)
	return nil
}

// checkQuery compares hits with the distances of all vectors, and with the sorted distances.
// Vectors whose distances differ only by rounding may be swapped.
func checkQuery(hits nearest.List, all, sorted []float64) error {
	seen := map[int32]bool{}
	for i, h := range hits[:min(*k, len(all))] {
		if h.Index < 0 || int(h.Index) >= len(all) || seen[h.Index] {
			return fmt.Errorf("hit %d is vector %d of %d", i, h.Index, len(all))
		}
		seen[h.Index] = true
		const e = 1e-4
		if math.Abs(float64(h.Distance)-all[h.Index]) > e*all[h.Index]+1e-12 || math.Abs(all[h.Index]-sorted[i]) > e*sorted[i]+1e-12 {
			return fmt.Errorf("hit %d is vector %d with distance %g; its distance is %g, that of the hit %g",
				i, h.Index, h.Distance, all[h.Index], sorted[i])
		}
	}
	return nil
}

func distance(v, w []float32) float64 {
	sum := 0.0
	for i, x := range v {
		d := float64(x) - float64(w[i])
		sum += d * d
	}
	return sum
}

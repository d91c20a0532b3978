package hist

import (
	"context"
	"fmt"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/hist/kernels"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// elemView is a view of elements of at most 32 bits, in the formats that kernels load.
type elemView struct {
	x8  runtime.View[uint8]
	x32 runtime.View[uint32]
}

// elementsOf returns a view's elements. If elements have 8 or 16 bits, and their address is a
// multiple of 4, they are also available as 32-bit words.
func elementsOf[T any](v runtime.View[T]) (e elemView) {
	size := call.KindOf[T]().Size
	if size < 4 {
		e.x8 = primimpl.Cast[uint8](v)
	}
	if size == 4 || size < 4 && primimpl.Use("", v).Aligned(4) {
		e.x32 = primimpl.Cast[uint32](v)
	}
	return e
}

// width() returns the launch option that sets the size of elements.
func width(k call.Kind) runtime.LaunchOption { return runtime.WithSpec(kernels.Width, uint32(k.Size)) }

// beginCounts adds the view `counts` to the call as its output. beginCounts returns the bins, and
// the view as 32-bit words. The argument `own` is the number of counters in a work-group's memory.
func beginCounts(c *call.Call, counts runtime.View[int64], own int) (kernels.Bins, runtime.View[uint32]) {
	n := counts.Len()
	call.Out(c, "counts", counts, n)
	if n == 0 || n > kernels.MaxBins {
		c.Refuse("", "there are %d bins: there may be from 1 to %d", n, kernels.MaxBins)
		return kernels.Bins{}, runtime.View[uint32]{}
	}
	b := kernels.Bins{N: uint32(n), Shift: 32}
	if n <= own {
		b.Shift = 0
		for b.Shift < mostShift && n<<(b.Shift+1) <= own {
			b.Shift++
		}
	}
	return b, primimpl.Cast[uint32](counts)
}

// mostShift is a logarithm. There are at most 1<<mostShift counters per bin in work-group memory,
// which has 32 banks.
const mostShift = 5

// mostGroups is the largest number of work-groups of a launch. It is large enough for a large
// device. More work-groups would take longer, because each work-group must clear and add up its
// counters.
const mostGroups = 1024

// groupCount returns the number of work-groups for n elements. A work-group with its own counters
// counts fewer than 1<<32 elements.
func groupCount(n, bins int, own bool) int {
	part := kernels.Tile
	if own {
		part = max(part, 8*bins)
	}
	return max(1, min(mostGroups, (n+part-1)/part), n>>31)
}

// onSlices runs a function on a device copy of xs, and returns the counts.
func onSlices[T any](ctx context.Context, dev *runtime.Device, name string, xs []T, bins int, on func(m *call.Memory, v runtime.View[T], counts runtime.View[int64]) error) ([]int64, error) {
	if bins < 1 || bins > kernels.MaxBins {
		return nil, &runtime.Error{Class: runtime.ErrInvalid, Problem: fmt.Sprintf("%s: there are %d bins: there may be from 1 to %d", name, bins, kernels.MaxBins)}
	}
	m, err := call.OnSlices(ctx, dev, name)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	v, err := call.Copied(m, xs)
	if err != nil {
		return nil, err
	}
	counts, err := call.Elements[int64](m, bins)
	if err != nil {
		return nil, err
	}
	if err := on(m, v, counts); err != nil {
		return nil, err
	}
	out := make([]int64, bins)
	return out, call.Read(m, out, counts)
}

// checkAscending returns an error if there are fewer than two edges, or if edges do not ascend or
// contain a NaN.
func checkAscending[T prim.Number](edges []T) error {
	k := call.KindOf[T]()
	order := kernels.Order[uint64]{Half: k.Half, Inf: k.Inf}
	if k.Signed {
		order.Flip = 1 << (8*k.Size - 1)
	}
	problem := ""
	if len(edges) < 2 {
		problem = fmt.Sprintf("there are %d edges, and a bin has two", len(edges))
	}
	for i := range edges {
		switch x := wordOfElem(edges[i]); {
		case problem != "":
		case order.IsNaN(x):
			problem = fmt.Sprintf("edge %d is a NaN", i)
		case i > 0 && order.Key(x) < order.Key(wordOfElem(edges[i-1])):
			problem = fmt.Sprintf("edge %d is %v, and the one before is %v", i, edges[i], edges[i-1])
		}
	}
	if problem == "" {
		return nil
	}
	return &runtime.Error{Class: runtime.ErrInvalid, Problem: "hist.Edges: " + problem, Remedy: "sort the edges"}
}

package conformance

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/ahead/aheadgen"
	"github.com/kgen-go/kgen/runtime"
)

// Sizes of the tests' launches: the last work-groups have work-items past n, one of them in part.
const (
	items, perGroup = 48, 8
	pastItems       = 28
)

// swapped is what ahead.Swap does, by its description.
func swapped(in []int32, out []int32) {
	for i := range pastItems {
		out[i] = in[i^1] + 1
	}
}

// shared is what ahead.Share does.
func shared(in []int32, out []int32) {
	for group := 0; group < pastItems; group += perGroup {
		var sum int32
		for pass := range 2 {
			for i := group; i < min(group+perGroup, pastItems); i++ {
				switch {
				case i%3 == 1:
				case pass == 0:
					sum += in[i]
				default:
					out[i] = in[i] + sum
				}
			}
		}
	}
}

// A work-item that returns early from a part, past its barriers, goes on with the next parts, as
// in Go. So long as it comes to no barrier there, the others do not wait for it.
func TestAF12_Returns(t *testing.T) {
	r := runtime.NDRange1{Global: items, Local: perGroup}
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := func() runtime.View[int32] { return on(t, dev, ints(items, 5)) }
		zero := func() runtime.View[int32] { return on(t, dev, make([]int32, items)) }
		in := ints(items, 5)

		tmp, want, out := make([]int32, items), make([]int32, items), zero()
		swapped(in, tmp)
		swapped(tmp, want)
		check(t, finished(aheadgen.SwapTwice{N: pastItems, In: x(), Out: out}.ParallelFor(q, r)))
		wantAll(t, dev, out, want)

		tmp, want, out = make([]int32, items), make([]int32, items), zero()
		shared(in, tmp)
		shared(tmp, want)
		check(t, finished(aheadgen.ShareTwice{N: pastItems, In: x(), Out: out}.ParallelFor(q, r)))
		wantAll(t, dev, out, want)

		want, out = make([]int32, items), zero()
		swapped(in, want)
		for i := range want {
			want[i] += 100
		}
		check(t, finished(aheadgen.SwapAdd{N: pastItems, In: x(), Out: out}.ParallelFor(q, r)))
		wantAll(t, dev, out, want)

		tmp, want, out = make([]int32, items), make([]int32, items), zero()
		swapped(in, tmp)
		for i := range want {
			want[i] = tmp[i]
			for _, x := range tmp[i/perGroup*perGroup:][:perGroup] {
				want[i] += x
			}
		}
		check(t, finished(aheadgen.GuardedShare{N: pastItems, In: x(), Out: out}.ParallelFor(q, r)))
		wantAll(t, dev, out, want)

		want = make([]int32, items)
		swapped(in, want)
		for i := range want {
			want[i] += 100
		}
		mid, back := on(t, dev, make([]int32, items)), make([]int32, items)
		out = zero()
		swapped(want, back)
		for i := range back {
			if back[i] != 0 {
				back[i] += 1000
			}
		}
		check(t, finished(aheadgen.SwapAddSwap{N: pastItems, In: x(), Mid: mid, Out: out}.ParallelFor(q, r)))
		wantAll(t, dev, mid, want)
		wantAll(t, dev, out, back)
	})
}

// A work-item that returns early from a part and comes to a barrier behind it has missed one that
// others meet at. That is no kernel, however it is written.
func TestAF13_Refused(t *testing.T) {
	const parts = `type K struct { N int; X, Out []int32 }
type part struct { N int; X, Out []int32 }
func (k part) run(it dsl.NDItem1) {
	i, l := it.GlobalID(), it.LocalID()
	if i >= k.N {
		return
	}
	tile := dsl.Local[[8]int32](it)
	tile[l] = k.X[i]
	it.Barrier()
	k.Out[i] = tile[l^1]
}
func (k part) wait(it dsl.NDItem1) {
	if it.GlobalID() >= k.N {
		return
	}
	it.Barrier()
}
`
	kernel := func(body string) string { return parts + "func (k K) Kernel(it dsl.NDItem1) {\n" + body + "\n}" }
	for _, part := range []string{"run", "wait"} {
		// The work-item's first call for memory would be the first of all on the host's coroutines.
		diagnostic(t, "KG401", kernel("\tpart(k)."+part+"(it)\n\tpart(k).run(it)\n\ttile := dsl.Local[[8]float32](it)\n"+
			"\tif it.GlobalID() >= k.N {\n\t\treturn\n\t}\n\tk.Out[it.GlobalID()] = int32(tile[0])"), "at the same condition")
	}
	for _, behind := range []string{
		"\tit.Barrier()",
		"\tk.Out[it.GlobalID()] = dsl.ReduceOverGroup(it.Group(), k.X[0], dsl.Plus)",
		"\tpart{k.N + 1, k.X, k.Out}.run(it)", // at another condition
		"\ttile := dsl.Local[[8]int32](it)\n\ttile[0] = 1",
	} {
		diagnostic(t, "KG401", kernel("\tpart(k).run(it)\n"+behind), "at the same condition")
	}
	// Others zero memory that the work-items which returned would use.
	diagnostic(t, "KG401", kernel("\tpart(k).wait(it)\n\ttile := dsl.Local[[8]int32](it)\n\ttile[it.LocalID()] = 1\n\tk.Out[it.GlobalID()] = tile[it.LocalID()]"), "at the same condition")
	diagnostic(t, "KG401", kernel("\tfor range k.N {\n\t\tpart(k).run(it)\n\t}"), "called here from")
	// An if around a barrier is no return.
	diagnostic(t, "KG401", "type K struct { N int; Out []int32 }\nfunc meet(it dsl.NDItem1, ok bool) {\n\tif ok {\n\t\tit.Barrier()\n\t}\n}\n"+
		"func (k K) Kernel(it dsl.NDItem1) {\n\tmeet(it, it.GlobalID() > k.N)\n\tk.Out[it.GlobalID()] = 1\n}", "move the barrier out")
	accepted(t, kernel("\tpart(k).run(it)"))
	accepted(t, kernel("\tpart(k).run(it)\n\tpart(k).run(it)"))
	accepted(t, kernel("\tpart(k).run(it)\n\tk.Out[it.GlobalID()]++"))
}

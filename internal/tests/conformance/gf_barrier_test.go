package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// In memory of a work-group, a kernel may read what others of the group wrote in the kernel
// before, if there are barriers between.
func TestGF4_InsertBarriers(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		size := runtime.With(properties.WorkGroupSize(32))
		barriers := properties.InsertBarriers()
		for _, n := range []int{512, 500, 64} { // 500: some work-items of the last group are none
			x, tmp, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
			p := tmp.With(inGroup)
			r := runtime.Range1(n)
			g := graphOf(t, dev, stepsgen.Affine{A: 2, B: 1, In: x, Out: p}.Node(r, size), stepsgen.Swap{In: p, Out: out}.Node(r, size),
				stepsgen.Grow{By: 5, Out: out}.Node(r, size))
			refused(t, g, "reads In[i^1], which")
			wantLaunches(t, must(g.Finalize(barriers))(t), "steps.Affine", "steps.Swap", "steps.Grow")
			ex := must(g.Finalize(require, barriers))(t)
			wantLaunches(t, ex, "steps.Affine+steps.Swap+steps.Grow")
			outer := runtime.NewGraph(dev)
			must(outer.AddGraph(ex))(t)
			for _, ex := range []*runtime.ExecutableGraph{ex, must(outer.Finalize())(t)} {
				check(t, out.CopyFrom(ctx, q, make([]int32, n)))
				submit(t, q, ex)
				want := make([]int32, n)
				for i := range want {
					want[i] = 2*int32(i^1) + 6
				}
				wantInts(t, dev, out, want)
			}
			// The same without the groups' sizes is not fused, or with sizes that are not even and
			// nothing said of the memory.
			odd := runtime.With(properties.WorkGroupSize(25))
			eight, line := runtime.With(properties.WorkGroupSize(8)), runtime.NDRange1{Global: runtime.Range1(n / 16 * 8), Local: 8}
			for _, c := range []struct {
				g    *runtime.Graph
				want string
			}{
				{graphOf(t, dev, stepsgen.Affine{A: 2, In: x, Out: p}.Node(r), stepsgen.Swap{In: p, Out: out}.Node(r)),
					"in another work-item (steps.Affine does not state the size of its work-groups)"},
				{graphOf(t, dev, stepsgen.Affine{A: 2, In: x, Out: tmp}.Node(r, odd), stepsgen.Swap{In: tmp, Out: out}.Node(r, odd)),
					"in another work-item (work-groups of 25 are no multiple of 2)"},
				{graphOf(t, dev, stepsgen.Swap{In: x, Out: tmp}.Node(r, eight), stepsgen.Pairs{In: tmp, Out: out}.Node(r/2, eight)),
					"elements"},
				{graphOf(t, dev, stepsgen.Deal{In: x, Out: tmp}.Node(line), stepsgen.Turn{In: tmp, Out: out}.Node(line)),
					"in another work-item (each has 2 elements in steps.Deal, and 1 in steps.Turn)"},
				{graphOf(t, dev, stepsgen.Affine{A: 2, In: x, Out: tmp}.Node(r, size), stepsgen.Next{In: tmp, Out: out}.Node(r, size)),
					"in another work-item"},
			} {
				_, err := c.g.Finalize(require, barriers)
				wantErr(t, err, runtime.ErrKernelNotSupported)
				if err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
			}
		}
	})
}

// What kgen proves to stay within the work-group needs no AccessScope: neighbours, the elements of a
// work-group in another order, several for each work-item, and tiles of a matrix. Without barriers
// the error says that they would help.
func TestGF4_Proved(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 96
		size := runtime.With(properties.WorkGroupSize(8))
		in, tmp, out := buffer(t, dev, ints(n, 3)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		line, pairs := runtime.NDRange1{Global: n, Local: 8}, runtime.NDRange1{Global: n / 2, Local: 8}
		tiles := runtime.NDRange2{Global: runtime.Range2{8, 12}, Local: runtime.Range2{2, 4}}
		for _, c := range []struct {
			name  string
			nodes []runtime.Command
			index func(i int) int // of the element of in that comes to be out[i]
		}{
			{"neighbours", []runtime.Command{stepsgen.Swap{In: in, Out: tmp}.Node(runtime.Range1(n), size), stepsgen.Swap{In: tmp, Out: out}.Node(runtime.Range1(n), size)},
				func(i int) int { return i }},
			{"mirrored", []runtime.Command{stepsgen.Turn{In: in, Out: tmp}.Node(line), stepsgen.Turn{In: tmp, Out: out}.Node(line)},
				func(i int) int { return i }},
			// A perfect shuffle of 16 elements doubles indices modulo 15.
			{"several", []runtime.Command{stepsgen.Deal{In: in, Out: tmp}.Node(pairs), stepsgen.Deal{In: tmp, Out: out}.Node(pairs)},
				func(i int) int {
					if i%16 == 15 {
						return i
					}
					return i/16*16 + 4*(i%16)%15
				}},
			{"tiles", []runtime.Command{stepsgen.Flip{W: 12, In: in, Out: tmp}.Node(tiles), stepsgen.Flip{W: 12, In: tmp, Out: out}.Node(tiles)},
				func(i int) int { return i }},
		} {
			t.Run(c.name, func(t *testing.T) {
				check(t, out.CopyFrom(ctx, dev.DefaultQueue(), make([]int32, n)))
				g := graphOf(t, dev, c.nodes...)
				refused(t, g, "in another work-item of its work-group (InsertBarriers would have them wait for each other)")
				ex := must(g.Finalize(require, properties.InsertBarriers()))(t)
				if list := launches(ex); len(list) != 1 {
					t.Error(ex.Report())
				}
				submit(t, dev.DefaultQueue(), ex)
				want := make([]int32, n)
				for i := range want {
					want[i] = ints(n, 3)[c.index(i)]
				}
				wantInts(t, dev, out, want)
			})
		}
		// Rows of another length than the range's are nobody's tiles, nor are other work-groups'.
		for _, second := range []runtime.Command{
			stepsgen.Flip{W: 11, In: tmp, Out: out}.Node(tiles),
			stepsgen.Flip{W: 12, In: tmp, Out: out}.Node(runtime.NDRange2{Global: runtime.Range2{8, 12}, Local: runtime.Range2{4, 2}}),
		} {
			_, err := graphOf(t, dev, stepsgen.Flip{W: 12, In: in, Out: tmp}.Node(tiles), second).Finalize(require, properties.InsertBarriers())
			wantErr(t, err, runtime.ErrKernelNotSupported)
		}
	})
}

// What is said to be within the work-group is checked: elsewhere is a fault. The host device runs
// the kernels one by one, where it is none.
func TestGF4_Outside(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 128
		size := runtime.With(properties.WorkGroupSize(32))
		x, tmp, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		p := tmp.With(inGroup)
		ex := must(graphOf(t, dev, stepsgen.Affine{A: 1, In: x, Out: p}.Node(n, size), stepsgen.Next{In: p, Out: out}.Node(n, size)).
			Finalize(require, properties.InsertBarriers()))(t)
		err := must(dev.DefaultQueue().Submit(ex))(t).Wait(ctx)
		f := new(runtime.Fault)
		if dev.Info().Backend == "host" {
			check(t, err)
		} else if !errors.As(err, &f) || f.Kind != abi.FaultScope || f.Kernel != "steps.Next" || !strings.Contains(err.Error(), "of In, which has AccessScope(ScopeWorkGroup), is not of the work-group") || f.A%32 != 0 || f.B != f.A-32 {
			t.Errorf("%+v: %v", f, err)
		}
	})
}

// So are elements of a slice that a kernel makes of its memory, by where they are in this.
func TestGF4_OutsideOfPart(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 128
		size := runtime.With(properties.WorkGroupSize(32))
		x, tmp := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n))
		p := tmp.With(inGroup)
		for _, ahead := range []int{0, 8, 32} {
			want := make([]int32, n)
			out := buffer(t, dev, want)
			ex := must(graphOf(t, dev, stepsgen.Affine{A: 1, In: x, Out: p}.Node(n, size), stepsgen.Within{Ahead: ahead, By: 1, In: p, Out: out}.Node(n, size)).
				Finalize(require, properties.InsertBarriers()))(t)
			err := must(dev.DefaultQueue().Submit(ex))(t).Wait(ctx)
			f := new(runtime.Fault)
			if ahead > 0 && dev.Info().Backend != "host" {
				if !errors.As(err, &f) || f.Kind != abi.FaultScope || f.Kernel != "steps.Within" || f.A < f.B+32 || f.A >= f.B+64 {
					t.Errorf("%d ahead: %+v: %v", ahead, f, err)
				}
				continue
			}
			check(t, err)
			for i := range want {
				if at := i&^7 + ahead; at+8 <= n {
					want[i] = int32(at + 2 + (i+1)&3)
				}
			}
			wantInts(t, dev, out, want)
		}
	})
}

// Work-items that return early or fault in one kernel come to the barrier, and run the next.
func TestGF13_AllMeet(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, n := range []int{64, 100, 1000} {
			x, y := buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
			ex := must(graphOf(t, dev, stepsgen.Odd{Out: x}.Node(runtime.Range1(n)), grow(x, 10), stepsgen.Odd{Out: y}.Node(runtime.Range1(n/2)), grow(y, 10)).
				Finalize(require, properties.InsertBarriers()))(t)
			submit(t, dev.DefaultQueue(), ex)
			want, half := make([]int32, n), make([]int32, n)
			for i := range want {
				want[i] = int32(10 + i%2)
				if half[i] = 10; i < n/2 {
					half[i] += int32(i % 2)
				}
			}
			wantInts(t, dev, x, want)
			wantInts(t, dev, y, half)
			in := ints(n, 1)
			in[n-1] = -1
			a, b := buffer(t, dev, in), buffer(t, dev, make([]int32, n))
			ex = must(graphOf(t, dev, stepsgen.Positive{In: a, Out: b}.Node(runtime.Range1(n)), grow(x, 1)).Finalize(require, properties.InsertBarriers()))(t)
			err := must(dev.DefaultQueue().Submit(ex))(t).Wait(ctx)
			f := new(runtime.Fault)
			if !errors.As(err, &f) || f.Kernel != "steps.Positive" || !slices.Equal(f.GlobalID, []int{n - 1}) {
				t.Error(err)
			}
		}
		// Nd-ranges, and ranges of two dimensions.
		group, local := buffer(t, dev, make([]int32, 60)), buffer(t, dev, make([]int32, 60))
		groups := stepsgen.Groups{Group: group, Local: local}.Node(runtime.NDRange1{Global: 60, Local: 12})
		groups2 := stepsgen.Groups2{W: 4, Group: group.Slice(0, 16)}.Node(runtime.NDRange2{Global: runtime.Range2{4, 4}, Local: runtime.Range2{2, 2}})
		ids := stepsgen.Ids2{W: 10, ID: group, N: local}.Node(runtime.Range2{6, 10})
		for _, list := range [][]runtime.Command{{groups, groups}, {groups2, groups2, groups2}, {ids, ids}} {
			zero := make([]int32, 60)
			run := func(props ...properties.Property) (a, b []int32) {
				a, b = make([]int32, 60), make([]int32, 60)
				check(t, group.CopyFrom(ctx, dev.DefaultQueue(), zero))
				check(t, local.CopyFrom(ctx, dev.DefaultQueue(), zero))
				ex := must(graphOf(t, dev, list...).Finalize(props...))(t)
				if len(props) > 0 && len(launches(ex)) != 1 {
					t.Error(ex.Report())
				}
				submit(t, dev.DefaultQueue(), ex)
				check(t, group.CopyTo(ctx, dev.DefaultQueue(), a))
				check(t, local.CopyTo(ctx, dev.DefaultQueue(), b))
				return a, b
			}
			a, b := run()
			c, d := run(require, properties.InsertBarriers())
			if !slices.Equal(a, c) || !slices.Equal(b, d) {
				t.Errorf("got %v %v, want %v %v", c, d, a, b)
			}
		}
	})
}

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestGF35_Faults: the fault of a fused launch is that of the first node that has one, whichever
// work-item was there first, and names that node's kernel, place and work-item.
func TestGF35_Faults(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 4096
		q := dev.DefaultQueue()
		zero := make([]int32, n)
		for _, c := range []struct {
			negative, outside []int // work-items that fault in the first node, and in the second
			want              string
		}{
			{nil, nil, ""},
			{[]int{700}, nil, "steps.Positive [700] parts.go:127:8 negative"},
			{nil, []int{900}, "steps.Pick [900] parts.go:142:20 index out of range [4096] with length 4096"},
			{[]int{700}, []int{3}, "steps.Positive [700]"},
			{[]int{4095}, []int{0, 1, 2, 64, 65, 4000}, "steps.Positive [4095]"},
			{[]int{5}, []int{2}, "steps.Positive [5]"},
			// Of one invocation, which runs several work-items, the size of a work-group apart.
			{[]int{2 + 32}, []int{2}, "steps.Positive [34]"},
			{[]int{2 + 64}, []int{2}, "steps.Positive [66]"},
			{[]int{2 + 128}, []int{2}, "steps.Positive [130]"},
			{[]int{2 + 256}, []int{2}, "steps.Positive [258]"},
			{[]int{5, 6}, []int{5, 6}, "steps.Positive"},
		} {
			for _, more := range []int{0, 4} {
				in, at := ints(n, 1), ints(n, 0)
				for _, i := range c.negative {
					in[i] = -1
				}
				for _, i := range c.outside {
					at[i] = n
				}
				a, b, table := buffer(t, dev, in), buffer(t, dev, zero), buffer(t, dev, ints(n, 10))
				list := []runtime.Command{
					stepsgen.Positive{In: a, Out: b}.Node(n),
					stepsgen.Pick{Table: table, At: buffer(t, dev, at), Out: buffer(t, dev, zero)}.Node(n),
				}
				for range more {
					list = append(list, stepsgen.Pick{Table: table, At: buffer(t, dev, zero), Out: buffer(t, dev, zero)}.Node(n))
				}
				ex := must(graphOf(t, dev, list...).Finalize(require))(t)
				for range 2 {
					err := must(q.Submit(ex))(t).Wait(ctx)
					got := ""
					if f := new(runtime.Fault); errors.As(err, &f) {
						got = fmt.Sprintf("%s %v %s %v", f.Kernel, f.GlobalID, f.Pos[strings.LastIndex(f.Pos, "/")+1:], f)
					} else if err != nil {
						t.Fatal(err)
					}
					for _, word := range strings.Fields(c.want) {
						if !strings.Contains(got, word) {
							t.Errorf("%v: got %q, want %q", c, got, c.want)
						}
					}
					if c.want == "" && got != "" {
						t.Errorf("got %q", got)
					}
				}
				// The device goes on.
				check(t, a.CopyFrom(ctx, q, ints(n, 1)))
				submit(t, q, must(graphOf(t, dev, list[0], grow(b, 1)).Finalize(require))(t))
				wantInts(t, dev, b, ints(n, 2))
			}
		}
	})
}

// TestGF35_LateFaults is TestGF35_Faults for kernels with many sites, which record a fault when an
// invocation ends. One invocation runs work-items that are the size of a work-group apart.
func TestGF35_LateFaults(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 4096
		q := dev.DefaultQueue()
		for _, apart := range []int{0, 1, 32, 64, 128, 256, 512} {
			first, second := ints(n, 0), ints(n, 0)
			second[2], first[2+apart] = -2, -3
			list := []runtime.Command{
				stepsgen.Strict{In: buffer(t, dev, first), Out: buffer(t, dev, ints(n, 0))}.Node(n),
				stepsgen.Strict{In: buffer(t, dev, second), Out: buffer(t, dev, ints(n, 0))}.Node(n),
			}
			err := must(q.Submit(must(graphOf(t, dev, list...).Finalize(require))(t)))(t).Wait(ctx)
			f := new(runtime.Fault)
			if !errors.As(err, &f) || f.Message != "three" || f.GlobalID[0] != 2+apart {
				t.Errorf("%d apart: %v", apart, err)
			}
		}
	})
}

// TestGF35_Early: what returns early in one part goes on in the next.
func TestGF35_Early(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 100
		in := ints(n, 0)
		for i := 0; i < n; i += 3 {
			in[i] = 0
		}
		a, b := buffer(t, dev, in), buffer(t, dev, slices.Repeat([]int32{7}, n))
		ex := must(graphOf(t, dev, stepsgen.Positive{In: a, Out: b}.Node(n), grow(b, 1)).Finalize(require, properties.Updatable()))(t)
		submit(t, dev.DefaultQueue(), ex)
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i) + 1
			if in[i] == 0 {
				want[i] = 8
			}
		}
		wantInts(t, dev, b, want)
	})
}

// TestGF35_SmallRange: the faults of two nodes with one kernel are those of their own node, also in
// the module that small launches have.
func TestGF35_SmallRange(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 96
		q := dev.DefaultQueue()
		zero := ints(n, 0)
		for _, at := range [][2]int{{1, 0}, {56, 22}, {95, 3}, {0, 1}} {
			first, second := ints(n, 0), ints(n, 0)
			first[at[0]], second[at[1]] = -2, -5
			list := []runtime.Command{
				stepsgen.Strict{In: buffer(t, dev, first), Out: buffer(t, dev, zero)}.Node(n),
				stepsgen.Strict{In: buffer(t, dev, second), Out: buffer(t, dev, zero)}.Node(n),
				stepsgen.Mirror{In: buffer(t, dev, zero), Out: buffer(t, dev, zero)}.Node(n), // in 64 bits, but for small launches
			}
			err := must(q.Submit(must(graphOf(t, dev, list...).Finalize(require))(t)))(t).Wait(ctx)
			f := new(runtime.Fault)
			if !errors.As(err, &f) || f.Message != "two" || f.GlobalID[0] != at[0] {
				t.Errorf("%v: %v", at, err)
			}
		}
	})
}

// TestGF35_FirstNode: of a node that is fused and one that is not, the failure is that of the one
// which comes first without fusion, though the launch of the other may come first.
func TestGF35_FirstNode(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 20000 // so many that what shares no memory is launched by itself
		q := dev.DefaultQueue()
		zero := ints(n, 0)
		first, second := ints(n, 0), ints(n, 0)
		first[7], second[9] = -1, -2
		for _, late := range []bool{false, true} { // whether the graph's last node is behind a level of others
			in, tmp, out := buffer(t, dev, second), buffer(t, dev, zero), buffer(t, dev, zero)
			between := stepsgen.Strict{In: buffer(t, dev, first), Out: buffer(t, dev, zero)}.Node(n)
			list := []runtime.Command{affine(tmp, in, 1, 0), between, stepsgen.Strict{In: tmp, Out: out}.Node(n)}
			want := "one"
			if !late {
				list[2], want = stepsgen.Strict{In: in, Out: out}.Node(n), "two"
				list[1], list[2] = list[2], list[1]
			}
			for _, props := range [][]properties.Property{nil, {enable}} {
				ex := must(graphOf(t, dev, list...).Finalize(props...))(t)
				if len(props) > 0 && len(ex.Report().Launches) != 2 {
					t.Error(ex.Report())
				}
				for _, wait := range []func(runtime.Event) error{
					func(ev runtime.Event) error { return ev.Wait(ctx) },
					func(runtime.Event) error { return q.Wait(ctx) },
				} {
					err := wait(must(q.Submit(ex))(t))
					if f := new(runtime.Fault); !errors.As(err, &f) || f.Message != want {
						t.Errorf("%v: got %v, want %q", props, err, want)
					}
					check(t, q.Wait(ctx)) // one failure is reported
				}
			}
		}
	})
}

// TestGF35_FirstPart: of two nodes that fail, the failure is that of the first, though it depends
// on others and the second, which does not, is run before it.
func TestGF35_FirstPart(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		one, two := ints(n, 0), ints(n, 0)
		one[7], two[9] = -1, -2
		mid, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, ints(n, 0))
		g := graphOf(t, dev, runtime.Copy(buffer(t, dev, ints(n, 5)), mid), stepsgen.Strict{In: buffer(t, dev, one), Out: mid}.Node(n),
			stepsgen.Strict{In: buffer(t, dev, two), Out: out}.Node(n))
		for _, props := range [][]properties.Property{nil, {enable}} {
			err := must(dev.DefaultQueue().Submit(must(g.Finalize(props...))(t)))(t).Wait(ctx)
			if f := new(runtime.Fault); !errors.As(err, &f) || f.Message != "one" {
				t.Errorf("%v: got %v, want \"one\"", props, err)
			}
		}
	})
}

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/conformance/steps/stepsgen"
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

package dsl_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl"
)

func TestGroupAlgorithms(t *testing.T) {
	for _, wg := range []int{1, 5, 8, 13, 64} {
		const groups = 3
		n := wg * groups
		type result struct{ sum, least, upTo, before, sub, subBefore, last, left, right, xor, far int }
		in, got, want := make([]int, n), make([]result, n), make([]result, n)
		for i := range in {
			in[i] = i*i%31 - 9
		}
		for i := range in {
			w := &want[i]
			lo, l := i/wg*wg, i%wg
			group := in[lo : lo+wg]
			sub := group[l/8*8 : min(l/8*8+8, wg)]
			lane := l % 8
			at := func(i int) int {
				if i < 0 || i >= len(sub) {
					return 0
				}
				return sub[i]
			}
			w.least = math.MaxInt
			for j, v := range group {
				w.sum += v
				w.least = min(w.least, v)
				if j <= l {
					w.upTo += v
				}
				if j < l {
					w.before += v
				}
			}
			w.sub, w.subBefore = math.MinInt, math.MinInt
			for j, v := range sub {
				w.sub = max(w.sub, v)
				if j < lane {
					w.subBefore = max(w.subBefore, v)
				}
			}
			w.last, w.left, w.right, w.xor = group[wg-1], at(lane+2), at(lane-1), at(lane^3)
		}
		runND(func(it dsl.NDItem1) {
			i := it.GlobalID()
			g, s, v := it.Group(), it.SubGroup(), in[i]
			r := &got[i]
			r.sum = dsl.ReduceOverGroup(g, v, dsl.Plus)
			r.least = dsl.ReduceOverGroup(g, v, dsl.Minimum)
			r.upTo = dsl.InclusiveScanOverGroup(g, v, dsl.Plus)
			r.before = dsl.ExclusiveScanOverGroup(g, v, dsl.Plus)
			r.sub = dsl.ReduceOverGroup(s, v, dsl.Maximum)
			r.subBefore = dsl.ExclusiveScanOverGroup(s, v, dsl.Maximum)
			r.last = dsl.GroupBroadcast(g, v, wg-1)
			r.left, r.right = dsl.ShiftGroupLeft(s, v, 2), dsl.ShiftGroupRight(s, v, 1)
			r.xor, r.far = dsl.PermuteGroupByXor(s, v, 3), dsl.SelectFromGroup(s, v, -1)
		}, ndLaunch([]int{n}, []int{wg}))
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("size %d, work-item %d:\ngot  %+v\nwant %+v", wg, i, got[i], want[i])
			}
		}
	}
}

// Identities are what an exclusive scan gives to the first work-item.
func TestIdentities(t *testing.T) {
	runND(func(it dsl.NDItem1) {
		g := it.Group()
		mustEqual(t, "Plus", dsl.ExclusiveScanOverGroup(g, int8(5), dsl.Plus), 0)
		mustEqual(t, "Multiplies", dsl.ExclusiveScanOverGroup(g, uint16(5), dsl.Multiplies), 1)
		mustEqual(t, "Minimum", dsl.ExclusiveScanOverGroup(g, int8(5), dsl.Minimum), math.MaxInt8)
		mustEqual(t, "Maximum", dsl.ExclusiveScanOverGroup(g, int64(5), dsl.Maximum), math.MinInt64)
		mustEqual(t, "unsigned Minimum", dsl.ExclusiveScanOverGroup(g, uint8(5), dsl.Minimum), 255)
		mustEqual(t, "unsigned Maximum", dsl.ExclusiveScanOverGroup(g, uint8(5), dsl.Maximum), 0)
		mustEqual(t, "BitAnd", dsl.ExclusiveScanOverGroup(g, uint32(5), dsl.BitAnd), math.MaxUint32)
		mustEqual(t, "BitOr", dsl.ExclusiveScanOverGroup(g, 5, dsl.BitOr), 0)
		mustEqual(t, "BitXor", dsl.ExclusiveScanOverGroup(g, 5, dsl.BitXor), 0)
		mustEqual(t, "LogicalAnd", dsl.ExclusiveScanOverGroup(g, false, dsl.LogicalAnd), true)
		mustEqual(t, "LogicalOr", dsl.ExclusiveScanOverGroup(g, true, dsl.LogicalOr), false)
		sum := dsl.ExclusiveScanOverGroup(g, math.Copysign(0, -1), dsl.Plus)
		mustEqual(t, "Plus of floats", sum == 0 && !math.Signbit(sum), true)
		mustEqual(t, "Multiplies of floats", dsl.ExclusiveScanOverGroup(g, float32(5), dsl.Multiplies), 1)
		mustEqual(t, "Minimum of floats", dsl.ExclusiveScanOverGroup(g, 5.0, dsl.Minimum), math.Inf(1))
		mustEqual(t, "Maximum of floats", dsl.ExclusiveScanOverGroup(g, 5.0, dsl.Maximum), math.Inf(-1))
	}, ndLaunch([]int{1}, []int{1}))
}

// Work-items that have left contribute nothing.
func TestGroupAlgorithmsLeavers(t *testing.T) {
	const wg = 12
	var got [wg][4]int
	runND(func(it dsl.NDItem1) {
		l, g := it.LocalID(), it.Group()
		if l == 2 {
			return
		}
		got[l][0] = dsl.ReduceOverGroup(g, 1, dsl.Plus)
		if l == 9 {
			return
		}
		got[l][1] = dsl.InclusiveScanOverGroup(it.SubGroup(), l+1, dsl.Multiplies)
		got[l][2] = dsl.GroupBroadcast(g, l, 9)
		if dsl.AllOfGroup(g, l != 2 && l != 9) {
			got[l][3] = 1
		}
	}, ndLaunch([]int{wg}, []int{wg}))
	mustEqual(t, "count", got[0][0], 11)
	mustEqual(t, "product", got[3][1], 1*2*4)
	mustEqual(t, "product in the second sub-group", got[11][1], 9*11*12)
	mustEqual(t, "broadcast from one that left", got[5][2], 0)
	mustEqual(t, "all", got[5][3], 1)
}

func TestGroupAlgorithmsDivergent(t *testing.T) {
	l := ndLaunch([]int{4}, []int{4})
	var msgs []string
	l.Panicked = func(_ [3]int, v any) { msgs = append(msgs, fmt.Sprint(v)) }
	runND(func(it dsl.NDItem1) {
		if it.LocalID() == 0 {
			it.Barrier()
		} else {
			dsl.ReduceOverGroup(it.Group(), 1, dsl.Plus)
		}
	}, l)
	if len(msgs) == 0 || !strings.Contains(msgs[0], "divergent barriers") {
		t.Errorf("got %q", msgs)
	}
}

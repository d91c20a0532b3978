package dag

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// TestOrder makes random graphs: whatever order they are run in, each command sees what it
// would see if they ran as they were added. What a command sees is the last command that wrote
// each of the memories that it uses.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	memory := make([]*stream.Memory, 4)
	for i := range memory {
		memory[i] = new(stream.Memory)
	}
	for range 2000 {
		var g Graph
		all := make([][]stream.Use, r.IntN(12))
		for i := range all {
			for range r.IntN(4) {
				lo := r.Uint64N(4)
				all[i] = append(all[i], stream.Use{Mem: memory[r.IntN(len(memory))], Lo: lo, Hi: lo + 1 + r.Uint64N(3), Access: abi.Access(1 + r.IntN(3))})
			}
			g.Add(Uses{Device: all[i]})
		}
		for range r.IntN(5) { // edges that go with those of the memory
			if from, to := r.IntN(max(len(all), 1)), r.IntN(max(len(all), 1)); from < to && !g.Connect(from, to) {
				t.Fatalf("%d → %d is refused", from, to)
			}
		}
		want := seen(all, upTo(len(all)))
		for name, order := range map[string][]int{"order": g.Order(), "sequence": g.Sequence()} {
			if got := seen(all, order); !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("%s %v: the commands see %v, want %v", name, order, got, want)
			}
		}
		if s := g.Sequence(); !slices.Equal(s, upTo(len(all))) {
			t.Fatalf("the sequence is %v", s)
		}
	}
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// seen runs the commands in an order and returns the last writer of each cell that each uses,
// and at the end those of all cells.
func seen(all [][]stream.Use, order []int) [][]int {
	type cell struct {
		m  *stream.Memory
		at uint64
	}
	out := make([][]int, len(all)+1)
	writer := map[cell]int{}
	for _, i := range order {
		for _, u := range all[i] {
			for at := u.Lo; at < u.Hi; at++ {
				out[i] = append(out[i], writer[cell{u.Mem, at}])
			}
		}
		for _, u := range all[i] {
			for at := u.Lo; at < u.Hi && u.Access&abi.Write != 0; at++ {
				writer[cell{u.Mem, at}] = i + 1
			}
		}
	}
	for _, u := range slices.Concat(all...) {
		for at := u.Lo; at < u.Hi; at++ {
			out[len(all)] = append(out[len(all)], writer[cell{u.Mem, at}])
		}
	}
	return out
}

// TestCycles: an edge that closes a cycle is refused and changes nothing.
func TestCycles(t *testing.T) {
	var g Graph
	for range 3 {
		g.Add(Uses{})
	}
	if !g.Connect(2, 0) || !g.Connect(0, 1) || g.Connect(1, 2) || g.Connect(1, 1) {
		t.Error("an edge is wrong")
	}
	if got := g.Sequence(); !slices.Equal(got, []int{2, 0, 1}) {
		t.Errorf("the sequence is %v", got)
	}
}

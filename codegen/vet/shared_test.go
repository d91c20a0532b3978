package vet

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// shared has kernels in which all work-items change one element, or store values of their own
// in one, in lines that say so, and
// others in which one does, or each an element of its own.
const shared = `package kernels

import "github.com/kgen-go/kgen/dsl"

type point struct{ X, Y float32 }

type Range struct {
	X, Sum  []float32
	Count   []int32
	Points  []point
	N, Slot int
	Best    [2]float32
}

func (k Range) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Sum[0] += k.X[i] // shared
	k.Count[k.Slot]++  // shared
	k.Points[len(k.X)-1].X *= 2 // shared
	k.Sum[1] = k.Sum[1] + k.X[i] // shared
	k.Sum[i] += 1
	k.Sum[0] = 1
	k.Best[0] += k.X[i]
	first, found := i == 0, k.X[i] == 3
	if first {
		k.Sum[0]++
	}
	for j := range k.N {
		k.Sum[j] += k.X[i] // shared
	}
	for j := 0; j < k.N; j++ {
		k.Sum[j] -= k.X[i] // shared
	}
	if k.X[i] > k.Sum[2] {
		k.Sum[2] = k.X[i] // shared
	}
	if k.X[i] == 0 && i < len(k.X) {
		k.Count[0]++ // shared
	}
	if i < 1 {
		k.Count[0]++
	}
	if k.Count[2] == int32(i) {
		k.Count[0]++
	}
	if dsl.AtomicAdd(&k.Count[1], 1) == 0 {
		k.Count[0]++
	}
	switch i {
	case 3:
		k.Count[0]++
	}
	func() { k.Count[0]++ }()
	v := k.X[i]
	k.Sum[0] = v      // stored
	k.Sum[1] = k.X[i] // stored
	k.Count[k.Slot] = int32(i) // stored
	k.Points[0].X = 2 * v      // stored
	k.Sum[0], k.Count[0] = v*v, 1 // stored
	k.Sum[0] = k.X[0]
	k.Sum[0] = float32(k.N)
	k.Sum[i] = v
	k.Best[0] = v
	if i == 3 {
		k.Sum[0] = v
	}
	if v > 3 {
		k.Count[0] = int32(i)
	}
	if k.X[0] > 3 {
		k.Count[0] = int32(i)
	}
	if k.N > 3 && i < len(k.X) {
		k.Count[0] = int32(i) // stored
	}
	if i == it.GlobalRange()-1 {
		k.Sum[0] = v
	}
	if helps(i) {
		k.Sum[0] = v
	}
	if found {
		k.Sum[0] = v
	}
	for j := range k.N {
		k.Sum[j] = v // stored
	}
	for j, y := range k.X {
		k.Sum[j] = y
	}
	far := float32(0)
	for j := range k.N {
		far += k.X[i+j]
	}
	k.Sum[0] = far // stored
	switch {
	case v > 0:
		k.Sum[0] = v
	}
	w := v
	w = k.X[0]
	k.Sum[0] = w
	least := v
	least = min(least, k.X[0])
	k.Sum[0] = least // stored
	same := dsl.Uniform(v)
	k.Sum[0] = same
	k.Sum[0] = float32(helped(i))
	func() { k.Sum[0] = v }()
	if i >= len(k.X) {
		return
	}
	k.Count[3] |= 1 // shared
	n := 0
	for k.X[n] > 0 {
		n++
	}
	k.Sum[n]++
	if i != 0 {
		return
	}
	k.Count[0]++
}

func helps(i int) bool { return i == 0 }

func helped(i int) int { return 0 }

type Groups struct{ X, Sum []float32 }

func (k Groups) Kernel(it dsl.NDItem1) {
	g := it.GroupID()
	k.Sum[g] += k.X[it.GlobalID()] // shared
	x := dsl.ReduceOverGroup(it.Group(), k.X[it.GlobalID()], dsl.Plus[float32])
	if it.LocalID() == 0 {
		k.Sum[g] += x
	}
	k.Sum[g] = x
	k.Sum[g] = k.X[it.LocalID()] // stored
	tile := dsl.Local[[64]float32](it)
	tile[it.LocalID()] = x
	it.Barrier()
	k.Sum[g] = tile[0]
	y := k.X[it.GlobalID()]
	y = dsl.GroupBroadcast(it.Group(), y, 0)
	k.Sum[g] = y
	for turn := range it.LocalRange() {
		if turn != it.LocalID() {
			continue
		}
		k.Sum[0] = k.X[it.GlobalID()]
	}
	for turn := range it.LocalRange() {
		if turn == it.LocalID() {
			k.Sum[0] += x
		}
		it.Barrier()
	}
}

type Once struct{ X, Sum []float32 }

func (k Once) Kernel(dsl.Task) {
	for _, x := range k.X {
		k.Sum[0] += x
	}
}

type host struct{ Sum []float32 }

func (k host) Kernel(i int) { k.Sum[0] += float32(i) }
`

// sharedSources returns the lines above, and the examples of kgen explain.
func sharedSources() []string {
	bad, good := diag.Example(diag.SharedElement)
	bad = strings.Replace(bad, "k.X[i]\n", "k.X[i] // shared\n", 1)
	return []string{shared, bad, good}[:sample.Of(3, 1)]
}

// TestShared compares what the analyzer reports with the lines above, and has it look at the
// examples of kgen explain.
func TestShared(t *testing.T) {
	for _, src := range sharedSources() {
		pkg := loaded(t, src)
		graph, err := checker.Analyze([]*analysis.Analyzer{sharedAnalyzer()}, []*packages.Package{pkg}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, d := range graph.Roots[0].Diagnostics {
			got = append(got, fmt.Sprint(pkg.Fset.Position(d.Pos).Line))
			if d.Category != "KG404" || !strings.Contains(d.Message, "dsl.AtomicAdd(&k.") && !strings.Contains(d.Message, "store values of their own in k.") {
				t.Errorf("%s: %s", d.Category, d.Message)
			}
		}
		for i, line := range strings.Split(src, "\n") {
			if strings.Contains(line, "// shared") || strings.Contains(line, "// stored") {
				want = append(want, fmt.Sprint(i+1))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got lines %v, want %v", got, want)
		}
	}
}

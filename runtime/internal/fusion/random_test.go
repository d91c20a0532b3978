package fusion

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/properties"
)

var graphs = flag.Int("graphs", 400, "how many random graphs TestRandom fuses")

// testKernels returns the kernels of package steps.
func testKernels(t testing.TB) map[string]*Source {
	t.Helper()
	dir, err := modules.Folder("github.com/kgen-go/kgen/internal/conformance/steps")
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := modules.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*Source{}
	for name, k := range kernels {
		out[name] = &Source{ABI: k}
	}
	return out
}

// Memory of the tests: a few buffers of numbers, the last two of floats.
const (
	numBuffers  = 6
	bufferItems = 48
	bufferBytes = 4 * bufferItems
	firstAddr   = 1 << 20
)

// chooser makes random launches.
type chooser struct {
	*rand.Rand
	kernels []*Source
	ranges  []int
	// scope is that of all memory, and internal the buffer that is said to be internal.
	scope    properties.Scope
	internal int
}

// slice returns a slice of a buffer: all of it mostly, so that launches share memory.
func (c *chooser) slice(floats bool) Slice {
	b := c.IntN(numBuffers - 2)
	if floats {
		b = numBuffers - 2 + c.IntN(2)
	}
	s := Slice{Mem: b, Lo: 0, Hi: bufferBytes, Len: bufferItems}
	if c.IntN(30) == 0 {
		at, n := 8*c.IntN(4), 8*c.IntN(3)
		if s = (Slice{Mem: b, Lo: uint64(4 * at), Hi: uint64(4 * (at + n)), Len: n}); n == 0 {
			s = Slice{}
		}
	}
	return s
}

// launch returns a launch of a random kernel.
func (c *chooser) launch() *Launch {
	k := c.kernels[c.IntN(len(c.kernels))]
	l := &Launch{Source: k, Args: make([]byte, k.ABI.ArgSize), Slices: make([]Slice, len(k.ABI.Params)), Memory: make([]Memory, len(k.ABI.Params)), Specs: map[uint32]uint64{}, Properties: k.ABI.Properties}
	le := binary.LittleEndian
	n := c.ranges[c.IntN(len(c.ranges))]
	w := 8
	switch k.ABI.Rank {
	case 1:
		l.Global = [3]int{n}
		if k.ABI.Name == "Pairs" {
			l.Global[0] = n / 2
		}
	case 2:
		l.Global = [3]int{n / w, w}
	case 3:
		l.Global = [3]int{n / w, 2, w / 2}
	}
	if k.ABI.Form == abi.NDRange {
		if l.Local = [3]int{4}; k.ABI.Rank == 2 {
			l.Local = [3]int{1, 4}
		}
	}
	if c.scope == properties.ScopeWorkGroup && k.ABI.Form == abi.Range && !l.Properties.Has(properties.KeyWorkGroupSize) {
		l.Properties = append(properties.List{properties.WorkGroupSize(8)}, l.Properties...)
	}
	for i, p := range k.ABI.Params {
		if !slices.Contains([]string{"Mirror", "Blur", "Pick"}, k.ABI.Name) { // whose work-items use any element
			l.Memory[i].View = c.scope
		}
		if p.Offset < 0 {
			continue
		}
		at := l.Args[p.Offset:]
		switch {
		case p.Kind == abi.Slice:
			s := c.slice(p.Type == "[]float32")
			if l.Slices[i] = s; s.Mem != nil {
				l.Memory[i].Internal, l.Memory[i].NoInit = s.Mem == c.internal, s.Mem == c.internal
				le.PutUint64(at, uint64(firstAddr+1024*s.Mem.(int))+s.Lo)
				le.PutUint64(at[8:], uint64(s.Len))
			}
		case p.Name == "W":
			if k.ABI.Rank == 3 {
				w /= 2
			}
			if c.IntN(20) == 0 {
				w++ // rows of another length than the range's
			}
			le.PutUint64(at, uint64(w))
		case p.Name == "H":
			le.PutUint64(at, 2)
		default:
			for j := 0; j < p.Size; j += 4 {
				le.PutUint32(at[j:], uint32(c.IntN(8)-1))
			}
		}
	}
	for _, s := range k.ABI.Specs {
		l.Specs[s.ID] = uint64(1 + c.IntN(4))
	}
	if k.ABI.Name == "Quit" {
		l.Specs[abi.SpecAccessor] = uint64(3 + c.IntN(6)) // 3 are too few
	}
	return l
}

// races reports whether work-items of the launch use what others write: what comes of that is up
// to the order in which they run.
func (l *Launch) races() bool {
	l.Source.read()
	for i := range l.Slices {
		for j := range l.Slices[:i] {
			if l.clash(j, l, i, false) != "" {
				return true
			}
		}
	}
	return false
}

// memory returns random numbers.
func (c *chooser) memory() []interp.Region {
	var out []interp.Region
	for b := range numBuffers {
		r := interp.Region{Addr: uint64(firstAddr + 1024*b), Data: make([]byte, bufferBytes)}
		rare := c.IntN(3) == 0 // what makes kernels fault
		for i := range bufferItems {
			if b == c.internal {
				break // it is zero when a run begins
			}
			x := uint32(c.IntN(40))
			if rare && c.IntN(12) == 0 {
				x = uint32(c.IntN(60) - 8)
			}
			if b >= numBuffers-2 {
				x = math.Float32bits(float32(c.IntN(1000)) / 64)
			}
			binary.LittleEndian.PutUint32(r.Data[4*i:], x)
		}
		out = append(out, r)
	}
	return out
}

// run runs a module over a range in index order.
func run(m *ir.Module, rank int, global, local [3]int, args []byte, specs map[uint32]uint64, memory []interp.Region) (interp.Result, error) {
	l := interp.Launch{Global: [3]uint32{1, 1, 1}, Local: [3]uint32{1, 1, 1}, Args: args, Specs: specs, Memory: memory}
	for i := range rank {
		l.Global[i], l.Local[i] = uint32(global[rank-1-i]), uint32(max(1, local[rank-1-i]))
	}
	if m.Form == abi.Range {
		l.Local = [3]uint32{4, 1, 1}
	}
	return interp.Run(m, l)
}

// describe prints a group and its memory, to reproduce a failure.
func describe(g *Group) string {
	var b strings.Builder
	for _, l := range g.Launches {
		fmt.Fprintf(&b, "%s %s %v %v\n", l.Name(), l.extent(), l.Slices, l.Specs)
	}
	return b.String()
}

// TestRandom: random launches leave the same memory, and the same first fault, one by one and as
// the one kernel that Group makes of those that it does not refuse.
func TestRandom(t *testing.T) {
	all := testKernels(t)
	c := &chooser{Rand: rand.New(rand.NewPCG(1, uint64(*graphs)))}
	for _, name := range []string{"Affine", "Affine", "Affine", "Grow", "Grow", "Grow", "Sum", "Sum", "Product", "Product", "Mirror", "Blur", "Ids1", "Ids2", "Ids3", "Eight", "Times", "Digits",
		"Positive", "Pick", "MulF", "AddF", "Many", "Pairs", "Total", "Strict", "Groups", "Groups2", "Tree", "Quit", "Scan", "Rotate", "Tree", "Quit", "Scan", "Turn", "Swap"} {
		c.kernels = append(c.kernels, all[name])
	}
	fused, faulted, refused, late, meet, kept := 0, 0, 0, 0, 0, 0
	for n := range *graphs {
		c.ranges = [][]int{{48}, {48}, {16}, {40, 48}, {8, 16, 48}}[c.IntN(5)]
		g := &Group{Required: true, LocalMemory: 1 << 15, Barriers: c.IntN(5) == 0}
		c.scope, c.internal = properties.ScopeWorkItem, c.IntN(2*numBuffers)
		if g.Barriers {
			c.scope = properties.ScopeWorkGroup
		}
		want := 2 + c.IntN(5)
		for tries := 0; len(g.Launches) < want && tries < 60; tries++ {
			l := c.launch()
			if l.races() {
				continue
			}
			if len(g.Launches) == 0 {
				if l.Alone() == "" {
					g.Add(l)
				}
			} else if g.Refuses(l) == "" {
				g.Add(l)
			} else {
				refused++
			}
		}
		if len(g.Launches) < 2 {
			continue
		}
		names, _ := g.Internalize(func(Slice) bool { return false })
		kept += len(names)
		memory := c.memory()
		fault, writers := g.sequentially(t, memory)
		linked, err := g.link()
		if err != nil {
			t.Fatal(err)
		}
		f := &Fused{ABI: &abi.Kernel{Params: linked.Module.Params, ArgSize: linked.Module.ArgSize}, Origins: linked.Origins}
		_, rank, global, local := g.Range(func(int) int { return 8 })
		legal := linked.Module.Clone()
		if _, diags := pass.RunFrom(g.linkPoint(), legal, ir.Target{}, nil); len(diags) > 0 {
			t.Fatal(diags)
		}
		for _, m := range []*ir.Module{linked.Module, legal} {
			got, err := run(m, rank, global, local, f.Args(g), nil, memory)
			if err != nil {
				t.Fatalf("graph %d: %v\n%s%v", n, err, describe(g), m)
			}
			if a, b := fmt.Sprint(fault.first), fmt.Sprint(got.Fault); a != b && (m != legal || fault.first == nil || got.Fault == nil || fault.part != got.Fault.Site.Part) {
				t.Fatalf("graph %d: fault %s, want %s\n%s%v", n, b, a, describe(g), m) // of the part's faults, others may come first
			}
			for i, r := range got.Memory {
				if len(names) > 0 && i == c.internal {
					fault.memory[i] = memory[i]
				} else if fault.first != nil && writers[i] >= fault.part {
					continue // what a faulted graph leaves of it is unspecified
				}
				if !bytes.Equal(r.Data, fault.memory[i].Data) {
					t.Fatalf("graph %d, buffer %d: got %v, want %v\n%s%v", n, i, r.Data, fault.memory[i].Data, describe(g), m)
				}
			}
		}
		fused++
		if g.linkPoint() == pass.LateLinkPoint {
			late++
		}
		if g.Barriers {
			meet++
		}
		if fault.first != nil {
			faulted++
		}
	}
	t.Logf("%d of %d graphs were fused, of which %d had faults %d kernels with barriers, %d barriers between, and %d internal memory; %d launches were refused", fused, *graphs, faulted, late, meet, kept, refused)
	if fused < *graphs*3/4 || late < fused/20 || meet < fused/20 || kept < fused/20 || faulted < fused/10 || faulted > fused/2 {
		t.Errorf("%d of %d graphs were fused, of which %d had faults: the test shows little", fused, *graphs, faulted)
	}
}

// alone returns a kernel's module as the interpreter runs it by itself: where there are barriers,
// with the dead lanes of work-items that return before.
func alone(t *testing.T, s *Source) *ir.Module {
	t.Helper()
	if !s.module.UsesGroup {
		return s.module
	}
	m := s.module.Clone()
	if diags := pass.ForLateLink(m); len(diags) > 0 {
		t.Fatal(diags)
	}
	return m
}

// outcome is what a group's launches leave one by one.
type outcome struct {
	memory []interp.Region
	first  *interp.Fault
	part   int // that has the first fault
}

// sequentially runs the launches one by one, and returns also which was the last to write each
// buffer.
func (g *Group) sequentially(t *testing.T, memory []interp.Region) (out outcome, writers []int) {
	t.Helper()
	out.memory, writers = memory, make([]int, len(memory))
	for i := range writers {
		writers[i] = -1
	}
	for n, l := range g.Launches {
		r, err := run(alone(t, l.Source), l.Source.ABI.Rank, l.Global, l.Local, l.Args, l.Specs, out.memory)
		if err != nil {
			t.Fatalf("%v\n%s", err, describe(g))
		}
		if out.memory = r.Memory; out.first == nil && r.Fault != nil {
			out.first, out.part = r.Fault, n
		}
		for i, s := range l.Slices {
			if s.Mem != nil && l.Source.prints[i].Access&abi.Write != 0 {
				writers[s.Mem.(int)] = n
			}
		}
	}
	return out, writers
}

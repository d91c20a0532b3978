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
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
	"github.com/kgen-go/kgen/properties"
)

var (
	graphs      = flag.Int("graphs", 400, "how many random graphs TestRandom fuses")
	everyModule = flag.Bool("every-module", false, "have spirv-val look at the modules of all graphs, and not of some")
)

// testKernels returns the kernels of package steps.
func testKernels(t testing.TB) map[string]*Source {
	t.Helper()
	dir, err := modules.Folder("github.com/kgen-go/kgen/internal/tests/conformance/steps")
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
	dataAddr    = 1 << 24 // of tables
)

// chooser makes random launches.
type chooser struct {
	*rand.Rand
	kernels []*Source
	ranges  []int
	// scope is that of all memory, and internal the buffer that is said to be internal.
	scope    properties.Scope
	internal int
	// groupSize is that of launches over ranges, or 0 for none, and tile that of nd-ranges.
	groupSize int
	tile      [3]int
	meet      bool // the graph has barriers
}

// randomKernels returns the kernels that graphs are made of, by the names of their types: those of
// package steps, two with tables in memory, and two in the mode FloatFast, which no other test has.
func randomKernels(t *testing.T) map[string]*Source {
	t.Helper()
	all := testKernels(t)
	for _, name := range []string{"MulF", "AddF"} {
		k := *all[name].ABI
		k.IR, k.Sum = strings.Replace(k.IR, "\nkernel ", "\nfloat FloatFast\n\nkernel ", 1), 0
		k.Properties = append(slices.Clone(k.Properties), properties.Float(properties.FloatFast))
		all["Fast"+name] = &Source{ABI: &k}
	}
	dir, err := modules.Folder(modules.Module + "/internal/tests/difftest/tables")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := modules.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CRC", "Tables"} {
		if all[name] = (&Source{ABI: tables[name]}); tables[name].Data == "" {
			t.Fatalf("%s has no table in memory", name)
		}
	}
	return all
}

// Of the kernels that random graphs are made of: all over ranges and nd-ranges, and those that are
// rare among them, of which every few graphs are made alone.
var (
	manyKernels = []string{"Affine", "Affine", "Affine", "Grow", "Grow", "Grow", "Sum", "Sum", "Product", "Product", "Mirror", "Blur", "Ids1", "Ids2", "Ids3", "Eight", "Times", "Digits",
		"Positive", "Pick", "MulF", "AddF", "ExactF", "Many", "Pairs", "Total", "Strict", "Groups", "Groups2", "Tree", "Quit", "Scan", "Rotate", "Tree", "Quit", "Scan", "Turn", "Swap", "Swap", "Turn", "Deal", "Flip"}
	rareKernels = [][]string{
		{"MulF", "AddF", "ExactF", "FastMulF", "FastAddF"},
		{"Total", "Total", "Affine", "Grow", "Once"},
		{"CRC", "CRC", "Tables", "Tables", "Grow"},
		{"Once", "Once", "Once", "Total"},
	}
	// Those whose work-items use elements of others of their work-group, of one form each.
	groupKernels = [][]string{
		{"Swap", "Swap", "Affine", "Grow"},
		{"Turn", "Scan", "Tree"},
		{"Deal"},
		{"Flip", "Flip", "Groups2"},
	}
)

// slice returns a slice of a buffer, of elements of a size: all of it mostly, so that launches share
// memory.
func (c *chooser) slice(floats bool, size int) Slice {
	b := c.IntN(numBuffers - 2)
	if floats {
		b = numBuffers - 2 + c.IntN(2)
	}
	if size == 8 {
		return Slice{Mem: b, Hi: bufferBytes, Len: bufferItems / 2}
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
		switch {
		case k.ABI.Name == "Pairs" || k.ABI.Name == "Deal":
			l.Global[0] = n / 2
		case k.ABI.Data != "":
			l.Global[0] = 4 // which have several elements of 8 bytes each
		}
	case 2:
		l.Global = [3]int{n / w, w}
	case 3:
		l.Global = [3]int{n / w, 2, w / 2}
	}
	if k.ABI.Form == abi.NDRange {
		if l.Local = [3]int{4}; k.ABI.Rank == 2 {
			if l.Local = c.tile; l.Global[0]%c.tile[0] != 0 {
				l.Local[0] = 1
			}
		}
	}
	if c.groupSize > 0 && k.ABI.Form == abi.Range && !l.Properties.Has(properties.KeyWorkGroupSize) {
		l.Properties = append(properties.List{properties.WorkGroupSize(c.groupSize)}, l.Properties...)
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
			s := c.slice(p.Type == "[]float32", p.ElemSize)
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
	l.Source.readIR()
	for i := range l.Slices {
		for j := range l.Slices[:i] {
			if l.overlapConflict(j, l, i, false) != "" {
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
	if len(m.Data) == 0 {
		return interp.Run(m, l)
	}
	l.Args = slices.Clone(args)
	binary.LittleEndian.PutUint64(l.Args[m.DataOffset:], dataAddr)
	l.Memory = append(slices.Clone(memory), interp.Region{Addr: dataAddr, Data: m.Data})
	r, err := interp.Run(m, l)
	if err == nil {
		r.Memory = r.Memory[:len(memory)]
	}
	return r, err
}

// describe prints a group and its memory, to reproduce a failure.
func describe(g *Group) string {
	var b strings.Builder
	for _, l := range g.Launches {
		fmt.Fprintf(&b, "%s %s %v %v\n", l.Name(), l.rangeText(), l.Slices, l.Specs)
	}
	return b.String()
}

// tally counts what TestRandom comes across.
type tally struct {
	fused, faulted, refused, late, meet, proved, kept, split, moved, valid int
	modes, atomics, tasks, tables                                          int
}

// TestRandom: random launches leave the same memory, and the same first fault, one by one and as
// the kernels that Group makes of those that it does not refuse: one, or several where it does.
func TestRandom(t *testing.T) {
	total := sample.Of(*graphs, *graphs/4)
	all := randomKernels(t)
	c := &chooser{Rand: rand.New(rand.NewPCG(1, uint64(total)))}
	var n tally
	for graph := range total {
		names := manyKernels
		c.meet = false
		switch c.IntN(12) {
		case 0, 1:
			names = rareKernels[c.IntN(len(rareKernels))]
		case 2:
			names, c.meet = groupKernels[c.IntN(len(groupKernels))], true
		}
		c.kernels = nil
		for _, name := range names {
			c.kernels = append(c.kernels, all[name])
		}
		c.ranges = [][]int{{48}, {48}, {16}, {40, 48}, {8, 16, 48}}[c.IntN(5)]
		groups := c.groups(&n)
		memory := c.memory()
		for at, g := range groups {
			var ok bool
			if memory, ok = c.compare(t, graph, g, others(groups, at), memory, &n); !ok {
				break // what a graph leaves behind a fault is unspecified
			}
		}
		if len(groups) > 1 {
			n.split++
		}
	}
	t.Logf("%d graphs: %d kernels were fused, of which %d had faults, %d kernels with barriers, %d barriers between, %d by proofs, %d internal memory, and %d another order; %d launches were refused, %d graphs split", total, n.fused, n.faulted, n.late, n.meet, n.proved, n.kept, n.moved, n.refused, n.split)
	t.Logf("refused: %d for their modes, %d for atomics; fused: %d tasks, %d tables; spirv-val has looked at %d modules", n.modes, n.atomics, n.tasks, n.tables, n.valid)
	few := n.fused / 20
	if n.fused < total*3/4 || n.late < few || n.meet < few || n.proved < few/4 || n.kept < few || n.moved < few || n.split < total/20 || n.faulted < n.fused/15 || n.faulted > n.fused/2 {
		t.Error("the test shows little")
	}
	if few = total / 400; n.modes < few || n.atomics < few || n.tasks < few || n.tables < few {
		t.Error("the test shows little of what is rare")
	}
}

// groups returns random launches, none of which races with itself, in groups: a launch that is
// refused begins another one.
func (c *chooser) groups(n *tally) (groups []*Group) {
	barriers, required, oneLoop := c.meet || c.IntN(6) == 0, c.IntN(4) > 0, c.IntN(8) == 0
	c.scope, c.internal, c.groupSize = properties.ScopeWorkItem, c.IntN(2*numBuffers), 0
	c.tile = [3]int{1 + c.IntN(2), 4}
	if barriers {
		c.scope, c.groupSize = properties.ScopeWorkGroup, 8
		if c.IntN(2) == 0 { // where nothing is said, it has to be proved
			c.scope, c.groupSize = properties.ScopeNone, []int{3, 4, 6, 8}[c.IntN(4)]
		}
	}
	want := 2 + c.IntN(5)
	for tries, made := 0, 0; made < want && tries < 60; tries++ {
		l := c.launch()
		if l.races() {
			continue
		}
		if len(groups) > 0 {
			g := groups[len(groups)-1]
			reason := g.Refuses(l)
			if reason == "" {
				g.Add(l)
				made++
				continue
			}
			n.refused++
			switch {
			case strings.Contains(reason, "has Float"):
				n.modes++
			case strings.Contains(reason, "atomic"):
				n.atomics++
			}
			if c.IntN(3) > 0 {
				continue // more become one than if all begin another one
			}
		}
		g := &Group{Required: required, OneLoop: oneLoop, LocalMemory: 1 << 15, Barriers: barriers}
		g.Add(l)
		groups = append(groups, g)
		made++
	}
	return groups
}

// others returns a function that names a launch of a group other than the one at an index that uses
// memory.
func others(groups []*Group, at int) func(Slice) string {
	return func(s Slice) string {
		for i, g := range groups {
			for _, l := range g.Launches {
				if i != at && slices.ContainsFunc(l.Slices, func(t Slice) bool { return t.overlapsWith(&s) }) {
					return l.Name()
				}
			}
		}
		return ""
	}
}

// unlike returns why launches of the group should have been refused, or "": Refuses finds it by the
// kernels' code, and this by their names and arguments.
func (g *Group) unlike() string {
	for i, l := range g.Launches {
		for _, o := range g.Launches[:i] {
			a, _ := o.Properties.Get(properties.KeyFloatMode)
			b, _ := l.Properties.Get(properties.KeyFloatMode)
			switch {
			case fmt.Sprint(a) != fmt.Sprint(b):
				return fmt.Sprintf("%v and %v", a, b)
			case o.Source.ABI.Form != l.Source.ABI.Form:
				return "different forms"
			}
			for _, x := range [][2]*Launch{{o, l}, {l, o}} {
				sum := len(x[0].Slices) - 1
				if x[0].Source.ABI.Name == "Total" && slices.ContainsFunc(x[1].Slices, func(s Slice) bool { return s.overlapsWith(&x[0].Slices[sum]) }) {
					return "a sum that others use"
				}
			}
		}
	}
	return ""
}

// reordered returns a group of the same launches in another order in which each comes after those
// whose memory it depends on, and whether there is one.
func (c *chooser) reordered(t *testing.T, g *Group) (*Group, bool) {
	t.Helper()
	out := &Group{Required: g.Required, OneLoop: g.OneLoop, LocalMemory: g.LocalMemory, Barriers: g.Barriers}
	left := slices.Clone(g.Launches)
	moved := false
	for len(left) > 0 {
		var ready []int
		for i, l := range left {
			if !slices.ContainsFunc(left[:i], func(o *Launch) bool { return o.before(l) }) {
				ready = append(ready, i)
			}
		}
		at := ready[c.IntN(len(ready))]
		moved = moved || at > 0
		if l := left[at]; len(out.Launches) > 0 && out.Refuses(l) != "" {
			if g.Required {
				t.Fatalf("in another order: %s\n%s", out.Refuses(l), describe(g))
			}
			return g, false // it shares no memory with those that come before it now
		}
		out.Add(left[at])
		left = slices.Delete(left, at, at+1)
	}
	return out, moved
}

// before reports whether o has to run behind l, which comes before it.
func (l *Launch) before(o *Launch) bool {
	for i := range l.Slices {
		for j := range o.Slices {
			a, b := l.Source.paramUses[i].Access, o.Source.paramUses[j].Access
			if (a|b)&abi.Write != 0 && l.Slices[i].overlapsWith(&o.Slices[j]) {
				return true
			}
		}
	}
	return false
}

// compare runs a group's launches one by one, and as one kernel. It returns what they leave, and
// whether none had a fault.
func (c *chooser) compare(t *testing.T, graph int, g *Group, outside func(Slice) string, memory []interp.Region, n *tally) (out []interp.Region, ok bool) {
	t.Helper()
	want, writers := g.sequentially(t, memory)
	if len(g.Launches) < 2 {
		return want.memory, want.first == nil
	}
	if reason := g.unlike(); reason != "" {
		t.Fatalf("graph %d is fused, with %s\n%s", graph, reason, describe(g))
	}
	if h, moved := c.reordered(t, g); moved {
		n.moved++
		if g = h; want.first != nil {
			want, writers = g.sequentially(t, memory) // whose first fault may be another one
		}
	}
	names, _ := g.Internalize(outside)
	n.kept += len(names)
	linked, err := g.linkModules()
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
			t.Fatalf("graph %d: %v\n%s%v", graph, err, describe(g), m)
		}
		if a, b := fmt.Sprint(want.first), fmt.Sprint(got.Fault); a != b && (m != legal || want.first == nil || got.Fault == nil || want.part != got.Fault.Site.Part) {
			t.Fatalf("graph %d: fault %s, want %s\n%s%v", graph, b, a, describe(g), m) // of the part's faults, others may come first
		}
		for i, r := range got.Memory {
			if len(names) > 0 && i == c.internal {
				want.memory[i] = memory[i]
			} else if want.first != nil && writers[i] >= want.part {
				continue // its contents after a faulted graph are unspecified
			}
			if !bytes.Equal(r.Data, want.memory[i].Data) {
				t.Fatalf("graph %d, buffer %d: got %v, want %v\n%s%v", graph, i, r.Data, want.memory[i].Data, describe(g), m)
			}
		}
	}
	n.count(g, want.first != nil)
	if *everyModule || n.fused%40 == 0 {
		t.Run(fmt.Sprint("modules of graph ", graph), func(t *testing.T) { n.valid += g.validate(t) }) // which may be skipped
	}
	return want.memory, want.first == nil
}

// count counts a group that was fused.
func (n *tally) count(g *Group, faulted bool) {
	n.fused++
	if g.linkPoint() == pass.LateLinkPoint {
		n.late++
	}
	if g.Barriers {
		n.meet++
	}
	if g.provesGroups() {
		n.proved++
	}
	if faulted {
		n.faulted++
	}
	tables := map[string]bool{}
	for _, l := range g.Launches {
		if d := l.Source.ABI.Data; d != "" {
			tables[d] = true
		}
	}
	if len(tables) > 1 {
		n.tables++
	}
	if g.Launches[0].Source.ABI.Form == abi.Task {
		n.tasks++
	}
}

// provesGroups reports whether a work-item of the group uses what others of its work-group write, in
// memory of which nothing is said.
func (g *Group) provesGroups() bool {
	for k, l := range g.Launches {
		for _, o := range g.Launches[:k] {
			for i := range l.Slices {
				for j := range o.Slices {
					if !l.Memory[i].isGroupScope() && o.overlapConflict(j, l, i, false) != "" {
						return true
					}
				}
			}
		}
	}
	return false
}

// validate has spirv-val look at the modules of the group's kernel, and returns how many there are.
func (g *Group) validate(t *testing.T) int {
	t.Helper()
	f, err := g.linkKernel()
	if err != nil {
		t.Fatalf("%v\n%s", err, describe(g))
	}
	list := []string{f.ABI.SPIRV}
	for _, v := range f.ABI.Variants {
		list = append(list, v.SPIRV)
	}
	for _, text := range list {
		words := make([]uint32, len(text)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32([]byte(text[4*i:]))
		}
		if msg := spirvtools.Invalid(t, words); msg != "" {
			t.Errorf("spirv-val: %s\n%s", msg, describe(g))
		}
	}
	return len(list)
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
			if s.Mem != nil && l.Source.paramUses[i].Access&abi.Write != 0 {
				writers[s.Mem.(int)] = n
			}
		}
	}
	return out, writers
}

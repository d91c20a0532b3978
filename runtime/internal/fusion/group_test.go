package fusion

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
)

// TestRefuses: limits of what is fused, each with a launch that is within and one that is not.
func TestRefuses(t *testing.T) {
	k := testKernels(t)
	many := func(n int) func(g *Group) {
		return func(g *Group) {
			for range n {
				g.Add(launchOf(k["Grow"], 0))
			}
		}
	}
	grow := func(change func(l *Launch)) *Launch {
		l := launchOf(k["Grow"], 0)
		change(l)
		return l
	}
	over := func(n int) *Launch {
		return grow(func(l *Launch) { l.Global = [3]int{n} })
	}
	square := func(buffer int, sides ...int) *Launch {
		l := launchOf(k["Ids2"], buffer, buffer+1)
		l.Global, l.Properties = [3]int{sides[0], sides[1]}, properties.List{properties.WorkGroupSize(2, 4)}
		return l
	}
	once := launchOf(k["Once"], 0)
	for _, c := range []struct {
		name string
		g    Group
		fill func(g *Group)
		l    *Launch
		want string
	}{
		{"32 kernels", Group{Required: true}, many(31), over(48), ""},
		{"33 kernels", Group{Required: true}, many(32), over(48), "no more than 32 kernels become one"},
		{"two tasks", Group{Required: true}, func(g *Group) { g.Add(once) }, once, ""},
		{"tasks with barriers", Group{Required: true, Barriers: true}, func(g *Group) { g.Add(once) }, once, "a task has no work-group whose work-items could meet"},
		{"as many items as can be counted", Group{Required: true}, many(1), over(abi.MaxRange), ""},
		{"more items", Group{Required: true}, many(1), over(abi.MaxRange + 1), "which are too many to count"},
		{"more items of both", Group{Required: true}, func(g *Group) { g.Add(over(abi.MaxRange + 1)) }, over(abi.MaxRange + 1), ""},
		{"groups of two dimensions", Group{Required: true}, func(g *Group) { g.Add(square(0, 6, 8)) }, square(2, 6, 8), ""},
		{"groups of two dimensions over other ranges", Group{Required: true}, func(g *Group) { g.Add(square(0, 6, 8)) }, square(2, 8, 6), "WorkGroupSize(2, 4), and is fused by linear ids"},
	} {
		g := c.g
		c.fill(&g)
		if got := g.Refuses(c.l); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	// Without need no kernel becomes too large.
	for _, required := range []bool{false, true} {
		g := &Group{Required: required}
		large := launchOf(k["Many"], 0)
		n, size := 0, 0
		for ; n < maxParts && g.accepts(large); n++ {
			size += k["Many"].valueCount()
			g.Add(large)
		}
		want := maxParts
		if !required {
			want = min(want, maxValues/k["Many"].valueCount())
		}
		if n != want || !required && (size > maxValues || n == maxParts) {
			t.Errorf("required: %v: %d large kernels of %d values become one, want %d", required, n, k["Many"].valueCount(), want)
		}
	}
}

// accepts reports whether the group takes a launch.
func (g *Group) accepts(l *Launch) bool {
	return len(g.Launches) == 0 && l.Alone() == "" || len(g.Launches) > 0 && g.Refuses(l) == ""
}

// TestGF14_Properties: the aspects of the fused kernel are those of all parts.
func TestGF14_Properties(t *testing.T) {
	a, b := properties.DeviceHas(properties.FP64, properties.Int64), properties.DeviceHas(properties.FP64, properties.Int8)
	for _, c := range []struct{ a, b, want properties.List }{
		{properties.List{a}, properties.List{b}, properties.List{properties.DeviceHas(properties.FP64, properties.Int64, properties.Int8)}},
		{nil, properties.List{b}, properties.List{b}},
		{properties.List{a}, nil, properties.List{a}},
	} {
		got, conflict := mergeProperties(c.a, c.b)
		if conflict != "" || len(got) != 1 || len(got[0].Aspects()) != len(c.want[0].Aspects()) {
			t.Errorf("%v and %v: got %v, %q, want %v", c.a, c.b, got, conflict, c.want)
			continue
		}
		for _, x := range c.want[0].Aspects() {
			found := false
			for _, y := range got[0].Aspects() {
				found = found || x == y
			}
			if !found {
				t.Errorf("%v and %v: %v lacks %v", c.a, c.b, got, x)
			}
		}
	}
}

// TestInside: what keeps memory from being internal, by uses that say it is to be.
func TestInside(t *testing.T) {
	k := testKernels(t)
	item := Memory{View: properties.ScopeWorkItem, Internal: true, NoInit: true}
	group := Memory{View: properties.ScopeWorkGroup, Internal: true, NoInit: true}
	// unused is Affine, to which In means nothing.
	unused := &Source{ABI: k["Affine"].ABI}
	unused.readIR()
	prints := slices.Clone(unused.paramUses)
	prints[2].Access, prints[2].Reach = 0, abi.ReachNone
	unused.paramUses = prints
	with := func(m Memory, l *Launch, params ...int) *Launch {
		for _, p := range params {
			l.Memory[p] = m
		}
		return l
	}
	tmp := Slice{Mem: 1, Hi: 192, Len: 48}
	part := func(change func(s *Slice)) *Launch {
		l := with(item, launchOf(unused, 1, 2), 2)
		change(&l.Slices[2])
		return l
	}
	writes := func() *Launch { return with(item, launchOf(k["Affine"], 0, 1), 3) }
	turn := func(in, out int, p int) *Launch {
		l := with(group, launchOf(k["Turn"], in, out), p)
		l.Local = [3]int{8}
		return l
	}
	owns := func(l *Launch, bytes uint64) *Launch {
		l.LocalMemory = bytes
		return l
	}
	large := with(item, launchOf(k["Pairs"], 1, 2), 0)
	wide := &Source{ABI: k["Pairs"].ABI}
	wide.readIR()
	for _, perItem := range []int64{maxOwnBytes / 4, maxOwnBytes/4 + 1} {
		p := slices.Clone(wide.paramUses)
		p[0].PerItem, p[0].Access = perItem, abi.ReadWrite
		w := &Source{ABI: wide.ABI, module: wide.module, paramUses: p, accessPositions: wide.accessPositions}
		w.once.Do(func() {})
		l := *large
		l.Source = w
		g := &Group{Required: true, Launches: []*Launch{&l}}
		want := ""
		if perItem > maxOwnBytes/4 {
			want = "260 bytes in each work-item are too many"
		}
		if _, got := g.internalFor(tmp); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%d elements: got %q, want %q", perItem, got, want)
		}
	}
	for _, c := range []struct {
		name     string
		launches []*Launch
		local    uint64
		want     string
	}{
		{"the same", []*Launch{writes(), part(func(*Slice) {})}, 0, ""},
		{"from another element on", []*Launch{writes(), part(func(s *Slice) { s.Lo, s.Len = 4, 47 })}, 0, "steps.Affine uses another part of it"},
		{"up to another element", []*Launch{writes(), part(func(s *Slice) { s.Hi, s.Len = 188, 47 })}, 0, "steps.Affine uses another part of it"},
		{"of other elements", []*Launch{writes(), part(func(s *Slice) { s.Len = 24 })}, 0, "steps.Affine uses another part of it"},
		{"nobody writes it", []*Launch{with(item, launchOf(k["Affine"], 1, 2), 2)}, 0, "no kernel writes it"},
		{"shared", []*Launch{turn(0, 1, 1), turn(1, 2, 0)}, 32, ""},
		{"shared, and no room", []*Launch{turn(0, 1, 1), turn(1, 2, 0)}, 31, "has no room for 32 more"},
		{"shared, beside a kernel's own", []*Launch{turn(0, 1, 1), owns(turn(1, 2, 0), 100)}, 132, ""},
		{"shared, and no room beside a kernel's own", []*Launch{turn(0, 1, 1), owns(turn(1, 2, 0), 100)}, 131, "has no room for 32 more"},
	} {
		g := &Group{Required: true, LocalMemory: c.local, Barriers: strings.HasPrefix(c.name, "shared")}
		for _, l := range c.launches {
			l.Source.readIR()
			g.Add(l)
		}
		if _, got := g.internalFor(tmp); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestInternalRoom: shared memory that is internal already takes room, and so do the kernels' own
// variables.
func TestInternalRoom(t *testing.T) {
	k := testKernels(t)
	group := Memory{View: properties.ScopeWorkGroup, Internal: true, NoInit: true}
	for _, c := range []struct {
		local uint64
		want  []string
	}{
		{31 + 40, nil},
		{32 + 40, []string{"steps.Turn.Out"}},
		{63 + 40, []string{"steps.Turn.Out"}},
		{64 + 40, []string{"steps.Turn.Out", "steps.Turn.Out"}},
		{95 + 40, []string{"steps.Turn.Out", "steps.Turn.Out"}},
		{96 + 40, []string{"steps.Turn.Out", "steps.Turn.Out", "steps.Turn.Out"}},
	} {
		g := &Group{Required: true, LocalMemory: c.local, Barriers: true}
		for i := range 4 { // from 0 by way of 1, 2 and 3 to 4
			l := launchOf(k["Turn"], i, i+1)
			l.Local, l.LocalMemory = [3]int{8}, 10
			if i > 0 {
				l.Memory[0] = group
			}
			if i < 3 {
				l.Memory[1] = group
			}
			l.Source.readIR()
			g.Add(l)
		}
		got, not := g.Internalize(func(Slice) string { return "" })
		if !slices.Equal(got, c.want) || len(got)+len(not) != 3 {
			t.Errorf("of %d bytes: %v is internal, and not %v; want %v", c.local, got, not, c.want)
		}
	}
}

// TestOtherFile: a kernel of which a file is not the one that its stubs were written with becomes
// part of no other: its IR may be that of another kernel.
func TestOtherFile(t *testing.T) {
	k := testKernels(t)
	for _, other := range []bool{false, true} {
		a := *k["Grow"].ABI
		a.Sum = abi.Sum(a.SPIRV, a.Data, a.IR)
		if other {
			a.IR = k["Affine"].ABI.IR
		}
		l := launchOf(&Source{ABI: &a}, 0)
		want := ""
		if other {
			want = "the file Grow.spv is not the one that its stubs were written with"
		}
		if got := l.Alone(); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("another file: %v: got %q, want %q", other, got, want)
		}
	}
}

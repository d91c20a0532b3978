package fusion

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/properties"
)

// launchOf returns a launch of a kernel over 48 work-items, with the buffers given for its slices.
func launchOf(k *Source, buffers ...int) *Launch {
	n := len(k.ABI.Params)
	l := &Launch{Source: k, Global: [3]int{48}, Args: make([]byte, k.ABI.ArgSize), Slices: make([]Slice, n), Memory: make([]Memory, n),
		Specs: map[uint32]uint64{}, Properties: k.ABI.Properties}
	for i, p := range k.ABI.Params {
		if p.Kind == abi.Slice {
			l.Slices[i] = Slice{Mem: buffers[0], Hi: 192, Len: 48}
			buffers = buffers[1:]
		}
	}
	return l
}

// groupOf returns a group of launches, none of which is refused.
func groupOf(t *testing.T, launches ...*Launch) *Group {
	t.Helper()
	g := &Group{Required: true}
	for i, l := range launches {
		if i > 0 {
			if reason := g.Refuses(l); reason != "" {
				t.Fatal(reason)
			}
		}
		g.Add(l)
	}
	return g
}

// count returns how many instructions of an op there are, of device memory for loads and stores.
func count(m *ir.Module, op ir.Op) (n int) {
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if r := v.Ref(); v.Op == op && (r == nil || r.Var == nil) {
				n++
			}
		}
	}
	return n
}

// opcodes returns how many instructions of a module are of an opcode.
func opcodes(module string, op spirv.Op) (n int) {
	for at := 20; at < len(module); { // behind the header
		word := binary.LittleEndian.Uint32([]byte(module[at:]))
		if word&0xffff == uint32(op) {
			n++
		}
		at += 4 * int(word>>16)
	}
	return n
}

// TestGF22_OneArgument: the same memory is one argument, by whatever name the kernels call it.
func TestGF22_OneArgument(t *testing.T) {
	k := testKernels(t)
	for _, c := range []struct {
		buffers [4]int
		slices  int
	}{{[4]int{0, 1, 1, 2}, 3}, {[4]int{0, 1, 1, 0}, 2}, {[4]int{0, 1, 2, 3}, 4}, {[4]int{0, 0, 0, 0}, 1}} {
		f, err := groupOf(t, launchOf(k["Affine"], c.buffers[:2]...), launchOf(k["Affine"], c.buffers[2:]...)).Link()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, p := range f.ABI.Params {
			if p.Kind == abi.Slice && p.Offset >= 0 {
				n++
			}
		}
		if n != c.slices {
			t.Errorf("%v: %d slices, want %d", c.buffers, n, c.slices)
		}
	}
}

// TestChain: a chain of kernels has one check and one load, whether what they hand on is stored
// or not; internal memory is not.
func TestChain(t *testing.T) {
	dir, err := modules.Folder(modules.Module + "/internal/tests/conformance/ahead")
	if err != nil {
		t.Fatal(err)
	}
	floats, err := modules.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	chain(t, testKernels(t)["Affine"], ir.OpIMul)
	chain(t, &Source{ABI: floats["Affine"]}, ir.OpFma)
}

// chain links chains of a kernel, which has one operation op that no other takes the place of.
func chain(t *testing.T, k *Source, op ir.Op) {
	t.Helper()
	for _, internal := range []bool{false, true} {
		for _, n := range []int{2, 5, 10} {
			var list []*Launch
			for i := range n {
				l := launchOf(k, i, i+1)
				for p := range l.Memory {
					if s := l.Slices[p]; internal && s.Mem != nil && s.Mem != 0 && s.Mem != n {
						l.Memory[p] = Memory{View: properties.ScopeWorkItem, Internal: true, NoInit: true}
					}
				}
				list = append(list, l)
			}
			g := groupOf(t, list...)
			names, not := g.Internalize(func(Slice) string { return "" })
			if want := map[bool]int{true: n - 1}[internal]; len(names) != want || len(not) > 0 {
				t.Errorf("internal: %v; not: %v", names, not)
			}
			linked, err := g.linkModules()
			if err != nil {
				t.Fatal(err)
			}
			m := linked.Module
			pass.RunFrom(pass.LinkPoint, m, ir.Target{}, func(p *pass.Pass, m *ir.Module) {
				if p.Name != "gather" { // before several work-items share an invocation
					return
				}
				stores := n
				if internal {
					stores = 1
				}
				if l, s, f := count(m, ir.OpLoad), count(m, ir.OpStore), count(m, ir.OpFault); l != 1 || s != stores || f != 1 || count(m, op) != n {
					t.Errorf("%d kernels: %d loads, %d stores, %d faults:\n%v", n, l, s, f, m)
				}
			})
		}
	}
}

// TestProductsApart: a product of one kernel and a sum of the next stay two operations, each of
// which rounds, also where internal memory between them leaves the product no other use. Results
// of software drivers do not tell the two from Fma, which these compute as a product and a sum.
func TestProductsApart(t *testing.T) {
	k := testKernels(t)
	product, sum := launchOf(k["MulF"], 0, 0, 1), launchOf(k["AddF"], 1, 2, 3)
	product.Memory[2] = Memory{View: properties.ScopeWorkItem, Internal: true, NoInit: true}
	sum.Memory[0] = product.Memory[2]
	g := groupOf(t, product, sum)
	if names, not := g.Internalize(func(Slice) string { return "" }); len(names) != 1 {
		t.Fatalf("internal: %v; not: %v", names, not)
	}
	linked, err := g.linkModules()
	if err != nil {
		t.Fatal(err)
	}
	pass.RunFrom(pass.LinkPoint, linked.Module, ir.Target{}, func(p *pass.Pass, m *ir.Module) {
		if p.Name == "gather" && count(m, ir.OpStore) != 1 { // before several work-items share an invocation
			t.Errorf("the product is stored:\n%v", m)
		}
		if products, sums := count(m, ir.OpFMul), count(m, ir.OpFAdd); products == 0 || products != sums || count(m, ir.OpFma) > 0 {
			t.Errorf("behind %s, %d products and %d sums:\n%v", p.Name, products, sums, m)
		}
	})
}

// TestLaunchBlock: arguments stand in the launch block if the device's is as large, and in a
// buffer otherwise.
func TestLaunchBlock(t *testing.T) {
	k := testKernels(t)
	var list []*Launch
	for i := range 5 {
		list = append(list, launchOf(k["Affine"], i, i+1))
	}
	g := groupOf(t, list...)
	var size int
	for _, room := range []int{0, 128, 1 << 10} {
		g.LaunchBlock = room
		linked, err := g.linkModules()
		if err != nil {
			t.Fatal(err)
		}
		size = abi.OffsetArgs + linked.Module.ArgSize
		if size <= abi.MaxLaunchBlock || size > 1<<10 {
			t.Fatalf("a launch block of %d bytes tests nothing", size)
		}
		if linked.Module.Spilled != (room < size) {
			t.Errorf("a launch block of %d bytes, the device's has %d: spilled is %v", size, room, linked.Module.Spilled)
		}
	}
	for room, want := range map[int]bool{size - 1: true, size: false} {
		g.LaunchBlock = room
		if linked, err := g.linkModules(); err != nil || linked.Module.Spilled != want {
			t.Errorf("a launch block of %d bytes, the device's has %d: spilled is not %v (%v)", size, room, want, err)
		}
	}
}

// TestKey: groups have the key of others if the kernel would be the same.
func TestKey(t *testing.T) {
	k := testKernels(t)
	key := func(change func(a, b *Launch)) string {
		a, b := launchOf(k["Times"], 0, 1), launchOf(k["Affine"], 1, 2)
		a.Specs[0], b.Args[0] = 5, 1
		change(a, b)
		return groupOf(t, a, b).Key()
	}
	was := key(func(a, b *Launch) {})
	for name, change := range map[string]func(a, b *Launch){
		"values":    func(a, b *Launch) { b.Args[0] = 7 },
		"range":     func(a, b *Launch) { a.Global[0], b.Global[0] = 16, 16 },
		"addresses": func(a, b *Launch) { a.Slices[0].Mem = 9 },
	} {
		if key(change) != was {
			t.Errorf("other %s have another key", name)
		}
	}
	for name, change := range map[string]func(a, b *Launch){
		"constants": func(a, b *Launch) { a.Specs[0] = 6 },
		"overlaps":  func(a, b *Launch) { b.Slices[3].Mem = 0 },
		"memory":    func(a, b *Launch) { b.Slices[2].Mem = 7 },
		"lengths":   func(a, b *Launch) { b.Slices[3].Len, b.Slices[3].Hi = 50, 200 },
		"ranges":    func(a, b *Launch) { a.Global[0] = 16 },
		"properties": func(a, b *Launch) {
			a.Properties = properties.List{properties.WorkGroupSize(8)}
		},
	} {
		if key(change) == was {
			t.Errorf("other %s have the same key", name)
		}
	}
}

// TestKeyMemory: what is said of the memory, and barriers, make another kernel of the same launches.
func TestKeyMemory(t *testing.T) {
	k := testKernels(t)
	group := Memory{View: properties.ScopeWorkGroup}
	key := func(name string, barriers bool, change func(a, b *Launch)) string {
		a, b := launchOf(k[name], 0, 1), launchOf(k[name], 1, 2)
		if name == "Turn" {
			a.Local, b.Local = [3]int{8}, [3]int{8}
		} else if barriers {
			a.Properties, b.Properties = properties.List{properties.WorkGroupSize(8)}, properties.List{properties.WorkGroupSize(8)}
		}
		change(a, b)
		g := &Group{Required: true, Barriers: barriers, LocalMemory: 1 << 15}
		g.Add(a)
		if reason := g.Refuses(b); reason != "" {
			t.Fatal(reason)
		}
		g.Add(b)
		g.Internalize(func(Slice) string { return "" })
		return g.Key()
	}
	apart := func(a, b *Launch) { b.Slices[0].Mem = 3 }
	in := func(m Memory) func(a, b *Launch) {
		m.Internal, m.NoInit = true, true
		return func(a, b *Launch) { a.Memory[len(a.Memory)-1], b.Memory[len(b.Memory)-2] = m, m }
	}
	for _, c := range []struct {
		what     string
		kernel   string
		barriers [2]bool
		change   [2]func(a, b *Launch)
	}{
		{"barriers", "Turn", [2]bool{false, true}, [2]func(a, b *Launch){apart, apart}},
		{"checks of the group's elements", "Next", [2]bool{true, true}, [2]func(a, b *Launch){apart, func(a, b *Launch) { apart(a, b); b.Memory[0] = group }}},
		{"memory that a group shares", "Turn", [2]bool{true, true}, [2]func(a, b *Launch){
			func(a, b *Launch) { a.Memory[1], b.Memory[0] = group, group }, in(group)}},
		{"memory of each work-item", "Affine", [2]bool{}, [2]func(a, b *Launch){func(a, b *Launch) {}, in(Memory{View: properties.ScopeWorkItem})}},
	} {
		var keys [2]string
		for i := range keys {
			if keys[i] = key(c.kernel, c.barriers[i], c.change[i]); keys[i] != key(c.kernel, c.barriers[i], c.change[i]) {
				t.Errorf("%s: the same group has another key", c.what)
			}
		}
		if keys[0] == keys[1] {
			t.Errorf("with and without %s the key is %s", c.what, keys[0])
		}
	}
}

// TestReasons: what is refused says where both accesses are, and which elements they are of.
func TestReasons(t *testing.T) {
	k := testKernels(t)
	row := func(w int) func(l *Launch) {
		return func(l *Launch) {
			l.Global = [3]int{6, 8}
			binary.LittleEndian.PutUint64(l.Args[l.Source.ABI.Params[0].Offset:], uint64(w))
		}
	}
	plain := func(*Launch) {}
	for _, c := range []struct {
		first, second string
		change        func(l *Launch) // of both
		buffers       []int           // of the first, and of the second
		want          string
	}{
		{"Affine", "Mirror", plain, []int{0, 1, 1, 2}, "kernels.go:46:17 reads In[len(In)-1-i], which kernels.go:37:7 may write, as Out[i], in another work-item"},
		{"Mirror", "Affine", plain, []int{0, 1, 2, 0}, "kernels.go:46:17 reads In[len(In)-1-i], which kernels.go:37:7 may write, as Out[i], in another work-item"},
		{"Mirror", "Mirror", plain, []int{0, 1, 1, 2}, "kernels.go:46:17 reads In[len(In)-1-i], which kernels.go:46:7 may write, as Out[i], in another work-item"},
		{"Affine", "Swap", plain, []int{0, 1, 1, 2}, "parts.go:372:17 reads In[i^1], which kernels.go:37:7 may write, as Out[i], in another work-item"},
		{"Grow", "Pick", plain, []int{1, 1, 2, 3}, "parts.go:142:20 reads Table[At[i]], which kernels.go:56:43 may write, as Out[i], in another work-item"},
		{"Affine", "Next", plain, []int{0, 1, 1, 2}, "parts.go:393:18 reads In[i+1], which kernels.go:37:7 may write, as Out[i], in another work-item"},
		{"Total", "Affine", plain, []int{0, 1, 1, 2}, "parts.go:205:59 has atomic operations on Sum (not only at the work-item's own index), which kernels.go:37:21 may read, as In[i], in another work-item"},
		{"Ids2", "Ids2", row(8), []int{0, 1, 0, 1}, ""},
		{"Ids2", "Ids2", row(7), []int{0, 1, 0, 1}, "parts.go:29:6 writes ID[y*W+x] (with a row length that is not the range's), which parts.go:29:6 may write, as ID[y*W+x], in another work-item"},
		{"Grow", "Fours", plain, []int{1, 1, 2}, "parts.go:547:6 reads In (not only at the work-item's own index), which kernels.go:56:43 may write, as Out[i], in another work-item"},
		{"Affine", "Pairs", plain, []int{0, 1, 1, 2}, "kernels.go:37:7 writes Out, 1 elements in each work-item, and parts.go:198:29 reads In, 2 elements"},
	} {
		g := &Group{Required: true}
		n := 0
		for _, p := range k[c.first].ABI.Params {
			if p.Kind == abi.Slice {
				n++
			}
		}
		a, b := launchOf(k[c.first], c.buffers[:n]...), launchOf(k[c.second], c.buffers[n:]...)
		c.change(a)
		c.change(b)
		g.Add(a)
		want := ""
		if c.want != "" {
			want = "steps." + c.first + "+steps." + c.second + ": " + c.want
		}
		if got := strings.ReplaceAll(g.Refuses(b), "internal/tests/conformance/steps/", ""); got != want {
			t.Errorf("%s and %s: got\n%s, want\n%s", c.first, c.second, got, want)
		}
	}
}

// BenchmarkLink decides about ten small kernels, links them and compiles the result: all of what
// finalizing a graph of them takes but the driver's part.
func BenchmarkLink(b *testing.B) {
	k := testKernels(b)
	for b.Loop() {
		g := &Group{Required: true}
		for i := range 10 {
			l := launchOf(&Source{ABI: k["Affine"].ABI}, i, i+1) // whose IR is read anew
			if i > 0 && g.Refuses(l) != "" {
				b.Fatal("refused")
			}
			g.Add(l)
		}
		if _, err := g.Link(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestGF4_Barriers: there is a barrier between every pair of parts, which has all of a group's
// stores in place before its loads.
func TestGF4_Barriers(t *testing.T) {
	k := testKernels(t)
	var list []*Launch
	for i, name := range []string{"Affine", "Swap", "Grow", "Odd", "Odd"} {
		l := launchOf(k[name], i, i+1)
		if name == "Affine" {
			binary.LittleEndian.PutUint32(l.Args, 3)
		}
		for p := range l.Memory {
			l.Memory[p].View = properties.ScopeWorkGroup
		}
		for p, s := range l.Slices {
			if s.Mem != nil {
				binary.LittleEndian.PutUint64(l.Args[l.Source.ABI.Params[p].Offset:], uint64(firstAddr+1024*s.Mem.(int)))
				binary.LittleEndian.PutUint64(l.Args[l.Source.ABI.Params[p].Offset+8:], 48)
			}
		}
		l.Properties = properties.List{properties.WorkGroupSize(16)}
		list = append(list, l)
	}
	g := &Group{Required: true, Barriers: true}
	for i, l := range list {
		if i > 0 {
			if reason := g.Refuses(l); reason != "" {
				t.Fatal(reason)
			}
		}
		g.Add(l)
	}
	c := &chooser{Rand: rand.New(rand.NewPCG(1, 1))}
	memory := c.memory()
	want, _ := g.sequentially(t, memory)
	linked, err := g.linkModules()
	if err != nil {
		t.Fatal(err)
	}
	f := &Fused{ABI: &abi.Kernel{Params: linked.Module.Params, ArgSize: linked.Module.ArgSize}, Origins: linked.Origins}
	_, rank, global, local := g.Range(nil)
	if _, diags := pass.RunFrom(pass.LinkPoint, linked.Module, ir.Target{}, nil); len(diags) > 0 {
		t.Fatal(diags)
	}
	if n := count(linked.Module, ir.OpBarrier); n != len(list)-1 {
		t.Errorf("%d barriers, want %d", n, len(list)-1)
	}
	compiled, err := g.linkKernel()
	if err != nil {
		t.Fatal(err)
	}
	if n := opcodes(compiled.ABI.SPIRV, spirv.OpControlBarrier); n != len(list)-1 {
		t.Errorf("%d barriers in SPIR-V, want %d", n, len(list)-1)
	}
	got, err := run(linked.Module, rank, global, local, f.Args(g), nil, memory)
	if err != nil || got.Fault != nil {
		t.Fatal(err, got.Fault)
	}
	for i, r := range got.Memory {
		if !bytes.Equal(r.Data, want.memory[i].Data) {
			t.Errorf("buffer %d: got %v, want %v", i, r.Data, want.memory[i].Data)
		}
	}
}

// TestGF44_Barriers: the fused module has each kernel's own barriers, also those at a begin or an end,
// and beside them those that InsertBarriers adds.
func TestGF44_Barriers(t *testing.T) {
	k := testKernels(t)
	for _, c := range []struct {
		names []string
		want  int
	}{
		{[]string{"Turn", "Turn"}, 0}, {[]string{"End", "Turn"}, 1}, {[]string{"Turn", "Begin"}, 1}, {[]string{"End", "Begin"}, 2},
		{[]string{"Begin", "End", "End"}, 3},
	} {
		for _, barriers := range []bool{false, true} {
			g := &Group{Required: true, Barriers: barriers}
			for i, name := range c.names {
				l := launchOf(k[name], 2*i, 2*i+1) // no memory of another's
				l.Local = [3]int{8}
				if i > 0 {
					if reason := g.Refuses(l); reason != "" {
						t.Fatal(reason)
					}
				}
				g.Add(l)
			}
			want := c.want
			if barriers {
				want += len(c.names) - 1
			}
			compiled, err := g.linkKernel()
			if err != nil {
				t.Fatal(err)
			}
			if n := opcodes(compiled.ABI.SPIRV, spirv.OpControlBarrier); n != want {
				t.Errorf("%v, with barriers between them: %v: %d barriers in SPIR-V, want %d", c.names, barriers, n, want)
			}
		}
	}
}

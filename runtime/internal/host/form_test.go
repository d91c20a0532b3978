package host

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// testForm is a form whose work-groups call run.
type testForm struct {
	Group
	run func(g *Group)
}

func (f *testForm) Begin() { f.Sites = "1\tk.go:1:2" }
func (f *testForm) Run()   { f.run(&f.Group) }

// launchTest launches such a form and returns the fault.
func launchTest(form abi.Form, n, local uint32, run func(g *Group)) hal.Fault {
	p := &pipeline{kernel: &abi.Kernel{Name: "K", Form: form, Rank: 1}, local: [3]uint32{local, 1, 1}, subGroup: 4}
	p.init()
	p.forms = newForms(func() Form { return &testForm{run: run} })
	var fault hal.Fault
	launchForm(&hal.Command{Op: hal.OpLaunch, Pipeline: p, Global: [3]uint32{n, 1, 1}, Groups: [3]uint32{n / local, 1, 1}, Fault: &fault}, p, newStopper(nil))
	return fault
}

func TestFormGroups(t *testing.T) {
	seen := make([]atomic.Int32, 1000)
	f := launchTest(abi.NDRange, 4000, 4, func(g *Group) {
		seen[g.ID[0]].Add(1)
		if g.Items != 4 || g.SubGroup != 4 || g.Local != [3]int{4, 1, 1} || g.AnyDead() || slices.Contains(g.Dead, true) {
			t.Errorf("%+v", g)
		}
		g.Leave(3) // is forgotten by the next group
	})
	if f.Set {
		t.Errorf("%+v", f)
	}
	for i := range seen {
		if n := seen[i].Load(); n != 1 {
			t.Fatalf("group %d ran %d times", i, n)
		}
	}
}

func TestFormRange(t *testing.T) {
	seen := make([]atomic.Int32, 100_000)
	f := launchTest(abi.Range, 100_000, 1, func(g *Group) {
		for i := g.Lo; i < g.Hi; i++ {
			seen[i].Add(1)
		}
	})
	if f.Set {
		t.Errorf("%+v", f)
	}
	for i := range seen {
		if n := seen[i].Load(); n != 1 {
			t.Fatalf("work-item %d ran %d times", i, n)
		}
	}
}

func TestFormFaults(t *testing.T) {
	f := launchTest(abi.NDRange, 64, 4, func(g *Group) { g.Fault(0, -7, 9, 5, 6, 7) })
	want := hal.Fault{Set: true, A: -7, B: 9, GlobalID: [3]uint32{5, 6, 7}, Pos: "k.go:1:2", Kind: abi.FaultIndex}
	if f.Set != want.Set || f.A != want.A || f.B != want.B || f.GlobalID != want.GlobalID || f.Pos != want.Pos || f.Kind != want.Kind {
		t.Errorf("%+v", f)
	}
	f = launchTest(abi.NDRange, 64, 4, func(g *Group) {
		if g.Diverge() >= 0 {
			t.Error("the group goes on")
		}
	})
	if !f.Set || f.Kind != abi.FaultPanic || !strings.Contains(f.Message, "divergent barriers") {
		t.Errorf("%+v", f)
	}
	// A bug in a form is an error of the launch, not the end of the process.
	f = launchTest(abi.NDRange, 64, 4, func(*Group) { panic("oops") })
	if !f.Set || f.Err == nil || !strings.Contains(f.Err.Error(), "BUG: the host form of") || !strings.Contains(f.Err.Error(), "oops") {
		t.Errorf("%+v", f)
	}
}

// TestFormSites reads the sites of a form.
func TestFormSites(t *testing.T) {
	g := &Group{Sites: "1\ta b/k.go:86:28\n3\t88:8\tunsigned\n13\tc:/m.go:9:10\t\"\\x60\\tno\\n\"\n4\t-\n2\t11:12"}
	for i, want := range []abi.Site{
		{Kind: 1, Pos: "a b/k.go:86:28"},
		{Kind: 3, Pos: "a b/k.go:88:8", Unsigned: true},
		{Kind: 13, Pos: "c:/m.go:9:10", Message: "`\tno\n"},
		{Kind: 4, Pos: "-"},
		{Kind: 2, Pos: "c:/m.go:11:12"},
	} {
		if got := g.siteNumber(i); got != want {
			t.Errorf("site %d: %+v, want %+v", i, got, want)
		}
	}
}

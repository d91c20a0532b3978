package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
)

// TestExcerpts cuts declarations out of files: with comments, those that adjoin as one, without
// what is between others.
func TestExcerpts(t *testing.T) {
	dir := module(t, "accept.txtar")
	const source = `package k

import "github.com/kgen-go/kgen/dsl"

// K is a kernel.
type K struct {
	X []float32
}

// Kernel comes at once.
func (k K) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = table[1] }

func between() {
}

func between2() {
}

var (
	// table has numbers.
	table = [...]float32{
		1, 2,
	}

	other = 1

	more = 2
)
`
	if err := os.Mkdir(filepath.Join(dir, "k"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "k", "k.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	p := load(t, dir, "./k")
	at := func(line int) ir.Pos { return ir.Pos{File: "k/k.go", Line: line, Col: 1} }
	lines := strings.Split(source, "\n")
	for _, test := range []struct {
		at   []ir.Pos
		want [][2]int // first and last lines
	}{
		{nil, nil},
		{[]ir.Pos{at(7)}, [][2]int{{5, 8}}},
		{[]ir.Pos{at(11), at(6)}, [][2]int{{5, 11}}},
		{[]ir.Pos{at(22), at(7)}, [][2]int{{5, 8}, {20, 23}}},
		{[]ir.Pos{at(1)}, [][2]int{{1, 9}}}, // no declaration: what is around it
		{[]ir.Pos{at(1000), {File: "k/none.go", Line: 1}, {}}, nil},
	} {
		got := p.Excerpts(test.at)
		if len(got) != len(test.want) {
			t.Errorf("%v: %v", test.at, got)
			continue
		}
		for i, e := range got {
			w := test.want[i]
			if e.File != "k/k.go" || e.Line != w[0] || strings.Join(e.Lines, "\n") != strings.Join(lines[w[0]-1:w[1]], "\n") {
				t.Errorf("%v: %d:\n%s", test.at, e.Line, strings.Join(e.Lines, "\n"))
			}
		}
	}
	if name := p.Canonical(filepath.Join(dir, "k", "k.go")); name != "k/k.go" {
		t.Errorf("the file is called %s", name)
	}
	if name := p.Canonical("/nowhere.go"); name != "/nowhere.go" {
		t.Errorf("a file that was not loaded is called %s", name)
	}
	if l := p.Line(at(7)); l != "X []float32" || p.Line(at(1000)) != "" {
		t.Errorf("line 7 is %q", l)
	}
	if f := p.Folders(); len(f) != 1 || f[0] != filepath.Join(dir, "k") {
		t.Errorf("folders %q", f)
	}
}

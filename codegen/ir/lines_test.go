package ir

import (
	"slices"
	"strings"
	"testing"
)

// TestLines: lines are those of the text, each value, label and terminator is one of them, and
// with Names all keep their numbers when others go.
func TestLines(t *testing.T) {
	m := mustParse(t, testFile(t, "all.ir"))
	pos := Pos{"a/k.go", 12, 34}
	m.Kernel.Blocks[0].Insts[1].Pos, m.Kernel.Blocks[0].Term.Pos = pos, pos
	texts := func(lines []Line) (list []string) {
		for _, l := range lines {
			list = append(list, l.Text)
		}
		return list
	}
	lines := m.Lines(nil)
	if got := strings.Join(texts(lines), "\n") + "\n"; got != m.String() {
		t.Errorf("got\n%s", got)
	}
	values, labels, ends, placed := 0, 0, 0, 0
	for _, l := range lines {
		switch {
		case l.Value != nil:
			values++
			if !strings.Contains(l.Text, l.Value.Op.String()) {
				t.Errorf("%q is %v", l.Text, l.Value.Op)
			}
		case l.Ends:
			ends++
			if !strings.HasPrefix(l.Text, "\t"+l.Block.Term.Kind.String()) {
				t.Errorf("%q is %v", l.Text, l.Block.Term.Kind)
			}
		case l.Block != nil:
			labels++
			if l.Text[0] != 'b' {
				t.Errorf("%q is a label", l.Text)
			}
		}
		if l.Pos == pos {
			placed++
		}
	}
	all, blocks := 0, 0
	for _, f := range append([]*Func{m.Kernel}, m.Helpers...) {
		blocks += len(f.Blocks)
		for _, b := range f.Blocks {
			all += len(b.Phis) + len(b.Insts)
		}
	}
	if values != all || labels != blocks || ends != blocks || placed != 2 {
		t.Errorf("%d values of %d, %d labels and %d ends of %d, %d with the place", values, all, labels, ends, blocks, placed)
	}

	names := NewNames()
	before := texts(m.Lines(names))
	entry := m.Kernel.Blocks[0]
	gone := slices.IndexFunc(entry.Insts, func(v *Value) bool { return v.Type != TypeVoid })
	i := slices.IndexFunc(lines, func(l Line) bool { return l.Value == entry.Insts[gone] })
	entry.Insts = slices.Delete(entry.Insts, gone, gone+1)
	after := texts(m.Lines(names))
	if !slices.Equal(after, slices.Delete(before, i, i+1)) {
		t.Errorf("without line %d:\n%s", i, strings.Join(after, "\n"))
	}
}

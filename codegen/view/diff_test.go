package view

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func listing(text string) Listing {
	var l Listing
	for _, s := range strings.Fields(text) {
		l.Text, l.At = append(l.Text, s), append(l.At, -1)
	}
	return l
}

func TestDiff(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want []Edit
	}{
		{"a b c", "a b c", nil},
		{"", "a", []Edit{{Text: []string{"a"}, At: []int{-1}}}},
		{"a", "", []Edit{{Lines: 1}}},
		{"a b c d", "a x c d", []Edit{{From: 1, Lines: 1, Text: []string{"x"}, At: []int{-1}}}},
		{"a b c d e", "a c d e f", []Edit{{From: 1, Lines: 1}, {From: 5, Text: []string{"f"}, At: []int{-1}}}},
		{"x x a x x", "x x b x x", []Edit{{From: 2, Lines: 1, Text: []string{"b"}, At: []int{-1}}}},
	} {
		got := Diff(listing(test.a), listing(test.b))
		for i := range got {
			if len(got[i].Text) == 0 {
				got[i].Text, got[i].At = nil, nil
			}
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("from %q to %q: %+v", test.a, test.b, got)
		}
	}
	moved := listing("a b")
	moved.At = []int{0, 1}
	if edits := Diff(moved, listing("a b")); len(edits) == 0 {
		t.Error("places make no difference")
	}
}

// TestDiffRandom takes differences back, and holds the longest of them to what was changed.
func TestDiffRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var a, b Listing
		changed := 0
		for n := range r.IntN(40) {
			line := string(rune('a' + n)) // once
			if r.IntN(4) == 0 {
				line = "again"
			}
			switch r.IntN(8) {
			case 0:
				a.Text, changed = append(a.Text, line), changed+1
			case 1:
				b.Text, changed = append(b.Text, line), changed+1
			default:
				a.Text, b.Text = append(a.Text, line), append(b.Text, line)
			}
		}
		a.At, b.At = make([]int, len(a.Text)), make([]int, len(b.Text))
		edits := Diff(a, b)
		if got := Apply(a, edits); strings.Join(got.Text, " ") != strings.Join(b.Text, " ") || len(got.At) != len(b.At) {
			t.Fatalf("from %q to %q: %+v makes %q", a.Text, b.Text, edits, got.Text)
		}
		lines := 0
		for _, e := range edits {
			lines += e.Lines + len(e.Text)
		}
		// Lines that are there several times are matched only where those around them are.
		if lines > changed+2*20 {
			t.Errorf("%d lines differ, and %d were changed: %q, %q", lines, changed, a.Text, b.Text)
		}
	}
}

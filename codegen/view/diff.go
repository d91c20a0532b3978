package view

// This file compares listings of a module, and applies edits to them.

import (
	"slices"
	"sort"
)

// Diff returns the edits that convert listing a to listing b.
func Diff(a, b Listing) []Edit {
	d := &differ{a: a, b: b}
	d.compare(0, len(a.Text), 0, len(b.Text))
	var edits []Edit
	i, j := 0, 0
	for _, p := range append(d.same, pair{len(a.Text), len(b.Text)}) {
		if i < p.a || j < p.b {
			edits = append(edits, Edit{
				From: i, Lines: p.a - i,
				Text: slices.Clone(b.Text[j:p.b]), At: slices.Clone(b.At[j:p.b]),
			})
		}
		i, j = p.a+1, p.b+1
	}
	return edits
}

// Apply returns listing a with the given edits applied.
func Apply(a Listing, edits []Edit) Listing {
	var b Listing
	next := 0
	keep := func(to int) {
		b.Text = append(b.Text, a.Text[next:to]...)
		b.At = append(b.At, a.At[next:to]...)
	}
	for _, e := range edits {
		keep(e.From)
		b.Text, b.At = append(b.Text, e.Text...), append(b.At, e.At...)
		next = e.From + e.Lines
	}
	keep(len(a.Text))
	return b
}

// differ finds the common lines of two listings. First it considers lines that occur once in each
// listing. It matches as many of these lines as possible in the same order. After that, the lines
// between two matched lines are compared by the same method. A value has the same number in all
// listings, so most lines of a listing are distinct.
type differ struct {
	a, b Listing
	same []pair // common lines found so far, in order
}

// A pair holds the two indices of a common line, one for each listing.
type pair struct{ a, b int }

func (d *differ) equal(i, j int) bool {
	return d.a.Text[i] == d.b.Text[j] && d.a.At[i] == d.b.At[j]
}

// The method compare finds common lines of two ranges, from i to i2 in listing a and from j to j2
// in listing b.
func (d *differ) compare(i, i2, j, j2 int) {
	for i < i2 && j < j2 && d.equal(i, j) {
		d.same = append(d.same, pair{i, j})
		i, j = i+1, j+1
	}
	end := 0
	for i < i2-end && j < j2-end && d.equal(i2-1-end, j2-1-end) {
		end++
	}
	i2, j2 = i2-end, j2-end
	if anchors := d.anchors(i, i2, j, j2); len(anchors) > 0 {
		for _, p := range anchors {
			d.compare(i, p.a, j, p.b)
			d.same = append(d.same, p)
			i, j = p.a+1, p.b+1
		}
		d.compare(i, i2, j, j2)
	}
	for n := range end {
		d.same = append(d.same, pair{i2 + n, j2 + n})
	}
}

// The method anchors considers the lines that occur once in each range. It returns a longest
// sequence of these lines that has the same order in both ranges.
func (d *differ) anchors(i, i2, j, j2 int) []pair {
	if i == i2 || j == j2 {
		return nil
	}
	type key struct {
		text string
		at   int
	}
	type count struct{ inA, inB, a, b int }
	counts := make(map[key]*count, i2-i)
	for n := i; n < i2; n++ {
		k := key{d.a.Text[n], d.a.At[n]}
		c := counts[k]
		if c == nil {
			c = &count{}
			counts[k] = c
		}
		c.inA, c.a = c.inA+1, n
	}
	for n := j; n < j2; n++ {
		if c := counts[key{d.b.Text[n], d.b.At[n]}]; c != nil {
			c.inB, c.b = c.inB+1, n
		}
	}
	// The longest increasing subsequence is found by patience sorting. For each length, the slice tops
	// holds the last pair of the best sequence of this length. The slice before holds, for each pair,
	// the preceding pair in the pair's sequence.
	var all []pair
	for n := i; n < i2; n++ {
		if c := counts[key{d.a.Text[n], d.a.At[n]}]; c.inA == 1 && c.inB == 1 {
			all = append(all, pair{n, c.b})
		}
	}
	var tops []int
	before := make([]int, len(all))
	for n, p := range all {
		at := sort.Search(len(tops), func(t int) bool { return all[tops[t]].b > p.b })
		before[n] = -1
		if at > 0 {
			before[n] = tops[at-1]
		}
		tops = append(tops[:at], append([]int{n}, tops[min(at+1, len(tops)):]...)...)
	}
	if len(tops) == 0 {
		return nil
	}
	run := make([]pair, len(tops))
	for n, at := len(tops)-1, tops[len(tops)-1]; n >= 0; n-- {
		run[n] = all[at]
		at = before[at]
	}
	return run
}

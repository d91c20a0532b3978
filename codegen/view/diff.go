package view

// This file compares listings of a module, and applies edits to them.

import (
	"slices"
	"sort"
)

// Diff returns the edits that convert listing a to listing b.
func Diff(a, b Listing) []Edit {
	d := &lineDiffer{a: a, b: b}
	d.compareRanges(0, len(a.Text), 0, len(b.Text))
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

// lineDiffer finds the common lines of two listings. The lineDiffer first considers the lines that
// occur exactly once in each listing. It matches as many of these lines as possible without
// changing their order. Then the lineDiffer compares the lines between two matched lines in the
// same way. A value has the same number in all listings, so most lines of a listing are distinct.
type lineDiffer struct {
	a, b Listing
	same []pair // common lines found so far, in order
}

// A pair holds the two indices of a common line, one for each listing.
type pair struct{ a, b int }

func (d *lineDiffer) equal(i, j int) bool {
	return d.a.Text[i] == d.b.Text[j] && d.a.At[i] == d.b.At[j]
}

// compareRanges finds common lines of two ranges, from i to i2 in listing a and from j to j2
// in listing b.
func (d *lineDiffer) compareRanges(i, i2, j, j2 int) {
	for i < i2 && j < j2 && d.equal(i, j) {
		d.same = append(d.same, pair{i, j})
		i, j = i+1, j+1
	}
	end := 0
	for i < i2-end && j < j2-end && d.equal(i2-1-end, j2-1-end) {
		end++
	}
	i2, j2 = i2-end, j2-end
	if anchors := d.anchorLines(i, i2, j, j2); len(anchors) > 0 {
		for _, p := range anchors {
			d.compareRanges(i, p.a, j, p.b)
			d.same = append(d.same, p)
			i, j = p.a+1, p.b+1
		}
		d.compareRanges(i, i2, j, j2)
	}
	for n := range end {
		d.same = append(d.same, pair{i2 + n, j2 + n})
	}
}

// anchorLines considers the lines that occur exactly once in each range. It returns a longest
// sequence of these lines that has the same order in both ranges.
func (d *lineDiffer) anchorLines(i, i2, j, j2 int) []pair {
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
	// The longest increasing subsequence is found by patience sorting. For each length n, tailPairs
	// holds the last pair of the best sequence of n pairs. For each pair, prevPairs holds the pair
	// before it in the best sequence.
	var all []pair
	for n := i; n < i2; n++ {
		if c := counts[key{d.a.Text[n], d.a.At[n]}]; c.inA == 1 && c.inB == 1 {
			all = append(all, pair{n, c.b})
		}
	}
	var tailPairs []int
	prevPairs := make([]int, len(all))
	for n, p := range all {
		at := sort.Search(len(tailPairs), func(t int) bool { return all[tailPairs[t]].b > p.b })
		prevPairs[n] = -1
		if at > 0 {
			prevPairs[n] = tailPairs[at-1]
		}
		tailPairs = append(tailPairs[:at], append([]int{n}, tailPairs[min(at+1, len(tailPairs)):]...)...)
	}
	if len(tailPairs) == 0 {
		return nil
	}
	run := make([]pair, len(tailPairs))
	for n, at := len(tailPairs)-1, tailPairs[len(tailPairs)-1]; n >= 0; n-- {
		run[n] = all[at]
		at = prevPairs[at]
	}
	return run
}

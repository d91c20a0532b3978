package ir

// This file prints a module line by line, for those who show it beside its source.

import "strings"

// Line is a line of a module's text.
type Line struct {
	Text string
	// Pos is where the line's value or terminator is in the source, if that is known.
	Pos Pos
	// Value is what the line computes. Block, without a Value, is the block whose label the
	// line is, or, if Ends is set, whose terminator. Lines of the header have neither.
	Value *Value
	Block *Block
	Ends  bool
}

// Names has the numbers of values and blocks in several texts of one module, which changes in
// between: what stays has the same number in all of them, so that the texts can be compared.
type Names struct {
	vals   map[*Value]int
	blocks map[*Block]int
}

// NewNames returns Names without any.
func NewNames() *Names { return &Names{map[*Value]int{}, map[*Block]int{}} }

// Value returns a value's number, or -1 if no text had it.
func (n *Names) Value(v *Value) int {
	if i, ok := n.vals[v]; ok {
		return i
	}
	return -1
}

// Block returns a block's number, or -1 if no text had it.
func (n *Names) Block(b *Block) int {
	if i, ok := n.blocks[b]; ok {
		return i
	}
	return -1
}

// Lines prints the module as Text does, without positions, and says of each line what it is.
// With names it numbers values and blocks by them, and adds those that they lack; without, in
// the order in which they stand.
func (m *Module) Lines(names *Names) []Line {
	p := newPrinter(m)
	if p.stable = names; names != nil {
		p.vals, p.blocks = names.vals, names.blocks
	}
	p.lines = &lineMarks{at: map[int]Line{}}
	p.module()
	texts := strings.Split(strings.TrimSuffix(p.b.String(), "\n"), "\n")
	lines := make([]Line, len(texts))
	at := 0
	for i, text := range texts {
		lines[i] = p.lines.at[at]
		lines[i].Text = text
		at += len(text) + 1
	}
	return lines
}

// lineMarks says what the lines are that begin at offsets of the text.
type lineMarks struct{ at map[int]Line }

// mark says what the line is that begins here.
func (p *printer) mark(l Line) {
	if p.lines != nil {
		p.lines.at[p.b.Len()] = l
	}
}

package ir

// This file prints a module as a list of lines, for programs that show a module next to its source.

import "strings"

// Line is a line of a module's text, with the value or block that it prints.
type Line struct {
	Text string
	// Pos is the position of the line's value or terminator in the source, if known.
	Pos Pos
	// Value is the value that the line computes. If Value is nil and Ends is false, the line
	// contains the label of Block. If Value is nil and Ends is true, the line contains the
	// terminator of Block. In a Line of the module's header, Value and Block are nil.
	Value *Value
	Block *Block
	Ends  bool
}

// Names gives each value and block the same number in several texts of one module, so that the
// texts can be compared. The module may change from one text to the next. A value or block keeps
// its number in all texts that contain the value or block.
type Names struct {
	vals   map[*Value]int
	blocks map[*Block]int
}

// NewNames returns an empty Names.
func NewNames() *Names { return &Names{map[*Value]int{}, map[*Block]int{}} }

// Value returns a value's number, or -1 if no text contains the value.
func (n *Names) Value(v *Value) int {
	if i, ok := n.vals[v]; ok {
		return i
	}
	return -1
}

// Block returns a block's number, or -1 if no text contains the block.
func (n *Names) Block(b *Block) int {
	if i, ok := n.blocks[b]; ok {
		return i
	}
	return -1
}

// Lines prints the module like Text, without positions, and returns a description of each line. If
// names is nil, Lines numbers values and blocks in order. If names is not nil, Lines uses the
// numbers in names and adds missing numbers.
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

// lineMarks maps the offset of a line in the text to the line's description.
type lineMarks struct{ at map[int]Line }

// markLine sets the description of the line that begins at the current offset.
func (p *printer) markLine(l Line) {
	if p.lines != nil {
		p.lines.at[p.b.Len()] = l
	}
}

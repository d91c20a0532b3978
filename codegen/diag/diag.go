// Package diag holds kgen's diagnostics: what is wrong with a user's kernel,
// where, why, and what to write instead.
package diag

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Pos is a position in a source file.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// String prints file:line:col, or "-" for no position.
func (p Pos) String() string {
	if p.File == "" {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Related is a further position that explains a diagnostic, such as a call on
// the way from the kernel.
type Related struct {
	Pos     Pos    `json:"pos"`
	Message string `json:"message"`
}

// Diagnostic is one finding.
type Diagnostic struct {
	Pos     Pos       `json:"pos"`
	End     Pos       `json:"end,omitzero"`
	Code    Code      `json:"code"`
	Message string    `json:"message"`           // what is wrong, and why
	Hint    string    `json:"hint,omitempty"`    // what to write instead
	Related []Related `json:"related,omitempty"` // call chain, branch that diverges, …
}

// Error prints the diagnostic on one line.
func (d *Diagnostic) Error() string {
	s := fmt.Sprintf("%v: %v: %s", d.Pos, d.Code, d.Message)
	if d.Hint != "" {
		s += "; " + d.Hint
	}
	return s
}

// List is a list of diagnostics; as an error it is its first.
type List []*Diagnostic

// Add appends a diagnostic.
func (l *List) Add(code Code, pos Pos, hint, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Pos: pos, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
	*l = append(*l, d)
	return d
}

// Error prints the first diagnostic and the number of the others.
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no diagnostics"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", l[0], len(l)-1)
}

// ofConstruct reports whether a code is of what stands in code, where several calls and
// instances may come to it, each with words of its own.
func (c Code) ofConstruct() bool { return c > 100 && c < 500 }

// Sort orders the list by position and drops duplicates: a construct is wrong in one way
// only, whoever comes to it.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b *Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	*l = slices.CompactFunc(*l, func(a, b *Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && (a.Message == b.Message || a.Code.ofConstruct() && a.Pos.File != "")
	})
}

// WriteText prints the list for people and editors: a line per diagnostic,
// and an indented line per hint and related position.
func (l List) WriteText(w io.Writer) error {
	for _, d := range l {
		if _, err := fmt.Fprintf(w, "%v: %v: %s\n", d.Pos, d.Code, d.Message); err != nil {
			return err
		}
		for _, r := range d.Related {
			fmt.Fprintf(w, "\t%v: %s\n", r.Pos, r.Message)
		}
		if d.Hint != "" {
			fmt.Fprintf(w, "\t%s\n", d.Hint)
		}
	}
	return nil
}

// WriteHelp says where to read more about the codes in the list, on one line; of
// an empty list it says nothing.
func (l List) WriteHelp(w io.Writer) error {
	var codes []string
	for _, d := range l {
		codes = append(codes, d.Code.String())
	}
	if len(codes) == 0 {
		return nil
	}
	slices.Sort(codes)
	_, err := fmt.Fprintf(w, "kgen explain %s says more, with examples\n", strings.Join(slices.Compact(codes), " "))
	return err
}

// WriteJSON prints the list as a JSON array.
func (l List) WriteJSON(w io.Writer) error {
	if l == nil {
		l = List{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(l)
}

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

// String prints file:line:col; the name alone for a folder or a whole file, which has no line; or "-"
// for no position.
func (p Pos) String() string {
	switch {
	case p.File == "":
		return "-"
	case p.Line == 0:
		return p.File
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
	// Site is the innermost call in the user's own code that leads to a construct of a
	// library, which cannot be written in another way: the call can.
	Site Pos `json:"-"`
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

// Sort orders the list by position and drops duplicates. A construct is wrong in one way
// only, whoever comes to it; but of a library's constructs every call is told that comes
// to one.
func (l *List) Sort() {
	type key struct {
		pos     Pos
		code    Code
		message string
	}
	slices.SortStableFunc(*l, func(a, b *Diagnostic) int {
		return cmp.Or(a.Pos.compare(b.Pos), cmp.Compare(a.Code, b.Code), a.Site.compare(b.Site), cmp.Compare(a.Message, b.Message))
	})
	seen := map[key]bool{}
	*l = slices.DeleteFunc(*l, func(d *Diagnostic) bool {
		k := key{pos: d.Pos, code: d.Code, message: d.Message}
		if d.Code.ofConstruct() && d.Pos.File != "" {
			k.message = ""
		}
		if d.Code.ofConstruct() && d.Site.File != "" {
			k.pos = d.Site
		}
		again := seen[k]
		seen[k] = true
		return again
	})
}

func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
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

// WriteHelp says which command explains the codes in the list, on one line; of an empty list it
// says nothing. kgen is how the user calls kgen, such as "go tool kgen".
func (l List) WriteHelp(w io.Writer, kgen string) error {
	var codes []string
	for _, d := range l {
		codes = append(codes, d.Code.String())
	}
	if len(codes) == 0 {
		return nil
	}
	slices.Sort(codes)
	_, err := fmt.Fprintf(w, "%s explain %s says more, with examples\n", kgen, strings.Join(slices.Compact(codes), " "))
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

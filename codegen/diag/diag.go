// Package diag defines kgen's diagnostics. A [Diagnostic] has a position in the user's code and a
// [Code]. The message of a diagnostic states the error and the reason, and the hint tells how to
// correct the error. The package also contains an explanation of each code.
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

// String returns the position as file:line:col. For a folder or a whole file, the result is only
// the name. An empty position is "-".
func (p Pos) String() string {
	switch {
	case p.File == "":
		return "-"
	case p.Line == 0:
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Related is an additional position that explains a diagnostic, such as a call that leads from the
// kernel to the error.
type Related struct {
	Pos     Pos    `json:"pos"`
	Message string `json:"message"`
}

// A Diagnostic is one error or warning about a kernel.
type Diagnostic struct {
	Pos     Pos       `json:"pos"`
	End     Pos       `json:"end,omitzero"`
	Code    Code      `json:"code"`
	Message string    `json:"message"`           // error and its reason
	Hint    string    `json:"hint,omitempty"`    // way to correct the error
	Related []Related `json:"related,omitempty"` // positions that explain the error, such as the calls that lead to the error or a divergent branch
	// Site is the innermost call in the user's own code that leads to an error in a library. Site
	// is useful because the user can change the call, but not the library.
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

// List is a list of diagnostics. A List is also an error, with the text of the first diagnostic.
type List []*Diagnostic

// Add appends a diagnostic.
func (l *List) Add(code Code, pos Pos, hint, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Pos: pos, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
	*l = append(*l, d)
	return d
}

// Error returns the text of the first diagnostic, and the number of further diagnostics.
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no diagnostics"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", l[0], len(l)-1)
}

// ofConstruct reports whether diagnostics with code c are about a construct in a function body. A
// construct may have several diagnostics with different messages, for different calls and generic
// instances of the function.
func (c Code) ofConstruct() bool { return c > 100 && c < 500 }

// Sort sorts the list by position and removes duplicates. If several diagnostics have the same code
// and construct in the user's code, Sort keeps only one of these diagnostics. For a construct in a
// library, Sort keeps one diagnostic for each call in the user's code that leads to the construct.
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

// WriteText prints the list for people and editors. Each diagnostic is printed on one line. The
// related positions and the hint of a diagnostic follow on indented lines.
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

// WriteHelp prints a line with the command that explains the codes in the list. For an empty list WriteHelp prints
// nothing. Parameter `kgen` is the user's command for kgen, such as "go tool kgen".
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

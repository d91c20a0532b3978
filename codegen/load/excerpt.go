package load

// This file extracts the source declarations that contain given positions.

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Excerpt is a range of lines of a file.
type Excerpt struct {
	File  string // file name in the notation of ir.Pos
	Line  int    // number of the first line
	Lines []string
}

// If a declaration has more than maxDecl lines, only the lines near its positions are shown.
const (
	maxDecl = 400
	around  = 8
)

// Excerpts returns the top-level declarations that contain the given positions, with their
// comments. Files are sorted by the index of their first position in the list "at". Declarations of
// one file are sorted by line. Unreadable files and positions after the end of a file are skipped.
func (p *Program) Excerpts(at []ir.Pos) []Excerpt {
	var files []string
	lines := map[string][]int{}
	for _, pos := range at {
		if pos.File == "" || pos.Line < 1 {
			continue
		}
		if lines[pos.File] == nil {
			files = append(files, pos.File)
		}
		lines[pos.File] = append(lines[pos.File], pos.Line)
	}
	var all []Excerpt
	for _, file := range files {
		text := p.fileLines(file)
		decls := p.declLines(file)
		var spans []span
		for _, n := range lines[file] {
			if n > len(text) {
				continue
			}
			i := slices.IndexFunc(decls, func(s span) bool { return s.from <= n && n <= s.to })
			if i >= 0 && decls[i].to-decls[i].from < maxDecl {
				spans = append(spans, decls[i])
			} else {
				spans = append(spans, span{max(1, n-around), n + around})
			}
		}
		for _, s := range mergeSpans(spans) {
			to := min(s.to, len(text))
			all = append(all, Excerpt{file, s.from, text[s.from-1 : to]})
		}
	}
	return all
}

// A span is a range of lines. The first and the last line (fields "from" and "to") belong to the
// range.
type span struct{ from, to int }

// mergeSpans sorts spans by line, and merges spans that overlap, touch, or are separated by a
// single line.
func mergeSpans(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to+2 {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// declLines returns the line spans of a file's declarations. Each declaration inside a
// parenthesized group has its own span.
func (p *Program) declLines(file string) []span {
	var spans []span
	add := func(n ast.Node, doc *ast.CommentGroup) {
		from := n.Pos()
		if doc != nil {
			from = doc.Pos()
		}
		spans = append(spans, span{p.lineOf(from), p.lineOf(n.End())})
	}
	for _, f := range p.trees {
		if p.Pos(f.Package).File != file {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				add(d, d.Doc)
			case *ast.GenDecl:
				if !d.Lparen.IsValid() || d.Tok == token.CONST {
					add(d, d.Doc)
					continue
				}
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						add(s, s.Doc)
					case *ast.ValueSpec:
						add(s, s.Doc)
					}
				}
			}
		}
	}
	return spans
}

func (p *Program) lineOf(pos token.Pos) int { return p.Fset.Position(pos).Line }

// Line returns a line of a source without leading and trailing space. If the file cannot be read,
// Line returns "".
func (p *Program) Line(at ir.Pos) string {
	if lines := p.fileLines(at.File); at.Line > 0 && at.Line <= len(lines) {
		return strings.TrimSpace(lines[at.Line-1])
	}
	return ""
}

// fileLines returns the lines of a file, or nil if the file cannot be read.
func (p *Program) fileLines(file string) []string {
	for _, abs := range slices.Sorted(maps.Keys(p.files)) {
		if p.files[abs] != file {
			continue
		}
		text, ok := p.made[abs]
		if !ok {
			b, err := os.ReadFile(abs)
			if err != nil {
				return nil
			}
			text = string(b)
		}
		return strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	}
	return nil
}

// Canonical returns the name that positions in modules use for a file. shownPath is the file's path
// in diagnostics. If the file belongs to no loaded package, Canonical returns shownPath.
func (p *Program) Canonical(shownPath string) string {
	for abs, name := range p.files {
		if abs == shownPath || shortName(p.dir, abs) == shownPath {
			return name
		}
	}
	return shownPath
}

// Folders returns the absolute paths of all folders that contain loaded packages of the main
// module.
func (p *Program) Folders() []string { return slices.Sorted(maps.Keys(p.own)) }

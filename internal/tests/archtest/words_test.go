package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/golden"
)

// wording counts the comments of a package that are hard to read.
type wording struct {
	lines  int // of comments
	what   int // lines with the word "what"
	fields int // comments of fields that begin with a preposition
}

var (
	whatWord = regexp.MustCompile(`(?i)\bwhat\b`)
	// preposition begins a field comment that goes on from the field's name, such as
	// "of loops that are unrolled".
	preposition = regexp.MustCompile(`^(?:of|in|on|at|by|for|from|to|with|without|within|behind|after|before|between|under|over|per) `)
)

// add counts the comments of a file.
func (w *wording) add(text []byte) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(f) {
		return nil
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			for line := range strings.Lines(c.Text) {
				w.lines++
				if whatWord.MatchString(line) {
					w.what++
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, g := range []*ast.CommentGroup{field.Doc, field.Comment} {
					if g != nil && preposition.MatchString(strings.TrimSpace(g.Text())) {
						w.fields++
					}
				}
			}
		}
		return true
	})
	return nil
}

// TestWords keeps comments from becoming harder to read: in no package does the share of comment
// lines with the word "what" grow, nor the number of field comments that begin with a preposition.
// words.txt has the counts; -update writes them.
func TestWords(t *testing.T) {
	const root = "../../.."
	got := map[string]*wording{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "generated") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if got[dir] == nil {
			got[dir] = &wording{}
		}
		return got[dir].add(text)
	})
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updating() {
		var b strings.Builder
		b.WriteString("# package, comment lines, those with the word \"what\", field comments that begin with a preposition\n")
		for _, dir := range slices.Sorted(maps.Keys(got)) {
			if w := got[dir]; w.what+w.fields > 0 {
				fmt.Fprintln(&b, dir, w.lines, w.what, w.fields)
			}
		}
		golden.Equal(t, "words.txt", []byte(b.String()))
		return
	}
	text, err := os.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]wording{}
	for line := range strings.Lines(string(text)) {
		var dir string
		var w wording
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscan(line, &dir, &w.lines, &w.what, &w.fields); err != nil {
			t.Fatalf("words.txt: %q: %v", line, err)
		}
		allowed[dir] = w
	}
	for _, dir := range slices.Sorted(maps.Keys(got)) {
		w, was := *got[dir], allowed[dir]
		if w.what > was.what && w.what*was.lines >= was.what*w.lines { // not where other comments went
			t.Errorf("%s: %d of %d comment lines have the word \"what\", %d of %d before: name the subject", dir, w.what, w.lines, was.what, was.lines)
		}
		if w.fields > was.fields {
			t.Errorf("%s: %d field comments begin with a preposition, %d before: write a noun phrase", dir, w.fields, was.fields)
		}
	}
}

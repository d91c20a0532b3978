package archtest

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// pages returns the pages for people, relative to the repository's root.
func pages(t *testing.T) []string {
	pages := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	docs, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(docs) < 5 {
		t.Fatalf("%d pages in docs: %v", len(docs), err)
	}
	for _, f := range docs {
		pages = append(pages, "docs/"+filepath.Base(f))
	}
	examples, err := filepath.Glob("../../../examples/*/README.md")
	if err != nil || len(examples) < 4 {
		t.Fatalf("%d pages of examples: %v", len(examples), err)
	}
	for _, f := range examples {
		pages = append(pages, "examples/"+filepath.Base(filepath.Dir(f))+"/README.md")
	}
	return pages
}

// TestPages follows the links of all pages, and reads their Go.
func TestPages(t *testing.T) {
	links, files := 0, 0
	for _, page := range pages(t) {
		p, err := readPage(filepath.Join("../../..", page))
		if err != nil {
			t.Fatal(err)
		}
		links += len(p.links)
		for _, l := range p.links {
			if err := follow(filepath.Join("../../..", page), l.target); err != nil {
				t.Errorf("%s:%d: %v", page, l.line, err)
			}
		}
		for _, b := range p.blocks {
			if b.language != "go" || !wholeFile(b.text) {
				continue
			}
			files++
			if err := checkGo(b.text); err != nil {
				t.Errorf("%s:%d: %v", page, b.line, err)
			}
		}
	}
	if links < 50 || files < 2 {
		t.Errorf("%d links and %d Go files: are they found?", links, files)
	}
}

// TestIndex: the README leads to each page in docs.
func TestIndex(t *testing.T) {
	p, err := readPage("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, l := range p.links {
		name, _, _ := strings.Cut(l.target, "#")
		linked[name] = true
	}
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "docs/") && !linked[page] {
			t.Errorf("README.md has no link to %s", page)
		}
	}
}

// TestNames: what pages for users call names of kgen's packages are such.
func TestNames(t *testing.T) {
	exported := map[string]bool{}
	for _, pkg := range []string{"dsl", "dsl/half", "dsl/math32", "runtime", "properties"} {
		if err := addExported(exported, pkg); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	pattern := regexp.MustCompile(`\b(?:dsl|half|math32|runtime|properties|it|Device|Queue|Event|View|Buffer|Graph|ExecutableGraph)\.[A-Z]\w*`)
	for _, page := range pages(t) {
		if page == "ARCHITECTURE.md" { // which names what is inside, too
			continue
		}
		text, err := os.ReadFile(filepath.Join("../../..", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pattern.FindAllString(string(text), -1) {
			found++
			_, member, _ := strings.Cut(name, ".")
			if !exported[name] && !strings.HasPrefix(member, "Test") { // TestTable looks for tests
				t.Errorf("%s: there is no %s", page, name)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d names", found)
	}
}

// addExported adds the exported names of a package as pkg.Name and Type.Method, and methods of
// items as it.Method.
func addExported(names map[string]bool, pkg string) error {
	files, err := filepath.Glob(filepath.Join("../../..", pkg, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[path.Base(pkg)+"."+d.Name.Name] = true
					continue
				}
				of := receiver(d.Recv.List[0].Type)
				names[of+"."+d.Name.Name] = true
				if strings.Contains(of, "Item") {
					names["it."+d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[path.Base(pkg)+"."+s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[path.Base(pkg)+"."+n.Name] = true
						}
					}
				}
			}
		}
	}
	return nil
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// page is what a page has of links, headings and code.
type page struct {
	links   []link
	anchors map[string]bool
	blocks  []block
}

type link struct {
	line   int
	target string
}

// block is a fenced block of code.
type block struct {
	line           int
	language, text string
}

var (
	linkPattern = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	codePattern = regexp.MustCompile("`[^`]*`")
)

func readPage(name string) (*page, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parsePage(string(text)), nil
}

// parsePage reads the part of Markdown that the pages are written in.
func parsePage(text string) *page {
	p := &page{anchors: map[string]bool{}}
	var open *block
	number := 0
	for line := range strings.Lines(text) {
		number++
		if language, fence := strings.CutPrefix(line, "```"); fence {
			if open == nil {
				open = &block{line: number, language: strings.TrimSpace(language)}
			} else {
				p.blocks, open = append(p.blocks, *open), nil
			}
			continue
		}
		if open != nil {
			open.text += line
			continue
		}
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			anchor := anchorOf(heading)
			for n := 1; p.anchors[anchor]; n++ { // a heading that there is twice
				anchor = fmt.Sprintf("%s-%d", anchorOf(heading), n)
			}
			p.anchors[anchor] = true
		}
		for _, m := range linkPattern.FindAllStringSubmatch(codePattern.ReplaceAllString(line, "x"), -1) {
			p.links = append(p.links, link{number, m[1]})
		}
	}
	if open != nil {
		p.links = append(p.links, link{open.line, "a block of code that does not end"})
	}
	return p
}

// anchorOf returns what a heading is called in links, as GitHub does it.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// follow says what is wrong with a link of a page; those to other sites it leaves alone.
func follow(from, target string) error {
	if u, err := url.Parse(target); err != nil || u.Scheme == "https" {
		return err
	}
	name, anchor, _ := strings.Cut(target, "#")
	to := from
	if name != "" {
		to = filepath.Join(filepath.Dir(from), filepath.FromSlash(name))
	}
	if _, err := os.Stat(to); err != nil {
		return fmt.Errorf("the link %s leads to no file", target)
	}
	if anchor == "" {
		return nil
	}
	p, err := readPage(to)
	if err != nil {
		return err
	}
	if !p.anchors[anchor] {
		return fmt.Errorf("the link %s leads to no heading of %s", target, filepath.Base(to))
	}
	return nil
}

// wholeFile reports whether a block of Go is a file rather than a part of one.
func wholeFile(text string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.PackageClauseOnly)
	return err == nil
}

// checkGo says what is wrong with a file of Go.
func checkGo(text string) error {
	out, err := format.Source([]byte(text))
	if err == nil && string(out) != text {
		err = fmt.Errorf("not as gofmt writes it:\n%s", text)
	}
	return err
}

func TestParsePage(t *testing.T) {
	p := parsePage("# `kgen view`: a page, A_b-c\n## Twice\n## Twice\n[x](a.md) `[no](link)` ![p](b.png) [y](#twice-1)\n```go\n[no](link)\n# no heading\n```\n")
	if len(p.links) != 3 || p.links[2] != (link{4, "#twice-1"}) {
		t.Errorf("links %v", p.links)
	}
	if len(p.anchors) != 3 || !p.anchors["kgen-view-a-page-a_b-c"] || !p.anchors["twice"] || !p.anchors["twice-1"] {
		t.Errorf("anchors %v", p.anchors)
	}
	if len(p.blocks) != 1 || p.blocks[0] != (block{5, "go", "[no](link)\n# no heading\n"}) {
		t.Errorf("blocks %+v", p.blocks)
	}
	if p := parsePage("```\nx"); len(p.links) != 1 {
		t.Error("a block that does not end is not found")
	}
	for text, want := range map[string][2]bool{
		"package x\n":              {true, true},
		"// Package x.\npackage x": {true, false},
		"package x\nfunc {":        {true, false},
		"x := 1\n":                 {false, false},
	} {
		if whole, err := wholeFile(text), checkGo(text); whole != want[0] || whole && (err == nil) != want[1] {
			t.Errorf("%q: %v, %v", text, whole, err)
		}
	}
	for target, want := range map[string]bool{
		"docs_test.go": true, "nothing.md": false, "../../../README.md#develop": true, "../../../README.md#nothing": false,
		"https://example.com/nothing": true, "..": true, "#nothing": false,
	} {
		if err := follow("docs_test.go", target); (err == nil) != want {
			t.Errorf("%s: %v", target, err)
		}
	}
}

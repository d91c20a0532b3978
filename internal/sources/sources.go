// Package sources compares the Go files of packages with what they were when kgen
// compiled the kernels that they hold. It knows tokens only, so that it costs programs
// little.
package sources

import (
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
)

// Folder returns the rows of the Go files in a folder that make up the package of the
// given name on some platform, by their names below root. Tests are left out, and so are
// files of other packages, such as programs that are built on their own.
func Folder(root, dir, pkg string) ([]abi.Source, error) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, err
	}
	var rows []abi.Source
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(dir), name))
		if err != nil {
			return nil, err
		}
		if in, sum := Sum(text); in == pkg {
			rows = append(rows, abi.Source{File: path.Join(dir, name), Package: pkg, Sum: sum})
		}
	}
	return rows, nil
}

// Change is a file that is not what it was.
type Change struct {
	File string // its name below the module's root
	What string // what happened to it
}

func (c Change) String() string { return c.File + " " + c.What }

// Changes returns what has changed of the files that rows has, and which files have been
// added to their folders. There is none where the sources are not there: no folder, or
// none that can be read.
func Changes(root string, rows []abi.Source) (changes []Change) {
	var dirs []string
	for _, r := range rows {
		if dir := path.Dir(r.File); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		var old []abi.Source
		for _, r := range rows {
			if path.Dir(r.File) == dir {
				old = append(old, r)
			}
		}
		now, err := Folder(root, dir, old[0].Package)
		if err != nil {
			return nil
		}
		at := func(list []abi.Source, file string) int {
			return slices.IndexFunc(list, func(r abi.Source) bool { return r.File == file })
		}
		for _, r := range old {
			if i := at(now, r.File); i < 0 {
				changes = append(changes, Change{r.File, "is gone"})
			} else if now[i].Sum != r.Sum {
				changes = append(changes, Change{r.File, "has changed"})
			}
		}
		for _, r := range now {
			if at(old, r.File) < 0 {
				changes = append(changes, Change{r.File, "is new"})
			}
		}
	}
	return changes
}

// Command is what to run where generated code is out of date.
func Command(root string) string { return fmt.Sprintf("go generate ./... in %s", root) }

// Sum returns the name of a file's package, and the checksum of its tokens. Comments
// but for directives, white space and other things that gofmt chooses make no
// difference.
func Sum(text []byte) (pkg string, sum uint32) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, scanner.ScanComments)
	var b strings.Builder
	held := "" // a semicolon or comma, which means nothing before a bracket is closed
	named := false
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return pkg, abi.Sum(b.String())
		case token.COMMENT:
			if !isDirective(lit) {
				continue
			}
		case token.SEMICOLON, token.COMMA:
			b.WriteString(held)
			held = tok.String() + "\x00"
			continue
		case token.RPAREN, token.RBRACK, token.RBRACE:
			held = ""
		case token.IDENT:
			if named && pkg == "" {
				pkg = lit
			}
		}
		named = tok == token.PACKAGE || named && tok == token.COMMENT
		if lit == "" {
			lit = tok.String()
		}
		b.WriteString(held + lit + "\x00")
		held = ""
	}
}

// isDirective reports whether a comment may change what a kernel compiles to.
func isDirective(comment string) bool {
	return strings.HasPrefix(comment, "//kgen:") || strings.HasPrefix(comment, "//go:") && !strings.HasPrefix(comment, "//go:generate ")
}

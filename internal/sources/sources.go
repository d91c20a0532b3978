// Package sources finds Go files that have changed since kgen compiled the kernels in them. For the comparison, package
// sources computes checksums of the files' tokens. Computing the checksums takes little time.
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

// Folder returns records with the checksums of the Go files of package pkg in folder dir, for all platforms. File
// names in the records are relative to root. Folder omits tests, and files of other packages in the folder.
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

// Change describes a file that has changed.
type Change struct {
	File string // name of the file, relative to the module's root
	What string // how the file has changed
}

func (c Change) String() string { return c.File + " " + c.What }

// Changes returns the recorded files that have changed, and the files that have been added to their folders.
// Changes ignores folders that do not exist or cannot be read.
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

// Command returns the command line that regenerates code that is out of date.
func Command(root string) string { return fmt.Sprintf("go generate ./... in %s", root) }

// Sum returns the name of a file's package, and a checksum of the file's tokens. White space, and comments
// that are not directives, do not change the checksum.
func Sum(text []byte) (pkg string, sum uint32) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, scanner.ScanComments)
	var b strings.Builder
	held := "" // a semicolon or comma, which is optional before a closing bracket
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

// isDirective reports whether a comment may change the compiled kernel.
func isDirective(comment string) bool {
	return strings.HasPrefix(comment, "//kgen:") || strings.HasPrefix(comment, "//go:") && !strings.HasPrefix(comment, "//go:generate ")
}

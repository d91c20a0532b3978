package kerneltext

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/gostub"
)

// library is what the packages of TestBorrowed import.
const library = `package lib

import "github.com/kgen-go/kgen/dsl"

type Map[T any] struct{ Out []T }

func (k Map[T]) Kernel(it dsl.Item1) {}

type Clear struct{ Out []int32 }

func (k *Clear) Kernel(it dsl.Item1) {}

type Wrap struct{ Clear }

type Of[T any] = Map[T]

type Ints = Map[int]

type Plain[T any] struct{ X T }

func (Plain[T]) Run() {}
`

func TestBorrowed(t *testing.T) {
	const none, kernel, generic, both = "", "kernel", "generic", "kernel generic"
	for _, c := range []struct{ decls, want string }{
		{"func f() {\n\tx = lib.Map[1]\n}", none},
		{"var x = lib.Map[0]", none},
		{"type A = lib.Map[int]", kernel},
		{"type A = *lib.Map[int]", none}, // a pointer's type declares no kernel
		{"type A = (*(lib.Map[int]))", none},
		{"type A *lib.Wrap", none},
		{"type A = *lib.Map[int]\n\ntype B = A", none},
		{"type A = (lib.Map[int])", kernel},
		{"type (\n\tB = int\n\tA = lib.Of[int]\n)", kernel},
		{"type A = lib.Ints", kernel},
		{"type A = lib.Clear", none},
		{"type A lib.Clear", none},
		{"type A lib.Wrap", kernel},
		{"type A struct{ lib.Clear }", kernel},
		{"type A struct{ *lib.Clear }", kernel},
		{"type A struct{ *lib.Map[int] }", kernel},
		{"type A struct{ B lib.Clear }", none},
		{"type A struct{ lib.Map[int] }", kernel},
		{"type A[T any] struct{ lib.Map[T] }", generic},
		{"type A[T any] = lib.Map[T]", none},
		{"type A[T any] struct{ lib.Map[T] }\n\ntype B = A[int]", both},
		{"type A[T any] = lib.Map[T]\n\ntype B = A[int]", kernel},
		{"type A = lib.Plain[int]\n\ntype B struct{ lib.Plain[int] }", none},
		{"type A = lib.Nothing[int]", kernel}, // which types say is not declared
		{"type A struct{ lib.Nothing }", none},
		{"type A = stubs.View[int]", none}, // generated
		{"type A = absent.Map[int]", kernel},
		{"type A struct{ absent.Thing }", none},
		{"type A = A", none},
		{"type A struct{ B }\n\ntype B struct{ A }", none},
		{"type A interface{ lib.Map[int] }", none},
		{"type A struct {", kernel},
		{"type A [3]lib.Clear", none},
	} {
		files := map[string]string{"lib.go": library, "k.go": "package k\n\nimport (\n\t\"example.com/absent\"\n\t\"example.com/go-lib\"\n\t\"example.com/stubs\"\n)\n\n" + c.decls,
			"gen.go": gostub.Header + "\npackage k\n\nimport \"example.com/go-lib\"\n\ntype G = lib.Map[int]\n"}
		f := Finder{Read: func(name string) ([]byte, error) {
			if text, ok := files[name]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}}
		lib := &Package{Path: "example.com/go-lib", Name: "lib", Files: []string{"lib.go"}, Imports: map[string]*Package{dslPath: {Path: dslPath, Name: "dsl"}}}
		stubs := &Package{Path: "example.com/stubs", Name: "stubs", Files: []string{"gen.go"}, Imports: lib.Imports}
		k := &Package{Path: "example.com/k", Name: "k", Files: []string{"k.go", "gen.go"}, Imports: map[string]*Package{
			"example.com/go-lib": lib, "example.com/stubs": stubs, "example.com/absent": {Path: "example.com/absent", Missing: true}}}
		isKernel, isGeneric, err := f.Borrowed(k)
		var got []string
		if isKernel {
			got = append(got, kernel)
		}
		if isGeneric {
			got = append(got, generic)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v, want %q", c.decls, got, err, c.want)
		}
	}
}

package archtest

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/kgen-go/kgen/internal/tests/sample"
)

// TestPorts type-checks the packages that users build without cgo on ports where no test runs. Some ports have
// the Vulkan backend, others do not, and on some an int has 32 bits. Everything that they import is checked from source for that port,
// which finds what a compiler would, and takes a tenth of its time. The standard library is right: of
// its packages, declarations alone are read. Where an int has 32 bits, kgen itself is checked, too.
func TestPorts(t *testing.T) {
	std := filepath.Join(build.Default.GOROOT, "src") + string(filepath.Separator)
	for _, port := range []struct{ os, arch string }{{"windows", "amd64"}, {"linux", "386"}, {"darwin", "arm64"}, {"freebsd", "amd64"}, {"windows", "arm64"}, {"darwin", "amd64"}, {"linux", "arm64"}, {"linux", "riscv64"}, {"android", "arm64"}}[:sample.Of(9, 2)] {
		patterns := []string{"./dsl/...", "./runtime/...", "./prim/...", "./generated/..."}
		if port.arch == "386" {
			patterns = append(patterns, "./checked", "./cmd/kgen")
		}
		t.Run(port.os+"/"+port.arch, func(t *testing.T) {
			pkgs, err := packages.Load(&packages.Config{
				Mode: packages.LoadAllSyntax,
				Dir:  "../../..",
				Env:  append(os.Environ(), "GOOS="+port.os, "GOARCH="+port.arch, "CGO_ENABLED=0"),
				ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
					file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
					if file != nil && strings.HasPrefix(name, std) {
						declareOnly(file)
					}
					return file, err
				},
			}, patterns...)
			if err != nil {
				t.Fatal(err)
			}
			if len(pkgs) < 20 {
				t.Errorf("only %d packages", len(pkgs))
			}
			packages.Visit(pkgs, nil, func(p *packages.Package) {
				if !strings.HasPrefix(p.Dir, std) {
					for _, err := range p.Errors {
						t.Error(err)
					}
				}
			})
		})
	}
}

// declareOnly takes the bodies of functions out of a file.
func declareOnly(file *ast.File) {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}

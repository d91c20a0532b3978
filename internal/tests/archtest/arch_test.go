// Package archtest holds the rules of who may import whom. It is a statement of
// policy: to change a rule is to change the architecture.
package archtest

import (
	"path"
	"slices"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/kgen-go/kgen"

// rule forbids imports. Patterns are paths below the module, which begin with
// "./", or import paths of others; "x/..." is x and all below it.
type rule struct {
	name     string
	packages string // who the rule is about; several are separated by spaces
	but      string // who of them it is not about
	never    string // what they may not import
	except   string // what of that they may
	deep     bool   // neither may what they import within the module
}

var rules = []rule{
	{name: "codegen knows nothing of the runtime", packages: "./codegen/... ./cmd/...", never: "./runtime/... ./generated/...", deep: true},
	{name: "the runtime shares only the pure back half of codegen", packages: "./runtime/... ./generated/...",
		never: "./codegen/... ./cmd/...", except: "./codegen/ir ./codegen/ir/interp ./codegen/back ./codegen/pass/... ./codegen/spirv ./codegen/spirv/emit ./codegen/spirv/features ./codegen/spirv/valid"},
	{name: "only load, constinit, check and lower see go/types and go/ssa", packages: "./...", but: "./codegen/constinit ./codegen/internal/gotypes ./codegen/load ./codegen/check/... ./codegen/lower ./codegen/vet ./cmd/kgenvet",
		never: "go/types golang.org/x/tools/..."},
	{name: "only gostub writes Go", packages: "./...", but: "./codegen/gostub", never: "github.com/dave/jennifer/..."},
	{name: "only vkx sees the binding of Vulkan", packages: "./...", but: "./runtime/internal/vkx", never: "github.com/vulkan-go/..."},
	{name: "cgo stands in the bindings of Vulkan and CUDA", packages: "./...", but: "./runtime/internal/vkx ./runtime/internal/cuda", never: "C"},
	{name: "cuda is a leaf", packages: "./runtime/internal/cuda", never: "./..."},
	{name: "only the package that programs import for it makes them dynamic", packages: "./...", but: "./runtime/purego", never: "github.com/ebitengine/..."},

	{name: "load is the first stage", packages: "./codegen/load", never: "./codegen/...", except: "./codegen/constinit ./codegen/diag ./codegen/internal/gotypes ./codegen/internal/kerneltext ./codegen/ir"},
	{name: "check takes load's program", packages: "./codegen/check/...", never: "./codegen/...",
		except: "./codegen/check/... ./codegen/diag ./codegen/internal/gotypes ./codegen/load ./codegen/ir"},
	{name: "lower takes load's program", packages: "./codegen/lower", never: "./codegen/...",
		except: "./codegen/constinit ./codegen/diag ./codegen/internal/gotypes ./codegen/load ./codegen/ir"},
	{name: "constinit is asked by load and lower", packages: "./codegen/constinit", never: "./...", except: "./codegen/internal/gotypes ./dsl/half ./properties"},
	{name: "gotypes is a leaf", packages: "./codegen/internal/gotypes", never: "./..."},
	{name: "pass is ir to ir", packages: "./codegen/pass/...", never: "./codegen/...", except: "./codegen/diag ./codegen/ir ./codegen/pass/..."},
	{name: "rewrite is the first room of pass", packages: "./codegen/pass/rewrite", never: "./codegen/pass/..."},
	{name: "facts come from code that rewrite arranges", packages: "./codegen/pass/facts", never: "./codegen/pass/...", except: "./codegen/pass/rewrite"},
	{name: "uniform asks facts about values", packages: "./codegen/pass/uniform", never: "./codegen/pass/...", except: "./codegen/pass/rewrite ./codegen/pass/facts"},
	{name: "simplify is the last room that others build on", packages: "./codegen/pass/simplify", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts ./codegen/pass/uniform"},
	{name: "memory is about one work-item's code", packages: "./codegen/pass/memory", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts ./codegen/pass/simplify"},
	{name: "numbers are about one work-item's values", packages: "./codegen/pass/numbers", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts ./codegen/pass/simplify"},
	{name: "checks know no other room of passes", packages: "./codegen/pass/checks", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts ./codegen/pass/uniform ./codegen/pass/simplify"},
	{name: "loops know no other room of passes", packages: "./codegen/pass/loops", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts ./codegen/pass/uniform ./codegen/pass/simplify"},
	{name: "items are copied as they are", packages: "./codegen/pass/items", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts"},
	{name: "lanes know no other room of passes", packages: "./codegen/pass/lanes", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts ./codegen/pass/uniform ./codegen/pass/simplify"},
	{name: "structurize looks at edges and phis alone", packages: "./codegen/pass/structurize", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts"},
	{name: "quirks simplify nothing", packages: "./codegen/pass/quirks", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts"},
	{name: "split64 shares with numbers and quirks what they do once more", packages: "./codegen/pass/split64", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts ./codegen/pass/simplify ./codegen/pass/numbers ./codegen/pass/quirks"},
	{name: "link joins modules before the rooms of single passes change them", packages: "./codegen/pass/link", never: "./codegen/pass/...",
		except: "./codegen/pass/rewrite ./codegen/pass/facts ./codegen/pass/uniform ./codegen/pass/simplify ./codegen/pass/memory"},
	{name: "only fusion and variants ask the compiler", packages: "./runtime/...", but: "./runtime/internal/fusion ./runtime/internal/variants ./runtime/internal/backendtest", never: "./codegen/back ./codegen/pass/..."},
	{name: "split64 comes after all rooms", packages: "./codegen/pass/...", but: "./codegen/pass", never: "./codegen/pass ./codegen/pass/split64"},
	{name: "emit is ir to SPIR-V", packages: "./codegen/spirv/emit", never: "./codegen/...", except: "./codegen/ir ./codegen/spirv ./codegen/spirv/features"},
	{name: "back is lowered modules to SPIR-V, without Go's syntax", packages: "./codegen/back", never: "./codegen/... go/ast go/token go/types golang.org/x/tools/...",
		except: "./codegen/diag ./codegen/ir ./codegen/pass/... ./codegen/spirv ./codegen/spirv/emit ./codegen/spirv/features", deep: true},
	{name: "gostub takes abi values", packages: "./codegen/gostub", never: "./codegen/..."},
	{name: "gohost is ir to Go", packages: "./codegen/gohost", never: "./...", except: "./abi ./codegen/ir ./internal/matrix"},
	{name: "ir is above abi alone", packages: "./codegen/ir", never: "./...", except: "./abi ./properties ./internal/matrix"},
	{name: "matrix is a leaf", packages: "./internal/matrix", never: "./..."},
	{name: "spirv is a leaf", packages: "./codegen/spirv", never: "./..."},
	{name: "features joins SPIR-V's names with those of aspects", packages: "./codegen/spirv/features", never: "./...", except: "./codegen/spirv ./properties"},
	{name: "valid is above spirv alone", packages: "./codegen/spirv/valid", never: "./...", except: "./codegen/spirv ./codegen/spirv/features"},
	{name: "diag is a leaf", packages: "./codegen/diag", never: "./..."},
	{name: "kerneltext is a leaf", packages: "./codegen/internal/kerneltext", never: "./..."},
	{name: "report words results, and compiles nothing", packages: "./codegen/report", never: "./...",
		except: "./abi ./codegen/back ./codegen/diag ./codegen/gostub ./codegen/ir ./codegen/load ./codegen/pass ./codegen/pass/facts ./codegen/spirv ./codegen/spirv/emit ./codegen/view ./dsl/half"},
	{name: "view is a leaf", packages: "./codegen/view", never: "./..."},
	{name: "the command has flags and nothing else", packages: "./cmd/kgen", never: "./...", except: "./codegen ./codegen/report ./codegen/devices ./codegen/starter ./abi"},
	{name: "devices writes a program, and imports nothing of what it asks", packages: "./codegen/devices", never: "./...", except: "./codegen/internal/kerneltext ./codegen/internal/stubtext ./internal/sources"},
	{name: "the first kernel is templates", packages: "./codegen/starter", never: "./...", except: "./codegen"},
	{name: "the vet tool is the analyzers and their server", packages: "./cmd/kgenvet", never: "./...", except: "./codegen/vet ./codegen/vet/lsp"},
	{name: "vet joins check's rules with what compiling finds", packages: "./codegen/vet", never: "./...", except: "./abi ./codegen ./codegen/check ./codegen/diag ./codegen/internal/stubtext ./codegen/load ./codegen/lower ./internal/sources"},

	{name: "the runtime reads no Go but its tokens", packages: "./runtime/... ./internal/sources", never: "go/ast go/parser go/build"},

	// The first build of a program or a tool compiles the standard library's packages, too.
	{name: "the tools are compiled without HTTP and TLS", packages: "./cmd/... ./codegen/...", never: "net/http net/textproto crypto/tls"},
	{name: "only the server of kgen view listens", packages: "./cmd/... ./codegen/...", but: "./cmd/kgen", never: "net"},
	{name: "programs are compiled without the standard library's large packages", never: "crypto/... go/ast go/types net net/... regexp text/template",
		packages: "./abi ./dsl/... ./prim/... ./properties ./runtime/... ./internal/env ./internal/sources ./internal/dslhook ./internal/checkhook ./internal/modulehook ./internal/memoryhook ./codegen/back ./codegen/diag ./codegen/ir/... ./codegen/pass/... ./codegen/spirv/..."},

	{name: "properties is a leaf", packages: "./properties", never: "./..."},
	{name: "abi is above properties alone", packages: "./abi", never: "./...", except: "./properties"},
	{name: "kernels import no runtime", packages: "./dsl/... ./properties", never: "./runtime/... ./codegen/... ./generated/...", deep: true},
	{name: "kernels of prim import dsl, properties and look-back alone", packages: "./prim/reduce/kernels ./prim/move/kernels ./prim/pick/kernels ./prim/scan/kernels ./prim/sort/kernels ./prim/hist/kernels ./prim/rand/kernels ./prim/fft/kernels ./prim/blas/kernels ./prim/runs", never: "./...", except: "./dsl/... ./properties ./prim/lookback"},
	{name: "kernels of sparse import those of blas, too", packages: "./prim/sparse/kernels", never: "./...", except: "./dsl/... ./properties ./prim/blas/kernels"},
	{name: "look-back is a part of kernels", packages: "./prim/lookback", never: "./...", except: "./dsl"},
	{name: "nothing that prim is built on is built on it", packages: "./abi ./checked ./cmd/... ./codegen/... ./dsl/... ./properties ./runtime/...", never: "./prim/... ./generated/prim/...", deep: true},
	{name: "families of prim know their own kernels and the runtime", packages: "./prim/...", but: "./prim/reduce/... ./prim/move/... ./prim/pick/... ./prim/scan/... ./prim/sort/... ./prim/hist/... ./prim/rand/... ./prim/fft/... ./prim/blas/... ./prim/sparse/... ./prim/lookback ./prim/runs ./prim/internal/keyed", never: "./...", except: "./prim/... ./runtime ./runtime/primimpl ./dsl/half"},
	{name: "reduce knows no other family", packages: "./prim/reduce", never: "./...", except: "./prim ./prim/internal/... ./prim/lookback ./prim/runs ./generated/prim/runs ./prim/reduce/kernels ./generated/prim/reduce/... ./runtime ./runtime/primimpl"},
	{name: "move knows no other family", packages: "./prim/move", never: "./...", except: "./prim ./prim/internal/... ./prim/move/kernels ./generated/prim/move/... ./runtime ./runtime/primimpl"},
	{name: "pick knows no other family", packages: "./prim/pick", never: "./...", except: "./prim ./prim/internal/... ./prim/lookback ./prim/pick/kernels ./generated/prim/pick/... ./runtime ./runtime/primimpl"},
	{name: "scan knows no other family", packages: "./prim/scan", never: "./...", except: "./prim ./prim/internal/... ./prim/lookback ./prim/runs ./generated/prim/runs ./prim/scan/kernels ./generated/prim/scan/... ./runtime ./runtime/primimpl"},
	{name: "sort knows no other family", packages: "./prim/sort", never: "./...", except: "./prim ./prim/internal/... ./prim/lookback ./prim/sort/kernels ./generated/prim/sort/... ./runtime ./runtime/primimpl"},
	{name: "hist knows no other family", packages: "./prim/hist", never: "./...", except: "./prim ./prim/internal/... ./prim/hist/kernels ./generated/prim/hist/... ./runtime ./runtime/primimpl"},
	{name: "rand knows no other family", packages: "./prim/rand", never: "./...", except: "./prim ./prim/internal/... ./prim/rand/kernels ./generated/prim/rand/... ./runtime ./runtime/primimpl"},
	{name: "fft knows no other family", packages: "./prim/fft", never: "./...", except: "./prim ./prim/internal/... ./prim/fft/kernels ./generated/prim/fft/... ./dsl ./properties ./runtime ./runtime/primimpl"},
	{name: "blas knows no other family", packages: "./prim/blas", never: "./...", except: "./prim ./prim/internal/... ./prim/blas/kernels ./generated/prim/blas/... ./dsl/half ./properties ./runtime ./runtime/primimpl"},
	{name: "sparse knows sort and no other family", packages: "./prim/sparse", never: "./...", except: "./prim ./prim/internal/... ./prim/sort ./prim/sparse/kernels ./generated/prim/sparse/... ./runtime ./runtime/primimpl"},
	{name: "reduce and scan share the launches of runs", packages: "./prim/internal/keyed", never: "./...", except: "./prim/internal/call ./prim/runs ./generated/prim/runs ./runtime ./runtime/primimpl"},
	{name: "only prim calls primimpl", packages: "./...", but: "./prim/... ./internal/bench", never: "./runtime/primimpl"},
	{name: "only generated code calls kernelimpl, and what helps it", packages: "./...", but: "./generated/... ./runtime/kernelimpl ./internal/tests/stubs", never: "./runtime/kernelimpl"},
	{name: "nothing is built on the benchmark suite", packages: "./...", but: "./internal/bench/...", never: "./internal/bench/..."},
	{name: "nothing that ships is built on the packages of tests", packages: "./...", but: "./internal/tests/... ./internal/bench/... ./runtime/internal/fakecuda", never: "./internal/tests/..."},
	{name: "backends know hal, not the API", packages: "./runtime/internal/...", but: "./generated/...", never: "./runtime ./runtime/kernelimpl"},
	{name: "exec is between the API and streams", packages: "./runtime/internal/exec", never: "./runtime/...",
		except: "./runtime/internal/dag ./runtime/internal/fusion ./runtime/internal/hal ./runtime/internal/host ./runtime/internal/launch ./runtime/internal/prints ./runtime/internal/stream"},
	{name: "variants is what generated code asks for, so that other programs lack the compiler", packages: "./...", but: "./runtime/kernelimpl", never: "./runtime/internal/variants"},
	{name: "variants asks the compiler for modules", packages: "./runtime/internal/variants", never: "./...", except: "./abi ./codegen/back"},
	{name: "trace is a leaf", packages: "./runtime/internal/trace", never: "./..."},
	{name: "hal knows no backend", packages: "./runtime/internal/hal", never: "./runtime/...", except: "./runtime/internal/hal"},
}

func matches(patterns, name string) bool {
	for _, p := range strings.Fields(patterns) {
		if below, ok := strings.CutSuffix(p, "/..."); ok && (name == below || strings.HasPrefix(name, below+"/")) {
			return true
		}
		if p == name {
			return true
		}
	}
	return false
}

// local returns a package's name in patterns.
func local(importPath string) string {
	if rest, ok := strings.CutPrefix(importPath, module+"/"); ok {
		return "./" + rest
	}
	return importPath
}

// generatedBeside reports whether a package is what kgen wrote beside a package
// below an internal folder.
func generatedBeside(pkg *packages.Package) bool {
	return slices.ContainsFunc(pkg.GoFiles, func(f string) bool { return strings.HasSuffix(f, "_kgen.go") }) &&
		strings.HasSuffix(path.Base(pkg.PkgPath), "gen")
}

func TestImports(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports, Dir: "../../.."}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 10 {
		t.Fatalf("only %d packages: is this the module's root?", len(pkgs))
	}
	imports := map[string][]string{}
	beside := map[string]bool{}
	for _, p := range pkgs {
		name := local(p.PkgPath)
		beside[name] = generatedBeside(p)
		for i := range p.Imports {
			imports[name] = append(imports[name], local(i))
		}
		sort.Strings(imports[name])
	}
	own := map[string]bool{}
	for _, r := range rules {
		own[r.packages] = true
		for name := range imports {
			if !matches(r.packages, name) || matches(r.but, name) || beside[name] && strings.Contains(r.but, "./generated/...") {
				continue
			}
			check(t, r, name, imports)
		}
	}
	for name := range imports {
		if strings.HasPrefix(name, "./codegen/pass/") && !own[name] {
			t.Errorf("%s has no rule of its own, which says what it may import of the rooms of passes", name)
		}
	}
}

// check checks one rule for one package.
func check(t *testing.T, r rule, name string, imports map[string][]string) {
	seen := map[string]bool{}
	var visit func(at string, way []string)
	visit = func(at string, way []string) {
		if seen[at] {
			return
		}
		seen[at] = true
		for _, i := range imports[at] {
			_, inside := imports[i]
			if matches(r.never, i) && !matches(r.except, i) && i != name {
				t.Errorf("%s: %s imports %s", r.name, strings.Join(append(way, at), " imports "), i)
			}
			if r.deep && inside {
				visit(i, append(way[:len(way):len(way)], at))
			}
		}
	}
	visit(name, nil)
}

// TestRules checks the patterns and that no rule is empty.
func TestRules(t *testing.T) {
	for _, test := range []struct {
		patterns, name string
		want           bool
	}{
		{"./codegen/...", "./codegen", true},
		{"./codegen/...", "./codegen/ir", true},
		{"./codegen/...", "./codegenx", false},
		{"./codegen/ir ./codegen/pass", "./codegen/pass", true},
		{"./codegen/spirv", "./codegen/spirv/emit", false},
		{"./...", "./anything", true},
		{"./...", "runtime", false},
	} {
		if got := matches(test.patterns, test.name); got != test.want {
			t.Errorf("matches(%q, %q) = %v", test.patterns, test.name, got)
		}
	}
	for _, r := range rules {
		if r.name == "" || r.packages == "" || r.never == "" {
			t.Errorf("rule %+v is incomplete", r)
		}
	}
}

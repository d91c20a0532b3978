package codegen

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
	"github.com/kgen-go/kgen/internal/tests/testflag"
)

var (
	mutants  = flag.Duration("mutants", 0, "make mutants for so long, with a seed from the clock, and go on after failures")
	validate = flag.Bool("validate", false, "run spirv-val over the modules of mutants, too")
	keep     = testflag.Folder("keep", "where to write the sources of mutants that fail")
)

// tooLong is more than any kernel of this size takes to compile.
const tooLong = 20 * time.Second

// Bounds of the mutants that further ones are made of.
const (
	maxMutant = 4000
	maxPool   = 500
)

// seedFiles hold the kernels that mutants are made of.
var seedFiles = []string{
	"../internal/tests/difftest/corpus/*.go", "../examples/*/*/*.go",
	"../runtime/internal/backendtest/kernels.go", "lower/testdata/reject/*.go", "check/testdata/reject/*.go", "testdata/mutants/*.go",
}

// importable are the packages that sources may import.
var importable = []string{"github.com/kgen-go/kgen/dsl", "github.com/kgen-go/kgen/dsl/half", "github.com/kgen-go/kgen/dsl/math32", "github.com/kgen-go/kgen/properties",
	"errors", "iter", "bytes", "unicode", "math", "math/bits", "math/cmplx", "unicode/utf8", "unicode/utf16", "hash/adler32", "hash/crc32", "container/heap", "encoding/binary", "math/rand/v2", "slices", "cmp", "crypto/sha256", "sync/atomic", "fmt", "strings", "sort", "os", "sync", "math/rand", "unsafe",
	"strconv", "encoding/hex", "encoding/base32", "encoding/base64", "hash/fnv", "image", "image/color", "container/list", "container/ring", "crypto/md5", "crypto/sha1", "crypto/sha3", "crypto/aes", "crypto/subtle", "hash/crc64"}

// compiler compiles sources on one base. What go/ssa keeps of each makes the base
// grow, so it is made anew from time to time.
type compiler struct {
	base *load.Base
	uses int
}

var shared = sync.OnceValue(func() *compiler { return &compiler{} })

func (c *compiler) load(src string) (*load.Program, error) {
	if c.base == nil || c.uses > 3000 {
		newBase := snippets
		if c.base != nil {
			newBase = newSnippets
		}
		base, err := newBase()
		if err != nil {
			return nil, err
		}
		c.base, c.uses = base, 0
	}
	c.uses++
	prog, diags, err := c.base.Load("example.com/kernels", map[string]string{"kernels.go": src})
	if err == nil && len(diags) > 0 {
		err = diags
	}
	return prog, err
}

// compileAll compiles every kernel of a source as Generate does, with the
// verifier after every pass. A source that is refused is no error.
// valid, which may be nil, looks at the modules.
func (c *compiler) compileAll(src string, valid func(words []uint32) string) (compiled int, err error) {
	err = guarded(func() error {
		prog, err := c.load(src)
		if err != nil {
			return nil
		}
		for _, p := range prog.Packages {
			for _, k := range p.Kernels {
				ok, err := compileKernel(prog, k, valid)
				if err != nil {
					return fmt.Errorf("kernel %s: %w", k.Name, err)
				}
				if ok {
					compiled++
				}
			}
		}
		return nil
	})
	return compiled, err
}

func compileKernel(prog *load.Program, k *load.Kernel, valid func(words []uint32) string) (ok bool, err error) {
	m, diags := (&unit{prog, k, failOnFollowUp}).frontEnd()
	if len(diags) > 0 || k.Unsound {
		return false, nil
	}
	var broken error
	c, diags, err := back.Compile(&back.Kernel{Module: m, Name: k.Name, Properties: k.Properties, After: func(form string, m *ir.Module) {
		if err := ir.Verify(m); err != nil && broken == nil {
			broken = fmt.Errorf("pass %s: %w", form, err)
		}
	}})
	if broken != nil {
		return false, broken
	}
	if err != nil || len(diags) > 0 {
		return false, err
	}
	for _, words := range append(c.Variants, c.Words) {
		if valid == nil {
			break
		}
		if msg := valid(words); msg != "" {
			return false, fmt.Errorf("spirv-val: %s", msg)
		}
	}
	return true, nil
}

// guarded runs f, and returns a panic or that it takes too long as an error. It
// does not come back from an endless loop but dies with all stacks.
func guarded(f func() error) (err error) {
	timer := time.AfterFunc(tooLong, func() {
		debug.SetTraceback("all")
		panic("a kernel takes too long to compile")
	})
	defer timer.Stop()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// seeds returns the sources of the seed files, each with one kernel alone, so
// that compiling one is quick.
func seeds(t testing.TB, c *compiler) []string {
	if len(seedSources) > 0 {
		return seedSources
	}
	var out []string
	for _, pattern := range seedFiles {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "doc.go") {
				continue
			}
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i := range kernelCount(string(src)) {
				if !sample.Has(fmt.Sprint(name, i), 9) {
					continue
				}
				one := oneKernel(string(src), i)
				if _, err := c.load(one); err == nil {
					out = append(out, one)
				} else if strings.HasPrefix(name, "testdata/") { // others may need the rest of their package
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	seedSources = out
	return out
}

var seedSources []string // what seeds has found

func kernelCount(src string) int { return strings.Count(src, ") Kernel(") }

// oneKernel returns the source without the Kernel methods but the i-th, and
// without the functions that nothing names any more.
func oneKernel(src string, i int) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	n := 0
	var decls []ast.Decl
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Kernel" {
			n++
			if n-1 != i {
				continue
			}
		}
		decls = append(decls, d)
	}
	file.Decls = decls
	for dropUnused(file) {
	}
	var out bytes.Buffer
	if err := format.Node(&out, fset, file); err != nil {
		return ""
	}
	return out.String()
}

// dropUnused takes the declarations that nothing names out of a file, and
// reports whether there were any.
func dropUnused(file *ast.File) bool {
	used := map[string]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name]++
		}
		return true
	})
	unused := func(id *ast.Ident) bool { return used[id.Name] == 1 && id.Name != "_" && id.Name != "Kernel" }
	changed := false
	var decls []ast.Decl
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name != "Properties" && unused(d.Name) {
				changed = true
				continue
			}
		case *ast.GenDecl:
			if d.Tok == token.CONST && len(d.Specs) > 1 {
				break // iota
			}
			var specs []ast.Spec
			for _, s := range d.Specs {
				drop := false
				switch s := s.(type) {
				case *ast.TypeSpec:
					drop = unused(s.Name)
				case *ast.ValueSpec:
					drop = len(s.Names) == 1 && unused(s.Names[0])
				case *ast.ImportSpec:
					path := strings.Trim(s.Path.Value, `"`)
					name := filepath.Base(strings.TrimSuffix(path, "/v2"))
					if s.Name != nil {
						name = s.Name.Name
					}
					drop = used[name] == 0 && name != "_"
				}
				if !drop {
					specs = append(specs, s)
				}
				changed = changed || drop
			}
			if d.Specs = specs; len(specs) == 0 {
				continue
			}
		}
		decls = append(decls, d)
	}
	file.Decls = decls
	return changed
}

// TestMutants compiles kernels with random changes: whatever the kernel, kgen
// neither panics nor makes a module that breaks a rule.
func TestMutants(t *testing.T) {
	c := shared()
	sources := seeds(t, c)
	if len(sources) < sample.Of(50, 5) {
		t.Fatalf("only %d kernels to start from", len(sources))
	}
	limit, seed, want := 10*time.Second, uint64(1), sample.Of(80, 3)
	if *mutants > 0 {
		limit, seed, want = *mutants, uint64(time.Now().UnixNano()), 1<<30
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	begin := time.Now()
	var valid func(words []uint32) string
	if *validate {
		valid = func(words []uint32) string { return spirvtools.Invalid(t, words) }
	}
	failures := map[string]bool{}
	var pool []string
	n, tried, compiled := 0, 0, 0
	for n < want && time.Since(begin) < limit {
		src := sources[rng.IntN(len(sources))]
		if len(pool) > 0 && rng.IntN(2) == 0 {
			src = pool[rng.IntN(len(pool))]
		}
		for range 1 + rng.IntN(6) {
			for range 10 {
				next := mutant(src, rng)
				if next == "" || next == src {
					continue
				}
				tried++
				if _, err := c.load(next); err == nil {
					src = next
					break
				}
			}
		}
		n++
		ok, err := c.compileAll(src, valid)
		compiled += ok
		if err == nil {
			// What compiles is changed further, as long as it stays small.
			if ok > 0 && len(src) < maxMutant && len(pool) < maxPool {
				pool = append(pool, src)
			} else if ok > 0 && len(src) < maxMutant {
				pool[rng.IntN(len(pool))] = src
			}
			continue
		}
		where := summary(err)
		if failures[where] {
			continue
		}
		failures[where] = true
		t.Errorf("%v\nin\n%s", err, src)
		if *keep != "" {
			os.WriteFile(filepath.Join(*keep, fmt.Sprintf("fail%d_%d.go", seed, len(failures))), []byte(src+"\n/*\n"+err.Error()+"\n*/\n"), 0o666)
		}
	}
	t.Logf("%d mutants (of %d changes) of %d kernels in %v; %d kernels compiled, seed %d", n, tried, len(sources), time.Since(begin), compiled, seed)
	if compiled < n/4 {
		t.Errorf("too few mutants compile to tell much")
	}
}

// summary returns what is the same of failures with one cause: where a panic
// comes from, or the first words of another error.
func summary(err error) string {
	text := err.Error()
	if _, stack, ok := strings.Cut(text, "panic("); ok {
		lines := strings.Split(stack, "\n")
		var at []string
		for _, l := range lines {
			if strings.Contains(l, "/codegen/") && len(at) < 2 {
				at = append(at, strings.Fields(l)[0])
			}
		}
		return strings.Join(at, " ")
	}
	_, text, _ = strings.Cut(text, ": ") // the kernel
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, strings.SplitN(text, "\n", 2)[0])
}

// TestSeeds compiles the seeds as they are, and those that once failed.
func TestSeeds(t *testing.T) {
	c := shared()
	for i, src := range seeds(t, c) {
		if i%8 != 0 {
			continue // FuzzGenerate has all
		}
		if _, err := c.compileAll(src, nil); err != nil {
			t.Errorf("%v\nin\n%s", err, src)
		}
	}
}

// FuzzGenerate: seed, if not 0, chooses changes to the source. Use -fuzzminimizetime 1x, without which
// the fuzzer spends nearly all of its time on making inputs smaller.
func FuzzGenerate(f *testing.F) {
	c := shared()
	for i, src := range seeds(f, c) {
		f.Add(src, uint64(i))
	}
	f.Fuzz(func(t *testing.T, src string, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for range seed % 8 {
			if next := mutant(src, rng); next != "" {
				src = next
			}
		}
		if _, err := c.compileAll(src, nil); err != nil {
			t.Fatalf("%v\nin\n%s", err, src)
		}
	})
}

package codegen

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/valid"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// TestLateModules makes the modules of prim that programs make at load, of the committed IR, and
// compares them with those that kgen makes of the source. Each is valid.
func TestLateModules(t *testing.T) {
	prog, diags, err := load.Load(context.Background(), (&Config{Dir: "..", Patterns: []string{"./prim/..."}}).loadConfig())
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	kernels, made := 0, map[string]int{}
	for _, pkg := range prog.Packages {
		if !prog.Late(pkg) {
			t.Errorf("%s: no //kgen:variants load", pkg.PkgPath)
		}
		for _, k := range pkg.Kernels {
			if kernels++; !sample.Has(k.FullName(), 30) {
				continue
			}
			m, diags, err := Compile(prog, k, nil)
			if err != nil || len(diags) > 0 {
				t.Fatal(diags, err)
			}
			desc := *m.ABI
			ir, err := os.ReadFile(filepath.Join("../generated", strings.TrimPrefix(pkg.PkgPath, pkg.ModulePath+"/"), k.Name+".kir"))
			if err != nil {
				t.Fatal(err)
			}
			desc.IR = string(ir)
			for i, v := range desc.Variants {
				words, err := back.CompileVariant(&desc, v.Name)
				if err != nil || !slices.Equal(words, m.Variants[i]) {
					t.Errorf("%s: the variant %s is another one, %v", k.FullName(), v.Name, err)
					continue
				}
				made[v.Name]++
				parsed, err := spirv.Parse(words)
				if err == nil {
					_, err = valid.Check(parsed, abi.EntryPoint, nil)
				}
				if err != nil {
					t.Errorf("%s: the variant %s: %v", k.FullName(), v.Name, err)
				}
			}
		}
	}
	if kernels < 50 || len(made) != 4 {
		t.Errorf("%d kernels, variants %v", kernels, made)
	}
}

const lateKernels = `// Package k has kernels.
//
//kgen:variants load
package k

import "github.com/kgen-go/kgen/dsl"

// Rows adds up rows of a matrix, of which each work-group has some.
type Rows struct {
	N      int
	X, Out []float32
}

//kgen:cancel
func (k Rows) Kernel(it dsl.NDItem1) {
	sum := float32(0)
	for y := range k.N {
		for x := range k.N {
			sum += k.X[(it.GlobalID()*k.N+y)*k.N+x]
		}
	}
	k.Out[it.GlobalID()] = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
}
`

// TestLateFiles: a package with //kgen:variants load gets the files of the first module and the one
// in words alone. The folder of -modules gets the others, as packages without the directive have them.
func TestLateFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("TestLateModules compares the modules, and -short is set")
	}
	generate := func(source string, cfg Config) (map[string][]byte, *Result) {
		t.Helper()
		cfg.Dir, cfg.Patterns = usermodule.Write(t, map[string]string{"k/k.go": source}), []string{"./..."}
		res, diags, err := Generate(context.Background(), cfg)
		if err != nil || len(diags) > 0 {
			t.Fatal(diags, err)
		}
		root := cfg.Modules
		if root == "" {
			root = filepath.Join(cfg.Dir, "generated")
			cfg.Check = true
			if res, _, err := Generate(context.Background(), cfg); err != nil {
				t.Error(res.Stale, err)
			}
		}
		files := map[string][]byte{}
		for _, name := range tree(t, root) {
			if files[name], err = os.ReadFile(filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		return files, res
	}
	modules := func(files map[string][]byte) (names []string) {
		for name := range files {
			if strings.HasSuffix(name, ".spv") {
				names = append(names, filepath.Base(name))
			}
		}
		slices.Sort(names)
		return names
	}
	all, _ := generate(strings.Replace(lateKernels, "//kgen:variants load\n", "// And no directive.\n", 1), Config{})
	few, _ := generate(lateKernels, Config{})
	if got, want := modules(few), []string{"Rows.spv", "Rows.words.spv"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	rest, res := generate(lateKernels, Config{Modules: t.TempDir()})
	if len(res.Written) > 0 || len(rest) != 7 || len(modules(all)) != 9 {
		t.Errorf("with -modules: %q and %q; of all %q", modules(rest), res.Written, modules(all))
	}
	for name, data := range all {
		if !strings.HasSuffix(name, ".spv") {
			continue
		}
		base, found := filepath.Base(name), false
		for _, part := range []map[string][]byte{few, rest} {
			for other, same := range part {
				found = found || filepath.Base(other) == base && bytes.Equal(same, data)
			}
		}
		if !found {
			t.Errorf("%s is another module with the directive", base)
		}
	}
	// A module that lacks a driver's workaround is none that a program can make.
	if got, _ := generate(lateKernels, Config{Disabled: []string{"quirk/rotation"}}); len(modules(got)) != 9 {
		t.Errorf("without a quirk: %q", modules(got))
	}
}

// Package every tests all kernels of the repository, in a program that has all of them.
package every

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/generated/examples/attention/layers"
	"github.com/kgen-go/kgen/generated/examples/blockmatmul/blocks"
	"github.com/kgen-go/kgen/generated/examples/hash/digest"
	"github.com/kgen-go/kgen/generated/examples/heat/plate"
	"github.com/kgen-go/kgen/generated/examples/histogram/tally"
	"github.com/kgen-go/kgen/generated/examples/imagefilter/filter"
	"github.com/kgen-go/kgen/generated/examples/knn/nearest"
	"github.com/kgen-go/kgen/generated/examples/life/cells"
	"github.com/kgen-go/kgen/generated/examples/mandelbrot/fractal"
	"github.com/kgen-go/kgen/generated/examples/matmul/gemm"
	medianfiltergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/generated/examples/nbody/gravity"
	"github.com/kgen-go/kgen/generated/examples/options/montecarlo"
	"github.com/kgen-go/kgen/generated/examples/pathtracer/light"
	"github.com/kgen-go/kgen/generated/examples/pipeline/develop"
	"github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/generated/examples/reduce/fold"
	"github.com/kgen-go/kgen/generated/examples/scan/prefix"
	"github.com/kgen-go/kgen/generated/examples/sort/radix"
	"github.com/kgen-go/kgen/internal/bench/kernels/kernelsgen"
	"github.com/kgen-go/kgen/internal/conformance/ahead/aheadgen"
	"github.com/kgen-go/kgen/internal/conformance/args/argsgen"
	"github.com/kgen-go/kgen/internal/conformance/consts/constsgen"
	"github.com/kgen-go/kgen/internal/conformance/prints/printsgen"
	"github.com/kgen-go/kgen/internal/conformance/privates/privatesgen"
	"github.com/kgen-go/kgen/internal/conformance/props/propsgen"
	"github.com/kgen-go/kgen/internal/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/difftest/atomics/atomicsgen"
	"github.com/kgen-go/kgen/internal/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/difftest/descents/descentsgen"
	"github.com/kgen-go/kgen/internal/difftest/dispatch/dispatchgen"
	"github.com/kgen-go/kgen/internal/difftest/golang/golanggen"
	"github.com/kgen-go/kgen/internal/difftest/groups/groupsgen"
	"github.com/kgen-go/kgen/internal/difftest/halves/halvesgen"
	"github.com/kgen-go/kgen/internal/difftest/idioms/idiomsgen"
	"github.com/kgen-go/kgen/internal/difftest/rounds/roundsgen"
	"github.com/kgen-go/kgen/internal/difftest/strides/stridesgen"
	"github.com/kgen-go/kgen/internal/difftest/subnormals/subnormalsgen"
	"github.com/kgen-go/kgen/internal/difftest/tables/tablesgen"
	"github.com/kgen-go/kgen/internal/difftest/ulps/ulpsgen"
	"github.com/kgen-go/kgen/internal/difftest/words/wordsgen"
	"github.com/kgen-go/kgen/internal/endless/endlessgen"
	"github.com/kgen-go/kgen/internal/guide/guidegen"
	"github.com/kgen-go/kgen/internal/litmus/litmusgen"
	specbenchkernelsgen "github.com/kgen-go/kgen/internal/specbench/kernels/kernelsgen"
	"github.com/kgen-go/kgen/internal/wrong/wronggen"
	"github.com/kgen-go/kgen/runtime"
)

// packages are all packages that kgen has written for this repository, by their folders.
var packages = map[string]func() []*runtime.Kernel{
	"generated/examples/attention/layers":        layersgen.Kernels,
	"generated/examples/blockmatmul/blocks":      blocksgen.Kernels,
	"generated/examples/hash/digest":             digestgen.Kernels,
	"generated/examples/heat/plate":              plategen.Kernels,
	"generated/examples/histogram/tally":         tallygen.Kernels,
	"generated/examples/imagefilter/filter":      filtergen.Kernels,
	"generated/examples/knn/nearest":             nearestgen.Kernels,
	"generated/examples/life/cells":              cellsgen.Kernels,
	"generated/examples/mandelbrot/fractal":      fractalgen.Kernels,
	"generated/examples/matmul/gemm":             gemmgen.Kernels,
	"generated/examples/median/filter":           medianfiltergen.Kernels,
	"generated/examples/nbody/gravity":           gravitygen.Kernels,
	"generated/examples/options/montecarlo":      montecarlogen.Kernels,
	"generated/examples/pathtracer/light":        lightgen.Kernels,
	"generated/examples/pipeline/develop":        developgen.Kernels,
	"generated/examples/quickstart/saxpy":        saxpygen.Kernels,
	"generated/examples/reduce/fold":             foldgen.Kernels,
	"generated/examples/scan/prefix":             prefixgen.Kernels,
	"generated/examples/sort/radix":              radixgen.Kernels,
	"internal/bench/kernels/kernelsgen":          kernelsgen.Kernels,
	"internal/conformance/ahead/aheadgen":        aheadgen.Kernels,
	"internal/conformance/args/argsgen":          argsgen.Kernels,
	"internal/conformance/consts/constsgen":      constsgen.Kernels,
	"internal/conformance/prints/printsgen":      printsgen.Kernels,
	"internal/conformance/privates/privatesgen":  privatesgen.Kernels,
	"internal/conformance/props/propsgen":        propsgen.Kernels,
	"internal/conformance/steps/stepsgen":        stepsgen.Kernels,
	"internal/difftest/atomics/atomicsgen":       atomicsgen.Kernels,
	"internal/difftest/corpus/corpusgen":         corpusgen.Kernels,
	"internal/difftest/descents/descentsgen":     descentsgen.Kernels,
	"internal/difftest/dispatch/dispatchgen":     dispatchgen.Kernels,
	"internal/difftest/golang/golanggen":         golanggen.Kernels,
	"internal/difftest/groups/groupsgen":         groupsgen.Kernels,
	"internal/difftest/halves/halvesgen":         halvesgen.Kernels,
	"internal/difftest/idioms/idiomsgen":         idiomsgen.Kernels,
	"internal/difftest/rounds/roundsgen":         roundsgen.Kernels,
	"internal/difftest/strides/stridesgen":       stridesgen.Kernels,
	"internal/difftest/subnormals/subnormalsgen": subnormalsgen.Kernels,
	"internal/difftest/tables/tablesgen":         tablesgen.Kernels,
	"internal/difftest/ulps/ulpsgen":             ulpsgen.Kernels,
	"internal/difftest/words/wordsgen":           wordsgen.Kernels,
	"internal/endless/endlessgen":                endlessgen.Kernels,
	"internal/guide/guidegen":                    guidegen.Kernels,
	"internal/litmus/litmusgen":                  litmusgen.Kernels,
	"internal/specbench/kernels/kernelsgen":      specbenchkernelsgen.Kernels,
	"internal/wrong/wronggen":                    wronggen.Kernels,
}

// TestKP3_AllKernels: each kernel of the repository is compiled with the list that its Properties
// method returns in a program.
func TestKP3_AllKernels(t *testing.T) {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	kernels, lists := 0, 0
	for name, all := range packages {
		for _, k := range all() {
			kernels++
			if len(k.Properties()) > 0 {
				lists++
			}
			if _, err := runtime.NewProgram(dev, k); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if kernels < 500 || lists < 50 {
		t.Errorf("%d kernels, of which %d have properties", kernels, lists)
	}
}

// TestAllPackages: the list of packages above is complete.
func TestAllPackages(t *testing.T) {
	found := 0
	for _, top := range []string{"generated", "internal", "examples"} {
		err := filepath.WalkDir(filepath.Join("../../..", top), func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() && e.Name() == "testdata" {
				return fs.SkipDir
			}
			if !strings.HasSuffix(name, "_kgen.go") || strings.HasSuffix(name, "_host_kgen.go") {
				return nil
			}
			dir, err := filepath.Rel("../../..", filepath.Dir(name))
			if found++; err == nil && packages[filepath.ToSlash(dir)] == nil {
				t.Errorf("%s is not in the list", dir)
			}
			return err
		})
		if err != nil {
			t.Skipf("no sources here: %v", err)
		}
	}
	if found != len(packages) {
		t.Errorf("%d packages, and the list has %d", found, len(packages))
	}
}

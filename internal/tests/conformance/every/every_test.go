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
	"github.com/kgen-go/kgen/generated/examples/imagefilter/filter"
	"github.com/kgen-go/kgen/generated/examples/knn/nearest"
	"github.com/kgen-go/kgen/generated/examples/life/cells"
	"github.com/kgen-go/kgen/generated/examples/mandelbrot/fractal"
	"github.com/kgen-go/kgen/generated/examples/matmul/gemm"
	medianfiltergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/generated/examples/mnist/neural"
	"github.com/kgen-go/kgen/generated/examples/nbody/gravity"
	"github.com/kgen-go/kgen/generated/examples/options/montecarlo"
	"github.com/kgen-go/kgen/generated/examples/pathtracer/light"
	"github.com/kgen-go/kgen/generated/examples/pipeline/develop"
	"github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	tensorgen "github.com/kgen-go/kgen/generated/examples/tensormatmul/tensor"
	"github.com/kgen-go/kgen/generated/examples/upscale/conv"
	"github.com/kgen-go/kgen/generated/examples/wordcount/letters"
	blaskernelsgen "github.com/kgen-go/kgen/generated/prim/blas/kernels"
	fftkernelsgen "github.com/kgen-go/kgen/generated/prim/fft/kernels"
	histkernelsgen "github.com/kgen-go/kgen/generated/prim/hist/kernels"
	movekernelsgen "github.com/kgen-go/kgen/generated/prim/move/kernels"
	pickkernelsgen "github.com/kgen-go/kgen/generated/prim/pick/kernels"
	randkernelsgen "github.com/kgen-go/kgen/generated/prim/rand/kernels"
	reducekernelsgen "github.com/kgen-go/kgen/generated/prim/reduce/kernels"
	runsgen "github.com/kgen-go/kgen/generated/prim/runs"
	scankernelsgen "github.com/kgen-go/kgen/generated/prim/scan/kernels"
	sortkernelsgen "github.com/kgen-go/kgen/generated/prim/sort/kernels"
	sparsekernelsgen "github.com/kgen-go/kgen/generated/prim/sparse/kernels"
	"github.com/kgen-go/kgen/internal/bench/kernels/fold/foldgen"
	"github.com/kgen-go/kgen/internal/bench/kernels/kernelsgen"
	"github.com/kgen-go/kgen/internal/bench/kernels/radix/radixgen"
	"github.com/kgen-go/kgen/internal/bench/kernels/tally/tallygen"
	specbenchkernelsgen "github.com/kgen-go/kgen/internal/bench/specbench/kernels/kernelsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/ahead/aheadgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/args/argsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/consts/constsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/prints/printsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates/privatesgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/props/propsgen"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/atomics/atomicsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/descents/descentsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/dispatch/dispatchgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/golang/golanggen"
	"github.com/kgen-go/kgen/internal/tests/difftest/groups/groupsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/halves/halvesgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/idioms/idiomsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/matrices/matricesgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/rounds/roundsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/strides/stridesgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/subnormals/subnormalsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/tables/tablesgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/ulps/ulpsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/words/wordsgen"
	"github.com/kgen-go/kgen/internal/tests/endless/endlessgen"
	"github.com/kgen-go/kgen/internal/tests/guide/guidegen"
	"github.com/kgen-go/kgen/internal/tests/litmus/litmusgen"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/wrong/wronggen"
	"github.com/kgen-go/kgen/runtime"
)

// packages are all packages that kgen has written for this repository, by their folders.
var packages = map[string]func() []*runtime.Kernel{
	"generated/examples/attention/layers":              layersgen.Kernels,
	"generated/examples/blockmatmul/blocks":            blocksgen.Kernels,
	"generated/examples/hash/digest":                   digestgen.Kernels,
	"generated/examples/heat/plate":                    plategen.Kernels,
	"internal/bench/kernels/tally/tallygen":            tallygen.Kernels,
	"generated/examples/imagefilter/filter":            filtergen.Kernels,
	"generated/examples/knn/nearest":                   nearestgen.Kernels,
	"generated/examples/life/cells":                    cellsgen.Kernels,
	"generated/examples/mandelbrot/fractal":            fractalgen.Kernels,
	"generated/examples/matmul/gemm":                   gemmgen.Kernels,
	"generated/examples/median/filter":                 medianfiltergen.Kernels,
	"generated/examples/mnist/neural":                  neuralgen.Kernels,
	"generated/examples/nbody/gravity":                 gravitygen.Kernels,
	"generated/examples/options/montecarlo":            montecarlogen.Kernels,
	"generated/examples/pathtracer/light":              lightgen.Kernels,
	"generated/examples/pipeline/develop":              developgen.Kernels,
	"generated/examples/quickstart/saxpy":              saxpygen.Kernels,
	"internal/bench/kernels/fold/foldgen":              foldgen.Kernels,
	"internal/bench/kernels/radix/radixgen":            radixgen.Kernels,
	"generated/examples/tensormatmul/tensor":           tensorgen.Kernels,
	"generated/examples/upscale/conv":                  convgen.Kernels,
	"generated/examples/wordcount/letters":             lettersgen.Kernels,
	"generated/prim/blas/kernels":                      blaskernelsgen.Kernels,
	"generated/prim/fft/kernels":                       fftkernelsgen.Kernels,
	"generated/prim/hist/kernels":                      histkernelsgen.Kernels,
	"generated/prim/move/kernels":                      movekernelsgen.Kernels,
	"generated/prim/pick/kernels":                      pickkernelsgen.Kernels,
	"generated/prim/sparse/kernels":                    sparsekernelsgen.Kernels,
	"generated/prim/rand/kernels":                      randkernelsgen.Kernels,
	"generated/prim/reduce/kernels":                    reducekernelsgen.Kernels,
	"generated/prim/runs":                              runsgen.Kernels,
	"generated/prim/scan/kernels":                      scankernelsgen.Kernels,
	"generated/prim/sort/kernels":                      sortkernelsgen.Kernels,
	"internal/bench/kernels/kernelsgen":                kernelsgen.Kernels,
	"internal/tests/conformance/ahead/aheadgen":        aheadgen.Kernels,
	"internal/tests/conformance/args/argsgen":          argsgen.Kernels,
	"internal/tests/conformance/consts/constsgen":      constsgen.Kernels,
	"internal/tests/conformance/prints/printsgen":      printsgen.Kernels,
	"internal/tests/conformance/privates/privatesgen":  privatesgen.Kernels,
	"internal/tests/conformance/props/propsgen":        propsgen.Kernels,
	"internal/tests/conformance/steps/stepsgen":        stepsgen.Kernels,
	"internal/tests/difftest/atomics/atomicsgen":       atomicsgen.Kernels,
	"internal/tests/difftest/corpus/corpusgen":         corpusgen.Kernels,
	"internal/tests/difftest/descents/descentsgen":     descentsgen.Kernels,
	"internal/tests/difftest/dispatch/dispatchgen":     dispatchgen.Kernels,
	"internal/tests/difftest/golang/golanggen":         golanggen.Kernels,
	"internal/tests/difftest/groups/groupsgen":         groupsgen.Kernels,
	"internal/tests/difftest/halves/halvesgen":         halvesgen.Kernels,
	"internal/tests/difftest/matrices/matricesgen":     matricesgen.Kernels,
	"internal/tests/difftest/idioms/idiomsgen":         idiomsgen.Kernels,
	"internal/tests/difftest/rounds/roundsgen":         roundsgen.Kernels,
	"internal/tests/difftest/strides/stridesgen":       stridesgen.Kernels,
	"internal/tests/difftest/subnormals/subnormalsgen": subnormalsgen.Kernels,
	"internal/tests/difftest/tables/tablesgen":         tablesgen.Kernels,
	"internal/tests/difftest/ulps/ulpsgen":             ulpsgen.Kernels,
	"internal/tests/difftest/words/wordsgen":           wordsgen.Kernels,
	"internal/tests/endless/endlessgen":                endlessgen.Kernels,
	"internal/tests/guide/guidegen":                    guidegen.Kernels,
	"internal/tests/litmus/litmusgen":                  litmusgen.Kernels,
	"internal/bench/specbench/kernels/kernelsgen":      specbenchkernelsgen.Kernels,
	"internal/tests/prims/ops/opsgen":                  opsgen.Kernels,
	"internal/tests/wrong/wronggen":                    wronggen.Kernels,
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

// TestLateModules: each module that a program makes of a kernel's IR can be made. The function in the
// variant's row compares it with the checksum of kgen's.
func TestLateModules(t *testing.T) {
	kernels := 0
	for _, all := range packages {
		for _, k := range all() {
			d, late := k.ABI(), 0
			for i := range d.Variants {
				v := &d.Variants[i]
				if v.Make == nil {
					continue
				}
				if late++; v.Sum == 0 {
					t.Errorf("%s: the variant %s has no checksum", d.FullName(), v.Name)
				}
				if !sample.Has(d.FullName()+v.Name, 12) {
					continue
				}
				if _, err := v.Make(d, v); err != nil {
					t.Errorf("%s: the variant %s: %v", d.FullName(), v.Name, err)
				}
			}
			if late > 0 {
				kernels++
			}
		}
	}
	if kernels < 40 {
		t.Errorf("only %d kernels have such modules", kernels)
	}
}

// TestAllPackages: the list of packages above is complete.
func TestAllPackages(t *testing.T) {
	found := 0
	for _, top := range []string{"generated", "internal", "examples"} {
		err := filepath.WalkDir(filepath.Join("../../../..", top), func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() && e.Name() == "testdata" {
				return fs.SkipDir
			}
			if !strings.HasSuffix(name, "_kgen.go") || strings.HasSuffix(name, "_host_kgen.go") {
				return nil
			}
			dir, err := filepath.Rel("../../../..", filepath.Dir(name))
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

package conformance

import (
	"encoding/binary"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	gort "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/conformance/consts"
	"github.com/kgen-go/kgen/internal/tests/conformance/consts/constsgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var badConstant = dsl.RequireSpecConstant[[]int]()

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// generate runs kgen on packages of this module that the texts are, at once, since the go command
// that lists what they import, and compiles them, takes most of the time. It returns each one's
// diagnostics as they are printed.
func generate(texts []string) ([][]string, error) {
	var patterns []string
	for _, src := range texts {
		// A folder that begins with an underscore is no package of ./... .
		dir, err := os.MkdirTemp(".", "_kernels")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if err := os.WriteFile(filepath.Join(dir, "kernels.go"), []byte(kernelFile(src)), 0o666); err != nil {
			return nil, err
		}
		patterns = append(patterns, "./"+dir)
	}
	_, diags, err := codegen.Generate(ctx, codegen.Config{Patterns: patterns})
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(texts))
	for _, d := range diags {
		i := slices.IndexFunc(patterns, func(p string) bool { return filepath.Base(filepath.Dir(d.Pos.File)) == filepath.Base(p) })
		if i < 0 {
			return nil, fmt.Errorf("%v is in none of the packages %v", d, patterns)
		}
		text := d.Error()
		for _, r := range d.Related {
			text += "\n" + r.Message
		}
		out[i] = append(out[i], text)
	}
	return out, nil
}

// kernelFile returns a file of package kernels with the declarations src, and of a kernel K where
// they have none.
func kernelFile(src string) string {
	header := "package kernels\n\nimport \"github.com/kgen-go/kgen/dsl\"\n"
	if strings.Contains(src, "properties.") {
		header += "import \"github.com/kgen-go/kgen/properties\"\n"
	}
	if strings.Contains(src, "os.") {
		header += "import \"os\"\n"
	}
	if !strings.Contains(src, "type K ") {
		header += "\ntype K struct{ Out []int32 }\n"
	}
	return header + src + "\n"
}

// expected is a package whose diagnostics are to be checked.
type expected struct {
	test, src string
	wrong     func(diags []string) []string // messages about diagnostics that are not the ones expected
}

// Packages whose diagnostics are checked after the tests, those of all tests together. Packages
// that kgen takes are apart, since it might look no further where others have mistakes.
var refusals, acceptances []expected

// expect has the package's diagnostics checked after the tests.
func expect(t *testing.T, in *[]expected, src string, wrong func(diags []string) []string) {
	t.Helper()
	if swiftshader.On() {
		return // the driver makes no difference to what kgen and Go accept
	}
	if !sample.Has(t.Name(), 3) {
		return // codegen's packages test diagnostics, too, and the go command compiles each package here
	}
	text := kernelFile(src)
	if _, err := parser.ParseFile(token.NewFileSet(), "", text, 0); err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	*in = append(*in, expected{t.Name(), src, wrong})
}

// diagnosed reports whether the diagnostics of all packages are as the tests expect, and prints
// those that are not. TestMain calls it after the tests, and no test of its own does, so that -run
// with one test's name checks this test's packages and no other.
//
// On Windows, where make windows runs the tests without a go command, nothing is compiled.
func diagnosed() bool {
	ok := true
	if _, err := exec.LookPath("go"); err != nil && gort.GOOS == "windows" {
		fmt.Println("no go command: the diagnostics of kernels are not compared")
		return true
	}
	fail := func(format string, args ...any) {
		ok = false
		fmt.Printf(format+"\n", args...)
	}
	for _, all := range [][]expected{refusals, acceptances} {
		if len(all) == 0 {
			continue
		}
		var texts []string
		for _, e := range all {
			texts = append(texts, e.src)
		}
		diags, err := generate(texts)
		if err != nil {
			fail("%v\nin\n%s", err, strings.Join(texts, "\n---\n"))
			continue
		}
		for i, e := range all {
			for _, text := range e.wrong(diags[i]) {
				fail("--- FAIL: %s: %s", e.test, text)
			}
		}
	}
	return ok
}

// diagnostic expects diagnostics with the code alone, whose text has all of the
// words.
func diagnostic(t *testing.T, code, src string, words ...string) {
	t.Helper()
	expect(t, &refusals, src, func(diags []string) (wrong []string) {
		all := strings.Join(diags, "\n")
		for _, w := range append(words, code) {
			if !strings.Contains(all, w) {
				wrong = append(wrong, sprintf("no %q in the diagnostics of\n%s\n%s", w, src, all))
			}
		}
		for _, d := range diags {
			if !strings.Contains(d, code) {
				wrong = append(wrong, sprintf("not wanted: %s\nfor\n%s", d, src))
			}
		}
		return wrong
	})
}

// diagnostics expects as many diagnostics as it is told, whose text has all of the words.
func diagnostics(t *testing.T, n int, src string, words ...string) {
	t.Helper()
	expect(t, &refusals, src, func(diags []string) (wrong []string) {
		all := strings.Join(diags, "\n")
		if len(diags) != n {
			wrong = append(wrong, sprintf("%d diagnostics, not %d, for\n%s\n%s", len(diags), n, src, all))
		}
		for _, w := range words {
			if !strings.Contains(all, w) {
				wrong = append(wrong, sprintf("no %q in the diagnostics of\n%s\n%s", w, src, all))
			}
		}
		return wrong
	})
}

// accepted expects no diagnostics.
func accepted(t *testing.T, src string) {
	t.Helper()
	expect(t, &acceptances, src, func(diags []string) (wrong []string) {
		for _, d := range diags {
			wrong = append(wrong, sprintf("not wanted: %s\nfor\n%s", d, src))
		}
		return wrong
	})
}

// goError expects that the go command refuses a statement with words in its
// message.
func goError(t *testing.T, stmt, words string) {
	t.Helper()
	if swiftshader.On() {
		return // the driver makes no difference to what kgen and Go accept
	}
	dir, err := os.MkdirTemp(".", "_main")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	src := `package main
import ("github.com/kgen-go/kgen/dsl"; "github.com/kgen-go/kgen/runtime")
var c = dsl.NewSpecConstant(1)
func main() {
	var p *runtime.Program
	exe, _ := p.Build()
	_ = exe
	` + stmt + `
}
`
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "-o", os.DevNull, "./"+dir).CombinedOutput()
	if err == nil || !strings.Contains(string(out), words) {
		t.Errorf("%s: go build says %v: %s", stmt, err, out)
	}
}

// matmul compares MM32 with blocks of the given size with a plain product.
func matmul(t *testing.T, dev *runtime.Device, block int, opts ...runtime.LaunchOption) {
	t.Helper()
	const n = 16
	a, b, c, want := product[float32](n)
	r := runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{block, block}}
	check(t, constsgen.RunMM32(ctx, dev, consts.MM32{N: n, A: a, B: b, C: c,
		TA: dsl.LocalLen[float32](block * block), TB: dsl.LocalLen[float32](block * block)}, r, opts...))
	check(t, near(c, want, 1e-5))
}

// runMM64 does so with MM64.
func runMM64(dev *runtime.Device, block int, opts ...runtime.LaunchOption) error {
	const n = 16
	a, b, c, want := product[float64](n)
	r := runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{block, block}}
	err := constsgen.RunMM64(ctx, dev, consts.MM64{N: n, A: a, B: b, C: c,
		TA: dsl.LocalLen[float64](block * block), TB: dsl.LocalLen[float64](block * block)}, r, opts...)
	if err != nil {
		return err
	}
	return near(c, want, 1e-12)
}

func product[T float32 | float64](n int) (a, b, c, want []T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a, b, c, want = make([]T, n*n), make([]T, n*n), make([]T, n*n), make([]T, n*n)
	for i := range a {
		a[i], b[i] = T(rng.Float64()), T(rng.Float64())
	}
	for y := range n {
		for x := range n {
			for i := range n {
				want[y*n+x] += a[y*n+i] * b[i*n+x]
			}
		}
	}
	return a, b, c, want
}

func near[T float32 | float64](got, want []T, tolerance float64) error {
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > tolerance*math.Abs(float64(want[i])) {
			return fmt.Errorf("element %d: got %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// rawWords returns the module of the kernel Ids that the device takes, and a
// description as of one that kgen has not written.
func rawWords(t *testing.T, dev *runtime.Device) ([]uint32, abi.Kernel) {
	t.Helper()
	ids := kernel(t, constsgen.Kernels(), "Ids").ABI()
	module := ids.SPIRV
	if !dev.Has(properties.Int64) {
		module = ids.Variants[0].SPIRV
	}
	words := make([]uint32, len(module)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32([]byte(module[4*i:]))
	}
	return words, abi.Kernel{Name: "raw", Form: abi.Task, Params: ids.Params, ArgSize: ids.ArgSize}
}

// runRaw launches kernel i of a program of such modules.
func runRaw(t *testing.T, p *runtime.Program, exe *runtime.Executable, dev *runtime.Device, i int) [3]int32 {
	t.Helper()
	out := must(runtime.NewBuffer[int32](dev, 3))(t)
	ev := must(runtime.LaunchKernel(dev.DefaultQueue(), p.Kernels()[i], nil, []any{out.All()}, runtime.WithProgram(exe)))(t)
	check(t, ev.Wait(ctx))
	got := make([]int32, 3)
	check(t, out.CopyTo(ctx, dev.DefaultQueue(), got))
	return [3]int32(got)
}

// rawModules sets one number of two modules, of which one does not take the value.
func rawModules(t *testing.T, dev *runtime.Device) {
	t.Helper()
	words, desc := rawWords(t, dev)
	unsigned := desc
	desc.Specs = []abi.SpecConstant{{ID: 42, Name: "raw.B", Type: "int32"}}
	unsigned.Specs = []abi.SpecConstant{{ID: 42, Name: "raw.C", Type: "uint32"}}
	p := must(runtime.Join(must(runtime.LoadModule(dev, words, desc))(t), must(runtime.LoadModule(dev, words, unsigned))(t)))(t)
	check(t, p.SetSpecByID(42, 9))
	wantSpec(t, p.SetSpecByID(42, -5))
	wantSpec(t, p.SetSpecByID(42, int32(5)))
	exe := must(p.Build())(t)
	for i := range 2 {
		equal(t, "out", runRaw(t, p, exe, dev, i), [3]int32{1, 9, 5})
	}
	wantSpec(t, p.SetSpecByID(42, 9))
}

// rawModule loads the module of the kernel Ids as if kgen had not written it, and
// sets its constant by number.
func rawModule(t *testing.T, dev *runtime.Device) {
	t.Helper()
	words, desc := rawWords(t, dev)
	p := must(runtime.LoadModule(dev, words, desc))(t)
	check(t, p.SetSpecByID(42, 9))
	wantSpec(t, p.SetSpecByID(43, 9))
	exe := must(p.Build())(t)
	equal(t, "out", runRaw(t, p, exe, dev, 0), [3]int32{1, 9, 5})

	args := []any{must(runtime.NewBuffer[int32](dev, 3))(t).All()}
	_, err := runtime.LoadModule(dev, words[:20], desc)
	wantErr(t, err, runtime.ErrBuild)
	_, err = runtime.LaunchKernel(dev.DefaultQueue(), p.Kernels()[0], runtime.Range1(1), args)
	wantErr(t, err, runtime.ErrNDRange)
	_, err = runtime.LaunchKernel(dev.DefaultQueue(), p.Kernels()[0], nil, []any{3})
	wantErr(t, err, runtime.ErrKernelArgument)
}

// moduleWords reads a module of the kernels of a package of this folder, as args/Spaces.spv.
func moduleWords(t *testing.T, file string) []uint32 {
	t.Helper()
	dir := must(modules.Folder(modules.Module + "/internal/tests/conformance/" + path.Dir(file)))(t)
	data, err := os.ReadFile(filepath.Join(dir, path.Base(file)))
	check(t, err)
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

// disassemble prints such a module.
func disassemble(t *testing.T, file string) string {
	t.Helper()
	m, err := spirv.Parse(moduleWords(t, file))
	check(t, err)
	return spirv.Disassemble(m)
}

func validate(t *testing.T, file string) {
	t.Helper()
	spirvtools.Validate(t, moduleWords(t, file))
}

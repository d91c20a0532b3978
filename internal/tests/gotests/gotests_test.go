package gotests

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// large bounds the arrays of functions that run on the device: drivers may take long
// over them.
var large = testflag.Int("large", 2100, 0, math.MaxInt, "run functions with arrays of up to so many elements on the device; others only in the interpreter")

var everyLaunch = flag.Bool("every-launch", false, "run all kernels on the device, and not one in four")

var update = flag.Bool("update", false, "write what is outside the subset, and the README's figure")

// items is the number of work-items: argument tuples.
const items = 96

// perKernel is how many functions a kernel calls, perKernelMemory how many elements
// the arrays among their arguments have, but for functions that have more by
// themselves.
const (
	perKernel       = 24
	perKernelMemory = 64
)

// Kernels with arrays of wideArrays elements and more, which are copied and zeroed as values, all run
// on the device, and their modules have at most maxWideWords: a driver takes minutes for code
// with an instruction for each element.
const (
	wideArrays   = 1000
	wideKernels  = 12
	maxWideWords = 20_000
)

// inputs returns four words for each work-item.
func inputs() []uint64 {
	edges := []uint64{0, 1, 2, 3, 7, 8, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32,
		1<<63 - 1, 1 << 63, math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 - 127}
	r := rand.New(rand.NewPCG(3, 4))
	in := make([]uint64, 4*items)
	for i := range in {
		switch r.IntN(3) {
		case 0:
			in[i] = edges[r.IntN(len(edges))]
		case 1:
			in[i] = r.Uint64() >> r.IntN(64)
		default:
			in[i] = uint64(r.IntN(300) - 150)
		}
	}
	for i, a := range edges { // pairs that are the same, too
		in[4*i], in[4*i+1] = a, a
	}
	return in
}

// kernel returns the source of a kernel that calls wrappers.
func kernel(name string, hs []*helper) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package kernels\n\nimport (\n\t\"github.com/kgen-go/kgen/dsl\"\n\t\"github.com/kgen-go/kgen/properties\"\n)\n\n")
	fmt.Fprintf(&b, "type %s struct{ In, Out []uint64 }\n\n", name)
	fmt.Fprintf(&b, "func (%s) Properties() properties.List {\n\treturn properties.List{properties.Float(properties.FloatExact)}\n}\n\n", name)
	fmt.Fprintf(&b, "func (k %s) Kernel(it dsl.Item1) {\n\tid := it.GlobalID()\n\tx0, x1, x2, x3 := k.In[id*4], k.In[id*4+1], k.In[id*4+2], k.In[id*4+3]\n", name)
	for i, h := range hs {
		fmt.Fprintf(&b, "\tk.Out[id*%d+%d] = %s(x0, x1, x2, x3)\n", len(hs), i, h.wrapperName())
	}
	b.WriteString("}\n")
	return b.String()
}

// hostResult is what gc's code makes of the inputs.
type hostResult struct {
	Out    []uint64
	Faults []bool
}

const runner = `package main

import (
	"encoding/gob"
	"os"

	kernels "github.com/kgen-go/kgen/internal/tests/oracle/run/kernels"
)

type result struct {
	Out []uint64
	Faults []bool
}

func run(in []uint64, f func(x0, x1, x2, x3 uint64) uint64) (r result) {
	for ; len(in) > 0; in = in[4:] {
		func() {
			i := len(r.Out)
			r.Out, r.Faults = append(r.Out, 0), append(r.Faults, true)
			defer func() { recover() }()
			r.Out[i] = f(in[0], in[1], in[2], in[3])
			r.Faults[i] = false
		}()
	}
	return r
}

func main() {
	in := %#v
	var all []result
%s	if err := gob.NewEncoder(os.Stdout).Encode(all); err != nil {
		panic(err)
	}
}
`

// host runs the wrappers of a file as gc compiles them.
func host(ctx context.Context, t *testFile, hs []*helper) ([]hostResult, error) {
	var calls strings.Builder
	for _, h := range hs {
		fmt.Fprintf(&calls, "\tall = append(all, run(in, kernels.%s))\n", h.wrapperName())
	}
	out, err := oracle.RunGo(ctx, t.files(), fmt.Sprintf(runner, inputs(), calls.String()))
	if err != nil {
		return nil, err
	}
	var all []hostResult
	return all, gob.NewDecoder(bytes.NewReader(out)).Decode(&all)
}

// files returns the file as a package.
func (t *testFile) files() map[string]string {
	src := strings.Builder{}
	src.WriteString("package kernels\n\n")
	for _, h := range t.helpers {
		if h.why == "" {
			src.WriteString(h.wrapper + "\n")
		}
	}
	return map[string]string{"common.go": common, "file.go": t.source, "wrappers.go": src.String()}
}

// bench compiles and runs.
type bench struct {
	t   *testing.T
	c   *oracle.Compiler
	dev *runtime.Device

	launches int // on the device, done or left out
	wide     int // kernels with wide arrays

	prog   *load.Program           // the file that is checked, with a kernel for each group of functions
	loaded map[string]*load.Kernel // prog's kernels by the functions that they call; see calls
}

// calls returns the key in bench.loaded of the kernel that calls the functions.
func calls(hs []*helper) string { return fmt.Sprint(hs) }

// load loads a file with a kernel for each group of functions, all at once: type-checking the
// file takes longer than compiling a kernel. Where load refuses one of them, check loads each
// group again by itself.
func (b *bench) load(t *testFile, groups [][]*helper) error {
	b.prog, b.loaded = nil, map[string]*load.Kernel{}
	files := t.files()
	for i, hs := range groups {
		files[fmt.Sprintf("kernel%d.go", i)] = kernel(fmt.Sprintf("K%d", i), hs)
	}
	prog, diags, err := b.c.Load("example.com/kernels", files)
	if err != nil || len(diags) > 0 {
		return err
	}
	b.prog = prog
	for _, k := range prog.Packages[0].Kernels {
		var i int
		if _, err := fmt.Sscanf(k.Name, "K%d", &i); err != nil {
			return err
		}
		b.loaded[calls(groups[i])] = k
	}
	return nil
}

// compile compiles one kernel that calls the functions.
func (b *bench) compile(t *testFile, hs []*helper) (*oracle.Kernel, error) {
	prog, kern := b.prog, b.loaded[calls(hs)]
	if kern == nil {
		files := t.files()
		files["kernel.go"] = kernel("K", hs)
		var diags diag.List
		var err error
		if prog, diags, err = b.c.Load("example.com/kernels", files); err != nil {
			return nil, err
		}
		if len(diags) > 0 {
			return nil, refusal{diags[0].Code.String()}
		}
		kern = prog.Packages[0].Kernels[0]
	}
	k, diags, err := oracle.CompileGeneral(prog, kern, "expand")
	if err == nil && len(diags) > 0 {
		err = refusal{diags[0].Code.String()}
	}
	return k, err
}

// refusal is a diagnostic's code.
type refusal struct{ code string }

func (r refusal) Error() string { return r.code }

// check compiles the functions, all in one kernel where that is possible, and runs
// them. It returns those that passed.
func (b *bench) check(t *testFile, hs []*helper, want map[*helper]hostResult) []*helper {
	if len(hs) == 0 {
		return nil
	}
	k, err := b.compile(t, hs)
	if err == nil {
		if err = b.run(k, hs, want); err == nil {
			return hs
		}
	}
	if len(hs) > 1 {
		half := len(hs) / 2
		return slices.Concat(b.check(t, hs[:half], want), b.check(t, hs[half:], want))
	}
	var r refusal
	if errors.As(err, &r) {
		hs[0].why = r.code
	} else {
		b.t.Errorf("%v: %v", hs[0], err)
	}
	return nil
}

// run compares what a kernel gives in the interpreter and on the device.
func (b *bench) run(k *oracle.Kernel, hs []*helper, want map[*helper]hostResult) error {
	type arg struct{ In, Out []uint64 }
	compare := func(where string, out []uint64, err error) error {
		var f *runtime.Fault
		if err != nil && !errors.As(err, &f) {
			return fmt.Errorf("%s: %w", where, err)
		}
		faults := false
		for i, h := range hs {
			w := want[h]
			for id := range items {
				faults = faults || w.Faults[id]
				if got := out[id*len(hs)+i]; !w.Faults[id] && got != w.Out[id] {
					return fmt.Errorf("%s: %v of %#x: %#x, want %#x", where, h, inputs()[4*id:4*id+4], got, w.Out[id])
				}
			}
		}
		if faults != (f != nil) {
			return fmt.Errorf("%s: fault %v, but the host's: %v", where, f, faults)
		}
		return nil
	}
	a := arg{inputs(), make([]uint64, items*len(hs))}
	l := oracle.Launch{Global: []int{items}, Local: []int{32}, Arg: &a, MaxSteps: 1 << 40}
	if err := compare("interpreter", a.Out, l.Run(k, "expand")); err != nil {
		return err
	}
	wide := slices.ContainsFunc(hs, func(h *helper) bool { return h.memory >= wideArrays })
	if wide {
		b.wide++
		if n := len(k.Words); n > maxWideWords {
			return fmt.Errorf("a module of %d words, want at most %d", n, maxWideWords)
		}
	}
	if b.dev == nil || slices.ContainsFunc(hs, func(h *helper) bool { return h.memory > *large }) {
		return nil
	}
	if b.launches++; b.launches%4 > 0 && !*everyLaunch && !wide {
		return nil // the interpreter has run it
	}
	desc := *k.ABI
	desc.SPIRV = k.SPIRV()
	a = arg{inputs(), make([]uint64, items*len(hs))}
	launch := kernelimpl.NewLaunch(kernelimpl.Register(&desc, nil))
	kernelimpl.Slice(launch, 0, a.In)
	kernelimpl.Slice(launch, 1, a.Out)
	err := launch.Run1(context.Background(), b.dev, items, nil)
	return compare(b.dev.Name(), a.Out, err)
}

// TestCompilerTests runs every function of the Go distribution's compiler tests
// that has a signature which a kernel can serve, and holds what is outside of the
// language of kernels against outside.txt.
func TestCompilerTests(t *testing.T) {
	dir := filepath.Join(goruntime.GOROOT(), "src/cmd/compile/internal/test/testdata")
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(names) == 0 {
		need.Missing(t, need.Vulkan, "this Go distribution has no tests of its compiler in %s", dir)
	}
	b := &bench{t: t, c: oracle.NewCompiler("math", "github.com/kgen-go/kgen/dsl", "github.com/kgen-go/kgen/properties",
		"fmt", "runtime", "strings", "unsafe", "reflect", "bytes", "errors", "os", "math/bits")}
	b.dev = devtest.VulkanOrNone(t)
	vars, err := variables(names)
	if err != nil {
		t.Fatal(err)
	}
	total, passed := 0, 0
	left := 0 // functions that are not in the sample
	var outside []string
	for _, path := range names {
		begin := time.Now()
		f, err := parse(path, filepath.Base(path), vars)
		if err != nil {
			t.Fatal(err)
		}
		var fit, alone []*helper
		for _, h := range f.helpers {
			switch {
			case h.why != "":
			case sample.Has(f.name, 32):
				fit = append(fit, h)
			default:
				left++
			}
		}
		var results []hostResult
		if len(fit) > 0 {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			results, err = host(ctx, f, fit)
			cancel()
		}
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		want := map[*helper]hostResult{}
		var calm []*helper
		for i, h := range fit {
			if want[h] = results[i]; slices.Contains(results[i].Faults, true) {
				alone = append(alone, h)
			} else {
				calm = append(calm, h)
			}
		}
		kernels := groups(calm)
		for _, h := range alone {
			kernels = append(kernels, []*helper{h})
		}
		if err := b.load(f, kernels); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		for _, group := range kernels {
			passed += len(b.check(f, group, want))
		}
		t.Logf("%s: %d functions in %v", f.name, len(f.helpers), time.Since(begin).Round(time.Second))
		for _, h := range f.helpers {
			total++
			if h.why != "" {
				outside = append(outside, fmt.Sprintf("%s %s: %s", h.file, h.name, h.why))
			}
		}
	}
	slices.Sort(outside)
	t.Logf("%d of %d functions pass, %d are outside of the language, %d not tried", passed, total, len(outside), left)
	if left == 0 && b.wide != wideKernels && strings.HasPrefix(goruntime.Version(), version) {
		t.Errorf("%d kernels have wide arrays, want %d", b.wide, wideKernels)
	}
	if failed := total - passed - len(outside) - left; failed != 0 {
		t.Errorf("%d functions fit the language but do not pass", failed)
	}
	if left > 0 {
		return // the files have the whole
	}
	hold(t, "outside.txt", strings.Join(outside, "\n")+"\n")
	readme(t, fmt.Sprintf("%d of the %d functions", passed, total))
}

// groups shares functions out to kernels; large arrays want a kernel to themselves.
func groups(hs []*helper) [][]*helper {
	var out [][]*helper
	size := 0
	for _, h := range hs {
		last := len(out) - 1
		if size += h.memory; last < 0 || len(out[last]) == perKernel || size > perKernelMemory {
			out, size = append(out, nil), h.memory
			last++
		}
		out[last] = append(out[last], h)
	}
	return out
}

// version is that of the Go distribution that outside.txt and the README are
// about.
const version = "go1.26"

// hold compares with a committed file.
func hold(t *testing.T, name, text string) {
	if !strings.HasPrefix(goruntime.Version(), version) {
		t.Logf("%s is about %s", name, version)
		return
	}
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil || string(want) != text {
		t.Errorf("%s is not up to date (%v); run the test with -update and see what changed", name, err)
	}
}

// readme looks for the figure in the README.
func readme(t *testing.T, figure string) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(goruntime.Version(), version) && !strings.Contains(strings.Join(strings.Fields(string(text)), " "), figure) {
		t.Errorf("the README does not say %q", figure)
	}
}

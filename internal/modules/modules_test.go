package modules_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/golden"
	"github.com/kgen-go/kgen/internal/tests/stubs"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestSums compares the modules of all test kernels with those of corpus.sums, so that a
// review shows which of them a change of the compiler changes. With -update it writes them.
func TestSums(t *testing.T) {
	packages, err := modules.Packages()
	if err != nil || len(packages) < 15 {
		t.Fatal(packages, err)
	}
	var b strings.Builder
	b.WriteString("# The modules of kgen's test kernels: name, words, and how their SHA-256 begins.\n")
	for _, pkg := range packages {
		dir, err := modules.Folder(pkg)
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.spv"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		slices.Sort(files)
		fmt.Fprintf(&b, "\n%s\n", strings.TrimPrefix(pkg, modules.Module+"/"))
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %d %x\n", strings.TrimSuffix(filepath.Base(f), ".spv"), len(data)/4, sha256.Sum256(data))
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		if f := strings.Fields(l); len(f) == 3 && len(f[2]) == 64 {
			lines[i] = f[0] + " " + f[1] + " " + f[2][:12]
		}
	}
	golden.Equal(t, "corpus.sums", []byte(strings.Join(lines, "\n")))
}

// TestFiles writes what a folder holds, and reads it again.
func TestFiles(t *testing.T) {
	v := 7
	k := &abi.Kernel{Name: "K", Package: modules.Module + "/internal/modules", Form: abi.NDRange, Rank: 2,
		Params:     []abi.Param{{Name: "X", Kind: abi.Slice, Type: "[]int", Size: 16, Access: abi.ReadWrite}},
		Aspects:    []properties.Aspect{properties.Int8, properties.FP64},
		Properties: properties.List{properties.WorkGroupSize(8, 4), properties.WorkGroupSizeHint(8, 4), properties.SubGroupSize(32), properties.DeviceHas(properties.Int8), properties.Float(properties.FloatFast)},
		Sites:      []abi.Site{{Kind: abi.FaultPanic, Pos: "k.go:1:2", Message: "no UTF-8: \xff\""}},
		Variables:  []abi.Variable{{Name: "V", Var: &v, Sum: 3}},
		Data:       "data\x00\xfe", SPIRV: "\x03\x02\x23\x07", Sum: 9,
		Variants: []abi.Variant{{Name: "words", Without: []properties.Aspect{properties.Int64}, SPIRV: "\x07\x23\x02\x03", Sum: 8}},
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := modules.Write(dir, root, k.Package, []*abi.Kernel{k}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KGEN_TEST_MODULES", dir)
	got := modules.Package(k.Package).Kernel("K", &v)
	k.Sum, k.Variants[0].Sum = 0, 0 // which are for stubs with modules
	if !reflect.DeepEqual(got, k) {
		t.Errorf("got  %+v\nwant %+v", got, k)
	}
	// Modules of other sources are none.
	if err := os.WriteFile(filepath.Join(dir, "internal/tests/conformance/args/kernels.json"), nil, 0o644); err == nil {
		t.Fatal("it is there")
	}
	if _, err := modules.Folder(modules.Module + "/internal/tests/conformance/args"); err == nil || !strings.Contains(err.Error(), "make modules") {
		t.Error(err)
	}
}

// noModules is the type of a kernel whose modules are not there.
type noModules struct{}

func (noModules) Kernel(dsl.Item1) {}

// TestMissing: a program whose kernels have no modules starts, so that it can show its flags. Each
// use of such a kernel is an error that names the package and the remedy.
func TestMissing(t *testing.T) {
	t.Setenv("KGEN_TEST_MODULES", t.TempDir())
	const pkg modules.Package = modules.Module + "/internal/tests/testflag"
	if err := modules.Missing(); err != nil {
		t.Fatal(err)
	}
	kernel, run := stubs.Range1(pkg.Kernel("noModules"), noModules.Kernel)
	says := func(what string, err error) {
		t.Helper()
		for _, want := range []string{string(pkg), "run make modules"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %q", what, err, want)
			}
		}
	}
	says("Missing", modules.Missing())
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, r := range []runtime.Range1{0, 1} {
		if err = run(t.Context(), dev, noModules{}, r); !errors.Is(err, runtime.ErrBuild) {
			t.Errorf("Run: %v, want ErrBuild", err)
		}
		says("Run", err)
	}
	_, err = runtime.LaunchKernel(dev.DefaultQueue(), kernel, runtime.Range1(1), nil)
	says("LaunchKernel", err)
	_, err = runtime.NewProgram(dev, kernel)
	says("NewProgram", err)
	func() {
		defer func() { err, _ = recover().(error) }()
		stubs.Kernels(pkg)
	}()
	says("Kernels", err)
}

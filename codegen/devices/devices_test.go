package devices_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/devices"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// listing is what -json prints.
type listing struct {
	Devices []struct {
		Index               int
		Name, Backend, Type string
		Aspects             []string
		Limits              struct{ MaxWorkItems int }
		Kernels             []struct {
			Kernel, Variant, Why string
			Small                bool
		}
	}
	Missing []string
}

func list(t *testing.T, cfg devices.Config) listing {
	t.Helper()
	cfg.JSON = true
	var out, wrong bytes.Buffer
	if err := devices.List(t.Context(), cfg, &out, &wrong); err != nil {
		t.Fatalf("%v\n%s", err, &wrong)
	}
	var l listing
	if err := json.Unmarshal(out.Bytes(), &l); err != nil {
		t.Fatalf("%v in %s", err, &out)
	}
	host := 0
	for i, d := range l.Devices {
		if d.Index != i || d.Name == "" || d.Limits.MaxWorkItems == 0 || len(d.Aspects) == 0 {
			t.Errorf("device %d: %+v", i, d)
		}
		if d.Backend == "host" {
			host++
		}
	}
	if host != 1 {
		t.Errorf("the host is there %d times", host)
	}
	return l
}

func kernels(l listing) string {
	var names []string
	for _, d := range l.Devices {
		if d.Backend == "host" {
			for _, k := range d.Kernels {
				names = append(names, k.Kernel+"="+k.Variant+k.Why)
			}
		}
	}
	return strings.Join(names, " ")
}

// TestKernels: the kernels of packages are listed, also of internal ones, which the program itself
// may not import, and without a file in the module.
func TestKernels(t *testing.T) {
	sample.Deep(t, "TestText lists kernels, as text")
	l := list(t, devices.Config{Dir: "../..", Patterns: []string{"./examples/quickstart/...", "./runtime/internal/model/..."}})
	got := kernels(l)
	for _, want := range []string{"saxpy.SAXPY=host", "model.SAXPY=host"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	for _, d := range l.Devices {
		for _, k := range d.Kernels {
			if d.Backend == "vulkan" && k.Kernel == "saxpy.SAXPY" && k.Variant == "" {
				t.Errorf("%s: SAXPY does not run there: %s", d.Name, k.Why)
			}
		}
	}
	for _, name := range []string{"../../kgen_devices", "../../runtime/kgen_devices"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s has been left", name)
		}
	}
}

// TestWithoutKernels: outside of modules, and in ones that know nothing of kgen, devices are listed.
func TestWithoutKernels(t *testing.T) {
	sample.Deep(t, "TestText lists devices")
	dir := t.TempDir()
	if got := kernels(list(t, devices.Config{Dir: dir})); got != "" {
		t.Errorf("kernels %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/x\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := kernels(list(t, devices.Config{Dir: dir})); got != "" {
		t.Errorf("kernels %s", got)
	}
	// One that has the compiler, but not yet what the runtime needs.
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/x\n\ngo 1.26\n\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => " + root + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := kernels(list(t, devices.Config{Dir: dir})); got != "" {
		t.Errorf("kernels %s", got)
	}
}

// TestText is what people read, of a package that the program may not import, too.
func TestText(t *testing.T) {
	var out, wrong bytes.Buffer
	if err := devices.List(t.Context(), devices.Config{Dir: "../..", Patterns: []string{"./generated/examples/quickstart/...", "./runtime/internal/model/..."}}, &out, &wrong); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"backend      host, Go\n", "   aspects      fp16 ", "   kernels      saxpy.SAXPY              host\n", "model.SAXPY              host\n", "KGEN_DEVICE=", " or host\n", "work-items"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	// Drivers such as llvmpipe have one size of sub-groups, which is no range of sizes.
	for _, m := range regexp.MustCompile(`sub-groups +(\d+) to (\d+) `).FindAllStringSubmatch(out.String(), -1) {
		if m[1] == m[2] {
			t.Errorf("%q is one size", m[0])
		}
	}
}

// TestErrors: what cannot be done says what to do.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		cfg  devices.Config
		want string
	}{
		{"packages without a module", devices.Config{Dir: dir, Patterns: []string{"./x"}}, "run it in the module's folder"},
		{"a package without kernels", devices.Config{Dir: "../..", Patterns: []string{"./codegen/diag"}}, "run go generate ./... first"},
		{"no package", devices.Config{Dir: "../..", Patterns: []string{"./none"}}, "directory not found"},
	} {
		var out bytes.Buffer
		err := devices.List(t.Context(), c.cfg, &out, &out)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n\n") {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	// A package that does not build.
	module := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/x\n\ngo 1.26\n\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => " + root + "\n",
		"go.sum": string(sum),
		"xgen/x_kgen.go": `package xgen

import (
	"github.com/kgen-go/kgen/runtime"
	_ "github.com/kgen-go/kgen/runtime/kernelimpl"
)

func Kernels() []*runtime.Kernel {
	return gone
}
`,
	} {
		at := filepath.Join(module, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOFLAGS", usermodule.Flags("-mod=mod"))
	var out bytes.Buffer
	err = devices.List(t.Context(), devices.Config{Dir: module}, &out, &out)
	if err == nil || !strings.Contains(err.Error(), "undefined: gone") || !strings.Contains(err.Error(), "go generate ./...") {
		t.Errorf("a package that does not build: %v", err)
	}
}

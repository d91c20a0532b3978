// Package quirktest compiles kernels that show bugs of drivers. It disables the workarounds in the table
// of package quirks. The tests of package quirktest find out which workarounds a driver still needs. For
// each row of the table, it compiles the row's kernels without the row's workaround. Each test runs in a
// process of its own, because drivers may crash. If the device does not need a row's workaround, the
// tests list the row, but do not fail. The following command runs the tests on the Vulkan device:
//
//	go test -v ./internal/tests/difftest/... ./internal/tests/smith -run TestQuirks
package quirktest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass/quirks"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/runtime"
)

// kernelTimeLimit is the time limit for testing one kernel. A limit is needed because drivers may hang.
const kernelTimeLimit = 3 * time.Minute

// A Case is a row of the table of quirks (drivers' bugs), with one of the kernels or tests that show the bug.
type Case struct {
	Row  *quirks.Quirk
	Name string // name of the case in Row.Case
	// Package and Kernel are set if the case is a kernel of a package of test kernels. Package is a path
	// relative to the module.
	Package, Kernel string
}

// Disabled returns the names of the optimizations that load.Program must disable.
func (c Case) Disabled() []string { return []string{"quirk/" + c.Row.Name} }

// Cases returns the cases for which `match` returns true. Cases returns no cases for rows whose workaround cannot
// be disabled.
func Cases(match func(c Case) bool) (out []Case) {
	for _, q := range quirks.All() {
		if q.Fixed {
			continue
		}
		for _, name := range q.Case {
			c := Case{Row: q, Name: name}
			if i := strings.LastIndexByte(name, '.'); !strings.Contains(name, ":") && !slices.Contains([]string{".go", ".ir"}, name[i:]) {
				c.Package, c.Kernel = name[:i], name[i+1:]
			}
			if match(c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Compiler compiles kernels of packages that it loads once.
type Compiler struct{ loaded map[string]*load.Program }

// Compile compiles the kernel of a case, with the given workarounds and optimizations disabled.
func (c *Compiler) Compile(of Case, disabled ...string) (*oracle.Kernel, error) {
	prog := c.loaded[of.Package]
	if prog == nil {
		var err error
		prog, _, err = load.Load(context.Background(), load.Config{Patterns: []string{modules.Module + "/" + of.Package}, Intrinsic: lower.Intrinsic})
		if err != nil {
			return nil, err
		}
		if c.loaded == nil {
			c.loaded = map[string]*load.Program{}
		}
		c.loaded[of.Package] = prog
	}
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			if k.Name == of.Kernel {
				return compile(prog, k, disabled)
			}
		}
	}
	return nil, fmt.Errorf("%s has no kernel %s", of.Package, of.Kernel)
}

func compile(prog *load.Program, k *load.Kernel, disabled []string) (*oracle.Kernel, error) {
	prog.Disabled = disabled
	out, diags, err := oracle.Compile(prog, k)
	if err == nil && len(diags) > 0 {
		err = diags
	}
	return out, err
}

// writeModules writes the modules of all packages of test kernels to folders below dir. The modules
// of the case's kernel are compiled without the row's workaround.
func (c *Compiler) writeModules(dir string, of Case) error {
	packages, err := modules.Packages()
	if err != nil {
		return err
	}
	for _, pkg := range packages {
		from, err := modules.Folder(pkg)
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(pkg, modules.Module+"/")
		to := filepath.Join(dir, filepath.FromSlash(below))
		if err := os.MkdirAll(to, 0o777); err != nil {
			return err
		}
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
		if below != of.Package {
			continue
		}
		k, err := c.Compile(of, of.Disabled()...)
		if err != nil {
			return err
		}
		put := func(name string, words []uint32) {
			name = filepath.Join(to, name+".spv")
			err = errors.Join(err, os.Remove(name), os.WriteFile(name, []byte(oracle.SPIRV(words)), 0o666))
		}
		put(of.Kernel, k.Words)
		for i := range k.ABI.Variants {
			put(of.Kernel+"."+k.ABI.Variants[i].Name, k.Variants[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Asked skips the test unless -test.run names it, because the test takes minutes.
func Asked(t *testing.T) {
	t.Helper()
	if f := flag.Lookup("test.run"); f == nil || !strings.Contains(f.Value.String(), "Quirks") {
		t.Skip("it takes minutes; -run TestQuirks asks for it")
	}
}

// ranPattern matches the output of a test that ran. skipPattern matches the output of a test that the device could not
// run.
var (
	ranPattern  = regexp.MustCompile(`(?m)^\s*--- (PASS|FAIL): [^/\n]+/`)
	skipPattern = regexp.MustCompile(`(?m)^\s*--- SKIP: `)
)

// Kernels runs tests of the calling package for each case. These tests compare devices with the host.
// testPattern matches the names of tests that compare devices, and subtestName returns the name of a
// kernel's sub-test. The tests must define the flag -every-case, because without this flag they omit cases.
func Kernels(t *testing.T, testPattern string, cases []Case, subtestName func(c Case) string) {
	Asked(t)
	dev := devtest.Vulkan(t)
	if len(cases) == 0 {
		t.Fatal("no row has such cases")
	}
	c := &Compiler{}
	reportRows(t, dev.Name(), cases, func(of Case) (string, error) {
		dir := t.TempDir()
		if err := c.writeModules(dir, of); err != nil {
			return "", err
		}
		pattern := "^(" + testPattern + ")$/^" + regexp.QuoteMeta(subtestName(of)) + "$"
		out, failed, err := Child([]string{"KGEN_TEST_MODULES=" + dir}, "-test.run", pattern, "-every-case")
		if err == nil && failed == "" && !ranPattern.MatchString(out) {
			if !skipPattern.MatchString(out) {
				return "", fmt.Errorf("no test matches %s", pattern)
			}
			return "", errNotRun
		}
		return failed, err
	})
}

// errNotRun is the error of a case that the device cannot run.
var errNotRun = errors.New("the device has not run it")

// Child runs tests of the calling package in another process. failureText describes the failure of the tests.
func Child(env []string, args ...string) (out, failureText string, err error) {
	exe, err := os.Executable()
	if err != nil {
		return "", "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), kernelTimeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, append([]string{"-test.v"}, args...)...)
	cmd.Env = append(append(os.Environ(), "GALLIVM_PERF=", "LP_NATIVE_VECTOR_WIDTH="), env...) // clears two variables, so that drivers optimize as they do for users
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return string(text), fmt.Sprintf("not done after %v", kernelTimeLimit), nil
	case errors.As(err, &exit):
		return string(text), firstFailure(text, exit), nil
	}
	return string(text), "", err
}

// firstFailure returns the line of a test's output that describes the test's failure.
func firstFailure(out []byte, exit *exec.ExitError) string {
	for line := range bytes.Lines(out) {
		if s := string(bytes.TrimSpace(line)); strings.Contains(s, "_test.go:") && !strings.Contains(s, ": comparing ") && !strings.Contains(s, ": device: ") {
			return s
		}
	}
	return exit.Error()
}

// Programs does the same as Kernels, but calls the function `run` to execute a case.
func Programs(t *testing.T, device string, cases []Case, run func(c Case) (failed string, err error)) {
	reportRows(t, device, cases, run)
}

// reportRows runs the cases and logs, for each row, whether the device needs the row's workaround.
func reportRows(t *testing.T, device string, cases []Case, run func(c Case) (failed string, err error)) {
	needed, right := map[string]bool{}, map[string]bool{}
	var order []string
	for _, c := range cases {
		failed, err := run(c)
		if strings.Contains(failed, runtime.ErrKernelNotSupported.Error()) {
			err = errNotRun
		}
		key := fmt.Sprintf("%s (%s)", c.Disabled()[0], c.Row.Driver)
		switch {
		case errors.Is(err, errNotRun):
			t.Logf("%s: %s: %s has not run on this device", device, key, c.Name)
			continue
		case err != nil:
			t.Errorf("%s: %s: %v", key, c.Name, err)
			continue
		case failed != "":
			t.Logf("%s: %s: needed by %s: %s", device, key, c.Name, failed)
			needed[key] = true
		default:
			right[key] = true
		}
		if !slices.Contains(order, key) {
			order = append(order, key)
		}
	}
	for _, key := range order {
		if right[key] && !needed[key] {
			t.Logf("%s: %s: not needed by the cases here", device, key)
		}
	}
}

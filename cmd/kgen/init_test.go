package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// goFlags has go.mod completed for the programs that tests write, and links them without tables
// for debuggers, in half the time.
const goFlags = "-mod=mod -ldflags=-s"

// TestMain turns cgo off for the programs that tests build: they run on the host device, and link
// in a third of the time.
func TestMain(m *testing.M) {
	os.Setenv("CGO_ENABLED", "0")
	os.Exit(m.Run())
}

// newModule returns a folder with a module that requires what this one does, and this one, as
// go get -tool leaves it.
func newModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := need.Dir(t)
	write(t, dir, "go.mod", strings.Replace(string(mod), "module github.com/kgen-go/kgen", "module example.com/first", 1)+
		"\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => "+root+"\n")
	write(t, dir, "go.sum", string(sum))
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// kgen runs the command in a folder.
func kgen(dir string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = runCommand(context.Background(), append([]string{"-C", dir}, args...), &out, &err)
	return code, out.String(), err.String()
}

// goTool runs the go command in a folder, without a GPU.
func goTool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "KGEN_DEVICE=host", "GOFLAGS="+usermodule.Flags(goFlags))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestInit starts a module, and adds to it: what is written runs, passes its test, and is
// current.
func TestInit(t *testing.T) {
	dir := newModule(t)
	code, out, errs := kgen(dir, "init", "saxpy")
	if code != 0 || errs != "" || !strings.Contains(out, "wrote main.go\n") || !strings.Contains(out, "go run .\n") {
		t.Fatalf("status %d: %s%s", code, out, errs)
	}
	// README.md shows what is written.
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"saxpy/kernel.go", "main.go"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ReplaceAll(string(text), "example.com/first", "example.com/hello"); !strings.Contains(string(readme), "```go\n"+want+"```\n") {
			t.Errorf("README.md does not have %s as it is written:\n%s", name, want)
		}
	}
	if out := goTool(t, dir, "run", "."); !strings.Contains(out, "[12 24 36]") {
		t.Errorf("it prints %s", out)
	}
	inits := []struct{ name, folder, main string }{
		{"blur", "./blur", "./cmd/blur"},                             // there is a program in the folder
		{"internal/deep", "./internal/deep", "./cmd/deep"},           // stubs lie beside the kernels
		{"kernels/first", "./kernels/first", "./cmd/first"},          // in a folder of folders
		{"./kernels/second/", "./kernels/second", "./cmd/second"},    // as the go command has it
		{"generatedx", "./generatedx", "./cmd/generatedx"},           // not the folder generated
		{"kernels/saxpy", "./kernels/saxpy", "go run ./cmd/saxpy\n"}, // the name once more, elsewhere
	}
	inits = inits[:sample.Of(len(inits), 1)]
	for _, c := range inits {
		code, out, errs := kgen(dir, "init", c.name)
		if code != 0 || errs != "" || !strings.Contains(out, strings.TrimPrefix(c.folder, "./")+"/kernel.go\n") || !strings.Contains(out, c.main) {
			t.Errorf("%s: status %d: %s%s", c.name, code, out, errs)
		}
	}
	if code, _, errs := kgen(dir, "-check", "./..."); code != 0 {
		t.Errorf("kgen -check: %s", errs)
	}
	// Vet compiles all programs and tests. Those linked and run are below internal, in a folder, and
	// of the name that another has.
	if !testing.Short() {
		goTool(t, dir, "vet", "./...")
	}
	// With -short, TestFragments type-checks the test, and the program above has run.
	if tested := []string{"./internal/deep", "./blur", "./kernels/saxpy"}; !testing.Short() {
		if out := goTool(t, dir, append([]string{"test", "-vet=off"}, tested...)...); strings.Count("\n"+out, "\nok ") != len(tested) {
			t.Errorf("go test: %s", out)
		}
	}
	gofmt := exec.Command("gofmt", "-l", ".")
	gofmt.Dir = dir
	if out, err := gofmt.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt: %v: %s", err, out)
	}
	if testing.Short() {
		return // TestCheckStale of codegen has files that are out of date
	}
	const kernel = "blur/kernel.go"
	text, err := os.ReadFile(filepath.Join(dir, kernel))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, kernel, strings.Replace(string(text), "+=", "-=", 1))
	const want = "kgen: generated files are out of date\nrun go generate ./..., or this command without -check, to write them\n"
	if code, _, errs := kgen(dir, "-check", "./..."); code != 1 || !strings.HasSuffix(errs, want) {
		t.Errorf("kgen -check of a changed kernel: status %d: %s", code, errs)
	}
}

// TestSelf: messages name kgen as it is called in the module, in either form of the directive tool.
func TestSelf(t *testing.T) {
	for mod, want := range map[string]string{
		"module m\n": "kgen",
		"module m\n\ntool github.com/kgen-go/kgen/cmd/kgenvet\n":                                             "kgen",
		"module m\n\nrequire github.com/kgen-go/kgen v0.1.0\n":                                               "kgen",
		"module m\n\ntool github.com/kgen-go/kgen/cmd/kgen\n":                                                "go tool kgen",
		"module m\n\ntool github.com/kgen-go/kgen/cmd/kgen // pinned\n":                                      "go tool kgen",
		"module m\n\ntool (\n\tgithub.com/kgen-go/kgen/cmd/kgen\n\tgithub.com/kgen-go/kgen/cmd/kgenvet\n)\n": "go tool kgen",
	} {
		dir := need.Dir(t)
		write(t, dir, "go.mod", mod)
		write(t, dir, "k/kernel.go", "package k\n")
		if got := commandLine(filepath.Join(dir, "k")); got != want {
			t.Errorf("%q in\n%s", got, mod)
		}
	}
}

// TestInitRefuses: where nothing can be written, all stays as it is, and the message says what
// to run.
func TestInitRefuses(t *testing.T) {
	files := func(dir string) (all []string) {
		filepath.WalkDir(dir, func(name string, _ os.DirEntry, _ error) error {
			all = append(all, name)
			return nil
		})
		return all
	}
	bare := need.Dir(t)
	without := need.Dir(t)
	write(t, without, "go.mod", "module example.com/without\n\ngo 1.26.0\n")
	taken := newModule(t)
	write(t, taken, "saxpy/kernel.go", "package saxpy\n")
	write(t, taken, "other/other.go", "package other\n")
	write(t, taken, "file", "")
	write(t, taken, "both/kernel.go", "package both\n")
	write(t, taken, "both/kernel_test.go", "package both\n")
	for _, c := range []struct {
		dir, name string
		code      int
		want      []string
	}{
		{bare, "saxpy", 1, []string{"is in no Go module; run\n\tgo mod init example.com/saxpy\n\tgo get -tool github.com/kgen-go/kgen/cmd/kgen\n\tgo tool kgen init saxpy\n"}},
		{without, "saxpy", 1, []string{"the module example.com/without does not require github.com/kgen-go/kgen; run\n\tgo get -tool"}},
		{taken, "saxpy", 1, []string{"saxpy/kernel.go exists already, and kgen init overwrites nothing: choose another name, or move it away"}},
		{taken, "other", 1, []string{"other/*.go exists already, and kgen init overwrites nothing"}},
		{taken, "both", 1, []string{"both/kernel.go, both/kernel_test.go exist already, and kgen init overwrites nothing: choose another name, or move them away"}},
		{taken, "file", 1, []string{"file"}},
		{taken, "Saxpy", 1, []string{"lower-case letters and digits"}},
		{taken, "func", 1, []string{"a package of kernels cannot be called func: that is a keyword of Go; choose another name, as in kgen init funckernels\n"}},
		{taken, "runtime", 1, []string{"imports Go's or kgen's package runtime, too"}},
		{taken, "kernels/context", 1, []string{"imports Go's or kgen's package context, too"}},
		{taken, "fmt", 1, []string{"package fmt, too"}},
		{taken, "dsl", 1, []string{"imports kgen's package dsl"}},
		{taken, "main", 1, []string{"package main is a program"}},
		{taken, "generated", 1, []string{"the one that kgen writes to"}},
		{taken, "internal", 1, []string{"a meaning of their own"}},
		{taken, "x", 1, []string{"has a variable x beside it"}},
		{taken, "len", 1, []string{"predeclared in Go"}},
		{taken, "../saxpy", 1, []string{"cannot be the folder"}},
		{taken, "generated/saxpy", 1, []string{"no place for a package of kernels"}},
		{taken, ".", 1, []string{"cannot be the folder"}},
	} {
		before := files(c.dir)
		code, out, errs := kgen(c.dir, "init", c.name)
		for _, want := range c.want {
			if code != c.code || out != "" || !strings.Contains(errs, want) {
				t.Errorf("%s: status %d, %s%s, want %s", c.name, code, out, errs, want)
			}
		}
		if after := files(c.dir); !slices.Equal(before, after) {
			t.Errorf("%s: it leaves %v", c.name, after)
		}
	}
	for _, args := range [][]string{{"init"}, {"init", "a", "b"}} {
		if code, _, errs := kgen(taken, args...); code != 2 || !strings.Contains(errs, "kgen init saxpy") {
			t.Errorf("%v: status %d: %s", args, code, errs)
		}
	}
}

// TestSetUp: kgen says what to run where a module is not set up.
func TestSetUp(t *testing.T) {
	const kernel = "package k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int }\n\nfunc (k K) Kernel(it dsl.Item1) { k.X[0] = OTHER }\n"
	bare, without, unsummed := need.Dir(t), need.Dir(t), need.Dir(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{bare, without, unsummed} {
		write(t, dir, "k/kernel.go", strings.Replace(kernel, "OTHER", "1", 1))
	}
	write(t, without, "go.mod", "module example.com/without\n\ngo 1.26.0\n")
	write(t, unsummed, "k/kernel.go", strings.NewReplacer("import ", "import \"golang.org/x/mod/semver\"\n\nimport ", "OTHER", "semver.Compare(``, ``)").Replace(kernel))
	write(t, unsummed, "go.mod", "module example.com/unsummed\n\ngo 1.26.0\n\nrequire github.com/kgen-go/kgen v0.0.0\n\nrequire golang.org/x/mod v0.42.0\n\nreplace github.com/kgen-go/kgen => "+root+"\n")
	// Its program imports what kgen is to write, so that go mod tidy fails.
	write(t, unsummed, "main.go", "package main\n\nimport _ \"example.com/unsummed/generated/k\"\n\nfunc main() {}\n")
	for _, c := range []struct{ dir, want string }{
		{bare, "is in no Go module; run\n\tgo mod init example.com/"},
		{without, "\trun go get -tool github.com/kgen-go/kgen/cmd/kgen\n"},
		{unsummed, "run go mod tidy; if that fails for generated packages that are missing, go mod tidy -e\n"},
	} {
		for _, pattern := range []string{"./k", "./..."} {
			if code, _, errs := kgen(c.dir, pattern); code != 1 || !strings.Contains(errs, c.want) {
				t.Errorf("%s: status %d: %s, want %s", pattern, code, errs, c.want)
			}
		}
	}
}

// TestGenerateShows: under go generate, which runs kgen in the package's folder, positions say
// which package they are of.
func TestGenerateShows(t *testing.T) {
	dir := newModule(t)
	write(t, dir, "some/k/kernel.go", "package k\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int }\n\nfunc (k K) Kernel(it dsl.Item1) { go println() }\n")
	t.Chdir(filepath.Join(dir, "some/k"))
	for _, c := range []struct{ file, want string }{{"kernel.go", "some/k/kernel.go:7:35: KG102"}, {"", "kernel.go:7:35: KG102"}} {
		t.Setenv("GOFILE", c.file)
		t.Setenv("GOLINE", "3")
		var out, errs bytes.Buffer
		if code := runCommand(t.Context(), []string{"."}, &out, &errs); code != 1 || !strings.HasPrefix(errs.String(), c.want) {
			t.Errorf("status %d: %s, want %s", code, &errs, c.want)
		}
	}
}

// TestCRLF checks a module out as git does on Windows. With the .gitattributes that kgen init writes,
// generated files keep their bytes; without it, their lines end as on Windows, and they are current and run.
func TestCRLF(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		need.Missing(t, need.Vulkan, "no git: %v", err)
	}
	dir := newModule(t)
	if code, out, errs := kgen(dir, "init", "saxpy"); code != 0 || !strings.Contains(out, "wrote .gitattributes\n") {
		t.Fatalf("status %d: %s%s", code, out, errs)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), git, append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "core.autocrlf=true", "-c", "core.safecrlf=false"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	// checkout commits everything and has git write it anew.
	checkout := func() {
		run("add", "-A")
		run("commit", "-q", "-m", "all")
		run("rm", "-q", "-r", "--cached", ".")
		for _, name := range []string{"generated", "saxpy", "main.go"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		run("reset", "-q", "--hard")
	}
	crlf := func(name string) bool {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(text, []byte("\r\n"))
	}
	run("init", "-q")
	for _, kept := range []bool{true, false} {
		if !kept {
			if err := os.Remove(filepath.Join(dir, ".gitattributes")); err != nil {
				t.Fatal(err)
			}
		}
		checkout()
		for _, name := range []string{"generated/saxpy/SAXPY.kir", "generated/saxpy/saxpy_kgen.go"} {
			if crlf(name) == kept {
				t.Errorf("with .gitattributes: %v: %s has lines as on Windows: %v", kept, name, crlf(name))
			}
		}
		if !crlf("saxpy/kernel.go") {
			t.Error("git has not written lines as on Windows")
		}
		if code, _, errs := kgen(dir, "-check", "./..."); code != 0 {
			t.Errorf("kgen -check: %s", errs)
		}
	}
	if testing.Short() {
		return // package fusion has a test of kernels with such IR
	}
	if out := goTool(t, dir, "run", "."); !strings.Contains(out, "[12 24 36]") {
		t.Errorf("it prints %s", out)
	}
	if code, out, errs := kgen(dir, "./..."); code != 0 || out+errs != "" {
		t.Errorf("kgen writes: status %d: %s%s", code, out, errs)
	}
}

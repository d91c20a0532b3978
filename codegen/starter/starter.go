// Package starter writes the first kernel of a Go module, a program that runs the kernel, and a test. Package starter
// implements the command kgen init.
package starter

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"go/doc"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/kgen-go/kgen/codegen"
)

//go:embed files/*.tmpl
var templates embed.FS

// modulePath is the path of kgen's module.
const modulePath = "github.com/kgen-go/kgen"

// Starter describes the files that kgen init writes.
type Starter struct {
	Package  string // name of the kernels' package
	Path     string // import path of the kernels' package
	Kernel   string // name of the kernel
	Stub     string // name of the generated package
	StubPath string // import path of the generated package
	Command  string // command for go generate

	root  string            // folder of the module
	dir   string            // folder for the files
	files map[string]string // maps a template to the name of its file relative to dir
}

// New returns the Starter for a kernel package. The package's folder is below dir and has the given
// name. The module of dir must require kgen. New does not write files. If New fails, the error
// names a command to run first, or asks for another name.
func New(ctx context.Context, dir, name string) (*Starter, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	rel := path.Clean(filepath.ToSlash(name))
	pkg := path.Base(rel)
	root := codegen.ModuleRoot(dir)
	if root == "" {
		word := "hello"
		if plainName.MatchString(pkg) && nameConflict(pkg) == "" {
			word = pkg
		}
		return nil, fmt.Errorf("the folder %s is in no Go module; run\n\tgo mod init example.com/%s\n\tgo get -tool %s/cmd/kgen\n\tgo tool kgen init %[2]s", dir, word, modulePath)
	}
	if !plainName.MatchString(pkg) || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return nil, fmt.Errorf("%q cannot be the folder of a package of kernels: name it in lower-case letters and digits, as in kgen init saxpy", name)
	}
	if why := nameConflict(pkg); why != "" {
		return nil, fmt.Errorf("a package of kernels cannot be called %s: %s; choose another name, as in kgen init %[1]skernels", pkg, why)
	}
	module, err := moduleOf(ctx, dir, root)
	if err != nil {
		return nil, err
	}
	inModule, err := filepath.Rel(root, filepath.Join(dir, filepath.FromSlash(rel)))
	if err != nil {
		return nil, err
	}
	within := filepath.ToSlash(inModule)
	if first, _, _ := strings.Cut(within, "/"); first == "generated" || strings.Contains("/"+within+"/", "/vendor/") || strings.Contains("/"+within+"/", "/testdata/") {
		return nil, fmt.Errorf("%s is no place for a package of kernels: choose another name", within)
	}
	stubs, err := filepath.Rel(root, codegen.StubFolder(root, within, pkg))
	if err != nil {
		return nil, err
	}
	s := &Starter{
		Package: pkg, Path: path.Join(module, within), Kernel: kernelName(pkg),
		Stub: pkg + "gen", StubPath: path.Join(module, filepath.ToSlash(stubs)),
		Command: "go tool kgen", root: root, dir: dir,
	}
	if !hasTool(ctx, dir) {
		s.Command = "go run " + modulePath + "/cmd/kgen"
	}
	program := "main.go"
	if hasGo(dir) {
		program = path.Join("cmd", pkg, "main.go")
	}
	s.files = map[string]string{
		"kernel.go.tmpl":      path.Join(rel, "kernel.go"),
		"kernel_test.go.tmpl": path.Join(rel, "kernel_test.go"),
		"main.go.tmpl":        program,
	}
	return s, s.checkFree()
}

// StubImport returns the import spec of the generated package. If the package's name differs from
// the last element of the path, the spec includes the name.
func (s *Starter) StubImport() string {
	if path.Base(s.StubPath) == s.Stub {
		return fmt.Sprintf("%q", s.StubPath)
	}
	return fmt.Sprintf("%s %q", s.Stub, s.StubPath)
}

// plainName matches the names that a kernel package and its folder may have.
var plainName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// nameConflict returns the reason why a kernel package cannot have the given name. It returns "" if
// there is no such reason.
func nameConflict(name string) string {
	switch name {
	case "main":
		return "package main is a program, which nothing can import, and what kgen writes imports the kernels"
	case "internal", "vendor", "testdata":
		return "for the go command, folders of that name have a meaning of their own"
	case "generated":
		return "that folder is the one that kgen writes to"
	case "context", "fmt", "log", "runtime", "testing":
		return "what kgen init writes imports Go's or kgen's package " + name + ", too"
	case "dsl":
		return "each package of kernels imports kgen's package dsl"
	case "a", "dev", "err", "i", "n", "t", "want", "x", "y":
		return "what kgen init writes has a variable " + name + " beside it"
	}
	switch {
	case token.IsKeyword(name):
		return "that is a keyword of Go"
	case doc.IsPredeclared(name):
		return "that name is predeclared in Go, and means something else where the package is imported"
	}
	return ""
}

// kernelName returns the name of the kernel in a package with the given name.
func kernelName(pkg string) string {
	if pkg == "saxpy" {
		return "SAXPY"
	}
	return strings.ToUpper(pkg[:1]) + pkg[1:]
}

// moduleOf returns the path of the module that contains folder dir. modRoot is the folder
// with the module's go.mod file. If the module does not require kgen, moduleOf returns an error.
func moduleOf(ctx context.Context, dir, modRoot string) (string, error) {
	out, err := goCommand(ctx, dir, "list", "-m", "-f", "{{.Path}}\t{{.GoMod}}")
	if err != nil {
		return "", err
	}
	// In a workspace (go.work), the go command lists several modules.
	module := ""
	for line := range strings.Lines(out) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if sameFile(filepath.Join(modRoot, "go.mod"), file) {
			module = name
		}
	}
	if module == "" {
		return "", fmt.Errorf("the module in %s is not one of the workspace's; run go work use %[1]s", modRoot)
	}
	if _, err := goCommand(ctx, dir, "list", "-m", modulePath); err != nil {
		return "", fmt.Errorf("the module %s does not require %s; run\n\tgo get -tool %[2]s/cmd/kgen\n\tgo tool kgen init NAME", module, modulePath)
	}
	return module, nil
}

// sameFile reports whether two names refer to the same file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// hasTool reports whether the module declares kgen as a tool. If the module declares kgen as a tool, the command go
// tool kgen works.
func hasTool(ctx context.Context, dir string) bool {
	out, err := goCommand(ctx, dir, "list", "tool")
	return err == nil && strings.Contains("\n"+out, "\n"+modulePath+"/cmd/kgen\n")
}

func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// hasGo reports whether a folder contains Go files. A program cannot be written to a folder that
// already contains Go files.
func hasGo(dir string) bool {
	found, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err == nil && len(found) > 0
}

// checkFree returns an error if one of the files to write already exists.
func (s *Starter) checkFree() error {
	var there []string
	for _, name := range s.Files() {
		if _, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(name))); err == nil {
			there = append(there, name)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if folder := filepath.Dir(filepath.Join(s.dir, filepath.FromSlash(s.files["kernel.go.tmpl"]))); len(there) == 0 && hasGo(folder) {
		there = append(there, path.Dir(s.files["kernel.go.tmpl"])+"/*.go")
	}
	if len(there) > 0 {
		verb, it := "exists", "it"
		if len(there) > 1 {
			verb, it = "exist", "them"
		}
		return fmt.Errorf("%s %s already, and kgen init overwrites nothing: choose another name, or move %s away", strings.Join(there, ", "), verb, it)
	}
	return nil
}

// Files returns the names of the files relative to the folder, in the order in which users should
// read the files.
func (s *Starter) Files() []string {
	return []string{s.files["kernel.go.tmpl"], s.files["main.go.tmpl"], s.files["kernel_test.go.tmpl"]}
}

// Folder returns the folder of the kernel package, written as a package path of the go command.
func (s *Starter) Folder() string { return "./" + path.Dir(s.files["kernel.go.tmpl"]) }

// Main returns the folder of the program, written as a package path of the go command.
func (s *Starter) Main() string {
	if dir := path.Dir(s.files["main.go.tmpl"]); dir != "." {
		return "./" + dir
	}
	return "."
}

// Write writes the files of the first kernel to the module. After an error, Write removes the files
// that it has written.
func (s *Starter) Write() (err error) {
	if err := s.checkFree(); err != nil {
		return err
	}
	var written []string
	defer func() {
		if err != nil {
			for _, name := range written {
				os.Remove(name)
			}
		}
	}()
	for from, name := range s.files {
		t, err := template.ParseFS(templates, "files/"+from)
		if err != nil {
			return fmt.Errorf("BUG: %w", err)
		}
		var b bytes.Buffer
		if err := t.Execute(&b, s); err != nil {
			return fmt.Errorf("BUG: %w", err)
		}
		text, err := format.Source(b.Bytes())
		if err != nil {
			return fmt.Errorf("BUG: %s: %w", from, err)
		}
		name = filepath.Join(s.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		written = append(written, name)
		_, err = f.Write(text)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// attrLines contains lines for .gitattributes. Without lines in .gitattributes, git may convert the
// line ends of kgen's files, for example on Windows. Programs refuse files with converted line
// ends, because programs verify a kernel's module and IR.
var attrLines = []string{"*.kir -text", "*_kgen.go eol=lf", "*.spv binary"}

// WriteAttributes adds the missing lines to .gitattributes in the module's folder. WriteAttributes returns the path of
// .gitattributes relative to the starter's folder, or "" if no line was missing.
func (s *Starter) WriteAttributes() (string, error) {
	name := filepath.Join(s.root, ".gitattributes")
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	text := string(old)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	have := map[string]bool{}
	for line := range strings.Lines(text) {
		have[strings.Join(strings.Fields(line), " ")] = true
	}
	added := false
	for _, line := range attrLines {
		if !have[line] {
			text, added = text+line+"\n", true
		}
	}
	if !added {
		return "", nil
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(s.dir, name)
	return filepath.ToSlash(rel), err
}

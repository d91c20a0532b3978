// Package devices prints the devices of this machine, and the kernels of a module that each device
// can run.
//
// The command kgen contains neither the runtime nor cgo, so a program in the user's module queries
// the devices. The program imports the runtime and the stubs that kgen has written in the module.
// The go command reads the program's files from an overlay (go build -overlay), so that no file of
// the module changes.
//
// The overlay contains the program in <module>/kgen_devices/main.go. The overlay also contains packages that re-export
// the kernels of internal packages. For example, <module>/a/kgen_devices/kernels.go re-exports the kernels of
// <module>/a/internal/b.
//
// If the user's module does not require the runtime, the program is in a separate module. The
// command kgen itself reads the sources, and finds kernels that are missing from the list, and
// kernels that have changed since their compilation.
package devices

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/template"
)

const (
	module  = "github.com/kgen-go/kgen"
	folder  = "kgen_devices" // folder name of the packages that the overlay adds
	impl    = module + "/runtime/kernelimpl"
	library = module + "/runtime"
)

//go:embed program.go.tmpl
var programText string

var program = template.Must(template.New("program").Parse(programText))

// Config selects the kernels to list.
type Config struct {
	Dir      string   // "" is the current folder
	Patterns []string // packages with kernels, or their stubs; an empty list means the whole module
	Tags     []string // build tags
	JSON     bool
}

// Import describes an import of a stub package.
type Import struct{ Alias, Path string }

// List prints the list of devices and kernels to stdout. The go command prints progress and
// warnings to stderr.
func List(ctx context.Context, cfg Config, stdout, stderr io.Writer) error {
	l := lister{ctx: ctx, cfg: cfg, stderr: stderr, overlay: map[string]string{}}
	var err error
	if l.tmp, err = os.MkdirTemp("", "kgen-devices-"); err != nil {
		return err
	}
	defer os.RemoveAll(l.tmp)
	bin, err := l.buildQuery()
	if err != nil {
		return err
	}
	for _, note := range l.current.staleNotes() {
		fmt.Fprintln(stderr, "kgen devices:", note)
	}
	cmd := exec.CommandContext(ctx, bin)
	cmd.Dir, cmd.Stdout, cmd.Stderr = cfg.Dir, stdout, stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the program that lists the devices failed: %w", err)
	}
	return nil
}

type lister struct {
	ctx     context.Context
	cfg     Config
	stderr  io.Writer
	tmp     string
	root    string            // root of the user's module; "" outside of modules
	overlay map[string]string // maps the name of a file in the overlay to the name of the temporary file with the contents
	current freshness
}

// buildQuery builds the program that queries the devices. buildQuery returns the path of the executable file.
func (l *lister) buildQuery() (string, error) {
	mod, err := l.goCommand(l.cfg.Dir, "env", "GOMOD")
	if err != nil {
		return "", err
	}
	if mod = strings.TrimSpace(mod); mod == "" || mod == os.DevNull {
		if len(l.cfg.Patterns) > 0 {
			return "", errors.New("there is no go.mod here, so there are no packages; run it in the module's folder, or without packages for the devices alone")
		}
		return l.buildAlone()
	}
	l.root = filepath.Dir(mod)
	imports, err := l.stubPackages()
	if err != nil {
		return "", err
	}
	if imports == nil {
		if len(l.cfg.Patterns) > 0 {
			return "", fmt.Errorf("kgen has written nothing for %s; run go generate ./... first, or name none for the devices alone", strings.Join(l.cfg.Patterns, " "))
		}
		if _, err := l.goCommand(l.root, "list", library); err != nil {
			return l.buildAlone()
		}
	}
	dir := filepath.Join(l.root, folder)
	if err := l.addFile(filepath.Join(dir, "main.go"), l.program(imports)); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": l.overlay})
	if err != nil {
		return "", err
	}
	name := filepath.Join(l.tmp, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o666); err != nil {
		return "", err
	}
	bin := l.bin()
	if _, err = l.goCommand(l.root, "build", stripFlags, "-overlay="+name, "-o", bin, "./"+folder); err != nil {
		if imports == nil { // the user's module may lack modules that the runtime requires, but the program may still build in a separate module
			if bin, err := l.buildAlone(); err == nil {
				return bin, nil
			}
		}
		return "", addHint(err)
	}
	return bin, nil
}

func (l *lister) bin() string {
	name := filepath.Join(l.tmp, "list")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// addHint adds a hint to the error of a program that does not build.
func addHint(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "missing go.sum entry"), strings.Contains(text, "no required module provides"),
		strings.Contains(text, "updates to go.mod needed"):
		return fmt.Errorf("%w\nthe module does not have all that the runtime needs; run: go mod tidy", err)
	case strings.Contains(text, "inconsistent vendoring"), strings.Contains(text, "is explicitly required in go.mod, but not marked"),
		strings.Contains(text, "-mod=vendor"):
		return fmt.Errorf("%w\nthe folder vendor lacks the runtime; run it with GOFLAGS=-mod=mod", err)
	}
	return fmt.Errorf("%w\nthe packages that kgen wrote do not build; run: go generate ./... (or name those that do)", err)
}

// listedPackage is one package in the output of go list.
type listedPackage struct {
	ImportPath, Dir, Name string
	GoFiles, Imports      []string
	ImportMap             map[string]string // maps import paths in the source to package paths, where the two differ
	DepOnly               bool              // whether the package is in the output only because other packages import it
}

// stubPackages returns the stub packages to list. A stub package is listed if the patterns name the
// stub package or a package that it imports. Instead of an internal stub package, stubPackages
// returns a package of the overlay that re-exports the kernels of the internal package.
func (l *lister) stubPackages() ([]Import, error) {
	var named []string
	if len(l.cfg.Patterns) > 0 {
		out, err := l.goCommand(l.cfg.Dir, append([]string{"list", "--"}, l.cfg.Patterns...)...)
		if err != nil {
			return nil, err
		}
		named = strings.Fields(out)
	}
	out, err := l.goCommand(l.root, "list", "-e", "-deps", "-json=ImportPath,Dir,Name,GoFiles,Imports,ImportMap,DepOnly", "./...")
	if err != nil {
		return nil, err
	}
	var all []*listedPackage
	for in := json.NewDecoder(strings.NewReader(out)); ; {
		p := &listedPackage{}
		if err := in.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
	l.current.readAllTexts(all)
	var imports []Import
	bridges := map[string][]Import{}
	for _, p := range all {
		if p.DepOnly {
			continue
		}
		if len(l.cfg.Patterns) > 0 && !slices.ContainsFunc(append(p.Imports, p.ImportPath), func(path string) bool { return slices.Contains(named, path) }) {
			continue
		}
		if !p.isStubs() {
			if len(named) == 0 || slices.Contains(named, p.ImportPath) {
				l.current.addKernels(p)
			}
			continue
		}
		l.current.addStubs(p)
		i := Import{fmt.Sprint("kernels", len(imports)+len(bridges)), p.ImportPath}
		above, inside := aboveInternal(p.ImportPath)
		if !inside || above+"/"+folder == p.ImportPath {
			imports = append(imports, i)
			continue
		}
		i.Alias = fmt.Sprint("kernels", len(bridges[above]))
		bridges[above] = append(bridges[above], i)
		if len(bridges[above]) == 1 {
			imports = append(imports, Import{fmt.Sprint("bridge", len(bridges)), above + "/" + folder + "/kernels"})
		}
		at := filepath.Join(dirAbove(p.Dir), folder, "kernels", "kernels.go")
		if err := l.addFile(at, bridgeSource(bridges[above])); err != nil {
			return nil, err
		}
	}
	return imports, nil
}

// aboveInternal returns the part of an import path before the last element "internal". Only
// packages below the returned path may import a package with the given path.
func aboveInternal(path string) (above string, inside bool) {
	i := strings.LastIndex(path+"/", "/internal/")
	if i < 0 {
		return "", false
	}
	return path[:i], true
}

// dirAbove returns the part of a folder's path before the last element "internal".
func dirAbove(dir string) string {
	i := strings.LastIndex(filepath.ToSlash(dir)+"/", "/internal/")
	return dir[:max(i, 0)]
}

// bridgeSource returns the source of a package that re-exports the kernels of other
// packages.
func bridgeSource(of []Import) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package kernels\n\nimport (\n\t%q\n", library)
	for _, i := range of {
		fmt.Fprintf(&b, "\t%s %q\n", i.Alias, i.Path)
	}
	b.WriteString(")\n\nfunc Kernels() (all []*runtime.Kernel) {\n")
	for _, i := range of {
		fmt.Fprintf(&b, "\tall = append(all, %s.Kernels()...)\n", i.Alias)
	}
	b.WriteString("\treturn all\n}\n")
	return b.Bytes()
}

func (l *lister) program(imports []Import) []byte {
	var b bytes.Buffer
	if err := program.Execute(&b, map[string]any{"Name": folder, "Imports": imports, "JSON": l.cfg.JSON}); err != nil {
		panic("BUG: the program that lists devices: " + err.Error())
	}
	return b.Bytes()
}

// addFile adds a file to the overlay.
func (l *lister) addFile(name string, text []byte) error {
	at, known := l.overlay[name]
	if !known {
		at = filepath.Join(l.tmp, fmt.Sprintf("file%d.go", len(l.overlay)))
	}
	l.overlay[name] = at
	return os.WriteFile(at, text, 0o666)
}

// buildAlone builds the program in a separate module. A program in a separate module lists only
// devices, no kernels.
func (l *lister) buildAlone() (string, error) {
	dir := filepath.Join(l.tmp, "module")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	mod, sum, err := runtimeModFiles()
	if err != nil {
		return "", err
	}
	for name, text := range map[string][]byte{"go.mod": mod, "go.sum": sum, "main.go": l.program(nil)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return "", err
		}
	}
	bin := l.bin()
	if _, err := l.goCommand(dir, "build", stripFlags, "-mod=mod", "-o", bin, "."); err != nil {
		return "", fmt.Errorf("%w\nrun kgen devices in a module that requires %s", err, module)
	}
	return bin, nil
}

// runtimeModFiles returns the go.mod and go.sum of a module that requires kgen's runtime. If the
// sources of the running kgen are on the machine, a replace directive in go.mod selects these
// sources. If the sources of the running kgen are missing, go.mod requires the version of the
// running kgen.
func runtimeModFiles() (mod, sum []byte, err error) {
	const head = "module kgendevices\n\ngo 1.26\n\nrequire " + module + " "
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
		text, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err == nil && bytes.Contains(text, []byte("module "+module+"\n")) {
			sum, _ := os.ReadFile(filepath.Join(root, "go.sum"))
			return fmt.Appendf(nil, "%sv0.0.0\n\nreplace %s => %q\n", head, module, root), sum, nil
		}
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
			if m.Path == module && strings.HasPrefix(m.Version, "v") && !strings.Contains(m.Version, "+") {
				return []byte(head + m.Version + "\n"), nil, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("this kgen does not know its version; run it in a module that requires %s: go mod init example.com/x && go get -tool %s/cmd/kgen", module, module)
}

// stripFlags is the linker flag that omits tables for debuggers. Without tables for debuggers,
// linking takes half the time. The program that queries the devices runs only once and needs no
// debugger.
const stripFlags = "-ldflags=-s"

// goCommand runs the go command and returns its output.
func (l *lister) goCommand(dir string, args ...string) (string, error) {
	if len(l.cfg.Tags) > 0 && (args[0] == "list" || args[0] == "build") {
		args = slices.Insert(args, 1, "-tags="+strings.Join(l.cfg.Tags, ","))
	}
	cmd := exec.CommandContext(l.ctx, "go", args...)
	cmd.Dir = dir
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", errors.New("kgen devices needs the go command: put it into PATH")
		}
		if said := strings.TrimSpace(wrong.String()); said != "" {
			return "", fmt.Errorf("go %s: %s", args[0], said)
		}
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return out.String(), nil
}

package modules

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// compilerFiles lists the files and folders of the Go module that contain the compiler. Compiled
// modules depend on the compiler's files, on the package of the kernels, and on the imports of the
// package.
var compilerFiles = []string{"go.mod", "go.sum", "abi", "cmd/kgen", "codegen", "internal/modules", "internal/sources", "properties"}

// sourceRoot returns the folder of the Go module from which package modules was compiled.
// sourceRoot returns "" if the folder does not exist.
func sourceRoot() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return ""
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return ""
	}
	return root
}

// plainVersion removes the list of Go experiments from a version of Go. For example, plainVersion returns go1.26.8 for
// "go1.26.8-X:cgocheck2". For "go1.26.8 X:cgocheck2", the notation of older versions of Go, plainVersion also
// returns go1.26.8.
func plainVersion(version string) string {
	version, _, _ = strings.Cut(version, "-X:")
	version, _, _ = strings.Cut(version, " ")
	return version
}

// compilerSum is the checksum of the compiler's sources.
var compilerSum = sync.OnceValues(func() (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, plainVersion(runtime.Version()))
	for _, part := range compilerFiles {
		err := filepath.WalkDir(filepath.Join(sourceRoot(), part), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() {
				if e.Name() == "testdata" {
					return fs.SkipDir
				}
				return nil
			}
			switch ext := filepath.Ext(path); {
			case strings.HasSuffix(path, "_test.go"):
				return nil
			case ext == ".go", ext == ".tmpl", ext == ".mod", ext == ".sum":
			default:
				return nil
			}
			data, err := os.ReadFile(path)
			fmt.Fprintln(h, e.Name(), len(data))
			h.Write(data)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
})

// Sum returns a checksum of all inputs from which the modules of a package are compiled. The inputs
// are Go's version, and the sources of the package, of its imports in the Go module, and of the
// compiler.
func Sum(root, pkg string) (string, error) {
	sum, err := compilerSum()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, sum)
	seen := map[string]bool{}
	var visit func(pkg string) error
	visit = func(pkg string) error {
		if seen[pkg] {
			return nil
		}
		seen[pkg] = true
		files, err := filepath.Glob(filepath.Join(root, relFolder(pkg), "*.go"))
		if err != nil {
			return err
		}
		slices.Sort(files)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintln(h, pkg, filepath.Base(name), len(text))
			h.Write(text)
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, i := range file.Imports {
				if path, _ := strconv.Unquote(i.Path.Value); strings.HasPrefix(path, Module+"/") {
					if err := visit(path); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	if err := visit(pkg); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

// keptFolders is the number of folders that the cache keeps for a package, for example for different branches.
const keptFolders = 3

// cachedModules returns the folder of a package's modules in the user's cache folder. If the folder does not exist,
// cachedModules runs kgen to create it.
func cachedModules(root, pkg, sum string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; KGEN_TEST_MODULES may be the folder that make modules has written", err)
	}
	all := filepath.Join(cache, "kgen", "test-modules", strings.ReplaceAll(filepath.ToSlash(relFolder(pkg)), "/", "-"))
	own := filepath.Join(all, sum)
	dir := filepath.Join(own, relFolder(pkg))
	if complete(dir) {
		return dir, nil
	}
	if err := os.MkdirAll(own, 0o777); err != nil {
		return "", err
	}
	run := exec.Command("go", "run", "./cmd/kgen", "-modules", own, "./"+filepath.ToSlash(relFolder(pkg)))
	run.Dir = root
	run.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { // build settings of the test must not apply to kgen
		return strings.HasPrefix(s, "GOARCH=") || strings.HasPrefix(s, "GOOS=") || strings.HasPrefix(s, "GOFLAGS=") || strings.HasPrefix(s, "GOEXPERIMENT=")
	})
	if out, err := run.CombinedOutput(); err != nil {
		return "", fmt.Errorf("kgen: %w\n%s", err, out)
	}
	if !complete(dir) {
		return "", fmt.Errorf("kgen has written nothing to %s: the package has no //kgen:bare", dir)
	}
	removeOld(all)
	return dir, nil
}

// removeOld removes all folders in dir except for the newest folders.
func removeOld(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type aged struct {
		name string
		at   int64
	}
	var list []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() {
			list = append(list, aged{e.Name(), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(list, func(a, b aged) int { return cmp.Compare(b.at, a.at) })
	for _, a := range list[min(keptFolders, len(list)):] {
		os.RemoveAll(filepath.Join(dir, a.name))
	}
}

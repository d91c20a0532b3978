// Package stale records the source files from which a program's kernels were compiled. In tests,
// package stale reports whether these files have changed since the compilation.
package stale

import (
	"flag"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/sources"
)

// stubInfo describes the generated code for the kernels of a package.
type stubInfo struct {
	from *abi.Sources
	file string // name of the stubs' file, as the Go compiler recorded it
}

var (
	mu         sync.Mutex
	registered []stubInfo
)

// Register registers the sources of the kernels whose stubs are in a file.
func Register(from *abi.Sources, file string) {
	mu.Lock()
	defer mu.Unlock()
	registered = append(registered, stubInfo{from, file})
}

// Package is a package of kernels whose sources have changed.
type Package struct {
	From    *abi.Sources
	Root    string // root folder of the module
	Changes []sources.Change
}

// Check returns the packages of kernels that have changed. Check examines only the main module,
// only in tests, and only once in a process.
var Check = sync.OnceValue(func() []Package {
	info, ok := debug.ReadBuildInfo()
	if flag.Lookup("test.v") == nil || !ok { // package testing registers this flag
		return nil
	}
	mu.Lock()
	defer mu.Unlock()
	return changedFiles(info.Main.Path, registered)
})

// changedFiles returns the packages of a module that have changed.
func changedFiles(module string, list []stubInfo) (out []Package) {
	for _, s := range list {
		// With -trimpath, the file's name does not contain a folder of the file system.
		if s.from.Module != module || !filepath.IsAbs(filepath.FromSlash(s.file)) {
			continue
		}
		root := filepath.Join(filepath.Dir(filepath.FromSlash(s.file)), filepath.FromSlash(s.from.Root))
		if c := sources.Changes(root, s.from.Files); len(c) > 0 {
			out = append(out, Package{s.from, root, c})
		}
	}
	return out
}

// String returns the name of the package and a list of the changes.
func (p *Package) String() string {
	var all []string
	for _, c := range p.Changes {
		all = append(all, c.String())
	}
	return strings.Join(all, ", ")
}

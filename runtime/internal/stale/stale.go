// Package stale knows what the kernels of a program were compiled from, and tells in
// tests whether that has changed since.
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

// stubs are the stubs of a package.
type stubs struct {
	from *abi.Sources
	file string // of the stubs, as the compiler saw it
}

var (
	mu         sync.Mutex
	registered []stubs
)

// Register makes known what the kernels were compiled from whose stubs are in a file.
func Register(from *abi.Sources, file string) {
	mu.Lock()
	defer mu.Unlock()
	registered = append(registered, stubs{from, file})
}

// Package is a package of kernels whose sources have changed.
type Package struct {
	From    *abi.Sources
	Root    string // the folder of the module
	Changes []sources.Change
}

// Check returns the packages that have changed, and looks for them once in a process: in
// a test of the main module, whose files are there.
var Check = sync.OnceValue(func() []Package {
	info, ok := debug.ReadBuildInfo()
	if flag.Lookup("test.v") == nil || !ok { // as package testing registers it
		return nil
	}
	mu.Lock()
	defer mu.Unlock()
	return changed(info.Main.Path, registered)
})

// changed returns those of a module's packages that have changed.
func changed(module string, list []stubs) (out []Package) {
	for _, s := range list {
		// With -trimpath the name says not where the file is.
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

// String names the package's kernels and what has changed.
func (p *Package) String() string {
	var all []string
	for _, c := range p.Changes {
		all = append(all, c.String())
	}
	return strings.Join(all, ", ")
}

// Package checked adds the checked mode to the host device. A test imports package checked only to
// add the checked mode:
//
//	import _ "github.com/kgen-go/kgen/checked"
//
//	dev, err := runtime.Open(runtime.Select("host"), runtime.Checked(1))
//
// In checked mode the host device compiles kernels from their sources, and interprets them. The
// sources must not have changed since the program was built. The argument of runtime.Checked, here
// 1, is the seed, which selects the order of work-items. With the same seed, work-items run in the
// same order. An error in the kernel makes the launch return a *runtime.CheckError with the
// positions in the source. The checked mode finds the following errors:
//
//   - Work-items of one group wait at different barriers.
//   - A load reads work-group memory that no work-item has written. Work-group memory is initially
//     zero, as in Go, but a kernel that relies on the initial zeros is usually wrong. A kernel that
//     needs zeros in work-group memory can store them explicitly. Memory that the kernel changes by
//     atomics is not checked.
//   - Two work-items access the same element, at least one of them writes it, and neither barriers
//     nor atomics order the accesses. Two unordered accesses are a data race unless both accesses
//     are atomic. Accesses of different groups are compared only in kernels without atomics on
//     device memory.
//   - A value that is passed to dsl.Uniform is not uniform.
//
// The checked mode is about a hundred times slower than the normal mode. The code of the checked
// mode is only in programs that import package checked.
package checked

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/internal/checkhook"
)

func init() { checkhook.Load = loadKernel }

// interpretedForm is the compiler pass after which kernels are interpreted. After pass "params",
// all values are scalars, the memory accesses are the accesses in the source, and each argument has
// its offset in the launch block.
const interpretedForm = "params"

// internalForm is the compiler pass after which kernels with internal fields are interpreted.
// Launches provide no memory for internal fields, so pass "internal" must replace internal fields
// by variables before the interpretation. Pass "internal" runs after pass "params". Pass "internal"
// does not fuse products with sums, even if the products are no longer stored in memory.
const internalForm = "floats"

// kernelResult is a compiled kernel, or the error of the compilation.
type kernelResult struct {
	module *ir.Module
	abi    *abi.Kernel
	err    error
}

// sourcePackage is a loaded package, with the results of compiling its kernels.
type sourcePackage struct {
	prog    *load.Program
	kernels map[string]*load.Kernel
	done    map[string]kernelResult
}

var (
	mu      sync.Mutex
	sources = map[string]*sourcePackage{} // maps an import path to the loaded package
)

// loadKernel compiles a kernel from its source. The function loadKernel implements checkhook.Load.
func loadKernel(pkgPath, name string) (*ir.Module, *abi.Kernel, error) {
	mu.Lock()
	defer mu.Unlock()
	src, ok := sources[pkgPath]
	if !ok {
		var err error
		if src, err = loadSource(pkgPath); err != nil {
			return nil, nil, fmt.Errorf("checked mode: %w", err)
		}
		sources[pkgPath] = src
	}
	k, ok := src.kernels[name]
	if !ok {
		return nil, nil, fmt.Errorf("checked mode: the source of %s has no kernel %s", pkgPath, name)
	}
	c, ok := src.done[name]
	if !ok {
		c = compileKernel(src.prog, k)
		src.done[name] = c
	}
	if c.err != nil {
		return nil, nil, fmt.Errorf("checked mode: %w", c.err)
	}
	return c.module.Clone(), c.abi, nil
}

// loadSource loads a package with its kernels. Each kernel is compiled at its first launch.
func loadSource(pkgPath string) (*sourcePackage, error) {
	prog, diags, err := load.Load(context.Background(), load.Config{Patterns: []string{pkgPath}, Intrinsic: lower.Intrinsic})
	if err != nil {
		return nil, err
	}
	if len(diags) > 0 {
		return nil, diags
	}
	src := &sourcePackage{prog: prog, kernels: map[string]*load.Kernel{}, done: map[string]kernelResult{}}
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			src.kernels[k.Name] = k
		}
	}
	return src, nil
}

// compileKernel compiles the first module of a kernel, without the variants for particular devices.
func compileKernel(prog *load.Program, k *load.Kernel) (c kernelResult) {
	form := interpretedForm
	internal := slices.ContainsFunc(k.Params, func(p abi.Param) bool { return p.Internal > 0 })
	if internal {
		form = internalForm
	}
	m, diags, err := codegen.CompileGeneral(prog, k, func(at string, m *ir.Module) {
		if at == form {
			c.module = m.Clone()
		}
	})
	switch {
	case err != nil:
		c.err = err
	case len(diags) > 0:
		c.err = diags
	default:
		c.abi = m.ABI
		if internal {
			if diags := memory.Internal(c.module); len(diags) > 0 {
				c.err = diags
			}
		}
	}
	return c
}

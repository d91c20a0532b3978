// Package checked gives the host device its checked mode. A test imports it for that
// effect alone:
//
//	import _ "github.com/kgen-go/kgen/checked"
//
//	dev, err := runtime.Open(runtime.Select("host"), runtime.Checked(1))
//
// The device then compiles kernels from their sources, which must be those of the
// program, and interprets them, in an order that the seed chooses and repeats. What
// it finds comes back from the launch as a *runtime.CheckError with the places in
// the source:
//
//   - work-items of one group that wait at different barriers;
//   - loads of work-group memory that no work-item has written. It is zero, as Go
//     says, but to rely on that is mostly a mistake: store the zero where it is
//     meant. Memory that the kernel changes by atomics is not looked at;
//   - data races: two work-items access one element, one of them writes, not both
//     by atomics, and neither barriers nor atomics order them. Work-items of
//     different groups are compared in kernels without atomics on device memory;
//   - values that are given to dsl.Uniform and are not uniform.
//
// It is some hundred times slower than the host device is otherwise, and no part of
// programs that do not import it.
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

func init() { checkhook.Load = kernel }

// form is the point in the list of passes at which kernels are interpreted: values
// are simple, the accesses are those of the source, and the arguments stand where
// launches put them.
const form = "params"

// internalForm is the point instead for kernels with internal fields. These have no memory to be
// interpreted with, so that pass internal makes them variables there, which cannot do so at the
// other point yet; and products that it takes past memory are not fused, as they are not there.
const internalForm = "floats"

// compiled is a kernel as it was compiled, or why it was not.
type compiled struct {
	module *ir.Module
	abi    *abi.Kernel
	err    error
}

var (
	mu       sync.Mutex
	packages = map[string]map[string]compiled{} // kernels by package and name
)

// kernel implements checkhook.Load.
func kernel(pkgPath, name string) (*ir.Module, *abi.Kernel, error) {
	mu.Lock()
	defer mu.Unlock()
	kernels, ok := packages[pkgPath]
	if !ok {
		var err error
		if kernels, err = compile(pkgPath); err != nil {
			return nil, nil, fmt.Errorf("checked mode: %w", err)
		}
		packages[pkgPath] = kernels
	}
	c, ok := kernels[name]
	if !ok {
		return nil, nil, fmt.Errorf("checked mode: the source of %s has no kernel %s", pkgPath, name)
	}
	if c.err != nil {
		return nil, nil, fmt.Errorf("checked mode: %w", c.err)
	}
	return c.module.Clone(), c.abi, nil
}

// compile compiles all kernels of a package.
func compile(pkgPath string) (map[string]compiled, error) {
	prog, diags, err := load.Load(context.Background(), load.Config{Patterns: []string{pkgPath}, Intrinsic: lower.Intrinsic})
	if err != nil {
		return nil, err
	}
	if len(diags) > 0 {
		return nil, diags
	}
	out := map[string]compiled{}
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			var c compiled
			form := form
			internal := slices.ContainsFunc(k.Params, func(p abi.Param) bool { return p.Internal > 0 })
			if internal {
				form = internalForm
			}
			m, diags, err := codegen.Compile(prog, k, func(at string, m *ir.Module) {
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
			out[k.Name] = c
		}
	}
	return out, nil
}

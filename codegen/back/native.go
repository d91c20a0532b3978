package back

// This file compiles modules that use the matrix instructions of a device.

import (
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/spirv/emit"
	"github.com/kgen-go/kgen/internal/matrix"
)

// CompileNative compiles a module from a kernel's IR for devices with matrix instructions. The
// target lists the matrix products for which the device has instructions. The caller may also set
// the fields Small and Cancel of the target. If the device does not support a matrix of the kernel,
// CompileNative returns a *NoMatrices. If afterPass is not nil, CompileNative calls afterPass after
// each pass with the pass's name and the module.
func CompileNative(k *abi.Kernel, t ir.Target, afterPass func(form string, m *ir.Module)) (*abi.NativeModule, error) {
	p, err := prepareNative(k)
	if err != nil {
		return nil, err
	}
	return p.compile(t, afterPass)
}

// preparedNative holds the input of the compilation for devices with matrix instructions.
type preparedNative struct {
	k     *abi.Kernel
	m     *ir.Module
	first *ir.Module // first module of the kernel, which defines the numbers of the fault sites
}

func prepareNative(k *abi.Kernel) (*preparedNative, error) {
	m, err := Restore(k)
	if err != nil {
		return nil, err
	}
	c := &compiler{k: &Kernel{Module: m, Name: k.Name, Package: k.Package, Properties: k.Properties, From: pass.LinkPoint}, lowered: m}
	first, _, err := c.runPasses("for every launch", ir.Target{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.FullName(), err)
	}
	return &preparedNative{k, m, first}, nil
}

func (p *preparedNative) compile(t ir.Target, after func(form string, m *ir.Module)) (*abi.NativeModule, error) {
	m := p.m.Clone()
	t.First = p.first
	found, diags := pass.RunFrom(pass.LinkPoint, m, t, func(p *pass.Pass, m *ir.Module) {
		if after != nil {
			after(p.Name, m)
		}
	})
	if len(diags) > 0 {
		return nil, &NoMatrices{diags[0].Message}
	}
	if found.Foreign || m.Items != p.first.Items {
		return nil, fmt.Errorf("%s: the module for the device's matrices is not like the first one", p.k.FullName())
	}
	made, err := finishModule(m)
	if err != nil {
		return nil, fmt.Errorf("%s, for the device's matrices: %w", p.k.FullName(), err)
	}
	out := &abi.NativeModule{Words: made.words, Loops: emit.Loops(m)}
	for _, v := range m.Vars {
		if v.Storage == ir.Workgroup {
			out.Locals = append(out.Locals, local(v))
		}
	}
	return out, nil
}

// MakeNative compiles a kernel as CompileNative does, but for a target of type abi.NativeTarget.
func MakeNative(k *abi.Kernel, t abi.NativeTarget) (*abi.NativeModule, error) {
	var tuples []matrix.Tuple
	for _, x := range t.Tuples {
		tuples = append(tuples, matrix.Tuple{M: x.M, N: x.N, K: x.K, A: matrix.ElemNamed(x.Elem), C: matrix.ElemNamed(x.Of)})
	}
	return CompileNative(k, ir.Target{Small: t.Small, Cancel: t.Cancel, Tuples: tuples}, nil)
}

// NoMatrices is the error for a kernel whose matrices a device does not support.
type NoMatrices struct{ Why string }

func (e *NoMatrices) Error() string { return e.Why }

// ProveNative compiles a kernel with matrices for all devices in matrix.Known, and returns the
// first error. ProveNative lets kgen find errors before a program loads the kernel. For a device
// that does not support the kernel's matrices, ProveNative returns no error.
func ProveNative(k *abi.Kernel) error {
	if !k.Matrices {
		return nil
	}
	p, err := prepareNative(k)
	if err != nil {
		return err
	}
	for i, d := range matrix.Known {
		targets := []ir.Target{{}, {Small: true}, {Cancel: true}}
		if i > 0 { // devices differ only in their matrix products, so one device is enough for the targets Small and Cancel
			targets = targets[:1]
		}
		for _, t := range targets {
			t.Tuples = d.Tuples
			if _, err := p.compile(t, nil); err != nil && !errors.As(err, new(*NoMatrices)) {
				return fmt.Errorf("for the matrices of %s: %w", d.Device, err)
			}
		}
	}
	return nil
}

package codegen

// This file prints the intermediate forms of kernels.

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// These constants are the names of intermediate forms of a kernel that can be printed. The result
// of each pass can also be printed, under the name of the pass.
const (
	dumpSSA    = "ssa"
	dumpBuilt  = "built"
	dumpSmall  = abi.VariantSmall
	dumpWords  = abi.VariantWords
	dumpCancel = abi.VariantCancel
	dumpAlone  = abi.VariantAlone
	dumpSPIRV  = "spirv"
	dumpHost   = "host"
	dumpAll    = "all"
)

// DumpNames returns the names of the kernel forms that can be printed, in the order of compilation.
func DumpNames() []string {
	names := []string{dumpSSA, dumpBuilt}
	for _, p := range pass.Passes() {
		names = append(names, p.Name)
	}
	return append(names, dumpSmall, dumpWords, dumpAlone, dumpCancel, dumpSPIRV, dumpHost, dumpAll)
}

func validDump(name string) bool { return slices.Contains(DumpNames(), name) }

// printTitle reports whether the given form of the kernel is requested. If the form is requested,
// printTitle prints the title of the form.
func (c *kernelResult) printTitle(k *load.Kernel, dump, form string) bool {
	if dump != form && dump != dumpAll {
		return false
	}
	fmt.Fprintf(&c.dump, "; %s: %s\n", k.FullName(), form)
	return true
}

func (c *kernelResult) dumpSSA(k *load.Kernel, dump string) {
	if c.printTitle(k, dump, dumpSSA) {
		k.Fn.WriteTo(&c.dump)
	}
}

func (c *kernelResult) dumpModule(k *load.Kernel, m *ir.Module, dump, form string) {
	if c.printTitle(k, dump, form) {
		ir.Fprint(&c.dump, m)
	}
}

func (c *kernelResult) dumpForm(k *load.Kernel, m *Module, dump string) {
	switch {
	case !c.printTitle(k, dump, dumpHost):
	case m.Form != nil:
		c.dump.Write(m.Form.Code())
	case m.NoForm != nil:
		fmt.Fprintf(&c.dump, "; none, its own Go runs as coroutines: %v\n", m.NoForm)
	default:
		fmt.Fprintf(&c.dump, "; none, its own Go runs: it has no barriers\n")
	}
}

func (c *kernelResult) dumpSPIRV(k *load.Kernel, words []uint32, dump string) {
	if !c.printTitle(k, dump, dumpSPIRV) {
		return
	}
	m, err := spirv.Parse(words)
	if err != nil {
		fmt.Fprintf(&c.dump, "; %v\n", err)
		return
	}
	c.dump.WriteString(spirv.Disassemble(m))
}

package back

import (
	"errors"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/emit"
	"github.com/kgen-go/kgen/properties"
)

// Kernel is a kernel to compile: its lowered module, and facts that the module does not contain.
type Kernel struct {
	// Module is the module at level Built, before the first pass. Compiling changes it.
	Module *ir.Module
	// Name and Package are the kernel's type and that type's import path.
	Name, Package string
	Properties    properties.List
	// At is the kernel's own function and its place. It is given as the reason for a needed aspect
	// if lowering recorded no use of the aspect.
	At abi.Frame
	// Cancel asks for the variants that can be cancelled.
	Cancel bool
	// From is the last pass that the module has already been through, if any.
	From string
	// After, which may be nil, is called with the first module after each pass and the pass's name.
	// Then it is called with each variant: "small", "words", "alone" and "cancel".
	After func(form string, m *ir.Module)
}

// Compiled is a kernel's description and the words of its modules.
type Compiled struct {
	ABI   *abi.Kernel // without the modules
	Words []uint32    // of the first module
	// Variants are the words of the variants, in the order of ABI.Variants.
	Variants [][]uint32
	// Lacks says which variants are missing because the passes refuse the kernel under the
	// variant's assumptions, although the kernel is correct without them.
	Lacks []error
}

// Compile compiles a kernel's modules. Diagnostics are about the user's kernel; if there are any,
// there is no result. An error is a bug in kgen.
func Compile(k *Kernel) (*Compiled, diag.List, error) {
	lowered := k.Module.Clone()
	c, diags, err := compileFirst(k)
	if err != nil || len(diags) > 0 {
		return nil, diags, err
	}
	c.lowered = lowered
	for _, add := range []func() error{c.addSmall, c.addNarrowDevices, c.addCancel} {
		err := add()
		if r := (*refused)(nil); errors.As(err, &r) {
			c.out.Lacks = append(c.out.Lacks, r)
		} else if err != nil {
			return nil, nil, err
		}
	}
	c.out.ABI.Uses = uses(k, c.out.ABI)
	return c.out, nil, nil
}

// CompileGeneral is Compile without variants, which take longer than the first module. The kernel
// then needs all aspects that its only module uses.
func CompileGeneral(k *Kernel) (*Compiled, diag.List, error) {
	c, diags, err := compileFirst(k)
	if err != nil || len(diags) > 0 {
		return nil, diags, err
	}
	c.need(nativeUses(c.first.spirv))
	c.out.ABI.Uses = uses(k, c.out.ABI)
	return c.out, nil, nil
}

// compiler compiles one kernel.
type compiler struct {
	k       *Kernel
	lowered *ir.Module // a clone of the lowered module, from which variants are compiled
	first   finished
	out     *Compiled
}

// after calls Kernel.After with a form of the kernel.
func (c *compiler) after(form string, m *ir.Module) {
	if c.k.After != nil {
		c.k.After(form, m)
	}
}

// compileFirst makes the kernel's first module and describes the kernel by it.
func compileFirst(k *Kernel) (*compiler, diag.List, error) {
	c := &compiler{k: k}
	m := k.Module
	if err := ir.Verify(m); err != nil {
		return nil, nil, err
	}
	var limits map[*ir.Site]int64
	text, prints := "", []facts.Footprint(nil)
	_, diags := pass.RunFrom(k.From, m, ir.Target{}, func(p *pass.Pass, m *ir.Module) {
		c.after(p.Name, m)
		switch p.Name {
		case pass.LinkPoint:
			if text = Text(m); k.From == "" { // a linked kernel is not fused again
				prints = facts.Footprints(m)
			}
		case pass.HostPoint:
			limits = siteLimits(m)
		}
	})
	if len(diags) > 0 {
		return nil, diags, nil
	}
	var err error
	if c.first, err = finish(m); err != nil {
		return nil, nil, err
	}
	c.out = &Compiled{ABI: describe(k, c.first.spirv), Words: c.first.words}
	c.out.ABI.IR = text
	for i, f := range prints {
		c.out.ABI.Params[i].Footprint = f.Footprint
	}
	for i, s := range m.Sites {
		c.out.ABI.Sites[i].Limit = limits[s]
	}
	return c, nil, nil
}

// finished is a module and its SPIR-V.
type finished struct {
	m     *ir.Module
	words []uint32
	spirv *spirv.Module
}

// finish makes SPIR-V from a module that has been through the passes.
func finish(m *ir.Module) (out finished, err error) {
	// No module is better than a wrong one. Verifying costs next to nothing.
	if err = ir.Verify(m); err != nil {
		return out, err
	}
	out.m = m
	if out.words, err = emit.Emit(m); err != nil {
		return out, err
	}
	out.spirv, err = spirv.Parse(out.words)
	return out, err
}

// need adds aspects to the kernel's needed aspects.
func (c *compiler) need(aspects []properties.Aspect) {
	d := c.out.ABI
	d.Aspects = append(d.Aspects, aspects...)
	slices.Sort(d.Aspects)
	d.Aspects = slices.Compact(d.Aspects)
}

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

// Kernel is the input of Compile: a kernel's lowered module, and facts that the module does not
// contain.
type Kernel struct {
	// Module is the lowered module, at level Built. Compile changes Module.
	Module *ir.Module
	// Name is the name of the kernel's type, and Package is the import path of the type's package.
	Name, Package string
	Properties    properties.List
	// At is the kernel's function, with its position. If lowering has recorded no use of a needed
	// aspect, diagnostics name the function At as the user of the aspect.
	At abi.Frame
	// Cancel requests additional variants, whose launches the host can cancel.
	Cancel bool
	// From is the name of the last pass that has run on the module. For a module before the first
	// pass, From is "".
	From string
	// The function After is called after each pass on the first module, with the pass's name and the
	// module. The function After is also called for each variant, with the name "small", "words",
	// "alone" or "cancel". After may be nil.
	After func(form string, m *ir.Module)
}

// Compiled holds a kernel's description and the SPIR-V words of the kernel's modules.
type Compiled struct {
	ABI   *abi.Kernel // description without the modules
	Words []uint32    // SPIR-V words of the first module
	// Variants are the SPIR-V words of the variants, in the order of ABI.Variants.
	Variants [][]uint32
	// Lacks has one error for each variant that is missing because the passes report diagnostics
	// for the variant. A kernel that lacks a variant is not wrong, but does not meet an assumption
	// of the variant.
	Lacks []error
}

// Compile compiles the modules of a kernel. The diagnostics are about the user's kernel. If there
// are diagnostics, Compile returns no modules. If Compile returns an error, kgen has a bug.
func Compile(k *Kernel) (*Compiled, diag.List, error) {
	lowered := k.Module.Clone()
	c, diags, err := compileFirst(k)
	if err != nil || len(diags) > 0 {
		return nil, diags, err
	}
	c.lowered = lowered
	for _, add := range []func() error{c.addSmall, c.addNarrowDevices, c.addCancel} {
		err := add()
		if r := (*refusedError)(nil); errors.As(err, &r) {
			c.out.Lacks = append(c.out.Lacks, r)
		} else if err != nil {
			return nil, nil, err
		}
	}
	c.out.ABI.Uses = aspectUses(k, c.out.ABI)
	return c.out, nil, nil
}

// CompileGeneral compiles only the first module of a kernel, which saves the time for the variants.
// According to the description that CompileGeneral returns, the kernel needs all aspects that the
// first module uses.
func CompileGeneral(k *Kernel) (*Compiled, diag.List, error) {
	c, diags, err := compileFirst(k)
	if err != nil || len(diags) > 0 {
		return nil, diags, err
	}
	c.addNeeded(nativeUses(c.first.spirv))
	c.out.ABI.Uses = aspectUses(k, c.out.ABI)
	return c.out, nil, nil
}

// A compiler compiles the first module of a kernel, and then the variants.
type compiler struct {
	k       *Kernel
	lowered *ir.Module // clone of the lowered module; the variants are compiled from this clone
	first   finishedModule
	out     *Compiled
}

// callAfter calls Kernel.After, if that function is set.
func (c *compiler) callAfter(form string, m *ir.Module) {
	if c.k.After != nil {
		c.k.After(form, m)
	}
}

// compileFirst compiles the kernel's first module, and bases the kernel's description on this
// module.
func compileFirst(k *Kernel) (*compiler, diag.List, error) {
	c := &compiler{k: k}
	m := k.Module
	if err := ir.Verify(m); err != nil {
		return nil, nil, err
	}
	var limits map[*ir.Site]int64
	text, prints := "", []facts.Footprint(nil)
	_, diags := pass.RunFrom(k.From, m, ir.Target{}, func(p *pass.Pass, m *ir.Module) {
		c.callAfter(p.Name, m)
		switch p.Name {
		case pass.LinkPoint:
			if text = Text(m); k.From == "" { // a kernel that the linker made cannot be linked again, so the kernel's description needs no footprints
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
	if c.first, err = finishModule(m); err != nil {
		return nil, nil, err
	}
	c.out = &Compiled{ABI: describeKernel(k, c.first.spirv), Words: c.first.words}
	c.out.ABI.IR = text
	for i, f := range prints {
		c.out.ABI.Params[i].Footprint = f.Footprint
	}
	for i, s := range m.Sites {
		c.out.ABI.Sites[i].Limit = limits[s]
	}
	return c, nil, nil
}

// finishedModule is a module after all passes, together with the SPIR-V of the module.
type finishedModule struct {
	m     *ir.Module
	words []uint32
	spirv *spirv.Module
}

// finishModule emits SPIR-V for a module after all passes.
func finishModule(m *ir.Module) (out finishedModule, err error) {
	// Verification takes almost no time, and an error message is better than a wrong module.
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

// addNeeded adds aspects to the list of aspects that the kernel needs.
func (c *compiler) addNeeded(aspects []properties.Aspect) {
	d := c.out.ABI
	d.Aspects = append(d.Aspects, aspects...)
	slices.Sort(d.Aspects)
	d.Aspects = slices.Compact(d.Aspects)
}

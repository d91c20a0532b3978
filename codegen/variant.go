package codegen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/emit"
	"github.com/kgen-go/kgen/properties"
)

type nativeRow struct {
	aspect       properties.Aspect
	capabilities []spirv.Capability
}

// minSaved is what a module for small launches must save to be worth having, in
// integer operations on 64 bits, of which one in a loop counts as loopWeight.
const (
	minSaved   = 16
	loopWeight = 8
)

// addSmall adds the variant for small launches to the kernel's description, if
// much of what m computes in 64 bits needs but 32 there, and returns its module. The
// error is a *refused where passes refuse what is right without the assumption.
func addSmall(prog *load.Program, k *load.Kernel, m *ir.Module, d *abi.Kernel, after func(form string, m *ir.Module)) ([][]uint32, error) {
	before := wideOps(m)
	if before < minSaved {
		return nil, nil
	}
	s, diags := lower.Lower(prog, k)
	found, more := pass.Run(s, ir.Target{Small: true, First: m}, nil)
	if diags = append(diags, more...); len(diags) > 0 {
		return nil, &refused{"for small launches", diags[0]}
	}
	// Launches are made of the same work-items, and faults are the same.
	if found.Foreign || s.Items != m.Items || wideOps(s) > before-minSaved {
		return nil, nil
	}
	if after != nil {
		after(dumpSmall, s)
	}
	if err := ir.Verify(s); err != nil {
		return nil, fmt.Errorf("for small launches: %w", err)
	}
	words, err := emit.Emit(s)
	if err != nil {
		return nil, fmt.Errorf("for small launches: %w", err)
	}
	d.Variants = append(d.Variants, abi.Variant{Name: abi.VariantSmall, Products: found.Products, Loops: emit.Loops(s)})
	return [][]uint32{words}, nil
}

// refused says why a variant is left out: a loop that all work-items of a group leave
// together where a size is large has no such way out where none is.
type refused struct {
	form string
	d    *diag.Diagnostic
}

func (r *refused) Error() string { return fmt.Sprintf("no module %s: %v", r.form, r.d) }

// left returns the error if it says that a variant is left out, else it is as given.
func left(err error) (note, bug error) {
	if r := (*refused)(nil); errors.As(err, &r) {
		return r, nil
	}
	return nil, err
}

// wideOps counts the operations on integers of 64 bits.
func wideOps(m *ir.Module) int {
	loops := m.Kernel.Dominators().Loops()
	outer := 0
	if m.Items > 1 {
		outer = 1 // the loop over work-items
	}
	n := 0
	for _, b := range m.Kernel.Blocks {
		weight := 1
		for range min(loops.Depth(b)-outer, 3) {
			weight *= loopWeight
		}
		for _, v := range b.Insts {
			switch {
			case v.Op == ir.OpIMul && v.Type == ir.TypeI64:
				n += 3 * weight
			case v.Op.Has(ir.FlagPure) && len(v.Args) > 1 && v.Args[1].Type == ir.TypeI64:
				n += weight
			}
		}
	}
	return n
}

// native lists what a module may use that the variant in words does without.
var native = []nativeRow{
	{properties.Int8, []spirv.Capability{spirv.CapabilityInt8, spirv.CapabilityStorageBuffer8BitAccess}},
	{properties.Int16, []spirv.Capability{spirv.CapabilityInt16, spirv.CapabilityStorageBuffer16BitAccess}},
	{properties.Int64, []spirv.Capability{spirv.CapabilityInt64}},
}

// nativeUses returns what a module uses of that.
func nativeUses(module *spirv.Module) []properties.Aspect {
	var uses []properties.Aspect
	for _, row := range native {
		if slices.ContainsFunc(row.capabilities, module.HasCapability) {
			uses = append(uses, row.aspect)
		}
	}
	return uses
}

// addVariants adds the kernel's variants to its description and returns their
// modules. It may change m. What no variant does without are aspects that the
// kernel needs.
func addVariants(prog *load.Program, k *load.Kernel, m *ir.Module, d *abi.Kernel, module *spirv.Module, after func(form string, m *ir.Module)) ([][]uint32, error) {
	var modules [][]uint32
	add := func(name string, m *ir.Module, words []uint32, without ...properties.Aspect) {
		slices.Sort(without)
		d.Variants = append(d.Variants, abi.Variant{Name: name, Without: slices.Compact(without), Loops: emit.Loops(m)})
		modules = append(modules, words)
	}
	need := func(aspects []properties.Aspect) {
		d.Aspects = append(d.Aspects, aspects...)
		slices.Sort(d.Aspects)
		d.Aspects = slices.Compact(d.Aspects)
	}
	uses := nativeUses(module)
	words, err := inWords(m, uses, after)
	if err != nil {
		return nil, err
	}
	if words != nil {
		add(abi.VariantWords, m, words, uses...)
	} else {
		need(uses)
	}
	if implied(m, d) {
		alone, err := compileAlone(prog, k, ir.Target{}, after)
		if err != nil {
			return modules, err
		}
		d.Aspects = slices.DeleteFunc(d.Aspects, func(a properties.Aspect) bool { return a == properties.SubGroups })
		left := nativeUses(alone.spirv)
		without := []properties.Aspect{properties.SubGroups}
		for _, a := range uses {
			if words != nil && !slices.Contains(left, a) {
				without = append(without, a)
			}
		}
		add(abi.VariantAlone, alone.m, alone.words, without...)
		both, err := inWords(alone.m, left, nil)
		switch {
		case err != nil:
			return nil, err
		case both != nil:
			add(abi.VariantAloneWords, alone.m, both, slices.Concat(without, uses, left)...)
		default:
			need(left)
		}
	}
	return modules, nil
}

// addCancel adds the variants that leave when the host asks them to, if the kernel has
// loops that ask for it, to its description, which has all others, and returns their
// modules. m is the kernel's first module.
func addCancel(prog *load.Program, k *load.Kernel, m *ir.Module, d *abi.Kernel, after func(form string, m *ir.Module)) (modules [][]uint32, err error) {
	defer func() {
		if err != nil && !errors.As(err, new(*refused)) {
			err = fmt.Errorf("that can be cancelled: %w", err)
		}
	}()
	add := func(name string, m *ir.Module, words []uint32, without []properties.Aspect) {
		slices.Sort(without)
		d.Variants = append(d.Variants, abi.Variant{Name: name, Cancel: true, Without: slices.Compact(without), Loops: emit.Loops(m)})
		modules = append(modules, words)
	}
	// both adds the module, and the one in words where the kernel has such a variant.
	both := func(like, name string, c finished, without ...properties.Aspect) error {
		add(name, c.m, c.words, without)
		i := slices.IndexFunc(d.Variants, func(v abi.Variant) bool { return v.Name == like })
		if i < 0 {
			return nil
		}
		words, err := inWords(c.m, nativeUses(c.spirv), nil)
		if err == nil && words == nil {
			words = c.words
		}
		add(abi.VariantCancel+strings.ToUpper(like[:1])+like[1:], c.m, words, slices.Clone(d.Variants[i].Without))
		return err
	}
	c, diags := lower.Lower(prog, k)
	found, more := pass.Run(c, ir.Target{Cancel: true, First: m}, nil)
	if diags = append(diags, more...); len(diags) > 0 {
		return nil, &refused{"that can be cancelled", diags[0]}
	}
	if !pass.CanLeave(c) {
		return nil, nil
	}
	if found.Foreign || c.Items != m.Items {
		return nil, errors.New("it is not like the first module")
	}
	if after != nil {
		after(dumpCancel, c)
	}
	first, err := finish(c)
	if err != nil {
		return nil, err
	}
	if err := both(abi.VariantWords, abi.VariantCancel, first); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(d.Variants, func(v abi.Variant) bool { return v.Name == abi.VariantAlone })
	if i < 0 {
		return modules, nil
	}
	alone, err := compileAlone(prog, k, ir.Target{Cancel: true, First: m}, nil)
	if err != nil {
		return nil, err
	}
	return modules, both(abi.VariantAloneWords, abi.VariantCancel+"Alone", alone, slices.Clone(d.Variants[i].Without)...)
}

// inWords returns the module that computes in words, or nil if it uses nothing else
// or has no such form. It may change m.
func inWords(m *ir.Module, uses []properties.Aspect, after func(form string, m *ir.Module)) ([]uint32, error) {
	if len(uses) == 0 || !pass.Words(m) {
		return nil, nil
	}
	if after != nil {
		after(dumpWords, m)
	}
	if err := ir.Verify(m); err != nil {
		return nil, fmt.Errorf("in words: %w", err)
	}
	words, err := emit.Emit(m)
	if err != nil {
		return nil, fmt.Errorf("in words: %w", err)
	}
	return words, nil
}

// implied reports whether a kernel uses sub-groups only for what work-groups do,
// which work-groups can do without.
func implied(m *ir.Module, d *abi.Kernel) bool {
	return slices.Contains(d.Aspects, properties.SubGroups) && !d.Properties.Has(properties.KeyDeviceHas) &&
		!slices.ContainsFunc(m.Uses, func(u ir.AspectUse) bool { return u.Aspect == properties.SubGroups })
}

// module is a kernel in its forms.
type finished struct {
	m     *ir.Module
	words []uint32
	spirv *spirv.Module
}

// compileAlone compiles a kernel that has been compiled, for devices without
// algorithms of sub-groups.
func compileAlone(prog *load.Program, k *load.Kernel, target ir.Target, after func(form string, m *ir.Module)) (out finished, err error) {
	defer func() {
		if err != nil && !errors.As(err, new(*refused)) {
			err = fmt.Errorf("without sub-groups: %w", err)
		}
	}()
	m, diags := lower.Lower(prog, k)
	target.NoSubGroups = true
	_, more := pass.Run(m, target, nil)
	if diags = append(diags, more...); len(diags) > 0 {
		return out, &refused{"without sub-groups", diags[0]}
	}
	if after != nil {
		after(dumpAlone, m)
	}
	if out, err = finish(m); err == nil && slices.ContainsFunc(subGroupCapabilities, out.spirv.HasCapability) {
		err = errors.New("sub-groups are used")
	}
	return out, err
}

// finish makes SPIR-V of a module that has gone through the passes.
func finish(m *ir.Module) (out finished, err error) {
	// Better no module than a wrong one: this costs next to nothing.
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

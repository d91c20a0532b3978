package back

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/codegen/pass/split64"
	"github.com/kgen-go/kgen/codegen/spirv/emit"
	"github.com/kgen-go/kgen/codegen/spirv/features"
	"github.com/kgen-go/kgen/properties"
)

// The variant for small launches is added if the variant saves enough 64-bit operations. The
// variant must save at least minSaved operations, and at least the fraction 1/minShare of all
// operations. An operation in a loop is counted loopWeight times. An operation in a nested loop is
// counted loopWeight squared times.
const (
	minSaved   = 16
	minShare   = 64
	loopWeight = 8
)

// addSmall adds the variant for small launches, if the variant saves enough 64-bit operations.
func (c *compiler) addSmall() error {
	before, all := countOps(c.first.m)
	worth := func(saved int) bool { return saved >= minSaved && saved*minShare >= all }
	if !worth(before) {
		return nil
	}
	s, found, err := c.runSmall()
	if err != nil {
		return err
	}
	// The variant must have the same work-items and the same faults as the first module.
	if after, _ := countOps(s); found.Foreign || s.Items != c.first.m.Items || !worth(before-after) {
		return nil
	}
	c.callAfter(abi.VariantSmall, s)
	f, err := finishModule(s)
	if err != nil {
		return fmt.Errorf("for small launches: %w", err)
	}
	c.addVariant(abi.Variant{Name: abi.VariantSmall, Products: found.Products}, s, f.words)
	return nil
}

// runSmall runs the passes with the target for small launches.
func (c *compiler) runSmall() (*ir.Module, *facts.Result, error) {
	return c.runPasses("for small launches", ir.Target{Small: true, First: c.first.m})
}

// runPasses runs the passes for a target on a new clone of the lowered module. If the passes report
// a diagnostic for the target, the error is a *refusedError. formName describes the variant in
// errors.
func (c *compiler) runPasses(formName string, target ir.Target) (*ir.Module, *facts.Result, error) {
	m := c.lowered.Clone()
	found, diags := pass.RunFrom(c.k.From, m, target, nil)
	if len(diags) > 0 {
		return nil, nil, &refusedError{formName, diags[0]}
	}
	return m, found, nil
}

// addVariant adds a variant to the description, and the variant's SPIR-V words to the result.
func (c *compiler) addVariant(row abi.Variant, m *ir.Module, words []uint32) {
	slices.Sort(row.Without)
	row.Without, row.Loops = slices.Compact(row.Without), emit.Loops(m)
	c.out.ABI.Variants = append(c.out.ABI.Variants, row)
	c.out.Variants = append(c.out.Variants, words)
}

// findVariant returns the description of the variant with the given name, or nil if the kernel has
// no variant with this name.
func (c *compiler) findVariant(name string) *abi.Variant {
	rows := c.out.ABI.Variants
	if i := slices.IndexFunc(rows, func(v abi.Variant) bool { return v.Name == name }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// If the passes report a diagnostic for a variant, the error of the variant is a refusedError. For
// example, if a loop contains a barrier, the passes must prove that all work-items of a group leave
// the loop together. For the first module, the proof may succeed. The proof may depend on a loop
// exit for long slices. The variant for small launches does not contain such an exit. If the passes
// cannot repeat a proof for a variant, they report a diagnostic.
type refusedError struct {
	form string
	d    *diag.Diagnostic
}

func (r *refusedError) Error() string { return fmt.Sprintf("no module %s: %v", r.form, r.d) }

// countOps counts the operations on 64-bit integers, and all operations. countOps gives operations
// in loops a higher weight.
func countOps(m *ir.Module) (wide, all int) {
	loops := m.Kernel.Dominators().Loops()
	outer := 0
	if m.Items > 1 {
		outer = 1 // the loop over work-items does not count as a nested loop
	}
	for _, b := range m.Kernel.Blocks {
		weight := 1
		for range min(loops.Depth(b)-outer, 3) {
			weight *= loopWeight
		}
		all += weight * len(b.Insts)
		for _, v := range b.Insts {
			switch {
			case v.Op == ir.OpIMul && v.Type == ir.TypeI64:
				wide += 3 * weight
			case v.Op.Has(ir.FlagPure) && len(v.Args) > 1 && v.Args[1].Type == ir.TypeI64:
				wide += weight
			}
		}
	}
	return wide, all
}

// addNarrowDevices adds the variants for devices without some integer types or without sub-group
// algorithms. addNarrowDevices may change the first module. If no variant avoids an aspect that the
// first module uses, the kernel needs the aspect.
func (c *compiler) addNarrowDevices() error {
	d := c.out.ABI
	uses := nativeUses(c.first.spirv)
	words, err := c.inWords(c.first.m, uses, c.callAfter)
	if err != nil {
		return err
	}
	if words != nil {
		c.addVariant(abi.Variant{Name: abi.VariantWords, Without: slices.Clone(uses)}, c.first.m, words)
	} else {
		c.addNeeded(uses)
	}
	if !c.impliesSubGroups() {
		return nil
	}
	alone, err := c.compileAlone(ir.Target{}, c.callAfter)
	if err != nil {
		return err
	}
	d.Aspects = slices.DeleteFunc(d.Aspects, func(a properties.Aspect) bool { return a == properties.SubGroups })
	left := nativeUses(alone.spirv)
	without := []properties.Aspect{properties.SubGroups}
	for _, a := range uses {
		if words != nil && !slices.Contains(left, a) {
			without = append(without, a)
		}
	}
	c.addVariant(abi.Variant{Name: abi.VariantAlone, Without: without}, alone.m, alone.words)
	both, err := c.inWords(alone.m, left, nil)
	switch {
	case err != nil:
		return err
	case both != nil:
		c.addVariant(abi.Variant{Name: abi.VariantAloneWords, Without: slices.Concat(without, uses, left)}, alone.m, both)
	default:
		c.addNeeded(left)
	}
	return nil
}

// cancelForm is the text that describes the variant "cancel" in errors.
const cancelForm = "that can be cancelled"

// addCancel adds variants that end early when the host cancels the launch. addCancel adds nothing
// unless the kernel requests cancellation and has loops that test for cancellation. addCancel adds
// a cancellable version of the first module, and of each variant for devices that lack aspects.
func (c *compiler) addCancel() (err error) {
	if !c.k.Cancel {
		return nil
	}
	defer func() {
		if err != nil && !errors.As(err, new(*refusedError)) {
			err = fmt.Errorf("%s: %w", cancelForm, err)
		}
	}()
	target := ir.Target{Cancel: true, First: c.first.m}
	m, found, err := c.runPasses(cancelForm, target)
	if err != nil {
		return err
	}
	if !loops.CanLeave(m) {
		return nil
	}
	if found.Foreign || m.Items != c.first.m.Items {
		return errors.New("it is not like the first module")
	}
	c.callAfter(abi.VariantCancel, m)
	first, err := finishModule(m)
	if err != nil {
		return err
	}
	if err := c.addCancelled(abi.VariantCancel, first, nil, abi.VariantWords); err != nil {
		return err
	}
	like := c.findVariant(abi.VariantAlone)
	if like == nil {
		return nil
	}
	alone, err := c.compileAlone(target, nil)
	if err != nil {
		return err
	}
	return c.addCancelled(abi.VariantCancel+"Alone", alone, like.Without, abi.VariantAloneWords)
}

// addCancelled adds a module for launches that can be cancelled. wordsName is the name of a variant
// with 32-bit integers only. If the kernel has a variant named wordsName, addCancelled also adds a
// version of the cancellable module with 32-bit integers only.
func (c *compiler) addCancelled(name string, f finishedModule, without []properties.Aspect, wordsName string) error {
	c.addVariant(abi.Variant{Name: name, Cancel: true, Without: slices.Clone(without)}, f.m, f.words)
	like := c.findVariant(wordsName)
	if like == nil {
		return nil
	}
	without = slices.Clone(like.Without)
	words, err := c.inWords(f.m, nativeUses(f.spirv), nil)
	if err == nil && words == nil {
		words = f.words
	}
	c.addVariant(abi.Variant{Name: abi.VariantCancel + strings.ToUpper(wordsName[:1]) + wordsName[1:], Cancel: true, Without: without}, f.m, words)
	return err
}

// inWords changes module m to compute only with 32-bit integers, and returns the SPIR-V words of
// the changed module. inWords returns nil if m already uses only 32-bit integers, if the kernel
// requires devices with all integer types of m, or if m cannot be changed.
func (c *compiler) inWords(m *ir.Module, uses []properties.Aspect, after func(form string, m *ir.Module)) ([]uint32, error) {
	listed, _ := c.k.Properties.Get(properties.KeyDeviceHas)
	required := func(a properties.Aspect) bool { return slices.Contains(listed.Aspects(), a) }
	if !slices.ContainsFunc(uses, func(a properties.Aspect) bool { return !required(a) }) || !split64.Lower(m) {
		return nil, nil
	}
	if after != nil {
		after(abi.VariantWords, m)
	}
	f, err := finishModule(m)
	if err != nil {
		return nil, fmt.Errorf("in words: %w", err)
	}
	return f.words, nil
}

// impliesSubGroups reports whether the kernel uses sub-groups only for work-group algorithms, which
// can also be compiled without sub-groups.
func (c *compiler) impliesSubGroups() bool {
	d := c.out.ABI
	return slices.Contains(d.Aspects, properties.SubGroups) && !d.Properties.Has(properties.KeyDeviceHas) &&
		!slices.ContainsFunc(c.first.m.Uses, func(u ir.AspectUse) bool { return u.Aspect == properties.SubGroups })
}

// compileAlone compiles the kernel for devices without sub-group algorithms.
func (c *compiler) compileAlone(target ir.Target, after func(form string, m *ir.Module)) (out finishedModule, err error) {
	const form = "without sub-groups"
	defer func() {
		if err != nil && !errors.As(err, new(*refusedError)) {
			err = fmt.Errorf("%s: %w", form, err)
		}
	}()
	target.NoSubGroups = true
	m, found, err := c.runPasses(form, target)
	if err != nil {
		return out, err
	}
	if found.Foreign {
		return out, errors.New("it has faults that the first module has not")
	}
	if after != nil {
		after(abi.VariantAlone, m)
	}
	if out, err = finishModule(m); err == nil && slices.Contains(features.Used(out.spirv), properties.SubGroups) {
		err = errors.New("sub-groups are used")
	}
	return out, err
}

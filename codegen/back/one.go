package back

import (
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
)

// variantForm contains the properties of a variant that determine how the variant is compiled.
type variantForm struct{ small, alone, cancel, words bool }

// variantForms maps the name of a variant to the variant's properties.
var variantForms = map[string]variantForm{
	abi.VariantSmall:                 {small: true},
	abi.VariantWords:                 {words: true},
	abi.VariantAlone:                 {alone: true},
	abi.VariantAloneWords:            {alone: true, words: true},
	abi.VariantCancel:                {cancel: true},
	abi.VariantCancel + "Words":      {cancel: true, words: true},
	abi.VariantCancel + "Alone":      {cancel: true, alone: true},
	abi.VariantCancel + "AloneWords": {cancel: true, alone: true, words: true},
}

// CompileVariant compiles the variant with the given name. CompileVariant reads the IR in a
// kernel's description, which Compile has made. CompileVariant returns the same SPIR-V words that
// Compile returns for the variant.
func CompileVariant(k *abi.Kernel, name string) ([]uint32, error) {
	form, ok := variantForms[name]
	if !ok {
		return nil, fmt.Errorf("%s has no variant %q", k.FullName(), name)
	}
	m, err := Restore(k)
	if err != nil {
		return nil, err
	}
	c := &compiler{k: &Kernel{Module: m, Name: k.Name, Package: k.Package, Properties: k.Properties, From: pass.LinkPoint}, lowered: m}
	words, err := c.compileForm(form)
	if err != nil {
		return nil, fmt.Errorf("the variant %s of %s: %w", name, k.FullName(), err)
	}
	return words, nil
}

// compileForm compiles the variant that f describes. compileForm compiles the first module only if the
// variant depends on the first module.
func (c *compiler) compileForm(f variantForm) ([]uint32, error) {
	if f.small || f.cancel || !f.alone { // only a variant with one of these properties depends on the first module
		m, _, err := c.runPasses("for every launch", ir.Target{})
		if err != nil {
			return nil, err
		}
		c.first.m = m
	}
	made, err := c.compileUnfinished(f)
	if err != nil || !f.words {
		return made.words, err
	}
	words, err := c.inWords(made.m, nativeUses(made.spirv), nil)
	switch {
	case err != nil || words != nil:
		return words, err
	case f.cancel:
		return made.words, nil // the module already uses only 32-bit integers, so both variants have the same module, as in addCancelled
	}
	return nil, errors.New("it has no form in words")
}

// compileUnfinished compiles the variant that f describes. If f.words is set, the caller must pass the
// compiled module to the method inWords.
func (c *compiler) compileUnfinished(f variantForm) (finishedModule, error) {
	switch {
	case f.small:
		m, _, err := c.runSmall()
		if err != nil {
			return finishedModule{}, err
		}
		return finishModule(m)
	case f.cancel && f.alone:
		return c.compileAlone(ir.Target{Cancel: true, First: c.first.m}, nil)
	case f.cancel:
		m, _, err := c.runPasses(cancelForm, ir.Target{Cancel: true, First: c.first.m})
		if err != nil {
			return finishedModule{}, err
		}
		return finishModule(m)
	case f.alone:
		return c.compileAlone(ir.Target{}, nil)
	}
	return finishModule(c.first.m)
}

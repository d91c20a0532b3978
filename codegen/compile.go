package codegen

// This file compiles single kernels.

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/check"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/gohost"
	"github.com/kgen-go/kgen/codegen/gostub"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/items"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/properties"
)

// Module is a compiled kernel. ABI is its description, without the modules. Words is the first
// module, and Variants are the modules of ABI.Variants in the same order.
type Module struct {
	ABI      *abi.Kernel
	Words    []uint32
	Variants [][]uint32
	// Form is the host form of a kernel, or nil. A kernel has a host form if it has barriers or
	// group algorithms, or prints. So does a kernel whose work-items do little work, or may run
	// long. NoForm is the reason why such a kernel has no form.
	Form   *gohost.Form
	NoForm error
	// Lacks has the reasons for missing variants: a fact that holds for the kernel does not hold
	// for the variant.
	Lacks []error
	// Unwatched are the variables that the kernel reads and that launches cannot check for changes.
	Unwatched []string
}

// isLate reports whether programs make the module of a variant from the kernel's IR. In a package
// with the directive, that is the case for all variants except the one in words.
func (u *unit) isLate(variant string) bool {
	return u.prog.Late(u.k.Pkg) && variant != abi.VariantWords && len(u.prog.Disabled) == 0 // programs disable nothing
}

// late returns the names of the variants whose modules programs make from the kernel's IR. It makes
// each of these modules in the same way and compares it, because a difference would cause an error
// on the user's devices.
func (u *unit) late(m *Module) (names []string, err error) {
	for i, v := range m.ABI.Variants {
		if !u.isLate(v.Name) {
			continue
		}
		words, err := back.CompileVariant(m.ABI, v.Name)
		if err == nil && !slices.Equal(words, m.Variants[i]) {
			err = fmt.Errorf("the variant %s is another one when it is made of the IR", v.Name)
		}
		if err != nil {
			return nil, err
		}
		names = append(names, v.Name)
	}
	return names, nil
}

// Compile compiles one kernel of a loaded program. The diagnostics are about the user's code; the
// error is a bug in kgen. If there are any diagnostics, or if the kernel is unsound, there is no
// module. after may be nil. Otherwise it is called with the lowered module and the name "built",
// and after every pass with the pass's name. Then it is called for each variant, with the names
// "small", "words", "alone" and "cancel".
func Compile(prog *load.Program, k *load.Kernel, after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	return (&unit{prog: prog, k: k}).compile(after)
}

// unit is a kernel and the way to compile it.
type unit struct {
	prog *load.Program
	k    *load.Kernel
	// onFollowUpPanic, if not nil, is called for bugs in kgen, mostly panics, that are consequences
	// of errors in the kernel. They occur when later stages work on an incomplete kernel. The user
	// has to correct the errors anyway, so these bugs are not reported. In tests, they are
	// failures.
	onFollowUpPanic func(bug any)
}

// followUp passes a bug to onFollowUpPanic, if there is one.
func (u *unit) followUp(bug any) {
	if bug != nil && u.onFollowUpPanic != nil {
		u.onFollowUpPanic(bug)
	}
}

// compile implements Compile.
func (u *unit) compile(after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	var host, whole *ir.Module // sources of the host form and of the host form with matrices, or nil
	var spare, lingers bool
	out, diags, err := u.compileBy(true, func(form string, m *ir.Module) {
		if after != nil {
			after(form, m)
		}
		if form == pass.LinkPoint && pass.HasMatrices(m) && !u.prog.NoForm(u.k) {
			whole = m.Clone()
		}
		if form != pass.HostPoint {
			return
		}
		// A kernel that prints needs a form for all launches, because its own Go does not know the
		// writer.
		spare = !m.UsesGroup && !items.Brief(m) && len(m.Prints) == 0
		if spare && !loops.HasLoop(m) {
			return
		}
		// The host form changes the module from which it is made, but the original is still needed
		// for SPIR-V.
		host, lingers = m.Clone(), loops.Lingers(m)
		if whole != nil {
			host = whole
		}
	})
	if err != nil || out == nil {
		return nil, diags, err
	}
	out.ABI.Lingers = lingers
	if host != nil && !u.prog.NoForm(u.k) {
		if out.Form, out.NoForm, err = hostForm(u.k.Name, host, spare); err != nil {
			return nil, nil, err
		}
		// If launches cannot be cancelled, or end soon, the kernel's own Go is sufficient.
		if own := !lingers || u.prog.NoSpare(u.k.Pkg); own && spare && (out.Form == nil || out.Form.Spare) {
			out.Form, out.NoForm = nil, nil
		}
	}
	return out, diags, nil
}

// CompileGeneral is like Compile, but without variants and host form, which take longer than the
// rest. It does not compare the used aspects with those that the source lists, because a variant
// might do without an aspect that the module uses.
func CompileGeneral(prog *load.Program, k *load.Kernel, after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	return (&unit{prog: prog, k: k}).compileBy(false, after)
}

// compileBy lowers a kernel and compiles it with package back, with or without variants. With
// variants, it also compares the used aspects with those that the source lists.
func (u *unit) compileBy(variants bool, after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	prog, k := u.prog, u.k
	m, diags := u.front()
	if len(diags) > 0 || k.Unsound {
		return nil, diags, nil
	}
	if after != nil {
		after(dumpBuilt, m)
	}
	compile := back.CompileGeneral
	if variants {
		compile = back.Compile
	}
	c, diags, err := compile(&back.Kernel{
		Module: m, Name: k.Name, Package: k.Pkg.PkgPath, Properties: k.Properties, Cancel: k.Cancel, After: after,
		At: abi.Frame{Func: lower.FuncName(k.Fn), Pos: prog.Pos(k.Fn.Pos()).String()},
	})
	if err != nil {
		return nil, nil, err
	}
	if len(diags) > 0 {
		return nil, u.judged(m, diags), nil
	}
	if variants {
		checkAspects(prog, k, m, func(explicit bool) []properties.Aspect { return back.Used(c.ABI, explicit) }, &diags)
	}
	if err := back.ProveNative(c.ABI); variants && err != nil {
		return nil, nil, err
	}
	c.ABI.Directed = k.Directed
	return &Module{ABI: c.ABI, Words: c.Words, Variants: c.Variants, Lacks: c.Lacks, Unwatched: m.Unwatched}, diags, nil
}

// Lower checks and lowers a kernel like Compile, and then stops.
func Lower(prog *load.Program, k *load.Kernel) (*ir.Module, diag.List) {
	return (&unit{prog: prog, k: k}).front()
}

// front checks and lowers the kernel. If there are errors, it also runs the passes, so that the
// user sees the errors of all stages at once.
func (u *unit) front() (m *ir.Module, diags diag.List) {
	refused, diags := check.Check(u.prog, u.k, lower.Known)
	if u.k.Formless {
		return nil, diags
	}
	m, more, stopped := lower.LowerRest(u.prog, u.k, refused)
	if diags = append(diags, more...); len(diags) == 0 && !u.k.Unsound {
		return m, nil
	}
	u.followUp(stopped)
	if m != nil {
		diags = append(diags, u.passesOn(m)...)
	}
	diags.Sort()
	return m, diags
}

// passesOn returns the diagnostics of the passes for a module whose kernel has other diagnostics.
func (u *unit) passesOn(m *ir.Module) (diags diag.List) {
	defer func() { u.followUp(recover()) }()
	if err := ir.Verify(m); err != nil {
		u.followUp(err)
		return nil
	}
	_, diags = pass.Run(m, ir.Target{}, nil)
	return u.judged(m, diags)
}

// judged adds to the diagnostics of passes the calls that lead to their positions. It also adds the
// diagnostics about aspects. For a kernel without diagnostics, these are found later.
func (u *unit) judged(m *ir.Module, diags diag.List) diag.List {
	for _, d := range diags {
		place(u.prog, u.k, d)
	}
	checkAspects(u.prog, u.k, m, func(explicit bool) []properties.Aspect { return back.UsesLeft(m, explicit) }, &diags)
	return diags
}

// hostForm makes the host form of a module in the state at pass.HostPoint. It changes the module. A
// spare form is only for launches that may be cancelled; other launches run the kernel's own Go.
// The error lacks is the reason why the kernel cannot have a host form.
func hostForm(kernel string, m *ir.Module, spare bool) (f *gohost.Form, lacks, err error) {
	if pass.HasMatrices(m) {
		if diags := pass.ForHostMatrices(m); len(diags) > 0 {
			return nil, nil, fmt.Errorf("before the host form: %v", diags[0])
		}
	}
	u := pass.ForHost(m)
	if err := ir.Verify(m); err != nil {
		return nil, nil, fmt.Errorf("before the host form: %w", err)
	}
	f, lacks = gohost.Write(gostub.FormType(kernel), m, u, spare)
	return f, lacks, nil
}

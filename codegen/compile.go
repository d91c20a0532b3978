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

// Module is a compiled kernel. The field ABI is the kernel's description, without the modules. The
// field Words holds the first module. The field Variants holds the modules of ABI.Variants in the
// same order.
type Module struct {
	ABI      *abi.Kernel
	Words    []uint32
	Variants [][]uint32
	// Form is the host form of a kernel (its code for the CPU), or nil. A kernel has a host form if it
	// has barriers or group algorithms, or if it prints. Kernels whose work-items do little work or
	// may run long have host forms, too. NoForm is the reason why a kernel of one of these kinds has
	// no host form.
	Form   *gohost.Form
	NoForm error
	// Lacks has one error for each missing variant. For a missing variant, the passes refuse the
	// kernel under the variant's assumptions.
	Lacks []error
	// Unwatched lists the variables that the kernel reads and that launches cannot check for
	// changes.
	Unwatched []string
}

// isLate reports whether programs (not kgen) make the module of a variant from the kernel's IR. In
// a package with the directive //kgen:variants load, programs make all variants except "words".
func (u *unit) isLate(variant string) bool {
	return u.prog.Late(u.k.Pkg) && variant != abi.VariantWords && len(u.prog.Disabled) == 0 // with disabled optimizations, kgen makes the module, because programs cannot disable optimizations
}

// The method late returns the names of the variants whose modules programs make from the kernel's
// IR. The method late also makes these modules with the code that programs use, and compares the
// results. Any difference would cause an error on the user's devices.
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

// Compile compiles one kernel of a loaded program. The diagnostics are about the user's code. The
// error is a bug in kgen. If there are any diagnostics, or if the kernel's field Unsound is set,
// the result is nil. Compile calls the function in parameter after with the lowered module and the
// name "built". Later calls follow after each pass, with the pass's name. For each variant, the
// function is called with the name "small", "words", "alone" or "cancel". Parameter after may be
// nil.
func Compile(prog *load.Program, k *load.Kernel, after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	return (&unit{prog: prog, k: k}).compile(after)
}

// A unit is a kernel to compile, with the options for its compilation.
type unit struct {
	prog *load.Program
	k    *load.Kernel
	// onFollowUpPanic is called for bugs in kgen that only occur because the kernel has errors. Most
	// of these bugs are panics of later stages, which work on an incomplete kernel. The user has to
	// correct the errors anyway, so these bugs are not reported. Tests set the function, and fail if
	// it is called.
	onFollowUpPanic func(bug any)
}

// followUp passes a bug to onFollowUpPanic, if that function is set.
func (u *unit) followUp(bug any) {
	if bug != nil && u.onFollowUpPanic != nil {
		u.onFollowUpPanic(bug)
	}
}

// compile implements Compile.
func (u *unit) compile(after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	var host, whole *ir.Module // modules for the host form, without and with matrices; nil if not needed
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
		// A kernel that prints needs a host form for all launches, because the kernel's Go code
		// cannot print to the launch's writer.
		spare = !m.UsesGroup && !items.Brief(m) && len(m.Prints) == 0
		if spare && !loops.HasLoop(m) {
			return
		}
		// Making the host form changes the module, and the original is still needed for SPIR-V.
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
		// The kernel's Go code is enough for launches that cannot be cancelled or that end soon. A kernel
		// with only these launches needs no host form.
		if own := !lingers || u.prog.NoSpare(u.k.Pkg); own && spare && (out.Form == nil || out.Form.Spare) {
			out.Form, out.NoForm = nil, nil
		}
	}
	return out, diags, nil
}

// CompileGeneral compiles only the first module of a kernel. It omits the variants and the host
// form, because they take most of the time. CompileGeneral does not compare the used aspects with
// the aspects listed in the source, because a variant might avoid an aspect.
func CompileGeneral(prog *load.Program, k *load.Kernel, after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	return (&unit{prog: prog, k: k}).compileBy(false, after)
}

// compileBy lowers a kernel and compiles it with package back. If parameter variants is set,
// compileBy also compiles the variants. With variants, compileBy also compares the used aspects
// with the aspects listed in the source.
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

// Lower checks and lowers a kernel, as the first steps of Compile, but does not run passes.
func Lower(prog *load.Program, k *load.Kernel) (*ir.Module, diag.List) {
	return (&unit{prog: prog, k: k}).front()
}

// The method front checks and lowers the kernel. If there are errors, it also runs the passes, so
// that the user sees the errors of all stages at once.
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

// The method passesOn runs the passes on the module of a kernel that already has diagnostics. It
// returns the diagnostics of the passes.
func (u *unit) passesOn(m *ir.Module) (diags diag.List) {
	defer func() { u.followUp(recover()) }()
	if err := ir.Verify(m); err != nil {
		u.followUp(err)
		return nil
	}
	_, diags = pass.Run(m, ir.Target{}, nil)
	return u.judged(m, diags)
}

// The method judged completes the diagnostics of passes. It adds to each diagnostic the calls that
// lead to its position. It also adds diagnostics about aspects. For a kernel without diagnostics,
// aspects are checked later.
func (u *unit) judged(m *ir.Module, diags diag.List) diag.List {
	for _, d := range diags {
		place(u.prog, u.k, d)
	}
	checkAspects(u.prog, u.k, m, func(explicit bool) []properties.Aspect { return back.UsesLeft(m, explicit) }, &diags)
	return diags
}

// hostForm makes the host form (code for the CPU) of a module. The module must be in the state at
// pass.HostPoint, and hostForm changes it. If parameter spare is set, the host form is only for
// launches that may be cancelled. Other launches run the kernel's Go code. If the kernel cannot
// have a host form, the second result is the reason.
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

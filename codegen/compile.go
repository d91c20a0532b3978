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
// field Words holds the first module. The field Variants holds the modules of the variants, in the
// order of ABI.Variants.
type Module struct {
	ABI      *abi.Kernel
	Words    []uint32
	Variants [][]uint32
	// Form is the host form of the kernel (the kernel's code for the CPU), or nil. A kernel has a
	// host form if it has barriers or group algorithms, or if it prints. A kernel also has a host
	// form if each work-item does little work, or if work-items may run for a long time. NoForm is
	// the reason why a kernel that should have a host form has none.
	Form   *gohost.Form
	NoForm error
	// Lacks has one error for each missing variant. A variant is missing if the passes report
	// diagnostics for the kernel when they compile the variant.
	Lacks []error
	// Unwatched lists variables that the kernel reads. Launches cannot check these variables for
	// changes.
	Unwatched []string
}

// isLate reports whether programs, and not kgen, make the module of a variant from the kernel's IR.
// In a package with the directive //kgen:variants load, programs make all variants except "words".
func (u *unit) isLate(variant string) bool {
	return u.prog.Late(u.k.Pkg) && variant != abi.VariantWords && len(u.prog.Disabled) == 0 // if optimizations are disabled, kgen makes all modules, because programs cannot disable optimizations
}

// For some variants, kgen does not write a module, but programs make the module from the kernel's
// IR (see isLate). lateVariants returns the names of these variants. lateVariants also makes the
// modules of the returned variants in the same way as programs, and compares them with the modules
// in m. A module that differs from the module in m would cause an error on the user's devices.
func (u *unit) lateVariants(m *Module) (names []string, err error) {
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

// Compile compiles one kernel of a loaded program. The diagnostics are about the user's code. If
// Compile returns an error, kgen has a bug. If there are any diagnostics, or if the kernel's field
// Unsound is set, Compile returns no Module. If onStage is not nil, Compile calls onStage with the
// lowered module and the name "built". After each pass, Compile calls onStage with the pass's name.
// For each variant, Compile calls onStage with the name "small", "words", "alone" or "cancel".
func Compile(prog *load.Program, k *load.Kernel, onStage func(form string, m *ir.Module)) (*Module, diag.List, error) {
	return (&unit{prog: prog, k: k}).compileLoaded(onStage)
}

// A unit is a kernel to compile, with the options for its compilation.
type unit struct {
	prog *load.Program
	k    *load.Kernel
	// onFollowUpPanic is called for bugs in kgen that only occur because the kernel has errors.
	// Most bugs that follow from errors in the kernel are panics of later stages, because the code
	// of a kernel with errors is incomplete. The user has to correct the kernel's errors anyway, so
	// kgen does not report bugs that follow from the errors. Tests set onFollowUpPanic, and fail if
	// kgen calls onFollowUpPanic.
	onFollowUpPanic func(bug any)
}

// followUp reports a bug in kgen to onFollowUpPanic. If onFollowUpPanic is nil, followUp does
// nothing.
func (u *unit) followUp(bug any) {
	if bug != nil && u.onFollowUpPanic != nil {
		u.onFollowUpPanic(bug)
	}
}

// compileLoaded implements Compile.
func (u *unit) compileLoaded(onStage func(form string, m *ir.Module)) (*Module, diag.List, error) {
	var host, whole *ir.Module // modules for the host forms of kernels without and with matrices; nil if not needed
	var spare, lingers bool
	out, diags, err := u.compileBy(true, func(form string, m *ir.Module) {
		if onStage != nil {
			onStage(form, m)
		}
		if form == pass.LinkPoint && pass.HasMatrices(m) && !u.prog.NoForm(u.k) {
			whole = m.Clone()
		}
		if form != pass.HostPoint {
			return
		}
		// If a kernel prints, all launches need a host form, because the kernel's Go code cannot
		// print to the launch's writer.
		spare = !m.UsesGroup && !items.Brief(m) && len(m.Prints) == 0
		if spare && !loops.HasLoop(m) {
			return
		}
		// hostForm changes the module, so the host form is made from a copy, and the original
		// module becomes SPIR-V.
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
		// The kernel's Go code is enough for a launch that cannot be cancelled or that ends soon.
		// If no launch of a kernel can be cancelled, or if all launches end soon, the kernel needs
		// no host form.
		if own := !lingers || u.prog.NoSpare(u.k.Pkg); own && spare && (out.Form == nil || out.Form.Spare) {
			out.Form, out.NoForm = nil, nil
		}
	}
	return out, diags, nil
}

// CompileGeneral compiles only the first module of a kernel. CompileGeneral omits the variants and
// the host form, and so saves most of the time of a compilation. CompileGeneral does not compare
// the used aspects with the aspects listed in the source, because a variant might avoid an aspect.
func CompileGeneral(prog *load.Program, k *load.Kernel, onStage func(form string, m *ir.Module)) (*Module, diag.List, error) {
	return (&unit{prog: prog, k: k}).compileBy(false, onStage)
}

// compileBy lowers a kernel and compiles the lowered module with package back. If withVariants is
// set, compileBy also compiles the variants, and compares the used aspects with the aspects listed
// in the source.
func (u *unit) compileBy(withVariants bool, onStage func(form string, m *ir.Module)) (*Module, diag.List, error) {
	prog, k := u.prog, u.k
	m, diags := u.frontEnd()
	if len(diags) > 0 || k.Unsound {
		return nil, diags, nil
	}
	if onStage != nil {
		onStage(dumpBuilt, m)
	}
	compile := back.CompileGeneral
	if withVariants {
		compile = back.Compile
	}
	c, diags, err := compile(&back.Kernel{
		Module: m, Name: k.Name, Package: k.Pkg.PkgPath, Properties: k.Properties, Cancel: k.Cancel, After: onStage,
		At: abi.Frame{Func: lower.FuncName(k.Fn), Pos: prog.Pos(k.Fn.Pos()).String()},
	})
	if err != nil {
		return nil, nil, err
	}
	if len(diags) > 0 {
		return nil, u.completeDiags(m, diags), nil
	}
	if withVariants {
		checkAspects(prog, k, m, func(explicit bool) []properties.Aspect { return back.Used(c.ABI, explicit) }, &diags)
	}
	if err := back.ProveNative(c.ABI); withVariants && err != nil {
		return nil, nil, err
	}
	c.ABI.Directed = k.Directed
	return &Module{ABI: c.ABI, Words: c.Words, Variants: c.Variants, Lacks: c.Lacks, Unwatched: m.Unwatched}, diags, nil
}

// Lower checks and lowers a kernel like Compile, but does not run passes.
func Lower(prog *load.Program, k *load.Kernel) (*ir.Module, diag.List) {
	return (&unit{prog: prog, k: k}).frontEnd()
}

// frontEnd checks and lowers the kernel. If there are errors, frontEnd also runs the passes, so that the user sees the
// errors of all stages at once.
func (u *unit) frontEnd() (m *ir.Module, diags diag.List) {
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

// passesOn runs the passes on the module of a kernel that already has diagnostics, and returns the diagnostics of the
// passes.
func (u *unit) passesOn(m *ir.Module) (diags diag.List) {
	defer func() { u.followUp(recover()) }()
	if err := ir.Verify(m); err != nil {
		u.followUp(err)
		return nil
	}
	_, diags = pass.Run(m, ir.Target{}, nil)
	return u.completeDiags(m, diags)
}

// completeDiags completes the diagnostics of passes. completeDiags adds to each diagnostic the
// calls that lead to the diagnostic's position. completeDiags also adds diagnostics about aspects.
// For kernels without diagnostics, compileBy checks the aspects.
func (u *unit) completeDiags(m *ir.Module, diags diag.List) diag.List {
	for _, d := range diags {
		placeDiag(u.prog, u.k, d)
	}
	checkAspects(u.prog, u.k, m, func(explicit bool) []properties.Aspect { return back.UsesLeft(m, explicit) }, &diags)
	return diags
}

// hostForm makes the host form (code for the CPU) of a module. The module must be the result of the
// passes up to pass.HostPoint. The function hostForm changes the module. If cancelOnly is set, the
// host form is only for launches that may be cancelled. All other launches run the kernel's Go
// code. If the kernel cannot have a host form, the result `lacks` is the reason.
func hostForm(kernel string, m *ir.Module, cancelOnly bool) (f *gohost.Form, lacks, err error) {
	if pass.HasMatrices(m) {
		if diags := pass.ForHostMatrices(m); len(diags) > 0 {
			return nil, nil, fmt.Errorf("before the host form: %v", diags[0])
		}
	}
	u := pass.ForHost(m)
	if err := ir.Verify(m); err != nil {
		return nil, nil, fmt.Errorf("before the host form: %w", err)
	}
	f, lacks = gohost.Write(gostub.FormType(kernel), m, u, cancelOnly)
	return f, lacks, nil
}

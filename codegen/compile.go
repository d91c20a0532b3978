package codegen

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

// Module is a compiled kernel: its description, without the modules, and the
// modules' words, those of ABI.Variants in the order there.
type Module struct {
	ABI      *abi.Kernel
	Words    []uint32
	Variants [][]uint32
	// Form is the host form of a kernel that has barriers or group algorithms, does
	// little per work-item, prints, or may take long over one. NoForm says why such a kernel has none.
	Form   *gohost.Form
	NoForm error
	// Lacks says which variants are left out since what is right of the kernel is not
	// of them.
	Lacks []error
	// Unwatched are the variables that the kernel reads and that are taken not to change
	// though nothing looks at them.
	Unwatched []string
}

// isLate reports whether programs make the module of a variant of the kernel's IR: all but the one
// in words, where the package has the directive.
func (u *unit) isLate(variant string) bool {
	return u.prog.Late(u.k.Pkg) && variant != abi.VariantWords && len(u.prog.Disabled) == 0 // programs disable nothing
}

// late returns the names of the variants whose modules programs make of the kernel's IR. It makes
// each of them in that way, since a difference would be an error on the user's devices.
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

// Compile compiles one kernel of a loaded program. The diagnostics are about the
// user's code; the error is a bug in kgen. There is no module if there are any, or if
// the kernel is unsound. after, which may be nil, is given the
// module as it was lowered, with the name "built", and after every pass, with the
// pass's name; then the variants that there are, with the names "small", "words",
// "alone" and "cancel".
func Compile(prog *load.Program, k *load.Kernel, after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	return (&unit{prog: prog, k: k}).compile(after)
}

// unit is a kernel that is to be compiled.
type unit struct {
	prog *load.Program
	k    *load.Kernel
	// onFollowUpPanic, if not nil, is told of bugs in kgen, mostly panics, that show only
	// because something is wrong with the kernel and later stages work on what is left of it.
	// The user has enough to mend then, so that they are dropped otherwise. Tests fail.
	onFollowUpPanic func(bug any)
}

// followUp passes on a bug, if there is one.
func (u *unit) followUp(bug any) {
	if bug != nil && u.onFollowUpPanic != nil {
		u.onFollowUpPanic(bug)
	}
}

// compile implements Compile.
func (u *unit) compile(after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	var host, whole *ir.Module // from which the host form is made, and that of matrices; nil without
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
		// One that prints has a form for all launches, since its own Go knows no writer.
		spare = !m.UsesGroup && !items.Brief(m) && len(m.Prints) == 0
		if spare && !loops.HasLoop(m) {
			return
		}
		// The module itself goes on to become SPIR-V, and the host form changes what it is
		// made from.
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
		// Where launches cannot be cancelled, or would end soon, the kernel's own Go is all it takes.
		if own := !lingers || u.prog.NoSpare(u.k.Pkg); own && spare && (out.Form == nil || out.Form.Spare) {
			out.Form, out.NoForm = nil, nil
		}
	}
	return out, diags, nil
}

// CompileGeneral is like Compile without the kernel's variants and its host form,
// which take longer than the rest. The kernel needs what the module does: variants might
// do without it, so that the aspects are not compared with those that the source lists.
func CompileGeneral(prog *load.Program, k *load.Kernel, after func(form string, m *ir.Module)) (*Module, diag.List, error) {
	return (&unit{prog: prog, k: k}).compileBy(false, after)
}

// compileBy lowers a kernel and has package back compile it, with its variants or without. With
// them it compares the aspects that the kernel uses with those that its source lists.
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

// Lower checks and lowers a kernel as Compile does, and does no more.
func Lower(prog *load.Program, k *load.Kernel) (*ir.Module, diag.List) {
	return (&unit{prog: prog, k: k}).front()
}

// front checks and lowers the kernel. If that finds mistakes, the passes run too, so that
// the user sees the mistakes of all stages at once.
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

// passesOn returns the diagnostics that passes have of a module whose kernel has others
// already.
func (u *unit) passesOn(m *ir.Module) (diags diag.List) {
	defer func() { u.followUp(recover()) }()
	if err := ir.Verify(m); err != nil {
		u.followUp(err)
		return nil
	}
	_, diags = pass.Run(m, ir.Target{}, nil)
	return u.judged(m, diags)
}

// judged adds to the diagnostics of passes the calls that lead to their places, and the
// diagnostics of aspects, for which a kernel without diagnostics is asked only later.
func (u *unit) judged(m *ir.Module, diags diag.List) diag.List {
	for _, d := range diags {
		place(u.prog, u.k, d)
	}
	checkAspects(u.prog, u.k, m, func(explicit bool) []properties.Aspect { return back.UsesLeft(m, explicit) }, &diags)
	return diags
}

// hostForm makes the host form of a module, which is as it was at pass.HostPoint, and changes
// it. A spare form is for launches that may be cancelled, and the kernel's own Go for others.
// The error lacks says why the kernel can have no host form.
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

package codegen

// This file compares the aspects that a kernel uses with the aspects that the kernel's author
// lists.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/check"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/properties"
)

// checkAspects reports aspects that are used but not listed. The list of aspects is a kernel's
// DeviceHas property, or a directive of a function that the kernel calls. If neither the kernel nor
// a function lists aspects, checkAspects reports nothing. usedAspects returns the aspects that the
// kernel uses. The argument explicit64 tells usedAspects whether the source contains int64 or
// uint64.
func checkAspects(prog *load.Program, k *load.Kernel, m *ir.Module, usedAspects func(explicit64 bool) []properties.Aspect, diags *diag.List) {
	written, explicit := check.Explicit64(k)
	has, listed := k.Properties.Get(properties.KeyDeviceHas)
	for _, a := range usedAspects(explicit) {
		if listed && !slices.Contains(has.Aspects(), a) {
			at := slices.IndexFunc(m.Uses, func(u ir.AspectUse) bool { return u.Aspect == a && u.Func == "" })
			if at < 0 && a == properties.Int64 && explicit {
				d := diags.Add(diag.Aspect, prog.DiagPos(written), aspectHint,
					"int64 or uint64 here uses the aspect int64, which DeviceHas of kernel %s does not list", k.Name)
				d.Related = prog.Chain(k, d.Pos)
				continue
			}
			if at < 0 {
				diags.Add(diag.Aspect, prog.DiagPos(k.PropertiesPos), aspectHint,
					"kernel %s uses the aspect %v, which its DeviceHas does not list", k.Name, a)
				continue
			}
			u := &m.Uses[at]
			d := diags.Add(diag.Aspect, diag.Pos(u.Pos), aspectHint,
				"%s uses the aspect %v, which DeviceHas of kernel %s does not list", u.In, a, k.Name)
			addCalls(prog, d, u)
		}
		for i := range m.Uses {
			if u := &m.Uses[i]; u.Func != "" && u.Aspect == a {
				d := diags.Add(diag.Aspect, diag.Pos(u.Pos), aspectHint,
					"%s uses the aspect %v, which //kgen:device_has of %s does not list", u.In, a, u.Func)
				addCalls(prog, d, u)
			}
		}
	}
}

const aspectHint = "list it, or use none of what needs it"

// addCalls adds to a diagnostic the calls that lead to the use of an aspect. addCalls also replaces
// the file names in the positions by names that the user can open.
func addCalls(prog *load.Program, d *diag.Diagnostic, u *ir.AspectUse) {
	open := func(p ir.Pos) diag.Pos { return diag.Pos{File: prog.Abs(p.File), Line: p.Line, Col: p.Col} }
	d.Pos = open(u.Pos)
	for _, c := range u.Calls {
		d.Related = append(d.Related, diag.Related{Pos: open(c.Pos), Message: "called here from " + c.Caller})
	}
}

package uniform

// This file creates the diagnostics for barriers and group algorithms that some work-items of a
// group do not reach.

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Check returns diagnostics for the Sync ops that some work-items of a group may miss.
func (u *Info) Check() diag.List { return u.CheckOf(func(*ir.Value) bool { return true }) }

// CheckOf is like Check, but considers only the Sync ops for which the function "ops" returns true.
func (u *Info) CheckOf(ops func(v *ir.Value) bool) diag.List {
	var ds diag.List
	for i, b := range u.Order {
		if u.controlBlock[i] == nil {
			continue
		}
		var last ir.Pos // position of the last diagnostic; a sub-group algorithm and its barrier have the same position
		for _, v := range slices.Backward(b.Insts) {
			if v.Op.Has(ir.FlagSync) && ops(v) && (v.Op != ir.OpBarrier || v.Pos != last || last.File == "") {
				u.reportSync(&ds, v)
				last = v.Pos
			}
		}
	}
	ds.Sort()
	return ds
}

// Stays applies the function "change" to a clone of m, and reports whether all barriers are still
// known to be in uniform control flow. Passes call Stays before they copy code, because copied code
// adds paths. The analysis might not recognize that all work-items take the same one of these
// paths.
func Stays(m *ir.Module, change func(m *ir.Module) diag.List) bool {
	c := m.Clone()
	if diags := change(c); len(diags) > 0 {
		return false
	}
	c.Kernel.RemoveUnreachable()
	rewrite.SingleLatches(c.Kernel)
	return len(Of(c.Kernel).Check()) == 0
}

func (u *Info) reportSync(ds *diag.List, v *ir.Value) {
	branch, cause := u.Explain(v.Block)
	what := "this barrier"
	hint := "move the barrier out of the if or loop, and guard only the loads and stores"
	if v.IsGroupOp() {
		what = "this group algorithm"
		hint = "move the call out of the if or loop, and guard only what is done with its result"
	}
	if v.Op == ir.OpGroupUniform {
		what = "this call of dsl.Uniform"
		hint = "call it before the if or loop"
	}
	if v.Matrices() != nil {
		what = "this use of a matrix"
		hint = "move it out of the if or loop, and guard only what is done with the memory"
	}
	if v.Op == ir.OpZeroLocal {
		what = "this work-group memory, which the group zeroes together,"
		hint = "declare it before the if or loop, and guard only the loads and stores"
	}
	if privateVar(cause) != nil && cause.Op == ir.OpLoad && v.Op != ir.OpGroupUniform {
		hint += "; if all work-items have the same value there, pass it through dsl.Uniform before"
	}
	why := u.describeValue(cause)
	d := ds.Add(diag.Divergent, position(v.Pos), hint,
		"%s must be reached by all work-items of the group or by none, but that depends on %s", what, why)
	d.Related = append(d.Related, diag.Related{Pos: position(branch.Term.Pos), Message: "work-items of one group part ways here"})
	if cause.Pos != branch.Term.Pos && cause.Pos.File != "" {
		d.Related = append(d.Related, diag.Related{Pos: position(cause.Pos), Message: why})
	}
}

// describeValue returns a text with the reason why v differs between the work-items of a group.
func (u *Info) describeValue(v *ir.Value) string {
	if v.Op.Has(ir.FlagAtomic) {
		return "the result of an atomic operation, which differs between work-items"
	}
	switch v.Op {
	case ir.OpBuiltIn:
		name := "it.GlobalID()"
		switch v.Aux.(ir.BuiltIn) {
		case ir.LocalInvocationIDX, ir.LocalInvocationIDY, ir.LocalInvocationIDZ:
			name = "it.LocalID()"
		case ir.LocalInvocationIndex:
			name = "it.LocalLinearID()"
		case ir.SubgroupID:
			name = "it.SubGroup().GroupID()"
		case ir.SubgroupLocalInvocationID:
			name = "it.SubGroup().LocalID()"
		case ir.SubgroupLocalRange:
			name = "it.SubGroup().LocalRange()"
		}
		return name + ", which differs between work-items"
	case ir.OpLoad:
		r := v.Ref()
		switch {
		case r.Var == nil:
			s := u.roots.Of(v.Args[0])
			for i, p := range u.f.Module.Params {
				if !s.Unknown && s.Has(i) {
					return "an element of " + p.Name + ", which the kernel writes: work-items may see different values"
				}
			}
			return "a value in device memory: work-items may see different values"
		case r.Var.Storage == ir.Workgroup:
			return "a value in work-group memory: work-items may see different values"
		}
		return u.describeOwn(r.Var)
	}
	if noun := v.Op.Info().Noun; noun != "" {
		return "the result of " + noun + ", which differs between work-items"
	}
	if v.IsGroupOp() {
		return "what a sub-group computes, which differs between the sub-groups of a work-group"
	}
	return "a value that differs between work-items"
}

// describeOwn returns a text with the reason why the work-items of a group may have different
// values in the variable x. If x is a copy of another variable, the text contains the other
// variable's name.
func (u *Info) describeOwn(x *ir.Var) string {
	name, why := sourceName(x), u.rootCause(u.varyingVars[x])
	for seen := map[*ir.Var]bool{}; why != nil && why.Op == ir.OpLoad && privateVar(why) != nil; {
		if seen[x] {
			why = nil // the chain of copies between variables is a cycle
			break
		}
		seen[x], x = true, privateVar(why)
		name, why = cmp.Or(name, sourceName(x)), u.rootCause(u.varyingVars[x])
	}
	text := cmp.Or(name, "an array") + ", which is a work-item's own"
	switch {
	case why == nil:
		return text
	case privateVar(why) != nil:
		return text + " and changes behind the last barrier, too, where others may have left"
	}
	return text + " and has values that depend on " + u.describeValue(why)
}

// sourceName returns the name of x in the source. If x has no name in the source, sourceName
// returns "".
func sourceName(x *ir.Var) string {
	if x.Name == "" || generatedNames[x.Name] {
		return ""
	}
	return "the variable " + x.Name
}

// generatedNames is the set of names that go/ssa and package lower give to variables without a name in the
// source.
var generatedNames = map[string]bool{"complit": true, "new": true, "makeslice": true, "slicelit": true, "varargs": true,
	"argument": true, "copy": true, "each": true, "out": true, "private": true, "receiver": true, "result": true, "zero": true}

func position(p ir.Pos) diag.Pos { return diag.Pos{File: p.File, Line: p.Line, Col: p.Col} }

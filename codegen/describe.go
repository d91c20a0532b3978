package codegen

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/check"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/emit"
	"github.com/kgen-go/kgen/properties"
)

// describe makes the description that stubs hand to the runtime.
func describe(m *ir.Module, k *load.Kernel, module *spirv.Module) *abi.Kernel {
	d := &abi.Kernel{
		Name: k.Name, Package: k.Pkg.PkgPath, Form: m.Form, Rank: m.Rank,
		Params: m.Params, ArgSize: m.ArgSize, Spilled: m.Spilled, Items: m.Items,
		Loops: emit.Loops(m), Data: string(m.Data), DataOffset: m.DataOffset,
		Properties: k.Properties, Variables: m.Variables,
	}
	for _, s := range m.Specs {
		if s.User != nil {
			d.Specs = append(d.Specs, *s.User)
		}
	}
	for _, v := range m.Vars {
		if v.Storage == ir.Workgroup {
			d.Locals = append(d.Locals, local(v))
		}
	}
	d.Privates = privates(m)
	for _, s := range m.Sites {
		d.Sites = append(d.Sites, abi.Site{Kind: s.Kind, Pos: s.Pos.String(), Message: s.Message, Unsigned: s.Unsigned})
	}
	for _, row := range aspects {
		if slices.ContainsFunc(row.capabilities, module.HasCapability) {
			d.Aspects = append(d.Aspects, row.aspect)
		}
	}
	if len(m.Privates) > 0 {
		d.Aspects = append(d.Aspects, properties.PrivateAlloca)
	}
	for _, u := range m.Uses {
		if u.Required {
			d.Aspects = append(d.Aspects, u.Aspect)
		}
	}
	slices.Sort(d.Aspects)
	d.Aspects = slices.Compact(d.Aspects)
	return d
}

// smallArrays is how many bytes of arrays of its own any work-item may have: what
// is in all is not worth a check.
const smallArrays = 1 << 16

// privates lists the memory of a work-item's own: what specialization constants
// size, and the arrays that are left.
func privates(m *ir.Module) []abi.Private {
	out := slices.Clone(m.Privates)
	arrays := 0
	for _, v := range m.Kernel.Vars {
		if _, ok := v.Type.ArrayLen(); ok {
			arrays += v.Type.Size
		}
	}
	if arrays > smallArrays || arrays > 0 && len(out) > 0 {
		out = append(out, abi.Private{Name: "arrays", ElemSize: 1, Align: 1, Len: arrays})
	}
	return out
}

func local(v *ir.Var) abi.Local {
	l := abi.Local{Name: v.Name, ElemSize: v.Type.Size, Len: 1, Accessor: v.Accessor, Expr: v.Expr}
	if v.Type.Elem != nil {
		l.ElemSize, l.Len = v.Type.Elem.Size, -1
		if n, ok := v.Type.ArrayLen(); ok && v.Accessor < 0 {
			l.Len = n
		}
	}
	return l
}

// aspects says what a module's capabilities mean to users; those that variants do
// without are in native.
var aspects = []struct {
	aspect       properties.Aspect
	capabilities []spirv.Capability
}{
	{properties.FP16, []spirv.Capability{spirv.CapabilityFloat16}},
	{properties.FP64, []spirv.Capability{spirv.CapabilityFloat64}},
	{properties.Atomic64, []spirv.Capability{spirv.CapabilityInt64Atomics}},
	{properties.AtomicFloat32, []spirv.Capability{spirv.CapabilityAtomicFloat32AddEXT}},
	{properties.AtomicFloat64, []spirv.Capability{spirv.CapabilityAtomicFloat64AddEXT}},
	{properties.SubGroups, subGroupCapabilities},
}

var subGroupCapabilities = []spirv.Capability{spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformVote,
	spirv.CapabilityGroupNonUniformArithmetic, spirv.CapabilityGroupNonUniformBallot,
	spirv.CapabilityGroupNonUniformShuffle, spirv.CapabilityGroupNonUniformShuffleRelative}

// uses says why the kernel needs its aspects. Integers of other sizes than a word's
// are needed where atomic operations on 64 bits leave no variant in words.
func uses(m *ir.Module, d *abi.Kernel, k *load.Kernel, prog *load.Program) []abi.Use {
	find := func(a properties.Aspect) int {
		return slices.IndexFunc(m.Uses, func(u ir.AspectUse) bool { return u.Aspect == a && u.Func == "" })
	}
	var out []abi.Use
	for _, a := range d.Aspects {
		at := find(a)
		if at < 0 && slices.ContainsFunc(native, func(n nativeRow) bool { return n.aspect == a }) {
			at = find(properties.Atomic64)
		}
		if at < 0 {
			out = append(out, abi.Use{Aspect: a, Chain: []abi.Frame{{Func: lower.FuncName(k.Fn), Pos: prog.Pos(k.Fn.Pos()).String()}}})
			continue
		}
		u := &m.Uses[at]
		var chain []abi.Frame
		for _, c := range slices.Backward(u.Calls) {
			chain = append(chain, abi.Frame{Func: c.Caller, Pos: c.Pos.String()})
		}
		out = append(out, abi.Use{Aspect: a, Chain: append(chain, abi.Frame{Func: u.In, Pos: u.Pos.String()})})
	}
	return out
}

// used returns the aspects that the kernel uses: those that it needs, and those
// that a variant in words does without. Int64 is one only where int64 or uint64 is
// written: int has 64 bits as well. What work-groups do uses no sub-groups that
// anybody wrote.
func used(k *abi.Kernel, explicit64 bool) []properties.Aspect {
	uses := slices.Clone(k.Aspects)
	for i := range k.Variants {
		for _, a := range k.Variants[i].Without {
			if a != properties.SubGroups && (a != properties.Int64 || explicit64) {
				uses = append(uses, a)
			}
		}
	}
	slices.Sort(uses)
	return slices.Compact(uses)
}

// checkAspects reports the aspects that the kernel, or a function that it calls,
// uses and does not list, where it has a list.
// uses returns them, given whether int64 or uint64 is written.
func checkAspects(prog *load.Program, k *load.Kernel, m *ir.Module, uses func(explicit64 bool) []properties.Aspect, diags *diag.List) {
	written, explicit := check.Explicit64(k)
	has, listed := k.Properties.Get(properties.KeyDeviceHas)
	for _, a := range uses(explicit) {
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
			relate(prog, d, u)
		}
		for i := range m.Uses {
			if u := &m.Uses[i]; u.Func != "" && u.Aspect == a {
				d := diags.Add(diag.Aspect, diag.Pos(u.Pos), aspectHint,
					"%s uses the aspect %v, which //kgen:device_has of %s does not list", u.In, a, u.Func)
				relate(prog, d, u)
			}
		}
	}
}

// usesLeft is what used is for a kernel that is wrong, of which there is no module to
// ask: what lowering has noted, as far as the passes have left it.
func usesLeft(m *ir.Module, explicit64 bool) []properties.Aspect {
	kinds := map[ir.Kind]bool{}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			kinds[v.Type.Kind] = true
			for _, a := range v.Args {
				kinds[a.Type.Kind] = true
			}
		}
	}
	kind := map[properties.Aspect]ir.Kind{properties.FP16: ir.F16, properties.FP64: ir.F64, properties.Int8: ir.I8, properties.Int16: ir.I16}
	var uses []properties.Aspect
	for _, u := range m.Uses {
		if k, ok := kind[u.Aspect]; u.Required || ok && !kinds[k] || u.Aspect == properties.AtomicFloat32 || u.Aspect == properties.AtomicFloat64 {
			continue
		}
		uses = append(uses, u.Aspect)
	}
	if explicit64 && kinds[ir.I64] {
		uses = append(uses, properties.Int64)
	}
	slices.Sort(uses)
	return slices.Compact(uses)
}

const aspectHint = "list it, or use none of what needs it"

// relate adds the calls that lead to the use of an aspect, and makes positions
// those of files that the user can open.
func relate(prog *load.Program, d *diag.Diagnostic, u *ir.AspectUse) {
	open := func(p ir.Pos) diag.Pos { return diag.Pos{File: prog.Abs(p.File), Line: p.Line, Col: p.Col} }
	d.Pos = open(u.Pos)
	for _, c := range u.Calls {
		d.Related = append(d.Related, diag.Related{Pos: open(c.Pos), Message: "called here from " + c.Caller})
	}
}

package codegen

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/properties"
)

// describe makes the description that stubs hand to the runtime.
func describe(m *ir.Module, k *load.Kernel, module *spirv.Module) *abi.Kernel {
	d := &abi.Kernel{
		Name: k.Name, Package: k.Pkg.PkgPath, Form: m.Form, Rank: m.Rank,
		Params: m.Params, ArgSize: m.ArgSize, Spilled: m.Spilled, Items: m.Items,
		Properties: k.Properties,
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
		d.Sites = append(d.Sites, abi.Site{Kind: s.Kind, Pos: s.Pos.String(), Message: s.Message})
	}
	for _, row := range aspects {
		if slices.ContainsFunc(row.capabilities, module.HasCapability) {
			d.Aspects = append(d.Aspects, row.aspect)
		}
	}
	if len(m.Privates) > 0 {
		d.Aspects = append(d.Aspects, properties.PrivateAlloca)
	}
	slices.Sort(d.Aspects)
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
	{properties.SubGroups, []spirv.Capability{spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformVote,
		spirv.CapabilityGroupNonUniformArithmetic, spirv.CapabilityGroupNonUniformBallot,
		spirv.CapabilityGroupNonUniformShuffle, spirv.CapabilityGroupNonUniformShuffleRelative}},
}

// unlisted returns the aspects that the kernel uses and its DeviceHas, if it has
// one, does not list: those that it needs, and those that a variant does without.
// Int64 is one only where int64 or uint64 is written: int has 64 bits as well.
func unlisted(k *abi.Kernel, explicit64 bool) []properties.Aspect {
	has, ok := k.Properties.Get(properties.KeyDeviceHas)
	if !ok {
		return nil
	}
	uses := slices.Clone(k.Aspects)
	for i := range k.Variants {
		uses = append(uses, k.Variants[i].Without...)
	}
	slices.Sort(uses)
	var missing []properties.Aspect
	for _, a := range slices.Compact(uses) {
		if !slices.Contains(has.Aspects(), a) && (a != properties.Int64 || explicit64) {
			missing = append(missing, a)
		}
	}
	return missing
}

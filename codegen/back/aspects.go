package back

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/emit"
	"github.com/kgen-go/kgen/codegen/spirv/features"
	"github.com/kgen-go/kgen/properties"
)

// nativeAspects contains the aspects that the variant "words" (only 32-bit integers) does not
// need.
var nativeAspects = []properties.Aspect{properties.Int8, properties.Int16, properties.Int64}

// nativeUses returns the used aspects that the variant "words" avoids.
func nativeUses(module *spirv.Module) []properties.Aspect {
	return slices.DeleteFunc(features.Used(module), func(a properties.Aspect) bool { return !slices.Contains(nativeAspects, a) })
}

// describeKernel returns the kernel's description, which is based on the kernel's first module.
func describeKernel(k *Kernel, module *spirv.Module) *abi.Kernel {
	m := k.Module
	d := &abi.Kernel{
		Name: k.Name, Package: k.Package, Form: m.Form, Rank: m.Rank,
		Params: m.Params, ArgSize: m.ArgSize, Spilled: m.Spilled, Items: m.Items,
		Loops: emit.Loops(m), Data: string(m.Data), DataOffset: m.DataOffset,
		Matrices: m.Matrices, Properties: k.Properties, Variables: m.Variables, Prints: m.Prints, PrintTexts: m.PrintTexts,
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
	d.Privates = describePrivates(m)
	for _, s := range m.Sites {
		d.Sites = append(d.Sites, abi.Site{Kind: s.Kind, Pos: s.Pos.String(), Message: s.Message, Unsigned: s.Unsigned, Part: s.Part})
	}
	for _, a := range features.Used(module) {
		if !slices.Contains(nativeAspects, a) {
			d.Aspects = append(d.Aspects, a)
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

// smallArrays is a size in bytes. If the arrays of a work-item are not larger than smallArrays, the
// runtime does not compare their size with the device's limit. NVIDIA's largest GPUs have a limit
// of about 15 KiB for the arrays of a work-item.
const smallArrays = 8 << 10

// describePrivates describes the private memory of a work-item. The result has one element for each
// array whose length depends on specialization constants. The last element of the result describes
// all arrays of constant length together, unless these arrays are small.
func describePrivates(m *ir.Module) []abi.Private {
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
	if v.Words > 0 {
		l.Len, l.Matrices = v.Words, true
	}
	if v.Shape != nil {
		l.Shape = v.Shape.String()
	}
	return l
}

// aspectUses returns, for each aspect that the kernel needs, the calls that lead to a use of the
// aspect. Only kernels with 64-bit atomic operations need integers of 8, 16 or 64 bits, because all
// other kernels have the variant "words". For such integers, aspectUses returns the uses of the
// 64-bit atomic operations.
func aspectUses(k *Kernel, d *abi.Kernel) []abi.Use {
	m := k.Module
	find := func(a properties.Aspect) int {
		return slices.IndexFunc(m.Uses, func(u ir.AspectUse) bool { return u.Aspect == a && u.Func == "" })
	}
	var out []abi.Use
	for _, a := range d.Aspects {
		at := find(a)
		if at < 0 && slices.Contains(nativeAspects, a) {
			at = find(properties.Atomic64)
		}
		if at < 0 {
			out = append(out, abi.Use{Aspect: a, Chain: []abi.Frame{k.At}})
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

// Used returns the aspects that the kernel's author uses. The result contains the aspects that the
// kernel needs and the aspects that the variant "words" avoids. Because int has 64 bits, the result
// contains Int64 only if the source says int64 or uint64 (parameter explicit64). The result omits
// sub-groups if only work-group algorithms use sub-groups.
func Used(k *abi.Kernel, explicit64 bool) []properties.Aspect {
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

// UsesLeft returns the aspects that the kernel's author uses. UsesLeft is for kernels with
// diagnostics, which have no description for the function Used. UsesLeft derives the aspects from
// the uses that lowering recorded, except uses in code that the passes have removed.
func UsesLeft(m *ir.Module, explicit64 bool) []properties.Aspect {
	kinds := map[ir.Kind]bool{}
	left := map[properties.Aspect]bool{}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			kinds[v.Type.Kind] = true
			for _, a := range v.Args {
				kinds[a.Type.Kind] = true
			}
		}
	}
	for k := range kinds {
		left[k.Aspect()] = true
	}
	var uses []properties.Aspect
	for _, u := range m.Uses {
		if u.Required || ir.OfKind(u.Aspect) && !left[u.Aspect] || u.Aspect == properties.AtomicFloat32 || u.Aspect == properties.AtomicFloat64 {
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

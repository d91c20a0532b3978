package fusion

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/link"
	"github.com/kgen-go/kgen/properties"
)

// Fused is a kernel that does the work of several kernels.
type Fused struct {
	ABI *abi.Kernel
	// Name consists of the names of the linked kernels, joined by pluses.
	Name string
	// Origins maps each parameter of the fused kernel to a launch of the group and to a parameter
	// of this launch.
	Origins []link.Origin
}

// sliceClasses finds slices with the same memory, and slices with the same length. For each slice
// of each launch, sliceClasses returns a number for the memory and a number for the length. Slices
// with the same memory have the same number for the memory, and slices with the same length have
// the same number for the length.
func (g *Group) sliceClasses() [][]link.Slice {
	var memories []Slice
	var lengths []int
	number := func(n int) int {
		at := slices.Index(lengths, n)
		if at < 0 {
			at, lengths = len(lengths), append(lengths, n)
		}
		return at
	}
	var out [][]link.Slice
	for _, l := range g.Launches {
		row := make([]link.Slice, len(l.Slices))
		for i, s := range l.Slices {
			row[i] = link.Slice{Memory: -1, Length: -1} // value for slices without elements, and for parameters that are not slices
			if l.Source.ABI.Params[i].Kind != abi.Slice {
				continue
			}
			row[i].Length = number(s.Len)
			if s.Mem == nil {
				continue
			}
			in := g.internalAs(s)
			row[i].PerItem, row[i].Shared = in.perItem, in.shared
			row[i].Group = (g.Barriers || in.shared) && l.usesOwnIds(i) && !l.provedOwnIds(i)
			if row[i].Memory = slices.Index(memories, s); row[i].Memory < 0 {
				row[i].Memory, memories = len(memories), append(memories, s)
			}
		}
		out = append(out, row)
	}
	return out
}

// Key returns a string that identifies the group's fused kernel. Groups with the same key have the
// same fused kernel, even if their ranges, argument values and addresses differ.
func (g *Group) Key() string {
	var b strings.Builder
	for i, row := range g.sliceClasses() {
		l := g.Launches[i]
		fmt.Fprintf(&b, "%p", l.Source.ABI)
		for _, s := range row {
			fmt.Fprintf(&b, " %d/%d/%d/%v/%v", s.Memory, s.Length, s.PerItem, s.Group, s.Shared)
		}
		for _, id := range slices.Sorted(maps.Keys(l.Specs)) {
			fmt.Fprintf(&b, " $%d=%d", id, l.Specs[id])
		}
		b.WriteByte(';')
	}
	fmt.Fprint(&b, g.Apart(), g.Barriers, g.props)
	return b.String()
}

// linkPoint returns the name of a compiler pass. The kernels of the group are linked after this
// pass.
func (g *Group) linkPoint() string {
	if slices.ContainsFunc(g.Launches, func(l *Launch) bool { return l.Source.module.UsesGroup }) {
		return pass.LateLinkPoint
	}
	return pass.LinkPoint
}

// linkModules links the IR modules of the group's kernels. The modules are in the state after the
// compiler pass that linkPoint names.
func (g *Group) linkModules() (*link.Linked, error) {
	var parts []link.Part
	var names []string
	for i, row := range g.sliceClasses() {
		l := g.Launches[i]
		parts = append(parts, link.Part{Module: l.Source.module, Specs: l.Specs, Slices: row})
		names = append(names, l.Source.ABI.Name)
	}
	o := link.Options{Apart: g.Apart(), Barriers: g.Barriers, Block: g.LaunchBlock}
	if g.linkPoint() == pass.LateLinkPoint {
		o.Late = func(m *ir.Module) error {
			if diags := pass.ForLateLink(m); len(diags) > 0 {
				return fmt.Errorf("%s as a part: %v", m.Name, diags[0])
			}
			return nil
		}
	}
	linked, err := link.Link(strings.Join(names, "+"), parts, o)
	if err != nil {
		return nil, err
	}
	for _, l := range g.Launches {
		if slices.Contains(l.Source.ABI.Aspects, properties.SubGroups) { // the fused kernel then needs the aspect SubGroups, too
			linked.Module.Uses = append(linked.Module.Uses, ir.AspectUse{Aspect: properties.SubGroups, In: l.Name()})
		}
		linked.Module.Matrices = linked.Module.Matrices || l.Source.ABI.Matrices
		for _, v := range l.Source.ABI.Variables {
			if !slices.ContainsFunc(linked.Module.Variables, func(w abi.Variable) bool { return w.Name == v.Name }) {
				linked.Module.Variables = append(linked.Module.Variables, v)
			}
		}
	}
	return linked, nil
}

// Link makes the fused kernel of the group, which must have at least two launches. An error means
// that there is a bug in kgen. Link recovers from panics, because launches that cannot be fused can
// run one by one.
func (g *Group) Link() (f *Fused, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			f, err = nil, fmt.Errorf("BUG: %v", bug)
		}
	}()
	return g.linkKernel()
}

// linkKernel does the work of Link, but may panic if there is a bug.
func (g *Group) linkKernel() (*Fused, error) {
	linked, err := g.linkModules()
	if err != nil {
		return nil, err
	}
	c, diags, err := back.Compile(&back.Kernel{
		Module: linked.Module, Name: linked.Module.Name, Package: g.Launches[0].Source.ABI.Package,
		Properties: g.fusedProperties(), From: g.linkPoint(),
	})
	switch {
	case err != nil:
		return nil, err
	case len(diags) > 0:
		return nil, fmt.Errorf("BUG: the fused kernel has diagnostics: %v", diags[0])
	}
	k := c.ABI
	for _, l := range g.Launches {
		k.Parts = append(k.Parts, abi.Part{Name: l.Name(), Rank: l.Source.ABI.Rank})
		k.Lingers = k.Lingers || l.Source.ABI.Lingers
	}
	k.SPIRV = encodeWords(c.Words)
	for i := range k.Variants {
		k.Variants[i].SPIRV = encodeWords(c.Variants[i])
	}
	return &Fused{ABI: k, Name: g.Name(), Origins: linked.Origins}, nil
}

// encodeWords encodes the words of a SPIR-V module in the format of abi.Kernel.SPIRV.
func encodeWords(list []uint32) string {
	b := make([]byte, 0, 4*len(list))
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(b)
}

// fusedProperties returns the properties of the fused kernel. If Apart returns true,
// fusedProperties removes hints for the work-group size.
func (g *Group) fusedProperties() properties.List {
	if !g.Apart() {
		return g.props
	}
	return slices.DeleteFunc(slices.Clone(g.props), func(p properties.Property) bool { return p.Key() == properties.KeyWorkGroupSizeHint })
}

// Args returns the argument block for a launch of the fused kernel. Args copies the arguments from
// the argument blocks of the group's launches.
func (f *Fused) Args(g *Group) []byte {
	out := make([]byte, f.ABI.ArgSize)
	for i, o := range f.Origins {
		to, l := &f.ABI.Params[i], g.Launches[o.Part]
		switch {
		case to.Offset < 0:
		case o.Param == link.RangeOf:
			for k := range 3 {
				binary.LittleEndian.PutUint32(out[to.Offset+4*k:], l.sizeAlong(k))
			}
		default:
			from := &l.Source.ABI.Params[o.Param]
			copy(out[to.Offset:to.Offset+to.Size], l.Args[from.Offset:])
		}
	}
	return out
}

package fusion

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/link"
	"github.com/kgen-go/kgen/properties"
)

// Fused is a kernel that does what several do.
type Fused struct {
	ABI *abi.Kernel
	// Name is the names of the parts, with pluses.
	Name string
	// Origins says of each parameter where its argument comes from.
	Origins []link.Origin
}

// classes returns for each launch which of its slices have memory and lengths in common.
func (g *Group) classes() [][]link.Slice {
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
			row[i] = link.Slice{Memory: -1, Length: -1}
			if l.Source.ABI.Params[i].Kind != abi.Slice {
				continue
			}
			row[i].Length = number(s.Len)
			if s.Mem == nil {
				continue
			}
			if row[i].Memory = slices.Index(memories, s); row[i].Memory < 0 {
				row[i].Memory, memories = len(memories), append(memories, s)
			}
		}
		out = append(out, row)
	}
	return out
}

// Key returns what tells the group's fused kernel apart from those of other groups: groups with
// one key have the same kernel, whatever their ranges, values and addresses.
func (g *Group) Key() string {
	var b strings.Builder
	for i, row := range g.classes() {
		l := g.Launches[i]
		fmt.Fprintf(&b, "%p", l.Source.ABI)
		for _, s := range row {
			fmt.Fprintf(&b, " %d/%d", s.Memory, s.Length)
		}
		for _, c := range l.Source.ABI.Specs {
			fmt.Fprintf(&b, " $%d=%d", c.ID, l.Specs[c.ID])
		}
		b.WriteByte(';')
	}
	fmt.Fprint(&b, g.Apart(), g.props)
	return b.String()
}

// Link makes the kernel of the group, which has two launches or more. Errors are bugs.
func (g *Group) Link() (*Fused, error) {
	var parts []link.Part
	var short []string
	lingers := false
	var variables []abi.Variable
	var rows []abi.Part
	for i, row := range g.classes() {
		l := g.Launches[i]
		k := l.Source.ABI
		parts = append(parts, link.Part{Module: l.Source.module, Specs: l.Specs, Slices: row})
		short, rows = append(short, k.Name), append(rows, abi.Part{Name: l.Name(), Rank: k.Rank})
		lingers = lingers || k.Lingers
		for _, v := range k.Variables {
			if !slices.ContainsFunc(variables, func(w abi.Variable) bool { return w.Name == v.Name }) {
				variables = append(variables, v)
			}
		}
	}
	linked, err := link.Link(strings.Join(short, "+"), parts, g.Apart())
	if err != nil {
		return nil, err
	}
	linked.Module.Variables = variables
	c, diags, err := back.Compile(&back.Kernel{
		Module: linked.Module, Name: linked.Module.Name, Package: g.Launches[0].Source.ABI.Package,
		Properties: g.stated(), From: pass.LinkPoint,
	})
	switch {
	case err != nil:
		return nil, err
	case len(diags) > 0:
		return nil, fmt.Errorf("BUG: the fused kernel has diagnostics: %v", diags[0])
	}
	k := c.ABI
	k.Parts, k.Lingers = rows, lingers
	k.SPIRV = words(c.Words)
	for i := range k.Variants {
		k.Variants[i].SPIRV = words(c.Variants[i])
	}
	return &Fused{ABI: k, Name: g.Name(), Origins: linked.Origins}, nil
}

// words returns a module as a description has it.
func words(list []uint32) string {
	b := make([]byte, 0, 4*len(list))
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(b)
}

// stated returns the properties of the fused kernel. Hints are about the parts' own ranges.
func (g *Group) stated() properties.List {
	if !g.Apart() {
		return g.props
	}
	return slices.DeleteFunc(slices.Clone(g.props), func(p properties.Property) bool { return p.Key() == properties.KeyWorkGroupSizeHint })
}

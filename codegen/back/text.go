package back

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Text returns the text of a module that a kernel's description has as its IR. The module is
// as pass.LinkPoint leaves it.
func Text(m *ir.Module) string { return abi.IRHeader + m.Text(ir.PrintOptions{Kept: true}) }

// Restore returns the module of a kernel's IR, with what the text does not have of it. It
// returns an error if the kernel has none, or if the text is damaged.
func Restore(k *abi.Kernel) (*ir.Module, error) {
	if k.IR == "" {
		return nil, fmt.Errorf("%s has no IR", k.FullName())
	}
	m, err := ir.Parse(k.IR)
	if err == nil {
		err = ir.Verify(m)
	}
	if err != nil {
		return nil, fmt.Errorf("the IR of %s: %w", k.FullName(), err)
	}
	if m.Form != k.Form || m.Rank != k.Rank || len(m.Params) != len(k.Params) {
		return nil, fmt.Errorf("the IR of %s is that of another kernel", k.FullName())
	}
	m.Data, m.DataOffset = []byte(k.Data), k.DataOffset
	m.Variables, m.Privates = slices.Clone(k.Variables), slices.Clone(k.Privates)
	for _, s := range m.Specs {
		if i := slices.IndexFunc(k.Specs, func(c abi.SpecConstant) bool { return c.ID == s.ID }); i >= 0 {
			user := k.Specs[i]
			s.User = &user
		}
	}
	n := 0
	for _, v := range m.Vars {
		if v.Storage != ir.Workgroup {
			continue
		}
		if n < len(k.Locals) {
			v.Expr = k.Locals[n].Expr
		}
		n++
	}
	placeAccesses(m)
	return m, nil
}

// check is what a check of an index compares: the index, and the offset of the slice in the
// launch block, or 0 where the length is none of a slice.
type check struct {
	index *ir.Value
	slice uint64
}

// placeAccesses gives the accesses of device memory the places of their checks, since texts have
// places only of what may fault. A check is of an index and a length, which stands behind the
// slice's address.
func placeAccesses(m *ir.Module) {
	places := map[check]ir.Pos{}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if s, ok := v.Aux.(*ir.Site); ok && s.Kind == abi.FaultIndex {
				c := check{index: v.Args[0]}
				places[c] = s.Pos
				if n := v.Args[1]; n.Op == ir.OpArg {
					c.slice = n.Bits - 8
					places[c] = s.Pos
				}
			}
		}
	}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			r := v.Ref()
			if r == nil || r.Var != nil || v.Pos.File != "" {
				continue
			}
			c := check{index: v.Path()[1]}
			v.Pos = places[c]
			if base := v.Path()[0]; base.Op == ir.OpArg {
				c.slice = base.Bits
				if pos, ok := places[c]; ok {
					v.Pos = pos
				}
			}
		}
	}
}

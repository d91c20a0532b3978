package back

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Text returns the text of a module after pass.LinkPoint, for the field IR of a kernel's
// description. The text has source positions only for memory accesses without a bounds check.
func Text(m *ir.Module) string {
	places := checkPlaces(m)
	unchecked := func(v *ir.Value) bool { return v.Op != ir.OpAddrOf && isAccess(v) && placeOf(v, places).File == "" }
	return abi.IRHeader + m.Text(ir.PrintOptions{Kept: true, Place: unchecked})
}

// Restore parses the text of a kernel's IR and returns the module. Restore adds the facts about the
// kernel that the text does not contain. If the kernel has no IR, or if the text is damaged,
// Restore returns an error.
func Restore(k *abi.Kernel) (*ir.Module, error) {
	if k.IR == "" {
		return nil, fmt.Errorf("%s has no IR", k.FullName())
	}
	m, err := ir.Parse(strings.ReplaceAll(k.IR, "\r\n", "\n"))
	if err == nil {
		err = ir.Verify(m)
	}
	if err != nil {
		return nil, fmt.Errorf("the IR of %s: %w", k.FullName(), err)
	}
	if m.Form != k.Form || m.Rank != k.Rank || m.ArgSize != k.ArgSize || !slices.EqualFunc(m.Params, k.Params, samePlace) {
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
	if err := asLowered(m); err != nil {
		return nil, fmt.Errorf("the IR of %s: %w", k.FullName(), err)
	}
	placeAccesses(m)
	return m, nil
}

// samePlace reports whether two parameters have the same kind, and the same offset and size in the
// argument block.
func samePlace(a, b abi.Param) bool {
	return a.Kind == b.Kind && a.Offset == b.Offset && a.Size == b.Size && a.ElemSize == b.ElemSize
}

// asLowered returns an error unless module m has certain properties of all modules from package
// lower. The passes and the linker rely on these properties. ir.Verify does not check the
// properties of lowered modules, because modules in tests may lack them.
func asLowered(m *ir.Module) error {
	if m.Level != ir.Built || m.Items != 1 || len(m.Helpers) > 0 {
		return fmt.Errorf("no module of the pass arrays")
	}
	types := map[uint32]*ir.Type{}
	for _, s := range m.Specs {
		types[s.ID] = s.Type
	}
	for i := range m.Rank {
		if types[abi.SpecLocalSizeX+uint32(i)] != ir.TypeI32 {
			return fmt.Errorf("no size of the work-groups along %c", "xyz"[i])
		}
	}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if v.Op == ir.OpArg && !isArgument(m, v) {
				return fmt.Errorf("%s is no argument", v.LongString())
			}
		}
	}
	return nil
}

// isArgument reports whether instruction v reads a value from the launch block. The launch block
// contains the extents of the range, the parameters, and the address of the constant data.
func isArgument(m *ir.Module, v *ir.Value) bool {
	size := uint64(v.Type.Size)
	if size == 0 || v.Bits%uint64(v.Type.Align) != 0 {
		return false
	}
	if v.Bits < abi.OffsetArgs {
		return v.Type == ir.TypeI32 && v.Bits >= abi.OffsetRange && v.Bits < abi.OffsetReserved
	}
	at := v.Bits - abi.OffsetArgs
	if len(m.Data) > 0 && at == uint64(m.DataOffset) {
		return v.Type == ir.TypeAddr
	}
	return slices.ContainsFunc(m.Params, func(p abi.Param) bool {
		return p.Offset >= 0 && at >= uint64(p.Offset) && at < uint64(p.Offset+p.Size) && size <= uint64(p.Offset+p.Size)-at
	})
}

// boundsCheck identifies a bounds check by the index, and by the offset of the slice in the launch
// block. If the bounds check does not compare the index with a slice's length, the offset is 0.
type boundsCheck struct {
	index *ir.Value
	slice uint64
}

// The text of the IR omits the positions of some accesses to device memory. placeAccesses sets
// these positions. A memory access without a position gets the position of its bounds check, which
// compares the index with the length of the slice. In the launch block, the length of a slice
// follows the address of the slice.
func placeAccesses(m *ir.Module) {
	places := checkPlaces(m)
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if isAccess(v) && v.Pos.File == "" {
				v.Pos = placeOf(v, places)
			}
		}
	}
}

// checkPlaces returns the source positions of a kernel's bounds checks.
func checkPlaces(m *ir.Module) map[boundsCheck]ir.Pos {
	places := map[boundsCheck]ir.Pos{}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if s, ok := v.Aux.(*ir.Site); ok && s.Kind == abi.FaultIndex {
				c := boundsCheck{index: v.Args[0]}
				places[c] = s.Pos
				if n := v.Args[1]; n.Op == ir.OpArg {
					c.slice = n.Bits - 8
					places[c] = s.Pos
				}
			}
		}
	}
	return places
}

// isAccess reports whether instruction v loads from or stores to device memory.
func isAccess(v *ir.Value) bool {
	r := v.Ref()
	return r != nil && r.Var == nil && len(v.Path()) > 1
}

// placeOf returns the source position of the bounds check for access v. If access v has no bounds
// check, placeOf returns an empty position.
func placeOf(v *ir.Value, places map[boundsCheck]ir.Pos) ir.Pos {
	c := boundsCheck{index: v.Path()[1]}
	pos := places[c]
	if base := v.Path()[0]; base.Op == ir.OpArg {
		c.slice = base.Bits
		if p, ok := places[c]; ok {
			pos = p
		}
	}
	return pos
}

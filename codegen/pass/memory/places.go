package memory

// This file finds out which accesses to device memory access the same location, and which accesses
// may overlap. The passes forward and once compare accesses with the code in this file.

import (
	"encoding/binary"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// memPlace identifies the location in device memory that a load or store accesses. A location is an
// element of a slice, or a part of such an element. For example, k.Points[i].X is a part of k.Points[i].
type memPlace struct {
	elem *ir.Type
	args []*ir.Value // the address, the index, and the path into the element
}

// placeTable compares the memory locations that the instructions of one function access.
type placeTable struct {
	m     *ir.Module
	roots *facts.Roots
	// launchValues maps each argument and built-in to the first value that loads it. All values
	// that load the same argument or built-in are equal, even if none of them dominates another.
	launchValues map[launchKey]*ir.Value
	elems        map[*ir.Type]uint64 // maps an element type to the number that placeName uses for it
}

type launchKey struct {
	op   ir.Op
	typ  *ir.Type
	bits uint64
	aux  any
}

func newPlaces(m *ir.Module) *placeTable {
	return &placeTable{m: m, roots: facts.FindRoots(m), launchValues: map[launchKey]*ir.Value{}, elems: map[*ir.Type]uint64{}}
}

// isDevice reports whether v is a plain load or store of device memory.
func isDevice(v *ir.Value) bool {
	return (v.Op == ir.OpLoad || v.Op == ir.OpStore) && v.Ref().Var == nil
}

// placeOf returns the memory location that v accesses. placeOf requires that isDevice(v) is true.
func (p *placeTable) placeOf(v *ir.Value) memPlace {
	pl := memPlace{elem: v.Ref().Elem}
	for _, a := range v.Path() {
		pl.args = append(pl.args, p.canonicalValue(a))
	}
	return pl
}

// canonicalValue returns the value that represents v when locations are compared.
func (p *placeTable) canonicalValue(v *ir.Value) *ir.Value {
	if v.Op != ir.OpArg && v.Op != ir.OpBuiltIn {
		return v
	}
	k := launchKey{v.Op, v.Type, v.Bits, v.Aux}
	if p.launchValues[k] == nil {
		p.launchValues[k] = v
	}
	return p.launchValues[k]
}

// placeName returns a string that identifies a memory location. The strings of two locations are
// equal if and only if the locations are the same.
func (p *placeTable) placeName(pl memPlace) string {
	if p.elems[pl.elem] == 0 {
		p.elems[pl.elem] = uint64(len(p.elems) + 1)
	}
	b := binary.AppendUvarint(nil, p.elems[pl.elem])
	for _, a := range pl.args {
		b = binary.AppendUvarint(b, uint64(a.ID))
	}
	return string(b)
}

// isFixed reports whether the memory at the location does not change during the launch.
func (p *placeTable) isFixed(pl memPlace) bool {
	return p.m.NoAlias && p.roots.NeverWritten(pl.args[0])
}

// mayAlias reports whether the memory locations a and b may overlap. Locations in the same slice
// with the same element type do not overlap if they differ in an index or a field. For example,
// a[i].x and a[j].y never overlap for any i and j.
func (p *placeTable) mayAlias(a, b memPlace) bool {
	if p.m.NoAlias && p.roots.Apart(a.args[0], b.args[0]) {
		return false
	}
	if a.elem != b.elem || a.args[0] != b.args[0] {
		return true
	}
	for i := 1; i < min(len(a.args), len(b.args)); i++ {
		if p.areDifferent(a.args[i], b.args[i]) {
			return false
		}
	}
	return true
}

// areDifferent reports whether the indices x and y are known to be different. For example, i and
// i+1 are different even if the sum wraps. Indices are within bounds, so different indices always
// select different elements.
func (p *placeTable) areDifferent(x, y *ir.Value) bool {
	if x.Type != y.Type {
		return false
	}
	a, j := p.splitSum(x)
	b, k := p.splitSum(y)
	distance := (j - k) & facts.Mask(x.Type)
	if a == b {
		return distance != 0
	}
	// Two sign-extended or zero-extended values are different if the original values are different.
	return distance == 0 && a != nil && b != nil && a.Op == b.Op && (a.Op == ir.OpSConvert || a.Op == ir.OpUConvert) &&
		a.Args[0].Type.Bits() < a.Type.Bits() && p.areDifferent(a.Args[0], b.Args[0])
}

// splitSum splits v into the value "base" plus the constant "add". If base is nil, v equals the
// constant.
func (p *placeTable) splitSum(v *ir.Value) (base *ir.Value, add uint64) {
	for {
		switch {
		case v.IsConst():
			return nil, add + v.Bits
		case v.Op == ir.OpIAdd && v.Block != nil && v.Args[1].IsConst():
			add += v.Args[1].Bits
			v = v.Args[0]
		case v.Op == ir.OpIAdd && v.Block != nil && v.Args[0].IsConst():
			add += v.Args[0].Bits
			v = v.Args[1]
		case v.Op == ir.OpISub && v.Block != nil && v.Args[1].IsConst():
			add -= v.Args[1].Bits
			v = v.Args[0]
		default:
			return p.canonicalValue(v), add
		}
	}
}

package memory

// This file tells which accesses to device memory are of one place, and which may overlap.
// Passes that take memory for values, or move loads, ask it: forward and once.

import (
	"encoding/binary"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// place is what a load or a store of device memory accesses: the element at an index from an
// address on, or a part of it, as k.Points[i].X.
type place struct {
	elem *ir.Type
	args []*ir.Value // the address, the index, and the path into elem
}

// places knows the places of one function.
type places struct {
	m     *ir.Module
	roots *facts.Roots
	// launch has the first value for each argument and built-in: all others of it are equal,
	// also where none of them dominates the other.
	launch map[launchValue]*ir.Value
	elems  map[*ir.Type]uint64 // numbers for names
}

type launchValue struct {
	op   ir.Op
	typ  *ir.Type
	bits uint64
	aux  any
}

func newPlaces(m *ir.Module) *places {
	return &places{m: m, roots: facts.FindRoots(m), launch: map[launchValue]*ir.Value{}, elems: map[*ir.Type]uint64{}}
}

// isDevice reports whether v is a plain load or store of device memory.
func isDevice(v *ir.Value) bool {
	return (v.Op == ir.OpLoad || v.Op == ir.OpStore) && v.Ref().Var == nil
}

// of returns the place that v accesses; isDevice(v) holds.
func (p *places) of(v *ir.Value) place {
	pl := place{elem: v.Ref().Elem}
	for _, a := range v.Path() {
		pl.args = append(pl.args, p.canonical(a))
	}
	return pl
}

// canonical returns the value that stands for v where places are compared.
func (p *places) canonical(v *ir.Value) *ir.Value {
	if v.Op != ir.OpArg && v.Op != ir.OpBuiltIn {
		return v
	}
	k := launchValue{v.Op, v.Type, v.Bits, v.Aux}
	if p.launch[k] == nil {
		p.launch[k] = v
	}
	return p.launch[k]
}

// name returns what two places have in common if and only if they are the same one.
func (p *places) name(pl place) string {
	if p.elems[pl.elem] == 0 {
		p.elems[pl.elem] = uint64(len(p.elems) + 1)
	}
	b := binary.AppendUvarint(nil, p.elems[pl.elem])
	for _, a := range pl.args {
		b = binary.AppendUvarint(b, uint64(a.ID))
	}
	return string(b)
}

// fixed reports whether nothing changes the place in the whole launch.
func (p *places) fixed(pl place) bool {
	return p.m.NoAlias && p.roots.NeverWritten(pl.args[0])
}

// mayAlias reports whether two places may overlap. Within one slice of one type they do not
// if they differ in an index or a field: a[i].x and a[j].y are apart whatever i and j are.
func (p *places) mayAlias(a, b place) bool {
	if p.m.NoAlias && p.roots.Apart(a.args[0], b.args[0]) {
		return false
	}
	if a.elem != b.elem || a.args[0] != b.args[0] {
		return true
	}
	for i := 1; i < min(len(a.args), len(b.args)); i++ {
		if p.differ(a.args[i], b.args[i]) {
			return false
		}
	}
	return true
}

// differ reports whether x and y are never equal, as i and i+1, which also differ where the
// sum wraps. Both are within bounds where they are indexes, so that no multiple of the
// element's size wraps.
func (p *places) differ(x, y *ir.Value) bool {
	if x.Type != y.Type {
		return false
	}
	a, j := p.split(x)
	b, k := p.split(y)
	distance := (j - k) & facts.Mask(x.Type)
	if a == b {
		return distance != 0
	}
	// Extensions of different values differ.
	return distance == 0 && a != nil && b != nil && a.Op == b.Op && (a.Op == ir.OpSConvert || a.Op == ir.OpUConvert) &&
		a.Args[0].Type.Bits() < a.Type.Bits() && p.differ(a.Args[0], b.Args[0])
}

// split returns an integer as a value, or nil for zero, and a constant that is added to it.
func (p *places) split(v *ir.Value) (base *ir.Value, add uint64) {
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
			return p.canonical(v), add
		}
	}
}

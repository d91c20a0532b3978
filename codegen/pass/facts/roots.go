package facts

// This file finds the slices into which an address may point, and whether the kernel reads or
// writes each slice.

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Roots records the slices into which each device address of a module may point.
type Roots struct {
	m      *ir.Module
	params map[uint64]int // maps the offset of a slice in the launch block to the index of its parameter
	sets   map[*ir.Value]rootSet
	vars   map[*ir.Var]rootSet // maps a variable to the slices into which addresses in the variable may point
	access []abi.Access        // kinds of access that the kernel makes to the slice of each parameter
}

// rootSet is a set of slice parameters.
type rootSet struct {
	bits    string // one byte for each parameter, in a string so that rootSets can be compared with ==
	Unknown bool
}

// Has reports whether the set may contain the slice of parameter i.
func (s rootSet) Has(i int) bool { return s.Unknown || i < len(s.bits) && s.bits[i] != 0 }

// hasCommon reports whether s and t may contain a common slice.
func (s rootSet) hasCommon(t rootSet) bool {
	if s.Unknown || t.Unknown {
		return true
	}
	for i := range s.bits {
		if s.Has(i) && t.Has(i) {
			return true
		}
	}
	return false
}

func (s rootSet) union(t rootSet) rootSet {
	if len(t.bits) > len(s.bits) {
		s, t = t, s
	}
	u := rootSet{s.bits, s.Unknown || t.Unknown}
	for i := range t.bits {
		if t.bits[i] != 0 && s.bits[i] == 0 {
			b := []byte(u.bits)
			b[i] = 1
			u.bits = string(b)
		}
	}
	return u
}

// FindRoots computes the Roots of m. FindRoots follows addresses from the kernel's arguments to the
// memory operations.
func FindRoots(m *ir.Module) *Roots {
	r := &Roots{m: m, params: map[uint64]int{}, sets: map[*ir.Value]rootSet{}, vars: map[*ir.Var]rootSet{},
		access: make([]abi.Access, len(m.Params))}
	for i, p := range m.Params {
		if p.Kind == abi.Slice && p.Offset >= 0 {
			r.params[uint64(abi.OffsetArgs+p.Offset)] = i
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range rewrite.Bodies(m) {
			for _, b := range f.Blocks {
				for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
					for _, v := range vs {
						changed = r.visitAddr(v) || changed
					}
				}
			}
		}
	}
	for _, f := range rewrite.Bodies(m) {
		for _, b := range f.Blocks {
			for _, v := range b.Insts {
				r.recordAccess(v)
			}
		}
	}
	return r
}

// Roots.Of returns the slices into which address v may point.
func (r *Roots) Of(v *ir.Value) rootSet {
	if v.Block == nil {
		// The null address points into no slice, and a helper's parameter may point into any slice.
		return rootSet{Unknown: !v.IsConst()}
	}
	return r.sets[v]
}

// Apart reports whether the addresses v and w are known to point into different slices. Different
// slices may still overlap in memory, unless the module has NoAlias set.
func (r *Roots) Apart(v, w *ir.Value) bool { return !r.Of(v).hasCommon(r.Of(w)) }

// visitAddr updates the set of the address v, or the set of the variable to which v stores. If the
// set has changed, visitAddr returns true.
func (r *Roots) visitAddr(v *ir.Value) bool {
	if c, ok := v.Aux.(*ir.Copy); ok {
		return r.addVar(c.Dst, r.vars[c.Src])
	}
	if v.Op == ir.OpStore && v.Args[0].Type.Kind == ir.Addr {
		if x := v.Ref().Var; x != nil {
			return r.addVar(x, r.Of(v.Args[0]))
		}
		return false
	}
	if v.Type.Kind != ir.Addr {
		return false
	}
	old := r.sets[v]
	s := old
	switch v.Op {
	case ir.OpArg:
		if i, ok := r.params[v.Bits]; ok {
			b := make([]byte, i+1)
			b[i] = 1
			s = rootSet{bits: string(b)}
		} else if v.Bits >= abi.OffsetArgs && !(len(r.m.Data) > 0 && v.Bits == uint64(abi.OffsetArgs+r.m.DataOffset)) {
			s.Unknown = true // an address in the launch block that is neither a slice nor the constant data
		}
	case ir.OpAddrOf:
		s = s.union(r.Of(v.Args[0]))
	case ir.OpPhi:
		for _, a := range v.Args {
			s = s.union(r.Of(a))
		}
	case ir.OpSelect:
		s = s.union(r.Of(v.Args[1])).union(r.Of(v.Args[2]))
	case ir.OpLoad:
		if x := v.Ref().Var; x != nil && x.Storage == ir.Function {
			s = s.union(r.vars[x])
		} else {
			s.Unknown = true
		}
	default:
		s.Unknown = true
	}
	r.sets[v] = s
	return s != old
}

func (r *Roots) addVar(x *ir.Var, s rootSet) bool {
	old := r.vars[x]
	r.vars[x] = old.union(s)
	return r.vars[x] != old
}

// recordAccess records which slices the memory operation v may read or write.
func (r *Roots) recordAccess(v *ir.Value) {
	ref := v.Ref()
	if ref == nil || ref.Var != nil || v.Op == ir.OpAddrOf {
		return
	}
	var a abi.Access
	if v.Op.Has(ir.FlagReads) {
		a |= abi.Read
	}
	if v.Op.Has(ir.FlagWrites) {
		a |= abi.Write
	}
	s := r.Of(v.Path()[0])
	for i := range r.access {
		if r.m.Params[i].Kind == abi.Slice && s.Has(i) {
			r.access[i] |= a
		}
	}
}

// Access returns the kinds of access that work-items may make to the slice of parameter i.
func (r *Roots) Access(i int) abi.Access { return r.access[i] }

// NeverWritten reports whether no work-item writes to any slice into which the address v may point.
func (r *Roots) NeverWritten(v *ir.Value) bool {
	s := r.Of(v)
	if s.Unknown {
		return false
	}
	for i, a := range r.access {
		if s.Has(i) && a&abi.Write != 0 {
			return false
		}
	}
	return true
}

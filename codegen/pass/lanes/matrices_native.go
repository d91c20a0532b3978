package lanes

// This file contains the part of the pass matrices for devices with matrix hardware.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/matrix"
)

// nativeMatrices divides each matrix into parts that the matrix hardware supports. The ops on
// matrices are split later by the pass tiles, which runs after deadlanes. nativeMatrices uses the
// same tuple (a combination of sizes that the device supports) for all matrices in the same product
// or copy.
func nativeMatrices(m *ir.Module) (ds diag.List) {
	f := m.Kernel
	joined := map[*ir.Var]*ir.Var{}
	var root func(v *ir.Var) *ir.Var
	root = func(v *ir.Var) *ir.Var {
		if p := joined[v]; p != nil {
			return root(p)
		}
		return v
	}
	join := func(vs ...*ir.Var) {
		for _, v := range vs[1:] {
			if a, b := root(v), root(vs[0]); a != b {
				joined[a] = b
			}
		}
	}
	var products []*ir.Value
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if whole := wholeMatrices(v); len(whole) > 1 {
				join(whole...)
			}
			if p, ok := v.Aux.(*ir.Product); ok {
				join(p.To, p.A, p.B, p.C)
				products = append(products, v)
			}
		}
	}
	tuples := map[*ir.Var]*matrix.Tuple{}
	for _, v := range f.Vars {
		if v.Type.Matrix == nil {
			continue
		}
		r := root(v)
		if tuples[r] == nil {
			tuples[r] = tupleFor(m, products, func(x *ir.Var) bool { return root(x) == r })
		}
		t := tuples[r]
		if t == nil {
			ds.Add(diag.Matrix, diag.Pos{}, "use shapes that are multiples of the device's",
				"the device has no matrices that %v is made of", *v.Type.Matrix)
			return ds
		}
		v.Type = m.NativeMatrixOf(*v.Type.Matrix, t.Part(v.Type.Matrix.Use))
	}
	packLocals(m)
	return nil
}

// tupleFor returns the device's largest tuple that supports the given products and all matrices for
// which the function "in" returns true. A tuple lists the sizes of matrices that the matrix
// hardware multiplies. If no tuple supports all the matrices, tupleFor returns nil.
func tupleFor(m *ir.Module, products []*ir.Value, in func(v *ir.Var) bool) (best *matrix.Tuple) {
	for i := range m.Target.Tuples {
		t := &m.Target.Tuples[i]
		fits := t.Usable() && !slices.ContainsFunc(m.Kernel.Vars, func(v *ir.Var) bool {
			return v.Type.Matrix != nil && in(v) && !t.Makes(*v.Type.Matrix)
		})
		for _, v := range products {
			p := v.Aux.(*ir.Product)
			fits = fits && (!in(p.To) || p.A.Type.Matrix.Elem == t.A && p.C.Type.Matrix.Elem == t.C)
		}
		if fits && (best == nil || t.M*t.N*t.K > best.M*best.N*best.K) {
			best = t
		}
	}
	return best
}

// packLocals changes variables in work-group memory if matrices are loaded from them. After the
// change, the variables' 8-bit and 16-bit elements follow each other without gaps. packLocals
// requires that all other accesses to the variable are loads and stores of elements. Matrices in
// variables that are not packed are loaded and stored element by element.
func packLocals(m *ir.Module) {
	elems := map[*ir.Var]matrix.Elem{}
	keep := map[*ir.Var]bool{}
	var uses []*ir.Value
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			r := v.Ref()
			if r == nil || r.Var == nil || r.Var.Storage != ir.Workgroup {
				continue
			}
			x := r.Var
			uses = append(uses, v)
			switch t, ok := v.Aux.(*ir.Tile); {
			case ok:
				e := t.Matrix.Type.Matrix.Elem
				if was := elems[x]; e.Size() == 4 || was != matrix.None && was != e {
					keep[x] = true
				}
				elems[x] = e
			case v.Op == ir.OpLoad && v.Type == ir.TypeI32, v.Op == ir.OpStore && v.Args[0].Type == ir.TypeI32, v.Op == ir.OpZeroLocal:
			default:
				keep[x] = true
			}
		}
	}
	packed := map[*ir.Var]bool{}
	for x, e := range elems {
		if t, ok := packedType(m, x.Type, ir.MatrixElem(e, true)); ok && !keep[x] {
			x.Type, packed[x] = t, true
		}
	}
	for _, v := range uses {
		x := v.Ref().Var
		if !packed[x] || v.Matrices() != nil || v.Op == ir.OpZeroLocal {
			continue
		}
		t := ir.MatrixElem(elems[x], true)
		at := slices.Index(v.Block.Insts, v)
		if v.Op == ir.OpStore {
			cut := m.Kernel.NewValue(ir.OpUConvert, t, v.Args[0])
			cut.Block, cut.Pos, v.Args[0] = v.Block, v.Pos, cut
			v.Block.Insts = slices.Insert(v.Block.Insts, at, cut)
			continue
		}
		narrow := m.Kernel.NewValue(ir.OpLoad, t, v.Args...)
		narrow.Block, narrow.Pos, narrow.Aux = v.Block, v.Pos, v.Aux
		v.Block.Insts = slices.Insert(v.Block.Insts, at, narrow)
		v.Op, v.Aux, v.Args = ir.OpUConvert, nil, []*ir.Value{narrow}
		if elems[x] == matrix.Int8 {
			v.Op = ir.OpSConvert
		}
	}
}

// packedType returns the array type t with elements of type elem instead of 32-bit integers.
func packedType(m *ir.Module, t, elem *ir.Type) (*ir.Type, bool) {
	switch {
	case t == ir.TypeI32:
		return elem, true
	case t.Kind != ir.Array || t.Matrix != nil:
		return nil, false
	}
	inner, ok := packedType(m, t.Elem, elem)
	if !ok {
		return nil, false
	}
	return m.ArrayOf(inner, t.Len), true
}

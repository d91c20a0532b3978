package lanes

// This file contains the pass matrices and its code for devices without matrix hardware.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/uniform"
	"github.com/kgen-go/kgen/internal/matrix"
)

// Matrices replaces the ops on matrices by loops. Each invocation of a sub-group processes its own
// elements of a matrix. In a sub-group of n invocations, element e of invocation number id is
// element id + e*n of the matrix.
//
// For a product of matrices, an invocation also needs elements of other invocations. So in each
// step, invocations copy a few columns of A, and the same number of rows of B, to work-group
// memory. Each sub-group uses its own range of work-group memory:
//
//	to = c
//	for k from 0 to K in steps of step
//		barrier
//		shared = A[:, k:k+step], B[k:k+step, :]       each invocation stores its elements
//		barrier
//		for each of its elements [i, j] of to
//			for l from 0 to step-1                    unrolled
//				to[i, j] += A[i, k+l] * B[k+l, j].
//
// If an invocation faults, its matrix elements are missing in products of other invocations, but
// the launch fails anyway. If an invocation returns early, its matrix elements are missing in
// products of other invocations. So Matrices returns a diagnostic for an early return before an op
// on a matrix.
func Matrices(m *ir.Module) diag.List {
	f := m.Kernel
	most := 0
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if p, ok := v.Aux.(*ir.Product); ok {
				most = max(most, sharedWords(p))
			} else if v.Matrices() != nil {
				most = max(most, 1)
			}
		}
	}
	if most == 0 {
		return nil
	}
	if ds := matricesWhole(m); len(ds) > 0 {
		return ds
	}
	m.Matrices = true
	for dropMatrixCopies(f) {
	}
	switch {
	case m.Target.Host:
		return hostMatrices(m)
	case m.Target.Tuples != nil:
		return nativeMatrices(m)
	}
	x := &matrixOps{groupOps: groupOps{m: m}, homes: matrixHomes(m)}
	isElement := func(v *ir.Value) bool { r := v.Ref(); return r != nil && x.homes[r.Var] != nil }
	rewrite.WriteOut(f, func(v *ir.Value) bool { return v.Matrices() != nil || len(wholeMatrices(v)) > 0 || isElement(v) }, func(b *ir.Block, v *ir.Value) *ir.Block {
		x.startOp(b, v)
		switch a := v.Aux.(type) {
		case *ir.Product:
			x.multiply(a, most)
		case *ir.Tile:
			switch v.Op {
			case ir.OpMatrixLoad:
				x.load(a, v.Args[0], v.Path())
			case ir.OpMatrixStore:
				x.store(a, v.Args[0], v.Path())
			default:
				x.scalarOp(v)
			}
		default:
			x.scalarOp(v)
		}
		return x.b
	})
	f.Vars = slices.DeleteFunc(f.Vars, func(v *ir.Var) bool { return x.homes[v] != nil })
	return nil
}

// startOp prepares x to append the code for the op v to block b.
func (x *matrixOps) startOp(b *ir.Block, v *ir.Value) {
	x.zeroer = zeroer{m: x.m, f: b.Func, b: b, pos: v.Pos}
	x.id, x.n = x.builtIn(ir.SubgroupLocalInvocationID), x.builtIn(ir.SubgroupLocalRange)
}

// scalarOp generates the code for ops that use only the invocation's own elements. scalarOp handles
// ops that copy or zero a matrix, load or store one element, or return a matrix's number of
// elements.
func (x *matrixOps) scalarOp(v *ir.Value) {
	switch a := v.Aux.(type) {
	case *ir.Copy:
		x.eachElem(a.Dst.Type.Matrix, func(e, _, _, _ *ir.Value) { x.setElem(a.Dst, e, x.getElem(a.Src, e)) })
	case *ir.Tile: // MatrixLength
		last := x.word(ir.OpISub, x.i32(int64(a.Matrix.Type.Matrix.Len()-1)), x.id)
		x.replaceOp(v, ir.OpUDiv, nil, x.word(ir.OpIAdd, last, x.n), x.n)
	case *ir.Ref:
		if v.Op == ir.OpZero {
			x.eachElem(a.Var.Type.Matrix, func(e, _, _, _ *ir.Value) { x.setElem(a.Var, e, x.m.Const(a.Var.Type.Elem, 0)) })
			return
		}
		x.elementOp(v)
	}
}

// matricesWhole returns diagnostics for uses of matrices that not all work-items reach. The pass
// deadlanes cannot find the uses of matrices later, since loads and stores of matrices then contain
// no Sync ops. matricesWhole also diagnoses a return before a use of a matrix, since the elements
// of the returning work-items would be missing.
func matricesWhole(m *ir.Module) (ds diag.List) {
	c := m.Clone()
	c.Kernel.RemoveUnreachable()
	rewrite.SingleLatches(c.Kernel)
	rewrite.OnePred(c.Kernel)
	u := uniform.Of(c.Kernel)
	if ds := u.CheckOf(func(v *ir.Value) bool { return v.Matrices() != nil }); len(ds) > 0 {
		return ds
	}
	for _, b := range u.Returns() {
		if u.Block(b) && u.SubGroups(b.Term.Cond) {
			continue // all work-items of a sub-group return together
		}
		for _, s := range uniform.Reachable(b)[1:] {
			i := slices.IndexFunc(s.Insts, func(v *ir.Value) bool { return v.Matrices() != nil })
			if i < 0 {
				continue
			}
			use, at := s.Insts[i].Pos, b.Term.Pos
			d := ds.Add(diag.Matrix, diag.Pos{File: use.File, Line: use.Line, Col: use.Col},
				"let all work-items of a sub-group go on to it, and guard only what each does for itself",
				"this use of a matrix needs all work-items of the sub-group, which hold its elements, but some have returned")
			d.Related = append(d.Related, diag.Related{Pos: diag.Pos{File: at.File, Line: at.Line, Col: at.Col}, Message: "some work-items return here"})
			break
		}
	}
	return ds
}

// sharedColumns returns the number of columns of A that are copied to work-group memory at a time.
// The number of copied columns is at most 4 and divides the number of all columns of A.
func sharedColumns(a *matrix.Shape) int {
	n := 4
	for a.Cols%n != 0 {
		n--
	}
	return n
}

// sharedWords returns the number of 32-bit words of work-group memory that a sub-group uses
// for the product p.
func sharedWords(p *ir.Product) int {
	a, b := p.A.Type.Matrix, p.B.Type.Matrix
	return (a.Rows + b.Cols) * sharedColumns(a)
}

// matrixOps generates the code that replaces ops on matrices.
type matrixOps struct {
	groupOps
	id, n     *ir.Value // id of the invocation in its sub-group, and number of invocations of the sub-group
	sharedMem *ir.Ref   // work-group memory that passes elements between invocations
	homes     map[*ir.Var]*matrixHome
}

// matrixHome describes the memory for the elements of a large matrix, which is private memory or
// work-group memory. The specialization constant for the size of sub-groups decides whether a
// matrix uses private memory or work-group memory. Host forms (Go code that runs the kernel on the
// CPU) always use work-group memory.
type matrixHome struct {
	inGroupMem *ir.Value // condition under which work-group memory is used; nil if always
	own, all   *ir.Ref   // own is the private array; all is the work-group memory with one matrix for each sub-group
	len        int
}

// matrixHomes returns, for each large matrix, the memory that contains its elements.
func matrixHomes(m *ir.Module) map[*ir.Var]*matrixHome {
	hs := map[*ir.Var]*matrixHome{}
	for _, v := range slices.Clone(m.Kernel.Vars) {
		if v.Type.Matrix == nil {
			continue
		}
		crowded, own := m.Crowded(v.Type)
		if crowded == nil {
			continue
		}
		n := v.Type.Matrix.Len()
		all := m.NewVar(nil, ir.Workgroup, "matrix", m.OfSubGroupsIf(crowded, v.Type.Elem, n))
		all.Words, all.Shape = n, v.Type.Matrix
		hs[v] = &matrixHome{crowded, &ir.Ref{Var: m.NewVar(m.Kernel, ir.Function, v.Name, own)}, &ir.Ref{Var: all}, n}
	}
	return hs
}

// eachElem appends a loop that executes body for the invocation's elements of a matrix. The
// arguments of body are the index e among the invocation's elements, the index i in the matrix, and
// the row and column.
func (x *matrixOps) eachElem(s *matrix.Shape, body func(e, i, r, c *ir.Value)) {
	x.repeatLoop([]*ir.Value{x.i32(0), x.id}, func(vs []*ir.Value) *ir.Value {
		return x.cond(ir.OpULt, vs[1], x.i32(int64(s.Len())))
	}, func(vs []*ir.Value) []*ir.Value {
		cols := x.i32(int64(s.Cols))
		body(vs[0], vs[1], x.word(ir.OpUDiv, vs[1], cols), x.word(ir.OpUMod, vs[1], cols))
		return []*ir.Value{x.word(ir.OpIAdd, vs[0], x.i32(1)), x.word(ir.OpIAdd, vs[1], x.n)}
	})
}

// getElem loads the invocation's element e of a matrix, and setElem stores it.
func (x *matrixOps) getElem(v *ir.Var, e *ir.Value) *ir.Value {
	return x.atElem(v, e, v.Type.Elem, func(r *ir.Ref, at *ir.Value) *ir.Value {
		l := x.op(ir.OpLoad, v.Type.Elem, at)
		l.Aux = r
		return l
	})
}

func (x *matrixOps) setElem(v *ir.Var, e, y *ir.Value) {
	x.atElem(v, e, nil, func(r *ir.Ref, at *ir.Value) *ir.Value {
		x.op(ir.OpStore, ir.TypeVoid, y, at).Aux = r
		return nil
	})
}

// atElem calls accessMem with the memory that contains a matrix, and the index of the invocation's
// element e in the memory. atElem returns the result of accessMem, which has type t, or nil if t is
// nil.
func (x *matrixOps) atElem(v *ir.Var, e *ir.Value, t *ir.Type, accessMem func(r *ir.Ref, at *ir.Value) *ir.Value) *ir.Value {
	h := x.homes[v]
	if h == nil {
		return accessMem(&ir.Ref{Var: v}, e)
	}
	all := func() *ir.Value {
		at := x.word(ir.OpIAdd, x.word(ir.OpIMul, e, x.n), x.id)
		return accessMem(h.all, x.word(ir.OpIAdd, x.word(ir.OpIMul, x.builtIn(ir.SubgroupID), x.i32(int64(h.len))), at))
	}
	if h.inGroupMem == nil {
		return all()
	}
	return x.ifElse(h.inGroupMem, t, all, func() *ir.Value { return accessMem(h.own, e) })
}

// elementOp generates the code for the load or store v of an element of a large matrix.
func (x *matrixOps) elementOp(v *ir.Value) {
	m := v.Ref().Var
	if v.Op == ir.OpStore {
		x.setElem(m, v.Path()[0], v.Args[0])
		return
	}
	got := x.getElem(m, v.Path()[0])
	list := &x.b.Insts
	if got.Op == ir.OpPhi {
		list = &x.b.Phis
	}
	v.Op, v.Aux, v.Args, v.Block = got.Op, got.Aux, got.Args, x.b
	(*list)[len(*list)-1] = v // in the list, v replaces `got`
}

// elemPath returns the path to the matrix element in row r and column c, within the memory that t
// loads from or stores to.
func (x *matrixOps) elemPath(t *ir.Tile, stride *ir.Value, path []*ir.Value, r, c *ir.Value) []*ir.Value {
	if t.Columns {
		r, c = c, r
	}
	path = slices.Clone(path)
	last := &path[len(path)-1]
	wide := func(v *ir.Value) *ir.Value {
		if v.Type == ir.TypeI64 {
			return v
		}
		return x.op(ir.OpUConvert, ir.TypeI64, v)
	}
	at := x.op(ir.OpIAdd, ir.TypeI64, x.op(ir.OpIMul, ir.TypeI64, wide(r), wide(stride)), wide(c))
	if t.Mem.Var == nil {
		*last = x.op(ir.OpIAdd, ir.TypeI64, at, wide(*last))
		return path
	}
	if (*last).Type == ir.TypeI64 {
		*last = x.word(ir.OpUConvert, *last)
	}
	*last = x.word(ir.OpIAdd, x.word(ir.OpUConvert, at), *last)
	return path
}

func (x *matrixOps) load(t *ir.Tile, stride *ir.Value, path []*ir.Value) {
	s := t.Matrix.Type.Matrix
	elem := ir.MatrixElem(s.Elem, t.Mem.Var == nil)
	x.eachElem(s, func(e, _, r, c *ir.Value) {
		v := x.op(ir.OpLoad, elem, x.elemPath(t, stride, path, r, c)...)
		v.Aux = t.Mem
		if elem.Size < 4 {
			widen := ir.OpUConvert
			if s.Elem == matrix.Int8 {
				widen = ir.OpSConvert
			}
			v = x.word(widen, v)
		}
		if t.Matrix.Type.Elem == ir.TypeF32 {
			v = x.toFloat32(s.Elem, v)
		}
		x.setElem(t.Matrix, e, v)
	})
}

// toFloat32 converts the matrix element v to float32. If e is a 16-bit type, v contains the
// bits of the element.
func (x *matrixOps) toFloat32(e matrix.Elem, v *ir.Value) *ir.Value {
	switch e {
	case matrix.Float16:
		return x.op(ir.OpFFromHalf, ir.TypeF32, v)
	case matrix.BFloat16:
		return x.op(ir.OpBitcast, ir.TypeF32, x.word(ir.OpShl, v, x.i32(16)))
	}
	return v
}

func (x *matrixOps) store(t *ir.Tile, stride *ir.Value, path []*ir.Value) {
	s := t.Matrix.Type.Matrix
	elem := ir.MatrixElem(s.Elem, t.Mem.Var == nil)
	x.eachElem(s, func(e, _, r, c *ir.Value) {
		v := x.getElem(t.Matrix, e)
		if elem.Size < 4 {
			v = x.op(ir.OpUConvert, elem, v)
		}
		x.op(ir.OpStore, ir.TypeVoid, append([]*ir.Value{v}, x.elemPath(t, stride, path, r, c)...)...).Aux = t.Mem
	})
}

// groupMem returns a variable in work-group memory. maxWords is the variable's
// number of 32-bit words for each sub-group.
func (x *matrixOps) groupMem(maxWords int) *ir.Ref {
	if x.sharedMem == nil {
		x.sharedMem = &ir.Ref{Var: x.m.NewVar(nil, ir.Workgroup, "matrices", x.m.OfSubGroups(ir.TypeI32, maxWords))}
		x.sharedMem.Var.Words = maxWords
	}
	return x.sharedMem
}

func (x *matrixOps) multiply(p *ir.Product, maxWords int) {
	a, b, c := p.A.Type.Matrix, p.B.Type.Matrix, p.C.Type.Matrix
	step := sharedColumns(a)
	words := x.groupMem(maxWords)
	base := x.word(ir.OpIMul, x.builtIn(ir.SubgroupID), x.i32(int64(maxWords)))
	baseB := x.word(ir.OpIAdd, base, x.i32(int64(a.Rows*step)))
	put := func(at, v *ir.Value) {
		if v.Type != ir.TypeI32 {
			v = x.word(ir.OpBitcast, v)
		}
		x.op(ir.OpStore, ir.TypeVoid, v, at).Aux = words
	}
	take := func(at *ir.Value, t *ir.Type) *ir.Value {
		v := x.word(ir.OpLoad, at)
		v.Aux = words
		if t != ir.TypeI32 {
			v = x.op(ir.OpBitcast, t, v)
		}
		return v
	}
	if p.To != p.C {
		x.eachElem(c, func(e, _, _, _ *ir.Value) { x.setElem(p.To, e, x.getElem(p.C, e)) })
	}
	x.repeatLoop([]*ir.Value{x.i32(0)}, func(vs []*ir.Value) *ir.Value {
		return x.cond(ir.OpULt, vs[0], x.i32(int64(a.Cols)))
	}, func(vs []*ir.Value) []*ir.Value {
		k := vs[0]
		x.subBarrier()
		x.eachElem(a, func(e, _, r, c *ir.Value) {
			l := x.word(ir.OpISub, c, k)
			x.ifThen(x.cond(ir.OpULt, l, x.i32(int64(step))), nil, func() *ir.Value {
				put(x.word(ir.OpIAdd, base, x.word(ir.OpIAdd, x.word(ir.OpIMul, r, x.i32(int64(step))), l)), x.getElem(p.A, e))
				return nil
			})
		})
		x.eachElem(b, func(e, _, r, c *ir.Value) {
			l := x.word(ir.OpISub, r, k)
			x.ifThen(x.cond(ir.OpULt, l, x.i32(int64(step))), nil, func() *ir.Value {
				put(x.word(ir.OpIAdd, baseB, x.word(ir.OpIAdd, x.word(ir.OpIMul, l, x.i32(int64(b.Cols))), c)), x.getElem(p.B, e))
				return nil
			})
		})
		x.subBarrier()
		x.eachElem(c, func(e, _, i, j *ir.Value) {
			atA := x.word(ir.OpIAdd, base, x.word(ir.OpIMul, i, x.i32(int64(step))))
			atB := x.word(ir.OpIAdd, baseB, j)
			sum := x.getElem(p.To, e)
			for l := range step {
				y := take(x.word(ir.OpIAdd, atA, x.i32(int64(l))), p.A.Type.Elem)
				z := take(x.word(ir.OpIAdd, atB, x.i32(int64(l*b.Cols))), p.B.Type.Elem)
				sum = x.plusProduct(c.Elem, sum, y, z)
			}
			x.setElem(p.To, e, sum)
		})
		return []*ir.Value{x.word(ir.OpIAdd, k, x.i32(int64(step)))}
	})
}

// plusProduct returns sum + y*z for an accumulator with elements of type e. The product y*z is
// rounded before the addition.
func (x *matrixOps) plusProduct(e matrix.Elem, sum, y, z *ir.Value) *ir.Value {
	f32 := func(op ir.Op, args ...*ir.Value) *ir.Value { return x.op(op, ir.TypeF32, args...) }
	switch e {
	case matrix.Float32:
		return f32(ir.OpFAdd, sum, f32(ir.OpFMul, y, z))
	case matrix.Float16:
		return x.word(ir.OpFToHalf, f32(ir.OpFAdd, f32(ir.OpFFromHalf, sum), f32(ir.OpFMul, y, z)))
	}
	return x.word(ir.OpIAdd, sum, x.word(ir.OpIMul, y, z))
}

package lanes

// This file contains the pass tiles, for devices with matrix hardware.

import (
	"math/bits"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Tiles splits loads, stores and products of matrices into operations on parts that the matrix
// hardware supports. A part can only be loaded directly if its address and stride are multiples of
// 16 bytes. If a row has fewer than 16 bytes, the address and stride only need to be multiples of
// the row's size. If the address or stride is not aligned, the elements of the part are copied to
// work-group memory first:
//
//	if all(aligned)                            over the sub-group, with one address and stride
//		load part 0, load part 1, …
//	else
//		for each part
//			barrier
//			staging = memory, element by element
//			barrier
//			load the part from staging.
//
// A negative stride means that a sub-group has no live lanes. With a negative stride, a sub-group
// does not access the memory (see deadlanes). Tiles runs before structurize. Tiles runs after
// deadlanes, since not all work-items of a work-group reach the branches that Tiles adds.
func Tiles(m *ir.Module, r *facts.Result) diag.List {
	if m.Target.Tuples == nil {
		return nil
	}
	f := m.Kernel
	x := &tileOps{matrixOps: matrixOps{groupOps: groupOps{m: m}}, result: r, staging: map[*ir.Type]*ir.Ref{}, maxElems: map[*ir.Type]int{}}
	whole := func(v *ir.Value) bool {
		t, ok := v.Aux.(*ir.Tile)
		p, isProduct := v.Aux.(*ir.Product)
		return ok && t.Part == 0 && v.Op != ir.OpMatrixLength || isProduct && p.Parts == [3]int{}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if t, ok := v.Aux.(*ir.Tile); ok {
				e := ir.MatrixElem(t.Matrix.Type.Matrix.Elem, true)
				x.maxElems[e] = max(x.maxElems[e], t.Matrix.Type.Part[0]*t.Matrix.Type.Part[1])
			}
		}
	}
	rewrite.WriteOut(f, whole, func(b *ir.Block, v *ir.Value) *ir.Block {
		x.zeroer = zeroer{m: m, f: f, b: b, pos: v.Pos}
		if p, ok := v.Aux.(*ir.Product); ok {
			x.productOp(p)
		} else {
			x.loadStore(v)
		}
		return x.b
	})
	return nil
}

// tileOps generates the code that replaces loads, stores and products of matrices.
type tileOps struct {
	matrixOps
	result *facts.Result
	// The map staging contains one variable in work-group memory for each element type. maxElems
	// maps an element type to the number of elements that the type's variable contains for each
	// sub-group.
	staging  map[*ir.Type]*ir.Ref
	maxElems map[*ir.Type]int
}

// productOp generates the code for the product p. The code multiplies rows of parts of A by columns
// of parts of B.
func (x *tileOps) productOp(p *ir.Product) {
	rows, cols := p.To.Type.Parts()
	_, inner := p.A.Type.Parts()
	for i := range rows {
		for j := range cols {
			c := p.C
			for k := range inner {
				x.op(ir.OpMatrixMulAdd, ir.TypeVoid).Aux = &ir.Product{To: p.To, A: p.A, B: p.B, C: c,
					Parts: [3]int{1 + i*inner + k, 1 + k*cols + j, 1 + i*cols + j}}
				c = p.To
			}
		}
	}
}

// loadStore generates the code for the load or store v of a matrix.
func (x *tileOps) loadStore(v *ir.Value) {
	stride := v.Args[0]
	if v.Args[0].Op != ir.OpSelect || !v.Args[0].Args[2].IsConst() || v.Args[0].Args[2].Int() >= 0 {
		x.accessParts(v, stride)
		return
	}
	x.ifThen(stride.Args[0], nil, func() *ir.Value { // the condition is whether some lane is live
		x.accessParts(v, stride.Args[1])
		return nil
	})
}

// accessParts generates the code for the load or store v of a matrix if the stride is not
// negative.
func (x *tileOps) accessParts(v *ir.Value, stride *ir.Value) {
	t := v.Aux.(*ir.Tile)
	direct := func() *ir.Value {
		x.eachPart(t, func(part, row, col int) {
			x.partOp(v.Op, t, part, t.Mem, t.Columns, stride, x.partStart(t, stride, v.Path(), row, col))
		})
		return nil
	}
	staged := func() *ir.Value {
		x.eachPart(t, func(part, row, col int) { x.stagePart(v, t, part, stride, row, col) })
		return nil
	}
	cond, ok := x.alignedCond(t, stride, v.Path())
	switch {
	case !ok:
		x.result.Tile(v, facts.TileStaged)
		staged()
	case cond == nil:
		x.result.Tile(v, facts.TileDirect)
		direct()
	default:
		x.result.Tile(v, facts.TileTested)
		all := x.op(ir.OpGroupAll, ir.TypeBool, cond)
		all.Aux = ir.ScopeSubGroup
		x.ifElse(all, direct, staged)
	}
}

// ifElse appends a branch on cond. If cond is true, the branch executes the code of the function
// "yes", and otherwise the code of the function "no".
func (x *tileOps) ifElse(cond *ir.Value, yes, no func() *ir.Value) {
	then, other, join := x.f.NewBlock(), x.f.NewBlock(), x.f.NewBlock()
	x.b.Branch(cond, then, other)
	x.b = then
	yes()
	x.b.Jump(join)
	x.b = other
	no()
	x.b.Jump(join)
	x.b = join
}

// eachPart calls visitPart for each part of a matrix, with the part's number, counted from 1,
// and its first row and column.
func (x *tileOps) eachPart(t *ir.Tile, visitPart func(part, row, col int)) {
	rows, cols := t.Matrix.Type.Parts()
	size := t.Matrix.Type.Part
	for i := range rows {
		for j := range cols {
			visitPart(1+i*cols+j, i*size[0], j*size[1])
		}
	}
}

// partStart returns the path in memory to the matrix element in the given constant row and column.
func (x *tileOps) partStart(t *ir.Tile, stride *ir.Value, path []*ir.Value, row, col int) []*ir.Value {
	if row == 0 && col == 0 {
		return path
	}
	return x.elemPath(t, stride, path, x.i32(int64(row)), x.i32(int64(col)))
}

// partOp appends an op that loads or stores one part of a matrix. The argument path selects the
// part's first element in memory.
func (x *tileOps) partOp(op ir.Op, t *ir.Tile, part int, mem *ir.Ref, columns bool, stride *ir.Value, path []*ir.Value) {
	x.op(op, ir.TypeVoid, append([]*ir.Value{stride}, path...)...).Aux = &ir.Tile{Matrix: t.Matrix, Mem: mem, Columns: columns, Part: part}
}

// alignedCond returns the condition under which the matrix hardware can access the memory directly.
// The condition is nil if the hardware can always access the memory directly. If direct access is
// impossible or the alignment is unknown, alignedCond returns false.
func (x *tileOps) alignedCond(t *ir.Tile, stride *ir.Value, path []*ir.Value) (cond *ir.Value, ok bool) {
	s := t.Matrix.Type.Matrix
	size, line := s.Elem.Size(), t.Matrix.Type.Part[1]
	if t.Columns {
		line = t.Matrix.Type.Part[0]
	}
	word := func(v *ir.Value) *ir.Value {
		if v.Type == ir.TypeI32 {
			return v
		}
		return x.word(ir.OpUConvert, v)
	}
	device := t.Mem.Var == nil
	if device && len(path) != 2 || !device && (len(path) != 1 || ir.MatrixElem(s.Elem, true) != t.Mem.Var.Type.Elem) {
		return nil, false
	}
	align := min(16, line*size)
	last := path[len(path)-1]
	if need := bits.TrailingZeros(uint(align / size)); !device && stride.IsConst() {
		switch {
		case stride.Int()%int64(align/size) != 0 || stride.Int() < int64(line) || stride.Int() >= 1<<30:
			return nil, false
		case last.IsConst() || facts.LowZeros(last) >= need:
			return nil, facts.LowZeros(last) >= need
		}
	}
	at := x.word(ir.OpIMul, word(last), x.i32(int64(size)))
	if device {
		at = x.word(ir.OpIAdd, at, x.word(ir.OpLow, path[0]))
	}
	both := x.word(ir.OpOr, at, x.word(ir.OpIMul, word(stride), x.i32(int64(size))))
	fits := x.cond(ir.OpIEq, x.word(ir.OpAnd, both, x.i32(int64(align-1))), x.i32(0))
	// A stride must fit in 32 bits for the matrix hardware, and must be at least a row's length so
	// that rows do not overlap.
	of := stride.Type
	long := x.op(ir.OpISub, of, stride, x.m.Int(of, int64(line)))
	return x.op(ir.OpLAnd, ir.TypeBool, fits, x.cond(ir.OpULt, long, x.m.Int(of, 1<<30))), true
}

// stagePart generates the code that loads or stores one part of a matrix through work-group
// memory.
func (x *tileOps) stagePart(v *ir.Value, t *ir.Tile, part int, stride *ir.Value, row, col int) {
	s, size := t.Matrix.Type.Matrix, t.Matrix.Type.Part
	elem := ir.MatrixElem(s.Elem, true)
	mem := x.stagingOf(elem)
	base := x.word(ir.OpIMul, x.builtIn(ir.SubgroupID), x.i32(int64(x.maxElems[elem])))
	id, n := x.builtIn(ir.SubgroupLocalInvocationID), x.builtIn(ir.SubgroupLocalRange)
	// eachElem appends a loop that executes body for the invocation's elements of the part.
	each := func(body func(at *ir.Value, place []*ir.Value)) {
		x.repeatLoop([]*ir.Value{id}, func(vs []*ir.Value) *ir.Value {
			return x.cond(ir.OpULt, vs[0], x.i32(int64(size[0]*size[1])))
		}, func(vs []*ir.Value) []*ir.Value {
			cols := x.i32(int64(size[1]))
			r, c := x.word(ir.OpUDiv, vs[0], cols), x.word(ir.OpUMod, vs[0], cols)
			place := x.elemPath(t, stride, v.Path(), x.word(ir.OpIAdd, r, x.i32(int64(row))), x.word(ir.OpIAdd, c, x.i32(int64(col))))
			body(x.word(ir.OpIAdd, base, vs[0]), place)
			return []*ir.Value{x.word(ir.OpIAdd, vs[0], n)}
		})
	}
	own := ir.MatrixElem(s.Elem, t.Mem.Var == nil || t.Mem.Var.Packed()) // type of the elements in the kernel's memory
	load := func(from *ir.Ref, t *ir.Type, path ...*ir.Value) *ir.Value {
		l := x.op(ir.OpLoad, t, path...)
		l.Aux = from
		return l
	}
	convert := func(y *ir.Value, to *ir.Type) *ir.Value {
		if y.Type == to {
			return y
		}
		return x.op(ir.OpUConvert, to, y)
	}
	store := func(to *ir.Ref, y *ir.Value, path ...*ir.Value) {
		x.op(ir.OpStore, ir.TypeVoid, append([]*ir.Value{y}, path...)...).Aux = to
	}
	x.subBarrier()
	if v.Op == ir.OpMatrixLoad {
		each(func(at *ir.Value, place []*ir.Value) { store(mem, convert(load(t.Mem, own, place...), elem), at) })
	} else {
		x.partOp(v.Op, t, part, mem, false, x.i32(int64(size[1])), []*ir.Value{base})
	}
	x.subBarrier()
	if v.Op == ir.OpMatrixLoad {
		x.partOp(v.Op, t, part, mem, false, x.i32(int64(size[1])), []*ir.Value{base})
	} else {
		each(func(at *ir.Value, place []*ir.Value) { store(t.Mem, convert(load(mem, elem, at), own), place...) })
	}
}

// stagingOf returns the variable in work-group memory for parts with elements of type elem.
func (x *tileOps) stagingOf(elem *ir.Type) *ir.Ref {
	if x.staging[elem] == nil {
		v := x.m.NewVar(nil, ir.Workgroup, "staging", x.m.OfSubGroups(elem, x.maxElems[elem]))
		v.Words = x.maxElems[elem]
		x.staging[elem] = &ir.Ref{Var: v}
	}
	return x.staging[elem]
}

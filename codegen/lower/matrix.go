package lower

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/internal/matrix"
)

// This file lowers the matrices of package dsl. In IR, a matrix is a variable of the type that
// ir.MatrixOf returns. Each load, store and product of whole matrices becomes one op. All other
// operations are lowered to loops over elements.

func init() {
	for name, use := range map[string]matrix.Use{"LoadA": matrix.A, "LoadB": matrix.B, "LoadAccumulator": matrix.Accumulator} {
		add(dslPath+"."+name, func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
			s, ok := l.matrixShape(use, fn.TypeArgs()[0], in.Pos())
			if !ok || !l.ofSubGroup(in, args[0]) || !l.reportUnfit(in, s.CheckMemory(elemName(fn.TypeArgs()[1]))) {
				return badVal{}
			}
			to := l.newMatrix(s)
			if !l.accessTile(in, ir.OpMatrixLoad, to, s, args[1:], fn.TypeArgs()[1]) {
				return badVal{}
			}
			return array{mem{v: to}}
		})
	}
	add(dslPath+".StoreAccumulator", func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
		s, ok := l.matrixShape(matrix.Accumulator, fn.TypeArgs()[0], in.Pos())
		from := matrixIn(args[1])
		if ok && from != nil && l.ofSubGroup(in, args[0]) && l.reportUnfit(in, s.CheckMemory(elemName(fn.TypeArgs()[1]))) {
			l.accessTile(in, ir.OpMatrixStore, from, s, args[2:], fn.TypeArgs()[1])
		}
		return nil
	})
	add(dslPath+".MulAdd", func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
		var shapes [3]matrix.Shape
		for i, use := range []matrix.Use{matrix.A, matrix.B, matrix.Accumulator} {
			var ok bool
			if shapes[i], ok = l.matrixShape(use, fn.TypeArgs()[i], in.Pos()); !ok {
				return badVal{}
			}
		}
		a, b, c := matrixIn(args[1]), matrixIn(args[2]), matrixIn(args[3])
		if !l.ofSubGroup(in, args[0]) || !l.reportUnfit(in, matrix.Product(shapes[0], shapes[1], shapes[2])) || a == nil || b == nil || c == nil {
			return badVal{}
		}
		to := l.newMatrix(shapes[2])
		l.op(ir.OpMatrixMulAdd, ir.TypeVoid).Aux = &ir.Product{To: to, A: a, B: b, C: c}
		return array{mem{v: to}}
	})
	add(dslPath+".Fill", accumulator(1, 1, func(_ *lowerer, _ *ssa.Call, _ types.Type, args []val, _ []*ir.Value) val { return args[0] }))
	add(dslPath+".Scale", accumulator(1, 2, func(l *lowerer, in *ssa.Call, t types.Type, args []val, xs []*ir.Value) val {
		y, ok := args[1].(*ir.Value)
		if !ok {
			return badVal{}
		}
		return l.lowerArith(in, token.MUL, "Mul", xs[0], y, t)
	}))
	add(dslPath+".Add", accumulator(-1, 2, func(l *lowerer, in *ssa.Call, t types.Type, _ []val, xs []*ir.Value) val {
		return l.lowerArith(in, token.ADD, "Add", xs[0], xs[1], t)
	}))
	add(dslPath+".MapAccumulator", accumulator(1, 2, func(l *lowerer, in *ssa.Call, _ types.Type, args []val, xs []*ir.Value) val {
		f, ok := args[1].(function)
		switch {
		case !ok || f.fn == nil:
			l.errorf(diag.DynamicCall, in.Pos(), "pass a function or a function literal", "which function this call of dsl.MapAccumulator is given is not known when the kernel is generated")
			return badVal{}
		case changesCaptured(f.fn):
			l.errorf(diag.Matrix, in.Pos(), "compute the new element of the old one alone, and combine elements in work-group memory",
				"the function given to dsl.MapAccumulator changes a variable outside of it: in which order it gets the elements is not known")
			return badVal{}
		}
		return l.inlineCall(f.fn, []val{xs[0]}, f.bindings, in.Pos())
	}))
	add(dslPath+".ElementCount", func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
		if _, ok := l.matrixShape(matrix.Accumulator, fn.TypeArgs()[0], in.Pos()); !ok || !l.ofSubGroup(in, args[0]) || matrixIn(args[1]) == nil {
			return badVal{}
		}
		return l.toInt(l.heldOf(matrixIn(args[1])))
	})
	add(dslPath+".Element", func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
		s, ok := l.matrixShape(matrix.Accumulator, fn.TypeArgs()[1], in.Pos())
		i, ok2 := args[2].(*ir.Value)
		from := matrixIn(args[1])
		if !ok || !ok2 || from == nil || !l.ofSubGroup(in, args[0]) || !l.reportUnfit(in, s.CheckValue(elemName(fn.TypeArgs()[0]))) {
			return badVal{}
		}
		i = l.checkIndex(i, in.Call.Args[2].Type(), l.toInt(l.heldOf(from)))
		return l.loadElement(from, l.toI32(i))
	})
}

// accumulator returns the intrinsic for a function that computes each element of an accumulator
// matrix separately. If the function has a scalar parameter, elem is the index of the type argument
// for the scalar's type. If the function has no scalar parameter, elem is negative. The other type
// arguments describe the matrix shape. The arguments of function f are the scalar arguments, and
// the current element of each accumulator argument.
func accumulator(elem, args int, f func(l *lowerer, in *ssa.Call, t types.Type, args []val, xs []*ir.Value) val) intrinsic {
	return func(l *lowerer, in *ssa.Call, fn *ssa.Function, all []val) val {
		shape := fn.TypeArgs()[0]
		s, ok := l.matrixShape(matrix.Accumulator, shape, in.Pos())
		if !ok || !l.ofSubGroup(in, all[0]) || elem >= 0 && !l.reportUnfit(in, s.CheckValue(elemName(fn.TypeArgs()[elem]))) {
			return badVal{}
		}
		var from []*ir.Var
		for _, a := range all[1 : 1+args] {
			if isBad(a) {
				return badVal{}
			}
			if m := matrixIn(a); m != nil {
				from = append(from, m)
			}
		}
		l.barrier(ir.ScopeSubGroup) // all work-items of the sub-group execute the call together
		to, ok := l.newMatrix(s), true
		l.eachHeld(to, func(e *ir.Value) {
			var xs []*ir.Value
			for _, m := range from {
				xs = append(xs, l.loadElement(m, e))
			}
			y, isValue := f(l, in, shapeElem(shape), all[1:], xs).(*ir.Value)
			if ok = isValue; ok {
				l.op(ir.OpStore, ir.TypeVoid, y, e).Aux = &ir.Ref{Var: to}
			}
		})
		if !ok {
			return badVal{}
		}
		return array{mem{v: to}}
	}
}

// matrixIn returns the variable of a matrix value, or nil.
func matrixIn(v val) *ir.Var {
	if a, ok := v.(array); ok && a.at.v != nil && a.at.v.Type.Matrix != nil {
		return a.at.v
	}
	return nil
}

// matrixTypes are the names of package dsl's matrix types.
var matrixTypes = map[matrix.Use]string{matrix.A: "MatrixA", matrix.B: "MatrixB", matrix.Accumulator: "Accumulator"}

// isMatrix reports whether t is a matrix type.
func isMatrix(t types.Type) bool { return isDSL(t, "MatrixA", "MatrixB", "Accumulator") }

// matrixType returns the type of variables of Go type t, a matrix type.
func (l *lowerer) matrixType(t types.Type) (*ir.Type, bool) {
	for use, name := range matrixTypes {
		if isDSL(t, name) {
			s, ok := l.matrixShape(use, types.Unalias(t).(*types.Named).TypeArgs().At(0), l.pos)
			if !ok {
				return nil, false
			}
			return l.m.MatrixOf(s), true
		}
	}
	return nil, false
}

// matrixShape returns the matrix shape that the array type t describes.
func (l *lowerer) matrixShape(use matrix.Use, t types.Type, at token.Pos) (s matrix.Shape, ok bool) {
	problem := matrix.NoShape(use, plainName(t))
	if rows, isArray := t.Underlying().(*types.Array); isArray {
		if cols, isArray := rows.Elem().Underlying().(*types.Array); isArray {
			elem := elemName(cols.Elem())
			s = matrix.Shape{Use: use, Rows: int(min(rows.Len(), 1<<30)), Cols: int(min(cols.Len(), 1<<30)), Elem: matrix.ElemNamed(elem)}
			problem = s.Check(elem)
		}
	}
	if problem.Text != "" {
		l.errorf(diag.Matrix, at, problem.Hint, "%s", problem.Text)
		return s, false
	}
	if l.k.Form != abi.NDRange {
		l.errorf(diag.WrongForm, at, "make the kernel's item a dsl.NDItem1..3", "only nd-range kernels have matrices, since only their work-items are in sub-groups")
		return s, false
	}
	return s, true
}

func shapeElem(shape types.Type) types.Type {
	return shape.Underlying().(*types.Array).Elem().Underlying().(*types.Array).Elem()
}

// elemName returns the name that package matrix uses for a Go type.
func elemName(t types.Type) string {
	if h := gotypes.Half(t); h != "" {
		return "half." + h
	}
	if b, ok := types.Unalias(t).(*types.Basic); ok {
		return types.Typ[b.Kind()].Name() // the predeclared name, for example uint8 for byte
	}
	return plainName(t)
}

func plainName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// reportUnfit reports an error with the text p, unless p is empty. reportUnfit returns whether p is
// empty.
func (l *lowerer) reportUnfit(in *ssa.Call, p matrix.Problem) bool {
	if p.Text != "" {
		l.errorf(diag.Matrix, in.Pos(), p.Hint, "%s", p.Text)
	}
	return p.Text == ""
}

// ofSubGroup reports whether the group g is a sub-group. If g is a work-group, ofSubGroup reports
// an error.
func (l *lowerer) ofSubGroup(in *ssa.Call, g val) bool {
	_, ok := g.(subGroup)
	if _, isGroup := g.(group); isGroup {
		l.errorf(diag.Matrix, in.Pos(), "pass it.SubGroup(), and give each sub-group a part of the matrix", "matrices are of sub-groups, and this is a work-group")
	}
	return ok
}

// copyMatrix emits a copy of a matrix from one variable to another.
func (l *lowerer) copyMatrix(to, from mem) {
	l.op(ir.OpCopyVar, ir.TypeVoid).Aux = &ir.Copy{Dst: to.v, Src: from.v}
}

func (l *lowerer) newMatrix(s matrix.Shape) *ir.Var {
	return l.m.NewVar(l.f, ir.Function, "matrix", l.m.MatrixOf(s))
}

// heldOf returns, as an i32, the number of matrix elements that the current work-item holds.
func (l *lowerer) heldOf(m *ir.Var) *ir.Value {
	n := l.op(ir.OpMatrixLength, ir.TypeI32)
	n.Aux = &ir.Tile{Matrix: m}
	return n
}

func (l *lowerer) loadElement(m *ir.Var, e *ir.Value) *ir.Value {
	v := l.op(ir.OpLoad, m.Type.Elem, e)
	v.Aux = &ir.Ref{Var: m}
	return v
}

// eachHeld emits a loop over the matrix elements that the current work-item holds. The function
// `body` emits the code for one element.
func (l *lowerer) eachHeld(m *ir.Var, body func(e *ir.Value)) {
	n := l.heldOf(m)
	before := l.b
	l.emitLoop(n, func(e *ir.Value) {
		l.heads[before.Term.Succs[0]] = true
		body(e)
	})
}

// lowerArith returns x op y for elements of type t. If t is a type of package half, lowerArith
// calls the method of t that has the given name.
func (l *lowerer) lowerArith(in *ssa.Call, op token.Token, method string, x, y *ir.Value, t types.Type) val {
	switch {
	case gotypes.Half(t) != "":
		return l.inlineCall(load.HalfMethod(l.prog.SSA, t, method), []val{x, y}, nil, in.Pos())
	case gotypes.IsFloat(t) && op == token.MUL:
		return l.op(ir.OpFMul, x.Type, x, y)
	case gotypes.IsFloat(t):
		return l.op(ir.OpFAdd, x.Type, x, y)
	}
	return l.intOp(op, x, y, t)
}

// accessTile lowers the load or store of a whole matrix. The slice "args" holds the memory, the
// stride and the layout.
func (l *lowerer) accessTile(in *ssa.Call, op ir.Op, m *ir.Var, s matrix.Shape, args []val, elem types.Type) bool {
	mem, ok := args[0].(slice)
	stride, ok2 := args[1].(*ir.Value)
	layout, ok3 := args[2].(*ir.Value)
	switch {
	case isBad(args[0]) || !ok2 || !ok3:
		return false
	case !ok:
		l.errorf(diag.MixedPointers, in.Pos(), "use one slice, or call it in a branch for each that all work-items take together",
			"which of several slices this is depends on data")
		return false
	case !mem.at.device() && mem.at.v.Storage != ir.Workgroup:
		l.errorf(diag.Matrix, in.Pos(), "keep the elements in work-group memory, such as dsl.Local", "the work-items of a sub-group do not share this memory, which each has for itself")
		return false
	case !layout.IsConst() || layout.Int() != 0 && layout.Int() != 1:
		l.errorf(diag.Matrix, in.Pos(), "pass dsl.RowMajor or dsl.ColumnMajor", "the layout of a matrix must be known when the kernel is generated")
		return false
	}
	columns := layout.Int() == 1
	lines, length := s.Rows, s.Cols
	if columns {
		lines, length = length, lines
	}
	i64 := func(n int) *ir.Value { return l.m.Int(ir.TypeI64, int64(n)) }
	fits := l.op(ir.OpULe, ir.TypeBool, stride, l.m.Int(ir.TypeI64, matrix.MaxStride))
	if op == ir.OpMatrixStore && lines > 1 {
		fits = l.op(ir.OpLAnd, ir.TypeBool, fits, l.op(ir.OpSLe, ir.TypeBool, i64(length), stride))
	}
	l.emitCheck(fits, abi.FaultPanic, nil, nil, abi.PlainMessage(matrix.BadStride))
	last := l.op(ir.OpIAdd, ir.TypeI64, l.op(ir.OpIMul, ir.TypeI64, i64(lines-1), stride), i64(length-1))
	l.checkIndex(last, types.Typ[types.Int], mem.len)
	at := mem.at.atIndex(i64(0))
	if !mem.at.device() {
		at = mem.at.atIndex(l.toI32(mem.off))
	} else {
		l.noteStorage(ir.MatrixElem(s.Elem, true))
	}
	if op == ir.OpMatrixStore {
		l.readonly.recordWrite(at)
	}
	v := l.op(op, ir.TypeVoid, append([]*ir.Value{stride}, at.args()...)...)
	v.Aux = &ir.Tile{Matrix: m, Mem: at.auxRef(), Columns: columns}
	return true
}

// changesCaptured reports whether a function literal may change a variable of the enclosing
// function.
func changesCaptured(fn *ssa.Function) bool {
	for _, v := range fn.FreeVars {
		for _, use := range *v.Referrers() {
			switch use := use.(type) {
			case *ssa.DebugRef:
			case *ssa.UnOp:
				if use.Op != token.MUL {
					return true
				}
			case *ssa.FieldAddr, *ssa.IndexAddr:
				for _, deep := range *use.(ssa.Value).Referrers() {
					load, ok := deep.(*ssa.UnOp)
					if _, named := deep.(*ssa.DebugRef); !named && (!ok || load.Op != token.MUL) {
						return true
					}
				}
			default:
				if _, isPointer := v.Type().Underlying().(*types.Pointer); isPointer {
					return true
				}
			}
		}
	}
	return false
}

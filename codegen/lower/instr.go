package lower

// This file lowers single instructions of go/ssa.

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

// lowerInstr lowers one instruction.
func (l *lowerer) lowerInstr(in ssa.Instruction) {
	f := l.frame
	f.cur = in
	switch in.(type) {
	case *ssa.Store, *ssa.Panic:
		if v, u, ok := l.resolved(in); ok {
			l.eachAlt(u, nil, func(alt val) val {
				return l.withOperand(v, alt, func() val { l.lowerInstr(in); return nil })
			})
			return
		}
	}
	switch in := in.(type) {
	case *ssa.DebugRef:
	case *ssa.Defer:
		l.deferCall(f, in)
	case *ssa.RunDefers:
		l.runDefers(f)
	case *ssa.Phi:
		l.setValue(f, in, l.phi(f, in))
	case *ssa.Store:
		if l.throughNil(in) {
			return
		}
		if p, ok := l.valueOf(in.Addr).(pointer); ok {
			r, x := l.deref(p), l.valueOf(in.Val)
			l.storesOld(r, x)
			l.checkOutlives(r, x)
			l.storeAs(r, x, in)
		} else if _, ok := l.valueOf(in.Addr).(specConst); ok {
			l.errorf(diag.SpecDecl, in.Pos(), "set its value with runtime.WithSpec or runtime.SetSpec", "a kernel cannot set a specialization constant")
		}
	case *ssa.Jump:
		l.b.Jump(l.edgeTo(f, in.Block(), 0))
		l.startDead()
	case *ssa.If:
		l.lowerBranch(f, in)
	case *ssa.Return:
		l.ret(f, in)
	case *ssa.Panic:
		if !l.panicsInRange(in) {
			l.lowerPanic(in.X)
		}
	case ssa.Value:
		if f.late[in] == nil {
			l.setValue(f, in, l.foresight.withFolded(l.lowerValue(in)))
		}
	default:
		l.errorf(diag.Type, in.Pos(), "write it in another way", "kernels cannot have this statement (%T)", in)
	}
}

// lowerBranch lowers a conditional jump. If the condition is constant, lowerBranch emits a jump to
// the target that the condition selects.
func (l *lowerer) lowerBranch(f *frame, in *ssa.If) {
	cond, ok := l.valueOf(in.Cond).(*ir.Value)
	if !ok {
		cond = l.opaqueScalar(ir.TypeBool)
	}
	b := l.b
	if cond.IsConst() {
		b.Jump(l.edgeTo(f, in.Block(), 1-int(cond.Bits)))
		l.startDead()
		return
	}
	yes, no := l.edgeTo(f, in.Block(), 0), l.edgeTo(f, in.Block(), 1)
	if yes == no {
		b.Jump(yes)
	} else {
		b.Branch(cond, yes, no)
	}
	b.Term.Pos = l.irPos(l.condPos(in.Cond))
	l.startDead()
}

// condPos returns the source position of a condition. For a range over a number, the condition has
// no position, so condPos returns the position of the limit.
func (w *builder) condPos(cond ssa.Value) token.Pos {
	if c, ok := cond.(*ssa.BinOp); ok && !c.Pos().IsValid() {
		if p := c.Y.Pos(); p.IsValid() {
			return p
		}
	}
	return w.pos
}

func (l *lowerer) ret(f *frame, in *ssa.Return) {
	t := tuple{}
	for _, r := range in.Results {
		t.elems = append(t.elems, l.valueOf(r))
		l.returnsPrivate(f, l.valueOf(r))
	}
	if f.single {
		f.retVal = l.unwrap(t, f.fn.Signature.Results())
	} else {
		if l.foresight.carried.folds {
			f.recordReturn(t)
		}
		l.storeCell(f.result, t)
	}
	if f.caller == nil {
		// Each return statement becomes a separate IR return. A single return block for all return
		// statements would hide early returns from later passes.
		l.b.SetTerm(ir.Term{Kind: ir.Return, Early: in.Pos().IsValid()})
	} else {
		l.b.SetTerm(ir.Term{Kind: ir.Jump, Succs: []*ir.Block{f.ret}, Early: in.Pos().IsValid()})
	}
	l.startDead()
}

func (l *lowerer) phi(f *frame, in *ssa.Phi) val {
	c := f.phis[in]
	if c == nil { // no edge to the phi's block has been lowered
		return l.zeroValue(in.Type())
	}
	if l.foresight.carried.folds && naturalLoop(in.Block()) == nil { // all edges to this block have been lowered, because the block is not the head of a loop
		switch {
		case c.onlyConst != nil:
			return c.onlyConst
		case c.edges == 1:
			return c.edge
		}
	}
	return l.loadCell(c)
}

// valueOf returns the lowered value of operand v.
func (l *lowerer) valueOf(v ssa.Value) val {
	if x, ok := l.frame.as[v]; ok {
		return x
	}
	switch v := v.(type) {
	case *ssa.Const:
		return l.constant(v)
	case *ssa.Function:
		return function{fn: v}
	case *ssa.Builtin:
		return function{builtin: v}
	case *ssa.Global:
		return l.globalPointer(v)
	}
	if a := l.frame.late[v]; a != nil {
		return l.getLate(v, a)
	}
	if c := l.frame.outVar(v); c != nil {
		return l.loadCell(c)
	}
	x, ok := l.frame.vals[v]
	if !ok && l.foresight.cut {
		return badVal{}
	} else if !ok {
		// The operand is defined in code excluded by a constant condition.
		return l.zeroValue(v.Type())
	}
	return x
}

func (l *lowerer) constant(c *ssa.Const) val {
	t := c.Type()
	if c.Value == nil {
		return l.zeroValue(t)
	}
	switch {
	case gotypes.IsComplex(t):
		part := regType(gotypes.Fields(t)[0])
		re, _ := constant.Float64Val(constant.Real(c.Value))
		im, _ := constant.Float64Val(constant.Imag(c.Value))
		return tuple{[]val{l.float(part, re), l.float(part, im)}}
	case gotypes.IsString(t):
		return str{constant.StringVal(c.Value)}
	case gotypes.IsBoolean(t):
		return l.m.Bool(constant.BoolVal(c.Value))
	case gotypes.IsFloat(t):
		if regType(t) == ir.TypeF32 {
			x, _ := constant.Float32Val(c.Value)
			return l.float(ir.TypeF32, float64(x))
		}
		x, _ := constant.Float64Val(c.Value)
		return l.float(ir.TypeF64, x)
	case gotypes.IsInteger(t):
		if gotypes.IsUnsigned(t) {
			return l.m.Const(regType(t), c.Uint64())
		}
		return l.m.Int(regType(t), c.Int64())
	}
	return l.reportLost(t)
}

// lowerValue lowers an instruction that has a result.
func (l *lowerer) lowerValue(in ssa.Value) val {
	if in, ok := in.(ssa.Instruction); ok && !passesOn(in.(ssa.Value)) && l.usesBad(in) {
		return badVal{}
	}
	if v, u, ok := l.resolved(in.(ssa.Instruction)); ok {
		if x, ok := l.partAddr(in, u); ok {
			return x
		}
		return l.eachAlt(u, in.Type(), func(alt val) val {
			return l.withOperand(v, alt, func() val { return l.lowerValue(in) })
		})
	}
	if l.throughNil(in.(ssa.Instruction)) {
		return l.zeroValue(in.Type())
	}
	switch in := in.(type) {
	case *ssa.BinOp:
		return l.binOp(in)
	case *ssa.UnOp:
		return l.unOp(in)
	case *ssa.Convert:
		if _, ok := load.Reinterpreted(in); ok || load.OnlyReinterpreted(in) {
			return l.valueOf(in.X)
		}
		if t, ok := l.valueOf(in.X).(dynText); ok && onlyLooked(in) {
			return l.textBytes(t)
		}
		if w, ok := l.valueOf(in.X).(bytesView); ok && onlyLooked(in) {
			return l.lookAt(in, w)
		}
		return l.lowerConvert(l.valueOf(in.X), in.X.Type(), in.Type())
	case *ssa.MultiConvert:
		return l.lowerConvert(l.valueOf(in.X), in.X.Type(), in.Type())
	case *ssa.ChangeType:
		return l.valueOf(in.X)
	case *ssa.Call:
		return l.callInstr(in)
	case *ssa.Alloc:
		return l.lowerAlloc(in)
	case *ssa.FieldAddr:
		return l.fieldAddr(in)
	case *ssa.Field:
		if t, ok := l.valueOf(in.X).(tuple); ok {
			return t.elems[in.Field]
		}
	case *ssa.IndexAddr:
		return l.indexAddr(in)
	case *ssa.Index:
		return l.lowerIndex(in)
	case *ssa.Slice:
		return l.lowerSlice(in)
	case *ssa.Extract:
		if t, ok := l.valueOf(in.Tuple).(tuple); ok && in.Index < len(t.elems) {
			return t.elems[in.Index]
		}
	case *ssa.MakeClosure:
		f := function{fn: in.Fn.(*ssa.Function)}
		for _, b := range in.Bindings {
			f.bindings = append(f.bindings, l.valueOf(b))
		}
		return f
	case *ssa.MakeInterface:
		return iface{typ: in.X.Type(), v: l.valueOf(in.X)}
	case *ssa.ChangeInterface:
		return l.valueOf(in.X)
	case *ssa.TypeAssert:
		return l.typeAssert(in)
	case *ssa.MakeSlice:
		return l.makeSlice(in)
	case *ssa.Range:
		return l.rangeString(in)
	case *ssa.Next:
		return l.nextRune(in)
	case *ssa.SliceToArrayPointer:
		return l.sliceToArray(in)
	}
	return l.unsupported(in)
}

// unsupported reports a value that is not supported by kernels, and was not reported by package
// check.
func (r *reporter) unsupported(in ssa.Value) val {
	switch in.(type) {
	case *ssa.Next: // an error has been reported for the Range instruction of this Next
	default:
		code, hint := badType(in.Type())
		r.errorf(code, in.Pos(), hint, "kernels cannot have this expression (%T) of type %v", in, in.Type())
	}
	return badVal{}
}

// lowerAlloc makes the variable of a go/ssa Alloc. The variable is zeroed at its declaration.
func (l *lowerer) lowerAlloc(in *ssa.Alloc) val {
	c := l.cellOf(l.frame, in)
	c.setPending(false)
	c.setBorn(l.foresight.advanceClock())
	if iterationOf(in) != nil && !l.frame.inRound(in.Block()) {
		return pointer{ref: c}
	}
	l.zeroCell(c)
	return pointer{ref: c}
}

// cellOf returns the cell of the variable that a go/ssa Alloc declares.
func (l *lowerer) cellOf(f *frame, in *ssa.Alloc) *cell {
	c := f.allocs[in]
	if first := iterationOf(in); c == nil && first != nil && !f.inRound(in.Block()) {
		c = l.cellOf(f, first)
		f.allocs[in] = c
	}
	if c == nil {
		inst := l.foresight.pathOf(f.path, in)
		if c = l.foresight.declared[inst]; c == nil {
			t := in.Type().Underlying().(*types.Pointer).Elem()
			l.quiet = l.k.Unsound && types.Identical(t, l.k.Type) // errors in the receiver's fields are reported by package load
			name := in.Comment
			if madeUp[name] {
				name = cmp.Or(sourceNameOf(in), name)
			}
			c = l.newCell(t, name)
			l.quiet = false
			l.setInst(c, inst)
		}
		decl := lastInstance(in)
		c.recordDecl(frameBlock{f, decl.Block(), l.alternatives.in}, decl)
		c.anew = f.inRound(in.Block()) || f.firstOfRounds(in)
		init := initStores(in) != nil
		if c.once = c.anew && c.cls == classScalar && init; l.foresight.carried.folds && init && decl == in {
			c.setOnce() // the condition `decl == in` excludes variables of three-part for statements, which every iteration changes
		}
		l.setKey(c, in)
		f.allocs[in] = c
	}
	return c
}

// sliceToArray lowers (*[N]T)(s).
func (l *lowerer) sliceToArray(in *ssa.SliceToArrayPointer) val {
	s, ok := l.valueOf(in.X).(slice)
	if !ok {
		return l.reportLost(in.Type())
	}
	at := in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	n := l.m.Int(ir.TypeI64, at.Len())
	l.emitCheck(l.op(ir.OpULe, ir.TypeBool, n, s.len), abi.FaultSliceToArray,
		func() *ir.Value { return n }, func() *ir.Value { return s.len }, "")
	if s.at.device() {
		return pointer{ref: mem{addr: s.at.addr, elem: l.memType(at, true), path: []*ir.Value{l.m.Int(ir.TypeI32, 0)}}}
	}
	return pointer{ref: innerArray{s, at}}
}

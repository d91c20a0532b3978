package lower

// This file lowers panics.

import (
	"go/constant"
	"go/token"
	"go/types"
	"runtime"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// nilPanicText is gc's text for panic(nil).
var nilPanicText = new(runtime.PanicNilError).Error()

// lowerPanic lowers a call panic(x).
func (l *lowerer) lowerPanic(x ssa.Value) {
	i, ok := l.valueOf(x).(iface)
	switch {
	case !ok || i.typ == nil:
		l.panicsWith(nilPanicText)
	default:
		l.panicOf(i)
	}
	l.startDead()
}

// rangeEnded is the text of go/ssa's panic if the body of a range-over-func loop is called after
// the loop has ended. gc prints the text rangeDone if the body has ended the loop, for example by a
// break statement. gc prints the text rangeExhausted if the loop has ended without a jump out of
// its body.
const (
	rangeEnded     = "yield function called after range loop exit"
	rangeDone      = "runtime error: range function continued iteration after function for loop body returned false"
	rangeExhausted = "runtime error: range function continued iteration after whole loop exit"
)

// panicsInRange lowers the panic that go/ssa inserts in the body of a range-over-func loop. For
// other panics, panicsInRange returns false.
func (l *lowerer) panicsInRange(in *ssa.Panic) bool {
	m, ok := in.X.(*ssa.MakeInterface)
	if !ok || in.Parent().Synthetic == "" || len(in.Block().Preds) != 1 {
		return false
	}
	c, ok := m.X.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String || constant.StringVal(c.Value) != rangeEnded {
		return false
	}
	if loop := in.Parent().Syntax(); loop != nil {
		l.pos = loop.Pos()
	}
	before := in.Block().Preds[0].Instrs
	if br, ok := before[len(before)-1].(*ssa.If); ok {
		if eq, ok := br.Cond.(*ssa.BinOp); ok {
			if state, ok := l.valueOf(eq.X).(*ir.Value); ok {
				const exhausted = -2 // value of go/ssa's state variable after the loop has ended
				l.emitCheck(l.op(ir.OpINe, ir.TypeBool, state, l.m.Int(state.Type, exhausted)), abi.FaultPanic, nil, nil, rangeExhausted)
			}
		}
	}
	l.panicsWith(rangeDone)
	l.startDead()
	return true
}

func (l *lowerer) panicsWith(text string) {
	if text == divideText {
		l.emitFault(abi.FaultDivide, nil, nil, "")
		return
	}
	l.emitFault(abi.FaultPanic, nil, nil, abi.PlainMessage(text))
}

// panicOf emits a panic of value i with the same text as gc. The text is the result of the value's
// Error or String method, or the value itself. Unless the value's type is predeclared, gc writes
// the type's name around the text. For values without a text, gc writes the type and an address.
// panicOf omits the address.
func (l *lowerer) panicOf(i iface) {
	if own, has := l.ownText(i); has {
		switch own := own.(type) {
		case str:
			l.panicsWith(own.s)
		case dynText:
			l.panicWith(abi.PanicString, "", "", own.off, own.n)
		default:
			l.panicsWith("value of type " + reflectName(i.typ))
		}
		return
	}
	before, after := "", ""
	if _, predeclared := types.Unalias(i.typ).(*types.Basic); !predeclared {
		before, after = reflectName(i.typ)+"(", ")"
		if gotypes.IsString(i.typ) {
			before, after = before+`"`, `"`+after
		} else if gotypes.IsComplex(i.typ) {
			before, after = reflectName(i.typ), ""
		}
	}
	switch v := i.v.(type) {
	case str:
		l.panicsWith(before + v.s + after)
	case dynText:
		l.panicWith(abi.PanicString, before, after, v.off, v.n)
	case tuple:
		if gotypes.IsComplex(i.typ) {
			verb := abi.PanicComplex
			if regType(gotypes.Fields(i.typ)[0]) == ir.TypeF32 {
				verb = abi.PanicComplex64
			}
			l.panicWith(verb, before, after, v.elems[0].(*ir.Value), v.elems[1].(*ir.Value))
			return
		}
		l.panicsWith("(" + reflectName(i.typ) + ")")
	case *ir.Value:
		l.panicWith(panicVerb(i.typ), before, after, v, nil)
	case bytesView:
		l.panicsWith("value of type " + reflectName(i.typ))
	default:
		l.panicsWith("(" + reflectName(i.typ) + ")")
	}
}

func panicVerb(t types.Type) abi.PanicVerb {
	switch {
	case gotypes.IsBoolean(t):
		return abi.PanicBool
	case gotypes.IsFloat(t) && regType(t) == ir.TypeF32:
		return abi.PanicFloat32
	case gotypes.IsFloat(t):
		return abi.PanicFloat64
	case gotypes.IsUnsigned(t):
		return abi.PanicUint
	}
	return abi.PanicInt
}

// panicWith emits a panic with a text that contains up to two values, a and b.
func (l *lowerer) panicWith(verb abi.PanicVerb, before, after string, a, b *ir.Value) {
	table := ""
	if verb == abi.PanicString {
		table = l.tables.texts.all
	}
	message := abi.PanicMessage(verb, before, after, table)
	if verb != abi.PanicString && a.IsConst() && (b == nil || b.IsConst()) {
		n, m := l.panicBits(a, verb), l.m.Int(ir.TypeI64, 0)
		if b != nil {
			m = l.panicBits(b, verb)
		}
		l.panicsWith(abi.PanicText(message, n.Int(), m.Int()))
		return
	}
	get := func(v *ir.Value) func() *ir.Value {
		if v == nil {
			return nil
		}
		return func() *ir.Value { return l.panicBits(v, verb) }
	}
	l.emitFault(abi.FaultPanic, get(a), get(b), message)
}

// panicBits encodes v for a fault record, as a value of a panic text.
func (w *builder) panicBits(v *ir.Value, verb abi.PanicVerb) *ir.Value {
	if v.IsConst() && verb == abi.PanicInt {
		return w.m.Int(ir.TypeI64, v.Int())
	} else if v.IsConst() {
		return w.m.Const(ir.TypeI64, v.Bits)
	}
	switch v.Type {
	case ir.TypeBool:
		return w.op(ir.OpSelect, ir.TypeI64, v, w.m.Int(ir.TypeI64, 1), w.m.Int(ir.TypeI64, 0))
	case ir.TypeF32:
		return w.op(ir.OpUConvert, ir.TypeI64, w.op(ir.OpBitcast, ir.TypeI32, v))
	case ir.TypeF64:
		return w.op(ir.OpBitcast, ir.TypeI64, v)
	}
	if verb == abi.PanicUint {
		return w.toI64(v, types.Typ[types.Uint32])
	}
	return w.toI64(v, types.Typ[types.Int32])
}

// ownText returns the text from a value's Error or String method. The second result of ownText
// tells whether the value has an Error or String method. If the method does not just select one of
// several constant texts, the first result is nil.
func (l *lowerer) ownText(i iface) (val, bool) {
	for _, name := range []string{"Error", "String"} {
		sel := types.NewMethodSet(i.typ).Lookup(nil, name)
		if sel == nil {
			continue
		}
		sig := sel.Type().(*types.Signature)
		if sig.Params().Len() != 0 || sig.Results().Len() != 1 || !types.Identical(sig.Results().At(0).Type(), types.Typ[types.String]) {
			continue
		}
		fn := l.prog.SSA.MethodValue(sel)
		if fn == nil || !onlyLooks(fn, 0) {
			return nil, true
		}
		return l.inlineCall(fn, []val{i.v}, nil, l.pos), true
	}
	return nil, false
}

// maxLooks bounds the depth of calls in an Error or String method that is evaluated for a panic's
// text.
const maxLooks = 4

// onlyLooks reports whether fn computes its result without loops, without side effects and without
// new strings.
func onlyLooks(fn *ssa.Function, depth int) bool {
	if len(fn.Blocks) == 0 || depth > maxLooks {
		return false
	}
	for _, b := range fn.Blocks {
		if naturalLoop(b) != nil {
			return false
		}
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.DebugRef, *ssa.Return, *ssa.Alloc, *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Phi, *ssa.Jump, *ssa.If, *ssa.ChangeType, *ssa.Extract:
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					return false
				}
			case *ssa.BinOp:
				if in.Op == token.ADD && gotypes.IsString(in.Type()) {
					return false
				}
			case *ssa.Convert:
				if gotypes.IsString(in.Type()) || gotypes.IsString(in.X.Type()) {
					return false
				}
			case *ssa.Store:
				if _, own := in.Addr.(*ssa.Alloc); !own {
					return false
				}
			case *ssa.Call:
				if callee := in.Call.StaticCallee(); callee == nil || !onlyLooks(callee, depth+1) {
					if b, ok := in.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" {
						return false
					}
				}
			default:
				return false
			}
		}
	}
	return true
}

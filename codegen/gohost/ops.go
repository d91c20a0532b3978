package gohost

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// exprWriters maps an op to the function that returns the op's Go expression. The Go expression of
// a float operation contains a conversion to the op's type, so that gc does not fuse the operation
// with another operation.
var exprWriters map[ir.Op]func(w *regionBody, v *ir.Value) string

func init() {
	exprWriters = map[ir.Op]func(w *regionBody, v *ir.Value) string{
		ir.OpIAdd: binary("+"), ir.OpISub: binary("-"), ir.OpIMul: binary("*"), ir.OpSDiv: quotientExpr,
		ir.OpAnd: binary("&"), ir.OpOr: binary("|"), ir.OpXor: binary("^"),
		ir.OpUDiv: unsigned("/"), ir.OpUMod: unsigned("%"),
		ir.OpUMulHi: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("int32(uint64(%s) * uint64(%s) >> 32)", w.unsignedExpr(v.Args[0]), w.unsignedExpr(v.Args[1]))
		},
		ir.OpNot:  func(w *regionBody, v *ir.Value) string { return "^" + w.valueExpr(v.Args[0]) },
		ir.OpShl:  func(w *regionBody, v *ir.Value) string { return w.valueExpr(v.Args[0]) + " << " + w.shiftCount(v) },
		ir.OpShrA: func(w *regionBody, v *ir.Value) string { return w.valueExpr(v.Args[0]) + " >> " + w.shiftCount(v) },
		ir.OpShrL: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("%s(%s >> %s)", goType(v.Type), w.unsignedExpr(v.Args[0]), w.shiftCount(v))
		},
		ir.OpBitCount: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("int32(%s(%s))", w.importedName("math/bits", "OnesCount32"), w.unsignedExpr(v.Args[0]))
		},
		ir.OpBitReverse: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("int32(%s(%s))", w.importedName("math/bits", "Reverse32"), w.unsignedExpr(v.Args[0]))
		},
		ir.OpFindLsb: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("%s(%s)", w.implName("HostFindLsb"), w.unsignedExpr(v.Args[0]))
		},
		ir.OpFindUMsb: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("int32(%s(%s)) - 1", w.importedName("math/bits", "Len32"), w.unsignedExpr(v.Args[0]))
		},

		ir.OpFAdd: rounded("+"), ir.OpFSub: rounded("-"), ir.OpFMul: rounded("*"), ir.OpFDiv: rounded("/"),
		ir.OpFNegate: func(w *regionBody, v *ir.Value) string { return "-" + w.valueExpr(v.Args[0]) },
		ir.OpFma: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("%s(%s*%s + %s)", goType(v.Type), w.valueExpr(v.Args[0]), w.valueExpr(v.Args[1]), w.valueExpr(v.Args[2]))
		},
		ir.OpFmaOnce: func(w *regionBody, v *ir.Value) string {
			f := w.importedName("math", "FMA")
			if v.Type == ir.TypeF32 {
				f = w.importedName(math32Path, "FastFMA")
			}
			return fmt.Sprintf("%s(%s, %s, %s)", f, w.valueExpr(v.Args[0]), w.valueExpr(v.Args[1]), w.valueExpr(v.Args[2]))
		},
		ir.OpFAbs:       func(w *regionBody, v *ir.Value) string { return viaFloat64(w, v, "Abs") },
		ir.OpFSqrt:      func(w *regionBody, v *ir.Value) string { return viaFloat64(w, v, "Sqrt") },
		ir.OpFFloor:     func(w *regionBody, v *ir.Value) string { return viaFloat64(w, v, "Floor") },
		ir.OpFCeil:      func(w *regionBody, v *ir.Value) string { return viaFloat64(w, v, "Ceil") },
		ir.OpFTrunc:     func(w *regionBody, v *ir.Value) string { return viaFloat64(w, v, "Trunc") },
		ir.OpFRoundEven: func(w *regionBody, v *ir.Value) string { return viaFloat64(w, v, "RoundToEven") },
		ir.OpFSin:       fastCall("FastSin"), ir.OpFCos: fastCall("FastCos"), ir.OpFTan: fastCall("FastTan"), ir.OpFExp: fastCall("FastExp"),
		ir.OpFExp2: fastCall("FastExp2"), ir.OpFLog: fastCall("FastLog"), ir.OpFLog2: fastCall("FastLog2"), ir.OpFPow: fastCall("FastPow"),
		ir.OpFRsqrt: fastCall("FastRsqrt"), ir.OpFInvSqrt: fastCall("Rsqrt"),

		ir.OpIEq: binary("=="), ir.OpINe: binary("!="), ir.OpSLt: binary("<"), ir.OpSLe: binary("<="),
		ir.OpULt: compareUnsigned("<"), ir.OpULe: compareUnsigned("<="),
		ir.OpFEq: binary("=="), ir.OpFNe: binary("!="), ir.OpFLt: binary("<"), ir.OpFLe: binary("<="),
		ir.OpAddrIsNull: func(w *regionBody, v *ir.Value) string {
			return w.baseExpr(v.Args[0]) + " == nil"
		},
		ir.OpLAnd: binary("&&"), ir.OpLOr: binary("||"), ir.OpLEq: binary("=="), ir.OpLNe: binary("!="),
		ir.OpLNot: func(w *regionBody, v *ir.Value) string { return "!" + w.valueExpr(v.Args[0]) },

		ir.OpSConvert: convert, ir.OpFConvert: convert, ir.OpSToF: convert, ir.OpFToS: convert,
		ir.OpUConvert: func(w *regionBody, v *ir.Value) string {
			if id, ok := wideID(v); ok { // the id is computed as an int, so the conversion is not needed
				return "int64" + strings.TrimPrefix(w.builtIn(id), "int32")
			}
			return fmt.Sprintf("%s(%s)", goType(v.Type), w.unsignedExpr(v.Args[0]))
		},
		ir.OpUToNear: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("%s(%s)", goType(v.Type), w.unsignedExpr(v.Args[0]))
		},
		ir.OpUToF: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("%s(%s)", goType(v.Type), w.unsignedExpr(v.Args[0]))
		},
		ir.OpFToU: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("%s(u%s(%s))", goType(v.Type), goType(v.Type), w.valueExpr(v.Args[0]))
		},
		ir.OpFFromHalf: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("%s(%s).Float32()", w.importedName(halfPath, "Float16"), withoutParens(w.valueExpr(v.Args[0])))
		},
		ir.OpFToHalf: func(w *regionBody, v *ir.Value) string {
			t := w.importedName(halfPath, "Float16")
			return fmt.Sprintf("int32(%s[%s](%s))", w.importedName(halfPath, "FromFloat32"), t, withoutParens(w.valueExpr(v.Args[0])))
		},
		ir.OpHalfDiv:      bitcast,
		ir.OpHalfSqrt:     bitcast,
		ir.OpHalfFma:      bitcast,
		ir.OpSDot:         bitcast,
		ir.OpUDot:         bitcast,
		ir.OpSUDot:        bitcast,
		ir.OpSDotAccSat:   bitcast,
		ir.OpUDotAccSat:   bitcast,
		ir.OpSUDotAccSat:  bitcast,
		ir.OpBitcast:      bitcast,
		ir.OpBuiltIn:      func(w *regionBody, v *ir.Value) string { return w.builtIn(v.Aux.(ir.BuiltIn)) },
		ir.OpGroupUniform: func(w *regionBody, v *ir.Value) string { return w.convertedExpr(v.Args[0], v) },
		ir.OpAddrOf: func(w *regionBody, v *ir.Value) string {
			if w.roots[v] == dynamic {
				return fmt.Sprintf("%s{Base: %s, Off: %s}", w.implName("HostAddr"), w.baseExpr(v.Args[0]), w.distanceExpr(v))
			}
			return w.distanceExpr(v)
		},
		ir.OpLoad: func(w *regionBody, v *ir.Value) string {
			return fmt.Sprintf("*(*%s)(%s)", goType(v.Type), w.locationExpr(v))
		},
	}
}

func binary(op string) func(w *regionBody, v *ir.Value) string {
	return func(w *regionBody, v *ir.Value) string {
		return w.operandExpr(v, 0) + " " + op + " " + w.operandExpr(v, 1)
	}
}

// quotientExpr returns the Go expression of a division. For a signed division by a constant, gc
// generates additional code for negative dividends. If the dividend is an id, quotientExpr converts
// the dividend to an unsigned type, because ids are not negative.
func quotientExpr(w *regionBody, v *ir.Value) string {
	x, y := v.Args[0], v.Args[1]
	if l, ok := w.shape(x); y.IsConst() && y.Int() > 0 && (x.Op == ir.OpBuiltIn || ok && l.lo >= 0) && !w.opaque {
		return unsigned("/")(w, v)
	}
	return binary("/")(w, v)
}

func rounded(op string) func(w *regionBody, v *ir.Value) string {
	return func(w *regionBody, v *ir.Value) string {
		return fmt.Sprintf("%s(%s %s %s)", goType(v.Type), w.operandExpr(v, 0), op, w.operandExpr(v, 1))
	}
}

func unsigned(op string) func(w *regionBody, v *ir.Value) string {
	return func(w *regionBody, v *ir.Value) string {
		return fmt.Sprintf("%s(%s %s %s)", goType(v.Type), w.magnitudeExpr(v, 0), op, w.magnitudeExpr(v, 1))
	}
}

func compareUnsigned(op string) func(w *regionBody, v *ir.Value) string {
	return func(w *regionBody, v *ir.Value) string {
		return w.magnitudeExpr(v, 0) + " " + op + " " + w.magnitudeExpr(v, 1)
	}
}

func convert(w *regionBody, v *ir.Value) string {
	return fmt.Sprintf("%s(%s)", goType(v.Type), withoutParens(w.valueExpr(v.Args[0])))
}

// viaFloat64 returns a call of a function of package math. viaFloat64 converts a float32 argument
// to float64, and converts the result of the call back to float32.
func viaFloat64(w *regionBody, v *ir.Value, name string) string {
	f := w.importedName("math", name)
	if v.Type == ir.TypeF64 {
		return fmt.Sprintf("%s(%s)", f, withoutParens(w.valueExpr(v.Args[0])))
	}
	return fmt.Sprintf("%s(%s(float64(%s)))", goType(v.Type), f, withoutParens(w.valueExpr(v.Args[0])))
}

// fastCall returns a function that returns the code of a call of package math32.
func fastCall(name string) func(w *regionBody, v *ir.Value) string {
	return func(w *regionBody, v *ir.Value) string {
		f := w.importedName(math32Path, name)
		if len(v.Args) == 2 {
			return fmt.Sprintf("%s(%s, %s)", f, w.valueExpr(v.Args[0]), w.valueExpr(v.Args[1]))
		}
		return fmt.Sprintf("%s(%s)", f, withoutParens(w.valueExpr(v.Args[0])))
	}
}

func bitcast(w *regionBody, v *ir.Value) string {
	x := v.Args[0]
	switch from, to := x.Type, v.Type; {
	case from == to:
		return w.valueExpr(x)
	case from == ir.TypeF32 && to == ir.TypeI32:
		return fmt.Sprintf("int32(%s(%s))", w.importedName("math", "Float32bits"), w.valueExpr(x))
	case from == ir.TypeI32 && to == ir.TypeF32:
		return fmt.Sprintf("%s(%s)", w.importedName("math", "Float32frombits"), w.unsignedExpr(x))
	case from == ir.TypeF64 && to == ir.TypeI64:
		return fmt.Sprintf("int64(%s(%s))", w.importedName("math", "Float64bits"), w.valueExpr(x))
	case from == ir.TypeI64 && to == ir.TypeF64:
		return fmt.Sprintf("%s(%s)", w.importedName("math", "Float64frombits"), w.unsignedExpr(x))
	case from == ir.TypeAddr && to == ir.TypeI64: // the conversion is for comparisons with other addresses
		return fmt.Sprintf("int64(uintptr(%s)) + int64(%s)", w.baseExpr(x), w.offsetExpr(x))
	}
	fail("a %v as %v", x.Type, v.Type)
	return ""
}

// plainExpr returns the Go expression of v, without outer parentheses. If v is a constant, the
// expression is an untyped Go constant, whose type depends on the context.
func (w *regionBody) plainExpr(v *ir.Value) string {
	if v.IsConst() && !w.opaque {
		return w.untypedConst(v)
	}
	return withoutParens(w.valueExpr(v))
}

// operandExpr returns the Go expression of argument i of a binary op. A constant argument becomes
// an untyped Go constant if the other argument is not constant.
func (w *regionBody) operandExpr(v *ir.Value, i int) string {
	if a := v.Args[i]; a.IsConst() && !v.Args[1-i].IsConst() && !w.opaque {
		return w.untypedConst(a)
	}
	return w.valueExpr(v.Args[i])
}

// unsignedExpr returns the Go expression of v converted to an unsigned type.
func (w *regionBody) unsignedExpr(v *ir.Value) string {
	if v.IsConst() && !w.opaque {
		return fmt.Sprintf("u%s(%d)", goType(v.Type), v.Bits)
	}
	return fmt.Sprintf("u%s(%s)", goType(v.Type), withoutParens(w.valueExpr(v)))
}

// magnitudeExpr returns the Go expression of argument i of a binary op, converted to an unsigned type.
func (w *regionBody) magnitudeExpr(v *ir.Value, i int) string {
	if a := v.Args[i]; a.IsConst() && !v.Args[1-i].IsConst() && !w.opaque {
		return fmt.Sprint(a.Bits)
	}
	return w.unsignedExpr(v.Args[i])
}

// shiftCount returns the Go expression of a shift count, masked to less than the width. Because of
// the mask, gc omits the check whether the count is less than the width.
func (w *regionBody) shiftCount(v *ir.Value) string {
	c := v.Args[1]
	if c.IsConst() {
		return fmt.Sprint(c.Bits)
	}
	return fmt.Sprintf("(%s & %d)", w.unsignedExpr(c), c.Type.Bits()-1)
}

// defineValue writes the statements that compute v.
func (w *regionBody) defineValue(b *bytes.Buffer, v *ir.Value, declare bool) {
	s := w.v(v)
	is := "="
	if declare {
		is = ":="
	}
	if mm, ok := w.minmax[v]; ok {
		x, y := w.valueExpr(mm.x), w.valueExpr(mm.y)
		fmt.Fprintf(b, "%s %s %s(%s, %s)\n", s, is, mm.name, x, y)
		return
	}
	if v.Op == ir.OpSelect {
		c, x, y := withoutParens(w.valueExpr(v.Args[0])), w.assignedExpr(v.Args[1], v), w.assignedExpr(v.Args[2], v)
		if declare {
			y = withoutParens(w.convertedExpr(v.Args[2], v))
		}
		fmt.Fprintf(b, "%s %s %s\nif %s {\n%s = %s\n}\n", s, is, y, c, s, x)
		return
	}
	if v.Op.Has(ir.FlagAtomic) {
		w.writeAtomic(b, v, s+" "+is+" ")
		return
	}
	expr, ok := exprWriters[v.Op]
	if !ok {
		fail("the op %v", v.Op)
	}
	w.opaque = isGoConstant(v)
	fmt.Fprintf(b, "%s %s %s\n", s, is, expr(w, v))
	w.opaque = false
}

// isGoConstant reports whether the expression of v would be a constant expression in Go. gc
// evaluates constant expressions exactly, and rejects overflows and divisions by zero.
func isGoConstant(v *ir.Value) bool {
	if !v.Op.Has(ir.FlagPure) || v.Ref() != nil || len(v.Args) == 0 {
		return false
	}
	if d := v.Args[len(v.Args)-1]; (v.Op == ir.OpSDiv || v.Op == ir.OpUDiv || v.Op == ir.OpUMod) && d.IsConst() && d.Bits == 0 {
		return true
	}
	return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !a.IsConst() })
}

// convertedExpr returns the Go expression of v, converted to the Go type of the value in parameter
// to. The Go types of v and to can differ only if the values are addresses.
func (w *regionBody) convertedExpr(v, to *ir.Value) string {
	if v.Type.Kind != ir.Addr {
		return w.valueExpr(v)
	}
	switch {
	case w.roots[to] != dynamic:
		return w.offsetExpr(v)
	case w.rootName(v) == dynamic:
		return w.valueExpr(v)
	}
	return fmt.Sprintf("%s{Base: %s, Off: %s}", w.implName("HostAddr"), w.baseExpr(v), w.offsetExpr(v))
}

// assignedExpr returns the Go expression of v for an assignment to the Go variable of the value in
// parameter to.
func (w *regionBody) assignedExpr(v, to *ir.Value) string {
	if v.Type.Kind != ir.Addr {
		return w.plainExpr(v)
	}
	return withoutParens(w.convertedExpr(v, to))
}

// writeEffect writes the statement of an op without a result.
func (w *regionBody) writeEffect(b *bytes.Buffer, v *ir.Value) {
	switch v.Op {
	case ir.OpStore:
		to, from := fmt.Sprintf("*(*%s)(%s)", goType(v.Args[0].Type), w.locationExpr(v)), w.plainExpr(v.Args[0])
		if to == from {
			to = "_" // go vet rejects self-assignments, but the address must still be used, because Go rejects unused variables
		}
		fmt.Fprintf(b, "%s = %s\n", to, from)
	case ir.OpZero:
		w.zero(b, v.Ref().Var)
	case ir.OpCopyVar:
		c := v.Aux.(*ir.Copy)
		if n := w.memory[c.Dst].size; n > 0 {
			fmt.Fprintf(b, "*(*[%d]byte)(%s) = *(*[%d]byte)(%s)\n", n, w.variableExpr(c.Dst), n, w.variableExpr(c.Src))
			return
		}
		fail("a copy of memory whose size is no constant")
	case ir.OpFault:
		args := v.Args
		for len(args) > 2 && args[len(args)-1].IsConst() && args[len(args)-1].Bits == 0 { // the call of Fault omits trailing zeros
			args = args[:len(args)-1]
		}
		fmt.Fprintf(b, "g.Fault(%d", w.siteIndex(v.Aux.(*ir.Site)))
		for _, a := range args {
			fmt.Fprintf(b, ", %s", w.plainExpr(a))
		}
		b.WriteString(")\n")
	default:
		if !v.Op.Has(ir.FlagAtomic) {
			fail("the op %v", v.Op)
		}
		w.writeAtomic(b, v, "")
	}
}

func (w *regionBody) zero(b *bytes.Buffer, v *ir.Var) {
	m := w.memory[v]
	if m.count != nil {
		fmt.Fprintf(b, "clear(unsafe.Slice((*byte)(%s), int(%s)*%d))\n", w.variableExpr(v), w.valueExpr(m.count), m.elem)
	} else if m.size > 0 {
		fmt.Fprintf(b, "*(*[%d]byte)(%s) = [%d]byte{}\n", m.size, w.variableExpr(v), m.size)
	}
}

// siteIndex returns the index of a fault site in the host form's table of sites. If the table of
// sites does not contain the fault site, siteIndex adds the site.
func (w *formWriter) siteIndex(s *ir.Site) int {
	for i, t := range w.sites {
		if t == s {
			return i
		}
	}
	w.sites = append(w.sites, s)
	return len(w.sites) - 1
}

// builtIn returns the Go expression that reads a SPIR-V built-in variable.
func (w *regionBody) builtIn(b ir.BuiltIn) string {
	counter := func(d int) string {
		if d >= max(w.m.Rank, 1) {
			return ""
		}
		if w.m.Rank <= 1 && !w.isRanged() {
			return "li"
		}
		*[]*bool{&w.x, &w.y, &w.z}[d] = true
		return string("xyz"[d])
	}
	switch {
	case b <= ir.GlobalInvocationIDZ:
		d := int(b - ir.GlobalInvocationIDX)
		c := counter(d)
		if c == "" {
			return "int32(0)"
		}
		if w.isRanged() {
			return "int32(" + c + ")"
		}
		base := "base" + string("xyz"[d])
		w.declareOnce(&w.top, base, "g.Base(%d)", d)
		return fmt.Sprintf("int32(%s + %s)", base, c)
	case w.isRanged():
		fail("the built-in %v of a range", b)
	case b <= ir.LocalInvocationIDZ:
		if c := counter(int(b - ir.LocalInvocationIDX)); c != "" {
			return "int32(" + c + ")"
		}
		return "int32(0)"
	case b <= ir.WorkgroupIDZ:
		return fmt.Sprintf("int32(g.ID[%d])", b-ir.WorkgroupIDX)
	}
	switch b {
	case ir.LocalInvocationIndex:
		return "int32(li)"
	case ir.SubgroupSize:
		return "int32(g.SubGroup)"
	case ir.NumSubgroups:
		w.items = true
		return "int32((n + g.SubGroup - 1) / g.SubGroup)"
	}
	w.lane = true
	switch b {
	case ir.SubgroupID:
		return "int32(sub)"
	case ir.SubgroupLocalInvocationID:
		return "int32(lane)"
	case ir.SubgroupLocalRange:
		return "int32(min(size, n-sub*size))"
	}
	fail("the built-in %v", b)
	return ""
}

// goType returns the Go type of a scalar. The Go type of an integer is always a signed type.
func goType(t *ir.Type) string {
	switch t.Kind {
	case ir.Bool:
		return "bool"
	case ir.I8, ir.I16, ir.I32, ir.I64:
		return fmt.Sprintf("int%d", t.Bits())
	case ir.F32, ir.F64:
		return fmt.Sprintf("float%d", t.Bits())
	}
	fail("values of type %v", t)
	return ""
}

// typeOf returns the type of the Go variable for v.
func (w *formWriter) typeOf(v *ir.Value) string {
	switch {
	case v.Type.Kind != ir.Addr:
		return goType(v.Type)
	case w.roots[v] == dynamic:
		return w.implName("HostAddr")
	}
	return "int"
}

// typedConst returns the Go expression of a constant, converted to the constant's type.
func (w *formWriter) typedConst(v *ir.Value) string {
	s := w.untypedConst(v)
	if w.opaque {
		return fmt.Sprintf("%s[%s](%s)", w.implName("HostConst"), goType(v.Type), s)
	}
	if v.Type == ir.TypeBool || v.Type.IsFloat() && s[0] >= 'a' {
		return s
	}
	return fmt.Sprintf("%s(%s)", goType(v.Type), s)
}

// untypedConst returns the Go literal of a constant, without a conversion.
func (w *formWriter) untypedConst(v *ir.Value) string {
	switch {
	case v.Type == ir.TypeBool:
		return strconv.FormatBool(v.Bits != 0)
	case v.Type.IsInt():
		return strconv.FormatInt(v.Int(), 10)
	case !v.Type.IsFloat():
		fail("a constant of type %v", v.Type)
	}
	f, bits := ir.FloatValue(v.Type, v.Bits), v.Type.Bits()
	if math.IsInf(f, 0) || f != f || f == 0 && math.Signbit(f) {
		return fmt.Sprintf("%s(%#x)", w.importedName("math", fmt.Sprintf("Float%dfrombits", bits)), v.Bits)
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

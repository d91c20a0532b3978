package facts

import (
	"fmt"
	"strconv"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// This file formats an index for messages as in Go source. For the element In[len(In)-1-i], the
// text of the index is "len(In)-1-i". Modules do not contain the names of the source's variables,
// so the text uses the name i, or z, y and x, for the work-item's id.

// maxIndexText is the largest number of values in the text of an index. A longer text would not
// help the reader of a message.
const maxIndexText = 12

// These constants are the precedences of operators in Go, from low to high.
const (
	powerSum = iota + 1
	powerProduct
	powerOperand
)

// opTexts maps each op that the text of an index may contain to its Go operator and precedence.
var opTexts = map[ir.Op]struct {
	sign  string
	power int
}{
	ir.OpIAdd: {"+", powerSum}, ir.OpISub: {"-", powerSum}, ir.OpOr: {"|", powerSum}, ir.OpXor: {"^", powerSum},
	ir.OpIMul: {"*", powerProduct}, ir.OpSDiv: {"/", powerProduct}, ir.OpUDiv: {"/", powerProduct}, ir.OpUMod: {"%", powerProduct},
	ir.OpAnd: {"&", powerProduct}, ir.OpShl: {"<<", powerProduct}, ir.OpShrL: {">>", powerProduct}, ir.OpShrA: {">>", powerProduct},
}

// indexText returns the text of the index of access v. indexText returns "" if v does not access a
// parameter's slice directly, or if the text would be too long.
func (f *footprinter) indexText(v *ir.Value) string {
	if v.Path()[0].Op != ir.OpArg {
		return ""
	}
	t := indexFormatter{f.m, maxIndexText}
	text, _, ok := t.valueText(v.Path()[1])
	if !ok {
		return ""
	}
	return text
}

type indexFormatter struct {
	m          *ir.Module
	valuesLeft int // number of values that the text may still contain
}

// valueText returns the text of v and the precedence of its outermost operator.
func (t *indexFormatter) valueText(v *ir.Value) (text string, power int, ok bool) {
	if t.valuesLeft--; t.valuesLeft < 0 {
		return "", 0, false
	}
	if op, ok := opTexts[v.Op]; ok {
		return t.binaryText(v, op.sign, op.power)
	}
	switch v.Op {
	case ir.OpConst:
		return strconv.FormatInt(signExtended(v), 10), powerOperand, true
	case ir.OpUConvert, ir.OpSConvert:
		return t.valueText(v.Args[0])
	case ir.OpSpecConst:
		text = v.Aux.(*ir.Spec).Name
		return text, powerOperand, v.Aux.(*ir.Spec).ID < abi.SpecReserved
	case ir.OpBuiltIn:
		if d, ok := idDimension(v); ok && d < t.m.Rank {
			return [3]string{"i", "xy", "xyz"}[t.m.Rank-1][d : d+1], powerOperand, true
		}
	case ir.OpArg:
		text = t.argText(v)
		return text, powerOperand, text != ""
	case ir.OpLoad:
		if r := v.Ref(); r.Var == nil && len(v.Path()) == 2 && v.Path()[0].Op == ir.OpArg {
			name := t.argText(v.Path()[0])
			index, _, ok := t.valueText(v.Path()[1])
			return fmt.Sprintf("%s[%s]", name, index), powerOperand, ok && name != ""
		}
	}
	return "", 0, false
}

// binaryText returns the text of an operation with two operands.
func (t *indexFormatter) binaryText(v *ir.Value, sign string, power int) (string, int, bool) {
	y := v.Args[1]
	a, p, ok := t.valueText(v.Args[0])
	if v.Op == ir.OpIAdd && y.Op == ir.OpConst && signExtended(y) < 0 && ok {
		return a + strconv.FormatInt(signExtended(y), 10), powerSum, true
	}
	b, q, ok2 := t.valueText(y)
	if p < power {
		a = "(" + a + ")"
	}
	if q <= power && q != powerOperand {
		b = "(" + b + ")"
	}
	return a + sign + b, power, ok && ok2
}

// signExtended returns the value of the integer constant v, sign-extended to 64 bits.
func signExtended(v *ir.Value) int64 {
	if v.Type == ir.TypeI32 {
		return int64(int32(v.Bits))
	}
	return int64(v.Bits)
}

// argText returns the text of an argument's value or of its length, such as "len(In)". If the
// module does not name the argument, argText returns "".
func (t *indexFormatter) argText(v *ir.Value) string {
	for _, p := range t.m.Params {
		switch at := abi.OffsetArgs + uint64(p.Offset); {
		case p.Offset < 0:
		case v.Bits == at && (p.Kind == abi.Slice || v.Type.Size == p.Size):
			return p.Name
		case v.Bits == at+8 && p.Kind == abi.Slice:
			return "len(" + p.Name + ")"
		}
	}
	return ""
}

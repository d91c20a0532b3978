package spirv

// This file prints modules.

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Disassemble formats m in the syntax of spirv-as, with one instruction on each line. Disassemble prints
// the same text as spirv-dis --raw-id --no-header --no-indent:
//
//	%5 = OpIAdd %2 %3 %4
//
// The line of an instruction that does not fit its operand pattern ends with a comment about the error.
func Disassemble(m *Module) string {
	return strings.Join(append(Lines(m), ""), "\n")
}

// Lines returns the text of [Disassemble] as a list of lines, one for each instruction in the order of
// [Module.All].
func Lines(m *Module) []string {
	var lines []string
	d := m.Decoder()
	for in := range m.All {
		var b strings.Builder
		d.Format(&b, in)
		lines = append(lines, b.String())
	}
	return lines
}

// Format appends the text of one instruction as in [Disassemble], without a newline.
func (d *Decoder) Format(b *strings.Builder, in *Instruction) {
	if in.Result != 0 {
		fmt.Fprintf(b, "%%%d = ", in.Result)
	}
	b.WriteString(in.Op.String())
	if in.Type != 0 {
		fmt.Fprintf(b, " %%%d", in.Type)
	}
	err := d.walkOperands(in, func(o Operand) {
		b.WriteByte(' ')
		d.operand(b, in, o)
	})
	if err != nil {
		fmt.Fprintf(b, " ; %v", err)
	}
}

func (d *Decoder) operand(b *strings.Builder, in *Instruction, o Operand) {
	w := o.Words[0]
	switch {
	case o.Kind.IsID():
		fmt.Fprintf(b, "%%%d", w)
	case o.Kind == KindLiteralString:
		b.WriteByte('"')
		for _, c := range []byte(o.Text()) {
			if c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
		b.WriteByte('"')
	case o.Kind == KindLiteralContextDependentNumber:
		b.WriteString(encodeNumber(d.numeric[in.Type], o.Words))
	case o.Kind == KindLiteralSpecConstantOpInteger:
		b.WriteString(strings.TrimPrefix(Op(w).String(), "Op"))
	case o.Kind == KindLiteralExtInstInteger && d.sets[ID(in.Words[0])] == GLSLstd450Name:
		b.WriteString(GLSLstd450(w).String())
	case o.Kind == KindLiteralInteger && in.Op == OpSwitch:
		b.WriteString(encodeNumber(d.numeric[d.typeOf[ID(in.Words[0])]], o.Words))
	case kindRows[o.Kind].category == categoryLiteral:
		fmt.Fprint(b, w)
	default:
		b.WriteString(enumString(o.Kind, w))
	}
}

func encodeNumber(t Numeric, words []uint32) string {
	bits := uint64(words[0])
	if len(words) > 1 {
		bits |= uint64(words[1]) << 32
	}
	switch t.Kind {
	case Int:
		if t.Width < 64 {
			shift := 64 - t.Width
			return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
		}
		return strconv.FormatInt(int64(bits), 10)
	case Float:
		return formatFloat(t.Width, bits)
	}
	return strconv.FormatUint(bits, 10)
}

// formatFloat prints a float so that a parser can read back the exact value. NaNs, infinities, subnormals and
// all 16-bit floats are printed in hexadecimal.
func formatFloat(width uint32, bits uint64) string {
	switch width {
	case 16:
		return hexFloat(bits, 5, 10)
	case 32:
		f := float64(math.Float32frombits(uint32(bits)))
		if abs := math.Abs(f); f == 0 || abs >= 0x1p-126 && abs <= math.MaxFloat32 {
			return strconv.FormatFloat(f, 'g', 9, 64)
		}
		return hexFloat(bits, 8, 23)
	case 64:
		f := math.Float64frombits(bits)
		if abs := math.Abs(f); f == 0 || abs >= 0x1p-1022 && abs <= math.MaxFloat64 {
			return strconv.FormatFloat(f, 'g', 17, 64)
		}
		return hexFloat(bits, 11, 52)
	}
	return fmt.Sprintf("%#x", bits)
}

// hexFloat prints a float in hexadecimal. The argument bits is the float's IEEE 754 encoding, with
// an exponent and a fraction of the given widths. For an infinity or NaN, the printed exponent is
// one more than the largest exponent.
func hexFloat(bits uint64, expBits, fracBits int) string {
	sign := ""
	if bits>>(expBits+fracBits)&1 != 0 {
		sign = "-"
	}
	exp := int(bits >> fracBits & (1<<expBits - 1))
	frac := bits & (1<<fracBits - 1)
	bias := 1<<(expBits-1) - 1
	if exp == 0 && frac == 0 {
		return sign + "0x0p+0"
	}
	e := exp - bias
	if exp == 0 { // normalizes a subnormal
		e = 1 - bias
		for frac>>fracBits == 0 {
			frac <<= 1
			e--
		}
		frac &= 1<<fracBits - 1
	}
	s := sign + "0x1"
	if frac != 0 {
		digits := (fracBits + 3) / 4
		hex := fmt.Sprintf("%0*x", digits, frac<<(4*digits-fracBits))
		s += "." + strings.TrimRight(hex, "0")
	}
	return fmt.Sprintf("%sp%+d", s, e)
}

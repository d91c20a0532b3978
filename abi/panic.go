package abi

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A PanicVerb is the format of a value in the text of an explicit panic. The formatted value comes
// from the fault record.
type PanicVerb byte

// The verbs.
const (
	PanicInt       PanicVerb = 'd' // the value A
	PanicUint      PanicVerb = 'u' // the value A, as a uint64
	PanicBool      PanicVerb = 't' // true if A is not zero
	PanicFloat32   PanicVerb = 'f' // the float32 that has the bits A
	PanicFloat64   PanicVerb = 'g'
	PanicComplex64 PanicVerb = 'c' // the complex64 whose real and imaginary parts have the bits A and B
	PanicComplex   PanicVerb = 'k'
	PanicString    PanicVerb = 's' // a string of B bytes, which begins at byte A of the table
	panicPlain     PanicVerb = '='
)

// PanicMessage returns the Message of a site for a panic text that contains a value. textBefore and textAfter are the
// text before and after the value. stringTable contains the strings for PanicString.
func PanicMessage(verb PanicVerb, textBefore, textAfter, stringTable string) string {
	return "\x00" + string(verb) + textBefore + "\x00" + textAfter + "\x00" + stringTable
}

// PlainMessage returns the Message of a site whose panic text is the given text.
func PlainMessage(text string) string {
	if strings.HasPrefix(text, "\x00") {
		return "\x00" + string(panicPlain) + text
	}
	return text
}

// PanicText returns the text of a panic at a site with the given Message. If the Message contains a PanicVerb, the text
// contains the fault's values in gc's format.
func PanicText(message string, a, b int64) string {
	if len(message) < 2 || message[0] != 0 {
		return message
	}
	verb, rest := PanicVerb(message[1]), message[2:]
	if verb == panicPlain {
		return rest
	}
	parts := strings.SplitN(rest, "\x00", 3)
	if len(parts) < 3 {
		return message
	}
	return parts[0] + verb.value(a, b, parts[2]) + parts[1]
}

func (v PanicVerb) value(a, b int64, table string) string {
	single := func(bits int64) float64 { return float64(math.Float32frombits(uint32(bits))) }
	double := func(bits int64) float64 { return math.Float64frombits(uint64(bits)) }
	switch v {
	case PanicInt:
		return strconv.FormatInt(a, 10)
	case PanicUint:
		return strconv.FormatUint(uint64(a), 10)
	case PanicBool:
		return strconv.FormatBool(a != 0)
	case PanicFloat32:
		return strconv.FormatFloat(single(a), 'g', -1, 32)
	case PanicFloat64:
		return strconv.FormatFloat(double(a), 'g', -1, 64)
	case PanicComplex64:
		return strconv.FormatComplex(complex(single(a), single(b)), 'g', -1, 64)
	case PanicComplex:
		return strconv.FormatComplex(complex(double(a), double(b)), 'g', -1, 128)
	case PanicString:
		if a >= 0 && b >= 0 && a+b <= int64(len(table)) {
			return table[a : a+b]
		}
	}
	return fmt.Sprintf("(%d, %d)", a, b)
}

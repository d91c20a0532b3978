package abi

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Expr is an integer expression of specialization constants, such as the length of an array. An
// Expr consists of tokens in postfix order, separated by spaces. A token is a decimal number, $n
// for the specialization constant with the id n, or an operation. An operation is written as its
// name and the number of bits of its operands. The name of a conversion is followed by two widths,
// as in SConvert32:64. A boolean operand has one bit. The result of SFits32 and UFits32 is the
// unchanged operand. SFits32 checks that its operand fits in a signed 32-bit integer and is not the
// smallest signed 32-bit integer. UFits32 checks that its operand fits in an unsigned 32-bit
// integer.
type Expr string

// Eval returns the value of the expression as an int64. valueOf returns the bits of the constant with the given id.
func (e Expr) Eval(valueOf func(id uint32) (uint64, bool)) (int64, error) {
	var room [8]uint64 // storage for a stack of at most 8 values, which is enough for most expressions
	stack := room[:0]
	pop := func() uint64 {
		if len(stack) == 0 {
			return 0
		}
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return x
	}
	for _, word := range strings.Fields(string(e)) {
		if c := word[0]; c == '-' || c >= '0' && c <= '9' {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("bad word %q", word)
			}
			stack = append(stack, uint64(n))
			continue
		}
		if id, ok := strings.CutPrefix(word, "$"); ok {
			n, err := strconv.ParseUint(id, 10, 32)
			bits, known := valueOf(uint32(n))
			if err != nil || !known {
				return 0, fmt.Errorf("no value for %s", word)
			}
			stack = append(stack, bits)
			continue
		}
		i := strings.IndexAny(word, "0123456789")
		if i < 0 {
			return 0, fmt.Errorf("bad word %q", word)
		}
		from, to, _ := strings.Cut(word[i:], ":")
		w, _ := strconv.Atoi(from)
		w2, _ := strconv.Atoi(to)
		x := pop()
		switch op := word[:i]; op {
		case "SConvert":
			stack = append(stack, mask(uint64(signed(x, w)), w2))
		case "UConvert":
			stack = append(stack, mask(mask(x, w), w2))
		case "SFits", "UFits":
			if n := int64(x); op == "SFits" && (n > math.MaxInt32 || n < -math.MaxInt32) || op == "UFits" && x > math.MaxUint32 {
				return 0, fmt.Errorf("%d, an operand of a division, does not fit %d bits", n, w)
			}
			stack = append(stack, x)
		case "Not", "LNot":
			stack = append(stack, mask(^x, w))
		case "Select":
			yes, cond := pop(), pop()
			if cond&1 != 0 {
				x = yes
			}
			stack = append(stack, x)
		default:
			r, err := binaryExpr(op, w, pop(), x)
			if err != nil {
				return 0, err
			}
			stack = append(stack, r)
		}
	}
	if len(stack) != 1 {
		return 0, fmt.Errorf("bad expression %q", e)
	}
	return int64(stack[0]), nil
}

func binaryExpr(op string, w int, x, y uint64) (uint64, error) {
	a, b := signed(x, w), signed(y, w)
	x, y = mask(x, w), mask(y, w)
	truth := func(ok bool) (uint64, error) {
		if ok {
			return 1, nil
		}
		return 0, nil
	}
	var r uint64
	switch op {
	case "IAdd":
		r = x + y
	case "ISub":
		r = x - y
	case "IMul":
		r = x * y
	case "SDiv":
		if b == 0 || a == math.MinInt64 && b == -1 {
			return 0, fmt.Errorf("division by zero")
		}
		r = uint64(a / b)
	case "UDiv", "UMod":
		if y == 0 {
			return 0, fmt.Errorf("division by zero")
		}
		if r = x / y; op == "UMod" {
			r = x % y
		}
	case "And", "LAnd":
		r = x & y
	case "Or", "LOr":
		r = x | y
	case "Xor", "LNe":
		r = x ^ y
	case "LEq":
		r = ^(x ^ y)
	case "Shl":
		r = x << y
	case "ShrL":
		r = x >> y
	case "ShrA":
		r = uint64(a >> y)
	case "IEq":
		return truth(x == y)
	case "INe":
		return truth(x != y)
	case "SLt":
		return truth(a < b)
	case "SLe":
		return truth(a <= b)
	case "ULt":
		return truth(x < y)
	case "ULe":
		return truth(x <= y)
	default:
		return 0, fmt.Errorf("unknown operation %s", op)
	}
	return mask(r, w), nil
}

func mask(x uint64, w int) uint64 {
	if w >= 64 {
		return x
	}
	return x & (1<<w - 1)
}

func signed(x uint64, w int) int64 { return int64(x<<(64-w)) >> (64 - w) }

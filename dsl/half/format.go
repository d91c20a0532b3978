package half

import (
	"fmt"
	"strconv"
)

// shortest() returns the number with the fewest digits that rounds to x, if x is finite.
func shortest[T Float[T]](x T) float64 {
	f := float64(x.Float32())
	for digits := range 8 {
		s, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', digits, 64), 64)
		if err == nil && x.nearest(float32(s)).Bits() == x.Bits() {
			return s
		}
	}
	return f
}

func text[T Float[T]](x T) string { return fmt.Sprint(shortest(x)) }

func write[T Float[T]](x T, s fmt.State, verb rune) {
	_, precise := s.Precision()
	switch verb {
	case 'v', 'g', 'G':
		if !precise {
			fmt.Fprintf(s, fmt.FormatString(s, verb), shortest(x))
			return
		}
		fallthrough
	case 'b', 'e', 'E', 'f', 'F', 'x', 'X':
		fmt.Fprintf(s, fmt.FormatString(s, verb), x.Float32())
	case 's':
		fmt.Fprintf(s, fmt.FormatString(s, verb), text(x))
	default:
		fmt.Fprintf(s, "%%!%c(%T=%s)", verb, x, text(x))
	}
}

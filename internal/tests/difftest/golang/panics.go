package golang

import "github.com/kgen-go/kgen/dsl"

type shaped interface{ area(scale int) int }
type stick int
type twoOf[A, B any] struct {
	a A
	b B
}

type colour uint8

func (colour) String() string { return "red" }

func (s *stick) area(int) int  { return int(*s) }
func (t twoOf[A, B]) two() int { return 2 }

// PanicModes is the number of ways in which Panicking panics.
const PanicModes = 18 + PanicValues + 2

// PanicValues is the number of different values that Panicking passes to panic.
const PanicValues = 32

type weight float32
type caption string
type phase complex64
type level int8
type ratio uint64

// The type `failure` is an error type whose values are numbers.
type failure uint8

func (f failure) Error() string {
	switch f {
	case 0:
		return "none"
	case 1, 2:
		return reasons[f]
	}
	return "unknown: " + "never mind"
}

var reasons = [...]string{"zero", "one", "two"}

// panicValue returns the value that Panicking passes to panic.
func panicValue(mode, n int) any {
	switch mode {
	case 0:
		return n
	case 1:
		return level(n)
	case 2:
		return ratio(n) << 60
	case 3:
		return float32(n) / 7
	case 4:
		return weight(n) * 1e9
	case 5:
		return weight(-n) * 1e-9
	case 6:
		return complex(float32(n), 0.1)
	case 7:
		return phase(complex(0, float32(n)))
	case 8:
		return complex(1/float32(n), 2)
	case 9:
		return caption("a\"b")
	case 10:
		return caption("xyz"[n&1:])
	case 11:
		return "pqr"[:n&3]
	case 12:
		return failure(n & 3)
	case 13:
		return failure(7)
	case 14:
		return twoOf[int, int]{n, 2}
	case 15:
		return &reasons
	case 16:
		return []int{n}
	case 17:
		return nil
	case 18:
		return n > 3
	case 19:
		return uint8(n)
	case 20:
		return float32(1.5)
	case 21:
		return stick(-3)
	case 22:
		return rangeError(n)
	case 23:
		return 'x'
	case 24:
		return float32(1e21)
	case 25:
		return "\x00d"
	case 26:
		return ratio(1 << 63)
	case 27:
		return complex64(2 - 1i)
	}
	var v any = n
	if n&1 != 0 {
		v = failure(n & 3)
	}
	if n&2 != 0 {
		v = reasons[n&1]
	}
	if n&4 != 0 {
		v = weight(n)
	}
	return v
}

// Panicking panics in the way that `mode` selects, for example because of a wrong dynamic type.
func Panicking(mode int) int {
	var none, text any = nil, "text"
	var rod any = stick(3)
	var s shaped
	var f func(int) int
	switch mode {
	case 0:
		return text.(int)
	case 1:
		return none.(int)
	case 2:
		return none.(shaped).area(1)
	case 3:
		return int(*s.(*stick))
	case 4:
		return rod.(shaped).area(1)
	case 5:
		return rod.(interface {
			shaped
			Less(*[3][]byte, ...any) (bool, error)
		}).area(1)
	case 6:
		return any(twoOf[int, []stick]{}).(twoOf[byte, stick]).two()
	case 7:
		return any(func(struct{ stick }) {}).(func() interface{})().(int)
	case 8:
		return f(1)
	case 9:
		return s.area(1)
	case 10:
		panic(true)
	case 11:
		text = any([]stick{})
		none = text
		if text == none {
			return 1
		}
	case 12:
		if mode > 10 {
			none = []stick{}
		}
		text = any([]stick{1})
		if text == none {
			return 1
		}
	case 14:
		panic(errBad)
	case 15:
		panic(rangeError(mode))
	case 16:
		var err error = &syntaxError{mode, "wrong"}
		if mode > 20 {
			err = errEmpty
		}
		panic(err)
	case 17:
		panic(colour(3))
	case 13:
		rod, text = text, rod
		if mode == 13 {
			text = &s
		}
		return text.(int)
	}
	switch {
	case mode >= 18+PanicValues:
		return stubborn(mode - 18 - PanicValues)
	case mode >= 18:
		panic(panicValue(mode-18, mode))
	}
	return 0
}

// stubborn() ranges over functions that continue to call the loop body after the
// loop has ended.
func stubborn(mode int) (n int) {
	body := func(int) bool { return true }
	for x := range func(yield func(int) bool) {
		body = yield
		yield(mode)
		yield(2)
	} {
		n += x
		if mode == 0 {
			break
		}
	}
	body(3)
	return n
}

// Panics panics in the way that Mode selects.
type Panics struct {
	Mode int
	Out  []int
}

func (k Panics) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = Panicking(k.Mode) }

// PanicsDouble panics with values of type float64.
type PanicsDouble struct {
	Mode int
	Out  []int
}

func (k PanicsDouble) Kernel(it dsl.Item1) {
	var v any = float64(-k.Mode) * 1e-9
	switch k.Mode {
	case 4:
		panic(1e21)
	case 5:
		panic(2 - 1i)
	}
	if k.Mode > 1 {
		v = complex(1/float64(k.Mode), 2)
	}
	if k.Mode > 0 {
		panic(v)
	}
	k.Out[it.GlobalID()] = 1
}

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
const PanicModes = 18

// Panicking panics for the sake of the types or functions that values have.
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
	return 0
}

// Panics panics in the way that Mode asks for.
type Panics struct {
	Mode int
	Out  []int
}

func (k Panics) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = Panicking(k.Mode) }

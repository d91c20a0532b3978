package golang

import (
	"errors"

	"github.com/kgen-go/kgen/dsl"
)

// Watched reads exported variables of many types. Because the variables are exported, other packages can write them.
type Watched struct{ Out []float64 }

// Mixed has fields with padding between them, and an unexported field.
type Mixed struct {
	Small int8
	Wide  float64
	Name  string
	own   uint16
	List  []int32
	Rows  [][]float32
	To    *Mixed
	Call  func(int) int
}

// Shape is the interface type of some variables.
type Shape interface{ Area() int }

// Box and Slab implement Shape.
type (
	Box  struct{ W int }
	Slab struct{ W int }
)

// Area returns the area of the box.
func (b Box) Area() int { return b.W * b.W }

// Area returns zero for each slab.
func (b Slab) Area() int { return 0 }

// Side returns the width of the slab.
func (b Slab) Side() int { return b.W }

// AddOne and TakeOne are functions that variables contain.
func AddOne(n int) int  { return n + 1 }
func TakeOne(n int) int { return n - 1 }

// The variables that Watched reads.
var (
	WatchedBool    = true
	WatchedInt     = -5
	WatchedUint8   uint8 // a variable that stays zero
	WatchedUint16  = [3]uint16{1, 2, 3}
	WatchedFloat   = float32(1.5)
	WatchedComplex = complex(1, -2)
	WatchedText    = "text"
	WatchedNil     []int32
	WatchedEmpty   = []int32{}
	WatchedSlice   = []int64{1 << 40, 2, 3}
	WatchedPadded  = [2]struct {
		A int8
		B int64
	}{{1, 2}, {3, 4}}
	WatchedMixed        = Mixed{Small: -1, Wide: 2.5, Name: "mixed", own: 7, List: []int32{1, 2}, Rows: [][]float32{{1}, {2, 3}}, To: &Mixed{Small: 3}, Call: AddOne}
	WatchedShape  Shape = Box{3}
	WatchedCall         = AddOne
	WatchedInner        = func(n int) int { return 2 * n }
	WatchedMethod       = Slab.Side
	WatchedError        = errors.New("watched")
	WatchedLarge        = [5000]int32{4: 8, 4999: 3}
	WatchedTile         = dsl.NewSpecConstant(4)
)

// Kernel reads all of the variables.
func (k Watched) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := WatchedInt + int(WatchedUint8) + int(WatchedUint16[i%3]) + len(WatchedText) + len(WatchedNil) + len(WatchedEmpty)
	if WatchedBool {
		n += int(WatchedSlice[i%3]) + int(WatchedPadded[i%2].B)
	}
	m := &WatchedMixed
	n += int(m.Small) + len(m.Name) + int(m.own) + int(m.List[i%2]) + int(m.Rows[1][i%2]) + int(m.To.Small) + m.Call(i)
	n += WatchedShape.Area() + WatchedCall(i) + WatchedInner(i) + WatchedMethod(Slab{i}) + int(WatchedLarge[i]) + WatchedTile.Get(it)
	if err := watchedError(i); err == WatchedError {
		n++
	}
	k.Out[i] = float64(n) + m.Wide + float64(WatchedFloat) + imag(WatchedComplex)
}

func watchedError(i int) error {
	if i&1 == 0 {
		return WatchedError
	}
	return nil
}

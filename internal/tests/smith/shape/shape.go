// Package shape contains the arguments of random kernels. Some of its functions hide differences
// between results that Go permits.
package shape

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// Items is the number of work-items of a launch.
const Items = 11

// These constants are the lengths of the slices of Args per work-item. All these lengths are powers of two.
const (
	Words = 16 // words of In and of Out per work-item; each work-item may read all words of In
	Bytes = 8
	Reals = 4
	Recs  = 2
)

// Rec is an element type with padding.
type Rec struct {
	A int8
	B uint16
	C int64
	D float32
	E [3]int16
	F bool
	G struct{ X, Y uint32 }
}

// Args contains the arguments of every random kernel.
type Args struct {
	N     int32
	Small [3]int16
	In    []uint64
	Out   []uint64
	Bytes []int8
	Reals []float32
	Recs  []Rec
}

// The variable `edges` contains values that are special cases of operations.
var edges = []uint64{0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 16,
	1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 - 7, 100, 1000}

// Inputs returns arguments that depend only on the seed.
func Inputs(seed uint64) Args { return inputs(seed, Items) }

func inputs(seed uint64, items int) Args {
	r := rand.New(rand.NewPCG(seed, 7))
	value := func() uint64 {
		switch r.IntN(3) {
		case 0:
			return edges[r.IntN(len(edges))]
		case 1:
			return r.Uint64() >> r.IntN(64)
		}
		return uint64(r.IntN(40) - 20)
	}
	a := Args{N: int32(value()), In: make([]uint64, items*Words), Out: make([]uint64, items*Words),
		Bytes: make([]int8, items*Bytes), Reals: make([]float32, items*Reals), Recs: make([]Rec, items*Recs)}
	for i := range a.Small {
		a.Small[i] = int16(value())
	}
	for i := range a.In {
		a.In[i] = value()
	}
	for i := range a.Bytes {
		a.Bytes[i] = int8(value())
	}
	for i := range a.Reals {
		a.Reals[i] = float32(r.IntN(2000)-1000) / 8
	}
	for i := range a.Recs {
		a.Recs[i] = Rec{A: int8(value()), B: uint16(value()), C: int64(value()), D: float32(r.IntN(99)) / 4, E: [3]int16{int16(value()), 1, -2}, F: r.IntN(2) == 0}
		a.Recs[i].G.X, a.Recs[i].G.Y = uint32(value()), uint32(value())
	}
	return a
}

// Mix adds x to the hash h.
func Mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// Bits returns a float's bits. All NaNs have the same bits, because Go does not define which NaN an operation
// returns.
func Bits(x float64) uint64 {
	if x != x {
		return 0x7ff8_dead
	}
	return math.Float64bits(x)
}

// Bits32 returns a float32's bits, with the same bits for all NaNs.
func Bits32(x float32) uint64 {
	if x != x {
		return 0x7fc0_dead
	}
	return uint64(math.Float32bits(x))
}

// F32 returns x, or 0 if devices may compute different results from x. It returns 0 for subnormals,
// and for numbers so small that one more operation could give a subnormal.
func F32(x float32) float32 {
	if x < 1e-25 && x > -1e-25 {
		return 0
	}
	return x
}

// Real returns x, or another number if x is a NaN. Programs store Real(x) instead of x, because memory must not contain NaNs.
func Real(x float32) float32 {
	if x != x {
		return -77
	}
	return x
}

// B returns 0 or 1.
func B(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Integer constrains type parameters to integer types.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Pick returns one of two values.
func Pick[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

// Swap swaps two variables.
func Swap[T any](a, b *T) { *a, *b = *b, *a }

// Sum adds up the results of f for all elements of a slice.
func Sum[T any, R Integer](xs []T, f func(T) R) R {
	var s R
	for _, x := range xs {
		s = s*3 + f(x)
	}
	return s
}

// Pair is a generic type with methods.
type Pair[A, B Integer] struct {
	X A
	Y B
}

// Flip returns the pair with its values exchanged.
func (p Pair[A, B]) Flip() Pair[B, A] { return Pair[B, A]{p.Y, p.X} }

// Step changes the pair.
func (p *Pair[A, B]) Step(n int) { p.X, p.Y = p.X*A(3)+A(n), p.Y^B(p.X) }

// Key returns a number that depends on both values of the pair.
func (p Pair[A, B]) Key() uint64 { return uint64(p.X)*31 + uint64(p.Y) }

// Upto returns an iterator that yields the numbers from 0 to n-1, and other numbers computed from them.
func Upto(n int) func(func(int, int32) bool) {
	return func(yield func(int, int32) bool) {
		for i := 0; i < n; i++ {
			if !yield(i, int32(i*i)-2) {
				return
			}
		}
	}
}

// Valuer is implemented by the types of random kernels.
type Valuer interface{ Val(x int32) int32 }

// Value calls a method of the interface value v.
func Value(v Valuer, x int32) int32 { return v.Val(x) + 1 }

// Add is a Valuer that adds N to its argument.
type Add struct{ N int32 }

// Val returns x + N.
func (a Add) Val(x int32) int32 { return x + a.N }

// Neg is a Valuer that subtracts its argument from n.
type Neg int16

// Val returns n - x.
func (n Neg) Val(x int32) int32 { return int32(n) - x }

// Pack returns the bits of all memory that work-items may have written.
func (a *Args) Pack() []byte {
	var b []byte
	for _, s := range []any{a.In, a.Out, a.Bytes, a.Reals, a.Recs} {
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, s); err != nil {
			panic(err)
		}
	}
	return b
}

// Unpack sets the arguments from the result of Pack.
func (a *Args) Unpack(b []byte) error {
	for _, s := range []any{a.In, a.Out, a.Bytes, a.Reals, a.Recs} {
		n := binary.Size(s)
		if _, err := binary.Decode(b[:n], binary.LittleEndian, s); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// DivMod returns a quotient and a remainder.
func DivMod[T Integer](a, b T) (q, r T) {
	q = a / b
	r = a - q*b
	return
}

// Total adds up its arguments.
func Total[T Integer](xs ...T) T {
	var s T
	for i, x := range xs {
		s = s*5 + x + T(i)
	}
	return s
}

// Kind returns a number that depends on the type of x.
func Kind[T any](x T) int {
	switch x := any(x).(type) {
	case bool:
		if x {
			return 1
		}
		return 2
	case int8, uint8:
		return 3
	case int:
		return x &^ 1
	case uint64:
		return int(x >> 7)
	case float64:
		if x < 4 {
			return 5
		}
		return 6
	}
	return 7
}

// Compose returns the function that calls g and then f.
func Compose[T any](f, g func(T) T) func(T) T {
	return func(x T) T { return f(g(x)) }
}

// Negate returns -x.
func Negate[T Integer](x T) T { return -x }

// Inner has methods that Outer promotes.
type Inner struct{ A int32 }

// Get returns a number that depends on A.
func (i Inner) Get() int32 { return i.A ^ 5 }

// Bump adds a number to A.
func (i *Inner) Bump(by int32) { i.A += by }

// Outer embeds Inner.
type Outer struct {
	Inner
	B int
}

// Count is a Valuer that counts its calls.
type Count struct{ N int32 }

// Val counts the call, and returns a number that depends on the count.
func (c *Count) Val(x int32) int32 {
	c.N++
	return c.N ^ x
}

// Which returns a number that depends on the dynamic type of v.
func Which(v Valuer) int32 {
	switch v := v.(type) {
	case Add:
		return v.N
	case Neg:
		return int32(v) + 7
	case *Count:
		return -v.N
	}
	return 99
}

// Package descents contains kernels with loops near the limits of their counters' types. The loops count downwards
// near the least value, or upwards past the greatest value. Near the limits of a type, a driver's
// computation of the number of iterations may overflow.
//
//kgen:bare nospare
package descents

import (
	"github.com/kgen-go/kgen/dsl"
)

//go:generate go run github.com/kgen-go/kgen/cmd/kgen .

// Signed is the constraint of signed counter types.
type Signed interface {
	int8 | int16 | int32 | int64 | int
}

// Unsigned is the constraint of unsigned counter types.
type Unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// Slots is the number of results of each work-item.
const Slots = 33

// least() returns the least value of a signed type, or the value with only the highest bit set for an
// unsigned type. kgen computes the result at compile time.
func least[T Signed | Unsigned]() T {
	x := uint64(1) << 63
	switch any(T(0)).(type) {
	case int8, uint8:
		x >>= 56
	case int16, uint16:
		x >>= 48
	case int32, uint32:
		x >>= 32
	}
	return T(x)
}

// Type `rounds` records the number of iterations of a loop, and a hash of its counter.
type rounds struct{ n, sum, most int }

// more() records an iteration, and reports whether the loop may run another iteration.
func (r *rounds) more(i int) bool {
	r.n++
	r.sum = r.sum*7 + i
	return r.n < r.most
}

func (r *rounds) result() int { return r.sum*1000 + r.n }

// Descents has loops that end by their counters or after a limited number of iterations.
type Descents[T Signed] struct {
	Most  []int
	First []T
	Out   []int
}

func (k Descents[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	out := k.Out[i*Slots:][:Slots]
	most, first := k.Most[i], k.First[i]
	untilPositive(out, least[T]())
	countDown(out[8:], most, least[T]())
	fromValue(out[20:], most, first, least[T]())
	pastTop(out[27:], most, least[T]())
	wrapsFrom(out[31:], first, least[T]())
}

// pastTop has loops that count upwards past the greatest value, and end near the least value.
func pastTop[T Signed](out []int, most int, least T) {
	top := ^least
	n := 0
	for i := top - 2; i >= least+23; i++ {
		n++
	}
	out[0] = n
	n = 0
	for i := top - 5; i > least+24; i += 2 {
		n++
	}
	out[1] = n
	r := rounds{most: most}
	for i := top - 7; !(i < least+9) && r.more(int(i)); i += 3 {
	}
	out[2], r = r.result(), rounds{most: most}
	for j := range 3 {
		for i := top - T(j); i > least+20; i++ {
			if !r.more(int(i)) {
				break
			}
		}
	}
	out[3] = r.result()
}

// untilPositive has the loops of Go's issue 53653, which continue past the greatest value.
func untilPositive[T Signed](out []int, least T) {
	n := 0
	for i := least; i >= least; i-- {
		if i > 0 {
			break
		}
		n++
	}
	out[0] = n
	n = 0
	for i := least + 1; i >= least; i-- {
		if i > 0 {
			break
		}
		n++
	}
	out[1] = n
	n = 0
	for i := least + 2; i >= least; i -= 2 {
		if i > 0 {
			break
		}
		n++
	}
	out[2] = n
	n = 0
	for i := least; i <= 0; i-- {
		n++
	}
	out[3] = n
	n = 0
	for i := least; i < 1; i += -1 {
		n++
	}
	out[4] = n
	n = 0
	for i := least; 0 >= i; i -= 3 {
		n++
	}
	out[5] = n
	n = 0
	for i := least; !(i > 0); i-- {
		n++
	}
	out[6] = n
	n = 0
	for i := least; ; {
		n++
		i--
		if i > 0 {
			break
		}
	}
	out[7] = n
}

// countDown has loops that count down to the least value, but may end earlier, after `most` iterations.
func countDown[T Signed](out []int, most int, least T) {
	r := rounds{most: most}
	for i := T(0); i > least && r.more(int(i)); i-- {
	}
	out[0], r = r.result(), rounds{most: most}
	for i := T(0); i != least; i-- {
		if !r.more(int(i)) {
			break
		}
	}
	out[1], r = r.result(), rounds{most: most}
	for i := T(0); i >= least && r.more(int(i)); i-- {
	}
	out[2], r = r.result(), rounds{most: most}
	for i := T(-1); least <= i; i -= 2 {
		if !r.more(int(i)) {
			break
		}
	}
	out[3], r = r.result(), rounds{most: most}
	for i := T(1); ; {
		i--
		if i == least || !r.more(int(i)) {
			break
		}
	}
	out[4], r = r.result(), rounds{most: most}
	for i := least ^ -1; i > 0 && r.more(int(i)); i -= 5 {
	}
	out[5], r = r.result(), rounds{most: most}
	for i := least; i != 0 && r.more(int(i)); i-- {
	}
	out[6], r = r.result(), rounds{most: most}
	for i := least; i < 0 && r.more(int(i)); i++ {
	}
	out[7], r = r.result(), rounds{most: most}
	for i := T(0); i >= least && r.more(int(i)); i += least {
	}
	out[8], r = r.result(), rounds{most: most}
	for j := range 3 {
		for i := least * T(j); i <= 0 && i != 5; i-- {
			if !r.more(int(i)) {
				break
			}
		}
	}
	out[9], r = r.result(), rounds{most: most}
	for i := T(100); i >= 0; i-- {
		if !r.more(int(i)) {
			break
		}
	}
	out[10], r = r.result(), rounds{most: most}
	for j := range 3 {
		if d := T(j) - 1; d != 0 && !r.more(int(least/d)) {
			break
		} else if d != 0 {
			r.sum += int(least % d)
		}
	}
	out[11] = r.result()
}

// fromValue has loops whose start or end is known only when the kernel runs.
func fromValue[T Signed](out []int, most int, first, least T) {
	r := rounds{most: most}
	for i := first; i >= least && r.more(int(i)); i-- {
	}
	out[0], r = r.result(), rounds{most: most}
	for i := first; i != least && r.more(int(i)); i -= 3 {
	}
	out[1], r = r.result(), rounds{most: most}
	for i := T(0); i != first && r.more(int(i)); i-- {
	}
	out[2], r = r.result(), rounds{most: most}
	for i := least; i <= first && r.more(int(i)); i-- {
	}
	out[3], r = r.result(), rounds{most: most}
	from := T(0)
	if first > 0 {
		from = least
	}
	for i := from; i <= 0 && r.more(int(i)); i-- {
	}
	out[4], r = r.result(), rounds{most: most}
	from = least
	for range 2 {
		for i := from; i != 0 && r.more(int(i)); i-- {
		}
		from = 0
	}
	out[5], r = r.result(), rounds{most: most}
	ends := [2]T{least, 0}
	for j := range ends {
		for i := ends[1-j]; i >= ends[j]; i-- {
			if !r.more(int(i)) {
				break
			}
		}
	}
	out[6] = r.result()
}

// wrapsFrom has loops that end because their counters wrap around. The first value is known only when the kernel
// runs. Loops with too many iterations are skipped.
func wrapsFrom[T Signed](out []int, first, least T) {
	top := ^least
	n := 0
	for i := first; i <= 0 && first < least+9; i-- {
		n++
	}
	out[0] = n
	n = 0
	if first > top-9 {
		for i := first; i >= 0; i++ {
			n++
		}
	}
	out[1] = n
}

// UnsignedDescents has loops with unsigned counters that start or end at the value with only the highest bit set.
type UnsignedDescents[T Unsigned] struct {
	Most  []int
	First []T
	Out   []int
}

func (k UnsignedDescents[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	out := k.Out[i*Slots:][:Slots]
	most, first, top := k.Most[i], k.First[i], least[T]()
	r := rounds{most: most}
	for i := top; i != 0 && r.more(int(i)); i-- {
	}
	out[0], r = r.result(), rounds{most: most}
	for i := top; i > 0 && r.more(int(i)); i-- {
	}
	out[1], r = r.result(), rounds{most: most}
	for i := T(0); i != top && r.more(int(i)); i-- {
	}
	out[2], r = r.result(), rounds{most: most}
	for i := first; i != top && r.more(int(i)); i -= 2 {
	}
	out[3], r = r.result(), rounds{most: most}
	for i := ^T(0); i >= top && r.more(int(i)); i-- {
	}
	out[4], r = r.result(), rounds{most: most}
	for i := top - 1; i != ^T(0) && r.more(int(i)); i-- {
	}
	out[5], r = r.result(), rounds{most: most}
	for i := T(1 << 7); i != 0; i-- {
		if !r.more(int(i)) {
			break
		}
	}
	out[6] = r.result()
	n := 0
	for i := ^T(2); i >= 23; i++ {
		n++
	}
	out[7] = n
	n = 0
	for i := ^T(5); i > 24; i += 2 {
		n++
	}
	out[8], r = n, rounds{most: most}
	for i := ^T(7); i > 9 && r.more(int(i)); i += 3 {
	}
	out[9] = r.result()
}

// Start and End are specialization constants for the start and the end of loops.
var (
	Start = dsl.NewSpecConstant(int64(-1 << 63))
	End   = dsl.NewSpecConstant(int32(-1 << 31))
)

// Specialized has loops that start or end at specialization constants.
type Specialized struct {
	Most []int
	Out  []int
}

func (k Specialized) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	out := k.Out[i*Slots:][:Slots]
	r := rounds{most: k.Most[i]}
	for i := Start.Get(it); i <= 0 && r.more(int(i)); i-- {
	}
	out[0], r = r.result(), rounds{most: k.Most[i]}
	for i := int32(0); i != End.Get(it) && r.more(int(i)); i-- {
	}
	out[1], r = r.result(), rounds{most: k.Most[i]}
	for i := Start.Get(it); i < 0 && r.more(int(i)); i += int64(End.Get(it)) >> 31 {
	}
	out[2] = r.result()
}

// Instances of the kernels for each counter type.
type (
	DescentsInt8   = Descents[int8]
	DescentsInt16  = Descents[int16]
	DescentsInt32  = Descents[int32]
	DescentsInt64  = Descents[int64]
	DescentsInt    = Descents[int]
	DescentsUint8  = UnsignedDescents[uint8]
	DescentsUint16 = UnsignedDescents[uint16]
	DescentsUint32 = UnsignedDescents[uint32]
	DescentsUint64 = UnsignedDescents[uint64]
)

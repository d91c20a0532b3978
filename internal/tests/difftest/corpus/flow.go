package corpus

import (
	"math/bits"

	"github.com/kgen-go/kgen/dsl"
)

// NestedLoops breaks and continues nested loops by label.
type NestedLoops struct {
	N   []int32
	Out []int32
}

func (k NestedLoops) Kernel(it dsl.Item1) {
	id := it.GlobalID()
	n := int(k.N[id])
	sum := int32(0)
outer:
	for i := 0; i < n; i++ {
		for j := 0; ; j++ {
			if j > i {
				continue outer
			}
			if i*j > 40 {
				break outer
			}
			if j == 3 {
				continue
			}
			if (i+j)%7 == 6 {
				break
			}
			sum += int32(i*10 + j)
		}
		sum *= 3
	}
	k.Out[id] = sum
}

// Switches uses every form of switch.
type Switches struct {
	In  []int32
	Out []int32
}

func classify(x int32) (kind int32, ok bool) {
	switch {
	case x < 0:
		return -1, false
	case x == 0, x == 100:
		return 0, true
	case x > 50 && x%2 == 0 || x == 7:
		kind = 5
	default:
		kind = 1
	}
	return kind + x, x&1 == 0
}

func (k Switches) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	var r int32
	switch x & 7 {
	case 0:
		r = 10
		fallthrough
	case 1:
		r += 5
	case 2, 3:
		r = 7
		if x > 20 {
			break
		}
		r = 8
	case 4:
		for j := range 10 {
			switch {
			case j == 2:
				continue
			case j > int(x%9):
				r += 100
			}
			r += int32(j)
		}
	default:
		r = -x
	}
	kind, ok := classify(x)
	if ok {
		r ^= kind << 8
	}
	k.Out[i] = r
}

// EarlyReturn returns from inside loops.
type EarlyReturn struct {
	In  []int32
	Out []int32
}

func find(s []int32, want int32) int {
	for i, x := range s {
		if x == want {
			return i
		}
		if x > 1000 {
			break
		}
	}
	return -1
}

func (k EarlyReturn) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	at := find(k.In, int32(i*3))
	if at < 0 {
		k.Out[i] = -1
		return
	}
	for j := at; j < len(k.In); j++ {
		if k.In[j]%5 == 4 {
			k.Out[i] = int32(j)
			return
		}
	}
	k.Out[i] = -2
}

// Collatz has a loop whose length depends on the data.
type Collatz struct {
	Out []uint32
}

func (k Collatz) Kernel(it dsl.Item1) {
	n := uint64(it.GlobalID() + 1)
	steps := uint32(0)
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	k.Out[it.GlobalID()] = steps
}

// Goto jumps forwards and backwards.
type Goto struct {
	Out []int32
}

func (k Goto) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, n := int32(i), 0
again:
	if x%3 == 0 && n < 5 {
		x += 7
		n++
		goto again
	}
	if x > 50 {
		goto done
	}
	x = -x
done:
	k.Out[i] = x + int32(n)
}

// Chains uses && and || in every syntactic position.
type Chains struct {
	In  []int32
	Out []int32
}

func (k Chains) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a := k.In[i]
	var r int32
	if a > 3 && (a < 10 || a%4 == 1) && !(a == 5 || a == 9) {
		r |= 1
	}
	b := a > 0 && a < 100 || a == -7
	if b {
		r |= 2
	}
	for a > 0 && (a&1 == 0 || a > 64) {
		a >>= 1
		r += 4
	}
	if (b || a > 7) != (a == 1 && r > 3) {
		r = ^r
	}
	k.Out[i] = r
}

// Primes counts primes in nested loops without labels.
type Primes struct {
	Out []bool
}

func isPrime(n int) bool {
	if n < 2 {
		return false
	}
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return true
}

func (k Primes) Kernel(it dsl.Item1) {
	k.Out[it.GlobalID()] = isPrime(it.GlobalID())
}

// Bits uses functions of package math/bits.
type Bits struct {
	In  []uint64
	Out []uint64
}

func (k Bits) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	out := k.Out[i*20:][:20]
	out[0] = uint64(bits.OnesCount64(x))
	out[1] = uint64(bits.LeadingZeros64(x))
	out[2] = uint64(bits.TrailingZeros64(x))
	out[3] = bits.Reverse64(x)
	out[4] = bits.ReverseBytes64(x)
	out[5] = bits.RotateLeft64(x, 13)
	out[6] = uint64(bits.Len64(x))
	y := uint32(x)
	out[7] = uint64(bits.OnesCount32(y))
	out[8] = uint64(bits.LeadingZeros32(y))
	out[9] = uint64(bits.TrailingZeros32(y))
	out[10] = uint64(bits.Reverse32(y))
	out[11] = uint64(bits.RotateLeft32(y, -5))
	out[12] = uint64(bits.Len8(uint8(x)))
	out[13] = uint64(bits.LeadingZeros16(uint16(x)))
	out[14] = uint64(bits.TrailingZeros8(uint8(x)))
	out[15], out[16] = bits.Mul64(x, x^0x9e3779b97f4a7c15)
	out[17], out[18] = bits.Add64(x, x, 1)
	out[19] = uint64(bits.OnesCount8(uint8(x)))
}

package corpus

import "github.com/kgen-go/kgen/dsl"

// Faulty faults only in work-item At. Field What selects the kind of fault.
type Faulty struct {
	At, What int
	N        int
	X        []int32
	Out      []int32
}

func (k Faulty) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if i == k.At {
		k.Out[i] = k.wrong(k.What, k.N)
	}
	k.Out[i]++
}

func (k Faulty) wrong(what, n int) int32 {
	var a [4]int32
	switch what {
	case 0:
		return k.X[n]
	case 1:
		return a[n]
	case 2:
		return int32(len(k.X[:n]))
	case 3:
		return int32(len(k.X[n:2]))
	case 4:
		return int32(len(a[:n]))
	case 5:
		return int32(len(k.X[1:2:n]))
	case 6:
		return 7 / int32(n)
	case 7:
		return 7 % int32(n)
	case 8:
		return 1 << n
	case 9:
		panic("deliberate")
	case 10:
		var p *Vec
		if n == 0 {
			p = nil
		}
		return int32(p.X)
	case 11:
		return k.X[uint8(n)]
	case 12:
		b := *(*[4]int32)(k.X[:n])
		return b[0]
	case 13:
		return k.X[uint64(n)]
	case 14:
		return a[uint(n)] + int32(uint32(n))
	case 15:
		return int32(len(k.X[:uint64(n)]))
	case 16:
		return int32(len(a[uint64(n):]))
	case 17:
		return int32(len(k.X[uint64(n):3]))
	case 18:
		return int32(len(k.X[0:1:uint64(n)]))
	case 19:
		return int32(len(k.X[uint64(n):2:4]))
	}
	return 0
}

// OneLine has several index expressions on one line. One of the indices is out of range.
type OneLine struct {
	I         int
	X, Y, Out []int32
	Z         []uint8
}

func (k OneLine) Kernel(it dsl.Item1) {
	var a [16]int32
	a[k.X[0]&15] = 3
	n := int32(len(k.X[k.I:]) + len(k.Y[k.I:]))
	k.Out[it.GlobalID()] = k.X[k.I] + k.Y[k.I]*int32(k.Z[k.I]) - a[k.I] + n
}

package corpus

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Base is a struct that other types embed.
type Base struct {
	ID   uint16
	Flag bool
}

// Key is a method that other types promote.
func (b Base) Key() int32 { return int32(b.ID) * 3 }

// Set is a method with a pointer receiver that other types promote.
func (b *Base) Set(id uint16) { b.ID, b.Flag = id, !b.Flag }

// Middle embeds Base and shadows some of its fields.
type Middle struct {
	Base
	Vec
	ID int8
}

// Outer embeds two structs.
type Outer struct {
	_ int32
	Middle
	Empty struct{}
	Tail  [2]Base
	Z     uint64
	_     [3]byte
}

// Embedded accesses promoted fields and methods, in buffers and in variables.
type Embedded struct {
	In, Out []Outer
	Keys    []int32
	Eq      []bool
}

func (k Embedded) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	o := k.In[i]
	k.Keys[i] = o.Key() + int32(o.ID) + int32(o.Base.ID) + int32(o.X)
	o.Set(uint16(i * 1000))
	o.Scale(2)
	k.In[i].Set(7)
	k.In[i].Tail[i%2].Set(uint16(i))
	o.Tail[1].Set(o.Base.ID + 1)
	o.Z = uint64(o.Tail[1].ID) << 33
	k.Out[i] = o
	k.Eq[i*4] = o == k.In[i]
	k.Eq[i*4+1] = k.Out[i] == o
	k.Eq[i*4+2] = o.Middle != k.Out[i].Middle
	k.Eq[i*4+3] = o.Tail == [2]Base{{1, true}, {2, false}}
}

// Odd has fields without size, fields of one byte, and arrays of length 0 and 1.
type Odd struct {
	A    byte
	None struct{}
	B    [1]int64
	C    [0]int32
	D    [3]bool
	E    struct {
		X int8
		Y struct{ Z float64 }
	}
	F struct{}
}

// Odds copies values of type Odd.
type Odds struct {
	In, Out []Odd
	One     [1]int32
	Zero    [0]int32
	None    struct{}
	N       []int32
}

func (k Odds) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	o := k.In[i]
	o.B[0] += int64(k.One[i%1])
	o.D[i%3] = !o.D[i%3]
	o.E.Y.Z *= 2
	var c [0]int32
	n := len(c) + len(k.Zero)
	for range c {
		n++
	}
	for _, v := range o.D {
		if v {
			n += 10
		}
	}
	k.N[i] = int32(n)
	k.Out[i] = o
	k.Out[i].E.X--
	if k.In[i] == k.Out[i] {
		k.N[i]++
	}
}

// Small is a kernel that stores to slices of small elements.
type Small struct {
	A []int8
	B []uint16
	C []bool
	D []uint8
	E []int16
	F [][3]int8
}

func (k Small) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.A[i] = int8(i*37) - k.A[i]
	k.B[i] = uint16(i*7777) * k.B[i]
	k.C[i] = k.C[i] != (i%3 == 0)
	k.D[i] += 200
	k.D[i] <<= 1
	k.E[i] *= -300
	k.E[i]--
	k.F[i][i%3] = k.A[i] >> 1
	k.F[i][0]++
	k.F[i][2] |= int8(k.B[i])
	k.A[i] /= -1
	k.A[i] %= 5
	k.B[i] &^= 0xf0
	k.D[i] ^= 0xff
	k.E[i] >>= uint8(i)
}

// Number is a constraint.
type Number interface {
	~int | ~int16 | ~int32 | ~uint32 | ~float32 | ~float64
}

// Stack is a generic type with methods.
type Stack[T any] struct {
	Buf [8]T
	N   int
}

// Push adds.
func (s *Stack[T]) Push(v T) { s.Buf[s.N] = v; s.N++ }

// Pop removes.
func (s *Stack[T]) Pop() (v T, ok bool) {
	if s.N == 0 {
		return
	}
	s.N--
	return s.Buf[s.N], true
}

// Pair is generic in two types.
type Pair[A, B any] struct {
	First  A
	Second B
}

func mapSum[T, U Number](s []T, f func(T) U) (sum U) {
	for _, v := range s {
		sum += f(v)
	}
	return
}

func largest[T Number](first T, rest ...T) T {
	for _, v := range rest {
		first = max(first, v)
	}
	return first
}

type meters float32

func (m meters) double() meters { return m * 2 }

type doubler[T any] interface{ double() T }

func twice[T doubler[T]](v T) T { return v.double().double() }

// Generics uses generic functions, structs and methods.
type Generics struct {
	In  []int32
	Out []float64
}

func (k Generics) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var s Stack[Pair[int16, float32]]
	for j := range 3 + i%5 {
		s.Push(Pair[int16, float32]{int16(j), float32(k.In[j]) / 2})
	}
	sum := 0.0
	for p, ok := s.Pop(); ok; p, ok = s.Pop() {
		sum = sum*2 + float64(p.First) + float64(p.Second)
	}
	sum += mapSum(k.In[:5], func(v int32) float64 { return float64(v) * 0.5 })
	sum += float64(mapSum(k.In[2:4], func(v int32) int16 { return int16(v) }))
	sum += float64(largest(k.In[i%3], k.In[1], 5, int32(i)))
	sum += float64(largest[float32](1.5))
	sum += float64(twice(meters(i)))
	k.Out[i] = sum
}

// Complex computes with values of complex types.
type Complex struct {
	X, Y  []float64
	Out   [][2]float64
	Small [][2]float32
	Eq    []bool
}

// Properties requires the same bits on every device.
func (Complex) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact)}
}

// ComplexResults is the number of results per work-item of Complex.
const ComplexResults = 8

func parts(c complex128) [2]float64 { return [2]float64{real(c), imag(c)} }

func (k Complex) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	a, b := complex(x, y), complex(y, x+1)
	o := k.Out[i*ComplexResults:][:ComplexResults]
	o[0] = parts(a + b)
	o[1] = parts(a - b)
	o[2] = parts(complex128(complex64(a)))
	o[3] = parts(-a)
	o[4] = parts(complex(imag(b), real(a)+1))
	o[5] = parts(a * b)
	o[6] = parts(a / b)
	var arr [3]complex128
	arr[i%3] += a
	arr[1] *= 2i
	o[7] = parts(arr[0] + arr[1])
	c := complex64(a)
	c += 2i
	c = c / complex64(b)
	k.Small[i] = [2]float32{real(c), imag(c)}
	k.Eq[i] = a == b || c != complex64(a)
}

// Wide has a hundred fields.
type Wide struct {
	A0, A1, A2, A3, A4, A5, A6, A7, A8, A9 int32
	B0, B1, B2, B3, B4, B5, B6, B7, B8, B9 int8
	C0, C1, C2, C3, C4, C5, C6, C7, C8, C9 float64
	D0, D1, D2, D3, D4, D5, D6, D7, D8, D9 bool
	E0, E1, E2, E3, E4, E5, E6, E7, E8, E9 uint16
	F0, F1, F2, F3, F4, F5, F6, F7, F8, F9 float32
	G0, G1, G2, G3, G4, G5, G6, G7, G8, G9 uint64
	H0, H1, H2, H3, H4, H5, H6, H7, H8, H9 int16
	I0, I1, I2, I3, I4, I5, I6, I7, I8, I9 uint8
	J0, J1, J2, J3, J4, J5, J6, J7, J8, J9 Base
}

// LargeStructs copies, compares and passes values of type Wide.
type LargeStructs struct {
	By  Wide
	In  []Wide
	Out []Wide
	Eq  []bool
}

func mix(a, b Wide) Wide {
	a.A3 += b.A4
	a.B9, b.B0 = b.B0, a.B9
	a.C5 *= b.C5
	a.D1 = a.D1 != b.D2
	a.J7.ID += uint16(b.B0)
	return a
}

func (k LargeStructs) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	w := k.In[i]
	k.Eq[i] = w == k.By
	if i%3 == 0 {
		w = mix(w, k.By)
	} else {
		w = mix(k.By, w)
	}
	k.Out[i] = w
}

// Spilled has more arguments than fit in push constants.
type Spilled struct {
	A, B, C, D, E, F, G []int32
	H, I, J, K          int64
	L                   [6]int16
	M                   bool
	N                   float32
	O                   Vec
	P                   struct {
		Q []float32
		R uint8
	}
	Out []float32
}

func (k Spilled) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.A[i] + k.B[i]*2 + k.C[i]*3 + k.D[i]*4 + k.E[i]*5 + k.F[i]*6 + k.G[i]*7
	x += int32(k.H + k.I*2 + k.J*3 + k.K*4)
	x += int32(k.L[i%6])
	f := float32(x)
	if k.M {
		f += k.N + k.O.Y
	}
	k.G[i]++
	k.Out[i] = f + k.P.Q[i]*float32(k.P.R)
}

package idioms_test

import (
	"math"
	"math/rand/v2"
	"reflect"
)

// operands are what a kernel's fields A, B and C hold: C is zero but for pairs of
// random numbers.
type operands struct{ a, b, c reflect.Value }

func (o *operands) add(a, b, c reflect.Value) {
	o.a, o.b, o.c = reflect.Append(o.a, a), reflect.Append(o.b, b), reflect.Append(o.c, c)
}

// each returns the first of each n.
func (o operands) each(n int) operands {
	s := reflect.Zero(o.a.Type())
	out := operands{s, s, s}
	for i := 0; i < o.a.Len(); i += n {
		out.add(o.a.Index(i), o.b.Index(i), o.c.Index(i))
	}
	return out
}

// operandsOf returns the pairs of edges of a type, then random pairs; with all set,
// all pairs of 8-bit numbers.
func operandsOf(t reflect.Type, random int, all bool) operands {
	s := reflect.SliceOf(t)
	o := operands{reflect.Zero(s), reflect.Zero(s), reflect.Zero(s)}
	r := rand.New(rand.NewPCG(3, uint64(t.Kind())))
	if t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 {
		zero := reflect.Zero(t)
		edges := floatEdges(t.Kind() == reflect.Float64)
		for range random {
			edges = append(edges, math.Ldexp(r.Float64()*2-1, r.IntN(60)-30))
		}
		for i, x := range edges {
			for _, y := range edges[:min(len(edges), 24)] {
				o.add(reflect.ValueOf(x).Convert(t), reflect.ValueOf(y).Convert(t), zero)
			}
			o.add(reflect.ValueOf(x).Convert(t), reflect.ValueOf(edges[(i*7+5)%len(edges)]).Convert(t), zero)
		}
		return o
	}
	number := func(x uint64) reflect.Value { return reflect.ValueOf(x).Convert(t) }
	edges := intEdges(t.Bits())
	if all && t.Bits() == 8 {
		edges = nil
		for x := range uint64(256) {
			edges = append(edges, x)
		}
	}
	for _, x := range edges {
		for _, y := range edges {
			o.add(number(x), number(y), number(0))
		}
	}
	for i := range random {
		x, y := r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64)
		switch c := r.Uint64(); i % 4 {
		case 0:
			o.add(number(x), number(y), number(c))
		case 1: // a sum is an edge
			o.add(number(x), number(y), number(edges[c%uint64(len(edges))]-x))
		case 2:
			o.add(number(x), number(y), number(edges[c%uint64(len(edges))]-y))
		default: // near to each other
			o.add(number(x), number(x+c%5-2), number(y))
		}
	}
	return o
}

// intEdges returns where integers of so many bits go wrong.
func intEdges(bits int) []uint64 {
	edges := []uint64{0, 1, 2, 3, 5, 7, 8, 10, 31, 64, 100}
	for _, x := range edges[1:] {
		edges = append(edges, -x)
	}
	for w := 8; w <= bits; w *= 2 {
		top := uint64(1) << (w - 1)
		edges = append(edges, top-1, top, top+1, top*2-1, -top-1)
		if w < bits {
			edges = append(edges, top*2, -top)
		}
	}
	return append(edges, uint64(1)<<(bits-2), 0x5555555555555555, 0x0123456789abcdef>>(64-bits), 0xfedcba9876543210>>(64-bits))
}

// floatEdges has nothing that is subnormal, or makes results so, as a float32.
func floatEdges(wide bool) []float64 {
	edges := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3, 255, -128, 1e10, -1e10, 1e30, 0.1, 1.0 / 3,
		math.Inf(1), math.Inf(-1), math.NaN(), 1 << 24, 1<<31 + 256, -1 << 63}
	if wide {
		edges = append(edges, math.MaxFloat64, 5e-324, 0x1p-1022, 1<<53, 4503599627370497.5, 0.49999999999999994)
	}
	return edges
}

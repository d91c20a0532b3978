// Package held computes with matrices that are whole in the memory of the host. Package dsl has them so for kernels
// as Go code, and package kernelimpl for their host forms: both have the same bits.
//
// Integers are words, whose products wrap. Floats are float32s, also those of 16 bits.
package held

import (
	"math"

	"github.com/kgen-go/kgen/dsl/half"
)

// Load makes the elements of a matrix of those that lie in memory, row elements from one row to the next and col
// from one column to the next.
func Load[E, W any](tile []W, cols int, src []E, row, col int, convert func(E) W) {
	for at := 0; len(tile) > 0; at += row {
		line := tile[:cols]
		tile = tile[cols:]
		for c, i := 0, at; c < len(line); c, i = c+1, i+col {
			line[c] = convert(src[i])
		}
	}
}

// Load16 is Load for Float16s, whose bits src has. It is half.Float16.Float32 in a loop, without calls for most.
func Load16(tile []float32, cols int, src []uint16, row, col int) {
	for at := 0; len(tile) > 0; at += row {
		line := tile[:cols]
		tile = tile[cols:]
		i := at
		for c := range line {
			x := uint32(src[i])
			i += col
			a := x & 0x7fff
			f := math.Float32frombits(x&0x8000<<16 | (a<<13 + 112<<23)) // the difference of the exponents
			if a-0x0400 >= 0x7c00-0x0400 {                              // subnormal, or no number
				f = half.Float16(x).Float32()
			}
			line[c] = f
		}
	}
}

// Store puts the elements of a matrix into memory, as Load has them there.
func Store[E, W any](dst []E, cols int, tile []W, row, col int, convert func(W) E) {
	for at := 0; len(tile) > 0; at += row {
		line := tile[:cols]
		tile = tile[cols:]
		for c, i := 0, at; c < len(line); c, i = c+1, i+col {
			dst[i] = convert(line[c])
		}
	}
}

// AddProduct adds a*b to sum, which has cols columns; a has inner ones. Products are rounded, and added to an element in
// the order of a's columns.
//
//go:norace
func AddProduct(sum, a, b []float32, inner, cols int) {
	for ; len(sum) > 0; sum, a = sum[cols:], a[inner:] {
		s, k := sum[:cols], 0
		for ; k+4 <= inner; k += 4 { // each sum is loaded and stored once for four products
			x := a[k:][:4]
			b0, b1, b2, b3 := b[k*cols:][:len(s)], b[(k+1)*cols:][:len(s)], b[(k+2)*cols:][:len(s)], b[(k+3)*cols:][:len(s)]
			x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
			for j := range s {
				t := s[j] + float32(x0*b0[j])
				t += float32(x1 * b1[j])
				t += float32(x2 * b2[j])
				s[j] = t + float32(x3*b3[j])
			}
		}
		for ; k < inner; k++ {
			x, row := a[k], b[k*cols:][:len(s)]
			for j := range s {
				s[j] += float32(x * row[j])
			}
		}
	}
}

// AddProduct16 is AddProduct where each sum is rounded to a float32 and then to a Float16.
//
//go:norace
func AddProduct16(sum, a, b []float32, inner, cols int) {
	for ; len(sum) > 0; sum, a = sum[cols:], a[inner:] {
		s := sum[:cols]
		for k := range inner {
			x, row := a[k], b[k*cols:][:len(s)]
			for j := range s {
				s[j] = half.FromFloat32[half.Float16](s[j] + float32(x*row[j])).Float32()
			}
		}
	}
}

// AddProductInts is AddProduct for integers.
//
//go:norace
func AddProductInts(sum, a, b []uint32, inner, cols int) {
	for ; len(sum) > 0; sum, a = sum[cols:], a[inner:] {
		s, k := sum[:cols], 0
		for ; k+4 <= inner; k += 4 {
			x := a[k:][:4]
			b0, b1, b2, b3 := b[k*cols:][:len(s)], b[(k+1)*cols:][:len(s)], b[(k+2)*cols:][:len(s)], b[(k+3)*cols:][:len(s)]
			x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
			for j := range s {
				s[j] += x0*b0[j] + x1*b1[j] + x2*b2[j] + x3*b3[j]
			}
		}
		for ; k < inner; k++ {
			x, row := a[k], b[k*cols:][:len(s)]
			for j := range s {
				s[j] += x * row[j]
			}
		}
	}
}

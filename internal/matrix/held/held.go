// Package held computes with whole matrices in the memory of the host. Package dsl calls package held
// for kernels that run as Go code. Package kernelimpl calls package held for host forms, the versions
// of kernels that kgen generates for the host. Because both callers use package held, Go code and
// host forms compute the same bits.
//
// Integer elements are 32-bit words, whose products wrap around. Float elements are float32s, even if the
// matrix has floats of 16 bits.
package held

import (
	"math"

	"github.com/kgen-go/kgen/dsl/half"
)

// Load converts elements of src to the elements of a matrix. In src, consecutive rows are `row` elements apart,
// and consecutive columns are `col` elements apart.
func Load[E, W any](tile []W, cols int, src []E, row, col int, convert func(E) W) {
	for at := 0; len(tile) > 0; at += row {
		line := tile[:cols]
		tile = tile[cols:]
		for c, i := 0, at; c < len(line); c, i = c+1, i+col {
			line[c] = convert(src[i])
		}
	}
}

// Load16 does the same as Load for Float16s. The elements of src are the bits of the Float16s. Load16 converts
// most numbers without a call of half.Float16.Float32.
func Load16(tile []float32, cols int, src []uint16, row, col int) {
	for at := 0; len(tile) > 0; at += row {
		line := tile[:cols]
		tile = tile[cols:]
		i := at
		for c := range line {
			x := uint32(src[i])
			i += col
			a := x & 0x7fff
			f := math.Float32frombits(x&0x8000<<16 | (a<<13 + 112<<23)) // adjusts the exponent by the difference of the biases
			if a-0x0400 >= 0x7c00-0x0400 {                              // subnormal, infinity or NaN
				f = half.Float16(x).Float32()
			}
			line[c] = f
		}
	}
}

// Store converts the elements of a matrix to elements of dst, with the same layout of memory as in Load.
func Store[E, W any](dst []E, cols int, tile []W, row, col int, convert func(W) E) {
	for at := 0; len(tile) > 0; at += row {
		line := tile[:cols]
		tile = tile[cols:]
		for c, i := 0, at; c < len(line); c, i = c+1, i+col {
			dst[i] = convert(line[c])
		}
	}
}

// AddProduct adds a*b to sum. The parameter cols is the number of columns of sum, and inner is the number of columns of
// a. Each product of two elements is rounded. The products are then added to sum in the order of a's columns.
//
//go:norace
func AddProduct(sum, a, b []float32, inner, cols int) {
	for ; len(sum) > 0; sum, a = sum[cols:], a[inner:] {
		s, k := sum[:cols], 0
		for ; k+4 <= inner; k += 4 { // loads and stores each sum once for four products
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

// AddProduct16 does the same as AddProduct, but rounds each sum to a float32 and then to a Float16.
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

// AddProductInts does the same as AddProduct for integers.
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

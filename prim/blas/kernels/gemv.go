package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// A work-group of Gemv has LineItems work-items and multiplies Lines lines of A, of which it has lineDepth elements in its
// memory at a time.
const (
	LineItems = 256
	Lines     = 32
	lineDepth = 64
	lineShare = Lines * lineDepth / LineItems
)

// Gemv computes Y = Alpha*A*X + Beta*Y for a matrix A of M lines of K elements. Neighbours in memory are elements of a line,
// if it is LeftDeep, and lines begin at multiples of StrideA; otherwise neighbours are of different lines.
type Gemv[T Float, O sums[T]] struct {
	A, X, Y       []T
	M, K, StrideA int
	Alpha, Beta   T
}

type (
	Gemv32 = Gemv[float32, Fused]
	Gemv64 = Gemv[float64, Rounded]
)

// Properties states the work-group's size, and that operations are rounded one by one.
func (Gemv[T, O]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(LineItems), properties.Float(properties.FloatExact)}
}

// Kernel multiplies Lines lines. Each line is summed by one work-item, in order. If lines are deep, all work-items bring
// their elements to the work-group's memory.
func (k Gemv[T, O]) Kernel(it dsl.NDItem1) {
	block := dsl.Local[[Lines][lineDepth + 1]T](it) // 1 more, so that lines begin in different banks
	vector := dsl.Local[[lineDepth]T](it)
	l, first := it.LocalID(), it.GroupID()*Lines
	line := first + l
	var o O
	var sum T
	deep := LeftDeep.Get(it)
	var next [lineShare]T
	var nextX T
	if deep {
		next = k.load(l, first, 0)
	}
	if l < lineDepth && l < k.K {
		nextX = k.X[l]
	}
	for t := 0; t < k.K; t += lineDepth {
		if deep {
			for j := range lineShare {
				e := j*LineItems + l
				block[e/lineDepth][e%lineDepth] = next[j]
			}
		}
		if l < lineDepth {
			vector[l] = nextX
		}
		it.Barrier()
		if deep {
			next = k.load(l, first, t+lineDepth)
		}
		if at := t + lineDepth + l; l < lineDepth && at < k.K {
			nextX = k.X[at]
		}
		if l < Lines && line < k.M {
			if end := min(lineDepth, k.K-t); deep && end == lineDepth {
				for d := range lineDepth {
					sum = o.Add(block[l][d], vector[d], sum)
				}
			} else if deep {
				for d := range end {
					sum = o.Add(block[l][d], vector[d], sum)
				}
			} else {
				for d := range end {
					sum = o.Add(k.A[(t+d)*k.StrideA+line], vector[d], sum)
				}
			}
		}
		it.Barrier()
	}
	if l < Lines && line < k.M {
		k.Y[line] = scaled[T, O](k.Alpha, sum, k.Beta, k.Y, line)
	}
}

// load loads the work-item's share of elements t to t+lineDepth of the lines from the first one on. There are zeros past
// the edges.
func (k Gemv[T, O]) load(l, first, t int) (r [lineShare]T) {
	for j := range lineShare {
		e := j*LineItems + l
		line, d := first+e/lineDepth, t+e%lineDepth
		if at := line*k.StrideA + d; line < k.M && d < k.K && uint(at) < uint(len(k.A)) {
			r[j] = k.A[at]
		}
	}
	return r
}

package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// A work-group of Gemv has LineItems work-items. It multiplies DeepLines lines of A, of which it has lineDepth elements in
// its memory at a time, or a line with each work-item where neighbours in memory are of different lines.
const (
	LineItems = 64
	DeepLines = 32
	lineDepth = 64
	lineShare = DeepLines * lineDepth / LineItems
	batch     = 8 // elements that are loaded together
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

// Kernel multiplies lines. Each line is summed by one work-item, in order. If lines are deep, all work-items bring
// their elements to the work-group's memory.
func (k Gemv[T, O]) Kernel(it dsl.NDItem1) {
	block := dsl.Local[[DeepLines][lineDepth + 1]T](it) // 1 more, so that lines begin in different banks
	vector := dsl.Local[[lineDepth]T](it)
	deep := LeftDeep.Get(it)
	lines := LineItems
	if deep {
		lines = DeepLines
	}
	l, first := it.LocalID(), it.GroupID()*lines
	line := first + l
	sums := l < lines && line < k.M
	var sum T
	var next [lineShare]T
	if deep {
		next = k.load(l, first, 0)
	}
	nextX := k.element(l)
	for t := 0; t < k.K; t += lineDepth {
		if deep {
			for j := range lineShare {
				e := j*LineItems + l
				block[e/lineDepth][e%lineDepth] = next[j]
			}
		}
		vector[l%lineDepth] = nextX
		it.Barrier()
		if deep {
			next = k.load(l, first, t+lineDepth)
		}
		nextX = k.element(t + lineDepth + l)
		if end := k.K - t; sums && deep {
			sum = add[T, O](block[l%DeepLines][:], vector[:], min(end, lineDepth), sum)
		} else if sums {
			sum = k.column(line, t, vector[:min(end, lineDepth)], sum)
		}
		it.Barrier()
	}
	if sums {
		k.Y[line] = scaled[T, O](k.Alpha, sum, k.Beta, k.Y, line)
	}
}

// element returns an element of X, or zero past its end.
func (k Gemv[T, O]) element(i int) T {
	if i < k.K && uint(i) < uint(len(k.X)) {
		return k.X[i]
	}
	return 0
}

// add adds the first n products of a line's elements in work-group memory.
func add[T Float, O sums[T]](line, vector []T, n int, sum T) T {
	var o O
	d := 0
	for ; d+batch <= n; d += batch {
		var u, v [batch]T
		for i := range batch {
			u[i], v[i] = line[d+i], vector[d+i]
		}
		for i := range batch {
			sum = o.Add(u[i], v[i], sum)
		}
	}
	for ; d < n; d++ {
		sum = o.Add(line[d], vector[d], sum)
	}
	return sum
}

// column adds the products of elements t to t+len(vector) of a line whose neighbours in memory are of other lines.
func (k Gemv[T, O]) column(line, t int, vector []T, sum T) T {
	var o O
	d := 0
	for ; d+batch <= len(vector); d += batch {
		var u [batch]T
		for i := range batch {
			if at := (t+d+i)*k.StrideA + line; uint(at) < uint(len(k.A)) { // as it always is, in code that has no fault
				u[i] = k.A[at]
			}
		}
		for i := range batch {
			sum = o.Add(u[i], vector[d+i], sum)
		}
	}
	for ; d < len(vector); d++ {
		sum = o.Add(k.A[(t+d)*k.StrideA+line], vector[d], sum)
	}
	return sum
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

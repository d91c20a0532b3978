package corpus

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

// This file defines kernels with properties.FloatExact that add up products in loops. The results
// of the kernels must have the same bits on every device. A device that fuses a product and a sum
// rounds only once, and computes other bits.

// exact() returns the properties of the kernels in this file.
func exact() properties.List { return properties.List{properties.Float(properties.FloatExact)} }

// ExactResults is the number of results of each work-item of an ExactSums.
const ExactResults = 20

// ExactSums computes sums of products of N numbers. The numbers begin at the work-item's index.
type ExactSums[T ~float32 | ~float64] struct {
	N    int
	A, B []T
	Out  []T
}

// Properties requires the same bits on every device.
func (ExactSums[T]) Properties() properties.List { return exact() }

func (k ExactSums[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	out := k.Out[i*ExactResults:][:ExactResults]
	a, b := k.A[i:][:k.N], k.B[i:][:k.N]
	products(a, b, out)
	recurrences(a, b, out[8:])
	out[15], out[16] = spread(a)
	out[17] = power(a[0], b[0])
	out[18], out[19] = complexSum(a, b)
}

func products[T ~float32 | ~float64](a, b, out []T) {
	var dot, odd, less, both, cross, quotients, roots, triple T
	for j := range a {
		dot += a[j] * b[j]
		if j&1 == 0 {
			odd += b[j] * a[j]
		} else {
			odd -= a[j] * a[j]
		}
		less -= a[j] * b[j]
		both += a[j]*a[j] + b[j]*b[j]
		next := (j + 1) % len(a)
		cross += a[j]*b[next] - a[next]*b[j]
		quotients += a[j] / b[j] * a[next]
		roots += T(math.Sqrt(float64(a[j]*a[j] + b[j]*b[j])))
		triple += a[j] * b[j] * a[next]
	}
	out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7] = dot, odd, less, both, cross, quotients, roots, triple
}

func recurrences[T ~float32 | ~float64](a, b, out []T) {
	var horner, mean, x, v, sum, lost T
	chaos := T(0.25)
	for j := range a {
		horner = horner*b[0]/4 + a[j]
		mean = mean*0.9 + a[j]*0.1
		v += (b[j] - x) * 0.01
		x += v * 0.01
		chaos = 3.75 * chaos * (1 - chaos) // every bit matters after some iterations
		p := a[j] * b[j]
		y := p - lost // Kahan's sum
		t := sum + y
		lost = (t - sum) - y
		sum = t
	}
	out[0], out[1], out[2], out[3], out[4], out[5], out[6] = horner, mean, x, v, chaos, sum, lost
}

// spread() returns the mean and the variance of numbers, by Welford's method.
func spread[T ~float32 | ~float64](x []T) (mean, squares T) {
	for j, v := range x {
		d := v - mean
		mean += d / T(j+1)
		squares += d * (v - mean)
	}
	return mean, squares / T(len(x))
}

// power() multiplies matrices in private memory.
func power[T ~float32 | ~float64](a, b T) T {
	m := [3][3]T{{a / 8, b / 8, 0.5}, {0.25, -a / 8, b / 8}, {0.125, 0.5, 0.75}}
	p := m
	for range 5 {
		var q [3][3]T
		for r := range q {
			for c := range q[r] {
				for j := range m {
					q[r][c] += p[r][j] * m[j][c]
				}
			}
		}
		p = q
	}
	return p[0][0] + p[1][1]*p[2][2]
}

// complexSum multiplies and adds up complex numbers by their real and imaginary parts.
func complexSum[T ~float32 | ~float64](a, b []T) (re, im T) {
	re = 1
	for j := range a {
		x, y := a[j]/16, b[j]/16
		re, im = re*x-im*y+1, re*y+im*x
	}
	return re, im
}

// ExactMatrices multiplies matrices with rows of N numbers. ExactMatrices computes the product of A
// and B, and the product of A's transpose and B, as for gradients of neural networks.
type ExactMatrices struct {
	N                  int
	A, B, Product, Dot []float32
}

// Properties requires the same bits on every device.
func (ExactMatrices) Properties() properties.List { return exact() }

func (k ExactMatrices) Kernel(it dsl.Item1) {
	y, x := it.GlobalID()/k.N, it.GlobalID()%k.N
	var sum, turned float32
	for j := range k.N {
		sum += k.A[y*k.N+j] * k.B[j*k.N+x]
		turned += k.A[j*k.N+y] * k.B[j*k.N+x]
	}
	k.Product[y*k.N+x], k.Dot[y*k.N+x] = sum, turned
}

// ExactSide is the length of the sides of the tiles in ExactTiles.
const ExactSide = 8

// ExactTiles multiplies matrices through tiles in work-group memory, and adds up the tiles of the product as a tree.
// The matrices have rows of N numbers, where N is a multiple of ExactSide.
type ExactTiles struct {
	N               int
	A, B, Out, Sums []float32
}

// Properties requires the same bits on every device.
func (ExactTiles) Properties() properties.List {
	return properties.List{properties.Float(properties.FloatExact), properties.WorkGroupSize(ExactSide, ExactSide)}
}

func (k ExactTiles) Kernel(it dsl.NDItem2) {
	a := dsl.Local[[ExactSide][ExactSide]float32](it)
	b := dsl.Local[[ExactSide][ExactSide]float32](it)
	tree := dsl.Local[[ExactSide * ExactSide]float32](it)
	y, x := it.GlobalID()
	ly, lx := it.LocalID()
	var sum float32
	for t := 0; t < k.N; t += ExactSide {
		a[ly][lx], b[ly][lx] = k.A[y*k.N+t+lx], k.B[(t+ly)*k.N+x]
		it.Barrier()
		for j := range ExactSide {
			sum += a[ly][j] * b[j][lx]
		}
		it.Barrier()
	}
	k.Out[y*k.N+x] = sum
	at := ly*ExactSide + lx
	tree[at] = sum * sum
	for half := ExactSide * ExactSide / 2; half > 0; half /= 2 {
		it.Barrier()
		if at < half {
			tree[at] += tree[at+half] * 0.75
		}
	}
	if at == 0 {
		gy, gx := it.GroupID()
		k.Sums[gy*(k.N/ExactSide)+gx] = tree[0]
	}
}

// ExactTraining trains one neuron in each work-item. The inputs X are rows of 4 numbers, and Y
// contains the wanted output for each row.
type ExactTraining struct {
	Rounds     int
	X, Y       []float32
	Weights    []float32 // 5 weights for each work-item
	Loss       []float32 // loss after all iterations
	Activation []float32
}

// Properties requires the same bits on every device.
func (ExactTraining) Properties() properties.List { return exact() }

func (k ExactTraining) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var w [5]float32
	copy(w[:], k.Weights[i*5:][:5])
	var loss, out float32
	for range k.Rounds {
		loss = 0
		for r := range k.Y {
			x := k.X[r*4:][:4]
			sum := w[4]
			for j := range x {
				sum += w[j] * x[j]
			}
			out = 1 / (1 + math32.Exp(-sum))
			d := out - k.Y[r]
			loss += d * d
			slope := d * out * (1 - out) * 0.5
			for j := range x {
				w[j] -= slope * x[j]
			}
			w[4] -= slope
		}
	}
	copy(k.Weights[i*5:][:5], w[:])
	k.Loss[i], k.Activation[i] = loss, out
}

// ExactRays traces a ray in each work-item. The ray is reflected by a sphere and a plane.
type ExactRays struct {
	Width  int
	Shade  []float32
	Bounds []int32
}

// Properties requires the same bits on every device.
func (ExactRays) Properties() properties.List { return exact() }

type exactVec struct{ x, y, z float32 }

func (a exactVec) plus(b exactVec, by float32) exactVec {
	return exactVec{a.x + b.x*by, a.y + b.y*by, a.z + b.z*by}
}
func (a exactVec) dot(b exactVec) float32 { return a.x*b.x + a.y*b.y + a.z*b.z }

func (k ExactRays) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	at := exactVec{0, 1, -4}
	d := exactVec{float32(i%k.Width)/float32(k.Width) - 0.5, float32(i/k.Width)/float32(k.Width) - 0.6, 1}
	d = exactVec{}.plus(d, 1/math32.Sqrt(d.dot(d)))
	center := exactVec{0.1, 0.8, 0.3}
	light, bounds := float32(1), int32(0)
	for range 6 {
		from := at.plus(center, -1)
		b, c := from.dot(d), from.dot(from)-0.64
		far := float32(1e9)
		if under := b*b - c; under > 0 {
			if t := -b - math32.Sqrt(under); t > 1e-3 {
				far = t
			}
		}
		sphere := far < 1e9
		if d.y < 0 {
			if t := -at.y / d.y; t > 1e-3 && t < far {
				far, sphere = t, false
			}
		}
		if far == 1e9 {
			break
		}
		at = at.plus(d, far)
		n := exactVec{0, 1, 0}
		if sphere {
			n = exactVec{}.plus(at.plus(center, -1), 1.25)
		}
		d = d.plus(n, -2*d.dot(n))
		light = light*0.7 + 0.1*max(n.y, 0)
		bounds++
	}
	k.Shade[i], k.Bounds[i] = light*(d.y*0.5+0.5), bounds
}

// Instances of the kernels for float32 and float64.
type (
	ExactSumsFloat32 = ExactSums[float32]
	ExactSumsFloat64 = ExactSums[float64]
)

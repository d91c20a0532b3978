package neural

import "github.com/kgen-go/kgen/dsl/half"

// Number converts between stored numbers of type T and float32s for computing.
type Number[T any] interface {
	Wide(T) float32
	Narrow(float32) T                          // returns the nearest T
	MulAdd(sums *[Block]float32, x T, row []T) // adds x times the first Block elements of a row to the elements of sums
	Dot(a, b []T) float32                      // returns the sum of the products
}

// Float32 stores float32s without conversion.
type Float32 struct{}

func (Float32) Wide(x float32) float32   { return x }
func (Float32) Narrow(x float32) float32 { return x }
func (Float32) MulAdd(sums *[Block]float32, x float32, row []float32) {
	for j, v := range row[:Block] {
		sums[j] += float32(x * v) // without the conversion, Go may fuse the product and the sum
	}
}
func (Float32) Dot(a, b []float32) (sum float32) {
	b = b[:len(a)]
	for i, v := range a {
		sum += float32(v * b[i])
	}
	return sum
}

// BFloat16 stores the upper half of a float32's bits.
type BFloat16 struct{}

func (BFloat16) Wide(x half.BFloat16) float32   { return x.Float32() }
func (BFloat16) Narrow(x float32) half.BFloat16 { return half.FromFloat32[half.BFloat16](x) }
func (BFloat16) MulAdd(sums *[Block]float32, x half.BFloat16, row []half.BFloat16) {
	by := x.Float32()
	for j, v := range row[:Block] {
		sums[j] += float32(by * v.Float32())
	}
}
func (BFloat16) Dot(a, b []half.BFloat16) float32 { return half.Dot(a, b) }

// Kernels for float32s.
type (
	ShowFloat32     = Show[float32, Float32]
	ForwardFloat32  = Forward[float32, Float32]
	JudgeFloat32    = Judge[float32, Float32]
	BackFloat32     = Back[float32, Float32]
	GradientFloat32 = Gradient[float32, Float32]
	UpdateFloat32   = Update[float32, Float32]
)

// Kernels for BFloat16s.
type (
	ShowBFloat16     = Show[half.BFloat16, BFloat16]
	ForwardBFloat16  = Forward[half.BFloat16, BFloat16]
	JudgeBFloat16    = Judge[half.BFloat16, BFloat16]
	BackBFloat16     = Back[half.BFloat16, BFloat16]
	GradientBFloat16 = Gradient[half.BFloat16, BFloat16]
	UpdateBFloat16   = Update[half.BFloat16, BFloat16]
)

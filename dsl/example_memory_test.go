package dsl_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/guide"
	"github.com/kgen-go/kgen/internal/tests/guide/guidegen"
	"github.com/kgen-go/kgen/runtime"
)

// Any number of work-items change one element, each in one step.
//
//	type Count struct {
//		In               []float32
//		Above            []int32 // of one element, as the others
//		Sum, Least, Most []float32
//	}
//
//	func (k Count) Kernel(it dsl.Item1) {
//		v := k.In[it.GlobalID()]
//		if v > 1 {
//			dsl.AtomicAdd(&k.Above[0], 1)
//		}
//		dsl.AtomicAdd(&k.Sum[0], v)
//		dsl.AtomicMin(&k.Least[0], v)
//		dsl.AtomicMax(&k.Most[0], v)
//	}
func ExampleAtomicAdd() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	k := guide.Count{
		In: []float32{0.5, 2, -1, 8}, Above: make([]int32, 1), Sum: make([]float32, 1),
		Least: []float32{math.MaxFloat32}, Most: []float32{-math.MaxFloat32},
	}
	err = guidegen.RunCount(ctx, dev, k, runtime.Range1(len(k.In)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(k.Above, k.Sum, k.Least, k.Most)
	// Output: [2] [9.5] [-1] [8]
}

// A helper for counters of any type.
//
//	func tally[C dsl.AtomicNumber](counts []C, v byte) {
//		dsl.AtomicAdd(&counts[v], 1)
//	}
//
//	type Histogram struct {
//		In     []byte
//		Counts []uint32
//	}
//
//	func (k Histogram) Kernel(it dsl.Item1) {
//		tally(k.Counts, k.In[it.GlobalID()])
//	}
func ExampleAtomicNumber() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, counts := []byte("a kernel is Go"), make([]uint32, 256)
	err = guidegen.RunHistogram(ctx, dev, guide.Histogram{In: in, Counts: counts}, runtime.Range1(len(in)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(counts['e'], counts[' '], counts['G'], counts['x'])
	// Output: 2 3 1 0
}

// addAll adds to a sum of any type that atomic functions know.
func addAll[T dsl.AtomicValue](sum *T, xs ...T) {
	for _, x := range xs {
		dsl.AtomicAdd(sum, x)
	}
}

// Numbers of package half are added as numbers, and not as their bits.
func ExampleAtomicValue() {
	var sum half.Float16
	addAll(&sum, half.FromFloat32[half.Float16](1.5), half.FromFloat32[half.Float16](2))
	fmt.Println(sum)
	// Output: 3.5
}

// The work-item that comes last, whichever that is, sees what all have written.
//
//	type Last struct {
//		In, Parts, Sum []int32
//		Done           []int32
//	}
//
//	func (k Last) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		k.Parts[i] = k.In[i] * k.In[i]
//		dsl.AtomicFence(dsl.MemoryScopeDevice) // the part is seen before it is counted
//		if dsl.AtomicAdd(&k.Done[0], 1) == int32(len(k.Parts)) {
//			dsl.AtomicFence(dsl.MemoryScopeDevice)
//			for _, v := range k.Parts {
//				k.Sum[0] += v
//			}
//		}
//	}
func ExampleMemoryScope() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, sum := []int32{1, 2, 3, 4}, make([]int32, 1)
	k := guide.Last{In: in, Parts: make([]int32, 4), Sum: sum, Done: make([]int32, 1)}
	err = guidegen.RunLast(ctx, dev, k, 4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum)
	// Output: [30]
}

// A constant that the host sets, or leaves as it is.
//
//	var Window = dsl.NewSpecConstant(3)
//
//	type Median struct{ In, Out []int32 }
//
//	func (k Median) Kernel(it dsl.Item1) {
//		i, n := it.GlobalID(), Window.Get(it)
//		near := dsl.PrivateAlloca[int32](it, Window)
//		for j := range near {
//			near[j] = k.In[min(max(i+j-n/2, 0), len(k.In)-1)]
//		}
//		sorted(near)
//		k.Out[i] = near[n/2]
//	}
//
//	func sorted[T dsl.Number](x []T) {
//		for i := range x {
//			for j := i; j > 0 && x[j] < x[j-1]; j-- {
//				x[j], x[j-1] = x[j-1], x[j]
//			}
//		}
//	}
func ExampleSpecConstant() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []int32{1, 9, 2, 8, 3, 7, 4}, make([]int32, 7)
	err = guidegen.RunMedian(ctx, dev, guide.Median{In: in, Out: out}, runtime.Range1(len(in)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(3, out)

	err = guidegen.RunMedian(ctx, dev, guide.Median{In: in, Out: out}, runtime.Range1(len(in)), runtime.WithSpec(guide.Window, 5))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(5, out)
	// Output:
	// 3 [1 2 8 3 7 4 4]
	// 5 [1 2 3 7 4 4 4]
}

// A constant without a default.
//
//	var Digits = dsl.RequireSpecConstant[int32]()
//
//	type Reversed struct{ X []uint32 }
//
//	func (k Reversed) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		digits := dsl.AlignedPrivateAlloca[uint32](it, Digits, 16)
//		for j := range digits {
//			digits[j] = k.X[i] % 10
//			k.X[i] /= 10
//		}
//		for _, d := range digits {
//			k.X[i] = k.X[i]*10 + d
//		}
//	}
func ExampleRequireSpecConstant() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x := []uint32{1234, 90}
	err = guidegen.RunReversed(ctx, dev, guide.Reversed{X: x}, 2)
	fmt.Println(errors.Is(err, runtime.ErrSpecConst))

	err = guidegen.RunReversed(ctx, dev, guide.Reversed{X: x}, 2, runtime.WithSpec(guide.Digits, 4))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output:
	// true
	// [4321 900]
}

// What all specialization constants have in common: a program is asked whether it has them.
func ExampleAnySpecConstant() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	program, err := runtime.NewProgram(dev, guidegen.Kernels()...)
	if err != nil {
		log.Fatal(err)
	}
	other := dsl.NewSpecConstant(false)
	for _, c := range []dsl.AnySpecConstant{guide.Window, guide.Digits, other} {
		fmt.Println(program.Has(c))
	}
	// Output:
	// true
	// true
	// false
}

// A helper that has memory of its own, of a length that constants say.
//
//	func distinct[N dsl.PrivateLength](it dsl.KernelHandler, n N, x []int32) int {
//		own := dsl.PrivateAlloca[int32](it, n)
//		copy(own, x)
//		sorted(own)
//		count := 0
//		for i := range own {
//			if i == 0 || own[i] != own[i-1] {
//				count++
//			}
//		}
//		return count
//	}
//
//	type Distinct struct {
//		In  []int32
//		Out []int
//	}
//
//	func (k Distinct) Kernel(it dsl.Item1) {
//		i, n := it.GlobalID(), 2*Window.Get(it)
//		k.Out[i] = distinct(it, n, k.In[i*n:i*n+n])
//	}
func ExamplePrivateLength() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []int32{1, 2, 2, 1, 3, 3, 3, 3}, make([]int, 2)
	err = guidegen.RunDistinct(ctx, dev, guide.Distinct{In: in, Out: out}, runtime.Range1(len(out)), runtime.WithSpec(guide.Window, 2))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [2 1]
}

// A helper that takes the argument of any kernel, for the memory that it needs.
//
//	func distinct[N dsl.PrivateLength](it dsl.KernelHandler, n N, x []int32) int {
//		own := dsl.PrivateAlloca[int32](it, n)
//		copy(own, x)
//		sorted(own)
//		count := 0
//		for i := range own {
//			if i == 0 || own[i] != own[i-1] {
//				count++
//			}
//		}
//		return count
//	}
//
//	func sorted[T dsl.Number](x []T) {
//		for i := range x {
//			for j := i; j > 0 && x[j] < x[j-1]; j-- {
//				x[j], x[j-1] = x[j-1], x[j]
//			}
//		}
//	}
func ExampleKernelHandler() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []int32{1, 5, 9, 5, 1, 5}, make([]int, 1)
	err = guidegen.RunDistinct(ctx, dev, guide.Distinct{In: in, Out: out}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [3]
}

// A helper for all integers.
//
//	func roundUp[T dsl.Integer](v, n T) T {
//		return (v + n - 1) / n * n
//	}
//
//	type Pad struct {
//		To   uint16
//		Size []uint16
//	}
//
//	func (k Pad) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		k.Size[i] = roundUp(k.Size[i], k.To)
//	}
func ExampleInteger() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	size := []uint16{1, 16, 17, 1000}
	err = guidegen.RunPad(ctx, dev, guide.Pad{To: 16, Size: size}, runtime.Range1(len(size)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size)
	// Output: [16 16 32 1008]
}

// A helper for all numbers.
//
//	func clamp[T dsl.Number](v, low, high T) T {
//		return min(max(v, low), high)
//	}
//
//	type Clamp struct {
//		Low, High float32
//		X         []float32
//	}
//
//	func (k Clamp) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		k.X[i] = clamp(k.X[i], k.Low, k.High)
//	}
func ExampleNumber() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x := []float32{-3, 0.5, 7}
	err = guidegen.RunClamp(ctx, dev, guide.Clamp{Low: -1, High: 1, X: x}, runtime.Range1(len(x)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [-1 0.5 1]
}

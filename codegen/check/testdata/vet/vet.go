// Package vet has kernels that call functions of other packages.
package vet

import (
	"math"
	"math/rand"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/kgen-go/kgen/codegen/check/testdata/vet/helper"
	"github.com/kgen-go/kgen/dsl"
)

type Calls struct{ Out []int }

func (k Calls) Kernel(it dsl.Item1) {
	var s helper.Stack
	k.Out[0] = helper.Double(2) + helper.Name(3) + s.Len()
	k.Out[1] = helper.Counts(k.Out) // want KG207 `helper.Counts cannot run on a device: kernels have no maps.*github.com/kgen-go/kgen/codegen/check/testdata/vet/helper/helper.go:15:18.`
	k.Out[2] = helper.Deep(k.Out)   // want KG104 `helper.Deep cannot run on a device: kernels have no channels.*helper.go:25:11`
	k.Out[3] = helper.Factorial(3)  // want KG301 `helper.Factorial cannot run on a device: helper.Factorial calls itself`
	k.Out[4] = helper.Shout("a")    // want KG304 `helper.Shout cannot run on a device: strings.ToUpper is not supported in kernels yet`
	helper.Sorted(k.Out)
	k.Out[5] = len(helper.Appended(3)) // want KG204 `helper.Appended cannot run on a device: .*allocate`
	k.Out[6] = len(helper.Sized[int](3))
	s.Print() // want KG304 `Print cannot run on a device: fmt.Sprint runs only on the host`
}

type Standard struct {
	X   []float64
	Out []int
	N   uint32
}

func (k Standard) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.X[i] = math.Sin(k.X[i]) + math.Floor(k.X[0]) + math.Sqrt(2)
	slices.Reverse(k.X)
	atomic.AddUint32(&k.N, 1)
	slices.SortFunc(k.Out, less)
	slices.SortStableFunc(k.Out, less)
	sort.Sort(sort.Reverse(sort.IntSlice(k.Out)))
	sort.Slice(k.Out, nil) // want KG304 `sort.Slice runs only on the host`
}

// Random reaches code of which kernels have another one.
type Random struct {
	Bytes []byte
	Out   []int
}

func (k Random) Kernel(it dsl.Item1) {
	r := rand.New(rand.NewSource(1))
	r.Seed(2)
	r.Read(k.Bytes)
	k.Out[0] = r.Int()
	k.Out[1] = rand.Int() // want KG304 `rand.Int runs only on the host`
}

type Local struct{ Out []int }

func count(xs []int) int {
	m := map[int]int{}   // want KG207 `kernels have no maps`
	return len(m) + m[0] // want KG207 `kernels have no maps`
}

func (k *Local) Kernel(it dsl.NDItem1) { k.Out[0] = count(k.Out) }

type Generic[T any] struct{ X []T }

func (k Generic[T]) Kernel(it dsl.Item1) {
	k.X = append([]T(nil), k.X...) // want KG204 `append has to allocate`
}

type GenericInt = Generic[int]

func less(a, b int) int { return a - b }

package k

import "github.com/kgen-go/kgen/dsl"

// Kernels with regions that do not read their work-item.

type Only struct{}

func (Only) Kernel(it dsl.NDItem1) { it.Barrier() }

type Only2 struct{}

func (Only2) Kernel(it dsl.NDItem2) { it.Barrier() }

type Only3 struct{}

func (Only3) Kernel(it dsl.NDItem3) { it.Barrier() }

type Twice struct{}

func (Twice) Kernel(it dsl.NDItem1) {
	it.Barrier()
	it.Barrier()
}

type SubGroup struct{}

func (SubGroup) Kernel(it dsl.NDItem1) { it.SubGroup().Barrier() }

type Rounds struct{ N int }

func (k Rounds) Kernel(it dsl.NDItem1) {
	for range k.N {
		it.Barrier()
	}
}

type RoundsKept struct {
	N   int
	Out []int
}

func (k RoundsKept) Kernel(it dsl.NDItem1) {
	n := 0
	for i := 0; i < k.N; i++ {
		it.Barrier()
		n += i
	}
	if it.GlobalID() == 0 {
		k.Out[0] = n
	}
}

type RoundsTwo struct{ N int }

func (k RoundsTwo) Kernel(it dsl.NDItem2) {
	for i := k.N; i > 0; i /= 2 {
		it.Barrier()
		it.Barrier()
	}
}

type Four struct{}

func (Four) Kernel(it dsl.NDItem1) {
	for range 4 {
		it.Barrier()
	}
}

type Endless struct{ N int }

func (k Endless) Kernel(it dsl.NDItem1) {
	for i := 0; ; i++ {
		it.Barrier()
		if i > k.N {
			return
		}
	}
}

type Branch struct{ N int }

func (k Branch) Kernel(it dsl.NDItem1) {
	if k.N > 3 {
		it.Barrier()
	} else {
		it.Barrier()
		it.Barrier()
	}
}

type Count struct{ Out []int }

func (k Count) Kernel(it dsl.NDItem1) {
	n := dsl.ReduceOverGroup(it.Group(), 1, dsl.Plus[int])
	if it.LocalID() == 0 {
		k.Out[0] = n
	}
}

type CountUnused struct{}

func (CountUnused) Kernel(it dsl.NDItem1) {
	dsl.ReduceOverGroup(it.Group(), 1, dsl.Plus[int])
}

type CountAll struct{ Out []int }

func (k CountAll) Kernel(it dsl.NDItem1) {
	k.Out[0] = dsl.ReduceOverGroup(it.Group(), 1, dsl.Plus[int])
}

type CountTwice struct{ Out []int }

func (k CountTwice) Kernel(it dsl.NDItem1) {
	n := dsl.ReduceOverGroup(it.Group(), 1, dsl.Plus[int])
	k.Out[0] = dsl.ReduceOverGroup(it.Group(), n, dsl.Maximum[int])
}

type Any struct{ Out []int }

func (k Any) Kernel(it dsl.NDItem1) {
	if dsl.AnyOfGroup(it.Group(), len(k.Out) > 3) {
		k.Out[1] = 4
	}
}

type Local struct{ N int }

func (k Local) Kernel(it dsl.NDItem1) {
	t := dsl.Local[[4]int](it)
	t[0] = k.N
	it.Barrier()
	t[1] = t[0]
}

type GroupOnly struct{ Out []int }

func (k GroupOnly) Kernel(it dsl.NDItem1) {
	it.Barrier()
	k.Out[it.GroupID()] = it.GroupRange()
}

type Row struct{ Out []int }

func (k Row) Kernel(it dsl.NDItem2) {
	it.Barrier()
	y, _ := it.GlobalID()
	k.Out[y] = y
}

type Column struct{ Out []int }

func (k Column) Kernel(it dsl.NDItem3) {
	it.Barrier()
	_, _, x := it.GlobalID()
	k.Out[x] = x
	it.Barrier()
	z, _, _ := it.LocalID()
	k.Out[z] = z
}

// Loops over the rows of matrices.

// Gradient is the gradient of weights: the product of the transposed A with B.
type Gradient struct {
	A, B, Out []float32
	M, Cols   int
	N         int
}

func (k Gradient) Kernel(it dsl.Item2) {
	i, j := it.GlobalID()
	sum := float32(0)
	for b := 0; b < k.M; b++ {
		sum += k.A[b*k.Cols+i] * k.B[b*k.N+j]
	}
	k.Out[i*k.N+j] = sum
}

type GradientGuarded struct {
	A, B, Out []float32
	M, Cols   int
	N         int
}

func (k GradientGuarded) Kernel(it dsl.Item2) {
	i, j := it.GlobalID()
	if i >= k.Cols || j >= k.N {
		return
	}
	sum := float32(0)
	for b := range k.M {
		sum += k.A[b*k.Cols+i] * k.B[b*k.N+j]
	}
	k.Out[i*k.N+j] = sum
}

type Gradient3 struct {
	A, B, Out []float32
	M, Cols   int
	N         int
}

func (k Gradient3) Kernel(it dsl.Item3) {
	z, i, j := it.GlobalID()
	sum := float32(z)
	for b := k.M - 1; b >= 0; b-- {
		sum += k.A[(z*k.M+b)*k.Cols+i] * k.B[(z*k.M+b)*k.N+j]
	}
	k.Out[(z*k.Cols+i)*k.N+j] = sum
}

// Columns reads one matrix only, at a place that depends on the row and the round.
type Columns struct {
	A, B, Out []float32
	M, N      int
}

func (k Columns) Kernel(it dsl.Item2) {
	i, j := it.GlobalID()
	sum := float32(0)
	for b := range k.M {
		x := k.A[(b*b+i)&15]
		if x > 0 {
			sum += x * k.B[b*k.N+j]
		}
	}
	k.Out[i*k.N+j] = sum
}

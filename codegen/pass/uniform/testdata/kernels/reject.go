package uniform

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

type (
	R01 struct{ Mem }
	R02 struct{ Mem }
	R03 struct{ Mem }
	R04 struct{ Mem }
	R05 struct{ Mem }
	R06 struct{ Mem }
	R07 struct{ Mem }
	R08 struct{ Mem }
	R09 struct{ Mem }
	R10 struct{ Mem }
	R11 struct{ Mem }
	R12 struct{ Mem }
	R13 struct{ Mem }
	R14 struct{ Mem }
	R15 struct{ Mem }
	R16 struct{ Mem }
	R17 struct{ Mem }
	R18 struct{ Mem }
	R19 struct{ Mem }
	R20 struct{ Mem }
	R21 struct{ Mem }
	R22 struct{ Mem }
	R23 struct{ Mem }
	R24 struct{ Mem }
	R25 struct{ Mem }
	R26 struct{ Mem }
	R27 struct{ Mem }
	R28 struct{ Mem }
	R29 struct{ Mem }
	R30 struct{ Mem }
	R31 struct{ Mem }
	R32 struct{ Mem }
	R33 struct{ Mem }
	R34 struct{ Mem }
	R35 struct{ Mem }
	R36 struct{ Mem }
	R37 struct{ Mem }
	R38 struct{ Mem }
	R39 struct{ Mem }
	R40 struct{ Mem }
	R41 struct{ Mem }
	R42 struct{ Mem }
	R43 struct{ Mem }
	R44 struct{ Mem }
	R45 struct{ Mem }
	R46 struct{ Mem }
	R47 struct{ Mem }
	R48 struct{ Mem }
	R49 struct {
		Mem
		W [3]int
	}
	R50 struct{ Mem }
	R51 struct{ Mem }
	R52 struct{ Mem }
	R53 struct{ Mem }
	R54 struct{ Mem }
)

func (k R01) Kernel(it dsl.NDItem1) {
	if it.LocalID() == 0 { // branch
		it.Barrier() // want KG401 `this barrier .*it\.LocalID\(\)`
	}
}

func (k R02) Kernel(it dsl.NDItem1) {
	if it.GlobalID() < k.N { // branch
		k.Y[it.GlobalID()] = 1
		it.Barrier() // want KG401 `this barrier .*it\.GlobalID\(\)`
		k.Y[it.GlobalID()] = 2
	}
}

func (k R03) Kernel(it dsl.NDItem1) {
	if k.X[it.GlobalID()] > 0 { // branch
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	}
}

// A number of rounds that differs.
func (k R04) Kernel(it dsl.NDItem1) {
	for range it.LocalID() { // branch
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
}

func (k R05) Kernel(it dsl.NDItem1) {
	for n := k.X[it.GlobalID()]; n > 0; n-- { // branch
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	}
}

// What the kernel writes may change between two loads.
func (k R06) Kernel(it dsl.NDItem1) {
	k.Y[it.GlobalID()] = 1
	if k.Y[0] > 0 { // branch
		it.Barrier() // want KG401 `an element of .*Y, which the kernel writes`
	}
}

func (k R07) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[4]int32](it)
	tile[it.LocalID()%4] = 1
	if tile[0] > 0 { // branch
		it.Barrier() // want KG401 `a value in work-group memory`
	}
}

func (k R08) Kernel(it dsl.NDItem1) {
	if atomic.AddInt32(&k.Y[0], 1) == 1 { // branch
		it.Barrier() // want KG401 `the result of an atomic operation`
	}
}

func (k R09) Kernel(it dsl.NDItem1) {
	if atomic.LoadInt32(&k.Y[0]) == 1 { // branch
		it.Barrier() // want KG401 `the result of an atomic operation`
	}
}

func (k R10) Kernel(it dsl.NDItem1) {
	if dsl.ReduceOverGroup(it.SubGroup(), k.X[it.GlobalID()], dsl.Plus) > 0 { // branch
		it.Barrier() // want KG401 `what a sub-group computes`
	}
}

func (k R11) Kernel(it dsl.NDItem1) {
	if dsl.InclusiveScanOverGroup(it.Group(), int32(1), dsl.Plus) > 3 { // branch
		it.Barrier() // want KG401 `the result of a scan`
	}
}

func (k R12) Kernel(it dsl.NDItem1) {
	if dsl.GroupBroadcast(it.Group(), k.X[it.GlobalID()], it.LocalID()/2) > 3 { // branch
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
}

func (k R13) Kernel(it dsl.NDItem1) {
	if it.SubGroup().GroupID() == 0 { // branch
		it.Barrier() // want KG401 `it\.SubGroup\(\)\.GroupID\(\)`
	}
}

func (k R14) Kernel(it dsl.NDItem1) {
	if it.SubGroup().LocalID() == 0 { // branch
		it.SubGroup().Barrier() // want KG401 `it\.SubGroup\(\)\.LocalID\(\)`
	}
}

// The last sub-group of a work-group may be smaller.
func (k R15) Kernel(it dsl.NDItem1) {
	if it.SubGroup().LocalRange() == 8 { // branch
		it.Barrier() // want KG401 `it\.SubGroup\(\)\.LocalRange\(\)`
	}
}

// A group algorithm.
func (k R16) Kernel(it dsl.NDItem1) {
	if it.LocalID() > 3 { // branch
		k.Y[it.GlobalID()] = dsl.ReduceOverGroup(it.Group(), int32(1), dsl.Plus) // want KG401 `this group algorithm .*it\.LocalID\(\)`
	}
}

func (k R17) Kernel(it dsl.NDItem1) {
	if it.LocalID() > 3 { // branch
		k.Y[it.GlobalID()] = dsl.ShiftGroupLeft(it.SubGroup(), int32(1), 1) // want KG401 `this group algorithm .*it\.LocalID\(\)`
	}
}

func (k R18) Kernel(it dsl.NDItem1) {
	if it.LocalID() > 3 { // branch
		tile := dsl.Local[[4]int32](it) // want KG401 `this work-group memory`
		tile[0] = 1
		k.Y[it.GlobalID()] = tile[1]
	}
}

func (k R19) Kernel(it dsl.NDItem1) {
	if it.LocalID() > 3 { // branch
		if dsl.Uniform(k.X[it.GlobalID()]) > 0 { // want KG401 `this call of dsl\.Uniform`
			k.Y[it.GlobalID()] = 1
		}
	}
}

// Both sides have one, but not the same.
func (k R20) Kernel(it dsl.NDItem1) {
	if it.LocalID() > 3 { // branch
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	} else {
		k.Y[0] = 1
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
}

// In a helper.
func (k R21) Kernel(it dsl.NDItem1) {
	if k.X[it.GlobalID()] != 0 { // branch
		synchronize(it)
	}
}

func synchronize(it dsl.NDItem1) {
	it.Barrier() // want KG401 `it\.GlobalID\(\)`
}

// A value that was chosen by what differs.
func (k R22) Kernel(it dsl.NDItem1) {
	n := 3
	if it.LocalID() > 3 {
		n = k.N
	}
	if n == 3 { // branch
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
}

// A break that differs, and a barrier after it in the round.
func (k R23) Kernel(it dsl.NDItem1) {
	for j := range k.N {
		if k.X[it.GlobalID()] == int32(j) { // branch
			break
		}
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	}
	it.Barrier()
}

// A continue that differs, around a barrier.
func (k R24) Kernel(it dsl.NDItem1) {
	for j := range k.N {
		if it.LocalID() == j { // branch
			continue
		}
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
}

// The count of a loop that ends at different times.
func (k R25) Kernel(it dsl.NDItem1) {
	n := 0
	for k.X[it.GlobalID()+n] > 0 {
		n++
	}
	if n > 3 { // branch
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	}
}

// A switch.
func (k R26) Kernel(it dsl.NDItem1) {
	switch k.X[it.GlobalID()] {
	case 0: // branch
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	case 1:
		k.Y[0] = 1
	}
}

// One part of a condition differs.
func (k R27) Kernel(it dsl.NDItem1) {
	if k.Flag && it.LocalID() < 3 { // branch
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
}

// In two dimensions: the row is as much a work-item's own as the column.
func (k R28) Kernel(it dsl.NDItem2) {
	if y, _ := it.LocalID(); y == 0 { // branch
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
}

// Nested, where the inner condition is uniform.
func (k R29) Kernel(it dsl.NDItem1) {
	if it.LocalID() < 3 { // branch
		if k.Flag {
			it.Barrier() // want KG401 `it\.LocalID\(\)`
		}
	}
}

// goto around a barrier.
func (k R30) Kernel(it dsl.NDItem1) {
	if it.LocalID() < 3 { // branch
		goto end
	}
	it.Barrier() // want KG401 `it\.LocalID\(\)`
end:
	k.Y[it.GlobalID()] = 1
	it.Barrier()
}

// An array of a work-item's own.
func (k R31) Kernel(it dsl.NDItem1) {
	var a [8]int32
	for j := range a {
		a[j] = int32(it.LocalID() + j)
	}
	if a[k.N&7] > 3 { // branch
		it.Barrier() // want KG401 `the variable a, which is a work-item's own .*it\.LocalID\(\)`
	}
}

// Two barriers under one condition, each reported.
func (k R32) Kernel(it dsl.NDItem1) {
	if it.LocalLinearID() < 3 { // branch
		it.Barrier() // want KG401 `it\.LocalID\(\)`
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
}

// A loop that goes on as long as some work-item of its own wants.
func (k R33) Kernel(it dsl.NDItem1) {
	v := k.X[it.GlobalID()]
	for {
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
		v /= 2
		if v == 0 { // branch
			break
		}
	}
	it.Barrier()
}

// A shuffled value.
func (k R34) Kernel(it dsl.NDItem1) {
	if dsl.ShiftGroupLeft(it.SubGroup(), int32(it.GroupID()), 1) > 3 { // branch
		it.Barrier() // want KG401 `the result of a selection|it\.SubGroup`
	}
}

// Rounds as many as a work-item brings along from a loop of its own.
func (k R35) Kernel(it dsl.NDItem1) {
	n := int32(0)
	for n*n < k.X[it.GlobalID()] {
		n++
	}
	for ; n > 0; n-- { // branch
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	}
}

// One round more for work-items that come by a loop of their own.
func (k R36) Kernel(it dsl.NDItem1) {
	n, v := k.N, k.X[it.GlobalID()]
	if v > 3 {
		for v%7 != 0 {
			v--
		}
		n = 3
	}
	for ; n > 0; n-- { // branch
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	}
	k.Y[it.GlobalID()] = v
}

// The end of a loop is no return statement, though one follows.
func (k R37) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	for i := int32(0); i < k.X[id]; i++ { // branch
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	}
	k.Y[id] = 1
	return
}

// Nor is a break, though there is a return statement beside it.
func (k R38) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	for i := range k.N { // branch
		if k.X[id] == int32(i) {
			break
		}
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
		if k.Flag {
			return
		}
	}
	k.Y[id] = 1
}

// An endless loop that each leaves when it likes.
func (k R39) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	for v := k.X[id]; ; v-- {
		if v < 3 { // branch
			return
		}
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	}
}

// Values that differ where work-items part.
func (k R40) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	n := k.N
	if k.Flag {
		n = k.M
	} else if k.X[id] > 3 {
		k.Y[id] = 1
	} else if k.X[id] > 2 {
		n++
	}
	if n > 3 { // branch
		it.Barrier() // want KG401 `it\.GlobalID\(\)`
	}
}

// A break to where all go, after some have left.
func (k R41) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	if k.X[id] > 100 {
		return
	}
	for i := 0; i < 3; i++ {
		if i == it.LocalID() { // branch
			break
		}
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
	k.Y[id] = 1
}

// The same after checks that some fail between barriers.
func (k R42) Kernel(it dsl.NDItem1) {
	id := it.GlobalID()
	n := k.N
	if k.X[id] > 3 {
		n = k.M
		k.Y[id] = k.X[n]
	}
	for i := 0; i < 3; i++ {
		if i == it.LocalID() { // branch
			break
		}
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
	k.Y[id] = 1
}

// A barrier in a loop that kgen writes out is reported once.
func (k R43) Kernel(it dsl.NDItem1) {
	var own [3]uint32
	for j := range own {
		if it.LocalID() == 0 { // branch
			it.SubGroup().Barrier() // want KG401 `this barrier .*it\.LocalID\(\)`
		}
		own[j] = uint32(j)
	}
	k.Y[it.GlobalID()] = int32(own[0] + own[1] + own[2])
}

// An array that gets another value where only some work-items are.
func (k R44) Kernel(it dsl.NDItem1) {
	counts := [3]int{1, 2, 3}
	if it.LocalID() == 1 {
		counts[1] = 7
	}
	for _, n := range counts { // branch
		for range n {
			it.Barrier() // want KG401 `the variable counts, .*it\.LocalID\(\)`
		}
	}
}

// A literal with a value that differs.
func (k R45) Kernel(it dsl.NDItem1) {
	steps := []int{k.N, it.GlobalID()}
	for _, n := range steps {
		for range n { // branch
			it.Barrier() // want KG401 `the variable steps, .*it\.GlobalID\(\)`
		}
	}
}

// The same value at places that differ.
func (k R46) Kernel(it dsl.NDItem1) {
	var hit [40]bool
	hit[it.LocalID()%40] = true
	for i := range hit {
		if hit[i] { // branch
			it.Barrier() // want KG401 `the variable hit, .*it\.LocalID\(\)`
		}
	}
}

// An array that has no name.
func (k R47) Kernel(it dsl.NDItem1) {
	for _, n := range [2]int{k.N, it.LocalID()} { // branch
		for range n {
			it.Barrier() // want KG401 `on an array, which is .*it\.LocalID\(\)`
		}
	}
}

func bump(p *[2]int, by int) { p[1] += by }

// A store through a pointer.
func (k R48) Kernel(it dsl.NDItem1) {
	rounds := [2]int{1, 2}
	bump(&rounds, it.LocalID())
	for i := range rounds {
		for range rounds[i] { // branch
			it.Barrier() // want KG401 `the variable rounds, .*it\.LocalID\(\)`
		}
	}
}

// A field that the kernel changes.
func (k R49) Kernel(it dsl.NDItem1) {
	k.W[2] = it.LocalID()
	for i := range k.W {
		for range k.W[i] { // branch
			it.Barrier() // want KG401 `the variable k\.W, .*it\.LocalID\(\)`
		}
	}
}

// A loop that work-items leave one by one, and that stores as long as they are in it.
func (k R50) Kernel(it dsl.NDItem1) {
	var last [2]int
	for i := range k.N {
		if k.X[it.GlobalID()] == int32(i) {
			break
		}
		last[i&1] = i
	}
	for range last[k.M&1] { // branch
		it.Barrier() // want KG401 `the variable last, .*it\.GlobalID\(\)`
	}
}

// All have the same array, but do not look at the same element.
func (k R51) Kernel(it dsl.NDItem1) {
	sizes := [3]int{k.N, 2, 3}
	for range sizes[it.LocalID()%3] { // branch
		it.Barrier() // want KG401 `it\.LocalID\(\)`
	}
}

// A copy of a whole array.
func (k R52) Kernel(it dsl.NDItem1) {
	var own [4]int
	own[k.N&3] = it.LocalID()
	other := own
	for range other[k.M&3] { // branch
		it.Barrier() // want KG401 `the variable own, .*it\.LocalID\(\)`
	}
}

// An element is loaded where work-items are in different rounds.
func (k R53) Kernel(it dsl.NDItem1) {
	var a [2]int
	for i := 0; ; i++ {
		a[i&1] = i
		if i > it.LocalID() {
			break
		}
	}
	if a[0] > a[1] { // branch
		it.Barrier() // want KG401 `the variable a, .*it\.LocalID\(\)`
	}
}

// Copies of values that may vary.
func (k R54) Kernel(it dsl.NDItem1) {
	first := [2]int32{k.Y[0], k.Y[1]}
	k.Y[it.GlobalID()] = 3
	for _, n := range first { // branch
		for range n {
			it.Barrier() // want KG401 `the variable first, .*an element of .*Y, which the kernel writes`
		}
	}
}

type (
	RMatrix1 struct{ Mem }
	RMatrix2 struct{ Mem }
	RMatrix3 struct{ Mem }
	RMatrix4 struct{ Mem }
)

// Some have returned that hold elements.
func (k RMatrix1) Kernel(it dsl.NDItem1) {
	if k.X[it.GlobalID()] > 0 { // branch
		return
	}
	acc := dsl.LoadAccumulator[[4][4]int32](it.SubGroup(), k.X, 4, dsl.RowMajor) // want KG405 `some have returned`
	k.Y[it.GlobalID()] = int32(dsl.ElementCount(it.SubGroup(), acc))
}

// Only some load.
func (k RMatrix2) Kernel(it dsl.NDItem1) {
	var acc dsl.Accumulator[[4][4]int32]
	if it.LocalID() > 3 { // branch
		acc = dsl.LoadAccumulator[[4][4]int32](it.SubGroup(), k.X, 4, dsl.RowMajor) // want KG401 `this use of a matrix.*it.LocalID`
	}
	it.Barrier()
	k.Y[it.GlobalID()] = int32(dsl.ElementCount(it.SubGroup(), acc))
}

// They go different rounds.
func (k RMatrix3) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	var acc dsl.Accumulator[[4][4]int32]
	var a dsl.MatrixA[[4][4]int8]
	var b dsl.MatrixB[[4][4]int8]
	for range k.X[it.GlobalID()] { // branch
		acc = dsl.MulAdd(sg, a, b, acc) // want KG401 `this use of a matrix`
	}
	it.Barrier()
	dsl.StoreAccumulator(sg, acc, k.Y, 4, dsl.RowMajor)
}

// Some return between two uses.
func (k RMatrix4) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	acc := dsl.LoadAccumulator[[4][4]int32](sg, k.X, 4, dsl.RowMajor)
	if it.LocalID() == 0 { // branch
		return
	}
	dsl.StoreAccumulator(sg, acc, k.Y, 4, dsl.RowMajor) // want KG405 `some have returned`
}

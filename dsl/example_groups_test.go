package dsl_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/internal/tests/guide"
	"github.com/kgen-go/kgen/internal/tests/guide/guidegen"
	"github.com/kgen-go/kgen/runtime"
)

// What a work-group has in common.
//
//	type Totals struct {
//		In, Sum, Least, Greatest []int32
//	}
//
//	func (k Totals) Kernel(it dsl.NDItem1) {
//		g, v := it.Group(), k.In[it.GlobalID()]
//		sum := dsl.ReduceOverGroup(g, v, dsl.Plus)
//		least := dsl.ReduceOverGroup(g, v, dsl.Minimum)
//		greatest := dsl.ReduceOverGroup(g, v, dsl.Maximum)
//		if g.LocalID() == 0 {
//			i := g.GroupID()
//			k.Sum[i], k.Least[i], k.Greatest[i] = sum, least, greatest
//		}
//	}
func ExampleGroup() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in := []int32{5, 1, 3, 10, -2, 4}
	sum, least, greatest := make([]int32, 2), make([]int32, 2), make([]int32, 2)
	k := guide.Totals{In: in, Sum: sum, Least: least, Greatest: greatest}
	err = guidegen.RunTotals(ctx, dev, k, runtime.NDRange1{Global: 6, Local: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum, least, greatest)
	// Output: [9 12] [1 -2] [5 10]
}

// Operators on bits, and a product.
//
//	type Bits struct {
//		In, And, Or, Xor, Product []uint32
//	}
//
//	func (k Bits) Kernel(it dsl.NDItem1) {
//		g, v := it.Group(), k.In[it.GlobalID()]
//		and := dsl.ReduceOverGroup(g, v, dsl.BitAnd)
//		or := dsl.ReduceOverGroup(g, v, dsl.BitOr)
//		xor := dsl.ReduceOverGroup(g, v, dsl.BitXor)
//		product := dsl.ReduceOverGroup(g, v, dsl.Multiplies)
//		if g.LocalID() == 0 {
//			i := g.GroupID()
//			k.And[i], k.Or[i], k.Xor[i], k.Product[i] = and, or, xor, product
//		}
//	}
func ExampleReduceOverGroup() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in := []uint32{6, 5, 3, 8, 12, 9}
	and, or, xor, product := make([]uint32, 2), make([]uint32, 2), make([]uint32, 2), make([]uint32, 2)
	k := guide.Bits{In: in, And: and, Or: or, Xor: xor, Product: product}
	err = guidegen.RunBits(ctx, dev, k, runtime.NDRange1{Global: 6, Local: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(and, or, xor, product)
	// Output: [0 8] [7 13] [0 13] [90 864]
}

// Sums up to each element, and before it. Each work-group begins anew.
//
//	type Running struct{ In, UpTo, Before []int32 }
//
//	func (k Running) Kernel(it dsl.NDItem1) {
//		i, g := it.GlobalID(), it.Group()
//		k.UpTo[i] = dsl.InclusiveScanOverGroup(g, k.In[i], dsl.Plus)
//		k.Before[i] = dsl.ExclusiveScanOverGroup(g, k.In[i], dsl.Plus)
//	}
func ExampleExclusiveScanOverGroup() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, upTo, before := []int32{1, 2, 3, 4, 5, 6}, make([]int32, 6), make([]int32, 6)
	err = guidegen.RunRunning(ctx, dev, guide.Running{In: in, UpTo: upTo, Before: before}, runtime.NDRange1{Global: 6, Local: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(upTo, before)
	// Output: [1 3 6 4 9 15] [0 1 3 0 4 9]
}

// What has been true of all elements up to each one, or of any.
//
//	type Rising struct {
//		In             []int32
//		Rises, Negated []bool
//	}
//
//	func (k Rising) Kernel(it dsl.NDItem1) {
//		i, g := it.GlobalID(), it.Group()
//		up := g.LocalID() == 0 || k.In[i] > k.In[i-1]
//		k.Rises[i] = dsl.InclusiveScanOverGroup(g, up, dsl.LogicalAnd)
//		k.Negated[i] = dsl.InclusiveScanOverGroup(g, k.In[i] < 0, dsl.LogicalOr)
//	}
func ExampleInclusiveScanOverGroup() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, rises, negated := []int32{1, 2, 2, 4, -5, 6}, make([]bool, 6), make([]bool, 6)
	err = guidegen.RunRising(ctx, dev, guide.Rising{In: in, Rises: rises, Negated: negated}, runtime.NDRange1{Global: 6, Local: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rises)
	fmt.Println(negated)
	// Output:
	// [true true false true false false]
	// [false false false false true true]
}

// Votes of a work-group.
//
//	type Votes struct {
//		In  []int32
//		Out [][3]bool
//	}
//
//	func (k Votes) Kernel(it dsl.NDItem1) {
//		g, even := it.Group(), k.In[it.GlobalID()]%2 == 0
//		votes := [3]bool{dsl.AnyOfGroup(g, even), dsl.AllOfGroup(g, even), dsl.NoneOfGroup(g, even)}
//		if g.LocalID() == 0 {
//			k.Out[g.GroupID()] = votes
//		}
//	}
func ExampleAnyOfGroup() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, out := []int32{1, 2, 4, 4, 3, 7}, make([][3]bool, 3)
	err = guidegen.RunVotes(ctx, dev, guide.Votes{In: in, Out: out}, runtime.NDRange1{Global: 6, Local: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("any, all, none are even:", out)
	// Output: any, all, none are even: [[true false false] [true true false] [false false true]]
}

// A helper for work-groups and sub-groups.
//
//	func share[G dsl.AnyGroup](g G, v float32) float32 {
//		return v / dsl.ReduceOverGroup(g, v, dsl.Plus)
//	}
//
//	type Shares struct{ In, OfGroup, OfSubGroup []float32 }
//
//	func (Shares) Properties() properties.List {
//		return properties.List{properties.SubGroupSize(4)}
//	}
//
//	func (k Shares) Kernel(it dsl.NDItem1) {
//		i := it.GlobalID()
//		k.OfGroup[i] = share(it.Group(), k.In[i])
//		k.OfSubGroup[i] = share(it.SubGroup(), k.In[i])
//	}
func ExampleAnyGroup() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, group, sub := []float32{1, 2, 3, 2, 4, 0, 0, 4}, make([]float32, 8), make([]float32, 8)
	err = guidegen.RunShares(ctx, dev, guide.Shares{In: in, OfGroup: group, OfSubGroup: sub}, runtime.NDRange1{Global: 8, Local: 8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(group)
	fmt.Println(sub)
	// Output:
	// [0.0625 0.125 0.1875 0.125 0.25 0 0 0.25]
	// [0.125 0.25 0.375 0.25 0.5 0 0 0.5]
}

// The lanes of sub-groups, and a set of lanes.
//
//	type Lanes struct {
//		In   []int32
//		Lane []int
//		Odd  []uint32
//	}
//
//	func (Lanes) Properties() properties.List {
//		return properties.List{properties.SubGroupSize(4)}
//	}
//
//	func (k Lanes) Kernel(it dsl.NDItem1) {
//		i, s := it.GlobalID(), it.SubGroup()
//		k.Lane[i] = s.LocalID()
//		k.Odd[i] = dsl.GroupBallot(s, k.In[i]%2 != 0)[0]
//	}
func ExampleSubGroup() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in, lane, odd := []int32{1, 2, 4, 3, 2, 2, 5, 2}, make([]int, 8), make([]uint32, 8)
	err = guidegen.RunLanes(ctx, dev, guide.Lanes{In: in, Lane: lane, Odd: odd}, runtime.NDRange1{Global: 8, Local: 8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(lane)
	fmt.Printf("%04b %04b\n", odd[0], odd[4])
	// Output:
	// [0 1 2 3 0 1 2 3]
	// 1001 0100
}

// Values go from lane to lane without memory.
//
//	type Moves struct {
//		In                                   []int32
//		First, Next, Previous, Paired, Picks []int32
//	}
//
//	func (Moves) Properties() properties.List {
//		return properties.List{properties.SubGroupSize(4)}
//	}
//
//	func (k Moves) Kernel(it dsl.NDItem1) {
//		i, s := it.GlobalID(), it.SubGroup()
//		v := k.In[i]
//		k.First[i] = dsl.GroupBroadcast(s, v, 0)
//		k.Next[i] = dsl.ShiftGroupLeft(s, v, 1)
//		k.Previous[i] = dsl.ShiftGroupRight(s, v, 1)
//		k.Paired[i] = dsl.PermuteGroupByXor(s, v, 1)
//		k.Picks[i] = dsl.SelectFromGroup(s, v, s.LocalRange()-1-s.LocalID())
//	}
func ExampleShiftGroupLeft() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	k := guide.Moves{
		In: []int32{1, 2, 3, 4, 5, 6, 7, 8}, First: make([]int32, 8),
		Next: make([]int32, 8), Previous: make([]int32, 8), Paired: make([]int32, 8), Picks: make([]int32, 8),
	}
	err = guidegen.RunMoves(ctx, dev, k, runtime.NDRange1{Global: 8, Local: 8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("first   ", k.First)
	fmt.Println("next    ", k.Next) // zero where there is no lane
	fmt.Println("previous", k.Previous)
	fmt.Println("paired  ", k.Paired)
	fmt.Println("picks   ", k.Picks)
	// Output:
	// first    [1 1 1 1 5 5 5 5]
	// next     [2 3 4 0 6 7 8 0]
	// previous [0 1 2 3 0 5 6 7]
	// paired   [2 1 4 3 6 5 8 7]
	// picks    [4 3 2 1 8 7 6 5]
}

// The limit is data, which kgen cannot know to be the same for all work-items of a group.
//
//	type Halve struct {
//		Limit []int32
//		X     []int32
//	}
//
//	func (k Halve) Kernel(it dsl.NDItem1) {
//		i, g := it.GlobalID(), it.Group()
//		limit := dsl.Uniform(k.Limit[it.GroupID()])
//		for limit > 0 && dsl.AnyOfGroup(g, k.X[i] > limit) {
//			k.X[i] /= 2
//		}
//	}
func ExampleUniform() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	limit, x := []int32{3, 100}, []int32{1, 6, 13, 1, 6, 13}
	err = guidegen.RunHalve(ctx, dev, guide.Halve{Limit: limit, X: x}, runtime.NDRange1{Global: 6, Local: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [0 1 3 1 6 13]
}

// A helper for numbers and bools.
//
//	func fromLast[T dsl.Scalar](g dsl.Group, v T) T {
//		return dsl.GroupBroadcast(g, v, g.LocalRange()-1)
//	}
//
//	type Ends struct {
//		X    []float32
//		Mark []bool
//	}
//
//	func (k Ends) Kernel(it dsl.NDItem1) {
//		i, g := it.GlobalID(), it.Group()
//		k.X[i], k.Mark[i] = fromLast(g, k.X[i]), fromLast(g, k.Mark[i])
//	}
func ExampleScalar() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, mark := []float32{1, 2, 3, 4}, []bool{false, true, true, false}
	err = guidegen.RunEnds(ctx, dev, guide.Ends{X: x, Mark: mark}, runtime.NDRange1{Global: 4, Local: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x, mark)
	// Output: [2 2 4 4] [true true false false]
}

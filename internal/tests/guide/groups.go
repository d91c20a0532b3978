package guide

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/properties"
)

// opposite() returns the argument v of the work-item at the opposite end of the group. In a group of n
// work-items, those with the local ids i and n-1-i are opposite. All work-items of the group must call opposite.
func opposite(it dsl.GroupItem, g dsl.Group, v int32) int32 {
	tile := dsl.Local[[64]int32](it)
	tile[g.LocalID()] = v
	g.Barrier()
	return tile[g.LocalRange()-1-g.LocalID()]
}

// Palindromes stores, for each element, whether it equals the opposite element of its work-group.
type Palindromes struct {
	In  []int32
	Out []bool
}

// Kernel compares one element.
func (k Palindromes) Kernel(it dsl.NDItem1) {
	v := k.In[it.GlobalID()]
	k.Out[it.GlobalID()] = opposite(it, it.Group(), v) == v
}

// Totals computes the sum, the minimum and the maximum of each work-group's elements.
type Totals struct {
	In, Sum, Least, Greatest []int32
}

// Kernel reduces the elements of its work-group.
func (k Totals) Kernel(it dsl.NDItem1) {
	g, v := it.Group(), k.In[it.GlobalID()]
	sum := dsl.ReduceOverGroup(g, v, dsl.Plus)
	least := dsl.ReduceOverGroup(g, v, dsl.Minimum)
	greatest := dsl.ReduceOverGroup(g, v, dsl.Maximum)
	if g.LocalID() == 0 {
		i := g.GroupID()
		k.Sum[i], k.Least[i], k.Greatest[i] = sum, least, greatest
	}
}

// Bits computes the bitwise AND, OR and XOR of each work-group's elements, and their product.
type Bits struct {
	In, And, Or, Xor, Product []uint32
}

// Kernel reduces the elements of its work-group.
func (k Bits) Kernel(it dsl.NDItem1) {
	g, v := it.Group(), k.In[it.GlobalID()]
	and := dsl.ReduceOverGroup(g, v, dsl.BitAnd)
	or := dsl.ReduceOverGroup(g, v, dsl.BitOr)
	xor := dsl.ReduceOverGroup(g, v, dsl.BitXor)
	product := dsl.ReduceOverGroup(g, v, dsl.Multiplies)
	if g.LocalID() == 0 {
		i := g.GroupID()
		k.And[i], k.Or[i], k.Xor[i], k.Product[i] = and, or, xor, product
	}
}

// Rising stores two results for each element. Rises says whether the work-group's elements increase
// up to this element. Negated says whether any element up to this one is negative.
type Rising struct {
	In             []int32
	Rises, Negated []bool
}

// Kernel compares one element with the previous one.
func (k Rising) Kernel(it dsl.NDItem1) {
	i, g := it.GlobalID(), it.Group()
	up := g.LocalID() == 0 || k.In[i] > k.In[i-1]
	k.Rises[i] = dsl.InclusiveScanOverGroup(g, up, dsl.LogicalAnd)
	k.Negated[i] = dsl.InclusiveScanOverGroup(g, k.In[i] < 0, dsl.LogicalOr)
}

// Running computes inclusive and exclusive prefix sums of each work-group's elements.
type Running struct{ In, UpTo, Before []int32 }

// Kernel scans the elements of its work-group.
func (k Running) Kernel(it dsl.NDItem1) {
	i, g := it.GlobalID(), it.Group()
	k.UpTo[i] = dsl.InclusiveScanOverGroup(g, k.In[i], dsl.Plus)
	k.Before[i] = dsl.ExclusiveScanOverGroup(g, k.In[i], dsl.Plus)
}

// Votes stores for each work-group whether any, all or none of its elements are even.
type Votes struct {
	In  []int32
	Out [][3]bool
}

// Kernel tests one element, and combines the results of the work-group.
func (k Votes) Kernel(it dsl.NDItem1) {
	g, even := it.Group(), k.In[it.GlobalID()]%2 == 0
	votes := [3]bool{dsl.AnyOfGroup(g, even), dsl.AllOfGroup(g, even), dsl.NoneOfGroup(g, even)}
	if g.LocalID() == 0 {
		k.Out[g.GroupID()] = votes
	}
}

// share() returns v as a fraction of the group's total. G is a work-group or a sub-group.
func share[G dsl.AnyGroup](g G, v float32) float32 {
	return v / dsl.ReduceOverGroup(g, v, dsl.Plus)
}

// Shares computes each element's fraction of the total of its work-group and of its sub-group.
type Shares struct{ In, OfGroup, OfSubGroup []float32 }

// Properties requires sub-groups of four work-items.
func (Shares) Properties() properties.List {
	return properties.List{properties.SubGroupSize(4)}
}

// Kernel divides one element.
func (k Shares) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	k.OfGroup[i] = share(it.Group(), k.In[i])
	k.OfSubGroup[i] = share(it.SubGroup(), k.In[i])
}

// Lanes stores each work-item's lane, and says which lanes of its sub-group have odd elements.
type Lanes struct {
	In   []int32
	Lane []int
	Odd  []uint32
}

// Properties requires sub-groups of four work-items.
func (Lanes) Properties() properties.List {
	return properties.List{properties.SubGroupSize(4)}
}

// Kernel takes a ballot in the sub-group.
func (k Lanes) Kernel(it dsl.NDItem1) {
	i, s := it.GlobalID(), it.SubGroup()
	k.Lane[i] = s.LocalID()
	k.Odd[i] = dsl.GroupBallot(s, k.In[i]%2 != 0)[0]
}

// Moves stores, for each work-item, the elements that the work-item gets from others in its sub-group.
type Moves struct {
	In                                   []int32
	First, Next, Previous, Paired, Picks []int32
}

// Properties requires sub-groups of four work-items.
func (Moves) Properties() properties.List {
	return properties.List{properties.SubGroupSize(4)}
}

// Kernel gets five elements from other work-items, without loading these elements itself.
func (k Moves) Kernel(it dsl.NDItem1) {
	i, s := it.GlobalID(), it.SubGroup()
	v := k.In[i]
	k.First[i] = dsl.GroupBroadcast(s, v, 0)
	k.Next[i] = dsl.ShiftGroupLeft(s, v, 1)
	k.Previous[i] = dsl.ShiftGroupRight(s, v, 1)
	k.Paired[i] = dsl.PermuteGroupByXor(s, v, 1)
	k.Picks[i] = dsl.SelectFromGroup(s, v, s.LocalRange()-1-s.LocalID())
}

// Halve halves each work-group's elements until none exceeds the limit of the group.
type Halve struct {
	Limit []int32
	X     []int32
}

// Kernel waits for the group in each iteration. All work-items of the group have the same limit.
func (k Halve) Kernel(it dsl.NDItem1) {
	i, g := it.GlobalID(), it.Group()
	limit := dsl.Uniform(k.Limit[it.GroupID()])
	for limit > 0 && dsl.AnyOfGroup(g, k.X[i] > limit) {
		k.X[i] /= 2
	}
}

// MatMul multiplies two square matrices of N rows. Each sub-group computes a block of 16 rows and 16 columns of C.
type MatMul struct {
	N    int // number of rows, a multiple of 16
	A, B []half.Float16
	C    []float32
}

// Kernel computes a block of C, together with the other work-items of its sub-group.
func (k MatMul) Kernel(it dsl.NDItem2) {
	sg, n := it.SubGroup(), k.N
	y, x := it.GroupID()
	row, col := 16*y, 16*(x*sg.GroupRange()+sg.GroupID())
	var acc dsl.Accumulator[[16][16]float32]
	for p := 0; p < n; p += 16 {
		a := dsl.LoadA[[16][16]half.Float16](sg, k.A[row*n+p:], n, dsl.RowMajor)
		b := dsl.LoadB[[16][16]half.Float16](sg, k.B[p*n+col:], n, dsl.RowMajor)
		acc = dsl.MulAdd(sg, a, b, acc)
	}
	dsl.StoreAccumulator(sg, acc, k.C[row*n+col:], n, dsl.RowMajor)
}

// Dense is a layer of a neural network. Dense computes max(Weights*Inputs + Bias + 10, 0).
type Dense struct {
	Weights, Inputs []int8 // 4 rows of 8 weights, and 4 inputs of 8 numbers each
	Bias            []int32
	Out             []int32 // 4 numbers for each input
	Sum             []int32 // sum of all results
}

// Kernel computes the layer in one sub-group.
func (k Dense) Kernel(it dsl.NDItem1) {
	sg := it.SubGroup()
	a := dsl.LoadA[[4][8]int8](sg, k.Weights, 8, dsl.RowMajor)
	b := dsl.LoadB[[8][4]int8](sg, k.Inputs, 8, dsl.ColumnMajor)
	bias := dsl.LoadAccumulator[[4][4]int32](sg, k.Bias, 0, dsl.ColumnMajor) // all columns are equal
	ones := dsl.Fill[[4][4]int32](sg, int32(1))
	acc := dsl.Add(sg, dsl.MulAdd(sg, a, b, bias), dsl.Scale(sg, ones, int32(10)))
	acc = dsl.MapAccumulator(sg, acc, func(x int32) int32 { return max(x, 0) })
	dsl.StoreAccumulator(sg, acc, k.Out, 4, dsl.ColumnMajor)

	sum := int32(0)
	for i := range dsl.ElementCount(sg, acc) {
		sum += dsl.Element[int32](sg, acc, i)
	}
	if sum = dsl.ReduceOverGroup(sg, sum, dsl.Plus); sg.LocalID() == 0 {
		k.Sum[0] = sum
	}
}

// Dots multiplies four numbers of 8 bits at a time.
type Dots struct {
	A, B             [][4]int8
	U, V             [][4]uint8
	Sum, Mixed       []int32
	Unsigned         []uint32
	Least, LeastOfUs []int32  // sums of the least int32 and products
	Most             []uint32 // sums of the greatest uint32 and products
}

// Kernel computes one sum of products of each kind.
func (k Dots) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, u, v := k.A[i], k.B[i], k.U[i], k.V[i]
	k.Sum[i], k.Mixed[i], k.Unsigned[i] = dsl.Dot4(a, b, 1), dsl.Dot4Mixed(a, v, 1), dsl.Dot4Unsigned(u, v, 1)
	k.Least[i] = dsl.Dot4Saturating(a, b, math.MinInt32)
	k.LeastOfUs[i] = dsl.Dot4MixedSaturating(a, v, math.MinInt32)
	k.Most[i] = dsl.Dot4UnsignedSaturating(u, v, math.MaxUint32)
}

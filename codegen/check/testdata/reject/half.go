package reject

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
)

type Halves struct {
	X, Y []half.Float16
	B    []half.Float8E4M3
	Out  []float32
}

const one half.Float16 = 1

type mine half.Float16

func (k Halves) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	k.X[0] = x + y                  // want KG209 `the operator \+ takes the bits of a half.Float16 for an integer`
	k.X[i] += y                     // want KG209 `operator \+`
	k.X[1] *= k.Y[1]                // want KG209 `operator \*`
	x++                             // want KG209 `operator \+`
	k.X[2] = -x                     // want KG209 `operator -`
	k.X[3] = ^x                     // want KG209 `operator \^`
	k.X[4] = x &^ y                 // want KG209 `operator &\^`
	k.X[5] = x << 1                 // want KG209 `operator <<`
	k.Out[0] = float32(int(1) << x) // want KG209 `operator <<`
	if x < y {                      // want KG209 `operator <`
		k.X[6] = half.Float16(k.Out[1]) // want KG209 `conversion of float32 to half.Float16`
	}
	if x >= y || x == y || x != 0 { // want KG209 `operator >=`
		k.Out[2] = float32(x) // want KG209 `conversion of half.Float16 to float32`
	}
	k.Out[3] = float32(uint16(x)) // want KG209 `conversion of half.Float16 to uint16`
	k.X[7] = half.Float16(i)      // want KG209 `conversion of int to half.Float16`
	k.B[0] = half.Float8E4M3(x)   // want KG209 `conversion of half.Float16 to half.Float8E4M3`
	k.Out[4] = float32(mine(y))   // want KG209 `conversion of half.Float16 to reject.mine`
	k.X[8] = 2                    // want KG209 `the constant 2 becomes the bits of a half.Float16`
	k.X[9] = half.Float16(3)      // want KG209 `the constant 3`
	k.X[10] = one.Add(x)          // want KG209 `the constant 1`
	k.X[11] = x.Add(5)            // want KG209 `the constant 5`
	k.X[12] = 0
	k.X[13] = half.Float16(0).Add(x)
	k.X[14] = min(x, y) // want KG209 `min takes the bits`
	k.Out[5] = k.Out[x] // want KG209 `an index`
	println(x)          // want KG209 `println prints the bits`
	println(x.Float32())
	k.Out[6] = float32(count(y))
	k.X[15] = half.FromFloat32[half.Float16](1)
	k.X[16] = half.FromBits[half.Float16](uint16(i))
}

func count(n half.Float16) (c int) {
	for range n { // want KG209 `a loop counts up to the bits of a half.Float16`
		c++
	}
	for i := range n.Add(n) { // want KG209 `a loop counts up to the bits of a half.Float16`
		c += int(i.Bits())
	}
	return c
}

type Ordered struct{ X []half.BFloat16 }

func lesser[T cmp.Ordered](x, y T) T {
	if x < y { // want KG209 `operator <`
		return x
	}
	return y
}

func (k Ordered) Kernel(it dsl.Item1) {
	k.X[0] = lesser(k.X[1], k.X[2])
	k.X[1] = slices.Max(k.X)          // want KG209 `slices.Max takes the bits of a half.BFloat16 for an integer`
	slices.Sort(k.X)                  // want KG209 `slices.Sort `
	slices.SortFunc(k.X, cmp.Compare) // want KG209 `cmp.Compare`
	if cmp.Less(k.X[0], k.X[1]) {     // want KG209 `cmp.Less`
		k.X[0] = k.X[1]
	}
	slices.SortFunc(k.X, half.BFloat16.Compare)
	slices.Reverse(k.X)
	if slices.Contains(k.X, 0) {
		k.X[2] = k.X[1].FMA(k.X[0], cmp.Or(k.X[1], k.X[0]))
	}
}

type Reduced struct {
	X []half.Float16
}

func (k Reduced) Kernel(it dsl.NDItem1) {
	g := it.Group()
	x := k.X[it.GlobalID()]
	x = dsl.ReduceOverGroup(g, x, dsl.Plus)
	x = dsl.InclusiveScanOverGroup(g, x, dsl.Maximum)
	x = dsl.AtomicAdd(&k.X[0], dsl.Minimum(x, dsl.GroupBroadcast(g, x, 0)))
	k.X[1] = dsl.ReduceOverGroup(g, x, dsl.BitXor)        // want KG209 `dsl.BitXor takes the bits of a half.Float16 for an integer`
	k.X[2] = dsl.ExclusiveScanOverGroup(g, x, dsl.BitAnd) // want KG209 `dsl.BitAnd takes the bits`
	k.X[3] = dsl.BitOr(x, x)                              // want KG209 `dsl.BitOr takes the bits`
	k.X[4] = half.FromBits[half.Float16](dsl.ReduceOverGroup(g, x.Bits(), dsl.BitXor))
}

type Sorted struct{ X []half.Float8E5M2 }

func (k Sorted) Kernel(dsl.Item1) {
	k.X[0] = slices.Min(k.X)                 // want KG209 `slices.Min takes the bits of a half.Float8E5M2`
	i, _ := slices.BinarySearch(k.X, k.X[0]) // want KG209 `slices.BinarySearch`
	if slices.IsSorted(k.X) {                // want KG209 `slices.IsSorted`
		k.X[1] = max(k.X[i], k.X[2]) // want KG209 `max takes the bits`
	}
	if slices.Compare(k.X[:2], k.X[2:]) < 0 { // want KG209 `slices.Compare`
		k.X[2] = k.X[3]
	}
	if cmp.Compare(k.X[0], k.X[1]) == 0 { // want KG209 `cmp.Compare`
		k.X[3] = half.Float8E5M2(1.5 * 2) // want KG209 `the constant 3`
	}
	i, _ = slices.BinarySearchFunc(k.X, k.X[0], half.Float8E5M2.Compare)
	k.X[i] = slices.MaxFunc(k.X, half.Float8E5M2.Compare)
}

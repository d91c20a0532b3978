package idioms

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Scaled compares results of operators with constants. Compilers may compare the operand with
// another constant instead, if the operator cannot wrap around.
type Scaled[T Integer] struct {
	A, B, C []T
	Out     []Rows
}

func (k Scaled[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	scaled(a, b, &k.Out[i].Loaded)
	scaled(a+c, b+c, &k.Out[i].Summed)
}

// ScaledAlike computes the same as Scaled, with operands that are the same in all work-items of a group.
type ScaledAlike[T Integer] struct {
	A, B, C []T
	Out     []Rows
}

// Properties requires groups of one work-item, because all work-items of a group would store the same results.
func (ScaledAlike[T]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(1)}
}

func (k ScaledAlike[T]) Kernel(it dsl.NDItem1) {
	i := it.GroupID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	scaled(a, b, &k.Out[i].Loaded)
	scaled(a+c, b+c, &k.Out[i].Summed)
}

func scaled[T Integer](a, b T, out *Row) {
	// If a number has only one use, compilers compare fewer of its bits.
	x := func(n T) T { return a ^ n }
	y := func(n T) T { return b ^ n }
	n := uint(b) & 7
	out[0] = flag(x(0)*4 > 3)
	out[1] = flag(x(1)*4 <= 3)
	out[2] = flag(x(2)*4 >= 3)
	out[3] = flag(x(3)*4 < 4)
	out[4] = flag(x(4)*4 == 8)
	out[5] = flag(x(5)*4 != 0)
	out[6] = flag(x(6)*3 > 2)
	out[7] = flag(x(7)*3 <= 7)
	out[8] = flag(x(8)*5 < 100)
	out[9] = flag(x(9)<<1 > 1)
	out[10] = flag(x(10)+x(10) <= 1)
	out[11] = flag(x(11)<<3 > 7)
	out[12] = flag(x(12)<<3 < 64)
	out[13] = flag(x(13)<<3 == 0)
	out[14] = flag(-x(14) > 3)
	out[15] = flag(-x(15) < 3)
	out[16] = flag(^x(16) > 3)
	out[17] = flag(x(17)+1 > x(17))
	out[18] = flag(x(18)-1 < x(18))
	out[19] = flag(x(19)+5 > 3)
	out[20] = flag(x(20)-5 <= 3)
	out[21] = flag(3-x(21) > 1)
	out[22] = flag(x(22)+y(22) > x(22))
	out[23] = flag(x(23)+y(23) < y(23))
	out[24] = flag(x(24)-y(24) > 0)
	out[25] = flag(x(25)-y(25) == 0)
	out[26] = flag(x(26)-y(26) <= 0)
	out[27] = flag(x(27)*2/2 == x(27))
	out[28] = flag(x(28)<<2>>2 == x(28))
	out[29] = flag(x(29)*x(29) >= x(29))
	out[30] = flag(x(30)/4 > 3)
	out[31] = flag(x(31)/4*4 > 3)
	out[32] = flag(x(32)>>2 > 3)
	out[33] = flag(x(33)>>2<<2 > 3)
	out[34] = flag(x(34)&^3 > 3)
	out[35] = flag(x(35)|3 > 3)
	out[36] = uint64(b % (a | 1)) // the module gets a routine for %, which changes how numbers are compared
	out[37] = flag(x(37)*6%3 == 0)
	out[38] = flag(x(38)*4 > y(38)*4)
	out[39] = flag(x(39)*4 == y(39)*4)
	out[40] = flag(x(40)<<3 <= y(40)<<3)
	out[41] = flag(x(41)*y(41) > 3)
	out[42] = flag(x(42)<<n > 3)
	out[43] = flag(x(43)<<n>>n == x(43))
	out[44] = flag(T(flag(x(44) < y(44)))*4 > 3)
	out[45] = flag(T(flag(x(45) < y(45)))*x(45) > 3)
	out[46] = flag(x(46)^y(46) > 0)
	out[47] = flag(x(47)&y(47) <= 0)
}

package idioms

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Flags has branches that depend on whether two comparisons have the same result.
type Flags[T Integer] struct {
	A, B, C []T
	Out     []Rows
}

func (k Flags[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	differ(a, b, i, &k.Out[i].Loaded)
	differ(a+c, b+c, i, &k.Out[i].Summed)
}

// FlagsAlike computes the same as Flags, with operands that are the same in all work-items of a group.
type FlagsAlike[T Integer] struct {
	A, B, C []T
	Out     []Rows
}

// Properties requires groups of one work-item, because all work-items of a group would store the same results.
func (FlagsAlike[T]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(1)}
}

func (k FlagsAlike[T]) Kernel(it dsl.NDItem1) {
	i := it.GroupID()
	a, b, c := k.A[i], k.B[i], k.C[i]
	differ(a, b, i, &k.Out[i].Loaded)
	differ(a+c, b+c, i, &k.Out[i].Summed)
}

func differ[T Integer](a, b T, i int, out *Row) {
	differFew(a, b, i, out)
	differMany(a, b, i, out)
}

func differFew[T Integer](a, b T, i int, out *Row) {
	x := func(n T) T { return a ^ n }
	y := func(n T) T { return b ^ n }
	n := int(a)
	if (x(0) > 3) != (x(0)|y(0) != y(0)) {
		out[0] = uint64(y(0))
	}
	if (x(1) > 3) == (y(1)&1 == 0) {
		out[1] = uint64(y(1))
	}
	if (x(2) > 3) != (y(2) > 3) {
		out[2] = uint64(y(2))
	}
	if (x(3) > 3) == ((i/8|i)^n&3 != i/8) {
		out[3] = uint64(y(3))
	}
	if (x(4) > 3) != (y(4)&4 != 0) {
		out[4] = uint64(y(4))
	}
	if (x(5) > 3) == (x(5)-y(5) > 3) {
		out[5] = uint64(y(5))
	}
	if (x(6) < y(6)) != (x(6)|y(6) != y(6)) {
		out[6] = uint64(y(6))
	}
	if (x(7) < y(7)) == (y(7)&1 == 0) {
		out[7] = uint64(y(7))
	}
	if (x(8) < y(8)) != (y(8) > 3) {
		out[8] = uint64(y(8))
	}
	if (x(9) < y(9)) == ((i/8|i)^n&9 != i/8) {
		out[9] = uint64(y(9))
	}
	if (x(10) < y(10)) != (y(10)&4 != 0) {
		out[10] = uint64(y(10))
	}
	if (x(11) < y(11)) == (x(11)-y(11) > 3) {
		out[11] = uint64(y(11))
	}
	if (x(12) == y(12)) != (x(12)|y(12) != y(12)) {
		out[12] = uint64(y(12))
	}
	if (x(13) == y(13)) == (y(13)&1 == 0) {
		out[13] = uint64(y(13))
	}
	if (x(14) == y(14)) != (y(14) > 3) {
		out[14] = uint64(y(14))
	}
	if (x(15) == y(15)) == ((i/8|i)^n&15 != i/8) {
		out[15] = uint64(y(15))
	}
	if (x(16) == y(16)) != (y(16)&4 != 0) {
		out[16] = uint64(y(16))
	}
	if (x(17) == y(17)) == (x(17)-y(17) > 3) {
		out[17] = uint64(y(17))
	}
	if (x(18)&1 == 0) != (x(18)|y(18) != y(18)) {
		out[18] = uint64(y(18))
	}
	if (x(19)&1 == 0) == (y(19)&1 == 0) {
		out[19] = uint64(y(19))
	}
	if (x(20)&1 == 0) != (y(20) > 3) {
		out[20] = uint64(y(20))
	}
	if (x(21)&1 == 0) == ((i/8|i)^n&21 != i/8) {
		out[21] = uint64(y(21))
	}
	if (x(22)&1 == 0) != (y(22)&4 != 0) {
		out[22] = uint64(y(22))
	}
	if (x(23)&1 == 0) == (x(23)-y(23) > 3) {
		out[23] = uint64(y(23))
	}
}

func differMany[T Integer](a, b T, i int, out *Row) {
	x := func(n T) T { return a ^ n }
	y := func(n T) T { return b ^ n }
	n := int(a)
	if (x(24) < 8) != (x(24)|y(24) != y(24)) {
		out[24] = uint64(y(24))
	}
	if (x(25) < 8) == (y(25)&1 == 0) {
		out[25] = uint64(y(25))
	}
	if (x(26) < 8) != (y(26) > 3) {
		out[26] = uint64(y(26))
	}
	if (x(27) < 8) == ((i/8|i)^n&27 != i/8) {
		out[27] = uint64(y(27))
	}
	if (x(28) < 8) != (y(28)&4 != 0) {
		out[28] = uint64(y(28))
	}
	if (x(29) < 8) == (x(29)-y(29) > 3) {
		out[29] = uint64(y(29))
	}
	if (x(30)&y(30) != 0) != (x(30)|y(30) != y(30)) {
		out[30] = uint64(y(30))
	}
	if (x(31)&y(31) != 0) == (y(31)&1 == 0) {
		out[31] = uint64(y(31))
	}
	if (x(32)&y(32) != 0) != (y(32) > 3) {
		out[32] = uint64(y(32))
	}
	if (x(33)&y(33) != 0) == ((i/8|i)^n&33 != i/8) {
		out[33] = uint64(y(33))
	}
	if (x(34)&y(34) != 0) != (y(34)&4 != 0) {
		out[34] = uint64(y(34))
	}
	if (x(35)&y(35) != 0) == (x(35)-y(35) > 3) {
		out[35] = uint64(y(35))
	}
	if (3 < i^n&36) != (x(36)|y(36) != y(36)) {
		out[36] = uint64(y(36))
	}
	if (3 < i^n&37) == (y(37)&1 == 0) {
		out[37] = uint64(y(37))
	}
	if (3 < i^n&38) != (y(38) > 3) {
		out[38] = uint64(y(38))
	}
	if (3 < i^n&39) == ((i/8|i)^n&39 != i/8) {
		out[39] = uint64(y(39))
	}
	if (3 < i^n&40) != (y(40)&4 != 0) {
		out[40] = uint64(y(40))
	}
	if (3 < i^n&41) == (x(41)-y(41) > 3) {
		out[41] = uint64(y(41))
	}
	if (x(42) != 0) != (x(42)|y(42) != y(42)) {
		out[42] = uint64(y(42))
	}
	if (x(43) != 0) == (y(43)&1 == 0) {
		out[43] = uint64(y(43))
	}
	if (x(44) != 0) != (y(44) > 3) {
		out[44] = uint64(y(44))
	}
	if (x(45) != 0) == ((i/8|i)^n&45 != i/8) {
		out[45] = uint64(y(45))
	}
	if (x(46) != 0) != (y(46)&4 != 0) {
		out[46] = uint64(y(46))
	}
	if (x(47) != 0) == (x(47)-y(47) > 3) {
		out[47] = uint64(y(47))
	}
}

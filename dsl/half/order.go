package half

// order() returns an integer for the number whose bits are at the upper end of the word b. The
// integers compare in the same way as the numbers, but -0 is smaller than 0.
func order(b uint32) int32 { return int32(b) ^ int32(uint32(int32(b)>>31)>>1) }

func lesser[T Float[T]](x, y T) T {
	if x.IsNaN() || y.IsNaN() {
		return x.limits().nan
	}
	if order(x.word()) < order(y.word()) {
		return x
	}
	return y
}

func greater[T Float[T]](x, y T) T {
	if x.IsNaN() || y.IsNaN() {
		return x.limits().nan
	}
	if order(x.word()) > order(y.word()) {
		return x
	}
	return y
}

func less[T Float[T]](x, y T) bool {
	return !x.IsNaN() && !y.IsNaN() && order(x.word()) < order(y.word()) && (x.word()|y.word())<<1 != 0
}

func equal[T Float[T]](x, y T) bool {
	return !x.IsNaN() && !y.IsNaN() && (x.word() == y.word() || (x.word()|y.word())<<1 == 0)
}

func compare[T Float[T]](x, y T) int {
	switch {
	case less(x, y) || x.IsNaN() && !y.IsNaN():
		return -1
	case less(y, x) || y.IsNaN() && !x.IsNaN():
		return 1
	}
	return 0
}

package kernelimpl

import (
	"math"
	"math/big"
	"slices"
	"testing"
)

// TestReduceScan compares with the definition in package dsl, on sizes that are no
// powers of two, too.
func TestReduceScan(t *testing.T) {
	for n := 1; n <= 70; n++ {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(math.Sin(float64(i*i))) * float32(int(1)<<(i%20))
		}
		sum, scan := slices.Clone(x), slices.Clone(x)
		for d := 1; d < n; d *= 2 {
			for i := 0; i+d < n; i += 2 * d {
				sum[i] += sum[i+d]
			}
			before := slices.Clone(scan)
			for i := d; i < n; i++ {
				scan[i] = before[i-d] + before[i]
			}
		}
		if got := HostReduceAdd(slices.Clone(x)); got != sum[0] {
			t.Errorf("%d: the sum is %g, want %g", n, got, sum[0])
		}
		got := slices.Clone(x)
		if HostScanAddDoubling(got); !slices.Equal(got, scan) {
			t.Errorf("%d: the sums are %g, want %g", n, got, scan)
		}
	}
}

func TestPieces(t *testing.T) {
	x := []int32{5, -1, 7, 2, 9, 4, -3}
	scanned := slices.Clone(x)
	HostScans(scanned, 3, HostScanUMax[int32])
	if want := []int32{5, -1, -1, 2, 9, 9, -3}; !slices.Equal(scanned, want) {
		t.Errorf("scans: %v", scanned)
	}
	out := make([]int32, len(x))
	HostShift(out, x, 3, 100)
	if want := []int32{100, 5, -1, 100, 2, 9, 100}; !slices.Equal(out, want) {
		t.Errorf("shift: %v", out)
	}
	HostBySubGroup(out, slices.Clone(x), 4, HostReduceMin[int32])
	if want := []int32{-1, -1, -1, -1, -3, -3, -3}; !slices.Equal(out, want) {
		t.Errorf("by sub-group: %v", out)
	}
	HostSelect(out, x, 4, []int32{3, 0, 1, 2, 0, 2, 1})
	if want := []int32{2, 5, -1, 7, 9, -3, 4}; !slices.Equal(out, want) {
		t.Errorf("select: %v", out)
	}
	HostBallot(out, []bool{true, false, true, true, false, true, true}, 4, 0)
	if want := []int32{13, 13, 13, 13, 6, 6, 6}; !slices.Equal(out, want) {
		t.Errorf("ballot: %v", out)
	}
	HostBallot(out, []bool{true, false, true, true, false, true, true}, 4, 1)
	if slices.Max(out) != 0 {
		t.Errorf("ballot past the end: %v", out)
	}
}

// TestCombiners compares each combiner of integers, alone, in reductions, in scans and
// in atomic updates, with its meaning on each bit or on numbers of more bits.
func TestCombiners(t *testing.T) {
	combiners(t, "int32", []int32{0, 1, -1, 5, -7, 1 << 30, math.MinInt32, math.MaxInt32, 12345, -98765, 3})
	combiners(t, "int64", []int64{0, 1, -1, 5, -7, 1 << 62, math.MinInt64, math.MaxInt64, 12345, -98765, 3})
}

func combiners[T hostInteger](t *testing.T, name string, x []T) {
	wide := func(x T, signed bool) *big.Int { // the number that x is, as one of 64 bits without a sign
		n := big.NewInt(int64(x))
		if !signed && x < 0 {
			n.Add(n, new(big.Int).Lsh(big.NewInt(1), 64))
		}
		return n
	}
	least := func(x, y T, signed bool) T {
		if wide(x, signed).Cmp(wide(y, signed)) <= 0 {
			return x
		}
		return y
	}
	most := func(x, y T, signed bool) T { return x ^ y ^ least(x, y, signed) }
	product := func(x, y T) T { // by shifts and sums
		sum := T(0)
		for i := range 64 {
			if uint64(y)>>i&1 == 1 {
				sum += x << i
			}
		}
		return sum
	}
	for _, c := range []struct {
		op     string
		want   func(x, y T) T
		one    func(x, y T) T
		reduce func(s []T) T
		scan   func(s []T)
	}{
		{"add", func(x, y T) T { return x - (-y) }, HostAdd[T], HostReduceAdd[T], HostScanAdd[T]},
		{"mul", product, HostMul[T], HostReduceMul[T], HostScanMul[T]},
		{"min", func(x, y T) T { return least(x, y, true) }, HostMin[T], HostReduceMin[T], HostScanMin[T]},
		{"max", func(x, y T) T { return most(x, y, true) }, HostMax[T], HostReduceMax[T], HostScanMax[T]},
		{"umin", func(x, y T) T { return least(x, y, false) }, HostUMin[T], HostReduceUMin[T], HostScanUMin[T]},
		{"umax", func(x, y T) T { return most(x, y, false) }, HostUMax[T], HostReduceUMax[T], HostScanUMax[T]},
		{"and", func(x, y T) T { return ^(^x | ^y) }, HostAnd[T], HostReduceAnd[T], HostScanAnd[T]},
		{"or", func(x, y T) T { return ^(^x & ^y) }, HostOr[T], HostReduceOr[T], HostScanOr[T]},
		{"xor", func(x, y T) T { return (x | y) &^ (x & y) }, HostXor[T], HostReduceXor[T], HostScanXor[T]},
	} {
		for _, a := range x {
			for _, b := range x {
				p := a
				if old := HostUpdate(&p, b, c.one); c.one(a, b) != c.want(a, b) || old != a || p != c.want(a, b) {
					t.Errorf("%s %s of %d and %d: %d, and %d after %d, want %d", name, c.op, a, b, c.one(a, b), p, old, c.want(a, b))
				}
			}
		}
		for n := 1; n <= len(x); n++ {
			acc := x[0]
			for _, v := range x[1:n] {
				acc = c.want(acc, v)
			}
			scanned := slices.Clone(x[:n])
			c.scan(scanned)
			if got := c.reduce(slices.Clone(x[:n])); got != acc || scanned[n-1] != acc || scanned[0] != x[0] {
				t.Errorf("%s %s of %d: %d, and %d scanned, want %d", name, c.op, x[:n], got, scanned, acc)
			}
		}
	}
}

func TestFindLsb(t *testing.T) {
	for _, x := range []uint32{0, 1, 2, 6, 0x80000000, 0xffffffff, 0x10100} {
		want := int32(-1)
		for i := range 32 {
			if want < 0 && x>>i&1 == 1 {
				want = int32(i)
			}
		}
		if got := HostFindLsb(x); got != want || HostConst(x) != x {
			t.Errorf("%#x: %d, want %d", x, got, want)
		}
	}
}

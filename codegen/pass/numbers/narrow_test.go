package numbers

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
)

// TestNarrowUnsigned divides numbers of several ranges by constants, as Go does: those that are never
// negative by shifts, masks and without signs, and the others as before.
func TestNarrowUnsigned(t *testing.T) {
	divisors := []int64{1, 2, 3, 7, 16, 1000, 1 << 20, 1 << 30, math.MaxInt32, 1 << 31, 1 << 40, -1, -2, -16, -7, math.MinInt64}
	// What a number is masked with, and what is then added.
	type shape struct {
		mask, add int64
		never     bool // negative
	}
	shapes := []shape{{1<<10 - 1, 0, true}, {math.MaxInt32, 0, true}, {1<<32 - 1, 0, true}, {math.MaxInt64, 0, true},
		{1<<10 - 1, -1, false}, {1<<10 - 1, -512, false}, {math.MaxInt32, math.MinInt32, false}, {-1, 0, false}}
	xs := []int64{0, 1, 2, 3, 7, 15, 16, 17, 511, 512, 1023, 1 << 20, math.MaxInt32, 1 << 31, 1<<32 - 1, 1 << 40, math.MaxInt64, -1, -2, -16, -17, math.MinInt32, math.MinInt64}
	for _, s := range shapes {
		for _, d := range divisors {
			if d == -1 && s.mask == -1 {
				continue // kgen negates: the least number has no quotient
			}
			t.Run(fmt.Sprintf("(x&%#x%+d)/%d", s.mask, s.add, d), func(t *testing.T) {
				text := longModule + fmt.Sprintf(`	%%0 = BuiltIn i32 GlobalInvocationId.x
	%%1 = Arg addr 24
	%%2 = Arg addr 40
	%%3 = Load i64 [%%1 i64, %%0]
	%%4 = And i64 %%3, i64 %d
	%%5 = IAdd i64 %%4, i64 %d
	%%6 = SDiv i64 %%5, i64 %d
	%%7 = IMul i64 %%6, i64 %d
	%%8 = ISub i64 %%5, %%7
	%%9 = IMul i32 %%0, i32 4
	%%10 = IAdd i32 %%9, i32 1
	%%11 = IAdd i32 %%9, i32 2
	%%12 = IAdd i32 %%9, i32 3
	%%13 = IMul i64 %%6, i64 48
	Store [%%2 i64, %%9], %%6
	Store [%%2 i64, %%10], %%8
	Store [%%2 i64, %%11], %%7
	Store [%%2 i64, %%12], %%13
	Return
}
`, s.mask, s.add, d, d)
				m, err := ir.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				Narrow(m, nil)
				if err := ir.Verify(m); err != nil {
					t.Fatal(err)
				}
				code := m.String()
				power := d > 0 && d&(d-1) == 0
				if s.never && d > 1 && (strings.Contains(code, "SDiv") || power && (strings.Contains(code, "UDiv") || strings.Contains(code, "ISub"))) {
					t.Errorf("there are signs left:\n%s", code)
				}
				var in []byte
				for _, x := range xs {
					in = binary.LittleEndian.AppendUint64(in, uint64(x))
				}
				got := runLongs(t, m, in, len(xs), 4*len(xs))
				for i, x := range xs {
					x = x&s.mask + s.add
					for j, want := range []int64{x / d, x % d, x / d * d, x / d * 48} {
						if got[4*i+j] != want {
							t.Errorf("%d by %d: result %d is %d, want %d\n%s", x, d, j, got[4*i+j], want, code)
						}
					}
				}
			})
		}
	}
}

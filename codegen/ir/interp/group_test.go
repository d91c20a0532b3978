package interp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
)

// TestNeutral: a work-item that has left changes no result of a group op. The others get the results
// of a group without it.
func TestNeutral(t *testing.T) {
	lists := [][]uint32{{1, 1, 1, 1}, {3, 5, 7, 9}, {1, 0, 1, 0}, {0xfffffff0, 0xfffffff1, 0xfffffff2, 0xfffffff3}}
	tried := 0
	for _, op := range ir.Ops() {
		if !op.Has(ir.FlagGroup) {
			continue
		}
		cases := []struct{ aux, second string }{{"WorkGroup", "i32 2"}}
		switch {
		case op.Has(ir.FlagSubGroup):
			cases[0].aux = "SubGroup"
		case op.Info().Aux == ir.AuxCombine:
			cases = []struct{ aux, second string }{{"WorkGroup, IAdd", "i32 0"}, {"WorkGroup, IMul", "i32 1"}, {"WorkGroup, SMin", "i32 2147483647"},
				{"WorkGroup, UMax", "i32 0"}, {"WorkGroup, And", "i32 -1"}}
		}
		for _, c := range cases {
			for _, in := range lists {
				want, err := leaving(t, op, c.aux, c.second, 4, in)
				if err != nil {
					t.Fatalf("%v %s: %v", op, c.aux, err)
				}
				for _, one := range []uint32{0, 1, 7} {
					got, err := leaving(t, op, c.aux, c.second, 4, append(slices.Clone(in), one))
					if err != nil || !slices.Equal(got[:4], want) {
						t.Errorf("%v %s of %d, and %d in the last, which has left: %v, %v, want %v", op, c.aux, in, one, got, err, want)
					}
					if op.Info().Aux != ir.AuxCombine {
						continue
					}
					got, err = leaving(t, op, c.aux, c.second, 0, append([]uint32{one}, in...))
					if op == ir.OpGroupExclusiveScan {
						want[0] = got[1] // unspecified for the first of a group
					}
					if err != nil || !slices.Equal(got[1:], want) {
						t.Errorf("%v %s of %d, and %d in the first, which has left: %v, %v, want %v", op, c.aux, in, one, got, err, want)
					}
				}
			}
			tried++
		}
	}
	if tried < 8 {
		t.Errorf("only %d ops", tried)
	}
}

// leaving runs a kernel that computes op with a work-item for each element of in, of which the one with
// the id left has left. Each puts in its element, or whether that is 1; a second word is given.
func leaving(t *testing.T, op ir.Op, aux, second string, left uint32, in []uint32) ([]uint32, error) {
	args, result, _ := strings.Cut(op.Info().Sig, ":")
	types := map[rune]string{'b': "bool", 'w': "i32", 'k': "i32", 'S': "i32"}
	list := []string{aux}
	for i, c := range args {
		switch {
		case c == 'k':
			list = append(list, "i32 0")
		case op == ir.OpGroupUniform:
			list = append(list, "i32 3")
		case i == 1 && c != 'b':
			list = append(list, second)
		case c == 'b':
			list = append(list, "%5")
		default:
			list = append(list, "%4")
		}
	}
	store := "%6"
	if result == "b" {
		store = "%7"
	}
	body := fmt.Sprintf(`	%%3 = IEq bool %%1, i32 %d
	%%4 = Load i32 [%%0 i32, %%1]
	%%5 = IEq bool %%4, i32 1
	Branch %%3, b1, b2
b1:
	Return
b2:
	%%6 = %v %s %s
`, left, op, types[rune(result[0])], strings.Join(list, ", "))
	if result == "b" {
		body += "\t%7 = Select i32 %6, i32 1, i32 0\n"
	}
	body += "\tStore [%0 i32, %1], " + store + "\n\tReturn\n"
	size := uint32(len(in))
	out, _, err := run1(t, kernel("", body), Launch{Global: line(size), Local: line(size), SubGroupSize: 8, Leave: true}, in...)
	return out, err
}

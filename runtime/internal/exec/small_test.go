package exec

import (
	"encoding/binary"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// TestIsSmall tells small launches from others at the limits: a width at offset 0, a
// length at 16, the range along x and y, and products of them.
func TestIsSmall(t *testing.T) {
	const w, n, x, y = abi.OffsetArgs, abi.OffsetArgs + 16, abi.OffsetRange, abi.OffsetRange + 4
	k := NewKernel(launch.Kernel{ABI: &abi.Kernel{Name: "K", Variants: []abi.Variant{
		{Name: abi.VariantWords},
		{Name: abi.VariantSmall, Products: [][]int{{w}, {n}, {x}, {y, w}, {-15, w}}},
	}}}, "", nil)
	const limit = abi.MaxSmall
	for _, c := range []struct {
		w, n, x, y int
		want       bool
	}{
		{1, 1, 1, 1, true},
		{0, 0, 1, 1, true},
		{1, limit, limit, limit, true},
		{1, limit + 1, 1, 1, false},
		{1, 1, limit + 1, 1, false},
		{1 << 14, 1, limit, 1 << 14, true},
		{1 << 14, 1, 1, 1<<14 + 1, false},
		{-1, 1, 1, 1, false},
		{1, -1 << 63, 1, 1, false},
		{limit / 16, 1, 1, 1, true},
		{limit / 15, 1, 1, 1, true},
		{limit/15 + 1, 1, 1, 1, false},
		{1 << 62, 1, 1, 4, false}, // the product wraps around
	} {
		call := NewLaunch(&launch.Call{Rank: 2, Global: [3]int{c.y, c.x}})
		for _, v := range []int{c.w, 0, c.n} {
			call.Block = binary.LittleEndian.AppendUint64(call.Block, uint64(v))
		}
		if got := k.IsSmall(&call); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	// Work-groups, of 8 work-items along y and 4 along x, and a product of theirs and a width.
	k = NewKernel(launch.Kernel{ABI: &abi.Kernel{Name: "K", Variants: []abi.Variant{
		{Name: abi.VariantSmall, Products: [][]int{{abi.FactorGroups}, {abi.FactorGroups + 1, w}}},
	}}}, "", nil)
	for _, c := range []struct {
		w, x, y int
		want    bool
	}{
		{1, 4, 8, true},
		{1, 4 * limit, 8, true},
		{limit, 4, 8, true},
		{limit, 4, 16, false},
		{limit / 2, 4, 16, true},
		{1 << 14, 4, 8 << 14, true},
		{1<<14 + 1, 4, 8 << 14, false},
	} {
		call := NewLaunch(&launch.Call{Rank: 2, Global: [3]int{c.y, c.x}, Local: [3]int{8, 4}})
		call.Block = binary.LittleEndian.AppendUint64(call.Block, uint64(c.w))
		if got := k.IsSmall(&call); got != c.want {
			t.Errorf("groups, %+v: %v", c, got)
		}
	}
	if k.IsSmall(&Launch{Call: &launch.Call{Rank: 2, Global: [3]int{1, 1}}, Block: make([]byte, 8)}) {
		t.Error("no work-group size")
	}
	if NewKernel(launch.Kernel{ABI: &abi.Kernel{Name: "K"}}, "", nil).IsSmall(&Launch{Call: &launch.Call{}}) {
		t.Error("a kernel without the variant")
	}
}

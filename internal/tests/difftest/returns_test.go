package difftest

import (
	"context"

	"github.com/kgen-go/kgen/internal/tests/difftest/groups"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/groups/groupsgen"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	for _, local := range []int{1, 8, 33} {
		add("LastBarrier", func(ctx context.Context, dev *runtime.Device) (any, error) {
			k := groups.LastBarrier{In: mixedInts(3 * local), Out: out32(3 * local), Posts: out32(3)}
			return k, launch(ctx, dev, gen.RunLastBarrier, k, nd1(3*local, local))
		})
	}
}

package difftest

import (
	"fmt"

	"github.com/kgen-go/kgen/internal/tests/difftest/golang"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/golang/golanggen"
)

func init() {
	add1("Order", gen.RunOrder, 20, func() golang.Order {
		return golang.Order{In: ints32(20, func(i int) int32 { return int32(i*7 - 3) }), Out: out32(800)}
	})
	for mode := range int32(6) {
		add1(fmt.Sprintf("Updates%d", mode), gen.RunUpdates, 1, func() golang.Updates {
			return golang.Updates{Mode: mode, In: []int32{7, 0, -1}, Out: out32(4)}
		})
	}
}

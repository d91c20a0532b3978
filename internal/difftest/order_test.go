package difftest

import (
	"github.com/kgen-go/kgen/internal/difftest/golang"
	gen "github.com/kgen-go/kgen/internal/difftest/golang/golanggen"
)

func init() {
	add1("Order", gen.RunOrder, 20, func() golang.Order {
		return golang.Order{In: ints32(20, func(i int) int32 { return int32(i*7 - 3) }), Out: out32(800)}
	})
}

// A sum with a zero that private memory holds, as a driver finds out that unrolls a loop.
package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/properties"
)

type P0K struct{ shape.Args }

func (P0K) Properties() properties.List { return properties.List{} }

func (k P0K) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }

func (k P0K) Run(id int) {
	out := k.Out[id*16 : id*16+16]
	s := make([]int, 3, 40) // more elements than pass elements makes values of
	s = append(s, 0)
	for i := range s {
		s[i] = 0
	}
	c := complex(float64(s[0]), 0)
	out[15] = shape.Bits(real(c) + imag(-c))
}

// Package declare declares kernels for which kgen cannot generate code.
package declare

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

type Fine struct{ X []int }

func (k Fine) Kernel(it dsl.Item1) { k.X[it.GlobalID()] = 1 }

type hidden struct{ X []int } // want KG003 `hidden is not exported`

func (k hidden) Kernel(it dsl.Item1) {}

type Field struct {
	X []int
	y int // want KG003 `field y of kernel Field is not exported`
}

func (k Field) Kernel(it dsl.Item1) {}

type Types struct {
	M map[int]int // want KG007 `field M of kernel Types cannot be an argument`
	F func()      // want KG007 `field F of kernel Types cannot be an argument`
}

func (k Types) Kernel(it dsl.Item1) {}

type Number int // want KG005 `kernel type Number is not a struct`

func (k Number) Kernel(it dsl.Item1) {}

type Result struct{ X []int }

func (k Result) Kernel(it dsl.Item1) int { return 0 } // want KG004 `method Kernel has results`

type Two struct{ X []int }

func (k Two) Kernel(it dsl.Item1, n int) {} // want KG004 `method Kernel has 2 parameters`

type Properties struct{ X []int }

func (k Properties) Kernel(it dsl.Item1) {}

func (k Properties) Properties(n int) properties.List { return nil } // want KG004 `get-properties`

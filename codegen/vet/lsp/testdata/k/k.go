// Package k has a kernel, which is right.
package k

import (
	"github.com/kgen-go/kgen/codegen/vet/lsp/testdata/tools"
	"github.com/kgen-go/kgen/dsl"
)

type Count struct{ X, Out []int32 }

func (k Count) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = tools.Twice(k.X[i])
}

package variants

import (
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/matrix"
)

// MakeNative makes the module for a device with matrices of its own.
func MakeNative(k *abi.Kernel, t abi.NativeTarget) (out *abi.NativeModule, err error) {
	defer func() {
		if bug := recover(); bug != nil { // damaged IR, mostly: its passes must not end the program
			out, err = nil, fmt.Errorf("BUG: %v", bug)
		}
	}()
	var tuples []matrix.Tuple
	for _, x := range t.Tuples {
		tuples = append(tuples, matrix.Tuple{M: x.M, N: x.N, K: x.K, A: matrix.ElemNamed(x.Elem), C: matrix.ElemNamed(x.Of)})
	}
	n, err := back.CompileNative(k, ir.Target{Small: t.Small, Cancel: t.Cancel, Tuples: tuples}, nil)
	if err != nil {
		return nil, err
	}
	return &abi.NativeModule{Words: n.Words, Loops: n.Loops, Locals: n.Locals}, nil
}

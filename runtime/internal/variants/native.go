package variants

import (
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
)

// MakeNative makes the module for a device with its own matrix instructions.
func MakeNative(k *abi.Kernel, t abi.NativeTarget) (out *abi.NativeModule, err error) {
	defer func() {
		if bug := recover(); bug != nil { // probably because of damaged IR, which must not end the program
			out, err = nil, fmt.Errorf("BUG: %v", bug)
		}
	}()
	return back.MakeNative(k, t)
}

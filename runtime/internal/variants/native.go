package variants

import (
	"fmt"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
)

// MakeNative makes a module of the kernel that uses the matrix instructions of a device.
func MakeNative(k *abi.Kernel, t abi.NativeTarget) (out *abi.NativeModule, err error) {
	defer func() {
		if bug := recover(); bug != nil { // damaged IR must not end the program
			out, err = nil, fmt.Errorf("BUG: %v", bug)
		}
	}()
	return back.MakeNative(k, t)
}

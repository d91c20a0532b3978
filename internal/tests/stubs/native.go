package stubs

import "github.com/kgen-go/kgen/abi"

// Native gives a kernel with matrices the function that makes modules for devices with their own
// matrices, as stubs with descriptions do.
func Native(k *abi.Kernel, make func(*abi.Kernel, abi.NativeTarget) (*abi.NativeModule, error)) *abi.Kernel {
	k.MakeNative = make
	return k
}

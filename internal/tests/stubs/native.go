package stubs

import "github.com/kgen-go/kgen/abi"

// Native gives a kernel with matrices the function that makes modules for devices with matrices of their own, as
// stubs with descriptions have it.
func Native(k *abi.Kernel, make func(*abi.Kernel, abi.NativeTarget) (*abi.NativeModule, error)) *abi.Kernel {
	k.MakeNative = make
	return k
}

package stubs

import "github.com/kgen-go/kgen/abi"

// Native sets the function of a kernel that makes modules for devices with native matrices. Stubs with
// descriptions do the same.
func Native(k *abi.Kernel, make func(*abi.Kernel, abi.NativeTarget) (*abi.NativeModule, error)) *abi.Kernel {
	k.MakeNative = make
	return k
}

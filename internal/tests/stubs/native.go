package stubs

import "github.com/kgen-go/kgen/abi"

// Native sets field MakeNative of a kernel to a function that makes modules for devices with native
// matrices. Stubs that contain descriptions of kernels set MakeNative themselves.
func Native(k *abi.Kernel, make func(*abi.Kernel, abi.NativeTarget) (*abi.NativeModule, error)) *abi.Kernel {
	k.MakeNative = make
	return k
}

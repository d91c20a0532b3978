// Package cuda uses CUDA's driver to copy bytes between the memory of two NVIDIA devices.
//
// Vulkan cannot copy between two devices. CUDA's driver can copy between two devices, and uses
// NVLink if NVLink connects the devices. The package opens the driver's library, libcuda.so.1, at
// run time. The package imports memory that Vulkan has allocated and exported as file descriptors.
// Building a program requires neither CUDA's headers nor the library.
//
// Without cgo, and on systems other than Linux, each function returns ErrNone.
package cuda

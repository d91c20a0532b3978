// Package cuda copies bytes between the memory of two NVIDIA devices by CUDA's driver.
//
// Vulkan cannot copy between two devices. CUDA's driver can, and uses NVLink if the devices are
// connected by it. The package opens the driver's library, libcuda.so.1, at run time. It imports
// memory that Vulkan has allocated and exported as file descriptors. A program needs neither CUDA's
// headers nor the library.
//
// Without cgo, and on systems other than Linux, each function reports that there is no library.
package cuda

package sort

import "github.com/kgen-go/kgen/runtime"

// AsGPU has all devices sort as GPUs do, by the kernels for sub-groups of 32 or by the others, and
// returns a function that undoes it.
func AsGPU(lanes bool) (undo func()) {
	oldLanes, oldCPU := byLanes, onCPU
	byLanes = func(runtime.DeviceInfo) bool { return lanes }
	onCPU = func(runtime.DeviceInfo) bool { return false }
	return func() { byLanes, onCPU = oldLanes, oldCPU }
}

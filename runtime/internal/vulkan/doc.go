// Package vulkan is the Vulkan backend.
//
// A device has one queue. A device with a queue family that can only transfer has a second queue,
// for large copies. Submit turns a batch into one command buffer for each queue. A single call into
// C records and submits a command buffer. A batch has completed when the queue's timeline semaphore
// reaches the batch's value. A wait polls the semaphore for a moment before it blocks.
//
// Device memory is allocated in large blocks, which belong to pools. Copies between host and device
// go through a staging ring. Fault records are in host memory. A kernel writes to its fault record
// only when it faults. Fault records therefore cost the host a few cache lines, and cost the device
// nothing.
//
// Environment:
//
//   - KGEN_VALIDATE=1 turns the Khronos validation layer on. The messages of the layer are printed
//     to standard error and counted (see [ValidationMessages]).
//   - KGEN_PIPELINE_CACHE=off disables the pipeline cache on disk. Any other value is the directory
//     to use instead of the user's cache directory. If the directory in KGEN_PIPELINE_CACHE cannot
//     be made or written to, no device can be opened. If the user has no cache directory, pipelines
//     are not cached on disk, and no message is printed.
//   - The loader's own variables, such as VK_DRIVER_FILES, VK_LOADER_DEBUG and
//     VK_INSTANCE_LAYERS, work as usual.
package vulkan

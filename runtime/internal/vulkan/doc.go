// Package vulkan is the Vulkan backend.
//
// A device has one queue. A device with a queue family that can only transfer has a second queue,
// for large copies. Submit turns a batch into one command buffer for each queue. A single call into
// C records and submits a command buffer. A batch has completed when the queue's timeline semaphore
// reaches the batch's value. A wait polls the semaphore for a moment before it blocks.
//
// Memory is part of large blocks in pools. Copies between host and device go through a staging
// ring. Fault records are in host memory. A kernel writes to its fault record only when it faults.
// So fault records cost the host a few cache lines, and the device nothing.
//
// Environment:
//
//   - KGEN_VALIDATE=1 turns the Khronos validation layer on. The messages of the layer are printed
//     to standard error and counted (see [ValidationMessages]).
//   - KGEN_PIPELINE_CACHE=off disables the pipeline cache on disk. Any other
//     value is the directory to use instead of the user's cache directory. If that
//     directory cannot be made or written to, no device opens. Without a user's cache
//     directory there is no cache, and no message.
//   - The loader's own variables, such as VK_DRIVER_FILES, VK_LOADER_DEBUG and
//     VK_INSTANCE_LAYERS, work as usual.
package vulkan

// Package vulkan is the Vulkan backend.
//
// A device has one queue, and a second one for large copies where it has a family for transfers
// alone. Submit turns a batch into one command buffer for each, recorded
// and submitted by a single call into C; completion is a value of the queue's timeline
// semaphore, polled for a moment before the wait becomes a blocking one. Memory comes from pools of large blocks, host data goes through
// a staging ring, and fault records stand in host memory, which a kernel touches
// only when it faults, so that looking through them costs the host a few cache
// lines and the device nothing.
//
// Environment:
//
//   - KGEN_VALIDATE=1 turns the Khronos validation layer on; what it says is
//     printed to standard error and counted, see [ValidationMessages];
//   - KGEN_PIPELINE_CACHE=off disables the pipeline cache on disk, any other
//     value is the directory to use instead of the user's cache directory: if it
//     cannot be made or written to, no device opens; without the user's there is
//     no cache, and nothing says so;
//   - the loader's own variables, such as VK_DRIVER_FILES, VK_LOADER_DEBUG and
//     VK_INSTANCE_LAYERS, work as usual.
package vulkan

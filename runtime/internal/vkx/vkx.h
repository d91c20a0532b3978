/*
 * Flat-argument calls into Vulkan: structs are built on the C stack, so that
 * nothing that Go owns is referred to after a call has returned. Handles are
 * uintptr_t, since a handle need not be a pointer.
 */
#ifndef VKX_H
#define VKX_H

#include <stddef.h>
#include <stdint.h>

typedef struct vkx_device vkx_device;

typedef struct {
	int32_t result; /* VkResult */
	uint64_t value; /* a handle, an address or a size */
} vkx_value;

/*
 * Features by their names in Vulkan. X(name, struct in vkx_features, member)
 */
#define VKX_FEATURES(X) \
	X(shaderInt64, f2.features, shaderInt64) \
	X(shaderFloat64, f2.features, shaderFloat64) \
	X(shaderInt16, f2.features, shaderInt16) \
	X(storageBuffer16BitAccess, v11, storageBuffer16BitAccess) \
	X(uniformAndStorageBuffer16BitAccess, v11, uniformAndStorageBuffer16BitAccess) \
	X(storagePushConstant16, v11, storagePushConstant16) \
	X(storageBuffer8BitAccess, v12, storageBuffer8BitAccess) \
	X(uniformAndStorageBuffer8BitAccess, v12, uniformAndStorageBuffer8BitAccess) \
	X(storagePushConstant8, v12, storagePushConstant8) \
	X(shaderBufferInt64Atomics, v12, shaderBufferInt64Atomics) \
	X(shaderSharedInt64Atomics, v12, shaderSharedInt64Atomics) \
	X(shaderFloat16, v12, shaderFloat16) \
	X(shaderInt8, v12, shaderInt8) \
	X(scalarBlockLayout, v12, scalarBlockLayout) \
	X(shaderSubgroupExtendedTypes, v12, shaderSubgroupExtendedTypes) \
	X(bufferDeviceAddress, v12, bufferDeviceAddress) \
	X(timelineSemaphore, v12, timelineSemaphore) \
	X(vulkanMemoryModel, v12, vulkanMemoryModel) \
	X(vulkanMemoryModelDeviceScope, v12, vulkanMemoryModelDeviceScope) \
	X(subgroupSizeControl, subgroupSize, subgroupSizeControl) \
	X(computeFullSubgroups, subgroupSize, computeFullSubgroups) \
	X(shaderZeroInitializeWorkgroupMemory, zeroInit, shaderZeroInitializeWorkgroupMemory) \
	X(maintenance4, maintenance4, maintenance4) \
	X(shaderBufferFloat32Atomics, atomicFloat, shaderBufferFloat32Atomics) \
	X(shaderBufferFloat32AtomicAdd, atomicFloat, shaderBufferFloat32AtomicAdd) \
	X(shaderBufferFloat64Atomics, atomicFloat, shaderBufferFloat64Atomics) \
	X(shaderBufferFloat64AtomicAdd, atomicFloat, shaderBufferFloat64AtomicAdd) \
	X(shaderSharedFloat32Atomics, atomicFloat, shaderSharedFloat32Atomics) \
	X(shaderSharedFloat32AtomicAdd, atomicFloat, shaderSharedFloat32AtomicAdd) \
	X(shaderSharedFloat64Atomics, atomicFloat, shaderSharedFloat64Atomics) \
	X(shaderSharedFloat64AtomicAdd, atomicFloat, shaderSharedFloat64AtomicAdd) \
	X(cooperativeMatrix, matrices, cooperativeMatrix) \
	X(shaderBFloat16Type, bfloat16, shaderBFloat16Type) \
	X(shaderBFloat16CooperativeMatrix, bfloat16, shaderBFloat16CooperativeMatrix) \
	X(shaderIntegerDotProduct, dots, shaderIntegerDotProduct)

/*
 * Extensions with features, which are used where a device has them or a version of Vulkan that includes them.
 * X(struct in vkx_features, extension, minor version of Vulkan 1 or VKX_NEVER, type, sType)
 */
#define VKX_EXTENSION_FEATURES(X) \
	X(subgroupSize, VK_EXT_subgroup_size_control, 3, \
		VkPhysicalDeviceSubgroupSizeControlFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES) \
	X(zeroInit, VK_KHR_zero_initialize_workgroup_memory, 3, \
		VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES) \
	X(maintenance4, VK_KHR_maintenance4, 3, \
		VkPhysicalDeviceMaintenance4Features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES) \
	X(atomicFloat, VK_EXT_shader_atomic_float, VKX_NEVER, \
		VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT) \
	X(matrices, VK_KHR_cooperative_matrix, VKX_NEVER, \
		VkPhysicalDeviceCooperativeMatrixFeaturesKHR, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR) \
	X(bfloat16, VK_KHR_shader_bfloat16, VKX_NEVER, \
		VkPhysicalDeviceShaderBfloat16FeaturesKHR, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR) \
	X(dots, VK_KHR_shader_integer_dot_product, 3, \
		VkPhysicalDeviceShaderIntegerDotProductFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES)

/*
 * Extensions without features that are used. X(extension, as above, whether it is enabled: others are queried only)
 */
#define VKX_OTHER_EXTENSIONS(X) \
	X(VK_NV_shader_sm_builtins, VKX_NEVER, 0) \
	X(VK_EXT_calibrated_timestamps, VKX_NEVER, 1) \
	X(VK_EXT_pci_bus_info, VKX_NEVER, 0) \
	X(VK_EXT_external_memory_host, VKX_NEVER, 1) \
	X(VK_KHR_external_memory_fd, VKX_NEVER, 0) \
	X(VK_EXT_pipeline_creation_feedback, 3, 1) \
	X(VK_KHR_portability_subset, VKX_NEVER, 1)

enum { VKX_NEVER = 1000 };

enum {
#define X(name, s, m) VKX_##name,
	VKX_FEATURES(X)
#undef X
	VKX_NUM_FEATURES
};

/* What a physical device is, can and allows. */
typedef struct {
	uint32_t apiVersion, driverVersion, vendorID, deviceID, deviceType;
	uint8_t pipelineCacheUUID[16], deviceUUID[16];
	uint32_t hasPCI, pci[4]; /* domain, bus, device, function */
	float timestampPeriod;   /* nanoseconds */
	uint32_t calibrated;     /* vkx_calibrate works */
	char deviceName[256], driverName[256], driverInfo[256];
	uint64_t features; /* bit per VKX_FEATURES row */

	uint32_t maxComputeWorkGroupCount[3], maxComputeWorkGroupSize[3];
	uint32_t maxComputeWorkGroupInvocations, maxComputeSharedMemorySize;
	uint32_t maxPushConstantsSize, maxMemoryAllocationCount;
	uint64_t maxMemoryAllocationSize, maxBufferSize; /* maxBufferSize 0: unknown */
	uint32_t subgroupSize, subgroupStages, subgroupOperations;
	uint32_t minSubgroupSize, maxSubgroupSize, maxComputeWorkgroupSubgroups, requiredSubgroupSizeStages;
	uint32_t denormPreserveFloat32;
	uint32_t signedZeroInfNanPreserve; /* widths: the sum of 16, 32 and 64 */
	uint32_t computeUnits, residentItems; /* 0: unknown */
	uint32_t dots; /* sums of four packed products that are fast, a bit each: unsigned, signed, mixed, and the same saturating */
} vkx_physical_device_info;

typedef struct {
	uint32_t types, heaps;
	uint32_t typeFlags[32], typeHeap[32], heapFlags[16];
	uint64_t heapSize[16];
} vkx_memory_properties;

/* Commands of vkx_submit: uint32 words, 64-bit values low word first. */
enum {
	VKX_CMD_BIND = 1,      /* pipeline:64 */
	VKX_CMD_PUSH,          /* layout:64 bytes data[bytes/4] */
	VKX_CMD_DISPATCH,      /* x y z */
	VKX_CMD_DISPATCH_BASE, /* bx by bz x y z */
	VKX_CMD_BARRIER,       /* srcStages srcAccess dstStages dstAccess */
	VKX_CMD_COPY,          /* src:64 dst:64 srcOffset:64 dstOffset:64 size:64 */
	VKX_CMD_FILL,          /* dst:64 offset:64 size:64 pattern */
	VKX_CMD_EXECUTE,       /* a secondary command buffer:64 */
	VKX_CMD_RESET_QUERIES, /* pool:64 first n */
	VKX_CMD_TIMESTAMP      /* pool:64 query stage */
};

/* The loader. */
void *vkx_open(char *err, size_t n);
uint32_t vkx_instance_version(void);
vkx_value vkx_create_instance(uint32_t apiVersion, int validate);
void vkx_destroy_messenger(uintptr_t instance);
uint32_t vkx_messages(void);
const char *vkx_feature_name(uint32_t feature);

/* Physical devices. */
/* The bytes of vkx_features in no struct that is chained on a device with all extensions: 0, says a test. */
size_t vkx_unchained(void);
void vkx_get_physical_device_info(uintptr_t physicalDevice, vkx_physical_device_info *info);
/* Whether the memory of buffers with the usage can be exported. */
int vkx_exports(uintptr_t physicalDevice, uint32_t usage);
void vkx_get_memory_properties(uintptr_t physicalDevice, vkx_memory_properties *p);
uint32_t vkx_get_queue_families(uintptr_t physicalDevice, uint32_t *flags, uint32_t *timestampBits, uint32_t n);

/* The products of matrices that sub-groups have, of which at most n are stored. Returns how many there are. */
typedef struct {
	uint32_t m, n, k, a, b, c, result, saturating; /* a to result: VkComponentTypeKHR */
} vkx_matrices;
uint32_t vkx_get_matrices(uintptr_t physicalDevice, vkx_matrices *out, uint32_t n);

/* Devices. */
/* With a queue of each of the one or two families, all of which may use each buffer. If the driver lacks a function, the
 * result is VK_ERROR_INCOMPATIBLE_DRIVER, and lacks the function's name. Exports may be set if vkx_exports is. */
int32_t vkx_create_device(uintptr_t physicalDevice, const uint32_t *families, uint32_t n, uint64_t features, int exports, vkx_device **out,
	const char **lacks);
/* Takes the function for one that drivers lack, for tests. */
void vkx_hide(const char *function);
uintptr_t vkx_device_handle(vkx_device *d);
void vkx_free_device(vkx_device *d);

vkx_value vkx_create_buffer(vkx_device *d, uint64_t size, uint32_t usage);
void vkx_get_buffer_requirements(vkx_device *d, uintptr_t buffer, uint64_t *size, uint64_t *alignment, uint32_t *types);
uint64_t vkx_get_buffer_address(vkx_device *d, uintptr_t buffer);
vkx_value vkx_allocate_memory(vkx_device *d, uint64_t size, uint32_t type, uintptr_t owner);
/* Memory of the host that the device uses: vkx_imports_host is 0 without the extension for it. */
int vkx_imports_host(vkx_device *d);
vkx_value vkx_create_host_buffer(vkx_device *d, uint64_t size, uint32_t usage);
int32_t vkx_get_host_types(vkx_device *d, void *p, uint32_t *types);
vkx_value vkx_import_memory(vkx_device *d, void *p, uint64_t size, uint32_t type);
/* A buffer whose memory can be exported, if the device was created with exports, and that memory, which no other buffer may
 * have. The caller closes the file descriptor. */
vkx_value vkx_create_exported_buffer(vkx_device *d, uint64_t size, uint32_t usage);
vkx_value vkx_allocate_exported_memory(vkx_device *d, uint64_t size, uint32_t type, uintptr_t buffer);
int32_t vkx_export_memory(vkx_device *d, uintptr_t memory, int *fd);
/* A timeline semaphore of value 0, its value, and a wait for one, of at most timeout nanoseconds. */
vkx_value vkx_create_timeline(vkx_device *d);
int32_t vkx_get_reached(vkx_device *d, uintptr_t timeline, uint64_t *value);
int32_t vkx_wait_reached(vkx_device *d, uintptr_t timeline, uint64_t value, uint64_t timeout);
vkx_value vkx_create_command_pool(vkx_device *d, uint32_t queueFamily, int transient);
vkx_value vkx_allocate_command_buffer(vkx_device *d, uintptr_t pool, int secondary);
/* A pool of n queries for timestamps, and the values of n of them from first on, which are waited for. */
vkx_value vkx_create_query_pool(vkx_device *d, uint32_t n);
int32_t vkx_get_timestamps(vkx_device *d, uintptr_t pool, uint32_t first, uint32_t n, uint64_t *out);
/* The device's clock in ticks and CLOCK_MONOTONIC in nanoseconds, at times that are at most so many nanoseconds apart. */
int32_t vkx_calibrate(vkx_device *d, uint64_t *ticks, uint64_t *monotonic, uint64_t *deviation);
uint64_t vkx_monotonic(void);
vkx_value vkx_create_shader_module(vkx_device *d, const uint32_t *words, size_t n);
vkx_value vkx_create_pipeline_layout(vkx_device *d, uint32_t pushBytes);
vkx_value vkx_create_pipeline_cache(vkx_device *d, const void *data, size_t n);
/* spec holds id, offset and size of each constant. cached becomes 1 if the cache had the pipeline, 2 if not, 0 if nobody says. */
vkx_value vkx_create_compute_pipeline(vkx_device *d, uintptr_t cache, uintptr_t module, uintptr_t layout,
	int dispatchBase, uint32_t subgroupSize, int fullSubgroups,
	const uint32_t *spec, uint32_t nspec, const void *data, size_t ndata, uint32_t *cached);
/* What a submission waits for, in the given stages and what comes behind it, unless the semaphore is 0. */
typedef struct {
	uintptr_t semaphore;
	uint64_t value;
	uint32_t stages;
} vkx_wait;
/* Resets the pool of the command buffer, records n words into it and submits it; the timeline gets the value after it.
 * Without words it submits what the command buffer has. */
int32_t vkx_submit(vkx_device *d, uintptr_t queue, uintptr_t commandBuffer, uintptr_t timeline, uint64_t value,
	vkx_wait wait, const uint32_t *words, size_t n);
/* Records n words into a new secondary command buffer, which may be executed again and again, one after another. */
int32_t vkx_record(vkx_device *d, uintptr_t commandBuffer, const uint32_t *words, size_t n);

#endif

//go:build cgo && linux && !android

#include "vkx.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vk_decl.h"

typedef PFN_vkVoidFunction (*get_instance_proc_addr)(VkInstance, const char *);
typedef PFN_vkVoidFunction (*get_device_proc_addr)(VkDevice, const char *);

static get_instance_proc_addr gipa;
static VkDebugUtilsMessengerEXT messenger;
static atomic_uint messages;

/* Functions of the instance that is open; there is one at a time. */
static struct {
	PFN_vkGetPhysicalDeviceQueueFamilyProperties GetPhysicalDeviceQueueFamilyProperties;
	PFN_vkGetPhysicalDeviceMemoryProperties GetPhysicalDeviceMemoryProperties;
	PFN_vkEnumerateDeviceExtensionProperties EnumerateDeviceExtensionProperties;
	PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2;
	PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2;
	PFN_vkGetPhysicalDeviceExternalBufferProperties GetPhysicalDeviceExternalBufferProperties;
	PFN_vkCreateDevice CreateDevice;
	get_device_proc_addr GetDeviceProcAddr;
	PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT GetPhysicalDeviceCalibrateableTimeDomainsEXT; /* or NULL */
	PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR GetPhysicalDeviceCooperativeMatrixPropertiesKHR; /* or NULL */
} in;

#define DEVICE_FUNCTIONS(X) \
	X(QueueSubmit) X(AllocateMemory) X(GetBufferMemoryRequirements) X(GetBufferDeviceAddress) X(CreateBuffer) \
	X(CreateSemaphore) X(GetSemaphoreCounterValue) X(WaitSemaphores) X(CreateCommandPool) \
	X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) \
	X(CreateShaderModule) X(CreatePipelineLayout) X(CreatePipelineCache) \
	X(CreateComputePipelines) X(CmdBindPipeline) X(CmdPushConstants) X(CmdDispatch) X(CmdDispatchBase) \
	X(CmdCopyBuffer) X(CmdFillBuffer) X(CmdPipelineBarrier) X(CmdExecuteCommands) \
	X(CreateQueryPool) X(GetQueryPoolResults) X(CmdResetQueryPool) X(CmdWriteTimestamp)

enum { MAX_FAMILIES = 2 };

struct vkx_device {
	VkDevice device;
	uint32_t families[MAX_FAMILIES], nfamilies;
#define X(name) PFN_vk##name name;
	DEVICE_FUNCTIONS(X)
#undef X
	PFN_vkGetCalibratedTimestampsEXT GetCalibratedTimestampsEXT; /* NULL without the extension */
	PFN_vkGetMemoryHostPointerPropertiesEXT GetMemoryHostPointerPropertiesEXT; /* the same */
	PFN_vkGetMemoryFdKHR GetMemoryFdKHR; /* NULL unless memory is exported */
	int feedback; /* pipelines tell whether they came from the cache */
};

static vkx_value value(VkResult r, uintptr_t v) { return (vkx_value){r, r >= 0 ? v : 0}; }

void *vkx_open(char *err, size_t n) {
	if (gipa != NULL) return (void *)gipa;
	const char *name = "libvulkan.so.1";
	void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL) {
		snprintf(err, n, "%s", dlerror());
		lib = dlopen(name = "libvulkan.so", RTLD_NOW | RTLD_LOCAL);
	}
	if (lib == NULL) return NULL;
	gipa = (get_instance_proc_addr)dlsym(lib, "vkGetInstanceProcAddr");
	if (gipa == NULL) snprintf(err, n, "%s has no vkGetInstanceProcAddr", name);
	return (void *)gipa;
}

uint32_t vkx_instance_version(void) {
	PFN_vkEnumerateInstanceVersion f = (PFN_vkEnumerateInstanceVersion)gipa(NULL, "vkEnumerateInstanceVersion");
	uint32_t v = 1u << 22;
	if (f != NULL) f(&v);
	return v;
}

uint32_t vkx_messages(void) { return atomic_load(&messages); }

const char *vkx_feature_name(uint32_t feature) {
	static const char *const names[] = {
#define X(name, s, m) #name,
		VKX_FEATURES(X)
#undef X
	};
	return feature < VKX_NUM_FEATURES ? names[feature] : "?";
}

static VkBool32 on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
	(void)types, (void)user;
	/* The loader's own warnings about drivers of other machines are not about us. */
	if (data->pMessageIdName != NULL && strcmp(data->pMessageIdName, "Loader Message") == 0) return 0;
	atomic_fetch_add(&messages, 1);
	fprintf(stderr, "vulkan %s: %s\n",
		severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT ? "error" : "warning", data->pMessage);
	return 0;
}

vkx_value vkx_create_instance(uint32_t apiVersion, int validate) {
	const char *layer = "VK_LAYER_KHRONOS_validation";
	const char *extensions[] = { "VK_EXT_debug_utils", "VK_EXT_validation_features" };
	VkDebugUtilsMessengerCreateInfoEXT m = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
			VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
		.pfnUserCallback = on_message,
	};
	/* Hazards between commands too, of those that name buffers. */
	uint32_t synchronization = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
	VkValidationFeaturesEXT more = {
		.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, .pNext = &m,
		.enabledValidationFeatureCount = 1, .pEnabledValidationFeatures = &synchronization,
	};
	VkApplicationInfo app = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pEngineName = "kgen", .apiVersion = apiVersion,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
	};
	if (validate) {
		info.pNext = &more;
		info.enabledLayerCount = 1, info.ppEnabledLayerNames = &layer;
		info.enabledExtensionCount = 2, info.ppEnabledExtensionNames = extensions;
	}
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
	if (create == NULL) return value(VK_ERROR_INITIALIZATION_FAILED, 0);
	VkInstance instance = NULL;
	VkResult r = create(&info, NULL, &instance);
	if (r < 0) return value(r, 0);
#define X(name) in.name = (void *)gipa(instance, "vk" #name);
	X(GetPhysicalDeviceQueueFamilyProperties)
	X(GetPhysicalDeviceMemoryProperties)
	X(EnumerateDeviceExtensionProperties)
	X(GetPhysicalDeviceFeatures2)
	X(GetPhysicalDeviceProperties2)
	X(GetPhysicalDeviceExternalBufferProperties)
	X(CreateDevice)
	X(GetDeviceProcAddr)
	X(GetPhysicalDeviceCalibrateableTimeDomainsEXT)
	X(GetPhysicalDeviceCooperativeMatrixPropertiesKHR)
#undef X
	if (validate) {
		PFN_vkCreateDebugUtilsMessengerEXT f = (void *)gipa(instance, "vkCreateDebugUtilsMessengerEXT");
		if (f != NULL && f(instance, &m, NULL, &messenger) < 0) messenger = NULL;
	}
	return value(r, (uintptr_t)instance);
}

void vkx_destroy_messenger(uintptr_t instance) {
	if (messenger == NULL) return;
	PFN_vkDestroyDebugUtilsMessengerEXT f =
		(void *)gipa((VkInstance)instance, "vkDestroyDebugUtilsMessengerEXT");
	if (f != NULL) f((VkInstance)instance, messenger, NULL);
	messenger = NULL;
}

/* Extensions, by their places in a set of bits. */
enum {
#define X(member, name, since, type, sType) INDEX_##name,
	VKX_EXTENSION_FEATURES(X)
#undef X
#define X(name, since, enable) INDEX_##name,
	VKX_OTHER_EXTENSIONS(X)
#undef X
	NUM_EXT
};

#define EXT(name) (1u << INDEX_##name)

static const struct {
	const char *name;
	uint32_t since; /* the minor version of Vulkan 1 that includes it */
	int enable;
} extensions[NUM_EXT] = {
#define X(member, name, since, type, sType) {#name, since, 1},
	VKX_EXTENSION_FEATURES(X)
#undef X
#define X(name, since, enable) {#name, since, enable},
	VKX_OTHER_EXTENSIONS(X)
#undef X
};

static int at_least(uint32_t apiVersion, uint32_t minor) {
	return (apiVersion >> 22) > 1 || ((apiVersion >> 12) & 0x3ff) >= minor;
}

/* The extensions that a device has, and those that its version of Vulkan includes. */
static uint32_t extensions_of(VkPhysicalDevice p, uint32_t apiVersion) {
	uint32_t n = 0, set = 0;
	for (int k = 0; k < NUM_EXT; k++)
		if (at_least(apiVersion, extensions[k].since)) set |= 1u << k;
	if (in.EnumerateDeviceExtensionProperties(p, NULL, &n, NULL) < 0 || n == 0) return set;
	VkExtensionProperties *e = calloc(n, sizeof *e);
	if (e == NULL) return set;
	if (in.EnumerateDeviceExtensionProperties(p, NULL, &n, e) >= 0)
		for (uint32_t i = 0; i < n; i++)
			for (int k = 0; k < NUM_EXT; k++)
				if (strcmp(e[i].extensionName, extensions[k].name) == 0) set |= 1u << k;
	free(e);
	return set;
}

/* Structs that hold features, chained as the device's extensions allow. */
typedef struct {
	VkPhysicalDeviceFeatures2 f2;
	VkPhysicalDeviceVulkan11Features v11;
	VkPhysicalDeviceVulkan12Features v12;
#define X(member, name, since, type, sType) type member;
	VKX_EXTENSION_FEATURES(X)
#undef X
} vkx_features;

#define CHAIN(tail, s, type) ((s).sType = (type), *(tail) = &(s), (tail) = (void **)&(s).pNext)

static void chain_features(vkx_features *f, uint32_t ext) {
	memset(f, 0, sizeof *f);
	f->f2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
	void **tail = &f->f2.pNext;
	CHAIN(tail, f->v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
	CHAIN(tail, f->v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
#define X(member, name, since, type, sTypeOf) if (ext & EXT(name)) CHAIN(tail, f->member, sTypeOf);
	VKX_EXTENSION_FEATURES(X)
#undef X
}

size_t vkx_unchained(void) {
	vkx_features f;
	chain_features(&f, ~0u);
	size_t left = sizeof f;
	for (void *s = &f; s != NULL; s = ((VkPhysicalDeviceFeatures2 *)s)->pNext) {
		if (s == &f.f2) left -= sizeof f.f2;
		if (s == &f.v11) left -= sizeof f.v11;
		if (s == &f.v12) left -= sizeof f.v12;
#define X(member, name, since, type, sType) if (s == &f.member) left -= sizeof f.member;
		VKX_EXTENSION_FEATURES(X)
#undef X
	}
	return left;
}

/* Whether the device's clock and CLOCK_MONOTONIC can be read together. */
static int is_calibrated(VkPhysicalDevice p) {
	VkTimeDomainEXT t[16];
	uint32_t n = 16, found = 0;
	if (in.GetPhysicalDeviceCalibrateableTimeDomainsEXT == NULL ||
		in.GetPhysicalDeviceCalibrateableTimeDomainsEXT(p, &n, t) < 0)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (t[i] == VK_TIME_DOMAIN_DEVICE_EXT || t[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT) found |= 1u << t[i];
	return found == 3;
}

void vkx_get_physical_device_info(uintptr_t physicalDevice, vkx_physical_device_info *o) {
	VkPhysicalDevice p = (VkPhysicalDevice)physicalDevice;
	memset(o, 0, sizeof *o);
	VkPhysicalDeviceProperties2 p2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	in.GetPhysicalDeviceProperties2(p, &p2);
	const VkPhysicalDeviceLimits *l = &p2.properties.limits;
	o->apiVersion = p2.properties.apiVersion;
	o->driverVersion = p2.properties.driverVersion;
	o->vendorID = p2.properties.vendorID;
	o->deviceID = p2.properties.deviceID;
	o->deviceType = p2.properties.deviceType;
	memcpy(o->pipelineCacheUUID, p2.properties.pipelineCacheUUID, 16);
	memcpy(o->deviceName, p2.properties.deviceName, 256);
	for (int i = 0; i < 3; i++) {
		o->maxComputeWorkGroupCount[i] = l->maxComputeWorkGroupCount[i];
		o->maxComputeWorkGroupSize[i] = l->maxComputeWorkGroupSize[i];
	}
	o->timestampPeriod = l->timestampPeriod;
	o->maxComputeWorkGroupInvocations = l->maxComputeWorkGroupInvocations;
	o->maxComputeSharedMemorySize = l->maxComputeSharedMemorySize;
	o->maxPushConstantsSize = l->maxPushConstantsSize;
	o->maxMemoryAllocationCount = l->maxMemoryAllocationCount;
	if (o->apiVersion < ((1u << 22) | (2u << 12))) return; /* the structs below are Vulkan 1.2's */

	uint32_t ext = extensions_of(p, o->apiVersion);
	o->calibrated = ext & EXT(VK_EXT_calibrated_timestamps) && is_calibrated(p);
	vkx_features f;
	chain_features(&f, ext);
	in.GetPhysicalDeviceFeatures2(p, &f.f2);
#define X(name, s, m) if (f.s.m) o->features |= 1ull << VKX_##name;
	VKX_FEATURES(X)
#undef X

	VkPhysicalDeviceVulkan11Properties v11 = {0};
	VkPhysicalDeviceVulkan12Properties v12 = {0};
	VkPhysicalDeviceSubgroupSizeControlProperties size = {0};
	VkPhysicalDeviceMaintenance4Properties m4 = {0};
	VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm = {0};
	VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {0};
	VkPhysicalDeviceShaderIntegerDotProductProperties dots = {0};
	void **tail = &p2.pNext;
	CHAIN(tail, v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
	CHAIN(tail, v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
	if (ext & EXT(VK_EXT_subgroup_size_control))
		CHAIN(tail, size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
	if (ext & EXT(VK_KHR_maintenance4))
		CHAIN(tail, m4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
	if (ext & EXT(VK_NV_shader_sm_builtins))
		CHAIN(tail, sm, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
	if (ext & EXT(VK_EXT_pci_bus_info))
		CHAIN(tail, pci, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
	if (ext & EXT(VK_KHR_shader_integer_dot_product))
		CHAIN(tail, dots, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES);
	in.GetPhysicalDeviceProperties2(p, &p2);
	memcpy(o->driverName, v12.driverName, 256);
	memcpy(o->driverInfo, v12.driverInfo, 256);
	o->maxMemoryAllocationSize = v11.maxMemoryAllocationSize;
	o->maxBufferSize = m4.maxBufferSize;
	o->subgroupSize = v11.subgroupSize;
	o->subgroupStages = v11.subgroupSupportedStages;
	o->subgroupOperations = v11.subgroupSupportedOperations;
	o->minSubgroupSize = size.minSubgroupSize ? size.minSubgroupSize : v11.subgroupSize;
	o->maxSubgroupSize = size.maxSubgroupSize ? size.maxSubgroupSize : v11.subgroupSize;
	o->maxComputeWorkgroupSubgroups = size.maxComputeWorkgroupSubgroups;
	o->requiredSubgroupSizeStages = size.requiredSubgroupSizeStages;
	o->denormPreserveFloat32 = v12.shaderDenormPreserveFloat32;
	o->signedZeroInfNanPreserve = (v12.shaderSignedZeroInfNanPreserveFloat16 ? 16 : 0) |
		(v12.shaderSignedZeroInfNanPreserveFloat32 ? 32 : 0) | (v12.shaderSignedZeroInfNanPreserveFloat64 ? 64 : 0);
	const VkBool32 fast[] = {dots.integerDotProduct4x8BitPackedUnsignedAccelerated, dots.integerDotProduct4x8BitPackedSignedAccelerated,
		dots.integerDotProduct4x8BitPackedMixedSignednessAccelerated, dots.integerDotProductAccumulatingSaturating4x8BitPackedUnsignedAccelerated,
		dots.integerDotProductAccumulatingSaturating4x8BitPackedSignedAccelerated,
		dots.integerDotProductAccumulatingSaturating4x8BitPackedMixedSignednessAccelerated};
	for (int i = 0; i < 6; i++)
		if (fast[i]) o->dots |= 1u << i;
	o->computeUnits = sm.shaderSMCount;
	o->residentItems = sm.shaderSMCount * sm.shaderWarpsPerSM * 32;
	memcpy(o->deviceUUID, v11.deviceUUID, 16);
	o->hasPCI = (ext & EXT(VK_EXT_pci_bus_info)) != 0;
	o->pci[0] = pci.pciDomain, o->pci[1] = pci.pciBus, o->pci[2] = pci.pciDevice, o->pci[3] = pci.pciFunction;
}

int vkx_exports(uintptr_t physicalDevice, uint32_t usage) {
	VkPhysicalDevice p = (VkPhysicalDevice)physicalDevice;
	VkPhysicalDeviceExternalBufferInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
		.usage = usage, .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	VkExternalBufferProperties o = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
	in.GetPhysicalDeviceExternalBufferProperties(p, &info, &o);
	return o.externalMemoryProperties.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT &&
		extensions_of(p, 0) & EXT(VK_KHR_external_memory_fd);
}

void vkx_get_memory_properties(uintptr_t physicalDevice, vkx_memory_properties *o) {
	VkPhysicalDeviceMemoryProperties m;
	in.GetPhysicalDeviceMemoryProperties((VkPhysicalDevice)physicalDevice, &m);
	memset(o, 0, sizeof *o);
	o->types = m.memoryTypeCount;
	o->heaps = m.memoryHeapCount;
	for (uint32_t i = 0; i < m.memoryTypeCount; i++) {
		o->typeFlags[i] = m.memoryTypes[i].propertyFlags;
		o->typeHeap[i] = m.memoryTypes[i].heapIndex;
	}
	for (uint32_t i = 0; i < m.memoryHeapCount; i++) {
		o->heapFlags[i] = m.memoryHeaps[i].flags;
		o->heapSize[i] = m.memoryHeaps[i].size;
	}
}

uint32_t vkx_get_matrices(uintptr_t physicalDevice, vkx_matrices *out, uint32_t most) {
	VkCooperativeMatrixPropertiesKHR all[64];
	uint32_t n = 64, found = 0;
	for (uint32_t i = 0; i < n; i++)
		all[i] = (VkCooperativeMatrixPropertiesKHR){.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
	if (in.GetPhysicalDeviceCooperativeMatrixPropertiesKHR == NULL ||
		in.GetPhysicalDeviceCooperativeMatrixPropertiesKHR((VkPhysicalDevice)physicalDevice, &n, all) < 0)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		const VkCooperativeMatrixPropertiesKHR *p = &all[i];
		if (p->scope == VK_SCOPE_SUBGROUP_KHR && found < most)
			out[found++] = (vkx_matrices){p->MSize, p->NSize, p->KSize, p->AType, p->BType, p->CType, p->ResultType,
				p->saturatingAccumulation};
	}
	return found;
}

uint32_t vkx_get_queue_families(uintptr_t physicalDevice, uint32_t *flags, uint32_t *timestampBits, uint32_t n) {
	VkQueueFamilyProperties q[32];
	uint32_t count = 32;
	in.GetPhysicalDeviceQueueFamilyProperties((VkPhysicalDevice)physicalDevice, &count, q);
	if (count > n) count = n;
	for (uint32_t i = 0; i < count; i++) {
		flags[i] = q[i].queueCount ? q[i].queueFlags : 0;
		timestampBits[i] = q[i].timestampValidBits;
	}
	return count;
}

static char hidden[64];

void vkx_hide(const char *function) { snprintf(hidden, sizeof hidden, "%s", function); }

int32_t vkx_create_device(uintptr_t physicalDevice, const uint32_t *families, uint32_t nfamilies, uint64_t features, int exports, vkx_device **out,
	const char **lacks) {
	VkPhysicalDevice p = (VkPhysicalDevice)physicalDevice;
	VkPhysicalDeviceProperties2 p2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	in.GetPhysicalDeviceProperties2(p, &p2);
	uint32_t version = p2.properties.apiVersion, ext = extensions_of(p, version);
	if (ext & EXT(VK_EXT_calibrated_timestamps) && !is_calibrated(p)) ext &= ~EXT(VK_EXT_calibrated_timestamps);
	vkx_features f;
	chain_features(&f, ext);
#define X(name, s, m) if (features & 1ull << VKX_##name) f.s.m = 1;
	VKX_FEATURES(X)
#undef X
	const char *names[NUM_EXT];
	uint32_t n = 0;
	for (int k = 0; k < NUM_EXT; k++)
		if (ext & 1u << k && (extensions[k].enable || (exports && k == INDEX_VK_KHR_external_memory_fd)) && !at_least(version, extensions[k].since)) names[n++] = extensions[k].name;
	float priority = 1;
	VkDeviceQueueCreateInfo queues[MAX_FAMILIES];
	if (nfamilies > MAX_FAMILIES) return VK_ERROR_INITIALIZATION_FAILED;
	for (uint32_t i = 0; i < nfamilies; i++)
		queues[i] = (VkDeviceQueueCreateInfo){
			.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
			.queueFamilyIndex = families[i], .queueCount = 1, .pQueuePriorities = &priority,
		};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f.f2,
		.queueCreateInfoCount = nfamilies, .pQueueCreateInfos = queues,
		.enabledExtensionCount = n, .ppEnabledExtensionNames = names,
	};
	vkx_device *d = calloc(1, sizeof *d);
	if (d == NULL) return VK_ERROR_OUT_OF_HOST_MEMORY;
	d->nfamilies = nfamilies;
	memcpy(d->families, families, nfamilies * sizeof *families);
	VkResult r = in.CreateDevice(p, &info, NULL, &d->device);
	if (r < 0) {
		free(d);
		return r;
	}
#define X(name) \
	d->name = (PFN_vk##name)in.GetDeviceProcAddr(d->device, "vk" #name); \
	if (d->name == NULL || strcmp("vk" #name, hidden) == 0) *lacks = "vk" #name;
	DEVICE_FUNCTIONS(X)
#undef X
	if (*lacks != NULL) {
		PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)in.GetDeviceProcAddr(d->device, "vkDestroyDevice");
		if (destroy != NULL) destroy(d->device, NULL);
		free(d);
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	}
	if (ext & EXT(VK_EXT_calibrated_timestamps))
		d->GetCalibratedTimestampsEXT =
			(PFN_vkGetCalibratedTimestampsEXT)in.GetDeviceProcAddr(d->device, "vkGetCalibratedTimestampsEXT");
	if (ext & EXT(VK_EXT_external_memory_host))
		d->GetMemoryHostPointerPropertiesEXT =
			(PFN_vkGetMemoryHostPointerPropertiesEXT)in.GetDeviceProcAddr(d->device, "vkGetMemoryHostPointerPropertiesEXT");
	if (exports) d->GetMemoryFdKHR = (PFN_vkGetMemoryFdKHR)in.GetDeviceProcAddr(d->device, "vkGetMemoryFdKHR");
	d->feedback = (ext & EXT(VK_EXT_pipeline_creation_feedback)) != 0;
	*out = d;
	return r;
}

uintptr_t vkx_device_handle(vkx_device *d) { return (uintptr_t)d->device; }

void vkx_free_device(vkx_device *d) { free(d); }

static vkx_value create_buffer(vkx_device *d, uint64_t size, uint32_t usage, const void *next) {
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = next, .size = size, .usage = usage};
	if (d->nfamilies > 1) {
		info.sharingMode = VK_SHARING_MODE_CONCURRENT;
		info.queueFamilyIndexCount = d->nfamilies, info.pQueueFamilyIndices = d->families;
	}
	VkBuffer b = NULL;
	VkResult r = d->CreateBuffer(d->device, &info, NULL, &b);
	return value(r, (uintptr_t)b);
}

vkx_value vkx_create_buffer(vkx_device *d, uint64_t size, uint32_t usage) { return create_buffer(d, size, usage, NULL); }

static vkx_value create_external_buffer(vkx_device *d, uint64_t size, uint32_t usage, uint32_t handle) {
	VkExternalMemoryBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = handle};
	return create_buffer(d, size, usage, &info);
}

vkx_value vkx_create_host_buffer(vkx_device *d, uint64_t size, uint32_t usage) {
	return create_external_buffer(d, size, usage, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT);
}

vkx_value vkx_create_exported_buffer(vkx_device *d, uint64_t size, uint32_t usage) {
	return create_external_buffer(d, size, usage, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
}

void vkx_get_buffer_requirements(vkx_device *d, uintptr_t buffer, uint64_t *size, uint64_t *alignment, uint32_t *types) {
	VkMemoryRequirements m;
	d->GetBufferMemoryRequirements(d->device, (VkBuffer)buffer, &m);
	*size = m.size, *alignment = m.alignment, *types = m.memoryTypeBits;
}

uint64_t vkx_get_buffer_address(vkx_device *d, uintptr_t buffer) {
	VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = (VkBuffer)buffer};
	return d->GetBufferDeviceAddress(d->device, &info);
}

static vkx_value allocate_memory(vkx_device *d, uint64_t size, uint32_t type, const void *next) {
	VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .pNext = next, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &flags,
		.allocationSize = size, .memoryTypeIndex = type,
	};
	VkDeviceMemory m = NULL;
	VkResult r = d->AllocateMemory(d->device, &info, NULL, &m);
	return value(r, (uintptr_t)m);
}

vkx_value vkx_allocate_memory(vkx_device *d, uint64_t size, uint32_t type, uintptr_t owner) {
	VkMemoryDedicatedAllocateInfo own = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .buffer = (VkBuffer)owner};
	return allocate_memory(d, size, type, owner != 0 ? &own : NULL);
}

vkx_value vkx_allocate_exported_memory(vkx_device *d, uint64_t size, uint32_t type, uintptr_t buffer) {
	VkMemoryDedicatedAllocateInfo own = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .buffer = (VkBuffer)buffer};
	VkExportMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .pNext = &own, .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	return allocate_memory(d, size, type, &info);
}

int32_t vkx_export_memory(vkx_device *d, uintptr_t memory, int *fd) {
	VkMemoryGetFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = (VkDeviceMemory)memory,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	return d->GetMemoryFdKHR != NULL ? d->GetMemoryFdKHR(d->device, &info, fd) : VK_ERROR_EXTENSION_NOT_PRESENT;
}

int vkx_imports_host(vkx_device *d) { return d->GetMemoryHostPointerPropertiesEXT != NULL; }

int32_t vkx_get_host_types(vkx_device *d, void *p, uint32_t *types) {
	VkMemoryHostPointerPropertiesEXT info = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
	VkResult r = d->GetMemoryHostPointerPropertiesEXT(d->device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, p, &info);
	*types = info.memoryTypeBits;
	return r;
}

vkx_value vkx_import_memory(vkx_device *d, void *p, uint64_t size, uint32_t type) {
	VkImportMemoryHostPointerInfoEXT host = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, .pHostPointer = p,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &host,
		.allocationSize = size, .memoryTypeIndex = type,
	};
	VkDeviceMemory m = NULL;
	VkResult r = d->AllocateMemory(d->device, &info, NULL, &m);
	return value(r, (uintptr_t)m);
}

vkx_value vkx_create_timeline(vkx_device *d) {
	VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
	};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
	VkSemaphore s = NULL;
	VkResult r = d->CreateSemaphore(d->device, &info, NULL, &s);
	return value(r, (uintptr_t)s);
}

int32_t vkx_get_reached(vkx_device *d, uintptr_t timeline, uint64_t *value) {
	return d->GetSemaphoreCounterValue(d->device, (VkSemaphore)timeline, value);
}

int32_t vkx_wait_reached(vkx_device *d, uintptr_t timeline, uint64_t value, uint64_t timeout) {
	VkSemaphore s = (VkSemaphore)timeline;
	VkSemaphoreWaitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &s, .pValues = &value,
	};
	return d->WaitSemaphores(d->device, &info, timeout);
}

vkx_value vkx_create_command_pool(vkx_device *d, uint32_t queueFamily, int transient) {
	VkCommandPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = transient ? VK_COMMAND_POOL_CREATE_TRANSIENT_BIT | VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT : 0, .queueFamilyIndex = queueFamily,
	};
	VkCommandPool p = NULL;
	VkResult r = d->CreateCommandPool(d->device, &info, NULL, &p);
	return value(r, (uintptr_t)p);
}

vkx_value vkx_allocate_command_buffer(vkx_device *d, uintptr_t pool, int secondary) {
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = (VkCommandPool)pool, .commandBufferCount = 1,
		.level = secondary ? VK_COMMAND_BUFFER_LEVEL_SECONDARY : VK_COMMAND_BUFFER_LEVEL_PRIMARY,
	};
	VkCommandBuffer c = NULL;
	VkResult r = d->AllocateCommandBuffers(d->device, &info, &c);
	return value(r, (uintptr_t)c);
}

vkx_value vkx_create_query_pool(vkx_device *d, uint32_t n) {
	VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = n,
	};
	VkQueryPool p = NULL;
	VkResult r = d->CreateQueryPool(d->device, &info, NULL, &p);
	return value(r, (uintptr_t)p);
}

int32_t vkx_get_timestamps(vkx_device *d, uintptr_t pool, uint32_t first, uint32_t n, uint64_t *out) {
	return d->GetQueryPoolResults(d->device, (VkQueryPool)pool, first, n, n * sizeof *out, out, sizeof *out,
		VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
}

int32_t vkx_calibrate(vkx_device *d, uint64_t *ticks, uint64_t *monotonic, uint64_t *deviation) {
	VkCalibratedTimestampInfoEXT info[2] = {
		{.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
		{.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
	};
	uint64_t t[2] = {0};
	if (d->GetCalibratedTimestampsEXT == NULL) return VK_ERROR_INITIALIZATION_FAILED;
	VkResult r = d->GetCalibratedTimestampsEXT(d->device, 2, info, t, deviation);
	*ticks = t[0], *monotonic = t[1];
	return r;
}

uint64_t vkx_monotonic(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

vkx_value vkx_create_shader_module(vkx_device *d, const uint32_t *words, size_t n) {
	VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = n * 4, .pCode = words,
	};
	VkShaderModule m = NULL;
	VkResult r = d->CreateShaderModule(d->device, &info, NULL, &m);
	return value(r, (uintptr_t)m);
}

vkx_value vkx_create_pipeline_layout(vkx_device *d, uint32_t pushBytes) {
	VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = pushBytes};
	VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pushConstantRangeCount = 1, .pPushConstantRanges = &range,
	};
	VkPipelineLayout l = NULL;
	VkResult r = d->CreatePipelineLayout(d->device, &info, NULL, &l);
	return value(r, (uintptr_t)l);
}

vkx_value vkx_create_pipeline_cache(vkx_device *d, const void *data, size_t n) {
	VkPipelineCacheCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = n, .pInitialData = data,
	};
	VkPipelineCache c = NULL;
	VkResult r = d->CreatePipelineCache(d->device, &info, NULL, &c);
	return value(r, (uintptr_t)c);
}

vkx_value vkx_create_compute_pipeline(vkx_device *d, uintptr_t cache, uintptr_t module, uintptr_t layout,
	int dispatchBase, uint32_t subgroupSize, int fullSubgroups,
	const uint32_t *spec, uint32_t nspec, const void *data, size_t ndata, uint32_t *cached) {
	VkSpecializationMapEntry few[64], *entries = few;
	if (nspec > 64 && (entries = calloc(nspec, sizeof *entries)) == NULL)
		return value(VK_ERROR_OUT_OF_HOST_MEMORY, 0);
	for (uint32_t i = 0; i < nspec; i++)
		entries[i] = (VkSpecializationMapEntry){spec[3 * i], spec[3 * i + 1], spec[3 * i + 2]};
	VkSpecializationInfo constants = {
		.mapEntryCount = nspec, .pMapEntries = entries, .dataSize = ndata, .pData = data,
	};
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
		.requiredSubgroupSize = subgroupSize,
	};
	VkPipelineCreationFeedback all = {0}, stage = {0};
	VkPipelineCreationFeedbackCreateInfo feedback = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, .pPipelineCreationFeedback = &all,
		.pipelineStageCreationFeedbackCount = 1, .pPipelineStageCreationFeedbacks = &stage,
	};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .pNext = d->feedback ? &feedback : NULL,
		.flags = dispatchBase ? VK_PIPELINE_CREATE_DISPATCH_BASE_BIT : 0,
		.stage = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.pNext = subgroupSize ? &size : NULL,
			.flags = fullSubgroups ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = (VkShaderModule)module, .pName = "main",
			.pSpecializationInfo = nspec ? &constants : NULL,
		},
		.layout = (VkPipelineLayout)layout, .basePipelineIndex = -1,
	};
	VkPipeline p = NULL;
	VkResult r = d->CreateComputePipelines(d->device, (VkPipelineCache)cache, 1, &info, NULL, &p);
	if (entries != few) free(entries);
	*cached = 0;
	if (all.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT)
		*cached = all.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT ? 1 : 2;
	return value(r, (uintptr_t)p);
}

static uint64_t u64(const uint32_t *w) { return w[0] | (uint64_t)w[1] << 32; }
static VkBuffer buffer(const uint32_t *w) { return (VkBuffer)(uintptr_t)u64(w); }

/* Returns 0 for a stream that no Go code writes: an unknown or cut off command. */
static int record(vkx_device *d, VkCommandBuffer c, const uint32_t *w, const uint32_t *end) {
	static const uint8_t length[] = {
		[VKX_CMD_BIND] = 3, [VKX_CMD_PUSH] = 4, [VKX_CMD_DISPATCH] = 4, [VKX_CMD_DISPATCH_BASE] = 7,
		[VKX_CMD_BARRIER] = 5, [VKX_CMD_COPY] = 11, [VKX_CMD_FILL] = 8,
		[VKX_CMD_EXECUTE] = 3, [VKX_CMD_RESET_QUERIES] = 5, [VKX_CMD_TIMESTAMP] = 5,
	};
	while (w < end) {
		uint32_t op = w[0];
		if (op == 0 || op >= sizeof length || end - w < length[op]) return 0;
		switch (op) {
		case VKX_CMD_BIND:
			d->CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, (VkPipeline)(uintptr_t)u64(w + 1));
			break;
		case VKX_CMD_PUSH:
			if ((size_t)(end - w) < 4 + w[3] / 4) return 0;
			d->CmdPushConstants(c, (VkPipelineLayout)(uintptr_t)u64(w + 1), VK_SHADER_STAGE_COMPUTE_BIT, 0, w[3], w + 4);
			w += w[3] / 4;
			break;
		case VKX_CMD_DISPATCH:
			d->CmdDispatch(c, w[1], w[2], w[3]);
			break;
		case VKX_CMD_DISPATCH_BASE:
			d->CmdDispatchBase(c, w[1], w[2], w[3], w[4], w[5], w[6]);
			break;
		case VKX_CMD_BARRIER: {
			VkMemoryBarrier b = {
				.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = w[2], .dstAccessMask = w[4],
			};
			d->CmdPipelineBarrier(c, w[1], w[3], 0, 1, &b, 0, NULL, 0, NULL);
			break;
		}
		case VKX_CMD_COPY: {
			VkBufferCopy b = {u64(w + 5), u64(w + 7), u64(w + 9)};
			d->CmdCopyBuffer(c, buffer(w + 1), buffer(w + 3), 1, &b);
			break;
		}
		case VKX_CMD_FILL:
			d->CmdFillBuffer(c, buffer(w + 1), u64(w + 3), u64(w + 5), w[7]);
			break;
		case VKX_CMD_EXECUTE: {
			VkCommandBuffer b = (VkCommandBuffer)(uintptr_t)u64(w + 1);
			d->CmdExecuteCommands(c, 1, &b);
			break;
		}
		case VKX_CMD_RESET_QUERIES:
			d->CmdResetQueryPool(c, (VkQueryPool)(uintptr_t)u64(w + 1), w[3], w[4]);
			break;
		case VKX_CMD_TIMESTAMP:
			d->CmdWriteTimestamp(c, w[4], (VkQueryPool)(uintptr_t)u64(w + 1), w[3]);
			break;
		}
		w += length[op];
	}
	return 1;
}

int32_t vkx_submit(vkx_device *d, uintptr_t queue, uintptr_t commandBuffer, uintptr_t timeline, uint64_t value,
	vkx_wait wait, const uint32_t *words, size_t n) {
	VkCommandBuffer c = (VkCommandBuffer)commandBuffer;
	if (words != NULL) {
		VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
		VkResult r = d->BeginCommandBuffer(c, &begin);
		if (r < 0) return r;
		int ok = record(d, c, words, words + n);
		if ((r = d->EndCommandBuffer(c)) < 0) return r;
		if (!ok) return VK_ERROR_INITIALIZATION_FAILED;
	}
	VkSemaphore signal = (VkSemaphore)timeline, semaphore = (VkSemaphore)wait.semaphore;
	uint32_t waits = semaphore != NULL;
	VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = waits, .pWaitSemaphoreValues = &wait.value,
		.signalSemaphoreValueCount = 1, .pSignalSemaphoreValues = &value,
	};
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &values, .commandBufferCount = 1, .pCommandBuffers = &c,
		.waitSemaphoreCount = waits, .pWaitSemaphores = &semaphore, .pWaitDstStageMask = &wait.stages,
		.signalSemaphoreCount = 1, .pSignalSemaphores = &signal,
	};
	return d->QueueSubmit((VkQueue)queue, 1, &submit, NULL);
}

int32_t vkx_record(vkx_device *d, uintptr_t commandBuffer, const uint32_t *words, size_t n) {
	VkCommandBuffer c = (VkCommandBuffer)commandBuffer;
	VkCommandBufferInheritanceInfo none = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .pInheritanceInfo = &none};
	VkResult r = d->BeginCommandBuffer(c, &begin);
	if (r < 0) return r;
	int ok = record(d, c, words, words + n);
	if ((r = d->EndCommandBuffer(c)) < 0) return r;
	return ok ? r : VK_ERROR_INITIALIZATION_FAILED;
}

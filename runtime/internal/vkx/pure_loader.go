//go:build ((darwin || windows) && (amd64 || arm64)) || (!cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package vkx

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// instanceFunctions contains the addresses of functions of the loader and of the open instance.
// There is at most one instance at a time.
type instanceFunctions struct {
	DestroyInstance, EnumeratePhysicalDevices, GetDeviceProcAddr, CreateDevice, EnumerateDeviceExtensionProperties,
	GetPhysicalDeviceQueueFamilyProperties, GetPhysicalDeviceMemoryProperties,
	GetPhysicalDeviceFeatures2, GetPhysicalDeviceProperties2 uintptr
}

var (
	getInstanceProcAddr uintptr
	in                  instanceFunctions
	timeDomains         uintptr // vkGetPhysicalDeviceCalibrateableTimeDomainsEXT, or 0
	cooperativeMatrices uintptr // vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, or 0
	messenger           uintptr
	messages            atomic.Int64
)

// Open opens the Vulkan loader.
var Open = sync.OnceValue(func() (err error) {
	getInstanceProcAddr, err = openLoader()
	return err
})

func instanceFunction(inst Instance, name string) uintptr {
	return call(getInstanceProcAddr, uintptr(inst), uintptr(cString(name)))
}

// InstanceVersion returns the version of Vulkan that the loader offers.
func InstanceVersion() Version {
	v := new(Version)
	*v = MakeVersion(1, 0, 0)
	if fn := instanceFunction(0, "vkEnumerateInstanceVersion"); fn != 0 {
		call(fn, uintptr(ptr(v)))
	}
	return *v
}

// listPortable makes the loader list devices that implement a subset of Vulkan, such as
// the devices of a Mac.
var listPortable = runtime.GOOS == "darwin"

// instanceExtension reports whether the loader has an extension.
func instanceExtension(name string) bool {
	fn := instanceFunction(0, "vkEnumerateInstanceExtensionProperties")
	if fn == 0 {
		return false
	}
	n := new(uint32)
	call(fn, 0, uintptr(ptr(n)), 0)
	list := make([]extensionProperties, *n+1)
	call(fn, 0, uintptr(ptr(n)), uintptr(ptr(&list[0])))
	for _, e := range list[:*n] {
		if goString(e.extensionName[:]) == name {
			return true
		}
	}
	return false
}

func createInstance(version Version, validate bool) (Instance, Result) {
	app := &applicationInfo{sType: structureTypeApplicationInfo, pEngineName: cString("kgen"), apiVersion: uint32(version)}
	info := &instanceCreateInfo{sType: structureTypeInstanceCreateInfo, pApplicationInfo: ptr(app)}
	var extensions []unsafe.Pointer
	if name := "VK_KHR_portability_enumeration"; listPortable && instanceExtension(name) {
		extensions = append(extensions, cString(name))
		info.flags |= instanceCreateEnumeratePortabilityBitKhr
	}
	var m *debugUtilsMessengerCreateInfoEXT
	if validate {
		m = &debugUtilsMessengerCreateInfoEXT{
			sType:           structureTypeDebugUtilsMessengerCreateInfoExt,
			messageSeverity: debugUtilsMessageSeverityWarningBitExt | debugUtilsMessageSeverityErrorBitExt,
			messageType:     debugUtilsMessageTypeGeneralBitExt | debugUtilsMessageTypeValidationBitExt | debugUtilsMessageTypePerformanceBitExt,
			pfnUserCallback: messageCallback(),
		}
		// Make the validation layer also report hazards between commands that use the same buffers.
		synchronization := new(uint32)
		*synchronization = validationFeatureEnableSynchronizationValidationExt
		info.pNext = ptr(&validationFeaturesEXT{
			sType: structureTypeValidationFeaturesExt, pNext: ptr(m),
			enabledValidationFeatureCount: 1, pEnabledValidationFeatures: ptr(synchronization),
		})
		layers := []unsafe.Pointer{cString("VK_LAYER_KHRONOS_validation")}
		info.enabledLayerCount, info.ppEnabledLayerNames = 1, ptr(&layers[0])
		extensions = append(extensions, cString("VK_EXT_debug_utils"), cString("VK_EXT_validation_features"))
	}
	info.enabledExtensionCount, info.ppEnabledExtensionNames = uint32(len(extensions)), ptr(unsafe.SliceData(extensions))
	fn := instanceFunction(0, "vkCreateInstance")
	if fn == 0 {
		return 0, ErrorInitializationFailed
	}
	out := new(Instance)
	if r := Result(int32(call(fn, uintptr(ptr(info)), 0, uintptr(ptr(out))))); r < 0 {
		return 0, r
	}
	inst := *out
	if lacks := fillFunctions(&in, func(name string) uintptr { return instanceFunction(inst, name) }); lacks != "" {
		if in.DestroyInstance != 0 {
			call(in.DestroyInstance, uintptr(inst), 0)
		}
		return 0, ErrorInitializationFailed
	}
	timeDomains = instanceFunction(inst, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT")
	cooperativeMatrices = instanceFunction(inst, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR")
	if fn := instanceFunction(inst, "vkCreateDebugUtilsMessengerEXT"); validate && fn != 0 {
		messenger, _ = createObject[uintptr](fn, uintptr(inst), ptr(m))
	}
	return inst, Success
}

// messageCallback is the C function that the validation layer calls. messageCallback is made only
// once, because Go never frees a function that C may call.
var messageCallback = sync.OnceValue(func() uintptr {
	return newCallback(func(severity, _, data, _ uintptr) uintptr {
		d := (*debugUtilsMessengerCallbackDataEXT)(pointerTo(data))
		// The loader's warnings about drivers for other machines do not matter here.
		if textAt(d.pMessageIdName) == "Loader Message" {
			return 0
		}
		messages.Add(1)
		word := "warning"
		if severity&debugUtilsMessageSeverityErrorBitExt != 0 {
			word = "error"
		}
		fmt.Fprintf(os.Stderr, "vulkan %s: %s\n", word, textAt(d.pMessage))
		return 0
	})
})

// DestroyInstance destroys an instance and its messenger.
func DestroyInstance(inst Instance) {
	if fn := instanceFunction(inst, "vkDestroyDebugUtilsMessengerEXT"); fn != 0 && messenger != 0 {
		call(fn, uintptr(inst), messenger, 0)
	}
	messenger = 0
	call(in.DestroyInstance, uintptr(inst), 0)
}

// Messages returns the number of errors and warnings that the validation layer has printed.
func Messages() int { return int(messages.Load()) }

// enumeratePhysicalDevices sets the elements of the list. If the list is nil,
// enumeratePhysicalDevices returns the number of devices.
func enumeratePhysicalDevices(inst Instance, list []PhysicalDevice) (int, Result) {
	n := new(uint32)
	*n = uint32(len(list))
	r := Result(int32(call(in.EnumeratePhysicalDevices, uintptr(inst), uintptr(ptr(n)), uintptr(ptr(unsafe.SliceData(list))))))
	return int(*n), r
}

package vulkan

// Tests that are built without cgo have Vulkan, too.
import _ "github.com/kgen-go/kgen/runtime/purego"

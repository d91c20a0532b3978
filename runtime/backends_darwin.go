package runtime

// Programs for macOS always use the dynamic linker of macOS, so the runtime can load Vulkan without
// cgo.
import _ "github.com/kgen-go/kgen/runtime/purego"

package runtime

// Programs for macOS always use its dynamic linker, so they can always load Vulkan without cgo.
import _ "github.com/kgen-go/kgen/runtime/purego"

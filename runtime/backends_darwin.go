package runtime

// Programs for macOS are linked with its dynamic linker in any case.
import _ "github.com/kgen-go/kgen/runtime/purego"

package runtime

import (
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/vulkan"
)

// backends lists the backends of this build. A backend that cannot work on this machine returns the
// reason when the runtime asks for its devices.
var backends = []hal.Driver{vulkan.New(), host.New()}

package runtime

import (
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/vulkan"
)

// backends lists the backends of this build. One that cannot work here says why
// when it is asked for its devices.
var backends = []hal.Driver{vulkan.New(), host.New()}

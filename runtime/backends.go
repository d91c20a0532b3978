package runtime

import (
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/vulkan"
)

// The variable `backends` lists the backends of this build. If a backend cannot work on this
// machine, the backend's method Enumerate returns the reason as an error.
var backends = []hal.Driver{vulkan.New(), host.New()}

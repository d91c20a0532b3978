package runtime

import (
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
)

// backends lists the backends of this build. A backend that this build lacks is
// in missingBackends, with the reason.
var (
	backends        = []hal.Driver{host.New()}
	missingBackends []string
)

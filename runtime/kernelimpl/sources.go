package kernelimpl

import (
	"runtime"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/stale"
)

// Sources makes known what the kernels of a package were compiled from. The package's own
// file calls it, since the path of that leads to them.
func Sources(s *abi.Sources) struct{} {
	if _, file, _, ok := runtime.Caller(1); ok {
		stale.Register(s, file)
	}
	return struct{}{}
}

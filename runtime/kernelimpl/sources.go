package kernelimpl

import (
	"runtime"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/stale"
)

// Sources registers the files that the kernels of a package were compiled from. A generated file of the package calls
// Sources, because the sources are found from the path of that file.
func Sources(s *abi.Sources) struct{} {
	if _, file, _, ok := runtime.Caller(1); ok {
		stale.Register(s, file)
	}
	return struct{}{}
}

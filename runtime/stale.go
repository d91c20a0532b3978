package runtime

import (
	"path"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/sources"
	"github.com/kgen-go/kgen/runtime/internal/stale"
)

// stubsCurrent returns an error, in tests, if kernels have changed since kgen compiled them.
func stubsCurrent() error {
	if env.Get(env.Stale) == "run" {
		return nil
	}
	var all []error
	for _, p := range stale.Check() {
		err := errorf(ErrStale, "%v since kgen compiled the kernels of %v", &p, p.From).
			advise("run %s", sources.Command(p.Root))
		if len(p.From.Kernels) == 1 {
			err.Problem = p.String() + " since kgen compiled the kernel"
			err.Kernel = path.Base(p.From.Package) + "." + p.From.Kernels[0]
		}
		all = append(all, err)
	}
	return joinErrors(all)
}

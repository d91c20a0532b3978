package checks_test

import (
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/checks"
	"github.com/kgen-go/kgen/codegen/pass/loops"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// TestGatherLanesRandom lets unroll and gather loose on random kernels with barriers.
func TestGatherLanesRandom(t *testing.T) {
	passtest.CompareLanes(t, passtest.Count(), false, func(m *ir.Module) {
		loops.Unroll(m)
		checks.Gather(m)
	})
}

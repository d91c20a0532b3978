//go:build !race

package conformance

import (
	"os"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	failed := m.Run()
	if !diagnosed() && failed == 0 {
		failed = 1
	}
	os.Exit(failed)
}

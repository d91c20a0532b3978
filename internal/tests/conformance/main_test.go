//go:build !race

package conformance

import (
	"os"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

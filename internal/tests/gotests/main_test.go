package gotests

import (
	"os"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	devtest.SmallGroups()
	os.Exit(m.Run())
}

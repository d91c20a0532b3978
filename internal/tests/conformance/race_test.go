//go:build race

package conformance

import (
	"flag"
	"os"
	"testing"
)

// TestMain has the race detector watch the tests of goroutines that use one device, TestX7_…:
// the other tests have one goroutine each. With -run it watches what that names.
func TestMain(m *testing.M) {
	flag.Parse()
	if run := flag.Lookup("test.run").Value; run.String() == "" {
		run.Set("^TestX7_")
	}
	failed := m.Run()
	if !diagnosed() && failed == 0 {
		failed = 1
	}
	os.Exit(failed)
}

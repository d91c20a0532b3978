package modules

import "testing"

// TestPlainVersion: a test that is built with an experiment takes the modules that kgen, which
// is built without, has written.
func TestPlainVersion(t *testing.T) {
	for _, version := range []string{"go1.26.8", "go1.26.8-X:cgocheck2", "go1.26.8 X:cgocheck2,nodwarf5"} {
		if have := plainVersion(version); have != "go1.26.8" {
			t.Errorf("%q is of %q", version, have)
		}
	}
}

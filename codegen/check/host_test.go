package check

import "testing"

// TestStd: a path without a dot may be that of a module of the user's own.
func TestStd(t *testing.T) {
	for path, want := range map[string]bool{
		"fmt": true, "math/bits": true, "internal/bytealg": true, "crypto/internal/fips140/sha256": true,
		"sync/atomic": false, "": false, "kernels": false, "app/kernels": false, "example.com/fmt": false,
	} {
		if got := isStd(path); got != want {
			t.Errorf("isStd(%q) is %v", path, got)
		}
	}
}

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

// TestNeedsHost: KG304 says of functions that kernels do not have which of them no device could run.
func TestNeedsHost(t *testing.T) {
	for path, want := range map[string]bool{
		"os": true, "fmt": true, "sync": true, "net/http": true, "internal/godebug": true, "crypto/rand": true, "math/rand/v2": true,
		"encoding/json": true, "path/filepath": true,
		"strings": false, "strconv": false, "math/big": false, "regexp/syntax": false, "crypto/sha3": false, "encoding/csv": false, "unicode/utf16": false,
	} {
		if got := needsHost(path); got != want {
			t.Errorf("needsHost(%q) is %v", path, got)
		}
	}
}

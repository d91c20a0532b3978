//go:build cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vkx

import "testing"

// TestShim: the shim has the same features as zdecl.go, in the same order, and chains each struct that
// holds features on a device with all extensions.
func TestShim(t *testing.T) {
	if n := unchained(); n != 0 {
		t.Errorf("no chain leads to %d bytes of vkx_features", n)
	}
	for f := range Feature(NumFeatures + 1) {
		if got := featureName(f); got != f.String() {
			t.Errorf("feature %d is %s in the shim and %s in zdecl.go: run go generate", f, got, f)
		}
	}
}

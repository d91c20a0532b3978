//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vkx

import "testing"

// TestChained: the driver fills each struct that holds features, on a device with all extensions. A
// feature of a struct that is not chained is never found.
func TestChained(t *testing.T) {
	if n := unchained(); n != 0 {
		t.Errorf("no chain leads to %d bytes of vkx_features", n)
	}
}

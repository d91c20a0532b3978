//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"errors"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// TestNoFunction: a driver that lacks a function is an error that names it, and no crash.
func TestNoFunction(t *testing.T) {
	devices(t)
	vkx.Hide("vkWaitSemaphores")
	defer vkx.Hide("")
	_, err := New().Open(0)
	if !errors.Is(err, hal.ErrDriver) || !strings.Contains(err.Error(), "lacks the function vkWaitSemaphores; install a newer driver") {
		t.Errorf("error %v", err)
	}
}

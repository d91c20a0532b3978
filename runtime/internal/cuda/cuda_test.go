package cuda_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/runtime/internal/cuda"
	"github.com/kgen-go/kgen/runtime/internal/fakecuda"
)

// TestReaches asks which devices access the memory of others.
func TestReaches(t *testing.T) {
	a, b, none := cuda.UUID{1, 0xab}, cuda.UUID{2}, cuda.UUID{3}
	fakecuda.Use(t, a, b)
	for _, c := range []struct {
		dst, src    cuda.UUID
		apart, want string
	}{
		{a, b, "", ""}, {b, a, "", ""}, {a, a, "", ""}, {a, a, "1", ""},
		{a, b, "1", "device 0 cannot access memory of device 1"},
		{a, none, "", "no device with the UUID 03"}, {none, a, "", "no device with the UUID 03"},
	} {
		t.Setenv(fakecuda.Apart, c.apart)
		err := cuda.Reaches(c.dst, c.src)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%x from %x, apart %q: %v", c.dst[:2], c.src[:2], c.apart, err)
		}
	}
	t.Setenv(fakecuda.Fail, "cuDeviceCanAccessPeer:1")
	if err := cuda.Reaches(a, b); err == nil || !strings.Contains(err.Error(), "cuDeviceCanAccessPeer: CUDA_ERROR_LAUNCH_FAILED") {
		t.Error(err)
	}
}

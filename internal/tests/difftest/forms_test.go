package difftest

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

// hostDevice opens the host device that runs kernels with barriers in their host
// form, or as coroutines, with sub-groups of the given size.
func hostDevice(t *testing.T, form string, size int) *runtime.Device {
	t.Helper()
	t.Setenv("KGEN_HOST_FORM", form)
	t.Setenv("KGEN_HOST_SUBGROUP", strconv.Itoa(size))
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return dev
}

// TestForms runs every case on the host device in both ways, at several sizes of
// sub-groups: what gc makes of the kernel, and what kgen does.
func TestForms(t *testing.T) {
	ctx := context.Background()
	for of, size := range []int{4, 8, 32} {
		form, coroutines := hostDevice(t, "on", size), hostDevice(t, "off", size)
		for i, c := range cases {
			if !sample.Has(c.name, 8) || testing.Short() && i%3 != of {
				continue // the sizes take turns
			}
			t.Run(fmt.Sprintf("%d/%s/%d", size, c.name, i), func(t *testing.T) {
				got, formErr := c.run(ctx, form)
				want, err := c.run(ctx, coroutines)
				compareFaults(t, formErr, err)
				if d := Diff(got, want, false); d != "" {
					t.Errorf("%s", d)
				}
			})
		}
	}
}

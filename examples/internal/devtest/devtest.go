// Package devtest runs the example programs as tests.
package devtest

import (
	"context"
	"strconv"
	"testing"

	"github.com/kgen-go/kgen/runtime"
)

// Run runs an example, which checks its results itself, on each device there is.
func Run(t *testing.T, run func(ctx context.Context, dev *runtime.Device) error) {
	t.Helper()
	for i, info := range runtime.Devices() {
		t.Run(info.Backend, func(t *testing.T) {
			dev, err := runtime.Open(runtime.Select(strconv.Itoa(i)))
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			t.Log(dev)
			if err := run(t.Context(), dev); err != nil {
				t.Error(err)
			}
		})
	}
}

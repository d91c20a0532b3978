package kernelimpl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// TestCopyRefuses: a copy that is not possible is an error, as for launches, even if there is nothing to copy.
func TestCopyRefuses(t *testing.T) {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	closed := dev.DefaultQueue()
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		queue *runtime.Queue
		class error
		want  string
	}{
		{"no queue", nil, runtime.ErrInvalid, "no queue; use one that a Device returned"},
		{"a queue of nobody's", new(runtime.Queue), runtime.ErrInvalid, "no queue; use one that a Device returned"},
		{"a closed device", closed, runtime.ErrInvalid, "closed"},
	} {
		var view runtime.View[float32]
		for _, all := range [][]kernelimpl.Copying{nil, {kernelimpl.Copied(&view, []float32{1})}} {
			err := kernelimpl.Copy(t.Context(), c.queue, all...)
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.want) || view.Len() != 0 {
				t.Errorf("%s, %d slices: %v, %d elements", c.name, len(all), err, view.Len())
			}
		}
	}
}

package runtime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

// TestPrewarm: the first launch of a kernel that was made ready makes no pipeline.
func TestPrewarm(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		before := dev.Pipelines()
		check(t, runtime.Prewarm(ctx, dev, increment))
		made := dev.Pipelines()
		if made == before {
			t.Error("nothing was made")
		}
		x := must(runtime.NewBuffer[uint32](dev, 1<<18))
		defer x.Close()
		check(t, must(incrementing(dev.DefaultQueue(), x)).Wait(ctx))
		if n := dev.Pipelines(); n != made {
			t.Errorf("%d pipelines before the first launch, %d behind", made, n)
		}
		ended, end := context.WithCancel(ctx)
		end()
		if err := runtime.Prewarm(ended, dev, increment); !errors.Is(err, runtime.ErrCanceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
		if err := runtime.Prewarm(ctx, dev, nil); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("a nil kernel: %v", err)
		}
		if err := runtime.Prewarm(ctx, nil, increment); !errors.Is(err, runtime.ErrInvalid) {
			t.Errorf("no device: %v", err)
		}
	})
}

package difftest

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/golang"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/golang/golanggen"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	add1("Watched", gen.RunWatched, 20, func() golang.Watched { return golang.Watched{Out: make([]float64, 20)} })
}

// TestWatched changes each variable that a kernel reads, before its first launch and after
// it, and back again.
func TestWatched(t *testing.T) {
	ctx := context.Background()
	dev := devtest.Host(t)
	run := func() error {
		return gen.RunWatched(ctx, dev, golang.Watched{Out: make([]float64, 4)}, runtime.Range1(4))
	}
	tried := 0
	change := func(name string, at, value any) {
		t.Helper()
		tried++
		v := reflect.ValueOf(at).Elem()
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.Set(reflect.ValueOf(value))
		err := run()
		v.Set(old)
		if !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), "golang.Watched"+name+" (internal/tests/difftest/golang/watched.go:") {
			t.Errorf("with another value of Watched%s: %v", name, err)
		}
		if err := run(); err != nil {
			t.Errorf("with the old value of Watched%s: %v", name, err)
		}
	}
	for range 2 {
		change("Bool", &golang.WatchedBool, false)
		change("Int", &golang.WatchedInt, 6)
		change("Uint8", &golang.WatchedUint8, uint8(1))
		change("Uint16", &golang.WatchedUint16[2], uint16(4))
		change("Float", &golang.WatchedFloat, float32(2))
		change("Complex", &golang.WatchedComplex, complex(1, 2))
		change("Text", &golang.WatchedText, "test")
		change("Nil", &golang.WatchedNil, []int32{})
		change("Empty", &golang.WatchedEmpty, []int32(nil))
		change("Slice", &golang.WatchedSlice, []int64{1 << 40, 2})
		change("Slice", &golang.WatchedSlice[1], int64(3))
		change("Padded", &golang.WatchedPadded[1].B, int64(5))
		change("Mixed", &golang.WatchedMixed.Wide, 2.25)
		change("Mixed", &golang.WatchedMixed.Name, "Mixed")
		change("Mixed", &golang.WatchedMixed.Rows[1][1], float32(4))
		change("Mixed", &golang.WatchedMixed.To.Small, int8(4))
		change("Mixed", &golang.WatchedMixed.To, (*golang.Mixed)(nil))
		change("Mixed", &golang.WatchedMixed.Call, golang.TakeOne)
		change("Shape", &golang.WatchedShape, golang.Box{W: 4})
		change("Shape", &golang.WatchedShape, golang.Slab{W: 3})
		change("Call", &golang.WatchedCall, golang.TakeOne)
		change("Call", &golang.WatchedCall, func(n int) int { return n + 1 })
		change("Inner", &golang.WatchedInner, golang.AddOne)
		change("Inner", &golang.WatchedInner, func(n int) int { return n + 1 })
		change("Method", &golang.WatchedMethod, golang.Slab.Area)
		change("Error", &golang.WatchedError, errors.New("other"))
		change("Tile", &golang.WatchedTile, dsl.NewSpecConstant(4))
		time.Sleep(10 * time.Millisecond) // what is large is not looked at all the time
		change("Large", &golang.WatchedLarge[4], int32(9))
		if err := run(); err != nil {
			t.Fatal(err)
		}
	}
	// If there is no time for all of it, it is looked at part by part.
	golang.WatchedLarge[4990] = 1
	noticed := false
	for range 10 {
		noticed = noticed || run() != nil
	}
	if golang.WatchedLarge[4990] = 0; !noticed || run() != nil {
		t.Errorf("a change within a large table was noticed: %v; then %v", noticed, run())
	}
	if tried != 56 {
		t.Error(tried)
	}
}

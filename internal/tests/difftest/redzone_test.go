package difftest

import (
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/words/wordsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// zoned is a buffer of which kernels see the middle.
type zoned struct {
	name  string
	check func(q *runtime.Queue) error
}

var errZone = errors.New("what lies beside the view has changed")

// middle returns a view of n elements, with zones around it that check looks at.
func middle[T any](t *testing.T, dev *runtime.Device, list *[]zoned, name string, n int) runtime.View[T] {
	t.Helper()
	const zone = 17
	all := make([]T, n+2*zone)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&all[0])), uintptr(len(all))*unsafe.Sizeof(all[0]))
	for i := range bytes {
		bytes[i] = 1 // of bools, too
	}
	b, err := runtime.BufferOf(dev, all)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	*list = append(*list, zoned{name, func(q *runtime.Queue) error {
		if err := b.CopyTo(context.Background(), q, all); err != nil {
			return err
		}
		size := int(unsafe.Sizeof(all[0]))
		for i, v := range bytes {
			if (i < zone*size || i >= (zone+n)*size) && v != 1 {
				return errZone
			}
		}
		return nil
	}})
	return b.Slice(zone, zone+n)
}

// TestRedZones has kernels index past the ends of their slices, in front of them and
// behind them: that is a fault, and what lies beside them in the same buffer stays.
func TestRedZones(t *testing.T) {
	ctx := context.Background()
	test := func(t *testing.T, dev *runtime.Device) {
		for _, c := range []struct {
			name        string
			n, more     int // elements; work-items beyond them
			by          int // 0: Small; else Bytes indexes in steps of so much, below 0 if it is negative
			flags, rows int // Bytes: elements of two slices that may be shorter
			fault       bool
		}{
			{"all of it", 40, 0, 0, 0, 0, false},
			{"too many work-items", 40, 9, 0, 0, 0, true},
			{"in steps", 40, 0, 7, 40, 40, false},
			{"in front", 40, 0, -7, 40, 40, true},
			{"a short slice", 40, 0, 7, 33, 40, true},
			{"short rows", 40, 0, 7, 40, 31, true},
		} {
			var list []zoned
			var ev runtime.Event
			var err error
			q := dev.DefaultQueue()
			if r := runtime.Range1(c.n + c.more); c.by == 0 {
				ev, err = corpusgen.Small{
					A: middle[int8](t, dev, &list, "A", c.n), B: middle[uint16](t, dev, &list, "B", c.n),
					C: middle[bool](t, dev, &list, "C", c.n), D: middle[uint8](t, dev, &list, "D", c.n),
					E: middle[int16](t, dev, &list, "E", c.n), F: middle[[3]int8](t, dev, &list, "F", c.n),
				}.ParallelFor(q, r)
			} else {
				ev, err = wordsgen.Bytes{
					By: c.by,
					A:  middle[uint8](t, dev, &list, "A", c.n), B: middle[uint8](t, dev, &list, "B", c.n+1),
					C: middle[int16](t, dev, &list, "C", c.n), D: middle[[3]int8](t, dev, &list, "D", c.rows),
					E: middle[bool](t, dev, &list, "E", c.flags), Count: middle[uint32](t, dev, &list, "Count", c.n),
				}.ParallelFor(q, r)
			}
			if err != nil {
				t.Fatal(err)
			}
			err = ev.Wait(ctx)
			if f := new(runtime.Fault); errors.As(err, &f) != c.fault || (err != nil) != c.fault {
				t.Errorf("%s: %v", c.name, err)
			}
			for _, z := range list {
				if err := z.check(q); err != nil {
					t.Errorf("%s: %s: %v", c.name, z.name, err)
				}
			}
		}
	}
	t.Run("native", func(t *testing.T) { devtest.Each(t, test) })
	t.Run("words", func(t *testing.T) {
		test(t, devtest.Vulkan(t, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64)))
	})
	// The host device's own Go cannot do otherwise; its host forms could.
	t.Run("host form", func(t *testing.T) {
		t.Setenv("KGEN_HOST_FORM", "on")
		test(t, devtest.Host(t))
	})
}

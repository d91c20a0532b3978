package difftest

import (
	"context"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

// exhaustive is a launch over all values of a small type, or one of stride in a row.
type exhaustive func(ctx context.Context, dev *runtime.Device, stride int) (any, error)

// everyPair returns the launch of an IntOps over all pairs of values of 8 bits, the
// second of which is the count of shifts, too, and over some more counts. stride leaves out
// all first values but one of so many in a row.
func everyPair[T ~int8 | ~uint8](run runner[corpus.IntOps[T]]) exhaustive {
	return func(ctx context.Context, dev *runtime.Device, stride int) (any, error) {
		var k corpus.IntOps[T]
		for a := 0; a < 256; a += stride {
			for b := 1; b < 256; b++ {
				k.A, k.B = append(k.A, T(a)), append(k.B, T(b))
				k.Shift = append(k.Shift, uint32(b))
			}
			for _, s := range []uint32{0, 256, 1 << 16, 1 << 31, 1<<32 - 1} {
				k.A, k.B, k.Shift = append(k.A, T(a)), append(k.B, 1), append(k.Shift, s)
			}
		}
		k.Out, k.Orders = make([]T, len(k.A)*corpus.IntResults), make([]bool, len(k.A)*6)
		return k, launch(ctx, dev, run, k, runtime.Range1(len(k.A)))
	}
}

// everyValue returns the launch of a Convert of all values of a small type.
func everyValue[T ~int8 | ~uint8 | ~int16 | ~uint16](n int, run runner[corpus.Convert[T]]) exhaustive {
	return func(ctx context.Context, dev *runtime.Device, stride int) (any, error) {
		n := (n + stride - 1) / stride
		k := corpus.Convert[T]{In: make([]T, n), Out: make([]corpus.Converted, n)}
		for i := range k.In {
			k.In[i] = T(i * stride)
		}
		return k, launch(ctx, dev, run, k, runtime.Range1(n))
	}
}

// TestExhaustive computes every operator on every pair of 8-bit integers, and
// converts every integer of 8 and 16 bits, on the device. The interpreter, which is slow, does
// so with one of seven values, or with all if there is no device or -every-case is set.
func TestExhaustive(t *testing.T) {
	host, dev := devtest.Host(t), devtest.VulkanOrNone(t)
	in, err := corpusKernels()
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]exhaustive{
		"int8":          everyPair(gen.RunIntOpsInt8),
		"uint8":         everyPair(gen.RunIntOpsUint8),
		"ConvertInt8":   everyValue(1<<8, gen.RunConvertInt8),
		"ConvertUint8":  everyValue(1<<8, gen.RunConvertUint8),
		"ConvertInt16":  everyValue(1<<16, gen.RunConvertInt16),
		"ConvertUint16": everyValue(1<<16, gen.RunConvertUint16),
	} {
		if !sample.Has(name, 12) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			want, err := run(ctx, host, 1)
			if err != nil {
				t.Fatal(err)
			}
			if dev != nil {
				got, err := run(ctx, dev, 1)
				if refused(dev, name, err) {
					t.Log(err)
				} else {
					compareFaults(t, err, nil)
					if d := Diff(got, want, false); d != "" {
						t.Errorf("%s: %s", dev.Name(), d)
					}
				}
			}
			stride := 1
			if dev != nil && !*everyCase {
				stride = 31
				if want, err = run(ctx, host, stride); err != nil {
					t.Fatal(err)
				}
			}
			last := in.points[len(in.points)-1]
			ctx = context.WithValue(ctx, atPointKey{}, &atPoint{in, last, map[*oracle.Kernel]bool{}})
			got, err := run(ctx, nil, stride)
			compareFaults(t, err, nil)
			if d := Diff(got, want, false); d != "" {
				t.Errorf("interpreter at %s: %s", last, d)
			}
		})
	}
}

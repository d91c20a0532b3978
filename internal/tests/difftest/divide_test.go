package difftest

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/runtime"
)

// flushed says that the device under test treats subnormal operands as zeros, so
// that cases leave them out.
var flushed bool

// quotients returns random operands with all exponents, subnormal ones and
// infinities too, and the edges.
func quotients(n int) corpus.Quotients {
	var k corpus.Quotients
	for _, x := range floatEdges {
		for _, y := range floatEdges {
			k.A, k.B = append(k.A, float32(x)), append(k.B, float32(y))
		}
	}
	r := rng()
	for len(k.A) < n {
		a, b := r.Uint32(), r.Uint32()
		switch r.Uint32() % 4 {
		case 0:
			a &= 1<<31 | 1<<23 - 1
		case 1:
			b &= 1<<31 | 1<<23 - 1
		case 2:
			b = b&(1<<23-1) | 127<<23
		}
		if flushed && a<<1>>24 == 0 {
			a |= 1 << 23
		}
		if flushed && b<<1>>24 == 0 {
			b |= 1 << 23
		}
		k.A, k.B = append(k.A, math.Float32frombits(a)), append(k.B, math.Float32frombits(b))
	}
	k.Quotient, k.Root, k.Inverse = make([]float32, len(k.A)), make([]float32, len(k.A)), make([]float32, len(k.A))
	return k
}

func init() {
	add("Quotients", func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := quotients(1 << 16)
		err := launch(ctx, dev, gen.RunQuotients, k, runtime.Range1(len(k.A)))
		return k, err
	})
}

// TestCorrection lets kernels correct float32 division and square root also
// where the device rounds them correctly.
func TestCorrection(t *testing.T) {
	t.Setenv("KGEN_EXACT_DIVIDE", "always")
	host, dev := devtest.Host(t), devtest.Vulkan(t)
	flushed = flushes(dev)
	for _, c := range cases {
		if !strings.HasPrefix(c.name, "Quotients") && !strings.HasPrefix(c.name, "FloatOps") && !strings.HasPrefix(c.name, "Math32") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			want, hostErr := c.run(context.Background(), host)
			got, devErr := c.run(context.Background(), dev)
			if refused(dev, c.name, devErr) {
				t.Skip(devErr)
			}
			compareFaults(t, devErr, hostErr)
			if d := Diff(got, want, flushed); d != "" {
				t.Errorf("%s", d)
			}
		})
	}
}

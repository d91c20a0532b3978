package scan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/scan"
	"github.com/kgen-go/kgen/runtime"
)

// TestErrors: a call that makes no sense is an error of a class, and launches nothing.
func TestErrors(t *testing.T) {
	dev := devtest.Host(t)
	v := prims.Views{T: t, Q: dev.DefaultQueue()}
	xs, out := prims.View(v, make([]float32, 100)), prims.View(v, make([]float32, 99))
	bytes := prims.View(v, make([]uint8, 9))
	halves := prims.View(v, make([]half.Float16, 9))
	for _, c := range []struct {
		name string
		call func() error
		want string
	}{
		{"short output", func() error { _, err := scan.InclusiveOn(v.Q, xs, out); return err }, "out has 99 elements: the function writes 100"},
		{"in place", func() error { _, err := scan.ExclusiveOn(v.Q, xs, xs); return err }, "out overlaps v"},
		{"bytes", func() error { _, err := scan.ExclusiveOn(v.Q, bytes, bytes); return err }, "no kernel for elements of 1 bytes"},
		{"halves", func() error { _, err := scan.InclusiveOn(v.Q, halves, halves); return err }, "no kernel for elements of package half"},
		{"keys", func() error { _, err := scan.ByKeyOn(v.Q, xs.Slice(0, 9), xs, xs); return err }, "there are 9 keys, and v has 100 elements"},
		{"byte values", func() error { _, err := scan.ByKeyOn(v.Q, xs.Slice(0, 9), bytes, bytes); return err }, "no kernel for elements of 1 bytes"},
		{"scratch", func() error {
			_, err := scan.InclusiveOn(v.Q, xs, xs, prim.Scratch(bytes.Slice(0, 0)))
			return err
		}, "scratch memory has 0 bytes"},
	} {
		if err := c.call(); !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	got := prims.Read(v, out)
	prims.Equal(t, "the output", got, make([]float32, 99))
}

// TestLength: of a length on the device, the first elements are scanned, and the others of the output stay.
func TestLength(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	for _, n := range []int64{-5, 0, 1, 6656, 6657, 20000, 30000} {
		v := prims.Views{T: t, Q: q}
		xs := make([]int32, 20000)
		prims.Fill(xs)
		v.Opts = []prim.Option{prim.Length(prims.View(v, []int64{n}))}
		x := prims.View(v, xs)
		m := int(min(max(n, 0), 20000))
		got := prims.Result(v, len(xs), func(out runtime.View[int32], opts ...prim.Option) (runtime.Event, error) {
			return scan.InclusiveOn(q, x, out, opts...)
		})
		prims.Equal(t, "the sums", got, append(sums(xs[:m], true), make([]int32, len(xs)-m)...))
		keys := prims.View(v, make([]uint8, len(xs))) // one run
		got = prims.Result(v, len(xs), func(out runtime.View[int32], opts ...prim.Option) (runtime.Event, error) {
			return scan.ByKeyOn(q, keys, x, out, opts...)
		})
		prims.Equal(t, "the sums of one run", got, append(sums(xs[:m], true), make([]int32, len(xs)-m)...))
	}
}

package reduce_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/runtime"
)

// TestErrors: a call that makes no sense is an error of a class, and launches nothing.
func TestErrors(t *testing.T) {
	dev, other := devtest.Host(t), devtest.Host(t)
	q := dev.DefaultQueue()
	x, err := runtime.BufferOf(dev, make([]float32, 9000))
	check(t, err)
	out, err := runtime.BufferOf(dev, []float32{7, 7})
	check(t, err)
	closed, err := runtime.NewBuffer[float32](dev, 9)
	check(t, err)
	check(t, closed.Close())
	far, err := runtime.NewBuffer[float32](other, 9)
	check(t, err)
	longs, err := runtime.NewBuffer[int64](dev, 2)
	check(t, err)
	bytes, err := runtime.NewBuffer[byte](dev, reduce.ScratchBytes[float32](9000)+16)
	check(t, err)
	var none *runtime.Buffer[float32]
	o := out.Slice(0, 1)
	gone, err := runtime.Open(runtime.Select("host"))
	check(t, err)
	late := gone.DefaultQueue()
	check(t, gone.Close())

	on := func(q *runtime.Queue, v, out runtime.View[float32], opts ...prim.Option) error {
		_, err := reduce.SumOn(q, v, out, opts...)
		return err
	}
	for _, c := range []struct {
		err   error
		class error
		want  string
	}{
		{on(nil, x.All(), o), runtime.ErrInvalid, "reduce.SumOn: "},
		{on(late, x.All(), o), runtime.ErrInvalid, "closed"},
		{on(q, closed.All(), o), runtime.ErrKernelArgument, "reduce.SumOn: v is a view of a closed buffer"},
		{on(q, x.All(), closed.Slice(0, 1)), runtime.ErrKernelArgument, "out is a view of a closed buffer"},
		{on(q, far.All(), o), runtime.ErrKernelArgument, "v is a view of another device's buffer"},
		{on(q, none.All(), o), runtime.ErrKernelArgument, "v is a view of a nil buffer"},
		{on(q, x.All(), x.Slice(8999, 9000)), runtime.ErrInvalid, "out overlaps v"},
		{on(q, x.All(), out.Slice(0, 0)), runtime.ErrInvalid, "out has 0 elements: the function writes 1"},
		{on(q, x.All(), o, prim.Length(longs.All())), runtime.ErrInvalid, "the length is a view of 2 elements"},
		{on(q, x.All(), o, prim.Length(runtime.View[int64]{})), runtime.ErrInvalid, "the length is a view of 0 elements"},
		{on(q, x.All(), o, prim.Scratch(bytes.Slice(0, 15))), runtime.ErrInvalid, "the scratch memory has 15 bytes: the function needs 16"},
		{on(q, x.All(), o, prim.Scratch(bytes.Slice(1, 1000))), runtime.ErrInvalid, "the scratch memory begins at no multiple of 16 bytes"},
		{on(q, x.All(), o, nil), runtime.ErrInvalid, "the option 0 is nil"},
		{on(q, x.All(), o, prim.Launch(nil)), runtime.ErrInvalid, "nil"},
		{second(reduce.DotOn(q, x.All(), x.Slice(1, 9000), o)), runtime.ErrInvalid, "x has 9000 elements, and y has 8999"},
		{second(reduce.MinMaxOn(q, x.All(), o)), runtime.ErrInvalid, "out has 1 elements: the function writes 2"},
		{second(reduce.CountOn(q, longs.All(), longs.Slice(0, 1))), runtime.ErrInvalid, "out overlaps v"},
		{second(reduce.ArgMaxOn(q, longs.Slice(0, 1), longs.Slice(1, 2), prim.Length(longs.Slice(1, 2)))), runtime.ErrInvalid, "out overlaps the length"},
		{second(reduce.ByKeyOn(q, x.Slice(0, 9), x.All(), x.All(), x.All(), longs.All())), runtime.ErrInvalid, "there are 9 keys, and v has 9000 elements"},
		{second(reduce.Dot(t.Context(), dev, make([]int8, 3), nil)), runtime.ErrInvalid, "x has 3 elements, and y has 0"},
		{second(reduce.Min(t.Context(), dev, []float32{})), runtime.ErrInvalid, "reduce.Min: the slice has 0 elements"},
		{second(reduce.Max[int8](t.Context(), dev, nil)), runtime.ErrInvalid, "reduce.Max: the slice has 0 elements"},
		{second(reduce.ArgMin[uint64](t.Context(), dev, nil)), runtime.ErrInvalid, "reduce.ArgMin: the slice has 0 elements"},
		{second(reduce.ArgMax[float64](t.Context(), dev, nil)), runtime.ErrInvalid, "reduce.ArgMax: the slice has 0 elements"},
		{minMaxError(t.Context(), dev), runtime.ErrInvalid, "reduce.MinMax: the slice has 0 elements"},
		{second(reduce.Sum(t.Context(), nil, []int{1})), runtime.ErrInvalid, "reduce.Sum: the device is nil"},
		{second(reduce.Sum(nil, dev, []int{1})), runtime.ErrInvalid, "reduce.Sum: the context is nil"}, //nolint:staticcheck
		{second(reduce.Sum(t.Context(), gone, []int{1})), runtime.ErrInvalid, "closed"},
	} {
		if c.err == nil || !errors.Is(c.err, c.class) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want %q", c.err, c.want)
		}
	}
	var got [2]float32
	check(t, out.CopyTo(t.Context(), q, got[:]))
	if got != [2]float32{7, 7} {
		t.Errorf("calls with errors wrote %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reduce.Sum(ctx, dev, []int{1}); !errors.Is(err, runtime.ErrCanceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	n, err := reduce.Sum(t.Context(), dev, []int{1, 2})
	if n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func minMaxError(ctx context.Context, dev *runtime.Device) error {
	_, _, err := reduce.MinMax[uint32](ctx, dev, nil)
	return err
}

func second[T any](_ T, err error) error { return err }

// TestScratch: a function runs in memory of the caller's, of the size that ScratchBytes says.
func TestScratch(t *testing.T) {
	q := devtest.Host(t).DefaultQueue()
	xs := make([]uint8, 4097*4096) // whose sum takes three launches
	for i := range xs {
		xs[i] = uint8(i * i >> 5)
	}
	room, err := runtime.NewBuffer[byte](q.Device(), reduce.ScratchBytes[uint8](len(xs)))
	check(t, err)
	v := prims.Views{T: t, Q: q, Opts: []prim.Option{prim.Scratch(room.All())}}
	x := prims.View(v, xs)
	got := prims.Result(v, 1, func(out runtime.View[uint8], opts ...prim.Option) (runtime.Event, error) {
		return reduce.SumOn(q, x, out, opts...)
	})
	prims.Same(t, "Sum", got[0], sum(xs))
	comparedIn(v, x, xs)
}

// TestConcurrent: calls of several goroutines do not disturb each other's scratch memory.
func TestConcurrent(t *testing.T) {
	dev := devtest.Host(t)
	failed := make(chan error)
	for i := range 8 {
		go func() {
			xs := make([]uint32, 4096*(i+2))
			for j := range xs {
				xs[j] = uint32(i)
			}
			for range 20 {
				got, err := reduce.Sum(context.Background(), dev, xs)
				if err == nil && got != uint32(i*len(xs)) {
					err = errors.New("a wrong sum")
				}
				if err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range 8 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

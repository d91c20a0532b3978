package shard_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"

	plategen "github.com/kgen-go/kgen/generated/examples/heat/plate"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	halvesgen "github.com/kgen-go/kgen/generated/prim/reduce/kernels"
)

// TestMisuse makes each mistake that a call can have. Nothing is launched.
func TestMisuse(t *testing.T) {
	ctx := t.Context()
	over, cancel := context.WithCancel(ctx)
	cancel()
	a, b := devtest.Host(t), devtest.Host(t)
	g, other, closed := must(shard.Of(a, b)), must(shard.Of(a, b)), must(shard.Of(a))
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	x, foreign := must(shard.New[float32](g, 10)), must(shard.New[float32](other, 10))
	wide, copies, far := must(shard.New[float32](g, 10, shard.Shape(2, 5))), must(shard.NewCopies[float32](g, 5)), must(shard.NewCopies[float32](other, 10))
	add := func(p shard.Part, into, from runtime.View[float32]) error { return nil }
	nothing := func(shard.Part) error { return nil }
	var none *shard.Group
	var noArray *shard.Array[float32]
	var noCopies *shard.Copies[float32]
	made := func(_ any, err error) error { return err }
	five := must(shard.New[float32](g, 5))
	gone := devtest.Host(t)
	shutCopies := must(shard.NewCopies[float32](g, 4))
	shut := must(shard.New[float32](g, 4, shard.Halo(1)))
	if err := errors.Join(gone.Close(), shut.Close(), shutCopies.Close()); err != nil {
		t.Fatal(err)
	}
	var old shard.Part
	if err := shard.Each(ctx, g, func(p shard.Part) error {
		if p.Index == 0 {
			old = p
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	x = must(shard.New[float32](g, 10, shard.Halo(1)))
	for name, m := range map[string]struct {
		err  error
		text string
	}{
		"no devices":             {made(shard.Of()), "a group of no devices"},
		"a nil device":           {made(shard.Of(a, nil)), "device 1 of the group is nil"},
		"a closed device":        {made(shard.Of(a, gone)), "device 1 (host"},
		"an option twice":        {made(shard.New[float32](g, 10, shard.Halo(1), shard.Halo(2))), "the option Halo is given twice"},
		"no dimensions":          {made(shard.New[float32](g, 10, shard.Shape())), "an array of 0 dimensions"},
		"a wide halo for blocks": {made(shard.New[float32](g, 4, shard.Halo(1), shard.Blocks(4))), "a block of 0 rows, which is less than the halo of its neighbours, 1 row; use fewer devices, or a narrower halo, or smaller blocks than Blocks(4)"},
		"a closed array":         {shut.Gather(ctx, nil), "the array is closed"},
		"a closed array in Each": {shard.Each(ctx, g, func(p shard.Part) error { shut.Around(p); return nil }), "the array is closed"},
		"closed copies":          {shutCopies.Set(ctx, make([]float32, 4)), "the copies are closed"},
		"closed copies in Each":  {shard.Each(ctx, g, func(p shard.Part) error { shutCopies.On(p); return nil }), "the copies are closed"},
		"an ignored error":       {shard.Each(ctx, g, func(p shard.Part) error { _ = copies.Collect(p, x); return nil }), "an array of 10 elements for copies of 5"},
		"an old Part":            {x.Exchange(old), "the call of Each, to which the Part belongs, has returned"},
		"a device twice":         {made(shard.Of(a, b, a)), "is in the group twice"},
		"a closed group":         {made(shard.New[float32](closed, 1)), "the group is closed"},
		"a closed group's work":  {shard.Each(ctx, closed, nothing), "the group is closed"},
		"no group":               {shard.Each(ctx, none, nothing), "no group"},
		"no function":            {shard.Each(ctx, g, nil), "the function of Each is nil"},
		"no context":             {shard.Each(nil, g, nothing), "the context is nil"}, //nolint:staticcheck
		"no context, scatter":    {made(shard.Scatter[float32](nil, g, nil)), "the context is nil"},
		"few weights":            {g.SetWeights(1), "1 weights for 2 devices"},
		"a negative weight":      {g.SetWeights(1, -1), "the weight -1 of device 1"},
		"a weight that is NaN":   {g.SetWeights(math.NaN(), 1), "the weight NaN of device 0"},
		"no weight":              {g.SetWeights(0, 0), "all weights are 0"},
		"a negative length":      {made(shard.New[float32](g, -1)), "an array of -1 elements"},
		"another shape":          {made(shard.New[float32](g, 10, shard.Shape(3, 3))), "cannot have the shape [3 3]"},
		"four dimensions":        {made(shard.New[float32](g, 16, shard.Shape(2, 2, 2, 2))), "an array of 4 dimensions"},
		"a negative dimension":   {made(shard.New[float32](g, 4, shard.Shape(-2, -2))), "of the shape [-2 -2]"},
		"a huge shape":           {made(shard.New[float32](g, 4, shard.Shape(1<<40, 1<<40))), "too many elements"},
		"a negative halo":        {made(shard.New[float32](g, 4, shard.Halo(-1))), "a halo of -1"},
		"blocks of no rows":      {made(shard.New[float32](g, 4, shard.Blocks(0))), "blocks of 0 rows"},
		"a wide halo":            {made(shard.New[float32](g, 4, shard.Halo(3))), "device 0 has a block of 2 rows, which is less than the halo of its neighbours, 3 rows"},
		"a nil option":           {made(shard.New[float32](g, 4, nil)), "an option is nil"},
		"elements with pointers": {made(shard.New[*int](g, 4)), "device memory holds numbers"},
		"another length":         {x.Gather(ctx, make([]float32, 9)), "an array of 10 elements and 9 on the host"},
		"another length to set":  {x.Set(ctx, nil), "an array of 10 elements and 0 on the host"},
		"no array":               {noArray.Gather(ctx, nil), "no array"},
		"no copies":              {noCopies.Set(ctx, nil), "no copies"},
		"copies' length":         {copies.Set(ctx, nil), "a copy of 0 elements to each device, which has 5"},
		"copies' device":         {copies.Gather(ctx, 2, make([]float32, 5)), "device 2 of 2"},
		"nothing to measure":     {made(g.Measure(ctx, nil)), "the work to measure is nil"},
		"copies of two groups":   {shard.AllGather(ctx, x, far), "an array and copies of two groups"},
		"gathering less":         {shard.AllGather(ctx, x, copies), "an array of 10 elements for copies of 5"},
		"collecting less":        {shard.Each(ctx, g, func(p shard.Part) error { return copies.Collect(p, x) }), "an array of 10 elements for copies of 5"},
		"collecting elsewhere":   {shard.Each(ctx, g, func(p shard.Part) error { return far.Collect(p, x) }), "an array and copies of two groups"},
		"collecting outside":     {copies.Collect(shard.Part{}, wide), "the Part is not of a call of Each"},
		"collecting alone": {shard.Each(ctx, g, func(p shard.Part) error {
			if p.Index == 0 {
				return nil
			}
			return copies.Collect(p, five)
		}), "invalid: its function has returned without calling Collect, in which device 1 waits"},
		"rows of other lengths": {shard.AllReduce(ctx, x, copies, add), "rows of 1 elements for copies of 5"},
		"no combination":        {shard.AllReduce(ctx, wide, copies, nil), "the function that combines rows is nil"},
		"no reduction":          {made(shard.ReduceBlocks[float32, float32](ctx, x, nil)), "the function that reduces blocks is nil"},
		"another group's array": {shard.Each(ctx, g, func(p shard.Part) error {
			_, err := saxpygen.SAXPY{X: foreign.On(p), Y: x.On(p)}.ParallelFor(p.Queue, 1)
			return err
		}), "an array of another group than the part's"},
		"another group's copies": {shard.Each(ctx, g, func(p shard.Part) error {
			_, err := saxpygen.SAXPY{X: far.On(p), Y: x.On(p)}.ParallelFor(p.Queue, 1)
			return err
		}), "copies of another group than the part's"},
		"no array in Each":  {shard.Each(ctx, g, func(p shard.Part) error { noArray.On(p); return nil }), "no array"},
		"no copies in Each": {shard.Each(ctx, g, func(p shard.Part) error { noCopies.On(p); return nil }), "no copies"},
		"another device's view": {shard.Each(ctx, g, func(p shard.Part) error {
			_, err := saxpygen.SAXPY{X: x.On(p), Y: x.On(p)}.ParallelFor(g.Devices()[1-p.Index].DefaultQueue(), 1)
			return err
		}), "in shard.Each, on p.Queue with the views of On"},
	} {
		class := runtime.ErrInvalid
		if name == "another device's view" {
			class = runtime.ErrKernelArgument
		}
		t.Run(name, func(t *testing.T) { wantError(t, m.err, class, m.text) })
	}
	wantError(t, shard.Each(over, g, nothing), runtime.ErrCanceled, "the context ended")
	_, err := saxpygen.SAXPY{X: x.On(old), Y: x.On(old)}.ParallelFor(old.Queue, 1)
	wantError(t, err, runtime.ErrCanceled, "context canceled: invalid: the call of Each, to which the Part belongs, has returned")
	if err := shard.AllReduce(ctx, wide, copies, add); err != nil {
		t.Error(err)
	}
}

// TestSupports asks for kernels that one of the devices cannot run.
func TestSupports(t *testing.T) {
	g := must(shard.Of(devtest.Host(t), devtest.Host(t, runtime.MaskAspects(properties.FP64))))
	if err := g.Supports(plategen.Kernels()...); err != nil {
		t.Error(err)
	}
	wantError(t, g.Supports(halvesgen.Kernels()...), runtime.ErrKernelNotSupported, "device 1 (")
}

// TestOpen opens the devices of the machine, or the host device.
func TestOpen(t *testing.T) {
	g, err := shard.Open()
	if err != nil {
		t.Fatal(err)
	}
	gpus := 0
	for _, info := range runtime.Devices() {
		if info.Type < runtime.HostCPU {
			gpus++
		}
	}
	if env.Get(env.Device) != "" {
		gpus = 1 // of all GPUs, the one that the variable names
	}
	if g.Len() != max(gpus, 1) {
		t.Errorf("%d devices, of %d GPUs", g.Len(), gpus)
	}
	x := must(shard.Scatter(t.Context(), g, numbers(100)))
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	wantError(t, x.Gather(t.Context(), make([]float32, 100)), runtime.ErrInvalid, "the group is closed")
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if _, err := shard.Open(nil); err == nil {
		t.Error("a nil option is no error")
	}
}

package shard

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime"
)

// Group is a list of devices among which arrays are divided. Several goroutines may call the methods of a Group.
type Group struct {
	devs []*runtime.Device
	owns bool // whether Close also closes the devices

	mu      sync.Mutex
	weights []float64
	closed  bool
}

// Open returns a group of all GPUs of the machine. If there is no GPU, or if the environment
// variable KGEN_DEVICE is set, the group has only the device that runtime.Open opens. Open passes
// the options to runtime.Open for each device. For a group of GPUs, runtime.Select has no effect.
// If one GPU cannot be opened, Open closes the other GPUs and returns the error.
func Open(opts ...runtime.OpenOption) (*Group, error) {
	var devs []*runtime.Device
	fail := func(err error) (*Group, error) {
		for _, d := range devs {
			err = errors.Join(err, d.Close())
		}
		return nil, err
	}
	if env.Get(env.Device) == "" {
		for i, info := range runtime.Devices() {
			if info.Type >= runtime.HostCPU {
				continue
			}
			d, err := runtime.Open(append(slices.Clone(opts), runtime.Select(strconv.Itoa(i)))...)
			if err != nil {
				return fail(err)
			}
			devs = append(devs, d)
		}
	}
	if len(devs) == 0 {
		d, err := runtime.Open(opts...)
		if err != nil {
			return nil, err
		}
		devs = append(devs, d)
	}
	g, err := Of(devs...)
	if err != nil {
		return fail(err)
	}
	g.owns = true
	return g, nil
}

// Of returns a group of open devices, which remain open after the group is closed. Tests may open the host device
// several times:
//
//	a, err := runtime.Open(runtime.Select("host"))
//	b, err := runtime.Open(runtime.Select("host"))
//	g, err := shard.Of(a, b)
//
// If there is no device, a nil or closed device, or the same device twice, Of returns ErrInvalid.
func Of(devs ...*runtime.Device) (*Group, error) {
	if len(devs) == 0 {
		return nil, invalid("give at least one", "a group of no devices")
	}
	for i, d := range devs {
		switch {
		case d == nil || d.DefaultQueue() == nil:
			return nil, invalid("look at the error that runtime.Open returned", "device %d of the group is nil", i)
		case slices.Contains(devs[:i], d):
			return nil, invalid("open the device once more", "device %d of the group, %s, is in the group twice", i, d.Name())
		}
		if _, err := runtime.NewBuffer[byte](d, 0); err != nil { // the device is closed
			return nil, &Error{i, d, err}
		}
	}
	g := &Group{devs: slices.Clone(devs), weights: make([]float64, len(devs))}
	for i := range g.weights {
		g.weights[i] = 1 / float64(len(devs))
	}
	return g, nil
}

// Devices returns the devices, in the order of Part.Index.
func (g *Group) Devices() []*runtime.Device {
	if g == nil {
		return nil
	}
	return slices.Clone(g.devs)
}

// Len returns the number of devices.
func (g *Group) Len() int {
	if g == nil {
		return 0
	}
	return len(g.devs)
}

// Weights returns the fraction of an array's rows that each device stores. The sum of the weights is 1.
func (g *Group) Weights() []float64 {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.weights)
}

// SetWeights sets the weights of the devices for arrays that are made later. Only the ratios of the weights
// matter. Weights must be finite and not negative, and at least one must be above 0 (ErrInvalid otherwise).
func (g *Group) SetWeights(weights ...float64) error {
	if err := g.usable(); err != nil {
		return err
	}
	if len(weights) != len(g.devs) {
		return invalid("", "%d weights for %d devices", len(weights), len(g.devs))
	}
	most := slices.Max(weights)
	sum := 0.0
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return invalid("", "the weight %v of device %d", w, i)
		}
		sum += w / most // after division by the largest weight, the sum is finite
	}
	if most == 0 {
		return invalid("", "all weights are 0")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, w := range weights {
		g.weights[i] = w / most / sum
	}
	return nil
}

// Measure returns weights for SetWeights. Measure times the launches of the function `work` on each
// device. The weight of a device is the inverse of this time. Measure uses Each to call `work`
// twice for each device. The first call compiles kernels and allocates memory, and only the second
// call is timed. The argument `work` must launch the same kernels on each device, for example on
// Copies. If these kernels take less than some milliseconds, the weights are inaccurate.
func (g *Group) Measure(ctx context.Context, work func(p Part) error) ([]float64, error) {
	if work == nil {
		return nil, invalid("", "the work to measure is nil")
	}
	took := make([]time.Duration, g.Len())
	for range 2 {
		err := Each(ctx, g, func(p Part) error {
			start := time.Now()
			if err := work(p); err != nil {
				return err
			}
			err := p.Queue.Wait(p.Context())
			took[p.Index] = time.Since(start)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	weights := make([]float64, len(took))
	for i, d := range took {
		weights[i] = 1 / max(d, time.Nanosecond).Seconds()
	}
	return weights, nil
}

// Supports returns nil if every device of the group can run the kernels. If a device cannot run one
// of the kernels, Supports returns an error of class ErrKernelNotSupported for the first such
// device. Supports launches nothing.
func (g *Group) Supports(kernels ...*runtime.Kernel) error {
	if err := g.usable(); err != nil {
		return err
	}
	for i, d := range g.devs {
		info := d.Info()
		for _, k := range kernels {
			if f := info.Fit(k); f.Err != nil {
				return &Error{i, d, f.Err}
			}
		}
	}
	return nil
}

// Close closes the group. Later calls that use the group return ErrInvalid. If Open has opened the devices, Close also
// closes the devices and returns their errors. A second call of Close has no effect.
func (g *Group) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	closed := g.closed
	g.closed = true
	g.mu.Unlock()
	if closed || !g.owns {
		return nil
	}
	var failed []error
	for i, d := range g.devs {
		if err := d.Close(); err != nil {
			failed = append(failed, &Error{i, d, err})
		}
	}
	return errors.Join(failed...)
}

// `usable` returns an error if the group is nil or closed.
func (g *Group) usable() error {
	if g == nil || g.devs == nil {
		return invalid("look at the error that Open or Of returned", "no group")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return invalid("", "the group is closed")
	}
	return nil
}

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

// Group is a list of devices that work together. Its methods may be called from several goroutines.
type Group struct {
	devs []*runtime.Device
	owns bool // Close closes the devices

	mu      sync.Mutex
	weights []float64
	closed  bool
}

// Open returns a group of every GPU of the machine. Without a GPU, and if the environment variable
// KGEN_DEVICE names a device, the group has one device: the one that runtime.Open opens. The
// options are those of runtime.Open, for each device; runtime.Select has no effect on a group of
// GPUs. If a GPU does not open, Open returns its error and opens none.
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

// Of returns a group of open devices, which stay open when the group is closed. Tests may open the
// host device several times. It returns ErrInvalid for no devices, a nil device, and the same
// device twice.
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

// Weights returns each device's share of the rows of an array. The sum is 1.
func (g *Group) Weights() []float64 {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.weights)
}

// SetWeights sets the devices' shares for arrays that are made later; only the weights' ratios
// count. Each weight is finite and not negative, and one is above zero (ErrInvalid otherwise).
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
		sum += w / most // divided, weights of any size have a finite sum
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

// Measure returns weights for SetWeights: it runs the same work on each device and takes the
// inverse of its time. It calls work twice for each device, by Each, and the second call counts.
// The first one makes kernels and memory ready. work launches the same for each device, such as a
// launch on Copies. Its work takes at least some milliseconds, or the weights are chance.
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

// Supports returns nil if every device of the group can run the kernels. Otherwise it returns the
// error of the first device that cannot, of class ErrKernelNotSupported, before anything is launched.
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

// Close ends the group: later calls with it return ErrInvalid. It closes the devices if Open has
// opened them, and returns their errors. It may be called twice.
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

// usable returns an error if the group cannot be used.
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

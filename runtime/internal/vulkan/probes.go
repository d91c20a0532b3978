//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/modulehook"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// probeFacts contains facts about a device and its driver, which small kernels have measured.
type probeFacts struct {
	subnormals              hal.Subnormals
	halves                  hal.Halves
	divide, divide64, fused bool
	fused64                 bool
	endsLoops               bool // the driver ends long loops early (see adapt.RecordRounds)
}

// driverKey identifies a driver and a device.
type driverKey struct {
	uuid    [16]byte
	version uint32
	name    string
	hooked  bool // a test rewrites the modules
	halves  bool // result of halvesWay for the device
}

// halvesWay decides whether kernels use the device's float16 instructions. The result "computed"
// means that kernels compute float16s with integer instructions. The result "" means that kernels
// use all exact float16 instructions. An environment variable can override the decision.
func (d *device) halvesWay() string {
	// Processors have no float16 arithmetic, and their drivers convert one float16 at a time. On
	// lavapipe, kernels with float16 instructions take two to five times as long as kernels that
	// compute float16s with integer instructions. On arm64, the process ends when lavapipe compiles
	// float16 instructions.
	way := env.Get(env.Halves)
	if way == "" && d.info.Type == hal.VulkanCPU {
		way = "computed"
	}
	return way
}

// knownAnswers contains the results of earlier probes. Results are kept until the program ends, because
// neither device nor driver changes while a program runs.
var knownAnswers struct {
	sync.Mutex
	of map[driverKey]probeFacts
}

// runProbes measures facts that the driver does not report.
func (d *device) runProbes() error {
	key := driverKey{d.phys.PipelineCacheUUID, d.phys.DriverVersion, d.phys.DeviceName, modulehook.Rewrite != nil, d.halvesWay() != "computed"}
	knownAnswers.Lock()
	p, known := knownAnswers.of[key]
	knownAnswers.Unlock()
	if !known {
		if err := d.runQuestions(p.probesFor(d)...); err != nil {
			return fmt.Errorf("%s: %w", d.info.Name, err)
		}
		knownAnswers.Lock()
		if knownAnswers.of == nil {
			knownAnswers.of = map[driverKey]probeFacts{}
		}
		knownAnswers.of[key] = p
		knownAnswers.Unlock()
	}
	d.info.Subnormals, d.info.ExactDivide, d.info.ExactDivide64 = p.subnormals, p.divide, p.divide64
	d.info.Fused, d.info.Fused64, d.info.EndsLoops, d.info.Halves = p.fused, p.fused64, p.endsLoops, p.halves
	if env.Get(env.Subnormals) == "flushed" {
		d.info.Subnormals = hal.Subnormals{}
	}
	switch h := &d.info.Halves; d.halvesWay() {
	case "computed":
		*h = hal.Halves{}
	case "packed":
		*h = hal.Halves{Unpack: h.Unpack, Pack: h.Pack}
	case "converted":
		*h = hal.Halves{Unpack: h.Unpack, Pack: h.Pack, Widen: h.Widen, Narrow: h.Narrow}
	}
	return nil
}

// probesFor returns the probes of a device, which store their answers in p. The first
// probe is about subnormals, because later probes test subnormals only on devices that keep them.
func (p *probeFacts) probesFor(d *device) []*probeKernel {
	qs := []*probeKernel{askSubnormals(&p.subnormals)}
	if d.halvesWay() != "computed" {
		qs = append(qs, askHalves(&p.halves))
		if slices.Contains(d.info.Aspects, properties.FP16) {
			qs = append(qs, askHalves16(&p.halves))
		}
	}
	if slices.Contains(d.info.Aspects, properties.FP64) {
		qs = append(qs, askSubnormals64(&p.subnormals), askDivide64(&p.divide64), askFused64(&p.fused64))
	}
	if slices.Contains(d.info.Aspects, properties.AtomicFloat32) {
		qs = append(qs, askSubnormalAdd(&p.subnormals.Atomics))
	}
	return append(qs, askDivide(&p.divide, &p.subnormals), askFused(&p.fused), askEndsLoops(&p.endsLoops))
}

// A question is a built-in kernel that measures a fact about the device.
type probeKernel struct {
	module  []byte
	size    uint64 // size in bytes of the operands, and of the results; a multiple of 16
	items   uint64 // size argument of the built-in kernel
	pattern uint32
	put     func(operands []byte) // function that writes the operands
	answer  func(results []byte)  // function that reads the results
}

// runQuestions runs the questions' kernels as one batch, and then reads the results in order.
func (d *device) runQuestions(qs ...*probeKernel) error {
	size := uint64(0)
	for _, q := range qs {
		size += 2 * q.size
	}
	m, err := d.mem.alloc(size, d.mem.types.host)
	if err != nil {
		return err
	}
	defer m.Free()
	at := uint64(0)
	for _, q := range qs {
		clear(m.data[at:][:2*q.size])
		if q.put != nil {
			q.put(m.data[at:][:q.size])
		}
		at += 2 * q.size
	}
	t, err := d.queue.submitAlone(func(e *encoder) error {
		at := m.addr
		for _, q := range qs {
			if err := e.launchBuiltin(q.module, at+q.size, at, q.items, q.pattern); err != nil {
				return err
			}
			at += 2 * q.size
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := d.awaitProbe(t); err != nil {
		return err
	}
	at = 0
	for _, q := range qs {
		q.answer(m.data[at+q.size:][:q.size])
		at += 2 * q.size
	}
	return nil
}

// answerTime is the longest time that the runtime waits for a probe. A device needs only
// milliseconds for a probe.
var answerTime = 30 * time.Second

// awaitProbe waits for a probe. If the device does not complete the probe in time, awaitProbe
// abandons the device.
func (d *device) awaitProbe(t *ticket) error {
	ctx, cancel := context.WithTimeout(background, answerTime)
	defer cancel()
	err := t.Wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: it has not run a small kernel in %v", hal.ErrAbandoned, answerTime)
		d.Abandon(err)
	}
	return err
}

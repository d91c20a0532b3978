//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// probed is what small kernels find out of a device and its driver.
type probed struct {
	subnormals, divide, divide64, fused bool
	endsLoops                           bool // that go on for long, see recordRounds
}

// driverKey tells drivers and devices apart.
type driverKey struct {
	uuid    [16]byte
	version uint32
	name    string
}

// answers are kept for the program: neither device nor driver changes meanwhile.
var answers struct {
	sync.Mutex
	of map[driverKey]probed
}

// probe finds out what the driver does not say.
func (d *device) probe() error {
	key := driverKey{d.phys.PipelineCacheUUID, d.phys.DriverVersion, d.phys.DeviceName}
	answers.Lock()
	p, known := answers.of[key]
	answers.Unlock()
	if !known {
		var err error
		if p, err = d.ask(); err != nil {
			return fmt.Errorf("%s: %w", d.info.Name, err)
		}
		answers.Lock()
		if answers.of == nil {
			answers.of = map[driverKey]probed{}
		}
		answers.of[key] = p
		answers.Unlock()
	}
	d.info.Subnormals, d.info.ExactDivide, d.info.ExactDivide64 = p.subnormals, p.divide, p.divide64
	d.info.Fused, d.info.EndsLoops = p.fused, p.endsLoops
	return nil
}

// ask runs the kernels.
func (d *device) ask() (p probed, err error) {
	if p.subnormals, err = d.probeSubnormals(); err != nil {
		return p, err
	}
	if p.divide, err = d.probeDivide(); err != nil {
		return p, err
	}
	if p.fused, err = d.probeFused(); err != nil {
		return p, err
	}
	if slices.Contains(d.info.Aspects, properties.FP64) {
		if p.divide64, err = d.probeDivide64(); err != nil {
			return p, err
		}
	}
	p.endsLoops, err = d.probeEndsLoops()
	return p, err
}

// answerTime bounds the wait for a probe, which takes a device milliseconds.
var answerTime = 30 * time.Second

// answer waits for a probe. A device that does not answer is given up.
func (d *device) answer(t *ticket) error {
	ctx, cancel := context.WithTimeout(background, answerTime)
	defer cancel()
	err := t.Wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: it has not run a small kernel in %v", hal.ErrAbandoned, answerTime)
		d.Abandon(err)
	}
	return err
}

//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

var errClosed = errors.New("vulkan: the device is closed")

// device implements hal.Device.
type device struct {
	vk    *vkx.Device
	phys  *vkx.PhysicalDeviceInfo
	info  hal.Info
	mem   allocator
	peer  peering
	pipes pipelines
	queue queue
	built builtins
	clock *clock // clock that measures when commands run; nil unless Time was called
	// Set of the device's graphs that have not been freed.
	graphs graphSet

	// Number of destroyed objects that a command buffer may still contain. The number matters because a
	// new object may get the handle of a destroyed object.
	gone     atomic.Uint64
	lost     atomic.Pointer[error]
	messages int // number of the validation layer's messages when the device was opened
	close    sync.Once
	closed   error
}

func openDevice(p *physicalDevice) (_ *device, err error) {
	family, _ := queueFamily(p.PhysicalDeviceInfo)
	families := []uint32{family}
	if f, ok := transferFamily(p.PhysicalDeviceInfo); ok {
		families = append(families, f)
	}
	messages, exports := vkx.Messages(), exportsMemory(p)
	handle, lacks, r := vkx.CreateDevice(p.handle, p.Features, exports, families...)
	if lacks != "" {
		return nil, fmt.Errorf("vulkan: the driver of %s lacks the function %s; install a newer driver: %w", p.DeviceName, lacks, hal.ErrDriver)
	}
	if err := check("vkCreateDevice", r); err != nil {
		return nil, err
	}
	d := &device{vk: handle, phys: p.PhysicalDeviceInfo, info: p.infoOf(), messages: messages}
	d.peer.exports = exports
	defer func() {
		if err != nil && !errors.Is(err, hal.ErrAbandoned) {
			d.destroy()
		}
	}()
	if err := d.mem.init(d); err != nil {
		return nil, err
	}
	if err := d.pipes.init(d); err != nil {
		return nil, err
	}
	if twoLines && len(families) == 1 {
		families = append(families, family)
	}
	if err := d.queue.initLines(d, families); err != nil {
		return nil, err
	}
	if err := d.runProbes(); err != nil {
		return nil, err
	}
	return d, nil
}

// Info describes the device.
func (d *device) Info() *hal.Info { return &d.info }

// The method `check` calls the package's function `check`. If the result r says that the device is
// lost, the method `check` also marks the device as lost.
func (d *device) check(call string, r vkx.Result) error {
	if r == vkx.ErrorDeviceLost {
		return d.setLost(call, r)
	}
	return check(call, r)
}

// setLost marks the device as lost, unless the device is lost already.
func (d *device) setLost(call string, r vkx.Result) error {
	err := check(call, r)
	d.lost.CompareAndSwap(nil, &err)
	return d.lostErr()
}

func (d *device) lostErr() error {
	if p := d.lost.Load(); p != nil {
		return *p
	}
	return nil
}

// Abandon gives up a device whose work does not end.
func (d *device) Abandon(err error) { d.lost.CompareAndSwap(nil, &err) }

// Close waits for submitted work and frees all memory and objects, including those that the caller
// has not freed.
func (d *device) Close() error {
	d.close.Do(func() {
		d.queue.drainQueue()
		d.destroy()
		loader.Lock()
		loader.open--
		loader.Unlock()
		// If the validation layer is on, Close returns an error with the number of messages.
		if n := vkx.Messages() - d.messages; n > 0 {
			d.closed = fmt.Errorf("the validation layer reported %d errors and warnings since the device was opened", n)
		}
	})
	return d.closed
}

// `destroy` destroys all objects of the device. The method `destroy` also works if opening the
// device has failed.
func (d *device) destroy() {
	d.vk.WaitIdle()
	d.queue.close()
	d.graphs.close()
	d.built.close(d)
	d.pipes.close()
	d.peer.close()
	d.mem.close()
	d.vk.Destroy()
}

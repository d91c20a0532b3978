//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

// This file copies memory of one NVIDIA device to another NVIDIA device, with CUDA's driver.
//
// Both devices allocate exported memory. Each block is a dedicated allocation, because CUDA's
// driver imports other allocations only on their own GPU. The destination's CUDA context imports
// each block of the two memories once, through a file descriptor. Then the function cuMemcpyAsync
// copies from one block to the other.
//
// When a copy begins, all earlier commands that use the copy's memory have completed. Later commands
// that use the copy's memory are submitted after the copy. So Vulkan and CUDA need no common
// semaphore.

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/cuda"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

const (
	vendorNVIDIA = 0x10DE
	// peerSpin is how long a copy polls without pauses.
	peerSpin = 2 * time.Millisecond
)

// peerPiece is the number of bytes that a copy moves before it checks whether it was cancelled.
// NVLink copies this number of bytes in 0.7 ms. Tests set peerPiece.
var peerPiece uint64 = 256 << 20

// peerPatience is the longest time that a copy waits for the current piece after one of its devices
// was abandoned.
var peerPatience = 10 * time.Second

// PeerPatience sets the longest time that a copy waits for the current piece after one of its
// devices was abandoned. PeerPatience returns the previous time. PeerPatience is for tests.
func PeerPatience(d time.Duration) (before time.Duration) {
	before, peerPatience = peerPatience, d
	return before
}

// exportAlways says that devices export their memory even if there is no second GPU.
var exportAlways atomic.Bool

// ExportAlways makes devices that are opened later export their memory even if there is no second
// GPU. With ExportAlways, a test can copy between two devices of one GPU. ExportAlways is for
// tests.
func ExportAlways(on bool) { exportAlways.Store(on) }

// exportsMemory reports whether a device allocates memory that CUDA's driver can import. Only
// NVIDIA devices export their memory, and only on machines with at least two NVIDIA devices. The
// first copy opens CUDA's driver, which takes a few tenths of a second. The caller holds the mutex
// of the variable loader.
func exportsMemory(p *physicalDevice) bool {
	other := func(o physicalDevice) bool { return o.VendorID == vendorNVIDIA && o.DeviceUUID != p.DeviceUUID }
	alone := p.VendorID != vendorNVIDIA || !slices.ContainsFunc(loader.devices, other)
	return env.Get(env.NVLink) != "off" && (exportAlways.Load() || !alone) && vkx.Exports(p.handle, bufferUsage)
}

// `peering` contains the state of a device for copies from other devices' memory. The first copy
// from another device makes the CUDA context.
type peering struct {
	exports bool       // the device's memory is exported
	setup   sync.Mutex // held while copies from another device are tested; locked before mu
	sources map[cuda.UUID]error

	mu       sync.Mutex // guards the fields below, and is held while a block is imported
	ctx      *cuda.Context
	err      error           // the error that ended the use of the context, or nil
	reported bool            // err has been returned as the outcome of a copy
	hung     bool            // a copy did not end, so no resources of the context are freed
	views    map[*block]view // the blocks that the context has imported or failed to import
}

// `view` is the CUDA memory for an imported block, or the reason why the import failed.
type view struct {
	mem *cuda.Memory
	err error
}

// `peerings` lists each peering that has a CUDA context.
var peerings struct {
	sync.Mutex
	open []*peering
}

var (
	errNoPeer = fmt.Errorf("vulkan: the devices do not export their memory: %w", hal.ErrNotSupported)
	errHung   = errors.New("vulkan: a copy by CUDA did not end")
)

// CopyFrom implements hal.Peer.
func (d *device) CopyFrom(ctx context.Context, cancel *hal.Cancel, dst hal.Memory, dstOff uint64, from hal.Device, src hal.Memory, srcOff, size uint64) hal.PeerCopy {
	s, ok := from.(*device)
	if !ok || !d.peer.exports || !s.peer.exports {
		return hal.PeerCopy{Refused: errNoPeer}
	}
	if err := errors.Join(d.lostErr(), s.lostErr()); err != nil {
		return hal.PeerCopy{Refused: err}
	}
	first, err := d.peer.tried(d, s)
	if err != nil {
		return hal.PeerCopy{Refused: err, First: first}
	}
	c := d.peer.copy(ctx, cancel, d.placeOf(dst, dstOff), s.placeOf(src, srcOff), size)
	c.First = c.First || first
	return c
}

// `place` is a position in a device's exported memory.
type place struct {
	d   *device
	b   *block
	off uint64
}

func (d *device) placeOf(m hal.Memory, off uint64) place {
	mem := m.(*memory)
	return place{d, mem.block, mem.off + off}
}

// `tried` returns an error if copies from the device s do not work. The first call for a device
// makes a test copy.
func (p *peering) tried(d, s *device) (first bool, err error) {
	p.setup.Lock()
	defer p.setup.Unlock()
	if err, ok := p.sources[s.phys.DeviceUUID]; ok {
		return false, err
	}
	err = p.try(d, s)
	if errors.Is(err, hal.ErrOutOfMemory) || errors.Is(err, hal.ErrDeviceLost) {
		return true, err // the error is not stored, because a later test may succeed
	}
	if p.sources == nil {
		p.sources = map[cuda.UUID]error{}
	}
	p.sources[s.phys.DeviceUUID] = err
	return true, err
}

// `try` makes CUDA's driver copy some words from s to d. Then `try` reads the words on d with
// Vulkan, and compares them with the original words. Even if a driver imports another device's
// memory without an error, the driver may read wrong words.
func (p *peering) try(d, s *device) error {
	if err := cuda.Reaches(d.phys.DeviceUUID, s.phys.DeviceUUID); err != nil {
		return err
	}
	if err := p.connect(d.phys.DeviceUUID); err != nil {
		return err
	}
	const size = 4096
	want, got := make([]byte, size), make([]byte, size)
	for i := range want {
		want[i] = byte(i*7 + i>>8 + 1)
	}
	src, err := s.Alloc(size, hal.DeviceMemory)
	if err != nil {
		return err
	}
	defer src.Free()
	dst, err := d.Alloc(size, hal.DeviceMemory)
	if err != nil {
		return err
	}
	defer dst.Free()
	if err := errors.Join(s.complete(hal.Command{Op: hal.OpWrite, Dst: src, Size: size, Host: want}),
		d.complete(hal.Command{Op: hal.OpFill, Dst: dst, Size: size})); err != nil {
		return err
	}
	if c := p.copy(background, nil, d.placeOf(dst, 0), s.placeOf(src, 0), size); c.Refused != nil || c.Failed != nil {
		return errors.Join(c.Refused, c.Failed)
	}
	if err := d.complete(hal.Command{Op: hal.OpRead, Src: dst, Size: size, Host: got}); err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("vulkan: CUDA's driver copied other words from %s than Vulkan had written there", s.phys.DeviceName)
	}
	return nil
}

// connect makes the CUDA context.
func (p *peering) connect(uuid cuda.UUID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx != nil || p.err != nil {
		return p.err
	}
	if p.ctx, p.err = cuda.NewContext(uuid); p.err != nil {
		return p.err
	}
	peerings.Lock()
	defer peerings.Unlock()
	peerings.open = append(peerings.open, p)
	return nil
}

// `complete` runs a command by itself and waits for it.
func (d *device) complete(c hal.Command) error {
	var fault hal.Fault
	c.Fault, c.Apart = &fault, true
	t, err := d.Submit([]hal.Command{c})
	if err != nil {
		return err
	}
	return errors.Join(t.Wait(background), fault.Failed)
}

// The method `copy` copies memory in pieces, and uses the CUDA context.
func (p *peering) copy(ctx context.Context, cancel *hal.Cancel, dst, src place, size uint64) hal.PeerCopy {
	to, first, err := p.address(dst)
	if err != nil {
		return hal.PeerCopy{Refused: err, First: first}
	}
	from, first, err := p.address(src)
	if err != nil {
		return hal.PeerCopy{Refused: err, First: first}
	}
	stream, err := p.ctx.Stream()
	if err != nil {
		return p.refuse(err)
	}
	for off := uint64(0); off < size; off += peerPiece {
		if cancel.Asked() || ctx.Err() != nil {
			stream.Close()
			return hal.PeerCopy{Cancelled: true}
		}
		if err := stream.Copy(to+off, from+off, min(peerPiece, size-off)); err != nil {
			stream.Close()
			return p.refuse(err) // the earlier pieces have completed
		}
		if err := await(ctx, stream); err != nil {
			if err != errHung {
				stream.Close()
			}
			p.fail(err)
			return hal.PeerCopy{Failed: fmt.Errorf("%w: %w", err, hal.ErrDriver)}
		}
	}
	stream.Close()
	return hal.PeerCopy{}
}

// `await` waits for the copy in the CUDA stream s. Even a cancelled copy ends by itself, unless a
// GPU does not work any more. So `await` returns an error if ctx has ended and the copy still runs
// after the time peerPatience.
func await(ctx context.Context, s *cuda.Stream) error {
	start := time.Now()
	var ended time.Time
	for {
		if done, err := s.Done(); done || err != nil {
			return err
		}
		if time.Since(start) < peerSpin {
			runtime.Gosched()
		} else {
			time.Sleep(peerSpin / 10)
		}
		switch {
		case ctx.Err() == nil:
		case ended.IsZero():
			ended = time.Now()
		case time.Since(ended) > peerPatience:
			return errHung
		}
	}
}

// `fail` records an error, so that later copies do not use the CUDA context.
func (p *peering) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hung = p.hung || err == errHung
	if p.err == nil {
		p.err = err
	}
}

// `refuse` records an error, so that this copy and later copies do not use the CUDA context.
func (p *peering) refuse(err error) hal.PeerCopy {
	p.fail(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	return hal.PeerCopy{Refused: err, First: p.isFirstError()}
}

// isFirstError reports whether the context's error is returned for the first time. The caller holds mu.
func (p *peering) isFirstError() bool {
	defer func() { p.reported = true }()
	return !p.reported
}

// `address` returns the address that a place has in the CUDA context. If necessary, the method
// first imports the block of the place. The result `first` says that the error is returned for the
// first time.
func (p *peering) address(at place) (addr uint64, first bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.err != nil:
		return 0, p.isFirstError(), p.err
	case !at.b.exported:
		return 0, false, errNoPeer
	}
	v, ok := p.views[at.b]
	if !ok {
		v.mem, v.err = p.importBlock(at)
		if p.views == nil {
			p.views = map[*block]view{}
		}
		p.views[at.b] = v
	}
	if v.err != nil {
		return 0, !ok, v.err
	}
	return v.mem.Address + at.off, false, nil
}

// importBlock imports a block. The caller holds mu.
func (p *peering) importBlock(at place) (*cuda.Memory, error) {
	fd, r := at.d.vk.ExportMemory(at.b.memory)
	if err := at.d.check("vkGetMemoryFdKHR", r); err != nil {
		return nil, err
	}
	at.b.viewed.Store(true)
	return p.ctx.Import(fd, at.b.allocated)
}

// `forget` ends all imports of a block. No copy may use the block any more.
func (b *block) forget() {
	if !b.viewed.Load() {
		return
	}
	peerings.Lock()
	open := slices.Clone(peerings.open)
	peerings.Unlock()
	for _, p := range open {
		p.mu.Lock()
		if v, ok := p.views[b]; ok && !p.hung {
			delete(p.views, b)
			p.free(v)
		}
		p.mu.Unlock()
	}
}

// `free` ends an import. If ending the import fails, the context is not used any more.
func (p *peering) free(v view) {
	if v.mem == nil {
		return
	}
	if err := v.mem.Free(); err != nil && p.err == nil {
		p.err = err
	}
}

// `close` ends all imports and releases the CUDA context.
func (p *peering) close() {
	peerings.Lock()
	peerings.open = slices.DeleteFunc(peerings.open, func(o *peering) bool { return o == p })
	peerings.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx == nil || p.hung {
		return
	}
	for _, v := range p.views {
		p.free(v)
	}
	p.views = nil
	p.err = errors.Join(p.err, p.ctx.Close(), errClosed)
	p.ctx = nil
}

//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"fmt"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// Import returns a memory of the device that consists of the bytes b of the host. Only copies may
// use the imported memory. The address and the size of b are multiples of hal.ImportAlign. The
// driver keeps the bytes in place, and the device keeps the bytes alive until Free.
//
// Memory of another device must never be imported through a file descriptor. NVIDIA's driver
// reports no error for such an import, but the device then reads wrong words.
func (d *device) Import(b []byte) (hal.Memory, error) {
	if !d.vk.ImportsHost() {
		return nil, fmt.Errorf("vulkan: %s does not import memory of the host: %w", d.phys.DeviceName, hal.ErrNotSupported)
	}
	if err := d.lostErr(); err != nil {
		return nil, err
	}
	a, size := &d.mem, uint64(len(b))
	p := a.pool(a.types.host)
	if p == nil {
		return nil, errClosed
	}
	blk := &block{host: b}
	a.mu.Lock()
	a.count++
	a.mu.Unlock()
	blk.pin.Pin(unsafe.SliceData(b))
	if err := d.importInto(blk, size); err != nil {
		a.destroy([]*block{blk})
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live++
	a.own[blk] = struct{}{}
	return &memory{d: d, pool: p, block: blk, size: size, data: b}, nil
}

// importInto makes the block's buffer and memory.
func (d *device) importInto(b *block, size uint64) error {
	at := unsafe.Pointer(unsafe.SliceData(b.host))
	types, r := d.vk.HostTypes(at)
	if r < 0 {
		return d.check("vkGetMemoryHostPointerPropertiesEXT", r)
	}
	if b.buffer, r = d.vk.CreateHostBuffer(size, vkx.BufferUsageTransferSrcBit|vkx.BufferUsageTransferDstBit); r < 0 {
		return d.check("vkCreateBuffer", r)
	}
	need := d.vk.BufferRequirements(b.buffer)
	if types &= need.Types; types == 0 || need.Size > size {
		return fmt.Errorf("vulkan: %s has no type of memory for %d bytes of the host: %w", d.phys.DeviceName, size, hal.ErrNotSupported)
	}
	if b.memory, r = d.vk.ImportMemory(at, size, bits.TrailingZeros32(types)); r < 0 {
		return d.check("vkAllocateMemory", r)
	}
	if r = d.vk.BindBuffer(b.buffer, b.memory); r < 0 {
		return d.check("vkBindBufferMemory", r)
	}
	return nil
}

// `unpin` unpins the host memory that an imported block contains.
func (b *block) unpin() {
	if b.host != nil {
		b.pin.Unpin()
		b.host = nil
	}
}

// pinner is the type of a block's field pin, which only imported blocks use.
type pinner = runtime.Pinner

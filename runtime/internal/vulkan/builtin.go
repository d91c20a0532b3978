//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"sync"

	"github.com/kgen-go/kgen/runtime/internal/adapt"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// Built-in kernels of the backend. On a GPU, kernels copy and fill memory several times as fast as
// Vulkan's commands for copies and fills.
var (
	//go:embed kernels/copy.spv
	copyModule []byte
	//go:embed kernels/fill.spv
	fillModule []byte
)

const (
	builtinWords = 7        // number of 32-bit words of the kernels' push constants
	kernelMin    = 64 << 10 // least number of bytes that a kernel copies or fills
	kernelMax    = 512 << 20
	kernelGroup  = 16 << 10 // number of bytes that a work-group copies or fills
)

// `builtins` contains a device's pipelines of the built-in kernels. A pipeline is made when it is
// first used.
type builtins struct {
	mu          sync.Mutex
	all         map[*byte]vkx.Pipeline
	onAnyDevice bool // use the built-in kernels on any device, for tests
}

// pipelineOf returns the pipeline for a module, and the layout of that pipeline.
func (b *builtins) pipelineOf(d *device, module []byte) (vkx.Pipeline, vkx.PipelineLayout, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	layout, err := d.pipes.layoutFor(4 * builtinWords)
	if err != nil {
		return 0, 0, err
	}
	if p, ok := b.all[&module[0]]; ok {
		return p, layout, nil
	}
	words := make([]uint32, len(module)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(module[4*i:])
	}
	m, r, err := d.shaderModule(adapt.Preserve(words, d.phys.SignedZeroInfNanPreserve))
	if err := cmp.Or(err, d.check("vkCreateShaderModule", r)); err != nil {
		return 0, 0, err
	}
	defer d.vk.DestroyShaderModule(m)
	p, r := d.vk.CreateComputePipeline(d.pipes.cache, &vkx.ComputePipeline{Module: m, Layout: layout})
	if err := d.check("vkCreateComputePipelines", r); err != nil {
		return 0, 0, err
	}
	if b.all == nil {
		b.all = make(map[*byte]vkx.Pipeline)
	}
	b.all[&module[0]] = p
	return p, layout, nil
}

func (b *builtins) close(d *device) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.all {
		d.vk.DestroyPipeline(p)
	}
	b.all = nil
}

// byKernel reports whether a copy or fill uses a built-in kernel. A built-in kernel needs addresses
// that are multiples of 16, and a size that is a multiple of 4.
func (b *builtins) byKernel(d *device, dst, src, size uint64) bool {
	return (d.info.Type != hal.VulkanCPU || b.onAnyDevice) && size >= kernelMin && (dst|src)%16 == 0 && size%4 == 0
}

// launchBuiltin records a launch of a built-in kernel that copies or fills size bytes.
func (e *encoder) launchBuiltin(module []byte, dst, src, size uint64, pattern uint32) error {
	p, layout, err := e.d.built.pipelineOf(e.d, module)
	if err != nil {
		return err
	}
	if err := e.openPart(); err != nil {
		return err
	}
	e.orderKind(compute)
	e.bind(p)
	for first := true; size > 0 || first; first = false {
		n := min(size, kernelMax)
		w := e.commands.PushConstants(layout, builtinWords)
		w[0], w[1] = uint32(dst), uint32(dst>>32)
		w[2], w[3] = uint32(src), uint32(src>>32)
		w[4], w[5], w[6] = uint32(n/16), uint32(n%16/4), pattern
		e.commands.Dispatch([3]uint32{uint32(max(1, (n+kernelGroup-1)/kernelGroup)), 1, 1})
		dst, src, size = dst+n, src+n, size-n
	}
	e.stampEnd()
	return nil
}

//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/modulehook"
	"github.com/kgen-go/kgen/runtime/internal/adapt"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// A pipeline implements hal.Pipeline.
type pipeline struct {
	d           *device
	layout      vkx.PipelineLayout
	words       int // number of 32-bit words of push constants
	args        int // size of the arguments in bytes
	kernel      *abi.Kernel
	spilled     bool
	cacheResult string // result of the method Cached
	cancels     bool   // the module can be cancelled
	loops       string // source positions of the loops; "" if the device does not end loops early

	mu           sync.Mutex
	desc         vkx.ComputePipeline // description of the pipeline; its Module is set only while the pipeline is made
	spirv        []uint32
	handle       vkx.Pipeline
	basePipeline vkx.Pipeline // pipeline for vkCmdDispatchBase, made at its first use
	freed        bool

	data       *memory // memory with the kernel's constant data, or nil
	dataOffset int
}

// NewPipeline compiles a kernel for launches.
func (d *device) NewPipeline(desc *hal.PipelineDesc) (hal.Pipeline, error) {
	if err := d.lostErr(); err != nil {
		return nil, err
	}
	k := desc.Kernel
	if len(desc.SPIRV) == 0 {
		return nil, fmt.Errorf("vulkan: %s has no module: %w", k.FullName(), hal.ErrPipeline)
	}
	if names := missingFeatures(desc.SPIRV, func(name string) bool { return hasFeature(d.phys, name) }); len(names) > 0 {
		return nil, fmt.Errorf("vulkan: %s needs %s, which the device has not: %w",
			k.FullName(), strings.Join(names, ", "), hal.ErrNotSupported)
	}
	p := &pipeline{d: d, kernel: k, args: k.ArgSize, spilled: k.Spilled, cancels: desc.Cancels, spirv: desc.SPIRV}
	var err error
	if p.spirv, err = adapt.Halves(p.spirv, &d.info.Halves); err != nil {
		return nil, fmt.Errorf("vulkan: %s: %w: %w", k.FullName(), err, hal.ErrPipeline)
	}
	if p.spirv, err = adapt.Dots(p.spirv, func(op spirv.Op) bool { return hasDot(d.phys, op) }); err != nil {
		return nil, fmt.Errorf("vulkan: %s: %w: %w", k.FullName(), err, hal.ErrPipeline)
	}
	p.spirv = adapt.Preserve(p.spirv, d.phys.SignedZeroInfNanPreserve)
	if p.spirv, err = adapt.Subnormals(p.spirv, &d.info.Subnormals); err != nil {
		return nil, fmt.Errorf("vulkan: %s: %w: %w", k.FullName(), err, hal.ErrPipeline)
	}
	if adapt.Relaxed(d.phys.DriverName) {
		if p.spirv, err = adapt.Relax(p.spirv); err != nil {
			return nil, fmt.Errorf("vulkan: %s: %w: %w", k.FullName(), err, hal.ErrPipeline)
		}
	}
	if d.info.EndsLoops {
		p.loops = desc.Loops
		if p.spirv, err = adapt.RecordRounds(p.spirv); err != nil {
			return nil, fmt.Errorf("vulkan: %s: %w: %w", k.FullName(), err, hal.ErrPipeline)
		}
	}
	block := abi.OffsetArgs + k.ArgSize
	if k.Spilled {
		block = abi.OffsetArgs + 8
	}
	p.words = (block + 3) / 4
	if 4*p.words > int(d.phys.MaxPushConstantsSize) {
		return nil, fmt.Errorf("vulkan: %s: a launch block of %d bytes, the device takes %d: %w",
			k.FullName(), block, d.phys.MaxPushConstantsSize, hal.ErrPipeline)
	}
	if err := p.setSizes(desc); err != nil {
		return nil, err
	}
	for _, s := range desc.Specs {
		if s.Size != 1 && s.Size != 2 && s.Size != 4 && s.Size != 8 {
			return nil, fmt.Errorf("vulkan: %s: specialization constant %d of %d bytes: %w", k.FullName(), s.ID, s.Size, hal.ErrPipeline)
		}
		p.desc.Spec = append(p.desc.Spec, s.ID, uint32(len(p.desc.Data)), uint32(s.Size))
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], s.Bits)
		p.desc.Data = append(p.desc.Data, b[:]...) // 8 bytes for each constant keep the values aligned
	}
	if p.layout, err = d.pipes.layoutFor(uint32(4 * p.words)); err != nil {
		return nil, err
	}
	if k.Data != "" {
		if p.data, err = d.mem.alloc(uint64(len(k.Data)+15)&^15, d.mem.types.upload); err != nil {
			return nil, fmt.Errorf("vulkan: constant data of %s: %w", k.FullName(), err)
		}
		copy(p.data.Bytes(), k.Data)
		p.dataOffset = k.DataOffset
	}
	if p.handle, err = p.createPipeline(false); err != nil {
		p.freeData()
		return nil, fmt.Errorf("%s: %w", k.FullName(), err)
	}
	if !d.pipes.add(p) {
		d.vk.DestroyPipeline(p.handle)
		p.freeData()
		return nil, errClosed
	}
	return p, nil
}

// setSizes checks the sizes of work-groups and sub-groups against the device's limits, because
// drivers need not check them.
func (p *pipeline) setSizes(desc *hal.PipelineDesc) error {
	phys, name, items := p.d.phys, desc.Kernel.FullName(), uint64(1)
	for i, n := range desc.LocalSize {
		if n == 0 || n > phys.MaxComputeWorkGroupSize[i] {
			return fmt.Errorf("vulkan: %s: work-group size %v, the device allows %v: %w",
				name, desc.LocalSize, phys.MaxComputeWorkGroupSize, hal.ErrPipeline)
		}
		items *= uint64(n)
	}
	if items > uint64(phys.MaxComputeWorkGroupInvocations) {
		return fmt.Errorf("vulkan: %s: a work-group of %d work-items, the device allows %d: %w",
			name, items, phys.MaxComputeWorkGroupInvocations, hal.ErrPipeline)
	}
	if x := phys.MaxComputeWorkGroupSize[0]; desc.Kernel.Rank > 1 && items > uint64(x) && slices.Contains(moduleCapabilities(desc.SPIRV), spirv.CapabilityGroupNonUniform) {
		return fmt.Errorf("vulkan: %s: a work-group of %d work-items with sub-groups, the device allows %d: %w",
			name, items, x, hal.ErrPipeline)
	}
	if p.desc.FullSubgroups = desc.FullSubGroups; desc.SubGroupSize == 0 {
		return nil
	}
	size := uint32(desc.SubGroupSize)
	fixed := phys.MinSubgroupSize == phys.MaxSubgroupSize && phys.SubgroupSize == size
	settable := phys.Has(vkx.SubgroupSizeControl) && phys.RequiredSubgroupSizeStages&uint32(vkx.ShaderStageComputeBit) != 0
	switch {
	case size < phys.MinSubgroupSize || size > phys.MaxSubgroupSize || bits.OnesCount32(size) != 1,
		!fixed && !settable:
		return fmt.Errorf("vulkan: %s: sub-group size %d, the device allows %d to %d (settable: %v): %w",
			name, size, phys.MinSubgroupSize, phys.MaxSubgroupSize, settable, hal.ErrNotSupported)
	case settable && items > uint64(size)*uint64(phys.MaxComputeWorkgroupSubgroups):
		return fmt.Errorf("vulkan: %s: %d work-items in sub-groups of %d, the device allows %d sub-groups: %w",
			name, items, size, phys.MaxComputeWorkgroupSubgroups, hal.ErrNotSupported)
	}
	if settable {
		p.desc.SubgroupSize = size
		p.desc.FullSubgroups = desc.FullSubGroups || phys.Has(vkx.ComputeFullSubgroups) && desc.LocalSize[0]%size == 0
	}
	return nil
}

// specBase is the id of a specialization constant that the backend sets for pipelines with
// VK_PIPELINE_CREATE_DISPATCH_BASE_BIT. No module has a constant with the id specBase. NVIDIA's
// caches (driver 580) distinguish pipelines by their constants, and not by the dispatch-base flag.
// Without specBase, a cache could return a pipeline without the dispatch-base flag. Such a pipeline
// ignores the base of a dispatch.
const specBase = abi.SpecReserved + 0xff

// createPipeline makes the pipeline from its module, and destroys the module.
func (p *pipeline) createPipeline(dispatchBase bool) (vkx.Pipeline, error) {
	v := p.d.vk
	module, r, err := p.d.shaderModule(p.spirv)
	if err := cmp.Or(err, p.failed("vkCreateShaderModule", r)); err != nil {
		return 0, err
	}
	defer v.DestroyShaderModule(module)
	desc := p.desc
	desc.Module, desc.Layout, desc.DispatchBase = module, p.layout, dispatchBase
	if dispatchBase {
		desc.Spec = append(slices.Clone(desc.Spec), specBase, uint32(len(desc.Data)), 4)
		desc.Data = append(slices.Clone(desc.Data), 1, 0, 0, 0)
	}
	handle, r := v.CreateComputePipeline(p.d.pipes.cache, &desc)
	if err := p.failed("vkCreateComputePipelines", r); err != nil {
		return 0, err
	}
	if !dispatchBase {
		p.cacheResult = desc.Cached
	}
	p.d.pipes.saver.notify()
	return handle, nil
}

// shaderModule passes a module to the driver. Tests may rewrite the module first.
func (d *device) shaderModule(words []uint32) (vkx.ShaderModule, vkx.Result, error) {
	if rewrite := modulehook.Rewrite; rewrite != nil {
		var err error
		if words, err = rewrite(words); err != nil {
			return 0, 0, fmt.Errorf("vulkan: a module that a test rewrites: %w", err)
		}
	}
	m, r := d.vk.CreateShaderModule(words)
	return m, r, nil
}

func (p *pipeline) failed(call string, r vkx.Result) error {
	err := check(call, r)
	switch {
	case err == nil:
		return nil
	case r == vkx.ErrorDeviceLost:
		return p.d.setLost(call, r)
	case errors.Is(err, hal.ErrOutOfMemory):
		return err
	}
	return fmt.Errorf("%w: %w", err, hal.ErrPipeline)
}

// dispatchBase returns the pipeline for vkCmdDispatchBase.
func (p *pipeline) dispatchBase() (vkx.Pipeline, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if p.basePipeline == 0 {
		p.basePipeline, err = p.createPipeline(true)
	}
	return p.basePipeline, err
}

// Cached implements hal.Cached.
func (p *pipeline) Cached() string { return p.cacheResult }

// Cancels implements hal.Canceller.
func (p *pipeline) Cancels() bool { return p.cancels }

// Free destroys the pipeline. If Free was called before, or the device is closed, Free does
// nothing. A lost device keeps its pipelines until the device is closed.
func (p *pipeline) Free() {
	if p.d.lost.Load() == nil && p.d.pipes.remove(p) {
		p.destroy()
	}
}

func (p *pipeline) destroy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.freed {
		return
	}
	p.freed = true
	p.d.gone.Add(1)
	p.d.vk.DestroyPipeline(p.handle)
	p.d.vk.DestroyPipeline(p.basePipeline)
	p.handle, p.basePipeline = 0, 0
	p.freeData()
}

func (p *pipeline) freeData() {
	if p.data != nil {
		p.data.Free()
		p.data = nil
	}
}

// fullArgs returns the argument block of a launch, with the runtime's own arguments
// added.
func (p *pipeline) fullArgs(args, scratch []byte) []byte {
	if p.data == nil {
		return args
	}
	args = append(scratch[:0], args...)
	binary.LittleEndian.PutUint64(args[p.dataOffset:], p.data.addr)
	return args
}

// `pipelines` contains a device's pipelines and the objects that they share.
type pipelines struct {
	cache vkx.PipelineCache
	store cacheStore
	saver cacheSaver

	mu      sync.Mutex
	d       *device
	all     map[*pipeline]struct{} // set of all pipelines; nil when closed
	layouts map[uint32]vkx.PipelineLayout
}

func (s *pipelines) init(d *device) error {
	s.d = d
	s.all = make(map[*pipeline]struct{})
	s.layouts = make(map[uint32]vkx.PipelineLayout)
	if err := s.store.init(d.phys, programPath()); err != nil {
		return err
	}
	var r vkx.Result
	s.cache, r = d.vk.CreatePipelineCache(s.store.loadFile())
	if r >= 0 && s.store.path != "" {
		s.saver.init(s.saveCache)
	}
	return check("vkCreatePipelineCache", r)
}

// layoutFor returns the pipeline layout with one range of n bytes of push constants.
func (s *pipelines) layoutFor(n uint32) (vkx.PipelineLayout, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		return 0, errClosed
	}
	if l, ok := s.layouts[n]; ok {
		return l, nil
	}
	l, r := s.d.vk.CreatePipelineLayout(n)
	if err := s.d.check("vkCreatePipelineLayout", r); err != nil {
		return 0, err
	}
	s.layouts[n] = l
	return l, nil
}

func (s *pipelines) add(p *pipeline) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		return false
	}
	s.all[p] = struct{}{}
	return true
}

func (s *pipelines) remove(p *pipeline) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.all[p]
	delete(s.all, p)
	return ok
}

// saveCache writes the cache's file. Other goroutines may make pipelines at the same time.
func (s *pipelines) saveCache() {
	if s.d.lostErr() != nil {
		return
	}
	if data, r := s.d.vk.PipelineCacheData(s.cache); r >= 0 {
		s.store.saveFile(data, s.mergeCache)
	}
}

// mergeCache adds the cache's contents to `theirs`, the data that another process has saved.
// mergeCache returns the merged data, or nil if merging fails.
func (s *pipelines) mergeCache(theirs []byte) []byte {
	both, r := s.d.vk.CreatePipelineCache(theirs)
	if r < 0 {
		return nil
	}
	defer s.d.vk.DestroyPipelineCache(both)
	if r := s.d.vk.MergePipelineCaches(both, s.cache); r < 0 {
		return nil
	}
	data, _ := s.d.vk.PipelineCacheData(both)
	return data
}

func (s *pipelines) close() {
	s.mu.Lock()
	all := s.all
	s.all = nil
	s.mu.Unlock()
	if all == nil {
		return
	}
	s.saver.stopSaving()
	if s.cache != 0 {
		s.saveCache()
	}
	for p := range all {
		p.destroy()
	}
	for _, l := range s.layouts {
		s.d.vk.DestroyPipelineLayout(l)
	}
	s.d.vk.DestroyPipelineCache(s.cache)
	s.layouts, s.cache = nil, 0
}

// asBytes returns words as bytes. Hosts are little-endian, and so are modules.
func asBytes(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

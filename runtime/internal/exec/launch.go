package exec

import (
	"encoding/binary"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/prints"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Launch is a launch that the runtime prepares. Launch consists of the call, which does not change,
// and of data that the runtime computes from the call. The runtime reuses the storage of a Launch
// for later launches.
type Launch struct {
	*launch.Call

	// Block is the argument block of the call. The method Pass writes the addresses of slices to
	// Block.
	Block []byte
	// Placed lists the slices in device memory, which are slices of the call or slices that the
	// method Place has added.
	Placed []launch.SliceArg
	own    []launch.SliceArg
	// Cancel is the request that ends the launch early, or nil.
	Cancel *hal.Cancel

	Uses   []stream.Use
	Passed []hal.SliceArg
	Specs  []hal.SpecValue
	// HostSpecs are the values of the kernel's own constants, as Go values.
	HostSpecs []dslhook.Spec
}

// NewLaunch returns a launch of the call.
func NewLaunch(c *launch.Call) Launch {
	var l Launch
	l.Begin(c)
	return l
}

// Begin sets the launch's call. The launch must be new, or the previous call must have been removed
// by End.
func (l *Launch) Begin(c *launch.Call) {
	l.Call, l.Placed = c, c.Slices
	l.Block = append(l.Block[:0], c.Args...)
}

// End removes the call and all references to memory of the call, but keeps the launch's storage.
func (l *Launch) End() {
	clear(l.own)
	clear(l.Uses)
	clear(l.Passed)
	clear(l.HostSpecs)
	l.Block, l.own = l.Block[:0], l.own[:0]
	l.Uses, l.Passed, l.Specs, l.HostSpecs = l.Uses[:0], l.Passed[:0], l.Specs[:0], l.HostSpecs[:0]
	l.Call, l.Placed, l.Cancel = nil, nil, nil
}

// The method Place adds a slice in device memory. The runtime calls Place for slices of the
// program's memory, after it has allocated device memory for them.
func (l *Launch) Place(a launch.SliceArg) {
	l.own = append(l.own, a)
	l.Placed = l.own
}

// The method Pass writes the addresses of the slices to the argument block, and computes the ranges
// of memory that the kernel k uses.
func (l *Launch) Pass(k *abi.Kernel) {
	l.Passed, l.Uses = l.Passed[:0], l.Uses[:0]
	for i := range l.Placed {
		a := &l.Placed[i]
		param := &k.Params[a.Param]
		if param.Offset < 0 || a.Mem == nil || a.Len == 0 {
			continue // the kernel does not read the slice, or the slice has no elements
		}
		mem := a.Mem.HAL()
		binary.LittleEndian.PutUint64(l.Block[param.Offset:], mem.Address()+a.Off)
		binary.LittleEndian.PutUint64(l.Block[param.Offset+8:], uint64(a.Len))
		l.Passed = append(l.Passed, hal.SliceArg{Param: a.Param, Memory: mem, Offset: a.Off, Len: a.Len})
		l.Uses = append(l.Uses, stream.Use{Mem: a.Mem, Lo: a.Off, Hi: a.Off + a.Size, Access: param.Access})
	}
}

// Plan describes how a launch runs. A Plan is the result of checking the launch.
type Plan struct {
	Local    [3]int          // work-group size, in the order of the kernel's indexes
	SubGroup int             // sub-group size that the launch requires, or 0
	Empty    bool            // the launch has no work-items
	Props    properties.List // properties of the kernel and of the launch
	Options  bool            // the plan depends on options of the launch
	Native   bool            // the launch may use the device's own matrix instructions

	LocalMemory uint64          // size of a work-group's memory, in bytes
	Print       *prints.Options // nil for a kernel that does not print
	Pipeline    *Pipeline       // nil until a pipeline is found
}

// LetGo ends the plan's use of the pipeline. The device may then free the pipeline.
func (p *Plan) LetGo() {
	if p.Pipeline != nil {
		p.Pipeline.LetGo()
		p.Pipeline = nil
	}
}

// Command returns a command that launches the pipeline on the device's stream. The command's Uses
// include the pipeline's Handle, so the pipeline is not freed before the command has completed.
func (l *Launch) Command(k *abi.Kernel, p *Plan, v *Pipeline) stream.Command {
	l.Uses = append(l.Uses, stream.Use{Mem: v.Handle})
	return stream.Command{
		Cmd: hal.Command{Op: hal.OpLaunch, Pipeline: v.Code, Cancel: l.Cancel, Args: l.Block, Slices: l.Passed,
			Global: DeviceOrder(l.Rank, l.Global), Groups: DeviceOrder(l.Rank, l.groupCounts(k, p))},
		Uses: l.Uses,
	}
}

// groupCounts returns the number of work-groups for each index of the kernel.
func (l *Launch) groupCounts(k *abi.Kernel, p *Plan) [3]int {
	out := [3]int{1, 1, 1}
	for i := range l.Rank {
		per := p.Local[i]
		if i == l.Rank-1 && l.Form == abi.Range {
			per *= max(k.Items, 1)
		}
		out[i] = (l.Global[i] + per - 1) / per
	}
	return out
}

// DeviceOrder converts sizes from the order of the kernel's indexes to the order x, y, z. Missing
// dimensions get the size 1.
func DeviceOrder(rank int, v [3]int) [3]uint32 {
	out := [3]uint32{1, 1, 1}
	for i := range rank {
		out[i] = uint32(v[rank-1-i])
	}
	return out
}

// SplitSpecs converts specialization constants for modules without 64-bit integers. Each 64-bit
// constant becomes two 32-bit words.
func SplitSpecs(k *abi.Kernel, specs []hal.SpecValue) []hal.SpecValue {
	float := func(id uint32) bool {
		return slices.ContainsFunc(k.Specs, func(s abi.SpecConstant) bool { return s.ID == id && s.Type == "float64" })
	}
	var out []hal.SpecValue
	for _, s := range specs {
		if s.Size != 8 || float(s.ID) {
			out = append(out, s)
			continue
		}
		out = append(out, hal.SpecValue{ID: s.ID, Size: 4, Bits: s.Bits & 0xffffffff},
			hal.SpecValue{ID: abi.SpecHigh + s.ID, Size: 4, Bits: s.Bits >> 32})
	}
	return out
}

// Reserved contains facts about the device and the work-group size. Kernels read these facts from
// reserved specialization constants.
type Reserved struct {
	Correct bool // kernels correct the results of float32 division and square root
	Fused   bool // the corrections use fused multiply-adds
	Fused64 bool // kernels compute math.FMA by one instruction of the device
	Flushes bool // the device flushes subnormals, so kernels use integer code where subnormals matter
	Whole   bool // all invocations that run in a work-group are work-items of the work-group
	// SubGroup is a number that divides the size of each sub-group, except the last sub-group of a
	// work-group.
	SubGroup int
}

// Reserve adds the values of the reserved specialization constants to the values of the kernel's
// own constants. The values may include reserved constants that a module does not declare.
func (l *Launch) Reserve(local [3]uint32, r Reserved) {
	for i, n := range local {
		l.Specs = append(l.Specs, hal.SpecValue{ID: abi.SpecLocalSizeX + uint32(i), Size: 4, Bits: uint64(n)})
	}
	for i, n := range l.Accessors {
		l.Specs = append(l.Specs, hal.SpecValue{ID: abi.SpecAccessor + uint32(i), Size: 4, Bits: uint64(n)})
	}
	flushed := hal.SpecValue{ID: abi.SpecFlushed, Size: 4}
	if r.Flushes {
		flushed.Bits = abi.SubnormalFloats
	}
	l.Specs = append(l.Specs, flushed, hal.SpecValue{ID: abi.SpecSubGroup, Size: 4, Bits: uint64(r.SubGroup)})
	for _, flag := range []struct {
		id uint32
		on bool
	}{{abi.SpecExactDivide, r.Correct}, {abi.SpecFused, r.Fused}, {abi.SpecFused64, r.Fused64}, {abi.SpecWhole, r.Whole}} {
		v := hal.SpecValue{ID: flag.id, Size: 4}
		if flag.on {
			v.Bits = 1
		}
		l.Specs = append(l.Specs, v)
	}
}

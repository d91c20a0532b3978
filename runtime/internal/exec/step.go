package exec

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/fusion"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Step is a command that has been checked against a device.
type Step struct {
	Kind    string // kind of the command, such as "copy", or "" for a launch
	Label   string
	Kernel  *Kernel // kernel of a launch, or nil for other commands
	Launch  Launch
	Plan    Plan
	Command stream.Command // the command, unless it is a launch
	Host    dag.Uses       // memory that a host function uses
	Keep    []any          // slices that a host function uses; the field keeps the slices allocated
	Prints  *Step          // launch whose printed output the step writes, or nil
	// Idle lists memory that must not be closed, although the step's command does not use this
	// memory.
	Idle []*stream.Memory
}

// The method Memories calls `yield` for all device memory that the step refers to, including memory
// in the field Idle.
func (s *Step) Memories(yield func(*stream.Memory)) {
	for i := range s.Launch.Placed {
		if m := s.Launch.Placed[i].Mem; m != nil {
			yield(m)
		}
	}
	for i := range s.Command.Uses {
		yield(s.Command.Uses[i].Mem)
	}
	for _, m := range s.Idle {
		yield(m)
	}
}

// The method Uses returns the memory that the step reads and writes.
func (s *Step) Uses() dag.Uses {
	if s.Kernel != nil {
		return dag.Uses{Device: s.Launch.Uses}
	}
	if s.Command.Run != nil {
		return s.Host
	}
	u := dag.Uses{Device: s.Command.Uses}
	if c := s.Command.Cross; c != nil {
		u.Device = append(u.Device[:len(u.Device):len(u.Device)], c.Use)
	}
	if host := s.Command.Cmd.Host; len(host) > 0 {
		lo := uintptr(unsafe.Pointer(unsafe.SliceData(host)))
		u.Host = []dag.HostUse{{Lo: lo, Hi: lo + uintptr(len(host)), Write: s.Command.Cmd.Op == hal.OpRead}}
	}
	return u
}

// The method Nothing reports whether the step has no command to run.
func (s *Step) Nothing() bool {
	if s.Kernel != nil {
		return s.Plan.Empty
	}
	return len(s.Command.Uses) == 0 && s.Command.Run == nil
}

// fusionLaunch describes the step, which is a launch, for package fusion.
func (s *Step) fusionLaunch() *fusion.Launch {
	k := s.Kernel.ABI
	l := &fusion.Launch{
		Source: s.Kernel.Source, Global: s.Launch.Global, Local: s.Launch.Local, Args: s.Launch.Block,
		Slices: make([]fusion.Slice, len(k.Params)), Memory: make([]fusion.Memory, len(k.Params)), Specs: map[uint32]uint64{}, Properties: s.Plan.Props,
	}
	for i := range s.Launch.Placed {
		if a := &s.Launch.Placed[i]; a.Mem != nil && a.Len > 0 {
			l.Slices[a.Param] = fusion.Slice{Mem: a.Mem, Lo: a.Off, Hi: a.Off + a.Size, Len: a.Len}
			l.Memory[a.Param] = fusion.Memory{Buffer: a.Buffer.Scope, View: a.View.Scope,
				Internal: a.Buffer.Internal || a.View.Internal, NoInit: a.Buffer.NoInit || a.View.NoInit}
		}
	}
	for _, v := range s.Launch.Specs {
		if v.ID < abi.SpecReserved {
			l.Specs[v.ID] = v.Bits
		}
	}
	for i, n := range s.Launch.Accessors {
		l.Specs[abi.SpecAccessor+uint32(i)] = uint64(n)
	}
	l.LocalMemory, l.Native = s.Plan.LocalMemory, s.Plan.Native
	return l
}

// zeroStep returns a step that fills memory with zeros. The memory replaces variables of
// work-items, which are zero at the beginning of each run. The step also writes memory that a
// cancelled run has left unwritten.
func zeroStep(mem *stream.Memory, size uint64) *Step {
	size = (size + 3) &^ 3 // the memory has at least this size, because allocations are rounded up
	return &Step{Kind: "fill", Label: fmt.Sprintf("fill of %d bytes", size), Command: stream.Command{
		Cmd:  hal.Command{Op: hal.OpFill, Dst: mem.HAL(), Size: size},
		Uses: []stream.Use{{Mem: mem, Hi: size, Access: abi.Write}},
	}}
}

// printStep returns the step that writes the output of s, a launch that prints.
func printStep(s *Step) *Step {
	return &Step{Kind: "print", Label: "output of " + s.Label, Prints: s, Command: stream.Command{
		Always: true, Run: func(context.Context) error { return nil },
	}}
}

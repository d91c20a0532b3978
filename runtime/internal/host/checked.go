package host

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/internal/checkhook"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Check turns on checked mode, in which the device interprets kernels and looks for errors in the
// kernels. The seed decides the order in which work-items run.
func (d *device) Check(seed uint64) error {
	if checkhook.Load == nil {
		return errors.New(`runtime.Checked or KGEN_CHECKED asks for checked mode, which needs package checked: add import _ "github.com/kgen-go/kgen/checked" to the program or test`)
	}
	d.checks, d.seed = true, seed
	return nil
}

// checkedKernel describes a kernel that the device interprets and checks.
type checkedKernel struct {
	m     *ir.Module
	seed  uint64
	specs map[uint32]uint64
	data  string // constant data of the kernel
	at    int    // offset in the argument block at which the address of the constant data is stored
}

// newChecked prepares the pipeline's kernel for the interpreter.
func (d *device) newChecked(p *hal.PipelineDesc) (*checkedKernel, error) {
	m, k, err := checkhook.Load(p.Kernel.Package, p.Kernel.Name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hal.ErrPipeline, err)
	}
	same := func(a, b abi.Param) bool {
		return a.Name == b.Name && a.Kind == b.Kind && a.Offset == b.Offset && a.Size == b.Size
	}
	if k.ArgSize != p.Kernel.ArgSize || !slices.EqualFunc(k.Params, p.Kernel.Params, same) {
		return nil, fmt.Errorf("%w: the source of %s has changed since kgen last ran", hal.ErrPipeline, p.Kernel.FullName())
	}
	c := &checkedKernel{m: m, seed: d.seed, specs: map[uint32]uint64{}, data: k.Data, at: k.DataOffset}
	for _, s := range p.Specs {
		c.specs[s.ID] = s.Bits
	}
	return c, nil
}

// maxSteps is the number of steps after which the interpreter ends a launch with an error.
const maxSteps = 1 << 32

// rangeGroup is the number of work-items that the interpreter runs together as a work-group, in a
// launch over a range.
const rangeGroup = 64

// dataAddr is the address of a kernel's constant data. All addresses that the function `address`
// returns are greater than dataAddr.
const dataAddr = 1 << 39

// interpretLaunch runs a launch in the interpreter.
func (c *checkedKernel) interpretLaunch(cmd *hal.Command, p *pipeline, stop *stopFlag) {
	l := interp.Launch{Global: cmd.Global, Local: p.local, SubGroupSize: uint32(p.subGroup), Args: slices.Clone(cmd.Args),
		Specs: c.specs, MaxSteps: maxSteps, Leave: true, Stop: stop.asked}
	if p.kernel.Form != abi.NDRange {
		l.Local = [3]uint32{min(rangeGroup, max(cmd.Global[0], 1)), 1, 1}
	}
	if p.kernel.Form == abi.Task {
		l.Global, l.Local = [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}
	}
	var used []*memory
	for i := range cmd.Slices {
		m, ok := cmd.Slices[i].Memory.(*memory)
		if ok && !slices.Contains(used, m) {
			used = append(used, m)
			l.Memory = append(l.Memory, interp.Region{Addr: m.addr, Data: m.Bytes()})
		}
	}
	if c.data != "" {
		binary.LittleEndian.PutUint64(l.Args[c.at:], dataAddr)
		l.Memory = append(l.Memory, interp.Region{Addr: dataAddr, Data: []byte(c.data)})
	}
	var found []hal.Finding
	l.Checks = &interp.Checks{Seed: c.seed, Found: func(f interp.Finding) {
		found = append(found, hal.Finding{Kind: uint8(f.Kind), Pos: place(f.Pos), Other: place(f.Other), Message: f.Message})
	}}
	r, err := interp.Run(c.m, l)
	if f := (interp.Finding{}); errors.As(err, &f) {
		err = nil
	}
	if errors.Is(err, interp.ErrStopped) {
		err = nil
		stop.stopped.Store(true)
	}
	for i, m := range used {
		if i < len(r.Memory) {
			copy(m.Bytes(), r.Memory[i].Data)
		}
	}
	if cmd.Fault == nil {
		return
	}
	switch {
	case err != nil:
		*cmd.Fault = hal.Fault{Set: true, Err: fmt.Errorf("checked mode: %s: %w", p.kernel.FullName(), err)}
	case len(found) > 0:
		*cmd.Fault = hal.Fault{Set: true, Found: found}
	case r.Fault != nil:
		f := r.Fault
		*cmd.Fault = hal.Fault{Set: true, A: f.A, B: f.B, GlobalID: f.GlobalID, Pos: place(f.Site.Pos), Kind: f.Site.Kind, Message: f.Site.Message, Unsigned: f.Site.Unsigned}
	}
}

func place(p ir.Pos) string {
	if p.File == "" {
		return ""
	}
	return p.String()
}

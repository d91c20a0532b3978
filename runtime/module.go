package runtime

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/valid"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// LoadModule returns a program of one kernel, whose SPIR-V module is the
// caller's own. desc describes it: its name, form, rank, parameters and what else
// the documentation of package abi asks of a module, of which Form, Rank, Params
// and ArgSize are needed at least. The specialization constants are those of the
// module, each with its SpecId as its number; desc.Specs may name them and say
// their Go types, and else they are int32, uint32, float32 and so on, as declared.
// Launch the kernel with [LaunchKernel].
//
// On a device that ends long loops (see [LoopError]) the module's are watched, too, where
// it addresses memory by PhysicalStorageBuffer64, and its push constants have a launch
// block's address of the fault record, and its zero, where package abi says, or nothing
// there. Another module's loops end there without an error.
//
// The kernel has no Go code, so the host device cannot launch it
// (ErrKernelNotSupported). Drivers trust modules, and a damaged one may end the
// process, so LoadModule checks it: operands, types, dominance, structured control
// flow, layouts and the interface. A module that is not valid, that uses what no
// kernel can have, such as descriptors or images, or that does not have the
// constants which desc.Specs lists, is an error of class ErrBuild, which says at
// which word, in which instruction, and why; one that wants more work-group or
// private memory than the device has is of class ErrMemoryAllocation, larger
// work-groups are of class ErrKernelNotSupported, and two constants with one number
// of class ErrSpecConst. The values that constants are given are held against the
// same limits when the kernel is built.
//
// What a valid module does when it runs remains the caller's: nothing checks the
// addresses that it computes, nor that its loops end.
func LoadModule(dev *Device, words []uint32, desc abi.Kernel) (*Program, error) {
	if err := dev.usable(); err != nil {
		return nil, err
	}
	m, err := spirv.Parse(words)
	if err != nil {
		return nil, &Error{Class: ErrBuild, Kernel: desc.Name, Problem: "the module does not parse", Err: err}
	}
	if err := dev.checkModule(m, &desc, nil); err != nil {
		err.Kernel = desc.Name
		return nil, err
	}
	if desc.Specs, err = moduleSpecs(m, desc.Specs, desc.Name); err != nil {
		return nil, err
	}
	if desc.Items == 0 {
		desc.Items = 1
	}
	bytes := make([]byte, 0, 4*len(words))
	for _, w := range words {
		bytes = binary.LittleEndian.AppendUint32(bytes, w)
	}
	desc.SPIRV, desc.IR = string(bytes), "" // no IR is known to be that of these words
	// Of no IR, no module for small launches is made: they take this one.
	desc.Variants = slices.DeleteFunc(slices.Clone(desc.Variants), func(v abi.Variant) bool { return v.Make != nil && v.Products != nil })
	k := &Kernel{abi: &desc, own: m}
	k.code = exec.NewKernel(launch.Kernel{ABI: &desc}, desc.Name, k)
	if k.output = newOutput(&desc); k.output != nil && desc.Params[k.output.param].Offset > desc.ArgSize-16 {
		return nil, errorf(ErrInvalid, "the print buffer of %s lies outside of its arguments", desc.Name)
	}
	k.specs = specVars(&launch.Kernel{ABI: &desc})
	return NewProgram(dev, k)
}

// checkModule checks a module of the caller's own, with the values that its
// specialization constants are given.
func (d *Device) checkModule(m *spirv.Module, desc *abi.Kernel, specs []hal.SpecValue) *Error {
	facts, err := valid.Check(m, abi.EntryPoint, func(id uint32) (uint64, bool) {
		for i := range specs {
			if specs[i].ID == id {
				return specs[i].Bits, true
			}
		}
		return 0, false
	})
	if err != nil {
		return &Error{Class: ErrBuild, Problem: "the module is not one that a kernel can have", Err: err}
	}
	block := uint64(abi.OffsetArgs + desc.ArgSize)
	if desc.Spilled {
		block = abi.OffsetArgs + 8
	}
	if block = (block + 3) &^ 3; facts.Launch > block {
		return errorf(ErrBuild, "the module's push constants take %d bytes, and the launch block of its description %d", facts.Launch, block).
			advise("say in ArgSize how many bytes of arguments there are")
	}
	if d.direct() {
		return nil // it is never run there
	}
	if n := facts.Shared; n > uint64(d.info.Limits.LocalMemory) {
		return errorf(ErrMemoryAllocation, "its work-group memory takes %d bytes, and the device %s has %d", n, d.Name(), d.info.Limits.LocalMemory)
	}
	if n, limit := facts.Private, cmp.Or(d.info.Limits.PrivateMemory, defaultPrivate); n > uint64(limit) {
		return errorf(ErrMemoryAllocation, "a work-item's own memory takes %d bytes, and the device %s has %d", n, d.Name(), limit)
	}
	dims := make([]int, 3)
	for i, n := range facts.Local {
		dims[2-i] = int(n) // 32 bits; fits takes them in index order
	}
	if limit, ok := d.fits(dims); !ok {
		return errorf(ErrKernelNotSupported, "its work-group size %v is above the limit of the device %s, %s", facts.Local, d.Name(), limit)
	}
	return nil
}

// moduleSpecs returns the rows of a module's own constants.
func moduleSpecs(m *spirv.Module, named []abi.SpecConstant, kernel string) ([]abi.SpecConstant, error) {
	var rows []abi.SpecConstant
	for _, c := range m.SpecConstants() {
		if c.ID >= abi.SpecReserved {
			continue
		}
		if slices.ContainsFunc(rows, func(r abi.SpecConstant) bool { return r.ID == c.ID }) {
			return nil, errorf(ErrSpecConst, "the module %s has two specialization constants with the id %d", kernel, c.ID)
		}
		row := abi.SpecConstant{ID: c.ID, Name: specNumber(c.ID), Type: moduleType(c), Size: max(int(c.Type.Width)/8, 4), Default: c.Default, Pinned: true}
		for _, n := range named {
			if n.ID == c.ID {
				n.Size, n.Pinned, n.Offset = row.Size, true, 0
				if n.Type == "" {
					n.Type = row.Type
				}
				row = n
			}
		}
		rows = append(rows, row)
	}
	for _, n := range named {
		if !slices.ContainsFunc(rows, func(r abi.SpecConstant) bool { return r.ID == n.ID }) {
			return nil, errorf(ErrBuild, "the module %s has no specialization constant with the id %d", kernel, n.ID)
		}
	}
	return rows, nil
}

func specNumber(id uint32) string { return "constant " + sprint(id) }

// moduleType returns the Go type of a constant as its module declares it.
func moduleType(c spirv.SpecConstant) string {
	switch c.Type.Kind {
	case spirv.Bool:
		return "bool"
	case spirv.Float:
		return sprint("float", c.Type.Width)
	case spirv.Int:
		return sprint("int", c.Type.Width)
	}
	return sprint("uint", c.Type.Width)
}

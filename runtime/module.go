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

// LoadModule returns a program with one kernel, whose SPIR-V module the caller provides. desc
// describes the module, with its name, form, rank, parameters and everything else that the
// documentation of package abi demands. At least Form, Rank, Params and ArgSize are needed. The
// program has the specialization constants of the module, and the number of a constant is its
// SpecId. desc.Specs may give the names and Go types of these constants. Without desc.Specs, the
// types are int32, uint32, float32 and so on, as the module declares them. Launch the kernel with
// [LaunchKernel].
//
// On a device that ends long loops (see [LoopError]), the runtime watches the module's loops, too.
// The runtime can watch only modules with the addressing model PhysicalStorageBuffer64. Package abi
// defines two offsets in a launch block, one for the fault record's address and one for a reserved
// word, which is zero. The module's push constants must contain these two values at the two
// offsets, or have no members at the offsets. If the device ends a loop of any other module early,
// the launch returns no error.
//
// The kernel has no Go code, so the host device cannot launch it (ErrKernelNotSupported). Drivers
// trust modules, and a damaged module may end the process. So LoadModule checks the module's
// operands, types, dominance, structured control flow, layouts and interface. The errors are of
// these classes:
//
//   - ErrBuild for a module that is not valid, that uses features which no kernel can have, such as
//     descriptors or images, or that lacks constants of desc.Specs. The error gives the word, the
//     instruction and the reason.
//   - ErrMemoryAllocation for more work-group or private memory than the device has.
//   - ErrKernelNotSupported for larger work-groups than the device allows.
//   - ErrSpecConst for two constants with the same number.
//
// When the kernel is built, it is checked against the same limits, with the values of its
// specialization constants.
//
// The caller is responsible for the effects of a valid module when it runs. The runtime checks
// neither the addresses that the module computes, nor whether its loops end.
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
	desc.SPIRV, desc.IR = string(bytes), "" // the caller's IR may not belong to these words
	// Without IR, the runtime cannot make modules for small launches, so small launches use the
	// caller's module.
	desc.Variants = slices.DeleteFunc(slices.Clone(desc.Variants), func(v abi.Variant) bool { return v.Make != nil && v.Products != nil })
	k := &Kernel{abi: &desc, own: m}
	k.code = exec.NewKernel(launch.Kernel{ABI: &desc}, desc.Name, k)
	if k.output = newOutput(&desc); k.output != nil && desc.Params[k.output.param].Offset > desc.ArgSize-16 {
		return nil, errorf(ErrInvalid, "the print buffer of %s lies outside of its arguments", desc.Name)
	}
	k.specs = specVars(&launch.Kernel{ABI: &desc})
	return NewProgram(dev, k)
}

// checkModule checks a module that the caller provides, with the values of its specialization
// constants.
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
	if d.isHost() {
		return nil // the host device never runs a module
	}
	if n := facts.Shared; n > uint64(d.info.Limits.LocalMemory) {
		return errorf(ErrMemoryAllocation, "its work-group memory takes %d bytes, and the device %s has %d", n, d.Name(), d.info.Limits.LocalMemory)
	}
	if n, limit := facts.Private, cmp.Or(d.info.Limits.PrivateMemory, defaultPrivate); n > uint64(limit) {
		return errorf(ErrMemoryAllocation, "a work-item's own memory takes %d bytes, and the device %s has %d", n, d.Name(), limit)
	}
	dims := make([]int, 3)
	for i, n := range facts.Local {
		dims[2-i] = int(n) // the values have 32 bits; fitsWorkGroup expects the dimension x last
	}
	if limit, ok := d.fitsWorkGroup(dims); !ok {
		return errorf(ErrKernelNotSupported, "its work-group size %v is above the limit of the device %s, %s", facts.Local, d.Name(), limit)
	}
	return nil
}

// moduleSpecs returns the description of a module's specialization constants, for abi.Kernel.Specs.
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

// moduleType returns the Go type of a constant, according to its type in the module.
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

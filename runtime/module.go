package runtime

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
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
// (ErrKernelNotSupported). A module that does not parse, or does not have the
// constants that desc.Specs lists, is an error of class ErrBuild; two constants
// with one number are of class ErrSpecConst.
func LoadModule(dev *Device, words []uint32, desc abi.Kernel) (*Program, error) {
	if err := dev.usable(); err != nil {
		return nil, err
	}
	m, err := spirv.Parse(words)
	if err != nil {
		return nil, &Error{Class: ErrBuild, Kernel: desc.Name, Problem: "the module does not parse", Err: err}
	}
	if !slices.ContainsFunc(m.EntryPointsInfo(), func(e spirv.EntryPointInfo) bool { return e.Name == abi.EntryPoint }) {
		return nil, &Error{Class: ErrBuild, Kernel: desc.Name, Problem: "the module has no entry point " + abi.EntryPoint}
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
	desc.SPIRV = string(bytes)
	k := &Kernel{abi: &desc, name: desc.Name}
	k.words = []func() []uint32{sync.OnceValue(func() []uint32 { return slices.Clone(words) })}
	k.specs = specVars(&launch.Kernel{ABI: &desc})
	return NewProgram(dev, k)
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

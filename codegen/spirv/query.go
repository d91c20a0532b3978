package spirv

// This file finds specialization constants, entry points and capabilities.

import "slices"

// SpecConstant is a scalar specialization constant with a SpecId (SPIR-V 2.12). Default contains the bits of
// the default value, zero-extended. The bits of a Bool are 0 or 1.
type SpecConstant struct {
	ID      uint32 // value of the SpecId decoration
	Type    Numeric
	Default uint64
	Result  ID
}

// SpecConstants returns the specialization constants with a SpecId, in the order of their
// definitions. Two constants may have the same SpecId.
func (m *Module) SpecConstants() []SpecConstant {
	d := m.Decoder()
	ids := map[ID]uint32{}
	for _, in := range m.Annotations {
		if in.Op == OpDecorate && len(in.Words) == 3 && Decoration(in.Words[1]) == DecorationSpecId {
			ids[ID(in.Words[0])] = in.Words[2]
		}
	}
	var list []SpecConstant
	for _, in := range m.Globals {
		id, ok := ids[in.Result]
		if !ok {
			continue
		}
		c := SpecConstant{ID: id, Type: d.numeric[in.Type], Result: in.Result}
		switch in.Op {
		case OpSpecConstantTrue:
			c.Default = 1
		case OpSpecConstantFalse:
		case OpSpecConstant:
			for i, w := range in.Words {
				c.Default |= uint64(w) << (32 * i)
			}
			c.Default = truncateBits(c.Default, c.Type.Width)
		default:
			continue
		}
		list = append(list, c)
	}
	return list
}

// truncateBits clears all bits of a number above the given width.
func truncateBits(bits uint64, width uint32) uint64 {
	if width >= 64 {
		return bits
	}
	return bits & (1<<width - 1)
}

// Mode is one execution mode of an entry point. The operands are literals, or ids if OpExecutionModeId declares the
// mode.
type Mode struct {
	Mode     ExecutionMode
	IDs      bool
	Operands []uint32
}

// EntryPointInfo is a decoded OpEntryPoint with its execution modes.
type EntryPointInfo struct {
	Model     ExecutionModel
	Function  ID
	Name      string
	Interface []ID
	Modes     []Mode
}

// EntryPointsInfo returns the entry points in the order of the module.
func (m *Module) EntryPointsInfo() []EntryPointInfo {
	var list []EntryPointInfo
	for _, in := range m.EntryPoints {
		if in.Op != OpEntryPoint || len(in.Words) < 3 {
			continue
		}
		name, n := stringAt(in.Words[2:])
		e := EntryPointInfo{Model: ExecutionModel(in.Words[0]), Function: ID(in.Words[1]), Name: name}
		for _, id := range in.Words[2+n:] {
			e.Interface = append(e.Interface, ID(id))
		}
		for _, x := range m.ExecutionModes {
			if len(x.Words) >= 2 && ID(x.Words[0]) == e.Function {
				e.Modes = append(e.Modes, Mode{ExecutionMode(x.Words[1]), x.Op == OpExecutionModeId, slices.Clone(x.Words[2:])})
			}
		}
		list = append(list, e)
	}
	return list
}

// HasCapability reports whether the module declares capability c.
func (m *Module) HasCapability(c Capability) bool {
	return slices.ContainsFunc(m.Capabilities, func(in Instruction) bool {
		return len(in.Words) == 1 && Capability(in.Words[0]) == c
	})
}

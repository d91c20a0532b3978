package emit

// This file says which part of ir an instruction comes from.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// Origin is what an instruction was written for: a value; without one, a block's label, or, if
// Ends is set, its terminator. Instructions that stand outside of blocks, and those that no
// single part of the kernel asks for, have the zero Origin.
type Origin struct {
	Value *ir.Value
	Block *ir.Block
	Ends  bool
}

// EmitWithOrigins is like Emit, and also returns the module that the words are of and the
// origin of each of its instructions, in the order of spirv.Module.All.
func EmitWithOrigins(m *ir.Module) (*spirv.Module, []Origin, error) {
	e := newEmitter(m)
	e.origins = &[]Origin{{}}
	sm, err := e.emit()
	if err != nil {
		return nil, nil, err
	}
	all := 0
	for range sm.All {
		all++
	}
	tags := e.b.Tags()
	origins := make([]Origin, all-len(tags), all)
	for _, tag := range tags {
		origins = append(origins, (*e.origins)[tag])
	}
	return sm, origins, nil
}

// from says what the instructions that follow come from.
func (f *function) from(o Origin) {
	if list := f.e.origins; list != nil {
		f.Tag = int32(len(*list))
		*list = append(*list, o)
	}
}

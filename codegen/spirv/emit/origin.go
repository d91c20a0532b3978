package emit

// This file records which part of the IR an instruction comes from.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// Origin is the part of the IR that an instruction was emitted for: a value; or, without a value, a
// block's label or, if Ends is set, its terminator. Instructions outside of blocks, and those for
// no single part of the kernel, have the zero Origin.
type Origin struct {
	Value *ir.Value
	Block *ir.Block
	Ends  bool
}

// EmitWithOrigins is like Emit. It also returns the module of the words, and the origin of each of
// its instructions, in the order of spirv.Module.All.
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

// from sets the origin of the following instructions.
func (f *function) from(o Origin) {
	if list := f.e.origins; list != nil {
		f.Tag = int32(len(*list))
		*list = append(*list, o)
	}
}

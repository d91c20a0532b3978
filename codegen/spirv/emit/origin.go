package emit

// This file records which value or block of the IR each SPIR-V instruction implements.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// Origin is the IR value or block that a SPIR-V instruction implements. If Value is not nil, the
// instruction implements Value. If Value is nil, the instruction implements the label of Block or,
// if Ends is true, the terminator of Block. Instructions that implement no single value or block
// have the zero Origin.
type Origin struct {
	Value *ir.Value
	Block *ir.Block
	Ends  bool
}

// EmitWithOrigins is like Emit, but returns the module and the origins of its instructions, in the
// order of spirv.Module.All.
func EmitWithOrigins(m *ir.Module) (*spirv.Module, []Origin, error) {
	e := newEmitter(m)
	e.origins = &[]Origin{{}}
	sm, err := e.emitModule()
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

// setOrigin sets the origin of the instructions that are emitted next.
func (f *funcEmitter) setOrigin(o Origin) {
	if list := f.e.origins; list != nil {
		f.Tag = int32(len(*list))
		*list = append(*list, o)
	}
}

package adapt

import (
	"github.com/kgen-go/kgen/codegen/spirv"
)

// This file drops code that nothing needs any more: kernels have the computed form of operations beside the
// operands of an instruction, with branches. Drivers drop it, too, but package adapt looks for operations
// that follow one another in a block.

// tidy rewrites the functions of a module.
type tidy struct {
	d    *spirv.Decoder
	glsl spirv.ID          // the instructions of this set have no effects
	gone map[spirv.ID]bool // results and labels that have been dropped
}

// dropDead drops instructions whose results nothing needs, selections whose blocks are empty then, and their names
// and decorations; and makes one block of two that always follow one another. glsl is the set GLSL.std.450.
func dropDead(m *spirv.Module, glsl spirv.ID) error {
	t := &tidy{d: m.Decoder(), glsl: glsl, gone: map[spirv.ID]bool{}}
	for i := range m.Functions {
		f := &m.Functions[i]
		for changed := true; changed; {
			live, err := t.live(f.Code)
			if err != nil {
				return err
			}
			var code []spirv.Instruction
			for _, in := range f.Code {
				if in.Result == 0 || live[in.Result] || !droppable(&in, t.glsl) {
					code = append(code, in)
				} else {
					t.gone[in.Result] = true
				}
			}
			f.Code, changed = t.straighten(code)
		}
	}
	about := func(list []spirv.Instruction) []spirv.Instruction {
		var out []spirv.Instruction
		for _, in := range list {
			if !t.gone[spirv.ID(in.Words[0])] {
				out = append(out, in)
			}
		}
		return out
	}
	m.Names, m.Annotations = about(m.Names), about(m.Annotations)
	return nil
}

// droppable reports whether an instruction has no effect but its result. glsl is the set GLSL.std.450.
func droppable(in *spirv.Instruction, glsl spirv.ID) bool {
	switch in.Op {
	case spirv.OpExtInst:
		return spirv.ID(in.Words[0]) == glsl
	case spirv.OpLoad:
		return len(in.Words) == 1 // neither volatile nor ordered
	case spirv.OpBitcast, spirv.OpSelect, spirv.OpPhi, spirv.OpCompositeConstruct, spirv.OpCompositeExtract, spirv.OpUndef, spirv.OpAccessChain,
		spirv.OpFConvert, spirv.OpUConvert, spirv.OpSConvert, spirv.OpFNegate, spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFDiv,
		spirv.OpIAdd, spirv.OpISub, spirv.OpIMul, spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic,
		spirv.OpBitwiseAnd, spirv.OpBitwiseOr, spirv.OpBitwiseXor, spirv.OpNot, spirv.OpLogicalAnd, spirv.OpLogicalOr, spirv.OpLogicalNot,
		spirv.OpIEqual, spirv.OpINotEqual, spirv.OpULessThan, spirv.OpULessThanEqual, spirv.OpUGreaterThan, spirv.OpUGreaterThanEqual,
		spirv.OpSLessThan, spirv.OpSLessThanEqual, spirv.OpSGreaterThan, spirv.OpSGreaterThanEqual,
		spirv.OpFOrdEqual, spirv.OpFUnordNotEqual, spirv.OpFOrdLessThan, spirv.OpFOrdLessThanEqual:
		return true
	}
	return false
}

// live returns the results that instructions with effects need.
func (t *tidy) live(code []spirv.Instruction) (map[spirv.ID]bool, error) {
	defs := map[spirv.ID]*spirv.Instruction{}
	live := map[spirv.ID]bool{}
	var work []*spirv.Instruction
	for i := range code {
		in := &code[i]
		if in.Result != 0 {
			defs[in.Result] = in
		}
		if in.Result == 0 || !droppable(in, t.glsl) {
			work = append(work, in)
		}
	}
	for len(work) > 0 {
		in := work[len(work)-1]
		work = work[:len(work)-1]
		operands, err := t.d.Operands(in)
		if err != nil {
			return nil, err
		}
		for _, o := range operands {
			if !o.Kind.IsID() || live[o.ID()] {
				continue
			}
			live[o.ID()] = true
			if def := defs[o.ID()]; def != nil && droppable(def, t.glsl) {
				work = append(work, def)
			}
		}
	}
	return live, nil
}

// block is a basic block, without its label.
type block struct {
	label spirv.ID
	code  []spirv.Instruction
}

// jump returns the block's only successor, if it has no more than a jump to that.
func (b *block) jump() (spirv.ID, bool) {
	last := b.code[len(b.code)-1]
	if last.Op != spirv.OpBranch {
		return 0, false
	}
	return spirv.ID(last.Words[0]), true
}

// split returns the blocks of a function's code, and the instructions before and after them.
func split(code []spirv.Instruction) (before []spirv.Instruction, blocks []*block, after []spirv.Instruction) {
	for _, in := range code {
		switch {
		case in.Op == spirv.OpLabel:
			blocks = append(blocks, &block{label: in.Result})
		case in.Op == spirv.OpFunctionEnd:
			after = append(after, in)
		case len(blocks) == 0:
			before = append(before, in)
		default:
			b := blocks[len(blocks)-1]
			b.code = append(b.code, in)
		}
	}
	return before, blocks, after
}

// straighten drops selections with empty blocks, and joins blocks. It reports whether it changed the code.
func (t *tidy) straighten(code []spirv.Instruction) ([]spirv.Instruction, bool) {
	before, blocks, after := split(code)
	by := map[spirv.ID]*block{}
	for _, b := range blocks {
		by[b.label] = b
	}
	uses := map[spirv.ID]int{} // of labels
	for _, b := range blocks {
		for _, in := range b.code {
			for _, l := range labels(&in) {
				uses[l]++
			}
		}
	}
	changed, empty := false, map[spirv.ID]bool{}
	for _, b := range blocks {
		if t.unselect(b, by, uses, empty) {
			changed = true
		}
	}
	renamed := map[spirv.ID]spirv.ID{} // labels of joined blocks
	var out []*block
	for _, b := range blocks {
		to, ok := spirv.ID(0), false
		if len(out) > 0 {
			to, ok = out[len(out)-1].jump()
		}
		switch {
		case empty[b.label]:
			t.gone[b.label] = true
			uses[spirv.ID(b.code[0].Words[0])]--
		case ok && to == b.label && uses[to] == 1 && b.code[0].Op != spirv.OpPhi && !merges(out[len(out)-1]):
			last := out[len(out)-1]
			last.code = append(last.code[:len(last.code)-1:len(last.code)-1], b.code...)
			renamed[b.label], t.gone[b.label], changed = last.label, true, true
		default:
			out = append(out, b)
		}
	}
	if !changed {
		return code, false
	}
	code = before
	for _, b := range out {
		code = append(code, spirv.Instruction{Op: spirv.OpLabel, Result: b.label})
		for _, in := range b.code {
			if in.Op == spirv.OpPhi {
				in.Words = append([]uint32(nil), in.Words...)
				for i := 1; i < len(in.Words); i += 2 {
					if l := renamed[spirv.ID(in.Words[i])]; l != 0 {
						in.Words[i] = uint32(l)
					}
				}
			}
			code = append(code, in)
		}
	}
	return append(code, after...), true
}

// labels returns the labels that an instruction other than a phi names.
func labels(in *spirv.Instruction) []spirv.ID {
	var words []uint32
	switch in.Op {
	case spirv.OpBranch, spirv.OpSelectionMerge:
		words = in.Words[:1]
	case spirv.OpLoopMerge:
		words = in.Words[:2]
	case spirv.OpBranchConditional:
		words = in.Words[1:3]
	case spirv.OpSwitch:
		words = in.Words[1:] // with literals among them, which only makes a label look used
	}
	var out []spirv.ID
	for _, w := range words {
		out = append(out, spirv.ID(w))
	}
	return out
}

// merges reports whether the block begins a structure.
func merges(b *block) bool {
	if len(b.code) < 2 {
		return false
	}
	op := b.code[len(b.code)-2].Op
	return op == spirv.OpLoopMerge || op == spirv.OpSelectionMerge
}

// unselect makes a jump of a selection if both of its ways lead at once to its end, where no phi tells them apart.
// It adds the blocks between to empty.
func (t *tidy) unselect(b *block, by map[spirv.ID]*block, uses map[spirv.ID]int, empty map[spirv.ID]bool) bool {
	n := len(b.code)
	if n < 2 || b.code[n-2].Op != spirv.OpSelectionMerge || b.code[n-1].Op != spirv.OpBranchConditional {
		return false
	}
	end := spirv.ID(b.code[n-2].Words[0])
	if by[end] == nil || by[end].code[0].Op == spirv.OpPhi {
		return false
	}
	ways := b.code[n-1].Words[1:3]
	for _, w := range ways {
		way := by[spirv.ID(w)]
		if spirv.ID(w) == end {
			continue
		}
		if to, ok := way.jump(); !ok || to != end || len(way.code) != 1 || uses[way.label] != 1 {
			return false
		}
	}
	for _, w := range ways {
		empty[spirv.ID(w)] = spirv.ID(w) != end
	}
	for _, in := range b.code[n-2:] {
		for _, l := range labels(&in) {
			uses[l]--
		}
	}
	b.code = append(b.code[:n-2:n-2], spirv.Instruction{Op: spirv.OpBranch, Words: []uint32{uint32(end)}})
	uses[end]++
	return true
}

package adapt

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// RecordRounds returns a module that detects when the device ends a loop early. The module then
// stores the loop's number in the launch's fault record (see package abi). RecordRounds does not
// change a module without physical addresses. RecordRounds also does not change a module whose
// launch block contains other data in place of the fault record's address.
//
// In the header of each loop, two variables count the iterations that a work-item begins:
//
//	rounds = phi(0, next)
//	begun = rounds * 1.
//
// At the end of an iteration, next = rounds + 1.
//
// When a work-item leaves the loop normally, the variables rounds and begun are equal. If the
// driver ends the loop at the end of an iteration, the work-item has already set rounds for the
// next iteration. The variable `begun`, however, still has the value of the iteration that has just
// ended, so `rounds` and `begun` differ. The module computes the constants 0 and 1 from a value in
// the launch block. With plain constants, the driver's compiler would see that rounds and begun are
// always equal when a loop ends. After a loop, the module stores the loop's number in a variable if
// rounds and begun differ. When the entry point returns, it writes the number from this variable to
// the fault record. A number in the fault record means that the results of the launch are wrong.
func RecordRounds(words []uint32) ([]uint32, error) {
	m, err := spirv.Parse(words)
	if err != nil {
		return nil, err
	}
	r := &roundCounter{m: m, e: spirv.Edit(m)}
	if !r.declareAll() {
		return words, nil
	}
	for i := range m.Functions {
		r.countInFunction(&m.Functions[i])
	}
	return m.Words(), nil
}

// roundCounter rewrites a module so that the module counts the iterations of its loops.
type roundCounter struct {
	m      *spirv.Module
	e      *spirv.Editor
	main   spirv.ID // id of the entry point
	loops  uint32   // number of loops seen so far
	push   spirv.ID // variable of the launch block (a block of push constants)
	block  pushBlock
	ended  spirv.ID // variable for the number of the first loop that the device ended early
	record spirv.ID // pointer to a fault record

	u32, uvec2, boolean, zeroConst, oneConst spirv.ID

	wide map[spirv.ID]bool // set of 64-bit integer values; in a switch over a 64-bit integer, each case value occupies two words
}

func (r *roundCounter) id() spirv.ID { return r.e.NewID() }

// globalID returns the id of a type or constant, and declares it if necessary.
func (r *roundCounter) globalID(op spirv.Op, typ spirv.ID, words ...uint32) spirv.ID {
	return r.e.Global(op, typ, words...)
}

func (r *roundCounter) pointer(class spirv.StorageClass, to spirv.ID) spirv.ID {
	return r.globalID(spirv.OpTypePointer, 0, uint32(class), uint32(to))
}

func (r *roundCounter) number(n uint32) spirv.ID { return r.globalID(spirv.OpConstant, r.u32, n) }

func (r *roundCounter) decorate(id spirv.ID, words ...uint32) {
	r.m.Annotations = append(r.m.Annotations, spirv.Instruction{Op: spirv.OpDecorate, Words: append([]uint32{uint32(id)}, words...)})
}

func (r *roundCounter) decorateMember(id spirv.ID, member int, words ...uint32) {
	in := spirv.Instruction{Op: spirv.OpMemberDecorate, Words: append([]uint32{uint32(id), uint32(member)}, words...)}
	r.m.Annotations = append(r.m.Annotations, in)
}

// declareAll declares the types, constants and variables that all functions need. If the module has
// no loops or no fault record, declareAll returns false and does not change the module.
func (r *roundCounter) declareAll() bool {
	m := r.m
	loops := false
	r.wide = map[spirv.ID]bool{}
	wide := map[spirv.ID]bool{}
	m.All(func(in *spirv.Instruction) bool {
		loops = loops || in.Op == spirv.OpLoopMerge
		wide[in.Result] = in.Op == spirv.OpTypeInt && in.Words[0] == 64
		r.wide[in.Result] = wide[in.Type]
		return true
	})
	if !loops || len(m.EntryPoints) != 1 || len(m.MemoryModel.Words) != 2 ||
		spirv.AddressingModel(m.MemoryModel.Words[0]) != spirv.AddressingModelPhysicalStorageBuffer64 {
		return false
	}
	block, ok := r.launchBlock()
	if !ok {
		return false
	}
	r.main = spirv.ID(m.EntryPoints[0].Words[1])
	r.u32 = r.globalID(spirv.OpTypeInt, 0, 32, 0)
	r.uvec2 = r.globalID(spirv.OpTypeVector, 0, uint32(r.u32), 2)
	r.boolean = r.globalID(spirv.OpTypeBool, 0)
	r.zeroConst, r.oneConst = r.number(0), r.number(1)
	made := r.extendBlock(block)
	r.ended = r.id()
	m.Globals = append(m.Globals, spirv.Instruction{Op: spirv.OpVariable, Type: r.pointer(spirv.StorageClassPrivate, r.u32), Result: r.ended,
		Words: []uint32{uint32(spirv.StorageClassPrivate), uint32(r.zeroConst)}})
	record := r.id()
	m.Globals = append(m.Globals, spirv.Instruction{Op: spirv.OpTypeStruct, Result: record, Words: []uint32{uint32(r.u32)}})
	r.decorate(record, uint32(spirv.DecorationBlock))
	r.decorateMember(record, 0, uint32(spirv.DecorationOffset), abi.OffsetEnded)
	r.record = r.pointer(spirv.StorageClassPhysicalStorageBuffer, record)
	if m.Version >= spirv.Version14 {
		entry := &m.EntryPoints[0]
		entry.Words = append(entry.Words, uint32(r.ended))
		if made {
			entry.Words = append(entry.Words, uint32(r.push))
		}
	}
	return true
}

// pushBlock is a block of push constants.
type pushBlock struct {
	variable int // index of the block's variable in the module's globals, or -1 if the module has no such block
	typ      spirv.ID
	members  []uint32
	// The fields `low` and `high` are the members with the fault record's address, and `zero` is
	// the member with the constant 0. A missing member is nil.
	low, high, zero *member
}

type member struct {
	index uint32
	typ   spirv.ID
	bytes uint32
}

// launchBlock finds the module's block of push constants. launchBlock returns false if the block
// contains other data at the offset of the fault record's address or of the constant zero.
func (r *roundCounter) launchBlock() (pushBlock, bool) {
	b := pushBlock{variable: -1}
	defs := map[spirv.ID]*spirv.Instruction{}
	for i := range r.m.Globals {
		in := &r.m.Globals[i]
		defs[in.Result] = in
		if in.Op == spirv.OpVariable && spirv.StorageClass(in.Words[0]) == spirv.StorageClassPushConstant {
			if b.variable >= 0 {
				return b, false
			}
			b.variable = i
			b.typ = spirv.ID(defs[in.Type].Words[1])
		}
	}
	if b.variable < 0 {
		return b, true
	}
	if defs[b.typ].Op != spirv.OpTypeStruct {
		return b, false
	}
	b.members = defs[b.typ].Words
	for _, in := range r.m.Annotations {
		if in.Op != spirv.OpMemberDecorate || spirv.ID(in.Words[0]) != b.typ || spirv.Decoration(in.Words[2]) != spirv.DecorationOffset {
			continue
		}
		x := &member{index: in.Words[1], typ: spirv.ID(b.members[in.Words[1]])}
		x.bytes = bytesOf(defs, x.typ)
		first := in.Words[3]
		end := first + max(x.bytes, 1)
		switch {
		case first == abi.OffsetFault && (x.bytes == 4 || x.bytes == 8):
			b.low = x
		case first == abi.OffsetFault+4 && x.bytes == 4:
			b.high = x
		case first == abi.OffsetReserved && x.bytes == 4:
			b.zero = x
		case first < abi.OffsetFault+8, first < abi.OffsetReserved+4 && (end > abi.OffsetReserved || x.bytes == 0):
			return b, false
		}
	}
	return b, b.low == nil || b.low.bytes == 4 || b.high == nil
}

// bytesOf returns the size of a number or of a vector of numbers. For all other types, bytesOf
// returns 0.
func bytesOf(defs map[spirv.ID]*spirv.Instruction, typ spirv.ID) uint32 {
	switch t := defs[typ]; t.Op {
	case spirv.OpTypeInt, spirv.OpTypeFloat:
		return t.Words[0] / 8
	case spirv.OpTypeVector:
		return t.Words[1] * bytesOf(defs, spirv.ID(t.Words[0]))
	}
	return 0
}

// extendBlock declares the block of push constants again, with the members that are missing.
// extendBlock returns true if the module had no block of push constants before.
func (r *roundCounter) extendBlock(b pushBlock) (made bool) {
	m := r.m
	s := r.id()
	var notes []spirv.Instruction
	for _, in := range m.Annotations {
		if (in.Op == spirv.OpMemberDecorate || in.Op == spirv.OpDecorate) && spirv.ID(in.Words[0]) == b.typ && b.typ != 0 {
			in.Words = slices.Clone(in.Words)
			in.Words[0] = uint32(s)
			notes = append(notes, in)
		}
	}
	m.Annotations = append(m.Annotations, notes...)
	members := slices.Clone(b.members)
	add := func(x *member, offset uint32, t spirv.ID, bytes uint32) *member {
		if x != nil {
			return x
		}
		r.decorateMember(s, len(members), uint32(spirv.DecorationOffset), offset)
		members = append(members, uint32(t))
		return &member{index: uint32(len(members) - 1), typ: t, bytes: bytes}
	}
	switch {
	case b.low == nil && b.high == nil:
		b.low = add(nil, abi.OffsetFault, r.uvec2, 8)
	case b.low == nil || b.low.bytes == 4:
		b.low = add(b.low, abi.OffsetFault, r.u32, 4)
		b.high = add(b.high, abi.OffsetFault+4, r.u32, 4)
	}
	b.zero = add(b.zero, abi.OffsetReserved, r.u32, 4)
	if b.variable < 0 {
		r.decorate(s, uint32(spirv.DecorationBlock))
		r.push, made = r.id(), true
	} else {
		r.push = m.Globals[b.variable].Result
		m.Globals = slices.Delete(m.Globals, b.variable, b.variable+1)
	}
	m.Globals = append(m.Globals, spirv.Instruction{Op: spirv.OpTypeStruct, Result: s, Words: members})
	m.Globals = append(m.Globals, spirv.Instruction{Op: spirv.OpVariable, Type: r.pointer(spirv.StorageClassPushConstant, s), Result: r.push,
		Words: []uint32{uint32(spirv.StorageClassPushConstant)}})
	r.block = b
	for _, x := range []*member{b.low, b.high, b.zero} {
		if x != nil {
			r.pointer(spirv.StorageClassPushConstant, x.typ)
			r.number(x.index)
		}
	}
	return made
}

// instList is a list of instructions under construction.
type instList struct {
	r    *roundCounter
	list []spirv.Instruction
}

func (c *instList) op(op spirv.Op, typ spirv.ID, words ...spirv.ID) spirv.ID {
	in := spirv.Instruction{Op: op, Type: typ}
	if typ != 0 {
		in.Result = c.r.id()
	}
	for _, w := range words {
		in.Words = append(in.Words, uint32(w))
	}
	c.list = append(c.list, in)
	return in.Result
}

// loadMember loads a member of the launch block as a value of type typ.
func (c *instList) loadMember(x *member, typ spirv.ID) spirv.ID {
	r := c.r
	p := c.op(spirv.OpAccessChain, r.pointer(spirv.StorageClassPushConstant, x.typ), r.push, r.number(x.index))
	v := c.op(spirv.OpLoad, x.typ, p)
	if x.typ != typ {
		v = c.op(spirv.OpBitcast, typ, v)
	}
	return v
}

// loopLabels contains the labels of a loop and the IDs of its counters.
type loopLabels struct {
	header, merge, latch spirv.ID
	rounds, begun, next  spirv.ID
	number               uint32 // number of the loop in the module, beginning with 1
}

// countPhi returns the phi that counts the loop's iterations.
func (l *loopLabels) countPhi(preds []spirv.ID, zero, u32 spirv.ID) spirv.Instruction {
	phi := spirv.Instruction{Op: spirv.OpPhi, Type: u32, Result: l.rounds}
	for _, p := range preds {
		v := zero
		if p == l.latch {
			v = l.next
		}
		phi.Words = append(phi.Words, uint32(v), uint32(p))
	}
	return phi
}

// defineOp writes an operation on 32-bit words whose result has the given ID.
func (c *instList) defineOp(op spirv.Op, id, x, y spirv.ID) {
	c.list = append(c.list, spirv.Instruction{Op: op, Type: c.r.u32, Result: id, Words: []uint32{uint32(x), uint32(y)}})
}

// keepIfEnded writes the code after a loop. The code stores the loop's number if the driver ended
// the loop early, unless the driver has ended another loop early before.
func (c *instList) keepIfEnded(l loopLabels) {
	r := c.r
	was := c.op(spirv.OpLoad, r.u32, r.ended)
	first := c.op(spirv.OpIEqual, r.boolean, was, r.zeroConst)
	thrown := c.op(spirv.OpINotEqual, r.boolean, l.begun, l.rounds)
	now := c.op(spirv.OpSelect, r.u32, c.op(spirv.OpLogicalAnd, r.boolean, first, thrown), r.number(l.number), was)
	c.op(spirv.OpStore, 0, r.ended, now)
}

// countInFunction adds code that counts iterations to each loop of a function.
func (r *roundCounter) countInFunction(f *spirv.Function) {
	cuts := cutBlocks(f.Code)
	loops := r.findLoops(cuts)
	def := f.Def()
	if len(cuts) == 0 || len(loops) == 0 && def.Result != r.main {
		return
	}
	preds := map[spirv.ID][]spirv.ID{}
	for _, b := range cuts {
		for _, s := range r.branchTargets(b.code[len(b.code)-1]) {
			if !slices.Contains(preds[s], b.label) {
				preds[s] = append(preds[s], b.label)
			}
		}
	}
	start := instList{r: r}
	var zero, one spirv.ID
	if len(loops) > 0 {
		zero = start.loadMember(r.block.zero, r.u32)
		one = start.op(spirv.OpIAdd, r.u32, zero, r.oneConst)
	}
	var out []spirv.Instruction
	out = append(out, f.Code[:cuts[0].at]...)
	for i, b := range cuts {
		body := b.code
		n := 1 // index of the first instruction after the label
		var phis []spirv.Instruction
		for n < len(body) && (body[n].Op == spirv.OpPhi || body[n].Op == spirv.OpVariable || body[n].Op == spirv.OpLine || body[n].Op == spirv.OpNoLine) {
			n++
		}
		head, end := instList{r: r}, instList{r: r}
		if i == 0 {
			head.list = start.list
		}
		for _, l := range loops {
			if b.label == l.header {
				phis = append(phis, l.countPhi(preds[l.header], zero, r.u32))
				head.defineOp(spirv.OpIMul, l.begun, l.rounds, one)
			}
			if b.label == l.merge {
				head.keepIfEnded(l)
			}
			if b.label == l.latch {
				end.defineOp(spirv.OpIAdd, l.next, l.rounds, r.oneConst)
			}
		}
		last := len(body) - 1
		if last > n && isMerge(body[last-1].Op) {
			last--
		}
		out = append(out, body[0])
		out = append(out, phis...)
		out = append(out, body[1:n]...)
		out = append(out, head.list...)
		out = append(out, body[n:last]...)
		out = append(out, end.list...)
		if def.Result == r.main && body[last].Op == spirv.OpReturn {
			out = append(out, r.atReturn()...)
		}
		out = append(out, body[last:]...)
	}
	f.Code = append(out, f.Code[cuts[len(cuts)-1].at+len(cuts[len(cuts)-1].code):]...)
}

// atReturn returns the code that the entry point runs before it returns. If a loop ended early, the
// returned code writes the loop's number to the fault record.
func (r *roundCounter) atReturn() []spirv.Instruction {
	c := instList{r: r}
	then, done := r.id(), r.id()
	ended := c.op(spirv.OpLoad, r.u32, r.ended)
	is := c.op(spirv.OpINotEqual, r.boolean, ended, r.zeroConst)
	c.op(spirv.OpSelectionMerge, 0, done, 0)
	c.op(spirv.OpBranchConditional, 0, is, then, done)
	c.list = append(c.list, spirv.Instruction{Op: spirv.OpLabel, Result: then})
	var address spirv.ID
	if b := r.block; b.high == nil {
		address = c.loadMember(b.low, r.uvec2)
	} else {
		address = c.op(spirv.OpCompositeConstruct, r.uvec2, c.loadMember(b.low, r.u32), c.loadMember(b.high, r.u32))
	}
	p := c.op(spirv.OpBitcast, r.record, address)
	p = c.op(spirv.OpAccessChain, r.pointer(spirv.StorageClassPhysicalStorageBuffer, r.u32), p, r.zeroConst)
	c.op(spirv.OpStore, 0, p, ended, spirv.ID(spirv.MemoryAccessAligned), 4)
	c.op(spirv.OpBranch, 0, done)
	c.list = append(c.list, spirv.Instruction{Op: spirv.OpLabel, Result: done})
	return c.list
}

// blockCut describes a block of a function.
type blockCut struct {
	at    int // index of the block's first instruction in the function's code
	label spirv.ID
	code  []spirv.Instruction
}

// cutBlocks divides the code of a function into blocks.
func cutBlocks(list []spirv.Instruction) []blockCut {
	var out []blockCut
	for i := 0; i < len(list); i++ {
		if list[i].Op != spirv.OpLabel {
			continue
		}
		end := i + 1
		for end < len(list) && list[end].Op != spirv.OpLabel && list[end].Op != spirv.OpFunctionEnd {
			end++
		}
		out = append(out, blockCut{i, list[i].Result, list[i:end]})
	}
	return out
}

func isMerge(op spirv.Op) bool { return op == spirv.OpLoopMerge || op == spirv.OpSelectionMerge }

// branchTargets returns the labels that a terminator branches to.
func (r *roundCounter) branchTargets(in spirv.Instruction) []spirv.ID {
	var out []spirv.ID
	switch in.Op {
	case spirv.OpBranch:
		out = append(out, spirv.ID(in.Words[0]))
	case spirv.OpBranchConditional:
		out = append(out, spirv.ID(in.Words[1]), spirv.ID(in.Words[2]))
	case spirv.OpSwitch:
		out = append(out, spirv.ID(in.Words[1]))
		size := 2
		if r.wide[spirv.ID(in.Words[0])] {
			size = 3
		}
		for i := 1 + size; i < len(in.Words); i += size {
			out = append(out, spirv.ID(in.Words[i]))
		}
	}
	return out
}

// findLoops returns the loops among a function's blocks.
func (r *roundCounter) findLoops(cuts []blockCut) []loopLabels {
	var loops []loopLabels
	byLabel := map[spirv.ID]blockCut{}
	for _, b := range cuts {
		byLabel[b.label] = b
	}
	for _, b := range cuts {
		n := len(b.code)
		if n < 2 || b.code[n-2].Op != spirv.OpLoopMerge {
			continue
		}
		r.loops++
		l := loopLabels{header: b.label, merge: spirv.ID(b.code[n-2].Words[0]), number: r.loops}
		// The latch is the block of the continue construct that branches to the loop header.
		work := []spirv.ID{spirv.ID(b.code[n-2].Words[1])}
		for seen := map[spirv.ID]bool{}; len(work) > 0; {
			x := byLabel[work[len(work)-1]]
			work = work[:len(work)-1]
			if seen[x.label] {
				continue
			}
			seen[x.label] = true
			for _, s := range r.branchTargets(x.code[len(x.code)-1]) {
				switch s {
				case l.header:
					l.latch = x.label
				case l.merge:
				default:
					work = append(work, s)
				}
			}
		}
		if l.latch != 0 {
			l.rounds, l.begun, l.next = r.id(), r.id(), r.id()
			loops = append(loops, l)
		}
	}
	return loops
}

package valid

import (
	"math"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// funcInfo describes a function and its basic blocks.
type funcInfo struct {
	in      *spirv.Instruction // OpFunction
	typ     *typ               // OpTypeFunction of the function
	at, seq int                // position of the function's first instruction, as a word offset and as an instruction number
	code    []spirv.Instruction
	params  int
	blocks  []basicBlock
	labels  map[spirv.ID]int
	uses    map[spirv.ID]bool // global variables that the function uses
	calls   []*funcInfo
	counts  map[*funcInfo]int // maps a called function to the number of calls
	called  bool
	private uint64 // number of bytes of the function's variables
	// branchTree is the dominator tree of the graph of branches. checkBody uses branchTree to check that
	// definitions dominate uses. structuralTree is the dominator tree of a graph that also has edges
	// from headers to merge blocks and continue targets (2.11).
	branchTree, structuralTree domTree
}

// basicBlock holds the instructions and edges of a basic block, as indices into the function's
// lists code and blocks.
type basicBlock struct {
	label      spirv.ID
	first, end int // range of the block's instructions, without the label
	merge      *spirv.Instruction
	term       *spirv.Instruction
	succs      []int
	preds      []int
}

// definedAt reports whether definition d dominates the instruction at position seq in a block. For an
// instruction in an unreachable block, the result is true.
func (f *funcInfo) definedAt(d *definition, block, seq int) bool {
	switch {
	case d.block < 0:
		return true
	case d.block == block:
		return d.seq < seq
	case block < 0:
		return false
	}
	return !f.branchTree.reached(block) || f.branchTree.dominates(d.block, block)
}

// checkBodies checks the bodies of all functions.
func (c *checker) checkBodies() {
	at, seq := c.at, c.seq
	for i := range c.m.Functions {
		code := c.m.Functions[i].Code
		f := &funcInfo{code: code, at: at, seq: seq, labels: map[spirv.ID]int{}, uses: map[spirv.ID]bool{}, counts: map[*funcInfo]int{}}
		for j := range code {
			if code[j].Op == spirv.OpFunction {
				f.in = &code[j]
				c.at, c.in = at, f.in
				f.typ = c.typeID(spirv.ID(f.in.Words[1]))
				c.require(f.typ.op == spirv.OpTypeFunction, "its type is no type of functions")
				c.require(f.in.Words[0] <= 0xf, "there is no such function control")
				c.require(f.typ.elem == c.typeID(f.in.Type), "the result is not that of its type")
				c.fn = f
				c.defineID(f.in, &definition{kind: isFunction})
				c.fn = nil
			}
			at += wordCount(&code[j])
			seq++
		}
		c.functions = append(c.functions, f)
	}
	for _, f := range c.functions {
		c.fn, c.at, c.seq = f, f.at, f.seq
		c.outlineFunction(f)
		c.at = f.at
		c.buildGraph(f)
		c.at, c.seq = f.at, f.seq
		c.checkBody(f)
	}
	c.fn, c.at = nil, at
	c.eachInstruction(c.m.Trailing, func(in *spirv.Instruction) {
		if in.Op == spirv.OpExtInst {
			c.nonSemantic(in)
		}
	})
	c.checkDecorated()
	c.callGraph()
}

// outlineFunction records the definitions in function f, and finds the blocks of f.
func (c *checker) outlineFunction(f *funcInfo) {
	c.block = -1
	inBlock := false
	for i := range f.code {
		in := &f.code[i]
		c.in = in
		c.seq++
		switch {
		case in.Op == spirv.OpFunction, in.Op == spirv.OpFunctionEnd:
		case in.Op == spirv.OpFunctionParameter:
			c.require(f.params < len(f.typ.members), "the function's type has %d parameters", len(f.typ.members))
			t := c.typeID(in.Type)
			c.require(t == f.typ.members[f.params], "its type is not that of the function's type")
			f.params++
			c.defineID(in, &definition{kind: isValue, typ: t})
		case in.Op == spirv.OpLabel:
			f.labels[in.Result] = len(f.blocks)
			c.block = len(f.blocks)
			c.defineID(in, &definition{kind: isLabel})
			f.blocks = append(f.blocks, basicBlock{label: in.Result, first: i + 1})
			inBlock = true
		case in.Op.IsTerminator():
			b := &f.blocks[len(f.blocks)-1]
			b.term, b.end = in, i+1
			inBlock = false
		case in.Op == spirv.OpSelectionMerge, in.Op == spirv.OpLoopMerge:
			b := &f.blocks[len(f.blocks)-1]
			c.require(b.merge == nil, "the block has a merge instruction already")
			b.merge = in
			c.require(f.code[i+1].Op.IsTerminator(), "a merge instruction does not stand before the block's last one")
		case in.Result != 0 && in.Type != 0:
			d := &definition{kind: isValue}
			if in.Op == spirv.OpExtInst && c.defs[in.Words[0]] != nil && c.defs[in.Words[0]].kind == isSet && setName(c.defs[in.Words[0]].in) != spirv.GLSLstd450Name {
				d.kind = isString
			}
			d.typ = c.typeID(in.Type)
			c.require(inBlock || d.kind == isString, "it stands outside a block")
			c.defineID(in, d)
		default:
			c.require(in.Result == 0, "kernels cannot use this instruction")
		}
		c.at += wordCount(in)
	}
	c.in = f.in
	c.require(f.params == len(f.typ.members), "the function has %d parameters, its type %d", f.params, len(f.typ.members))
	c.require(len(f.blocks) > 0, "it has no body")
}

// labelTarget returns the index of a branch's target block.
func (c *checker) labelTarget(id uint32) int {
	i, ok := c.fn.labels[spirv.ID(id)]
	c.require(ok, "%%%d is no block of the function", id)
	c.require(i > 0, "the first block is branched to")
	return i
}

// buildGraph finds the edges between blocks, and the dominators. buildGraph also checks the structured
// control flow.
func (c *checker) buildGraph(f *funcInfo) {
	shape := make([][]int, len(f.blocks))
	for i := range f.blocks {
		b := &f.blocks[i]
		c.in = b.term
		edge := func(id uint32) {
			to := c.labelTarget(id)
			for _, s := range b.succs {
				if s == to {
					return
				}
			}
			b.succs = append(b.succs, to)
			f.blocks[to].preds = append(f.blocks[to].preds, i)
		}
		switch w := b.term.Words; b.term.Op {
		case spirv.OpBranch:
			edge(w[0])
		case spirv.OpBranchConditional:
			edge(w[1])
			edge(w[2])
		case spirv.OpSwitch:
			edge(w[1])
			c.eachCase(b.term, func(_ uint64, id uint32) { edge(id) })
		case spirv.OpReturn, spirv.OpReturnValue, spirv.OpUnreachable:
		default:
			c.failRule("kernels cannot use this instruction")
		}
		shape[i] = b.succs
		if m := b.merge; m != nil {
			c.in = m
			targets := []uint32{m.Words[0]}
			if m.Op == spirv.OpLoopMerge {
				targets = append(targets, m.Words[1])
			}
			list := append([]int(nil), b.succs...)
			for _, id := range targets {
				list = append(list, c.labelTarget(id))
			}
			shape[i] = list
		}
	}
	succs := make([][]int, len(f.blocks))
	for i := range f.blocks {
		succs[i] = f.blocks[i].succs
	}
	f.branchTree, f.structuralTree = newTree(succs), newTree(shape)
	for i := range f.blocks {
		d := f.branchTree.idom[i]
		c.in = f.blocks[i].term
		c.require(!f.branchTree.reached(i) || d <= i, "the block %%%d stands before %%%d, which dominates it", f.blocks[i].label, f.blocks[max(d, 0)].label)
	}
	c.checkStructured(f)
}

// eachCase calls f for each pair of literal and label in an OpSwitch.
func (c *checker) eachCase(in *spirv.Instruction, f func(v uint64, label uint32)) {
	wide := 1
	if d := c.defs[in.Words[0]]; d != nil && d.typ != nil && d.typ.isInt() && d.typ.width > 32 {
		wide = 2
	}
	for w := in.Words[2:]; len(w) > wide; w = w[wide+1:] {
		v := uint64(w[0])
		if wide == 2 {
			v |= uint64(w[1]) << 32
		}
		f(v, w[wide])
	}
}

// checkBody checks the instructions of a function.
func (c *checker) checkBody(f *funcInfo) {
	c.block = -1
	const variables, phis, others = 0, 1, 2
	stage := others
	for i := range f.code {
		in := &f.code[i]
		c.in = in
		c.seq++
		switch in.Op {
		case spirv.OpFunction, spirv.OpFunctionEnd:
		case spirv.OpFunctionParameter:
			c.checkParameter(in)
		case spirv.OpLabel:
			c.block++
			if stage = phis; c.block == 0 {
				stage = variables
			}
		case spirv.OpLine:
			c.line(in)
		case spirv.OpNoLine:
		case spirv.OpVariable:
			c.require(stage == variables, "a variable does not stand at the head of the function")
			d := c.checkVariable(in)
			f.private = addSizes(f.private, d.typ.elem.bytes)
		case spirv.OpPhi:
			c.require(c.block > 0 && stage <= phis, "it does not stand at the head of its block")
			stage = phis
			c.checkPhi(in)
		default:
			if in.Op != spirv.OpExtInst || c.defs[in.Result].kind != isString {
				stage = others
			}
			c.checkInstruction(in)
		}
		c.at += wordCount(in)
	}
}

// checkInstruction checks an instruction of a block.
func (c *checker) checkInstruction(in *spirv.Instruction) {
	var t *typ
	if in.Type != 0 {
		if t = c.typeID(in.Type); in.Op != spirv.OpFunctionCall && in.Op != spirv.OpExtInst {
			c.checkConcrete(t)
		}
	}
	rule := ruleTable[in.Op]
	c.require(rule != nil, "kernels cannot use this instruction")
	rule(c, in, t)
}

func (c *checker) checkParameter(in *spirv.Instruction) {
	t := c.typeID(in.Type)
	c.checkConcrete(t)
	if t.isPointer() {
		c.require(t.hasAddress() || t.class == spirv.StorageClassFunction || t.class == spirv.StorageClassPrivate || t.class == spirv.StorageClassWorkgroup,
			"a pointer of this storage class cannot be a parameter")
	}
	if t.hasAddress() {
		c.require(c.hasDecoration(in.Result, spirv.DecorationAliased) != c.hasDecoration(in.Result, spirv.DecorationRestrict), "a pointer with an address is Aliased or Restrict")
	}
	c.checkAliased(in.Result, t)
}

// checkPhi checks an OpPhi (3.52.17). The phi must have one value for each predecessor, and the value's
// definition must dominate the end of the predecessor.
func (c *checker) checkPhi(in *spirv.Instruction) {
	t := c.typeID(in.Type)
	c.checkConcrete(t)
	c.require(!t.hasLogicalPtr, "a phi of pointers without addresses")
	preds := c.fn.blocks[c.block].preds
	c.require(len(in.Words) == 2*len(preds), "it has %d ways, its block %d", len(in.Words)/2, len(preds))
	block, seq := c.block, c.seq
	seen := map[int]bool{}
	for i := 0; i < len(in.Words); i += 2 {
		parent, ok := c.fn.labels[spirv.ID(in.Words[i+1])]
		c.require(ok, "%%%d is no block of the function", in.Words[i+1])
		from := false
		for _, p := range preds {
			from = from || p == parent
		}
		c.require(from && !seen[parent], "%%%d is not a block that branches here, or stands twice", in.Words[i+1])
		seen[parent] = true
		c.block, c.seq = parent, math.MaxInt
		c.require(c.operandType(in.Words[i]) == t, "%%%d has another type", in.Words[i])
	}
	c.block, c.seq = block, seq
}

// checkCall checks an OpFunctionCall.
func (c *checker) checkCall(in *spirv.Instruction, t *typ) {
	d := c.lookupID(in.Words[0])
	c.require(d.kind == isFunction, "%%%d is not a function", in.Words[0])
	g := d.fn
	c.require(g.typ.elem == t, "the result is not the function's")
	args := in.Words[1:]
	c.require(len(args) == len(g.typ.members), "%d arguments for %d parameters", len(args), len(g.typ.members))
	for i, id := range args {
		a := c.valueOf(id)
		c.require(a.typ == g.typ.members[i], "argument %d has not the type of the parameter", i)
		if a.typ.hasLogicalPtr {
			c.require(a.in.Op == spirv.OpVariable || a.in.Op == spirv.OpFunctionParameter, "argument %d is a pointer into a variable", i)
		}
		c.recordUse(a)
	}
	if c.fn.counts[g] == 0 {
		c.fn.calls = append(c.fn.calls, g)
	}
	c.fn.counts[g]++
	g.called = true
}

// recordUse records that the current function uses global variable d.
func (c *checker) recordUse(d *definition) {
	if d.fn == nil && d.in.Op == spirv.OpVariable {
		c.fn.uses[d.in.Result] = true
	}
}

// callGraph refuses recursion. callGraph also refuses a module that would be too large after a driver
// inlines all calls.
func (c *checker) callGraph() {
	size := map[*funcInfo]uint64{}
	open := map[*funcInfo]bool{}
	var visit func(f *funcInfo, depth int) uint64
	visit = func(f *funcInfo, depth int) uint64 {
		c.in, c.at = f.in, f.at
		c.require(!open[f] && depth < maxCallDepth, "functions call each other in a circle, or too deep")
		if n, ok := size[f]; ok {
			return n
		}
		open[f] = true
		n := uint64(len(f.code))
		var private uint64
		for _, g := range f.calls {
			n = addSizes(n, mul(uint64(f.counts[g]), visit(g, depth+1)))
			private = addSizes(private, mul(uint64(f.counts[g]), g.private))
		}
		f.private = addSizes(f.private, private)
		open[f] = false
		c.in = f.in
		c.require(n <= maxInlined, "with its calls inlined it has %d instructions", n)
		size[f] = n
		return n
	}
	for _, f := range c.functions {
		visit(f, 0)
	}
	c.in = nil
}

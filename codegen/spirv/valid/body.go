package valid

import (
	"math"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// Type function is a function with its basic blocks.
type function struct {
	in      *spirv.Instruction // OpFunction
	typ     *typ               // OpTypeFunction of the function
	at, seq int                // position of the function's first instruction, as a word offset and as an instruction number
	code    []spirv.Instruction
	params  int
	blocks  []block
	labels  map[spirv.ID]int
	uses    map[spirv.ID]bool // global variables that the function uses
	calls   []*function
	counts  map[*function]int // maps a called function to the number of calls
	called  bool
	private uint64 // number of bytes of the function's variables
	// Field real is the dominator tree of the graph of branches. It decides whether definitions dominate uses. Field
	// shape is the dominator tree of a graph that also has edges from headers to merge blocks and continue targets
	// (2.11).
	real, shape tree
}

// Type block is a basic block. Integers in a block are indices into the function's lists code and blocks.
type block struct {
	label      spirv.ID
	first, end int // range of the block's instructions, without the label
	merge      *spirv.Instruction
	term       *spirv.Instruction
	succs      []int
	preds      []int
}

// The method defined reports whether definition d dominates the instruction at position seq in a block. For an
// unreachable block the result is true.
func (f *function) defined(d *def, block, seq int) bool {
	switch {
	case d.block < 0:
		return true
	case d.block == block:
		return d.seq < seq
	case block < 0:
		return false
	}
	return !f.real.reached(block) || f.real.dominates(d.block, block)
}

// bodies checks the bodies of all functions.
func (c *checker) bodies() {
	at, seq := c.at, c.seq
	for i := range c.m.Functions {
		code := c.m.Functions[i].Code
		f := &function{code: code, at: at, seq: seq, labels: map[spirv.ID]int{}, uses: map[spirv.ID]bool{}, counts: map[*function]int{}}
		for j := range code {
			if code[j].Op == spirv.OpFunction {
				f.in = &code[j]
				c.at, c.in = at, f.in
				f.typ = c.typeID(spirv.ID(f.in.Words[1]))
				c.need(f.typ.op == spirv.OpTypeFunction, "its type is no type of functions")
				c.need(f.in.Words[0] <= 0xf, "there is no such function control")
				c.need(f.typ.elem == c.typeID(f.in.Type), "the result is not that of its type")
				c.fn = f
				c.define(f.in, &def{kind: isFunction})
				c.fn = nil
			}
			at += length(&code[j])
			seq++
		}
		c.functions = append(c.functions, f)
	}
	for _, f := range c.functions {
		c.fn, c.at, c.seq = f, f.at, f.seq
		c.outline(f)
		c.at = f.at
		c.graph(f)
		c.at, c.seq = f.at, f.seq
		c.body(f)
	}
	c.fn, c.at = nil, at
	c.each(c.m.Trailing, func(in *spirv.Instruction) {
		if in.Op == spirv.OpExtInst {
			c.nonSemantic(in)
		}
	})
	c.decorated()
	c.callGraph()
}

// The method outline records the definitions in function f, and finds the blocks of f.
func (c *checker) outline(f *function) {
	c.block = -1
	inBlock := false
	for i := range f.code {
		in := &f.code[i]
		c.in = in
		c.seq++
		switch {
		case in.Op == spirv.OpFunction, in.Op == spirv.OpFunctionEnd:
		case in.Op == spirv.OpFunctionParameter:
			c.need(f.params < len(f.typ.members), "the function's type has %d parameters", len(f.typ.members))
			t := c.typeID(in.Type)
			c.need(t == f.typ.members[f.params], "its type is not that of the function's type")
			f.params++
			c.define(in, &def{kind: isValue, typ: t})
		case in.Op == spirv.OpLabel:
			f.labels[in.Result] = len(f.blocks)
			c.block = len(f.blocks)
			c.define(in, &def{kind: isLabel})
			f.blocks = append(f.blocks, block{label: in.Result, first: i + 1})
			inBlock = true
		case in.Op.IsTerminator():
			b := &f.blocks[len(f.blocks)-1]
			b.term, b.end = in, i+1
			inBlock = false
		case in.Op == spirv.OpSelectionMerge, in.Op == spirv.OpLoopMerge:
			b := &f.blocks[len(f.blocks)-1]
			c.need(b.merge == nil, "the block has a merge instruction already")
			b.merge = in
			c.need(f.code[i+1].Op.IsTerminator(), "a merge instruction does not stand before the block's last one")
		case in.Result != 0 && in.Type != 0:
			d := &def{kind: isValue}
			if in.Op == spirv.OpExtInst && c.defs[in.Words[0]] != nil && c.defs[in.Words[0]].kind == isSet && setName(c.defs[in.Words[0]].in) != spirv.GLSLstd450Name {
				d.kind = isString
			}
			d.typ = c.typeID(in.Type)
			c.need(inBlock || d.kind == isString, "it stands outside a block")
			c.define(in, d)
		default:
			c.need(in.Result == 0, "kernels cannot use this instruction")
		}
		c.at += length(in)
	}
	c.in = f.in
	c.need(f.params == len(f.typ.members), "the function has %d parameters, its type %d", f.params, len(f.typ.members))
	c.need(len(f.blocks) > 0, "it has no body")
}

// The method label returns the index of a branch's target block.
func (c *checker) label(id uint32) int {
	i, ok := c.fn.labels[spirv.ID(id)]
	c.need(ok, "%%%d is no block of the function", id)
	c.need(i > 0, "the first block is branched to")
	return i
}

// The method graph finds the edges between blocks, and the dominators. The method graph also checks the structured
// control flow.
func (c *checker) graph(f *function) {
	shape := make([][]int, len(f.blocks))
	for i := range f.blocks {
		b := &f.blocks[i]
		c.in = b.term
		edge := func(id uint32) {
			to := c.label(id)
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
			c.cases(b.term, func(_ uint64, id uint32) { edge(id) })
		case spirv.OpReturn, spirv.OpReturnValue, spirv.OpUnreachable:
		default:
			c.fail("kernels cannot use this instruction")
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
				list = append(list, c.label(id))
			}
			shape[i] = list
		}
	}
	succs := make([][]int, len(f.blocks))
	for i := range f.blocks {
		succs[i] = f.blocks[i].succs
	}
	f.real, f.shape = newTree(succs), newTree(shape)
	for i := range f.blocks {
		d := f.real.idom[i]
		c.in = f.blocks[i].term
		c.need(!f.real.reached(i) || d <= i, "the block %%%d stands before %%%d, which dominates it", f.blocks[i].label, f.blocks[max(d, 0)].label)
	}
	c.structured(f)
}

// The method cases calls f for each pair of literal and label in an OpSwitch.
func (c *checker) cases(in *spirv.Instruction, f func(v uint64, label uint32)) {
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

// body checks the instructions of a function.
func (c *checker) body(f *function) {
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
			c.parameter(in)
		case spirv.OpLabel:
			c.block++
			if stage = phis; c.block == 0 {
				stage = variables
			}
		case spirv.OpLine:
			c.line(in)
		case spirv.OpNoLine:
		case spirv.OpVariable:
			c.need(stage == variables, "a variable does not stand at the head of the function")
			d := c.variable(in)
			f.private = add(f.private, d.typ.elem.bytes)
		case spirv.OpPhi:
			c.need(c.block > 0 && stage <= phis, "it does not stand at the head of its block")
			stage = phis
			c.phi(in)
		default:
			if in.Op != spirv.OpExtInst || c.defs[in.Result].kind != isString {
				stage = others
			}
			c.instruction(in)
		}
		c.at += length(in)
	}
}

// The method instruction checks an instruction of a block.
func (c *checker) instruction(in *spirv.Instruction) {
	var t *typ
	if in.Type != 0 {
		if t = c.typeID(in.Type); in.Op != spirv.OpFunctionCall && in.Op != spirv.OpExtInst {
			c.concrete(t)
		}
	}
	rule := rules[in.Op]
	c.need(rule != nil, "kernels cannot use this instruction")
	rule(c, in, t)
}

func (c *checker) parameter(in *spirv.Instruction) {
	t := c.typeID(in.Type)
	c.concrete(t)
	if t.isPointer() {
		c.need(t.hasAddress() || t.class == spirv.StorageClassFunction || t.class == spirv.StorageClassPrivate || t.class == spirv.StorageClassWorkgroup,
			"a pointer of this storage class cannot be a parameter")
	}
	if t.hasAddress() {
		c.need(c.has(in.Result, spirv.DecorationAliased) != c.has(in.Result, spirv.DecorationRestrict), "a pointer with an address is Aliased or Restrict")
	}
	c.aliased(in.Result, t)
}

// The method phi checks an OpPhi (3.52.17). The phi must have one value for each predecessor, and the value's
// definition must dominate the end of the predecessor.
func (c *checker) phi(in *spirv.Instruction) {
	t := c.typeID(in.Type)
	c.concrete(t)
	c.need(!t.logical, "a phi of pointers without addresses")
	preds := c.fn.blocks[c.block].preds
	c.need(len(in.Words) == 2*len(preds), "it has %d ways, its block %d", len(in.Words)/2, len(preds))
	block, seq := c.block, c.seq
	seen := map[int]bool{}
	for i := 0; i < len(in.Words); i += 2 {
		parent, ok := c.fn.labels[spirv.ID(in.Words[i+1])]
		c.need(ok, "%%%d is no block of the function", in.Words[i+1])
		from := false
		for _, p := range preds {
			from = from || p == parent
		}
		c.need(from && !seen[parent], "%%%d is not a block that branches here, or stands twice", in.Words[i+1])
		seen[parent] = true
		c.block, c.seq = parent, math.MaxInt
		c.need(c.operand(in.Words[i]) == t, "%%%d has another type", in.Words[i])
	}
	c.block, c.seq = block, seq
}

// The method call checks an OpFunctionCall.
func (c *checker) call(in *spirv.Instruction, t *typ) {
	d := c.lookup(in.Words[0])
	c.need(d.kind == isFunction, "%%%d is not a function", in.Words[0])
	g := d.fn
	c.need(g.typ.elem == t, "the result is not the function's")
	args := in.Words[1:]
	c.need(len(args) == len(g.typ.members), "%d arguments for %d parameters", len(args), len(g.typ.members))
	for i, id := range args {
		a := c.value(id)
		c.need(a.typ == g.typ.members[i], "argument %d has not the type of the parameter", i)
		if a.typ.logical {
			c.need(a.in.Op == spirv.OpVariable || a.in.Op == spirv.OpFunctionParameter, "argument %d is a pointer into a variable", i)
		}
		c.used(a)
	}
	if c.fn.counts[g] == 0 {
		c.fn.calls = append(c.fn.calls, g)
	}
	c.fn.counts[g]++
	g.called = true
}

// The method used records that the current function uses global variable d.
func (c *checker) used(d *def) {
	if d.fn == nil && d.in.Op == spirv.OpVariable {
		c.fn.uses[d.in.Result] = true
	}
}

// callGraph refuses recursion. The method callGraph also refuses a module that would be too large after a driver
// inlines all calls.
func (c *checker) callGraph() {
	size := map[*function]uint64{}
	open := map[*function]bool{}
	var visit func(f *function, depth int) uint64
	visit = func(f *function, depth int) uint64 {
		c.in, c.at = f.in, f.at
		c.need(!open[f] && depth < maxCallDepth, "functions call each other in a circle, or too deep")
		if n, ok := size[f]; ok {
			return n
		}
		open[f] = true
		n := uint64(len(f.code))
		var private uint64
		for _, g := range f.calls {
			n = add(n, mul(uint64(f.counts[g]), visit(g, depth+1)))
			private = add(private, mul(uint64(f.counts[g]), g.private))
		}
		f.private = add(f.private, private)
		open[f] = false
		c.in = f.in
		c.need(n <= maxInlined, "with its calls inlined it has %d instructions", n)
		size[f] = n
		return n
	}
	for _, f := range c.functions {
		visit(f, 0)
	}
	c.in = nil
}

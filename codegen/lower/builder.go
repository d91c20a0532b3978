package lower

// This file contains the basic functions that emit IR.

import (
	"go/token"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

// builder appends instructions to the current block of a module.
type builder struct {
	prog *load.Program
	m    *ir.Module
	f    *ir.Func

	b        *ir.Block // block to which code is added
	pos      token.Pos // position of the instruction being lowered, or of the last instruction with a position
	posCache map[token.Pos]ir.Pos
	frame    *frame
	prologue []*ir.Value // instructions at the kernel's start
	ends     []func()    // callbacks that run after all code is lowered
}

// op appends an instruction to the current block and returns its value.
func (w *builder) op(op ir.Op, t *ir.Type, args ...*ir.Value) *ir.Value {
	v := w.b.Append(op, t, args...)
	v.Pos = w.irPos(w.pos)
	w.noteOp(op, t, args)
	return v
}

func (w *builder) builtIn(b ir.BuiltIn) *ir.Value {
	v := w.op(ir.OpBuiltIn, ir.TypeI32)
	v.Aux = b
	return v
}

func (w *builder) arg(offset int, t *ir.Type) *ir.Value {
	v := w.op(ir.OpArg, t)
	v.Bits = uint64(offset)
	return v
}

// rangeArg returns the number of work-items along SPIR-V dimension d.
func (w *builder) rangeArg(d int) *ir.Value { return w.arg(abi.OffsetRange+4*d, ir.TypeI32) }

// reservedSpec returns the specialization constant with the given reserved id.
func (w *builder) reservedSpec(id uint32) *ir.Value {
	for _, s := range w.m.Specs {
		if s.ID == id {
			return w.m.SpecValue(s)
		}
	}
	panic("BUG: no such specialization constant")
}

func (w *builder) irPos(p token.Pos) ir.Pos {
	if !p.IsValid() {
		return ir.Pos{}
	}
	q, ok := w.posCache[p]
	if !ok {
		q = w.prog.Pos(p)
		w.posCache[p] = q
	}
	return q
}

// newBlock returns a new block, which does not become the builder's current block.
func (w *builder) newBlock() *ir.Block { return w.f.NewBlock() }

// startDead makes a new, unreachable block the current block, for code after a jump.
func (w *builder) startDead() { w.b = w.newBlock() }

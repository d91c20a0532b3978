package items

// This file contains the pass coarsen, which lets an invocation run several work-items. The pass
// runs after gather, because it counts the instructions and loads of the code that gather produces.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// coarseItems is the smallest number of work-items in an invocation of a coarsened kernel. Four
// elements of 4 bytes each form a vector of 16 bytes, which is the most that an invocation can load
// or store at once. If elements are smaller, a vector has more elements.
const coarseItems = 4

// These constants are the largest numbers of instructions and loads of a coarsened kernel. A kernel
// with more loads does not need several work-items in an invocation, because enough loads of a
// single work-item overlap.
const (
	maxCoarseValues = 400
	maxCoarseLoads  = 6
)

// Coarsen wraps the code of an element-wise kernel over a range in a loop over several work-items.
// The ids of an invocation's work-items differ by multiples of the work-group's size, as package
// abi specifies. If a work-group can access the elements of several work-items by vectors, the ids
// are adjacent (see vectors.go). Kernels that contain loops are not changed, because each of their
// work-items has enough work.
func Coarsen(m *ir.Module) diag.List {
	if m.Form != abi.Range || facts.HasLoop(m.Kernel) || countValues(m.Kernel) > maxCoarseValues || countLoads(m.Kernel) > maxCoarseLoads {
		return nil
	}
	f := m.Kernel
	vectors, items := findVectors(m), coarseItems
	if vectors != nil {
		items = vectors.items
	}
	if first := m.Target.First; first != nil && first.Items > 1 && first.Items != items {
		// In all modules of a kernel, an invocation must run the same number of work-items as in
		// the first module.
		vectors, items = nil, first.Items
	}
	m.Items = items
	entry := f.Blocks[0]

	start := f.NewBlock()
	head, next, exit := f.NewBlock(), f.NewBlock(), f.NewBlock()
	i32 := func(b *ir.Block, op ir.Op, args ...*ir.Value) *ir.Value { return b.Append(op, ir.TypeI32, args...) }
	builtIn := func(x ir.BuiltIn) *ir.Value {
		v := start.Append(ir.OpBuiltIn, ir.TypeI32)
		v.Aux = x
		return v
	}
	var size *ir.Value
	for _, s := range m.Specs {
		if s.ID == abi.SpecLocalSizeX {
			size = m.SpecValue(s)
		}
	}
	group, local := builtIn(ir.WorkgroupIDX), builtIn(ir.LocalInvocationIDX)
	base := i32(start, ir.OpIMul, group, m.Int(ir.TypeI32, int64(items)))
	base = i32(start, ir.OpIAdd, i32(start, ir.OpIMul, base, size), local)
	enter := start
	if vectors != nil {
		enter = f.NewBlock()
		fast, ok := vectors.buildFast(start, exit, group, size, local)
		start.Branch(ok, fast, enter)
	}

	// Each return of a work-item becomes a jump to the next work-item.
	for _, b := range f.Blocks {
		if b.Term.Kind == ir.Return {
			b.Term = ir.Term{}
			b.Jump(next)
		}
	}
	exit.SetTerm(ir.Term{Kind: ir.Return})
	enter.Jump(head)
	next.Jump(head) // the edge from next becomes the second predecessor of head
	round := head.NewPhi(ir.TypeI32, m.Int(ir.TypeI32, 0), nil)
	id := head.NewPhi(ir.TypeI32, base, nil)
	head.Branch(head.Append(ir.OpULt, ir.TypeBool, round, m.Int(ir.TypeI32, int64(items))), entry, exit)
	head.Unroll = items == coarseItems
	round.Args[1] = i32(next, ir.OpIAdd, round, m.Int(ir.TypeI32, 1))
	id.Args[1] = i32(next, ir.OpIAdd, id, size)

	renameID(f, id)
	for i, b := range f.Blocks {
		if b == start {
			f.Blocks[0], f.Blocks[i] = start, entry
		}
	}
	f.RemoveUnreachable()
	return nil
}

// maxBriefValues is the largest number of values that a brief kernel may have (see Brief).
const maxBriefValues = 64

// Brief reports whether the call of a kernel for one work-item may take as long as the computation
// of that work-item. A kernel with loops is brief only if each loop loads from device memory,
// because a loop without loads may compute for a long time.
func Brief(m *ir.Module) bool {
	return m.Form == abi.Range && countValues(m.Kernel) <= maxBriefValues && loopsLoad(m.Kernel)
}

// loopsLoad reports whether each loop of f loads from device memory. loopsLoad returns true if f has no
// loops.
func loopsLoad(f *ir.Func) bool {
	loads := func(v *ir.Value) bool { return v.Op == ir.OpLoad && v.Ref().Var == nil }
	all := f.Dominators().Loops().All
	return len(all) > 0 == facts.HasLoop(f) && !slices.ContainsFunc(all, func(l *ir.Loop) bool {
		return !slices.ContainsFunc(l.Blocks, func(b *ir.Block) bool { return slices.ContainsFunc(b.Insts, loads) })
	})
}

// renameID replaces the work-item's global id along x by the value id.
func renameID(f *ir.Func, id *ir.Value) {
	is := func(v *ir.Value) bool { return v.Op == ir.OpBuiltIn && v.Aux == ir.GlobalInvocationIDX }
	rename := func(vs []*ir.Value) {
		for _, v := range vs {
			for i, a := range v.Args {
				if is(a) {
					v.Args[i] = id
				}
			}
		}
	}
	for _, b := range f.Blocks {
		b.Insts = slices.DeleteFunc(b.Insts, is)
		rename(b.Phis)
		rename(b.Insts)
	}
}

func countLoads(f *ir.Func) int {
	n := 0
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if v.Op == ir.OpLoad && v.Ref().Var == nil {
				n++
			}
		}
	}
	return n
}

func countValues(f *ir.Func) int {
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Insts)
	}
	return n
}

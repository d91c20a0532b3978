package items

// This file is the pass coarsen. It runs after gather, because it repeats only kernels whose code
// is small and waits for few loads after gather.

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// coarseItems is the minimal number of work-items in an invocation of an element-wise kernel: four
// elements of four bytes each are a vector of 16 bytes, the most that an invocation loads or stores
// at once. A vector has more elements if they are smaller.
const coarseItems = 4

// These are the most instructions and loads of a kernel that is repeated. With more loads, a single
// work-item already has enough of them in flight.
const (
	maxCoarseValues = 400
	maxCoarseLoads  = 6
)

// Coarsen wraps an element-wise range kernel in a loop over several work-items. Their ids are a
// work-group size apart, as package abi specifies, or adjacent if a work-group can access their
// elements by vectors (see vectors.go). Kernels with loops of their own have enough work in each
// work-item and are not changed.
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
		// All modules of a kernel run the same number of work-items in an invocation as the first
		// module.
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
		fast, ok := vectors.build(start, exit, group, size, local)
		start.Branch(ok, fast, enter)
	}

	// Every way out of a work-item leads to the next work-item.
	for _, b := range f.Blocks {
		if b.Term.Kind == ir.Return {
			b.Term = ir.Term{}
			b.Jump(next)
		}
	}
	exit.SetTerm(ir.Term{Kind: ir.Return})
	enter.Jump(head)
	next.Jump(head) // the second predecessor
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

// maxBriefValues bounds the size of kernels for which a call takes longer than their work.
const maxBriefValues = 64

// Brief reports whether a call of the kernel for each work-item may take longer than the
// work-item's work, or about as long. A kernel with loops is brief only if each loop loads from
// device memory, since such loops are not dominated by computation.
func Brief(m *ir.Module) bool {
	return m.Form == abi.Range && countValues(m.Kernel) <= maxBriefValues && loopsLoad(m.Kernel)
}

// loopsLoad reports whether each loop loads from device memory; it is true if there are no loops.
func loopsLoad(f *ir.Func) bool {
	loads := func(v *ir.Value) bool { return v.Op == ir.OpLoad && v.Ref().Var == nil }
	all := f.Dominators().Loops().All
	return len(all) > 0 == facts.HasLoop(f) && !slices.ContainsFunc(all, func(l *ir.Loop) bool {
		return !slices.ContainsFunc(l.Blocks, func(b *ir.Block) bool { return slices.ContainsFunc(b.Insts, loads) })
	})
}

// renameID makes id the work-item's global id along x.
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

package lanes_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
	"github.com/kgen-go/kgen/internal/tests/passtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// groupOp is a group op with its result's type.
type groupOp struct {
	op    ir.Op
	typ   *ir.Type
	scope ir.Scope
	by    ir.Combiner
}

func (o groupOp) String() string { return fmt.Sprintf("%v/%v/%v/%v", o.op, o.typ, o.scope, o.by) }

func allGroupOps() (list []groupOp) {
	for _, s := range []ir.Scope{ir.ScopeWorkGroup, ir.ScopeSubGroup} {
		list = append(list, groupOp{ir.OpGroupAny, ir.TypeBool, s, 0}, groupOp{ir.OpGroupAll, ir.TypeBool, s, 0})
		for _, t := range []*ir.Type{ir.TypeI32, ir.TypeI64, ir.TypeF32, ir.TypeF64} {
			list = append(list, groupOp{ir.OpGroupSelect, t, s, 0})
			for by := range ir.CombineFMax + 1 {
				if by.Float() != t.IsFloat() {
					continue
				}
				for _, op := range []ir.Op{ir.OpGroupReduce, ir.OpGroupInclusiveScan, ir.OpGroupExclusiveScan} {
					list = append(list, groupOp{op, t, s, by})
				}
			}
		}
	}
	return list
}

// groupOpKernel applies the op to an element of A, twice, and stores in B. The
// work-items of some ids fault before.
func groupOpKernel(o groupOp, faults bool) *ir.Module {
	m, b, addr := passtest.NewKernel(2)
	m.UsesGroup = true
	id := b.Append(ir.OpBuiltIn, ir.TypeI32)
	id.Aux = ir.GlobalInvocationIDX
	zero := m.Int(ir.TypeI32, 0)
	x := b.Append(ir.OpLoad, ir.TypeI64, addr[0], id)
	x.Aux = &ir.Ref{Elem: ir.TypeI64}
	if faults {
		site := m.NewSite(1, ir.Pos{File: "k.go", Line: 1, Col: 1}, "", false)
		low := b.Append(ir.OpAnd, ir.TypeI64, x, m.Int(ir.TypeI64, 3))
		bad, next := m.Kernel.NewBlock(), m.Kernel.NewBlock()
		b.Branch(b.Append(ir.OpIEq, ir.TypeBool, low, m.Int(ir.TypeI64, 1)), bad, next)
		bad.Append(ir.OpFault, ir.TypeVoid, x, x, id, zero, zero).Aux = site
		bad.SetTerm(ir.Term{Kind: ir.Return})
		b = next
	}
	for i := range 2 {
		v := o.apply(m, b, x, id)
		if o.typ == ir.TypeBool {
			v = b.Append(ir.OpSelect, ir.TypeI32, v, m.Int(ir.TypeI32, 1), zero)
		}
		if v.Type.IsFloat() {
			v = b.Append(ir.OpBitcast, map[*ir.Type]*ir.Type{ir.TypeF32: ir.TypeI32, ir.TypeF64: ir.TypeI64}[v.Type], v)
		}
		if v.Type != ir.TypeI64 {
			v = b.Append(ir.OpUConvert, ir.TypeI64, v)
		}
		at := b.Append(ir.OpIAdd, ir.TypeI32, b.Append(ir.OpIAdd, ir.TypeI32, id, id), m.Int(ir.TypeI32, int64(i)))
		b.Append(ir.OpStore, ir.TypeVoid, v, addr[1], at).Aux = &ir.Ref{Elem: ir.TypeI64}
		x = b.Append(ir.OpIMul, ir.TypeI64, x, m.Int(ir.TypeI64, 0x51ed27))
	}
	b.SetTerm(ir.Term{Kind: ir.Return})
	return m
}

// identity returns the bits of the combiner's identity.
func (o groupOp) identity() uint64 {
	top := uint64(1) << (o.typ.Bits() - 1)
	switch o.by {
	case ir.CombineIMul:
		return 1
	case ir.CombineAnd, ir.CombineUMin:
		return ^uint64(0)
	case ir.CombineSMin:
		return top - 1
	case ir.CombineSMax, ir.CombineFAdd:
		return top
	case ir.CombineFMul:
		return ir.FloatBits(o.typ, 1)
	case ir.CombineFMin:
		return ir.FloatBits(o.typ, math.Inf(1))
	case ir.CombineFMax:
		return ir.FloatBits(o.typ, math.Inf(-1))
	}
	return 0
}

// apply adds the op on x.
func (o groupOp) apply(m *ir.Module, b *ir.Block, x, id *ir.Value) *ir.Value {
	var args []*ir.Value
	switch o.typ {
	case ir.TypeBool:
		low := b.Append(ir.OpAnd, ir.TypeI64, x, m.Int(ir.TypeI64, 4))
		args = append(args, b.Append(ir.OpIEq, ir.TypeBool, low, m.Int(ir.TypeI64, 0)))
	case ir.TypeI32:
		args = append(args, b.Append(ir.OpUConvert, ir.TypeI32, x))
	case ir.TypeI64:
		args = append(args, x)
	default:
		args = append(args, b.Append(ir.OpSToF, o.typ, x))
	}
	identity := m.Const(o.typ, o.identity())
	var aux any = o.scope
	switch o.op {
	case ir.OpGroupSelect:
		args = append(args, m.Int(ir.TypeI32, 1))
	case ir.OpGroupReduce, ir.OpGroupInclusiveScan, ir.OpGroupExclusiveScan:
		args = append(args, identity)
		aux = ir.Combine{Scope: o.scope, By: o.by}
	}
	v := b.Append(o.op, o.typ, args...)
	v.Aux = aux
	if o.op != ir.OpGroupExclusiveScan {
		return v
	}
	// Nothing is said of the first one's result.
	first := b.Append(ir.OpBuiltIn, ir.TypeI32)
	first.Aux = ir.SubgroupLocalInvocationID
	if o.scope == ir.ScopeWorkGroup {
		first.Aux = ir.LocalInvocationIndex
	}
	is := b.Append(ir.OpIEq, ir.TypeBool, first, m.Int(ir.TypeI32, 0))
	return b.Append(ir.OpSelect, o.typ, is, identity, v)
}

// TestGroupOps compares each group op with the code that replaces it, for groups
// of all kinds of sizes, with and without dead lanes.
func TestGroupOps(t *testing.T) {
	const baseA, baseB = 1 << 20, 1 << 30
	for n, o := range allGroupOps() {
		for _, size := range [][2]uint32{{2, 4}, {5, 4}, {7, 8}, {8, 4}, {21, 4}, {40, 32}, {65, 8}} {
			local := size[0]
			if o.op == ir.OpGroupSelect && o.scope == ir.ScopeSubGroup && local%size[1] == 1 {
				continue // the last sub-group has no second member
			}
			for mode := range 4 {
				faults, alone := mode%2 == 1, mode > 1
				if alone && o.scope == ir.ScopeSubGroup || passtest.Count() < 2000 && (n+int(local)+mode)%sample.Of(2, 8) != 0 { // make deep has all
					continue
				}
				r := rand.New(rand.NewPCG(uint64(local), 5))
				a := make([]byte, 8*local*2)
				for i := 0; i < len(a); i += 8 {
					binary.LittleEndian.PutUint64(a[i:], r.Uint64())
				}
				l := interp.Launch{Global: [3]uint32{local * 2, 1, 1}, Local: [3]uint32{local, 1, 1}, SubGroupSize: size[1]}
				l.Memory = []interp.Region{{Addr: baseA, Data: a}, {Addr: baseB, Data: make([]byte, 8*local*4)}}
				for _, base := range []uint64{baseA, baseB} {
					l.Args = binary.LittleEndian.AppendUint64(l.Args, base)
					l.Args = binary.LittleEndian.AppendUint64(l.Args, uint64(local*2))
				}
				m := groupOpKernel(o, faults)
				m.Target.NoSubGroups = alone
				want, err := interp.Run(m, l)
				if err != nil {
					t.Fatalf("%v: %v", o, err)
				}
				for _, run := range []pass.Pass{{Name: "deadlanes", Run: lanes.DeadLanes}, {Name: "groups", Run: lanes.Groups}, {Name: "mem2reg", Run: rewrite.Mem2Reg}, {Name: "structurize", Run: structurize.Run}} {
					if ds := run.Run(m); len(ds) > 0 {
						t.Fatalf("%v: %v", o, ds)
					}
					if err := ir.Verify(m); err != nil {
						t.Fatalf("%v: %s: %v", o, run.Name, err)
					}
					got, err := interp.Run(m, l)
					if err != nil {
						t.Fatalf("%v, %d work-items in sub-groups of %d: %s: %v", o, local, size[1], run.Name, err)
					}
					if alone && run.Name == "groups" && usesSubGroups(m) {
						t.Fatalf("%v uses sub-groups", o)
					}
					if !slices.Equal(got.Memory[1].Data, want.Memory[1].Data) {
						t.Fatalf("%v, %d work-items in sub-groups of %d, faults %v: %s:\ngot  %v\nwant %v", o, local, size[1], faults, run.Name, got.Memory[1].Data, want.Memory[1].Data)
					}
				}
			}
		}
	}
}

// TestGroupOpsUniform has branches on what group ops return.
func TestGroupOpsUniform(t *testing.T) {
	for _, o := range allGroupOps() {
		if o.typ != ir.TypeI32 && o.typ != ir.TypeBool {
			continue
		}
		m, b, addr := passtest.NewKernel(1)
		m.UsesGroup = true
		id := b.Append(ir.OpBuiltIn, ir.TypeI32)
		id.Aux = ir.GlobalInvocationIDX
		x := b.Append(ir.OpLoad, ir.TypeI64, addr[0], id)
		x.Aux = &ir.Ref{Elem: ir.TypeI64}
		cond := o.apply(m, b, x, id)
		if o.typ != ir.TypeBool {
			cond = b.Append(ir.OpIEq, ir.TypeBool, cond, m.Int(ir.TypeI32, 9))
		}
		then, done := m.Kernel.NewBlock(), m.Kernel.NewBlock()
		b.Branch(cond, then, done)
		lanes.Barrier(then, ir.Pos{})
		then.Jump(done)
		done.SetTerm(ir.Term{Kind: ir.Return})
		scan := o.op == ir.OpGroupInclusiveScan || o.op == ir.OpGroupExclusiveScan
		want := o.scope == ir.ScopeWorkGroup && !scan
		if got := len(lanes.DeadLanes(m)) == 0; got != want {
			t.Errorf("%v: uniform %v", o, got)
		}
	}
}

// A sub-group algorithm comes with a barrier at the same place: one diagnostic.
func TestDivergentGroupOp(t *testing.T) {
	m, b, _ := passtest.NewKernel(0)
	m.UsesGroup = true
	id := b.Append(ir.OpBuiltIn, ir.TypeI32)
	id.Aux = ir.LocalInvocationIDX
	then, done := m.Kernel.NewBlock(), m.Kernel.NewBlock()
	b.Branch(b.Append(ir.OpULt, ir.TypeBool, id, m.Int(ir.TypeI32, 3)), then, done)
	for line := range 2 {
		pos := ir.Pos{File: "k.go", Line: line + 5, Col: 2}
		lanes.Barrier(then, pos)
		v := then.Append(ir.OpGroupAny, ir.TypeBool, m.Bool(true))
		v.Aux, v.Pos = ir.ScopeSubGroup, pos
	}
	then.Jump(done)
	done.SetTerm(ir.Term{Kind: ir.Return})
	ds := lanes.DeadLanes(m)
	if len(ds) != 2 {
		t.Fatal(ds)
	}
	for i, d := range ds {
		if d.Pos.Line != i+5 || !strings.Contains(d.Message, "this group algorithm must be reached") || !strings.Contains(d.Message, "it.LocalID()") {
			t.Error(d)
		}
	}
}

// TestStagedBarriers: a reduction over a work-group has one barrier in its rounds,
// of which there is one where sub-groups have as many members as there are
// sub-groups, and one after them.
func TestStagedBarriers(t *testing.T) {
	for _, o := range allGroupOps() {
		if o.op != ir.OpGroupReduce || o.scope != ir.ScopeWorkGroup {
			continue
		}
		m := groupOpKernel(o, false)
		lanes.Groups(m)
		n := 0
		for _, b := range m.Kernel.Blocks {
			for _, v := range b.Insts {
				if v.Op == ir.OpBarrier && v.Aux == ir.ScopeWorkGroup {
					n++
				}
			}
		}
		if n != 4 { // the kernel has two reductions
			t.Errorf("%v: %d barriers", o, n)
		}
	}
}

// usesSubGroups reports whether the module has ops or built-ins of sub-groups, but
// for those that tell a kernel's own exclusive scans apart.
func usesSubGroups(m *ir.Module) bool {
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			bi, _ := v.Aux.(ir.BuiltIn)
			if v.Op.Has(ir.FlagSync) && v.GroupScope() == ir.ScopeSubGroup || v.Op == ir.OpBuiltIn && bi >= ir.SubgroupSize {
				return true
			}
		}
	}
	return false
}

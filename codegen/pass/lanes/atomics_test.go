package lanes_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/lanes"
	"github.com/kgen-go/kgen/codegen/pass/structurize"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// TestAtomics compares the ops that the pass replaces with what it puts there, in
// device memory and in work-group memory.
func TestAtomics(t *testing.T) {
	const baseA, baseB = 1 << 20, 1 << 30
	type atomicCase struct {
		op ir.Op
		t  *ir.Type
	}
	var cases []atomicCase
	for _, typ := range []*ir.Type{ir.TypeF32, ir.TypeF64} {
		for _, op := range []ir.Op{ir.OpAtomicFAdd, ir.OpAtomicFMin, ir.OpAtomicFMax} {
			cases = append(cases, atomicCase{op, typ})
		}
	}
	cases = append(cases, atomicCase{ir.OpAtomicCompareAndSwap, ir.TypeI32}, atomicCase{ir.OpAtomicCompareAndSwap, ir.TypeI64})
	for _, typ := range []*ir.Type{ir.TypeI32, ir.TypeI64} {
		cases = append(cases, atomicCase{ir.OpAtomicExchange, typ}, atomicCase{ir.OpAtomicStore, typ})
	}
	for _, c := range cases {
		exchange := c.op == ir.OpAtomicExchange || c.op == ir.OpAtomicStore
		for _, local := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/%v/local=%v", c.op, c.t, local), func(t *testing.T) {
				m := atomicKernel(c.op, c.t, local)
				l := interp.Launch{Global: [3]uint32{6, 1, 1}, Local: [3]uint32{3, 1, 1}, SubGroupSize: 4}
				var a, b []byte
				for i, x := range []float64{1.5, math.NaN(), 0, -7, math.Inf(1), math.Copysign(0, -1)} {
					if c.t.IsInt() {
						x = float64(i % 3)
					}
					a = binary.LittleEndian.AppendUint64(a, bitsOf(c.t, x))
				}
				b = make([]byte, 8*16)
				l.Memory = []interp.Region{{Addr: baseA, Data: a}, {Addr: baseB, Data: b}}
				for _, base := range []uint64{baseA, baseB} {
					l.Args = binary.LittleEndian.AppendUint64(l.Args, base)
					l.Args = binary.LittleEndian.AppendUint64(l.Args, 16)
				}
				want, err := interp.Run(m, l)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range []pass.Pass{{Name: "atomics", Run: lanes.Atomics}, {Name: "zerolocal", Run: lanes.ZeroLocal}, {Name: "structurize", Run: structurize.Run}} {
					if ds := p.Run(m); len(ds) > 0 {
						t.Fatal(ds)
					}
					if err := ir.Verify(m); err != nil {
						t.Fatalf("%s: %v\n%v", p.Name, err, m)
					}
					got, err := interp.Run(m, l)
					if err != nil {
						t.Fatalf("%s: %v", p.Name, err)
					}
					if !slices.Equal(withoutPayload(c.t, got.Memory[1].Data), withoutPayload(c.t, want.Memory[1].Data)) {
						t.Fatalf("%s:\ngot  %v\nwant %v", p.Name, got.Memory[1].Data, want.Memory[1].Data)
					}
				}
				for _, b := range m.Kernel.Blocks {
					for _, v := range b.Insts {
						if v.Op == c.op && (local || !exchange) {
							t.Errorf("%v is left", v.Op)
						}
					}
				}
			})
		}
	}
}

// withoutPayload makes all NaN the same.
func withoutPayload(t *ir.Type, data []byte) []byte {
	data = slices.Clone(data)
	for i := 0; i < len(data); i += 8 {
		x := binary.LittleEndian.Uint64(data[i:])
		if t.IsFloat() && math.IsNaN(ir.FloatValue(t, x)) {
			binary.LittleEndian.PutUint64(data[i:], ir.FloatBits(t, math.NaN()))
		}
	}
	return data
}

func bitsOf(t *ir.Type, x float64) uint64 {
	if t.IsFloat() {
		return ir.FloatBits(t, x)
	}
	return uint64(x)
}

// atomicKernel applies the op to element 2 of B, or of work-group memory, and
// stores the results and what is left there.
func atomicKernel(op ir.Op, t *ir.Type, local bool) *ir.Module {
	m, b, addr := passtest.NewKernel(2)
	id := b.Append(ir.OpBuiltIn, ir.TypeI32)
	id.Aux = ir.GlobalInvocationIDX
	load := func(ref *ir.Ref, path ...*ir.Value) *ir.Value {
		v := b.Append(ir.OpLoad, ref.Leaf(path), path...)
		v.Aux = ref
		return v
	}
	raw := load(&ir.Ref{Elem: ir.TypeI64}, addr[0], id)
	word := lanes.IntOf(t)
	if word != ir.TypeI64 {
		raw = b.Append(ir.OpUConvert, word, raw)
	}
	x := raw
	if t != word {
		x = b.Append(ir.OpBitcast, t, raw)
	}
	ref, path := &ir.Ref{Elem: m.StructOf([]ir.Field{{Type: t}, {Type: t, Offset: 8}}, 16, 8)}, []*ir.Value{addr[1], m.Int(ir.TypeI32, 7), m.Int(ir.TypeI32, 1)}
	if local {
		v := m.NewVar(nil, ir.Workgroup, "local", m.ArrayOf(m.StructOf([]ir.Field{{Type: ir.TypeBool}, {Type: t, Offset: 8}}, 16, 8), m.Int(ir.TypeI32, 4)))
		b.Append(ir.OpZeroLocal, ir.TypeVoid).Aux = &ir.Ref{Var: v}
		m.UsesGroup = true
		ref, path = &ir.Ref{Var: v}, []*ir.Value{m.Int(ir.TypeI32, 2), m.Int(ir.TypeI32, 1)}
		st := b.Append(ir.OpStore, ir.TypeVoid, append([]*ir.Value{m.Const(t, bitsOf(t, 1))}, path...)...)
		st.Aux = ref
	}
	args := []*ir.Value{x}
	result := t
	if op == ir.OpAtomicCompareAndSwap {
		args, result = []*ir.Value{b.Append(ir.OpIAdd, t, x, m.Const(t, 1)), x}, ir.TypeBool
	}
	if op == ir.OpAtomicStore {
		result = ir.TypeVoid
	}
	v := b.Append(op, result, append(args, path...)...)
	v.Aux = ref
	if op == ir.OpAtomicStore {
		v = x
	}
	put := func(v *ir.Value, at int64) {
		switch {
		case v.Type == ir.TypeBool:
			v = b.Append(ir.OpSelect, ir.TypeI64, v, m.Int(ir.TypeI64, 1), m.Int(ir.TypeI64, 0))
		case v.Type.IsFloat():
			v = b.Append(ir.OpBitcast, lanes.IntOf(v.Type), v)
		}
		if v.Type != ir.TypeI64 {
			v = b.Append(ir.OpUConvert, ir.TypeI64, v)
		}
		i := b.Append(ir.OpIAdd, ir.TypeI32, id, m.Int(ir.TypeI32, at))
		b.Append(ir.OpStore, ir.TypeVoid, v, addr[1], i).Aux = &ir.Ref{Elem: ir.TypeI64}
	}
	put(v, 0)
	put(load(ref, path...), 6)
	b.SetTerm(ir.Term{Kind: ir.Return})
	return m
}

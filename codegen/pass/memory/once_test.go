package memory_test

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

// newOnceGen returns a random kernel that begins with a loop, and in which most loads fault if
// their index is too large.
func newOnceGen(t *testing.T, seed uint64) *ir.Module {
	g := passtest.NewMemoryGen(t, seed)
	g.M.UsesGroup = false
	n := g.B.Append(ir.OpArg, ir.TypeI64)
	n.Bits = abi.OffsetArgs + 8
	g.Limit = g.B.Append(ir.OpUConvert, ir.TypeI32, n)
	g.Left = 40
	g.Loop(0)
	g.Statements(0)
	return g.End().M
}

// inLoops counts the loads of device memory and the checks in loops, each as often as there are
// loops around it.
func inLoops(m *ir.Module) (loads, checks int) {
	loops := m.Kernel.Dominators().Loops()
	for _, b := range m.Kernel.Blocks {
		if rewrite.CheckedEdge(b) >= 0 {
			checks += loops.Depth(b)
		}
		for _, v := range b.Insts {
			if v.Op == ir.OpLoad && v.Ref().Var == nil {
				loads += loops.Depth(b)
			}
		}
	}
	return loads, checks
}

// TestOnceRandom: random kernels leave the same memory and the same fault with and without
// once, where their slices are apart, and where they overlap, which NoAlias rules out.
func TestOnceRandom(t *testing.T) {
	apart := [4]uint64{0, 100, 200, 300}
	layouts := [][4]uint64{apart, {0, 0, 0, 0}, {0, 4, 8, 3}, {4, 0, 4, 21}}
	var loads, checks, loadsAfter, checksAfter, faults, ends int
	for seed := range passtest.Count() {
		was := newOnceGen(t, seed)
		rewrite.Mem2Reg(was)
		simplify.Run(was)
		simplify.CSE(was)
		simplify.DCE(was)
		l, c := inLoops(was)
		loads, checks = loads+l, checks+c
		for _, noAlias := range []bool{false, true} {
			is := was.Clone()
			is.NoAlias = noAlias
			memory.Once(is)
			if err := ir.Verify(is); err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, is)
			}
			if !noAlias {
				l, c = inLoops(is)
				loadsAfter, checksAfter = loadsAfter+l, checksAfter+c
			}
			for i, at := range layouts {
				if noAlias && at != apart {
					continue
				}
				l := interp.Launch{Global: [3]uint32{1, 1, 1}, Memory: []interp.Region{{Addr: 1 << 20, Data: make([]byte, 400)}}}
				for i := range l.Memory[0].Data {
					l.Memory[0].Data[i] = byte(i*i + 3)
				}
				for _, a := range at {
					l.Args = binary.LittleEndian.AppendUint64(l.Args, 1<<20+a)
					l.Args = binary.LittleEndian.AppendUint64(l.Args, []uint64{6, 3, 4, 5}[(i+int(seed))%4])
				}
				want, err := interp.Run(was, l)
				if err != nil {
					t.Fatalf("seed %d: %v\n%v", seed, err, was)
				}
				got, err := interp.Run(is, l)
				if err != nil || !reflect.DeepEqual(got.Memory, want.Memory) || fmt.Sprint(got.Fault) != fmt.Sprint(want.Fault) {
					t.Fatalf("seed %d, slices at %v, NoAlias %v: %v, fault %v, want %v; before\n%v\nafter\n%v", seed, at, noAlias, err, got.Fault, want.Fault, was, is)
				}
				if want.Fault != nil {
					faults++
				} else {
					ends++
				}
			}
		}
	}
	t.Logf("%d of %d loads and %d of %d checks are left in loops; %d faults, %d ends", loadsAfter, loads, checksAfter, checks, faults, ends)
	if loadsAfter*50 > loads*49 || checksAfter*50 > checks*49 || faults == 0 || ends == 0 {
		t.Errorf("once does next to nothing: %d of %d loads and %d of %d checks are left in loops; %d faults, %d ends", loadsAfter, loads, checksAfter, checks, faults, ends)
	}
}

// TestOnceGroups: loads stay in kernels with operations of groups.
func TestOnceGroups(t *testing.T) {
	for seed := range uint64(200) {
		m := newOnceGen(t, seed)
		rewrite.Mem2Reg(m)
		same := m.Clone()
		same.UsesGroup = true
		text := same.String()
		memory.Once(same)
		if same.String() != text {
			t.Fatalf("seed %d: once changed a kernel with operations of groups:\n%v", seed, same)
		}
	}
}

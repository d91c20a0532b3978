package memory_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
	"github.com/kgen-go/kgen/internal/tests/passtest"
)

func newForwardGen(t *testing.T, seed uint64) *passtest.MemoryGen {
	g := passtest.NewMemoryGen(t, seed)
	g.Statements(0)
	return g.End()
}

// deviceAccesses counts the loads and stores of device memory.
func deviceAccesses(m *ir.Module) (loads, stores int) {
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if r := v.Ref(); r != nil && r.Var == nil {
				switch v.Op {
				case ir.OpLoad:
					loads++
				case ir.OpStore:
					stores++
				}
			}
		}
	}
	return loads, stores
}

// TestForwardRandom: random kernels leave the same memory with and without forward, where
// their slices are apart, and where they overlap, which NoAlias rules out.
func TestForwardRandom(t *testing.T) {
	type layout [4]uint64 // where the slices begin
	apart := layout{0, 100, 200, 300}
	layouts := []layout{apart, {0, 0, 0, 0}, {0, 4, 8, 3}, {4, 0, 4, 21}}
	before, after, stores, storesAfter := 0, 0, 0, 0
	for seed := range passtest.Count() {
		was := newForwardGen(t, seed).M
		rewrite.Mem2Reg(was)
		simplify.Run(was)
		simplify.CSE(was)
		simplify.DCE(was)
		n, s := deviceAccesses(was)
		before, stores = before+n, stores+s
		for _, noAlias := range []bool{false, true} {
			is := was.Clone()
			is.NoAlias = noAlias
			memory.Forward(is)
			if err := ir.Verify(is); err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, is)
			}
			if n, s := deviceAccesses(is); !noAlias {
				after, storesAfter = after+n, storesAfter+s
			}
			for _, at := range layouts {
				if noAlias && at != apart {
					continue
				}
				l := interp.Launch{Global: [3]uint32{1, 1, 1}, Memory: []interp.Region{{Addr: 1 << 20, Data: make([]byte, 400)}}}
				for i := range l.Memory[0].Data {
					l.Memory[0].Data[i] = byte(i*i + 3)
				}
				for _, a := range at {
					l.Args = binary.LittleEndian.AppendUint64(l.Args, 1<<20+a)
					l.Args = binary.LittleEndian.AppendUint64(l.Args, 6)
				}
				want, err := interp.Run(was, l)
				if err != nil {
					t.Fatalf("seed %d: %v\n%v", seed, err, was)
				}
				got, err := interp.Run(is, l)
				if err != nil {
					t.Fatalf("seed %d: %v\n%v", seed, err, is)
				}
				if !bytes.Equal(got.Memory[0].Data, want.Memory[0].Data) {
					t.Fatalf("seed %d, slices at %v, NoAlias %v: before\n%v\nafter\n%v", seed, at, noAlias, was, is)
				}
			}
		}
	}
	t.Logf("%d of %d loads and %d of %d stores are left", after, before, storesAfter, stores)
	if after*20 > before*19 || storesAfter == stores {
		t.Errorf("forward does next to nothing: %d of %d loads and %d of %d stores are left", after, before, storesAfter, stores)
	}
}

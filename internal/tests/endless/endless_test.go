package endless_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/internal/tests/endless"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

func bytesOf(s []uint32) []byte {
	var b []byte
	for _, x := range s {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

// interpret returns the case for the interpreter.
func interpret(l *endless.Case, k *abi.Kernel) interp.Launch {
	x := interp.Launch{Global: [3]uint32{uint32(l.Global), 1, 1}, Local: [3]uint32{uint32(max(l.Local, 1)), 1, 1}, Args: make([]byte, k.ArgSize),
		Specs: map[uint32]uint64{abi.SpecAccessor: uint64(l.Local)}, MaxSteps: 1 << 28}
	i := 0
	for _, p := range k.Params {
		switch {
		case p.Kind == abi.Value:
			binary.LittleEndian.PutUint64(x.Args[p.Offset:], uint64(l.N))
		case p.Kind == abi.Slice:
			at := uint64(i+1) << 20
			binary.LittleEndian.PutUint64(x.Args[p.Offset:], at)
			binary.LittleEndian.PutUint64(x.Args[p.Offset+8:], uint64(len(l.Slices[i])))
			x.Memory = append(x.Memory, interp.Region{Addr: at, Data: bytesOf(l.Slices[i])})
			i++
		}
	}
	return x
}

// TestVariant interprets the variants: what ends by itself does what it should, and what
// does not leaves when the word says so.
func TestVariant(t *testing.T) {
	sample.Deep(t, "TestLeaveVulkan of package runtime runs the variants")
	kernels, err := oracle.Corpus(context.Background(), []string{"."}, []string{"cancel"})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range endless.Cases() {
		t.Run(fmt.Sprintf("%s/%d", l.Kernel, i), func(t *testing.T) {
			k := kernels["github.com/kgen-go/kgen/internal/tests/endless."+l.Kernel]
			m, err := k.Module("cancel")
			if err != nil {
				t.Fatal(err)
			}
			x := interpret(&l, k.ABI)
			if l.Endless {
				x.LeaveAfter = 1 << 18
			}
			r, err := interp.Run(m, x)
			switch {
			case err != nil:
				t.Fatal(err)
			case l.Endless && (r.Fault == nil || r.Fault.Site.Kind != abi.FaultCancelled):
				t.Fatalf("the record says %v", r.Fault)
			case l.Endless:
			case r.Fault != nil:
				t.Fatal(r.Fault)
			case !slices.Equal(r.Memory[len(l.Slices)-1].Data, bytesOf(l.Want)):
				t.Errorf("got %d, want %d", r.Memory[len(l.Slices)-1].Data, bytesOf(l.Want))
			}
		})
	}
}

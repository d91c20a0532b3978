package endless_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/internal/oracle"
)

// launch is a launch of a kernel, which ends by itself or not.
type launch struct {
	kernel        string
	endless       bool
	global, local uint32
	slices        [][]uint32 // the kernel's, in order
	n             int64      // its field N
	want          []uint32   // what the last slice has in the end
}

func next(s uint32) uint32 {
	s ^= s << 13
	s ^= s >> 17
	return s ^ s<<5
}

// seeds returns the slices of Seeds for n searches that take i%7 rounds each; those for
// which endless is true never end.
func seeds(n int, endless func(i int) bool) (s [][]uint32, rounds []uint32) {
	s = [][]uint32{make([]uint32, n), make([]uint32, n), make([]uint32, n)}
	for i := range n {
		x := uint32(i + 1)
		s[0][i] = x
		for range i % 7 {
			x = next(x)
		}
		s[1][i] = x
		if endless(i) {
			s[1][i] = 0
		}
		rounds = append(rounds, uint32(i%7))
	}
	return s, rounds
}

func launches() []launch {
	const n, group = 40, 8
	var out []launch
	for _, who := range []struct {
		endless bool
		is      func(i int) bool
	}{{false, func(int) bool { return false }}, {true, func(int) bool { return true }}, {true, func(i int) bool { return i%4 == 0 }}} {
		s, rounds := seeds(n, who.is)
		out = append(out, launch{kernel: "Search", endless: who.endless, global: n, slices: s, want: rounds},
			launch{kernel: "Alone", endless: who.endless, global: 1, slices: s, want: make([]uint32, n)})
		var shifted []uint32
		for i := range rounds {
			shifted = append(shifted, rounds[i/group*group+(i+1)%group])
		}
		out = append(out, launch{kernel: "Wait", endless: who.endless, global: n, local: group, slices: s, want: shifted})
	}
	var values, summed []uint32
	for i := range n {
		values = append(values, uint32(i))
		summed = append(summed, uint32(i/group*group+(i+5)%group+0+1+2+3+4))
	}
	return append(out, launch{kernel: "Meet", global: n, local: group, n: 5, slices: [][]uint32{values}, want: summed},
		launch{kernel: "Meet", endless: true, global: n, local: group, n: -1, slices: [][]uint32{values}})
}

func bytesOf(s []uint32) []byte {
	var b []byte
	for _, x := range s {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

// interpret returns the launch for the interpreter.
func (l *launch) interpret(k *abi.Kernel) interp.Launch {
	x := interp.Launch{Global: [3]uint32{l.global, 1, 1}, Local: [3]uint32{max(l.local, 1), 1, 1}, Args: make([]byte, k.ArgSize),
		Specs: map[uint32]uint64{abi.SpecAccessor: uint64(l.local)}, MaxSteps: 1 << 24}
	i := 0
	for _, p := range k.Params {
		switch {
		case p.Kind == abi.Value:
			binary.LittleEndian.PutUint64(x.Args[p.Offset:], uint64(l.n))
		case p.Kind == abi.Slice:
			at := uint64(i+1) << 20
			binary.LittleEndian.PutUint64(x.Args[p.Offset:], at)
			binary.LittleEndian.PutUint64(x.Args[p.Offset+8:], uint64(len(l.slices[i])))
			x.Memory = append(x.Memory, interp.Region{Addr: at, Data: bytesOf(l.slices[i])})
			i++
		}
	}
	return x
}

// TestVariant interprets the variants: what ends by itself does what it should, and what
// does not leaves when the word says so.
func TestVariant(t *testing.T) {
	kernels, err := oracle.Corpus(context.Background(), []string{"."}, []string{"cancel"})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range launches() {
		t.Run(fmt.Sprintf("%s/%d", l.kernel, i), func(t *testing.T) {
			k := kernels["github.com/kgen-go/kgen/internal/endless."+l.kernel]
			m, err := k.Module("cancel")
			if err != nil {
				t.Fatal(err)
			}
			x := l.interpret(k.ABI)
			if l.endless {
				x.LeaveAfter = 1 << 18
			}
			r, err := interp.Run(m, x)
			switch {
			case err != nil:
				t.Fatal(err)
			case l.endless && (r.Fault == nil || r.Fault.Site.Kind != abi.FaultCancelled):
				t.Fatalf("the record says %v", r.Fault)
			case l.endless:
			case r.Fault != nil:
				t.Fatal(r.Fault)
			case !slices.Equal(r.Memory[len(l.slices)-1].Data, bytesOf(l.want)):
				t.Errorf("got %d, want %d", r.Memory[len(l.slices)-1].Data, bytesOf(l.want))
			}
		})
	}
}

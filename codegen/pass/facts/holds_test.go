package facts_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// TestFootprintsHold runs kernels in the interpreter, with arguments at random, and holds each
// access of a work-item against what Footprints says of its slice.
func TestFootprintsHold(t *testing.T) {
	patterns := []string{
		"./internal/tests/conformance/steps", "./codegen/report/testdata/footprint", "./examples/...", "./internal/tests/difftest/corpus", "./internal/tests/difftest/idioms",
	}
	prog, diags, err := load.Load(t.Context(), load.Config{Dir: "../../..", Intrinsic: lower.Intrinsic, Patterns: patterns[:sample.Of(len(patterns), 2)]})
	if err != nil || len(diags) > 0 {
		t.Fatal(err, diags)
	}
	var c footprintCheck
	for _, p := range prog.Packages {
		for i, k := range p.Kernels {
			if i%2 > 0 && strings.HasSuffix(p.PkgPath, "/internal/tests/difftest/corpus") {
				continue // it is large
			}
			if !sample.Has(k.FullName(), 3) {
				continue
			}
			m, diags := codegen.Lower(prog, k)
			if len(diags) > 0 {
				t.Fatal(k.FullName(), diags)
			}
			for _, p := range pass.Passes() {
				if p.Run(m); p.Name == "fuse" {
					break
				}
			}
			c.kernel(t, k.FullName(), m)
		}
	}
	t.Logf("%d kernels, %d launches, %d accesses of elements that are said to be the work-item's own, %d of its group's, %d of others", c.kernels, c.launches, c.own, c.group, c.other)
	if !testing.Short() && (c.kernels < 100 || c.strides < 100 || c.own < 10_000 || c.group < 1000 || c.several < 1000) {
		t.Errorf("too little was looked at: %+v", c)
	}
}

// footprintCheck counts what was looked at.
type footprintCheck struct {
	kernels, launches int
	own, group, other int // accesses
	several, strides  int // of those of own ones, with PerItem above 1, and with conditions
}

// kernel holds launches of a kernel against its footprints.
func (c *footprintCheck) kernel(t *testing.T, name string, m *ir.Module) {
	fs := facts.Footprints(m)
	c.kernels++
	r := rand.New(rand.NewPCG(uint64(len(name)), 3))
	for range 6 {
		l := footprintLaunch(r, m, fs)
		block := launchBlock(l)
		wrong := ""
		l.Accessed = func(id [3]uint32, v *ir.Value, addr uint64) {
			i := int(addr>>32) - 1
			if i < 0 || i >= len(fs) || m.Params[i].Kind != abi.Slice {
				return // constant data or the fault record
			}
			f := &fs[i]
			if d := c.access(f, m.Params[i].ElemSize, l, id, addr&(1<<32-1), block); d != "" && wrong == "" {
				wrong = fmt.Sprintf("%s at %v: work-item %v of %v in groups of %v: %s: %+v", m.Params[i].Name, v.Pos, id, l.Global, l.Local, d, *f)
			}
			if v.Op.Has(ir.FlagReads) && f.Access&abi.Read == 0 || v.Op.Has(ir.FlagWrites) && f.Access&abi.Write == 0 {
				wrong = fmt.Sprintf("%v is no %v", v.LongString(), f.Access)
			}
		}
		// Errors are of arguments that the kernel is not made for, such as a bool of 7, and
		// what was accessed before counts.
		_, _ = interp.Run(m, l)
		c.launches++
		if wrong != "" {
			t.Errorf("%s: %s", name, wrong)
			return
		}
	}
}

// access returns what is wrong with an access at an offset into a slice.
func (c *footprintCheck) access(f *facts.Footprint, size int, l interp.Launch, id [3]uint32, offset uint64, block []byte) string {
	switch {
	case f.Reach == abi.ReachNone:
		return "it is said not to be used"
	case !f.HoldsInGroups(block, int(l.Local[0])):
		c.other++
		return ""
	}
	if f.PerItem > 1 {
		c.several++
	}
	if len(f.Strides) > 0 {
		c.strides++
	}
	n := l.Global
	at := offset / uint64(size)
	of := at / uint64(f.PerItem) // the linear id that the element belongs to
	if f.Reach == abi.ReachOwn {
		c.own++
		if lin := uint64(id[0]) + uint64(n[0])*(uint64(id[1])+uint64(n[1])*uint64(id[2])); of != lin {
			return fmt.Sprintf("element %d is not of the work-item %d", at, lin)
		}
		return ""
	}
	c.group++
	// The id along z has no bound here, nor has that of a launch of one dimension.
	y := of / uint64(n[0])
	owner := [3]uint64{of % uint64(n[0]), y % uint64(n[1]), y / uint64(n[1])}
	if n[1] == 1 && n[2] == 1 {
		owner = [3]uint64{of}
	}
	for d := range 3 {
		if owner[d]/uint64(l.Local[d]) != uint64(id[d]/l.Local[d]) {
			return fmt.Sprintf("element %d is of the work-item %v", at, owner)
		}
	}
	return ""
}

// footprintLaunch makes a launch with slices of i+1<<32 as the address of parameter i, and
// mostly with arguments that meet the conditions of footprints.
func footprintLaunch(r *rand.Rand, m *ir.Module, fs []facts.Footprint) interp.Launch {
	le := binary.LittleEndian
	l := interp.Launch{Global: [3]uint32{1, 1, 1}, Local: [3]uint32{1, 1, 1}, Args: make([]byte, m.ArgSize), MaxSteps: 1 << 18, Leave: true}
	for d := range m.Rank {
		if l.Local[d] = 1 + r.Uint32N(3); m.Rank == 1 {
			l.Local[d] = []uint32{1, 2, 3, 8, 24}[r.IntN(5)]
		}
		if m.WorkGroup[d] > 0 {
			l.Local[d] = uint32(m.WorkGroup[d])
		}
		if l.Global[d] = 1 + r.Uint32N(6*l.Local[d]); m.Form == abi.NDRange {
			l.Global[d] = l.Local[d] * (1 + r.Uint32N(3))
		}
	}
	items := int(l.Global[0] * l.Global[1] * l.Global[2])
	for i, p := range m.Params {
		switch {
		case p.Offset < 0 || p.Kind == abi.LocalAccessor:
		case p.Kind == abi.Value:
			// Small numbers in words of the argument, whatever it is made of.
			for j := 0; j < p.Size; j += min(8, p.Size) {
				l.Args[p.Offset+j] = byte(r.IntN(8))
			}
		default:
			n := items
			if fs[i].Reach == abi.ReachOwn || fs[i].Reach == abi.ReachGroup {
				n *= int(fs[i].PerItem)
			}
			n += r.IntN(8) * r.IntN(2)
			data := make([]byte, n*p.ElemSize)
			for j := range data {
				if j%4 == 0 {
					data[j] = byte(r.IntN(2))
				}
			}
			at := uint64(i+1) << 32
			l.Memory = append(l.Memory, interp.Region{Addr: at, Data: data})
			le.PutUint64(l.Args[p.Offset:], at)
			le.PutUint64(l.Args[p.Offset+8:], uint64(n))
		}
	}
	if len(m.Data) > 0 {
		at := uint64(len(m.Params)+1) << 32
		l.Memory = append(l.Memory, interp.Region{Addr: at, Data: m.Data})
		le.PutUint64(l.Args[m.DataOffset:], at)
	}
	if r.IntN(8) > 0 {
		for _, f := range fs {
			for _, s := range f.Strides {
				if b := l.Args; s.Offset >= abi.OffsetArgs && s.Size == 8 {
					le.PutUint64(b[s.Offset-abi.OffsetArgs:], uint64(l.Global[s.Dim]))
				} else if s.Offset >= abi.OffsetArgs {
					le.PutUint32(b[s.Offset-abi.OffsetArgs:], l.Global[s.Dim])
				} else if s.Offset == 0 {
					l.Global[s.Dim] = uint32(s.Const)
				}
			}
		}
	}
	return l
}

func launchBlock(l interp.Launch) []byte {
	b := make([]byte, abi.OffsetArgs, abi.OffsetArgs+len(l.Args))
	for d, n := range l.Global {
		binary.LittleEndian.PutUint32(b[abi.OffsetRange+4*d:], n)
	}
	return append(b, l.Args...)
}

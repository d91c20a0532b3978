//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// TestSubnormalCases checks that a device that keeps subnormals is found to do so, and that
// each case tells its kind of operations, and no other, from one that does not.
func TestSubnormalCases(t *testing.T) {
	results := make([]byte, 128)
	put := func(i int, x uint32) { binary.LittleEndian.PutUint32(results[4*i:], x) }
	for i, c := range subnormalCases {
		put(i, c.want)
	}
	want := hal.KeepsSubnormals
	want.ToFloat64, want.FromFloat64, want.Atomics = false, false, false // other modules ask
	var got hal.Subnormals
	if askSubnormals(&got).answer(results); got != want {
		t.Errorf("a device that keeps all: %+v", got)
	}
	for i, c := range subnormalCases {
		for _, wrong := range []uint32{0, 1 << 31, c.want ^ 1<<30} {
			if wrong == c.want {
				continue
			}
			put(i, wrong)
			less := want
			*c.kept(&less) = false
			if askSubnormals(&got).answer(results); got != less {
				t.Errorf("%s is %#x: %+v, want %+v", c.name, wrong, got, less)
			}
		}
		put(i, c.want)
	}
}

func TestProbeSubnormals(t *testing.T) {
	d := open(t)
	var got hal.Subnormals
	q := askSubnormals(&got)
	read := q.answer
	q.answer = func(results []byte) {
		for i, c := range subnormalCases {
			t.Logf("%-24s %08x, kept %08x", c.name, binary.LittleEndian.Uint32(results[4*i:]), c.want)
		}
		read(results)
	}
	qs := []*probeKernel{q}
	if slices.Contains(d.info.Aspects, properties.FP64) {
		qs = append(qs, askSubnormals64(&got))
	}
	if slices.Contains(d.info.Aspects, properties.AtomicFloat32) {
		qs = append(qs, askSubnormalAdd(&got.Atomics))
	}
	start := time.Now()
	if err := d.runQuestions(qs...); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: keeps %+v; %v; the driver promises %v", d.info.Name, got, time.Since(start), d.phys.DenormPreserveFloat32)
	if got != d.info.Subnormals {
		t.Errorf("Open found %+v", d.info.Subnormals)
	}
}

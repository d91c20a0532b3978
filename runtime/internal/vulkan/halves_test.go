//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

func TestProbeHalves(t *testing.T) {
	d := open(t)
	var found hal.Halves
	qs := []*probeKernel{askHalves(&found)}
	if slices.Contains(d.info.Aspects, properties.FP16) {
		qs = append(qs, askHalves16(&found))
	}
	if err := d.runQuestions(qs...); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %+v", d.info.Name, found)
	want := found
	if d.info.Type == hal.VulkanCPU {
		want = hal.Halves{}
	}
	if d.info.Halves != want {
		t.Errorf("Open found %+v", d.info.Halves)
	}
	t.Setenv(env.Halves, "native")
	if err := d.runProbes(); err != nil || d.info.Halves != found {
		t.Errorf("with %s=native: %+v, %v", env.Halves, d.info.Halves, err)
	}
}

// TestHalfCases: the operands have what is hard, and one wrong result of any kind is noticed.
func TestHalfCases(t *testing.T) {
	var subnormals, middles, overflows, nans, products int
	for i := range uint32(halfCases) {
		a, b, c, f := halfCase(i)
		if p := a.Mul(b); p != 0 && p.Abs() < half.SmallestNormal[half.Float16]() {
			subnormals++
		}
		h := half.FromFloat32[half.Float16](f)
		if x := h.Float32(); x != f && float64(f)*0x1p25 == math.RoundToEven(float64(f)*0x1p25) && math.Float32bits(f)&0xfff == 0 {
			middles++
		}
		if x := a.FMA(b, c); x.IsInf(0) && !a.IsInf(0) && !b.IsInf(0) && !c.IsInf(0) {
			overflows++
		}
		if h.IsNaN() {
			nans++
		}
		if a.FMA(b, c) != half.FromFloat32[half.Float16](float32(float64(a.Float32())*float64(b.Float32())+float64(c.Float32()))) {
			products++ // rounding to float32 first is wrong
		}
	}
	t.Logf("%d subnormal products, %d middles, %d sums too large, %d NaNs, %d sums that a float32 has wrong", subnormals, middles, overflows, nans, products)
	if min(subnormals, middles, overflows, nans) < 50 || products < 5 {
		t.Error("the cases are too easy")
	}

	all := hal.Halves{Unpack: true, Pack: true, Widen: true, Narrow: true, Arithmetic: true, Quotients: true, Roots: true, Fused: true}
	first, second := make([]byte, 16*halfCases), make([]byte, 32*halfCases)
	for i := range uint32(halfCases) {
		a, b, c, f := halfCase(i)
		wide, narrow := math.Float32bits(a.Float32()), uint32(half.FromFloat32[half.Float16](f))
		put := func(data []byte, words ...uint32) {
			for j, w := range words {
				binary.LittleEndian.PutUint32(data[4*j:], w)
			}
		}
		put(first[16*i:], wide, narrow)
		put(second[32*i:], wide, narrow, uint32(a.Add(b)), uint32(a.Sub(b)), uint32(a.Mul(b)), uint32(a.Div(b)), uint32(a.Sqrt()), uint32(a.FMA(b, c)))
	}
	answers := func() (found hal.Halves) {
		askHalves(&found).answer(first)
		askHalves16(&found).answer(second)
		return found
	}
	if got := answers(); got != all {
		t.Fatalf("right results: %+v", got)
	}
	at := 16*uint32(len(halfEdges)) + 20 // 0x3c00 and another edge
	for field, result := range []int{0: 0, 1: 1, 2: 0, 3: 1, 4: 3, 5: 5, 6: 6, 7: 7} {
		data := second[32*at:]
		if field < 2 {
			data = first[16*at:]
		}
		data[4*result] ^= 1
		want := all
		reflect.ValueOf(&want).Elem().Field(field).SetBool(false)
		if got := answers(); got != want {
			t.Errorf("result %d is wrong: %+v, want %+v", result, got, want)
		}
		data[4*result] ^= 1
	}
}

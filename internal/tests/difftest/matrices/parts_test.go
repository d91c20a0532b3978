package matrices_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest"
	"github.com/kgen-go/kgen/internal/tests/difftest/matrices"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/matrices/matricesgen"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/runtime"
)

// partsHalf returns a launch of PartsHalf, and the product by loops in Go. All sums are exact.
func partsHalf(r *rand.Rand, width int) (k matrices.PartsHalf, want []float32) {
	k = matrices.PartsHalf{A: make([]matrices.HalfPart, 16*width), B: make([]matrices.HalfPart, 16*width), C: make([]float32, 256),
		Width: width, Plus: half.FromFloat32[half.Float16](3)}
	fill := func(s []matrices.HalfPart) {
		for i := range s {
			for j := range 16 {
				s[i][j/8][j%8] = half.FromFloat32[half.Float16](float32(r.IntN(15) - 7))
			}
		}
	}
	fill(k.A)
	fill(k.B)
	k.A = k.A[:len(k.A)-1] // the kernel takes zeros for the last part
	want = make([]float32, 256)
	for i := range want {
		for l := range 16 * width {
			at, part := i/16*width+l/16, l%16
			if at >= len(k.A) {
				break
			}
			b := k.B[i%16*width+l/16][part/8][part%8].Float32()
			if l%2 == 1 {
				b += 3
			}
			want[i] += k.A[at][part/8][part%8].Float32() * b
		}
	}
	return k, want
}

// partsByte returns a launch of PartsByte, and the product by loops in Go.
func partsByte(r *rand.Rand, width int) (k matrices.PartsByte, want []int32) {
	k = matrices.PartsByte{A: make([][4]uint32, 16*width), B: make([]matrices.BytePart, 16*width), C: make([]int32, 256), Width: width, Plus: 100}
	for i := range k.A {
		for j := range 16 {
			k.B[i][j/8][j%8] = int8(r.Int())
		}
		k.A[i] = [4]uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}
	}
	want = make([]int32, 256)
	for i := range want {
		for l := range 16 * width {
			part := l % 16
			b := k.B[i%16*width+l/16][part/8][part%8]
			switch part {
			case 0:
				b += k.Plus
			case 15:
				b = -1
			}
			want[i] += int32(int8(k.A[i/16*width+l/16][part/4]>>(part%4*8))) * int32(b)
		}
	}
	return k, want
}

// TestParts has kernels bring parts of 16 and 32 bytes to work-group memory, which devices with matrices of their own
// do at once.
func TestParts(t *testing.T) {
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		local := 64
		if size := dev.Info().MaxSubGroup; size > 64 {
			local = size
		}
		nd := runtime.NDRange1{Global: runtime.Range1(local), Local: runtime.Range1(local)}
		r := rand.New(rand.NewPCG(1, 2))
		for _, width := range []int{4, 8, 12, 7} {
			k, want := partsHalf(r, width)
			if err := gen.RunPartsHalf(context.Background(), dev, k, nd); err != nil {
				t.Fatal(err)
			}
			if diff := difftest.Diff(k.C, want, false); diff != "" {
				t.Errorf("halves, width %d: %s", width, diff)
			}
			if width%4 != 0 {
				continue
			}
			b, sums := partsByte(r, width)
			if err := gen.RunPartsByte(context.Background(), dev, b, nd); err != nil {
				t.Fatal(err)
			}
			if diff := difftest.Diff(b.C, sums, false); diff != "" {
				t.Errorf("bytes, width %d: %s", width, diff)
			}
		}
	})
}

// TestPartsNative runs TestParts's kernels in the interpreter, around the pass that packs elements, for a device's
// matrices; afterwards work-group memory consists of vectors if rows of these have 16 bytes.
func TestPartsNative(t *testing.T) {
	all := kernels(t)
	for _, d := range matrix.Known[:2] {
		for _, point := range []string{"tiles", "superwords", "expand"} {
			r := rand.New(rand.NewPCG(3, 4))
			h, floats := partsHalf(r, 7)
			b, sums := partsByte(r, 8)
			inPasses(t, all["PartsHalf"], d, point, &h)
			if diff := difftest.Diff(h.C, floats, false); diff != "" {
				t.Errorf("halves, %s, after %s: %s", d.Device, point, diff)
			}
			inPasses(t, all["PartsByte"], d, point, &b)
			if diff := difftest.Diff(b.C, sums, false); diff != "" {
				t.Errorf("bytes, %s, after %s: %s", d.Device, point, diff)
			}
		}
	}
}

// inPasses interprets a kernel after a pass for the matrices of a device.
func inPasses(t *testing.T, k *abi.Kernel, d matrix.Device, point string, arg any) {
	t.Helper()
	c := &oracle.Kernel{ABI: k, Forms: map[string]string{}}
	n, err := back.CompileNative(k, ir.Target{Tuples: d.Tuples}, func(form string, m *ir.Module) {
		if form == point {
			c.Forms[form] = m.String()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := 16
	if k.Name == "PartsByte" && d.SubGroup == 8 {
		want = 1 // rows of the device's matrices have 8 bytes
	}
	for _, l := range n.Locals[:2] {
		if l.ElemSize != want {
			t.Errorf("%s, %s: work-group memory has elements of %d bytes", k.Name, d.Device, l.ElemSize)
		}
	}
	l := oracle.Launch{Arg: arg, Global: []int{64}, Local: []int{64}, SubGroupSize: d.SubGroup, MaxSteps: 1 << 40}
	if err := l.Run(c, point); err != nil {
		t.Fatalf("%s, %s, after %s: %v", reflect.TypeOf(arg), d.Device, point, err)
	}
}

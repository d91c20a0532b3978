package matrices_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest"
	"github.com/kgen-go/kgen/internal/tests/difftest/matrices"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/matrices/matricesgen"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/internal/tests/wrong"
	"github.com/kgen-go/kgen/internal/tests/wrong/wronggen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// runner launches a kernel, over so many work-items in work-groups of so many, with sub-groups of a size.
type runner interface {
	run(t *testing.T, kernel any, groups, local, sub int) error
}

// TestMatrices compares devices, and the interpreter between passes, with loops in Go. With -short, each runs some of
// the kernels.
func TestMatrices(t *testing.T) {
	t.Run("host", onHost)
	t.Run("coroutines", func(t *testing.T) {
		t.Setenv(env.HostForm, "off")
		onHost(t)
	})
	t.Run("interpreter", func(t *testing.T) {
		points := []string{"built", "arrays", "matrices", "narrow", "deadlanes", "structurize", "expand", "words"}
		if testing.Short() {
			t.Skip("TestSmith multiplies matrices in the interpreter, and TestNativeInterpreter has those of devices: without -short")
		}
		in, err := oracle.OpenCorpus(context.Background(), []string{"."}, points)
		if err != nil {
			t.Fatal(err)
		}
		for _, point := range points {
			x := inInterpreter{in, point}
			all(t, x, 10, 4)
			if point == "arrays" || point == "expand" {
				all(t, x, 3, 8)
				all(t, x, 8, 1)
				all(t, x, 33, 32)
			}
		}
	})
	t.Run("vulkan", func(t *testing.T) {
		from := 1 // other kernels than SwiftShader runs
		if swiftshader.On() {
			from = 3
		}
		onVulkan(t, from, 5)
	})
	t.Run("general", func(t *testing.T) {
		t.Setenv("KGEN_SMALL", "never")
		onVulkan(t, 5, 6)
	})
	t.Run("words", func(t *testing.T) {
		if testing.Short() {
			t.Skip("TestMatricesSwiftShader runs kernels in words: without -short")
		}
		onVulkan(t, 2, 6, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64, properties.FP64))
	})
}

// TestMatricesSwiftShader is TestMatrices, and TestDots, on a second driver.
func TestMatricesSwiftShader(t *testing.T) {
	swiftshader.Run(t, "^(TestMatrices|TestDots|TestCrowded)$/^(vulkan)?$")
}

// onHost runs all kernels with sub-groups of all sizes, in their host forms where they have one.
func onHost(t *testing.T) {
	for _, sub := range []int{1, 4, 8, 32, 128} {
		for _, local := range []int{40, 1, 128} {
			if testing.Short() && local != 40 {
				break
			}
			all(t, onDevice{devtest.Host(t)}, local, sub)
		}
	}
}

// onVulkan runs all kernels, with -short every n-th from one on.
func onVulkan(t *testing.T, from, n int, opts ...runtime.OpenOption) {
	t.Setenv(env.Matrices, "expanded") // which has the same bits everywhere
	dev := devtest.Vulkan(t, opts...)
	sub := dev.Info().MaxSubGroup
	locals := []int{1, 3 * sub, 4*sub + 3, 64}
	if testing.Short() {
		some(t, onDevice{dev}, locals[2], sub, from, n)
		return
	}
	for _, local := range locals {
		all(t, onDevice{dev}, local, sub)
	}
}

type onDevice struct{ dev *runtime.Device }

func (d onDevice) run(t *testing.T, kernel any, groups, local, sub int) error {
	r, with := runtime.NDRange1{Global: runtime.Range1(groups * local), Local: runtime.Range1(local)}, runtime.With(properties.SubGroupSize(sub))
	switch k := kernel.(type) {
	case *matrices.Int8:
		return gen.RunInt8(t.Context(), d.dev, *k, r, with)
	case *matrices.Int8Deep:
		return gen.RunInt8Deep(t.Context(), d.dev, *k, r, with)
	case *matrices.Uint8:
		return gen.RunUint8(t.Context(), d.dev, *k, r, with)
	case *matrices.Half:
		return gen.RunHalf(t.Context(), d.dev, *k, r, with)
	case *matrices.HalfOdd:
		return gen.RunHalfOdd(t.Context(), d.dev, *k, r, with)
	case *matrices.HalfHalf:
		return gen.RunHalfHalf(t.Context(), d.dev, *k, r, with)
	case *matrices.BFloat:
		return gen.RunBFloat(t.Context(), d.dev, *k, r, with)
	case *matrices.Int8Large:
		return gen.RunInt8Large(t.Context(), d.dev, *k, r, with)
	case *matrices.Uint8One:
		return gen.RunUint8One(t.Context(), d.dev, *k, r, with)
	case *matrices.ElementsInt32:
		return gen.RunElementsInt32(t.Context(), d.dev, *k, r, with)
	case *matrices.ElementsUint32:
		return gen.RunElementsUint32(t.Context(), d.dev, *k, r, with)
	case *matrices.ElementsLarge:
		return gen.RunElementsLarge(t.Context(), d.dev, *k, r, with)
	case *matrices.ElementsFloat32:
		return gen.RunElementsFloat32(t.Context(), d.dev, *k, r, with)
	case *matrices.ElementsHalf:
		return gen.RunElementsHalf(t.Context(), d.dev, *k, r, with)
	case *matrices.Values:
		return gen.RunValues(t.Context(), d.dev, *k, r, with)
	case *matrices.Local:
		return gen.RunLocal(t.Context(), d.dev, *k, r, with)
	}
	return fmt.Errorf("no way to run a %T", kernel)
}

type inInterpreter struct {
	kernels *oracle.Set
	point   string
}

func (x inInterpreter) run(t *testing.T, kernel any, groups, local, sub int) error {
	typ := reflect.TypeOf(kernel).Elem()
	k, err := x.kernels.Kernel(typ.PkgPath() + "." + strings.ReplaceAll(typ.Name(), ",", ", "))
	if err != nil {
		return err
	}
	if k == nil {
		return fmt.Errorf("no kernel %s among %q", typ, x.kernels.Names())
	}
	l := oracle.Launch{Arg: kernel, Global: []int{groups * local}, Local: []int{local}, SubGroupSize: sub, MaxSteps: 1 << 40}
	return l.Run(k, x.point)
}

// all runs all kernels in work-groups of a size.
func all(t *testing.T, r runner, local, sub int) {
	t.Helper()
	some(t, r, local, sub, 0, 1)
}

// some runs every n-th kernel from one on.
func some(t *testing.T, r runner, local, sub, from, n int) {
	t.Helper()
	large := func() { // whose elements take longer
		if fits(r, local, sub, 64*64, 1) {
			product(t, r, "Int8Large", local, sub, 64, 4, 64, anyInt[int8], inOrder(integers[int8, int32]))
		}
		if fits(r, local, sub, 20*32, 4) {
			elements(t, r, 20, 32, local, sub, anyInt[uint32], func(x, y uint32) uint32 { return x*y + y })
		}
	}
	for i, run := range []func(){
		func() {
			product(t, r, "Half", local, sub, 16, 16, 16, anyHalf[half.Float16], inOrder(floats[half.Float16]))
		},
		func() { product(t, r, "Int8", local, sub, 16, 16, 16, anyInt[int8], inOrder(integers[int8, int32])) },
		func() { product(t, r, "Uint8", local, sub, 8, 32, 16, anyInt[uint8], inOrder(integers[uint8, uint32])) },
		func() { product(t, r, "HalfHalf", local, sub, 8, 8, 16, anyHalf[half.Float16], inOrder(halves)) },
		func() {
			product(t, r, "BFloat", local, sub, 16, 16, 16, anyHalf[half.BFloat16], inOrder(floats[half.BFloat16]))
		},
		func() { inLocal(t, r, local, sub) },
		func() {
			product(t, r, "HalfOdd", local, sub, 5, 7, 3, anyHalf[half.Float16], inOrder(floats[half.Float16]))
		},
		func() {
			elements(t, r, 4, 8, local, sub, anyHalf[half.Float16], func(x, y half.Float16) half.Float16 { return x.Mul(y).Add(y) })
		},
		func() {
			product(t, r, "Uint8One", local, sub, 1, 1, 1, anyInt[uint8], inOrder(integers[uint8, uint32]))
		},
		func() { elements(t, r, 4, 8, local, sub, anyInt[int32], func(x, y int32) int32 { return x*y + y }) },
		large,
		func() { elements(t, r, 4, 8, local, sub, anyInt[uint32], func(x, y uint32) uint32 { return x*y + y }) },
		func() {
			elements(t, r, 4, 8, local, sub, anyFloat, func(x, y float32) float32 { return float32(x*y) + y })
		},
	} {
		if i%n == from {
			run()
		}
	}
}

// fits reports whether a device takes so many matrices of a size: one whose elements work-items cannot hold lies in
// work-group memory. TestCrowded has those that do not fit there.
func fits(r runner, local, sub, elements, n int) bool {
	d, ok := r.(onDevice)
	least := local % sub
	if least == 0 {
		least = sub
	}
	if !ok || d.dev.Info().Backend == "host" || elements <= matrix.MaxHeld*least {
		return local <= 40
	}
	return (local+sub-1)/sub*(n*4*elements+2048) <= d.dev.Info().Limits.LocalMemory
}

// TestCrowded: a matrix of which a work-item would have too many elements lies in work-group memory, or
// the launch is refused, with the numbers.
func TestCrowded(t *testing.T) {
	t.Setenv(env.Matrices, "expanded")
	dev := devtest.Vulkan(t)
	run := func(local int) error {
		k := matrices.Int8Large{
			A: make([]int8, 256), B: make([]int8, 256), C: make([]int32, 4096), D: make([]int32, 4096*local),
			Steps: 1, StrideA: 4, StrideB: 64, StrideC: 64, StrideD: 64, Area: 4096, Last: 1,
		}
		for i := range k.A {
			k.A[i], k.B[i] = int8(i), int8(3*i)
		}
		if err := gen.RunInt8Large(t.Context(), dev, k, runtime.NDRange1{Global: runtime.Range1(local), Local: runtime.Range1(local)}); err != nil {
			return err
		}
		for i, got := range k.D[:4096] {
			want := int32(0)
			for l := range 4 {
				want += int32(k.A[i/64*4+l]) * int32(k.B[l*64+i%64])
			}
			if got != want {
				t.Fatalf("%d work-items: element %d is %d, want %d", local, i, got, want)
			}
		}
		return nil
	}
	if err := run(1); err != nil {
		t.Errorf("in work-group memory: %v", err)
	}
	size, room := dev.Info().MinSubGroup, dev.Info().Limits.LocalMemory
	local := room/(4*4096)*size + 1 // one sub-group more than there is room for, of one work-item
	err := run(local)
	want := fmt.Sprintf("each work-item of a sub-group of 1 would hold 4096 elements of its matrix dsl.Accumulator[[64][64]int32], and 256 are the most; "+
		"in work-group memory it takes 16384 bytes for each sub-group, %d together, and the device %s has %d", (local+size-1)/size*16384, dev.Name(), room)
	if !errors.Is(err, runtime.ErrKernelNotSupported) || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), fmt.Sprintf("use work-groups whose size is a multiple of %d", size)) {
		t.Errorf("a work-group of %d: %v\nwant %s", local, err, want)
	}
}

func anyInt[T int8 | uint8 | int32 | uint32](r *rand.Rand) T { return T(r.Uint32()) }

func anyFloat(r *rand.Rand) float32 { return float32(r.NormFloat64()) }

// anyHalf returns numbers whose products and sums are mostly inexact, and now and then special ones.
func anyHalf[T half.Float[T]](r *rand.Rand) T {
	switch r.IntN(200) {
	case 0:
		return half.Largest[T]()
	case 1:
		return half.FromFloat32[T](0x1p-24) // the least Float16; BFloat16 has some that are subnormal as float32s
	case 2:
		return 0
	}
	return half.FromFloat32[T](float32(r.NormFloat64()))
}

// anyOf returns an element of an accumulator.
func anyOf[F any](r *rand.Rand) (x F) {
	switch x := any(&x).(type) {
	case *int32:
		*x = anyInt[int32](r)
	case *uint32:
		*x = anyInt[uint32](r)
	case *float32:
		*x = anyFloat(r)
	case *half.Float16:
		*x = anyHalf[half.Float16](r)
	}
	return x
}

// judge compares got with c + x[0]*y[0] + x[1]*y[1] + … and returns the difference as a text, "" if there is none.
type judge[E, F any] func(got, c F, x, y []E) string

// inOrder wants the sum that add comes to, in the order of the products.
func inOrder[E, F any](add func(sum F, x, y E) F) judge[E, F] {
	return func(got, c F, x, y []E) string {
		for i := range x {
			c = add(c, x[i], y[i])
		}
		return difftest.Diff(got, c, false)
	}
}

// The functions below return sum + x*y.

func integers[E int8 | uint8, F int32 | uint32](sum F, x, y E) F { return sum + F(x)*F(y) }

func floats[E half.Float[E]](sum float32, x, y E) float32 {
	return sum + float32(x.Float32()*y.Float32())
}

func halves(sum, x, y half.Float16) half.Float16 {
	return half.FromFloat32[half.Float16](sum.Float32() + float32(x.Float32()*y.Float32()))
}

// product runs a kernel for all layouts. Its matrices have m rows of n elements, and products k.
func product[E, F any](t *testing.T, r runner, name string, local, sub, m, k, n int, anyE func(*rand.Rand) E, judge judge[E, F]) {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(local), uint64(sub)))
	for layouts := range 4 {
		const groups, steps = 2, 3
		inA, inB := layouts&1 != 0, layouts&2 != 0
		inC, inD := layouts == 1 || layouts == 2, layouts >= 2
		perGroup := (local + sub - 1) / sub
		type matrix struct {
			stride, next int
			columns      bool
			rows, cols   int
		}
		place := func(rows, cols, more int, columns bool) matrix {
			lines, length := rows, cols
			if columns {
				lines, length = cols, rows
			}
			return matrix{length + more, (lines-1)*(length+more) + length, columns, rows, cols}
		}
		at := func(x matrix, i, j int) int {
			if x.columns {
				return j*x.stride + i
			}
			return i*x.stride + j
		}
		a, b, c, d := place(m, k, layouts, inA), place(k, n, 3, inB), place(m, n, 0, inC), place(m, n, layouts, inD)
		fill := func(count int) []E {
			s := make([]E, count)
			for i := range s {
				s[i] = anyE(random)
			}
			return s
		}
		as, bs := fill(steps*a.next+2), fill(steps*b.next+2)
		cs := make([]F, c.next+2)
		for i := range cs {
			cs[i] = anyOf[F](random)
		}
		ds := make([]F, groups*perGroup*d.next)
		last := 0
		if layouts == 3 {
			last = groups*perGroup - 1
		}
		kernel := newKernel(name)
		v := reflect.ValueOf(kernel).Elem()
		for field, x := range map[string]any{
			"A": as, "B": bs, "C": cs, "D": ds, "Steps": steps, "NextA": a.next, "NextB": b.next,
			"StrideA": a.stride, "StrideB": b.stride, "StrideC": c.stride, "StrideD": d.stride, "Area": d.next,
			"ColumnsA": inA, "ColumnsB": inB, "ColumnsC": inC, "ColumnsD": inD, "Last": last,
		} {
			v.FieldByName(field).Set(reflect.ValueOf(x))
		}
		if err := r.run(t, kernel, groups, local, sub); err != nil {
			t.Fatalf("%s, %d work-items in sub-groups of %d: %v", name, local, sub, err)
		}
		xs, ys := make([]E, steps*k), make([]E, steps*k)
		for s := range groups * perGroup {
			if last > 0 && s >= last {
				break
			}
			off := s % 3
			for i := range m {
				for j := range n {
					for l := range steps * k {
						xs[l], ys[l] = as[off+l/k*a.next+at(a, i, l%k)], bs[off+l/k*b.next+at(b, l%k, j)]
					}
					got := &ds[s*d.next+at(d, i, j)]
					if wrong := judge(*got, cs[off+at(c, i, j)], xs, ys); wrong != "" {
						t.Fatalf("%s, %d work-items in sub-groups of %d, layouts %d, row %d and column %d of sub-group %d: %s", name, local, sub, layouts, i, j, s, wrong)
					}
					*got = *new(F)
				}
			}
		}
		if diff := difftest.Diff(ds, make([]F, len(ds)), false); diff != "" {
			t.Fatalf("%s, %d work-items in sub-groups of %d, layouts %d: stored between rows: %s", name, local, sub, layouts, diff)
		}
	}
}

func newKernel(name string) any {
	return map[string]func() any{
		"Int8": func() any { return new(matrices.Int8) }, "Int8Deep": func() any { return new(matrices.Int8Deep) }, "Uint8": func() any { return new(matrices.Uint8) },
		"Half": func() any { return new(matrices.Half) }, "HalfOdd": func() any { return new(matrices.HalfOdd) },
		"HalfHalf": func() any { return new(matrices.HalfHalf) }, "BFloat": func() any { return new(matrices.BFloat) },
		"Int8Large": func() any { return new(matrices.Int8Large) }, "Uint8One": func() any { return new(matrices.Uint8One) },
	}[name]()
}

func elements[E comparable](t *testing.T, r runner, rows, cols, local, sub int, anyE func(*rand.Rand) E, f func(x, y E) E) {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(local), uint64(sub)))
	const groups = 2
	area := rows * cols
	perGroup := (local + sub - 1) / sub
	n := groups * perGroup
	in, by := make([]E, area*n), anyE(random)
	for i := range in {
		in[i] = anyE(random)
		if i%5 == 0 {
			in[i] = in[0]
		}
	}
	out, counts, firsts := make([]E, 2*area*n), make([]int32, groups*local), make([]E, groups*local)
	var kernel any
	switch in := any(in).(type) {
	case []int32:
		kernel = &matrices.ElementsInt32{Rows: rows, Cols: cols, In: in, Out: any(out).([]int32), By: any(by).(int32), Counts: counts, Firsts: any(firsts).([]int32)}
	case []uint32:
		if area > 32 {
			kernel = &matrices.ElementsLarge{Rows: rows, Cols: cols, In: in, Out: any(out).([]uint32), By: any(by).(uint32), Counts: counts, Firsts: any(firsts).([]uint32)}
			break
		}
		kernel = &matrices.ElementsUint32{Rows: rows, Cols: cols, In: in, Out: any(out).([]uint32), By: any(by).(uint32), Counts: counts, Firsts: any(firsts).([]uint32)}
	case []float32:
		kernel = &matrices.ElementsFloat32{Rows: rows, Cols: cols, In: in, Out: any(out).([]float32), By: any(by).(float32), Counts: counts, Firsts: any(firsts).([]float32)}
	case []half.Float16:
		kernel = &matrices.ElementsHalf{Rows: rows, Cols: cols, In: in, Out: any(out).([]half.Float16), By: any(by).(half.Float16), Counts: counts, Firsts: any(firsts).([]half.Float16)}
	}
	if err := r.run(t, kernel, groups, local, sub); err != nil {
		t.Fatalf("%T, %d work-items in sub-groups of %d: %v", kernel, local, sub, err)
	}
	want := make([]E, len(out))
	for s := range n {
		for i := range area {
			y := f(in[s*area+i], by)
			want[2*s*area+i] = y
			z := by
			if y == by {
				z = y
			}
			want[2*s*area+area+i%cols*rows+i/cols] = z
		}
	}
	if d := difftest.Diff(out, want, false); d != "" {
		t.Fatalf("%T, %d work-items in sub-groups of %d: %s", kernel, local, sub, d)
	}
	// Each work-item has elements of its own, and all have some work-item.
	for g := range groups {
		for s := range perGroup {
			sum, size := 0, min(sub, local-s*sub)
			for i := range size {
				sum += int(counts[g*local+s*sub+i])
			}
			if sum != area {
				t.Fatalf("%T, %d work-items in sub-groups of %d: they have %d elements, want %d", kernel, local, sub, sum, area)
			}
			if first := firsts[g*local+s*sub]; first != want[2*(g*perGroup+s)*area] && first == first {
				t.Fatalf("%T, %d work-items in sub-groups of %d: the first element is %v, want %v", kernel, local, sub, first, want[2*(g*perGroup+s)*area])
			}
		}
	}
}

func inLocal(t *testing.T, r runner, local, sub int) {
	t.Helper()
	perGroup := (local + sub - 1) / sub
	if perGroup > 64 {
		return
	}
	random := rand.New(rand.NewPCG(uint64(local), uint64(sub)))
	const groups = 2
	k := matrices.Local{In: make([]half.Float16, 32*groups*perGroup), Out: make([]half.Float16, 16*groups*perGroup)}
	for i := range k.In {
		k.In[i] = anyHalf[half.Float16](random)
	}
	want := make([]half.Float16, len(k.Out))
	for s := range groups * perGroup {
		in := k.In[s*32:][:32]
		for i := range 4 {
			for j := range 4 {
				var sum half.Float16
				for range 2 {
					for l := range 8 {
						sum = halves(sum, in[i*8+l], in[j*8+l])
					}
				}
				want[s*16+i*4+j] = sum
			}
		}
	}
	if err := r.run(t, &k, groups, local, sub); err != nil {
		t.Fatalf("Local, %d work-items in sub-groups of %d: %v", local, sub, err)
	}
	if d := difftest.Diff(k.Out, want, false); d != "" {
		t.Fatalf("Local, %d work-items in sub-groups of %d: %s", local, sub, d)
	}
}

// TestOutOfReach has matrices that are not all in their slice.
func TestOutOfReach(t *testing.T) {
	test := func(t *testing.T, dev *runtime.Device, kind string, change func(k *matrices.Int8)) {
		t.Helper()
		k := matrices.Int8{
			A: make([]int8, 400), B: make([]int8, 400), C: make([]int32, 400), D: make([]int32, 16*400),
			Steps: 1, StrideA: 16, StrideB: 16, StrideC: 16, StrideD: 16, Area: 256,
		}
		change(&k)
		err := gen.RunInt8(t.Context(), dev, k, runtime.NDRange1{Global: 16, Local: 16})
		var fault *runtime.Fault
		if !errors.As(err, &fault) {
			t.Fatalf("%s: error %v, want a fault", dev.Name(), err)
		}
		if !strings.Contains(fault.Error(), kind) || !strings.Contains(fault.Pos, "kernels.go:") || len(fault.GlobalID) != 1 {
			t.Errorf("%s: %v, want %s", dev.Name(), fault, kind)
		}
	}
	for _, dev := range []*runtime.Device{devtest.Host(t), devtest.Vulkan(t)} {
		test(t, dev, "index out of range [255] with length 254", func(k *matrices.Int8) { k.A = k.A[:254] })
		test(t, dev, "index out of range [615] with length 400", func(k *matrices.Int8) { k.StrideB = 40 })
		test(t, dev, "index out of range [255] with length 0", func(k *matrices.Int8) { k.C = nil })
		test(t, dev, "index out of range [375] with length 300", func(k *matrices.Int8) { k.StrideD, k.D = 24, k.D[:300] })
		for _, stride := range []int{-1, -1 << 63, 1 << 60, 1<<63 - 1} {
			test(t, dev, "a matrix's stride is negative, too large", func(k *matrices.Int8) { k.StrideA = stride })
		}
		test(t, dev, "a matrix's stride is negative, too large", func(k *matrices.Int8) { k.StrideD = 15 })
	}
}

// TestNotSame: the host panics if work-items of a sub-group use a matrix differently, in a host form and without.
func TestNotSame(t *testing.T) {
	for _, form := range []string{"on", "off"} {
		t.Setenv(env.HostForm, form)
		k := wrong.MatrixOfEach{Mem: wrong.Mem{N: 4, X: make([]int32, 64), Y: make([]int32, 64), Scratch: dsl.LocalLen[int32](1)}}
		err := wronggen.RunMatrixOfEach(t.Context(), devtest.Host(t), k, runtime.NDRange1{Global: 8, Local: 4})
		var fault *runtime.Fault
		if !errors.As(err, &fault) || fault.Message != matrix.NotSame {
			t.Fatalf("with host forms %s: error %v", form, err)
		}
		if form == "on" && (!strings.Contains(fault.Pos, "wrong/kernel.go:") || !slices.Equal(fault.GlobalID, []int{1})) {
			t.Errorf("with host forms %s: %v", form, err)
		}
	}
}

// TestDots compares products of four numbers with package dsl's, which has a test of its own.
func TestDots(t *testing.T) {
	edges, bytes := []int32{0, -1, 1<<31 - 1, -1 << 31, 1<<31 - 65536, -1<<31 + 65535}, []uint8{0, 1, 127, 128, 255}
	const n = 4096
	random := rand.New(rand.NewPCG(3, 4))
	make4 := func() matrices.Dots {
		return matrices.Dots{
			A: make([][4]int8, n), B: make([][4]int8, n), U: make([][4]uint8, n), V: make([][4]uint8, n), Acc: make([]int32, n),
			Signed: make([][4]int32, n), Unsigned: make([][2]uint32, n),
		}
	}
	k, want := make4(), make4()
	for i := range n {
		k.Acc[i] = edges[random.IntN(len(edges))]
		for j := range 4 {
			k.U[i][j], k.V[i][j] = bytes[random.IntN(len(bytes))], uint8(random.Uint32())
			if i%2 == 0 {
				k.V[i][j] = bytes[random.IntN(len(bytes))]
			}
			k.A[i][j], k.B[i][j] = int8(k.U[i][j]), int8(k.V[i][j])
		}
	}
	want.A, want.B, want.U, want.V, want.Acc = k.A, k.B, k.U, k.V, k.Acc
	if err := gen.RunDots(t.Context(), devtest.Host(t), want, n); err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"", "always", "never"} { // by instructions for it, where the device has them
		t.Setenv(env.Dots, way)
		for _, dev := range []*runtime.Device{
			devtest.Vulkan(t), devtest.Vulkan(t, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64, properties.FP64)),
		} {
			clear(k.Signed)
			clear(k.Unsigned)
			if err := gen.RunDots(t.Context(), dev, k, n); err != nil {
				t.Fatal(err)
			}
			if d := difftest.Diff(k, want, false); d != "" {
				t.Errorf("%s, %s=%s: %s", dev.Name(), env.Dots, way, d)
			}
		}
	}
	in, err := oracle.OpenCorpus(t.Context(), []string{"."}, []string{"built", "expand"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := in.Kernel(reflect.TypeFor[matrices.Dots]().PkgPath() + ".Dots")
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	for _, point := range []string{"built", "expand"} {
		clear(k.Signed)
		l := oracle.Launch{Arg: &k, Global: []int{n}, Local: []int{1}, MaxSteps: 1 << 40}
		if err := l.Run(c, point); err != nil {
			t.Fatal(err)
		}
		if d := difftest.Diff(k, want, false); d != "" {
			t.Errorf("%s: %s", point, d)
		}
	}
}

// TestValues compares matrices in variables with gc's code on the host.
func TestValues(t *testing.T) {
	points := []string{"built", "arrays", "expand"}
	if testing.Short() {
		points = points[2:]
	}
	in, err := oracle.OpenCorpus(t.Context(), []string{"."}, points)
	if err != nil {
		t.Fatal(err)
	}
	dev := devtest.Vulkan(t)
	for pick := range 3 {
		run := func(where string, r runner, sub int) []int32 {
			k := &matrices.Values{Pick: pick, In: make([]int32, 16), Out: make([]int32, 16*matrices.ValueResults)}
			for i := range k.In {
				k.In[i] = int32(i*i - 3)
			}
			if err := r.run(t, k, 1, sub, sub); err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			return k.Out
		}
		want := run("host", onDevice{devtest.Host(t)}, 4)
		if want[16*(matrices.ValueResults-1)+3] == 0 {
			t.Error("the host leaves results out")
		}
		for _, point := range points {
			if d := difftest.Diff(run(point, inInterpreter{in, point}, 8), want, false); d != "" {
				t.Errorf("%s, %d: %s", point, pick, d)
			}
		}
		if testing.Short() {
			continue // lavapipe compiles the kernel for ten seconds
		}
		if d := difftest.Diff(run("vulkan", onDevice{dev}, dev.Info().MaxSubGroup), want, false); d != "" {
			t.Errorf("vulkan, %d: %s", pick, d)
		}
	}
}

// TestFaulty: where a work-item faults, the others of its sub-group lack elements, and the launch ends with the fault.
func TestFaulty(t *testing.T) {
	for _, dev := range []*runtime.Device{devtest.Host(t), devtest.Vulkan(t)} {
		for _, bad := range []int{0, 5, 63} {
			k := matrices.Faulty{Bad: bad, In: make([]int32, 128), Out: make([]int32, 16*128)}
			err := gen.RunFaulty(t.Context(), dev, k, runtime.NDRange1{Global: 64, Local: 64})
			var fault *runtime.Fault
			if !errors.As(err, &fault) || fault.GlobalID[0] != bad || !strings.Contains(err.Error(), "index out of range [-1]") {
				t.Errorf("%s: got %v, want the fault of work-item %d", dev.Name(), err, bad)
			}
		}
	}
}

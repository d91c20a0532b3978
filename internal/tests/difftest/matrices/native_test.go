package matrices_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl/half"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest"
	"github.com/kgen-go/kgen/internal/tests/difftest/matrices"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/matrices/matricesgen"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// nativeDevice is a device that has matrices of its own.
type nativeDevice struct {
	onDevice
	log bytes.Buffer
	sub int
}

func openNative(t *testing.T) *nativeDevice {
	d := &nativeDevice{}
	log := slog.New(slog.NewTextHandler(&d.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	d.dev = devtest.Vulkan(t, runtime.Logger(log))
	if d.sub = d.dev.Info().MaxSubGroup; len(d.dev.Info().Matrices) == 0 {
		need.Missing(t, need.Matrices, "the device %s has no matrices of its own; make mesa runs this on one", d.dev.Name())
	}
	for _, m := range d.dev.Info().Matrices {
		t.Log(m)
	}
	return d
}

var compiledAs = regexp.MustCompile(`msg="kgen: kernel compiled" kernel=matrices\.(\w+) .* variant=(\w+)`)

// took checks that all modules of a kernel used the device's matrices, or that none did.
func (d *nativeDevice) took(t *testing.T, kernel string, native bool) {
	t.Helper()
	found := false
	for _, m := range compiledAs.FindAllStringSubmatch(d.log.String(), -1) {
		if m[1] != kernel {
			continue
		}
		found = true
		if (m[2] == "native") != native {
			t.Errorf("%s took the module %s; log:\n%s", kernel, m[2], d.log.String())
			return
		}
	}
	if !found {
		t.Errorf("%s was not compiled", kernel)
	}
}

// has reports whether the device has a product of the given types.
func (d *nativeDevice) has(elem, of string) bool {
	return slices.ContainsFunc(d.dev.Info().Matrices, func(m runtime.MatrixProduct) bool { return m.Elem == elem && m.Of == of })
}

// depth returns the least number of products that the device may add at once.
func (d *nativeDevice) depth(elem, of string) int {
	k := math.MaxInt
	for _, m := range d.dev.Info().Matrices {
		if m.Elem == elem && m.Of == of {
			k = min(k, m.K)
		}
	}
	return k
}

// TestNative compares products of a device's own matrices with loops in Go: integers are the same, and floats within
// the bound of docs/matrices.md.
func TestNative(t *testing.T) {
	d := openNative(t)
	for _, local := range []int{4 * d.sub, d.sub} {
		if d.has("int8", "int32") {
			product(t, d, "Int8", local, d.sub, 16, 16, 16, anyInt[int8], inOrder(integers[int8, int32]))
			product(t, d, "Int8Deep", local, d.sub, 16, 32, 16, anyInt[int8], inOrder(integers[int8, int32]))
			product(t, d, "Int8Deep", local, d.sub, 16, 32, 16, func(*rand.Rand) int8 { return -128 }, inOrder(integers[int8, int32]))
		}
		if d.has("uint8", "uint32") {
			product(t, d, "Uint8", local, d.sub, 8, 32, 16, anyInt[uint8], inOrder(integers[uint8, uint32]))
			product(t, d, "Uint8", local, d.sub, 8, 32, 16, func(*rand.Rand) uint8 { return 255 }, inOrder(integers[uint8, uint32]))
		}
		for i, any := range adversaries[half.Float16]() {
			if i > 0 && local == d.sub {
				break
			}
			if d.has("half.Float16", "float32") {
				product(t, d, "Half", local, d.sub, 16, 16, 16, any, bounded[half.Float16, float32](d.depth("half.Float16", "float32")))
			}
			if d.has("half.Float16", "half.Float16") {
				product(t, d, "HalfHalf", local, d.sub, 8, 8, 16, any, bounded[half.Float16, half.Float16](d.depth("half.Float16", "half.Float16")))
			}
		}
	}
	if d.has("half.BFloat16", "float32") {
		for _, any := range adversaries[half.BFloat16]() {
			normal := func(r *rand.Rand) half.BFloat16 { // a device may take the others for zeros
				if x := any(r); x.IsNaN() || math.Abs(float64(x.Float32())) >= 0x1p-126 {
					return x
				}
				return 0
			}
			product(t, d, "BFloat", 2*d.sub, d.sub, 16, 16, 16, normal, bounded[half.BFloat16, float32](d.depth("half.BFloat16", "float32")))
		}
		d.took(t, "BFloat", true)
	}
	for kernel, types := range map[string][2]string{"Int8Deep": {"int8", "int32"}, "Half": {"half.Float16", "float32"}} {
		if d.has(types[0], types[1]) {
			d.took(t, kernel, true)
		}
	}
}

// adversaries returns functions that return elements of matrices: some whose sums cancel, subnormal ones, large ones
// whose partial sums overflow, infinities and NaNs.
func adversaries[T half.Float[T]]() []func(*rand.Rand) T {
	of := func(f func(r *rand.Rand) float32) func(*rand.Rand) T {
		return func(r *rand.Rand) T { return half.FromFloat32[T](f(r)) }
	}
	pick := func(xs ...float32) func(*rand.Rand) T {
		return of(func(r *rand.Rand) float32 { return xs[r.IntN(len(xs))] })
	}
	return []func(*rand.Rand) T{
		anyHalf[T],
		of(func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }),
		pick(2048, -2048, 2047, -2047, 1, -1, 0x1p-14),
		pick(255, -255, 254.875, -0x1p-11, 0x1p-24, 0x1.004p0),
		of(func(r *rand.Rand) float32 { return float32(r.IntN(2048)-1024) * 0x1p-24 }),
		pick(65504, -65504, 65472, 0x1p-24),
		of(func(r *rand.Rand) float32 {
			if r.IntN(100) == 0 {
				return float32(math.Inf(1 - 2*r.IntN(2)))
			}
			return float32(r.NormFloat64())
		}),
		of(func(r *rand.Rand) float32 {
			if r.IntN(200) == 0 {
				return float32(math.NaN())
			}
			return float32(r.NormFloat64())
		}),
	}
}

// bounded wants a sum within the bound for devices that add so many products at once. A sum with an operand
// that is not finite must not be finite.
func bounded[E half.Float[E], F float32 | half.Float16](depth int) judge[E, F] {
	return func(got, c F, x, y []E) string {
		ulp, tiny, most := 0x1p-23, 0x1p-126, 0x1p127
		g, start := 0.0, 0.0
		switch v := any(got).(type) {
		case half.Float16:
			g, start = float64(v.Float32()), float64(any(c).(half.Float16).Float32())
			ulp, tiny, most = 0x1p-10, 0x1p-14, 0x1p15
		case float32:
			g, start = float64(v), float64(any(c).(float32))
		}
		sum, size, special := new(big.Float).SetPrec(400), math.Abs(start), start
		for i := range x {
			p := float64(x[i].Float32()) * float64(y[i].Float32()) // exact
			size += math.Abs(p)
			special += p
		}
		switch {
		case math.IsNaN(special):
			if !math.IsNaN(g) {
				return fmt.Sprintf("got %v, want NaN", g)
			}
			return ""
		case math.IsInf(size, 0): // a finite partial sum may have overflowed to the other infinity
			if !math.IsNaN(g) && g != special {
				return fmt.Sprintf("got %v, want %v or NaN", g, special)
			}
			return ""
		case size >= most:
			return "" // partial sums may overflow, which depends on the order
		}
		sum.SetFloat64(start)
		for i := range x {
			p := new(big.Float).SetFloat64(float64(x[i].Float32()) * float64(y[i].Float32()))
			sum.Add(sum, p)
		}
		want, _ := sum.Float64()
		n := float64(len(x))
		bound := (n+math.Ceil(n/float64(depth)))*ulp*size + n*tiny
		if e := math.Abs(g - want); !(e <= bound) {
			return fmt.Sprintf("got %v, want %v with an error of at most %v; it is %v", g, want, bound, e)
		}
		return ""
	}
}

// tiled runs Tiled once for each place in work-group memory, and judges its results.
func tiled[SA, SB, SC any, E, F comparable](t *testing.T, d *nativeDevice, depth int, run func(k matrices.Tiled[SA, SB, SC, E, F], r runtime.NDRange1) error,
	anyE func(*rand.Rand) E, by, one F, judge judge[E, F]) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	const groups = 2
	local := matrices.TiledGroups * d.sub
	for _, place := range [][2]int{{0, 0}, {0, 8}, {1, 0}, {5, 1}, {16, 7}, {8, 8}} {
		n := groups * matrices.TiledGroups
		k := matrices.Tiled[SA, SB, SC, E, F]{
			A: make([]E, 16*depth*n), B: make([]E, 16*depth*n), C: make([]F, 256*n), Out: make([]F, 256*n), By: by, One: one,
			Depth: depth, At: place[0], Stride: depth + place[1], Bad: -1,
			Counts: make([]int32, groups*local), Firsts: make([]F, groups*local),
		}
		for i := range k.A {
			k.A[i], k.B[i] = anyE(random), anyE(random)
		}
		for i := range k.C {
			k.C[i] = anyOf[F](random)
		}
		if err := run(k, runtime.NDRange1{Global: runtime.Range1(groups * local), Local: runtime.Range1(local)}); err != nil {
			t.Fatalf("at %v: %v", place, err)
		}
		x, y := make([]E, 2*depth), make([]E, 2*depth)
		for s := range n {
			for i := range 16 {
				for j := range 16 {
					for l := range x {
						x[l], y[l] = k.A[(s*16+i)*depth+l%depth], k.B[(s*16+j)*depth+l%depth]
					}
					if wrong := judge(k.Out[s*256+j*16+i], k.C[s*256+i*16+j], x, y); wrong != "" {
						t.Fatalf("%T at %v, row %d and column %d of sub-group %d: %s", k, place, i, j, s, wrong)
					}
				}
			}
		}
		sum := 0
		for i, c := range k.Counts {
			sum += int(c)
			mine := k.Out[i/d.sub*256:][:256]
			if f := k.Firsts[i]; f == f && !slices.Contains(mine, f) {
				t.Fatalf("%T: work-item %d has an element %v that its sub-group has not", k, i, f)
			}
		}
		if sum != 256*n {
			t.Errorf("%T: all work-items have %d elements, want %d", k, sum, 256*n)
		}
	}
}

// TestNativeTiled multiplies in work-group memory, and computes with elements.
func TestNativeTiled(t *testing.T) {
	d := openNative(t)
	ctx := t.Context()
	mapped := func(c, one, by uint32) uint32 {
		if c = c*by + one; c == by {
			return one
		}
		return c
	}
	if d.has("int8", "int32") {
		tiled(t, d, 32, func(k matrices.TiledInt8, r runtime.NDRange1) error { return gen.RunTiledInt8(ctx, d.dev, k, r) }, anyInt[int8], -3, 7,
			func(got, c int32, x, y []int8) string {
				for i := range x {
					c = integers(c, x[i], y[i])
				}
				return difftest.Diff(got, int32(mapped(uint32(c), 7, ^uint32(2))), false)
			})
		d.took(t, "TiledInt8", true)
	}
	if d.has("uint8", "uint32") {
		tiled(t, d, 32, func(k matrices.TiledUint8, r runtime.NDRange1) error { return gen.RunTiledUint8(ctx, d.dev, k, r) }, anyInt[uint8], 5, 9,
			func(got, c uint32, x, y []uint8) string {
				for i := range x {
					c = integers(c, x[i], y[i])
				}
				return difftest.Diff(got, mapped(c, 9, 5), false)
			})
		d.took(t, "TiledUint8", true)
	}
	if d.has("half.Float16", "float32") {
		judge := bounded[half.Float16, float32](d.depth("half.Float16", "float32"))
		tiled(t, d, 16, func(k matrices.TiledHalf, r runtime.NDRange1) error { return gen.RunTiledHalf(ctx, d.dev, k, r) }, anyHalf[half.Float16], 2, 0,
			func(got, c float32, x, y []half.Float16) string {
				if got == 0 && judge(1, c, x, y) == "" { // twice 1 became One
					return ""
				}
				return judge(got/2, c, x, y)
			})
		d.took(t, "TiledHalf", true)
	}
	if d.has("half.Float16", "half.Float16") {
		judge := bounded[half.Float16, half.Float16](d.depth("half.Float16", "half.Float16"))
		tiled(t, d, 16, func(k matrices.TiledHalfHalf, r runtime.NDRange1) error {
			return gen.RunTiledHalfHalf(ctx, d.dev, k, r)
		},
			func(r *rand.Rand) half.Float16 { return half.FromFloat32[half.Float16](float32(r.NormFloat64())) },
			half.FromFloat32[half.Float16](2), 0,
			func(got, c half.Float16, x, y []half.Float16) string {
				if one := half.FromFloat32[half.Float16](1); got == 0 && judge(one, c, x, y) == "" {
					return ""
				}
				return judge(got.Mul(half.FromFloat32[half.Float16](0.5)), c, x, y)
			})
		d.took(t, "TiledHalfHalf", true)
	}
}

// TestNativeFixed multiplies in work-group memory whose alignment is known when the kernel is compiled: it is right, or
// wrong. Its small integers have exact sums.
func TestNativeFixed(t *testing.T) {
	d := openNative(t)
	if !d.has("half.Float16", "float32") {
		need.Missing(t, need.Matrices, "the device has no matrices of half.Float16 with sums of float32")
	}
	k := matrices.Fixed{In: make([]half.Float16, 272), Out: make([]float32, 512)}
	in := make([]float32, 288)
	for i := range k.In {
		in[i] = float32(i*i%17 - 8)
		k.In[i] = half.FromFloat32[half.Float16](in[i])
	}
	if err := gen.RunFixed(t.Context(), d.dev, k, runtime.NDRange1{Global: runtime.Range1(d.sub), Local: runtime.Range1(d.sub)}); err != nil {
		t.Fatal(err)
	}
	want := make([]float32, 512)
	for i := range 16 {
		for j := range 16 {
			for l := range 16 {
				a := in[i*16+l]
				want[i*16+j] += a*in[j*16+l] + a*in[1+j*16+l]
				want[256+i*16+j] += a * in[16+j*16+l]
			}
		}
	}
	if diff := difftest.Diff(k.Out, want, false); diff != "" {
		t.Error(diff)
	}
	d.took(t, "Fixed", true)
}

// TestNativeFaulty has one work-item that faults between products of its sub-group: the others go on, and the launch ends
// with the fault.
func TestNativeFaulty(t *testing.T) {
	d := openNative(t)
	if !d.has("int8", "int32") {
		need.Missing(t, need.Matrices, "the device has no matrices of int8")
	}
	local := matrices.TiledGroups * d.sub
	for _, bad := range []int{0, d.sub + 3, local - 1} {
		k := matrices.TiledInt8{
			A: make([]int8, 512*matrices.TiledGroups), B: make([]int8, 512*matrices.TiledGroups), C: make([]int32, 256*matrices.TiledGroups), Out: make([]int32, 256*matrices.TiledGroups),
			By: 1, Depth: 32, Stride: 32, Bad: bad, Counts: make([]int32, local), Firsts: make([]int32, local),
		}
		for i := range k.A {
			k.A[i], k.B[i] = 1, 2
		}
		err := gen.RunTiledInt8(t.Context(), d.dev, k, runtime.NDRange1{Global: runtime.Range1(local), Local: runtime.Range1(local)})
		var fault *runtime.Fault
		if !errors.As(err, &fault) || fault.GlobalID[0] != bad || !strings.Contains(err.Error(), fmt.Sprintf("index out of range [%d]", -1-bad)) {
			t.Errorf("got %v, want the fault of work-item %d", err, bad)
		}
		for s := range matrices.TiledGroups {
			if s == bad/d.sub {
				continue
			}
			for _, x := range k.Out[s*256:][:256] {
				if x != 128 {
					t.Fatalf("sub-group %d, beside that of the fault, has %d, want 128", s, x)
				}
			}
		}
	}
	d.took(t, "TiledInt8", true)
}

// TestNativeOrExpanded: launches whose work-groups have a smaller sub-group, shapes that the device's are no part of, and
// KGEN_MATRICES=expanded have the expanded form, and the log says why.
func TestNativeOrExpanded(t *testing.T) {
	d := openNative(t)
	if !d.has("half.Float16", "float32") {
		need.Missing(t, need.Matrices, "the device has no matrices of half.Float16 with sums of float32")
	}
	product(t, d, "Half", d.sub+1, d.sub, 16, 16, 16, anyHalf[half.Float16], inOrder(floats[half.Float16]))
	product(t, d, "HalfOdd", d.sub, d.sub, 5, 7, 3, anyHalf[half.Float16], inOrder(floats[half.Float16]))
	d.took(t, "Half", false)
	d.took(t, "HalfOdd", false)
	for _, why := range []string{"has a sub-group of less than", "the device has no matrices that MatrixA[[5][7]half.Float16] is made of"} {
		if !strings.Contains(d.log.String(), why) {
			t.Errorf("the log does not say that %s:\n%s", why, d.log.String())
		}
	}
	t.Setenv(env.Matrices, "expanded")
	e := onDevice{devtest.Vulkan(t)}
	if n := len(e.dev.Info().Matrices); n > 0 {
		t.Errorf("%d products with %s=expanded", n, env.Matrices)
	}
	product(t, e, "Half", d.sub, d.sub, 16, 16, 16, anyHalf[half.Float16], inOrder(floats[half.Float16]))
}

// TestNativeGraph: launches that use the device's own matrices are not fused, and the report says so, unless fusion is
// required.
func TestNativeGraph(t *testing.T) {
	d := openNative(t)
	if !d.has("half.Float16", "float32") {
		need.Missing(t, need.Matrices, "the device has no matrices of half.Float16 with sums of float32")
	}
	const why = "matrices.Half: it uses matrices of the device's own, which a fused kernel would expand"
	if report := graphOf(t, d.dev, d.sub, properties.EnableFusion()); report.Fused || !strings.Contains(report.String(), why) {
		t.Errorf("enabled: %v", report)
	}
	d.took(t, "Half", true)
	if report := graphOf(t, d.dev, d.sub, properties.RequireFusion()); !report.Fused {
		t.Errorf("required: %v", report)
	}
	if why := "the launch is of several that were fused"; !strings.Contains(d.log.String(), why) {
		t.Errorf("the log does not say that %s:\n%s", why, d.log.String())
	}
}

// TestGraph: launches whose matrices are expanded become one, where that is required.
func TestGraph(t *testing.T) {
	t.Setenv(env.Matrices, "expanded")
	dev := devtest.Vulkan(t)
	if report := graphOf(t, dev, 2*dev.Info().MaxSubGroup+1, properties.RequireFusion()); !report.Fused {
		t.Error(report)
	}
}

// graphOf runs a graph of two launches of Half, whose matrices have ones, and returns its report.
func graphOf(t *testing.T, dev *runtime.Device, local int, how properties.Property) runtime.FusionReport {
	t.Helper()
	ones := make([]half.Float16, 300)
	for i := range ones {
		ones[i] = half.FromFloat32[half.Float16](1)
	}
	floats := func() *runtime.Buffer[float32] {
		b, err := runtime.BufferOf(dev, make([]float32, 2048))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	in, err := runtime.BufferOf(dev, ones)
	if err != nil {
		t.Fatal(err)
	}
	g, q, zeros := runtime.NewGraph(dev), dev.DefaultQueue(), floats()
	if err := q.BeginRecording(g); err != nil {
		t.Fatal(err)
	}
	var outs []*runtime.Buffer[float32]
	for range 2 {
		out := floats()
		outs = append(outs, out)
		k := gen.Half{A: in.All(), B: in.All(), C: zeros.All(), D: out.All(), Steps: 1, StrideA: 16, StrideB: 16, StrideC: 16, StrideD: 16, Area: 256}
		if _, err := k.ParallelFor(q, runtime.NDRange1{Global: runtime.Range1(local), Local: runtime.Range1(local)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.EndRecording(); err != nil {
		t.Fatal(err)
	}
	ex, err := g.Finalize(how)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Submit(ex); err != nil {
		t.Fatal(err)
	}
	for _, out := range outs {
		got := make([]float32, 256)
		if err := out.Slice(0, 256).CopyTo(t.Context(), q, got); err != nil {
			t.Fatal(err)
		}
		for i, x := range got {
			if x != 16 {
				t.Fatalf("%v: element %d is %v, want 16", how, i, x)
			}
		}
	}
	return ex.Report()
}

package conformance

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	_ "github.com/kgen-go/kgen/checked"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/conformance/ahead"
	"github.com/kgen-go/kgen/internal/tests/conformance/ahead/aheadgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"

	"github.com/kgen-go/kgen/runtime"
)

// inAllWays runs f on all devices, and on the host device also with the kernels' own Go, with
// their host forms, and in checked mode.
func inAllWays(t *testing.T, f func(t *testing.T, dev *runtime.Device)) {
	t.Helper()
	onDevices(t, f)
	if swiftshader.On() {
		return // the host has been tested without it
	}
	for _, form := range []string{"off", "on"} {
		t.Run("host forms "+form, func(t *testing.T) {
			t.Setenv(string(env.HostForm), form)
			f(t, devtest.Host(t))
		})
	}
	t.Run("checked", func(t *testing.T) { f(t, devtest.Host(t, runtime.Checked(1))) })
}

// on returns a buffer of a slice's elements.
func on[T any](t *testing.T, dev *runtime.Device, s []T) runtime.View[T] {
	t.Helper()
	b := must(runtime.BufferOf(dev, s))(t)
	t.Cleanup(func() { b.Close() })
	return b.All()
}

// wantAll compares a buffer with elements.
func wantAll[T comparable](t *testing.T, dev *runtime.Device, v runtime.View[T], want []T) {
	t.Helper()
	got := make([]T, v.Len())
	check(t, v.CopyTo(ctx, dev.DefaultQueue(), got))
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// finished waits for a launch.
func finished(ev runtime.Event, err error) error {
	if err != nil {
		return err
	}
	return ev.Wait(ctx)
}

// A kernel that calls others computes what they do one after the other, to the bit, with memory
// that is internal, and with memory that is not, which has what the first has stored.
func TestAF1_Parts(t *testing.T) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		const n = 301
		in, mid, want := make([]float32, n), make([]float32, n), make([]float32, n)
		affine := func(x float32) float32 { // one rounding, as Fma has
			return float32(math.FMA(float64(float32(1.1)), float64(x), float64(float32(0.3))))
		}
		for i := range in {
			in[i] = float32(i) / 7
			mid[i] = affine(in[i])
			want[i] = affine(mid[i])
		}
		q := dev.DefaultQueue()
		x, tmp, out := on(t, dev, in), on(t, dev, make([]float32, n)), on(t, dev, make([]float32, n))
		check(t, finished(aheadgen.Visible{A: 1.1, B: 0.3, In: x, Tmp: tmp, Out: out}.ParallelFor(q, n)))
		seen := make([]float32, n)
		check(t, tmp.CopyTo(ctx, q, seen))
		result := make([]float32, n)
		check(t, out.CopyTo(ctx, q, result))
		roughly(t, seen, mid)
		roughly(t, result, want)
		check(t, out.CopyFrom(ctx, q, make([]float32, n)))
		check(t, finished(aheadgen.AffineTwice{A: 1.1, B: 0.3, In: x, Out: out}.ParallelFor(q, n)))
		wantAll(t, dev, out, result)
	})
}

// roughly compares floats that may have been rounded once or twice.
func roughly(t *testing.T, got, want []float32) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); d > 1e-6*math.Abs(float64(want[i])) {
			t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// Kernels that are fields of others bring their internal memory along.
func TestAF2_Nested(t *testing.T) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		in, want := make([]float32, n), make([]float32, n)
		for i := range in {
			in[i] = float32(i)
			want[i] = 3*(3*(2*(2*in[i]+1)+1)+5) + 5 // small integers, which are exact
		}
		out := on(t, dev, make([]float32, n))
		k := aheadgen.FourTimes{First: aheadgen.FourTimesFirst{A: 2, B: 1, In: on(t, dev, in)}, Last: aheadgen.FourTimesLast{A: 3, B: 5, Out: out}}
		k.First.Out, k.Last.In = out, out // which the kernel never reads
		check(t, finished(k.ParallelFor(dev.DefaultQueue(), n)))
		wantAll(t, dev, out, want)
	})
}

// Elements have any type that slices have, also in two and three dimensions. What nobody has
// written is zero, in each launch.
func TestAF3_Elements(t *testing.T) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		const w, h = 13, 5
		in, want := ints(w*h, -7), make([]int32, w*h)
		for i, x := range in {
			want[i] = 3*x - x + int32(uint8(x+250))
			if x%2 != 0 {
				want[i] += 7000
			}
		}
		out := on(t, dev, make([]int32, w*h))
		check(t, finished(aheadgen.Rows{In: on(t, dev, in), Out: out}.ParallelFor(q, runtime.Range2{h, w})))
		wantAll(t, dev, out, want)

		const d = 3
		long, all := on(t, dev, make([]int64, d*h*w)), make([]int64, d*h*w)
		for i := range all {
			all[i] = 3000*int64(i) + d*h*w
		}
		check(t, finished(aheadgen.Volume{Out: long}.ParallelFor(q, runtime.Range3{d, h, w})))
		wantAll(t, dev, long, all)

		ones := slices.Repeat([]int32{1}, w*h)
		for range 2 {
			check(t, finished(aheadgen.Unwritten{Out: out}.ParallelFor(q, w*h)))
			wantAll(t, dev, out, ones)
		}
	})
}

// A work-item may have several elements, which it finds by any index among them; the length is
// that of all work-items together.
func TestAF4_Several(t *testing.T) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		const n = 50
		in := make([]int32, 4*n)
		for i := range in {
			in[i] = int32(i * 7919 % 1009)
		}
		want := slices.Clone(in)
		for four := range slices.Chunk(want, 4) {
			slices.Sort(four)
		}
		out := on(t, dev, make([]int32, 4*n))
		check(t, finished(aheadgen.Quads{In: on(t, dev, in), Out: out}.ParallelFor(dev.DefaultQueue(), n)))
		wantAll(t, dev, out, want)

		numbers := ints(n, 1)
		few := on(t, dev, make([]int32, n))
		for range 2 {
			check(t, finished(aheadgen.Sparse{In: on(t, dev, numbers), Out: few}.ParallelFor(dev.DefaultQueue(), n)))
			wantAll(t, dev, few, sparse(numbers))
		}
	})
}

// sparse is what ahead.Sparse stores.
func sparse(in []int32) []int32 {
	out := make([]int32, len(in))
	for i, x := range in {
		out[i] = x % 10 * []int32{1000, 100, 10, 1}[x&3]
	}
	return out
}

// Internal memory lasts across barriers.
func TestAF5_Barriers(t *testing.T) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		const n = 40
		in, want := ints(n, 1), make([]int32, n)
		for i := range want {
			want[i] = 10*in[i] + in[i^1]
		}
		out := on(t, dev, make([]int32, n))
		check(t, finished(aheadgen.Turned{In: on(t, dev, in), Out: out}.ParallelFor(dev.DefaultQueue(), runtime.NDRange1{Global: n, Local: 8})))
		wantAll(t, dev, out, want)
	})
}

// A fault of any part is one of the kernel's, with its place. Others' elements are there.
func TestAF6_Faults(t *testing.T) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		const n = 8
		out := on(t, dev, make([]int32, n))
		err := finished(aheadgen.Inverse{In: on(t, dev, ints(n, 0)), Out: out}.ParallelFor(dev.DefaultQueue(), n))
		var fault *runtime.Fault
		if !errors.As(err, &fault) {
			t.Fatalf("got %v, want a fault", err)
		}
		if !slices.Equal(fault.GlobalID, []int{3}) || !strings.Contains(fault.Error(), "divide by zero") || !strings.Contains(fault.Pos, "kernels.go:") {
			t.Errorf("got %v", fault)
		}
	})
}

// A Run function takes the kernel's struct, and leaves alone what the internal fields have.
func TestAF7_Run(t *testing.T) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		const n = 20
		in, tmp, want := ints(n, 0), slices.Repeat([]int32{-5}, 3), make([]int32, n)
		for i, x := range in {
			want[i] = x * 4 * 5
		}
		k := ahead.ScaleInt{By: 4, In: in, Out: make([]int32, n), Tmp: tmp}
		check(t, aheadgen.RunScaleInt(ctx, dev, k, n))
		if !slices.Equal(k.Out, want) || !slices.Equal(tmp, []int32{-5, -5, -5}) {
			t.Errorf("got %v and %v, want %v", k.Out, tmp, want)
		}
	})
}

// Internal memory is no memory: a kernel of two has one load and one store, and no argument or
// check for what is between. Without the directive it stores that, too.
func TestAF8_Code(t *testing.T) {
	if swiftshader.On() {
		return // the driver makes no difference to the code
	}
	read := must(modules.Read(must(modules.Folder(modules.Module + "/internal/tests/conformance/ahead"))(t)))(t)
	for name, stores := range map[string]int{"AffineTwice": 1, "Visible": 2} {
		k := read[name]
		m := must(ir.Parse(strings.TrimPrefix(k.IR, k.IR[:strings.Index(k.IR, "module ")])))(t)
		ops := map[ir.Op]int{}
		for _, b := range m.Kernel.Blocks {
			for _, v := range b.Insts {
				if r := v.Ref(); r == nil || r.Var == nil {
					ops[v.Op]++
				}
			}
		}
		equal(t, name+": stores", ops[ir.OpStore], stores)
		equal(t, name+": loads", ops[ir.OpLoad], stores) // of Visible pass forward, which comes later, takes one
		equal(t, name+": faults", ops[ir.OpFault], 1+stores)
		equal(t, name+": bytes of arguments", k.ArgSize, 8+16*(1+stores))
	}
}

// The fields of a kernel's struct are in the interpreter what they are on devices, at several
// points of the passes.
func TestAF9_Interpreter(t *testing.T) {
	if swiftshader.On() {
		return
	}
	points := append([]string{"internal", "forward", "narrow"}, oracle.Points...)
	kernels := must(oracle.Corpus(t.Context(), []string{"./ahead"}, points))(t)
	const n = 24
	for _, point := range points {
		in := ints(4*n, -50)
		for i := range in {
			in[i] = in[i] * 31 % 17
		}
		want := slices.Clone(in)
		for four := range slices.Chunk(want, 4) {
			slices.Sort(four)
		}
		quads := &ahead.Quads{In: in, Out: make([]int32, 4*n), Tmp: make([]int32, 4*n)}
		l := oracle.Launch{Global: []int{n}, SubGroupSize: 4, Arg: quads, MaxSteps: 1 << 20}
		check(t, l.Run(kernels[modules.Module+"/internal/tests/conformance/ahead.Quads"], point))
		if !slices.Equal(quads.Out, want) {
			t.Errorf("after %s: Quads gives %v, want %v", point, quads.Out, want)
		}
		few := &ahead.Sparse{In: ints(n, 1), Out: make([]int32, n), Tmp: make([]int32, 4*n)}
		l.Arg = few
		check(t, l.Run(kernels[modules.Module+"/internal/tests/conformance/ahead.Sparse"], point))
		if !slices.Equal(few.Out, sparse(few.In)) {
			t.Errorf("after %s: Sparse gives %v", point, few.Out)
		}
	}
}

// Internal memory that the host has no room for is an error, and what was to be written is poison.
func TestAF10_Room(t *testing.T) {
	if swiftshader.On() {
		return
	}
	t.Setenv(string(env.HostForm), "off")
	dev := devtest.Host(t)
	out := on(t, dev, make([]int64, 8))
	r := runtime.Range3{1 << 12, 1 << 12, 1 << 20} // 128 TiB
	err := finished(aheadgen.Volume{Out: out}.ParallelFor(dev.DefaultQueue(), r))
	wantErr(t, err, runtime.ErrMemoryAllocation)
	if err == nil || !strings.Contains(err.Error(), "Tmp") {
		t.Errorf("got %v, which does not name the field", err)
	}
	wantErr(t, out.CopyTo(ctx, dev.DefaultQueue(), make([]int64, 8)), runtime.ErrMemoryAllocation)
}

// What is internal is used as the work-items' own elements, and else the diagnostic says where it
// is not, why, and what to write.
func TestAF11_Proved(t *testing.T) {
	const fields = "type K struct {\n\tX, Out []int32\n\tW int\n\tTmp []int32 //kgen:internal\n}\nfunc (k K) Kernel(it dsl."
	one := func(body string) string { return fields + "Item1) {\n\ti := it.GlobalID()\n" + body + "\n}" }
	two := func(body string) string {
		return fields + "Item2) {\n\ty, x := it.GlobalID()\n\th, w := it.GlobalRange()\n\t_, _ = h, w\n" + body + "\n}"
	}
	for src, words := range map[string]string{
		one("\tk.Tmp[0] = int32(i)"):                                              "kernels.go:11:7",
		one("\tk.Out[i] = k.Tmp[k.X[i]]"):                                         "leave //kgen:internal out",
		one("\tk.Tmp[i] = 1\n\tk.Tmp[2*i] = 1"):                                   "divides the slice",
		one("\tk.Tmp[i+k.W] = 1"):                                                 "nothing says",
		one("\tk.Tmp[uint8(i)] = 1"):                                              "nothing says",
		one("\tk.Tmp[2*int32(i)] = 1"):                                            "wraps in launches with more than 1073741824",
		one("\tk.Tmp[1<<20*i] = 1"):                                               "too many",
		one("\ts := k.X\n\tif i > 5 {\n\t\ts = k.Tmp\n\t}\n\ts[i] = 1"):           "another slice",
		one("\tp, q := &k.Tmp[i], &k.X[i]\n\tif p == q {\n\t\tk.Out[i] = 1\n\t}"): "address",
		one("\tif k.Tmp == nil {\n\t\tk.Out[i] = 1\n\t}"):                         "compare indices and lengths",
		two("\tk.Tmp[y*k.W+x] = 1"):                                               "it.GlobalRange()",
		two("\tk.Tmp[y*16+x] = 1"):                                                "it.GlobalRange()",
		two("\tk.Tmp[x*h+y] = 1"):                                                 "nothing says",
		fields + "Task) {\n\tk.Tmp[0] = 1\n}":                                     "a task has no work-items",
		"type K struct {\n\tOut []int32\n\tN int //kgen:internal\n}\nfunc (k K) Kernel(it dsl.Item1) { k.Out[0] = int32(k.N) }":       "is no slice",
		"type K struct {\n\tOut []int32\n\tN [2][]int32 //kgen:internal\n}\nfunc (k K) Kernel(it dsl.Item1) { k.Out[0] = k.N[0][0] }": "is no slice",
	} {
		diagnostic(t, "KG506", src, words)
	}
	for _, src := range []string{
		"type K struct {\n\tOut []int32\n\tPart\n}\ntype Part struct {\n\tTmp []int32 //kgen:internal\n}\nfunc (k K) Kernel(it dsl.Item1) { k.Out[0] = 1 }",
		"type K struct {\n\tOut []int32\n\tTmp []int32 //kgen:internal 2\n}\nfunc (k K) Kernel(it dsl.Item1) { k.Out[0] = 1 }",
		"type K struct {\n\tOut []int32\n\tTmp []int32 //kgen:inside\n}\nfunc (k K) Kernel(it dsl.Item1) { k.Out[0] = 1 }",
		"type K struct { Out []int32 }\n//kgen:internal\nfunc (k K) Kernel(it dsl.Item1) { k.Out[0] = 1 }",
	} {
		diagnostic(t, "KG505", src, "//kgen:")
	}
	for _, src := range []string{
		one("\tk.Tmp[i] = 1\n\tk.Out[i] = int32(len(k.Tmp)) + int32(cap(k.Tmp))"),
		one("\tfor j := range k.X {\n\t\tk.Tmp[i] += k.X[j]\n\t}\n\tk.Out[i] = k.Tmp[i]"),
		one("\tif i < len(k.Tmp) {\n\t\tset(k.Tmp[i:i+1], 0)\n\t}\n}\nfunc set(s []int32, i int) {\n\ts[i] = 1"),
		two("\tk.Tmp[y*w+x]++\n\tk.Tmp[it.GlobalLinearID()]++"),
		one("\tk.Out[i] = int32(len(k.Tmp))"),
		one("\tk.Out[i] = 1"),
	} {
		accepted(t, src)
	}
}

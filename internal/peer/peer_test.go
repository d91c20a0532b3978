// Package peer compares kernels with shaders written by hand for the same work:
// in 32-bit arithmetic and without a check.
package peer

import (
	"context"
	"embed"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/examples/nbody/gravity"
	gemmgen "github.com/kgen-go/kgen/generated/examples/matmul/gemm"
	gravitygen "github.com/kgen-go/kgen/generated/examples/nbody/gravity"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/internal/devtest"
	"github.com/kgen-go/kgen/internal/peer/stencil/stencilgen"
	"github.com/kgen-go/kgen/internal/testflag"
	"github.com/kgen-go/kgen/runtime"
)

//go:generate glslc --target-env=vulkan1.2 -O glsl/saxpy.comp -o glsl/saxpy.spv
//go:generate glslc --target-env=vulkan1.2 -O glsl/blur.comp -o glsl/blur.spv
//go:generate glslc --target-env=vulkan1.2 -O glsl/dot.comp -o glsl/dot.spv
//go:generate glslc --target-env=vulkan1.2 -O glsl/matmul.comp -o glsl/matmul.spv
//go:generate glslc --target-env=vulkan1.2 -O glsl/nbody.comp -o glsl/nbody.spv

var (
	scale  = flag.Float64("scale", 0.0001, "how much work, 1 being right for a large GPU")
	rounds = testflag.Int("rounds", 5, 1, math.MaxInt, "measurements of each")
)

//go:embed glsl/*.spv
var shaders embed.FS

// work is something that a kernel and a shader do.
type work struct {
	name string
	// start readies buffers and returns how to launch each once, and their results.
	start func(t *testing.T, dev *runtime.Device) (kernel, shader func(q *runtime.Queue) error, results [2]*runtime.Buffer[float32])
	// launches per measurement
	launches int
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// shader loads the module of a shader that takes the arguments of kernel k.
func shader(dev *runtime.Device, name string, k *runtime.Kernel) *runtime.Kernel {
	raw := must(shaders.ReadFile("glsl/" + name + ".spv"))
	words := make([]uint32, len(raw)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	desc := *k.ABI()
	desc.SPIRV, desc.Variants, desc.Items, desc.Locals = "", nil, 1, nil
	desc.Params = slices.Clone(desc.Params)
	desc.Aspects = nil
	p := must(runtime.LoadModule(dev, words, abi.Kernel{Name: name, Package: "peer", Form: desc.Form, Rank: desc.Rank,
		Params: desc.Params, ArgSize: desc.ArgSize, Properties: desc.Properties}))
	return p.Kernels()[0]
}

func size(n int) int { return max(256, int(float64(n)**scale)) }

func numbers(n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(i*37%101) / 64
	}
	return s
}

func two[T any](f func() T) (a, b T) { return f(), f() }

var works = []work{
	{"saxpy", func(t *testing.T, dev *runtime.Device) (k, s func(q *runtime.Queue) error, r [2]*runtime.Buffer[float32]) {
		n := size(1 << 26)
		x := must(runtime.BufferOf(dev, numbers(n)))
		r[0], r[1] = two(func() *runtime.Buffer[float32] { return must(runtime.BufferOf(dev, numbers(n))) })
		sk := shader(dev, "saxpy", saxpygen.Kernels()[0])
		return func(q *runtime.Queue) error {
				_, err := saxpygen.SAXPY{A: 0.5, X: x.All(), Y: r[0].All()}.ParallelFor(q, runtime.Range1(n))
				return err
			}, func(q *runtime.Queue) error {
				_, err := runtime.LaunchKernel(q, sk, runtime.Range1(n), []any{float32(0.5), x.All(), r[1].All()})
				return err
			}, r
	}, 20},
	{"blur", func(t *testing.T, dev *runtime.Device) (k, s func(q *runtime.Queue) error, r [2]*runtime.Buffer[float32]) {
		n := int(math.Sqrt(float64(size(1 << 26))))
		in := must(runtime.BufferOf(dev, numbers(n*n)))
		r[0], r[1] = two(func() *runtime.Buffer[float32] { return must(runtime.NewBuffer[float32](dev, n*n)) })
		sk := shader(dev, "blur", stencilgen.Kernels()[0])
		return func(q *runtime.Queue) error {
				_, err := stencilgen.Blur{H: n, W: n, In: in.All(), Out: r[0].All()}.ParallelFor(q, runtime.Range2{n, n})
				return err
			}, func(q *runtime.Queue) error {
				_, err := runtime.LaunchKernel(q, sk, runtime.Range2{n, n}, []any{n, n, in.All(), r[1].All()})
				return err
			}, r
	}, 10},
	{"dot", func(t *testing.T, dev *runtime.Device) (k, s func(q *runtime.Queue) error, r [2]*runtime.Buffer[float32]) {
		n := int(math.Sqrt(float64(size(1 << 26))))
		a, x := must(runtime.BufferOf(dev, numbers(n*n))), must(runtime.BufferOf(dev, numbers(n)))
		r[0], r[1] = two(func() *runtime.Buffer[float32] { return must(runtime.NewBuffer[float32](dev, n)) })
		sk := shader(dev, "dot", stencilgen.Kernels()[1])
		return func(q *runtime.Queue) error {
				_, err := stencilgen.Dot{A: a.All(), X: x.All(), Out: r[0].All()}.ParallelFor(q, runtime.Range1(n))
				return err
			}, func(q *runtime.Queue) error {
				_, err := runtime.LaunchKernel(q, sk, runtime.Range1(n), []any{a.All(), x.All(), r[1].All()})
				return err
			}, r
	}, 10},
	{"matmul", func(t *testing.T, dev *runtime.Device) (k, s func(q *runtime.Queue) error, r [2]*runtime.Buffer[float32]) {
		n := max(64, int(4096*math.Cbrt(*scale))) &^ 15
		a, b := two(func() *runtime.Buffer[float32] { return must(runtime.BufferOf(dev, numbers(n*n))) })
		r[0], r[1] = two(func() *runtime.Buffer[float32] { return must(runtime.NewBuffer[float32](dev, n*n)) })
		sk := shader(dev, "matmul", gemmgen.Kernels()[0])
		nd := runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{16, 16}}
		return func(q *runtime.Queue) error {
				_, err := gemmgen.MatMul{M: n, K: n, N: n, A: a.All(), B: b.All(), C: r[0].All()}.ParallelFor(q, nd)
				return err
			}, func(q *runtime.Queue) error {
				_, err := runtime.LaunchKernel(q, sk, nd, []any{n, n, n, a.All(), b.All(), r[1].All()})
				return err
			}, r
	}, 3},
	{"nbody", func(t *testing.T, dev *runtime.Device) (k, s func(q *runtime.Queue) error, r [2]*runtime.Buffer[float32]) {
		n := max(256, int(131072*math.Sqrt(*scale))) &^ 255
		bodies := make([]gravity.Body, n)
		for i := range bodies {
			f := float32(i)
			bodies[i] = gravity.Body{Pos: gravity.Vec3{X: f / 8, Y: float32(i * 37 % 101), Z: float32(i * 11 % 17)}, Mass: 1 + f/float32(n)}
		}
		old := must(runtime.BufferOf(dev, bodies))
		next := must(runtime.NewBuffer[gravity.Body](dev, n))
		va, vb := two(func() *runtime.Buffer[gravity.Vec3] { return must(runtime.BufferOf(dev, make([]gravity.Vec3, n))) })
		var kernel *runtime.Kernel
		for _, g := range gravitygen.Kernels() {
			if g.ABI().Name == "Step" {
				kernel = g
			}
		}
		sk := shader(dev, "nbody", kernel)
		nd := runtime.NDRange1{Global: runtime.Range1(n), Local: 256}
		return func(q *runtime.Queue) error {
				_, err := gravitygen.Step{Dt: 0.01, Softening: 0.5, Old: old.All(), New: next.All(), Velocity: va.All()}.ParallelFor(q, nd)
				return err
			}, func(q *runtime.Queue) error {
				_, err := runtime.LaunchKernel(q, sk, nd, []any{float32(0.01), float32(0.5), old.All(), next.All(), vb.All()})
				return err
			}, r
	}, 3},
}

// TestPeers runs each kernel beside its shader, by turns, and prints the medians.
func TestPeers(t *testing.T) {
	dev := devtest.Vulkan(t)
	t.Logf("%s, scale %g: a launch takes", dev.Name(), *scale)
	ctx, q := context.Background(), dev.DefaultQueue()
	for _, w := range works {
		kernel, shader, results := w.start(t, dev)
		run := func(launch func(q *runtime.Queue) error, n int) time.Duration {
			begin := time.Now()
			for range n {
				if err := launch(q); err != nil {
					t.Fatal(w.name, err)
				}
			}
			if err := q.Wait(ctx); err != nil {
				t.Fatal(w.name, err)
			}
			return time.Since(begin) / time.Duration(n)
		}
		run(kernel, 1)
		run(shader, 1)
		if results[0] != nil {
			compare(t, w.name, q, results)
		}
		var ks, ss []time.Duration
		for range *rounds {
			ks, ss = append(ks, run(kernel, w.launches)), append(ss, run(shader, w.launches))
		}
		slices.Sort(ks)
		slices.Sort(ss)
		k, s := ks[len(ks)/2], ss[len(ss)/2]
		t.Logf("%-8s kernel %10v   shader %10v   %s", w.name, k, s, fmt.Sprintf("%.2f", float64(k)/float64(s)))
	}
}

// compare compares what both have computed.
func compare(t *testing.T, name string, q *runtime.Queue, results [2]*runtime.Buffer[float32]) {
	t.Helper()
	var got [2][]float32
	for i, b := range results {
		got[i] = make([]float32, b.Len())
		if err := b.CopyTo(context.Background(), q, got[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i, x := range got[0] {
		if y := got[1][i]; math.Abs(float64(x-y)) > 1e-4*max(1, math.Abs(float64(y))) {
			t.Fatalf("%s: [%d] = %g, the shader has %g", name, i, x, y)
		}
	}
}

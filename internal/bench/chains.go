package bench

import (
	"fmt"

	kernelsgen "github.com/kgen-go/kgen/internal/bench/kernels/kernelsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// chainWork returns a benchmark row that runs a graph of kernels. Each kernel reads the results of
// the previous kernel. The graph is fused, so values between two kernels stay in registers. Each
// peer is a single hand-written kernel.
func chainWork(kernels int) Work {
	return Work{Group: "Graphs", Name: fmt.Sprintf("chain of %d kernels f32, fused", kernels), Target: "≥ 0.9 CUDA", Sizes: streamSizes, Make: func(b *Bench, n int) (*Job, error) {
		const A, B = 0.75, 0.5
		hx := unitFloats[float32](n, 1)
		x, err1 := memoryOf(b, hx)
		out, err2 := memoryFor[float32](b, n)
		if err := firstSet(err1, err2); err != nil {
			return nil, err
		}
		g := runtime.NewGraph(b.dev)
		from := x.all()
		for i := range kernels {
			to := out.all()
			if i < kernels-1 {
				between, err := memoryFor[float32](b, n)
				if err != nil {
					return nil, err
				}
				to = between.all().With(properties.AccessScope(properties.ScopeWorkItem), properties.FusionInternalMemory(), properties.NoInit())
			}
			if _, err := g.Add(kernelsgen.Step{A: A, B: B, In: from, Out: to}.Node(runtime.Range1(n))); err != nil {
				return nil, err
			}
			from = to
		}
		ex, err := g.Finalize(properties.RequireFusion())
		if err != nil {
			return nil, err
		}
		want := func(i int) float64 {
			v := float64(hx[i])
			for range kernels {
				v = A*v + B
			}
			return v
		}
		submit := b.repeatFunc(func() error { _, err := b.q.Submit(ex); return err })
		j := &Job{Size: sizeText(n), Amount: 8 * float64(n), Unit: Bytes, Sum: out.checksums, Digits: 1e-6, CUDA: []CUDAPeer{{"CUDA", fmt.Sprint("chain", kernels)}}}
		j.Contestants = []Contestant{{kgen, submit, out.fillPoison, out.checkNear(1e-5, want)}}
		if b.cpu {
			ho := make([]float32, n)
			j.Contestants = append(j.Contestants, plainLoop(b, ho, n, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					v := hx[i]
					for range kernels {
						v = A*v + B
					}
					ho[i] = v
				}
			}, func() error { return near(ho, 1e-5, want) })...)
		}
		return j, nil
	}}
}

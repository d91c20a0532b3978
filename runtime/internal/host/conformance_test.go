package host_test

import (
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
)

type backend struct{}

func (backend) Driver() hal.Driver { return host.New() }

func (backend) MakeKernel(name string) hal.PipelineDesc {
	d := backendtest.Desc(name)
	d.Host = &host.Kernel{Func: kernels[name]}
	return d
}

// words returns the suite's slices, all of uint32.
func words(a *host.Args, i int) []uint32 { return host.Slice[uint32](a, i) }

// The suite's kernels in Go.
var kernels = map[string]host.Func{
	"fill": func(a *host.Args) any {
		y, v := words(a, 0), host.Value[uint32](a, 1)
		return func(it dsl.Item1) { y[it.GlobalID()] = v }
	},
	"saxpy": func(a *host.Args) any {
		x, y, f := host.Slice[float32](a, 0), host.Slice[float32](a, 1), host.Value[float32](a, 2)
		return func(it dsl.Item1) {
			i := it.GlobalID()
			y[i] += float32(f * x[i])
		}
	},
	"increment": func(a *host.Args) any {
		x := words(a, 0)
		return func(it dsl.Item1) { x[it.GlobalID()]++ }
	},
	"fault": func(a *host.Args) any {
		x, first := words(a, 0), int(host.Value[uint32](a, 1))
		return func(it dsl.Item1) {
			i := it.GlobalID()
			if i >= first {
				x[i+len(x)] = 0
			}
			x[i] = uint32(i)
		}
	},
	"table": func(a *host.Args) any {
		out, t := words(a, 0), host.Value[[40]uint32](a, 1)
		return func(it dsl.Item1) { out[it.GlobalID()] = t[it.GlobalID()%40] }
	},
	"rows": func(a *host.Args) any {
		x := words(a, 0)
		return func(it dsl.NDItem2) { x[it.GlobalLinearID()] += uint32(it.GlobalLinearID() + 1) }
	},
	"scale": func(a *host.Args) any {
		x := words(a, 0)
		return func(it dsl.Item1) { x[it.GlobalID()] *= 2 }
	},
	"chain": func(a *host.Args) any {
		x, n := words(a, 0), host.Value[uint32](a, 1)
		return func(it dsl.Item1) {
			v := x[it.GlobalID()]
			for range n {
				v = v*1664525 + 1013904223
			}
			x[it.GlobalID()] = v
		}
	},
}

func TestConformance(t *testing.T) {
	backendtest.Run(t, backend{}, 0, "Large", "BarriersReachFar", "FaultMany", "Context")
}

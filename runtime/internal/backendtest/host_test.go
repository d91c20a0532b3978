package backendtest_test

import (
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
)

// The suite's kernels in Go.
var hostKernels = map[string]host.Func{
	"fill": func(a *host.Args) any {
		y, v := host.Slice[uint32](a, 0), host.Value[uint32](a, 1)
		return func(it dsl.Item1) { y[it.GlobalID()] = v }
	},
	"saxpy": func(a *host.Args) any {
		x, y, s := host.Slice[float32](a, 0), host.Slice[float32](a, 1), host.Value[float32](a, 2)
		return func(it dsl.Item1) {
			i := it.GlobalID()
			y[i] += float32(s * x[i])
		}
	},
	"increment": func(a *host.Args) any {
		x := host.Slice[uint32](a, 0)
		return func(it dsl.Item1) { x[it.GlobalID()]++ }
	},
	"fault": func(a *host.Args) any {
		x, first := host.Slice[uint32](a, 0), host.Value[uint32](a, 1)
		return func(it dsl.Item1) {
			i := it.GlobalID()
			if i >= int(first) {
				x[i+len(x)] = 0
			}
			x[i] = uint32(i)
		}
	},
	"table": func(a *host.Args) any {
		out, t := host.Slice[uint32](a, 0), host.Value[[40]uint32](a, 1)
		return func(it dsl.Item1) {
			i := it.GlobalID()
			out[i] = t[i%40]
		}
	},
	"rows": func(a *host.Args) any {
		x := host.Slice[uint32](a, 0)
		return func(it dsl.NDItem2) {
			i := it.GlobalLinearID()
			x[i] += uint32(i) + 1
		}
	},
	"scale": func(a *host.Args) any {
		x := host.Slice[uint32](a, 0)
		return func(it dsl.Item1) { x[it.GlobalID()] *= 2 }
	},
	"chain": func(a *host.Args) any {
		x, n := host.Slice[uint32](a, 0), host.Value[uint32](a, 1)
		return func(it dsl.Item1) {
			v := x[it.GlobalID()]
			for range n {
				v = v*1664525 + 1013904223
			}
			x[it.GlobalID()] = v
		}
	},
}

type hostBackend struct{}

func (hostBackend) Driver() hal.Driver { return host.New() }

func (hostBackend) MakeKernel(name string) hal.PipelineDesc {
	d := backendtest.Desc(name)
	d.Host = &host.Kernel{Func: hostKernels[name]}
	return d
}

func TestHost(t *testing.T) { backendtest.Run(t, hostBackend{}, 0) }

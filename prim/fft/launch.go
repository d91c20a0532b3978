package fft

import (
	"math/bits"
	"reflect"
	"slices"

	"github.com/kgen-go/kgen/dsl"
	kernelsgen "github.com/kgen-go/kgen/generated/prim/fft/kernels"
	"github.com/kgen-go/kgen/prim/fft/kernels"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// planRun is the state of a transform's call while it launches the steps of the plan.
type planRun[T Complex] struct {
	*planCore[T]
	c      *call.Call
	arrays int // number of arrays that are transformed together
	memory [memories]runtime.View[T]
	single bool // whether the elements are complex64
}

// begin() returns a run with its scratch memory.
func (p *planCore[T]) begin(c *call.Call, arrays int, moved bool) *planRun[T] {
	r := &planRun[T]{planCore: p, c: c, arrays: p.chunk(arrays), single: isSingle[T]()}
	for m, n := range p.room {
		if n > 0 && (m != reals || moved) {
			r.memory[m] = call.Room[T](c, n*r.arrays)
		}
	}
	return r
}

// launchSteps launches the steps for the given number of arrays.
func (r *planRun[T]) launchSteps(steps []planStep, back bool, arrays int) {
	for i := range steps {
		s := &steps[i]
		from, to, table := r.memory[s.from], r.memory[s.to], r.table.Slice(s.table.from, s.table.to)
		switch s.kind {
		case ofLines:
			all := r.table.Slice(s.table.from, r.table.Len()) // includes the elements of kernels.Window after the table
			r.launchLines(s, back, flattenDims(append(s.dims[:len(s.dims):len(s.dims)], dim{arrays, s.fromSize, s.size})), from, to, all)
		case ofElements:
			r.launchElements(s, back, arrays, from, to, table)
		default:
			r.launchReals(s, arrays*s.rows, from, to, table)
		}
	}
}

// flattenDims merges dimensions that can become one dimension, and omits dimensions of one element.
func flattenDims(dims []dim) (list []dim) {
	list = make([]dim, 0, len(dims)+2)
	for _, d := range dims {
		if d.n == 1 {
			continue
		}
		if i := len(list) - 1; i >= 0 && d.in == list[i].n*list[i].in && d.out == list[i].n*list[i].out {
			list[i].n *= d.n
			continue
		}
		list = append(list, d)
	}
	for len(list) < 3 {
		list = append(list, dim{n: 1})
	}
	return list
}

// launchLines launches the kernel for lines. The kernel has three dimensions. If there are more,
// launchLines launches the kernel once for each index in the other dimensions.
func (r *planRun[T]) launchLines(s *planStep, back bool, dims []dim, from, to, table runtime.View[T]) {
	if len(dims) > 3 {
		last := dims[len(dims)-1]
		for i := range last.n {
			r.launchLines(s, back, dims[:len(dims)-1], from.Slice(i*last.in, from.Len()), to.Slice(i*last.out, to.Len()), table)
		}
		return
	}
	levels := 0
	for i, d := range dims {
		if d.n > 1 {
			levels = i
		}
	}
	how := &s.forth
	if back {
		how = &s.back
	}
	count, opts := dims[0].n*dims[1].n*dims[2].n, how.opts[levels]
	k := kernelsgen.Lines32{
		Count: uint32(count), Columns: uint32(dims[0].n), Rows: uint32(dims[1].n),
		InStep: uint32(s.inStep), InLine: uint32(dims[0].in), InRow: uint32(dims[1].in), InBlock: uint32(dims[2].in),
		OutStep: uint32(s.step), OutLine: uint32(dims[0].out), OutRow: uint32(dims[1].out), OutBlock: uint32(dims[2].out),
		Turn: uint32(s.table.turn), Width: uint32(s.width), Shifts: uint32(s.near | s.far<<8),
	}
	groups := (count + how.together - 1) / how.together
	if r.single {
		k.In, k.Out, k.Roots = castView[float32](from), castView[float32](to), castView[float32](table)
		if how.twos {
			r.c.Run(kernelsgen.Twos32(k), groups, kernels.Size, opts...)
		} else {
			r.c.Run(k, groups, kernels.Size, opts...)
		}
		return
	}
	r.c.Run(kernelsgen.Lines64{
		In: castView[float64](from), Out: castView[float64](to), Roots: castView[float64](table), Count: k.Count, Columns: k.Columns, Rows: k.Rows,
		InStep: k.InStep, InLine: k.InLine, InRow: k.InRow, InBlock: k.InBlock, OutStep: k.OutStep, OutLine: k.OutLine, OutRow: k.OutRow, OutBlock: k.OutBlock,
		Turn: k.Turn, Width: k.Width, Shifts: k.Shifts,
	}, groups, kernels.Size, opts...)
}

// lineOptions describes how a step transforms lines in one direction.
type lineOptions struct {
	together int                       // number of lines of a work-group
	twos     bool                      // whether the kernel is Twos32
	opts     [3][]runtime.LaunchOption // launch options with the specialization constants, indexed by the value of kernels.Levels
}

// lineOptions returns the options of a step. lineOptions is called when the plan is made. If each
// call made the options, a call would take twice as long.
func (p *planCore[T]) lineOptions(s *planStep, back bool) (how lineOptions) {
	together, opts := p.passOptions(s.radices)
	opts = append(opts,
		runtime.WithSpec(kernels.LoadsLines, s.loads), runtime.WithSpec(kernels.StoresLines, s.stores), runtime.WithSpec(kernels.Interleaved, s.loads || s.stores),
		runtime.WithSpec(kernels.Inverse, s.direction == inverse || s.direction == asPlan && back),
		runtime.WithSpec(kernels.Turned, s.rest > 1), runtime.WithSpec(kernels.Scaled, back && s.last),
	)
	how = lineOptions{together: together, twos: p.usesTwos(product(s.radices))}
	for i := range how.opts {
		how.opts[i] = append(slices.Clip(opts), runtime.WithSpec(kernels.Levels, uint8(i)))
	}
	return how
}

// usesTwos reports whether lines of the given length are transformed by the kernel for powers of
// two. On CPUs the kernel for lines is faster, because CPUs have enough work-group memory for it.
func (p *planCore[T]) usesTwos(length int) bool {
	return isSingle[T]() && length&(length-1) == 0 && !onHost(p.dev.Info())
}

// isSingle reports whether the elements are complex64.
func isSingle[T Complex]() bool { return reflect.TypeFor[T]().Size() == 8 }

// onHost reports whether a device is the host device.
var onHost = func(info runtime.DeviceInfo) bool { return info.Type == runtime.HostCPU }

// passOptions returns the number of lines of a work-group, and the options that describe the passes.
func (p *planCore[T]) passOptions(radices []int) (together int, opts []runtime.LaunchOption) {
	length := product(radices)
	if p.usesTwos(length) {
		together = kernels.MostTwos / length
		for i, c := range []*dsl.SpecConstant[uint8]{kernels.FirstBits, kernels.SecondBits, kernels.ThirdBits} {
			radix := 1
			if i < len(radices) {
				radix = radices[i]
			}
			opts = append(opts, runtime.WithSpec(c, logarithm(radix)))
		}
		return together, append(opts, runtime.WithSpec(kernels.LengthBits, logarithm(length)), runtime.WithSpec(kernels.LinesBits, logarithm(together)))
	}
	together = max(mostOf[T]()/length, 1)
	word, uses := uint32(0), uint32(0)
	for i, radix := range radices {
		word |= uint32(radix-1) << (4 * i)
		uses |= 1 << radix
	}
	return together, []runtime.LaunchOption{
		runtime.WithSpec(kernels.Length, uint16(length)), runtime.WithSpec(kernels.Together, uint16(together)),
		runtime.WithSpec(kernels.Radices, word), runtime.WithSpec(kernels.Uses, uses), runtime.WithSpec(kernels.Passes, uint8(len(radices))),
		runtime.WithSpec(kernels.Room, uint16(2*length*together)),
	}
}

// logarithm() returns the logarithm to base 2 of a power of two.
func logarithm(n int) uint8 { return uint8(bits.TrailingZeros(uint(n))) }

// launchElements launches the kernel Elements for the step s.
func (r *planRun[T]) launchElements(s *planStep, back bool, arrays int, from, to, table runtime.View[T]) {
	g := s.grid
	if arrays > 1 {
		if g[0].n == 1 {
			g[0] = dim{arrays, s.fromSize, s.size}
		} else {
			g[0].n *= arrays // several arrays are stored like one array with more rows
		}
	}
	scale := 1.0
	if back && s.last {
		scale = 1 / float64(r.size)
	}
	k := kernelsgen.Elements32{
		N: uint32(s.n), D1: uint32(g[1].n), D2: uint32(g[2].n),
		In0: uint32(g[0].in), In1: uint32(g[1].in), In2: uint32(g[2].in), Out0: uint32(g[0].out), Out1: uint32(g[1].out), Out2: uint32(g[2].out),
		Inner: s.inner, Swap: s.swap && back, Swapped: s.swapped && back, Scale: float32(scale),
	}
	n := runtime.Range1(g[0].n * g[1].n * g[2].n)
	if r.single {
		k.In, k.Out, k.Table = castView[float32](from), castView[float32](to), castView[float32](table)
		call.Over(r.c, k, n)
		return
	}
	call.Over(r.c, kernelsgen.Elements64{
		In: castView[float64](from), Out: castView[float64](to), Table: castView[float64](table), N: k.N, D1: k.D1, D2: k.D2,
		In0: k.In0, In1: k.In1, In2: k.In2, Out0: k.Out0, Out1: k.Out1, Out2: k.Out2, Inner: k.Inner, Swap: k.Swap, Swapped: k.Swapped, Scale: scale,
	}, n)
}

// launchReals launches the kernels for transforms of real numbers.
func (r *planRun[T]) launchReals(s *planStep, rows int, from, to, table runtime.View[T]) {
	n, perRow := uint32(s.n), s.n/2+1
	if s.kind == ofMirror {
		perRow = s.n
	}
	items := runtime.Range1(rows * perRow)
	switch {
	case s.kind == ofHalves && r.single:
		call.Over(r.c, kernelsgen.Halves32{X: castView[float32](to), Roots: castView[float32](table), Half: n}, items)
	case s.kind == ofHalves:
		call.Over(r.c, kernelsgen.Halves64{X: castView[float64](to), Roots: castView[float64](table), Half: n}, items)
	case s.kind == ofPairs && r.single:
		call.Over(r.c, kernelsgen.Pairs32{X: castView[float32](from), Out: castView[float32](to), Roots: castView[float32](table), Half: n}, items)
	case s.kind == ofPairs:
		call.Over(r.c, kernelsgen.Pairs64{X: castView[float64](from), Out: castView[float64](to), Roots: castView[float64](table), Half: n}, items)
	case r.single:
		call.Over(r.c, kernelsgen.Mirror32{X: castView[float32](from), Out: castView[float32](to), N: n}, items)
	default:
		call.Over(r.c, kernelsgen.Mirror64{X: castView[float64](from), Out: castView[float64](to), N: n}, items)
	}
}

// castView returns a view of complex numbers as a view of the type that the kernels use.
func castView[F kernels.Float, T Complex](v runtime.View[T]) runtime.View[kernels.Complex[F]] {
	return primimpl.Cast[kernels.Complex[F]](v)
}

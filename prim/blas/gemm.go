package blas

import (
	"context"

	kernelsgen "github.com/kgen-go/kgen/generated/prim/blas/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/blas/kernels"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// Gemm sets each matrix of c to alpha*a*b + beta*c. If beta is 0, c is not read, so its elements may
// have any values, such as NaN.
func Gemm[T Float](ctx context.Context, dev *runtime.Device, alpha T, a, b Matrix[T], beta T, c Matrix[T]) error {
	return onSlices(ctx, dev, "blas.Gemm", [][]T{a.Data, b.Data}, c.Data, func(q *runtime.Queue, in []runtime.View[T], out runtime.View[T]) error {
		_, err := GemmOn(q, alpha, View[T]{a.Shape, in[0]}, View[T]{b.Shape, in[1]}, beta, View[T]{c.Shape, out})
		return err
	})
}

// GemmOn sets each matrix of c to alpha*a*b + beta*c (see Gemm). The numbers of rows, columns and
// matrices must match (ErrInvalid otherwise). If a or b is a single matrix, it is a factor of each
// matrix of the batch c. The option prim.Length is an error (ErrInvalid). With prim.Unordered,
// several work-groups may compute parts of each sum of a small matrix c. The parts need scratch
// memory (see ScratchBytes).
func GemmOn[T Float](q *runtime.Queue, alpha T, a, b View[T], beta T, c View[T], opts ...prim.Option) (runtime.Event, error) {
	l := call.New(q, "blas.GemmOn", opts)
	addOperands(l, "a", a, "b", b, "c", c)
	refuseUnlike(l, a.Shape, b.Shape, c.Shape)
	if c.transposed {
		a, b, c = b.T(), a.T(), c.T()
	}
	split := split{ranges: 1}
	if l.Unordered() && l.Usable() {
		split = splitOf(a.Shape, c.Shape)
	}
	if err := l.Begin(call.Bytes[T](split.sums(c.Shape))); err != nil {
		return runtime.Event{}, err
	}
	if split.ranges > 1 {
		multiplyRanges(l, split, alpha, a, b, beta, c)
		return l.End()
	}
	a.Step, b.Step = stepOf(a.Shape), stepOf(b.Shape)
	launchProduct(l, alpha, a, b, beta, c)
	return l.End()
}

// refuseUnlike adds an error to the call if the shapes of a product's matrices do not match.
func refuseUnlike(l *call.Call, a, b, c Shape) {
	n := c.batch()
	for _, x := range []struct {
		name string
		s    Shape
	}{{"a", a}, {"b", b}} {
		if m := x.s.batch(); m != n && m != 1 {
			l.Refuse("", "%s has %d matrices, and c has %d", x.name, m, n)
		}
	}
	switch {
	case a.Cols != b.Rows:
		l.Refuse("", "a has %d columns, and b has %d rows", a.Cols, b.Rows)
	case a.Rows != c.Rows || b.Cols != c.Cols:
		l.Refuse("", "a*b is a matrix of %d rows and %d columns, and c has %d and %d", a.Rows, b.Cols, c.Rows, c.Cols)
	}
}

// addOperands adds the views of a product and their names to a call, and checks the shapes of the
// views.
func addOperands[T, S any](l *call.Call, nameA string, a View[T], nameB string, b View[T], nameC string, c View[S]) {
	if l.HasLength() {
		l.Refuse("give matrices of fewer rows", "it has no use for prim.Length")
	}
	a.checkShape(l, nameA)
	b.checkShape(l, nameB)
	c.checkShape(l, nameC)
	c.refuseOverlap(l, nameC)
	call.In(l, nameA, a.Data)
	call.In(l, nameB, b.Data)
	call.Out(l, nameC, c.Data, max(c.batchSpan(), 0))
	a.refuseShort(l, nameA, a.Data.Len())
	b.refuseShort(l, nameB, b.Data.Len())
}

// If a launch would have fewer than fewTiles tiles of 128 rows, the launch uses tiles of 64 rows,
// so that more tiles run at the same time.
const fewTiles = 512

// isTall reports whether a launch uses tiles of 128 rows. Tests replace isTall.
var isTall = func(m, n, batch int) bool { return tiles(m, 128)*tiles(n, kernels.TileColumns)*batch >= fewTiles }

// isFused reports whether the device fuses products and sums, of float32s if `single` is set, and
// else of float64s. Tests replace isFused.
var isFused = func(dev *runtime.Device, single bool) bool {
	if single {
		return primimpl.Fuses(dev)
	}
	return primimpl.Fuses64(dev)
}

func tiles(n, size int) int { return (n + size - 1) / size }

// launchProduct launches the kernels of a product. The matrix c must not be transposed.
func launchProduct[T Float](l *call.Call, alpha T, a, b View[T], beta T, c View[T]) {
	m, n, k, batch := c.Rows, c.Cols, a.Cols, c.batch()
	if m == 0 || n == 0 {
		return
	}
	leftDeep, rightDeep := !a.transposed, b.transposed
	opts := []runtime.LaunchOption{runtime.WithSpec(kernels.LeftDeep, leftDeep), runtime.WithSpec(kernels.RightDeep, rightDeep)}
	single := call.KindOf[T]().Size == 4
	if !isFused(l.Device(), single) {
		plain(l, alpha, a, b, beta, c, opts)
		return
	}
	aligned := primimpl.Use("a", a.Data).Aligned(16) && primimpl.Use("b", b.Data).Aligned(16) && primimpl.Use("c", c.Data).Aligned(16)
	whole := single && aligned && a.isQuads() && b.isQuads() && c.isQuads() && !(a.transposed && b.transposed) && !onHost(l.Device()) && l.Device().Has(properties.Int64)
	rows := 64
	if whole && isTall(m, n, batch) {
		rows = 128
	}
	opts = append(opts, runtime.WithSpec(kernels.LeftQuads, cols4(a.Shape)), runtime.WithSpec(kernels.RightQuads, cols4(b.Shape)))
	each := tiles(m, rows) * tiles(n, kernels.TileColumns) // work-groups of a matrix
	for lo, some := 0, max(1, mostItems/kernels.Items/each); lo < batch; lo += some {
		groups := min(some, batch-lo) * each
		from := func(v View[T]) runtime.View[T] { return v.Data.Slice(lo*v.Step, max(lo*v.Step, v.batchSpan())) }
		a, b, c := View[T]{a.Shape, from(a)}, View[T]{b.Shape, from(b)}, View[T]{c.Shape, from(c)}
		switch {
		case whole:
			l.Run(quadsKernel(rows == 128, leftDeep, rightDeep, kernelsgen.FlatNN{
				A: primimpl.Cast[kernels.Quad](a.Data), B: primimpl.Cast[kernels.Quad](b.Data), C: primimpl.Cast[kernels.Quad](c.Data), M: uint32(m), N: uint32(n), K: uint32(k),
				StrideA: uint32(a.stride() / 4), StrideB: uint32(b.stride() / 4), StrideC: uint32(c.stride() / 4), StepA: a.Step / 4, StepB: b.Step / 4, StepC: c.Step / 4,
				Alpha: float32(alpha), Beta: float32(beta),
			}), groups, kernels.Items)
		case single:
			l.Run(kernelsgen.GemmFlat32{
				A: primimpl.Cast[float32](a.Data), B: primimpl.Cast[float32](b.Data), C: primimpl.Cast[float32](c.Data), M: uint32(m), N: uint32(n), K: uint32(k),
				StrideA: uint32(a.stride()), StrideB: uint32(b.stride()), StrideC: uint32(c.stride()), StepA: a.Step, StepB: b.Step, StepC: c.Step,
				Alpha: float32(alpha), Beta: float32(beta),
			}, groups, kernels.Items, opts...)
		default:
			l.Run(kernelsgen.GemmFlat64{
				A: primimpl.Cast[float64](a.Data), B: primimpl.Cast[float64](b.Data), C: primimpl.Cast[float64](c.Data), M: uint32(m), N: uint32(n), K: uint32(k),
				StrideA: uint32(a.stride()), StrideB: uint32(b.stride()), StrideC: uint32(c.stride()), StepA: a.Step, StepB: b.Step, StepC: c.Step,
				Alpha: float64(alpha), Beta: float64(beta),
			}, groups, kernels.Items, opts...)
		}
	}
}

// plain() launches the kernel for devices that do not fuse products and sums.
func plain[T Float](l *call.Call, alpha T, a, b View[T], beta T, c View[T], opts []runtime.LaunchOption) {
	r := runtime.Range3{c.batch(), c.Rows, c.Cols}
	if call.KindOf[T]().Size == 8 {
		call.Over(l, kernelsgen.Plain64{
			A: primimpl.Cast[float64](a.Data), B: primimpl.Cast[float64](b.Data), C: primimpl.Cast[float64](c.Data), K: uint32(a.Cols),
			StrideA: uint32(a.stride()), StrideB: uint32(b.stride()), StrideC: uint32(c.stride()), StepA: a.Step, StepB: b.Step, StepC: c.Step,
			Alpha: float64(alpha), Beta: float64(beta),
		}, r, opts...)
		return
	}
	call.Over(l, kernelsgen.Plain32{
		A: primimpl.Cast[float32](a.Data), B: primimpl.Cast[float32](b.Data), C: primimpl.Cast[float32](c.Data), K: uint32(a.Cols),
		StrideA: uint32(a.stride()), StrideB: uint32(b.stride()), StrideC: uint32(c.stride()), StepA: a.Step, StepB: b.Step, StepC: c.Step,
		Alpha: float32(alpha), Beta: float32(beta),
	}, r, opts...)
}

// quadsKernel returns the kernel for matrices that consist of groups of four neighbours (quads).
// There are different kernels for the possible layouts of the operands in memory.
func quadsKernel(tall, leftDeep, rightDeep bool, k kernelsgen.FlatNN) call.Kernel {
	switch {
	case tall && !leftDeep:
		return kernelsgen.TallTN(k)
	case tall && rightDeep:
		return kernelsgen.TallNT(k)
	case tall:
		return kernelsgen.TallNN(k)
	case !leftDeep:
		return kernelsgen.FlatTN(k)
	case rightDeep:
		return kernelsgen.FlatNT(k)
	}
	return k
}

// onHost reports whether the device is the host device. On the host device, the kernel for all
// layouts is as fast as the kernels for single layouts. Tests replace onHost.
var onHost = func(dev *runtime.Device) bool { return dev.Info().Type == runtime.HostCPU }

// mostItems is the largest number of work-items of a launch.
var mostItems = 1 << 30

package blas

import (
	"context"

	"github.com/kgen-go/kgen/dsl/half"
	kernelsgen "github.com/kgen-go/kgen/generated/prim/blas/kernels"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/blas/kernels"
	"github.com/kgen-go/kgen/prim/internal/call"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

// This file contains functions for products of matrices whose elements and sums have different
// types.

// Half is a type of 16-bit floats.
type Half interface{ half.Float16 | half.BFloat16 }

// GemmHalf sets each matrix of c to alpha*a*b + beta*c. If beta is 0, c is not read, so its
// elements may have any values, such as NaN. The package's documentation describes the rounding
// errors of sums.
func GemmHalf[T Half](ctx context.Context, dev *runtime.Device, alpha float32, a, b Matrix[T], beta float32, c Matrix[float32]) error {
	return onSlices(ctx, dev, "blas.GemmHalf", [][]T{a.Data, b.Data}, c.Data, func(q *runtime.Queue, in []runtime.View[T], out runtime.View[float32]) error {
		_, err := GemmHalfOn(q, alpha, View[T]{a.Shape, in[0]}, View[T]{b.Shape, in[1]}, beta, View[float32]{c.Shape, out})
		return err
	})
}

// GemmHalfOn sets each matrix of c to alpha*a*b + beta*c (see GemmHalf). GemmHalfOn returns the same errors as GemmOn,
// and needs scratch memory (see ScratchBytes).
func GemmHalfOn[T Half](q *runtime.Queue, alpha float32, a, b View[T], beta float32, c View[float32], opts ...prim.Option) (runtime.Event, error) {
	l := call.New(q, "blas.GemmHalfOn", opts)
	return launchMixed(l, alpha, a, b, beta, c, func(a, b View[T], c View[float32]) {
		wide := func(v View[T]) View[float32] { return View[float32]{v.Shape, widenView(l, v)} }
		launchProduct(l, alpha, wide(a), wide(b), beta, c)
	})
}

// GemmInt8 sets each matrix of c to alpha*a*b + beta*c. Sums and products are int32s, and wrap
// around. If beta is 0, c is not read, so its elements may have any values.
func GemmInt8(ctx context.Context, dev *runtime.Device, alpha int32, a, b Matrix[int8], beta int32, c Matrix[int32]) error {
	return onSlices(ctx, dev, "blas.GemmInt8", [][]int8{a.Data, b.Data}, c.Data, func(q *runtime.Queue, in []runtime.View[int8], out runtime.View[int32]) error {
		_, err := GemmInt8On(q, alpha, View[int8]{a.Shape, in[0]}, View[int8]{b.Shape, in[1]}, beta, View[int32]{c.Shape, out})
		return err
	})
}

// GemmInt8On sets each matrix of c to alpha*a*b + beta*c (see GemmInt8). GemmInt8On returns the same errors as GemmOn,
// and needs scratch memory (see ScratchBytes).
func GemmInt8On(q *runtime.Queue, alpha int32, a, b View[int8], beta int32, c View[int32], opts ...prim.Option) (runtime.Event, error) {
	l := call.New(q, "blas.GemmInt8On", opts)
	return launchMixed(l, alpha, a, b, beta, c, func(a, b View[int8], c View[int32]) {
		call.Over(l, kernelsgen.PlainInt8{
			A: a.Data, B: b.Data, C: c.Data, K: a.Cols, StrideA: a.stride(), StrideB: b.stride(), StrideC: c.stride(),
			StepA: a.Step, StepB: b.Step, StepC: c.Step, Alpha: alpha, Beta: beta,
		}, runtime.Range3{c.batch(), c.Rows, c.Cols},
			runtime.WithSpec(kernels.LeftDeep, !a.transposed), runtime.WithSpec(kernels.RightDeep, b.transposed))
	})
}

// ScratchBytes returns the number of bytes that prim.Scratch needs for calls of GemmHalfOn and
// GemmInt8On. The result is for one device, and for matrices of these shapes. For float32s and
// float64s, ScratchBytes returns the number of bytes for GemmOn with prim.Unordered. The other
// functions of the package need no scratch memory.
func ScratchBytes[T Half | int8 | Float](dev *runtime.Device, a, b, c Shape) int {
	if c.transposed {
		a, b, c = b.turned(), a.turned(), c.turned()
	}
	var p mixedPlan
	switch any(*new(T)).(type) {
	case half.Float16:
		p = planOf[half.Float16](dev, a, b, c)
	case half.BFloat16:
		p = planOf[half.BFloat16](dev, a, b, c)
	case int8:
		p = planOf[int8](dev, a, b, c)
	default:
		return call.Bytes[T](splitOf(a, c).sums(c))
	}
	if p.native {
		return call.Bytes[kernels.Piece8](p.piecesA) + call.Bytes[kernels.Piece8](p.piecesB) + call.Bytes[int32](p.sums)
	}
	return p.plainBytes
}

// mixedPlan describes how a product of mixed types is computed.
type mixedPlan struct {
	native           bool // whether sub-groups multiply matrices; if not, kernels without matrices of sub-groups run
	rows, cols       int  // size of a matrix of sums, which consists of whole tiles
	width            int  // number of pieces of 16 bytes in a line (a row of A or a column of B)
	piecesA, piecesB int  // number of pieces in all packed lines of A and B
	sums             int  // total number of elements of the batch's products
	plainBytes       int  // size of the scratch memory for kernels without matrices of sub-groups, in bytes
}

// planOf returns the plan of a product alpha*a*b + beta*c. The matrix c is not transposed.
func planOf[T Half | int8](dev *runtime.Device, a, b, c Shape) mixedPlan {
	up := func(n int) int { return tiles(n, kernels.MixedTile) * kernels.MixedTile }
	p := mixedPlan{native: hasMatrices(dev, elemName[T]()) && a.Cols > 0, rows: up(c.Rows), cols: up(c.Cols), width: tiles(a.Cols, perPiece[T]()*kernels.StepPieces) * kernels.StepPieces}
	p.piecesA, p.piecesB = a.batch()*c.Rows*p.width, b.batch()*c.Cols*p.width
	p.sums = c.batch() * p.rows * p.cols
	if perPiece[T]() == 8 {
		p.plainBytes = call.Bytes[float32](a.batchSpan()) + call.Bytes[float32](b.batchSpan())
	}
	return p
}

// perPiece returns the number of elements in a piece of 16 bytes.
func perPiece[T Half | int8]() int { return 16 / call.KindOf[T]().Size }

// elemName returns the name of the element type T, as in the field Elem of runtime's MatrixProduct.
func elemName[T Half | int8]() string {
	switch any(*new(T)).(type) {
	case half.Float16:
		return "half.Float16"
	case half.BFloat16:
		return "half.BFloat16"
	}
	return "int8"
}

// hasMatrices reports whether the device's sub-groups support the matrices that the kernels use.
// Tests set hasMatrices.
var hasMatrices = func(dev *runtime.Device, elem string) bool {
	info := dev.Info()
	if kernels.SubGroup < info.MinSubGroup || kernels.SubGroup > info.MaxSubGroup {
		return false
	}
	for _, m := range info.Matrices {
		if m.Elem == elem && (m.Of == "float32" || m.Of == "int32") && 16%m.M == 0 && 16%m.N == 0 && 16%m.K == 0 {
			return true
		}
		if m.Elem == elem && elem == "int8" && m.Of == "int32" && 16%m.M == 0 && 16%m.N == 0 && 32%m.K == 0 {
			return true
		}
	}
	return false
}

// launchMixed checks a call, begins it, and launches its kernels. The argument `plain` is a
// function that launches kernels for devices without matrices.
func launchMixed[T Half | int8, S float32 | int32](l *call.Call, alpha S, a, b View[T], beta S, c View[S], plain func(a, b View[T], c View[S])) (runtime.Event, error) {
	addOperands(l, "a", a, "b", b, "c", c)
	refuseUnlike(l, a.Shape, b.Shape, c.Shape)
	if c.transposed {
		a, b, c = b.T(), a.T(), c.T()
	}
	if !l.Usable() || c.Rows == 0 || c.Cols == 0 {
		if err := l.Begin(0); err != nil {
			return runtime.Event{}, err
		}
		return l.End()
	}
	p := planOf[T](l.Device(), a.Shape, b.Shape, c.Shape)
	a.Step, b.Step = stepOf(a.Shape), stepOf(b.Shape)
	if !p.native {
		if err := l.Begin(p.plainBytes); err != nil {
			return runtime.Event{}, err
		}
		plain(a, b, c)
		return l.End()
	}
	wholeA, wholeB := isPacked(a, !a.transposed), isPacked(b, b.transposed)
	whole := alpha == 1 && beta == 0 && c.Rows == p.rows && c.Cols == p.cols &&
		c.stride()%4 == 0 && c.Step%4 == 0 && primimpl.Use("c", c.Data).Aligned(16)
	bytes := 0
	if !wholeA {
		bytes += call.Bytes[kernels.Piece8](p.piecesA)
	}
	if !wholeB {
		bytes += call.Bytes[kernels.Piece8](p.piecesB)
	}
	if !whole {
		bytes += call.Bytes[S](p.sums)
	}
	if err := l.Begin(bytes); err != nil {
		return runtime.Event{}, err
	}
	s := kernels.Sizes{M: c.Rows, N: c.Cols, Width: p.width}
	var left, right runtime.View[kernels.Piece8]
	left, s.StrideA, s.StepA = packLines(l, a, !a.transposed, wholeA, c.Rows, p)
	right, s.StrideB, s.StepB = packLines(l, b.T(), b.transposed, wholeB, c.Cols, p)
	sums := c.Data
	if s.StrideC, s.StepC = c.stride(), c.Step; !whole {
		s.StrideC, s.StepC = p.cols, p.rows*p.cols
		sums = call.Room[S](l, p.sums)
	}
	launchProducts(l, elemName[T](), s, left, right, sums, c.batch())
	if !whole {
		addScaled(l, alpha, sums, s, beta, c)
	}
	return l.End()
}

// stepOf returns the distance between the matrices of a batch. If a single matrix is used for the
// whole batch, the distance is 0.
func stepOf(s Shape) int {
	if s.batch() == 1 {
		return 0
	}
	return s.Step
}

// isPacked reports whether kernels can use the operand as it is in memory. Each line must consist
// of complete pieces, whose number is a multiple of StepPieces. If deep is set, elements that are
// neighbours in a line are also neighbours in memory.
func isPacked[T Half | int8](v View[T], deep bool) bool {
	_, length := v.storedShape()
	n := perPiece[T]()
	return deep && length%(n*kernels.StepPieces) == 0 && v.stride()%n == 0 && v.Step%n == 0 && primimpl.Use("", v.Data).Aligned(16)
}

// packLines returns the pieces of an operand, and the distances between its lines and between its
// matrices. The rows of v are the operand's lines. If packed is not set, packLines packs the lines
// first.
func packLines[T Half | int8](l *call.Call, v View[T], deep, packed bool, n int, p mixedPlan) (pieces runtime.View[kernels.Piece8], stride, step int) {
	if packed {
		return primimpl.Cast[kernels.Piece8](v.Data), v.stride() / perPiece[T](), v.Step / perPiece[T]()
	}
	pieces = call.Room[kernels.Piece8](l, v.batch()*n*p.width)
	k := kernels.Packing{Lines: n, Length: v.Cols, Width: p.width, Stride: v.stride(), Step: v.Step, Deep: deep}
	r := runtime.Range3{v.batch(), n, p.width}
	if !deep {
		r = runtime.Range3{v.batch(), p.width, n}
	}
	if perPiece[T]() == 8 {
		call.Over(l, kernelsgen.Pack16{Packing: k, In: primimpl.Cast[uint16](v.Data), Out: primimpl.Cast[kernels.Piece16[uint16]](pieces)}, r)
	} else {
		call.Over(l, kernelsgen.Pack8{Packing: k, In: primimpl.Cast[uint8](v.Data), Out: pieces}, r)
	}
	step = n * p.width
	if v.batch() == 1 {
		step = 0
	}
	return pieces, p.width, step
}

// launchProducts launches the kernels that compute the products of a batch.
func launchProducts[S float32 | int32](l *call.Call, elem string, s kernels.Sizes, a, b runtime.View[kernels.Piece8], c runtime.View[S], batch int) {
	groups := tiles(s.M, kernels.MixedTile) * tiles(s.N, kernels.MixedTile) // number of work-groups of a matrix
	for lo, some := 0, max(1, mostItems/kernels.MixedItems/groups); lo < batch; lo += some {
		n := min(some, batch-lo) * groups
		a, b, c := a.Slice(lo*s.StepA, a.Len()), b.Slice(lo*s.StepB, b.Len()), c.Slice(lo*s.StepC, c.Len())
		switch elem {
		case "half.Float16":
			l.Run(kernelsgen.ProductFloat16{Sizes: s, A: primimpl.Cast[kernels.Piece16[half.Float16]](a), B: primimpl.Cast[kernels.Piece16[half.Float16]](b), C: primimpl.Cast[float32](c)}, n, kernels.MixedItems)
		case "half.BFloat16":
			l.Run(kernelsgen.ProductBFloat16{Sizes: s, A: primimpl.Cast[kernels.Piece16[half.BFloat16]](a), B: primimpl.Cast[kernels.Piece16[half.BFloat16]](b), C: primimpl.Cast[float32](c)}, n, kernels.MixedItems)
		default:
			l.Run(kernelsgen.ProductInt8{Sizes: s, A: a, B: b, C: primimpl.Cast[int32](c)}, n, kernels.MixedItems)
		}
	}
}

// addScaled sets c to alpha*sums + beta*c.
func addScaled[S float32 | int32](l *call.Call, alpha S, sums runtime.View[S], s kernels.Sizes, beta S, c View[S]) {
	r := runtime.Range3{c.batch(), c.Rows, c.Cols}
	if _, ok := any(alpha).(float32); ok {
		call.Over(l, kernelsgen.FinishFloat32{
			S: primimpl.Cast[float32](sums), C: primimpl.Cast[float32](c.Data), StrideS: s.StrideC, StrideC: c.stride(), StepS: s.StepC, StepC: c.Step,
			Alpha: float32(alpha), Beta: float32(beta),
		}, r)
		return
	}
	call.Over(l, kernelsgen.FinishInt32{
		S: primimpl.Cast[int32](sums), C: primimpl.Cast[int32](c.Data), StrideS: s.StrideC, StrideC: c.stride(), StepS: s.StepC, StepC: c.Step,
		Alpha: int32(alpha), Beta: int32(beta),
	}, r)
}

// widenView returns the elements of a view as float32s.
func widenView[T Half](l *call.Call, v View[T]) runtime.View[float32] {
	n := v.batchSpan()
	out, in := call.Room[float32](l, n), v.Data.Slice(0, n)
	if n == 0 {
		return out
	}
	if elemName[T]() == "half.Float16" {
		call.Over(l, kernelsgen.WidenFloat16{In: primimpl.Cast[half.Float16](in), Out: out}, runtime.Range1(n))
	} else {
		call.Over(l, kernelsgen.WidenBFloat16{In: primimpl.Cast[half.BFloat16](in), Out: out}, runtime.Range1(n))
	}
	return out
}

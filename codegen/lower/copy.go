package lower

// This file lowers copies of arrays and structs.

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// copyArray copies an array into separate memory, so that later stores to the array do not change
// the copied value.
func (l *lowerer) copyArray(m mem, t types.Type) array {
	c := l.newCell(t, cmp.Or(l.sourceName(), "copy"))
	if c.mem.v == nil {
		return array{m}
	}
	l.copyMem(c.mem, m, t)
	return array{c.mem}
}

// copyMem copies a flat array, or a matrix, from one memory to another. copyMem copies each scalar
// separately, because the layout of type t may differ between dst and src.
func (l *lowerer) copyMem(dst, src mem, t types.Type) {
	if isMatrix(t) {
		l.copyMatrix(dst, src)
		return
	}
	l.eachScalar(t, true, func(path []*ir.Value, t types.Type) {
		l.storeScalar(dst.extend(path), l.loadScalar(src.extend(path), t), t)
	})
}

// straightScalars is the largest number of a value's scalars that eachScalar handles without a
// loop. For arrays with a dimension longer than unrollLimit, eachScalar always emits a loop.
// Without a loop all indices are constant, so the passes can keep the array in registers.
const straightScalars = 64

// scalarsAt is a group of scalars in one value. All scalars of the group are inside arrays of the
// same lengths.
type scalarsAt struct {
	dims  []int64 // lengths of the arrays around the scalars, from the outermost to the innermost
	paths [][]int // path of each scalar: field indices, and anyElement for each step into an array
	types []types.Type
}

const anyElement = -1

// straightCopy reports whether a value of flat type t is copied without a loop.
func straightCopy(t types.Type) bool { return isStraight(groupScalars(nil, t, true, nil, nil)) }

func isStraight(groups []*scalarsAt) bool {
	all := int64(0)
	for _, g := range groups {
		all += g.copyCount() * int64(len(g.paths))
		if all > straightScalars || len(g.dims) > 0 && slices.Max(g.dims) > unrollLimit {
			return false
		}
	}
	return true
}

// eachScalar calls the function `body` to emit code for every scalar of a flat type. The first
// argument of `body` is the path from the whole value to the scalar. Blank fields (named _) are
// skipped unless withBlank is set.
//
// One flat loop handles all dimensions of an array of arrays. For a field that is an array,
// eachScalar emits a separate loop, not nested in the loop for the field's struct. Nested loops
// would have short inner loops, and drivers unroll all short loops. For example, lavapipe took
// minutes to compile the copy of a [32][32]byte.
func (l *lowerer) eachScalar(t types.Type, withBlank bool, body func(path []*ir.Value, t types.Type)) {
	groups := groupScalars(nil, t, withBlank, nil, nil)
	straight := isStraight(groups)
	for _, g := range groups {
		n := g.copyCount()
		done := int64(0)
		if per := ir.PerRound(n, int64(len(g.paths))); !straight && per < n {
			done = n - n%per
			l.emitLoop(l.m.Int(ir.TypeI32, done/per), func(round *ir.Value) {
				first := l.op(ir.OpIMul, ir.TypeI32, round, l.m.Int(ir.TypeI32, per))
				for k := range per {
					g.eachElem(l.splitNumber(l.op(ir.OpIAdd, ir.TypeI32, first, l.m.Int(ir.TypeI32, k)), g.dims), l, body)
				}
			})
		}
		for ; done < n; done++ {
			g.eachElem(l.splitConst(done, g.dims), l, body)
		}
	}
}

// groupScalars adds the scalars of type t to groups. The arguments `path` and `dims` describe the
// position of t inside the whole value.
func groupScalars(groups []*scalarsAt, t types.Type, blank bool, path []int, dims []int64) []*scalarsAt {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return groupScalars(groups, u.Elem(), blank, append(slices.Clone(path), anyElement), append(slices.Clone(dims), u.Len()))
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 {
			break
		}
		i := slices.IndexFunc(groups, func(g *scalarsAt) bool { return slices.Equal(g.dims, dims) })
		if i < 0 {
			i, groups = len(groups), append(groups, &scalarsAt{dims: dims})
		}
		groups[i].paths, groups[i].types = append(groups[i].paths, path), append(groups[i].types, t)
		return groups
	}
	s, _ := t.Underlying().(*types.Struct)
	for i, f := range gotypes.Fields(t) {
		if blank || s == nil || s.Field(i).Name() != "_" {
			groups = groupScalars(groups, f, blank, append(slices.Clone(path), i), dims)
		}
	}
	return groups
}

// copyCount returns the number of copies of each scalar in the group. The number of copies is the
// product of the lengths of the arrays around the scalar.
func (g *scalarsAt) copyCount() int64 {
	n := int64(1)
	for _, d := range g.dims {
		n *= d
	}
	return n
}

// eachElem calls body for each scalar of the group. The list "index" selects the array element that
// contains the scalars, and has one value for each dimension.
func (g *scalarsAt) eachElem(index []*ir.Value, l *lowerer, body func(path []*ir.Value, t types.Type)) {
	for i, steps := range g.paths {
		path, at := make([]*ir.Value, len(steps)), 0
		for j, s := range steps {
			if s == anyElement {
				path[j] = index[at]
				at++
				continue
			}
			path[j] = l.field(s)
		}
		body(path, g.types[i])
	}
}

// splitNumber converts the number of an array element to a list with the element's index in each
// dimension. Elements are numbered in memory order.
func (w *builder) splitNumber(number *ir.Value, dims []int64) []*ir.Value {
	index := make([]*ir.Value, len(dims))
	for d := len(dims) - 1; d > 0; d-- {
		n := w.m.Int(ir.TypeI32, dims[d])
		index[d] = w.op(ir.OpUMod, ir.TypeI32, number, n)
		number = w.op(ir.OpUDiv, ir.TypeI32, number, n)
	}
	if len(dims) > 0 {
		index[0] = number
	}
	return index
}

// splitConst converts a constant element number to the same indices as splitNumber. The returned
// indices are constants.
func (w *builder) splitConst(number int64, dims []int64) []*ir.Value {
	index := make([]*ir.Value, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		index[d] = w.m.Int(ir.TypeI32, number%dims[d])
		number /= dims[d]
	}
	return index
}

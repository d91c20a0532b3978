package lanes

// This file removes copies of matrices, as part of the pass matrices. Assignments of matrices in Go
// become copies.

import (
	"slices"

	"github.com/kgen-go/kgen/codegen/ir"
)

// wholeMatrices returns the matrices that v copies or zeroes. The first returned matrix is the
// matrix that v writes.
func wholeMatrices(v *ir.Value) []*ir.Var {
	switch a := v.Aux.(type) {
	case *ir.Copy:
		if a.Dst.Type.Matrix != nil {
			return []*ir.Var{a.Dst, a.Src}
		}
	case *ir.Ref:
		if v.Op == ir.OpZero && a.Var.Type.Matrix != nil {
			return []*ir.Var{a.Var}
		}
	}
	return nil
}

// matrixAccess contains the matrices that an instruction reads, and the matrix that it writes, if
// any. allElems is true if the instruction overwrites all elements of the matrix.
type matrixAccess struct {
	reads    []*ir.Var
	write    *ir.Var
	allElems bool
}

func accessOf(v *ir.Value) (x matrixAccess) {
	switch a := v.Aux.(type) {
	case *ir.Product:
		return matrixAccess{[]*ir.Var{a.A, a.B, a.C}, a.To, true}
	case *ir.Tile:
		switch v.Op {
		case ir.OpMatrixLoad:
			return matrixAccess{nil, a.Matrix, true}
		case ir.OpMatrixStore:
			return matrixAccess{reads: []*ir.Var{a.Matrix}}
		}
		return x // the op returns the matrix's length, which depends only on the type
	}
	if whole := wholeMatrices(v); len(whole) > 0 {
		return matrixAccess{whole[1:], whole[0], true}
	}
	if r := v.Ref(); r != nil && r.Var != nil && r.Var.Type.Matrix != nil {
		if v.Op == ir.OpLoad {
			return matrixAccess{reads: []*ir.Var{r.Var}}
		}
		return matrixAccess{write: r.Var}
	}
	return x
}

// dropMatrixCopies merges two matrices if one is a copy of the other and neither is written while
// the other is live. dropMatrixCopies reports whether it merged matrices. In this loop, sum and acc
// become one matrix:
//
//	for … {
//		sum = a*b + acc     becomes acc = a*b + acc
//		acc = sum           removed
//	}
func dropMatrixCopies(f *ir.Func) bool {
	live := liveMatrices(f)
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			c, ok := v.Aux.(*ir.Copy)
			if !ok || c.Dst.Type.Matrix == nil || c.Dst.Type != c.Src.Type || c.Dst != c.Src && writtenWhileLive(f, live, c.Dst, c.Src) {
				continue
			}
			for _, b := range f.Blocks {
				for _, w := range b.Insts {
					renameMatrix(w, c.Dst, c.Src)
				}
				b.Insts = slices.DeleteFunc(b.Insts, func(w *ir.Value) bool {
					c, ok := w.Aux.(*ir.Copy)
					return ok && c.Dst == c.Src
				})
			}
			f.Vars = slices.DeleteFunc(f.Vars, func(x *ir.Var) bool { return x == c.Dst && x != c.Src })
			return true
		}
	}
	return false
}

// liveMatrices maps each block to the matrices that are live at its end.
func liveMatrices(f *ir.Func) map[*ir.Block]map[*ir.Var]bool {
	out, in := map[*ir.Block]map[*ir.Var]bool{}, map[*ir.Block]map[*ir.Var]bool{}
	for _, b := range f.Blocks {
		out[b] = map[*ir.Var]bool{}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(f.Blocks) {
			now := map[*ir.Var]bool{}
			for _, s := range b.Term.Succs {
				for x := range in[s] {
					now[x] = true
				}
			}
			if len(now) > len(out[b]) {
				changed = true
			}
			out[b] = now
			next := map[*ir.Var]bool{}
			for x := range now {
				next[x] = true
			}
			eachBackward(b, next, func(*ir.Value, matrixAccess) {})
			if len(next) > len(in[b]) {
				changed = true
			}
			in[b] = next
		}
	}
	return out
}

// eachBackward visits the instructions of a block from its end to its beginning and calls
// visitInst for each. During a call, liveAfter contains the matrices that are live
// after the instruction.
func eachBackward(b *ir.Block, liveAfter map[*ir.Var]bool, visitInst func(v *ir.Value, x matrixAccess)) {
	for _, v := range slices.Backward(b.Insts) {
		x := accessOf(v)
		if x.write == nil && x.reads == nil {
			continue
		}
		visitInst(v, x)
		if x.allElems {
			delete(liveAfter, x.write)
		}
		for _, r := range x.reads {
			liveAfter[r] = true
		}
	}
}

// writtenWhileLive reports whether the matrix p or q is written while the other is live.
// writtenWhileLive ignores copies between p and q.
func writtenWhileLive(f *ir.Func, out map[*ir.Block]map[*ir.Var]bool, p, q *ir.Var) bool {
	found := false
	for _, b := range f.Blocks {
		live := map[*ir.Var]bool{}
		for x := range out[b] {
			live[x] = true
		}
		eachBackward(b, live, func(v *ir.Value, x matrixAccess) {
			if v.Op == ir.OpCopyVar && (x.write == p && x.reads[0] == q || x.write == q && x.reads[0] == p) {
				return
			}
			found = found || x.write == p && live[q] || x.write == q && live[p]
		})
	}
	return found
}

// renameMatrix replaces one matrix by another in the instruction v. renameMatrix replaces v.Aux by
// a changed copy, because copies of v may share v.Aux.
func renameMatrix(v *ir.Value, from, to *ir.Var) {
	other := func(x *ir.Var) *ir.Var {
		if x == from {
			return to
		}
		return x
	}
	switch a := v.Aux.(type) {
	case *ir.Product:
		v.Aux = &ir.Product{To: other(a.To), A: other(a.A), B: other(a.B), C: other(a.C)}
	case *ir.Tile:
		v.Aux = &ir.Tile{Matrix: other(a.Matrix), Mem: a.Mem, Columns: a.Columns}
	case *ir.Copy:
		v.Aux = &ir.Copy{Dst: other(a.Dst), Src: other(a.Src)}
	case *ir.Ref:
		if a.Var == from {
			v.Aux = &ir.Ref{Var: to}
		}
	}
}

package gohost

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// In a loop over a row of work-items, one check before the loop can replace the bounds checks in
// the loop:
//
//	last := end - 1
//	if uint64(v15+int64(x)) < uint64(v4) && uint64(v15+int64(last)) < uint64(v4) {
//		for ; x < end; x++ {
//			// without the check
//		}
//	}
//	for ; x < end; x++ {
//		// with it
//	}
//
// If an index grows in equal steps from one work-item to the next, only the indices of the first
// and the last work-item must be checked.

// affine is an index of the form scale*x + c, where x is a work-item's id and c is the same in the whole row.
type affine struct {
	scale int64
	terms string
}

func (a affine) at(x string) string {
	s := fmt.Sprintf("int64(%s)", x)
	if a.scale != 1 {
		s += fmt.Sprintf("*%d", a.scale)
	}
	return s + a.terms
}

// affineOf decomposes v into an affine index with a small positive scale. If v is not an affine
// index with a small positive scale, affineOf returns false.
func (w *regionBody) affineOf(v *ir.Value) (affine, bool) {
	if l, ok := w.linearOf(v); ok && l.id == ir.GlobalInvocationIDX {
		a := affine{scale: l.scale}
		if l.offset != 0 {
			a.terms = fmt.Sprintf("%+d", l.offset)
		}
		return a, l.scale < 1<<16
	}
	if v.Type != ir.TypeI64 || v.Op != ir.OpIAdd && v.Op != ir.OpISub {
		return affine{}, false
	}
	x, y := v.Args[0], v.Args[1]
	if v.Op == ir.OpIAdd && w.isInvariant(x) {
		x, y = y, x
	}
	a, ok := w.affineOf(x)
	if !ok || !w.isInvariant(y) {
		return affine{}, false
	}
	sign := "+"
	if v.Op == ir.OpISub {
		sign = "-"
	}
	a.terms += sign + w.plainExpr(y)
	return a, true
}

// inRange returns a copy of the region's code without the bounds checks that one check per row can
// replace. The second result lists the Go conditions under which the copy may run. If no bounds
// check can be replaced, inRange returns nil twice.
func (w *formWriter) inRange(r *region, before []*region) (*regionBody, []string) {
	if !w.isRanged() || w.loops || len(r.exits) > 0 {
		return nil, nil
	}
	fast := &region{index: r.index, entry: r.entry, in: map[*node]bool{}, defs: map[*ir.Value]bool{},
		partInfo: partInfo{of: r, label: "f", succs: map[*node][]*node{}, args: map[*ir.Value]*ir.Value{}}}
	q := w.newBody(r)
	var conds []string
	for _, n := range r.nodes {
		s := w.flow.succsOf(n)
		if len(s) != 2 || !hasFault(s[1]) || n.block.Term.Cond.Op != ir.OpULt {
			continue
		}
		index, size := n.block.Term.Cond.Args[0], n.block.Term.Cond.Args[1]
		if !w.isLen(size) || size.IsConst() {
			continue
		}
		if a, ok := q.affineOf(index); ok {
			for _, x := range []string{"x", "last"} {
				if c := fmt.Sprintf("uint64(%s) < uint64(%s)", a.at(x), q.valueExpr(size)); !slices.Contains(conds, c) {
					conds = append(conds, c)
				}
			}
			fast.succs[n] = s[:1]
		}
	}
	if len(conds) == 0 {
		return nil, nil
	}
	reached := map[*node]bool{r.entry: true}
	for _, n := range r.nodes { // predecessors come first, because the kernel has no loops
		if reached[n] {
			fast.addNode(n)
			s, ok := fast.succs[n]
			if !ok {
				s = w.flow.succsOf(n)
			}
			for _, s := range s {
				reached[s] = true
			}
		}
	}
	x := w.generateBody(fast, before, q)
	x.y, x.z = x.y || q.y, x.z || q.z
	x.top = *bytes.NewBuffer(append(q.top.Bytes(), x.top.Bytes()...))
	x.row = *bytes.NewBuffer(append(q.row.Bytes(), x.row.Bytes()...))
	return x, conds
}

// uncheckedLoop writes the loop over the work-items of a row without bounds checks, inside an if
// statement that tests the conditions in conds.
func (w *regionBody) uncheckedLoop(conds []string) {
	loop := fmt.Sprintf("for ; x < end; x++ {\n%s}\n", w.itemCode())
	if !ofForm.MatchString(loop) { // no bounds checks are left in the loop
		loop = w.outlineLoop(loop) + "x = end\n"
	}
	w.f("if last := end - 1; %s {\n%s}\n", strings.Join(conds, " &&\n"), loop)
}

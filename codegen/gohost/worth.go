package gohost

import "github.com/kgen-go/kgen/codegen/ir"

// This file decides whether a lockstep loop is worthwhile. Lockstep is worthwhile if it makes
// consecutive loads access the same cache line.

// Elements at a distance of less than nearBytes are mostly in the same cache line. Elements at a
// distance of farBytes or more are in different cache lines.
const (
	nearBytes = 32
	farBytes  = 64
)

// An indexStep describes how an index or address changes. The field `item` is the difference
// between neighbouring work-items, and the field `round` is the difference between consecutive
// iterations.
type indexStep struct {
	item, round       int64
	anyItem, anyRound bool // whether item (or round) is unknown, because the difference depends on data
}

// isWorthwhile reports whether lockstep improves the locality of at least one load and does not worsen the locality of
// any load.
func (ls *lockstep) isWorthwhile(w *regionBody) bool {
	good := false
	for _, b := range ls.loop.Blocks {
		for _, v := range b.Insts {
			if v.Op != ir.OpLoad || v.Ref().Var != nil {
				continue
			}
			m, ok := ls.loadMotion(w, v)
			if !ok {
				continue
			}
			m.item, m.round = abs(m.item), abs(m.round)
			switch far := m.anyRound || m.round >= farBytes; {
			case far && !m.anyItem && m.item > 0 && m.item <= nearBytes:
				good = true
			case !far && m.round > 0 && (m.anyItem || m.item >= farBytes):
				return false
			}
		}
	}
	return good
}

func abs(n int64) int64 { return max(n, -n) }

// loadMotion returns the changes of the address of load v, in bytes, between neighbouring
// work-items and between consecutive iterations. Result `ok` is false if the changes of the address
// are unknown.
func (ls *lockstep) loadMotion(w *regionBody, v *ir.Value) (m indexStep, ok bool) {
	t, path := v.Ref().Elem, v.Path()[1:]
	size := t.Size
	for i, p := range path {
		switch {
		case i == 0:
		case t.Kind == ir.Array:
			t = t.Elem
			size = t.Size
		default:
			t = t.Fields[p.Bits].Type
			continue
		}
		x, ok := ls.indexMotion(w, p)
		if !ok {
			return m, false
		}
		m = m.plus(x.times(int64(size)))
	}
	return m, true
}

func (m indexStep) plus(x indexStep) indexStep {
	return indexStep{m.item + x.item, m.round + x.round, m.anyItem || x.anyItem, m.anyRound || x.anyRound}
}

func (m indexStep) times(n int64) indexStep {
	return indexStep{m.item * n, m.round * n, m.anyItem, m.anyRound}
}

// indexMotion returns the changes of index v between neighbouring work-items and between
// consecutive iterations. Result `ok` is false if the changes of the index are unknown.
func (ls *lockstep) indexMotion(w *regionBody, v *ir.Value) (m indexStep, ok bool) {
	if i := ls.inductions[v]; i != nil {
		m.item = i.scale
		if m.anyRound = !i.step.IsConst(); !m.anyRound {
			m.round = i.step.Int()
		}
		return m, true
	}
	if w.isInvariant(v) {
		return m, true
	}
	if l, ok := w.linearOf(v); ok {
		if l.id == ir.GlobalInvocationIDX || l.id == ir.LocalInvocationIDX || l.id == ir.LocalInvocationIndex {
			m.item = l.scale
		}
		return m, true
	}
	switch v.Op {
	case ir.OpUConvert, ir.OpSConvert:
		return ls.indexMotion(w, v.Args[0])
	case ir.OpIAdd, ir.OpISub, ir.OpIMul:
	default:
		return m, false
	}
	x, okX := ls.indexMotion(w, v.Args[0])
	y, okY := ls.indexMotion(w, v.Args[1])
	if !okX || !okY {
		return m, false
	}
	if v.Op != ir.OpIMul {
		if v.Op == ir.OpISub {
			y = y.times(-1)
		}
		return x.plus(y), true
	}
	for k, n := range v.Args {
		if n.IsConst() && abs(n.Int()) < 1<<31 {
			return []indexStep{y, x}[k].times(n.Int()), true
		}
	}
	return indexStep{0, 0, x.anyItem || y.anyItem || x.item != 0 || y.item != 0, x.anyRound || y.anyRound || x.round != 0 || y.round != 0}, true
}

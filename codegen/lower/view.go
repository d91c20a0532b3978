package lower

// This file lowers strings that are converted from byte slices.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// A bytesView (view) is a string that was converted from a byte slice. The conversion does not copy
// the bytes, so the view is valid only until the bytes are written.
type bytesView struct {
	s    slice
	made codePoint // code position of the conversion, or of the load from the variable in field "kept"
	kept *cell     // variable from which the view was loaded, or nil
}

// A codePoint is a position in the emitted code. The position is after the instruction prev. If
// prev is nil, the position is the beginning of block b.
type codePoint struct {
	b    *ir.Block
	prev *ir.Value
}

func (w *builder) here() codePoint {
	p := codePoint{b: w.b}
	if n := len(w.b.Insts); n > 0 {
		p.prev = w.b.Insts[n-1]
	}
	return p
}

// viewHint is the hint for code that uses a view after its bytes may have changed.
const viewHint = "use the string before anything is written, compare bytes by bytes.Equal, or copy them to an array"

// viewOf lowers string(b) for a byte slice.
func (w *builder) viewOf(s slice) bytesView { return bytesView{s: s, made: w.here()} }

// dynChars is a string whose bytes are known only at run time. The string is a dynText, a
// bytesView, or a someChars.
type dynChars interface {
	length() *ir.Value
	at(l *lowerer, i *ir.Value) *ir.Value
}

func (t dynText) length() *ir.Value                    { return t.n }
func (t dynText) at(l *lowerer, i *ir.Value) *ir.Value { return l.byteAt(t, i) }
func (v bytesView) length() *ir.Value                  { return v.s.len }
func (v bytesView) at(l *lowerer, i *ir.Value) *ir.Value {
	return l.loadScalar(l.elemMem(v.s, i), types.Typ[types.Uint8])
}

// someChars is a oneOf of several strings. The field n is the length of the selected string.
type someChars struct {
	u oneOf
	n *ir.Value
}

func (s someChars) length() *ir.Value { return s.n }

func (s someChars) at(l *lowerer, i *ir.Value) *ir.Value {
	v := l.eachAlt(s.u, types.Typ[types.Uint8], func(alt val) val {
		c, _ := l.charsOf(alt)
		return c.at(l, i)
	})
	return v.(*ir.Value)
}

// charsOf converts string v to dynChars.
func (l *lowerer) charsOf(v val) (dynChars, bool) {
	switch v := v.(type) {
	case bytesView:
		return v, true
	case oneOf:
		var lens []val
		for i := range v.alts {
			c, ok := l.charsOf(l.altOf(v, i))
			if !ok {
				return nil, false
			}
			lens = append(lens, c.length())
		}
		n, _ := l.chooseScalar(lens, v.tag)
		return someChars{v, n.(*ir.Value)}, true
	}
	t, ok := l.tables.textOf(v)
	return t, ok
}

// recordReads records that the current code reads the given values, if they are views. At the end
// of lowering, the lowerer reports an error if code may write to a view's bytes between the view's
// conversion and a recorded read.
func (l *lowerer) recordReads(vs ...val) {
	for _, v := range vs {
		if u, ok := v.(oneOf); ok {
			l.recordReads(u.alts...)
		}
		if v, ok := v.(bytesView); ok {
			to := l.here()
			l.atEnd(func() {
				at := l.writeBetween(v.made, to, v.s.at)
				if at == nil && v.kept != nil {
					at = l.writeSinceKept(v)
				}
				if at != nil {
					l.addDiag(diag.String, l.pos, viewHint, "the bytes that this string is made of may have changed since it was: a kernel does not copy them")
				}
			})
		}
	}
}

// lookAt lowers []byte(v) for a view v if the bytes are only read. If the bytes are only read, the
// conversion needs no copy.
func (w *builder) lookAt(in *ssa.Convert, v bytesView) val {
	if w.frame.looks == nil {
		w.frame.looks = map[ssa.Value]bytesView{}
	}
	w.frame.looks[in] = v
	return v.s
}

// recordLoad records a use of a view if the load instruction reads a byte of the view.
func (l *lowerer) recordLoad(load *ssa.UnOp) {
	at, ok := load.X.(*ssa.IndexAddr)
	if !ok || len(l.frame.looks) == 0 {
		return
	}
	bytes := at.X
	for {
		part, ok := bytes.(*ssa.Slice)
		if !ok {
			break
		}
		bytes = part.X
	}
	if v, ok := l.frame.looks[bytes]; ok {
		l.recordReads(v)
	}
}

// maxUnrolledText is the largest length of a constant string that is compared byte by byte without
// a loop.
const maxUnrolledText = 16

// equalView lowers v == s for a view v and a constant string s.
func (l *lowerer) equalView(v bytesView, s string) val {
	same := l.m.NewVar(l.f, ir.Function, "same", ir.TypeBool)
	l.storeVar(same, l.m.Bool(false))
	compare, out := l.newBlock(), l.newBlock()
	l.b.Branch(l.op(ir.OpIEq, ir.TypeBool, v.s.len, l.m.Int(ir.TypeI64, int64(len(s)))), compare, out)
	l.b = compare
	all := l.m.Bool(true)
	for i := range len(s) {
		eq := l.op(ir.OpIEq, ir.TypeBool, v.at(l, l.m.Int(ir.TypeI64, int64(i))), l.m.Int(ir.TypeI32, int64(s[i])))
		if i == 0 {
			all = eq
		} else {
			all = l.op(ir.OpLAnd, ir.TypeBool, all, eq)
		}
	}
	l.storeVar(same, all)
	l.b.Jump(out)
	l.b = out
	return l.loadVar(same)
}

// equalViews lowers x == y for two strings. At least one of the strings must be a view.
func (l *lowerer) equalViews(x, y val) val {
	defer func() { l.recordReads(x, y) }()
	if _, ok := x.(bytesView); !ok {
		x, y = y, x
	}
	if s, ok := y.(str); ok && len(s.s) <= maxUnrolledText {
		return l.equalView(x.(bytesView), s.s)
	}
	a, ok1 := l.charsOf(x)
	b, ok2 := l.charsOf(y)
	if !ok1 || !ok2 {
		return l.reportLost(types.Typ[types.Bool])
	}
	return l.equalTexts(a, b)
}

// viewsOf lowers string(b) for a value b that is a oneOf of byte slices.
func (l *lowerer) viewsOf(u oneOf) val {
	out := oneOf{tag: u.tag}
	for i := range u.alts {
		s, ok := l.altOf(u, i).(slice)
		if !ok {
			return l.reportLost(types.Typ[types.String])
		}
		out.alts = append(out.alts, l.viewOf(s))
	}
	return out
}

// indexChars lowers v[i] for a string v whose bytes are known only at run time.
func (l *lowerer) indexChars(in *ssa.Index, v val, i *ir.Value) val {
	c, ok := l.charsOf(v)
	if !ok {
		return l.reportLost(in.Type())
	}
	x := c.at(l, l.toI64(l.checkIndex(i, in.Index.Type(), c.length()), in.Index.Type()))
	l.recordReads(v)
	return x
}

// sliceSome lowers v[lo:hi] for a oneOf of several strings. The emitted code slices the selected
// string, and all other alternatives become empty.
func (l *lowerer) sliceSome(in *ssa.Slice, u oneOf, lo, hi *ir.Value) val {
	c, ok := l.charsOf(u)
	if !ok {
		return l.reportLost(in.Type())
	}
	if lo == nil {
		lo = l.m.Int(ir.TypeI64, 0)
	}
	whole := dynText{l.m.Int(ir.TypeI64, 0), c.length()}
	cut := l.sliceText(whole, sliceBounds{lo: lo, hi: hi, unsignedLo: isUint64Value(in.Low), unsignedHi: isUint64Value(in.High)})
	out := oneOf{tag: u.tag}
	for i := range u.alts {
		alt := l.altOf(u, i)
		is, zero := l.isAlt(u, i), l.m.Int(ir.TypeI64, 0)
		off, n := l.op(ir.OpSelect, ir.TypeI64, is, cut.off, zero), l.op(ir.OpSelect, ir.TypeI64, is, cut.n, zero)
		v, ok := alt.(bytesView)
		if !ok {
			t, _ := l.tables.textOf(alt)
			out.alts = append(out.alts, dynText{l.op(ir.OpIAdd, ir.TypeI64, t.off, off), n})
			continue
		}
		if v.s.at.device() {
			a := l.op(ir.OpAddrOf, ir.TypeAddr, v.s.at.addr, off)
			a.Aux = v.s.at.auxRef()
			v.s.at.addr = a
		} else {
			v.s.off = l.op(ir.OpIAdd, ir.TypeI64, v.s.off, off)
		}
		v.s.len, v.s.cap = n, n
		out.alts = append(out.alts, v)
	}
	return out
}

// sliceView lowers v[lo:hi] for a view v.
func (l *lowerer) sliceView(v bytesView, b sliceBounds) bytesView {
	b.ofArray, v.s.cap = true, v.s.len // the upper bound is compared with the length of the view
	v.s = l.reslice(v.s, b)
	return v
}

// writeBetween searches for an instruction that may write to memory m between two points of the
// code. If there is no such instruction, writeBetween returns nil.
func (l *lowerer) writeBetween(from, to codePoint, m mem) *ir.Value {
	begin, end := from.indexOf(0), to.indexOf(len(to.b.Insts))
	if from.b == to.b && begin <= end {
		return l.firstWrite(from.b.Insts[begin:end], m)
	}
	if w := l.firstWrite(from.b.Insts[begin:], m); w != nil {
		return w
	}
	if w := l.firstWrite(to.b.Insts[:end], m); w != nil {
		return w
	}
	return l.writeOnWay(from.b, to.b, func(b *ir.Block) bool { return b == from.b }, m)
}

// writeOnWay searches the blocks on paths between two blocks (from and to). writeOnWay returns an
// instruction that may write to memory m, or nil. Paths through a block b do not count if stop(b)
// is true.
func (l *lowerer) writeOnWay(from, to *ir.Block, stop func(b *ir.Block) bool, m mem) *ir.Value {
	ahead := map[*ir.Block]bool{}
	markPaths(from, stop, succs, ahead)
	behind := map[*ir.Block]bool{}
	markPaths(to, stop, func(b *ir.Block) []*ir.Block { return b.Preds }, behind)
	for b := range ahead {
		if !behind[b] {
			continue
		}
		if w := l.firstWrite(b.Insts, m); w != nil {
			return w
		}
	}
	return nil
}

func succs(b *ir.Block) []*ir.Block { return b.Term.Succs }

// markPaths marks the blocks that are reachable from b. A path ends before a block x if stop(x) is
// true.
func markPaths(b *ir.Block, stop func(b *ir.Block) bool, next func(b *ir.Block) []*ir.Block, seen map[*ir.Block]bool) {
	for _, s := range next(b) {
		if !stop(s) && !seen[s] {
			seen[s] = true
			markPaths(s, stop, next, seen)
		}
	}
}

// writeSinceKept searches for an instruction that may write to the bytes of view v after the store
// of the view in v.kept and before the view's load. A later store to the variable overrides earlier
// stores. writeSinceKept returns nil if no instruction may write to the view's bytes.
func (l *lowerer) writeSinceKept(v bytesView) *ir.Value {
	to, stores := v.made, v.kept.views
	end := to.indexOf(len(to.b.Insts))
	before := -1 // index of the instruction after the last store to v.kept in the load's block; -1 if no such store precedes the load
	holds := map[*ir.Block]bool{}
	for _, st := range stores {
		holds[st.b] = true
		if i := st.indexOf(0); st.b == to.b && i <= end {
			before = max(before, i)
		}
	}
	if before >= 0 {
		return l.firstWrite(to.b.Insts[before:end], v.s.at)
	}
	stop := func(b *ir.Block) bool { return holds[b] }
	for _, from := range stores {
		begin := from.indexOf(0)
		hidden := slices.ContainsFunc(stores, func(st codePoint) bool { return st.b == from.b && st.indexOf(0) > begin })
		if hidden || !pathExists(from.b, to.b, stop) {
			continue
		}
		if w := l.firstWrite(from.b.Insts[begin:], v.s.at); w != nil {
			return w
		}
		if w := l.firstWrite(to.b.Insts[:end], v.s.at); w != nil {
			return w
		}
		if w := l.writeOnWay(from.b, to.b, stop, v.s.at); w != nil {
			return w
		}
	}
	return nil
}

// pathExists reports whether a path leads from one block to the beginning of another block. Paths
// through a block b do not count if stop(b) is true.
func pathExists(from, to *ir.Block, stop func(b *ir.Block) bool) bool {
	seen := map[*ir.Block]bool{}
	markPaths(from, func(b *ir.Block) bool { return b != to && stop(b) }, succs, seen)
	return seen[to]
}

// indexOf returns the index of the instruction after point p. If the instruction at p has been
// removed, indexOf returns ifRemoved.
func (p codePoint) indexOf(ifRemoved int) int {
	if p.prev == nil {
		return 0
	}
	if i := slices.Index(p.b.Insts, p.prev); i >= 0 {
		return i + 1
	}
	return ifRemoved
}

// firstWrite returns the first instruction that may write to memory m. If other work-items share m,
// each barrier and atomic operation counts as a write, because another work-item may have written
// to m before.
func (l *lowerer) firstWrite(insts []*ir.Value, m mem) *ir.Value {
	shared := m.device() || m.v.Storage == ir.Workgroup
	for _, v := range insts {
		if l.ofPrinter(v) {
			continue
		}
		if v.Op.Has(ir.FlagSync) || v.Op.Has(ir.FlagAtomic) {
			if shared {
				return v
			}
			continue
		}
		if c, ok := v.Aux.(*ir.Copy); ok && c.Dst == m.v {
			return v
		}
		if r := v.Ref(); r != nil && v.Op != ir.OpLoad && v.Op != ir.OpAddrOf && r.Var == m.v {
			return v
		}
	}
	return nil
}

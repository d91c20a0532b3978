package lower

// This file lowers ranges over strings, and conversions of strings.

import (
	"go/types"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// stringIter is the state of a range over a string. The field n is a variable that holds the number
// of the next rune.
type stringIter struct {
	s string
	n *ir.Var
}

func (l *lowerer) rangeString(in *ssa.Range) val {
	if t, ok := l.valueOf(in.X).(dynText); ok {
		at := l.m.NewVar(l.f, ir.Function, "rune", ir.TypeI64)
		l.storeVar(at, l.m.Int(ir.TypeI64, 0))
		return textIter{t, at}
	}
	s, ok := l.valueOf(in.X).(str)
	if !ok {
		return l.rangeChars(in)
	}
	n := l.m.NewVar(l.f, ir.Function, "rune", ir.TypeI32)
	l.storeVar(n, l.m.Int(ir.TypeI32, 0))
	return stringIter{s.s, n}
}

// nextRune lowers one step of a range over a string. The first result of the step is a bool that
// tells whether the string has another rune. The other results are the rune's index and the rune.
func (l *lowerer) nextRune(in *ssa.Next) val {
	if it, ok := l.valueOf(in.Iter).(textIter); ok {
		return l.nextTextRune(it)
	}
	if it, ok := l.valueOf(in.Iter).(charsIter); ok {
		return l.nextCharsRune(it)
	}
	it, ok := l.valueOf(in.Iter).(stringIter)
	if !ok {
		return l.reportLost(in.Type())
	}
	var starts, runes []int64
	for i, r := range it.s {
		starts, runes = append(starts, int64(i)), append(runes, int64(r))
	}
	zero := l.m.Int(ir.TypeI32, 0)
	if len(runes) == 0 {
		return tuple{[]val{l.m.Bool(false), l.m.Int(ir.TypeI64, 0), zero}}
	}
	n := l.loadVar(it.n)
	more := l.op(ir.OpULt, ir.TypeBool, n, l.m.Int(ir.TypeI32, int64(len(runes))))
	l.storeVar(it.n, l.op(ir.OpIAdd, ir.TypeI32, n, l.m.Int(ir.TypeI32, 1)))
	i := l.op(ir.OpSelect, ir.TypeI32, more, n, zero)
	start := i
	if len(runes) < len(it.s) {
		start = l.loadVarAt(l.numberTable("starts "+it.s, starts), i)
	}
	r := l.loadVarAt(l.numberTable("runes "+it.s, runes), i)
	return tuple{[]val{more, l.op(ir.OpUConvert, ir.TypeI64, start), r}}
}

// loadVarAt loads element i of a constant table.
func (w *builder) loadVarAt(m mem, i *ir.Value) *ir.Value {
	v := w.op(ir.OpLoad, ir.TypeI32, m.atIndex(i).args()...)
	v.Aux = m.atIndex(i).auxRef()
	return v
}

// bytesOrRunes lowers []byte(s) and []rune(s).
func (l *lowerer) bytesOrRunes(s string, runes bool) val {
	var ns []int64
	if runes {
		for _, r := range s {
			ns = append(ns, int64(r))
		}
	} else {
		for i := range len(s) {
			ns = append(ns, int64(s[i]))
		}
	}
	if len(ns) > maxVar/4 {
		l.errorf(diag.TooLarge, l.pos, "use a package-level string", "a string of %d bytes is too large for a work-item's memory", len(s))
		ns = ns[:1]
	}
	count := l.m.Int(ir.TypeI64, int64(len(ns)))
	v := l.m.NewVar(l.f, ir.Function, "text", l.m.ArrayOf(ir.TypeI32, l.m.Int(ir.TypeI32, int64(max(len(ns), 1)))))
	// In Go, each execution of the conversion allocates a new slice.
	at := l.alternatives.place()
	c := &cell{typ: types.NewSlice(types.Typ[types.Uint8]), cls: classArray, mem: mem{v: v}, home: &at, decl: l.frame.cur, anew: l.frame.inRound(at.block)}
	l.foresight.registerMemory(c, l.foresight.pathOf(l.frame.path, l.frame.cur))
	if len(ns) > 0 {
		name := "string " + s
		if runes {
			name = "runes " + s
		}
		table := l.numberTable(name, ns)
		l.emitLoop(l.m.Int(ir.TypeI32, int64(len(ns))), func(i *ir.Value) {
			st := l.op(ir.OpStore, ir.TypeVoid, l.loadVarAt(table, i), i)
			st.Aux = &ir.Ref{Var: v}
		})
	}
	return slice{at: mem{v: v}, off: l.m.Int(ir.TypeI64, 0), len: count, cap: count}
}

// charsIter is the state of a range over a string whose bytes are known only at run time. The
// variable in field "at" holds the index of the next rune.
type charsIter struct {
	v  val
	c  dynChars
	at *ir.Var
}

func (l *lowerer) rangeChars(in *ssa.Range) val {
	v := l.valueOf(in.X)
	c, ok := l.charsOf(v)
	if !ok {
		return l.reportLost(in.Type())
	}
	at := l.m.NewVar(l.f, ir.Function, "rune", ir.TypeI64)
	l.storeVar(at, l.m.Int(ir.TypeI64, 0))
	return charsIter{v, c, at}
}

// nextCharsRune lowers one step of a range over a string whose bytes are known only at run time.
// nextCharsRune has the same results as nextRune.
func (l *lowerer) nextCharsRune(it charsIter) val {
	at := l.loadVar(it.at)
	more := l.op(ir.OpSLt, ir.TypeBool, at, it.c.length())
	width := l.m.NewVar(l.f, ir.Function, "width", ir.TypeI64)
	r := l.m.NewVar(l.f, ir.Function, "r", ir.TypeI32)
	l.storeVar(width, l.m.Int(ir.TypeI64, 0))
	l.storeVar(r, l.m.Int(ir.TypeI32, 0))
	some, wide, out := l.newBlock(), l.newBlock(), l.newBlock()
	l.b.Branch(more, some, out)
	l.b = some
	first := it.c.at(l, at)
	l.storeVar(r, first)
	l.storeVar(width, l.m.Int(ir.TypeI64, 1))
	l.b.Branch(l.op(ir.OpULt, ir.TypeBool, first, l.m.Int(ir.TypeI32, utf8.RuneSelf)), out, wide)
	l.b = wide
	x, n := l.decodeRune(it.c, at, first)
	l.storeVar(r, x)
	l.storeVar(width, n)
	l.b.Jump(out)
	l.b = out
	l.recordReads(it.v)
	l.storeVar(it.at, l.op(ir.OpIAdd, ir.TypeI64, at, l.loadVar(width)))
	return tuple{[]val{more, at, l.loadVar(r)}}
}

// decodeRune returns the rune at the given index of the string, and the rune's width in bytes. The
// first byte of the rune must not be ASCII. For invalid UTF-8, decodeRune returns RuneError and
// width 1 (The Unicode Standard, table 3-7).
func (l *lowerer) decodeRune(c dynChars, at, first *ir.Value) (r, width *ir.Value) {
	n32 := func(n int64) *ir.Value { return l.m.Int(ir.TypeI32, n) }
	and := func(a, b *ir.Value) *ir.Value { return l.op(ir.OpLAnd, ir.TypeBool, a, b) }
	within := func(x *ir.Value, lo, hi int64) *ir.Value {
		return l.op(ir.OpULe, ir.TypeBool, l.op(ir.OpISub, ir.TypeI32, x, n32(lo)), n32(hi-lo))
	}
	choose := func(is *ir.Value, a, b int64) *ir.Value { return l.op(ir.OpSelect, ir.TypeI32, is, n32(a), n32(b)) }
	is := func(b int64) *ir.Value { return l.op(ir.OpIEq, ir.TypeBool, first, n32(b)) }
	// The function `next` returns the k-th byte after the rune's first byte. After the end of the
	// string, the result is 0, which is not a valid continuation byte.
	next := func(k int64) *ir.Value {
		i := l.op(ir.OpIAdd, ir.TypeI64, at, l.m.Int(ir.TypeI64, k))
		there := l.op(ir.OpSLt, ir.TypeBool, i, c.length())
		x := c.at(l, l.op(ir.OpSelect, ir.TypeI64, there, i, at))
		return l.op(ir.OpSelect, ir.TypeI32, there, x, n32(0))
	}
	b1, b2, b3 := next(1), next(2), next(3)
	lo := l.op(ir.OpSelect, ir.TypeI32, is(0xe0), n32(0xa0), choose(is(0xf0), 0x90, 0x80))
	hi := l.op(ir.OpSelect, ir.TypeI32, is(0xed), n32(0x9f), choose(is(0xf4), 0x8f, 0xbf))
	ok1 := and(l.op(ir.OpULe, ir.TypeBool, lo, b1), l.op(ir.OpULe, ir.TypeBool, b1, hi))
	ok2 := and(ok1, within(b2, 0x80, 0xbf))
	ok3 := and(ok2, within(b3, 0x80, 0xbf))
	low := func(x *ir.Value, mask, shift int64) *ir.Value {
		return l.op(ir.OpShl, ir.TypeI32, l.op(ir.OpAnd, ir.TypeI32, x, n32(mask)), n32(shift))
	}
	or := func(a, b *ir.Value) *ir.Value { return l.op(ir.OpOr, ir.TypeI32, a, b) }
	two := or(low(first, 0x1f, 6), low(b1, 0x3f, 0))
	three := or(or(low(first, 0xf, 12), low(b1, 0x3f, 6)), low(b2, 0x3f, 0))
	four := or(or(low(first, 7, 18), low(b1, 0x3f, 12)), or(low(b2, 0x3f, 6), low(b3, 0x3f, 0)))
	r, width32 := n32(utf8.RuneError), n32(1)
	for _, form := range []struct {
		is *ir.Value
		r  *ir.Value
		n  int64
	}{
		{and(within(first, 0xc2, 0xdf), ok1), two, 2},
		{and(within(first, 0xe0, 0xef), ok2), three, 3},
		{and(within(first, 0xf0, 0xf4), ok3), four, 4},
	} {
		r = l.op(ir.OpSelect, ir.TypeI32, form.is, form.r, r)
		width32 = l.op(ir.OpSelect, ir.TypeI32, form.is, n32(form.n), width32)
	}
	return r, l.op(ir.OpUConvert, ir.TypeI64, width32)
}

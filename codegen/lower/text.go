package lower

// This file lowers strings that are selected at run time from constant texts.

import (
	"go/token"
	"go/types"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// dynText is a string that is selected at run time from the kernel's constant texts. The field
// `off` is the text's position in the table of texts, and the field n is the text's length. Both
// are int64 values.
type dynText struct{ off, n *ir.Value }

// textTable is the table of all constant strings that may be selected at run time.
type textTable struct {
	all     string
	dynamic map[any]bool // declarations of variables that hold strings selected at run time; keys of type partKey stand for fields and elements
}

// textOf converts string v to a text. If v is constant, textOf adds v to the table of texts.
func (ts *constTables) textOf(v val) (dynText, bool) {
	switch v := v.(type) {
	case dynText:
		return v, true
	case str:
		at := strings.Index(ts.texts.all, v.s)
		if at < 0 {
			at = len(ts.texts.all)
			ts.texts.all += v.s
			ts.foresight.repeat = true // the next lowering has the string in the table from the start
		}
		return dynText{ts.m.Int(ir.TypeI64, int64(at)), ts.m.Int(ir.TypeI64, int64(len(v.s)))}, true
	}
	return dynText{}, false
}

// partKey identifies a field or element of a variable in all lowerings of the kernel.
type partKey struct {
	key any
	i   int
}

// makeDynamic records that variable c holds strings that are selected at run time, and requests
// another lowering of the kernel. makeDynamic returns false if another lowering would not help.
func (ts *constTables) makeDynamic(c *cell, a, b val) bool {
	_, ok1 := ts.textOf(a)
	_, ok2 := ts.textOf(b)
	if !ok1 || !ok2 || c.key == nil || ts.texts.dynamic[c.key] {
		return false
	}
	ts.texts.dynamic[c.key] = true
	ts.foresight.repeat = true
	return true
}

// setKey records the declaration of variable c, and of its parts. A declaration has the same key in
// all lowerings of the kernel.
func (l *lowerer) setKey(c *cell, key any) {
	c.key = key
	if c.inst == nil {
		l.setInst(c, l.foresight.pathOf(l.frame.path, key))
	}
	if c.cls == classShape && l.foresight.carried.known[key] {
		l.makeSeveral(c)
	}
	if c.cls == classShape && l.tables.texts.dynamic[key] {
		if t, ok := l.tables.textOf(c.shape); ok {
			c.shape = t
		}
	}
	for i, part := range c.fields {
		l.setKey(part, partKey{key, i})
	}
}

// setInst records the path p of variable c, and of its parts. If a declaration runs several times,
// for example in an unrolled loop, the path distinguishes the resulting variables.
func (l *lowerer) setInst(c *cell, p *callPath) {
	c.inst = p
	l.foresight.declared[p] = c
	if l.foresight.carried.early[p] && c.cls == classShape {
		l.makeSeveral(c)
	}
	for i, part := range c.fields {
		l.setInst(part, l.foresight.carried.internPath(callPath{up: p, at: i}))
	}
}

// textTable returns the table of all texts with one element for each byte. If withRunes is false,
// each element is a byte. If withRunes is set, each element holds the rune that begins at the byte.
// Bits 24 and above of the element hold the number of the rune's bytes. A rune that begins near the
// end of a text may include bytes of the next text in the table.
func (ts *constTables) textTable(withRunes bool) slice {
	all := ts.texts.all
	if all == "" {
		all = "\x00"
	}
	i, name, elem := 0, "texts", types.Typ[types.Uint8]
	if withRunes {
		i, name, elem = 1, "runes of texts", types.Typ[types.Int32]
	}
	if ts.textTables[i].len == nil {
		var ns []int64
		for at := range len(all) {
			n := int64(all[at])
			if withRunes {
				r, width := utf8.DecodeRuneInString(all[at:])
				n = int64(r) | int64(width)<<24
			}
			ns = append(ns, n)
		}
		count := ts.m.Int(ir.TypeI64, int64(len(ns)))
		t := slice{off: ts.m.Int(ir.TypeI64, 0), len: count, cap: count}
		if len(ns) <= maxVarTable {
			t.at = ts.numberTable(name, ns)
		} else {
			var scalars []*ir.Value
			for _, n := range ns {
				scalars = append(scalars, ts.m.Int(ir.TypeI32, n))
			}
			m := ts.dataTable(scalars, types.NewArray(elem, int64(len(ns))))
			t.at, t.off = mem{addr: m.addr, elem: ts.memType(elem, true)}, nil
		}
		ts.textTables[i] = t
	}
	return ts.textTables[i]
}

// byteAt loads byte i of a text. The index i must be less than the text's length.
func (l *lowerer) byteAt(t dynText, i *ir.Value) *ir.Value {
	at := l.elemMem(l.tables.textTable(false), l.op(ir.OpIAdd, ir.TypeI64, t.off, i))
	return l.loadScalar(at, types.Typ[types.Uint8])
}

// textBytes returns the bytes of a text. Code must not write to the bytes of a text.
func (l *lowerer) textBytes(t dynText) slice {
	s := l.tables.textTable(false)
	if s.at.device() {
		a := l.op(ir.OpAddrOf, ir.TypeAddr, s.at.addr, t.off)
		a.Aux = s.at.auxRef()
		s.at.addr = a
	} else {
		s.off = t.off
	}
	s.len, s.cap = t.n, t.n
	return s
}

// onlyLooked reports whether v, the result of []byte(s), is only read, for example by a range over
// the bytes. If v is only read, the conversion needs no copy of the bytes.
func onlyLooked(v ssa.Value) bool {
	s, ok := v.Type().Underlying().(*types.Slice)
	if !ok || gotypes.Width(s.Elem()) != 8 {
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.IndexAddr:
			for _, use := range *r.Referrers() {
				switch use := use.(type) {
				case *ssa.DebugRef:
				case *ssa.UnOp:
					if use.Op != token.MUL {
						return false
					}
				default:
					return false
				}
			}
		case *ssa.Slice:
			if !onlyLooked(r) {
				return false
			}
		case *ssa.Call:
			if b, ok := r.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" && b.Name() != "cap" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// textVar represents the table of texts while the bounds of a slice expression for a text are
// checked.
var textVar = &ir.Var{}

// sliceText lowers t[lo:hi] for a text t.
func (l *lowerer) sliceText(t dynText, b sliceBounds) dynText {
	b.ofArray = true // the upper bound is compared with the text's length
	s := l.reslice(slice{at: mem{v: textVar}, off: t.off, len: t.n, cap: t.n}, b)
	return dynText{s.off, s.len}
}

// differAt returns the first index at which two strings differ, but at most `limit`.
func (l *lowerer) differAt(a, b dynChars, limit *ir.Value) *ir.Value {
	v := l.m.NewVar(l.f, ir.Function, "same", ir.TypeI64)
	l.storeVar(v, l.m.Int(ir.TypeI64, 0))
	head, body, next, out := l.newBlock(), l.newBlock(), l.newBlock(), l.newBlock()
	l.b.Jump(head)
	l.b = head
	i := l.loadVar(v)
	l.b.Branch(l.op(ir.OpSLt, ir.TypeBool, i, limit), body, out)
	l.b = body
	l.b.Branch(l.op(ir.OpIEq, ir.TypeBool, a.at(l, i), b.at(l, i)), next, out)
	l.b = next
	l.storeVar(v, l.op(ir.OpIAdd, ir.TypeI64, i, l.m.Int(ir.TypeI64, 1)))
	l.b.Jump(head)
	l.b = out
	return l.loadVar(v)
}

// equalTexts lowers a == b for strings that are not both constant.
func (l *lowerer) equalTexts(a, b dynChars) val {
	same := l.op(ir.OpIEq, ir.TypeBool, a.length(), b.length())
	limit := l.op(ir.OpSelect, ir.TypeI64, same, a.length(), l.m.Int(ir.TypeI64, 0))
	return l.op(ir.OpLAnd, ir.TypeBool, same, l.op(ir.OpIEq, ir.TypeBool, l.differAt(a, b, limit), limit))
}

// textOp lowers a comparison or concatenation of two strings that are not both constant.
func (l *lowerer) textOp(op token.Token, a, b dynChars) val {
	switch op {
	case token.ADD:
		l.errorf(diag.String, token.NoPos, "keep the parts, or bytes in a slice",
			"a kernel cannot join strings that are not known when the kernel is generated")
		return badVal{}
	case token.LSS:
		return l.textLess(a, b)
	case token.GTR:
		return l.textLess(b, a)
	case token.LEQ:
		return l.not(l.textLess(b, a))
	}
	return l.not(l.textLess(a, b))
}

// textLess lowers a < b for strings that are not both constant.
func (l *lowerer) textLess(a, b dynChars) *ir.Value {
	shorter := l.op(ir.OpSLt, ir.TypeBool, a.length(), b.length())
	limit := l.op(ir.OpSelect, ir.TypeI64, shorter, a.length(), b.length())
	i := l.differAt(a, b, limit)
	v := l.m.NewVar(l.f, ir.Function, "less", ir.TypeBool)
	l.storeVar(v, shorter)
	differ, out := l.newBlock(), l.newBlock()
	l.b.Branch(l.op(ir.OpSLt, ir.TypeBool, i, limit), differ, out)
	l.b = differ
	l.storeVar(v, l.op(ir.OpULt, ir.TypeBool, a.at(l, i), b.at(l, i)))
	l.b.Jump(out)
	l.b = out
	return l.loadVar(v)
}

// textMinMax lowers min or max of strings that are not all constant.
func (l *lowerer) textMinMax(name string, args []val) val {
	acc, ok := l.tables.textOf(args[0])
	for _, a := range args[1:] {
		b, ok2 := l.tables.textOf(a)
		if !ok || !ok2 {
			l.errorf(diag.String, token.NoPos, viewHint, "a string of bytes cannot be one of several that data choose among: a kernel does not copy them")
			return badVal{}
		}
		p, q := b, acc
		if name == "max" {
			p, q = acc, b
		}
		other := l.textLess(p, q)
		acc = dynText{l.op(ir.OpSelect, ir.TypeI64, other, b.off, acc.off), l.op(ir.OpSelect, ir.TypeI64, other, b.n, acc.n)}
	}
	return acc
}

// textIter is the state of a range over a text. The variable in field "at" holds the index of the
// next rune.
type textIter struct {
	t  dynText
	at *ir.Var
}

// nextTextRune lowers one step of a range over a text. nextTextRune has the same results as
// nextRune.
func (l *lowerer) nextTextRune(it textIter) val {
	zero, one := l.m.Int(ir.TypeI64, 0), l.m.Int(ir.TypeI64, 1)
	at := l.loadVar(it.at)
	more := l.op(ir.OpSLt, ir.TypeBool, at, it.t.n)
	i := l.op(ir.OpSelect, ir.TypeI64, more, l.op(ir.OpIAdd, ir.TypeI64, it.t.off, at), zero)
	packed := l.loadScalar(l.elemMem(l.tables.textTable(true), i), types.Typ[types.Int32])
	width := l.op(ir.OpUConvert, ir.TypeI64, l.op(ir.OpShrL, ir.TypeI32, packed, l.m.Int(ir.TypeI32, 24)))
	end := l.op(ir.OpIAdd, ir.TypeI64, at, width)
	// A rune that extends beyond the end of the text is not valid.
	cut := l.op(ir.OpSLt, ir.TypeBool, it.t.n, end)
	r := l.op(ir.OpAnd, ir.TypeI32, packed, l.m.Int(ir.TypeI32, 1<<24-1))
	r = l.op(ir.OpSelect, ir.TypeI32, cut, l.m.Int(ir.TypeI32, utf8.RuneError), r)
	l.storeVar(it.at, l.op(ir.OpSelect, ir.TypeI64, cut, l.op(ir.OpIAdd, ir.TypeI64, at, one), end))
	return tuple{[]val{more, at, r}}
}

// stringIntrinsic makes an intrinsic for a function with one string parameter. For a constant
// string, evalConst computes the result. For other strings, the function's body is compiled.
func stringIntrinsic(evalConst func(l *lowerer, s string) val) func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
	return func(l *lowerer, in *ssa.Call, fn *ssa.Function, args []val) val {
		if s, ok := args[0].(str); ok {
			return evalConst(l, s.s)
		}
		return l.inlineCall(fn, args, nil, in.Pos())
	}
}

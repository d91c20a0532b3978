package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// This file lowers calls that print. A work-item writes the printed values to the print buffer, as
// a record that package abi describes. The host formats the text.

// maxPrintWords is the largest number of 32-bit words in a print record. Each 32-bit word of a
// record is written by a separate store.
const maxPrintWords = 512

const elemHint = "print its elements, one by one or as an array"

// fmtPrints maps the name of a printing function of package fmt to the function's number in package
// abi.
var fmtPrints = map[string]abi.PrintFunc{"fmt.Print": abi.Print, "fmt.Printf": abi.Printf, "fmt.Println": abi.Println}

func init() {
	for name, f := range fmtPrints {
		add(name, func(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val { return l.fmtPrint(in, f, args) })
	}
}

// fmtPrint lowers a call of fmt.Print, Printf or Println.
func (l *lowerer) fmtPrint(in *ssa.Call, f abi.PrintFunc, args []val) val {
	result := tuple{[]val{badVal{}, badVal{}}}
	if used := usedResult(in); used != token.NoPos {
		l.errorf(diag.Print, used, "call it as a statement", "what %v returns is not known in a kernel: the host prints when the launch has ended", f)
		return result
	}
	format := ""
	if f == abi.Printf {
		s, ok := args[0].(str)
		if !ok {
			l.errorf(diag.Print, in.Pos(), "write the format as a constant, and print strings with %s", "the format is not known when the kernel is generated")
			return result
		}
		format, args = s.s, args[1:]
	}
	var values []val
	switch list := args[0].(type) {
	case resolvedSlice:
		values = l.elemValues(list)
	default:
		if s, ok := list.(slice); !isNilShape(list) && !(ok && s.len.IsConst() && s.len.Bits == 0) {
			l.errorf(diag.Print, in.Pos(), "write the arguments out: fmt.Println(a, b)", "how many arguments are printed is not known when the kernel is generated")
			return result
		}
	}
	l.printEach(f, format, values)
	return result
}

// usedResult returns the position of the first use of the call's result, or token.NoPos if the
// result is unused.
func usedResult(in *ssa.Call) token.Pos {
	for _, r := range *in.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Extract:
			for _, use := range *r.Referrers() {
				if _, ok := use.(*ssa.DebugRef); !ok {
					return in.Pos()
				}
			}
		default:
			return in.Pos()
		}
	}
	return token.NoPos
}

// printEach emits a record with the given interface values. For each value, the dynamic type or a
// list of possible dynamic types must be known.
func (l *lowerer) printEach(f abi.PrintFunc, format string, values []val) {
	for i, v := range values {
		if u, ok := v.(oneOf); ok {
			l.eachAlt(u, nil, func(alt val) val {
				one := slices.Clone(values)
				one[i] = alt
				l.printEach(f, format, one)
				return nil
			})
			return
		}
	}
	if slices.ContainsFunc(values, isBad) {
		return
	}
	r := &printRecord{l: l, site: abi.PrintSite{Func: f}}
	var list []iface
	for _, v := range values {
		i, ok := v.(iface)
		if !ok {
			l.errorf(diag.Print, token.NoPos, "convert it to a type of its own", "the type of what is printed is not known when the kernel is generated")
			return
		}
		list = append(list, i)
	}
	if f == abi.Printf {
		r.addFormat(format, list)
	} else {
		for _, i := range list {
			r.addArg(i, printDirective{verb: 'v'})
		}
	}
	l.printRecord(r)
}

// predPrint lowers a call of the predeclared function print or println.
func (l *lowerer) predPrint(c *ssa.CallCommon, name string, args []val) {
	f := abi.PredPrint
	if name == "println" {
		f = abi.PredPrintln
	}
	r := &printRecord{l: l, site: abi.PrintSite{Func: f}}
	for i, a := range args {
		t := c.Args[i].Type()
		if b, ok := t.Underlying().(*types.Basic); !ok || b.Kind() == types.UntypedNil || b.Kind() == types.UnsafePointer {
			l.errorf(diag.Print, token.NoPos, "print what it points to or holds", "%s of a %v prints an address, which is the device's own", name, t)
			return
		}
		r.site.Args = append(r.site.Args, r.addBasic(t, a, true))
	}
	l.printRecord(r)
}

// printRecord is a print record that is being built.
type printRecord struct {
	l      *lowerer
	site   abi.PrintSite
	items  []printItem
	failed bool
}

// printItem is one 32-bit word of a print record, or a string whose bytes are copied into the
// record.
type printItem struct {
	word  *ir.Value
	chars dynChars
	of    val // value whose bytes are in field "chars"
}

func (r *printRecord) fail(hint, format string, args ...any) {
	if !r.failed {
		r.l.errorf(diag.Print, token.NoPos, hint, format, args...)
	}
	r.failed = true
}

// addArg adds the argument of format directive d to the record.
func (r *printRecord) addArg(i iface, d printDirective) {
	if r.failed {
		return
	}
	switch {
	case d.verb == 'T':
		name := "<nil>"
		if i.typ != nil {
			name = reflectName(i.typ)
		}
		r.site.Args = append(r.site.Args, strconv.Quote(name))
	case i.typ == nil && d.verb == 'v':
		r.site.Args = append(r.site.Args, "nil")
	case i.typ == nil:
		r.fail("print it with %v", "%%%c of a nil interface value", d.verb)
	default:
		r.site.Args = append(r.site.Args, r.addValue(i, d, 0))
	}
}

// addValue adds a value to the record. addValue returns the name of the value's type in the
// notation of abi.PrintSite. The parameter `depth` is the number of structs and arrays around the
// value. Package fmt calls no methods of values in unexported fields. Inside unexported fields,
// `depth` is negative.
func (r *printRecord) addValue(i iface, d printDirective, depth int) string {
	if code, is := r.addMethodText(i, d, depth); is {
		return code
	}
	inside := depth + 1
	if depth < 0 {
		inside = depth
	}
	switch u := i.typ.Underlying().(type) {
	case *types.Basic:
		if !d.acceptsType(u) {
			r.fail("use %v, or a verb of that type", "the verb %%%c is not one of %v", d.verb, i.typ)
			return ""
		}
		if u.Info()&(types.IsBoolean|types.IsNumeric|types.IsString) == 0 {
			break
		}
		return r.addBasic(i.typ, i.v, depth == 0)
	case *types.Array:
		if d.sharp && hasNames(i.typ) {
			break
		}
		code := fmt.Sprintf("[%d]", u.Len())
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 && gotypes.Half(u.Elem()) == "" && strings.ContainsRune("sqxX", d.verb) {
			d.verb = 'd' // for the verbs s, q, x and X, package fmt prints the bytes as one string
		}
		elem := ""
		if u.Len() == 0 { // an empty array has no elements, but the host needs the element type
			n := len(r.items)
			elem = r.addValue(iface{u.Elem(), r.l.zeroValue(u.Elem())}, d, inside)
			r.items = r.items[:n]
		}
		for n := range u.Len() {
			if elem = r.addValue(iface{u.Elem(), r.elemOfArray(i.v, u, n)}, d, inside); r.failed {
				return ""
			}
		}
		return code + elem
	case *types.Struct:
		if d.sharp && hasNames(i.typ) {
			break
		}
		t, ok := i.v.(tuple)
		if !ok || len(t.elems) != u.NumFields() {
			break
		}
		var b strings.Builder
		b.WriteString("struct{")
		for n := range u.NumFields() {
			f, in := u.Field(n), inside
			if !f.Exported() {
				in = -1
			}
			b.WriteString(f.Name() + " " + r.addValue(iface{f.Type(), t.elems[n]}, d, in) + ";")
			if r.failed {
				return ""
			}
		}
		return b.String() + "}"
	}
	r.unprintable(i, d)
	return ""
}

// unprintable reports an error for a value that the directive cannot print.
func (r *printRecord) unprintable(i iface, d printDirective) {
	switch u := i.typ.Underlying().(type) {
	case *types.Slice:
		if width8(u.Elem()) {
			r.fail("print string(b), or its elements one by one", "a kernel cannot print a %v: how long it is may change", i.typ)
			return
		}
		r.fail(elemHint, "a kernel cannot print a %v: how long it is may change", i.typ)
	case *types.Pointer:
		r.fail("print what it points to: *p", "a kernel cannot print a %v: an address is the device's own", i.typ)
	case *types.Struct, *types.Array:
		if d.sharp {
			r.fail("print it with %+v", "%%#v prints the name of the type %v, which the host does not know", i.typ)
			return
		}
		r.fail("print its fields", "a kernel cannot print this value of type %v", i.typ)
	default:
		r.fail("print numbers, bools, strings, and arrays and structs of them", "a kernel cannot print a %v", i.typ)
	}
}

func width8(t types.Type) bool { return gotypes.IsInteger(t) && gotypes.Width(t) == 8 }

// hasNames reports whether a type contains names or tags, which %#v prints.
func hasNames(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named, *types.TypeParam:
		return true
	case *types.Array:
		return hasNames(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if t.Tag(i) != "" || t.Field(i).Embedded() || !t.Field(i).Exported() || hasNames(t.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

// addMethodText adds the result of the Error or String method that package fmt would call for the
// value. The second result of addMethodText is false if there is no Error or String method.
func (r *printRecord) addMethodText(i iface, d printDirective, depth int) (code string, is bool) {
	if depth < 0 {
		return "", false
	}
	if kind := gotypes.Half(i.typ); kind != "" {
		if !strings.ContainsRune("vbgGxXfFeEs", d.verb) {
			r.fail("use %v, or a verb of floats", "the verb %%%c is not one of %v", d.verb, i.typ)
			return "", true
		}
		r.addBasic(i.typ, i.v, false)
		return "half." + kind, true
	}
	methods := types.NewMethodSet(i.typ)
	if methods.Lookup(nil, "Format") != nil {
		r.fail("print its fields", "%v has a method Format, which only the host can call", i.typ)
		return "", true
	}
	if d.sharp {
		if methods.Lookup(nil, "GoString") != nil {
			r.fail("print it with %v", "%v has a method GoString, which only the host can call", i.typ)
			return "", true
		}
		return "", false
	}
	if !strings.ContainsRune("vsxXq", d.verb) {
		return "", false
	}
	v, has := r.l.ownText(i)
	if !has {
		return "", false
	}
	switch v := v.(type) {
	case str, dynText, bytesView, oneOf:
		r.addBasic(types.Typ[types.String], v, false)
		if gotypes.IsString(i.typ) { // fmt.Print distinguishes strings from other types
			return "textstring", true
		}
		return "text", true
	case badVal:
		r.failed = true
	default:
		r.fail("print its fields, or convert it to a type without methods", "the method of %v that says what is printed does more than look for a text", i.typ)
	}
	return "", true
}

// elemOfArray returns element n of an array value of type t.
func (r *printRecord) elemOfArray(v val, t *types.Array, n int64) val {
	switch v := v.(type) {
	case tuple:
		if n < int64(len(v.elems)) {
			return v.elems[n]
		}
	case array:
		if t.Len() <= maxPrintWords {
			return r.l.loadMem(v.at.atIndex(r.l.m.Int(ir.TypeI32, n)), t.Elem())
		}
		r.fail(elemHint, "an array of %d elements is too large to be printed", t.Len())
	}
	if !isBad(v) {
		r.unprintable(iface{t, v}, printDirective{verb: 'v'})
	}
	r.failed = true
	return badVal{}
}

// addBasic adds a number, a bool or a string to the record. The record does not contain an argument
// that is a constant string.
func (r *printRecord) addBasic(t types.Type, v val, alone bool) string {
	l := r.l
	word := func(w *ir.Value) { r.items = append(r.items, printItem{word: w}) }
	name := types.Default(t).Underlying().(*types.Basic).Name()
	switch v := v.(type) {
	case *ir.Value:
		switch name {
		case "byte":
			name = "uint8"
		case "rune":
			name = "int32"
		}
		for _, w := range l.printWords(v) {
			word(w)
		}
	case tuple: // a complex number
		for _, e := range v.elems {
			for _, w := range l.printWords(e.(*ir.Value)) {
				word(w)
			}
		}
	case str:
		if alone {
			return strconv.Quote(v.s)
		}
		t, _ := l.tables.textOf(v)
		return r.addBasic(types.Typ[types.String], t, false)
	case dynText:
		l.m.PrintTexts = l.tables.texts.all
		n := l.op(ir.OpUConvert, ir.TypeI32, v.n)
		word(l.op(ir.OpOr, ir.TypeI32, n, l.m.Const(ir.TypeI32, abi.PrintTable)))
		word(l.op(ir.OpUConvert, ir.TypeI32, v.off))
	case bytesView, oneOf:
		c, ok := l.charsOf(v)
		if !ok {
			r.fail("print the parts of the string", "a kernel cannot print this string")
			break
		}
		word(l.op(ir.OpUConvert, ir.TypeI32, c.length()))
		r.items = append(r.items, printItem{chars: c, of: v})
	default:
		if !isBad(v) {
			r.fail("print numbers, bools, strings, and arrays and structs of them", "a kernel cannot print this %v", t)
		}
		r.failed = true
	}
	if len(r.items) > maxPrintWords {
		r.fail("print it in parts", "more than %d numbers are printed at once", maxPrintWords)
	}
	return name
}

// printWords returns the 32-bit words of a scalar in a print record.
func (w *builder) printWords(v *ir.Value) []*ir.Value {
	switch v.Type {
	case ir.TypeI64, ir.TypeF64:
		if v.IsConst() {
			return []*ir.Value{w.m.Const(ir.TypeI32, v.Bits&(1<<32-1)), w.m.Const(ir.TypeI32, v.Bits>>32)}
		}
	}
	switch v.Type {
	case ir.TypeBool:
		return []*ir.Value{w.op(ir.OpSelect, ir.TypeI32, v, w.m.Int(ir.TypeI32, 1), w.m.Int(ir.TypeI32, 0))}
	case ir.TypeF32:
		return []*ir.Value{w.op(ir.OpBitcast, ir.TypeI32, v)}
	case ir.TypeF64:
		v = w.op(ir.OpBitcast, ir.TypeI64, v)
	case ir.TypeI64:
	default:
		return []*ir.Value{v}
	}
	high := w.op(ir.OpShrL, ir.TypeI64, v, w.m.Int(ir.TypeI64, 32))
	return []*ir.Value{w.op(ir.OpUConvert, ir.TypeI32, v), w.op(ir.OpUConvert, ir.TypeI32, high)}
}

// printState describes the print buffer of a kernel that prints.
type printState struct {
	buf  mem
	room *ir.Value // number of 32-bit words of the buffer that are available for records
}

// printBuffer returns the kernel's print buffer. The first call adds the buffer as a parameter of
// the kernel.
func (l *lowerer) printBuffer() *printState {
	if l.prints == nil {
		m := l.m
		p := abi.Param{Name: abi.PrintParam, Kind: abi.Slice, Type: "[]uint32", Size: 16, ElemSize: 4, ElemAlign: 4, Access: abi.ReadWrite}
		p.Offset = (m.ArgSize + 7) &^ 7
		m.ArgSize = p.Offset + p.Size
		m.Spilled = abi.OffsetArgs+m.ArgSize > abi.MaxLaunchBlock
		m.Params = append(m.Params, p)
		at := uint64(abi.OffsetArgs + p.Offset)
		addr := l.opInPrologue(ir.OpArg, ir.TypeAddr)
		words := l.opInPrologue(ir.OpArg, ir.TypeI64)
		addr.Bits, words.Bits = at, at+8
		narrow := l.opInPrologue(ir.OpUConvert, ir.TypeI32, words)
		l.prints = &printState{mem{addr: addr, elem: ir.TypeI32}, l.opInPrologue(ir.OpISub, ir.TypeI32, narrow, m.Int(ir.TypeI32, abi.PrintHeader))}
	}
	return l.prints
}

// printRecord emits code that writes a record to the print buffer, if the buffer has room for it.
func (l *lowerer) printRecord(r *printRecord) {
	if r.failed {
		return
	}
	p := l.printBuffer()
	n32 := func(n int64) *ir.Value { return l.m.Int(ir.TypeI32, n) }
	at := func(i *ir.Value) mem { return p.buf.atIndex(l.op(ir.OpUConvert, ir.TypeI64, i)) }
	atomic := func(op ir.Op, word int64, args ...*ir.Value) *ir.Value {
		v := l.op(op, ir.TypeI32, append(args, p.buf.atIndex(l.m.Int(ir.TypeI64, word)).args()...)...)
		v.Aux = p.buf.auxRef()
		return v
	}
	need, long := l.printSize(r)
	try, write, lost, carry, out := l.newBlock(), l.newBlock(), l.newBlock(), l.newBlock(), l.newBlock()

	// The counter Used does not grow once it is past the end of the buffer. So the counter stays below
	// 2^32.
	room := l.op(ir.OpULt, ir.TypeBool, atomic(ir.OpAtomicLoadRelaxed, abi.PrintUsed), p.room)
	if long != nil {
		room = l.op(ir.OpLAnd, ir.TypeBool, room, l.not(long).(*ir.Value))
	}
	l.b.Branch(room, try, lost)

	l.b = try
	begin := atomic(ir.OpAtomicIAdd, abi.PrintUsed, need)
	fits := l.op(ir.OpLAnd, ir.TypeBool, l.op(ir.OpULe, ir.TypeBool, begin, p.room),
		l.op(ir.OpULe, ir.TypeBool, need, l.op(ir.OpISub, ir.TypeI32, p.room, begin)))
	l.b.Branch(fits, write, lost)

	l.b = write
	base, static := l.op(ir.OpIAdd, ir.TypeI32, begin, n32(abi.PrintHeader)), int64(0)
	store := func(x *ir.Value) {
		l.storePrint(at(l.op(ir.OpIAdd, ir.TypeI32, base, n32(static))), x)
		static++
	}
	for _, x := range []*ir.Value{n32(int64(l.printSite(&r.site) + 1)), l.gx, l.gy, l.gz} {
		store(x)
	}
	for _, item := range r.items {
		if item.chars == nil {
			store(item.word)
			continue
		}
		base, static = l.op(ir.OpIAdd, ir.TypeI32, base, n32(static)), 0
		words := l.printLength(item.chars)
		l.emitLoop(words, func(i *ir.Value) {
			l.storePrint(at(l.op(ir.OpIAdd, ir.TypeI32, base, i)), l.fourBytes(item.chars, i))
		})
		l.recordReads(item.of)
		base = l.op(ir.OpIAdd, ir.TypeI32, base, words)
	}
	l.b.Jump(out)

	l.b = lost
	old := atomic(ir.OpAtomicIAdd, abi.PrintLost, n32(1))
	l.b.Branch(l.op(ir.OpIEq, ir.TypeBool, old, n32(-1)), carry, out)
	l.b = carry
	atomic(ir.OpAtomicIAdd, abi.PrintLostHigh, n32(1))
	l.b.Jump(out)
	l.b = out
}

// storePrint stores one 32-bit word of a record.
func (w *builder) storePrint(m mem, x *ir.Value) {
	v := w.op(ir.OpStore, ir.TypeVoid, append([]*ir.Value{x}, m.args()...)...)
	v.Aux = m.auxRef()
}

// printSize returns the number of 32-bit words of a record. The second result, tooLong, is the
// condition that a string is too long for the record. If no string can be too long for the record,
// tooLong is nil.
func (w *builder) printSize(r *printRecord) (need, tooLong *ir.Value) {
	static := int64(abi.PrintRecord)
	for _, item := range r.items {
		if item.chars == nil {
			static++
			continue
		}
		words := w.printLength(item.chars)
		over := w.op(ir.OpULt, ir.TypeBool, w.m.Int(ir.TypeI64, abi.MaxPrintString), item.chars.length())
		if need == nil {
			need, tooLong = words, over
		} else {
			need, tooLong = w.op(ir.OpIAdd, ir.TypeI32, need, words), w.op(ir.OpLOr, ir.TypeBool, tooLong, over)
		}
	}
	if need == nil {
		return w.m.Int(ir.TypeI32, static), nil
	}
	return w.op(ir.OpIAdd, ir.TypeI32, need, w.m.Int(ir.TypeI32, static)), tooLong
}

// printLength returns the number of 32-bit words for the bytes of a string.
func (w *builder) printLength(c dynChars) *ir.Value {
	n := w.op(ir.OpUConvert, ir.TypeI32, c.length())
	return w.op(ir.OpShrL, ir.TypeI32, w.op(ir.OpIAdd, ir.TypeI32, n, w.m.Int(ir.TypeI32, 3)), w.m.Int(ir.TypeI32, 2))
}

// fourBytes returns bytes 4*i to 4*i+3 of a string as a 32-bit word, with zeros after the string's
// end.
func (l *lowerer) fourBytes(c dynChars, i *ir.Value) *ir.Value {
	var word *ir.Value
	first := l.op(ir.OpShl, ir.TypeI64, l.op(ir.OpUConvert, ir.TypeI64, i), l.m.Int(ir.TypeI64, 2))
	for k := range int64(4) {
		n := l.op(ir.OpIAdd, ir.TypeI64, first, l.m.Int(ir.TypeI64, k))
		there := l.op(ir.OpSLt, ir.TypeBool, n, c.length())
		b := c.at(l, l.op(ir.OpSelect, ir.TypeI64, there, n, first))
		b = l.op(ir.OpSelect, ir.TypeI32, there, b, l.m.Int(ir.TypeI32, 0))
		b = l.op(ir.OpShl, ir.TypeI32, b, l.m.Int(ir.TypeI32, 8*k))
		if word == nil {
			word = b
		} else {
			word = l.op(ir.OpOr, ir.TypeI32, word, b)
		}
	}
	return word
}

// printSite returns the index of a print site (a description of a print call) in the module's list.
// All copies of a call in an unrolled loop share one site.
func (w *builder) printSite(s *abi.PrintSite) int {
	s.Pos = w.irPos(w.pos).String()
	for i := range w.m.Prints {
		if reflect.DeepEqual(&w.m.Prints[i], s) {
			return i
		}
	}
	w.m.Prints = append(w.m.Prints, *s)
	return len(w.m.Prints) - 1
}

// ofPrinter reports whether an instruction accesses the print buffer.
func (l *lowerer) ofPrinter(v *ir.Value) bool {
	r := v.Ref()
	return l.prints != nil && r != nil && r.Var == nil && v.Path()[0] == l.prints.buf.addr
}

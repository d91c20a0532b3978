package smith

import (
	"fmt"
	"strings"
)

// pureExpr returns an expression without side effects, of exactly type t. The expression from pureExpr is constant only
// if it is a literal.
func (g *progGen) pureExpr(t *typ, depth int) string {
	if depth <= 0 {
		return g.leafExpr(t)
	}
	switch t.kind {
	case boolKind:
		return g.boolExpr(depth)
	case intKind:
		return g.intExpr(t, depth)
	case floatKind:
		return g.floatExpr(t, depth)
	}
	if g.oneIn(3) {
		return fmt.Sprintf("shape.Pick(%s, %s, %s)", g.pureExpr(boolType, depth-1), g.leafExpr(t), g.pureExpr(t, depth-1))
	}
	if g.oneIn(2) {
		return g.leafExpr(t)
	}
	return g.compositeLit(t, depth-1)
}

// leafExpr returns a literal, a variable, or a part of a variable.
func (g *progGen) leafExpr(t *typ) string {
	if t.scalar() && g.oneIn(4) {
		return g.typedLit(t, false)
	}
	return g.placeExpr(t)
}

// varExpr returns an expression of type t that is not constant.
func (g *progGen) varExpr(t *typ, depth int) string {
	if depth <= 0 {
		return g.placeExpr(t)
	}
	e := g.pureExpr(t, depth)
	if isLiteral(e) {
		return g.placeExpr(t)
	}
	return e
}

// isLiteral reports whether expression e may be a constant.
func isLiteral(e string) bool {
	if e == "true" || e == "false" {
		return true
	}
	for _, t := range append(ints, float32T, float64T) {
		if rest, ok := strings.CutPrefix(e, t.name+"("); ok && strings.Trim(rest, "-0123456789.e)") == "" {
			return true
		}
	}
	return false
}

// placeExpr returns a readable variable of type t, or a part of a variable that has type t. If no variable has type t,
// placeExpr returns a conversion of another variable.
func (g *progGen) placeExpr(t *typ) string {
	if e := g.sharedExpr(t); e != "" {
		return e
	}
	if p := g.placesOf(func(p *typ) bool { return p.same(t) }, false); len(p) > 0 && !g.oneIn(8) {
		return pick(g, p)
	}
	switch t.kind {
	case boolKind:
		if g.needUniform() && !g.oneIn(3) {
			return g.one("(gid&1 == 0)", "(gid > 0)", "("+g.wordExpr()+"&1 == 0)", "(k.N > 3)")
		}
		return fmt.Sprintf("(%s > 3)", g.placeExpr(intT))
	case intKind:
		if t == intT && len(g.varsThat(func(v *progVar) bool { return v.typ == intT })) > 0 {
			return pick(g, g.varsThat(func(v *progVar) bool { return v.typ == intT })).name
		}
		return g.convert(t, g.wordExpr())
	case floatKind:
		return g.roundedExpr(t, g.convert(t, g.smallExpr()))
	}
	return g.compositeLit(t, 0)
}

// wordExpr returns a uint64 expression that is always available.
func (g *progGen) wordExpr() string {
	switch {
	case g.needUniform():
		return fmt.Sprintf("k.In[%s]", g.indexExpr("gid*16", 16))
	case g.kernel:
		return fmt.Sprintf("k.In[%s]", g.indexExpr("id*16", 16))
	}
	return "w"
}

func (g *progGen) convert(t *typ, e string) string { return fmt.Sprintf("%s(%s)", t, e) }

// indexExpr returns an index into the n elements that begin at base. Parameter n is a power of two.
func (g *progGen) indexExpr(base string, n int) string {
	if g.oneIn(2) {
		return fmt.Sprintf("%s+%d", base, g.n(n))
	}
	vs := g.varsThat(func(v *progVar) bool { return v.typ.kind == intKind })
	if len(vs) == 0 {
		return fmt.Sprintf("%s+%d", base, g.n(n))
	}
	v := pick(g, vs)
	e := v.name
	if v.typ != intT {
		e = "int(" + e + ")"
	}
	return fmt.Sprintf("%s+(%s&%d)", base, e, n-1)
}

// smallExpr returns an expression for a small integer.
func (g *progGen) smallExpr() string { return fmt.Sprintf("int16(%s)", g.placeExpr(intT)) }

// placesOf returns variables in scope, or parts of these variables. The type of each result
// satisfies the predicate `fits`. placesOf returns at most one part per variable.
func (g *progGen) placesOf(fits func(t *typ) bool, assign bool) []string {
	var out []string
	for _, v := range g.varsThat(func(v *progVar) bool { return !assign || !v.fixed || v.typ.kind >= sliceKind }) {
		if p := g.partOf(v.name, v.typ, v, fits, assign, 4); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// partOf returns an expression for a part of e whose type satisfies the predicate `fits`, or "".
func (g *progGen) partOf(e string, t *typ, v *progVar, fits func(t *typ) bool, assign bool, depth int) string {
	if fits(t) && !(assign && v != nil && v.fixed && t.kind >= sliceKind) {
		return e
	}
	if !mayHavePart(t, fits, depth) {
		return ""
	}
	switch t.kind {
	case arrayKind:
		return g.partOf(fmt.Sprintf("%s[%s]", e, g.arrayIndex(t.len)), t.elem, nil, fits, assign, depth-1)
	case structKind:
		for _, i := range g.r.Perm(len(t.fields)) {
			if p := g.partOf(e+"."+t.fields[i].name, t.fields[i].typ, nil, fits, assign, depth-1); p != "" {
				return p
			}
		}
	case ptrKind:
		if fits(t.elem) {
			return "*" + e
		}
		return g.partOf(e, t.elem, nil, fits, assign, depth-1)
	case sliceKind:
		if v != nil && v.length > 0 {
			return g.partOf(fmt.Sprintf("%s[%s]", e, g.arrayIndex(v.length)), t.elem, nil, fits, assign, depth-1)
		}
	}
	return ""
}

// mayHavePart reports whether a value of type t may have a part whose type satisfies the predicate `fits`.
func mayHavePart(t *typ, fits func(t *typ) bool, depth int) bool {
	if depth == 0 {
		return false
	}
	switch t.kind {
	case arrayKind, ptrKind, sliceKind:
		return t.len > 0 && fits(t.elem) || t.kind != arrayKind && fits(t.elem) || mayHavePart(t.elem, fits, depth-1)
	case structKind:
		for _, f := range t.fields {
			if fits(f.typ) || mayHavePart(f.typ, fits, depth-1) {
				return true
			}
		}
	}
	return false
}

// arrayIndex returns an index of an array with n elements. The index may be out of range only in programs
// that may fault.
func (g *progGen) arrayIndex(n int) string {
	vs := g.varsThat(func(v *progVar) bool { return v.typ.kind == intKind })
	if len(vs) == 0 || n == 0 || g.oneIn(2) {
		return fmt.Sprint(g.n(max(n, 1)))
	}
	v := pick(g, vs)
	if g.mayFault(6) {
		return v.name
	}
	if v.typ.signed {
		return fmt.Sprintf("uint(%s)%%%d", v.name, n)
	}
	if n > 1<<v.typ.bits-1 {
		return "0"
	}
	return fmt.Sprintf("%s%%%d", v.name, n)
}

// mayFault reports whether to write an operation without a guard, which means that the operation
// may fault. At most one operation in a statement has no guard.
func (g *progGen) mayFault(n int) bool {
	if !g.faulty || g.faults > 0 || !g.oneIn(n) {
		return false
	}
	g.faults++
	return true
}

func (g *progGen) boolExpr(depth int) string {
	d := depth - 1
	switch g.n(10) {
	case 0, 1, 2, 3:
		t := g.randomScalar()
		if t.kind == boolKind {
			return fmt.Sprintf("(%s %s %s)", g.varExpr(t, d), g.one("==", "!="), g.pureExpr(t, d))
		}
		return fmt.Sprintf("(%s %s %s)", g.varExpr(t, d), g.one("==", "!=", "<", "<=", ">", ">="), g.pureExpr(t, d))
	case 4:
		return fmt.Sprintf("(%s && %s)", g.varExpr(boolType, d), g.lazyBool(d))
	case 5:
		return fmt.Sprintf("(%s || %s)", g.varExpr(boolType, d), g.lazyBool(d))
	case 6:
		return fmt.Sprintf("!(%s)", g.varExpr(boolType, d))
	case 7:
		t := g.anyType(1)
		if !t.scalar() && !g.needUniform() {
			return fmt.Sprintf("(%s %s %s)", g.placeExpr(t), g.one("==", "!="), g.placeExpr(t))
		}
	case 8:
		if c := g.helperCall(boolType, d); c != "" {
			return c
		}
	}
	return g.placeExpr(boolType)
}

// lazyBool returns a bool expression that the program does not always evaluate.
func (g *progGen) lazyBool(d int) string { return g.varExpr(boolType, d) }

func (g *progGen) intExpr(t *typ, depth int) string {
	d := depth - 1
	switch g.n(20) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("(%s %s %s)", g.varExpr(t, d), g.one("+", "-", "*"), g.pureExpr(t, d))
	case 4, 5:
		return fmt.Sprintf("(%s %s %s)", g.varExpr(t, d), g.one("&", "|", "^", "&^"), g.pureExpr(t, d))
	case 6, 7:
		return g.divide(t, d)
	case 8, 9, 10:
		return g.shift(t, d)
	case 11:
		return fmt.Sprintf("(%s(%s))", g.one("-", "^", "+"), g.varExpr(t, d))
	case 12, 13:
		if from := g.intType(); from != t {
			return g.convert(t, g.varExpr(from, d))
		}
	case 14:
		if f := pick(g, []*typ{float32T, float64T}); g.oneIn(2) {
			return g.convert(t, g.varExpr(f, d))
		}
		if g.needUniform() {
			return g.convert(t, g.one("len(k.In)", "k.N", "it.GroupLinearID()", "it.Group().LocalRange()", "it.Group().GroupRange()"))
		}
		if g.kernel {
			return g.convert(t, g.one("len(k.In)", "k.N", "k.Small[id%3]", "cap(k.Bytes)", "len(k.Recs)"))
		}
	case 15:
		return fmt.Sprintf("%s(%s, %s)", g.one("min", "max"), g.varExpr(t, d), g.pureExpr(t, d))
	case 16:
		return fmt.Sprintf("shape.Pick(%s, %s, %s)", g.pureExpr(boolType, d), g.pureExpr(t, d), g.pureExpr(t, d))
	case 17:
		if c := g.helperCall(t, d); c != "" {
			return c
		}
	case 18:
		return g.libraryCall(t, d)
	case 19:
		if g.tableType != nil {
			return g.convert(t, fmt.Sprintf("%sTable[uint8(%s)%%8]", g.prefix, g.varExpr(intT, d)))
		}
	}
	return g.placeExpr(t)
}

func (g *progGen) divide(t *typ, d int) string {
	op := g.one("/", "%")
	switch {
	case g.oneIn(3):
		return fmt.Sprintf("(%s %s %s)", g.varExpr(t, d), op, g.typedLit(t, true))
	case g.mayFault(3):
		return fmt.Sprintf("(%s %s %s)", g.varExpr(t, 0), op, g.placeExpr(t))
	}
	return fmt.Sprintf("(%s %s (%s | 1))", g.varExpr(t, d), op, g.varExpr(t, d))
}

func (g *progGen) shift(t *typ, d int) string {
	op := g.one("<<", ">>")
	c := g.intType()
	switch {
	case g.oneIn(3):
		return fmt.Sprintf("(%s %s %d)", g.varExpr(t, d), op, g.n(t.bits+3))
	case !c.signed:
		return fmt.Sprintf("(%s %s %s)", g.pureExpr(t, d), op, g.varExpr(c, d))
	case g.mayFault(3):
		return fmt.Sprintf("(%s %s %s)", g.varExpr(t, 0), op, g.placeExpr(c))
	}
	return fmt.Sprintf("(%s %s (%s & %d))", g.pureExpr(t, d), op, g.varExpr(c, d), []int{7, 15, 31, 63, 127}[g.n(5)])
}

// libraryCall returns a call of a function of package math/bits or of a similar package.
func (g *progGen) libraryCall(t *typ, d int) string {
	switch g.n(6) {
	case 0:
		return g.convert(t, fmt.Sprintf("bits.%s(%s)", g.one("OnesCount64", "LeadingZeros64", "TrailingZeros64", "Len64", "ReverseBytes64", "Reverse64"), g.varExpr(uint64T, d)))
	case 1:
		return g.convert(t, fmt.Sprintf("bits.%s(%s)", g.one("OnesCount32", "LeadingZeros32", "TrailingZeros32", "Len32", "ReverseBytes32", "Reverse32"), g.varExpr(ints[7], d)))
	case 2:
		return g.convert(t, fmt.Sprintf("bits.%s(%s)", g.one("OnesCount8", "LeadingZeros8", "TrailingZeros8", "Len8", "Reverse8"), g.varExpr(ints[5], d)))
	case 3:
		return g.convert(t, fmt.Sprintf("bits.RotateLeft%s, %s)", g.one("64("+g.varExpr(uint64T, d), "32("+g.varExpr(ints[7], d), "16("+g.varExpr(ints[6], d), "8("+g.varExpr(ints[5], d)), g.varExpr(intT, d)))
	case 4:
		return g.convert(t, fmt.Sprintf("shape.Value(shape.Add{%s}, %s)", g.varExpr(int32T, d), g.varExpr(int32T, d)))
	}
	return g.convert(t, fmt.Sprintf("shape.Pair[%s, %s]{%s, %s}%s.Key()", t, int8T, g.varExpr(t, d), g.varExpr(int8T, d), g.one("", ".Flip()")))
}

// roundedExpr returns e, or for float32 an expression that has the same value on all devices.
func (g *progGen) roundedExpr(t *typ, e string) string {
	if t == float32T {
		return "shape.F32(" + e + ")"
	}
	return e
}

func (g *progGen) floatExpr(t *typ, depth int) string {
	d := depth - 1
	switch g.n(12) {
	case 0, 1, 2, 3:
		return g.roundedExpr(t, fmt.Sprintf("(%s %s %s)", g.varExpr(t, d), g.one("+", "-", "*", "/"), g.floatOperand(t, d)))
	case 4:
		return g.roundedExpr(t, fmt.Sprintf("(%s*%s + %s)", g.varExpr(t, d), g.pureExpr(t, d), g.pureExpr(t, d)))
	case 5:
		return g.roundedExpr(t, g.convert(t, g.varExpr(g.intType(), d)))
	case 6:
		from := float32T
		if t == float32T {
			from = float64T
		}
		return g.roundedExpr(t, g.convert(t, g.varExpr(from, d)))
	case 7:
		return "(-(" + g.varExpr(t, d) + "))"
	case 8:
		return fmt.Sprintf("%s(%s, %s)", g.one("min", "max"), g.varExpr(t, d), g.pureExpr(t, d))
	case 9:
		return g.roundedExpr(t, g.convert(t, fmt.Sprintf("math.%s(%s)", g.one("Sqrt", "Floor", "Ceil", "Trunc", "Abs", "RoundToEven"), g.widen(t, d))))
	case 10:
		if c := g.helperCall(t, d); c != "" {
			return c
		}
	}
	return g.placeExpr(t)
}

// floatOperand returns an operand that is not a constant zero, because division by a constant zero is a
// compile error.
func (g *progGen) floatOperand(t *typ, d int) string {
	if g.oneIn(4) {
		return g.typedLit(t, true)
	}
	return g.varExpr(t, d)
}

func (g *progGen) widen(t *typ, d int) string {
	if t == float64T {
		return g.varExpr(t, d)
	}
	return "float64(" + g.varExpr(t, d) + ")"
}

// helperCall returns a call of a helper without side effects, or "".
func (g *progGen) helperCall(t *typ, d int) string {
	for range 4 {
		if len(g.funcs) == 0 || g.needUniform() {
			return ""
		}
		f := pick(g, g.funcs)
		if !f.pure || f.faulty || !f.result.same(t) || g.times*f.work > maxWork/8 {
			continue
		}
		g.work += g.times * f.work
		return fmt.Sprintf("%s(%s)", f.name, g.arguments(f, d))
	}
	return ""
}

func (g *progGen) arguments(f *progFunc, d int) string {
	var args []string
	for _, p := range f.params {
		args = append(args, g.pureExpr(p, d))
	}
	args = append(args, g.pureExpr(uint64T, d))
	return strings.Join(args, ", ")
}

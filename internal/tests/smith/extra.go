package smith

import (
	"fmt"
	"strings"
)

// extraStmts lists the statements of this file.
var extraStmts = []statement{
	{2, (*progGen).writeDefer}, {2, (*progGen).writeMultiCall}, {1, (*progGen).variadic}, {2, (*progGen).writeStrings}, {2, (*progGen).complex},
	{2, (*progGen).writeAppends}, {3, (*progGen).writePkgCalls}, {1, (*progGen).writeRandom}, {1, (*progGen).byteOrder}, {1, (*progGen).writeAtomics},
	{1, (*progGen).typeSwitch}, {1, (*progGen).functionValue}, {1, (*progGen).writePromoted}, {2, (*progGen).writeHalves},
}

// declareLocal declares a variable.
func (g *progGen) declareLocal(t *typ, e string) {
	v := g.newName("v")
	g.line("%s := %s", v, e)
	g.line("_ = %s", v)
	g.declare(&progVar{name: v, typ: t})
}

// writeDefer writes a deferred call, outside of loops. Programs that may fault contain no deferred
// calls, because a work-item that faults on a device runs none.
func (g *progGen) writeDefer() {
	if g.faulty || len(g.loops) > 0 || g.times > 1 || g.closed > 0 || g.pure || g.group != nil && len(g.group.loops) > 0 {
		return
	}
	result, loops, kernel := g.result, g.loops, g.kernel
	t, a := g.randomScalar(), g.newName("a")
	arg := g.pureExpr(t, 2)
	g.line("defer func(%s %s) {", a, t)
	g.result, g.loops = nil, nil
	g.closed++
	g.push()
	g.declare(&progVar{name: a, typ: t})
	if g.group != nil {
		g.group.late = true
		defer func() { g.group.late = false }()
	}
	g.writeBlock(1 + g.n(3))
	if kernel {
		g.line("\tout[%d] = shape.Mix(out[%d], %s)", g.n(15), g.n(15), toWord(t, a))
	}
	g.pop()
	g.closed--
	g.result, g.loops, g.kernel = result, loops, kernel
	g.line("}(%s)", arg)
}

// writeMultiCall writes a call of a function with several results.
func (g *progGen) writeMultiCall() {
	t := g.intType()
	q, r := g.newName("v"), g.newName("v")
	g.line("%s, %s := shape.DivMod(%s, %s|1)", q, r, g.varExpr(t, 2), g.varExpr(t, 2))
	g.line("_, _ = %s, %s", q, r)
	g.declare(&progVar{name: q, typ: t})
	g.declare(&progVar{name: r, typ: t})
}

func (g *progGen) variadic() {
	t := g.intType()
	var args []string
	for range g.n(5) {
		args = append(args, g.pureExpr(t, 2))
	}
	if s := g.someSlice(sliceOf(t)); s != "" && !g.pure && g.oneIn(2) {
		args = []string{s + "..."}
	}
	g.declareLocal(t, fmt.Sprintf("shape.Total[%s](%s)", t, strings.Join(args, ", ")))
}

var texts = []string{`"kgen"`, `"héllo, wörld"`, `"日本語 x"`, `"\x00\xff\xfe"`, `"a"`}

// writeStrings writes statements with constant strings.
func (g *progGen) writeStrings() {
	s := pick(g, texts)
	switch g.n(3) {
	case 0:
		g.declareLocal(ints[5], fmt.Sprintf("%s[uint(%s)%%uint(len(%s))]", s, g.varExpr(intT, 2), s))
	case 1:
		name := g.newName("text")
		g.line("const %s = %s", name, s)
		g.declareLocal(intT, fmt.Sprintf("len(%s)*%s", name, g.varExpr(intT, 1)))
	default:
		sum, i, r := g.newName("v"), g.newName("i"), g.newName("r")
		g.line("%s := %s", sum, g.pureExpr(intT, 2))
		g.line("for %s, %s := range %s {", i, r, s)
		if g.oneIn(2) {
			g.line("\tif %s == %s {", r, g.one("'l'", "'本'", "0xfffd"))
			g.line("\t\t%s", g.one("break", "continue"))
			g.line("\t}")
		}
		g.line("\t%s = %s*31 + %s + int(%s)", sum, sum, i, r)
		g.line("}")
		g.declare(&progVar{name: sum, typ: intT})
	}
}

func (g *progGen) complex() {
	c := g.newName("c")
	part := func() string { return g.varExpr(float64T, 2) }
	g.line("%s := complex(%s, %s)", c, part(), part())
	for range g.n(3) {
		g.line("%s = %s %s complex(%s, %s)", c, c, g.one("+", "-", "*", "/"), part(), part())
	}
	if g.oneIn(3) {
		g.declareLocal(boolType, fmt.Sprintf("%s == complex(%s, 0)", c, part()))
	}
	g.declareLocal(float64T, fmt.Sprintf("real(%s) + imag(-%s)", c, c))
}

// writeAppends writes statements that make a slice, and append elements without exceeding its capacity.
func (g *progGen) writeAppends() {
	if g.times > 1 {
		return
	}
	t, s := g.randomScalar(), g.newName("s")
	n, more := 1+g.n(3), g.n(4)
	g.line("%s := make([]%s, %d, %d)", s, t, n, n+more)
	for range more {
		if g.oneIn(3) {
			g.line("if %s {", g.boolExpr(2))
			g.line("\t%s = append(%s, %s)", s, s, g.pureExpr(t, 2))
			g.line("}")
		} else {
			g.line("%s = append(%s, %s)", s, s, g.pureExpr(t, 2))
			n++
		}
	}
	g.line("_ = %s", s)
	g.declareLocal(intT, fmt.Sprintf("len(%s)*10 + cap(%s)", s, s))
	g.declare(&progVar{name: s, typ: sliceOf(t), fixed: true, length: n})
}

// writePkgCalls writes calls of generic functions on slices.
func (g *progGen) writePkgCalls() {
	t := g.intType()
	s := g.someSlice(sliceOf(t))
	if s == "" || g.pure {
		switch g.n(3) {
		case 0:
			g.declareLocal(intT, fmt.Sprintf("cmp.Compare(%s, %s)", g.varExpr(t, 2), g.pureExpr(t, 2)))
		case 1:
			g.declareLocal(intT, fmt.Sprintf("utf8.RuneLen(rune(%s))", g.varExpr(int32T, 2)))
		default:
			g.declareLocal(boolType, fmt.Sprintf("cmp.Less(%s, %s)", g.varExpr(float64T, 2), g.pureExpr(float64T, 2)))
		}
		return
	}
	switch g.n(8) {
	case 0:
		g.line("slices.Reverse(%s)", s)
	case 1:
		g.declareLocal(intT, fmt.Sprintf("slices.Index(%s, %s)", s, g.pureExpr(t, 2)))
	case 2:
		g.declareLocal(boolType, fmt.Sprintf("slices.Contains(%s, %s)", s, g.pureExpr(t, 2)))
	case 3:
		g.declareLocal(t, fmt.Sprintf("slices.%s(%s)", g.one("Max", "Min"), s))
	case 4:
		if u := g.someSlice(sliceOf(t)); u != "" {
			g.declareLocal(boolType, fmt.Sprintf("slices.Equal(%s, %s)", s, u))
		}
	case 5:
		if u := g.someSlice(sliceOf(t)); u != "" {
			g.declareLocal(intT, fmt.Sprintf("slices.Compare(%s, %s)", s, u))
		}
	case 6:
		g.declareLocal(boolType, fmt.Sprintf("slices.IsSorted(%s)", s))
	default:
		g.closed++
		e := g.pureExpr(t, 1)
		g.closed--
		g.declareLocal(intT, fmt.Sprintf("slices.IndexFunc(%s, func(x %s) bool { return x > %s })", s, t, e))
	}
}

// writeRandom writes statements that draw random numbers.
func (g *progGen) writeRandom() {
	r := g.newName("r")
	g.line("var %s rand.PCG", r)
	g.line("%s.Seed(%s, %s)", r, g.varExpr(uint64T, 2), g.varExpr(uint64T, 1))
	if g.oneIn(2) {
		g.line("%s.Uint64()", r)
	}
	g.declareLocal(uint64T, r+".Uint64()")
}

func (g *progGen) byteOrder() {
	b := g.newName("b")
	order := g.one("Little", "Big")
	g.line("var %s [8]byte", b)
	g.line("binary.%sEndian.PutUint64(%s[:], %s)", order, b, g.varExpr(uint64T, 2))
	g.declare(&progVar{name: b, typ: &typ{kind: arrayKind, elem: ints[5], len: 8}})
	g.declareLocal(ints[7], fmt.Sprintf("binary.%sEndian.Uint32(%s[%d:])", g.one("Little", "Big"), b, g.n(5)))
}

// writeHalves writes statements that compute with numbers of package half.
func (g *progGen) writeHalves() {
	t, h := "half."+g.one("Float16", "BFloat16", "Float8E4M3", "Float8E5M2"), g.newName("h")
	number := func() string {
		switch g.n(5) {
		case 0:
			return fmt.Sprintf("half.FromBits[%s](%s)", t, g.varExpr(ints[6], 2))
		case 1:
			return fmt.Sprintf("half.%s[%s]()", g.one("Largest", "SmallestNonzero", "SmallestNormal", "Epsilon", "NaN"), t)
		case 2:
			return fmt.Sprintf("half.FromFloat32Saturating[%s](%s)", t, g.varExpr(float32T, 2))
		}
		return fmt.Sprintf("half.FromFloat32[%s](%s)", t, g.varExpr(float32T, 2))
	}
	g.line("%s := %s", h, number())
	operand := func() string {
		if g.oneIn(3) {
			return h
		}
		return number()
	}
	for range 1 + g.n(3) {
		switch g.n(5) {
		case 0:
			g.line("%s = %s.%s()", h, h, g.one("Sqrt", "Neg", "Abs"))
		case 1:
			g.line("%s = %s.FMA(%s, %s)", h, h, operand(), operand())
		case 2:
			g.line("if %s.%s(%s) {", h, g.one("Less", "Equal"), operand())
			g.line("\t%s = %s", h, operand())
			g.line("}")
		default:
			g.line("%s = %s.%s(%s)", h, h, g.one("Add", "Sub", "Mul", "Div", "Min", "Max"), operand())
		}
	}
	switch g.n(4) {
	case 0:
		g.declareLocal(float32T, h+".Float32()")
	case 1:
		g.declareLocal(intT, fmt.Sprintf("%s.Compare(%s)", h, operand()))
	case 2:
		g.declareLocal(boolType, fmt.Sprintf("%s == %s || %s.%s", h, operand(), h, g.one("IsNaN()", "IsInf(0)")))
	default:
		g.declareLocal(ints[6], h+".Bits()")
	}
}

// writeAtomics writes atomic operations on private memory, outside of loops. lavapipe miscompiles ordered atomic
// operations in loops.
func (g *progGen) writeAtomics() {
	if !g.kernel || g.times > 1 || len(g.loops) > 0 {
		return
	}
	i := g.n(15)
	switch g.n(3) {
	case 0:
		g.declareLocal(uint64T, fmt.Sprintf("atomic.AddUint64(&out[%d], %s)", i, g.varExpr(uint64T, 2)))
	case 1:
		g.declareLocal(uint64T, fmt.Sprintf("atomic.SwapUint64(&out[%d], %s)", i, g.varExpr(uint64T, 2)))
	default:
		g.declareLocal(boolType, fmt.Sprintf("atomic.CompareAndSwapUint64(&out[%d], %s, %s)", i, g.placeExpr(uint64T), g.varExpr(uint64T, 2)))
	}
}

func (g *progGen) typeSwitch() {
	t := g.randomScalar()
	g.declareLocal(intT, fmt.Sprintf("shape.Kind(%s)", g.varExpr(t, 2)))
}

// functionValue declares a function variable that composes two functions, and calls the variable.
// The two functions are known at compile time.
func (g *progGen) functionValue() {
	t, f := g.intType(), g.newName("f")
	g.closed++
	e := g.pureExpr(t, 1)
	g.closed--
	g.line("%s := shape.Compose(func(x %s) %s { return x*3 + %s }, shape.Negate[%s])", f, t, t, e, t)
	g.declareLocal(t, fmt.Sprintf("%s(%s)", f, g.varExpr(t, 2)))
}

// writePromoted writes calls of promoted methods.
func (g *progGen) writePromoted() {
	o := g.newName("o")
	g.line("%s := shape.Outer{Inner: shape.Inner{A: %s}, B: %s}", o, g.pureExpr(int32T, 2), g.pureExpr(intT, 2))
	if g.oneIn(2) {
		m := g.newName("m")
		g.line("%s := %s.%s", m, o, "Bump")
		g.line("%s(%s)", m, g.pureExpr(int32T, 1))
	} else {
		g.line("%s.Bump(%s)", o, g.pureExpr(int32T, 1))
	}
	g.declareLocal(int32T, g.one(o+".Get()", o+".A", "shape.Inner.Get("+o+".Inner)"))
}

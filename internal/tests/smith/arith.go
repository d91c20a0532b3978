package smith

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// NewArith returns the program for a seed. The program consists of many small arithmetic
// expressions, which use a few numbers and related constants. Some expressions use loop counters,
// or variables that branches assign. Compilers replace hundreds of patterns of arithmetic by
// shorter code, and some of their replacements are wrong.
func NewArith(seed uint64, prefix string) *Program {
	a := &arithGen{progGen: &progGen{r: rand.New(rand.NewPCG(seed, 43)), prefix: prefix}}
	a.writeHeader()
	a.theKernel()
	return &Program{Seed: seed, Prefix: prefix, Source: a.out.String()}
}

// arithGen generates programs of expressions.
type arithGen struct {
	*progGen
	theme int // shift count, or another number from which constants are derived
}

// arithWords is the number of words of Out that contain results of expressions. arithPer is the
// number of expressions per word of Out.
const arithWords, arithPer = 8, 6

func (a *arithGen) theKernel() {
	a.beginKernel()
	a.indent++
	a.line("in, out := k.In[id*16:][:16], k.Out[id*16:][:16]")
	a.line("h := uint64(0)")
	for i := range arithWords {
		for range arithPer {
			a.writeMix()
		}
		a.line("out[%d] = h", i)
	}
	a.indent--
	a.line("}")
}

// writeMix writes a statement that mixes one expression into hash h.
func (a *arithGen) writeMix() {
	t := a.intType()
	if a.oneIn(5) {
		t = pick(a.progGen, []*typ{float32T, float32T, float64T})
	}
	a.theme = a.n(64)
	if t.kind == intKind {
		a.theme = a.n(t.bits)
	}
	a.line("{")
	a.indent++
	for _, name := range []string{"x", "y"} {
		word := fmt.Sprintf("in[%d]", a.n(16))
		if a.oneIn(3) { // masks the word, so that compilers know that its high bits are zero
			word = fmt.Sprintf("(%s & %d)", word, uint64(1)<<(1+a.n(40))-1)
		}
		a.line("%s := %s", name, a.fromWord(t, word))
		a.line("_ = %s", name)
	}
	switch {
	case a.oneIn(6):
		a.writeMixLoop(t)
	case a.oneIn(8):
		a.writeBranch(t)
	}
	a.mix(t, 1+a.n(4))
	a.indent--
	a.line("}")
}

func (a *arithGen) mix(t *typ, depth int) {
	a.line("h = shape.Mix(h, %s)", toWord(t, a.arithExpr(t, t, depth)))
}

// writeBranch writes a branch that assigns another value to x or y.
func (a *arithGen) writeBranch(t *typ) {
	a.line("if %s {", a.cond(t, 2))
	a.line("\t%s = %s", a.one("x", "y"), a.arithExpr(t, t, 2))
	if a.oneIn(2) {
		a.line("} else {")
		a.line("\t%s = %s", a.one("x", "y"), a.arithExpr(t, t, 2))
	}
	a.line("}")
}

// writeMixLoop writes a loop that mixes expressions of the loop counter x into the hash. The loop
// may use the value of the variable y from the previous iteration.
func (a *arithGen) writeMixLoop(t *typ) {
	a.line("for %s {", a.forClauses(t))
	a.indent++
	a.line("_ = x")
	if a.oneIn(4) {
		a.line("if %s {", a.cond(t, 1))
		a.line("\t%s", a.one("continue", "break"))
		a.line("}")
	}
	if a.oneIn(2) {
		a.line("y = %s", a.arithExpr(t, t, 1+a.n(2)))
	}
	a.mix(t, 1+a.n(3))
	a.indent--
	a.line("}")
}

// forClauses returns the clauses of a for statement with counter x. The loop ends if its body does
// not assign to x.
func (a *arithGen) forClauses(t *typ) string {
	rounds := 1 + a.n(8)
	if t.kind == floatKind {
		from := a.n(9) - 4
		return fmt.Sprintf("x := %s(%d); x < %d; x += %s", t, from, from+rounds, a.one("1", "0.5", "2"))
	}
	step := pick(a.progGen, []int{1, 1, 2, 3, 4, 5, 8})
	span := uint64(rounds * step)
	last := uint64(1)<<t.bits - 1 // the largest number
	least := uint64(0)
	if t.signed {
		last >>= 1
		least = -last - 1
	}
	from := pick(a.progGen, []uint64{0, uint64(a.n(40)), least, last - span})
	if t.signed && a.oneIn(3) {
		from = -uint64(a.n(60))
	}
	switch a.n(8) {
	case 0, 1:
		return fmt.Sprintf("x := %s; x < %s; x += %d", numberLit(t, from), numberLit(t, from+span), step)
	case 2: // the counter wraps around
		from = a.r.Uint64()
		return fmt.Sprintf("x := %s; x != %s; x += %d", numberLit(t, from), numberLit(t, from+span), step)
	case 3:
		return fmt.Sprintf("x := %s; x > %s; x -= %d", numberLit(t, from+span), numberLit(t, from), step)
	case 4:
		return fmt.Sprintf("x := range %s", numberLit(t, uint64(rounds)))
	case 5:
		return fmt.Sprintf("x, end := x&15, x&15+%d; x < end; x += %d", span, step)
	case 6:
		return fmt.Sprintf("x := x; x != 0; x /= %d", pick(a.progGen, []int{2, 3, 8, 10}))
	}
	if !t.signed && a.oneIn(2) {
		return fmt.Sprintf("x := x; x != 0; x >>= %d", 1+a.n(7))
	}
	return "x := x; x != 0; x &= x - 1"
}

// fromWord returns an expression that converts a word to type t.
func (a *arithGen) fromWord(t *typ, word string) string {
	switch {
	case t.kind == intKind:
		return fmt.Sprintf("%s(%s)", t, word)
	case a.oneIn(2):
		return a.roundedExpr(t, fmt.Sprintf("%s(int16(%s))", t, word))
	case t == float32T:
		return fmt.Sprintf("shape.F32(math.Float32frombits(uint32(%s)))", word)
	}
	return fmt.Sprintf("math.Float64frombits(%s)", word)
}

// arithExpr returns an expression of type t. The expression uses the variables x and y, and the
// parameter `vars` is the type of x and y.
func (a *arithGen) arithExpr(t, vars *typ, depth int) string {
	if depth <= 0 {
		return a.leaf(t, vars)
	}
	d := depth - 1
	if a.oneIn(8) {
		return fmt.Sprintf("shape.Pick(%s, %s, %s)", a.cond(vars, d), a.arithOperand(t, vars, d), a.arithOperand(t, vars, d))
	}
	if a.oneIn(10) {
		return fmt.Sprintf("%s(%s, %s)", a.one("min", "max"), a.arithExpr(t, vars, d), a.arithOperand(t, vars, d))
	}
	if t.kind == floatKind {
		return a.real(t, vars, d)
	}
	return a.integer(t, vars, d)
}

func (a *arithGen) leaf(t, vars *typ) string {
	v := a.one("x", "y")
	switch {
	case t == vars:
		return v
	case t.kind == floatKind || vars.kind == intKind:
		return a.roundedExpr(t, fmt.Sprintf("%s(%s)", t, v))
	case vars == float32T:
		return fmt.Sprintf("%s(math.Float32bits(shape.Real(%s)))", t, v)
	}
	return fmt.Sprintf("%s(shape.Bits(%s))", t, v)
}

// arithOperand returns an expression that may be a constant.
func (a *arithGen) arithOperand(t, vars *typ, depth int) string {
	if a.oneIn(2) {
		return a.themeConst(t, false)
	}
	return a.arithExpr(t, vars, depth)
}

// themeConst returns a constant of type t, which it often derives from the field `theme`.
func (a *arithGen) themeConst(t *typ, notZero bool) string {
	if t.kind == floatKind {
		c := a.one("0", "1", "-1", "2", "0.5", "-0.5", "3", "4", "255", "1.5", "65536", "-2", "10", "0.1")
		if notZero && c == "0" {
			c = "1"
		}
		return fmt.Sprintf("%s(%s)", t, c)
	}
	n := a.theme % t.bits
	bit := uint64(1) << n
	c := pick(a.progGen, []uint64{bit, bit - 1, -bit, ^bit, bit + 1, bit<<1 - 1, uint64(1) << (t.bits - 1 - n), uint64(n), uint64(t.bits - n), uint64(a.n(4)),
		^uint64(0), 255, 65535, 1 << (t.bits - 1), 1<<(t.bits-1) - 1, uint64(a.n(100)), a.r.Uint64()})
	if notZero && c<<(64-t.bits) == 0 {
		c = 3
	}
	return numberLit(t, c)
}

// numberLit returns the number of type t with the given lowest bits.
func numberLit(t *typ, bits uint64) string {
	bits <<= 64 - t.bits
	if t.signed {
		return fmt.Sprintf("%s(%d)", t, int64(bits)>>(64-t.bits))
	}
	return fmt.Sprintf("%s(%d)", t, bits>>(64-t.bits))
}

// shiftCount returns a shift count for a value of type t.
func (a *arithGen) shiftCount(t, vars *typ, depth int) string {
	n := a.theme % t.bits
	switch a.n(6) {
	case 0:
		return strconv.Itoa(n)
	case 1, 2:
		return strconv.Itoa(t.bits - n)
	case 3:
		return strconv.Itoa(pick(a.progGen, []int{1, 8, 16, t.bits / 2, t.bits - 1, t.bits, n + 1}))
	case 4:
		return fmt.Sprintf("(%s & %d)", a.arithExpr(pick(a.progGen, ints), vars, depth), t.bits-1)
	}
	return fmt.Sprintf("uint8(%s)", a.arithExpr(pick(a.progGen, ints), vars, 0))
}

func (a *arithGen) integer(t, vars *typ, d int) string {
	switch a.n(16) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", a.arithExpr(t, vars, d), a.one("+", "-", "*"), a.arithOperand(t, vars, d))
	case 3:
		return fmt.Sprintf("(%s - %s)", a.themeConst(t, false), a.arithExpr(t, vars, d))
	case 4, 5:
		return fmt.Sprintf("(%s %s %s)", a.arithExpr(t, vars, d), a.one("&", "|", "^", "&^"), a.arithOperand(t, vars, d))
	case 6, 7, 8:
		return fmt.Sprintf("(%s %s %s)", a.arithExpr(t, vars, d), a.one("<<", ">>"), a.shiftCount(t, vars, d))
	case 9:
		return fmt.Sprintf("(%s(%s))", a.one("-", "^"), a.arithExpr(t, vars, d))
	case 10:
		if a.oneIn(2) {
			return fmt.Sprintf("(%s %s (%s | 1))", a.arithExpr(t, vars, d), a.one("/", "%"), a.arithExpr(t, vars, d))
		}
		return fmt.Sprintf("(%s %s %s)", a.arithExpr(t, vars, d), a.one("/", "%"), a.themeConst(t, true))
	case 11, 12:
		return fmt.Sprintf("%s(%s)", t, a.arithExpr(pick(a.progGen, ints), vars, d))
	case 13:
		return fmt.Sprintf("%s(shape.B(%s))", t, a.cond(vars, d))
	case 14:
		if f := pick(a.progGen, []*typ{float32T, float64T}); a.oneIn(2) {
			return fmt.Sprintf("%s(%s)", t, a.arithExpr(f, vars, d))
		}
	}
	bits := a.one("8", "16", "32", "64")
	name := a.one("OnesCount", "LeadingZeros", "TrailingZeros", "Len", "Reverse", "RotateLeft")
	of := a.arithExpr(pick(a.progGen, ints), vars, d)
	if name == "RotateLeft" {
		return fmt.Sprintf("%s(bits.RotateLeft%s(uint%s(%s), %s))", t, bits, bits, of, a.themeConst(int32T, false)[len("int32"):])
	}
	return fmt.Sprintf("%s(bits.%s%s(uint%s(%s)))", t, name, bits, bits, of)
}

func (a *arithGen) real(t, vars *typ, d int) string {
	switch a.n(10) {
	case 0, 1, 2:
		return a.roundedExpr(t, fmt.Sprintf("(%s %s %s)", a.arithExpr(t, vars, d), a.one("+", "-", "*"), a.arithOperand(t, vars, d)))
	case 3:
		return a.roundedExpr(t, fmt.Sprintf("(%s / %s)", a.arithExpr(t, vars, d), a.themeConst(t, true)))
	case 4:
		return a.roundedExpr(t, fmt.Sprintf("(%s %s %s)", a.themeConst(t, false), a.one("-", "/"), a.arithExpr(t, vars, d)))
	case 5:
		return fmt.Sprintf("(-(%s))", a.arithExpr(t, vars, d))
	case 6:
		from := float32T
		if t == float32T {
			from = float64T
		}
		return a.roundedExpr(t, fmt.Sprintf("%s(%s)", t, a.arithExpr(from, vars, d)))
	case 7:
		return a.roundedExpr(t, fmt.Sprintf("%s(%s)", t, a.arithExpr(pick(a.progGen, ints), vars, d)))
	}
	return a.roundedExpr(t, fmt.Sprintf("%s(math.%s(float64(%s)))", t, a.one("Sqrt", "Floor", "Ceil", "Trunc", "Abs", "RoundToEven"), a.arithExpr(t, vars, d)))
}

func (a *arithGen) cond(vars *typ, d int) string {
	switch a.n(6) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", a.cond(vars, d-1), a.one("&&", "||", "==", "!="), a.cond(vars, d-1))
	case 1:
		return fmt.Sprintf("!%s", a.cond(vars, d-1))
	}
	t := vars
	if a.oneIn(3) {
		t = pick(a.progGen, append(ints, float32T, float64T))
	}
	return fmt.Sprintf("(%s %s %s)", a.arithExpr(t, vars, d), a.one("==", "!=", "<", "<=", ">", ">="), a.arithOperand(t, vars, d))
}

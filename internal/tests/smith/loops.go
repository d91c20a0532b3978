package smith

import (
	"fmt"
	"math/rand/v2"
)

// NewLoops returns the program for a seed. The program has only loops over slices and arrays. The
// programs test whether compilers prove correctly that indices are in range. Most of the loops
// never fault. Others fault in a late iteration.
func NewLoops(seed uint64, prefix string) *Program {
	l := &loopGen{arithGen: &arithGen{progGen: &progGen{r: rand.New(rand.NewPCG(seed, 44)), prefix: prefix}}}
	l.writeHeader()
	l.theKernel()
	return &Program{Seed: seed, Prefix: prefix, Source: l.out.String(), Faulty: true}
}

// loopGen generates programs of loops.
type loopGen struct {
	*arithGen
	typ    *typ       // type of x and y
	over   indexedVar // slice or array that the nest reads and writes
	counts []string   // expressions of type int for the counters of the enclosing loops, outermost first
}

// indexedVar is a slice or array.
type indexedVar struct {
	name string
	elem *typ
	rw   bool // whether the program may write to the slice or array
}

// loopWords is the number of words that contain results of nested loops. They begin at word 8 of a
// work-item's part of Out. loopPer is the number of outer loops per word of Out.
const loopWords, loopPer = 8, 2

func (l *loopGen) theKernel() {
	l.beginKernel()
	l.indent++
	l.line("in, out := k.In[id*16:][:16], k.Out[id*16:][:16]")
	l.line("bytes, reals := k.Bytes[id*8:][:8:8], k.Reals[id*4:][:4]")
	l.line("_, _ = bytes, reals")
	l.line("var a [12]int32")
	l.line("for i := range a {")
	l.line("\ta[i] = int32(in[i])")
	l.line("}")
	l.line("h := uint64(0)")
	for i := range loopWords {
		for range loopPer {
			l.writeNest()
		}
		l.line("out[%d] = h", 8+i)
	}
	l.indent--
	l.line("}")
}

// writeNest writes nested loops over one slice or array.
func (l *loopGen) writeNest() {
	l.typ, l.theme, l.counts = intT, l.n(16), nil
	if l.oneIn(3) {
		l.typ = l.intType()
	}
	l.line("{")
	l.indent++
	for _, name := range []string{"x", "y"} {
		l.line("%s := %s(in[%d] & %d)", name, l.typ, l.n(16), pick(l.progGen, []int{3, 7, 7, 15, 100}))
		l.line("_ = %s", name)
	}
	l.declareSubject()
	l.writeNestLoop(2)
	l.line("h = shape.Mix(h, uint64(y))")
	l.indent--
	l.line("}")
}

// declareSubject writes a declaration of s, the slice or array of the nest.
func (l *loopGen) declareSubject() {
	from := pick(l.progGen, []indexedVar{{"in", uint64T, false}, {"out[:8]", uint64T, true}, {"bytes", int8T, true}, {"reals", float32T, true}, {"a[:]", int32T, true}, {"a", int32T, true}})
	l.over = indexedVar{"s", from.elem, from.rw}
	if from.name == "a" {
		l.over.name = "a"
		return
	}
	low := l.n(4)
	switch l.n(6) {
	case 0:
		l.line("s := %s[%d:]", from.name, low)
	case 1:
		l.line("s := %s[%d:%d]", from.name, low, low+l.n(5-low))
	case 2:
		l.line("s := %s[int(x)&3:]", from.name)
	case 3:
		l.line("s := %s[:int(x)&3+%d]", from.name, l.n(2))
	default:
		l.line("s := %s", from.name)
	}
	l.line("_ = s")
}

// writeNestLoop writes a loop. Parameter depth is the number of loops that are nested in this loop.
func (l *loopGen) writeNestLoop(depth int) {
	i := fmt.Sprintf("i%d", len(l.counts))
	count := i
	length := fmt.Sprintf("len(%s)", l.over.name)
	if l.oneIn(6) {
		length = fmt.Sprintf("min(%s, int(x))", length)
	}
	step := 1 + l.n(3)
	switch l.n(12) {
	case 0, 1:
		l.line("for %s := 0; %s < %s; %s += %d {", i, i, length, i, step)
	case 2:
		l.line("for %s := range %s {", i, l.over.name)
	case 3:
		l.line("for %s := %s - 1; %s >= 0; %s -= %d {", i, length, i, i, step)
	case 4:
		l.line("for %s := int(x) & 3; %s < %s; %s++ {", i, i, length, i)
	case 5:
		l.line("for %s, end := int(x)&3, int(x)&3+%d; %s < end && %s < %s; %s += %d {", i, 1+l.n(5), i, i, length, i, step)
	case 6:
		l.line("for %s := range int(y) & 3 {", i)
	case 7:
		l.line("for %s := 1; %s < %s; %s *= 2 {", i, i, length, i)
	case 8:
		t := pick(l.progGen, ints)
		l.line("for %s := %s(0); int(%s) < %s; %s++ {", i, t, i, length, i)
		count = fmt.Sprintf("int(%s)", i)
	case 9:
		l.line("for %s := uint(%s); %s > 0; %s /= 2 {", i, length, i, i)
		count = fmt.Sprintf("(int(%s) - 1)", i)
	case 10:
		l.line("for %s, %sb := 0, %s-1; %s < %sb; %s, %sb = %s+1, %sb-1 {", i, i, length, i, i, i, i, i, i)
		l.counts = append(l.counts, i+"b")
		defer func() { l.counts = l.counts[:len(l.counts)-1] }()
	default:
		l.line("for %s := %s / 2; %s < %s; %s++ {", i, length, i, length, i)
	}
	l.indent++
	l.line("_ = %s", i)
	l.counts = append(l.counts, count)
	for range 1 + l.n(3) {
		l.writeNestStmt(depth)
	}
	l.counts = l.counts[:len(l.counts)-1]
	l.indent--
	l.line("}")
}

// writeNestStmt writes a statement of a loop. Each line of the generated program has at most one operation that may
// fault.
func (l *loopGen) writeNestStmt(depth int) {
	name := l.over.name
	e := l.newName("e")
	switch l.n(8) {
	case 0:
		if depth > 0 {
			l.writeNestLoop(depth - 1)
			return
		}
		fallthrough
	case 1, 2, 3:
		l.line("%s := %s[%s]", e, name, l.loopIndex())
		l.line("h = shape.Mix(h, %s)", toWord(l.over.elem, e))
		if l.over.elem.kind == intKind && l.oneIn(4) {
			l.line("if %s%%3 == 1 {", e)
			l.line("\t%s", l.one("continue", "break"))
			l.line("}")
		}
	case 4, 5:
		if !l.over.rw {
			l.line("y += %s(%s)", l.typ, l.loopCounter())
			return
		}
		op := l.one("=", "=", "+=", "-=")
		if l.over.elem.kind == floatKind { // devices may flush sums of floats
			op = "="
		}
		l.line("%s[%s] %s %s(%s)", name, l.loopIndex(), op, l.over.elem, l.one("x", "y", l.loopCounter()))
	case 6:
		l.line("y = %s", l.arithExpr(l.typ, l.typ, 1+l.n(2)))
	default:
		l.line("if %s {", l.cond(l.typ, 1))
		l.line("\t%s", l.one("continue", "break", "y++"))
		l.line("}")
	}
}

// loopCounter returns the counter of one of the loops.
func (l *loopGen) loopCounter() string { return pick(l.progGen, l.counts) }

// loopIndex returns an expression for an index, which is in range in most cases.
func (l *loopGen) loopIndex() string {
	i, length := l.loopCounter(), fmt.Sprintf("len(%s)", l.over.name)
	if l.oneIn(60) {
		return l.one(i+"+1", i+"-1", i+"*2", i+"+int(x)", "int(y)", "-"+i)
	}
	switch l.n(16) {
	case 0, 1:
		return fmt.Sprintf("%s-1-%s", length, i)
	case 2:
		return fmt.Sprintf("%s/2", i)
	case 3:
		return fmt.Sprintf("%s>>1", i)
	case 4:
		return fmt.Sprintf("min(%s+1, %s-1)", i, length)
	case 5:
		return fmt.Sprintf("(%s+int(x)&7)%%%s", i, length)
	case 6:
		return fmt.Sprintf("max(%s-%d, 0)", i, 1+l.n(2))
	case 7:
		if l.over.name == "a" {
			return fmt.Sprintf("%s&7", i)
		}
		return fmt.Sprintf("%s&1", i)
	case 8:
		return fmt.Sprintf("uint8(%s)", i)
	}
	return i
}

package smith

import (
	"fmt"
	"slices"
	"strings"
)

// beginKernel writes the beginning of a kernel with independent work-items, up to the code for one work-item.
func (g *progGen) beginKernel() {
	g.line("")
	g.line("type %sK struct{ shape.Args }", g.prefix)
	g.line("")
	g.line("func (%sK) Properties() properties.List {", g.prefix)
	g.line("\treturn properties.List{properties.Float(properties.FloatExact)}")
	g.line("}")
	g.line("")
	g.line("func (k %sK) Kernel(it dsl.Item1) { k.Run(it.GlobalID()) }", g.prefix)
	g.line("")
	g.line("func (k %sK) Run(id int) {", g.prefix)
}

// theKernel writes the kernel.
func (g *progGen) theKernel() {
	g.beginKernel()
	g.beginFunc(nil, false, true)
	g.indent++
	if !g.oneIn(4) { // drivers compile checks slowly, and these conditions make checks unnecessary
		g.line("if id >= shape.Items || len(k.In) < shape.Items*shape.Words || len(k.Out) < shape.Items*shape.Words || len(k.Bytes) < shape.Items*shape.Bytes || len(k.Reals) < shape.Items*shape.Reals || len(k.Recs) < shape.Items*shape.Recs {")
		g.line("\treturn")
		g.line("}")
	}
	g.line("out, bytes := k.Out[id*16:id*16+16], k.Bytes[id*8:][:8:8]")
	g.line("reals, recs := k.Reals[4*id:4*(id+1)], k.Recs[id*2:2*id+2:len(k.Recs)]")
	g.line("h := shape.Mix(uint64(id), k.In[id*16])")
	g.line("_, _, _, _ = bytes, reals, recs, h")
	for _, v := range []*progVar{
		{name: "id", typ: intT, fixed: true},
		{name: "out", typ: sliceOf(uint64T), fixed: true, device: true, length: 16},
		{name: "bytes", typ: sliceOf(int8T), fixed: true, device: true, length: 8},
		{name: "reals", typ: sliceOf(float32T), fixed: true, device: true, length: 4},
		{name: "recs", typ: sliceOf(recT), fixed: true, device: true, length: 2},
		{name: "h", typ: uint64T},
		{name: "k.Small", typ: &typ{kind: arrayKind, elem: ints[1], len: 3}},
		{name: "k.N", typ: int32T},
	} {
		g.declare(v)
	}
	g.writeStmts(g.size.statements/2 + g.n(g.size.statements))
	for _, v := range g.scopes[0] {
		g.faults = 1 // makes sure that the statement cannot fault
		if v.typ.scalar() {
			g.line("h = shape.Mix(h, %s)", toWord(v.typ, v.name))
		} else if p := g.partOf(v.name, v.typ, v, (*typ).scalar, false, 4); p != "" && v.name != "out" {
			g.line("h = shape.Mix(h, %s)", g.wordOf(p, v.typ))
		}
	}
	g.line("out[15] = h")
	g.indent--
	g.line("}")
}

// wordOf returns a uint64 expression that depends on p, an expression of type t.
func (g *progGen) wordOf(p string, t *typ) string {
	for t.kind == ptrKind || t.kind == sliceKind || t.kind == arrayKind {
		t = t.elem
	}
	if t.kind != structKind {
		return toWord(t, p)
	}
	return "uint64(len(out))"
}

// toWord returns an expression of type uint64 that differs for different values of type t.
func toWord(t *typ, e string) string {
	switch {
	case t.kind == boolKind:
		return "shape.B(" + e + ")"
	case t == float32T:
		return "shape.Bits32(" + e + ")"
	case t == float64T:
		return "shape.Bits(" + e + ")"
	}
	return "uint64(" + e + ")"
}

// writeStmts writes n statements in the current scope.
func (g *progGen) writeStmts(n int) {
	for range n {
		g.statement()
	}
}

// writeBlock writes n statements in a scope of their own, without braces.
func (g *progGen) writeBlock(n int) {
	g.depth++
	g.indent++
	g.push()
	g.writeStmts(n)
	g.pop()
	g.indent--
	g.depth--
}

type statement struct {
	weight int
	write  func(g *progGen)
}

var simple, nested []statement

func init() {
	simple = []statement{
		{6, (*progGen).declaration}, {8, (*progGen).assignment}, {4, (*progGen).opAssignment}, {2, (*progGen).incDec}, {3, (*progGen).swap},
		{4, (*progGen).output}, {3, (*progGen).writeJump}, {4, (*progGen).callStatement}, {2, (*progGen).writeSlicing}, {2, (*progGen).writePointer},
		{1, (*progGen).explicitPanic}, {2, (*progGen).copying}, {2, (*progGen).writeGeneric}, {1, (*progGen).writeRecord},
	}
	simple = append(simple, extraStmts...)
	simple = append(simple, altStmts...)
	nested = []statement{
		{6, (*progGen).ifStatement}, {3, (*progGen).forStatement}, {2, (*progGen).rangeStatement}, {3, (*progGen).switchStatement},
		{1, (*progGen).braces}, {2, (*progGen).writeClosure}, {1, (*progGen).gotoStatement}, {1, (*progGen).writeEndless},
	}
}

func (g *progGen) statement() {
	g.faults = 0
	g.work += g.times
	list := simple
	if g.group != nil && g.kernel {
		list = append(slices.Clip(list), inGroups...)
	}
	if g.depth < g.size.depth && g.work < maxWork && g.oneIn(3) {
		list = nested
	}
	total := 0
	for _, s := range list {
		total += s.weight
	}
	n := g.n(total)
	for _, s := range list {
		if n -= s.weight; n < 0 {
			s.write(g)
			return
		}
	}
}

func (g *progGen) declaration() {
	t := g.anyType(2)
	e := g.pureExpr(t, g.size.expr)
	name := g.newName("v")
	switch g.n(3) {
	case 0:
		g.line("var %s %s = %s", name, t, e)
	case 1:
		g.line("var %s %s", name, t)
	default:
		g.line("%s := %s", name, e)
	}
	g.line("_ = %s", name)
	g.declare(&progVar{name: name, typ: t})
}

// assignTarget returns an assignable expression and the expression's type. The type must satisfy the predicate
// `fits`.
func (g *progGen) assignTarget(fits func(t *typ) bool) (string, *typ) {
	for range 10 {
		t := g.anyType(1)
		if !fits(t) {
			continue
		}
		var all []string
		for _, v := range g.varsThat(func(v *progVar) bool { return !v.fixed || v.typ.kind >= sliceKind && !g.pure }) {
			if p := g.partOf(v.name, v.typ, v, func(u *typ) bool { return u.same(t) }, true, 4); p != "" {
				all = append(all, p)
			}
		}
		if len(all) > 0 {
			return pick(g, all), t
		}
	}
	return "", nil
}

// storedExpr returns the expression that a program stores in variable `to` instead of expression e.
// Memory that tests compare must not contain NaNs, so storedExpr replaces NaNs.
func storedExpr(to string, t *typ, e string) string {
	if t == float32T && (strings.HasPrefix(to, "reals") || strings.HasSuffix(to, ".D") || strings.HasPrefix(to, "*q")) {
		return "shape.Real(" + e + ")"
	}
	return e
}

func anyOf(*typ) bool { return true }

func (g *progGen) assignment() {
	if to, t := g.assignTarget(anyOf); t != nil {
		g.line("%s = %s", to, storedExpr(to, t, g.pureExpr(t, g.size.expr)))
	}
}

func (g *progGen) opAssignment() {
	to, t := g.assignTarget(func(t *typ) bool { return t.kind == intKind || t == float64T })
	switch {
	case t == nil:
	case t.kind == floatKind:
		g.line("%s %s= %s", to, g.one("+", "-", "*", "/"), g.floatOperand(t, 2))
	case g.oneIn(4):
		g.line("%s %s= %s", to, g.one("/", "%"), "("+g.varExpr(t, 2)+" | 1)")
	case g.oneIn(3):
		c := pick(g, ints[5:])
		g.line("%s %s= %s", to, g.one("<<", ">>"), g.varExpr(c, 2))
	default:
		g.line("%s %s= %s", to, g.one("+", "-", "*", "&", "|", "^", "&^"), g.pureExpr(t, g.size.expr))
	}
}

func (g *progGen) incDec() {
	if to, t := g.assignTarget(func(t *typ) bool { return t.kind == intKind }); t != nil {
		g.line("%s%s", to, g.one("++", "--"))
	}
}

func (g *progGen) swap() {
	a, t := g.assignTarget(anyOf)
	if t == nil {
		return
	}
	b, u := g.assignTarget(t.same)
	if u == nil || a == b {
		return
	}
	if g.oneIn(2) {
		g.line("%s, %s = %s, %s", a, b, storedExpr(a, t, g.placeExpr(t)), storedExpr(b, t, g.pureExpr(t, 2)))
	} else {
		g.line("%s, %s = %s, %s", a, b, storedExpr(a, t, b), storedExpr(b, t, a))
	}
}

func (g *progGen) output() {
	t := g.randomScalar()
	e := toWord(t, g.varExpr(t, g.size.expr))
	if g.kernel && g.oneIn(2) {
		i := g.n(15)
		g.line("out[%d] = shape.Mix(out[%d], %s)", i, i, e)
		return
	}
	if to, u := g.assignTarget(uint64T.same); u != nil {
		g.line("%s = shape.Mix(%s, %s)", to, g.placeExpr(uint64T), e)
	}
}

// writeJump writes a break, continue or return statement.
func (g *progGen) writeJump() {
	if g.depth == 0 {
		return
	}
	cond := g.pureExpr(boolType, 2)
	if isLiteral(cond) {
		cond = g.placeExpr(boolType)
	}
	if len(g.loops) == 0 || g.oneIn(5) {
		if g.closed == 0 || g.result != nil {
			g.line("if %s {", cond)
			g.line("\t%s", g.returns())
			g.line("}")
		}
		return
	}
	g.line("if %s {", cond)
	g.line("\t%s", g.leaveStmt())
	g.line("}")
}

func (g *progGen) returns() string {
	if g.result == nil {
		return "return"
	}
	return "return " + g.pureExpr(g.result, 2)
}

// leaveStmt returns a break or continue statement.
func (g *progGen) leaveStmt() string {
	i := len(g.loops) - 1
	if g.oneIn(3) {
		i = g.n(len(g.loops))
	}
	l := g.loops[i]
	word := "continue"
	if l.isSwitch || g.oneIn(2) {
		word = "break"
	}
	inner := i == len(g.loops)-1
	if word == "continue" && !inner {
		inner = true
		for _, m := range g.loops[i+1:] {
			inner = inner && m.isSwitch
		}
	}
	if inner && g.oneIn(2) {
		return word
	}
	*l.used = true
	return word + " " + l.label
}

// callStatement writes a call of a helper or closure that may have effects.
func (g *progGen) callStatement() {
	for range 4 {
		if len(g.funcs) == 0 {
			return
		}
		f := pick(g, g.funcs)
		if g.pure && !f.pure || g.times*f.work > maxWork/4 || g.work > maxWork || f.faulty && !g.faulty {
			continue
		}
		args, ok := g.effectArguments(f)
		if !ok {
			continue
		}
		name := f.name
		if f.method != nil {
			recv := g.varsThat(func(v *progVar) bool {
				return v.typ.same(f.method) && !(v.fixed && f.ptr) || v.typ.kind == ptrKind && v.typ.elem.same(f.method)
			})
			if len(recv) == 0 {
				continue
			}
			name = pick(g, recv).name + "." + f.name
		}
		g.work += g.times * f.work
		v := g.newName("v")
		if g.oneIn(4) && f.method != nil {
			m := g.newName("m")
			g.line("%s := %s", m, name)
			name = m
		}
		g.line("%s := %s(%s)", v, name, args)
		g.line("_ = %s", v)
		g.declare(&progVar{name: v, typ: f.result})
		return
	}
}

// effectArguments returns arguments for a call of f. Some arguments are pointers to variables. If f
// may fault, evaluating the arguments never faults.
func (g *progGen) effectArguments(f *progFunc) (string, bool) {
	if f.faulty {
		g.faults = 1
	}
	var args []string
	for _, p := range f.params {
		switch p.kind {
		case ptrKind:
			vs := g.varsThat(func(v *progVar) bool { return !v.fixed && v.typ.same(p.elem) && !strings.Contains(v.name, ".") })
			ps := g.varsThat(func(v *progVar) bool { return v.typ.same(p) })
			switch {
			case len(ps) > 0 && g.oneIn(2):
				args = append(args, pick(g, ps).name)
			case len(vs) > 0:
				args = append(args, "&"+pick(g, vs).name)
			default:
				return "", false
			}
		case sliceKind:
			s := g.someSlice(p)
			if s == "" {
				return "", false
			}
			args = append(args, s)
		default:
			args = append(args, g.pureExpr(p, 2))
		}
	}
	args = append(args, g.pureExpr(uint64T, 2))
	return strings.Join(args, ", "), true
}

// someSlice returns an expression for a slice of at least two elements.
func (g *progGen) someSlice(t *typ) string {
	arrays := g.varsThat(func(v *progVar) bool {
		return !v.fixed && v.typ.kind == arrayKind && v.typ.elem.same(t.elem) && v.typ.len >= 2 && !strings.Contains(v.name, ".")
	})
	others := g.varsThat(func(v *progVar) bool {
		return v.typ.same(t) && v.length >= 2 && !(v.device && t.elem.kind == floatKind)
	})
	if len(arrays) > 0 && (len(others) == 0 || g.oneIn(2)) {
		a := pick(g, arrays)
		lo := g.n(a.typ.len - 1)
		return fmt.Sprintf("%s[%d:]", a.name, lo)
	}
	if len(others) > 0 {
		s := pick(g, others)
		return fmt.Sprintf("%s[%s:]", s.name, g.one("", fmt.Sprint(g.n(s.length-1))))
	}
	return ""
}

// writeSlicing writes a declaration of a slice of an array or of another slice.
func (g *progGen) writeSlicing() {
	if g.pure {
		return
	}
	vs := g.varsThat(func(v *progVar) bool {
		return v.typ.kind == arrayKind && !v.fixed && !strings.Contains(v.name, ".") || v.typ.kind == sliceKind && v.length > 0
	})
	if len(vs) == 0 {
		return
	}
	v := pick(g, vs)
	n := v.length
	if v.typ.kind == arrayKind {
		n = v.typ.len
	}
	lo := g.n(n)
	hi := lo + 1 + g.n(n-lo)
	name := g.newName("s")
	s := &progVar{name: name, typ: sliceOf(v.typ.elem), fixed: true, length: hi - lo, device: v.device, tile: v.tile}
	if v.device && v.typ.elem.kind == floatKind {
		return // storedExpr recognizes slices of floats by their names, so the program declares no other names for them
	}
	switch is := g.varsThat(func(v *progVar) bool { return v.typ.kind == intKind }); {
	case len(is) > 0 && g.mayFault(2):
		a, b := pick(g, is).name, pick(g, is).name
		g.line("%s := %s[%s]", name, v.name, g.one(a+":", ":"+b, "min("+a+", 3):"+b))
		s.length = 0
		g.line("%s = %s[:]", name, name)
	case g.oneIn(4):
		g.line("%s := %s[%d:%d:%d]", name, v.name, lo, hi, n)
	case g.oneIn(2):
		g.line("%s := %s[%d:][:%d]", name, v.name, lo, hi-lo)
	default:
		g.line("%s := %s[%d:%d]", name, v.name, lo, hi)
	}
	g.line("_ = %s", name)
	if s.length == 0 {
		if g.kernel {
			g.line("h = shape.Mix(h, uint64(len(%s)*100+cap(%s)))", name, name)
		}
		return
	}
	g.declare(s)
}

// writePointer writes a declaration of a pointer to a variable or to an element.
func (g *progGen) writePointer() {
	vs := g.varsThat(func(v *progVar) bool { return !v.fixed && v.typ.kind < sliceKind && !strings.Contains(v.name, ".") })
	if len(vs) == 0 {
		return
	}
	if g.kernel && g.oneIn(3) {
		name := g.newName("q")
		g.line("%s := &recs[%d]", name, g.n(2))
		g.line("_ = %s", name)
		g.declare(&progVar{name: name, typ: &typ{kind: ptrKind, elem: recT}, fixed: true, device: true})
		return
	}
	v := pick(g, vs)
	if v.noCapture {
		return
	}
	name, e, t := g.newName("ptr"), v.name, v.typ
	if t.kind == structKind && g.oneIn(2) {
		f := pick(g, t.fields)
		e, t = e+"."+f.name, f.typ
	}
	g.line("%s := &%s", name, e)
	g.line("_ = %s", name)
	g.declare(&progVar{name: name, typ: &typ{kind: ptrKind, elem: t}, fixed: true})
}

func (g *progGen) explicitPanic() {
	if g.faulty && g.oneIn(2) {
		g.faults = 1
		g.line("if %s && %s {", g.placeExpr(boolType), g.boolExpr(2))
		g.line("\tpanic(\"deliberate %d\")", g.n(100))
		g.line("}")
	}
}

func (g *progGen) copying() {
	if g.pure {
		return
	}
	t := sliceOf(g.randomScalar())
	a, b := g.someSlice(t), g.someSlice(t)
	if a == "" {
		return
	}
	if b == "" || g.oneIn(3) {
		g.line("clear(%s)", a)
		return
	}
	name := g.newName("v")
	g.line("%s := copy(%s, %s)", name, a, b)
	g.line("_ = %s", name)
	g.declare(&progVar{name: name, typ: intT})
}

// writeGeneric writes uses of the generic functions and types of package shape.
func (g *progGen) writeGeneric() {
	switch g.n(3) {
	case 0:
		vs := g.varsThat(func(v *progVar) bool {
			return !v.fixed && !v.noCapture && v.typ.kind < sliceKind && !strings.Contains(v.name, ".")
		})
		for _, a := range vs {
			for _, b := range vs {
				if a != b && a.typ.same(b.typ) {
					g.line("shape.Swap(&%s, &%s)", a.name, b.name)
					return
				}
			}
		}
	case 1:
		t := g.randomScalar()
		if s := g.someSlice(sliceOf(t)); s != "" {
			name, r := g.newName("v"), g.intType()
			e := fmt.Sprintf("%s(%s)", r, toWord(t, "x"))
			g.line("%s := shape.Sum(%s, func(x %s) %s { return %s })", name, s, t, r, e)
			g.line("_ = %s", name)
			g.declare(&progVar{name: name, typ: r})
		}
	default:
		a, b, v, p := g.intType(), g.intType(), g.newName("v"), g.newName("pair")
		g.line("%s := shape.Pair[%s, %s]{%s, %s}", p, a, b, g.pureExpr(a, 2), g.pureExpr(b, 2))
		for range g.n(3) {
			g.line("%s.Step(%s)", p, g.pureExpr(intT, 2))
		}
		g.line("%s := %s%s.Key()", v, p, g.one("", ".Flip()"))
		g.line("_ = %s", v)
		g.declare(&progVar{name: v, typ: uint64T})
	}
}

// writeRecord writes a copy of an element of device memory.
func (g *progGen) writeRecord() {
	if g.kernel {
		name := g.newName("rec")
		g.line("%s := recs[%d]", name, g.n(2))
		g.line("_ = %s", name)
		g.declare(&progVar{name: name, typ: recT})
	}
}

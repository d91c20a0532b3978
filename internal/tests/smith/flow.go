package smith

import (
	"fmt"
	"strings"
)

// This file generates statements that control the flow of a random kernel, such as if, for, switch
// and goto. The file also generates function literals.

func (g *progGen) ifStatement() {
	init := ""
	g.push()
	if g.oneIn(5) {
		t := g.randomScalar()
		name := g.newName("v")
		init = fmt.Sprintf("%s := %s; ", name, g.pureExpr(t, 2))
		g.declare(&progVar{name: name, typ: t})
		init += fmt.Sprintf("%s == %s && ", name, name)
	}
	g.line("if %s%s {", init, g.boolExpr(g.size.expr))
	g.writeBlock(1 + g.n(4))
	for g.oneIn(4) {
		g.faults = 0
		g.line("} else if %s {", g.boolExpr(g.size.expr))
		g.writeBlock(1 + g.n(3))
	}
	if g.oneIn(2) {
		g.line("} else {")
		g.writeBlock(1 + g.n(3))
	}
	g.line("}")
	g.pop()
}

// flowLoop writes a loop that begins with the given head. The body of the loop runs at most maxTimes
// times. If a statement in the loop names the loop's label, flowLoop also writes the label.
func (g *progGen) flowLoop(head string, maxTimes int, isSwitch bool, writeInner func()) {
	outer, before, depth := g.out, g.times, g.indent
	g.out = strings.Builder{}
	used := false
	label := g.newName("L")
	g.loops = append(g.loops, jumpTarget{label, &used, isSwitch})
	g.times *= max(maxTimes, 1)
	writeInner()
	g.times = before
	g.loops = g.loops[:len(g.loops)-1]
	inner := g.out.String()
	g.out, g.indent = outer, depth
	if used {
		g.line("%s:", label)
	}
	g.line("%s {", head)
	g.out.WriteString(inner)
	g.line("}")
}

// maxTrips returns a random limit for the number of iterations of a loop.
func (g *progGen) maxTrips() int { return 1 + g.n(min(7, max(1, maxWork/4/g.times))) }

func (g *progGen) forStatement() {
	n := g.maxTrips()
	i, t := g.newName("i"), g.intType()
	v := &progVar{name: i, typ: t, fixed: true, noCapture: true}
	var head string
	switch g.n(5) {
	case 0:
		head = fmt.Sprintf("for %s := %s(%d); %s > 0; %s--", i, t, n, i, i)
	case 1:
		step := 1 + g.n(3)
		head = fmt.Sprintf("for %s := %s(0); %s < %d; %s += %d", i, t, i, n*step, i, step)
	case 2:
		head = fmt.Sprintf("for %s := %s(0); %s < %d && %s; %s++", i, t, i, n, g.boolExpr(2), i)
	case 3:
		// The bound of the loop depends on data.
		head = fmt.Sprintf("for %s := %s(0); %s < %s(uint8(%s)%%%d); %s++", i, t, i, t, g.placeExpr(intT), n+1, i)
	default:
		head = fmt.Sprintf("for %s := %s(0); %s != %d; %s++", i, t, i, n, i)
	}
	g.flowLoop(head, n, false, func() {
		g.push()
		g.declare(v)
		g.writeBlock(1 + g.n(4))
		g.pop()
	})
}

// writeEndless writes a for statement without a condition. The loop body increments the counter first, so that continue
// does not skip the increment.
func (g *progGen) writeEndless() {
	n := g.maxTrips()
	i := g.newName("n")
	g.line("%s := 0", i)
	g.declare(&progVar{name: i, typ: intT, fixed: true})
	head := "for"
	if g.oneIn(2) {
		head = fmt.Sprintf("for %s >= 0", i)
	}
	g.flowLoop(head, n, false, func() {
		g.indent++
		g.line("if %s++; %s > %d {", i, i, n)
		g.line("\tbreak")
		g.line("}")
		g.indent--
		g.writeBlock(1 + g.n(4))
	})
}

func (g *progGen) rangeStatement() {
	n := g.maxTrips()
	i, x := g.newName("i"), g.newName("x")
	iv := &progVar{name: i, typ: intT}
	xv := &progVar{name: x}
	var head string
	arrays := g.varsThat(func(v *progVar) bool { return v.typ.kind == arrayKind && v.typ.len <= n })
	slices := g.varsThat(func(v *progVar) bool {
		return v.typ.kind == sliceKind && v.length > 0 && v.length <= 8 && v.typ.elem != recT
	})
	switch c := g.n(5); {
	case c == 0 && len(arrays) > 0:
		a := pick(g, arrays)
		xv.typ = a.typ.elem
		of := a.name
		if !a.fixed && !strings.Contains(of, ".") && !g.pure {
			of = g.one("", "&") + of
		}
		head = fmt.Sprintf("for %s, %s := range %s", i, x, of)
	case c == 1 && len(slices) > 0:
		s := pick(g, slices)
		xv.typ = s.typ.elem
		n = 16
		head = fmt.Sprintf("for %s, %s := range %s", i, x, s.name)
	case c == 2 && g.depth < 2:
		xv.typ = int32T
		head = fmt.Sprintf("for %s, %s := range shape.Upto(%d)", i, x, n)
	default:
		iv.typ = g.intType()
		head = fmt.Sprintf("for %s := range %s(%d)", i, iv.typ, n)
	}
	g.flowLoop(head, n, false, func() {
		g.push()
		g.indent++
		g.declare(iv)
		g.line("_ = %s", i)
		if xv.typ != nil {
			g.declare(xv)
			g.line("_ = %s", x)
		}
		g.indent--
		g.writeBlock(1 + g.n(4))
		g.pop()
	})
}

func (g *progGen) switchStatement() {
	t := g.intType()
	head := "switch"
	tag := g.oneIn(2)
	if tag {
		head = fmt.Sprintf("switch %s %% 5", g.placeExpr(t))
	} else if g.oneIn(2) {
		head = "switch true"
	}
	g.flowLoop(head, 1, true, func() {
		n := 1 + g.n(5)
		def := g.n(2 * n)
		for c := range n {
			g.faults = 0
			switch {
			case c == def:
				g.line("default:")
			case !tag:
				g.faults = 1
				g.line("case %s:", g.varExpr(boolType, g.size.expr))
			case t.signed && g.oneIn(3):
				g.line("case %d, -%d:", c, c+1)
			default:
				g.line("case %d:", c)
			}
			g.writeBlock(1 + g.n(3))
			if c < n-1 && g.oneIn(4) {
				g.line("\tfallthrough")
			}
		}
	})
}

func (g *progGen) braces() {
	g.line("{")
	g.writeBlock(1 + g.n(3))
	g.line("}")
}

// writeClosure writes a function literal, and calls of it.
func (g *progGen) writeClosure() {
	if g.pure || g.closed > 1 {
		return
	}
	result, loops, kernel := g.result, g.loops, g.kernel
	name := g.newName("c")
	param, res := g.randomScalar(), g.randomScalar()
	arg := g.newName("a")
	g.line("%s := func(%s %s) %s {", name, arg, param, res)
	g.result, g.loops = res, nil
	g.closed++
	g.push()
	g.declare(&progVar{name: arg, typ: param})
	before := g.work
	g.writeBlock(1 + g.n(4))
	g.faults = 0
	g.line("\treturn %s", g.pureExpr(res, 2))
	g.pop()
	g.closed--
	g.result, g.loops, g.kernel = result, loops, kernel
	g.line("}")
	cost := g.work - before
	for range 1 + g.n(2) {
		v := g.newName("v")
		g.faults = 1
		g.line("%s := %s(%s)", v, name, g.pureExpr(param, 2))
		g.line("_ = %s", v)
		g.declare(&progVar{name: v, typ: res})
		g.work += cost
	}
}

// gotoStatement writes a goto that jumps over a block.
func (g *progGen) gotoStatement() {
	if g.closed > 0 {
		return
	}
	l := g.newName("G")
	g.line("if %s {", g.boolExpr(2))
	g.line("\tgoto %s", l)
	g.line("}")
	g.line("{")
	g.writeBlock(1 + g.n(3))
	g.line("}")
	g.line("%s:", l)
	if g.kernel && g.closed == 0 {
		g.line("h++")
	} else {
		g.line("w++")
	}
}

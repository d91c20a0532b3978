package smith

import (
	"fmt"
	"slices"
	"strings"
)

// altStmts lists the statements of this file. The listed statements declare and use variables whose
// pointee or callee depends on data.
var altStmts = []statement{
	{2, (*progGen).chosenPointer}, {2, (*progGen).chosenSlice}, {2, (*progGen).chosenFunction}, {2, (*progGen).chosenInterface},
	{6, (*progGen).chooseAgain}, {4, (*progGen).useChosen},
}

// allowedTargets describes which variables a new reference may refer to. The target of a reference
// must be declared before the variable that holds the reference. If the target were declared later,
// the target might belong to a loop iteration that has ended.
type allowedTargets struct {
	// If field `from` is not 0, references must not refer to a variable v with before <= v.born &&
	// v.born < from.
	before, from int
}

// writeWithin calls writeBody. Until writeBody returns, references may refer only to variables
// declared before v, and to variables that writeBody declares.
func (g *progGen) writeWithin(v *progVar, writeBody func()) {
	save := g.keep
	if g.keep.from == 0 || v.born < g.keep.before {
		g.keep = allowedTargets{before: v.born, from: g.births + 1}
	}
	writeBody()
	g.keep = save
}

// canChoose reports whether a variable's pointee or callee may depend on data at this point of the program.
// canChoose returns false in kernels with work-groups, and in functions that must not write memory.
func (g *progGen) canChoose() bool { return !g.pure && g.group == nil }

// writeChoice writes an if statement, with or without an else, around assignments.
func (g *progGen) writeChoice(name string, values ...string) {
	cond := g.varExpr(boolType, 2)
	g.line("if %s {", cond)
	g.line("\t%s = %s", name, values[0])
	if len(values) > 1 {
		g.line("} else if %s {", g.placeExpr(boolType))
		g.line("\t%s = %s", name, values[1])
	}
	g.line("}")
}

// addressExprs returns addresses of variables, of their fields and of their elements.
func (g *progGen) addressExprs(t *typ) []string {
	var out []string
	for _, v := range g.varsThat(func(v *progVar) bool {
		return !v.fixed && !v.noCapture && v.typ.kind < sliceKind && !strings.Contains(v.name, ".")
	}) {
		switch {
		case v.typ.same(t):
			out = append(out, "&"+v.name)
		case v.typ.kind == arrayKind && v.typ.elem.same(t) && v.typ.len > 0:
			out = append(out, fmt.Sprintf("&%s[%d]", v.name, g.n(v.typ.len)))
		case v.typ.kind == structKind:
			for _, f := range v.typ.fields {
				if f.typ.same(t) {
					out = append(out, "&"+v.name+"."+f.name)
				}
			}
		}
	}
	if g.kernel && t == uint64T {
		out = append(out, fmt.Sprintf("&out[%d]", g.n(15)))
	}
	return out
}

// chosenPointer writes a declaration of a pointer to one of several variables.
func (g *progGen) chosenPointer() {
	if !g.canChoose() {
		return
	}
	for range 8 {
		t := g.anyType(0)
		all := g.addressExprs(t)
		if len(all) < 2 {
			continue
		}
		v := &progVar{name: g.newName("ptr"), typ: &typ{kind: ptrKind, elem: t}, fixed: true, chosen: true}
		g.line("%s := %s", v.name, pick(g, all))
		if g.oneIn(2) {
			g.writeChoice(v.name, pick(g, all), pick(g, all))
		} else {
			g.writeChoice(v.name, pick(g, all))
		}
		g.line("_ = %s", v.name)
		g.declare(v)
		return
	}
}

// sliceExpr returns an expression for a slice of n elements of type elem, or "".
func (g *progGen) sliceExpr(elem *typ, n int) string {
	vs := g.varsThat(func(v *progVar) bool {
		return v.typ.kind == arrayKind && !v.fixed && !v.noCapture && !strings.Contains(v.name, ".") && v.typ.len >= n && v.typ.elem.same(elem) ||
			v.typ.kind == sliceKind && v.length >= n && v.typ.elem.same(elem) && !(v.device && elem.kind == floatKind)
	})
	if len(vs) == 0 {
		return ""
	}
	v := pick(g, vs)
	length := v.length
	if v.typ.kind == arrayKind {
		length = v.typ.len
	}
	lo := g.n(length - n + 1)
	if g.oneIn(4) {
		return fmt.Sprintf("%s[%d:%d:%d]", v.name, lo, lo+n, lo+n)
	}
	return fmt.Sprintf("%s[%d:%d]", v.name, lo, lo+n)
}

// chosenSlice writes a declaration of a slice of one of several arrays.
func (g *progGen) chosenSlice() {
	if !g.canChoose() {
		return
	}
	for range 8 {
		t, n := g.randomScalar(), 1+g.n(3)
		a, b := g.sliceExpr(t, n), g.sliceExpr(t, n)
		if a == "" || a == b {
			continue
		}
		v := &progVar{name: g.newName("s"), typ: sliceOf(t), fixed: true, chosen: true, length: n}
		g.line("%s := %s", v.name, a)
		g.writeChoice(v.name, b)
		g.line("_ = %s", v.name)
		g.declare(v)
		return
	}
}

// literalFunc returns a function literal with one parameter.
func (g *progGen) literalFunc(t *typ) string {
	var b strings.Builder
	arg := g.newName("a")
	fmt.Fprintf(&b, "func(%s %s) %s { ", arg, t, t)
	result, loops := g.result, g.loops
	g.result, g.loops = t, nil
	g.closed++
	g.push()
	g.declare(&progVar{name: arg, typ: t})
	if to, u := g.assignTarget(func(t *typ) bool { return t.kind == intKind }); u != nil {
		fmt.Fprintf(&b, "%s %s %s; ", to, g.one("+=", "^=", "="), g.pureExpr(u, 1))
	}
	fmt.Fprintf(&b, "return %s }", g.pureExpr(t, 2))
	g.pop()
	g.closed--
	g.result, g.loops = result, loops
	return b.String()
}

// chosenFunction writes a declaration of a variable that contains one of several functions.
func (g *progGen) chosenFunction() {
	if !g.canChoose() || g.closed > 0 {
		return
	}
	t := g.intType()
	v := &progVar{name: g.newName("f"), typ: &typ{kind: funcKind, name: fmt.Sprintf("func(%s) %s", t, t), elem: t}, fixed: true, chosen: true}
	g.faults = 1
	g.line("%s := %s", v.name, g.literalFunc(t))
	g.writeChoice(v.name, g.literalFunc(t))
	g.line("_ = %s", v.name)
	g.declare(v)
}

var valuerT = &typ{kind: interfaceKind, name: "shape.Valuer"}

// valuerExpr returns an expression whose type implements shape.Valuer.
func (g *progGen) valuerExpr() string {
	switch g.n(3) {
	case 0:
		return fmt.Sprintf("shape.Neg(%s)", g.pureExpr(ints[1], 1))
	case 1:
		if vs := g.varsThat(func(v *progVar) bool { return v.typ == countT }); len(vs) > 0 {
			return "&" + pick(g, vs).name
		}
	}
	return fmt.Sprintf("shape.Add{N: %s}", g.pureExpr(int32T, 1))
}

var countT = &typ{kind: structKind, name: "shape.Count", fields: []field{{"N", int32T}}}

// chosenInterface writes a declaration of an interface value of one of several types.
func (g *progGen) chosenInterface() {
	if !g.canChoose() {
		return
	}
	g.faults = 1
	count := &progVar{name: g.newName("n"), typ: countT}
	g.line("%s := shape.Count{N: %s}", count.name, g.pureExpr(int32T, 1))
	g.declare(count)
	v := &progVar{name: g.newName("i"), typ: valuerT, fixed: true, chosen: true}
	g.line("var %s shape.Valuer = %s", v.name, g.valuerExpr())
	g.writeChoice(v.name, g.valuerExpr(), "&"+count.name)
	g.line("_ = %s", v.name)
	g.declare(v)
}

// dataVars returns the variables of the given kinds whose values depend on data.
func (g *progGen) dataVars(kinds ...kind) []*progVar {
	return g.varsThat(func(v *progVar) bool { return v.chosen && slices.Contains(kinds, v.typ.kind) })
}

// chooseAgain writes an assignment to a variable whose value depends on data, or swaps two of these variables.
func (g *progGen) chooseAgain() {
	if !g.canChoose() {
		return
	}
	vs := g.dataVars(ptrKind, sliceKind, funcKind, interfaceKind)
	if len(vs) == 0 {
		return
	}
	v := pick(g, vs)
	g.faults = 1
	others := slices.DeleteFunc(g.dataVars(v.typ.kind), func(u *progVar) bool {
		return u == v || !u.typ.same(v.typ) || u.length < v.length || u.born > v.born
	})
	if len(others) > 0 && g.oneIn(2) {
		g.writeChoice(v.name, pick(g, others).name)
		return
	}
	value := ""
	g.writeWithin(v, func() {
		switch v.typ.kind {
		case ptrKind:
			if all := g.addressExprs(v.typ.elem); len(all) > 0 {
				value = pick(g, all)
			}
		case sliceKind:
			value = g.sliceExpr(v.typ.elem, v.length)
		case funcKind:
			if g.closed == 0 {
				value = g.literalFunc(v.typ.elem)
			}
		case interfaceKind:
			value = g.valuerExpr()
		}
	})
	if value != "" {
		g.writeChoice(v.name, value)
	}
}

// useChosen writes a call or comparison of a value that depends on data, or an assertion of its type.
func (g *progGen) useChosen() {
	if !g.canChoose() {
		return
	}
	vs := g.dataVars(ptrKind, funcKind, interfaceKind)
	if len(vs) == 0 {
		return
	}
	v := pick(g, vs)
	g.faults = 1
	g.work += 3 * g.times
	switch v.typ.kind {
	case funcKind:
		g.declareLocal(v.typ.elem, fmt.Sprintf("%s(%s)", v.name, g.pureExpr(v.typ.elem, 2)))
		return
	case interfaceKind:
		switch g.n(3) {
		case 0:
			g.declareLocal(int32T, fmt.Sprintf("shape.Which(%s)", v.name))
			return
		case 1:
			g.declareLocal(int32T, fmt.Sprintf("%s.Val(%s)", v.name, g.pureExpr(int32T, 2)))
			return
		}
	}
	others := slices.DeleteFunc(g.dataVars(v.typ.kind), func(u *progVar) bool { return !u.typ.same(v.typ) })
	g.declareLocal(boolType, fmt.Sprintf("%s == %s", v.name, pick(g, others).name))
}

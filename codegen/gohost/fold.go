package gohost

import (
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// This file folds the expression of a value into the expression that uses the value, because nested
// expressions are easier to read:
//
//	v7 := v5 & 31
//	v8 := v7 < v6
//	if v8 {
//
// becomes
//
//	if v5&31 < v6 {
//
// if v7 and v8 have no other uses.

// maxFolded is the largest number of characters of a folded expression. Expressions with more than
// maxFolded characters are hard to read.
const maxFolded = 60

// foldExpr records the expression of v for insertion at the only use of v, so that v needs no
// variable. Values that neither read nor write memory can be folded anywhere within the node,
// because variables do not change within a node. Loads can be folded if no store comes between the
// load and the use. Each float operation is written with a conversion, so that gc does not fuse
// folded operations.
func (w *regionBody) foldExpr(v *ir.Value) bool {
	expr, ok := exprWriters[v.Op]
	switch _, isMinMax := w.minmax[v]; {
	case !ok, isMinMax, !v.Op.Has(ir.FlagPure) && !w.readLate(v), v.Type.Kind == ir.Addr && w.roots[v] == dynamic,
		w.uses[v] != 1, w.wide[v], w.stored[v], w.isAhead(v), w.done[v]:
		return false
	case (v.Op == ir.OpLAnd || v.Op == ir.OpLOr) && slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return w.uses[a] != 1 }):
		return false // go vet reports repeated operands, as in x && y && x
	}
	w.opaque = isGoConstant(v)
	text := expr(w, v)
	w.opaque = false
	if len(text) > maxFolded {
		return false
	}
	w.folded[v] = withParens(text)
	return true
}

// readLate reports whether v is a load that may be moved to the only use of v. The op that uses v
// may itself be folded into another op, so readLate follows the chain of uses to the end.
func (w *regionBody) readLate(v *ir.Value) bool {
	n := w.where[v]
	if v.Op != ir.OpLoad || n == nil || w.uses[v] != 1 || w.wide[v] {
		return false
	}
	rest := n.insts[slices.Index(n.insts, v)+1:]
	for _, u := range rest {
		if !w.neededValues[u] {
			continue
		}
		used := slices.Contains(w.readValues(u), v)
		if !u.Op.Has(ir.FlagPure) && u.Op != ir.OpLoad {
			return used && u.Op == ir.OpStore // the code of an op other than a store may contain an operand twice
		}
		if used {
			if w.uses[u] != 1 || w.wide[u] {
				return true // u is not folded, because u has several uses or is used in another node
			}
			v = u
		}
	}
	return true
}

// withParens adds parentheses to an expression if the expression needs parentheses as the operand
// of an operator.
func withParens(expr string) string {
	depth := 0
	for i, c := range expr {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ' ', '-', '^', '!':
			if depth == 0 && (c == ' ' || i == 0) {
				return "(" + expr + ")"
			}
		}
	}
	return expr
}

// withoutParens removes the outer parentheses of an expression, if one pair of parentheses encloses
// the whole expression.
func withoutParens(expr string) string {
	if !strings.HasPrefix(expr, "(") {
		return expr
	}
	depth := 0
	for i, c := range expr {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(expr)-1 {
				return expr
			}
		}
	}
	return expr[1 : len(expr)-1]
}

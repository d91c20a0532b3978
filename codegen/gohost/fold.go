package gohost

import (
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// This file folds values into the expressions that use them, because nested expressions are easier to read:
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

// maxFolded is the largest number of characters of a folded expression. Longer expressions are hard to read.
const maxFolded = 60

// foldExpr records the expression of v for insertion at its only use, so that v needs no variable. Values that
// neither read nor write memory can be folded anywhere within the node, because variables do not change
// within a node. Loads can be folded if no store comes between the load and the use. Each float operation is
// written as a conversion, which keeps gc from fusing folded operations.
func (w *regionBody) foldExpr(v *ir.Value) bool {
	expr, ok := exprWriters[v.Op]
	switch _, isMinMax := w.minmax[v]; {
	case !ok, isMinMax, !v.Op.Has(ir.FlagPure) && !w.readLate(v), v.Type.Kind == ir.Addr && w.roots[v] == dynamic,
		w.uses[v] != 1, w.wide[v], w.stored[v], w.isAhead(v), w.done[v]:
		return false
	case (v.Op == ir.OpLAnd || v.Op == ir.OpLOr) && slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return w.uses[a] != 1 }):
		return false // go vet complains about x && y && x
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

// readLate reports whether v is a load that may move to its only use. The op that uses v may itself be folded into
// another op, so readLate follows the chain of uses to the end.
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
			return used && u.Op == ir.OpStore // the code of other ops may contain an operand twice
		}
		if used {
			if w.uses[u] != 1 || w.wide[u] {
				return true // u is not folded
			}
			v = u
		}
	}
	return true
}

// withParens adds parentheses to an expression if an operator's operand needs them.
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

// withoutParens removes the parentheses around an expression if the first matches the last.
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

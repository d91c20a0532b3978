package gohost

import (
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// This file folds values into the expressions that use them, as a programmer would write them:
//
//	v7 := v5 & 31
//	v8 := v7 < v6
//	if v8 {
//
// becomes
//
//	if v5&31 < v6 {
//
// if nothing else uses v7 and v8.

// maxFolded is how many characters a folded expression has: longer ones are hard to read.
const maxFolded = 60

// fold keeps v's expression for its only use, instead of defining a variable. It does so with
// values that neither read nor write memory: where in the node the use stands makes no
// difference to these, since variables do not change within a node. gc does not fuse the
// folded operations on floats with others, since each is a conversion.
func (w *body) fold(v *ir.Value) bool {
	expr, ok := exprs[v.Op]
	switch _, isMinMax := w.minmax[v]; {
	case !ok, isMinMax, !v.Op.Has(ir.FlagPure), v.Ref() != nil, v.Type.Kind == ir.Addr,
		w.uses[v] != 1, w.wide[v], w.home[v], w.inTop(v), w.done[v]:
		return false
	case (v.Op == ir.OpLAnd || v.Op == ir.OpLOr) && slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return w.uses[a] != 1 }):
		return false // go vet does not like x && y && x
	}
	w.opaque = constant(v)
	text := expr(w, v)
	w.opaque = false
	if len(text) > maxFolded {
		return false
	}
	w.folded[v] = parenthesized(text)
	return true
}

// parenthesized returns an expression as an operand of any operator.
func parenthesized(expr string) string {
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

// bare returns an expression without the parentheses around it, if they are a pair.
func bare(expr string) string {
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

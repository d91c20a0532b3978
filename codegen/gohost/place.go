package gohost

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// This file puts the nodes of a region into a sequence, with gotos between them. A node that has one predecessor and
// does not end with a branch becomes the body of an if statement:
//
//	if uint64(v7) >= uint64(v1) {
//		g.Fault(0, v7, v1, v0)
//		continue
//	}
//
// In Go a goto may not jump over declarations in its block. If a goto jumps over the code of a
// node, the code of the node is enclosed in braces. A Go variable that several nodes use is
// declared before all nodes.

// nodeLayout is the layout of a region's nodes in the generated Go code.
type nodeLayout struct {
	order  []*node        // nodes in the order of their code in the generated Go code
	inside map[*node]bool // nodes whose code is the body of an if statement
	open   map[*node]bool // nodes with code that is never skipped by a goto
	jumped map[*node]bool // targets of gotos
}

// placeNodes computes the layout of the region's nodes.
func (w *regionBody) placeNodes() {
	w.nodeLayout = nodeLayout{inside: map[*node]bool{}, open: map[*node]bool{}, jumped: map[*node]bool{}}
	ways := map[*node]int{w.r.entry: 1}
	for _, n := range w.r.nodes {
		for _, s := range w.partSuccs(n) {
			ways[s]++
		}
	}
	may := func(n *node) bool { return ways[n] == 1 && len(w.partSuccs(n)) <= 1 }
	for _, n := range w.r.nodes {
		if s := w.partSuccs(n); len(s) == 2 {
			switch a, b := may(s[0]), may(s[1]); {
			case a && b:
				w.placeBoth(n, s[0], s[1])
			case a:
				w.inside[s[0]] = true
			case b:
				w.inside[s[1]] = true
			}
		}
	}
	at := map[*node]int{}
	for _, n := range w.r.nodes {
		if !w.inside[n] {
			at[n] = len(w.order)
			w.order = append(w.order, n)
			w.open[n] = true
		}
	}
	for _, n := range w.order {
		for _, s := range w.partSuccs(n) {
			to := []*node{s}
			if w.inside[s] {
				to = w.partSuccs(s)
			}
			for _, t := range to {
				for i := at[n] + 1; i < at[t]; i++ {
					w.open[w.order[i]] = false
				}
			}
		}
	}
}

// placeBoth decides which of two successors of n becomes the body of the if statement at the end of
// n. If both successors lead to the same node, one successor becomes the body of the if branch, and
// the other the body of the else branch. If the successors lead to different nodes, placeBoth
// prefers a node that faults, then a node that returns, then a node that continues a loop.
func (w *regionBody) placeBoth(n, a, b *node) {
	to, other := w.soleSuccessor(a), w.soleSuccessor(b)
	switch {
	case to != nil && to == other && w.at[to] > w.at[n]:
		w.inside[a], w.inside[b] = true, true
	case to == nil && (other != nil || hasFault(a) || !hasFault(b)), to != nil && other != nil && w.at[to] <= w.at[n]:
		w.inside[a] = true
	default:
		w.inside[b] = true
	}
}

// hasFault reports whether the node contains a fault op.
func hasFault(n *node) bool {
	return slices.ContainsFunc(n.insts, func(v *ir.Value) bool { return v.Op == ir.OpFault })
}

// soleSuccessor returns the only successor of a node that does not branch, or nil.
func (w *regionBody) soleSuccessor(n *node) *node {
	if s := w.partSuccs(n); len(s) > 0 {
		return s[0]
	}
	return nil
}

// writeNodes writes the nodes of the region.
func (w *regionBody) writeNodes() {
	texts := make([][]byte, len(w.order))
	for i, n := range w.order {
		var next *node
		if i+1 < len(w.order) {
			next = w.order[i+1]
		}
		var b bytes.Buffer
		locals := w.writeInsts(&b, n)
		w.writeEnd(&b, n, next)
		if texts[i] = b.Bytes(); locals && !w.open[n] {
			texts[i] = fmt.Appendf(nil, "{\n%s}\n", texts[i])
		}
	}
	for i, n := range w.order {
		if w.jumped[n] {
			fmt.Fprintf(&w.code, "%s:\n", w.labelOf(n))
		}
		w.code.Write(texts[i])
	}
	for _, end := range []string{"continue\n", "continue\n}\n"} { // possible texts at the end of the loop over the work-items
		if text, ok := bytes.CutSuffix(w.code.Bytes(), []byte(end)); ok {
			w.code.Truncate(len(text))
			w.code.WriteString(end[len("continue\n"):])
		}
	}
}

// writeInsts writes the statements of node n to b. Result `locals` reports whether the statements declare variables
// that only node n uses.
func (w *regionBody) writeInsts(b *bytes.Buffer, n *node) (locals bool) {
	for _, v := range n.insts {
		if !w.neededValues[v] || w.recomputed[v] && w.done[v] {
			continue
		}
		if v.Type == ir.TypeVoid || !w.asked[v] {
			w.writeEffect(b, v)
			continue
		}
		if w.foldExpr(v) {
			continue
		}
		locals = locals || !w.wide[v]
		w.defineValue(b, v, w.declaredAt(v, n))
	}
	return locals
}

// declaredAt reports whether the statement that computes v also declares the variable of v. If
// declaredAt returns false, the variable of v is declared before all nodes or at the beginning of
// an iteration.
func (w *regionBody) declaredAt(v *ir.Value, n *node) bool {
	return !w.wide[v] || w.open[n] && !w.done[v]
}

// writeEnd writes the control flow at the end of node n. Parameter `next` is the node with the code that follows the
// code of n, or nil.
func (w *regionBody) writeEnd(b *bytes.Buffer, n, next *node) {
	switch {
	case n.split != nil:
		w.writeExit(b, n)
		return
	case n.tail != noTail:
		w.finishPart(b, n)
		return
	}
	switch succs := w.partSuccs(n); len(succs) {
	case 0:
		if len(w.fullRegion().exits) > 0 {
			fmt.Fprintf(b, "g.Leave(li)\n")
		}
		fmt.Fprintf(b, "continue\n")
	case 1:
		w.writeEdge(b, n, 0, succs[0] == next)
	case 2:
		w.writeBranch(b, n, next)
	}
}

// writeBranch writes the conditional branch at the end of node n as an if statement.
func (w *regionBody) writeBranch(b *bytes.Buffer, n, next *node) {
	s := w.partSuccs(n)
	conds := [2]string{withoutParens(w.valueExpr(n.block.Term.Cond)), w.negatedExpr(n.block.Term.Cond)}
	falls := func(k int) bool { // whether edge k leads to the node with the code that follows the branch
		if w.inside[s[k]] {
			return next != nil && w.soleSuccessor(s[k]) == next
		}
		return s[k] == next
	}
	// If possible, one edge of the branch becomes the body of the if statement, and the other edge
	// becomes the code after the if statement. The body of the if statement must end with a jump,
	// so that the code after the statement does not run.
	ways := []int{0, 1}
	if w.inside[s[1]] || !w.inside[s[0]] && s[0] == next {
		ways = []int{1, 0}
	}
	for _, k := range ways {
		if !falls(k) && !w.inside[s[1-k]] {
			fmt.Fprintf(b, "if %s {\n%s}\n%s", conds[k], w.edgeCode(n, k, nil), w.edgeCode(n, 1-k, next))
			return
		}
	}
	yes, no := w.edgeCode(n, 0, next), w.edgeCode(n, 1, next)
	switch {
	case yes == "" && no == "": // Go rejects unused variables, and the variables in the condition may have no other use
		fmt.Fprintf(b, "_ = %s\n", conds[0])
	case no == "":
		fmt.Fprintf(b, "if %s {\n%s}\n", conds[0], yes)
	case yes == "":
		fmt.Fprintf(b, "if %s {\n%s}\n", conds[1], no)
	default:
		fmt.Fprintf(b, "if %s {\n%s} else {\n%s}\n", conds[0], yes, no)
	}
}

// edgeCode returns the code of edge k out of n. If the edge leads to the body of an if statement,
// the code of the edge includes the body.
func (w *regionBody) edgeCode(n *node, k int, next *node) string {
	var b bytes.Buffer
	to := w.partSuccs(n)[k]
	if !w.inside[to] {
		w.writeEdge(&b, n, k, to == next)
		return b.String()
	}
	w.writeEdge(&b, n, k, true)
	w.writeInsts(&b, to)
	w.writeEnd(&b, to, next)
	return b.String()
}

// opposites is a map from a comparison op on integers to the Go operator and the negated Go
// operator.
var opposites = map[ir.Op][2]string{
	ir.OpIEq: {" == ", " != "}, ir.OpINe: {" != ", " == "}, ir.OpSLt: {" < ", " >= "}, ir.OpSLe: {" <= ", " > "},
	ir.OpULt: {" < ", " >= "}, ir.OpULe: {" <= ", " > "},
}

// negatedExpr returns the Go expression of the negated condition v.
func (w *regionBody) negatedExpr(v *ir.Value) string {
	text := w.valueExpr(v)
	expr, folded := w.folded[v]
	op, ok := opposites[v.Op]
	if !folded || !ok {
		return "!" + text
	}
	expr = withoutParens(expr)
	depth := 0
	for i, c := range expr {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ' ':
			if rest, ok := strings.CutPrefix(expr[i:], op[0]); ok && depth == 0 {
				return expr[:i] + op[1] + rest
			}
		}
	}
	return "!" + text
}

// writeEdge writes the assignments to phis on edge k out of n. If falls is false, writeEdge also
// writes a goto to the target of the edge.
func (w *regionBody) writeEdge(b *bytes.Buffer, n *node, k int, falls bool) {
	succs := w.partSuccs(n)
	to := succs[k]
	if to.tail != noTail {
		if !falls {
			w.jumped[to] = true
			fmt.Fprintf(b, "goto %s\n", w.labelOf(to))
		}
		return
	}
	succs = w.flow.succsOf(n)
	k = slices.Index(succs, to) + k - slices.Index(w.partSuccs(n), to)
	// If both edges of n lead to the same block, n is listed twice in the predecessors of that
	// block. The first entry for n in the predecessors belongs to edge 0.
	skip := 0
	for _, s := range succs[:k] {
		if s == to {
			skip++
		}
	}
	at := -1
	for i, p := range to.block.Preds {
		if p == n.block {
			if skip == 0 {
				at = i
				break
			}
			skip--
		}
	}
	var dst, src []string
	clash := false
	for _, phi := range to.phis {
		if !w.neededValues[phi] {
			continue
		}
		s := w.assignedExpr(phi.Args[at], phi)
		if s == w.v(phi) {
			continue
		}
		clash = clash || slices.ContainsFunc(dst, func(d string) bool { return mentionsName(s, d) })
		dst, src = append(dst, w.v(phi)), append(src, s)
	}
	if clash {
		fmt.Fprintf(b, "%s = %s\n", strings.Join(dst, ", "), strings.Join(src, ", "))
	} else {
		for i := range dst {
			fmt.Fprintf(b, "%s = %s\n", dst[i], src[i])
		}
	}
	if w.at[to] <= w.at[n] && !w.u.Short(to.block) {
		w.checkCancel(b)
	}
	if !falls {
		w.jumped[to] = true
		fmt.Fprintf(b, "goto %s\n", w.labelOf(to))
	}
}

// labelOf returns the Go label of a node. The label contains the region's number if several regions
// of a Go method may contain the node.
func (w *regionBody) labelOf(n *node) string {
	if w.r.of != nil {
		return fmt.Sprintf("b%dr%d%s", n.index, w.r.index, w.r.label)
	}
	if slices.ContainsFunc(w.before, func(r *region) bool { return r.in[n] }) {
		return fmt.Sprintf("b%dr%d", n.index, w.r.index)
	}
	return name("b", n.index)
}

// mentionsName reports whether the Go expression contains the identifier name.
func mentionsName(expr, name string) bool {
	for rest := expr; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		rest = rest[i+len(name):]
		if rest == "" || rest[0] < '0' || rest[0] > '9' {
			return true
		}
	}
}

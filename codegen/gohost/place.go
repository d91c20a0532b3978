package gohost

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// This file puts the nodes of a region into a sequence, with gotos between them. A node with one predecessor
// that does not itself branch becomes the body of an if statement:
//
//	if uint64(v7) >= uint64(v1) {
//		g.Fault(0, v7, v1, v0)
//		continue
//	}
//
// In Go a goto may not jump over declarations in its block. If a goto jumps over the code of a node, that code is
// enclosed in braces. Variables that several nodes use are declared before all nodes.

// placing is the layout of a region's nodes in the generated Go code.
type placing struct {
	order  []*node        // nodes in the order of their code
	inside map[*node]bool // nodes that are the body of an if statement
	open   map[*node]bool // nodes in order with declarations that no goto jumps over
	jumped map[*node]bool // targets of gotos
}

// The method place computes the layout of the region's nodes.
func (w *body) place() {
	w.placing = placing{inside: map[*node]bool{}, open: map[*node]bool{}, jumped: map[*node]bool{}}
	ways := map[*node]int{w.r.entry: 1}
	for _, n := range w.r.nodes {
		for _, s := range w.succs(n) {
			ways[s]++
		}
	}
	may := func(n *node) bool { return ways[n] == 1 && len(w.succs(n)) <= 1 }
	for _, n := range w.r.nodes {
		if s := w.succs(n); len(s) == 2 {
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
		for _, s := range w.succs(n) {
			to := []*node{s}
			if w.inside[s] {
				to = w.succs(s)
			}
			for _, t := range to {
				for i := at[n] + 1; i < at[t]; i++ {
					w.open[w.order[i]] = false
				}
			}
		}
	}
}

// placeBoth decides which of two successors of n becomes the body of the if statement at the end of n. If both
// successors lead to the same node, they become the bodies of if and else. Otherwise placeBoth prefers a node that
// faults, then a node that returns, then a node that continues a loop.
func (w *body) placeBoth(n, a, b *node) {
	to, other := w.sole(a), w.sole(b)
	switch {
	case to != nil && to == other && w.at[to] > w.at[n]:
		w.inside[a], w.inside[b] = true, true
	case to == nil && (other != nil || faults(a) || !faults(b)), to != nil && other != nil && w.at[to] <= w.at[n]:
		w.inside[a] = true
	default:
		w.inside[b] = true
	}
}

// faults reports whether the node contains a fault op.
func faults(n *node) bool {
	return slices.ContainsFunc(n.insts, func(v *ir.Value) bool { return v.Op == ir.OpFault })
}

// sole returns the only successor of a node that does not branch, or nil.
func (w *body) sole(n *node) *node {
	if s := w.succs(n); len(s) > 0 {
		return s[0]
	}
	return nil
}

// nodes writes the nodes of the region.
func (w *body) nodes() {
	texts := make([][]byte, len(w.order))
	for i, n := range w.order {
		var next *node
		if i+1 < len(w.order) {
			next = w.order[i+1]
		}
		var b bytes.Buffer
		locals := w.insts(&b, n)
		w.end(&b, n, next)
		if texts[i] = b.Bytes(); locals && !w.open[n] {
			texts[i] = fmt.Appendf(nil, "{\n%s}\n", texts[i])
		}
	}
	for i, n := range w.order {
		if w.jumped[n] {
			fmt.Fprintf(&w.code, "%s:\n", w.label(n))
		}
		w.code.Write(texts[i])
	}
	for _, end := range []string{"continue\n", "continue\n}\n"} { // ends of the loop over the work-items
		if text, ok := bytes.CutSuffix(w.code.Bytes(), []byte(end)); ok {
			w.code.Truncate(len(text))
			w.code.WriteString(end[len("continue\n"):])
		}
	}
}

// insts writes the statements of node n to b. Result locals reports whether the statements declare variables that only
// node n uses.
func (w *body) insts(b *bytes.Buffer, n *node) (locals bool) {
	for _, v := range n.insts {
		if !w.needed[v] || w.recomputed[v] && w.done[v] {
			continue
		}
		if v.Type == ir.TypeVoid || !w.asked[v] {
			w.effect(b, v)
			continue
		}
		if w.fold(v) {
			continue
		}
		locals = locals || !w.wide[v]
		w.define(b, v, w.declaredAt(v, n))
	}
	return locals
}

// declaredAt reports whether the statement that computes v also declares its variable. Other variables are declared
// before the nodes or at the beginning of an iteration.
func (w *body) declaredAt(v *ir.Value, n *node) bool { return !w.wide[v] || w.open[n] && !w.done[v] }

// end writes the control flow at the end of node n. Parameter next is the node whose code follows the code of n, or
// nil.
func (w *body) end(b *bytes.Buffer, n, next *node) {
	switch {
	case n.split != nil:
		w.exit(b, n)
		return
	case n.tail != noTail:
		w.finish(b, n)
		return
	}
	switch succs := w.succs(n); len(succs) {
	case 0:
		if len(w.fullRegion().exits) > 0 {
			fmt.Fprintf(b, "g.Leave(li)\n")
		}
		fmt.Fprintf(b, "continue\n")
	case 1:
		w.edge(b, n, 0, succs[0] == next)
	case 2:
		w.branch(b, n, next)
	}
}

// branch writes the conditional branch at the end of node n as an if statement.
func (w *body) branch(b *bytes.Buffer, n, next *node) {
	s := w.succs(n)
	conds := [2]string{bare(w.value(n.block.Term.Cond)), w.negated(n.block.Term.Cond)}
	falls := func(k int) bool { // whether edge k leads to the node whose code follows the branch
		if w.inside[s[k]] {
			return next != nil && w.sole(s[k]) == next
		}
		return s[k] == next
	}
	// One edge becomes the body of the if statement, and the other edge becomes the code after the statement. The body
	// of the if statement must therefore end with a jump.
	ways := []int{0, 1}
	if w.inside[s[1]] || !w.inside[s[0]] && s[0] == next {
		ways = []int{1, 0}
	}
	for _, k := range ways {
		if !falls(k) && !w.inside[s[1-k]] {
			fmt.Fprintf(b, "if %s {\n%s}\n%s", conds[k], w.way(n, k, nil), w.way(n, 1-k, next))
			return
		}
	}
	yes, no := w.way(n, 0, next), w.way(n, 1, next)
	switch {
	case yes == "" && no == "": // Go rejects unused variables, and the condition's operands may have no other use
		fmt.Fprintf(b, "_ = %s\n", conds[0])
	case no == "":
		fmt.Fprintf(b, "if %s {\n%s}\n", conds[0], yes)
	case yes == "":
		fmt.Fprintf(b, "if %s {\n%s}\n", conds[1], no)
	default:
		fmt.Fprintf(b, "if %s {\n%s} else {\n%s}\n", conds[0], yes, no)
	}
}

// way returns the code of edge k out of n. If the target is the body of an if statement, its code is
// included.
func (w *body) way(n *node, k int, next *node) string {
	var b bytes.Buffer
	to := w.succs(n)[k]
	if !w.inside[to] {
		w.edge(&b, n, k, to == next)
		return b.String()
	}
	w.edge(&b, n, k, true)
	w.insts(&b, to)
	w.end(&b, to, next)
	return b.String()
}

// opposites maps a comparison of integers to its Go operator and to the negated operator.
var opposites = map[ir.Op][2]string{
	ir.OpIEq: {" == ", " != "}, ir.OpINe: {" != ", " == "}, ir.OpSLt: {" < ", " >= "}, ir.OpSLe: {" <= ", " > "},
	ir.OpULt: {" < ", " >= "}, ir.OpULe: {" <= ", " > "},
}

// negated returns the Go expression of the negated condition v.
func (w *body) negated(v *ir.Value) string {
	text := w.value(v)
	expr, folded := w.folded[v]
	op, ok := opposites[v.Op]
	if !folded || !ok {
		return "!" + text
	}
	expr = bare(expr)
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

// edge writes the assignments to phis on edge k out of n, and a goto unless the code falls through.
func (w *body) edge(b *bytes.Buffer, n *node, k int, falls bool) {
	succs := w.succs(n)
	to := succs[k]
	if to.tail != noTail {
		if !falls {
			w.jumped[to] = true
			fmt.Fprintf(b, "goto %s\n", w.label(to))
		}
		return
	}
	succs = w.flow.succs(n)
	k = slices.Index(succs, to) + k - slices.Index(w.succs(n), to)
	// If both edges of n lead to the same block, edge 0 belongs to the first entry of n in its predecessors.
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
		if !w.needed[phi] {
			continue
		}
		s := w.assigned(phi.Args[at], phi)
		if s == w.v(phi) {
			continue
		}
		clash = clash || slices.ContainsFunc(dst, func(d string) bool { return mentions(s, d) })
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
		w.leave(b)
	}
	if !falls {
		w.jumped[to] = true
		fmt.Fprintf(b, "goto %s\n", w.label(to))
	}
}

// label returns the Go label of a node. The label contains the region's number if several regions of one
// method may contain the node.
func (w *body) label(n *node) string {
	if w.r.of != nil {
		return fmt.Sprintf("b%dr%d%s", n.index, w.r.index, w.r.label)
	}
	if slices.ContainsFunc(w.before, func(r *region) bool { return r.in[n] }) {
		return fmt.Sprintf("b%dr%d", n.index, w.r.index)
	}
	return name("b", n.index)
}

// mentions reports whether the Go expression contains the identifier name.
func mentions(expr, name string) bool {
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

package gohost

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// The table combiners maps a combiner to the name of a function in package kernelimpl, and to a
// suffix for the name of the scan function. The suffix of a scan function names the order in which
// the function combines values, because float sums and products depend on this order.
var combiners = map[ir.Combiner]struct{ name, scan string }{
	ir.CombineIAdd: {"Add", ""}, ir.CombineIMul: {"Mul", ""},
	ir.CombineSMin: {"Min", ""}, ir.CombineUMin: {"UMin", ""}, ir.CombineSMax: {"Max", ""}, ir.CombineUMax: {"UMax", ""},
	ir.CombineAnd: {"And", ""}, ir.CombineOr: {"Or", ""}, ir.CombineXor: {"Xor", ""},
	ir.CombineFAdd: {"Add", "Doubling"}, ir.CombineFMul: {"Mul", "Doubling"},
	ir.CombineFMin: {"Min", ""}, ir.CombineFMax: {"Max", ""},
}

// writeCut writes the code that the work-group runs once when all work-items have arrived at a cut.
func (w *formWriter) writeCut(s *cutPoint) {
	before := w.takeOutput()
	x := w.newBody(&region{})
	w.writeCutOp(x, s.op)
	code := w.takeOutput()
	w.b.Write(before)
	w.f("// %s\n", lineOf(s.op))
	if x.items && w.shared == nil {
		w.declareItems()
	}
	w.b.Write(x.top.Bytes())
	if w.shared != nil && bytes.HasPrefix(code, []byte("in :=")) {
		code = fmt.Appendf(nil, "{\n%s}\n", code)
	}
	w.b.Write(code)
}

func (w *formWriter) writeCutOp(x *regionBody, v *ir.Value) {
	switch v.Op {
	case ir.OpBarrier:
		return
	case ir.OpZeroLocal:
		w.f("g.Zero(%d)\n", w.memory[v.Ref().Var].row)
		return
	}
	if v.Matrices() != nil {
		w.matrixOp(x, v)
		return
	}
	if !v.IsGroupOp() {
		fail("the op %v", v.Op)
	}
	out, is := "g."+w.v(v), "="
	if w.straight && w.oneHome(v) {
		out, is = w.v(v), ":="
		w.shared[v] = true
		w.results = append(w.results, out)
	}
	sub := v.GroupScope() == ir.ScopeSubGroup
	if v.Op.Has(ir.FlagSubGroup) {
		w.subGroupOp(x, v, out)
		return
	}
	gather, in := w.gatherArg(x, v, 0), "in"
	size := "len(in)"
	if sub {
		size = "g.SubGroup"
	}
	each := func(f string) {
		if w.oneHome(v) {
			w.f("%s %s %s(%s)\n", out, is, f, gather)
		} else {
			w.f("in := %s\n%s(%s, %s, %s, %s)\n", gather, w.implName("HostBySubGroup"), out, in, size, f)
		}
	}
	c, _ := v.Aux.(ir.Combine)
	row := combiners[c.By]
	switch v.Op {
	case ir.OpGroupReduce:
		each(fmt.Sprintf("%s[%s]", w.implName("HostReduce"+row.name), goType(v.Type)))
	case ir.OpGroupAny:
		each(w.implName("HostAny"))
	case ir.OpGroupAll:
		each(w.implName("HostAll"))
	case ir.OpGroupInclusiveScan, ir.OpGroupExclusiveScan:
		scan := w.implName("HostScan" + row.name + row.scan)
		w.f("in := %s\n%s(%s, %s, %s[%s])\n", gather, w.implName("HostScans"), in, size, scan, goType(v.Type))
		if v.Op == ir.OpGroupInclusiveScan {
			w.f("copy(%s, %s)\n", out, in)
		} else {
			w.f("%s(%s, %s, %s, %s)\n", w.implName("HostShift"), out, in, size, x.valueExpr(v.Args[1]))
		}
	case ir.OpGroupSelect:
		i := v.Args[1]
		switch {
		case w.oneHome(v):
			w.f("%s %s %s[%s]\n", out, is, gather, x.valueExpr(i))
		case x.inTop(i):
			w.f("in := %s\n%s(%s, %s, %s, %s)\n", gather, w.implName("HostSelectSame"), out, in, size, x.valueExpr(i))
		default:
			w.f("in := %s\n%s(%s, %s, %s, g.%s)\n", gather, w.implName("HostSelect"), out, in, size, w.v(i))
		}
	default:
		fail("the op %v", v.Op)
	}
}

// subGroupOp writes a call of the function that implements a sub-group op. The called function
// belongs to package kernelimpl and is named after the op. The called function gets the op's inputs
// and the size of sub-groups as arguments. If the op's complete result has several 32-bit words,
// the index of a word is a further argument.
func (w *formWriter) subGroupOp(x *regionBody, v *ir.Value, out string) {
	args := []string{out}
	for i := range v.Inputs() {
		in := "in"
		if i > 0 {
			in = fmt.Sprintf("in%d", i)
		}
		w.f("%s := %s\n", in, w.gatherArg(x, v, i))
		args = append(args, in)
	}
	args = append(args, "g.SubGroup")
	if n, ok := v.Word(); ok {
		args = append(args, fmt.Sprint(n))
	}
	w.f("%s(%s)\n", w.implName("Host"+strings.TrimPrefix(v.Op.String(), "Group")), strings.Join(args, ", "))
}

// gatherArg returns a Go expression for argument i of a group op. The Go expression is a slice with one value of the
// argument for each work-item. Work-items that have returned early contribute the neutral element.
func (w *formWriter) gatherArg(x *regionBody, v *ir.Value, i int) string {
	a := v.Args[i]
	t := goType(a.Type)
	s := "s" + t
	if i > 0 {
		s = fmt.Sprintf("%sOf%d", s, i)
	}
	w.scratches[s] = t
	f, from := "HostGather", "g."+w.v(a)
	if x.inTop(a) || a.IsConst() {
		f, from = "HostGatherSame", x.plainExpr(a)
	}
	return fmt.Sprintf("%s(&g.HostGroup, g.%s, %s, %s)", w.implName(f), s, from, w.untypedConst(v.Neutral(w.m, i)))
}

// scratchNames returns the names of the scratch slices, which hold arguments of group ops.
func (w *formWriter) scratchNames() []string { return slices.Sorted(maps.Keys(w.scratches)) }

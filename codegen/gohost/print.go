package gohost

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/codegen/ir"
)

// printForm writes the host form's Go type, its methods and its tables.
func (w *formWriter) printForm() {
	w.used["unsafe"] = true
	trivial := make([]*cutPoint, len(w.regions))
	for i, r := range w.regions {
		if s, ok := w.trivialCut(r); ok {
			trivial[i] = s
		}
	}
	if w.straight {
		w.f("func (g *%s) Run() {\n", w.name)
		w.writeLine(w.lines[0], trivial)
		w.dropUnused()
	} else {
		w.writeMachine(trivial)
	}
	run := w.takeOutput()
	w.writeBegin()
	begin := w.takeOutput()
	w.writeStruct()
	w.b.Write(begin)
	if w.spare = w.spare && !w.interchanged; w.spare {
		w.f("func (*%s) Spare() {}\n\n", w.name)
	}
	w.b.Write(run)
	w.b.Write(w.outlined.Bytes())
	for p := range w.used {
		if !namesIdentifier(w.b.String(), path.Base(p)) {
			delete(w.used, p)
		}
	}
}

// writeLine writes the body of a Go method that runs the regions of a line, with the code of the
// cuts between the regions. A region of a line reuses values that an earlier region of the line
// computes before the loop over the work-items.
func (w *formWriter) writeLine(line []*region, trivial []*cutPoint) {
	before := w.takeOutput()
	w.shared = map[any]bool{}
	for i, r := range line {
		if trivial[r.index] == nil {
			w.writeRegion(r, line[:i])
		}
		if r.next != nil {
			w.writeCut(r.exits[0].split)
		}
	}
	last := line[len(line)-1]
	if s := trivial[last.index]; s != nil {
		w.f("return %d\n", s.index)
	}
	w.shared = nil
	text := w.takeOutput()
	w.b.Write(before)
	if !w.isRanged() && namesIdentifier(string(text), "n") {
		w.declareItems()
	}
	w.f("%s}\n\n", text)
}

// dropUnused assigns unused results of group ops to _, because Go rejects unused variables.
func (w *formWriter) dropUnused() {
	text := string(w.takeOutput())
	for _, v := range w.results {
		def := v + " := "
		if before, after, _ := strings.Cut(text, def); !mentionsName(after, v) {
			text = before + "_ = " + after
		}
	}
	w.f("%s", text)
}

// writeMachine writes method Run as a state machine, for a host form whose work-items can arrive at
// different cuts. Each line of regions becomes a Go method that returns the number of the cut at
// which the work-items arrived.
func (w *formWriter) writeMachine(trivial []*cutPoint) {
	w.f("func (g *%s) Run() {\nnext := g.r0()\n", w.name)
	stop := ""
	if w.rejoins {
		stop = " && !g.Stopping()"
	}
	w.f("for next >= 0%s {\nswitch next {\n", stop)
	for _, line := range w.lines {
		if k := line[0].index; k > 0 {
			w.f("case %d: ", k-1)
			w.writeCut(w.splits[k-1])
			w.f("next = g.r%d()\n", k)
		}
	}
	w.f("}\n}\n}\n\n")
	for _, line := range w.lines {
		w.f("func (g *%s) r%d() int {\n", w.name, line[0].index)
		w.writeLine(line, trivial)
	}
}

// namesIdentifier reports whether Go code contains the identifier outside of strings and comments.
func namesIdentifier(code, identifier string) bool {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(code)), []byte(code), nil, 0)
	for {
		switch _, tok, text := s.Scan(); {
		case tok == token.EOF:
			return false
		case tok == token.IDENT && text == identifier:
			return true
		}
	}
}

// takeOutput returns the code in the buffer w.b, and empties the buffer.
func (w *formWriter) takeOutput() []byte {
	b := bytes.Clone(w.b.Bytes())
	w.b.Reset()
	return b
}

// writeStruct writes the Go type of the host form, and the other declarations at package level.
func (w *formWriter) writeStruct() {
	what := "a work-group"
	if w.isRanged() {
		what = "some work-items"
	}
	w.f("// %s is %s of the kernel [%s].\ntype %s struct {\n%s\n", w.name, what, w.m.Name, w.name, w.implName("HostGroup"))
	for i, e := range w.exprs {
		w.f("c%d %s\n", i, goType(e.Type))
	}
	w.writeDecls("", w.argFields(), w.typeOf)
	fields := slices.DeleteFunc(slices.Clone(w.storedList), func(v *ir.Value) bool { return w.straight && w.oneHome(v) && isCut(v) })
	w.writeDecls("", fields, func(v *ir.Value) string {
		if w.oneHome(v) {
			return w.typeOf(v)
		}
		return "[]" + w.typeOf(v)
	})
	for _, s := range w.scratchNames() {
		w.f("%s []%s\n", s, w.scratches[s])
	}
	w.f("}\n\n")
	w.f("func %s() %s { return new(%s) }\n\n", constructor(w.name), w.implName("HostForm"), w.name)
	if len(w.sites) > 0 {
		w.f("const %sSites = `%s`\n\n", w.name, siteLines(w.sites))
	}
	for _, v := range w.m.Vars {
		if t := w.tables[v]; t != "" {
			s, _ := w.tableValue(v.Type, v.Init)
			w.f("var %s = %s\n\n", t, s)
		}
	}
}

// siteLines returns one line of text per source position, in the format of field Sites of
// kernelimpl.HostGroup.
func siteLines(sites []*ir.Site) string {
	lines, file := make([]string, len(sites)), ""
	for i, s := range sites {
		at := s.Pos.String()
		if s.Pos.File != "" {
			if s.Pos.File == file {
				at = fmt.Sprintf("%d:%d", s.Pos.Line, s.Pos.Col)
			}
			file = s.Pos.File
		}
		lines[i] = fmt.Sprintf("%d\t%s", s.Kind, at)
		if s.Unsigned {
			lines[i] += "\tunsigned"
		}
		if s.Message != "" {
			lines[i] += "\t" + strings.ReplaceAll(strconv.QuoteToASCII(s.Message), "`", `\x60`)
		}
	}
	return strings.Join(lines, "\n")
}

// writeBegin writes method Begin, which prepares the host form for a launch.
func (w *formWriter) writeBegin() {
	w.f("func (g *%s) Begin() {\n", w.name)
	if len(w.sites) > 0 {
		w.f("g.Sites = %sSites\n", w.name)
	}
	// The generated code computes constant expressions before the sizes that depend on these
	// expressions. Writing the code of the sizes may add constant expressions, so the code of the
	// sizes is written first, to a separate buffer.
	var sizes bytes.Buffer
	for _, v := range w.allVars() {
		if m := w.memory[v]; m != nil && !m.table {
			fmt.Fprintf(&sizes, "g.Allot(%d, %s)\n", m.row, w.byteSize(m))
		}
	}
	w.allocSlices(&sizes)
	if w.m.WorkGroup[0] > 0 && sizes.Len() > 0 || bytes.Contains(sizes.Bytes(), []byte("(n, ")) || bytes.Contains(sizes.Bytes(), []byte("*n)")) {
		w.declareItems()
	}
	for _, v := range w.argFields() {
		w.f("g.%s = %s\n", w.v(v), w.argExpr(v))
	}
	for i := range w.exprs {
		w.writeExpr(i)
	}
	w.b.Write(sizes.Bytes())
	w.f("}\n\n")
}

// allocSlices writes the code that allocates the slices with one element per work-item. One call
// allocates all slices with the same element type.
func (w *formWriter) allocSlices(b *bytes.Buffer) {
	var types []string
	names := map[string][]string{}
	for _, s := range w.scratchNames() {
		t := w.scratches[s]
		if names[t] == nil {
			types = append(types, t)
		}
		names[t] = append(names[t], "&g."+s)
	}
	for _, v := range w.storedList {
		if w.oneHome(v) {
			continue
		}
		t := w.typeOf(v)
		if names[t] == nil {
			types = append(types, t)
		}
		names[t] = append(names[t], "&g."+w.v(v))
	}
	for _, t := range types {
		fmt.Fprintf(b, "%s(n, %s)\n", w.implName("HostRoom"), strings.Join(names[t], ", "))
	}
}

// argFields returns the kernel arguments that the code reads from fields of the host form.
func (w *formWriter) argFields() []*ir.Value {
	return slices.DeleteFunc(slices.Clone(w.all), func(v *ir.Value) bool { return !w.args0[v] })
}

// argExpr returns the Go expression of an argument.
func (w *formWriter) argExpr(v *ir.Value) string {
	switch v.Type.Kind {
	case ir.I32, ir.I64:
		return fmt.Sprintf("g.Int%d(%d)", v.Type.Bits(), v.Bits)
	case ir.F32, ir.F64:
		return fmt.Sprintf("g.Float%d(%d)", v.Type.Bits(), v.Bits)
	}
	return fmt.Sprintf("%s[%s](&g.HostGroup, %d)", w.implName("HostArg"), goType(v.Type), v.Bits)
}

func (w *formWriter) allVars() []*ir.Var {
	return append(append([]*ir.Var(nil), w.m.Vars...), w.m.Kernel.Vars...)
}

// constExpr returns the field of the host form that contains the value of constant expression v.
func (w *formWriter) constExpr(v *ir.Value) string {
	if v.IsConst() {
		return w.typedConst(v)
	}
	for i, e := range w.exprs {
		if e == v {
			return "g." + name("c", i)
		}
	}
	for _, a := range v.Args {
		if !a.IsConst() {
			w.constExpr(a)
		}
	}
	w.exprs = append(w.exprs, v)
	return "g." + name("c", len(w.exprs)-1)
}

// writeExpr writes the code that computes constant expression i. The operands of constant
// expression i have lower numbers, so the code of the operands has already been written.
func (w *formWriter) writeExpr(i int) {
	v := w.exprs[i]
	if v.Op == ir.OpSpecConst {
		s := v.Aux.(*ir.Spec)
		w.f("g.c%d = %s[%s](&g.HostGroup, %d, %s)\n", i, w.implName("HostSpec"), goType(v.Type), s.ID, w.untypedConst(w.m.Const(s.Type, s.Default)))
		return
	}
	x := &regionBody{formWriter: w, done: map[any]bool{}, field: true}
	if v.Op == ir.OpSelect {
		w.f("g.c%d = %s\nif %s {\ng.c%d = %s\n}\n", i, x.valueExpr(v.Args[2]), x.valueExpr(v.Args[0]), i, x.valueExpr(v.Args[1]))
		return
	}
	f, ok := exprWriters[v.Op]
	if !ok {
		fail("the op %v in a constant expression", v.Op)
	}
	w.opaque = isGoConstant(v)
	s := f(x, v)
	w.opaque = false
	if !isHarmless(v) {
		w.f("if %s != 0 {\ng.c%d = %s\n}\n", x.valueExpr(v.Args[1]), i, s)
		return
	}
	w.f("g.c%d = %s\n", i, s)
}

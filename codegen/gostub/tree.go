package gostub

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/abi"
)

// A node is the receiver or a member of the receiver. A node is either a leaf (one argument of the
// kernel), or a struct or array that contains leaves.
type node struct {
	name   string // field name; empty for an array element
	index  int
	leaf   int // index in Kernel.Args; -1 for a struct or array
	fields []*node
	elems  []*node
	typ    string // name of the type that stubs declare for a struct
	shared bool   // whether field typ is one of the package's Views
}

// receiverTree arranges the leaves (arguments) of kernel k in the structure of the receiver.
func receiverTree(k *Kernel) *node {
	root := &node{leaf: -1, typ: k.ABI.Name}
	for i, a := range k.Args {
		if k.ABI.Params[i].Internal > 0 {
			continue // callers of launches pass no argument for an internal slice
		}
		n := root
		for j, s := range a.Path {
			n = n.step(s)
			if typ, ok := k.Views[memberPath(a.Path[:j+1])]; ok {
				n.typ, n.shared = typ, true
			}
		}
		n.leaf = i
	}
	return root
}

func (n *node) step(s Step) *node {
	list := &n.fields
	if s.Field == "" {
		list = &n.elems
	}
	if last := len(*list) - 1; last >= 0 && (*list)[last].name == s.Field && (*list)[last].index == s.Index {
		return (*list)[last]
	}
	m := &node{name: s.Field, index: s.Index, leaf: -1}
	*list = append(*list, m)
	return m
}

// nameTypes chooses the names of the types that stubs declare for nested structs. The name of the
// type for a nested struct consists of the kernel's name and the path of the nested struct.
func (n *node) nameTypes(path string, taken map[string]bool) {
	if n.shared {
		return
	}
	for _, f := range n.fields {
		f.nameTypes(path+f.name, taken)
	}
	for _, e := range n.elems {
		e.nameTypes(path, taken)
		n.shared = e.shared
		if e.typ != "" {
			n.typ = e.typ
			for _, other := range n.elems {
				other.setType(e)
			}
			break // all elements of the array have the same type
		}
	}
	if len(n.fields) > 0 && n.typ == "" {
		n.typ = path
		for taken[n.typ] {
			n.typ += "View"
		}
		taken[n.typ] = true
	}
}

// setType copies the type names in m to n. Both m and n must be elements of the same array.
func (n *node) setType(m *node) {
	n.typ, n.shared = m.typ, m.shared
	for i := range n.fields {
		n.fields[i].setType(m.fields[i])
	}
	for i := range n.elems {
		n.elems[i].setType(m.elems[i])
	}
}

// viewType returns the type of member n in a struct with views in place of slices.
func (g *generator) viewType(k *Kernel, n *node) *jen.Statement {
	switch {
	case n.leaf >= 0:
		t := g.typeExpr(k.Args[n.leaf].Type)
		switch k.ABI.Params[n.leaf].Kind {
		case abi.Slice:
			return jen.Qual(runtimePath, "View").Types(t)
		case abi.LocalAccessor:
			return jen.Qual(dslPath, "LocalAccessor").Types(t)
		}
		return t
	case len(n.elems) > 0:
		return jen.Index(jen.Lit(len(n.elems))).Add(g.viewType(k, n.elems[0]))
	}
	return g.typeExpr(n.typ)
}

// sharedViews writes the view types that several kernels share.
func (g *generator) sharedViews() {
	for _, v := range g.p.Views {
		g.docComment("%s is [%s] with its slices in device memory.", v.Name, v.Of)
		g.file.Type().Id(v.Name).Add(g.typeExpr(v.Params)).StructFunc(func(b *jen.Group) {
			for _, f := range v.Fields {
				b.Id(f.Name).Add(g.typeExpr(f.Type))
			}
		})
		hasClose := slices.ContainsFunc(v.Fields, func(f ViewField) bool { return f.Name == "Close" })
		if v.Source != "" && !g.p.Bare && !hasClose {
			g.writeCopies(&v)
			g.writeAllocates(&v)
		}
	}
}

// writeCopies writes, for a view type, the function that copies a value to device memory.
// writeCopies also writes the method that frees the device memory of the copied value.
func (g *generator) writeCopies(v *View) {
	view := func() *jen.Statement { return g.typeExpr(v.Name + v.Args) }
	g.file.Commentf("%sOf copies a [%s] to memory of the queue's device, which Close frees. Slices that", v.Name, v.Of)
	g.file.Comment("share memory get copies of their own. Its errors are those of [runtime.NewBuffer] and")
	g.file.Comment("[runtime.View.CopyFrom].")
	g.file.Func().Id(v.Name+"Of").Add(g.typeExpr(v.Params)).
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("q").Op("*").Qual(runtimePath, "Queue"), jen.Id("from").Add(g.typeExpr(v.Source+v.Args))).
		Params(jen.Id("to").Add(view()), jen.Id("err").Error()).
		BlockFunc(func(b *jen.Group) {
			for _, at := range v.Values {
				b.Id("to." + at).Op("=").Id("from." + at)
			}
			args := []jen.Code{jen.Id("ctx"), jen.Id("q")}
			for _, at := range v.Slices {
				args = append(args, jen.Qual(implPath, "Copied").Call(jen.Op("&").Id("to."+at), jen.Id("from."+at)))
			}
			b.Id("err").Op("=").Qual(implPath, "Copy").Call(args...)
			b.Return(jen.Id("to"), jen.Id("err"))
		})
	g.file.Commentf("Close frees the memory that %sOf or New%s has allocated, when launches that use it have", v.Name, v.Name)
	g.file.Comment("completed. Views of buffers of one's own are closed by those buffers.")
	g.file.Func().Params(jen.Id("v").Add(view())).Id("Close").Params().BlockFunc(func(b *jen.Group) {
		var args []jen.Code
		for _, at := range v.Slices {
			args = append(args, jen.Id("v."+at))
		}
		b.Qual(implPath, "Free").Call(args...)
	})
}

// writeAllocates writes, for a view type, the function that allocates device memory for slices that
// have no data on the host.
func (g *generator) writeAllocates(v *View) {
	params := []jen.Code{jen.Id("dev").Op("*").Qual(runtimePath, "Device"), jen.Id("from").Add(g.typeExpr(v.Source + v.Args))}
	args := []jen.Code{jen.Id("dev")}
	lengths := lengthNames(v.Slices)
	for i, at := range v.Slices {
		params = append(params, jen.Id(lengths[i]).Int())
		args = append(args, jen.Qual(implPath, "Sized").Call(jen.Op("&").Id("to."+at), jen.Id("from."+at), jen.Id(lengths[i])))
	}
	g.file.Commentf("New%s allocates memory of zero elements on the device for a [%s], which Close frees.", v.Name, v.Of)
	g.file.Comment("Each slice has a length of its own, in elements. from has what are no slices; its slices are")
	g.file.Comment("empty ([runtime.ErrInvalid] otherwise). Other errors are those of [runtime.NewBuffer].")
	g.file.Func().Id("New"+v.Name).Add(g.typeExpr(v.Params)).Params(params...).
		Params(jen.Id("to").Add(g.typeExpr(v.Name+v.Args)), jen.Id("err").Error()).
		BlockFunc(func(b *jen.Group) {
			for _, at := range v.Values {
				b.Id("to." + at).Op("=").Id("from." + at)
			}
			b.Id("err").Op("=").Qual(implPath, "New").Call(args...)
			b.Return(jen.Id("to"), jen.Id("err"))
		})
}

// lengthNames returns parameter names for the lengths of slices, such as dataLen for Data and
// subRows1Len for Sub.Rows[1]. If two slices would get the same name, the name of the second slice
// ends with the index of the second slice.
func lengthNames(slices []string) []string {
	names := make([]string, len(slices))
	taken := map[string]bool{}
	for i, at := range slices {
		var b strings.Builder
		for _, part := range strings.FieldsFunc(at, func(r rune) bool { return !isIdent(r) }) {
			first, size := utf8.DecodeRuneInString(part)
			if b.Len() == 0 {
				first = unicode.ToLower(first)
			} else {
				first = unicode.ToUpper(first)
			}
			b.WriteString(string(first) + part[size:])
		}
		name := b.String() + "Len"
		for taken[name] {
			name += fmt.Sprint(i)
		}
		taken[name], names[i] = true, name
	}
	return names
}

// writeMirrors writes struct types with views for nested structs. The type of an inner struct
// follows the type of the struct that contains it.
func (g *generator) writeMirrors(k *Kernel, n *node, path string) {
	if len(n.elems) > 0 {
		g.writeMirrors(k, n.elems[0], path)
		return
	}
	for _, f := range n.fields {
		if len(f.fields) > 0 || len(f.elems) > 0 {
			inner := f
			for len(inner.elems) > 0 {
				inner = inner.elems[0]
			}
			full := f.name
			if path != "" {
				full = path + "." + f.name
			}
			if inner.shared {
				continue
			}
			if len(inner.fields) > 0 {
				g.docComment("%s is the field %s of [%s].", inner.typ, full, k.ABI.Name)
				g.file.Type().Id(inner.typ).StructFunc(g.structFields(k, inner))
				g.file.Line()
			}
			g.writeMirrors(k, inner, full)
		}
	}
}

func (g *generator) structFields(k *Kernel, n *node) func(*jen.Group) {
	return func(b *jen.Group) {
		for _, f := range n.fields {
			b.Id(f.name).Add(g.viewType(k, f))
		}
	}
}

// leafSelector returns the expression for the leaf (an argument) at the given path in
// variable k.
func leafSelector(path []Step) *jen.Statement { return jen.Id("k." + memberPath(path)) }

// memberPath returns a path in Go syntax, without a leading dot.
func memberPath(path []Step) string {
	var b strings.Builder
	for _, s := range path {
		if s.Field != "" {
			b.WriteString("." + s.Field)
		} else {
			fmt.Fprintf(&b, "[%d]", s.Index)
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// typeExpr returns code for a type in the notation of Arg.Type. The generated file imports the
// packages whose import paths are in the type.
func (g *generator) typeExpr(text string) *jen.Statement {
	s := &jen.Statement{}
	for {
		before, rest, ok := strings.Cut(text, "«")
		if before != "" {
			s.Add(jen.Op(before))
		}
		if !ok {
			return s
		}
		path, rest, _ := strings.Cut(rest, "».")
		n := strings.IndexFunc(rest, func(r rune) bool { return !isIdent(r) })
		if n < 0 {
			n = len(rest)
		}
		s.Add(jen.Qual(path, rest[:n]))
		text = rest[n:]
	}
}

package gostub

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/abi"
)

// node is a member of the receiver: a leaf, or a struct or array that holds
// leaves.
type node struct {
	name   string // field name, or empty in an array
	index  int
	leaf   int // row in Params, or -1
	fields []*node
	elems  []*node
	typ    string // name of the type that mirrors a struct
}

// tree arranges the leaves as the receiver has them.
func tree(k *Kernel) *node {
	root := &node{leaf: -1, typ: k.ABI.Name}
	for i, a := range k.Args {
		if k.ABI.Params[i].Internal > 0 {
			continue // nobody gives it
		}
		n := root
		for _, s := range a.Path {
			n = n.step(s)
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

// nameTypes chooses the names of the types that mirror nested structs: the
// kernel's name and the path.
func (n *node) nameTypes(path string, taken map[string]bool) {
	for _, f := range n.fields {
		f.nameTypes(path+f.name, taken)
	}
	for _, e := range n.elems {
		e.nameTypes(path, taken)
		if e.typ != "" {
			n.typ = e.typ
			for _, other := range n.elems {
				other.setType(e)
			}
			break // all elements have one type
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

// setType gives n the type names of m, another element of the same array.
func (n *node) setType(m *node) {
	n.typ = m.typ
	for i := range n.fields {
		n.fields[i].setType(m.fields[i])
	}
	for i := range n.elems {
		n.elems[i].setType(m.elems[i])
	}
}

// viewType returns the type of the member in the struct of views.
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
	return jen.Id(n.typ)
}

// mirrors declares the types of nested structs, innermost last.
func (g *generator) mirrors(k *Kernel, n *node, path string) {
	if len(n.elems) > 0 {
		g.mirrors(k, n.elems[0], path)
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
			if len(inner.fields) > 0 {
				g.comment("%s is the field %s of [%s].", inner.typ, full, k.ABI.Name)
				g.file.Type().Id(inner.typ).StructFunc(g.structFields(k, inner))
				g.file.Line()
			}
			g.mirrors(k, inner, full)
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

// selector returns the expression for a leaf of the variable k.
func selector(path []Step) *jen.Statement {
	var b strings.Builder
	b.WriteString("k")
	for _, s := range path {
		if s.Field != "" {
			b.WriteString("." + s.Field)
		} else {
			fmt.Fprintf(&b, "[%d]", s.Index)
		}
	}
	return jen.Id(b.String())
}

// typeExpr renders a type expression with its packages.
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

package load

// This file describes the struct types of a kernel's receiver. Generated code uses the descriptions
// to check that the struct types have not changed.

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// Shape describes the struct type of a kernel's receiver, or of a part of the receiver. A Shape
// describes the type at the time when kgen compiled the kernel.
type Shape struct {
	// Value is an expression for a value of the type. Examples are "k" for the receiver, and
	// "k.In[0]" for a part of the receiver.
	Value string
	// Name is the type's name, for printing.
	Name string
	// Literal is the struct type without its name, in the notation of [TypeExpr]. The names T1, T2
	// and so on replace types that generated code cannot name. Params is the number of types in
	// Literal that T1, T2 and so on replace. If Params is not zero, Literal includes the tags of the
	// fields, because comparisons of types also compare the tags.
	Literal string
	Params  int
}

// shaper collects the shapes of a kernel's receiver.
type shaper struct {
	k      *Kernel
	seen   map[types.Type]bool
	shapes []Shape
}

// Shapes returns the shapes of the struct types in the receiver and in its slices. When the program
// is built, generated code compares the shapes with the current types. Types that generated code
// cannot compare are omitted.
func (k *Kernel) Shapes() []Shape {
	s := &shaper{k: k, seen: map[types.Type]bool{}}
	s.addShapes(k.Type, "k")
	return s.shapes
}

// addShapes adds the shape of type t, and the shapes of its field types and element type.
// Unexported fields are omitted, because other packages cannot access them.
func (s *shaper) addShapes(t types.Type, value string) {
	if fromDSL(t) != "" {
		return
	}
	named, isNamed := types.Unalias(t).(*types.Named)
	if isNamed && s.seen[named] {
		return
	}
	s.seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Slice:
		s.addShapes(u.Elem(), value+"[0]")
	case *types.Array:
		if u.Len() > 0 {
			s.addShapes(u.Elem(), value+"[0]")
		}
	case *types.Struct:
		if isNamed {
			s.seen[named] = true
			if writable(u) {
				s.shape(named, u, value)
			}
		}
		for f := range u.Fields() {
			if f.Exported() {
				s.addShapes(f.Type(), value+"."+f.Name())
			}
		}
	}
}

// writable reports whether another package can write the struct type t as a literal.
func writable(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() || !writable(f.Type()) {
				return false
			}
		}
	case *types.Slice:
		return writable(t.Elem())
	case *types.Array:
		return writable(t.Elem())
	}
	return true
}

func (s *shaper) shape(named *types.Named, st *types.Struct, value string) {
	w := &literalText{k: s.k}
	w.write(st, false)
	if w.no || len(w.params) > 0 && gotypes.HoldsSync(st) { // generated code passes a struct with type parameters by value, which would copy locks
		return
	}
	if len(w.params) > 0 {
		w.text.Reset()
		w.write(st, true)
	}
	name := types.TypeString(named, func(p *types.Package) string { return p.Name() })
	if value == "k" {
		name = s.k.Pkg.Name + "." + s.k.Name
	}
	s.shapes = append(s.shapes, Shape{Value: value, Name: name, Literal: w.text.String(), Params: len(w.params)})
}

// A literalText builds the text of a type literal.
type literalText struct {
	k      *Kernel
	text   strings.Builder
	params []types.Type // types that generated code cannot name
	no     bool         // whether generated code cannot write the literal at all, because a type without a usable name is embedded
}

func (w *literalText) write(t types.Type, tags bool) {
	switch t := t.(type) {
	case *types.Struct:
		w.text.WriteString("struct {")
		for i := range t.NumFields() {
			f := t.Field(i)
			w.text.WriteString(" ")
			if !f.Embedded() {
				w.text.WriteString(f.Name() + " ")
			}
			w.no = w.no || f.Embedded() && !w.canName(f.Type())
			w.write(f.Type(), tags)
			if tag := t.Tag(i); tags && tag != "" {
				w.text.WriteString(" " + strconv.Quote(tag))
			}
			w.text.WriteString(";")
		}
		w.text.WriteString(" }")
	case *types.Slice:
		w.text.WriteString("[]")
		w.write(t.Elem(), tags)
	case *types.Array:
		fmt.Fprintf(&w.text, "[%d]", t.Len())
		w.write(t.Elem(), tags)
	default:
		if w.canName(t) {
			w.text.WriteString(TypeExpr(t))
			return
		}
		if a, ok := t.(*types.Alias); ok {
			w.write(types.Unalias(a), tags)
			return
		}
		i := slices.IndexFunc(w.params, func(p types.Type) bool { return types.Identical(p, t) })
		if i < 0 {
			i = len(w.params)
			w.params = append(w.params, t)
		}
		fmt.Fprintf(&w.text, "T%d", i+1)
	}
}

// canName reports whether generated code can refer to type t by a name.
func (w *literalText) canName(t types.Type) bool {
	var obj *types.TypeName
	var args *types.TypeList
	switch t := t.(type) {
	case *types.Basic:
		return true
	case *types.Alias:
		obj, args = t.Obj(), t.TypeArgs()
	case *types.Named:
		obj, args = t.Obj(), t.TypeArgs()
	default:
		return false
	}
	if obj.Pkg() != nil && (!obj.Exported() || obj.Parent() != obj.Pkg().Scope() || !w.k.Pkg.Importable(obj.Pkg().Path())) {
		return false
	}
	if args != nil {
		for a := range args.Types() {
			if !w.canName(types.Unalias(a)) {
				return false
			}
		}
	}
	return true
}

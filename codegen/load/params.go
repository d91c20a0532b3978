package load

// This file splits a kernel's receiver into its arguments.

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
)

// Leaf is a part of a kernel's receiver that is passed as one argument. A leaf is a value without
// slices, a slice, or a local accessor.
type Leaf struct {
	abi.Param
	GoType types.Type
	Elem   types.Type // element type of a Slice or LocalAccessor
	Align  int        // alignment in bytes in the argument block
	Path   []Step     // path from the receiver to the leaf
	Pos    token.Pos  // position of the field that contains the leaf
}

// Step is one step of a Path. A Step leads from a struct or array to a field or element.
type Step struct {
	Field *types.Var // field of a struct; nil for an array
	Index int        // index of the field or element
}

// Layout sets the offsets of the leaves in the argument block. The first result of Layout is the
// argument block's size. The second result of Layout tells whether the argument block must be
// spilled to a buffer.
func Layout(leaves []Leaf) (size int, spilled bool) {
	for i := range leaves {
		p := &leaves[i]
		if p.Size == 0 {
			p.Offset = -1
			continue
		}
		p.Offset = alignUp(size, p.Align)
		size = p.Offset + p.Size
	}
	size = alignUp(size, 4) // push constants consist of 32-bit words
	return size, abi.OffsetArgs+size > abi.MaxLaunchBlock
}

func alignUp(n, align int) int { return (n + align - 1) / align * align }

// maxLeaves is the largest number of parameters of a kernel. Each slice in an array of slices
// counts as one parameter.
const maxLeaves = 4096

// flattener splits a kernel's receiver into leaves.
type flattener struct {
	f      *kernelFinder
	k      *Kernel
	leaves []Leaf
	bad    map[token.Pos]bool // fields for which an error has been reported
	hidden map[token.Pos]bool // fields that are not exported
	// shownAt maps the position of a field to the position at which errors about the field are
	// reported. For a field of another package's struct type, the error is reported in the kernel's
	// package, at the field that contains the struct.
	shownAt map[token.Pos]token.Pos
}

// splitReceiver splits the receiver of k into leaves, depth first. Fields that cannot be arguments
// are reported as errors.
func (f *kernelFinder) splitReceiver(k *Kernel) []Leaf {
	fl := &flattener{f: f, k: k, bad: map[token.Pos]bool{}, hidden: map[token.Pos]bool{}, shownAt: map[token.Pos]token.Pos{token.NoPos: k.Pos}}
	fl.addMembers(k.Struct, "", nil, 0, token.NoPos)
	k.BadFields = fl.bad
	return fl.leaves
}

// addMembers visits the fields of a struct, which is the receiver or a part of the receiver with
// slices. Generated code contains separate statements for each field.
func (fl *flattener) addMembers(st *types.Struct, name string, path []Step, at int64, outer token.Pos) {
	fields := make([]*types.Var, st.NumFields())
	for i := range fields {
		fields[i] = st.Field(i)
	}
	offsets := Sizes.Offsetsof(fields)
	for i, v := range fields {
		if v.Name() == "_" {
			continue
		}
		full := v.Name()
		if name != "" {
			full = name + "." + full
		}
		if fl.shownAt[v.Pos()] = v.Pos(); v.Pkg() != fl.f.pkg.types {
			fl.shownAt[v.Pos()] = fl.shownAt[outer]
		}
		if !v.Exported() && !fl.hidden[v.Pos()] {
			fl.hidden[v.Pos()] = true
			fl.f.add(diag.Unexported, fl.shownAt[v.Pos()], "export it",
				"field %s of kernel %s is not exported, so generated code cannot set it", full, fl.k.Name)
		}
		if name == "" && slices.Contains(stubMethods, v.Name()) {
			fl.f.add(diag.FieldName, fl.shownAt[v.Pos()], "rename it",
				"field %s of kernel %s has the name of a method that generated code has", full, fl.k.Name)
		}
		steps := append(path[:len(path):len(path)], Step{Field: v, Index: i})
		fl.addMember(v.Type(), full, steps, at+offsets[i], v.Pos())
	}
}

// stubMethods lists the exported methods of the types that package gostub generates for kernels.
var stubMethods = []string{"Node", "ParallelFor", "Run", "SingleTask"}

func (fl *flattener) addMember(t types.Type, name string, path []Step, at int64, pos token.Pos) {
	if fl.bad[pos] || len(fl.leaves) > maxLeaves {
		return
	}
	leaf := Leaf{GoType: t, Path: path, Pos: pos}
	leaf.Name, leaf.HostOffset, leaf.Type = name, int(at), fl.typeString(t)
	leaf.Size, leaf.Align = int(Sizes.Sizeof(t)), int(Sizes.Alignof(t))
	if fromDSL(t) != "" {
		fl.addAccessor(leaf)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if why := fl.badValue(u.Elem()); why != "" {
			fl.report(pos, diag.FieldType, elementHint(u.Elem(), why), "field %s of kernel %s has elements that device memory cannot hold: %s", name, fl.k.Name, why)
			return
		}
		leaf.Kind, leaf.Elem, leaf.Size, leaf.Align = abi.Slice, u.Elem(), 16, 8
		leaf.ElemSize, leaf.ElemAlign = int(Sizes.Sizeof(u.Elem())), int(Sizes.Alignof(u.Elem()))
		if leaf.ElemSize == 0 {
			fl.report(pos, diag.FieldType, "pass their number as an int", "field %s of kernel %s has elements without size", name, fl.k.Name)
			return
		}
		fl.addLeaf(leaf)
		return
	case *types.Struct:
		if hasSlices(t) {
			fl.addMembers(u, name, path, at, pos)
			return
		}
	case *types.Array:
		if hasSlices(t) {
			for i := range u.Len() {
				steps := append(path[:len(path):len(path)], Step{Index: int(i)})
				fl.addMember(u.Elem(), fmt.Sprintf("%s[%d]", name, i), steps, at+i*Sizes.Sizeof(u.Elem()), pos)
				if len(fl.leaves) > maxLeaves {
					break
				}
			}
			return
		}
	}
	if why := fl.badValue(t); why != "" {
		fl.report(pos, diag.FieldType, fieldHint(t, why), "field %s of kernel %s cannot be an argument: %s", name, fl.k.Name, why)
		return
	}
	leaf.Kind = abi.Value
	fl.addLeaf(leaf)
}

// addAccessor adds a leaf (an argument of the kernel) of a type from package dsl. For all dsl types
// except LocalAccessor, addAccessor reports an error.
func (fl *flattener) addAccessor(leaf Leaf) {
	named, ok := types.Unalias(leaf.GoType).(*types.Named)
	if !ok || named.Obj().Name() != "LocalAccessor" || named.TypeArgs().Len() != 1 {
		hint := "pass numbers, bools, slices, and structs and arrays of them"
		if fromDSL(leaf.GoType) == "SpecConstant" {
			hint = "declare the constant as a package-level variable"
		}
		fl.report(leaf.Pos, diag.FieldType, hint, "field %s of kernel %s cannot be an argument: %s", leaf.Name, fl.k.Name, leaf.Type)
		return
	}
	elem := named.TypeArgs().At(0)
	if why := fl.badValue(elem); why != "" {
		fl.report(leaf.Pos, diag.FieldType, valueHint(why), "field %s of kernel %s has elements that work-group memory cannot hold: %s", leaf.Name, fl.k.Name, why)
		return
	}
	if fl.k.Form != abi.NDRange {
		fl.report(leaf.Pos, diag.WrongForm, "use Kernel(dsl.NDItem1..3)",
			"field %s of kernel %s is work-group memory, which only an nd-range kernel has", leaf.Name, fl.k.Name)
		return
	}
	leaf.Kind, leaf.Elem, leaf.Size, leaf.Align = abi.LocalAccessor, elem, 0, 1
	leaf.ElemSize, leaf.ElemAlign = int(Sizes.Sizeof(elem)), int(Sizes.Alignof(elem))
	fl.addLeaf(leaf)
}

func (fl *flattener) addLeaf(leaf Leaf) {
	fl.leaves = append(fl.leaves, leaf)
	if len(fl.leaves) > maxLeaves {
		fl.report(leaf.Pos, diag.FieldType, "pass a slice of them", "kernel %s has more than %d parameters", fl.k.Name, maxLeaves)
	}
}

func (fl *flattener) report(pos token.Pos, code diag.Code, hint, format string, args ...any) {
	if !fl.bad[pos] {
		fl.bad[pos] = true
		fl.f.add(code, fl.shownAt[pos], hint, format, args...)
	}
}

func (fl *flattener) typeString(t types.Type) string {
	return types.TypeString(writableType(t), func(p *types.Package) string {
		if p == fl.f.pkg.types {
			return ""
		}
		return p.Name()
	})
}

// badValue returns the reason why device memory cannot hold a value of type t, or "". badValue also
// refuses a type t that generated code cannot name.
func (fl *flattener) badValue(t types.Type) string {
	seen := map[types.Type]bool{}
	var bad func(t types.Type, local bool) string
	bad = func(t types.Type, naming bool) string {
		if seen[t] {
			return ""
		}
		seen[t] = true
		if n, ok := types.Unalias(t).(*types.Named); ok {
			if naming && n.Obj().Pkg() != nil && !n.Obj().Exported() {
				return "type " + fl.typeString(n) + " is not exported"
			}
			if naming && n.Obj().Pkg() != nil && n.Obj().Parent() != n.Obj().Pkg().Scope() && n.TypeArgs().Len() == 0 {
				return "type " + fl.typeString(n) + " is local to a function"
			}
			if n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == dslPath {
				return fl.typeString(n)
			}
			// The import path of the stubs is known only inside a module. In tests that build
			// modules without files, types may belong to packages that the kernels must not import.
			if out := fl.f.out; naming && n.Obj().Pkg() != nil && out.ModulePath != "" && mayImport(out.PkgPath, n.Obj().Pkg().Path()) && !out.Importable(n.Obj().Pkg().Path()) {
				return "type " + fl.typeString(n) + " is in package " + n.Obj().Pkg().Path() + ", which generated code may not import"
			}
			naming = false // generated code does not need the names of this type's fields or elements
		}
		switch u := t.Underlying().(type) {
		case *types.Basic:
			info := u.Info()
			if info&(types.IsNumeric|types.IsBoolean) == 0 || info&types.IsUntyped != 0 || u.Kind() == types.Uintptr || u.Kind() == types.UnsafePointer {
				return fl.typeString(t)
			}
			return ""
		case *types.Array:
			return bad(u.Elem(), naming)
		case *types.Struct:
			for v := range u.Fields() {
				if naming && !v.Exported() && v.Name() != "_" {
					return "field " + v.Name() + " of a type without a name is not exported"
				}
				if why := bad(v.Type(), naming); why != "" {
					return why
				}
			}
			return ""
		}
		return fl.typeString(t)
	}
	return bad(t, true)
}

// valueHint returns the hint for a value that badValue refuses. The parameter `why` is the reason
// that badValue returned.
func valueHint(why string) string {
	if strings.HasSuffix(why, "exported") {
		return "export it: generated code has to name it"
	} else if strings.HasSuffix(why, "function") {
		return "declare it outside of the function"
	} else if strings.HasSuffix(why, "import") {
		return "move the type out of the folder internal, or the kernel into a package below that folder, where its stubs stand, too"
	}
	return "memory holds numbers, bools, and structs and arrays of them"
}

// elementHint returns the hint for a slice if badValue refuses the element type t.
func elementHint(t types.Type, why string) string {
	short := func(t types.Type) string {
		return types.TypeString(t, func(p *types.Package) string { return p.Name() })
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return fmt.Sprintf("lay the rows end to end: make it []%s, add a field Cols int, and write [row*k.Cols+col] for [row][col]; "+
			"where rows differ in length, add a field []int with where each begins; where the length is constant, write [][16]%[1]s", short(u.Elem()))
	case *types.Pointer:
		return "let the elements be values, or indices into another slice of " + short(u.Elem())
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return "put the bytes of all texts into one []byte, and where each begins into an []int"
		}
	case *types.Struct:
		for v := range u.Fields() {
			if _, ok := v.Type().Underlying().(*types.Slice); ok {
				return fmt.Sprintf("put what the fields %s of all elements hold into one slice, a field of the kernel, and let the elements say from where to where theirs is", v.Name())
			}
		}
	}
	return valueHint(why)
}

// fieldHint returns the hint for a field if badValue refuses the field's type t.
func fieldHint(t types.Type, why string) string {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return "device memory is a slice: write []" + types.TypeString(u.Elem(), func(p *types.Package) string { return p.Name() })
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return "write []byte"
		}
	case *types.Map:
		return "pass the keys and the values as two slices"
	}
	return valueHint(why)
}

// hasSlices reports whether values of type t contain slices or local accessors. Values with slices
// or local accessors are split into leaves.
func hasSlices(t types.Type) bool {
	if fromDSL(t) == "LocalAccessor" {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Array:
		return hasSlices(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			if hasSlices(v.Type()) {
				return true
			}
		}
	}
	return false
}

// TypeExpr returns t as a Go expression, with import paths in angle quotes, for example
// "[2]«example.com/geom».Point". Package gostub replaces the paths by the package names that are
// valid in the generated file.
func TypeExpr(t types.Type) string {
	return types.TypeString(writableType(t), func(p *types.Package) string { return "«" + p.Path() + "»" })
}

// writableType returns a type identical to t that other packages can write. writableType replaces
// an unexported alias by the type to which the alias refers. For example, with the declaration
// "type real = float32", the type []real becomes []float32.
//
// An unexported alias may also have the name of a predeclared type. In another package, an alias
// with the name of a predeclared type would mean the predeclared type.
func writableType(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Alias:
		obj := t.Obj()
		if obj.Pkg() == nil { // for example, the predeclared alias any
			return t
		}
		_, changed := spelledAll(t.TypeArgs())
		if changed || !obj.Exported() || obj.Parent() != obj.Pkg().Scope() {
			return writableType(types.Unalias(t))
		}
	case *types.Named:
		if args, changed := spelledAll(t.TypeArgs()); changed {
			if inst, err := types.Instantiate(nil, t.Origin(), args, false); err == nil {
				return inst
			}
		}
	case *types.Slice:
		if e := writableType(t.Elem()); e != t.Elem() {
			return types.NewSlice(e)
		}
	case *types.Array:
		if e := writableType(t.Elem()); e != t.Elem() {
			return types.NewArray(e, t.Len())
		}
	case *types.Struct:
		var fields []*types.Var
		var tags []string
		changed := false
		for i := range t.NumFields() {
			f := t.Field(i)
			s := writableType(f.Type())
			changed = changed || s != f.Type()
			fields = append(fields, types.NewField(f.Pos(), f.Pkg(), f.Name(), s, f.Embedded()))
			tags = append(tags, t.Tag(i))
		}
		if changed {
			return types.NewStruct(fields, tags)
		}
	}
	return t
}

// spelledAll returns the results of writableType for a list of types. The second result of
// spelledAll tells whether a type in the list has changed.
func spelledAll(list *types.TypeList) (all []types.Type, changed bool) {
	for t := range list.Types() {
		s := writableType(t)
		all, changed = append(all, s), changed || s != t
	}
	return all, changed
}

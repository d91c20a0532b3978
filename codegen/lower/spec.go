package lower

// This file lowers specialization constants.

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
)

// specConst is a value of type *dsl.SpecConstant that is known during lowering.
type specConst struct{ decl *specDecl }

// specDecl is the declaration of a specialization constant that the kernel reads.
type specDecl struct {
	global   *ssa.Global
	typ      types.Type
	required bool
	scalars  []*ir.Spec // scalars of the constant in depth-first order
}

// specConsts holds the specialization constants of a kernel.
type specConsts struct {
	*reporter
	decls   []*specDecl
	lengths []func() // callbacks that run after the constants have been numbered
}

func init() {
	add("(*"+dslPath+".SpecConstant[T]).Get", lowerSpecGet)
	add("(*"+dslPath+".SpecConstant).Get", lowerSpecGet)
	for _, name := range []string{".NewSpecConstant", ".RequireSpecConstant"} {
		add(dslPath+name, func(l *lowerer, in *ssa.Call, _ *ssa.Function, _ []val) val {
			l.errorf(diag.SpecDecl, in.Pos(), "declare the constant as a package-level variable", "a kernel cannot make specialization constants")
			return badVal{}
		})
	}
}

// isSpecPointer reports whether t is a *dsl.SpecConstant.
func isSpecPointer(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	return ok && isDSL(p.Elem(), "SpecConstant")
}

// specGlobal returns the specialization constant that the package-level variable g declares.
func (l *lowerer) specGlobal(g *ssa.Global) (specConst, bool) {
	fail := func(hint, format string, args ...any) (specConst, bool) {
		l.errorf(diag.SpecDecl, g.Pos(), hint, format, args...)
		return specConst{}, false
	}
	const hint = "write var Tile = dsl.NewSpecConstant(16), or dsl.RequireSpecConstant[int]()"
	if f := l.prog.Fate(g); f.Written.IsValid() || f.Filled.IsValid() {
		at := max(f.Written, f.Filled)
		return fail("set its value with runtime.WithSpec or runtime.SetSpec",
			"the specialization constant %s is written at %v, so that its value is not the host's to set", g.Name(), l.prog.DiagPos(at))
	}
	if !g.Object().Exported() {
		l.errorf(diag.Unexported, g.Pos(), "export it", "the specialization constant %s is not exported, so generated code cannot name it", g.Name())
		return specConst{}, false
	}
	if !l.k.Pkg.Importable(g.Pkg.Pkg.Path()) {
		return fail("declare it in the kernel's package, or in one outside of folders named internal",
			"the specialization constant %s is declared in %s, which generated code cannot import", g.Name(), g.Pkg.Pkg.Path())
	}
	call, tree, ok := evalSpec(g.Pkg.Func("init"), g)
	if call == nil {
		return fail(hint, "the variable %s is not declared as a specialization constant", g.Name())
	}
	if !ok {
		return fail("use a constant, or dsl.RequireSpecConstant", "the default of the specialization constant %s is not known when the kernel is generated", g.Name())
	}
	pt := g.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Pointer).Elem()
	d := &specDecl{global: g, typ: types.Unalias(pt).(*types.Named).TypeArgs().At(0), required: len(call.Call.Args) == 0}
	if why := specTypeError(d.typ); why != "" {
		l.errorf(diag.SpecType, g.Pos(), "use bools, integers, floats, and arrays and structs of them",
			"the specialization constant %s cannot be of type %v: devices take numbers and bools, one by one, and no %s", g.Name(), d.typ, why)
		return specConst{}, false
	}
	var init []*ir.Value
	if !l.flatten(tree, d.typ, &init) {
		return fail("use a constant", "the default of the specialization constant %s is not known when the kernel is generated", g.Name())
	}
	name := g.Pkg.Pkg.Path() + "." + g.Name()
	l.specs.specLeaves(d, name, "", d.typ, 0, &init)
	l.specs.decls = append(l.specs.decls, d)
	return specConst{d}, true
}

// specTypeError returns the name of a part of type t that specialization constants cannot have.
// specTypeError returns "" if t is allowed.
func specTypeError(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat) != 0 && u.Kind() != types.Uintptr {
			return ""
		}
	case *types.Array:
		if u.Len() > maxSpecLeaves {
			return fmt.Sprintf("more than %d elements", maxSpecLeaves)
		}
		return specTypeError(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if why := specTypeError(f.Type()); why != "" {
				return why
			}
		}
		return ""
	}
	return types.TypeString(t, (*types.Package).Name)
}

const maxSpecLeaves = 1 << 10

// specLeaves adds the scalars of a specialization constant to declaration d of the constant, and to
// the module. specLeaves removes the defaults of the added scalars from the front of the list
// *init.
func (sp *specConsts) specLeaves(d *specDecl, name, path string, t types.Type, offset int, init *[]*ir.Value) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		size := int(sizes.Sizeof(u.Elem()))
		for i := range int(u.Len()) {
			sp.specLeaves(d, name, fmt.Sprintf("%s[%d]", path, i), u.Elem(), offset+i*size, init)
		}
		return
	case *types.Struct:
		for i, o := range sp.offsets(t) {
			sp.specLeaves(d, name, path+"."+u.Field(i).Name(), u.Field(i).Type(), offset+o, init)
		}
		return
	}
	b := t.Underlying().(*types.Basic)
	typ := specScalar(b)
	row := &abi.SpecConstant{Name: name, Path: path, Type: b.Name(), Size: max(typ.Size, 4), Offset: offset, Required: d.required}
	if def := (*init)[0]; !d.required {
		n := def.Bits
		if sp.wideDefault(b, def) {
			sp.errorf(diag.SpecDecl, d.global.Pos(), "declare it as int64 or uint64",
				"the default of the specialization constant %s needs more than the 32 bits that a constant of type %s has", d.global.Name(), b.Name())
		}
		row.Default = sp.m.Const(typ, n).Bits
	}
	*init = (*init)[1:]
	s := &ir.Spec{Name: d.global.Name() + path, Type: typ, Default: row.Default, User: row}
	sp.m.Specs = append(sp.m.Specs, s)
	d.scalars = append(d.scalars, s)
}

// specScalar returns the SPIR-V type of a specialization constant. An int or uint constant has 32
// bits, so that expressions of int and uint constants need no 64-bit integers.
func specScalar(b *types.Basic) *ir.Type {
	if b.Kind() == types.Int || b.Kind() == types.Uint {
		return ir.TypeI32
	}
	return regType(b)
}

func (w *builder) wideDefault(b *types.Basic, def *ir.Value) bool {
	switch b.Kind() {
	case types.Int:
		return def.Int() != int64(int32(def.Int()))
	case types.Uint:
		return def.Bits > math.MaxUint32
	}
	return false
}

// evalSpec returns the call that makes the specialization constant in variable g, and the call's
// argument. The package initializer makes the call, and stores the result in g.
func evalSpec(init *ssa.Function, g *ssa.Global) (call *ssa.Call, tree *constinit.Tree, ok bool) {
	call, tree, known := constinit.StoredCall(init, g)
	if call == nil {
		return nil, nil, false
	}
	switch fullName(call.Call.StaticCallee()) {
	case dslPath + ".RequireSpecConstant":
		return call, nil, true
	case dslPath + ".NewSpecConstant":
		return call, tree, known
	}
	return nil, nil, false
}

// fullName returns the full name of a function. An instance of a generic function has the full name
// of the generic function.
func fullName(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.RelString(nil)
}

// lowerSpecGet lowers c.Get(it), the read of a specialization constant.
func lowerSpecGet(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
	c, ok := args[0].(specConst)
	if !ok || c.decl == nil {
		l.errorf(diag.SpecDecl, in.Pos(), "declare it as a package-level variable, and read that",
			"which specialization constant is read here is not known when the kernel is generated")
		return badVal{}
	}
	leaves := c.decl.scalars
	return l.specValue(c.decl.typ, &leaves)
}

// specValue builds a value of Go type t from the first scalars of *leaves. specValue removes the
// used scalars from *leaves.
func (l *lowerer) specValue(t types.Type, leaves *[]*ir.Spec) val {
	switch l.classify(t) {
	case classScalar:
		s := (*leaves)[0]
		*leaves = (*leaves)[1:]
		v := l.m.SpecValue(s)
		switch {
		case s.Type == regType(t):
			return v
		case gotypes.IsUnsigned(t):
			return l.op(ir.OpUConvert, regType(t), v)
		}
		return l.op(ir.OpSConvert, regType(t), v)
	case classStruct:
		out := tuple{}
		for _, f := range gotypes.Fields(t) {
			out.elems = append(out.elems, l.specValue(f, leaves))
		}
		return out
	}
	c := l.newCell(t, "constant")
	if c.bad {
		return badVal{}
	}
	a := t.Underlying().(*types.Array)
	for i := range a.Len() {
		l.storeMem(c.mem.atIndex(l.m.Int(ir.TypeI32, i)), l.specValue(a.Elem(), leaves), a.Elem())
	}
	return array{c.mem}
}

// finishSpecs numbers the constants in the order of their declarations. A constant has the same
// number in all kernels of a package.
func (sp *specConsts) finishSpecs() {
	key := func(d *specDecl) (string, string, int, int) {
		p := sp.prog.Fset.Position(d.global.Pos())
		return d.global.Pkg.Pkg.Path(), p.Filename, p.Line, p.Column
	}
	slices.SortFunc(sp.decls, func(a, b *specDecl) int {
		p1, f1, l1, c1 := key(a)
		p2, f2, l2, c2 := key(b)
		return cmp.Or(cmp.Compare(p1, p2), cmp.Compare(f1, f2), l1-l2, c1-c2)
	})
	for _, d := range sp.decls {
		obj := d.global.Object()
		first, ok := sp.k.Pkg.SpecIDs[obj]
		if !ok {
			panic("BUG: the specialization constant " + d.global.Name() + " is not among what kernels mention")
		}
		_, pinned := sp.prog.SpecIDs[obj]
		for i, s := range d.scalars {
			s.ID, s.User.Pinned = first+uint32(i), pinned
		}
	}
	for _, d := range sp.decls {
		for _, s := range d.scalars {
			if def := sp.m.Const(s.Type, s.Default).Int(); s.User.Max > 0 && !d.required && s.User.Type != "bool" && def < int64(s.User.Min) && len(sp.diags) == 0 {
				sp.errorf(diag.SizeDefault, d.global.Pos(), "give it another default, or declare it with dsl.RequireSpecConstant",
					"%s sets the length of an array, and its default is %d", s.Name, def)
			}
		}
	}
	var user, reserved []*ir.Spec
	for _, s := range sp.m.Specs {
		if s.User == nil {
			reserved = append(reserved, s)
		}
	}
	for _, d := range sp.decls {
		for _, s := range d.scalars {
			s.User.ID = s.ID
			user = append(user, s)
		}
	}
	sp.m.Specs = append(user, reserved...)
	for _, set := range sp.lengths {
		set()
	}
}

// constInt returns the value of an integer constant.
func constInt(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(c.Value))
}

package lower

// This file lowers type assertions and the text of their panics.

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
)

// typeAssert lowers x.(T).
func (l *lowerer) typeAssert(in *ssa.TypeAssert) val {
	x, ok := l.valueOf(in.X).(iface)
	if !ok {
		return l.reportLost(in.Type())
	}
	match := false
	if x.typ != nil {
		if u, isIface := in.AssertedType.Underlying().(*types.Interface); isIface {
			match = types.Implements(x.typ, u)
		} else {
			match = types.Identical(x.typ, in.AssertedType)
		}
	}
	var v val
	switch {
	case !match:
		v = l.zeroValue(in.AssertedType)
	case types.IsInterface(in.AssertedType):
		v = x
	default:
		v = x.v
	}
	if in.CommaOk {
		return tuple{[]val{v, l.m.Bool(match)}}
	}
	switch {
	case match:
	case len(*in.Referrers()) == 0: // go/ssa inserted this assertion to check that the interface i of a method value i.M is not nil
		l.emitCheck(l.m.Bool(false), abi.FaultNil, nil, nil, "")
	default:
		l.emitCheck(l.m.Bool(false), abi.FaultPanic, nil, nil, assertText(in.X.Type(), x.typ, in.AssertedType))
	}
	return v
}

// assertText returns the text of gc's panic for a failed type assertion. The parameter `asserted`
// is the type in the assertion, and `static` is the static type of the operand. The parameter
// dynType is the operand's dynamic type, or nil for a nil interface.
func assertText(static, dynType, asserted types.Type) string {
	const prefix = "interface conversion: "
	u, isIface := asserted.Underlying().(*types.Interface)
	if dynType == nil {
		inter := reflectName(static)
		if isIface {
			inter = "interface"
		}
		return prefix + inter + " is nil, not " + reflectName(asserted)
	}
	name, want := reflectName(dynType), reflectName(asserted)
	if isIface {
		return prefix + name + " is not " + want + ": missing method " + firstMissing(dynType, u)
	}
	text := prefix + reflectName(static) + " is " + name + ", not " + want
	if name == want {
		text += " (types from different packages)"
	}
	return text
}

// firstMissing returns the alphabetically first method of interface iface that type t lacks.
func firstMissing(t types.Type, iface *types.Interface) string {
	var missing []string
	set := types.NewMethodSet(t)
	for m := range iface.Methods() {
		if sel := set.Lookup(m.Pkg(), m.Name()); sel == nil || !types.Identical(sel.Type(), m.Type()) {
			missing = append(missing, m.Name())
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return slices.Min(missing)
}

// reflectName returns the name that gc's panics print for a type.
func reflectName(t types.Type) string { return typeName(t, (*types.Package).Name) }

// typeName returns the name of a type. Function q maps a package to the name that typeName prints.
// Inside type arguments, packages appear with their full paths.
func typeName(t types.Type, q types.Qualifier) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return types.Typ[t.Kind()].Name() // for example, uint8 instead of byte
	case *types.Pointer:
		return "*" + typeName(t.Elem(), q)
	case *types.Slice:
		return "[]" + typeName(t.Elem(), q)
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), typeName(t.Elem(), q))
	case *types.Signature:
		return "func" + signatureName(t, q)
	case *types.Interface:
		var methods []string
		all := slices.SortedFunc(t.Methods(), func(a, b *types.Func) int { return strings.Compare(a.Name(), b.Name()) })
		for _, m := range all {
			name := m.Name()
			if !m.Exported() {
				name = q(m.Pkg()) + "." + name
			}
			methods = append(methods, name+signatureName(m.Signature(), q))
		}
		return braced("interface", methods)
	case *types.Struct:
		var fields []string
		for f := range t.Fields() {
			name := f.Name() + " "
			if f.Embedded() {
				name = ""
			}
			fields = append(fields, name+typeName(f.Type(), q))
		}
		return braced("struct", fields)
	}
	n, ok := t.(*types.Named)
	if !ok || n.TypeArgs().Len() == 0 {
		return types.TypeString(t, q)
	}
	var args []string
	for a := range n.TypeArgs().Types() {
		args = append(args, typeName(a, (*types.Package).Path))
	}
	return q(n.Obj().Pkg()) + "." + n.Obj().Name() + "[" + strings.Join(args, ",") + "]"
}

func braced(word string, parts []string) string {
	if len(parts) == 0 {
		return word + " {}"
	}
	return word + " { " + strings.Join(parts, "; ") + " }"
}

func signatureName(t *types.Signature, q types.Qualifier) string {
	list := func(vs *types.Tuple) string {
		var names []string
		for v := range vs.Variables() {
			names = append(names, typeName(v.Type(), q))
		}
		return strings.Join(names, ", ")
	}
	params := "(" + list(t.Params()) + ")"
	if t.Variadic() {
		i := strings.LastIndex(params, "[]")
		params = params[:i] + "..." + params[i+2:]
	}
	switch t.Results().Len() {
	case 0:
		return params
	case 1:
		return params + " " + list(t.Results())
	}
	return params + " (" + list(t.Results()) + ")"
}

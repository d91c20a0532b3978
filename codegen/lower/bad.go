package lower

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// bad is a value that is not known since something is wrong, which an error says.
// Nothing is said of what follows from it: it may be right once that is mended.
type bad struct{}

func isBad(v val) bool { _, ok := v.(bad); return ok }

// holdsBad reports whether a value is bad or holds one that is.
func holdsBad(v val) bool {
	switch v := v.(type) {
	case bad:
		return true
	case tuple:
		return slices.ContainsFunc(v.elems, holdsBad)
	case function:
		return slices.ContainsFunc(v.bindings, holdsBad)
	case iface:
		return holdsBad(v.v)
	}
	return false
}

// passesOn reports whether an instruction makes something of its operands that is
// known though they are bad, or can say which part is.
func passesOn(in ssa.Value) bool {
	switch in.(type) {
	case *ssa.Call, *ssa.MakeClosure, *ssa.MakeInterface:
		return true
	}
	return false
}

// spoil makes a variable bad from here on.
func (c *cell) spoil() {
	c.bad = true
	for _, part := range c.fields {
		part.spoil()
	}
}

// opaque returns a scalar of which nothing is known but that it is the same for all
// work-items, for what goes on with a bad one. The module is not for use.
func (l *lowerer) opaque(t *ir.Type) *ir.Value {
	l.opaques++
	at := abi.OffsetArgs + l.m.ArgSize + 8*l.opaques
	if t == ir.TypeBool {
		return l.op(ir.OpINe, t, l.arg(at, ir.TypeI32), l.m.Int(ir.TypeI32, 0))
	}
	return l.arg(at, t)
}

// sound replaces the scalars among arguments that are bad by others, so that what an
// intrinsic says of the rest is found. It fails where others than scalars are bad.
func (l *lowerer) sound(c *ssa.CallCommon, args []val) ([]val, bool) {
	if !slices.ContainsFunc(args, isBad) {
		return args, true
	}
	args = slices.Clone(args)
	types := argTypes(c)
	for i, a := range args {
		if !isBad(a) {
			continue
		}
		if i >= len(types) || l.classify(types[i]) != classScalar {
			return nil, false
		}
		args[i] = l.opaque(regType(types[i]))
	}
	return args, true
}

// argTypes returns the types of what a call's function is given.
func argTypes(c *ssa.CallCommon) []types.Type {
	var out []types.Type
	if c.IsInvoke() {
		out = append(out, c.Value.Type())
	}
	for _, a := range c.Args {
		out = append(out, a.Type())
	}
	return out
}

package lower

// This file handles values for which an error has been reported.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// The type bad represents a value that is unknown because of an error that has been reported.
// Errors in code that uses a bad value are not reported, because they may disappear once the first
// error is corrected.
type bad struct{}

func isBad(v val) bool { _, ok := v.(bad); return ok }

// holdsBad reports whether a value is of type bad or contains a value of type bad.
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

// passesOn reports whether an instruction can be lowered although an operand is bad. Lowering is
// possible if the result of the instruction is known without the operand. Lowering is also possible
// if the code for the instruction reports the bad operand.
func passesOn(in ssa.Value) bool {
	switch in.(type) {
	case *ssa.Call, *ssa.MakeClosure, *ssa.MakeInterface:
		return true
	}
	return false
}

// The method spoil marks the contents of a variable as unknown because of an error, for all
// following loads.
func (c *cell) spoil() {
	c.bad = true
	for _, part := range c.fields {
		part.spoil()
	}
}

// The method opaque returns an unknown scalar that is the same for all work-items. Lowering
// continues with this scalar in place of a bad value. Because of the error, the resulting module is
// never used.
func (l *lowerer) opaque(t *ir.Type) *ir.Value {
	l.opaques++
	at := abi.OffsetArgs + l.m.ArgSize + 8*l.opaques
	if t == ir.TypeBool {
		return l.op(ir.OpINe, t, l.arg(at, ir.TypeI32), l.m.Int(ir.TypeI32, 0))
	}
	return l.arg(at, t)
}

// The method sound replaces bad scalars among the arguments of an intrinsic by results of method
// opaque. So errors about the other arguments are found. The second result is false if a bad
// argument is not a scalar.
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

// argTypes returns the types of the arguments of a call, including the receiver of an interface
// method.
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

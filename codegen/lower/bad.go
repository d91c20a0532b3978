package lower

// This file handles values for which an error has been reported.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// badVal represents a value that is unknown because of an error that has been reported. Further
// errors in code that uses the value are not reported, because they may disappear once the first
// error is corrected.
type badVal struct{}

func isBad(v val) bool { _, ok := v.(badVal); return ok }

// holdsBad reports whether a value has type badVal or contains a value of type badVal.
func holdsBad(v val) bool {
	switch v := v.(type) {
	case badVal:
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

// passesOn reports whether an instruction can be lowered although an operand is bad. Either the
// instruction's result is known without the operand, or the code that lowers the instruction
// reports the bad operand.
func passesOn(in ssa.Value) bool {
	switch in.(type) {
	case *ssa.Call, *ssa.MakeClosure, *ssa.MakeInterface:
		return true
	}
	return false
}

// markUnknown records that, because of an error, the contents of a variable are unknown for all
// following loads.
func (c *cell) markUnknown() {
	c.bad = true
	for _, part := range c.fields {
		part.markUnknown()
	}
}

// opaqueScalar returns an unknown scalar that is the same for all work-items. Lowering continues
// with the unknown scalar in place of a bad value. The resulting module is never used, because an
// error has been reported.
func (l *lowerer) opaqueScalar(t *ir.Type) *ir.Value {
	l.opaques++
	at := abi.OffsetArgs + l.m.ArgSize + 8*l.opaques
	if t == ir.TypeBool {
		return l.op(ir.OpINe, t, l.arg(at, ir.TypeI32), l.m.Int(ir.TypeI32, 0))
	}
	return l.arg(at, t)
}

// replaceBad replaces each bad scalar argument of an intrinsic by a result of opaqueScalar. An
// argument is bad if it has type badVal. After the replacement of bad arguments, lowering can find
// errors about the other arguments. The second result of replaceBad is false if a bad argument is
// not a scalar.
func (l *lowerer) replaceBad(c *ssa.CallCommon, args []val) ([]val, bool) {
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
		args[i] = l.opaqueScalar(regType(types[i]))
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

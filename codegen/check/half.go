package check

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/load"
)

// This file contains the rule against code that treats the bits of package half's numbers as
// integers.

const (
	dslPath  = "github.com/kgen-go/kgen/dsl"
	halfPath = gotypes.HalfPath
)

// halfOf returns the name of t, qualified with the package's name, if t is a type of package half.
// If t is not a type of package half, halfOf returns "".
func halfOf(t types.Type) string {
	if name := gotypes.Half(t); name != "" {
		return "half." + name
	}
	return ""
}

// halfOperators maps an operator to the hint for a use of the operator on numbers of package half.
// Operators on bits, such as &, are not in halfOperators and share one hint.
var halfOperators = map[token.Token]string{
	token.ADD: "write x.Add(y)", token.SUB: "write x.Sub(y)", token.MUL: "write x.Mul(y)", token.QUO: "write x.Div(y)",
	token.LSS: "write x.Less(y)", token.GTR: "write y.Less(x)",
	token.LEQ: "write x.Less(y) || x.Equal(y)", token.GEQ: "write y.Less(x) || x.Equal(y)",
}

// halfNumbers reports code that treats the bits of package half's numbers as integers. halfNumbers
// reports integer operators, conversions, constants and functions that are applied to numbers of
// package half. halfNumbers allows the operators == and !=, because users apply these operators to
// compare bits.
func halfNumbers(in ssa.Instruction, report reporter) {
	if pkgPath(in.Parent()) == halfPath {
		return
	}
	switch in := in.(type) {
	case *ssa.BinOp:
		t := halfOf(in.X.Type())
		if t == "" {
			t = halfOf(in.Y.Type()) // in a shift, only the right operand may have a type of package half
		}
		if t == "" || in.Op == token.EQL || in.Op == token.NEQ {
			break
		}
		if !in.Pos().IsValid() { // go/ssa has inserted this comparison 0 < n for a range over a number
			if _, ok := in.X.(*ssa.Const); ok && in.Op == token.LSS {
				report("convert: range int(x.Float32())", "a loop counts up to the bits of a %s", t)
			}
			return
		}
		hint := halfOperators[in.Op]
		if hint == "" {
			hint = "the bits are x.Bits(), and half.FromBits[" + t + "](b) takes bits"
		}
		report(hint, "the operator %v takes the bits of a %s for an integer", in.Op, t)
		return
	case *ssa.UnOp:
		if t := halfOf(in.X.Type()); t != "" && in.Op == token.SUB {
			report("write x.Neg()", "the operator - takes the bits of a %s for an integer", t)
		} else if t != "" && in.Op == token.XOR {
			report("the bits are x.Bits(), and half.FromBits["+t+"](b) takes bits", "the operator ^ takes the bits of a %s for an integer", t)
		}
		return
	case *ssa.Convert:
		halfConversion(in.X.Type(), in.Type(), report)
		return
	case *ssa.ChangeType:
		halfConversion(in.X.Type(), in.Type(), report)
		return
	case *ssa.IndexAddr:
		halfIndices(report, in.Index)
	case *ssa.Index:
		halfIndices(report, in.Index)
	case *ssa.Slice:
		halfIndices(report, in.Low, in.High, in.Max)
	case *ssa.MakeSlice:
		halfIndices(report, in.Len, in.Cap)
	case *ssa.Call:
		if halfBuiltin(in, report) {
			return
		}
	}
	halfOperands(in, report)
}

// halfConversion reports a conversion from or to a type of package half.
func halfConversion(from, to types.Type, report reporter) {
	f, t := halfOf(from), halfOf(to)
	if f == t {
		return // no type is a type of package half, or both types are the same
	}
	kind := types.BasicInfo(0)
	other := to
	if f == "" {
		other = from
	}
	if b, ok := other.Underlying().(*types.Basic); ok {
		kind = b.Info()
	}
	const message = "the conversion of %s to %s takes the bits of a number for an integer"
	hint := ""
	switch isFloat := kind&types.IsFloat != 0; {
	case f != "" && t != "":
		hint = "write half.FromFloat32[" + t + "](x.Float32())"
	case f != "" && isFloat:
		hint = "write x.Float32()"
	case f != "":
		hint = "the number is x.Float32(), its bits are x.Bits()"
	case isFloat:
		hint = "write half.FromFloat32[" + t + "](x)"
	default:
		hint = "half.FromFloat32[" + t + "](float32(n)) is the number n, half.FromBits[" + t + "](b) has the bits b"
	}
	report(hint, message, shortType(from), shortType(to))
}

func halfIndices(report reporter, indices ...ssa.Value) {
	for _, x := range indices {
		if x != nil && halfOf(x.Type()) != "" {
			report("the bits are x.Bits()", "an index or a length takes the bits of a %s for an integer", halfOf(x.Type()))
			return
		}
	}
}

// halfBuiltin reports a call of a predeclared function that treats the bits of a number as an
// integer.
func halfBuiltin(in *ssa.Call, report reporter) bool {
	for _, a := range in.Call.Args {
		t := halfOf(a.Type())
		if t == "" {
			continue
		}
		switch name := builtinName(in); name {
		case "min", "max":
			report(fmt.Sprintf("write x.%s%s(y)", strings.ToUpper(name[:1]), name[1:]), "%s takes the bits of a %s for an integer", name, t)
			return true
		case "print", "println":
			report("write x.Float32()", "%s prints the bits of a %s as an integer", name, t)
			return true
		}
	}
	return false
}

// halfOperands reports an integer constant that becomes the bits of a number of package half, not
// the number's value. halfOperands also reports numbers of package half that are passed to
// functions for integers.
func halfOperands(in ssa.Instruction, report reporter) {
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		switch v := (*op).(type) {
		case *ssa.Const:
			t := halfOf(v.Type())
			if t == "" || v.Value == nil || constant.Sign(v.Value) == 0 { // the constant zero is allowed, because all bits of the number zero are 0
				continue
			}
			report(fmt.Sprintf("half.FromFloat32[%s](x) is the number x, half.FromBits[%[1]s](%v) has these bits", t, v.Value),
				"the constant %v becomes the bits of a %s, and not its value", v.Value, t)
			return
		case *ssa.Function:
			if hint, message := halfForInteger(v); message != "" {
				report(hint, "%s", message)
				return
			}
		}
	}
}

// integerFuncs lists functions of package dsl that work on integers, but whose type constraints
// also allow numbers of package half. Functions of package dsl that are not in integerFuncs use the
// value of a number of package half, not the bits.
var integerFuncs = []string{"BitAnd", "BitOr", "BitXor"}

// halfForInteger returns a hint and a message if fn is an instance of a generic function that
// treats numbers of package half as integers. Package dsl and the standard library contain generic
// functions that treat numbers of package half as integers. If fn does not treat numbers of package
// half as integers, halfForInteger returns the message "".
func halfForInteger(fn *ssa.Function) (hint, message string) {
	t, i := "", slices.IndexFunc(fn.TypeArgs(), func(t types.Type) bool { return halfOf(t) != "" })
	if i < 0 {
		return "", ""
	}
	t = halfOf(fn.TypeArgs()[i])
	o, pkg := origin(fn), pkgPath(fn)
	name := load.FuncText(o)
	switch {
	case pkg == dslPath && slices.Contains(integerFuncs, o.Name()):
		return "pass x.Bits(), and make a number of the result by half.FromBits[" + t + "](b)",
			fmt.Sprintf("%s takes the bits of a %s for an integer", name, t)
	case pkg == "cmp" && o.Name() == "Less":
		return "write x.Less(y)", fmt.Sprintf("%s takes the bits of a %s for an integer", name, t)
	case pkg == "cmp" && o.Name() == "Compare":
		return "write x.Compare(y), or " + t + ".Compare", fmt.Sprintf("%s takes the bits of a %s for an integer", name, t)
	case isStd(pkg) && isOrdered(o.TypeParams().At(i).Constraint()):
		return fmt.Sprintf("use a function that compares by %s.Compare, as slices.SortFunc(xs, %[1]s.Compare) does", t),
			fmt.Sprintf("%s takes the bits of a %s for an integer", name, t)
	}
	return "", ""
}

// isOrdered reports whether a type constraint is cmp.Ordered.
func isOrdered(t types.Type) bool {
	return gotypes.IsNamed(t, "cmp", "Ordered")
}

// halfEverywhere returns the violations of the rule "half" in all code of a package, including code
// that runs on the host.
func halfEverywhere(pkg *ssa.Package, declared []*ssa.Function) []finding {
	var all []finding
	var scan func(fn *ssa.Function)
	scan = func(fn *ssa.Function) {
		eachInstruction(fn, func(in ssa.Instruction, pos token.Pos) {
			halfNumbers(in, func(hint, format string, args ...any) {
				all = append(all, finding{fn: fn, violation: violation{rule: ruleHalf, code: diag.Half, pos: pos, in: in, hint: hint, message: fmt.Sprintf(format, args...)}})
			})
		})
		for _, f := range fn.AnonFuncs {
			scan(f)
		}
	}
	for _, fn := range declared {
		scan(fn)
	}
	scan(pkg.Func("init")) // scans the initializers of package-level variables
	return all
}

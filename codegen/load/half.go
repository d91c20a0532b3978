package load

// This file finds the functions that kernels need from package half.

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// halfMethods maps a function of package dsl to the method that implements the function in the
// types of package half.
var halfMethods = map[string]string{
	"Plus": "Add", "Multiplies": "Mul", "Minimum": "Min", "Maximum": "Max",
	"AtomicAdd": "Add", "AtomicMin": "Min", "AtomicMax": "Max",
}

// HalfArg returns the type argument of fn that is a type of package half, or nil.
func HalfArg(fn *ssa.Function) types.Type {
	args := fn.TypeArgs()
	if i := slices.IndexFunc(args, func(t types.Type) bool { return gotypes.Half(t) != "" }); i >= 0 {
		return args[i]
	}
	return nil
}

// HalfMethod returns the method of t with the given name.
func HalfMethod(prog *ssa.Program, t types.Type, name string) *ssa.Function {
	return prog.LookupMethod(t, nil, name)
}

// HalfCode returns the method of package half that implements a function of package dsl. If the
// function is not an instance for a type of package half, HalfCode returns nil.
func HalfCode(prog *ssa.Program, fn *ssa.Function) *ssa.Function {
	if t := HalfArg(fn); t != nil && PackageOf(fn) == dslPath {
		if m := halfMethods[objectOf(fn).Name()]; m != "" {
			return HalfMethod(prog, t, m)
		}
	}
	return nil
}

// halfCode returns the functions of package half that kgen compiles for fn, an instance of a
// function in package dsl.
func halfCode(prog *ssa.Program, fn *ssa.Function) []*ssa.Function {
	t := HalfArg(fn)
	if t == nil || PackageOf(fn) != dslPath {
		return nil
	}
	if m := HalfCode(prog, fn); m != nil {
		return []*ssa.Function{m}
	}
	switch objectOf(fn).Name() {
	case "ReduceOverGroup", "InclusiveScanOverGroup", "ExclusiveScanOverGroup":
		pkg := prog.ImportedPackage(gotypes.HalfPath)
		return []*ssa.Function{HalfMethod(prog, t, "IsNaN"), pkg.Func("reduced"), pkg.Func("scanned")}
	}
	return nil
}

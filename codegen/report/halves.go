package report

// In the IR, numbers of package half are integers. This file finds the integer constants that
// represent numbers of package half.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/dsl/half"
)

// halfNumbers maps the name of a type of package half to a function that prints a number of this
// type.
var halfNumbers = map[string]func(b uint16) string{
	"Float16": halfText[half.Float16], "BFloat16": halfText[half.BFloat16],
	"Float8E4M3": halfText[half.Float8E4M3], "Float8E5M2": halfText[half.Float8E5M2],
}

func halfText[T half.Float[T]](b uint16) string { return half.FromBits[T](b).String() }

// halfTypes holds the values of a module that are numbers of package half, with the names of their
// types.
type halfTypes struct {
	m    *ir.Module
	typs map[*ir.Value]string
}

// halvesIn finds the values of a module that are numbers of package half. The search starts at
// instructions that work only on numbers of package half. A phi, select or conversion is a number
// of package half if an operand is a number of package half.
func halvesIn(m *ir.Module) *halfTypes {
	h := &halfTypes{m: m, typs: map[*ir.Value]string{}}
	if m.Kernel == nil {
		return h
	}
	var all []*ir.Value
	for _, b := range m.Kernel.Blocks {
		all = slices.Concat(all, b.Phis, b.Insts)
	}
	for changed := true; changed; {
		changed = false
		say := func(v *ir.Value, t string) {
			if v.Block != nil && t != "" && h.typs[v] == "" {
				h.typs[v], changed = t, true
			}
		}
		for _, v := range all {
			for i, a := range v.Args {
				say(a, h.operandHalf(v, i))
			}
			switch v.Op {
			case ir.OpFToHalf, ir.OpHalfDiv, ir.OpHalfSqrt, ir.OpHalfFma:
				say(v, "Float16")
			case ir.OpLoad:
				say(v, h.elementHalf(v))
			case ir.OpPhi, ir.OpSelect, ir.OpUConvert:
				for _, a := range v.Args {
					say(v, h.typs[a])
				}
			}
		}
	}
	return h
}

// operandHalf returns the type of package half that operand i of instruction v must have, or
// "".
func (h *halfTypes) operandHalf(v *ir.Value, i int) string {
	switch v.Op {
	case ir.OpFFromHalf, ir.OpHalfDiv, ir.OpHalfSqrt, ir.OpHalfFma:
		return "Float16"
	case ir.OpStore:
		if i == 0 {
			return h.elementHalf(v)
		}
	case ir.OpSelect:
		if i > 0 {
			return h.typs[v]
		}
	case ir.OpPhi, ir.OpUConvert:
		return h.typs[v]
	}
	return ""
}

// If instruction v loads from or stores to a slice parameter, elementHalf returns the type
// of the slice's elements.
func (h *halfTypes) elementHalf(v *ir.Value) string {
	r := v.Ref()
	if r == nil || r.Var != nil {
		return ""
	}
	at := v.Path()[0]
	if at.Op != ir.OpArg {
		return ""
	}
	for _, p := range h.m.Params {
		if p.Kind == abi.Slice && at.Bits == uint64(abi.OffsetArgs+p.Offset) {
			name, _ := strings.CutPrefix(p.Type, "[]half.")
			return name
		}
	}
	return ""
}

// lineNote returns a comment for the line of instruction v. The comment lists the numbers of
// package half that v's constants represent.
func (h *halfTypes) lineNote(v *ir.Value) string {
	if v == nil {
		return ""
	}
	var notes []string
	for i, a := range v.Args {
		if text := halfNumbers[h.operandHalf(v, i)]; text != nil && a != nil && a.IsConst() {
			n := fmt.Sprintf("half.%s %s", h.operandHalf(v, i), text(uint16(a.Bits)))
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	if notes == nil {
		return ""
	}
	return " ; " + strings.Join(notes, ", ")
}

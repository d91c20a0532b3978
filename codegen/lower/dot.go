package lower

import (
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/ir"
)

// This file lowers package dsl's dot products of four 8-bit numbers.

func init() {
	signed, unsigned := types.Typ[types.Int8], types.Typ[types.Uint8]
	for _, d := range []struct {
		name    string
		a, b    types.Type
		op, sat ir.Op
	}{
		{"Dot4", signed, signed, ir.OpSDot, ir.OpSDotAccSat}, {"Dot4Unsigned", unsigned, unsigned, ir.OpUDot, ir.OpUDotAccSat},
		{"Dot4Mixed", signed, unsigned, ir.OpSUDot, ir.OpSUDotAccSat},
	} {
		add(dslPath+"."+d.name, func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
			dot, operands, acc := l.dot4(args, d.a, d.b)
			if dot == nil {
				return badVal{}
			}
			return l.i32(ir.OpIAdd, l.i32(d.op, append([]*ir.Value{dot}, operands...)...), acc)
		})
		add(dslPath+"."+d.name+"Saturating", func(l *lowerer, _ *ssa.Call, _ *ssa.Function, args []val) val {
			dot, operands, acc := l.dot4(args, d.a, d.b)
			if dot == nil {
				return badVal{}
			}
			named := func(sum *ir.Value) val {
				return l.i32(d.sat, append(append([]*ir.Value{sum}, operands...), acc)...)
			}
			sum := l.i32(ir.OpIAdd, dot, acc)
			is := func(op ir.Op, x, y *ir.Value) *ir.Value { return l.op(op, ir.TypeBool, x, y) }
			if d.a == unsigned {
				return named(l.i32(ir.OpSelect, is(ir.OpULt, sum, acc), l.m.Int(ir.TypeI32, -1), sum))
			}
			// The sum of two signed numbers wraps if its sign differs from the signs of both numbers.
			zero := l.m.Int(ir.TypeI32, 0)
			wraps := is(ir.OpSLt, l.i32(ir.OpAnd, l.i32(ir.OpXor, sum, dot), l.i32(ir.OpXor, sum, acc)), zero)
			edge := l.i32(ir.OpSelect, is(ir.OpSLt, acc, zero), l.m.Int(ir.TypeI32, math.MinInt32), l.m.Int(ir.TypeI32, math.MaxInt32))
			return named(l.i32(ir.OpSelect, wraps, edge, sum))
		})
	}
}

// dot4 returns the sum of four products. The result `operands` contains the eight factors, and the
// result `acc` is the accumulator. If an argument is a badVal, all results are nil.
func (l *lowerer) dot4(args []val, a, b types.Type) (dot *ir.Value, operands []*ir.Value, acc *ir.Value) {
	x, ok := args[0].(array)
	y, ok2 := args[1].(array)
	acc, ok3 := args[2].(*ir.Value)
	if !ok || !ok2 || !ok3 {
		return nil, nil, nil
	}
	operands = make([]*ir.Value, 8)
	for i := range 4 {
		at := l.m.Int(ir.TypeI32, int64(i))
		operands[i], operands[4+i] = l.loadScalar(x.at.atIndex(at), a), l.loadScalar(y.at.atIndex(at), b)
		product := l.i32(ir.OpIMul, operands[i], operands[4+i])
		if dot == nil {
			dot = product
			continue
		}
		dot = l.i32(ir.OpIAdd, dot, product)
	}
	return dot, operands, acc
}

package pass

// This file finds out how devices with matrix hardware run a kernel.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/internal/matrix"
)

// MatrixUse describes how a known device runs a kernel's operations on matrices.
type MatrixUse struct {
	Device string
	Why    string // the reason why matrix hardware is not used; "" if matrix hardware is used
	Tiles  []facts.Tile
}

// ExplainMatrices returns how known devices run the matrix operations of a lowered module.
// ExplainMatrices returns nil if the module has no matrices. ExplainMatrices does not change the
// module.
func ExplainMatrices(m *ir.Module) (uses []MatrixUse) {
	for _, d := range matrix.Known {
		c := m.Clone()
		r, diags := Run(c, ir.Target{Tuples: d.Tuples}, nil)
		u := MatrixUse{Device: d.Device, Tiles: r.Tiles}
		if len(diags) > 0 {
			u.Why = diags[0].Message
		}
		if c.Matrices {
			uses = append(uses, u)
		}
	}
	return uses
}

// MatrixMemory describes work-group memory that matrices need on devices without matrix hardware.
// Shape is the shape of the matrix that the memory contains if sub-groups have fewer than Below
// work-items. Shape is empty for memory that products use temporarily. Bytes is the size of the
// memory for each sub-group.
type MatrixMemory struct {
	Shape        string
	Below, Bytes int
}

// ExplainMatrixMemory returns the work-group memory that matrices need in the module m. All passes
// must have run on m.
func ExplainMatrixMemory(m *ir.Module) (mem []MatrixMemory) {
	for _, v := range m.Vars {
		if v.Words == 0 {
			continue
		}
		x := MatrixMemory{Bytes: v.Words * v.Type.Elem.Size}
		if v.Shape != nil {
			x.Shape, x.Below = v.Shape.String(), (v.Words+matrix.MaxHeld-1)/matrix.MaxHeld
		}
		mem = append(mem, x)
	}
	return mem
}

package pass

// This file finds out how devices with matrices of their own run a kernel.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/internal/matrix"
)

// MatrixUse says how a known device runs the matrices of a kernel.
type MatrixUse struct {
	Device string
	Why    string // the reason for the expanded form; "" if the device's own matrices are used
	Tiles  []facts.Tile
}

// ExplainMatrices returns how known devices run the matrices of a lowered module, or nil if it has
// none. The module does not change.
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

// MatrixMemory is work-group memory that expanded matrices take. Shape is the shape of the matrix
// that the memory holds if a work-group's sub-groups have fewer than Below work-items. An empty
// Shape means memory that products use in passing. Bytes is the size for each sub-group.
type MatrixMemory struct {
	Shape        string
	Below, Bytes int
}

// ExplainMatrixMemory returns the work-group memory of the matrices in a finished module.
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

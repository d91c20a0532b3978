package pass

// This file asks how devices with matrices of their own run a kernel.

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/internal/matrix"
)

// MatrixUse says how a known device runs a kernel's matrices.
type MatrixUse struct {
	Device string
	Why    string // the reason for the expanded form; "" if the device's own matrices are used
	Tiles  []facts.Tile
}

// ExplainMatrices returns how known devices run the matrices of a lowered module, or nil if it has none. The module stays
// as it is.
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

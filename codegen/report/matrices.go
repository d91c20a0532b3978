package report

// This file reports how devices with matrices of their own load and store a kernel's matrices.

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// MatrixUse says how a known device runs a kernel's matrices.
type MatrixUse struct {
	Device string `json:"device"`
	// Why is the reason for the expanded form; "" if the device's own matrices are used.
	Why   string       `json:"why,omitempty"`
	Tiles []MatrixTile `json:"tiles,omitempty"`
}

// MatrixTile is a load or store of a matrix.
type MatrixTile struct {
	Pos   diag.Pos `json:"pos"`
	Store bool     `json:"store,omitempty"`
	Shape string   `json:"shape"`
	Way   string   `json:"way"` // "direct", "tested" or "staged"
}

var tileWays = [...]string{facts.TileDirect: "direct", facts.TileTested: "tested", facts.TileStaged: "staged"}

var tileWords = map[string]string{
	"direct": "by the device: address and stride are sure to be aligned",
	"tested": "by the device if address and stride are aligned, which is tested, else element by element through work-group memory",
	"staged": "element by element through work-group memory",
}

// matrices describes a kernel's matrices.
func (s sourceText) matrices(r *pass.Report) []MatrixUse {
	var uses []MatrixUse
	for _, m := range r.Matrices {
		u := MatrixUse{Device: m.Device, Why: m.Why}
		for _, t := range m.Tiles {
			u.Tiles = append(u.Tiles, MatrixTile{s.pos(t.Op.Pos), t.Op.Op == ir.OpMatrixStore, t.Op.Matrices()[0].Type.Matrix.String(), tileWays[t.Way]})
		}
		uses = append(uses, u)
	}
	return uses
}

func writeMatrices(b *strings.Builder, uses []MatrixUse) {
	for _, u := range uses {
		if u.Why != "" {
			fmt.Fprintf(b, "\tmatrices, %s: expanded: %s\n", u.Device, u.Why)
			continue
		}
		fmt.Fprintf(b, "\tmatrices, %s: its own\n", u.Device)
		for _, t := range u.Tiles {
			verb := "load of"
			if t.Store {
				verb = "store of"
			}
			fmt.Fprintf(b, "\t%v: %s %s: %s\n", t.Pos, verb, t.Shape, tileWords[t.Way])
		}
	}
}

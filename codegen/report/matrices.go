package report

// This file describes how devices with their own matrix instructions load and store the matrices of
// a kernel.

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// MatrixUse describes how a known type of device runs the matrix operations of a kernel.
type MatrixUse struct {
	Device string `json:"device"`
	// The field Why is the reason for the expansion of matrix operations to scalar code. The field
	// Why is "" if the device's matrix instructions are used.
	Why   string       `json:"why,omitempty"`
	Tiles []MatrixTile `json:"tiles,omitempty"`
}

// MatrixTile describes a load or store of a matrix.
type MatrixTile struct {
	Pos   diag.Pos `json:"pos"`
	Store bool     `json:"store,omitempty"`
	Shape string   `json:"shape"`
	Way   string   `json:"way"` // "direct", "tested" or "staged"
}

// MatrixMemory describes work-group memory that matrix operations need after their expansion to
// scalar code.
type MatrixMemory struct {
	// Shape is the shape of the matrix that the memory contains, or "" for the memory of matrix
	// products. Memory for a matrix is used only on devices whose sub-groups have fewer than Below
	// work-items.
	Shape string `json:"shape,omitempty"`
	Below int    `json:"below,omitempty"`
	Bytes int    `json:"bytes"` // size in bytes for each sub-group
}

var tileWays = [...]string{facts.TileDirect: "direct", facts.TileTested: "tested", facts.TileStaged: "staged"}

var tileWords = map[string]string{
	"direct": "by the device: address and stride are sure to be aligned",
	"tested": "by the device if address and stride are aligned, which is tested, else element by element through work-group memory",
	"staged": "element by element through work-group memory",
}

// matrixUses describes the matrices of a kernel for each known type of device.
func (s sourceText) matrixUses(r *pass.Report) []MatrixUse {
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

func matrixMemory(r *pass.Report) (mem []MatrixMemory) {
	for _, x := range r.MatrixMemory {
		mem = append(mem, MatrixMemory(x))
	}
	return mem
}

// String describes the size and the purpose of the memory.
func (m MatrixMemory) String() string {
	if m.Shape == "" {
		return fmt.Sprintf("matrices, expanded: products take %d bytes of work-group memory for each sub-group", m.Bytes)
	}
	return fmt.Sprintf("matrices, expanded: a %s takes %d bytes of work-group memory for each sub-group if one has fewer than %d work-items", m.Shape, m.Bytes, m.Below)
}

// String tells whether the device's own matrix instructions are used, or why they are not used.
func (u MatrixUse) String() string {
	if u.Why != "" {
		return fmt.Sprintf("matrices, %s: expanded: %s", u.Device, u.Why)
	}
	return fmt.Sprintf("matrices, %s: its own", u.Device)
}

// String describes how the device executes the load or store.
func (t MatrixTile) String() string {
	verb := "load of"
	if t.Store {
		verb = "store of"
	}
	return fmt.Sprintf("%s %s: %s", verb, t.Shape, tileWords[t.Way])
}

func writeMatrices(b *strings.Builder, uses []MatrixUse, memory []MatrixMemory) {
	for _, m := range memory {
		fmt.Fprintf(b, "\t%v\n", m)
	}
	for _, u := range uses {
		fmt.Fprintf(b, "\t%v\n", u)
		for _, t := range u.Tiles {
			fmt.Fprintf(b, "\t%v: %v\n", t.Pos, t)
		}
	}
}

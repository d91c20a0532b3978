package link

// This file moves memory that is internal to a linked kernel into variables of the work-item or the
// work-group. Package memory does the same for kernels that declare internal memory. The checks of
// the indices stay. A variable that holds a single number becomes a value.

import (
	"fmt"

	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// internalize replaces the accesses of internal memory.
func (l *linker) internalize() error {
	own := func(param int) memory.Own {
		s := &l.slices[param]
		return memory.Own{PerItem: s.PerItem, Shared: s.Shared}
	}
	if !memory.OwnElements(l.m, own) {
		return nil
	}
	// The index into a work-item's elements becomes a constant by folding.
	diags := append(simplify.Clean(l.m), memory.SRoA(l.m)...)
	if diags = append(diags, rewrite.Mem2Reg(l.m)...); len(diags) > 0 {
		return fmt.Errorf("BUG: the linked kernel has diagnostics: %v", diags[0])
	}
	return nil
}

package link

// This file keeps memory that is internal to a linked kernel in variables of the work-item, or of
// the work-group, as package memory does it for kernels that say so themselves. The checks of the
// indices stay. Variables that hold one number each become values.

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
	// Which of several elements an index means is a constant once folded.
	diags := append(simplify.Clean(l.m), memory.SRoA(l.m)...)
	if diags = append(diags, rewrite.Mem2Reg(l.m)...); len(diags) > 0 {
		return fmt.Errorf("BUG: the linked kernel has diagnostics: %v", diags[0])
	}
	return nil
}

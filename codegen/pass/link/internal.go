package link

// This file replaces memory that is internal to a linked kernel by variables of the work-item or
// the work-group. Package memory replaces the internal slices that a single kernel declares. The
// checks of indices into internal memory are not removed. A variable that contains a single number
// becomes a value in SSA form.

import (
	"fmt"

	"github.com/kgen-go/kgen/codegen/pass/memory"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
	"github.com/kgen-go/kgen/codegen/pass/simplify"
)

// useVars replaces the accesses to internal memory by accesses to variables.
func (l *linker) useVars() error {
	own := func(param int) memory.Own {
		s := &l.sliceInfo[param]
		return memory.Own{PerItem: s.PerItem, Shared: s.Shared}
	}
	if !memory.OwnElements(l.m, own) {
		return nil
	}
	// simplify.Clean turns the indices of accesses to work-items' variables into constants.
	diags := append(simplify.Clean(l.m), memory.SRoA(l.m)...)
	if diags = append(diags, rewrite.Mem2Reg(l.m)...); len(diags) > 0 {
		return fmt.Errorf("BUG: the linked kernel has diagnostics: %v", diags[0])
	}
	return nil
}

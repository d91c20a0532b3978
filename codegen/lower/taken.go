package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/ir"
)

// take notes which memory a call or a field of the kernel reserves. Variables may hold
// slices and pointers of several such memories.
//
// Work-group memory has no home: it is the same in all rounds of a loop, so no pointer
// keeps that of an earlier round.
func (l *lowerer) take(c *cell, at *path) {
	l.owners[c.mem.v] = c
	c.inst = at
	l.declared[at] = c
	l.choices.taken[at] = true
}

// takenAhead returns the work-group memory that a variable of the lowering before is, ahead
// of the call that reserves it: a loop may use the memory in its next round. It returns nil
// for memory whose length is not a constant.
func (l *lowerer) takenAhead(old *cell) *cell {
	v := old.mem.v
	if old.private || v.Storage != ir.Workgroup || !constantSizes(v.Type) {
		return nil
	}
	c := &cell{typ: old.typ, cls: classArray, mem: mem{v: l.m.NewVar(nil, ir.Workgroup, v.Name, l.translateType(v.Type))}, decl: old.decl, name: old.name}
	l.take(c, old.inst)
	return c
}

// constantSizes reports whether all lengths in a type are constants.
func constantSizes(t *ir.Type) bool {
	switch t.Kind {
	case ir.Array:
		return t.Len.IsConst() && constantSizes(t.Elem)
	case ir.Struct:
		for _, f := range t.Fields {
			if !constantSizes(f.Type) {
				return false
			}
		}
	}
	return true
}

// assigned returns the name of the variable that a call's result is assigned to, or "".
func assigned(in *ssa.Call) string {
	for _, r := range *in.Referrers() {
		if d, ok := r.(*ssa.DebugRef); ok {
			if v, ok := d.Object().(*types.Var); ok {
				return v.Name()
			}
		}
	}
	return ""
}

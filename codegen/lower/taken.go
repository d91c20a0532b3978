package lower

// This file manages memory that is reserved by calls and accessors.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/ir"
)

// registerMemory registers cell c as memory that a call or a field of the kernel reserves. A
// variable may hold slices of, and pointers to, several registered cells.
//
// For work-group memory, registerMemory records no declaring block. All iterations of a loop use
// the same work-group memory, so no pointer can refer to an earlier iteration's memory.
func (fs *foresight) registerMemory(c *cell, at *callPath) {
	fs.carried.owners[c.mem.v] = c
	c.inst = at
	fs.declared[at] = c
	fs.carried.taken[at] = true
}

// takenAhead returns the work-group memory that corresponds to cell "old" of the previous lowering.
// takenAhead makes the memory before the reserving call is lowered, because the loop's next
// iteration may use the memory. takenAhead returns nil if the length depends on specialization
// constants that have not been read yet.
func (l *lowerer) takenAhead(old *cell) *cell {
	v := old.mem.v
	if old.private || v.Storage != ir.Workgroup {
		return nil
	}
	t := v.Type
	if t.Kind == ir.Array {
		n := l.constHere(t.Len)
		if n == nil {
			return nil
		}
		t = l.m.ArrayOf(l.translateType(t.Elem), n)
	} else {
		t = l.translateType(t)
	}
	c := &cell{typ: old.typ, cls: classArray, mem: mem{v: l.m.NewVar(nil, ir.Workgroup, v.Name, t)}, decl: old.decl, name: old.name}
	l.foresight.registerMemory(c, old.inst)
	return c
}

// constHere rebuilds a constant expression of the previous lowering in the current module.
// constHere returns nil if a specialization constant in the expression has not been read yet.
func (w *builder) constHere(v *ir.Value) *ir.Value {
	if v.IsConst() {
		return w.m.Const(v.Type, v.Bits)
	}
	if old, ok := v.Aux.(*ir.Spec); ok {
		for _, s := range w.m.Specs {
			if s.Name == old.Name && s.Type == old.Type && (s.User == nil) == (old.User == nil) && (s.User == nil || s.User.Name == old.User.Name) {
				return w.m.SpecValue(s)
			}
		}
		return nil
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		if args[i] = w.constHere(a); args[i] == nil {
			return nil
		}
	}
	return w.m.ConstExpr(v.Op, v.Type, args...)
}

// assignedName returns the name of the variable to which the result of a call is assigned, or "".
func assignedName(in *ssa.Call) string {
	for _, r := range *in.Referrers() {
		if d, ok := r.(*ssa.DebugRef); ok {
			if v, ok := d.Object().(*types.Var); ok {
				return v.Name()
			}
		}
	}
	return ""
}

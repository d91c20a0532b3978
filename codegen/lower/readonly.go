package lower

// This file checks that a kernel does not write to constant memory.

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// writeChecker records a kernel's writes, and checks that no write reaches constant memory.
type writeChecker struct {
	*reporter
	tables  *constTables
	written map[any]*ir.Value       // last written address of each instruction; a key identifies an instruction of an inlined call
	stores  map[*ir.Var][]*ir.Value // maps each variable to the stored values; computed after lowering
}

// recordWrite records a write to memory m. recordWrite reports an error if m belongs to a
// package-level variable. A table in the module cannot be written, and constant data is shared by
// all launches. For memory that a pointer or slice refers to, the check runs after lowering, when
// all stores are known.
func (ro *writeChecker) recordWrite(m mem) {
	if !m.device() {
		if m.v.Storage == ir.Private {
			ro.writesGlobal()
		}
		return
	}
	key := [2]any{ro.frame, ro.frame.cur}
	if ro.written[key] == m.addr {
		return
	}
	ro.written[key] = m.addr
	ro.atEnd(func() {
		if ro.tables.base != nil && ro.inTable(m.addr) {
			ro.writesGlobal()
		}
	})
}

// writesGlobal reports an error for a write to a package-level variable.
func (r *reporter) writesGlobal() {
	r.addDiag(diag.GlobalVar, r.pos, "copy it to a variable of the kernel, and change that",
		"this may write to a package-level variable, or to what one points to, which no kernel can")
}

// inTable reports whether an address may be in the kernel's constant data. Callers must wait until
// all stores are lowered.
func (ro *writeChecker) inTable(addr *ir.Value) bool {
	seen := map[*ir.Value]bool{}
	work := []*ir.Value{addr}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		r, _ := v.Aux.(*ir.Ref)
		switch {
		case v == ro.tables.base:
			return true
		case v.Op == ir.OpLoad && r != nil && r.Var != nil:
			work = append(work, ro.storesTo(r.Var)...)
		case v.Op == ir.OpAddrOf, v.Op == ir.OpSelect:
			for _, a := range v.Args {
				if a.Type == ir.TypeAddr {
					work = append(work, a)
				}
			}
		}
	}
	return false
}

// storesTo returns the values that are stored in a variable. Callers must wait until all stores are
// lowered.
func (ro *writeChecker) storesTo(v *ir.Var) []*ir.Value {
	if ro.stores == nil {
		ro.stores = map[*ir.Var][]*ir.Value{}
		for _, b := range ro.f.Blocks {
			for _, in := range b.Insts {
				if r, ok := in.Aux.(*ir.Ref); ok && in.Op == ir.OpStore && r.Var != nil && len(in.Args) == 1 {
					ro.stores[r.Var] = append(ro.stores[r.Var], in.Args[0])
				}
			}
		}
	}
	return ro.stores[v]
}

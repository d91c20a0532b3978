package lower

import (
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// changes notes that memory is written, which must be no package-level variable's: that of
// the module cannot be written, and constant data is all launches'. What a pointer or slice
// may lead to is known at the end.
func (l *lowerer) changes(m mem) {
	if !m.device() {
		if m.v.Storage == ir.Private {
			l.writesGlobal()
		}
		return
	}
	key := [2]any{l.frame, l.frame.cur}
	if l.written[key] == m.addr {
		return
	}
	l.written[key] = m.addr
	l.atEnd(func() {
		if l.dataBase != nil && l.inTable(m.addr) {
			l.writesGlobal()
		}
	})
}

// writesGlobal reports what is written where it cannot be.
func (r *reporter) writesGlobal() {
	r.report(diag.GlobalVar, r.pos, "copy it to a variable of the kernel, and change that",
		"this may write to a package-level variable, or to what one points to, which no kernel can")
}

// inTable reports whether an address may be in the kernel's constant data. It is for when
// all is lowered.
func (l *lowerer) inTable(addr *ir.Value) bool {
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
		case v == l.dataBase:
			return true
		case v.Op == ir.OpLoad && r != nil && r.Var != nil:
			work = append(work, l.storesTo(r.Var)...)
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

// storesTo returns what is stored in a variable, when all is lowered.
func (l *lowerer) storesTo(v *ir.Var) []*ir.Value {
	if l.stores == nil {
		l.stores = map[*ir.Var][]*ir.Value{}
		for _, b := range l.f.Blocks {
			for _, in := range b.Insts {
				if r, ok := in.Aux.(*ir.Ref); ok && in.Op == ir.OpStore && r.Var != nil && len(in.Args) == 1 {
					l.stores[r.Var] = append(l.stores[r.Var], in.Args[0])
				}
			}
		}
	}
	return l.stores[v]
}

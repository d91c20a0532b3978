package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

func init() {
	for _, t := range []string{"Int32", "Uint32", "Int64", "Uint64"} {
		add("sync/atomic.Add"+t, atomicAdd)
	}
}

// atomicAdd lowers sync/atomic's AddT(p, d), which returns the new value.
func atomicAdd(l *lowerer, in *ssa.Call, _ *ssa.Function, args []val) val {
	p, ok1 := args[0].(pointer)
	d, ok2 := args[1].(*ir.Value)
	if !ok1 || !ok2 {
		return l.zero(in.Type())
	}
	t := in.Type()
	var old *ir.Value
	switch r := l.deref(p).(type) {
	case mem:
		if r.v != nil && r.v.Storage != ir.Workgroup {
			l.errorf(diag.Type, in.Pos(), "use plain arithmetic", "private memory is no one else's: an atomic operation on it is an error")
			return l.zero(t)
		}
		old = l.op(ir.OpAtomicIAdd, d.Type, append([]*ir.Value{d}, r.args()...)...)
		old.Aux = r.auxRef()
	case *cell:
		// A work-item's own variable: nobody else sees it.
		old, _ = l.loadCell(r).(*ir.Value)
		if old == nil {
			return l.zero(t)
		}
		l.storeCell(r, l.op(ir.OpIAdd, d.Type, old, d))
	default:
		return l.zero(t)
	}
	return l.op(ir.OpIAdd, d.Type, old, d)
}

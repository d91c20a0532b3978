package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
)

// stringIter is the state of a range over a string: the number of the next rune.
type stringIter struct {
	s string
	n *ir.Var
}

func (l *lowerer) rangeString(in *ssa.Range) val {
	if t, ok := l.get(in.X).(text); ok {
		at := l.m.NewVar(l.f, ir.Function, "rune", ir.TypeI64)
		l.storeVar(at, l.m.Int(ir.TypeI64, 0))
		return textIter{t, at}
	}
	s, ok := l.get(in.X).(str)
	if !ok {
		return l.unsupported(in)
	}
	n := l.m.NewVar(l.f, ir.Function, "rune", ir.TypeI32)
	l.storeVar(n, l.m.Int(ir.TypeI32, 0))
	return stringIter{s.s, n}
}

// nextRune lowers a step of a range over a string: whether there is another
// rune, where it begins, and the rune.
func (l *lowerer) nextRune(in *ssa.Next) val {
	if it, ok := l.get(in.Iter).(textIter); ok {
		return l.nextTextRune(it)
	}
	it, ok := l.get(in.Iter).(stringIter)
	if !ok {
		return l.lost(in.Type())
	}
	var starts, runes []int64
	for i, r := range it.s {
		starts, runes = append(starts, int64(i)), append(runes, int64(r))
	}
	zero := l.m.Int(ir.TypeI32, 0)
	if len(runes) == 0 {
		return tuple{[]val{l.m.Bool(false), l.m.Int(ir.TypeI64, 0), zero}}
	}
	n := l.loadVar(it.n)
	more := l.op(ir.OpULt, ir.TypeBool, n, l.m.Int(ir.TypeI32, int64(len(runes))))
	l.storeVar(it.n, l.op(ir.OpIAdd, ir.TypeI32, n, l.m.Int(ir.TypeI32, 1)))
	i := l.op(ir.OpSelect, ir.TypeI32, more, n, zero)
	start := i
	if len(runes) < len(it.s) {
		start = l.loadVarAt(l.numbers("starts "+it.s, starts), i)
	}
	r := l.loadVarAt(l.numbers("runes "+it.s, runes), i)
	return tuple{[]val{more, l.op(ir.OpUConvert, ir.TypeI64, start), r}}
}

// loadVarAt loads an element of a table of numbers.
func (l *lowerer) loadVarAt(m mem, i *ir.Value) *ir.Value {
	v := l.op(ir.OpLoad, ir.TypeI32, m.at(i).args()...)
	v.Aux = m.at(i).auxRef()
	return v
}

// bytesOrRunes lowers []byte(s) and []rune(s).
func (l *lowerer) bytesOrRunes(s string, runes bool) val {
	var ns []int64
	if runes {
		for _, r := range s {
			ns = append(ns, int64(r))
		}
	} else {
		for i := range len(s) {
			ns = append(ns, int64(s[i]))
		}
	}
	if len(ns) > maxVar/4 {
		l.errorf(diag.TooLarge, l.pos, "use a package-level string", "a string of %d bytes is too large for a work-item's memory", len(s))
		ns = ns[:1]
	}
	count := l.m.Int(ir.TypeI64, int64(len(ns)))
	v := l.m.NewVar(l.f, ir.Function, "text", l.m.ArrayOf(ir.TypeI32, l.m.Int(ir.TypeI32, int64(max(len(ns), 1)))))
	// Each time it runs it makes new ones.
	at := l.place()
	l.owners[v] = &cell{typ: types.NewSlice(types.Typ[types.Uint8]), cls: classArray, mem: mem{v: v}, home: &at, decl: l.frame.cur, anew: l.frame.inRound(at.block)}
	if len(ns) > 0 {
		name := "string " + s
		if runes {
			name = "runes " + s
		}
		table := l.numbers(name, ns)
		l.loop(l.m.Int(ir.TypeI32, int64(len(ns))), func(i *ir.Value) {
			st := l.op(ir.OpStore, ir.TypeVoid, l.loadVarAt(table, i), i)
			st.Aux = &ir.Ref{Var: v}
		})
	}
	return slice{at: mem{v: v}, off: l.m.Int(ir.TypeI64, 0), len: count, cap: count}
}

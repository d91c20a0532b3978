package ir

// This file assigns new ids to a module's values.

// Renumber assigns new ids to values, variables and blocks in their order in the module. Renumber
// also removes unused constants. A pass may choose between equally good transformations by
// comparing ids. After Renumber, a module has the same ids as a copy that Parse reads from the
// module's text. So each pass transforms the module and the copy in the same way.
func (m *Module) Renumber() {
	r := &renumberer{m: m, seen: map[*Value]bool{}}
	consts := m.consts
	m.consts, m.exprs = map[constKey]*Value{}, nil
	m.nextID = 0
	for _, v := range m.Vars {
		r.variable(v)
	}
	for _, f := range append([]*Func{m.Kernel}, m.Helpers...) {
		r.fn(f)
	}
	for k, v := range consts {
		if r.seen[v] {
			m.consts[k] = v
		}
	}
}

type renumberer struct {
	m    *Module
	seen map[*Value]bool
}

func (r *renumberer) next() int {
	r.m.nextID++
	return r.m.nextID
}

func (r *renumberer) variable(v *Var) {
	r.numberType(v.Type)
	for _, c := range v.Init {
		r.numberExpr(c)
	}
	v.ID = r.next()
}

// numberType numbers the values that are array lengths in type t.
func (r *renumberer) numberType(t *Type) {
	if t.Len != nil {
		r.numberExpr(t.Len)
	}
	if t.Elem != nil {
		r.numberType(t.Elem)
	}
	for _, f := range t.Fields {
		r.numberType(f.Type)
	}
}

// numberExpr numbers the arguments of a constant expression and then the expression.
func (r *renumberer) numberExpr(v *Value) {
	if r.seen[v] {
		return
	}
	r.seen[v] = true
	for _, a := range v.Args {
		r.numberExpr(a)
	}
	v.ID = r.next()
	if v.Op != OpConst {
		r.m.exprs = append(r.m.exprs, v)
	}
}

func (r *renumberer) fn(f *Func) {
	for _, v := range f.Vars {
		r.variable(v)
	}
	for _, v := range f.Params {
		r.seen[v] = true
		v.ID = r.next()
	}
	for i, b := range f.Blocks {
		b.ID = i
		for _, vs := range [2][]*Value{b.Phis, b.Insts} {
			for _, v := range vs {
				v.ID = r.next()
				if ref := v.Ref(); ref != nil && ref.Elem != nil {
					r.numberType(ref.Elem)
				}
			}
		}
	}
	f.nextBl = len(f.Blocks)
	for _, b := range f.Blocks {
		for _, vs := range [2][]*Value{b.Phis, b.Insts} {
			for _, v := range vs {
				r.operands(v.Args...)
			}
		}
		if b.Term.Cond != nil {
			r.operands(b.Term.Cond)
		}
	}
}

func (r *renumberer) operands(args ...*Value) {
	for _, a := range args {
		if a.Block == nil && a.Op != OpInvalid {
			r.numberExpr(a)
		}
	}
}

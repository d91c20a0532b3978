package ir

// This file numbers a module's values anew.

// Renumber gives values, variables and blocks the ids that follow from their places alone, and
// forgets constants that nothing uses. Passes choose by ids where choices are equally good; so
// they do the same to a module and to one that is read from its text, if both are renumbered.
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
	r.typ(v.Type)
	for _, c := range v.Init {
		r.outside(c)
	}
	v.ID = r.next()
}

// typ numbers the lengths of the arrays in a type.
func (r *renumberer) typ(t *Type) {
	if t.Len != nil {
		r.outside(t.Len)
	}
	if t.Elem != nil {
		r.typ(t.Elem)
	}
	for _, f := range t.Fields {
		r.typ(f.Type)
	}
}

// outside numbers a value that stands in no block, behind those that it is made of.
func (r *renumberer) outside(v *Value) {
	if r.seen[v] {
		return
	}
	r.seen[v] = true
	for _, a := range v.Args {
		r.outside(a)
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
					r.typ(ref.Elem)
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
			r.outside(a)
		}
	}
}

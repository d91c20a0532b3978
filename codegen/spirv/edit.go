package spirv

// This file adds instructions to parsed modules.

import "slices"

// Editor adds instructions to a parsed module.
type Editor struct {
	m     *Module
	types map[ID]ID           // type of each value
	defs  map[ID]*Instruction // definitions of types and constants
}

// Edit returns an editor of m.
func Edit(m *Module) *Editor {
	e := &Editor{m: m, types: map[ID]ID{}, defs: map[ID]*Instruction{}}
	for i := range m.Globals {
		in := m.Globals[i]
		e.defs[in.Result] = &in
	}
	m.All(func(in *Instruction) bool {
		if in.Result != 0 && in.Type != 0 {
			e.types[in.Result] = in.Type
		}
		return true
	})
	return e
}

// NewID returns an id that the module does not use.
func (e *Editor) NewID() ID {
	e.m.Bound++
	return ID(e.m.Bound - 1)
}

// Global returns the id of a type or constant, and adds the declaration if the module has none.
func (e *Editor) Global(op Op, typ ID, words ...uint32) ID {
	for _, in := range e.m.Globals {
		if in.Op == op && in.Type == typ && slices.Equal(in.Words, words) {
			return in.Result
		}
	}
	in := Instruction{Op: op, Type: typ, Result: e.NewID(), Words: words}
	e.m.Globals = append(e.m.Globals, in)
	e.defs[in.Result] = &in
	return in.Result
}

// Capability declares a capability if the module does not declare it yet.
func (e *Editor) Capability(c Capability) {
	if !e.m.HasCapability(c) {
		e.m.Capabilities = append(e.m.Capabilities, Instruction{Op: OpCapability, Words: []uint32{uint32(c)}})
	}
}

// Decorate adds a decoration to the value with the given id.
func (e *Editor) Decorate(id ID, d Decoration) {
	e.m.Annotations = append(e.m.Annotations, Instruction{Op: OpDecorate, Words: []uint32{uint32(id), uint32(d)}})
}

// TypeOf returns the type of the value with the given id, or 0 if there is no such value.
func (e *Editor) TypeOf(id ID) ID { return e.types[id] }

// Float returns the width of the floats in type t, and the number of floats. The number of floats is 1
// for a scalar type, and the number of components for a vector type. If t is not a type of floats, the
// width is 0.
func (e *Editor) Float(t ID) (width, lanes uint32) {
	def := e.defs[t]
	switch {
	case def == nil:
		return 0, 0
	case def.Op == OpTypeFloat && len(def.Words) == 1: // excludes BFloat16
		return def.Words[0], 1
	case def.Op == OpTypeVector:
		width, _ = e.Float(ID(def.Words[0]))
		return width, def.Words[1]
	}
	return 0, 0
}

// Code is a list of new instructions.
type Code struct {
	e    *Editor
	List []Instruction
}

// NewCode returns an empty list of instructions.
func (e *Editor) NewCode() *Code { return &Code{e: e} }

// Op adds an instruction to the list, and returns the id of its result. If typ is 0, the instruction has
// no result.
func (c *Code) Op(op Op, typ ID, words ...ID) ID {
	in := Instruction{Op: op, Type: typ}
	if typ != 0 {
		in.Result = c.e.NewID()
		c.e.types[in.Result] = typ
	}
	for _, w := range words {
		in.Words = append(in.Words, uint32(w))
	}
	c.List = append(c.List, in)
	return in.Result
}

// Last sets the result of the last instruction in the list to an id that the module already uses.
func (c *Code) Last(id ID) { c.List[len(c.List)-1].Result = id }

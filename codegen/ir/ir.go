package ir

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/properties"
)

// Pos is a position in the source. The file is relative to its module, or under
// its import path.
type Pos struct {
	File      string
	Line, Col int
}

// String prints file:line:col, or "-".
func (p Pos) String() string {
	if p.File == "" {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Level is how far a module has come; see the package documentation.
type Level uint8

const (
	Built Level = iota
	Structured
	Legal
)

// String returns the level's name.
func (l Level) String() string { return [...]string{"built", "structured", "legal"}[l] }

// Module is one kernel.
type Module struct {
	Name    string
	Level   Level
	Form    abi.Form
	Rank    int
	Items   int // work-items per invocation along x
	Kernel  *Func
	Helpers []*Func
	Vars    []*Var // Workgroup and Private
	// Privates has the work-items' memory whose size specialization constants set.
	Privates []abi.Private
	Specs    []*Spec
	Sites    []*Site
	Params   []abi.Param
	ArgSize  int
	Spilled  bool
	// Uses says where aspects are used, as far as lowering knows.
	Uses []AspectUse
	// Variables are the package-level variables that have to be as they were, and Unwatched
	// those of which nothing can say so.
	Variables []abi.Variable
	Unwatched []string
	// Data is constant data in device memory; its address is the argument at
	// DataOffset, if there is any.
	Data       []byte
	DataOffset int
	// Prints are the calls that print, and PrintTexts the strings that they refer to.
	Prints     []abi.PrintSite
	PrintTexts string
	// WorkGroup is the work-group size along x, y, z if the kernel fixes it.
	WorkGroup [3]int
	// UsesGroup says that the kernel has Sync ops.
	UsesGroup bool
	// Matrices says that pass matrices has written out uses of some.
	Matrices bool
	// NoAlias says that no two slices of a launch overlap where one of them is written.
	NoAlias bool
	// Target is what the module is made for. Lowering, parsing and linking set as much of it as
	// the kernel's own text says; pass.Run adds the target that it is called with. No pass changes it.
	Target Target
	// Disabled has what passes leave out, such as "quirk/rotation"; see quirks.CheckDisabled.
	Disabled []string
	// Float is the kernel's floating-point mode.
	Float properties.FloatMode

	nextID  int
	consts  map[constKey]*Value
	exprs   []*Value // specialization-constant expressions, in order of creation
	arrays  map[arrayKey]*Type
	structs map[string]*Type
}

// NewModule returns an empty module.
func NewModule(name string) *Module {
	return &Module{
		Name:    name,
		Items:   1,
		consts:  map[constKey]*Value{},
		arrays:  map[arrayKey]*Type{},
		structs: map[string]*Type{},
	}
}

// AspectUse is a place where an aspect is used, or, if Required, a function whose
// directive lists it. In is the function there; Func is the function on the way
// whose directive does not list the aspect, or "" for the kernel as a whole.
type AspectUse struct {
	Aspect   properties.Aspect
	Required bool
	Func, In string
	Pos      Pos
	Calls    []CallSite // that lead there, the innermost first
}

// CallSite is a call that was inlined.
type CallSite struct {
	Caller string
	Pos    Pos
}

// Func is a function without results. Blocks[0] is the entry and has no
// predecessors.
type Func struct {
	Name   string
	Module *Module
	Params []*Value // of a helper
	Vars   []*Var   // Function variables
	Blocks []*Block
	nextBl int
}

// Storage is where a Var lives.
type Storage uint8

const (
	// Function memory belongs to one work-item and is zeroed by Zero or stores.
	Function Storage = iota
	// Workgroup memory belongs to a work-group.
	Workgroup
	// Private memory is module-scope; kgen uses it for read-only tables.
	Private
)

// String returns the storage class as SPIR-V spells it.
func (s Storage) String() string { return [...]string{"Function", "Workgroup", "Private"}[s] }

// Var is memory with a root of its own.
type Var struct {
	ID      int
	Name    string
	Storage Storage
	Type    *Type
	// Init holds the scalar leaves of a read-only Private table, in memory
	// order, as constants.
	Init []*Value
	// Accessor is the index of the local accessor that this Workgroup variable
	// stands for, or -1.
	Accessor int
	// Expr is the length of a Workgroup array that specialization constants set.
	Expr abi.Expr
	// Words, if not zero, is how many elements each sub-group has of a Workgroup array that products of
	// matrices go through.
	Words int
	// Shape is that of the matrix that lies in the Workgroup array if work-items would hold too many elements, or nil.
	Shape *matrix.Shape
}

// Spec is a scalar specialization constant.
type Spec struct {
	ID      uint32
	Name    string
	Type    *Type
	Default uint64
	// User is the row of a constant that the user declared, or nil.
	User *abi.SpecConstant
}

// Site is a place that may fault.
type Site struct {
	Index   int
	Kind    abi.FaultKind
	Pos     Pos
	Message string
	// Unsigned says that the first value that the fault records is a uint64.
	Unsigned bool
	// Part is the number of the kernel in a linked module that the site is of. Each part has a
	// fault record of its own.
	Part int
}

// Scope is the group that a Sync op meets, or whose members a fence is about.
type Scope uint8

const (
	ScopeWorkGroup Scope = iota
	ScopeSubGroup
	ScopeDevice // of fences only
)

// String returns the scope's name.
func (s Scope) String() string { return [...]string{"WorkGroup", "SubGroup", "Device"}[s] }

// BuiltIn is a component of a SPIR-V BuiltIn variable.
type BuiltIn uint8

// The built-ins, three components each where they are vectors.
const (
	GlobalInvocationIDX BuiltIn = iota
	GlobalInvocationIDY
	GlobalInvocationIDZ
	LocalInvocationIDX
	LocalInvocationIDY
	LocalInvocationIDZ
	WorkgroupIDX
	WorkgroupIDY
	WorkgroupIDZ
	LocalInvocationIndex
	SubgroupSize
	NumSubgroups
	SubgroupID
	SubgroupLocalInvocationID
	// SubgroupLocalRange is none of SPIR-V's: the number of invocations that the
	// sub-group has.
	SubgroupLocalRange
	NumBuiltIns
)

var builtInNames = [...]string{
	"GlobalInvocationId.x", "GlobalInvocationId.y", "GlobalInvocationId.z",
	"LocalInvocationId.x", "LocalInvocationId.y", "LocalInvocationId.z",
	"WorkgroupId.x", "WorkgroupId.y", "WorkgroupId.z",
	"LocalInvocationIndex", "SubgroupSize", "NumSubgroups", "SubgroupId", "SubgroupLocalInvocationId",
	"SubgroupLocalRange",
}

// String returns the name as SPIR-V spells it, with the component.
func (b BuiltIn) String() string { return builtInNames[b] }

// Ref is a reference to memory. With a Var, the value's path arguments index
// the variable's type; without one they are a device address, an element index
// and a path into Elem.
type Ref struct {
	Var  *Var
	Elem *Type
}

// Copy is the auxiliary of CopyVar.
type Copy struct{ Dst, Src *Var }

// Value is one operation and its result.
type Value struct {
	ID    int
	Op    Op
	Type  *Type // TypeVoid where there is no result
	Args  []*Value
	Bits  uint64
	Aux   any
	Pos   Pos
	Block *Block // nil for constants and helper parameters
}

// Block is a basic block: phis, then other values, then the terminator.
type Block struct {
	ID    int
	Func  *Func
	Phis  []*Value
	Insts []*Value
	Term  Term
	Preds []*Block // in the order of phi arguments

	// At level Structured: a loop header has Merge and Continue, the header of
	// a selection has Merge.
	Merge, Continue *Block
	// Unroll asks the driver to unroll the loop whose header this is.
	Unroll bool
	// Cold says that the block hardly ever runs: it is there for the few that fail.
	Cold bool
	// Loop is where the loop is in the source whose header this is. Only texts with
	// PrintOptions.Kept have it.
	Loop Pos
}

// TermKind is the kind of a terminator.
type TermKind uint8

const (
	Invalid TermKind = iota
	Jump             // to Succs[0]
	Branch           // to Succs[0] if Cond, else to Succs[1]
	Return
	Unreachable
)

// String returns the kind's printed name.
func (k TermKind) String() string {
	return [...]string{"Invalid", "Jump", "Branch", "Return", "Unreachable"}[k]
}

// Term ends a block.
type Term struct {
	Kind  TermKind
	Cond  *Value
	Succs []*Block
	Pos   Pos
	// Early says of a Return that it is a return statement, and not the end of the
	// kernel that the rest of its code leads to. Up to pass exits it says so of a Jump, too,
	// which leads out of a function that the kernel calls.
	Early bool
}

// Ref returns the value's memory reference, or nil.
func (v *Value) Ref() *Ref {
	switch a := v.Aux.(type) {
	case *Ref:
		return a
	case *Tile:
		if a != nil {
			return a.Mem
		}
	}
	return nil
}

// Path returns the arguments of a memory op that are its path; in device memory
// the address and the element index come first.
func (v *Value) Path() []*Value { return v.Args[v.Op.pathStart():] }

// IsConst reports whether v is a plain constant.
func (v *Value) IsConst() bool { return v.Op == OpConst }

// Int returns a constant's value, sign-extended.
func (v *Value) Int() int64 {
	s := 64 - v.Type.Bits()
	return int64(v.Bits<<s) >> s
}

type constKey struct {
	t    *Type
	bits uint64
}

// Len returns the number of values made so far, as a measure of the module's size.
func (m *Module) Len() int { return m.nextID }

func (m *Module) newValue(op Op, t *Type, args ...*Value) *Value {
	m.nextID++
	return &Value{ID: m.nextID, Op: op, Type: t, Args: slices.Clone(args)}
}

// Const returns the scalar constant of type t with the given bits, of which
// those past the type's width are dropped.
func (m *Module) Const(t *Type, bits uint64) *Value {
	if n := t.Bits(); n < 64 {
		bits &= 1<<n - 1
	}
	k := constKey{t, bits}
	v := m.consts[k]
	if v == nil {
		v = m.newValue(OpConst, t)
		v.Bits = bits
		m.consts[k] = v
	}
	return v
}

// Outside returns a scalar constant that is in no module, for an analysis to compare values
// with: Const would add it to the module. No value of a module may have it as an argument.
func Outside(t *Type, bits uint64) *Value { return NewModule("").Const(t, bits) }

// Int returns an integer constant.
func (m *Module) Int(t *Type, n int64) *Value { return m.Const(t, uint64(n)) }

// True and False return the boolean constants.
func (m *Module) Bool(b bool) *Value {
	if b {
		return m.Const(TypeBool, 1)
	}
	return m.Const(TypeBool, 0)
}

// SpecValue returns the value of a specialization constant, one per constant.
func (m *Module) SpecValue(s *Spec) *Value {
	for _, v := range m.exprs {
		if v.Op == OpSpecConst && v.Aux == s {
			return v
		}
	}
	v := m.newValue(OpSpecConst, s.Type)
	v.Aux = s
	m.exprs = append(m.exprs, v)
	return v
}

// ReservedSpec returns the specialization constant with a reserved id that the runtime sets
// itself. Modules that use it have it in their list.
func (m *Module) ReservedSpec(id uint32, name string, t *Type, byDefault uint64) *Value {
	for _, s := range m.Specs {
		if s.ID == id && s.User == nil {
			return m.SpecValue(s)
		}
	}
	s := &Spec{ID: id, Name: name, Type: t, Default: byDefault}
	m.Specs = append(m.Specs, s)
	return m.SpecValue(s)
}

// ConstExpr returns op applied to constant expressions, itself a constant
// expression that is folded when the kernel is specialized.
func (m *Module) ConstExpr(op Op, t *Type, args ...*Value) *Value {
	for _, v := range m.exprs {
		if v.Op == op && v.Type == t && sameValues(v.Args, args) {
			return v
		}
	}
	v := m.newValue(op, t, args...)
	m.exprs = append(m.exprs, v)
	return v
}

// IsConstExpr reports whether v stands outside of blocks: a constant, a
// specialization constant or an expression of them.
func (v *Value) IsConstExpr() bool {
	return v.Block == nil && (v.Op.Has(FlagConst) || v.Op.Has(FlagFold))
}

func sameValues(a, b []*Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// ConstExprs returns the specialization-constant expressions in an order in
// which arguments come before their uses.
func (m *Module) ConstExprs() []*Value { return m.exprs }

// NewVar adds a variable: a Function variable to f, others to the module.
func (m *Module) NewVar(f *Func, s Storage, name string, t *Type) *Var {
	m.nextID++
	v := &Var{ID: m.nextID, Name: name, Storage: s, Type: t, Accessor: -1}
	if s == Function {
		f.Vars = append(f.Vars, v)
	} else {
		m.Vars = append(m.Vars, v)
	}
	return v
}

// NewSite adds a fault site, or returns an equal one.
func (m *Module) NewSite(k abi.FaultKind, pos Pos, message string, unsigned bool) *Site {
	is := Site{Kind: k, Pos: pos, Message: message, Unsigned: unsigned}
	for _, s := range m.Sites {
		if is.Index = s.Index; *s == is {
			return s
		}
	}
	is.Index = len(m.Sites)
	m.Sites = append(m.Sites, &is)
	return &is
}

// NewFunc returns a function with an empty entry block. It is not yet one of
// the module's Helpers.
func (m *Module) NewFunc(name string) *Func {
	f := &Func{Name: name, Module: m}
	f.NewBlock()
	return f
}

// NewParam adds a parameter to a helper.
func (f *Func) NewParam(t *Type) *Value {
	v := f.Module.newValue(OpInvalid, t)
	f.Params = append(f.Params, v)
	return v
}

// NewBlock adds an empty block.
func (f *Func) NewBlock() *Block {
	b := &Block{ID: f.nextBl, Func: f}
	f.nextBl++
	f.Blocks = append(f.Blocks, b)
	return b
}

// NewValue returns a value that stands in no block yet.
func (f *Func) NewValue(op Op, t *Type, args ...*Value) *Value {
	return f.Module.newValue(op, t, args...)
}

// Append adds a new value at the block's end.
func (b *Block) Append(op Op, t *Type, args ...*Value) *Value {
	v := b.Func.Module.newValue(op, t, args...)
	v.Block = b
	b.Insts = append(b.Insts, v)
	return v
}

// NewPhi adds a phi; its arguments parallel Preds.
func (b *Block) NewPhi(t *Type, args ...*Value) *Value {
	v := b.Func.Module.newValue(OpPhi, t, args...)
	v.Block = b
	b.Phis = append(b.Phis, v)
	return v
}

// Jump ends the block with a jump and records the edge.
func (b *Block) Jump(to *Block) { b.SetTerm(Term{Kind: Jump, Succs: []*Block{to}}) }

// Branch ends the block with a conditional branch and records the edges.
func (b *Block) Branch(cond *Value, yes, no *Block) {
	b.SetTerm(Term{Kind: Branch, Cond: cond, Succs: []*Block{yes, no}})
}

// SetTerm ends the block, which must not have a terminator, and records its edges.
func (b *Block) SetTerm(t Term) {
	if b.Term.Kind != Invalid {
		panic("BUG: block is already terminated")
	}
	b.Term = t
	for _, s := range t.Succs {
		s.Preds = append(s.Preds, b)
	}
}

// ClearTerm removes the terminator and its edges, phi arguments included.
func (b *Block) ClearTerm() {
	t := b.Term
	b.Term = Term{}
	for _, s := range t.Succs {
		s.removePred(b)
	}
}

// removePred removes one edge from p.
func (b *Block) removePred(p *Block) {
	for i, q := range b.Preds {
		if q == p {
			b.Preds = append(b.Preds[:i:i], b.Preds[i+1:]...)
			for _, phi := range b.Phis {
				phi.Args = append(phi.Args[:i:i], phi.Args[i+1:]...)
			}
			return
		}
	}
	panic("BUG: no such predecessor")
}

// Retarget changes every edge from b to old into one to new, which must have no
// phis.
func (b *Block) Retarget(old, new *Block) {
	for i, s := range b.Term.Succs {
		if s == old {
			b.Term.Succs[i] = new
			old.removePred(b)
			new.Preds = append(new.Preds, b)
		}
	}
}

// Leaf returns the type of what a memory op with reference r and the given path
// accesses, or nil if the path does not fit.
func (r *Ref) Leaf(path []*Value) *Type {
	t := r.Elem
	if r.Var != nil {
		t = r.Var.Type
	} else if len(path) < 2 {
		return nil
	} else {
		path = path[2:]
	}
	for _, p := range path {
		switch t.Kind {
		case Array:
			t = t.Elem
		case Struct:
			if !p.IsConst() || p.Bits >= uint64(len(t.Fields)) {
				return nil
			}
			t = t.Fields[p.Bits].Type
		default:
			return nil
		}
	}
	return t
}

// DropExprs forgets the specialization-constant expressions that drop reports,
// which nothing must use any more.
func (m *Module) DropExprs(drop func(v *Value) bool) { m.exprs = slices.DeleteFunc(m.exprs, drop) }

func constString(v *Value) string {
	switch v.Op {
	case OpConst:
		return fmt.Sprint(v.Int())
	case OpSpecConst:
		return "$" + v.Aux.(*Spec).Name
	}
	s := v.Op.String() + "("
	for i, a := range v.Args {
		if i > 0 {
			s += ","
		}
		s += constString(a)
	}
	return s + ")"
}

package ir

// This file defines the types of the IR and the functions that build the IR.

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/properties"
)

// Pos is a position in a source file. The file name is relative to the root of its Go module, or
// begins with the import path of its package.
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

// Level is the level of a module. The package documentation describes the levels.
type Level uint8

const (
	Built Level = iota
	Structured
	Legal
)

// String returns the level's name.
func (l Level) String() string { return [...]string{"built", "structured", "legal"}[l] }

// Module is the IR of one kernel.
type Module struct {
	Name    string
	Level   Level
	Form    abi.Form
	Rank    int
	Items   int // number of work-items along x that each invocation executes
	Kernel  *Func
	Helpers []*Func
	Vars    []*Var // Workgroup and Private variables
	// Privates lists the arrays in private memory whose lengths depend on specialization constants.
	Privates []abi.Private
	Specs    []*Spec
	Sites    []*Site
	Params   []abi.Param
	ArgSize  int
	Spilled  bool
	// Uses lists the uses of aspects that package lower finds.
	Uses []AspectUse
	// Variables lists package-level variables whose values are compared at each launch. Unwatched
	// lists package-level variables whose values a launch cannot compare.
	Variables []abi.Variable
	Unwatched []string
	// Data is constant data in device memory. If Data is not empty, the argument at DataOffset is the address
	// of Data.
	Data       []byte
	DataOffset int
	// Prints describes the print calls. PrintTexts contains strings that the kernel prints.
	Prints     []abi.PrintSite
	PrintTexts string
	// WorkGroup is the work-group size along x, y and z, or zero if the launch chooses the size.
	WorkGroup [3]int
	// UsesGroup is true if the kernel contains Sync ops.
	UsesGroup bool
	// Matrices is true if pass matrices has expanded matrix ops.
	Matrices bool
	// NoAlias is true if no slice that the kernel writes overlaps with another slice of the launch.
	NoAlias bool
	// Target describes the launches and the devices for which the module is compiled. Package
	// lower, the parser and the linker set only the fields of Target that depend on the kernel, not
	// on devices. The function pass.Run adds its target argument to the target of the module.
	// Passes do not change the target.
	Target Target
	// Disabled lists optimizations that passes skip, such as "quirk/rotation" (see
	// quirks.CheckDisabled).
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

// AspectUse is a use of an aspect at a source position. If Required is true, Pos is the position of
// a function's directive that lists the aspect. Field `In` is the name of the function that
// contains the use. If a function on the call path has a directive that does not list the aspect,
// field Func is the name of that function. Field Func is "" if the use belongs to the whole kernel.
type AspectUse struct {
	Aspect   properties.Aspect
	Required bool
	Func, In string
	Pos      Pos
	Calls    []CallSite // calls that lead to the use, the innermost first
}

// CallSite describes a call that has been inlined.
type CallSite struct {
	Caller string
	Pos    Pos
}

// A Func is a function without results. Blocks[0] is the entry block, which has no predecessors.
type Func struct {
	Name   string
	Module *Module
	Params []*Value // parameters of a helper
	Vars   []*Var   // Function variables
	Blocks []*Block
	nextBl int
}

// Storage is the storage class of a Var.
type Storage uint8

const (
	// Function memory belongs to one work-item, and is undefined until a Zero op or a store writes
	// it.
	Function Storage = iota
	// Workgroup memory is shared by the work-items of a work-group.
	Workgroup
	// Private memory belongs to one work-item and has module scope. kgen uses Private memory for read-only
	// tables.
	Private
)

// String returns SPIR-V's name of the storage class.
func (s Storage) String() string { return [...]string{"Function", "Workgroup", "Private"}[s] }

// Var is a variable in memory.
type Var struct {
	ID      int
	Name    string
	Storage Storage
	Type    *Type
	// Init contains the scalars of a read-only Private table as constants, in memory order.
	Init []*Value
	// Accessor is the index of the local accessor whose memory is this variable, or -1.
	Accessor int
	// Expr is the length of a Workgroup array whose length depends on specialization constants.
	Expr abi.Expr
	// Words is set for a Workgroup array that matrix products use, and is the number of elements per sub-group. For
	// other variables, Words is zero.
	Words int
	// Shape is the shape of the matrix that is stored in a Workgroup array, or nil if the variable
	// stores no matrix. A matrix is stored in a Workgroup array if it has too many elements for the
	// private arrays of work-items.
	Shape *matrix.Shape
}

// Spec is a scalar specialization constant.
type Spec struct {
	ID      uint32
	Name    string
	Type    *Type
	Default uint64
	// User is the ABI description of a constant that the user declared, or nil.
	User *abi.SpecConstant
}

// Site is a source position at which a work-item may fault.
type Site struct {
	Index   int
	Kind    abi.FaultKind
	Pos     Pos
	Message string
	// Unsigned is true if the first value in the fault record is a uint64.
	Unsigned bool
	// Part is the index of the site's kernel in a module of several linked kernels. Each of several
	// linked kernels has a separate fault record.
	Part int
}

// Scope is the group of a Sync op, or the scope of a fence.
type Scope uint8

const (
	ScopeWorkGroup Scope = iota
	ScopeSubGroup
	ScopeDevice // only for fences
)

// String returns the scope's name.
func (s Scope) String() string { return [...]string{"WorkGroup", "SubGroup", "Device"}[s] }

// BuiltIn is a component of a SPIR-V BuiltIn variable.
type BuiltIn uint8

// The built-ins. A SPIR-V BuiltIn variable that is a vector has one BuiltIn constant for each of
// its three components.
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
	// SubgroupLocalRange is the number of invocations in the sub-group of the current invocation. SPIR-V
	// has no built-in variable for SubgroupLocalRange.
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

// String returns SPIR-V's name of the built-in variable, followed by the component.
func (b BuiltIn) String() string { return builtInNames[b] }

// Ref describes the memory that an op accesses. If Var is set, the op's path arguments index into the type of the
// variable. If Var is nil, the path arguments are a device address, an element index and indices into type Elem.
type Ref struct {
	Var  *Var
	Elem *Type
}

// Copy is the auxiliary data of op CopyVar.
type Copy struct{ Dst, Src *Var }

// Value is one operation and its result.
type Value struct {
	ID    int
	Op    Op
	Type  *Type // TypeVoid if there is no result
	Args  []*Value
	Bits  uint64
	Aux   any
	Pos   Pos
	Block *Block // nil for constants and helper parameters
}

// Block is a basic block, which consists of phis, then other values, then the terminator.
type Block struct {
	ID    int
	Func  *Func
	Phis  []*Value
	Insts []*Value
	Term  Term
	Preds []*Block // predecessors, in the order of the arguments of each phi

	// Merge and Continue are set in modules of level Structured or higher. A loop header has Merge and Continue, and
	// the header of a selection has only Merge.
	Merge, Continue *Block
	// Unroll is true if the SPIR-V module asks the driver to unroll the loop whose header is this
	// block.
	Unroll bool
	// Cold is true for blocks that run rarely, for example only after a failed check.
	Cold bool
	// Loop is the source position of the loop whose header is this block. The printed text of a
	// module contains the position of a loop only if PrintOptions.Kept is set.
	Loop Pos
}

// TermKind is the kind of a terminator.
type TermKind uint8

const (
	Invalid TermKind = iota
	Jump             // jumps to Succs[0]
	Branch           // branches to Succs[0] if Cond, else to Succs[1]
	Return
	Unreachable
)

// String returns the kind's printed name.
func (k TermKind) String() string {
	return [...]string{"Invalid", "Jump", "Branch", "Return", "Unreachable"}[k]
}

// Term is the terminator of a block.
type Term struct {
	Kind  TermKind
	Cond  *Value
	Succs []*Block
	Pos   Pos
	// Early is true for a Return that comes from a return statement before the end of the kernel.
	// Before pass exits has run, Early is also true for a Jump that leaves an inlined function
	// early.
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

// Path returns the path arguments of a memory op. For device memory, the first two path arguments are the
// address and the element index.
func (v *Value) Path() []*Value { return v.Args[v.Op.pathStart():] }

// IsConst reports whether v is a plain constant, whose value is known.
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

// Len returns the number of ids that the module has assigned, which is a measure of the module's
// size.
func (m *Module) Len() int { return m.nextID }

func (m *Module) newValue(op Op, t *Type, args ...*Value) *Value {
	m.nextID++
	return &Value{ID: m.nextID, Op: op, Type: t, Args: slices.Clone(args)}
}

// Const returns the scalar constant of type t with the given bits. Const ignores bits beyond the type's width.
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

// Outside returns a scalar constant that belongs to no module. Analyses call Outside to compare values with a constant,
// without adding the constant to the module. The returned constant must not become an argument of a value in a module.
func Outside(t *Type, bits uint64) *Value { return NewModule("").Const(t, bits) }

// Int returns an integer constant.
func (m *Module) Int(t *Type, n int64) *Value { return m.Const(t, uint64(n)) }

// Bool returns the boolean constant b.
func (m *Module) Bool(b bool) *Value {
	if b {
		return m.Const(TypeBool, 1)
	}
	return m.Const(TypeBool, 0)
}

// SpecValue returns the value with op SpecConst for specialization constant s. A specialization
// constant has only one value with op SpecConst. The first call of SpecValue for s creates the
// value with op SpecConst.
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

// ReservedSpec returns the value of a specialization constant with a reserved id, which the runtime
// sets. ReservedSpec adds the constant to the module's Specs if necessary.
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

// ConstExpr returns a constant expression that applies op to constant expressions. The driver folds
// the constant expression when the driver specializes the kernel.
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

// IsConstExpr reports whether v is a constant, a specialization constant, or an expression of constants.
// Constants and constant expressions belong to no block.
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

// ConstExprs returns the specialization-constant expressions of the module. In the result of
// ConstExprs, each expression comes after its arguments.
func (m *Module) ConstExprs() []*Value { return m.exprs }

// NewVar returns a new variable. NewVar adds a Function variable to f, and any other variable to the module.
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

// NewSite returns the fault site with the given data. NewSite adds a site to the module if the module contains no equal
// site.
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

// NewFunc returns a function with an empty entry block. NewFunc does not add the function to the module's Helpers.
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

// NewValue returns a new value that is not yet in a block.
func (f *Func) NewValue(op Op, t *Type, args ...*Value) *Value {
	return f.Module.newValue(op, t, args...)
}

// Append adds a new value at the end of block b.
func (b *Block) Append(op Op, t *Type, args ...*Value) *Value {
	v := b.Func.Module.newValue(op, t, args...)
	v.Block = b
	b.Insts = append(b.Insts, v)
	return v
}

// NewPhi adds a phi to the block. The arguments of the phi are in the order of b.Preds.
func (b *Block) NewPhi(t *Type, args ...*Value) *Value {
	v := b.Func.Module.newValue(OpPhi, t, args...)
	v.Block = b
	b.Phis = append(b.Phis, v)
	return v
}

// Jump ends the block with a jump to block to, and adds the edge.
func (b *Block) Jump(to *Block) { b.SetTerm(Term{Kind: Jump, Succs: []*Block{to}}) }

// Branch ends the block with a conditional branch and adds the edges.
func (b *Block) Branch(cond *Value, yes, no *Block) {
	b.SetTerm(Term{Kind: Branch, Cond: cond, Succs: []*Block{yes, no}})
}

// SetTerm sets the terminator of the block, which must not have a terminator yet, and adds the
// edges of the terminator.
func (b *Block) SetTerm(t Term) {
	if b.Term.Kind != Invalid {
		panic("BUG: block is already terminated")
	}
	b.Term = t
	for _, s := range t.Succs {
		s.Preds = append(s.Preds, b)
	}
}

// ClearTerm removes the terminator of the block and the edges of the terminator. ClearTerm also
// removes the phi arguments for the removed edges.
func (b *Block) ClearTerm() {
	t := b.Term
	b.Term = Term{}
	for _, s := range t.Succs {
		s.removePred(b)
	}
}

// removePred removes one edge from p to b.
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

// Retarget redirects edges that leave b. Every edge to block `old` then leads to block `new`, which
// must not have phis.
func (b *Block) Retarget(old, new *Block) {
	for i, s := range b.Term.Succs {
		if s == old {
			b.Term.Succs[i] = new
			old.removePred(b)
			new.Preds = append(new.Preds, b)
		}
	}
}

// Leaf returns the type of the memory that the given path selects in the memory of reference r. If
// the path does not fit the type of the reference's memory, Leaf returns nil.
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

// DropExprs removes the specialization-constant expressions for which isDropped returns true. No
// value may use a dropped expression.
func (m *Module) DropExprs(isDropped func(v *Value) bool) {
	m.exprs = slices.DeleteFunc(m.exprs, isDropped)
}

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

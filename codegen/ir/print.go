package ir

// This file prints modules.

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/properties"
)

// PrintOptions select the printed information.
type PrintOptions struct {
	Positions bool // whether lines of values and terminators end with "; file:line:col"
	// Kept selects the form of the text that is stored in a kernel's description. The stored text
	// contains the positions of loops. The stored text omits constant data, because the description
	// contains the constant data separately.
	Kept bool
	// Place reports whether the line of value v ends with the source position of v. If Place is nil, no line ends with
	// a source position.
	Place func(v *Value) bool
}

// String prints the module.
func (m *Module) String() string { return m.Text(PrintOptions{}) }

// Fprint prints the module to w.
func Fprint(w io.Writer, m *Module) error {
	_, err := io.WriteString(w, m.String())
	return err
}

// Text prints the module in the syntax that Parse reads. Values and blocks are numbered in order, so equal modules have
// equal texts. Text also prints broken modules, with question marks for missing parts.
func (m *Module) Text(o PrintOptions) string {
	p := newPrinter(m)
	p.opts = o
	p.module()
	return p.b.String()
}

func (p *printer) module() {
	p.header()
	if p.m.Kernel != nil {
		p.fn("kernel", p.m.Kernel)
	}
	for _, f := range p.m.Helpers {
		p.fn("helper", f)
	}
}

// LongString prints the value with its operation and arguments. Values have the same numbers as in the
// module's text.
func (v *Value) LongString() string {
	p := &printer{names: map[any]string{}}
	if v.Block == nil {
		return p.printOperand(v)
	}
	if f := v.Block.Func; f != nil {
		if f.Module != nil {
			p = newPrinter(f.Module)
		}
		p.numberFunc(f)
	}
	p.printValue(v)
	return p.b.String()
}

// printer prints a module, and records the names of variables, functions, values and blocks.
type printer struct {
	m      *Module
	b      strings.Builder
	opts   PrintOptions
	names  map[any]string // maps a *Var, *Spec or *Func to its printed name
	taken  map[string]int // maps a name to the number of module-level variables with that name
	vals   map[*Value]int
	blocks map[*Block]int
	stable *Names     // numbers that several texts of the module share, or nil; unless `stable` is nil, `vals` and `blocks` are its maps
	lines  *lineMarks // descriptions of the printed lines; nil if no caller needs them
}

func newPrinter(m *Module) *printer {
	p := &printer{m: m, names: map[any]string{}, taken: map[string]int{}}
	specs, funcs := map[string]int{}, map[string]int{}
	for _, s := range m.Specs {
		p.names[s] = "$" + uniqueName(specs, s.Name)
	}
	for _, v := range m.Vars {
		p.names[v] = uniqueName(p.taken, v.Name)
	}
	if m.Kernel != nil {
		p.names[m.Kernel] = uniqueName(funcs, m.Kernel.Name)
	}
	for _, f := range m.Helpers {
		p.names[f] = uniqueName(funcs, f.Name)
	}
	return p
}

// uniqueName quotes a name that is not an identifier, and adds a number to a name that has been used before.
func uniqueName(taken map[string]int, name string) string {
	taken[name]++
	s := name
	if !isName(name) {
		s = strconv.Quote(name)
	}
	if n := taken[name]; n > 1 {
		s += "#" + strconv.Itoa(n)
	}
	return s
}

func isName(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i], i > 0) {
			return false
		}
	}
	return s != ""
}

func isNameByte(c byte, inside bool) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || inside && ('0' <= c && c <= '9' || c == '.')
}

func (p *printer) f(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *printer) header() {
	m := p.m
	name := m.Name
	if !isName(name) {
		name = strconv.Quote(name)
	}
	p.f("module %s %v\n", name, m.Level)
	p.f("form %v %d\n", m.Form, m.Rank)
	p.f("items %d\n", m.Items)
	if w := m.WorkGroup; w[0] > 0 {
		p.f("workgroup %d %d %d\n", w[0], w[1], w[2])
	}
	p.f("args %d", m.ArgSize)
	if m.Spilled {
		p.f(" spilled")
	}
	p.f("\n")
	if m.Target.Cancel {
		p.f("cancel\n")
	}
	if m.UsesGroup {
		p.f("group")
		if m.Target.NoSubGroups {
			p.f(" alone")
		}
		p.f("\n")
	}
	if m.NoAlias {
		p.f("noalias\n")
	}
	if m.Float != properties.FloatGo {
		p.f("float %v\n", m.Float)
	}
	for _, a := range m.Params {
		more := ""
		if a.Internal > 0 {
			more = fmt.Sprintf(" internal %d", a.Internal)
		}
		p.f("param %q %v %q offset %d size %d host %d elem %d align %d %v%s\n",
			a.Name, a.Kind, a.Type, a.Offset, a.Size, a.HostOffset, a.ElemSize, a.ElemAlign, a.Access, more)
	}
	if len(m.Data) > 0 && !p.opts.Kept {
		p.f("data %d %q\n", m.DataOffset, m.Data)
	}
	for _, s := range m.Specs {
		p.f("spec %s id %d = %s\n", p.names[s], s.ID, constText(s.Type, s.Default))
	}
	file := "" // file name in the previous site's position
	for _, s := range m.Sites {
		pos := "-"
		if at := s.Pos; at.File != "" {
			if at.File == file {
				at.File = ""
			}
			pos, file = at.quotedText(), s.Pos.File
		}
		more := ""
		if s.Unsigned {
			more = " unsigned"
		}
		if s.Part > 0 {
			more += fmt.Sprintf(" part %d", s.Part)
		}
		p.f("site %d kind %d %s %q%s\n", s.Index, uint8(s.Kind), pos, s.Message, more)
	}
	for _, v := range m.Vars {
		p.f("var %s %v %s", p.names[v], v.Storage, p.printType(v.Type))
		if v.Accessor >= 0 {
			p.f(" accessor %d", v.Accessor)
		}
		if len(v.Init) > 0 {
			p.f(" init [%s]", p.operands(v.Init))
		}
		p.f("\n")
	}
}

// quotedText prints the position with the file in quotes.
func (p Pos) quotedText() string { return fmt.Sprintf("%q:%d:%d", p.File, p.Line, p.Col) }

// numberFunc assigns names to the variables of function f, and numbers to its values and blocks.
func (p *printer) numberFunc(f *Func) {
	taken := map[string]int{}
	for s, n := range p.taken {
		taken[s] = n
	}
	for _, v := range f.Vars {
		p.names[v] = uniqueName(taken, v.Name)
	}
	if p.stable == nil {
		p.vals, p.blocks = map[*Value]int{}, map[*Block]int{}
	}
	add := func(v *Value) {
		if _, ok := p.vals[v]; !ok && v != nil && v.Type != TypeVoid {
			p.vals[v] = len(p.vals)
		}
	}
	for _, v := range f.Params {
		add(v)
	}
	for _, b := range f.Blocks {
		if _, ok := p.blocks[b]; !ok {
			p.blocks[b] = len(p.blocks)
		}
		for _, v := range b.Phis {
			add(v)
		}
		for _, v := range b.Insts {
			add(v)
		}
	}
}

func (p *printer) fn(word string, f *Func) {
	p.numberFunc(f)
	p.f("\n%s %s", word, p.names[f])
	if word == "helper" {
		p.f("(")
		for i, v := range f.Params {
			if i > 0 {
				p.f(", ")
			}
			p.f("%s %s", p.printOperand(v), p.printType(v.Type))
		}
		p.f(")")
	}
	p.f(" {\n")
	matrices := map[*Type]*Var{} // the first variable of each type of matrix
	for _, v := range f.Vars {
		if first := matrices[v.Type]; first != nil {
			p.f("\tvar %s = %s\n", p.names[v], p.names[first])
			continue
		}
		if v.Type.Matrix != nil {
			matrices[v.Type] = v
		}
		p.f("\tvar %s %s\n", p.names[v], p.printType(v.Type))
	}
	for _, b := range f.Blocks {
		p.block(b)
	}
	p.f("}\n")
}

func (p *printer) block(b *Block) {
	p.markLine(Line{Block: b})
	p.f("%s:", p.blockName(b))
	for i, q := range b.Preds {
		p.f("%s%s", [...]string{" preds ", ", "}[min(i, 1)], p.blockName(q))
	}
	if b.Merge != nil {
		p.f(" merge %s", p.printTarget(b.Merge))
	}
	if b.Continue != nil {
		p.f(" continue %s", p.printTarget(b.Continue))
	}
	if b.Unroll {
		p.f(" unroll")
	}
	if b.Cold {
		p.f(" cold")
	}
	if p.opts.Kept && b.Loop.File != "" {
		p.f(" loop %s", b.Loop.quotedText())
	}
	p.f("\n")
	for _, vs := range [...][]*Value{b.Phis, b.Insts} {
		for _, v := range vs {
			p.markLine(Line{Value: v, Pos: v.Pos})
			p.f("\t")
			p.printValue(v)
			p.endLine(v.Pos, p.opts.Place != nil && p.opts.Place(v))
		}
	}
	t := &b.Term
	p.markLine(Line{Block: b, Ends: true, Pos: t.Pos})
	p.f("\t%v", t.Kind)
	if t.Early {
		p.f(" early")
	}
	sep := " "
	if t.Kind == Branch || t.Cond != nil {
		p.f(" %s", p.printOperand(t.Cond))
		sep = ", "
	}
	for _, s := range t.Succs {
		p.f("%s%s", sep, p.blockName(s))
		sep = ", "
	}
	p.endLine(t.Pos, false)
}

// endLine ends a line. Before the end of the line, endLine prints the position if alwaysPos is true
// or the print options include positions.
func (p *printer) endLine(pos Pos, alwaysPos bool) {
	if (p.opts.Positions || alwaysPos) && pos.File != "" {
		p.f(" ; %v", pos)
	}
	p.f("\n")
}

func (p *printer) blockName(b *Block) string {
	if n, ok := p.blocks[b]; ok {
		return "b" + strconv.Itoa(n)
	}
	return "b?"
}

// printTarget prints b, which is a merge block or continue target. If b is unreachable and not in
// the function, printTarget prints "none".
func (p *printer) printTarget(b *Block) string {
	if _, ok := p.blocks[b]; !ok {
		return "none"
	}
	return p.blockName(b)
}

// printValue prints one value without its position.
func (p *printer) printValue(v *Value) {
	void := v.Type == TypeVoid
	if !void {
		p.f("%s = ", p.printOperand(v))
	}
	p.f("%v", v.Op)
	if !void {
		p.f(" %s", p.printType(v.Type))
	}
	sep := " "
	item := func(s string) {
		p.b.WriteString(sep)
		p.b.WriteString(s)
		sep = ", "
	}
	args := v.Args
	switch v.Op.Info().Aux {
	case AuxBits:
		item(strconv.FormatUint(v.Bits, 10))
	case AuxRef:
		path, ok := v.pathOK()
		if !ok {
			path = nil
		} else {
			args = v.Args[:len(v.Args)-len(path)]
		}
		item(p.ref(v.Ref(), path))
	case AuxCopy:
		if c, ok := v.Aux.(*Copy); ok && c != nil {
			item(p.varRef(c.Dst))
			item(p.varRef(c.Src))
		} else {
			item("?")
		}
	case AuxTile:
		if t, ok := v.Aux.(*Tile); ok && t != nil {
			item(p.varRef(t.Matrix) + partText(t.Part))
			if t.Mem != nil {
				path, ok := v.pathOK()
				if !ok {
					path = nil
				} else {
					args = v.Args[:len(v.Args)-len(path)]
				}
				item(p.ref(t.Mem, path))
				item(map[bool]string{false: "rows", true: "columns"}[t.Columns])
			}
		} else {
			item("?")
		}
	case AuxProduct:
		if m, ok := v.Aux.(*Product); ok && m != nil {
			for i, x := range v.Matrices() {
				item(p.varRef(x) + partText(m.partOf(i)))
			}
		} else {
			item("?")
		}
	case AuxSite:
		if s, ok := v.Aux.(*Site); ok && s != nil {
			item("site " + strconv.Itoa(s.Index))
		} else {
			item("?")
		}
	case AuxFunc:
		if f, ok := v.Aux.(*Func); ok && p.names[f] != "" {
			item(p.names[f])
		} else {
			item("?")
		}
	case AuxBuiltIn:
		if b, ok := v.Aux.(BuiltIn); ok && b < NumBuiltIns {
			item(b.String())
		} else {
			item("?")
		}
	case AuxCombine:
		if c, ok := v.Aux.(Combine); ok && c.Scope <= ScopeSubGroup && c.By < numCombiners {
			item(c.Scope.String())
			by := c.By.String()
			if c.Alone {
				by += " alone"
			}
			item(by)
		} else {
			item("?")
		}
	case AuxScope:
		if s, ok := v.Aux.(Scope); ok && s <= ScopeDevice {
			item(s.String())
		} else {
			item("?")
		}
	}
	if v.Op == OpPhi {
		item(p.phi(v))
		return
	}
	for _, a := range args {
		item(p.printOperand(a))
	}
}

// pathOK returns the path arguments of v, like Path. The second result of pathOK is false if v has
// so few arguments that Path would panic.
func (v *Value) pathOK() ([]*Value, bool) {
	n := strings.IndexAny(v.Op.Info().Sig, ".:")
	if len(v.Args) < n {
		return nil, false
	}
	return v.Args[n:], true
}

func (p *printer) phi(v *Value) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, a := range v.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		from := "b?"
		if v.Block != nil && i < len(v.Block.Preds) {
			from = p.blockName(v.Block.Preds[i])
		}
		b.WriteString(p.printOperand(a) + " " + from)
	}
	b.WriteByte(']')
	return b.String()
}

func (p *printer) varRef(v *Var) string {
	if s, ok := p.names[v]; ok {
		return "[var " + s + "]"
	}
	return "[var ?]"
}

func (p *printer) ref(r *Ref, path []*Value) string {
	switch {
	case r == nil:
		return "[?]"
	case r.Var != nil:
		s := p.varRef(r.Var)
		if len(path) > 0 {
			s = s[:len(s)-1] + ", " + p.operands(path) + "]"
		}
		return s
	case len(path) == 0:
		return "[? " + p.printType(r.Elem) + "]"
	}
	s := "[" + p.printOperand(path[0]) + " " + p.printType(r.Elem)
	if len(path) > 1 {
		s += ", " + p.operands(path[1:])
	}
	return s + "]"
}

func (p *printer) operands(vs []*Value) string {
	var b strings.Builder
	for i, v := range vs {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.printOperand(v))
	}
	return b.String()
}

// printOperand prints v as an operand. A constant is printed in full, and any other value is printed as its
// number.
func (p *printer) printOperand(v *Value) string {
	switch {
	case v == nil:
		return "?"
	case v.Block != nil || v.Op == OpInvalid:
		if n, ok := p.vals[v]; ok {
			return "%" + strconv.Itoa(n)
		}
	case v.Op == OpConst:
		return constText(v.Type, v.Bits)
	case v.Op == OpSpecConst:
		s, _ := v.Aux.(*Spec)
		if n := p.names[s]; n != "" {
			return n
		}
		if s != nil {
			return "$" + s.Name
		}
		return "$?"
	case v.Op.Has(FlagFold):
		return fmt.Sprintf("%v %s (%s)", v.Op, p.printType(v.Type), p.operands(v.Args))
	}
	return "%?" + strconv.Itoa(v.ID)
}

// partText prints the number of the native matrix (part of a matrix) on which an op operates.
func partText(part int) string {
	if part == 0 {
		return ""
	}
	return fmt.Sprintf(" part %d", part-1)
}

// printType prints a type like Type.String, but with unambiguous array lengths.
func (p *printer) printType(t *Type) string {
	switch {
	case t == nil:
		return "?"
	case t.Matrix != nil:
		return t.matrixText() + "[" + p.printOperand(t.Len) + "]" + p.printType(t.Elem)
	case t.Kind == Array:
		if n, ok := t.ArrayLen(); ok {
			return fmt.Sprintf("[%d]%s", n, p.printType(t.Elem))
		}
		return "[" + p.printOperand(t.Len) + "]" + p.printType(t.Elem)
	case t.Kind == Struct:
		var b strings.Builder
		b.WriteByte('{')
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%d: %s", f.Offset, p.printType(f.Type))
		}
		fmt.Fprintf(&b, "; %d/%d}", t.Size, t.Align)
		return b.String()
	}
	return t.String()
}

// constText prints a constant of type t so that Parse restores the same bits.
func constText(t *Type, bits uint64) string {
	if t == nil {
		return "? ?"
	}
	s := t.String() + " "
	switch {
	case t.Kind == Bool:
		return s + strconv.FormatBool(bits != 0)
	case t.IsInt():
		n := 64 - t.Bits()
		return s + strconv.FormatInt(int64(bits<<n)>>n, 10)
	case t.IsFloat():
		f, size := FloatValue(t, bits), 64
		if t == TypeF32 {
			size = 32
		}
		if f == f && !math.IsInf(f, 0) {
			return s + strconv.FormatFloat(f, 'g', -1, size)
		}
	}
	return s + fmt.Sprintf("%#x", bits)
}

// FloatValue returns the value that the given bits represent in float type t.
func FloatValue(t *Type, bits uint64) float64 {
	switch t.Kind {
	case F16:
		return Float16frombits(uint16(bits))
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// FloatBits returns the bits of f, rounded to float type t.
func FloatBits(t *Type, f float64) uint64 {
	switch t.Kind {
	case F16:
		return uint64(Float16bits(f))
	case F32:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

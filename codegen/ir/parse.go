package ir

// This file parses the text of a module.

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/properties"
)

// Parse reads a module from the text that String prints, with or without positions. Hand-written texts may omit the
// predecessors of blocks, and may number values and blocks freely. Texts may contain empty lines and comments, which
// begin with a semicolon. Parse checks only the syntax. Verify checks all rules except the syntax.
func Parse(text string) (m *Module, err error) {
	p := &parser{lines: strings.Split(text, "\n"), specs: map[string]*Spec{}, vars: map[string]*Var{}, funcs: map[string]*Func{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case syntaxError:
			m, err = nil, e
		default:
			panic(e)
		}
	}()
	p.parseModule()
	return p.m, nil
}

// syntaxError is the panic value that ends parsing with an error.
type syntaxError struct {
	line int
	msg  string
}

func (e syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.msg) }

type parser struct {
	lines []string
	line  int    // number of the current line, from 1
	s     string // remaining text of the current line
	depth int    // nesting depth of types and expressions

	m     *Module
	specs map[string]*Spec
	vars  map[string]*Var
	funcs map[string]*Func
	calls []pendingCall
}

// pendingCall is a call of a helper that may be defined later.
type pendingCall struct {
	v    *Value
	name string
	line int
}

// maxDepth is the largest nesting depth of types and expressions. maxSize is the largest size of a type in
// bytes.
const (
	maxDepth = 100
	maxSize  = 1 << (30 + 10*(bits.UintSize/64))
)

func (p *parser) errorf(format string, args ...any) {
	panic(syntaxError{p.line, fmt.Sprintf(format, args...)})
}

// nextLine moves to the next line that is not empty, and reports whether such a line exists.
func (p *parser) nextLine() bool {
	for p.line < len(p.lines) {
		p.s = p.lines[p.line]
		p.line++
		if p.skip(); p.s != "" && p.s[0] != ';' {
			return true
		}
	}
	return false
}

func (p *parser) skip() { p.s = strings.TrimLeft(p.s, " \t\r") }

// acceptPunct skips punctuation s and returns true, if the text continues with s.
func (p *parser) acceptPunct(s string) bool {
	p.skip()
	if strings.HasPrefix(p.s, s) {
		p.s = p.s[len(s):]
		return true
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.acceptPunct(s) {
		p.errorf("%q expected before %q", s, p.s)
	}
}

// peekByte returns the next byte, or 0 at the line's end.
func (p *parser) peekByte() byte {
	p.skip()
	if p.s == "" {
		return 0
	}
	return p.s[0]
}

// endLine checks that the line has no further text except a comment, and returns the comment.
func (p *parser) endLine() string {
	if p.skip(); p.s != "" && p.s[0] != ';' {
		p.errorf("unexpected %q", p.s)
	}
	return strings.TrimSpace(strings.TrimPrefix(p.s, ";"))
}

// readWord returns the next identifier, or "" if the text does not continue with an identifier.
func (p *parser) readWord() string {
	p.skip()
	n := 0
	for n < len(p.s) && isNameByte(p.s[n], n > 0) {
		n++
	}
	w := p.s[:n]
	p.s = p.s[n:]
	return w
}

// acceptKeyword skips word w and returns true, if the text continues with w.
func (p *parser) acceptKeyword(w string) bool {
	s := p.s
	if p.readWord() == w {
		return true
	}
	p.s = s
	return false
}

func (p *parser) expectWord(w string) {
	if !p.acceptKeyword(w) {
		p.errorf("%q expected before %q", w, p.s)
	}
}

// readString reads a quoted string and returns its value.
func (p *parser) readString() string {
	p.skip()
	q, err := strconv.QuotedPrefix(p.s)
	if err != nil || q[0] != '"' {
		p.errorf("a quoted string expected before %q", p.s)
	}
	p.s = p.s[len(q):]
	s, err := strconv.Unquote(q)
	if err != nil {
		p.errorf("%v", err)
	}
	return s
}

// readName reads a name, which may be followed by a number that distinguishes equal names. key contains both.
func (p *parser) readName() (name, key string) {
	if p.peekByte() == '"' {
		name = p.readString()
	} else if name = p.readWord(); name == "" {
		p.errorf("a name expected before %q", p.s)
	}
	n := 1
	if strings.HasPrefix(p.s, "#") {
		p.s = p.s[1:]
		n = p.int()
	}
	return name, name + "#" + strconv.Itoa(n)
}

// readNumber reads a number and returns its text.
func (p *parser) readNumber() string {
	p.skip()
	n := 0
	for n < len(p.s) {
		c := p.s[n]
		ok := '0' <= c && c <= '9'
		switch {
		case n == 0:
			ok = ok || c == '-'
		case c == '+' || c == '-':
			ok = p.s[n-1] == 'e' && !strings.HasPrefix(p.s, "0x")
		case c == '.' || 'a' <= c && c <= 'z':
			ok = true
		}
		if !ok {
			break
		}
		n++
	}
	s := p.s[:n]
	p.s = p.s[n:]
	return s
}

func (p *parser) int() int {
	s := p.readNumber()
	n, err := strconv.Atoi(s)
	if err != nil {
		p.errorf("an integer expected, not %q", s)
	}
	return n
}

func (p *parser) uint(bits int) uint64 {
	s := p.readNumber()
	n, err := strconv.ParseUint(s, 0, bits)
	if err != nil {
		p.errorf("an unsigned integer of %d bits expected, not %q", bits, s)
	}
	return n
}

// pickWord reads a word, and returns the element of candidates whose String method returns this word.
func pickWord[T fmt.Stringer](p *parser, what string, candidates ...T) T {
	w := p.readWord()
	for _, v := range candidates {
		if v.String() == w {
			return v
		}
	}
	p.errorf("%q is no %s", w, what)
	panic("not reached")
}

// parseModule reads the whole text.
func (p *parser) parseModule() {
	if !p.nextLine() {
		p.errorf("no module")
	}
	p.expectWord("module")
	name, _ := p.readName()
	p.m = NewModule(name)
	p.m.Level = pickWord(p, "level", Built, Structured, Legal)
	p.endLine()
	for p.nextLine() {
		switch w := p.readWord(); w {
		case "kernel":
			if p.m.Kernel != nil {
				p.errorf("a second kernel")
			}
			p.m.Kernel = p.parseFunction(false)
		case "helper":
			p.m.Helpers = append(p.m.Helpers, p.parseFunction(true))
		default:
			p.parseHeaderLine(w)
			p.endLine()
		}
	}
	if p.m.Kernel == nil {
		p.errorf("no kernel")
	}
	for _, c := range p.calls {
		f := p.funcs[c.name]
		if f == nil || f == p.m.Kernel {
			p.line = c.line
			p.errorf("no such helper")
		}
		c.v.Aux = f
	}
}

// parseHeaderLine reads a line of the module's header.
func (p *parser) parseHeaderLine(w string) {
	m := p.m
	switch w {
	case "form":
		m.Form = pickWord(p, "form", abi.Task, abi.Range, abi.NDRange)
		m.Rank = p.int()
	case "items":
		m.Items = p.int()
	case "workgroup":
		m.WorkGroup = [3]int{p.int(), p.int(), p.int()}
	case "args":
		m.ArgSize = p.int()
		m.Spilled = p.acceptKeyword("spilled")
	case "cancel":
		m.Target.Cancel = true
	case "group":
		m.UsesGroup = true
		m.Target.NoSubGroups = p.acceptKeyword("alone")
	case "noalias":
		m.NoAlias = true
	case "float":
		m.Float = pickWord(p, "mode", properties.FloatGo, properties.FloatExact, properties.FloatFast)
	case "param":
		p.param()
	case "data":
		m.DataOffset = p.int()
		m.Data = []byte(p.readString())
	case "spec":
		p.expect("$")
		s := &Spec{}
		var key string
		s.Name, key = p.readName()
		if p.specs[key] != nil {
			p.errorf("a second $%s", s.Name)
		}
		p.expectWord("id")
		s.ID = uint32(p.uint(32))
		p.expect("=")
		c := p.readConstant(p.scalarType(p.readWord()))
		s.Type, s.Default = c.Type, c.Bits
		p.specs[key] = s
		m.Specs = append(m.Specs, s)
	case "site":
		p.site()
	case "var":
		p.moduleVar()
	default:
		p.errorf("unexpected %q", w+p.s)
	}
}

func (p *parser) param() {
	var a abi.Param
	a.Name = p.readString()
	a.Kind = pickWord(p, "kind of parameter", abi.Value, abi.Slice, abi.LocalAccessor)
	a.Type = p.readString()
	for _, f := range []struct {
		word string
		to   *int
	}{
		{"offset", &a.Offset}, {"size", &a.Size}, {"host", &a.HostOffset}, {"elem", &a.ElemSize}, {"align", &a.ElemAlign},
	} {
		p.expectWord(f.word)
		*f.to = p.int()
	}
	a.Access = pickWord(p, "access", 0, abi.Read, abi.Write, abi.ReadWrite)
	if p.acceptKeyword("internal") {
		if a.Internal = p.int(); a.Internal < 1 {
			p.errorf("%d internal elements", a.Internal)
		}
	}
	p.m.Params = append(p.m.Params, a)
}

func (p *parser) site() {
	s := &Site{Index: p.int()}
	if s.Index != len(p.m.Sites) {
		p.errorf("site %d expected", len(p.m.Sites))
	}
	p.expectWord("kind")
	s.Kind = abi.FaultKind(p.uint(8))
	if !p.acceptPunct("-") {
		if s.Pos = p.readPos(); s.Pos.File == "" {
			s.Pos.File = p.fileBefore()
		}
	}
	s.Message = p.readString()
	s.Unsigned = p.acceptKeyword("unsigned")
	if p.acceptKeyword("part") {
		s.Part = p.int()
	}
	p.m.Sites = append(p.m.Sites, s)
}

// fileBefore returns the file name of the last site that has a position. The text of a site omits a file name that
// equals the result of fileBefore.
func (p *parser) fileBefore() string {
	for _, s := range slices.Backward(p.m.Sites) {
		if s.Pos.File != "" {
			return s.Pos.File
		}
	}
	p.errorf("no site before has a file")
	return ""
}

// readPos reads a position with the file in quotes.
func (p *parser) readPos() (pos Pos) {
	pos.File = p.readString()
	p.expect(":")
	pos.Line = p.int()
	p.expect(":")
	pos.Col = p.int()
	return pos
}

func (p *parser) moduleVar() {
	name, key := p.readName()
	if p.vars[key] != nil {
		p.errorf("a second variable %s", name)
	}
	s := pickWord(p, "storage", Workgroup, Private)
	v := p.m.NewVar(nil, s, name, p.typ())
	p.vars[key] = v
	if p.acceptKeyword("accessor") {
		if v.Accessor = p.int(); v.Accessor < 0 {
			p.errorf("a negative accessor")
		}
	}
	if p.acceptKeyword("init") {
		p.expect("[")
		for {
			v.Init = append(v.Init, p.readConstant(p.scalarType(p.readWord())))
			if !p.acceptPunct(",") {
				break
			}
		}
		p.expect("]")
	}
}

// enterNested increments the nesting depth and checks that the depth is allowed. At the end of the
// nested text, the caller must call the function that enterNested returns.
func (p *parser) enterNested() func() {
	if p.depth++; p.depth > maxDepth {
		p.errorf("nested too deeply")
	}
	return func() { p.depth-- }
}

func (p *parser) scalarType(w string) *Type {
	for k := Bool; k < Array; k++ {
		if kindNames[k] == w {
			return scalarTypes[k]
		}
	}
	p.errorf("%q is no scalar type", w)
	return nil
}

// valueType returns the type of a value with the given type name.
func (p *parser) valueType(w string) *Type {
	for _, t := range VectorTypes {
		if t.String() == w {
			return t
		}
	}
	return p.scalarType(w)
}

func (p *parser) typ() *Type {
	defer p.enterNested()()
	switch {
	case p.acceptPunct("<"):
		var s matrix.Shape
		switch w := p.readWord(); w {
		case "A":
		case "B":
			s.Use = matrix.B
		case "Accumulator":
			s.Use = matrix.Accumulator
		default:
			p.errorf("%q is no use of a matrix", w)
		}
		s.Rows, s.Cols = int(p.uint(31)), int(p.uint(31))
		elem := p.readWord()
		s.Elem = matrix.ElemNamed(elem)
		if problem := s.Check(elem); problem.Text != "" {
			p.errorf("%s", problem.Text)
		}
		var part [2]int
		if p.acceptKeyword("of") {
			part = [2]int{int(p.uint(31)), int(p.uint(31))}
			if part[0] == 0 || part[1] == 0 || s.Rows%part[0] != 0 || s.Cols%part[1] != 0 {
				p.errorf("a matrix is not made of such parts")
			}
		}
		p.expect(">")
		t := p.typ()
		if t.Kind != Array || t.Elem != TypeI32 && t.Elem != TypeF32 {
			p.errorf("a matrix is an array of words")
		}
		return p.m.arrayOf(t.Elem, t.Len, s, part)
	case p.acceptPunct("["):
		var n *Value
		if c := p.peekByte(); '0' <= c && c <= '9' {
			n = p.m.Const(TypeI32, p.uint(31))
		} else if n = p.constOperand(); n.Op == OpConst || n.Type != TypeI32 {
			p.errorf("an array's length is a number or an expression of type i32")
		}
		p.expect("]")
		t := p.typ()
		if n.Op == OpConst && t.Size > 0 && n.Bits > uint64(maxSize/t.Size) {
			p.errorf("the array is too large")
		}
		return p.m.ArrayOf(t, n)
	case p.acceptPunct("{"):
		var fields []Field
		for p.peekByte() != ';' {
			if len(fields) > 0 {
				p.expect(",")
			}
			f := Field{Offset: p.size()}
			p.expect(":")
			f.Type = p.typ()
			fields = append(fields, f)
		}
		p.expect(";")
		size := p.size()
		p.expect("/")
		align := p.size()
		p.expect("}")
		return p.m.StructOf(fields, size, align)
	}
	return p.valueType(p.readWord())
}

func (p *parser) size() int {
	n := p.int()
	if n < 0 || n > maxSize {
		p.errorf("%d is no size", n)
	}
	return n
}

// readConstant reads the value of a constant of type t.
func (p *parser) readConstant(t *Type) *Value {
	bits := uint64(0)
	var err error
	switch {
	case t.Kind == Bool:
		if p.acceptKeyword("true") {
			bits = 1
		} else {
			p.expectWord("false")
		}
		return p.m.Const(t, bits)
	case t.IsInt():
		var n int64
		n, err = strconv.ParseInt(p.readNumber(), 10, t.Bits())
		bits = uint64(n)
	default:
		s := p.readNumber()
		if t.Kind == Addr || strings.HasPrefix(s, "0x") {
			bits, err = strconv.ParseUint(s, 0, t.Bits())
			break
		}
		size := 64
		if t.Kind == F32 {
			size = 32
		}
		var f float64
		if f, err = strconv.ParseFloat(s, size); math.IsInf(f, 0) || f != f {
			p.errorf("infinities and NaNs are written as bits")
		}
		bits = FloatBits(t, f)
	}
	if err != nil {
		p.errorf("no constant of type %v: %v", t, err)
	}
	return p.m.Const(t, bits)
}

// constOperand reads a constant, a specialization constant or an expression.
func (p *parser) constOperand() *Value {
	defer p.enterNested()()
	if p.acceptPunct("$") {
		name, key := p.readName()
		s := p.specs[key]
		if s == nil {
			p.errorf("no specialization constant %s", name)
		}
		return p.m.SpecValue(s)
	}
	w := p.readWord()
	op, ok := ParseOp(w)
	if !ok {
		return p.readConstant(p.scalarType(w))
	}
	if !op.Has(FlagFold) {
		p.errorf("%v is no constant expression", op)
	}
	t := p.scalarType(p.readWord())
	p.expect("(")
	var args []*Value
	for !p.acceptPunct(")") {
		if len(args) > 0 {
			p.expect(",")
		}
		args = append(args, p.constOperand())
	}
	return p.m.ConstExpr(op, t, args...)
}

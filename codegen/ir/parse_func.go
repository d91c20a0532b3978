package ir

// This file parses the functions in the text of a module.

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// funcParser reads the text of one function.
type funcParser struct {
	*parser
	f       *Func
	vars    map[string]*Var // variables of the module and of the function
	vals    map[int]*Value
	used    map[int]int // maps a value's number to the line of its first use
	defined map[int]bool
	blocks  map[int]*Block
	gotos   map[int]int // maps a block's number to the line of its first use
	placed  map[int]bool
	preds   map[*Block][]*Block // predecessors of a block, if the text lists them
	phis    []pendingPhi
}

// pendingPhi is a phi whose arguments are not yet set, because the order of predecessors is not yet known.
type pendingPhi struct {
	v    *Value
	args []*Value
	from []*Block
	line int
}

// parseFunction reads a function. The first word of the function's text has already been read.
func (p *parser) parseFunction(helper bool) *Func {
	name, key := p.readName()
	if p.funcs[key] != nil {
		p.errorf("a second function %s", name)
	}
	f := p.m.NewFunc(name)
	f.Blocks, f.nextBl = nil, 0
	p.funcs[key] = f
	q := &funcParser{
		parser: p, f: f, vars: maps.Clone(p.vars),
		vals: map[int]*Value{}, used: map[int]int{}, defined: map[int]bool{},
		blocks: map[int]*Block{}, gotos: map[int]int{}, placed: map[int]bool{}, preds: map[*Block][]*Block{},
	}
	if helper {
		q.params()
	}
	p.expect("{")
	p.endLine()
	var b *Block
	for {
		if !p.nextLine() {
			p.errorf("the function does not end")
		}
		if p.acceptPunct("}") {
			break
		}
		switch n, ok := q.acceptLabel(); {
		case ok:
			q.checkTerminated(b)
			b = q.parseBlockHeader(n)
		case b == nil && p.acceptKeyword("var"):
			q.variable()
		case b == nil:
			p.errorf("a block expected before %q", p.s)
		case b.Term.Kind != Invalid:
			p.errorf("the block has ended")
		default:
			q.parseInst(b)
		}
	}
	p.endLine()
	q.checkTerminated(b)
	q.resolveRefs()
	return f
}

// checkTerminated reports an error if block b has no terminator. If b is nil, checkTerminated does
// nothing.
func (q *funcParser) checkTerminated(b *Block) {
	if b != nil && b.Term.Kind == Invalid {
		q.errorf("the block before has no terminator")
	}
}

func (q *funcParser) params() {
	q.expect("(")
	for !q.acceptPunct(")") {
		if len(q.f.Params) > 0 {
			q.expect(",")
		}
		v := q.readDefinition()
		v.Type = q.scalarType(q.readWord())
		q.f.Params = append(q.f.Params, v)
	}
}

func (q *funcParser) variable() {
	name, key := q.readName()
	if q.vars[key] != nil {
		q.errorf("a second variable %s", name)
	}
	var t *Type
	if q.acceptPunct("=") {
		t = q.varName().Type
	} else {
		t = q.typ()
	}
	q.vars[key] = q.m.NewVar(q.f, Function, name, t)
	q.endLine()
}

// acceptLabel reads the label of a block, if the line begins with a label.
func (q *funcParser) acceptLabel() (int, bool) {
	s := q.s
	if w := q.readWord(); len(w) > 1 && w[0] == 'b' && q.peekByte() == ':' {
		if n, err := strconv.Atoi(w[1:]); err == nil {
			return n, true
		}
	}
	q.s = s
	return 0, false
}

// parseBlockHeader reads the rest of a block's first line, after label n.
func (q *funcParser) parseBlockHeader(n int) *Block {
	if q.placed[n] {
		q.errorf("a second block b%d", n)
	}
	q.placed[n] = true
	b := q.blockFor(n)
	b.ID = q.f.nextBl
	q.f.nextBl++
	q.f.Blocks = append(q.f.Blocks, b)
	q.expect(":")
	if q.acceptKeyword("preds") {
		for {
			q.preds[b] = append(q.preds[b], q.blockRef())
			if !q.acceptPunct(",") {
				break
			}
		}
	}
	if q.acceptKeyword("merge") {
		b.Merge = q.readTarget()
	}
	if q.acceptKeyword("continue") {
		b.Continue = q.readTarget()
	}
	b.Unroll = q.acceptKeyword("unroll")
	b.Cold = q.acceptKeyword("cold")
	if q.acceptKeyword("loop") {
		b.Loop = q.readPos()
	}
	q.endLine()
	return b
}

// readTarget reads a merge block or continue target, which may be missing in the text.
func (q *funcParser) readTarget() *Block {
	if q.acceptKeyword("none") {
		return &Block{ID: -1, Func: q.f}
	}
	return q.blockRef()
}

// blockFor returns the block that has number n in the text, and creates the block if necessary.
func (q *funcParser) blockFor(n int) *Block {
	b := q.blocks[n]
	if b == nil {
		b = &Block{Func: q.f}
		q.blocks[n], q.gotos[n] = b, q.line
	}
	return b
}

func (q *funcParser) blockRef() *Block {
	w := q.readWord()
	if len(w) > 1 && w[0] == 'b' {
		if n, err := strconv.Atoi(w[1:]); err == nil {
			return q.blockFor(n)
		}
	}
	q.errorf("a block expected, not %q", w+q.s)
	return nil
}

// readRef reads the number of a value and returns the value.
func (q *funcParser) readRef() (int, *Value) {
	q.expect("%")
	n := q.int()
	if n < 0 {
		q.errorf("no value %%%d", n)
	}
	v := q.vals[n]
	if v == nil {
		v = q.m.newValue(OpInvalid, nil)
		q.vals[n], q.used[n] = v, q.line
	}
	return n, v
}

// readDefinition reads the number of the value that the line defines, and returns the value.
func (q *funcParser) readDefinition() *Value {
	n, v := q.readRef()
	if q.defined[n] {
		q.errorf("a second %%%d", n)
	}
	q.defined[n] = true
	return v
}

func (q *funcParser) operand() *Value {
	if q.peekByte() == '%' {
		_, v := q.readRef()
		return v
	}
	return q.constOperand()
}

// readOperands reads operands up to the end of the line. noComma is true if no comma precedes the first
// operand.
func (q *funcParser) readOperands(noComma bool) []*Value {
	var args []*Value
	for c := q.peekByte(); c != 0 && c != ';'; c = q.peekByte() {
		if !noComma {
			q.expect(",")
		}
		noComma = false
		args = append(args, q.operand())
	}
	return args
}

// parseInst reads the line of a value or a terminator, and adds the value or terminator to block b.
func (q *funcParser) parseInst(b *Block) {
	if q.peekByte() != '%' {
		for k := Jump; k <= Unreachable; k++ {
			if q.acceptKeyword(k.String()) {
				q.term(b, k)
				return
			}
		}
	}
	var v *Value
	if q.peekByte() == '%' {
		v = q.readDefinition()
		q.expect("=")
	} else {
		v = q.m.newValue(OpInvalid, TypeVoid)
	}
	w := q.readWord()
	op, ok := ParseOp(w)
	if !ok || op.Has(FlagConst) {
		q.errorf("%q is no operation", w)
	}
	v.Op, v.Block = op, b
	if v.Type == nil {
		v.Type = q.valueType(q.readWord())
	}
	if op == OpPhi {
		if len(b.Insts) > 0 {
			q.errorf("phis stand first in their block")
		}
		q.phi(v)
		b.Phis = append(b.Phis, v)
	} else {
		q.parseArgs(v)
		b.Insts = append(b.Insts, v)
	}
	v.Pos = parsePos(q.endLine())
}

func (q *funcParser) term(b *Block, k TermKind) {
	b.Term.Kind = k
	switch k {
	case Jump:
		b.Term.Early = q.acceptKeyword("early")
		b.Term.Succs = []*Block{q.blockRef()}
	case Branch:
		b.Term.Cond = q.operand()
		q.expect(",")
		yes := q.blockRef()
		q.expect(",")
		b.Term.Succs = []*Block{yes, q.blockRef()}
	case Return:
		b.Term.Early = q.acceptKeyword("early")
	}
	b.Term.Pos = parsePos(q.endLine())
}

func (q *funcParser) phi(v *Value) {
	p := pendingPhi{v: v, line: q.line}
	q.expect("[")
	for !q.acceptPunct("]") {
		if len(p.args) > 0 {
			q.expect(",")
		}
		p.args = append(p.args, q.operand())
		p.from = append(p.from, q.blockRef())
	}
	q.phis = append(q.phis, p)
}

// parseArgs reads the auxiliary data and the arguments of value v.
func (q *funcParser) parseArgs(v *Value) {
	switch v.Op.Info().Aux {
	case AuxNone:
		v.Args = q.readOperands(true)
		return
	case AuxBits:
		v.Bits = q.uint(64)
	case AuxBuiltIn:
		w := q.readWord()
		for b := BuiltIn(0); b < NumBuiltIns; b++ {
			if builtInNames[b] == w {
				v.Aux = b
			}
		}
		if v.Aux == nil {
			q.errorf("%q is no built-in", w)
		}
	case AuxCombine:
		c := Combine{Scope: pickWord(q.parser, "scope", ScopeWorkGroup, ScopeSubGroup)}
		q.expect(",")
		c.By = pickWord(q.parser, "combiner", combiners()...)
		c.Alone = q.acceptKeyword("alone")
		v.Aux = c
	case AuxScope:
		v.Aux = pickWord(q.parser, "scope", ScopeWorkGroup, ScopeSubGroup, ScopeDevice)
	case AuxSite:
		q.expectWord("site")
		n := q.int()
		if n < 0 || n >= len(q.m.Sites) {
			q.errorf("no site %d", n)
		}
		v.Aux = q.m.Sites[n]
	case AuxFunc:
		_, key := q.readName()
		q.calls = append(q.calls, pendingCall{v, key, q.line})
	case AuxCopy:
		c := &Copy{Dst: q.varRef()}
		q.expect(",")
		c.Src = q.varRef()
		v.Aux = c
	case AuxProduct:
		var vars [4]*Var
		var parts [4]int
		for i := range vars {
			if i > 0 {
				q.expect(",")
			}
			vars[i], parts[i] = q.varRef(), q.readPart()
		}
		v.Aux = &Product{vars[0], vars[1], vars[2], vars[3], [3]int(parts[1:])}
	case AuxTile:
		t := &Tile{Matrix: q.varRef(), Part: q.readPart()}
		v.Aux = t
		if v.Op == OpMatrixLength {
			break
		}
		q.expect(",")
		var path []*Value
		t.Mem, path = q.readMemoryRef()
		q.expect(",")
		if t.Columns = q.acceptKeyword("columns"); !t.Columns {
			q.expectWord("rows")
		}
		v.Args = append(q.readOperands(false), path...)
		return
	case AuxRef:
		var path []*Value
		v.Aux, path = q.readMemoryRef()
		v.Args = q.readOperands(false)
		if n := strings.IndexAny(v.Op.Info().Sig, ".:"); len(v.Args) != n {
			q.errorf("%v takes %d values beside the reference", v.Op, n)
		}
		v.Args = append(v.Args, path...)
		return
	default:
		q.errorf("%v stands in no block", v.Op)
	}
	v.Args = q.readOperands(false)
}

func (q *funcParser) varName() *Var {
	name, key := q.readName()
	v := q.vars[key]
	if v == nil {
		q.errorf("no variable %s", name)
	}
	return v
}

func (q *funcParser) varRef() *Var {
	q.expect("[")
	q.expectWord("var")
	v := q.varName()
	q.expect("]")
	return v
}

// readPart reads the number of the native matrix (part of a matrix) on which an op operates. If the
// text contains no number, the result is 0.
func (q *funcParser) readPart() int {
	if q.acceptKeyword("part") {
		return 1 + q.int()
	}
	return 0
}

// readMemoryRef reads a memory reference and its path.
func (q *funcParser) readMemoryRef() (*Ref, []*Value) {
	q.expect("[")
	r := &Ref{}
	var path []*Value
	if q.acceptKeyword("var") {
		r.Var = q.varName()
	} else {
		path = append(path, q.operand())
		r.Elem = q.typ()
	}
	for !q.acceptPunct("]") {
		q.expect(",")
		path = append(path, q.operand())
	}
	return r, path
}

// resolveRefs resolves the references between values and blocks of the function.
func (q *funcParser) resolveRefs() {
	q.checkDefined(q.used, q.defined, "%%%d is not defined")
	q.checkDefined(q.gotos, q.placed, "there is no b%d")
	for _, b := range q.f.Blocks {
		for _, s := range b.Term.Succs {
			if q.preds[s] == nil {
				s.Preds = append(s.Preds, b)
			}
		}
	}
	for b, preds := range q.preds {
		b.Preds = preds
	}
	end := q.line
	for _, p := range q.phis {
		q.line = p.line // line number for error messages
		for _, b := range p.v.Block.Preds {
			i := 0
			for i < len(p.from) && p.from[i] != b {
				i++
			}
			if i == len(p.from) {
				q.errorf("the phi has no value for a predecessor")
			}
			p.v.Args = append(p.v.Args, p.args[i])
			p.from[i] = nil // if a block has two edges to the phi's block, each edge needs its own value
		}
		if len(p.args) != len(p.v.Args) {
			q.errorf("the phi has values for blocks that are no predecessors")
		}
	}
	q.line = end
}

// checkDefined reports an error if a number is used but not defined. firstUses maps a number to the line
// of its first use.
func (q *funcParser) checkDefined(firstUses map[int]int, defined map[int]bool, format string) {
	for _, n := range slices.Sorted(maps.Keys(firstUses)) {
		if !defined[n] {
			q.line = firstUses[n]
			q.errorf(format, n)
		}
	}
}

// parsePos reads a position from a comment. If the comment is not a position, parsePos returns an empty Pos.
func parsePos(s string) Pos {
	rest, col, ok1 := cutLast(s, ":")
	file, line, ok2 := cutLast(rest, ":")
	l, err1 := strconv.Atoi(line)
	c, err2 := strconv.Atoi(col)
	if !ok1 || !ok2 || err1 != nil || err2 != nil || file == "" {
		return Pos{}
	}
	return Pos{File: file, Line: l, Col: c}
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

package codegen

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strconv"
)

// mutant returns the source of a kernel package with one random change, or "" if
// the change did not come out. It need not be well-typed.
func mutant(src string, rng *rand.Rand) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "k.go", src, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	m := &mutator{rng: rng}
	m.collect(file)
	if len(m.lists) == 0 || !mutations[rng.IntN(len(mutations))](m) {
		return ""
	}
	var out bytes.Buffer
	if format.Node(&out, token.NewFileSet(), file) != nil {
		return ""
	}
	return out.String()
}

// mutator knows the places of one function of a file that can be changed.
type mutator struct {
	rng    *rand.Rand
	lists  []*[]ast.Stmt
	exprs  []*ast.Expr // not in types
	conds  []*ast.Expr // comparisons and the like
	idents []*ast.Ident
	types  []*ast.Ident // names of predeclared types
	binary []*ast.BinaryExpr
	lits   []*ast.BasicLit
	assign []*ast.AssignStmt
	loops  []*ast.ForStmt
	ifs    []*ast.IfStmt
}

func pick[T any](m *mutator, s []T) T { return s[m.rng.IntN(len(s))] }

var basicTypes = []string{"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
	"float32", "float64", "bool", "string", "complex64", "complex128"}

// collect picks a function and finds its places. Functions that kernels are, or
// that stand near them, are all the same to it.
func (m *mutator) collect(file *ast.File) {
	var decls []*ast.FuncDecl
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && f.Name.Name != "Properties" {
			decls = append(decls, f)
			if f.Name.Name == "Kernel" { // where most should happen
				decls = append(decls, f, f)
			}
		}
	}
	if len(decls) == 0 {
		return
	}
	basic := map[string]bool{}
	for _, t := range basicTypes {
		basic[t] = true
	}
	decl := pick(m, decls)
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			m.lists = append(m.lists, &n.List)
		case *ast.CaseClause:
			m.lists = append(m.lists, &n.Body)
			m.slots(n.List)
		case *ast.Ident:
			if basic[n.Name] {
				m.types = append(m.types, n)
			} else if n != decl.Name {
				m.idents = append(m.idents, n)
			}
		case *ast.BasicLit:
			m.lits = append(m.lits, n)
		case *ast.BinaryExpr:
			m.binary = append(m.binary, n)
			m.slot(&n.X)
			m.slot(&n.Y)
		case *ast.AssignStmt:
			m.assign = append(m.assign, n)
			m.slots(n.Rhs)
		case *ast.CallExpr:
			m.slots(n.Args)
		case *ast.ReturnStmt:
			m.slots(n.Results)
		case *ast.IndexExpr:
			m.slot(&n.Index)
		case *ast.ParenExpr:
			m.slot(&n.X)
		case *ast.CompositeLit:
			m.slots(n.Elts)
		case *ast.ForStmt:
			m.loops = append(m.loops, n)
			if n.Cond != nil {
				m.conds = append(m.conds, &n.Cond)
			}
		case *ast.IfStmt:
			m.ifs = append(m.ifs, n)
			m.conds = append(m.conds, &n.Cond)
		}
		return true
	})
}

func (m *mutator) slot(e *ast.Expr) { m.exprs = append(m.exprs, e) }

func (m *mutator) slots(es []ast.Expr) {
	for i := range es {
		m.slot(&es[i])
	}
}

func (m *mutator) expr(text string) ast.Expr {
	e, err := parser.ParseExpr(text)
	if err != nil {
		panic(err)
	}
	return e
}

// copyOf returns an expression in parentheses that shares nothing with e: if it
// is to stand within e, the tree would become a ring.
func (m *mutator) copyOf(e ast.Expr) ast.Expr {
	var out bytes.Buffer
	if format.Node(&out, token.NewFileSet(), e) != nil {
		return ast.NewIdent("zz")
	}
	return ast.NewIdent("(" + out.String() + ")")
}

// stmts parses statements; the statement s takes the place of the call S().
func (m *mutator) stmts(text string, s []ast.Stmt) []ast.Stmt {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p; func f() {"+text+"}", parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	body := f.Decls[0].(*ast.FuncDecl).Body
	ast.Inspect(body, func(n ast.Node) bool {
		var list *[]ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = &n.List
		case *ast.CaseClause:
			list = &n.Body
		default:
			return true
		}
		var out []ast.Stmt
		for _, x := range *list {
			if e, ok := x.(*ast.ExprStmt); ok && isMark(e.X) {
				out = append(out, s...)
				continue
			}
			out = append(out, x)
		}
		*list = out
		return true
	})
	return body.List
}

func isMark(e ast.Expr) bool {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := c.Fun.(*ast.Ident)
	return ok && id.Name == "S" && len(c.Args) == 0
}

// place returns a list of statements and an index into it.
func (m *mutator) place() (*[]ast.Stmt, int, bool) {
	l := pick(m, m.lists)
	if len(*l) == 0 {
		return l, 0, false
	}
	return l, m.rng.IntN(len(*l)), true
}

func insert(l []ast.Stmt, i int, s ...ast.Stmt) []ast.Stmt {
	out := append([]ast.Stmt{}, l[:i]...)
	return append(append(out, s...), l[i:]...)
}

// wrappers are statements around S(); COND is a condition from the function, VAR
// one of its identifiers, and N a number.
var wrappers = []string{
	"for range 3 { S() }",
	"for zz := 0; zz < N; zz++ { S() }",
	"for zz := range N { if zz == 1 { continue }; S() }",
	"for zz := N; ; zz-- { S(); if COND || zz < 0 { break } }",
	"for COND { S(); break }",
	"for { if COND { break }; S(); if VAR == VAR { return }; break }",
	"if COND { S() }",
	"if COND { S() } else { S() }",
	"if !(COND) && (COND) { S() } else if COND { S() }",
	"switch VAR { case 0: S(); fallthrough; case 1: S(); default: S() }",
	"switch { case COND: S(); case COND: default: S() }",
	"func() { S() }()",
	"zf := func() { S() }; zf(); if COND { zf() }",
	"zl: for za := 0; za < N; za++ { for zb := range 3 { if COND { continue zl }; S(); if zb == za { break zl } } }",
	"zs: switch VAR { default: for range 2 { if COND { break zs }; S() } }",
	"if COND { return }; S()",
	"if COND { panic(\"mutant\") }; S()",
	"S(); S()",
	"zp := &VAR; S(); *zp = VAR; zp = &VAR; _ = *zp",
	"za := VAR; S(); VAR = za",
	"var zi any = VAR; switch zz := zi.(type) { case int: _ = zz; S(); case float32: S(); default: S() }",
	"za := [4]int32{1, 2, 3}; za[N] = za[N]; S(); zb := za; zb[0]++; za = zb; _ = za",
	"zt := struct{ a int; b [2]float32 }{N, [2]float32{1, 2}}; zu := zt; zu.b[N&1] = 3; S(); zt = zu; _ = zt == zu",
	"if N < 0 { goto zg }; S(); zg:",
	"zr: if COND { S(); goto zr }",
	"for zz := range func(yield func(int) bool) { _ = yield(1) && yield(2) } { if zz == N { break }; S() }",
	"za := VAR[N:]; _ = len(za); S()",
	"VAR, VAR = VAR, VAR; S()",
	"var za [1 << 24]int64; za[N] = 1; S(); zb := za; _ = zb",
	"za := func(f func()) { f(); f() }; zb := func() { za(func() { S() }) }; zb(); za(zb)",
	"za := []int32{1, 2, 3}; for zi, zz := range za[:N] { S(); za[zi] = zz + za[0] }",
	"var zp *int; if COND { zp = new(int) }; S(); if zp != nil { *zp = N }",
	"za := map[int]int{}; S(); _ = za",
	"const zc = 1 << 40; _ = VAR >> (zc & 63); S()",
}

var literals = []string{"0", "1", "-1", "2", "7", "31", "32", "33", "63", "64", "127", "128", "255", "256", "-128", "-32768", "65535",
	"1<<31 - 1", "-1 << 31", "1 << 31", "1<<32 - 1", "1 << 40", "-1 << 63", "1<<63 - 1", "1<<64 - 1", "0.5", "1e-45", "3.4e38", "1e308", "-0.0", "1e5",
	"true", "false", "nil", "'x'", `"text"`}

var binaryOps = []token.Token{token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT,
	token.SHL, token.SHR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR}

var assignOps = []token.Token{token.ASSIGN, token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN, token.QUO_ASSIGN, token.REM_ASSIGN,
	token.AND_ASSIGN, token.OR_ASSIGN, token.XOR_ASSIGN, token.AND_NOT_ASSIGN, token.SHL_ASSIGN, token.SHR_ASSIGN}

// mutations are what is done to a function. Each reports whether it did.
var mutations = []func(m *mutator) bool{
	(*mutator).operator, (*mutator).operator, (*mutator).operands, (*mutator).literal, (*mutator).literal, (*mutator).typeName,
	(*mutator).identifier, (*mutator).identifier, (*mutator).identifier, (*mutator).expression, (*mutator).convert, (*mutator).address,
	(*mutator).wrap, (*mutator).wrap, (*mutator).wrap, (*mutator).wrap, (*mutator).duplicate, (*mutator).remove, (*mutator).move,
	(*mutator).jump, (*mutator).condition,
}

func (m *mutator) operator() bool {
	if len(m.assign) > 0 && m.rng.IntN(3) == 0 {
		if a := pick(m, m.assign); a.Tok != token.DEFINE {
			a.Tok = pick(m, assignOps)
			return true
		}
	}
	if len(m.binary) == 0 {
		return false
	}
	b := pick(m, m.binary)
	group := binaryOps[:11]
	if b.Op.Precedence() <= 3 {
		group = binaryOps[11:]
	}
	b.Op = pick(m, group)
	b.X, b.Y = &ast.ParenExpr{X: b.X}, &ast.ParenExpr{X: b.Y}
	return true
}

func (m *mutator) operands() bool {
	if len(m.binary) == 0 {
		return false
	}
	b := pick(m, m.binary)
	b.X, b.Y = &ast.ParenExpr{X: b.Y}, &ast.ParenExpr{X: b.X}
	return true
}

func (m *mutator) literal() bool {
	text := "(" + pick(m, literals) + ")"
	if len(m.lits) > 0 && m.rng.IntN(3) > 0 {
		pick(m, m.lits).Value = text
		return true
	}
	if len(m.exprs) == 0 {
		return false
	}
	*pick(m, m.exprs) = m.expr(text)
	return true
}

func (m *mutator) typeName() bool {
	if len(m.types) == 0 {
		return false
	}
	from, to := pick(m, m.types), pick(m, basicTypes)
	if m.rng.IntN(2) == 0 {
		from.Name = to
		return true
	}
	old := from.Name
	for _, t := range m.types {
		if t.Name == old {
			t.Name = to
		}
	}
	return true
}

func (m *mutator) identifier() bool {
	if len(m.idents) < 2 {
		return false
	}
	pick(m, m.idents).Name = pick(m, m.idents).Name
	return true
}

func (m *mutator) expression() bool {
	if len(m.exprs) < 2 {
		return false
	}
	*pick(m, m.exprs) = m.copyOf(*pick(m, m.exprs))
	return true
}

func (m *mutator) convert() bool {
	if len(m.exprs) == 0 {
		return false
	}
	e := pick(m, m.exprs)
	*e = &ast.CallExpr{Fun: ast.NewIdent(pick(m, basicTypes[:12])), Args: []ast.Expr{*e}}
	if m.rng.IntN(2) == 0 {
		*e = &ast.CallExpr{Fun: ast.NewIdent(pick(m, basicTypes[:12])), Args: []ast.Expr{*e}}
	}
	return true
}

func (m *mutator) address() bool {
	if len(m.exprs) == 0 {
		return false
	}
	e := pick(m, m.exprs)
	*e = &ast.ParenExpr{X: &ast.StarExpr{X: &ast.UnaryExpr{Op: token.AND, X: *e}}}
	return true
}

// condition is an expression that may be a condition.
func (m *mutator) condition() bool {
	if len(m.conds) == 0 {
		return false
	}
	c := pick(m, m.conds)
	switch m.rng.IntN(4) {
	case 0:
		*c = &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: *c}}
	case 1:
		*c = &ast.BinaryExpr{Op: token.LAND, X: &ast.ParenExpr{X: *c}, Y: m.copyOf(*pick(m, m.conds))}
	case 2:
		*c = &ast.BinaryExpr{Op: token.LOR, X: &ast.ParenExpr{X: *c}, Y: m.copyOf(*pick(m, m.conds))}
	case 3:
		*c = pick(m, []ast.Expr{m.expr("true"), m.expr("false")})
	}
	return true
}

func (m *mutator) wrap() bool {
	l, i, ok := m.place()
	if !ok {
		return false
	}
	n := 1 + m.rng.IntN(min(3, len(*l)-i))
	s := m.stmts(pick(m, wrappers), append([]ast.Stmt{}, (*l)[i:i+n]...))
	for _, st := range s {
		m.fill(st)
	}
	*l = append(append(append([]ast.Stmt{}, (*l)[:i]...), s...), (*l)[i+n:]...)
	return true
}

// fill replaces COND, VAR and N.
func (m *mutator) fill(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch id.Name {
		case "N":
			id.Name = strconv.Itoa(m.rng.IntN(4))
		case "VAR":
			id.Name = m.text(m.idents)
		case "COND":
			id.Name = pick(m, []string{"true", "false", "false", m.text(m.idents) + " == 0", m.text(m.idents) + " < " + m.text(m.idents),
				m.text(m.idents) + " > 3"})
			if len(m.conds) > 0 && m.rng.IntN(2) == 0 {
				var out bytes.Buffer
				if format.Node(&out, token.NewFileSet(), *pick(m, m.conds)) == nil {
					id.Name = "(" + out.String() + ")"
				}
			}
		}
		return true
	})
}

func (m *mutator) text(ids []*ast.Ident) string {
	if len(ids) == 0 {
		return "zz"
	}
	return pick(m, ids).Name
}

func (m *mutator) duplicate() bool {
	l, i, ok := m.place()
	if ok {
		*l = insert(*l, i, (*l)[i])
	}
	return ok
}

func (m *mutator) remove() bool {
	l, i, ok := m.place()
	if ok {
		*l = append(append([]ast.Stmt{}, (*l)[:i]...), (*l)[i+1:]...)
	}
	return ok
}

func (m *mutator) move() bool {
	l, i, ok := m.place()
	if !ok {
		return false
	}
	s := (*l)[i]
	*l = append(append([]ast.Stmt{}, (*l)[:i]...), (*l)[i+1:]...)
	to := pick(m, m.lists)
	*to = insert(*to, m.rng.IntN(len(*to)+1), s)
	return true
}

func (m *mutator) jump() bool {
	l, i, ok := m.place()
	if !ok {
		return false
	}
	text := pick(m, []string{"break", "continue", "return", `panic("mutant")`, "if COND { break }", "if COND { continue }", "if COND { return }",
		"for {}", "select {}", "go func() {}()", "defer func() {}()", "{}", ";", "fallthrough", "_ = recover()", "it.Barrier()"})
	s := m.stmts(text, nil)
	for _, st := range s {
		m.fill(st)
	}
	*l = insert(*l, i, s...)
	return true
}

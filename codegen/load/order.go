package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/constinit"
)

// This file changes the order of evaluation in go/ssa code to the order of gc. Go does not specify
// whether a statement reads its variables before or after its function calls ("Order of
// evaluation"). gc first makes all calls, from left to right, and then reads the variables. In a[i]
// + next(&i), gc reads i after the call of next, which changes i. go/ssa evaluates from left to
// right. Therefore orderFunc moves each read after those calls of the same statement that may
// write. Instructions are moved only within a block.
//
// For gc, some other operations have the same order as calls (cmd/compile/internal/walk, order.go).
// Examples are slice expressions, conversions to interfaces, type assertions, and calls of builtins
// such as len and min.

// orderer changes the order of instructions in functions. An orderer caches whether functions write
// to memory outside of their own variables.
type orderer struct {
	done   map[*ssa.Function]bool
	writes map[*ssa.Function]bool
}

func newOrderer() *orderer {
	return &orderer{done: map[*ssa.Function]bool{}, writes: map[*ssa.Function]bool{}}
}

// orderFunc changes the order of a function's instructions to gc's order of evaluation.
func (o *orderer) orderFunc(fn *ssa.Function) {
	if o.done[fn] || fn.Syntax() == nil {
		return
	}
	o.done[fn] = true
	var units []ast.Node // syntax nodes that are evaluated as a whole, sorted by position
	for _, b := range fn.Blocks {
		calls, updates := slices.ContainsFunc(b.Instrs, o.mayWrite), slices.ContainsFunc(b.Instrs, isUpdate)
		if !calls && !updates {
			continue
		}
		if units == nil {
			if units = unitsOf(fn.Syntax()); units == nil {
				return
			}
		}
		if calls {
			o.orderBlock(b, units)
		}
		if updates {
			loadFirst(b, units)
		}
	}
}

// unitsOf returns the units of a function, which are the syntax nodes that gc evaluates as a whole.
// A unit is a simple statement, or an expression in a statement that contains other statements.
func unitsOf(fn ast.Node) (units []ast.Node) {
	add := func(n ast.Node, ok bool) {
		if ok {
			units = append(units, n)
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n == fn
		case *ast.AssignStmt, *ast.ExprStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ValueSpec:
			add(n, true)
			return false
		case *ast.IfStmt:
			add(n.Cond, true)
		case *ast.ForStmt:
			add(n.Cond, n.Cond != nil)
		case *ast.SwitchStmt:
			add(n.Tag, n.Tag != nil)
		case *ast.CaseClause:
			for _, e := range n.List {
				add(e, true)
			}
		case *ast.RangeStmt:
			add(n.X, n != fn)
		}
		return true
	})
	slices.SortFunc(units, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	return units
}

// unitAt returns the unit (see unitsOf) that contains position p, or nil.
func unitAt(units []ast.Node, p token.Pos) ast.Node {
	i, ok := slices.BinarySearchFunc(units, p, func(n ast.Node, p token.Pos) int { return int(n.Pos() - p) })
	if !ok {
		i--
	}
	if i >= 0 && i < len(units) && p < units[i].End() {
		return units[i]
	}
	return nil
}

// placesIn maps each instruction of a block to the unit (see unitsOf) that contains the
// instruction. Instructions without a known unit are omitted.
func placesIn(b *ssa.BasicBlock, units []ast.Node) map[ssa.Instruction]ast.Node {
	at := map[ssa.Instruction]ast.Node{}
	for _, in := range b.Instrs {
		if d, ok := in.(*ssa.DebugRef); ok {
			// If mayEvaluate rejects a DebugRef, the DebugRef is for a variable that holds the
			// instruction's value.
			if x, ok := d.X.(ssa.Instruction); ok && x.Block() == b && at[x] == nil && !d.IsAddr && mayEvaluate(x, d.Expr) {
				at[x] = unitAt(units, d.Pos())
			}
		} else if p := in.Pos(); p.IsValid() {
			at[in] = unitAt(units, p)
		}
	}
	for _, in := range slices.Backward(b.Instrs) {
		switch in := in.(type) {
		case *ssa.IndexAddr, *ssa.FieldAddr: // addresses inside composite literals have no position
			for _, use := range *in.(ssa.Value).Referrers() {
				if at[in] == nil && use.Block() == b {
					at[in] = at[use]
				}
			}
		}
	}
	return at
}

// mayEvaluate reports whether an instruction may be the evaluation of expression e.
func mayEvaluate(in ssa.Instruction, e ast.Expr) bool {
	switch in := in.(type) {
	case *ssa.UnOp:
		if in.Op != token.MUL {
			return false // unary operations other than loads have a position, so no DebugRef is needed
		}
		name := ""
		switch x := in.X.(type) {
		case *ssa.Alloc:
			name = x.Comment
		case *ssa.FreeVar:
			name = x.Name()
		case *ssa.Global:
			name = x.Name()
		case *ssa.FieldAddr:
			_, ok := ast.Unparen(e).(*ast.SelectorExpr)
			return ok
		case *ssa.IndexAddr:
			_, ok := ast.Unparen(e).(*ast.IndexExpr)
			return ok
		}
		switch e := ast.Unparen(e).(type) {
		case *ast.Ident:
			return e.Name == name
		case *ast.SelectorExpr:
			return e.Sel.Name == name
		case *ast.StarExpr:
			return true
		}
	case *ssa.Convert, *ssa.ChangeType:
		_, ok := ast.Unparen(e).(*ast.CallExpr)
		return ok
	case *ssa.Field:
		_, ok := ast.Unparen(e).(*ast.SelectorExpr)
		return ok
	case *ssa.Index:
		_, ok := ast.Unparen(e).(*ast.IndexExpr)
		return ok
	}
	return false
}

// orderBlock changes the order of a block's instructions to gc's order of evaluation.
func (o *orderer) orderBlock(b *ssa.BasicBlock, units []ast.Node) {
	at := placesIn(b, units)
	for i := 0; i < len(b.Instrs); i++ {
		call := b.Instrs[i]
		if at[call] == nil || !o.mayWrite(call) {
			continue
		}
		late := movableInstrs(b.Instrs[:i], call, func(in ssa.Instruction) bool { return at[in] == at[call] })
		if len(late) == 0 {
			continue
		}
		var before, after []ssa.Instruction
		for _, in := range b.Instrs[:i] {
			if late[in] {
				after = append(after, in)
			} else {
				before = append(before, in)
			}
		}
		i = len(before)
		copy(b.Instrs, slices.Concat(before, []ssa.Instruction{call}, after))
	}
}

// isUpdate reports whether an instruction may be the store of an assignment x op= y.
func isUpdate(in ssa.Instruction) bool { return updatedLoad(in) != nil }

// updatedLoad returns the load of x for the store of an assignment x op= y, and nil for other
// instructions.
func updatedLoad(in ssa.Instruction) *ssa.UnOp {
	st, ok := in.(*ssa.Store)
	if !ok {
		return nil
	}
	op, ok := st.Val.(*ssa.BinOp)
	if !ok || op.Block() != st.Block() {
		return nil
	}
	x, ok := op.X.(*ssa.UnOp)
	if !ok || x.Op != token.MUL || x.Block() != st.Block() {
		return nil
	}
	return x
}

// loadFirst moves the load of x in x op= y before the computation of y, but not before a call in y.
// go/ssa computes y before it loads x, and gc loads x first. The order matters because the load of
// x and the computation of y may both panic.
func loadFirst(b *ssa.BasicBlock, units []ast.Node) {
	at := placesIn(b, units)
	for i := 0; i < len(b.Instrs); i++ {
		x := updatedLoad(b.Instrs[i])
		if x == nil {
			continue
		}
		assign, ok := at[b.Instrs[i]].(*ast.AssignStmt)
		if !ok || assign.Tok == token.ASSIGN || assign.Tok == token.DEFINE {
			continue
		}
		moved := []ssa.Instruction{x}
		if a, ok := x.X.(ssa.Instruction); ok && canWait(a) && a.Block() == b && at[a] == assign {
			moved = []ssa.Instruction{a, x}
		}
		first := slices.Index(b.Instrs, moved[0])
		if last := first + len(moved); !slices.Equal(b.Instrs[first:last], moved) {
			continue
		}
		var ops [8]*ssa.Value
		needed := moved[0].Operands(ops[:0])
		to := first
		for ; to > 0; to-- {
			in := b.Instrs[to-1]
			_, isRef := in.(*ssa.DebugRef)
			v, _ := in.(ssa.Value)
			if !isRef && (!canWait(in) || at[in] != assign) || slices.ContainsFunc(needed, func(op *ssa.Value) bool { return *op == v }) {
				break
			}
		}
		copy(b.Instrs[to:], slices.Concat(moved, b.Instrs[to:first]))
	}
}

// movableInstrs returns the instructions before a call that can be moved after the call. An
// instruction can move only if the instruction and the call belong to the same statement. An
// instruction cannot move if the call, or another instruction that cannot move, uses its result.
func movableInstrs(before []ssa.Instruction, call ssa.Instruction, same func(ssa.Instruction) bool) map[ssa.Instruction]bool {
	late := map[ssa.Instruction]bool{}
	needed := map[ssa.Value]bool{}
	need := func(in ssa.Instruction) {
		var ops [8]*ssa.Value
		for _, op := range in.Operands(ops[:0]) {
			if *op != nil {
				needed[*op] = true
			}
		}
	}
	need(call)
	for _, in := range slices.Backward(before) {
		v, isValue := in.(ssa.Value)
		switch {
		case isValue && same(in) && canWait(in) && !needed[v]:
			late[in] = true
		case isStoreOfLiteral(in, needed) && same(in):
			late[in] = true
		default:
			if _, ok := in.(*ssa.DebugRef); !ok {
				need(in)
			}
		}
	}
	for _, in := range before {
		if d, ok := in.(*ssa.DebugRef); ok {
			if x, ok := d.X.(ssa.Instruction); ok && late[x] {
				late[in] = true
			}
		}
	}
	return late
}

// canWait reports whether gc evaluates an instruction after the calls of its statement.
func canWait(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.UnOp, *ssa.BinOp, *ssa.IndexAddr, *ssa.FieldAddr, *ssa.Index, *ssa.Field, *ssa.ChangeType, *ssa.Extract:
		return true
	case *ssa.Convert:
		_, slice := in.Type().Underlying().(*types.Slice)
		return !slice
	}
	return false
}

// isStoreOfLiteral reports whether an instruction stores to a variable as part of a composite
// literal's evaluation. isStoreOfLiteral returns false if an instruction that cannot move uses the
// variable.
func isStoreOfLiteral(in ssa.Instruction, needed map[ssa.Value]bool) bool {
	st, ok := in.(*ssa.Store)
	if !ok {
		return false
	}
	a, ok := constinit.RootOf(st.Addr).(*ssa.Alloc)
	return ok && !needed[a]
}

// mayWrite reports whether an instruction is a call that may write to memory outside of the called
// function's own variables.
func (o *orderer) mayWrite(in ssa.Instruction) bool {
	c, ok := in.(*ssa.Call)
	if !ok {
		return false
	}
	if b, ok := c.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "copy"
	}
	fn := c.Call.StaticCallee()
	if fn == nil {
		return true
	}
	if fn.Blocks == nil {
		return PackageOf(fn) == "sync/atomic"
	}
	return o.writesFn(fn)
}

// writesFn reports whether a function may write to memory outside of its own variables.
func (o *orderer) writesFn(fn *ssa.Function) bool {
	w, ok := o.writes[fn]
	if ok {
		return w
	}
	o.writes[fn] = true // preliminary result for recursive calls
	w = false
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Store:
				_, own := constinit.RootOf(in.Addr).(*ssa.Alloc)
				w = w || !own
			case *ssa.Call:
				if b, ok := in.Call.Value.(*ssa.Builtin); ok {
					w = w || slices.Contains([]string{"append", "clear"}, b.Name())
				}
				w = w || o.mayWrite(in)
			case *ssa.Defer, *ssa.Go, *ssa.MapUpdate, *ssa.Send:
				w = true
			}
		}
	}
	o.writes[fn] = w
	return w
}

package load

// This file evaluates package-level variables for Properties methods.

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// newInits returns the initial values of package-level variables for Properties methods. A list
// that a Properties method returns may share memory with a variable, and the method's caller might
// write to the list. The user's program detects a write to a shared list. When the program
// registers a kernel, it compares the list from the kernel's Properties method with the compiled
// list.
func newInits(l *loader, p *Program) *constinit.Env {
	return constinit.New(constinit.Facts{
		SSA:     p.SSA,
		Written: func(g *ssa.Global) token.Pos { return p.Fate(g).Stored },
		Filled:  func(g *ssa.Global) token.Pos { return p.Fate(g).Filled },
		Native: func(fn *ssa.Function, args []any, at token.Pos) (result any, ok bool) {
			e := &evaluator{l: l, prog: p}
			defer func() {
				if err, mine := recover().(*foldError); mine {
					result, ok = nil, false
				} else if err != nil {
					panic(err)
				}
			}()
			c := &converter{cells: map[*constinit.Var]*any{}, rooms: map[any]*arrayRoomInfo{}, unknown: unknownValue{what: "a value is not known"}}
			folded := make([]any, len(args))
			for i, a := range args {
				folded[i] = c.convertValue(a, nil)
			}
			return toInit(e.evalConstructor(fn, folded, at))
		},
	})
}

// readAt returns the position of the expression that a load instruction evaluates. If the load
// evaluates no expression of the source, readAt returns NoPos.
func readAt(load *ssa.UnOp) token.Pos {
	for _, use := range *load.Referrers() {
		if ref, ok := use.(*ssa.DebugRef); ok {
			return ref.Expr.Pos()
		}
	}
	return token.NoPos
}

// variableAddr returns the address of the package-level variable g. Parameter pos is the position
// of the read. If the program changes the variable, variableAddr returns an unknownValue.
func (e *evaluator) variableAddr(g *ssa.Global, pos token.Pos) any {
	if at := e.prog.Fate(g).Stored; at.IsValid() {
		return unknownValue{what: fmt.Sprintf("it reads the variable %s, which is written at %v", g.Name(), e.l.diagPos(at)), pos: pos}
	}
	why := ""
	v := e.inits.Var(g)
	if r := e.inits.Why(g); r != nil {
		why = ": " + r.Describe(func(p token.Pos) string { return e.l.diagPos(p).String() })
	}
	c := &converter{cells: e.cells, rooms: e.rooms, unknown: unknownValue{what: "it reads the variable " + g.Name() + ", whose value is not known" + why, pos: pos}}
	if v == nil {
		return c.unknown
	}
	return pointer{c.cell(v)}
}

// converter converts values of package constinit to values of the evaluator.
type converter struct {
	cells   map[*constinit.Var]*any
	rooms   map[any]*arrayRoomInfo
	unknown unknownValue // replacement for any value that is not known
}

func (c *converter) cell(v *constinit.Var) *any {
	if p := c.cells[v]; p != nil {
		return p
	}
	p := new(any)
	c.cells[v] = p
	if parts := v.Parts(); parts != nil {
		*p = aggregate(c.all(parts))
	} else {
		*p = c.convertValue(v.Load(), v.Type())
	}
	return p
}

func (c *converter) all(vs []*constinit.Var) []*any {
	out := make([]*any, len(vs))
	for i, v := range vs {
		out[i] = c.cell(v)
	}
	return slices.Clip(out)
}

// arrayRoom returns the description of the unused end of slice s's array. All slices of an array
// share one description.
func (c *converter) arrayRoom(s constinit.Slice) *arrayRoomInfo {
	id, free := s.Room()
	if id == nil {
		return nil
	}
	if c.rooms[id] == nil {
		c.rooms[id] = &arrayRoomInfo{free: free, init: true}
	}
	return c.rooms[id]
}

// convertValue converts the value v, whose Go type is t, to a constant of package go/constant or to a
// list of constants. The type t is nil if v is an argument of a function
// of package properties. Arguments of package properties are signed integers or lists of signed
// integers.
func (c *converter) convertValue(v any, t types.Type) any {
	switch v := v.(type) {
	case bool:
		return constant.MakeBool(v)
	case int64:
		if t != nil && gotypes.IsUnsigned(t) {
			return constant.MakeUint64(uint64(v))
		}
		return constant.MakeInt64(v)
	case string:
		return constant.MakeString(v)
	case float64:
		return floatConst(v)
	case constinit.Property:
		return v
	case constinit.Slice:
		all := v.Elems()
		cells := c.all(all[:cap(all)])
		return &slice{cells: cells[:len(all)], room: c.arrayRoom(v)}
	case constinit.Iface:
		if v.Type() != nil {
			return dynamicValue{v.Type(), c.convertValue(v.Value(), v.Type())}
		}
	case *constinit.Var:
		if v != nil {
			return pointer{c.cell(v)}
		}
	case []any:
		if t == nil {
			break
		}
		out, elem := make(aggregate, len(v)), gotypes.ElemTypes(t)
		for i, e := range v {
			x := c.convertValue(e, elem(i))
			out[i] = &x
		}
		return out
	}
	return c.unknown
}

// toInit converts an evaluator's value to a value of package constinit. The second result of toInit
// is false if package constinit cannot represent the value.
func toInit(v any) (any, bool) {
	switch v := v.(type) {
	case propertyValue:
		return v, true
	case constant.Value:
		switch v.Kind() {
		case constant.Bool:
			return constant.BoolVal(v), true
		case constant.Int:
			return constant.Int64Val(v)
		}
	case tuple:
		out := make([]any, len(v))
		for i, x := range v {
			var ok bool
			if out[i], ok = toInit(x); !ok {
				return nil, false
			}
		}
		return out, true
	}
	return nil, false
}

package load

// This file evaluates Properties methods.

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/properties"
)

// These limits ensure that the evaluator always terminates.
const (
	maxFoldSteps = 100_000
	maxFoldDepth = 100
)

// The evaluator represents a Go value by a value of one of these types: constant.Value,
// propertyValue, *slice, pointer, aggregate, dynamicValue, tuple, unknownValue.
type (
	// propertyValue holds a kernel property and the position of the call that made it.
	propertyValue = constinit.Property
	// A slice represents a Go slice. For a nil slice, the field `cells` is nil. If append made the
	// slice's array, the field `room` is not nil. Then the capacity that gc chooses may exceed
	// cap(cells). If `room` is nil, the capacity of the Go slice is cap(cells).
	slice struct {
		cells []*any
		room  *arrayRoomInfo
	}
	// arrayRoomInfo describes the unused end of an array that append made. All slices of one array
	// share one arrayRoomInfo.
	arrayRoomInfo struct {
		free  int  // number of unused elements at the array's end when the package initializer ends
		init  bool // whether a package initializer made the array
		taken bool // whether an append may have written to the unused elements
	}
	pointer   struct{ cell *any }
	aggregate []*any // an array or struct
	tuple     []any
	// unknownValue represents a value that is not known during code generation. Evaluated code may
	// copy an unknownValue, but not inspect it. wasReported is true if an error has been reported
	// for the value.
	unknownValue struct {
		what        string
		wasReported bool
		pos         token.Pos // position of the expression that reads the value, or NoPos
	}
	// dynamicValue is an interface value that is not nil.
	dynamicValue struct {
		typ types.Type
		v   any
	}
)

// foldError is the panic value that ends an evaluation with an error.
type foldError struct {
	pos      token.Pos
	msg      string
	reported bool // whether an error inside the called function has been reported
}

// evaluator runs a Properties method on its SSA form.
type evaluator struct {
	l     *loader
	prog  *Program
	inits *constinit.Env // initial values of package-level variables
	cells map[*constinit.Var]*any
	rooms map[any]*arrayRoomInfo // unused ends of the arrays that initializers made; the keys are ids of arrays
	steps int
	depth int
	errs  []*foldError
}

// A frame is the state of one running call of a function.
type frame struct {
	e    *evaluator
	fn   *ssa.Function
	vals map[ssa.Value]any
	pos  token.Pos // position of the last evaluated instruction that has a position
}

// foldProperties evaluates a kernel's Properties method and checks the properties that it returns.
func (f *kernelFinder) foldProperties(m *kernelMethods) {
	k := m.k
	list, errs := f.evaluate(m.properties)
	at := func(pos token.Pos) token.Pos {
		if !pos.IsValid() {
			return k.PropertiesPos
		}
		return pos
	}
	for _, e := range errs {
		if !e.reported {
			f.addOf(k, diag.PropertyFold, at(e.pos), "properties are folded when code is generated: use constants, variables that nothing writes and the constructors of package properties",
				"method Properties of kernel %s is not constant: %s", k.Name, e.msg)
		}
	}
	for _, p := range list {
		err, hint := p.Validate(), "give 1 to 3 sizes, each at least 1; modes and aspects are constants of package properties"
		if err == nil && k.Properties.Has(p.Key()) {
			err, hint = fmt.Errorf("%v is given twice", p.Key()), "keep one of them: there is no rule by which one would win"
		}
		if err != nil {
			f.addOf(k, diag.PropertyValue, at(p.Pos), hint, "properties of kernel %s: %v", k.Name, err)
			continue
		}
		if key := p.Key(); (key == properties.KeyWorkGroupSize || key == properties.KeyWorkGroupSizeHint) && len(p.Dims()) != k.Rank && !k.Formless {
			f.addOf(k, diag.PropertyRank, at(p.Pos), "give one size for each dimension of the item", "%v has %d sizes, but the rank of kernel %s is %d",
				p, len(p.Dims()), k.Name, k.Rank)
			continue
		}
		k.Properties = append(k.Properties, p.Property)
	}
}

// evaluate runs the function fn, which has no parameters except a receiver. The first result of
// evaluate lists the known properties. The second result of evaluate has one error for each cause
// of unknown properties.
func (f *kernelFinder) evaluate(fn *ssa.Function) ([]propertyValue, []*foldError) {
	if f.inits == nil {
		f.inits = newInits(f.l, f.prog)
	}
	e := &evaluator{l: f.l, prog: f.prog, inits: f.inits, cells: map[*constinit.Var]*any{}, rooms: map[any]*arrayRoomInfo{}}
	list := e.propertyList(fn)
	return list, e.errs
}

// propertyList evaluates fn and returns the list of properties that fn returns. propertyList adds
// errors to e.errs.
func (e *evaluator) propertyList(fn *ssa.Function) (list []propertyValue) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *foldError:
			e.errs = append(e.errs, p)
		default:
			panic(p)
		}
	}()
	args := make([]any, len(fn.Params))
	for i := range args {
		args[i] = unknownValue{what: "the receiver's fields are not known"}
	}
	returned := e.call(fn, args, fn.Pos())
	s, ok := returned.(*slice)
	if !ok {
		e.failOn(fn.Pos(), returned)
	}
	for _, c := range s.cells {
		if p, ok := (*c).(propertyValue); ok {
			list = append(list, p)
		} else {
			e.errs = append(e.errs, notKnown(fn.Pos(), *c))
		}
	}
	return list
}

func (e *evaluator) fail(pos token.Pos, format string, args ...any) {
	panic(&foldError{pos: pos, msg: fmt.Sprintf(format, args...)})
}

// failOn ends the evaluation with an error about the unknown value v.
func (e *evaluator) failOn(pos token.Pos, v any) { panic(notKnown(pos, v)) }

// notKnown returns the error for an unknown value v. The error is reported at the expression that
// reads the unknown value. If no expression reads the unknown value, the error has the position
// pos.
func notKnown(pos token.Pos, v any) *foldError {
	u, _ := v.(unknownValue)
	if u.pos.IsValid() {
		pos = u.pos
	}
	return &foldError{pos: pos, msg: describe(v), reported: u.wasReported}
}

// tryCall evaluates a call. If a direct call in the Properties method fails, the call's result is
// unknown, and the evaluation continues. The evaluation of code that inspects an unknown result
// also fails.
func (e *evaluator) tryCall(call func() any) (v any) {
	if e.depth > 1 {
		return call()
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *foldError:
			e.errs = append(e.errs, p)
			if e.steps > maxFoldSteps {
				p = &foldError{reported: true}
				panic(p)
			}
			v = unknownValue{what: p.msg, wasReported: true}
		default:
			panic(p)
		}
	}()
	return call()
}

func describe(v any) string {
	if u, ok := v.(unknownValue); ok {
		return u.what
	}
	return "a value is not known"
}

func (e *evaluator) call(fn *ssa.Function, args []any, pos token.Pos) any {
	if PackageOf(fn) == propertiesPath {
		return e.evalConstructor(fn, args, pos)
	}
	if fn.Blocks == nil {
		e.fail(pos, "it calls %s, which is not known", fn)
	}
	if decl, ok := fn.Syntax().(*ast.FuncDecl); ok && len(e.l.broken[decl]) > 0 {
		panic(&foldError{reported: true})
	}
	if e.depth++; e.depth > maxFoldDepth {
		e.fail(pos, "calls are nested too deeply")
	}
	defer func() { e.depth-- }()
	if e.prog.IsStd(PackageOf(fn)) { // errors inside the standard library are reported at the user's call
		defer func() {
			p := recover()
			if err, ok := p.(*foldError); ok && !err.reported {
				err.pos = pos
			}
			if p != nil {
				panic(p)
			}
		}()
	}
	f := &frame{e: e, fn: fn, vals: map[ssa.Value]any{}, pos: pos}
	for i, p := range fn.Params {
		f.vals[p] = args[i]
	}
	return f.runBlocks()
}

// runBlocks executes the blocks of the function, and returns the function's result.
func (f *frame) runBlocks() any {
	var prev *ssa.BasicBlock
	b := f.fn.Blocks[0]
next:
	for {
		f.setPhis(b, prev)
		for _, in := range b.Instrs {
			if f.e.steps++; f.e.steps > maxFoldSteps {
				f.e.fail(f.pos, "it takes too many steps")
			}
			if in.Pos().IsValid() {
				f.pos = in.Pos()
			}
			switch in := in.(type) {
			case *ssa.DebugRef:
			case *ssa.Phi: // phis are computed on entry to the block
			case *ssa.Jump:
				prev, b = b, b.Succs[0]
				continue next
			case *ssa.If:
				cond := f.constant(in.Cond)
				prev = b
				if constant.BoolVal(cond) {
					b = b.Succs[0]
				} else {
					b = b.Succs[1]
				}
				continue next
			case *ssa.Return:
				switch len(in.Results) {
				case 0:
					return nil
				case 1:
					return f.operandValue(in.Results[0])
				}
				var t tuple
				for _, r := range in.Results {
					t = append(t, f.operandValue(r))
				}
				return t
			case *ssa.Store:
				p, ok := f.operandValue(in.Addr).(pointer)
				if !ok {
					f.e.failOn(f.pos, f.operandValue(in.Addr))
				}
				*p.cell = copyValue(f.operandValue(in.Val))
			case ssa.Value:
				f.vals[in] = f.evalValue(in)
			default:
				f.e.fail(f.pos, "it has a statement that is not folded (%T)", in)
			}
		}
		f.e.fail(f.pos, "its end is not known")
	}
}

// setPhis sets the values of all phis of block b. setPhis reads all operands before it sets a
// value, because the phis of a block act in parallel.
func (f *frame) setPhis(b, prev *ssa.BasicBlock) {
	var vals []any
	for _, in := range b.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		vals = append(vals, f.operandValue(phi.Edges[slices.Index(b.Preds, prev)]))
	}
	for i, v := range vals {
		f.vals[b.Instrs[i].(*ssa.Phi)] = v
	}
}

// operandValue returns the value of an operand.
func (f *frame) operandValue(v ssa.Value) any {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return zeroValue(v.Type())
		}
		return v.Value
	case *ssa.Global:
		return f.e.variableAddr(v, f.pos)
	}
	if x, ok := f.vals[v]; ok {
		return x
	}
	return unknownValue{what: "a value is not known"}
}

func (f *frame) constant(v ssa.Value) constant.Value {
	x, ok := f.operandValue(v).(constant.Value)
	if !ok {
		f.e.failOn(f.pos, f.operandValue(v))
	}
	return x
}

func (f *frame) int(v ssa.Value) int {
	n, ok := constant.Int64Val(constant.ToInt(f.constant(v)))
	if !ok {
		f.e.fail(f.pos, "a number is out of range")
	}
	return int(n)
}

// zeroValue returns the zero value of a type.
func zeroValue(t types.Type) any {
	if gotypes.IsNamed(t, propertiesPath, "Property") {
		return propertyValue{}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return constant.MakeBool(false)
		case u.Info()&types.IsString != 0:
			return constant.MakeString("")
		case u.Info()&types.IsNumeric != 0:
			return constant.MakeInt64(0)
		}
	case *types.Slice:
		return &slice{}
	case *types.Array:
		a := make(aggregate, min(u.Len(), maxFoldSteps))
		for i := range a {
			v := zeroValue(u.Elem())
			a[i] = &v
		}
		return a
	case *types.Struct:
		a := make(aggregate, u.NumFields())
		for i := range a {
			v := zeroValue(u.Field(i).Type())
			a[i] = &v
		}
		return a
	}
	return unknownValue{what: "a value is not known"}
}

// copyValue copies an array or struct, as an assignment does.
func copyValue(v any) any {
	a, ok := v.(aggregate)
	if !ok {
		return v
	}
	b := make(aggregate, len(a))
	for i, c := range a {
		x := copyValue(*c)
		b[i] = &x
	}
	return b
}

// evalConstructor evaluates a call of a function of package properties that returns a property.
func (e *evaluator) evalConstructor(fn *ssa.Function, args []any, pos token.Pos) any {
	ints := func(v any) []int {
		s, ok := v.(*slice)
		if !ok {
			e.failOn(pos, v)
		}
		var out []int
		for _, c := range s.cells {
			out = append(out, e.number(*c, pos))
		}
		return out
	}
	switch funcName(fn) {
	case "WorkGroupSize":
		return propertyValue{Property: properties.WorkGroupSize(ints(args[0])...), Pos: pos}
	case "WorkGroupSizeHint":
		return propertyValue{Property: properties.WorkGroupSizeHint(ints(args[0])...), Pos: pos}
	case "SubGroupSize":
		return propertyValue{Property: properties.SubGroupSize(e.number(args[0], pos)), Pos: pos}
	case "DeviceHas":
		var aspects []properties.Aspect
		for _, n := range ints(args[0]) {
			aspects = append(aspects, properties.Aspect(n))
		}
		return propertyValue{Property: properties.DeviceHas(aspects...), Pos: pos}
	case "Float":
		return propertyValue{Property: properties.Float(properties.FloatMode(e.number(args[0], pos))), Pos: pos}
	case "Updatable", "EnableFusion", "RequireFusion", "InsertBarriers":
		e.fail(pos, "%s is a property of graphs, and not of kernels", funcName(fn))
	case "AccessScope", "FusionInternalMemory", "NoInit":
		e.fail(pos, "%s is a property of memory, and not of kernels", funcName(fn))
	}
	return e.evalMethod(funcName(fn), args, pos)
}

func (e *evaluator) number(v any, pos token.Pos) int {
	c, ok := v.(constant.Value)
	if !ok {
		e.failOn(pos, v)
	}
	n, ok := constant.Int64Val(constant.ToInt(c))
	if !ok {
		e.fail(pos, "%v is no int", c)
	}
	return int(n)
}

// evalMethod evaluates a call of a method of type List or Property. If a kernel embeds a type with
// properties, the kernel's Properties method can call methods of List on the embedded type's list.
func (e *evaluator) evalMethod(name string, args []any, pos token.Pos) any {
	switch name {
	case "List.Has", "List.Get":
		list, ok := args[0].(*slice)
		if !ok {
			e.failOn(pos, args[0])
		}
		key := properties.Key(e.number(args[1], pos))
		for _, c := range list.cells {
			p, ok := (*c).(propertyValue)
			if !ok { // an unknown property in the list may have the key
				e.failOn(pos, *c)
			}
			if p.Key() == key {
				if name == "List.Has" {
					return constant.MakeBool(true)
				}
				return tuple{p, constant.MakeBool(true)}
			}
		}
		if name == "List.Has" {
			return constant.MakeBool(false)
		}
		return tuple{propertyValue{}, constant.MakeBool(false)}
	case "Property.Key":
		if p, ok := args[0].(propertyValue); ok {
			return constant.MakeInt64(int64(p.Key()))
		}
	case "Property.Dims":
		if p, ok := args[0].(propertyValue); ok {
			s := &slice{}
			for _, d := range p.Dims() {
				var v any = constant.MakeInt64(int64(d))
				s.cells = append(s.cells, &v)
			}
			s.cells = slices.Clip(s.cells)
			return s
		}
	}
	e.fail(pos, "it calls properties.%s, which is not folded", name)
	return nil
}

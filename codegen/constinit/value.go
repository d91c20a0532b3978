package constinit

// This file evaluates operators, conversions and builtins.

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"math/bits"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// wrap truncates the integer n to the width of type t, and extends the truncated integer to 64
// bits. If t is signed, wrap sign-extends the truncated integer, and otherwise wrap zero-extends
// it.
func wrap(n int64, t types.Type) int64 {
	s := 64 - gotypes.Width(t)
	if gotypes.IsUnsigned(t) {
		return int64(uint64(n) << s >> s)
	}
	return n << s >> s
}

func roundFloat(x float64, t types.Type) float64 {
	if gotypes.IsFloat32(t) {
		return float64(float32(x))
	}
	return x
}

func roundComplex(x complex128, t types.Type) complex128 {
	if gotypes.IsComplex64(t) {
		return complex128(complex64(x))
	}
	return x
}

// binaryOp computes x op y. The operand x has type t, and y has type u.
func binaryOp(op token.Token, x, y any, t, u types.Type) any {
	switch op {
	case token.EQL:
		return equalVals(x, y)
	case token.NEQ:
		return !equalVals(x, y)
	}
	switch x := x.(type) {
	case int64:
		if y, ok := y.(int64); ok {
			return intBinary(op, x, y, t, u)
		}
	case float64:
		if y, ok := y.(float64); ok {
			return floatBinary(op, x, y, t)
		}
	case complex128:
		if y, ok := y.(complex128); ok {
			switch op {
			case token.ADD:
				return roundComplex(x+y, t)
			case token.SUB:
				return roundComplex(x-y, t)
			case token.MUL:
				p := func(a, b float64) float64 { return real(roundComplex(complex(float64(a*b), 0), t)) }
				return roundComplex(complex(p(real(x), real(y))-p(imag(x), imag(y)), p(real(x), imag(y))+p(imag(x), real(y))), t)
			case token.QUO: // gc divides complex64 values in complex128
				return roundComplex(x/y, t)
			}
		}
	case string:
		if y, ok := y.(string); ok {
			return stringBinary(op, x, y)
		}
	}
	panic(Unknown{})
}

func intBinary(op token.Token, x, y int64, t, u types.Type) any {
	unsigned := gotypes.IsUnsigned(t)
	switch op {
	case token.ADD:
		return wrap(x+y, t)
	case token.SUB:
		return wrap(x-y, t)
	case token.MUL:
		return wrap(x*y, t)
	case token.AND:
		return wrap(x&y, t)
	case token.OR:
		return wrap(x|y, t)
	case token.XOR:
		return wrap(x^y, t)
	case token.AND_NOT:
		return wrap(x&^y, t)
	case token.SHL, token.SHR:
		return shiftVal(op, x, y, t, u)
	case token.LSS:
		return gotypes.Less(x, y, t)
	case token.GTR:
		return gotypes.Less(y, x, t)
	case token.LEQ:
		return !gotypes.Less(y, x, t)
	case token.GEQ:
		return !gotypes.Less(x, y, t)
	}
	if y == 0 {
		panic(Unknown{})
	}
	switch {
	case op == token.QUO && unsigned:
		return int64(uint64(x) / uint64(y))
	case op == token.REM && unsigned:
		return int64(uint64(x) % uint64(y))
	case op == token.QUO:
		return wrap(x/y, t)
	case op == token.REM:
		return wrap(x%y, t)
	}
	panic(Unknown{})
}

func shiftVal(op token.Token, x, y int64, t, u types.Type) any {
	if !gotypes.IsUnsigned(u) && y < 0 {
		panic(Unknown{})
	}
	n := uint64(y)
	switch {
	case op == token.SHL:
		return wrap(x<<min(n, 64), t)
	case gotypes.IsUnsigned(t):
		return int64(uint64(x) >> min(n, 64))
	}
	return x >> min(n, 63)
}

func floatBinary(op token.Token, x, y float64, t types.Type) any {
	switch op {
	case token.ADD:
		return roundFloat(x+y, t)
	case token.SUB:
		return roundFloat(x-y, t)
	case token.MUL:
		return roundFloat(x*y, t)
	case token.QUO:
		return roundFloat(x/y, t)
	case token.LSS:
		return x < y
	case token.GTR:
		return x > y
	case token.LEQ:
		return x <= y
	case token.GEQ:
		return x >= y
	}
	panic(Unknown{})
}

func stringBinary(op token.Token, x, y string) any {
	switch op {
	case token.ADD:
		if len(x)+len(y) > MaxTable {
			panic(Unknown{})
		}
		return x + y
	case token.LSS:
		return x < y
	case token.GTR:
		return x > y
	case token.LEQ:
		return x <= y
	case token.GEQ:
		return x >= y
	}
	panic(Unknown{})
}

// equalVals compares values of the same type.
func equalVals(x, y any) bool {
	switch x := x.(type) {
	case bool, int64, float64, complex128, string, *Var:
		if !isUnknown(y) {
			return x == y
		}
	case []any:
		ys, ok := y.([]any)
		if !ok {
			break
		}
		for i := range x {
			if !equalVals(x[i], ys[i]) {
				return false
			}
		}
		return true
	case Slice: // slices can only be compared with nil
		if y, ok := y.(Slice); ok {
			return x.elems == nil && y.elems == nil
		}
	case funcVal:
		if y, ok := y.(funcVal); ok {
			return x.fn == nil && y.fn == nil
		}
	case Iface:
		y, ok := y.(Iface)
		if !ok {
			break
		}
		if x.typ == nil || y.typ == nil {
			return x.typ == y.typ
		}
		return types.Identical(x.typ, y.typ) && types.Comparable(x.typ) && equalVals(x.v, y.v)
	}
	panic(Unknown{})
}

func unary(op token.Token, x any, t types.Type) any {
	switch x := x.(type) {
	case bool:
		if op == token.NOT {
			return !x
		}
	case int64:
		switch op {
		case token.SUB:
			return wrap(-x, t)
		case token.XOR:
			return wrap(^x, t)
		}
	case float64:
		if op == token.SUB {
			return -x
		}
	case complex128:
		if op == token.SUB {
			return -x
		}
	}
	panic(Unknown{})
}

// convertVal converts v from one type to another, with the same result as gc on amd64.
func convertVal(v any, from, to types.Type) any {
	switch x := v.(type) {
	case int64:
		switch {
		case gotypes.IsInteger(to):
			return wrap(x, to)
		case gotypes.IsFloat32(to) && gotypes.IsUnsigned(from):
			return float64(float32(uint64(x)))
		case gotypes.IsFloat32(to):
			return float64(float32(x))
		case gotypes.IsFloat(to) && gotypes.IsUnsigned(from):
			return float64(uint64(x))
		case gotypes.IsFloat(to):
			return float64(x)
		case gotypes.IsString(to):
			if x < 0 || x > utf8.MaxRune {
				x = utf8.RuneError
			}
			return string(rune(x))
		}
	case float64:
		switch {
		case gotypes.IsFloat(to) && gotypes.IsFloat32(to) == gotypes.IsFloat32(from):
			return x
		case gotypes.IsFloat(to):
			return roundFloat(quietNaN(x), to)
		case gotypes.IsInteger(to) && x > -1<<31 && x < 1<<31: // outside of this range, the result of the conversion depends on the processor
			return wrap(int64(x), to)
		}
	case complex128:
		if gotypes.IsComplex(to) {
			return roundComplex(x, to)
		}
	case string:
		if s, ok := to.Underlying().(*types.Slice); ok {
			return ofString(x, s.Elem())
		}
		if gotypes.IsString(to) {
			return x
		}
	case Slice:
		if !gotypes.IsString(to) {
			break
		}
		var text []byte
		wide := gotypes.Width(from.Underlying().(*types.Slice).Elem()) == 32
		for _, e := range x.elems {
			n, ok := e.v.(int64)
			if !ok {
				panic(Unknown{})
			}
			if wide {
				text = utf8.AppendRune(text, rune(n))
			} else {
				text = append(text, byte(n))
			}
		}
		return string(text)
	}
	if types.Identical(from.Underlying(), to.Underlying()) {
		return v
	}
	panic(Unknown{})
}

// ofString returns the bytes or runes of a string as a slice.
func ofString(s string, elem types.Type) Slice {
	out := Slice{elems: []*Var{}}
	if gotypes.Width(elem) == 32 {
		for _, r := range s {
			out.elems = append(out.elems, &Var{v: int64(r), typ: elem})
		}
		return out
	}
	for i := range len(s) {
		out.elems = append(out.elems, &Var{v: int64(s[i]), typ: elem})
	}
	return out
}

func makeSliceVal(n, c int64, t types.Type) Slice {
	if n < 0 || c < n || c > MaxTable {
		panic(Unknown{})
	}
	elem := t.Underlying().(*types.Slice).Elem()
	out := make([]*Var, c)
	for i := range out {
		out[i] = newVar(elem)
	}
	return Slice{elems: out[:n]}
}

// evalSlice computes x[lo:hi:max].
func (f *runFrame) evalSlice(in *ssa.Slice) any {
	bound := func(v ssa.Value, no, limit int) int {
		if v == nil {
			return no
		}
		n := f.int(v)
		if n < 0 || n > int64(limit) {
			panic(Unknown{})
		}
		return int(n)
	}
	var elems []*Var
	var room *arrayRoom
	switch x := f.operandValue(in.X).(type) {
	case string:
		hi := bound(in.High, len(x), len(x))
		return x[bound(in.Low, 0, hi):hi]
	case Slice:
		elems, room = x.elems, x.room
	case *Var:
		if x == nil {
			panic(Unknown{})
		}
		elems = x.elems
		if x.obj == nil || x.obj.ID != x.obj { // the array is a field or element, so the array has no Object of its own
			for _, e := range elems {
				e.owner = x
			}
		}
		elems = elems[:len(elems):len(elems)]
	default:
		panic(Unknown{})
	}
	mx := bound(in.Max, cap(elems), cap(elems))
	hi := bound(in.High, len(elems), mx)
	if room != nil && (in.Max != nil || hi > len(elems)) {
		panic(Unknown{}) // the capacity of a slice that append has made depends on gc
	}
	return Slice{elems[bound(in.Low, 0, hi):hi:mx], room}
}

func nextOf(v any) any {
	it, ok := v.(stringIterVal)
	if !ok {
		panic(Unknown{})
	}
	at := *it.at
	if at >= len(it.s) {
		return []any{false, int64(0), int64(0)}
	}
	r, size := utf8.DecodeRuneInString(it.s[at:])
	*it.at += size
	return []any{true, int64(at), int64(r)}
}

// runBuiltin runs a call of a builtin function.
func runBuiltin(name string, args []any, in *ssa.Call) any {
	switch name {
	case "len", "cap":
		switch x := args[0].(type) {
		case string:
			return int64(len(x))
		case []any:
			return int64(len(x))
		case *Var:
			if x != nil {
				return int64(len(x.elems))
			}
		case Slice:
			if name == "cap" && x.room == nil {
				return int64(cap(x.elems))
			} else if name == "cap" {
				break // the capacity depends on gc, because append made the array
			}
			return int64(len(x.elems))
		}
	case "append":
		s, ok := args[0].(Slice)
		more := bytesOrElems(args[1])
		if !ok {
			break
		}
		n := len(s.elems) + len(more)
		if n > MaxTable || s.room != nil && s.room.free != cap(s.elems)-len(s.elems) {
			break // the array is too large, or two appends would write to the same elements of an array that append made
		}
		if len(more) == 0 {
			return s
		}
		vs := loads(more)
		out := s.elems
		if n > cap(out) {
			elem := in.Type().Underlying().(*types.Slice).Elem()
			grown := makeSliceVal(int64(n), int64(min(2*n, MaxTable)), types.NewSlice(elem)).elems
			for i, e := range out {
				grown[i].store(e.Load())
			}
			out, s.room = grown, &arrayRoom{}
		}
		if out = out[:n]; s.room != nil {
			s.room.free = cap(out) - n
		}
		for i, v := range vs {
			out[n-len(vs)+i].store(v)
		}
		return Slice{out, s.room}
	case "copy":
		s, ok := args[0].(Slice)
		if !ok {
			break
		}
		vs := loads(bytesOrElems(args[1]))
		n := min(len(vs), len(s.elems))
		for i, v := range vs[:n] {
			s.elems[i].store(v)
		}
		return int64(n)
	case "min", "max":
		return minMaxVal(name, args, in.Type())
	case "real", "imag":
		if x, ok := args[0].(complex128); ok {
			if name == "real" {
				return real(x)
			}
			return imag(x)
		}
	case "complex":
		re, ok1 := args[0].(float64)
		im, ok2 := args[1].(float64)
		if ok1 && ok2 {
			return complex(re, im)
		}
	}
	panic(Unknown{})
}

func bytesOrElems(v any) []*Var {
	switch v := v.(type) {
	case string:
		return ofString(v, types.Typ[types.Uint8]).elems
	case Slice:
		return v.elems
	}
	panic(Unknown{})
}

func loads(elems []*Var) []any {
	out := make([]any, len(elems))
	for i, e := range elems {
		out[i] = e.Load()
	}
	return out
}

func minMaxVal(name string, args []any, t types.Type) any {
	acc := args[0]
	for _, y := range args[1:] {
		if x, ok := acc.(float64); ok {
			if y, ok := y.(float64); !ok {
				panic(Unknown{})
			} else if name == "min" {
				acc = min(x, y)
			} else {
				acc = max(x, y)
			}
			continue
		}
		op := token.LSS
		if name == "max" {
			op = token.GTR
		}
		if binaryOp(op, y, acc, t, t) == true {
			acc = y
		}
	}
	return acc
}

// Idle lists functions that have no effect in kernels and initializers. For a function
// with a result, the map has the value true. The result of such a call is the bool false.
var Idle = map[string]bool{
	"crypto/internal/fips140.RecordApproved":    false, // would record the calling goroutine, which devices do not have
	"crypto/internal/fips140.RecordNonApproved": false, // would record the calling goroutine, which devices do not have
	"crypto/internal/boring.Unreachable":        false, // does nothing except leave a mark in the program for a tool
	"crypto/internal/fips140only.Enforced":      true,  // reads a setting from the program's environment, which devices do not have
}

// nativeFuncs maps the name of a function to Go code that evaluates a call. The functions in
// nativeFuncs have no body, or their results can be computed directly.
var nativeFuncs = map[string]func(args []any) any{
	"math.Float64bits":     func(a []any) any { return int64(math.Float64bits(a[0].(float64))) },
	"math.Float32bits":     func(a []any) any { return int64(Narrowed(a[0].(float64))) },
	"math.Float64frombits": func(a []any) any { return math.Float64frombits(uint64(a[0].(int64))) },
	"math.Float32frombits": func(a []any) any { return widen32(uint32(a[0].(int64))) },
	"math.Inf":             func(a []any) any { return math.Inf(int(a[0].(int64))) },
	"math.Ldexp":           func(a []any) any { return math.Ldexp(a[0].(float64), int(a[1].(int64))) },
	"math.FMA":             func(a []any) any { return math.FMA(a[0].(float64), a[1].(float64), a[2].(float64)) },
	"math/bits.Mul64": func(a []any) any {
		hi, lo := bits.Mul64(uint64(a[0].(int64)), uint64(a[1].(int64)))
		return []any{int64(hi), int64(lo)}
	},
	"math/bits.Add64": func(a []any) any {
		sum, carry := bits.Add64(uint64(a[0].(int64)), uint64(a[1].(int64)), uint64(a[2].(int64)))
		return []any{int64(sum), int64(carry)}
	},
	"math/bits.Sub64": func(a []any) any {
		diff, borrow := bits.Sub64(uint64(a[0].(int64)), uint64(a[1].(int64)), uint64(a[2].(int64)))
		return []any{int64(diff), int64(borrow)}
	},
}

func init() {
	for name, isBool := range Idle {
		nativeFuncs[name] = func([]any) any {
			if isBool {
				return false
			}
			return nil
		}
	}
	for name, fn := range exactFloats {
		if nativeFuncs[name] != nil {
			continue
		}
		nativeFuncs[name] = func(args []any) any {
			var xs []float64
			for _, a := range args {
				xs = append(xs, a.(float64))
			}
			return fn(xs)
		}
	}
	for name, fn := range map[string]func(uint64) int64{
		"LeadingZeros64":  func(x uint64) int64 { return int64(bits.LeadingZeros64(x)) },
		"LeadingZeros32":  func(x uint64) int64 { return int64(bits.LeadingZeros32(uint32(x))) },
		"LeadingZeros16":  func(x uint64) int64 { return int64(bits.LeadingZeros16(uint16(x))) },
		"LeadingZeros8":   func(x uint64) int64 { return int64(bits.LeadingZeros8(uint8(x))) },
		"LeadingZeros":    func(x uint64) int64 { return int64(bits.LeadingZeros64(x)) },
		"TrailingZeros64": func(x uint64) int64 { return int64(bits.TrailingZeros64(x)) },
		"TrailingZeros32": func(x uint64) int64 { return int64(bits.TrailingZeros32(uint32(x))) },
		"TrailingZeros16": func(x uint64) int64 { return int64(bits.TrailingZeros16(uint16(x))) },
		"TrailingZeros8":  func(x uint64) int64 { return int64(bits.TrailingZeros8(uint8(x))) },
		"TrailingZeros":   func(x uint64) int64 { return int64(bits.TrailingZeros64(x)) },
		"Len64":           func(x uint64) int64 { return int64(bits.Len64(x)) },
		"Len32":           func(x uint64) int64 { return int64(bits.Len32(uint32(x))) },
		"Len16":           func(x uint64) int64 { return int64(bits.Len16(uint16(x))) },
		"Len8":            func(x uint64) int64 { return int64(bits.Len8(uint8(x))) },
		"Len":             func(x uint64) int64 { return int64(bits.Len64(x)) },
		"OnesCount64":     func(x uint64) int64 { return int64(bits.OnesCount64(x)) },
		"OnesCount32":     func(x uint64) int64 { return int64(bits.OnesCount32(uint32(x))) },
		"OnesCount16":     func(x uint64) int64 { return int64(bits.OnesCount16(uint16(x))) },
		"OnesCount8":      func(x uint64) int64 { return int64(bits.OnesCount8(uint8(x))) },
		"OnesCount":       func(x uint64) int64 { return int64(bits.OnesCount64(x)) },
		"Reverse64":       func(x uint64) int64 { return int64(bits.Reverse64(x)) },
		"Reverse32":       func(x uint64) int64 { return int64(bits.Reverse32(uint32(x))) },
		"Reverse16":       func(x uint64) int64 { return int64(bits.Reverse16(uint16(x))) },
		"Reverse8":        func(x uint64) int64 { return int64(bits.Reverse8(uint8(x))) },
		"Reverse":         func(x uint64) int64 { return int64(bits.Reverse64(x)) },
		"ReverseBytes64":  func(x uint64) int64 { return int64(bits.ReverseBytes64(x)) },
		"ReverseBytes32":  func(x uint64) int64 { return int64(bits.ReverseBytes32(uint32(x))) },
		"ReverseBytes16":  func(x uint64) int64 { return int64(bits.ReverseBytes16(uint16(x))) },
		"ReverseBytes":    func(x uint64) int64 { return int64(bits.ReverseBytes64(x)) },
	} {
		nativeFuncs["math/bits."+name] = func(args []any) any { return fn(uint64(args[0].(int64))) }
	}
	for name, fn := range map[string]func(x uint64, k int) int64{
		"RotateLeft64": func(x uint64, k int) int64 { return int64(bits.RotateLeft64(x, k)) },
		"RotateLeft32": func(x uint64, k int) int64 { return int64(bits.RotateLeft32(uint32(x), k)) },
		"RotateLeft16": func(x uint64, k int) int64 { return int64(bits.RotateLeft16(uint16(x), k)) },
		"RotateLeft8":  func(x uint64, k int) int64 { return int64(bits.RotateLeft8(uint8(x), k)) },
		"RotateLeft":   func(x uint64, k int) int64 { return int64(bits.RotateLeft64(x, k)) },
	} {
		nativeFuncs["math/bits."+name] = func(args []any) any { return fn(uint64(args[0].(int64)), int(args[1].(int64))) }
	}
}

// toTree converts the value of a variable to a tree. toTree makes root the owner of the elements of
// all slices in the value.
func (b *Var) toTree(root any) *Tree {
	if b.elems != nil {
		t := &Tree{}
		for i, e := range b.elems {
			if part := e.toTree(root); part != nil {
				*t.part(i) = *part
			}
		}
		return t
	}
	if b.v == nil { // an empty struct or array has no parts
		return &Tree{}
	}
	return treeOf(b.v, b.typ, root)
}

// treeOf converts a value of type t to a tree.
func treeOf(v any, t types.Type, root any) *Tree {
	out := &Tree{}
	switch v := v.(type) {
	case bool:
		out.Leaf = ssa.NewConst(constant.MakeBool(v), t)
	case int64:
		n := constant.MakeInt64(v)
		if gotypes.IsUnsigned(t) {
			n = constant.MakeUint64(uint64(v))
		}
		out.Leaf = ssa.NewConst(n, t)
	case string:
		out.Leaf = ssa.NewConst(constant.MakeString(v), t)
	case float64:
		out.Number = &[2]float64{v, 0}
	case complex128:
		out.Number = &[2]float64{real(v), imag(v)}
	case []any:
		types := gotypes.ElemTypes(t)
		for i, e := range v {
			*out.part(i) = *treeOf(e, types(i), root)
		}
	case *Var:
		switch {
		case v == nil:
		case v.obj == nil:
			panic(Unknown{}) // a tree cannot represent a pointer to a field or element
		default:
			if v.obj.Tree == nil && v.obj.Type != nil {
				if v.owner == v.obj {
					panic(Unknown{}) // a tree cannot represent an object that contains a path of pointers to itself
				}
				v.owner = v.obj
				v.obj.Tree = v.toTree(v.obj)
			}
			out.To = v.obj
		}
	case funcVal:
		if len(v.bindings) > 0 {
			panic(Unknown{})
		}
		if v.fn != nil {
			out.Leaf = v.fn
		}
	case Iface:
		if v.typ != nil {
			*out = *treeOf(v.v, v.typ, root)
			out.Dynamic = v.typ
		}
	case Slice:
		for i, e := range v.elems {
			if e.owner != nil && e.owner != root {
				panic(Unknown{}) // the slice shares its array with a variable of another owner
			}
			e.owner = root
			*out.part(i) = *e.toTree(root)
		}
		out.Length, out.Made = len(v.elems), v.elems != nil
		if len(v.elems) > 0 {
			t := types.NewArray(t.Underlying().(*types.Slice).Elem(), int64(len(v.elems)))
			out.Array = &Object{v.elems[0], t, &Tree{Parts: out.Parts}}
		}
	default:
		panic(Unknown{})
	}
	return out
}

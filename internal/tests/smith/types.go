package smith

import (
	"fmt"
	"strconv"
	"strings"
)

// This file represents the types in random kernels, and chooses random types and literals.

type kind uint8

const (
	boolKind kind = iota
	intKind
	floatKind
	arrayKind
	structKind
	sliceKind
	ptrKind
	funcKind
	interfaceKind
)

// The type `typ` is a type of the generated program.
type typ struct {
	kind   kind
	name   string // name of scalars, structs, functions and interfaces
	bits   int
	signed bool
	elem   *typ
	len    int
	fields []field
}

type field struct {
	name string
	typ  *typ
}

// String returns the type as Go source writes it.
func (t *typ) String() string {
	switch t.kind {
	case arrayKind:
		return fmt.Sprintf("[%d]%s", t.len, t.elem)
	case sliceKind:
		return "[]" + t.elem.String()
	case ptrKind:
		return "*" + t.elem.String()
	}
	return t.name
}

func (t *typ) same(u *typ) bool { return t.String() == u.String() }

func (t *typ) scalar() bool { return t.kind <= floatKind }

var ints = func() []*typ {
	var out []*typ
	for _, s := range []bool{true, false} {
		for _, bits := range []int{8, 16, 32, 64, 0} {
			t := &typ{kind: intKind, name: "int", bits: bits, signed: s}
			if bits > 0 {
				t.name += strconv.Itoa(bits)
			} else {
				t.bits = 64
			}
			if !s {
				t.name = "u" + t.name
			}
			out = append(out, t)
		}
	}
	return out
}()

var (
	boolType = &typ{kind: boolKind, name: "bool"}
	float32T = &typ{kind: floatKind, name: "float32", bits: 32, signed: true}
	float64T = &typ{kind: floatKind, name: "float64", bits: 64, signed: true}
	int8T    = ints[0]
	int32T   = ints[2]
	intT     = ints[4]
	uint32T  = ints[7]
	uint64T  = ints[8]
	recT     = &typ{kind: structKind, name: "shape.Rec", fields: []field{{"A", int8T}, {"B", ints[6]}, {"C", ints[3]}, {"D", float32T},
		{"E", &typ{kind: arrayKind, elem: ints[1], len: 3}}, {"F", boolType}, {"G.X", ints[7]}, {"G.Y", ints[7]}}}
)

func sliceOf(t *typ) *typ { return &typ{kind: sliceKind, elem: t} }

func (g *progGen) intType() *typ { return pick(g, ints) }

// randomScalar returns a scalar type.
func (g *progGen) randomScalar() *typ {
	switch g.n(12) {
	case 0, 1:
		return boolType
	case 2:
		return float32T
	case 3:
		return float64T
	case 4, 5:
		return intT
	}
	return g.intType()
}

// fieldType returns a random type for a field or element.
func (g *progGen) fieldType(depth int) *typ {
	if depth > 0 && g.oneIn(3) {
		return g.anyType(depth - 1)
	}
	return g.randomScalar()
}

// anyType returns a random type for variables.
func (g *progGen) anyType(depth int) *typ {
	switch n := g.n(8); {
	case n == 0 && len(g.structs) > 0, n == 1 && len(g.structs) > 0:
		return pick(g, g.structs)
	case n == 2 && depth > 0:
		return &typ{kind: arrayKind, elem: g.fieldType(depth - 1), len: 1 + g.n(4)}
	}
	return g.randomScalar()
}

// typedLit returns a constant of type t. If nonzero is set, the constant is not 0.
func (g *progGen) typedLit(t *typ, nonzero bool) string {
	switch t.kind {
	case boolKind:
		return g.one("true", "false")
	case floatKind:
		s := g.one("0.5", "1", "2", "3.25", "0.1", "100", "1e10", "7", "0.001")
		if !nonzero && g.oneIn(6) {
			s = "0"
		}
		if g.oneIn(4) {
			s = "-" + s
		}
		return fmt.Sprintf("%s(%s)", t, s)
	}
	return fmt.Sprintf("%s(%s)", t, g.randomInt(t, nonzero))
}

// literalOf returns a literal without a conversion, for contexts that determine the type.
func (g *progGen) literalOf(t *typ) string {
	if t.kind == intKind {
		return g.randomInt(t, false)
	}
	return g.typedLit(t, false)
}

// randomInt returns an integer in the range of type t.
func (g *progGen) randomInt(t *typ, nonzero bool) string {
	for {
		var v uint64
		switch g.n(6) {
		case 0, 1, 2:
			v = uint64(g.n(12))
		case 3:
			v = 1 << g.n(t.bits)
		case 4:
			v = 1<<g.n(t.bits) - 1
		case 5:
			v = g.r.Uint64()
		}
		if t.signed && g.oneIn(3) {
			v = -v
		}
		v <<= 64 - t.bits
		s := strconv.FormatUint(v>>(64-t.bits), 10)
		if t.signed {
			s = strconv.FormatInt(int64(v)>>(64-t.bits), 10)
		}
		if s != "0" || !nonzero {
			return s
		}
	}
}

// compositeLit returns a composite literal.
func (g *progGen) compositeLit(t *typ, depth int) string {
	var parts []string
	if t.kind == arrayKind {
		for range t.len {
			parts = append(parts, g.pureExpr(t.elem, depth))
		}
		if g.oneIn(4) {
			parts = parts[:g.n(len(parts)+1)]
		}
	} else {
		for _, f := range t.fields {
			if g.oneIn(5) {
				continue
			}
			parts = append(parts, f.name+": "+g.pureExpr(f.typ, depth))
		}
	}
	return t.String() + "{" + strings.Join(parts, ", ") + "}"
}

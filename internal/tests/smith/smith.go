// Package smith generates random kernels. The kernels are legal Go that kgen can compile. The
// results of a kernel do not depend on anything that Go leaves undefined. The kernels always end. A
// seed always gives the same program.
//
// Each test generates one kind of programs. TestArith generates arithmetic and small loops, where
// drivers have most bugs. TestLoops generates loops over slices, in which kgen proves that indices are
// in range. TestRows generates loops along rows and columns in ranges of two dimensions. TestGroups
// generates kernels with work-groups. The tests run the work-items of such kernels as coroutines, as
// host forms, in the interpreter and on the device. The interpreter looks for data races.
//
// For a longer run use -programs 10000 -budget 5h -first 0. With -sizes 2, programs are small, so a driver
// compiles many more of them in the same time. The flag -modules lists the variants of modules that run on the
// device. The flag -keep names a folder for failing programs after shrinking, which should be moved to testdata.
package smith

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

// Program is a random program, which is one file of a package with one kernel. All names that the
// program declares begin with Prefix.
type Program struct {
	Seed   uint64
	Prefix string
	Source string
	Faulty bool // whether work-items may fault
	// Global and Local are the ranges of a kernel with work-groups, in the order z, y, x. Programs of NewRows have
	// a Global range but no Local range. If Global and Local are nil, the program has shape.Items work-items.
	Global, Local []int
}

// Items is the number of work-items of a launch.
func (p *Program) Items() int {
	n := 1
	for _, d := range p.Global {
		n *= d
	}
	if p.Global == nil {
		n = shape.Items
	}
	return n
}

// Imports are the packages that programs import.
var Imports = []string{
	"cmp", "encoding/binary", "math", "math/bits", "math/rand/v2", "slices", "sync/atomic", "unicode/utf8",
	"github.com/kgen-go/kgen/dsl", "github.com/kgen-go/kgen/dsl/half", "github.com/kgen-go/kgen/properties",
	"github.com/kgen-go/kgen/internal/tests/smith/shape",
}

// The limit makes programs end soon on every device.
const maxWork = 4000 // largest number of statements that a work-item runs

// progSize limits the size of a program. Drivers need much time to compile large programs, and
// small programs often show the same bugs.
type progSize struct {
	statements, helpers int
	depth               int // depth of nested statements
	expr                int // depth of nested expressions
}

var sizes = []progSize{{3, 1, 2, 2}, {4, 1, 2, 2}, {6, 2, 2, 3}, {6, 2, 3, 2}, {8, 2, 3, 3}, {5, 2, 4, 2}, {8, 3, 3, 3}, {16, 4, 4, 4}}

// Sizes is the number of program sizes. The smallest size is the first.
var Sizes = len(sizes)

// progGen is the state of a program being written.
type progGen struct {
	r      *rand.Rand
	prefix string
	size   progSize
	out    strings.Builder
	indent int
	names  int
	faulty bool

	structs   []*typ
	funcs     []*progFunc
	tableType *typ

	// The field `scopes` and the fields after it are the state of the function being written.
	scopes [][]*progVar
	loops  []jumpTarget
	result *typ // type of the function's result; nil for none
	pure   bool // whether the function must not write memory
	kernel bool
	work   int // number of statements that run in the function
	times  int // number of times that the current statement runs
	depth  int
	closed int // number of closures that contain the code being written
	// The field `faults` is the number of operations in the current statement that may fault. This
	// number is at most one, because Go does not define which of two operations faults first.
	faults int
	group  *groupState // state of a kernel with work-groups, else nil
	births int         // number of variables declared so far
	calms  int         // number of calls of writeCalm
	keep   allowedTargets
}

// progVar is a variable of the generated program.
type progVar struct {
	name string
	typ  *typ
	// fixed is true if the program must not assign to the variable.
	fixed bool
	// noCapture is true if closures must not use the variable.
	noCapture bool
	// device is true if a slice or pointer refers to device memory.
	device bool
	// If the variable is a slice, the field `length` is its least possible length.
	length int
	// uniform is true if all work-items of a group have the same value.
	uniform bool
	tile    *sharedTile // tile that contains the variable, or nil
	// chosen is true if the target of a pointer, slice, function or interface value depends on data.
	chosen bool
	born   int // number of variables declared before this one
}

// jumpTarget is a possible target of break or continue.
type jumpTarget struct {
	label    string
	used     *bool // whether a statement names the label
	isSwitch bool  // whether the target is a switch, which permits no continue
}

// progFunc is a function that programs call.
type progFunc struct {
	name   string
	params []*typ
	result *typ
	pure   bool
	method *typ // receiver
	ptr    bool
	work   int
	faulty bool
}

// New returns the program for a seed. The program's size is one of the n smallest sizes.
func New(seed uint64, prefix string, n int) *Program {
	g := &progGen{r: rand.New(rand.NewPCG(seed, 42)), prefix: prefix}
	g.writeFile(n, (*progGen).theKernel)
	return &Program{Seed: seed, Prefix: prefix, Source: g.out.String(), Faulty: g.faulty}
}

// writeFile generates a source file whose size is one of the n smallest sizes.
func (g *progGen) writeFile(n int, kernel func(*progGen)) {
	g.faulty = g.n(3) == 0
	if g.size = sizes[g.n(min(n, Sizes-1))]; g.oneIn(40) {
		g.size = sizes[n-1]
	}
	g.writeHeader()
	g.writeTable()
	for range g.n(3) {
		g.structType()
	}
	for range g.n(g.size.helpers + 1) {
		g.writeHelper()
	}
	kernel(g)
}

// writeHeader writes the package clause and imports of a file.
func (g *progGen) writeHeader() {
	g.line("package kernels")
	g.line("")
	g.line("import (")
	for _, p := range Imports {
		g.line("\t%q", p)
	}
	g.line(")")
	g.line("")
	g.line("var _, _, _, _ = math.Abs, bits.Len, cmp.Less[int], utf8.RuneLen")
	g.line("var _, _ = slices.Max[[]int], atomic.AddUint64")
	g.line("var _ = binary.LittleEndian")
	g.line("var _ rand.PCG")
	g.line("var _ half.Float16")
}

func (g *progGen) n(n int) int { return g.r.IntN(n) }

func (g *progGen) one(of ...string) string { return of[g.n(len(of))] }

func pick[T any](g *progGen, of []T) T { return of[g.n(len(of))] }

// oneIn returns true with probability 1/n.
func (g *progGen) oneIn(n int) bool { return g.n(n) == 0 }

func (g *progGen) line(format string, args ...any) {
	for range g.indent {
		g.out.WriteByte('\t')
	}
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

// newName returns a new local name.
func (g *progGen) newName(kind string) string {
	g.names++
	return fmt.Sprintf("%s%d", kind, g.names)
}

func (g *progGen) push() { g.scopes = append(g.scopes, nil) }
func (g *progGen) pop()  { g.scopes = g.scopes[:len(g.scopes)-1] }

func (g *progGen) declare(v *progVar) {
	top := len(g.scopes) - 1
	g.births++
	v.born = g.births
	g.scopes[top] = append(g.scopes[top], v)
}

// varsThat returns the variables in scope that satisfy the predicate `fits`.
func (g *progGen) varsThat(fits func(v *progVar) bool) []*progVar {
	var out []*progVar
	for _, s := range g.scopes {
		for _, v := range s {
			if !(v.noCapture && g.closed > 0) && g.isOpen(v) && (g.keep.from == 0 || v.born < g.keep.before || v.born >= g.keep.from) && fits(v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// beginFunc initializes the state for a new function.
func (g *progGen) beginFunc(result *typ, pure, kernel bool) {
	g.scopes, g.loops = [][]*progVar{nil}, nil
	g.result, g.pure, g.kernel = result, pure, kernel
	g.work, g.times, g.depth, g.closed = 0, 1, 0, 0
}

// structType writes a struct type with one or two methods.
func (g *progGen) structType() {
	t := &typ{kind: structKind, name: fmt.Sprintf("%sS%d", g.prefix, len(g.structs))}
	g.line("")
	g.line("type %s struct {", t.name)
	for i := range 1 + g.n(4) {
		f := field{fmt.Sprintf("F%d", i), g.fieldType(2)}
		if f.typ.kind == structKind && g.oneIn(2) && !embeds(t, f.typ) {
			f.name = f.typ.name
			g.line("\t%s", f.name)
		} else {
			g.line("\t%s %s", f.name, f.typ)
		}
		t.fields = append(t.fields, f)
	}
	g.line("}")
	g.structs = append(g.structs, t)
	if g.oneIn(2) {
		g.writeMethod(t)
	}
}

func embeds(t, e *typ) bool {
	for _, f := range t.fields {
		if f.name == e.name {
			return true
		}
	}
	return false
}

// writeMethod writes a method of a struct type.
func (g *progGen) writeMethod(t *typ) {
	f := &progFunc{name: fmt.Sprintf("M%d", len(g.funcs)), method: t, ptr: g.oneIn(2)}
	g.function(f)
}

// writeHelper writes a helper function.
func (g *progGen) writeHelper() {
	g.function(&progFunc{name: fmt.Sprintf("%sf%d", g.prefix, len(g.funcs)), pure: g.oneIn(2)})
}

func (g *progGen) function(f *progFunc) {
	result := g.randomScalar()
	if g.oneIn(4) {
		result = g.anyType(1)
	}
	f.result = result
	g.beginFunc(result, f.pure, false)
	var params []string
	for i := range 1 + g.n(3) {
		t := g.anyType(1)
		name := fmt.Sprintf("p%d", i)
		v := &progVar{name: name, typ: t}
		if !f.pure && g.oneIn(3) {
			if g.oneIn(2) {
				t = &typ{kind: ptrKind, elem: t}
			} else {
				t, v.length = sliceOf(g.randomScalar()), 2
			}
			v.typ, v.fixed = t, true
		}
		f.params = append(f.params, t)
		params = append(params, name+" "+t.String())
		g.declare(v)
	}
	params = append(params, "w uint64")
	g.declare(&progVar{name: "w", typ: uint64T})
	recv := ""
	if f.method != nil {
		star := ""
		v := &progVar{name: "m", typ: f.method}
		if f.ptr {
			star, v.fixed = "*", true
			v.typ = &typ{kind: ptrKind, elem: f.method}
		}
		recv = fmt.Sprintf("(m %s%s) ", star, f.method.name)
		g.declare(v)
	}
	named := g.oneIn(4)
	r := result.String()
	if named {
		r = "(res " + r + ")"
		g.declare(&progVar{name: "res", typ: result})
	}
	g.line("")
	g.line("func %s%s(%s) %s {", recv, f.name, strings.Join(params, ", "), r)
	before := g.faulty
	if f.pure {
		g.faulty = false
	}
	g.indent++
	g.writeStmts(1 + g.n(g.size.statements/2))
	g.faults = 0
	if named && g.oneIn(2) {
		g.line("return")
	} else {
		g.line("return %s", g.pureExpr(result, 2))
	}
	g.indent--
	g.line("}")
	f.faulty = g.faulty
	g.faulty = before
	f.work = g.work + 1
	g.funcs = append(g.funcs, f)
}

// writeTable writes a read-only package-level table.
func (g *progGen) writeTable() {
	t := g.intType()
	g.line("")
	var vals []string
	for range 8 {
		vals = append(vals, g.literalOf(t))
	}
	g.line("var %sTable = [8]%s{%s}", g.prefix, t, strings.Join(vals, ", "))
	g.tableType = t
}

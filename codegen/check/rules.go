package check

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/load"
)

// A rule is a check for forbidden instructions. A new rule needs an entry in the table of rules, a function for the
// entry, and a test in testdata/reject. Each rule is also an analyzer (see [Analyzers]).
type rule struct {
	name  string
	code  diag.Code
	doc   string
	check func(in ssa.Instruction, report reporter) // nil for a rule that does not examine single instructions
}

// A reporter reports the instruction that a rule is examining.
type reporter func(hint, format string, args ...any)

// These constants are the names of rules that code outside of the table uses.
const (
	ruleHost      = "host"
	ruleNoBody    = "nobody"
	ruleRecursion = "recursion"
	ruleKernel    = "kernel" // name of the rule for declarations, which package load checks
	ruleHalf      = "half"
)

var rules = []rule{
	{"goroutines", diag.Statement, "go statements", goroutines},
	{"defer", diag.Defer, "defer in the body of a range over a function", rangeDefers},
	{"recover", diag.Recover, "recover", recovers},
	{"channels", diag.Channel, "channels and select", channels},
	{"maps", diag.Map, "maps", maps},
	{"allocation", diag.Alloc, "memory whose size is not known when the kernel is built", emptyAppends},
	{"unsafe", diag.Unsafe, "package unsafe", unsafeUse},
	{ruleHalf, diag.Half, "numbers of package half that are taken for integers", halfNumbers},
	{ruleKernel, diag.KernelType, "declarations of kernels that kgen cannot generate code for", nil},
	{ruleHost, diag.HostOnly, "functions that only the host can run", nil},
	{ruleNoBody, diag.NoBody, "functions without a body in Go", nil},
	{ruleRecursion, diag.Recursion, "functions that call themselves", nil},
}

// builtinName returns the name of the predeclared function that an instruction calls. If the
// instruction does not call a predeclared function, builtinName returns "".
func builtinName(in ssa.Instruction) string {
	if c, ok := in.(*ssa.Call); ok {
		if b, ok := c.Call.Value.(*ssa.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

func goroutines(in ssa.Instruction, report reporter) {
	if _, ok := in.(*ssa.Go); ok {
		report("launch more work-items instead", "a kernel cannot start goroutines: a device has no scheduler for them")
	}
}

// rangeDefers reports defer statements in the body of a range-over-func loop. The deferred calls
// would run at the end of the enclosing function, and the number of deferred calls is not known.
func rangeDefers(in ssa.Instruction, report reporter) {
	if d, ok := in.(*ssa.Defer); ok && d.DeferStack != nil && in.Parent().Synthetic != "" {
		report("call it at the end of the iteration, or defer it in a function that the loop calls",
			"a defer statement in the body of a range over a function would need a stack of calls")
	}
}

func recovers(in ssa.Instruction, report reporter) {
	if builtinName(in) == "recover" {
		report("check before what may panic", "a kernel cannot recover from a panic, which ends the work-item and reaches the host as a fault")
	}
}

func channels(in ssa.Instruction, report reporter) {
	bad := builtinName(in) == "close"
	switch in := in.(type) {
	case *ssa.MakeChan, *ssa.Send, *ssa.Select:
		bad = true
	case *ssa.UnOp:
		bad = in.Op == token.ARROW
	}
	if bad {
		report("use work-group memory and barriers", "kernels have no channels: a device has no scheduler that could let a work-item wait for another")
	}
}

func maps(in ssa.Instruction, report reporter) {
	bad := builtinName(in) == "delete"
	switch in := in.(type) {
	case *ssa.MakeMap:
		bad = true
	case *ssa.MapUpdate:
		bad = !ofLiteral(in)
	case *ssa.Lookup:
		bad = gotypes.IsMap(in.X.Type())
	case *ssa.Range:
		bad = gotypes.IsMap(in.X.Type())
	case *ssa.Call:
		bad = bad || builtinName(in) == "clear" && gotypes.IsMap(in.Call.Args[0].Type())
	}
	if bad {
		report("use a slice, or a table indexed by a number", "kernels have no maps: they grow, and a device cannot allocate memory")
	}
}

// ofLiteral reports whether a map update sets an element of a composite literal.
func ofLiteral(up *ssa.MapUpdate) (is bool) {
	m, ok := up.Map.(*ssa.MakeMap)
	if n := up.Parent().Syntax(); ok && n != nil {
		ast.Inspect(n, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			is = is || ok && lit.Lbrace == m.Pos() && lit.Lbrace < up.Pos() && up.Pos() < lit.Rbrace
			return !is
		})
	}
	return is
}

// emptyAppends reports calls of append on slices that certainly have no capacity. emptyAppends does
// not report a slice that a call of make has made. Package lower checks such a slice, because the
// size in the call may become constant by inlining.
func emptyAppends(in ssa.Instruction, report reporter) {
	if builtinName(in) == "append" && !load.Clones(in.Parent()) && noCapacity(in.(*ssa.Call).Call.Args[0], map[ssa.Value]bool{}) {
		report("make the slice with a constant capacity: make([]T, 0, 16)",
			"append has to allocate here, since the slice has no capacity, and a kernel cannot")
	}
}

// noCapacity reports whether slice v certainly has no capacity before an append. noCapacity requires that each possible
// value of v is nil, an empty literal, or the result of an append to a slice without capacity.
func noCapacity(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value == nil
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !noCapacity(e, seen) {
				return false
			}
		}
		return true
	case *ssa.Call:
		return builtinName(v) == "append" && noCapacity(v.Call.Args[0], seen)
	case *ssa.ChangeType:
		return noCapacity(v.X, seen)
	case *ssa.Slice:
		if p, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			return p.Elem().Underlying().(*types.Array).Len() == 0
		}
		return noCapacity(v.X, seen)
	}
	return false
}

func unsafeUse(in ssa.Instruction, report reporter) {
	switch builtinName(in) {
	case "Add", "Slice", "SliceData", "String", "StringData":
		report("index slices", "kernels cannot call unsafe.%s: what an address means is the device's own", builtinName(in))
	}
	c, ok := in.(*ssa.Convert)
	if !ok || load.OnlyReinterpreted(c) {
		return
	}
	if _, ok := load.Reinterpreted(c); ok {
		return // the rule reports only the inner conversion
	}
	if x, ok := c.X.(*ssa.Convert); ok && gotypes.IsUnsafePointer(x.Type()) && x.Pos() > c.Pos() {
		return // the rule also reports the inner conversion
	}
	for _, t := range []types.Type{c.X.Type(), c.Type()} {
		if gotypes.IsUnsafePointer(t) {
			hint := "index slices"
			if p, ok := c.X.Type().Underlying().(*types.Pointer); ok && gotypes.IsNumeric(p.Elem()) {
				hint += "; a number's bits are *(*uint32)(unsafe.Pointer(&f)), in one size, or math.Float32bits(f)"
			}
			report(hint, "a kernel cannot convert %s to %s: what an address means is the device's own", shortType(c.X.Type()), shortType(c.Type()))
			return
		}
	}
}

func shortType(t types.Type) string { return types.TypeString(t, (*types.Package).Name) }

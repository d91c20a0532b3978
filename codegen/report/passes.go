package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/pass"
)

// These are the names of the reports on a kernel.
const (
	Bounds = "bounds" // run-time checks that remain, with the reasons
	Narrow = "narrow" // integers that are computed in 64 bits, with the reasons
	Fusion = "fusion" // slice elements that a work-item uses
	// Matrices is the report about loads and stores of the kernel's matrices on devices with matrix
	// instructions.
	Matrices = "matrices"
)

// Kernel holds the requested reports on one kernel.
type Kernel struct {
	Kernel   string      `json:"kernel"` // import path and name of the kernel
	Pos      diag.Pos    `json:"pos"`
	Bounds   *Checks     `json:"bounds,omitempty"`
	Narrow   *Integers   `json:"narrow,omitempty"`
	Fusion   []SliceUse  `json:"fusion,omitempty"`
	Matrices []MatrixUse `json:"matrices,omitempty"`
	// MatrixMemory describes the work-group memory for matrix operations that are expanded to
	// scalar code.
	MatrixMemory []MatrixMemory `json:"matrixMemory,omitempty"`
}

// Checks are the run-time checks of a kernel. The checks concern indices, slice bounds, divisors, shift counts and nil
// pointers. The checks are counted after inlining, so a check in a function is counted once for each call.
type Checks struct {
	Proved []Proved  `json:"proved"`
	Remain []Finding `json:"remain"`
}

// Proved is the number of checks that one kind of proof removed.
type Proved struct {
	By    pass.Proof `json:"by"`
	Count int        `json:"count"`
}

// Integers describes the computations with Go's int and other 64-bit integers.
type Integers struct {
	Narrowed int       `json:"narrowed"` // number of computations done in 32 bits
	Remain   []Finding `json:"remain"`
}

// Finding describes a check that remains, or a computation in 64 bits.
type Finding struct {
	Pos   diag.Pos `json:"pos"`
	Kind  string   `json:"kind"`
	Expr  string   `json:"expr"` // source text of the expression
	Why   string   `json:"why"`
	Hint  string   `json:"hint,omitempty"`  // change of the source that would remove the finding
	Ahead bool     `json:"ahead,omitempty"` // whether a single check before the surrounding loops covers all iterations
	Times int      `json:"times"`           // number of inlined copies of the check or computation
}

// CheckNames returns an error if one of the names is not the name of a report.
func CheckNames(what []string) error {
	for _, w := range what {
		if w != Bounds && w != Narrow && w != Fusion && w != Matrices {
			return fmt.Errorf("there is no report on %q; there are %s, %s, %s and %s", w, Bounds, Narrow, Fusion, Matrices)
		}
	}
	return nil
}

// Of returns the requested reports on kernel k, based on the results r of the passes.
func Of(prog *load.Program, k *load.Kernel, r *pass.Report, what []string) Kernel {
	out := Kernel{Kernel: k.FullName(), Pos: prog.DiagPos(k.Pos)}
	s := sourceText{prog, k}
	if slices.Contains(what, Bounds) {
		out.Bounds = s.checks(r)
	}
	if slices.Contains(what, Narrow) {
		out.Narrow = s.integers(r)
	}
	if slices.Contains(what, Fusion) {
		out.Fusion = s.describeFusion(r)
	}
	if slices.Contains(what, Matrices) {
		out.Matrices, out.MatrixMemory = s.matrixUses(r), matrixMemory(r)
	}
	return out
}

// Write prints reports as text.
func Write(w io.Writer, reports []Kernel) error {
	var b strings.Builder
	for i, r := range reports {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%v: %s\n", r.Pos, r.Kernel)
		if c := r.Bounds; c != nil {
			proved := 0
			var by []string
			for _, p := range c.Proved {
				proved += p.Count
				by = append(by, fmt.Sprintf("%s %d", p.By, p.Count))
			}
			fmt.Fprintf(&b, "\tchecks: %d proved", proved)
			if proved > 0 {
				fmt.Fprintf(&b, " (%s)", strings.Join(by, ", "))
			}
			fmt.Fprintf(&b, ", %d remain\n", times(c.Remain))
			writeFindings(&b, c.Remain)
		}
		if n := r.Narrow; n != nil {
			fmt.Fprintf(&b, "\t64-bit integers: %d computed in 32 bits, %d not\n", n.Narrowed, times(n.Remain))
			writeFindings(&b, n.Remain)
		}
		writeFusion(&b, r.Fusion)
		writeMatrices(&b, r.Matrices, r.MatrixMemory)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func times(fs []Finding) (n int) {
	for _, f := range fs {
		n += f.Times
	}
	return n
}

func writeFindings(b *strings.Builder, fs []Finding) {
	for _, f := range fs {
		fmt.Fprintf(b, "\t%v: %s: %s", f.Pos, f.Kind, f.Expr)
		if f.Times > 1 {
			fmt.Fprintf(b, " (%d times)", f.Times)
		}
		if f.Ahead {
			b.WriteString(", ahead of its loops")
		}
		fmt.Fprintf(b, "\n\t\t%s\n", f.Why)
		if f.Hint != "" {
			fmt.Fprintf(b, "\t\t%s\n", f.Hint)
		}
	}
}

// WriteJSON prints reports as a JSON array.
func WriteJSON(w io.Writer, reports []Kernel) error {
	if reports == nil {
		reports = []Kernel{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(reports)
}

// sourceText describes values and operations of a kernel by expressions of the source.
type sourceText struct {
	prog *load.Program
	k    *load.Kernel
}

func (s sourceText) checks(r *pass.Report) *Checks {
	c := &Checks{Proved: []Proved{}, Remain: []Finding{}}
	for _, by := range pass.Proofs() {
		if n := r.Proved[by]; n > 0 {
			c.Proved = append(c.Proved, Proved{by, n})
		}
	}
	for _, o := range r.Open {
		f := s.describeOpen(o)
		f.Ahead = o.Ahead
		c.Remain = append(c.Remain, f)
	}
	c.Remain = mergeFindings(c.Remain)
	return c
}

func (s sourceText) integers(r *pass.Report) *Integers {
	n := &Integers{Narrowed: r.Narrowed, Remain: []Finding{}}
	for _, v := range r.Wide {
		e, ok := s.prog.Expr(v.Pos)
		if !ok {
			continue // the source has no text for this index
		}
		whence := s.originText(v.Reason.Source, e.Text)
		why := fmt.Sprintf("its values are %s: %s", intervalText(v.Reason), whence)
		if v.Reason.Lack == pass.LackNarrow {
			why = "it would fit, but is computed from what has 64 bits: " + whence
		}
		n.Remain = append(n.Remain, Finding{Pos: s.pos(v.Pos), Kind: "64-bit integer", Expr: e.Text, Why: why, Times: 1})
	}
	n.Remain = mergeFindings(n.Remain)
	return n
}

// mergeFindings sorts findings by position. mergeFindings replaces equal findings by one finding with a count.
func mergeFindings(fs []Finding) []Finding {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Expr, b.Expr), cmp.Compare(a.Why, b.Why))
	})
	out := fs[:0]
	for _, f := range fs {
		if n := len(out); n > 0 {
			last := out[n-1]
			if last.Times = f.Times; last == f {
				out[n-1].Times += f.Times
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

func (s sourceText) pos(at ir.Pos) diag.Pos {
	return diag.Pos{File: s.prog.Abs(at.File), Line: at.Line, Col: at.Col}
}

// checkWords maps the kind of a check to the name of the kind in reports.
var checkWords = map[abi.FaultKind]string{
	abi.FaultIndex: "index", abi.FaultSliceLen: "slice bound", abi.FaultSliceCap: "slice bound",
	abi.FaultSliceOrder: "order of slice bounds", abi.FaultSlice3Len: "slice bound", abi.FaultSlice3Cap: "slice bound",
	abi.FaultSlice3Max: "order of slice bounds", abi.FaultSlice3Order: "order of slice bounds",
	abi.FaultSliceToArray: "slice to array", abi.FaultDivide: "division by zero", abi.FaultShift: "negative shift",
	abi.FaultNil: "nil pointer",
}

// describeOpen describes a remaining check.
func (s sourceText) describeOpen(o pass.OpenCheck) Finding {
	site := o.Site
	e, ok := s.prog.Expr(site.Pos)
	f := Finding{Pos: s.pos(site.Pos), Kind: checkWords[site.Kind], Expr: e.Text, Times: 1}
	if !ok {
		f.Expr = "(behind this position)"
	}
	a, b := comparedTexts(site.Kind, e)
	r := o.Reason
	whence := s.originText(r.Source, a)
	switch r.Lack {
	case pass.LackSign:
		if r.Both {
			f.Why = fmt.Sprintf("%s may be negative, or as large as %s, and the limit is %d: %s", a, numberText(r.Hi), r.Limit, whence)
			break
		}
		f.Why = fmt.Sprintf("%s may be negative: %s", a, whence)
	case pass.LackBound:
		f.Why = fmt.Sprintf("%s may be as large as %s, and the limit is %d: %s", a, numberText(r.Hi), r.Limit, whence)
	case pass.LackNonZero:
		f.Why = fmt.Sprintf("%s may be zero: %s", cmp.Or(e.Y, "the divisor"), s.originText(r.Source, e.Y))
	case pass.LackNonNil:
		f.Why = "the pointer may be nil here"
	case pass.LackMinimum:
		f.Why = fmt.Sprintf("nothing on the way here says that %s is at least %d", b, r.Limit)
	default:
		if r.Small() && site.Kind == abi.FaultIndex && ok && !r.ItemAgainstLen {
			f.Why = fmt.Sprintf("%s may be as large as %d, and nothing on the way here says that %s is more", a, r.Hi, b)
			f.Hint = fmt.Sprintf("with if j := int(%s); j < %s around it, %s[j] is proved; where every launch has %d elements or more, so is s[%s] behind s := %[3]s[:%[4]d], which is a fault where it has fewer", a, b, e.Base, r.Hi+1, a)
			break
		}
		f.Why = fmt.Sprintf("nothing on the way here relates %s to %s: %s", a, b, whence)
	}
	if r.ItemAgainstLen && site.Kind == abi.FaultIndex {
		f.Hint = fmt.Sprintf("with if %s >= %s { return } before it, it is proved", a, b)
	} else if r.Grid && site.Kind == abi.FaultIndex && ok {
		f.Hint = fmt.Sprintf("in s := %s[:h*w], with h and w from GlobalRange, s[%s] is proved", e.Base, a)
	}
	return f
}

// comparedTexts returns the source texts of the two operands that a check of kind k compares.
func comparedTexts(k abi.FaultKind, e load.Expr) (a, b string) {
	switch k {
	case abi.FaultIndex:
		return cmp.Or(e.Index, "the index"), "len(" + cmp.Or(e.Base, "the slice") + ")"
	case abi.FaultSliceLen:
		return cmp.Or(e.High, "the bound"), "len(" + e.Base + ")"
	case abi.FaultSliceCap:
		return cmp.Or(e.High, "the bound"), "cap(" + e.Base + ")"
	case abi.FaultSliceOrder:
		return cmp.Or(e.Low, "the lower bound"), cmp.Or(e.High, "len("+e.Base+")")
	case abi.FaultSlice3Len:
		return cmp.Or(e.Max, "the bound"), "len(" + e.Base + ")"
	case abi.FaultSlice3Cap:
		return cmp.Or(e.Max, "the bound"), "cap(" + e.Base + ")"
	case abi.FaultSlice3Max:
		return cmp.Or(e.High, "the bound"), e.Max
	case abi.FaultSlice3Order:
		return cmp.Or(e.Low, "the lower bound"), e.High
	case abi.FaultSliceToArray:
		return "the array's length", "len(" + e.X + ")"
	case abi.FaultShift:
		return cmp.Or(e.Y, "the count"), ""
	}
	return "the value", ""
}

// originText returns a text about the origin of a value. exprText is the source text
// of the value.
func (s sourceText) originText(src pass.Source, exprText string) string {
	who := "it"
	if e, ok := s.prog.Expr(src.Pos); ok && e.Text != exprText {
		who = e.Text
	}
	if src.Param != "" {
		who = src.Param
		if len(s.k.Fn.Params) > 0 {
			who = s.k.Fn.Params[0].Name() + "." + who
		}
		if src.Len {
			who = "len(" + who + ")"
		}
		if who == exprText {
			who = "it"
		}
	}
	text := src.Text
	if who == "it" && !token.IsIdentifier(exprText) && src.Param == "" {
		text = strings.Replace(text, "is a ", "comes from a ", 1)
		text = strings.Replace(text, "is the ", "comes from the ", 1)
	}
	return who + " " + text
}

// intervalText returns the known range of a value as text.
func intervalText(r pass.Reason) string {
	if r.Unbounded() {
		return "not bounded"
	}
	return numberText(r.Lo) + " to " + numberText(r.Hi)
}

// numberText returns a number as text. A number close to a large power of two is written
// as this power and a difference.
func numberText(n int64) string {
	u := uint64(n)
	sign := ""
	if n < 0 {
		u, sign = -u, "-"
	}
	if u < 1<<20 {
		return fmt.Sprint(n)
	}
	e := bits.Len64(u - 1) // u <= 1<<e
	d := int64(u - 1<<e)   // at most 0 if e < 64; 1<<64 is 0 in 64 bits
	if e < 64 && d >= -2 && u <= math.MaxInt64 || u == 1<<63 {
		if d == 0 || u == 1<<63 {
			return fmt.Sprintf("%s1<<%d", sign, bits.Len64(u)-1)
		}
		return fmt.Sprintf("%s(1<<%d - %d)", sign, e, -d)
	}
	return fmt.Sprint(n)
}

package report

// This file describes, in terms of the source, the slice elements that a work-item uses. The report
// helps users to change two kernels so that they can be fused into one launch.

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// SliceUse describes the elements of a slice that a work-item uses.
type SliceUse struct {
	Slice  string `json:"slice"`
	Access string `json:"access"` // "read", "written", "read and written", "internal" or "not used"
	// Own is the number n of elements that belong to one work-item alone. The work-item with linear
	// id lin uses only the n elements that begin at index n*lin. Own is 0 if work-items may use
	// other elements. Group is the number of elements that belong to one work-item. Group is set if
	// work-items may also use the elements of other work-items in their work-group. The fields Own
	// and Group hold only for launches that meet the conditions in If.
	Own   int64    `json:"own,omitempty"`
	Group int64    `json:"group,omitempty"`
	If    []string `json:"if,omitempty"`
	// Pos is the position of the first access, or of an access to elements of other work-items. Expr
	// is the source text of the access at Pos.
	Pos  diag.Pos `json:"pos,omitzero"`
	Expr string   `json:"expr,omitempty"`
	Why  string   `json:"why,omitempty"`
}

// whyAny has a text for each reason why a work-item may use any element of a slice.
var whyAny = map[facts.Why]string{
	facts.WhyAtomic:  "this is atomic",
	facts.WhyAddress: "what this is an element of is computed, or one of several slices",
	facts.WhyIndex:   "nothing says that this is the work-item's own",
	facts.WhyDiffer:  "this divides the slice otherwise than an access before it",
	facts.WhyElem:    "this has another type than an access before it",
	facts.WhyForm:    "a task has one work-item",
}

// describeFusion describes, for each slice of a kernel, the elements that a work-item uses.
func (s sourceText) describeFusion(r *pass.Report) []SliceUse {
	var uses []SliceUse
	for i, f := range r.Footprints {
		p := r.Params[i]
		if p.Kind != abi.Slice {
			continue
		}
		u := SliceUse{Slice: p.Name, Why: whyAny[f.Why], Access: map[abi.Access]string{
			0: "not used", abi.Read: "read", abi.Write: "written", abi.ReadWrite: "read and written",
		}[f.Access]}
		if p.Internal > 0 && p.Offset >= 0 {
			u.Access = "internal"
		}
		if f.Reach != abi.ReachNone {
			e, _ := s.prog.Expr(f.Pos)
			u.Pos, u.Expr = s.pos(f.Pos), e.Text
		}
		switch f.Reach {
		case abi.ReachOwn:
			u.Own = f.PerItem
		case abi.ReachGroup:
			if u.Group, u.Why = f.PerItem, ""; f.Multiple > 1 {
				u.If = append(u.If, fmt.Sprintf("the work-group's size is a multiple of %d", f.Multiple))
			}
		}
		if u.Own+u.Group > 0 {
			for _, c := range f.Strides {
				u.If = append(u.If, fmt.Sprintf("the range's size along %c is %s", "xyz"[c.Dim], launchText(r.Params, c)))
			}
			if f.Limited(s.k.Rank) {
				u.If = append(u.If, fmt.Sprintf("there are at most %s work-items", numberText(f.Most)))
			}
		}
		uses = append(uses, u)
	}
	return uses
}

// launchText returns a text for the condition c, which restricts the range of a launch.
func launchText(params []abi.Param, c abi.Stride) string {
	if c.Offset == 0 {
		return fmt.Sprint(c.Const)
	}
	if c.Offset < abi.OffsetArgs {
		return fmt.Sprintf("its size along %c", "xyz"[(c.Offset-abi.OffsetRange)/4])
	}
	for _, p := range params {
		switch at := c.Offset - abi.OffsetArgs - p.Offset; {
		case p.Offset < 0 || at < 0 || at >= p.Size:
		case p.Kind == abi.Slice:
			return "len(" + p.Name + ")"
		case at > 0 || c.Size < p.Size:
			return "a part of " + p.Name
		default:
			return p.Name
		}
	}
	return "an argument"
}

// writeFusion prints one line for each slice.
func writeFusion(b *strings.Builder, uses []SliceUse) {
	for _, u := range uses {
		b.WriteByte('\t')
		if u.Pos.File != "" {
			fmt.Fprintf(b, "%v: ", u.Pos)
		}
		fmt.Fprintf(b, "%s: %s\n", u.Slice, u.String())
	}
}

// String describes the elements of the slice that a work-item uses. The text does not contain the
// slice's name.
func (u *SliceUse) String() string {
	var b strings.Builder
	b.WriteString(u.Access)
	switch {
	case u.Own == 1:
		b.WriteString(", each work-item its own element")
	case u.Own > 1:
		fmt.Fprintf(&b, ", each work-item %d elements of its own", u.Own)
	case u.Group == 1:
		b.WriteString(", each work-group the elements of its work-items")
	case u.Group > 1:
		fmt.Fprintf(&b, ", each work-group the %d elements of each of its work-items", u.Group)
	case u.Why != "":
		b.WriteString(", any element: ")
		if u.Expr != "" {
			fmt.Fprintf(&b, "%s: ", u.Expr)
		}
		b.WriteString(u.Why)
	}
	if len(u.If) > 0 {
		fmt.Fprintf(&b, ", if %s", strings.Join(u.If, " and "))
	}
	return b.String()
}

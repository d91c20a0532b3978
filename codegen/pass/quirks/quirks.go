package quirks

// This file has what a row of the table is, and Apply, which runs the rows over a module.

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/codegen/pass/rewrite"
)

// Driver is a Vulkan driver whose compiler, or whose queue, does something wrong.
type Driver string

// The drivers that have rows. Mesa's rows are those of its compiler's front, which all drivers of
// Mesa share; lavapipe's are its own.
const (
	NVIDIA      Driver = "NVIDIA"
	Mesa        Driver = "Mesa"
	Lavapipe    Driver = "lavapipe"
	SwiftShader Driver = "SwiftShader"
)

// A Quirk is one bug of one driver, and how kgen's modules avoid it. All rows together are
// [All]: the files nvidia.go, lavapipe.go, swiftshader.go and mesa.go.
//
// A row works in one of these ways:
//
//   - Match, with Hide: the value that Match tells of is hidden from the driver's optimizer;
//     see [hider.hideValues].
//   - Inst: every instruction is offered to the row, which may write it in another way.
//   - Module, Before and After: the row looks at the module, or at one function after the
//     other, before or after values are hidden.
//   - Where alone: the workaround is part of how another pass, or another package, does its
//     work. The row points at the code.
type Quirk struct {
	// Name, behind "quirk/", is what kgen's flag -disable takes.
	Name   string
	Driver Driver
	// Seen is the driver's version that showed the bug.
	Seen string
	// Bug says in a sentence what the driver does.
	Bug string
	// Case has what shows the bug where the row is switched off:
	//
	//	internal/tests/difftest/golang.Shifted    a kernel of a package of test kernels
	//	internal/tests/smith/testdata/bytes.go    a program of package smith that was kept
	//	runtime/x_test.go:TestX             a test
	//	codegen/pass/quirks/testdata/turned.ir     a module that has the pattern
	Case []string
	// Where is the function, as file:function, that avoids the bug.
	Where string
	// Fixed says of a row with Where alone that modules cannot be made without it.
	Fixed bool

	// Match reports whether the instruction or phi use must not see what its operand v is.
	Match func(h *hider, v, use *ir.Value) bool
	// Operands, if not nil, returns the values to hide for use; Match is nil then. They need
	// not be use's own operands.
	Operands func(use *ir.Value) []*ir.Value
	// Hide says how the value is hidden.
	Hide hiding

	// Inst may change the instruction v. It returns the values that must stand before v.
	Inst func(h *hider, v *ir.Value) []*ir.Value

	Module        func(m *ir.Module)
	Before, After func(h *hider)
}

// Mends reports whether the row itself changes modules, and so has code in the table.
func (q *Quirk) Mends() bool {
	return q.Match != nil || q.Operands != nil || q.Inst != nil || q.Module != nil || q.Before != nil || q.After != nil
}

// rows are the rows in the order in which they are applied. They are made when they are first
// asked for, so that programs that compile nothing do not have their code.
var rows struct {
	once sync.Once
	all  []*Quirk
}

func table() []*Quirk {
	rows.once.Do(func() {
		for _, list := range [][]Quirk{nvidiaQuirks(), lavapipeQuirks(), swiftShaderQuirks(), mesaQuirks()} {
			for i := range list {
				rows.all = append(rows.all, &list[i])
			}
		}
	})
	return rows.all
}

// All returns all rows.
func All() []*Quirk { return slices.Clone(table()) }

// CheckDisabled returns an error, with the names that there are, unless each name is that of
// something which modules can be made without, such as "quirk/rotation".
func CheckDisabled(names []string) error {
	for _, name := range names {
		i := slices.IndexFunc(table(), func(q *Quirk) bool { return facts.QuirkPrefix+q.Name == name })
		switch {
		case i < 0:
			var known []string
			for _, q := range table() {
				if !q.Fixed {
					known = append(known, facts.QuirkPrefix+q.Name)
				}
			}
			return fmt.Errorf("nothing that can be disabled is called %q; there are %s", name, strings.Join(known, ", "))
		case table()[i].Fixed:
			return fmt.Errorf("%s cannot be disabled: modules are built around it (%s)", name, table()[i].Where)
		}
	}
	return nil
}

// Apply applies the rows of the table to a module. It stands after everything that folds
// constants, which would undo it.
func Apply(m *ir.Module) diag.List {
	var rows []*Quirk
	for _, q := range table() {
		if facts.Avoids(m, q.Name) {
			rows = append(rows, q)
		}
	}
	for _, q := range rows {
		if q.Module != nil {
			q.Module(m)
		}
	}
	for _, f := range rewrite.Bodies(m) {
		h := NewHider(f, rows)
		for _, b := range f.Blocks {
			var out []*ir.Value
			for _, v := range b.Insts {
				for _, q := range rows {
					if q.Inst != nil {
						out = append(out, q.Inst(h, v)...)
					}
				}
				out = append(out, v)
			}
			b.Insts = out
		}
		for _, q := range rows {
			if q.Before != nil {
				q.Before(h)
			}
		}
		h.hideValues()
		for _, q := range rows {
			if q.After != nil {
				q.After(h)
			}
		}
	}
	return nil
}

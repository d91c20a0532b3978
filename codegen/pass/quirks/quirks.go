package quirks

// This file defines the rows of the table, and Apply, which applies them to a module.

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

// Driver is a Vulkan driver whose compiler, or whose queue, has a bug.
type Driver string

// These are the drivers with rows. Mesa's rows are those of its compiler's front end, which all
// drivers of Mesa share; lavapipe's rows are its own.
const (
	NVIDIA      Driver = "NVIDIA"
	Mesa        Driver = "Mesa"
	Lavapipe    Driver = "lavapipe"
	SwiftShader Driver = "SwiftShader"
)

// A Quirk is one bug of one driver, and the way in which kgen's modules avoid it. [All] returns all
// rows, which are in nvidia.go, lavapipe.go, swiftshader.go and mesa.go.
//
// A row works in one of these ways:
//
//   - Match, with Hide: the values for which Match returns true are hidden from the driver's optimizer;
//     see [hider.hideValues].
//   - Inst: the row may rewrite each instruction.
//   - Module, Before and After: the row rewrites the module, or each function,
//     before or after values are hidden.
//   - Only Where: the workaround is part of another pass or package. The row refers to its code.
type Quirk struct {
	// Name, prefixed by "quirk/", is an argument of kgen's flag -disable.
	Name   string
	Driver Driver
	// Seen is the version of the driver that showed the bug.
	Seen string
	// Bug describes the driver's behavior in a sentence.
	Bug string
	// Case lists the tests that show the bug when the row is disabled:
	//
	//	internal/tests/difftest/golang.Shifted    a kernel of a package of test kernels
	//	internal/tests/smith/testdata/bytes.go    a program of package smith that was kept
	//	runtime/x_test.go:TestX             a test
	//	codegen/pass/quirks/testdata/turned.ir     a module that has the pattern
	Case []string
	// Where is the function that avoids the bug, as file:function.
	Where string
	// Fixed says that a row with only Where cannot be disabled.
	Fixed bool

	// Match reports whether use, an instruction or phi, must not see its operand v.
	Match func(h *hider, v, use *ir.Value) bool
	// Operands, if not nil, returns the values to hide for use; Match is nil then. They need not be
	// operands of use.
	Operands func(use *ir.Value) []*ir.Value
	// Hide says how the value is hidden.
	Hide hiding

	// Inst may change the instruction v. It returns values to insert before v.
	Inst func(h *hider, v *ir.Value) []*ir.Value

	Module        func(m *ir.Module)
	Before, After func(h *hider)
}

// Mends reports whether the row itself changes modules, and so has code in the table.
func (q *Quirk) Mends() bool {
	return q.Match != nil || q.Operands != nil || q.Inst != nil || q.Module != nil || q.Before != nil || q.After != nil
}

// rows are the rows in the order in which they are applied. They are created on first use, so that
// the linker can remove their code from programs that compile nothing.
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

// CheckDisabled returns an error unless each name is the name of a quirk that can be disabled, such
// as "quirk/rotation". The error lists these names.
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

// Apply applies the rows of the table to a module. It must run after all passes that fold
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

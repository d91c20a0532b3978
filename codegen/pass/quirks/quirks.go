package quirks

// This file defines the type Quirk, and the function Apply, which applies the workarounds of all
// quirks to a module.

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

// Driver names a Vulkan driver that has a bug in its compiler or elsewhere.
type Driver string

// These constants name the drivers with quirks. Quirks of Mesa are in the front end of the compiler
// that all Mesa drivers share. Quirks of lavapipe are only in lavapipe.
const (
	NVIDIA      Driver = "NVIDIA"
	Mesa        Driver = "Mesa"
	Lavapipe    Driver = "lavapipe"
	SwiftShader Driver = "SwiftShader"
)

// A Quirk describes one bug of one driver, and how kgen's modules avoid the bug. [All] returns all
// quirks, which are in nvidia.go, lavapipe.go, swiftshader.go and mesa.go.
//
// The fields of a Quirk describe its workaround in one of four ways:
//
//   - If Match is set, the values for which Match returns true are hidden from the driver's
//     optimizer, as Hide describes (see [hider.hideValues]).
//   - If Inst is set, the function Inst may rewrite each instruction.
//   - If Module is set, it rewrites the module. If Before is set, it rewrites each function before
//     values are hidden, and After does so after values are hidden.
//   - If only Where is set, the workaround is part of another pass or package, and Where refers to
//     its code.
type Quirk struct {
	// Name identifies the quirk. With the prefix "quirk/", the name is an argument of kgen's flag
	// -disable.
	Name   string
	Driver Driver
	// Seen is the version of the driver that showed the bug.
	Seen string
	// Bug describes the driver's behavior in a sentence.
	Bug string
	// Case lists the tests that fail if the quirk's workaround is disabled. The following examples show the
	// possible names of a test:
	//
	//	internal/tests/difftest/golang.Shifted is a kernel of a package of test kernels.
	//	internal/tests/smith/testdata/bytes.go is a saved random program of package smith.
	//	runtime/x_test.go:TestX is a Go test.
	//	codegen/pass/quirks/testdata/turned.ir is a module that contains the miscompiled pattern.
	Case []string
	// Where names the function that avoids the bug, in the form file:function.
	Where string
	// Fixed is set if the workaround cannot be disabled. Fixed may be set only if the workaround is
	// the function that Where names.
	Fixed bool

	// Match reports whether v must be hidden from the driver. The value v is an operand of `use`,
	// which is an instruction or a phi.
	Match func(h *hider, v, use *ir.Value) bool
	// If the function Operands is not nil, it is used instead of Match. Operands returns the values
	// to hide because of the instruction `use`. The returned values need not be operands of that
	// instruction.
	Operands func(use *ir.Value) []*ir.Value
	// Hide describes how the values are hidden.
	Hide hidingFlags

	// Inst may change the instruction v. Inst returns values to insert before v.
	Inst func(h *hider, v *ir.Value) []*ir.Value

	Module        func(m *ir.Module)
	Before, After func(h *hider)
}

// Mends reports whether q itself has functions that change modules.
func (q *Quirk) Mends() bool {
	return q.Match != nil || q.Operands != nil || q.Inst != nil || q.Module != nil || q.Before != nil || q.After != nil
}

// quirkRows contains all quirks in the order in which they are applied. The variable is filled on
// first use, so that the linker can remove the code from programs that compile no kernels.
var quirkRows struct {
	once sync.Once
	all  []*Quirk
}

func table() []*Quirk {
	quirkRows.once.Do(func() {
		for _, list := range [][]Quirk{nvidiaQuirks(), lavapipeQuirks(), swiftShaderQuirks(), mesaQuirks()} {
			for i := range list {
				quirkRows.all = append(quirkRows.all, &list[i])
			}
		}
	})
	return quirkRows.all
}

// All returns the quirks of all drivers, in the order in which they are applied.
func All() []*Quirk { return slices.Clone(table()) }

// CheckDisabled returns an error unless each name belongs to a quirk that can be disabled, such as
// "quirk/rotation". The error of CheckDisabled lists the valid names.
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

// Apply applies the workarounds of all quirks to a module. Apply must run after all passes that
// fold constants, because folding would undo workarounds.
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

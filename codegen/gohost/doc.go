// Package gohost writes the host form of a kernel: Go code that runs a whole
// work-group on one goroutine.
//
// It takes ir from before the passes that replace barriers, group algorithms and
// faults by what SPIR-V has, and cuts the kernel there. What lies between two cuts
// is a region: a loop over the work-items. Regions that follow one another stand in one
// method; where work-items come to different cuts, a method returns which. Values that cross a cut
// are kept in a slice with an element per work-item, or in one variable where all
// have the same; what is cheap is computed anew. At the cut itself stands what the
// group does together, such as a reduction of one of those slices.
//
// Within a region, blocks are labels and edges are goto, so that control flow stays
// what it is; where a branch leads to a block that nothing else leads to and that does not
// branch, that stands within an if. Values that the work-items have in common stand before
// the loop: gc moves nothing out of loops.
//
// A launch may be cancelled. Where a loop goes round that is not sure to end soon, the
// form looks whether it is to leave; so it does at each cut, where cuts stand in a
// loop.
package gohost

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kgen-go/kgen/codegen/ir"
)

// Uniform says what all work-items of a work-group have in common, and which loops, by
// their heads, a work-item is sure to be through with soon.
type Uniform interface {
	Value(v *ir.Value) bool
	Short(head *ir.Block) bool
}

// Form is the host form of one kernel.
type Form struct {
	Type    string // the name of its Go type
	Spare   bool   // the kernel's own Go is to run where a launch cannot be cancelled
	code    []byte
	imports []string
}

// New returns the name of the function that makes one.
func (f *Form) New() string { return constructor(f.Type) }

func constructor(typ string) string {
	_, n := utf8.DecodeRuneInString(typ)
	return "new" + strings.ToUpper(typ[:n]) + typ[n:]
}

// Code returns the form's declarations.
func (f *Form) Code() []byte {
	if out, err := format.Source(f.code); err == nil {
		return out
	}
	return f.code
}

// File returns the Go file with the forms, which begins with the header.
func File(header, pkg string, forms []*Form) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\npackage %s\n\nimport (\n", header, pkg)
	used := map[string]bool{}
	for _, f := range forms {
		for _, p := range f.imports {
			used[p] = true
		}
	}
	for i, group := range [][]string{standard, own} {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, p := range group {
			if used[p] {
				fmt.Fprintf(&b, "\t%q\n", p)
			}
		}
	}
	b.WriteString(")\n")
	for _, f := range forms {
		b.WriteString("\n")
		b.Write(f.code)
	}
	out, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("host forms of package %s: %w", pkg, err)
	}
	return out, nil
}

// What generated code may import.
const (
	abiPath    = "github.com/kgen-go/kgen/abi"
	implPath   = "github.com/kgen-go/kgen/runtime/kernelimpl"
	halfPath   = "github.com/kgen-go/kgen/dsl/half"
	math32Path = "github.com/kgen-go/kgen/dsl/math32"
)

var (
	standard = []string{"math", "math/bits", "sync/atomic", "unsafe"}
	own      = []string{abiPath, halfPath, math32Path, implPath}
)

// unsupported ends the writing of a form.
type unsupported struct{ what string }

// Write returns the host form of a kernel as a type of the given name. The module is as
// pass.ForHost leaves it; it is changed. Where spare is set, the kernel's own Go is to
// run where a launch cannot be cancelled, unless work-items go through a loop of the form
// together. The error says what the kernel has that host
// forms lack.
func Write(name string, m *ir.Module, u Uniform, spare bool) (f *Form, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case unsupported:
			err = fmt.Errorf("%s", p.what)
		default:
			panic(p)
		}
	}()
	w := &writer{name: name, m: m, u: u, spare: spare, used: map[string]bool{}, args0: map[*ir.Value]bool{}, scratches: map[string]string{}}
	hoist(m.Kernel)
	w.analyse()
	w.print()
	f = &Form{Type: name, Spare: w.spare, code: w.b.Bytes()}
	for p := range w.used {
		f.imports = append(f.imports, p)
	}
	slices.Sort(f.imports)
	return f, nil
}

// writer writes one form.
type writer struct {
	name  string
	m     *ir.Module
	u     Uniform
	spare bool
	b     bytes.Buffer
	used  map[string]bool // packages

	*flow
	results []string     // variables for what group ops return
	shared  map[any]bool // in a method with a line of regions: what stands ahead of their loops so far
	values
	tables map[*ir.Var]string
	memory map[*ir.Var]*memory
	sites  []*ir.Site
	args0  map[*ir.Value]bool // that regions use
	exprs  []*ir.Value        // constant expressions that they use
	// scratches maps the names of the lists for arguments of group ops to the types of their elements.
	scratches map[string]string
	opaque    bool // constants are to be hidden from gc
	// outlined has functions that the form's methods call, so many of them.
	outlined bytes.Buffer
	outlines int
	// interchanged is set where work-items go through a loop round by round.
	interchanged bool
}

func (w *writer) f(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

// from returns a name of an imported package.
func (w *writer) from(path, name string) string {
	w.used[path] = true
	base := path
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			base = path[i+1:]
			break
		}
	}
	return base + "." + name
}

func (w *writer) impl(name string) string { return w.from(implPath, name) }

func fail(format string, args ...any) { panic(unsupported{fmt.Sprintf(format, args...)}) }

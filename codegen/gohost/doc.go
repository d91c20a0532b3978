// Package gohost writes the host form of a kernel: Go code that runs a whole
// work-group on one goroutine.
//
// The input is the IR before the passes that replace barriers, group algorithms and faults by
// SPIR-V constructs. Write cuts the kernel at the places where work-items meet. The code between
// two cuts is a region, which becomes a loop over the work-items. Regions in sequence become one
// method. If work-items can arrive at different cuts, a method returns the number of the cut.
//
// A value that crosses a cut is kept in its home: a slice with an element per work-item, or one
// variable if all work-items have the same value. Cheap values are computed again instead. The code
// of a cut itself is the work that the group does together, such as a reduction of one of those
// slices.
//
// Within a region, blocks become labels and edges become gotos, so that the control flow stays the
// same. A block becomes the body of an if statement if only one branch leads to it and it does not
// branch itself. Values that all work-items share are computed before the loop, because gc does not
// hoist them.
//
// A launch may be cancelled. The form checks for that in each round of a loop that may not end
// soon, and at each cut inside a loop.
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

// Uniform answers which values are the same for all work-items of a work-group, and which loops,
// given by their heads, end soon for every work-item.
type Uniform interface {
	Value(v *ir.Value) bool
	Short(head *ir.Block) bool
}

// Form is the host form of one kernel.
type Form struct {
	Type    string // name of the form's Go type
	Spare   bool   // the kernel's own Go runs launches that cannot be cancelled
	code    []byte
	imports []string
}

// New returns the name of the function that allocates a form.
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

// File returns the Go file with the forms. It begins with the header.
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

// The packages that generated code may import.
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

// unsupported is the panic that ends the writing of a form.
type unsupported struct{ what string }

// Write returns the host form of a kernel as a type of the given name. The module is the result of
// pass.ForHost; Write changes it. spare says that the kernel's own Go runs launches that cannot be
// cancelled; it is ignored if the form has a lockstep loop. The error names the construct of the
// kernel that host forms lack.
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
	used  map[string]bool // paths of the packages that the code uses

	*flow
	results []string     // variables for the results of group ops
	shared  map[any]bool // values and names that a method with several regions has computed before their loops; nil otherwise
	values
	tables map[*ir.Var]string
	memory map[*ir.Var]*memory
	sites  []*ir.Site
	args0  map[*ir.Value]bool // arguments that regions use
	exprs  []*ir.Value        // constant expressions that regions use
	// scratches maps the names of the slices for arguments of group ops to the types of their
	// elements.
	scratches map[string]string
	opaque    bool // hides constants from gc
	// outlined has the functions that the form's methods call, and outlines their number.
	outlined bytes.Buffer
	outlines int
	// interchanged says that the form has a lockstep loop.
	interchanged bool
}

func (w *writer) f(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

// from returns the qualified name of a declaration of an imported package.
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

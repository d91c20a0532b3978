// Package gohost writes the host form of a kernel. The host form is Go code that runs a whole work-group on one
// goroutine.
//
// The input is the IR before the passes that replace barriers, group algorithms and faults by
// SPIR-V constructs. Write divides the kernel at cuts. A cut is a barrier or group algorithm, where
// work-items wait for each other. The code between two cuts is called a region, and becomes a loop
// over the work-items. Consecutive regions become one Go method. If work-items can arrive at
// different cuts, the Go method of a region returns the number of the next cut.
//
// A value that is computed before a cut and used after the cut is stored in a place called the home
// of the value. The home is a slice with an element per work-item, or one variable if all
// work-items have the same value. Cheap values have no home, but are recomputed in each region. The
// code of a cut is executed once for the whole work-group. For example, the code of a reduction
// reduces a slice that contains one value of each work-item.
//
// Within a region, blocks become labels and edges become gotos, so that the control flow stays the
// same. A block becomes the body of an if statement if it has only one predecessor and does not end
// with a conditional branch. Values that are the same for all work-items are computed before the
// loop over the work-items, because gc does not hoist them.
//
// The host can cancel a launch. The host form checks for cancellation in each iteration of a loop
// that may run for a long time, and at each cut inside a loop.
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

// Uniform is the result of the uniformity analysis. Value reports whether a value is the same for
// all work-items of a work-group. Short reports whether every work-item leaves the loop with a
// given head after a short time.
type Uniform interface {
	Value(v *ir.Value) bool
	Short(head *ir.Block) bool
}

// Form is the host form of one kernel.
type Form struct {
	Type    string // name of the host form's Go type
	Spare   bool   // whether launches that cannot be cancelled run the kernel's Go function instead of the host form
	code    []byte
	imports []string
}

// New returns the name of the Go function that allocates the host form.
func (f *Form) New() string { return constructor(f.Type) }

func constructor(typ string) string {
	_, n := utf8.DecodeRuneInString(typ)
	return "new" + strings.ToUpper(typ[:n]) + typ[n:]
}

// Code returns the Go declarations of the host form.
func (f *Form) Code() []byte {
	if out, err := format.Source(f.code); err == nil {
		return out
	}
	return f.code
}

// File returns the text of a Go file that contains the header and then the host forms.
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

// These constants are the import paths of the packages of kgen that generated code may import.
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

// unsupported is the panic value for constructs that host forms do not support. The function Write
// recovers from panics of type unsupported.
type unsupported struct{ what string }

// Write returns the host form of a kernel as a type of the given name. The module is the result of
// pass.ForHost. Write changes the module. If parameter `spare` is true, launches that cannot be
// cancelled run the kernel's Go function instead of the host form. Write ignores parameter `spare`
// if the host form has a lockstep loop. If host forms do not support a construct of the kernel, the
// error names the construct.
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
	w := &formWriter{name: name, m: m, u: u, spare: spare, used: map[string]bool{}, args0: map[*ir.Value]bool{}, scratches: map[string]string{}}
	hoistValues(m.Kernel)
	w.analyse()
	w.printForm()
	f = &Form{Type: name, Spare: w.spare, code: w.b.Bytes()}
	for p := range w.used {
		f.imports = append(f.imports, p)
	}
	slices.Sort(f.imports)
	return f, nil
}

// formWriter writes one host form.
type formWriter struct {
	name  string
	m     *ir.Module
	u     Uniform
	spare bool
	b     bytes.Buffer
	used  map[string]bool // import paths of the packages that the host form uses

	*flow
	results []string     // names of variables that receive results of group ops
	shared  map[any]bool // values and Go variables that later regions of the same Go method can reuse; nil if the regions share nothing
	valueTable
	tables map[*ir.Var]string
	memory map[*ir.Var]*memory
	sites  []*ir.Site
	args0  map[*ir.Value]bool // kernel arguments that the code reads from fields of the host form
	exprs  []*ir.Value        // constant expressions that regions use
	// scratches is a map from the names of scratch slices to their element types. A scratch slice holds an argument of
	// a group op.
	scratches map[string]string
	opaque    bool // whether constants are hidden from gc, which rejects some constant expressions
	// outlined is the text of the Go functions that the host form's methods call. The field `outlines` is the number of
	// these functions.
	outlined bytes.Buffer
	outlines int
	// interchanged is true if the host form has a lockstep loop.
	interchanged bool
}

func (w *formWriter) f(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

// importedName returns the qualified name of a declaration of an imported package.
func (w *formWriter) importedName(path, name string) string {
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

func (w *formWriter) implName(name string) string { return w.importedName(implPath, name) }

func fail(format string, args ...any) { panic(unsupported{fmt.Sprintf(format, args...)}) }

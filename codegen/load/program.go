package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/properties"
)

// Sizes is the layout of Go types in device memory: gc's on amd64.
var Sizes = types.SizesFor("gc", "amd64")

// Program is what was loaded: the packages that hold kernels, and the code that
// their kernels reach.
type Program struct {
	Fset     *token.FileSet
	SSA      *ssa.Program
	Packages []*Package // those with kernels, in order of import path
	Trace    Trace
	Tagged   []Tagged // packages that have other files than in programs
	Directives
	// Disabled is ir.Module's, for all kernels.
	Disabled []string

	dir   string            // what printed paths are relative to
	files map[string]string // canonical names of files, by absolute path
	made  map[string]string // texts of files that stand nowhere
	own   map[string]bool   // folders of the main module
	trees []*ast.File       // of the packages that come from source
	// broken has the errors of functions whose bodies were taken out for them.
	broken map[*ast.FuncDecl]diag.List
	fates  *fates
	listed map[string]*listed
	// universe has the types, and outputs those that what is written imports beside.
	universe *universe
	outputs  *outputs
}

// Broken returns the errors of a function that does not type-check, which has no body
// for them.
func (p *Program) Broken(fn *ssa.Function) diag.List {
	decl, _ := fn.Syntax().(*ast.FuncDecl)
	return p.broken[decl]
}

// Trace says what loading took, for -v.
type Trace struct {
	GoList   int // calls of the go command
	Rounds   int // times that the universe was made
	Sources  []string
	Exported int // packages from export data
}

// Package is a package with kernels.
type Package struct {
	PkgPath    string
	Name       string
	Dir        string
	ModulePath string // empty outside modules
	ModuleDir  string
	Main       bool // of a main module
	Types      *types.Package
	SSA        *ssa.Package
	Kernels    []*Kernel // in order of name
	// SpecIDs has the numbers of the specialization constants that kernels of the package
	// may read: that of the first scalar of each, which those of the others follow.
	SpecIDs map[types.Object]uint32

	mentions []string // packages that the kernels mention, by path

	initsOnce sync.Once
	inits     *constinit.Env
}

// Inits returns the values of package-level variables that the package's kernels read. make makes
// them at the first call.
func (p *Package) Inits(make func() *constinit.Env) *constinit.Env {
	p.initsOnce.Do(func() { p.inits = make() })
	return p.inits
}

// Bare reports whether the stubs of a package have no modules, as //kgen:bare says; see
// internal/modules.
func (p *Program) Bare(pkg *Package) bool { return p.bare[pkg.Types] != nil }

// Late reports whether programs make the modules of most variants of a package's kernels when a
// device needs them, as //kgen:variants load says.
func (p *Program) Late(pkg *Package) bool {
	_, late := p.late[pkg.Types]
	return late
}

// NoSpare reports whether a package's kernels have no host forms that only launches need
// which may be cancelled, as //kgen:bare nospare says.
func (p *Program) NoSpare(pkg *Package) bool {
	b := p.bare[pkg.Types]
	return b != nil && b.nospare
}

// NoForm reports whether a kernel has no host form, as //kgen:bare noform says.
func (p *Program) NoForm(k *Kernel) bool {
	b := p.bare[k.Pkg.Types]
	return b != nil && b.noform.has(k)
}

// Views reports whether the stub of a kernel has a type with views of device memory, for
// queues and graphs. Others, which a //kgen:bare directive does not name, have a Run function alone.
func (p *Program) Views(k *Kernel) bool {
	b := p.bare[k.Pkg.Types]
	return b == nil || b.views.has(k)
}

// Importable reports whether the code that is generated for the package's kernels can
// import a package. It stands below the module's folder generated, but for packages below
// an internal folder, which have theirs beside themselves.
func (p *Package) Importable(path string) bool {
	inside := func(path string) (parent string, ok bool) {
		i := slices.Index(strings.Split(path, "/"), "internal")
		if i < 0 {
			return "", false
		}
		return strings.Join(strings.Split(path, "/")[:i], "/"), true
	}
	if _, own := inside(p.PkgPath); own {
		return true
	}
	parent, ok := inside(path)
	return !ok || parent == p.ModulePath
}

// Kernel is one kernel. Its type may stand in another package, where it is an
// alias of a generic type's instance.
type Kernel struct {
	Name   string
	Pkg    *Package
	Doc    string        // doc comment of the type
	Type   types.Type    // the receiver type, instantiated; never a pointer
	Struct *types.Struct // its underlying type
	Form   abi.Form
	Rank   int
	// Fn is the Kernel method. Its receiver is Type or a pointer to it. It is a
	// synthetic wrapper where the method is promoted.
	Fn *ssa.Function
	// Unsound says that something is wrong with the declaration: the kernel is compiled
	// for what else is. Formless says that the parameter is no item, so that nothing but
	// the rules for what Fn reaches has a meaning; BadFields has the positions of the
	// fields that are no arguments.
	Unsound, Formless bool
	BadFields         map[token.Pos]bool
	// Pointer says that only a pointer has the method: one receiver would then be
	// shared by work-items, each of which must have its own.
	Pointer bool
	Pos     token.Pos // of the type's name

	Properties    properties.List
	PropertiesPos token.Pos // of the Properties method, or NoPos
	Directed      bool      // whether a directive states DeviceHas, which is among Properties
	// Cancel says that launches are to end soon, on all devices, when they are cancelled.
	Cancel bool

	// Leaves is the receiver taken apart; Params are the leaves' rows, with
	// offsets in the argument block.
	Leaves  []Leaf
	Params  []abi.Param
	ArgSize int
	Spilled bool
}

// FullName returns the kernel's package path and name.
func (k *Kernel) FullName() string { return k.Pkg.PkgPath + "." + k.Name }

// Pos returns a position that is the same wherever the program was loaded: the
// file is relative to the main module, or under the import path of a package of
// another module.
func (p *Program) Pos(pos token.Pos) ir.Pos {
	if !pos.IsValid() {
		return ir.Pos{}
	}
	at := p.Fset.Position(pos)
	file := filepath.Base(at.Filename)
	if name, ok := p.files[at.Filename]; ok {
		file = name
	}
	return ir.Pos{File: file, Line: at.Line, Col: at.Column}
}

// PackageNames returns the name of every package that the program knows, by
// import path.
func (p *Program) PackageNames() map[string]string {
	names := map[string]string{}
	for _, pkg := range p.SSA.AllPackages() {
		names[pkg.Pkg.Path()] = pkg.Pkg.Name()
	}
	return names
}

// DiagPos returns a position to print: a path that the user can open.
func (p *Program) DiagPos(pos token.Pos) diag.Pos {
	if !pos.IsValid() {
		return diag.Pos{}
	}
	at := p.Fset.Position(pos)
	return diag.Pos{File: shorten(p.dir, at.Filename), Line: at.Line, Col: at.Column}
}

// Own reports whether the file at a position is one of the main module, and not of a
// library that it uses.
func (p *Program) Own(at diag.Pos) bool {
	file := at.File
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.dir, file)
	}
	return p.own[filepath.Dir(file)]
}

// AddSite notes with a diagnostic of a library's construct the call in the main module
// that leads to it.
func (p *Program) AddSite(d *diag.Diagnostic) {
	if p.Own(d.Pos) {
		return
	}
	for _, r := range d.Related {
		if p.Own(r.Pos) {
			d.Site = r.Pos
			return
		}
	}
}

// Abs returns the path to print for the file of an [ir.Pos]: relative to
// Config.Show or the working directory where that is shorter. A file of no loaded package comes
// back as it is.
func (p *Program) Abs(file string) string {
	best := ""
	for abs, name := range p.files {
		if name == file && (best == "" || abs < best) {
			best = abs
		}
	}
	if best == "" {
		return file
	}
	return shorten(p.dir, best)
}

// shorten returns name relative to dir if name stands below dir or the relative
// path is shorter.
func shorten(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil && (len(rel) < len(name) || !strings.HasPrefix(rel, "..")) {
		return rel
	}
	return name
}

// canonicalFile returns the name of a file in positions that go into modules.
func canonicalFile(p *listed, file string) string {
	if p.moduleDir != "" && p.inMain {
		if rel, err := filepath.Rel(p.moduleDir, file); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return path.Join(p.path, filepath.Base(file))
}

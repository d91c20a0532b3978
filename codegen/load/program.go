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

// Sizes is the layout of Go types in device memory. The layout is the same as in gc on amd64.
var Sizes = types.SizesFor("gc", "amd64")

// Program holds the packages with kernels, and the code that the kernels reach.
type Program struct {
	Fset     *token.FileSet
	SSA      *ssa.Program
	Packages []*Package // packages with kernels, sorted by import path
	Trace    Trace
	Tagged   []Tagged // packages whose files differ between kernels and programs
	Directives
	// Disabled is copied to the field Disabled of each kernel's ir.Module.
	Disabled []string

	dir   string            // base folder of printed relative file names
	files map[string]string // maps an absolute path to the file name that Pos returns
	made  map[string]string // texts of files that do not exist on disk; the keys are file names
	own   map[string]bool   // folders with packages of the main module
	trees []*ast.File       // files of the packages from source
	// brokenBodies contains the errors in the function bodies that were removed. The keys are the
	// functions' declarations.
	brokenBodies map[*ast.FuncDecl]diag.List
	fates        *fateCache
	listed       map[string]*listedPackage
	// The field `universe` holds the loaded types. The field `outputs` holds the types of packages
	// that only generated code imports.
	universe *universe
	outputs  *outputTypes
}

// Broken returns the type errors in the body of function fn. A function with type errors has no SSA
// body.
func (p *Program) Broken(fn *ssa.Function) diag.List {
	decl, _ := fn.Syntax().(*ast.FuncDecl)
	return p.brokenBodies[decl]
}

// Trace holds statistics about loading, which the flag -v prints.
type Trace struct {
	GoList   int // number of runs of the go command
	Rounds   int // number of universes (type-checks of all packages) that were built
	Sources  []string
	Exported int // number of packages from export data
}

// Package is a package with kernels.
type Package struct {
	PkgPath    string
	Name       string
	Dir        string
	ModulePath string // empty outside of modules
	ModuleDir  string
	Main       bool // whether the package belongs to a main module
	Types      *types.Package
	SSA        *ssa.Package
	Kernels    []*Kernel // kernels, sorted by name
	// SpecIDs contains the specialization constants that the package's kernels may read. A
	// constant's entry is the number of the constant's first scalar. The other scalars of a
	// constant have the following numbers.
	SpecIDs map[types.Object]uint32

	mentions []string // paths of the packages that declare objects mentioned by the kernels

	initsOnce sync.Once
	inits     *constinit.Env
}

// Inits returns the initial values of the package-level variables that the package's kernels read.
// At the first call, Inits calls its function argument to compute the initial values.
func (p *Package) Inits(make func() *constinit.Env) *constinit.Env {
	p.initsOnce.Do(func() { p.inits = make() })
	return p.inits
}

// Bare reports whether package pkg has a //kgen:bare directive. The stubs of a package with a
// //kgen:bare directive contain no modules (see internal/modules).
func (p *Program) Bare(pkg *Package) bool { return p.bare[pkg.Types] != nil }

// Late reports whether package pkg has a //kgen:variants load directive. For a package with a
// //kgen:variants load directive, programs make the modules of most variants only when a device
// needs them.
func (p *Program) Late(pkg *Package) bool {
	_, late := p.lateLoading[pkg.Types]
	return late
}

// NoSpare reports whether package pkg has a directive //kgen:bare nospare. With the directive
// nospare, the package's kernels lack host forms (versions for the CPU) that only cancellable
// launches need.
func (p *Program) NoSpare(pkg *Package) bool {
	b := p.bare[pkg.Types]
	return b != nil && b.nospare
}

// NoForm reports whether a directive //kgen:bare noform applies to kernel k. Kernels with the
// directive noform have no host form (a version that runs on the CPU).
func (p *Program) NoForm(k *Kernel) bool {
	b := p.bare[k.Pkg.Types]
	return b != nil && b.noform.has(k)
}

// Views reports whether the stub of kernel k has a type with views of device memory, for queues and
// graphs. In a package with a //kgen:bare directive, only kernels selected by the directive have a
// type with views. All other kernels of the package have only a Run function.
func (p *Program) Views(k *Kernel) bool {
	b := p.bare[k.Pkg.Types]
	return b == nil || b.views.has(k)
}

// Importable reports whether generated code for the package's kernels can import the package with
// the given path. Generated code for most packages is in the module's folder named generated. For a
// package below an internal folder, generated code is in a folder beside the package.
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

// Kernel describes a type with a Kernel method. If the type is an alias of an instance of a generic
// type, the generic type may belong to another package.
type Kernel struct {
	Name   string
	Pkg    *Package
	Doc    string        // doc comment of the type
	Type   types.Type    // receiver type, instantiated; never a pointer
	Struct *types.Struct // underlying type of Type
	Form   abi.Form
	Rank   int
	// Fn is the Kernel method, whose receiver is Type or a pointer to Type. If the method is
	// promoted, Fn is a synthetic wrapper.
	Fn *ssa.Function
	// Unsound is set if the declaration has errors. A kernel with Unsound set is compiled only to find
	// more errors. Formless is set if the parameter of the Kernel method is not an item. For a kernel
	// with Formless set, kgen checks only the code that Fn reaches. BadFields holds the positions of
	// the fields that cannot be arguments.
	Unsound, Formless bool
	BadFields         map[token.Pos]bool
	// Pointer is set if only the pointer type has the method Kernel. A kernel with field Pointer set
	// is refused. If the kernel were accepted, its work-items would share one receiver, although
	// each work-item must have its own receiver.
	Pointer bool
	Pos     token.Pos // position of the type's name

	Properties    properties.List
	PropertiesPos token.Pos // position of the Properties method, or NoPos
	Directed      bool      // whether DeviceHas in Properties comes from a directive
	// Cancel is set if a cancelled launch has to end soon on all devices.
	Cancel bool

	// Leaves are the parts of the receiver that are passed as arguments. Params are the ABI's
	// descriptions of the leaves, with offsets in the argument block.
	Leaves  []Leaf
	Params  []abi.Param
	ArgSize int
	Spilled bool
}

// FullName returns the kernel's package path and name.
func (k *Kernel) FullName() string { return k.Pkg.PkgPath + "." + k.Name }

// Pos returns a position that does not depend on the place where the program was loaded. A file of
// the main module is named relative to the module's folder. Other files are named by the import
// path of their package and the file name.
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

// PackageNames returns a map from import paths to package names, for all packages of the program.
func (p *Program) PackageNames() map[string]string {
	names := map[string]string{}
	for _, pkg := range p.SSA.AllPackages() {
		names[pkg.Pkg.Path()] = pkg.Pkg.Name()
	}
	return names
}

// DiagPos converts pos to a position for diagnostics, with a path that the user can open.
func (p *Program) DiagPos(pos token.Pos) diag.Pos {
	if !pos.IsValid() {
		return diag.Pos{}
	}
	at := p.Fset.Position(pos)
	return diag.Pos{File: shortName(p.dir, at.Filename), Line: at.Line, Col: at.Column}
}

// Own reports whether the file at a position belongs to the main module, not to a library.
func (p *Program) Own(at diag.Pos) bool {
	file := at.File
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.dir, file)
	}
	return p.own[filepath.Dir(file)]
}

// AddSite sets d.Site if diagnostic d is about code outside of the main module. The field Site is
// the position of a call in the main module that leads to the code of the diagnostic.
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

// Abs returns the path to print for the file name of an [ir.Pos]. If a path relative to Config.Show
// (or to the working directory) is shorter, Abs returns the relative path. If the file belongs to
// no loaded package, Abs returns the file name unchanged.
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
	return shortName(p.dir, best)
}

// shortName returns a file name as a path relative to folder dir, if the file is below dir or the
// relative path is shorter. Other file names are returned unchanged.
func shortName(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil && (len(rel) < len(name) || !strings.HasPrefix(rel, "..")) {
		return rel
	}
	return name
}

// canonicalFile returns the name that positions in modules use for a file of package p.
func canonicalFile(p *listedPackage, file string) string {
	if p.moduleDir != "" && p.inMain {
		if rel, err := filepath.Rel(p.moduleDir, file); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return path.Join(p.path, filepath.Base(file))
}

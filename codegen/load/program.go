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

// Sizes is the layout of Go types in device memory. It is gc's layout on amd64.
var Sizes = types.SizesFor("gc", "amd64")

// Program is the result of loading: the packages with kernels, and the code that the kernels reach.
type Program struct {
	Fset     *token.FileSet
	SSA      *ssa.Program
	Packages []*Package // packages with kernels, sorted by import path
	Trace    Trace
	Tagged   []Tagged // packages with other files in kernels than in programs
	Directives
	// Disabled is ir.Module's field Disabled, for all kernels.
	Disabled []string

	dir   string            // folder to which printed paths are relative
	files map[string]string // canonical names of files, by absolute path
	made  map[string]string // texts of files that do not exist on disk
	own   map[string]bool   // folders of the main module
	trees []*ast.File       // files of the packages from source
	// broken has the errors of functions whose bodies were removed because of them.
	broken map[*ast.FuncDecl]diag.List
	fates  *fates
	listed map[string]*listed
	// universe has the loaded types. outputs has the types of packages that only generated code
	// imports.
	universe *universe
	outputs  *outputs
}

// Broken returns the errors of a function that does not type-check. Such a function has no body.
func (p *Program) Broken(fn *ssa.Function) diag.List {
	decl, _ := fn.Syntax().(*ast.FuncDecl)
	return p.broken[decl]
}

// Trace is statistics about loading, for the flag -v.
type Trace struct {
	GoList   int // number of runs of the go command
	Rounds   int // number of universes that were made
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
	// SpecIDs has the numbers of the specialization constants that kernels of the package may read.
	// It is the number of the constant's first scalar; the other scalars have the following
	// numbers.
	SpecIDs map[types.Object]uint32

	mentions []string // paths of the packages that the kernels mention

	initsOnce sync.Once
	inits     *constinit.Env
}

// Inits returns the values of package-level variables that the package's kernels read. The first
// call computes them by make.
func (p *Package) Inits(make func() *constinit.Env) *constinit.Env {
	p.initsOnce.Do(func() { p.inits = make() })
	return p.inits
}

// Bare reports whether the stubs of a package contain no modules, because of //kgen:bare. See
// internal/modules.
func (p *Program) Bare(pkg *Package) bool { return p.bare[pkg.Types] != nil }

// Late reports whether programs make the modules of most variants of a package's kernels only when
// a device needs them. //kgen:variants load asks for that.
func (p *Program) Late(pkg *Package) bool {
	_, late := p.late[pkg.Types]
	return late
}

// NoSpare reports whether a package's kernels lack the host forms that only cancellable launches
// need, because of //kgen:bare nospare.
func (p *Program) NoSpare(pkg *Package) bool {
	b := p.bare[pkg.Types]
	return b != nil && b.nospare
}

// NoForm reports whether a kernel has no host form, because of //kgen:bare noform.
func (p *Program) NoForm(k *Kernel) bool {
	b := p.bare[k.Pkg.Types]
	return b != nil && b.noform.has(k)
}

// Views reports whether the stub of a kernel has a type with views of device memory, for queues and
// graphs. A kernel of a package with a //kgen:bare directive that does not name it has only a Run
// function.
func (p *Program) Views(k *Kernel) bool {
	b := p.bare[k.Pkg.Types]
	return b == nil || b.views.has(k)
}

// Importable reports whether the generated code for the package's kernels can import a package.
// Generated code is in the module's folder generated. For a package below an internal folder, it is
// beside the package instead.
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

// Kernel is one kernel. If it is an alias of an instance of a generic type, the type may belong to
// another package.
type Kernel struct {
	Name   string
	Pkg    *Package
	Doc    string        // doc comment of the type
	Type   types.Type    // receiver type, instantiated; never a pointer
	Struct *types.Struct // underlying type of Type
	Form   abi.Form
	Rank   int
	// Fn is the Kernel method. Its receiver is Type or a pointer to it. If the method is promoted,
	// Fn is a synthetic wrapper.
	Fn *ssa.Function
	// Unsound says that the declaration has errors; the kernel is compiled only to find more
	// errors. Formless says that the parameter is not an item, so only the rules for the code that
	// Fn reaches are checked. BadFields has the positions of the fields that cannot be arguments.
	Unsound, Formless bool
	BadFields         map[token.Pos]bool
	// Pointer says that only the pointer type has the method. Then work-items would share one
	// receiver, although each must have its own.
	Pointer bool
	Pos     token.Pos // position of the type's name

	Properties    properties.List
	PropertiesPos token.Pos // position of the Properties method, or NoPos
	Directed      bool      // whether DeviceHas in Properties comes from a directive
	// Cancel says that a cancelled launch has to end soon on all devices.
	Cancel bool

	// Leaves are the leaves of the receiver. Params are their rows in the ABI, with offsets in the
	// argument block.
	Leaves  []Leaf
	Params  []abi.Param
	ArgSize int
	Spilled bool
}

// FullName returns the kernel's package path and name.
func (k *Kernel) FullName() string { return k.Pkg.PkgPath + "." + k.Name }

// Pos returns a position that does not depend on the place where the program was loaded. A file of
// the main module is relative to that module; other files begin with the import path of their
// package.
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

// PackageNames returns the names of all packages of the program, by import path.
func (p *Program) PackageNames() map[string]string {
	names := map[string]string{}
	for _, pkg := range p.SSA.AllPackages() {
		names[pkg.Pkg.Path()] = pkg.Pkg.Name()
	}
	return names
}

// DiagPos returns a position for printing, with a path that the user can open.
func (p *Program) DiagPos(pos token.Pos) diag.Pos {
	if !pos.IsValid() {
		return diag.Pos{}
	}
	at := p.Fset.Position(pos)
	return diag.Pos{File: shorten(p.dir, at.Filename), Line: at.Line, Col: at.Column}
}

// Own reports whether the file at a position belongs to the main module, not to a library that it
// uses.
func (p *Program) Own(at diag.Pos) bool {
	file := at.File
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.dir, file)
	}
	return p.own[filepath.Dir(file)]
}

// AddSite sets d.Site if d is about code of a library. Site is the position of the call in the main
// module that leads to that code.
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

// Abs returns the path to print for the file of an [ir.Pos]. It is relative to Config.Show or the
// working directory if that is shorter. A file that belongs to no loaded package keeps its name.
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

// shorten returns name relative to dir if name is below dir or the relative path is shorter.
func shorten(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil && (len(rel) < len(name) || !strings.HasPrefix(rel, "..")) {
		return rel
	}
	return name
}

// canonicalFile returns the name of a file in positions of modules.
func canonicalFile(p *listed, file string) string {
	if p.moduleDir != "" && p.inMain {
		if rel, err := filepath.Rel(p.moduleDir, file); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return path.Join(p.path, filepath.Base(file))
}

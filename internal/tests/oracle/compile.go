// Package oracle computes the results that tests expect from devices. The package compiles kernels
// in memory. The package can run the result of each pass in the interpreter of package ir.
package oracle

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/gohost"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/codegen/pass"
)

// Points names the points of compilation at which tests usually run a module. These points are the lowered
// module, the module before and after structurizing, and the emitted modules for all kinds of devices. If a
// kernel uses no 64-bit integers, the module at the last point "words" equals the module at point "expand".
var Points = []string{"built", "dce2", "structurize", "expand", "words"}

// AllPoints returns the names of all points of compilation.
func AllPoints() []string {
	all := []string{"built"}
	for _, p := range pass.Passes() {
		all = append(all, p.Name)
	}
	return append(all, variantPoints...)
}

// variantPoints lists the points of compilation that are variants. A kernel need not have all variants.
var variantPoints = []string{abi.VariantSmall, abi.VariantWords, abi.VariantAlone, abi.VariantCancel}

// Kernel is a compiled kernel.
type Kernel struct {
	ABI   *abi.Kernel
	Words []uint32
	// Forms maps each requested point of compilation to the text of the module at this point.
	Forms map[string]string
	// Variants are the modules of the kernel's variants, in the order of package abi.
	Variants [][]uint32
	// Host is the kernel's host form (the code that kgen generates for the host), or nil. NoHost is the
	// reason why the kernel has no host form.
	Host   *gohost.Form
	NoHost error
}

// Module returns the module at the given point of compilation.
func (k *Kernel) Module(point string) (*ir.Module, error) {
	text, ok := k.Forms[point]
	if !ok && point == "words" {
		text, ok = k.Forms["expand"]
	}
	if !ok {
		return nil, fmt.Errorf("%s has no form %s", k.ABI.FullName(), point)
	}
	return ir.Parse(text)
}

// Lacks reports whether the argument `point` names a variant that the kernel does not have. All
// other points that were passed to Compile have a module.
func (k *Kernel) Lacks(point string) bool {
	return k.Forms[point] == "" && slices.Contains(variantPoints, point)
}

// SPIRV returns the kernel's module in the encoding of package abi.
func (k *Kernel) SPIRV() string { return SPIRV(k.Words) }

// SPIRV returns a module in the encoding of package abi.
func SPIRV(words []uint32) string {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return string(b)
}

// Compile compiles a kernel, and keeps the text of its module at the given points. The name "all" selects
// every point. The name "cancel" stands for the module of the variant that can be
// cancelled, if the kernel has such a variant. Compile
// returns a panic of the compiler as an error.
func Compile(prog *load.Program, k *load.Kernel, points ...string) (c *Kernel, diags diag.List, err error) {
	return compile(codegen.Compile, prog, k, points)
}

// CompileGeneral compiles a kernel without variants and host form, in less than half the time of Compile.
func CompileGeneral(prog *load.Program, k *load.Kernel, points ...string) (c *Kernel, diags diag.List, err error) {
	return compile(codegen.CompileGeneral, prog, k, points)
}

// Lower lowers a kernel without running passes. The result contains only the module at the point "built".
func Lower(prog *load.Program, k *load.Kernel) (*Kernel, diag.List, error) {
	m, diags := codegen.Lower(prog, k)
	if len(diags) > 0 || k.Unsound {
		return nil, diags, nil
	}
	if err := ir.Verify(m); err != nil {
		return nil, nil, err
	}
	desc := &abi.Kernel{Name: k.Name, Package: k.Pkg.PkgPath, Form: m.Form, Rank: m.Rank,
		Params: m.Params, ArgSize: m.ArgSize, Data: string(m.Data), DataOffset: m.DataOffset}
	return &Kernel{ABI: desc, Forms: map[string]string{"built": m.String()}}, nil, nil
}

type compiler = func(prog *load.Program, k *load.Kernel, after func(form string, m *ir.Module)) (*codegen.Module, diag.List, error)

func compile(by compiler, prog *load.Program, k *load.Kernel, points []string) (c *Kernel, diags diag.List, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	c = &Kernel{Forms: map[string]string{}}
	all := slices.Contains(points, "all")
	if all || slices.Contains(points, abi.VariantCancel) {
		k.Cancel = true
	}
	m, diags, err := by(prog, k, func(form string, m *ir.Module) {
		if all || slices.Contains(points, form) {
			c.Forms[form] = m.String()
		}
	})
	if m == nil {
		return nil, diags, err
	}
	c.ABI, c.Words, c.Variants, c.Host, c.NoHost = m.ABI, m.Words, m.Variants, m.Form, m.NoForm
	return c, diags, err
}

// Set contains the kernels of some packages. A kernel is compiled when it is first requested.
type Set struct {
	prog   *load.Program
	by     compileFunc
	points []string
	found  map[string]*load.Kernel
	made   map[string]*Kernel
}

type compileFunc = func(prog *load.Program, k *load.Kernel, points ...string) (*Kernel, diag.List, error)

// OpenCorpus loads the kernels of packages. If points contains no variant, the kernels are compiled
// without variants.
func OpenCorpus(ctx context.Context, patterns, points []string) (*Set, error) {
	prog, diags, err := load.Load(ctx, load.Config{Patterns: patterns, Intrinsic: lower.Intrinsic})
	if err != nil {
		return nil, err
	}
	if len(diags) > 0 {
		return nil, diags
	}
	s := &Set{prog: prog, by: CompileGeneral, points: points, found: map[string]*load.Kernel{}, made: map[string]*Kernel{}}
	if slices.ContainsFunc(points, func(p string) bool { return p == "all" || slices.Contains(variantPoints, p) }) {
		s.by = Compile
	}
	for _, p := range prog.Packages {
		for _, k := range p.Kernels {
			s.found[k.Type.String()] = k
		}
	}
	return s, nil
}

// Names returns the sorted names of the kernels' types, as package reflect prints them.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.found)) }

// Kernel returns the kernel with the given name, or nil if the set has none.
func (s *Set) Kernel(name string) (*Kernel, error) {
	if c := s.made[name]; c != nil {
		return c, nil
	}
	k := s.found[name]
	if k == nil {
		return nil, nil
	}
	c, diags, err := s.by(s.prog, k, s.points...)
	if err == nil && len(diags) > 0 {
		err = diags
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.FullName(), err)
	}
	s.made[name] = c
	return c, nil
}

// Corpus compiles all kernels of packages. Corpus returns a map from names to kernels, with the same names as
// Set.Names.
func Corpus(ctx context.Context, patterns, points []string) (map[string]*Kernel, error) {
	s, err := OpenCorpus(ctx, patterns, points)
	if err != nil {
		return nil, err
	}
	for _, name := range s.Names() {
		if _, err := s.Kernel(name); err != nil {
			return nil, err
		}
	}
	return s.made, nil
}

// Compiler compiles sources in memory.
type Compiler struct {
	imports []string
	base    *load.Base
	bytes   int // total size of the sources that have been loaded with field base, in bytes
}

// NewCompiler returns a compiler for sources that import the given packages.
func NewCompiler(imports ...string) *Compiler { return &Compiler{imports: imports} }

// maxBytes limits the bytes of sources that are loaded with the field base. At the limit, Load replaces base. A
// load.Base keeps the types and the SSA of all packages loaded with it, about a thousand bytes for each byte of source.
const maxBytes = 1 << 21

// Load loads a package, given by the names and texts of its files.
func (c *Compiler) Load(pkgPath string, files map[string]string) (*load.Program, diag.List, error) {
	if c.base == nil || c.bytes >= maxBytes {
		base, err := load.NewBase(context.Background(), load.Config{Patterns: c.imports, Intrinsic: lower.Intrinsic})
		if err != nil {
			return nil, nil, err
		}
		c.base, c.bytes = base, 0
	}
	for _, text := range files {
		c.bytes += len(text)
	}
	return c.base.Load(pkgPath, files)
}

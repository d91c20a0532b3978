package report

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/codegen/gostub"
	"github.com/kgen-go/kgen/codegen/spirv"
)

// Cost measures the amount of a kernel's generated code.
type Cost struct {
	Checks  int             // number of source positions at which the kernel may fault
	Modules map[string]Size // maps a file name to the size of the kernel's module in this file
}

// Size counts the bytes and the instructions of one module.
type Size struct {
	Bytes        int
	Instructions int // number of instructions in functions, without labels
	Wide         int // number of instructions that compute or compare 64-bit integers
}

// CostChange describes a kernel whose generated files are out of date. If the kernel has no files
// yet, Old is nil. If the kernel no longer exists, New is nil.
type CostChange struct {
	Kernel   string // import path and name of the kernel
	Old, New *Cost
}

// SizeOf returns the size of a module.
func SizeOf(module []byte) (Size, error) {
	m, err := spirv.ParseBytes(module)
	if err != nil {
		return Size{}, err
	}
	s := Size{Bytes: len(module)}
	d := m.Decoder()
	wide := func(t spirv.ID) bool {
		n, ok := d.Numeric(t)
		return ok && n.Width == 64 && (n.Kind == spirv.Int || n.Kind == spirv.Uint)
	}
	for _, f := range m.Functions {
		for i := range f.Code {
			in := &f.Code[i]
			switch in.Op {
			case spirv.OpFunction, spirv.OpFunctionParameter, spirv.OpFunctionEnd, spirv.OpLabel, spirv.OpLine, spirv.OpNoLine:
				continue
			}
			s.Instructions++
			if wide(in.Type) || in.Op >= spirv.OpIEqual && in.Op <= spirv.OpSLessThanEqual && wide(operandType(d, in)) {
				s.Wide++
			}
		}
	}
	return s, nil
}

// operandType returns the type of an instruction's first operand.
func operandType(d *spirv.Decoder, in *spirv.Instruction) spirv.ID {
	ops, err := d.Operands(in)
	if err != nil || len(ops) == 0 || len(ops[0].Words) == 0 {
		return 0
	}
	return d.TypeOf(spirv.ID(ops[0].Words[0]))
}

// kernelCosts maps the name of each kernel of a package to the kernel's cost. checkCounts maps the name of a kernel to
// the number of its run-time checks. readText returns the contents of a file, if the file exists.
func kernelCosts(checkCounts map[string]int, files []string, readText func(name string) ([]byte, error)) (map[string]*Cost, error) {
	out := map[string]*Cost{}
	for name, n := range checkCounts {
		out[name] = &Cost{n, map[string]Size{}}
	}
	for _, file := range files {
		name, _, _ := strings.Cut(file, ".")
		if out[name] == nil || path.Ext(file) != ".spv" {
			continue
		}
		text, err := readText(file)
		if err != nil {
			return nil, err
		}
		size, err := SizeOf(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out[name].Modules[file] = size
	}
	return out, nil
}

// costsOf returns the costs of the given kernels, based on their new files.
func costsOf(kernels []gostub.Kernel, files []gostub.File) (map[string]*Cost, error) {
	checks, data, names := map[string]int{}, map[string][]byte{}, []string{}
	for i := range kernels {
		checks[kernels[i].ABI.Name] = len(kernels[i].ABI.Sites)
	}
	for _, f := range files {
		data[f.Name], names = f.Data, append(names, f.Name)
	}
	return kernelCosts(checks, names, func(name string) ([]byte, error) { return data[name], nil })
}

// costsIn returns the import path and the costs of the kernels that have files in folder dir. costsIn considers
// only files that kgen has written.
func costsIn(dir string) (string, map[string]*Cost, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, nil // the folder does not exist
	}
	checks, pkg, names := map[string]int{}, "", []string{}
	for _, e := range entries {
		names = append(names, e.Name())
		name := filepath.Join(dir, e.Name())
		if !strings.HasSuffix(name, "_kgen.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if first, _, _ := strings.Cut(string(text), "\n"); err != nil || strings.TrimSpace(first) != gostub.Header {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			continue // the new files replace this file
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || !isKernel(lit.Type) {
				return true
			}
			kernel, path, sites := kernelLiteral(lit)
			checks[kernel], pkg = sites, path
			return false
		})
	}
	all, err := kernelCosts(checks, names, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) })
	return pkg, all, err
}

// isKernel reports whether a type is abi.Kernel.
func isKernel(t ast.Expr) bool {
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == "abi" && sel.Sel.Name == "Kernel"
}

// kernelLiteral reads a Go literal that describes a kernel. kernelLiteral returns the kernel's name, its package and
// the number of its fault sites.
func kernelLiteral(lit *ast.CompositeLit) (name, pkg string, sites int) {
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, _ := kv.Key.(*ast.Ident)
		switch v := kv.Value.(type) {
		case *ast.BasicLit:
			text, _ := strconv.Unquote(v.Value)
			if key.Name == "Name" {
				name = text
			} else if key.Name == "Package" {
				pkg = text
			}
		case *ast.CompositeLit:
			if key.Name == "Sites" {
				sites = len(v.Elts)
			}
		}
	}
	return name, pkg, sites
}

// CompareCosts compares the costs of a package's kernels with the existing files in folder dir. CompareCosts returns
// all kernels whose files are out of date, even if only the order of declarations has changed.
func CompareCosts(pkg, dir string, kernels []gostub.Kernel, files []gostub.File) ([]CostChange, error) {
	_, old, err := costsIn(dir)
	if err != nil {
		return nil, err
	}
	now, err := costsOf(kernels, files)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name))
		if kernel, _, _ := strings.Cut(f.Name, "."); now[kernel] != nil && (err != nil || string(text) != string(f.Data)) {
			changed[kernel] = true
		}
	}
	return costChanges(pkg, old, now, changed), nil
}

// LostCosts returns the costs of kernels that no longer exist, but still have files in folder dir.
func LostCosts(dir string) ([]CostChange, error) {
	pkg, old, err := costsIn(dir)
	return costChanges(pkg, old, nil, nil), err
}

func costChanges(pkg string, old, now map[string]*Cost, changed map[string]bool) (list []CostChange) {
	names := slices.Concat(slices.Collect(maps.Keys(old)), slices.Collect(maps.Keys(now)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if changed[name] || old[name] == nil || now[name] == nil || len(old[name].Modules) != len(now[name].Modules) || old[name].Checks != now[name].Checks {
			list = append(list, CostChange{pkg + "." + name, old[name], now[name]})
		}
	}
	return list
}

// WriteCosts prints a text with the changed costs of kernels, for reviewers.
func WriteCosts(w io.Writer, changes []CostChange) error {
	var b strings.Builder
	for _, c := range changes {
		switch {
		case c.New == nil:
			fmt.Fprintf(&b, "%s: removed\n", c.Kernel)
			continue
		case c.Old == nil:
			fmt.Fprintf(&b, "%s: new\n\tchecks: %d\n", c.Kernel, c.New.Checks)
		default:
			fmt.Fprintf(&b, "%s:\n", c.Kernel)
			before := b.Len()
			writeChange(&b, "checks", c.Old.Checks, c.New.Checks, "")
			for _, file := range sortedModules(c.Old, c.New) {
				x, had := c.Old.Modules[file]
				y, has := c.New.Modules[file]
				switch {
				case !has:
					fmt.Fprintf(&b, "\t%s: removed\n", file)
				case had:
					writeChange(&b, file+": instructions", x.Instructions, y.Instructions, "")
					writeChange(&b, file+": 64-bit operations", x.Wide, y.Wide, "")
					writeChange(&b, file+": size", x.Bytes, y.Bytes, " bytes")
				}
			}
			if b.Len() == before && len(c.Old.Modules) == len(c.New.Modules) {
				b.WriteString("\tchanged, at the same cost\n")
			}
		}
		for _, file := range sortedModules(c.New) {
			if c.Old == nil || c.Old.Modules[file] == (Size{}) {
				y := c.New.Modules[file]
				fmt.Fprintf(&b, "\t%s: new, %d instructions, %d 64-bit operations, %d bytes\n", file, y.Instructions, y.Wide, y.Bytes)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeChange prints the old and new value of a number, and the difference.
func writeChange(b *strings.Builder, what string, old, now int, unit string) {
	if old != now {
		fmt.Fprintf(b, "\t%s: %d → %d%s (%+d)\n", what, old, now, unit, now-old)
	}
}

// sortedModules returns the names of the modules in the given costs. In the result, the first
// module of a kernel comes before the kernel's variants.
func sortedModules(costs ...*Cost) []string {
	all := map[string]bool{}
	for _, c := range costs {
		for name := range c.Modules {
			all[name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		if n := strings.Count(a, ".") - strings.Count(b, "."); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
}

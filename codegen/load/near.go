package load

// This file handles packages without kernels. noKernels and reportNear report functions that look
// like kernels.

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/kgen-go/kgen/codegen/diag"
)

// noKernels reports the error that the packages contain no kernels. If a function looks like a
// kernel, the error explains why the function is not a kernel.
func (f *kernelFinder) noKernels(roots []*listedPackage) {
	for _, p := range roots {
		if s := f.u.bySrc[p]; s != nil {
			f.pkg = s
			f.reportNear(s, roots)
		}
	}
	if len(f.l.diags) > 0 {
		return
	}
	hint := "a kernel is an exported struct type with a method Kernel(dsl.Item1)"
	if !f.l.below {
		hint += "; ./... names the packages in the folders below, too"
	}
	var at *listedPackage
	if f.l.matched == 1 && len(roots) == 1 {
		at = roots[0]
	}
	f.l.diags.Add(diag.NoKernels, f.l.folderPos(at), hint, "no kernels in %s", f.l.patternText(roots))
}

// folderPos returns the folder of package p as a position. If p is nil or has no folder, folderPos
// returns the folder in which the patterns were resolved.
func (l *loader) folderPos(p *listedPackage) diag.Pos {
	dir := l.dir
	if p != nil && p.dir != "" {
		dir = p.dir
	}
	if name := shortName(l.show, dir); name != "." {
		return diag.Pos{File: name}
	}
	return diag.Pos{File: dir}
}

// patternText returns a description of the selected packages for an error message.
func (l *loader) patternText(roots []*listedPackage) string {
	if l.matched == 1 && len(roots) == 1 {
		return "package " + roots[0].path
	}
	return fmt.Sprintf("the packages named (%d)", l.matched)
}

// reportNear reports an error for each function of package s whose name equals Kernel if case is
// ignored.
func (f *kernelFinder) reportNear(s *sourcePackage, roots []*listedPackage) {
	for _, file := range s.files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || !strings.EqualFold(decl.Name.Name, "Kernel") {
				continue
			}
			fn, ok := s.info.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			var wrong, hint string
			name, params := decl.Name.Name, fn.Signature().Params()
			switch recv := fn.Signature().Recv(); {
			case recv == nil:
				wrong = fmt.Sprintf("%s is a function: a kernel is a method, and the fields of its type are the arguments", name)
				hint = "declare type K struct with the arguments as fields, and func (k K) Kernel(it dsl.Item1)"
			case name != "Kernel":
				wrong, hint = fmt.Sprintf("method %s is no kernel: the method of a kernel is called Kernel", name), "rename it to Kernel"
			case fn.Signature().Variadic() || params.Len() != 1:
				wrong, hint = fmt.Sprintf("method Kernel has %d parameters, and that of a kernel has one, the work-item", params.Len()), formHint
			default:
				wrong = fmt.Sprintf("method Kernel takes %s, and that of a kernel takes the work-item",
					types.TypeString(params.At(0).Type(), types.RelativeTo(s.types)))
				hint = "write Kernel(it dsl.Item1), and in it i := it.GlobalID()"
			}
			f.add(diag.NoKernels, decl.Name.Pos(), hint, "no kernels in %s: %s", f.l.patternText(roots), wrong)
		}
	}
}

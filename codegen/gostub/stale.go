package gostub

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

// This file writes code that detects changes of kernels since the stubs were written. Changed types
// are detected when the stubs are compiled. If no types have changed, checksums of the sources
// detect the changes of kernels.

// writeCompare writes code that compiles only if the types of the kernel's arguments are
// unchanged.
func (g *generator) writeCompare(k *Kernel) {
	var body []jen.Code
	for _, s := range k.Shapes {
		key := Shape{Name: s.Name, Literal: s.Literal}
		if g.shapes[key] {
			continue
		}
		g.shapes[key] = true
		// If the struct type has changed, the Go compiler's error contains the name that is
		// computed here.
		name := strings.Map(func(r rune) rune {
			if isIdent(r) {
				return r
			}
			return -1
		}, s.Name) + "HasChanged_RunGoGenerate"
		// The compared values are pointers, since go vet forbids copying values of some types.
		value, address := jen.Id(s.Value), jen.Op("&").Id(s.Value)
		if s.Value == "k" {
			value, address = jen.Op("*").Id("k"), jen.Id("k")
		}
		if s.Params == 0 {
			body = append(body, jen.Type().Id(name).Add(g.typeExpr(s.Literal)),
				jen.Id("_").Op("=").Parens(jen.Op("*").Id(name)).Call(address).Comment(s.Name+" has changed: run go generate"))
			continue
		}
		var params []jen.Code
		for i := range s.Params {
			params = append(params, jen.Id(fmt.Sprintf("T%d", i+1)))
		}
		name = fmt.Sprintf("%s%d", lowerFirst(name), len(g.shapes)) // the number makes the function's name unique
		g.file.Func().Id(name).Types(jen.List(params...).Any()).Params(jen.Id("k").Add(g.typeExpr(s.Literal))).Block(jen.Id("_").Op("=").Id("k"))
		body = append(body, jen.Id(name).Call(value).Comment(s.Name+" has changed: run go generate"))
	}
	if len(body) > 0 {
		g.file.Commentf("What is converted here is what kgen saw of the types of [%s.%s].", g.p.Name, k.ABI.Name)
		g.file.Func().Id("_").Params(jen.Id("k").Op("*").Qual(g.p.Path, k.ABI.Name)).Block(body...)
	}
}

// writeSources writes the list of files from which the kernels were compiled.
func (g *generator) writeSources() {
	if g.p.Sources == nil {
		return
	}
	var names, files []jen.Code
	for i := range g.p.Kernels {
		names = append(names, jen.Lit(g.p.Kernels[i].ABI.Name))
	}
	for _, f := range g.p.Sources.Files {
		files = append(files, rowLit(litField{"File", f.File}, litField{"Package", f.Package}, litField{"Sum", uint64(f.Sum)}))
	}
	fields := []jen.Code{jen.Id("Module").Op(":").Lit(g.p.Sources.Module), jen.Id("Package").Op(":").Lit(g.p.Sources.Package)}
	if !g.p.Bare { // the stubs of kgen's tests have many kernels, and omit their names
		fields = append(fields, jen.Id("Kernels").Op(":").Index().String().Values(names...))
	}
	fields = append(fields, jen.Id("Root").Op(":").Lit(g.p.Sources.Root),
		jen.Id("Files").Op(":").Index().Qual(abiPath, "Source").Add(blockLit(files...)))
	g.file.Comment("The files that the kernels were compiled from, for tests to tell when they have changed.")
	g.file.Var().Id("_").Op("=").Qual(implPath, "Sources").Call(jen.Op("&").Qual(abiPath, "Sources").Add(blockLit(fields...)))
}

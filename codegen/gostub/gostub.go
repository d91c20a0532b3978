package gostub

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/doc"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/abi"
)

// This file writes the Go code of a stub package, and returns this code together with the modules
// of the kernels.

const (
	modulePath     = "github.com/kgen-go/kgen"
	abiPath        = modulePath + "/abi"
	dslPath        = modulePath + "/dsl"
	propertiesPath = modulePath + "/properties"
	runtimePath    = modulePath + "/runtime"
	implPath       = runtimePath + "/kernelimpl"
	modulesPath    = modulePath + "/internal/modules"
	stubsPath      = modulePath + "/internal/tests/stubs"
)

// packageConst is the name of a constant that stubs without modules contain. The value of the
// constant is the path of the kernels' package.
const packageConst = "pkg"

// A generator writes the Go file of one stub package.
type generator struct {
	p      *Package
	file   *jen.File
	shapes map[Shape]bool // set of the shapes written so far, identified by Name and Literal
}

// Files returns the files of the stub package for the kernels of p. The import path of the stub
// package is genPath. Some packages declare types of the kernels' arguments. For these packages,
// pkgNames maps the import path to the package's name.
func Files(p *Package, genPath string, pkgNames map[string]string) ([]File, error) {
	g := &generator{p: p, shapes: map[Shape]bool{}, file: jen.NewFilePathName(genPath, Name(p.Name))}
	g.nameImports(pkgNames)
	g.file.HeaderComment(Header)
	g.file.PackageComment(fmt.Sprintf("Package %s launches the kernels of package %s.", Name(p.Name), p.Name))
	if !p.Bare {
		// The code that compares types comes first in the generated file. Compilers report errors
		// in the order of lines, and stop after some errors. The error for a failed comparison
		// tells the user how to correct the mistake.
		for i := range p.Kernels {
			g.writeCompare(&p.Kernels[i])
		}
	}
	g.file.Comment("This package and the runtime must be of one version of the ABI.")
	g.file.Const().Defs(
		jen.Id("_").Op("=").Qual(abiPath, "EnforceVersion").Call(jen.Qual(abiPath, "Version").Op("-").Lit(abi.Version)),
		jen.Id("_").Op("=").Qual(abiPath, "EnforceVersion").Call(jen.Lit(abi.Version).Op("-").Qual(abiPath, "Version")),
	)
	var vars []jen.Code
	taken := map[string]bool{}
	for i := range p.Kernels {
		name := p.Kernels[i].ABI.Name
		vars = append(vars, jen.Id(kernelVar(name)))
		taken[name], taken["Run"+name] = true, true
	}
	for _, v := range p.Views {
		taken[v.Name] = true
	}
	kernels := func() *jen.Statement { return jen.Index().Op("*").Qual(runtimePath, "Kernel") }
	g.file.Comment("Kernels returns the kernels of this package, for runtime.NewProgram.")
	list := kernels().Values(vars...)
	if p.Bare {
		list = jen.Qual(stubsPath, "Kernels").Call(jen.Id(packageConst))
	}
	g.file.Func().Id("Kernels").Params().Add(kernels()).Block(jen.Return(list))
	g.writeSources()
	if p.Bare {
		g.file.Comment("pkg has the kernels, each of which a function Run runs once on its own slices, and waits.")
		g.file.Comment("Those with a type of their own are launched with its slices in device memory, too.")
		g.file.Const().Id(packageConst).Qual(modulesPath, "Package").Op("=").Lit(p.Path)
	}
	g.sharedViews()
	files := []File{{Name: p.Name + "_kgen.go"}}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		n := len(k.ABI.Params)
		if k.ABI.PrintParam() >= 0 {
			n-- // the print buffer has no element in k.Args
		}
		if len(k.Args) != n {
			return nil, fmt.Errorf("kernel %s has %d parameters but %d arguments", k.ABI.Name, n, len(k.Args))
		}
		g.writeKernel(k, taken)
		if p.Bare {
			continue
		}
		files = append(files, File{k.ABI.Name + ".spv", wordBytes(k.Words)})
		if k.ABI.Data != "" {
			files = append(files, File{k.ABI.Name + ".data", []byte(k.ABI.Data)})
		}
		if k.ABI.IR != "" {
			files = append(files, File{k.ABI.Name + ".kir", []byte(k.ABI.IR)})
		}
		for j, words := range k.Variants {
			if !k.madeLate(j) {
				files = append(files, File{variantFile(k.ABI, j), wordBytes(words)})
			}
		}
	}
	var b bytes.Buffer
	if err := g.file.Render(&b); err != nil {
		return nil, fmt.Errorf("render package %s: %w", Name(p.Name), err)
	}
	files[0].Data = groupImports(bytes.Replace(b.Bytes(), []byte(Header), []byte(p.Header()), 1))
	return files, nil
}

// Header returns the first lines of the written Go files. If a build constraint applies to the
// kernels, the header contains the same build constraint, because the stubs do not compile without
// the kernels.
func (p *Package) Header() string {
	if p.Constraint == "" {
		return Header
	}
	return Header + "\n\n//go:build " + p.Constraint
}

func wordBytes(words []uint32) []byte {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// nameImports tells the library jennifer the names of packages, so that jennifer writes import
// declarations without aliases. A package gets an alias only if generated code uses the package's
// name for another declaration.
func (g *generator) nameImports(names map[string]string) {
	if !g.p.Bare {
		g.file.Anon("embed")
	}
	g.file.ImportName("context", "context")
	for _, path := range []string{abiPath, dslPath, propertiesPath, runtimePath, implPath, modulesPath, stubsPath} {
		g.file.ImportName(path, path[strings.LastIndex(path, "/")+1:])
	}
	used := map[string]bool{"a": true, "k": true, "l": true, "q": true, "r": true, "ctx": true, "dev": true, "opts": true, "item": true, "to": true, "from": true, "v": true, "err": true, packageConst: g.p.Bare,
		"any": true, // the library jennifer does not treat the name `any` as reserved
	}
	for i := range g.p.Kernels {
		used[kernelVar(g.p.Kernels[i].ABI.Name)] = true
		used[spirvVar(g.p.Kernels[i].ABI.Name)] = true
		used[dataVar(g.p.Kernels[i].ABI.Name)] = true
		used[irVar(g.p.Kernels[i].ABI.Name)] = true
		for j := range g.p.Kernels[i].ABI.Variants {
			used[variantVar(g.p.Kernels[i].ABI, j)] = true
		}
	}
	name := func(path, name string) {
		if used[name] {
			g.file.ImportAlias(path, name+"pkg")
		} else {
			g.file.ImportName(path, name)
		}
	}
	for path, n := range names {
		name(path, n)
	}
	name(g.p.Path, g.p.Name)
}

// docComment writes a doc comment. In stubs for tests, docComment writes nothing.
func (g *generator) docComment(format string, args ...any) {
	if !g.p.Bare {
		g.file.Commentf(format, args...)
	}
}

// writeKernel writes the declarations of one kernel.
func (g *generator) writeKernel(k *Kernel, taken map[string]bool) {
	name := k.ABI.Name
	root := receiverTree(k)
	root.nameTypes(name, taken)
	if !g.p.Bare {
		g.writeEmbeds(k)
	}
	if g.p.Bare {
		g.writeBare(k)
		if !k.RunOnly {
			g.writeViews(k, root)
		}
		return
	}
	args := []jen.Code{
		abiKernel(k),
		jen.Func().Params(jen.Id("a").Op("*").Qual(implPath, "HostArgs")).Any().BlockFunc(g.hostBody(k)),
	}
	register := "Register"
	if k.Form != "" {
		register = "RegisterForm"
		args = append(args, jen.Id(k.Form))
	}
	g.file.Var().Id(kernelVar(name)).Op("=").Qual(implPath, register).Call(append(args, specVars(k)...)...)
	g.file.Line()
	g.file.Var().Id("_").Op("=").Qual(implPath, "Properties").Types(jen.Qual(g.p.Path, name)).Call(jen.Id(kernelVar(name)))
	g.writeViews(k, root)
	g.writeRun(k)
}

// specVars returns code for the variables that declare the kernel's specialization
// constants.
func specVars(k *Kernel) []jen.Code {
	var vars []jen.Code
	for _, s := range k.Specs {
		vars = append(vars, jen.Qual(s.Path, s.Name))
	}
	return vars
}

// writeBare writes one line for a kernel of stubs without modules. Package stubs reads the written
// line, and creates the kernel and the kernel's Run function. The command "make check" verifies
// that the written lines are up to date.
func (g *generator) writeBare(k *Kernel) {
	name := k.ABI.Name
	args := []jen.Code{jen.Lit(name)}
	for _, v := range k.ABI.Variables {
		args = append(args, varPointer(v.Name))
	}
	kernel := jen.Id("_")
	if !k.RunOnly {
		kernel = jen.Id(kernelVar(name))
	}
	body := jen.Qual(g.p.Path, name).Dot("Kernel")
	if k.Pointer {
		body = jen.Func().Params(jen.Id("k").Qual(g.p.Path, name), jen.Id("item").Qual(dslPath, itemType(k.ABI))).
			Block(jen.Id("k").Dot("Kernel").Call(jen.Id("item")))
	}
	of := jen.Id(packageConst).Dot("Kernel").Call(args...)
	if k.ABI.Matrices {
		of = jen.Qual(stubsPath, "Native").Call(of, jen.Qual(implPath, "MakeNative"))
	}
	args = []jen.Code{of, body}
	if k.Form != "" {
		args = append(args, jen.Id(k.Form))
	}
	_, typ := rangeOf(k.ABI)
	if typ == "" {
		typ = "Task"
	}
	g.file.Var().List(kernel, jen.Id("Run"+name)).Op("=").Qual(stubsPath, typ).Call(append(args, specVars(k)...)...)
}

// writeViews writes a struct type like the kernel's type, but with views in place of slices, and
// the methods of the struct type.
func (g *generator) writeViews(k *Kernel, root *node) {
	name := k.ABI.Name
	g.docComment("%s is the kernel [%s.%s] with its slices in device memory.", name, g.p.Name, name)
	if s := firstSentence(k.Doc); s != "" && !g.p.Bare {
		g.file.Comment("// " + s)
	}
	g.file.Type().Id(name).StructFunc(g.structFields(k, root))
	g.writeMirrors(k, root, "")
	g.writeLaunch(k)
}

// writeEmbeds writes the variables for the kernel's embedded modules.
func (g *generator) writeEmbeds(k *Kernel) {
	name := k.ABI.Name
	g.file.Commentf("//go:embed %s.spv", name)
	g.file.Var().Id(spirvVar(name)).String()
	g.file.Line()
	if k.ABI.Data != "" {
		g.file.Commentf("//go:embed %s.data", name)
		g.file.Var().Id(dataVar(name)).String()
		g.file.Line()
	}
	if k.ABI.IR != "" {
		g.file.Commentf("//go:embed %s.kir", name)
		g.file.Var().Id(irVar(name)).String()
		g.file.Line()
	}
	for i := range k.ABI.Variants {
		if k.madeLate(i) {
			continue
		}
		g.file.Commentf("//go:embed %s", variantFile(k.ABI, i))
		g.file.Var().Id(variantVar(k.ABI, i)).String()
		g.file.Line()
	}
}

// hostBody returns code that rebuilds the kernel's receiver from the arguments of a launch.
func (g *generator) hostBody(k *Kernel) func(*jen.Group) {
	return func(b *jen.Group) {
		receiver := jen.Qual(g.p.Path, k.ABI.Name)
		var flat []jen.Code
		nested := k.Pointer
		for i, a := range k.Args {
			nested = nested || len(a.Path) > 1
			if v := g.hostValue(k, i); v != nil && !nested {
				flat = append(flat, jen.Id(a.Path[0].Field).Op(":").Add(v))
			}
		}
		if !nested {
			if len(flat) > 0 {
				receiver.Add(blockLit(flat...))
			} else {
				receiver.Values()
			}
			b.Return(receiver.Dot("Kernel"))
			return
		}
		b.Var().Id("k").Add(receiver)
		for i, a := range k.Args {
			if v := g.hostValue(k, i); v != nil {
				b.Add(leafSelector(a.Path)).Op("=").Add(v)
			}
		}
		if !k.Pointer {
			b.Return(jen.Id("k").Dot("Kernel"))
			return
		}
		b.Comment("Every work-item has a receiver of its own.")
		b.Return(jen.Func().Params(jen.Id("item").Qual(dslPath, itemType(k.ABI))).Block(
			jen.Id("k").Op(":=").Id("k"),
			jen.Id("k").Dot("Kernel").Call(jen.Id("item")),
		))
	}
}

// hostValue returns code for argument i of a launch on the host. If argument i has size zero, hostValue returns nil.
func (g *generator) hostValue(k *Kernel, i int) *jen.Statement {
	t := g.typeExpr(k.Args[i].Type)
	args := []jen.Code{jen.Id("a"), jen.Lit(i)}
	switch p := &k.ABI.Params[i]; p.Kind {
	case abi.Slice:
		if p.Internal > 0 {
			return jen.Qual(implPath, "HostInternal").Types(t).Call(args...)
		}
		return jen.Qual(implPath, "HostSlice").Types(t).Call(args...)
	case abi.LocalAccessor:
		return jen.Qual(dslPath, "LocalLen").Types(t).Call(jen.Qual(implPath, "HostLen").Call(args...))
	default:
		if p.Size == 0 {
			return nil
		}
		return jen.Qual(implPath, "HostValue").Types(t).Call(args...)
	}
}

// itemType returns the type of the Kernel method's parameter.
func itemType(k *abi.Kernel) string {
	switch k.Form {
	case abi.Range:
		return fmt.Sprintf("Item%d", k.Rank)
	case abi.NDRange:
		return fmt.Sprintf("NDItem%d", k.Rank)
	}
	return "Task"
}

// newLaunch writes the statement that creates a launch.
func newLaunch(b *jen.Group, k *Kernel) {
	b.Id("l").Op(":=").Qual(implPath, "NewLaunch").Call(jen.Id(kernelVar(k.ABI.Name)))
}

// writeFill writes the calls that set the arguments of a launch. setSlice is the name of the function that sets a
// slice.
func (g *generator) writeFill(b *jen.Group, k *Kernel, setSlice string) {
	for i, a := range k.Args {
		p := &k.ABI.Params[i]
		v := leafSelector(a.Path)
		switch {
		case p.Internal > 0: // callers of launches pass no argument for an internal slice
		case p.Kind == abi.Slice:
			b.Qual(implPath, setSlice).Call(jen.Id("l"), jen.Lit(i), v)
		case p.Kind == abi.LocalAccessor:
			b.Qual(implPath, "Accessor").Call(jen.Id("l"), v.Dot("Len").Call())
		case p.Size > 0:
			b.Qual(implPath, "Value").Call(jen.Id("l"), jen.Lit(i), v)
		}
	}
}

// rangeOf returns the suffix for the names of launch methods, and the type of the range. For a
// task, both results are "".
func rangeOf(k *abi.Kernel) (suffix, typ string) {
	switch k.Form {
	case abi.Range:
		return fmt.Sprint(k.Rank), fmt.Sprintf("Range%d", k.Rank)
	case abi.NDRange:
		return fmt.Sprintf("ND%d", k.Rank), fmt.Sprintf("NDRange%d", k.Rank)
	}
	return "", ""
}

// writeLaunch writes the methods that launch the kernel on a queue, and the method that
// returns a graph node.
func (g *generator) writeLaunch(k *Kernel) {
	suffix, typ := rangeOf(k.ABI)
	receiver := func() *jen.Statement { return jen.Func().Params(jen.Id("k").Id(k.ABI.Name)) }
	g.docComment("launch returns a launch with the kernel's arguments.")
	g.file.Add(receiver()).Id("launch").Params().Op("*").Qual(implPath, "Launch").BlockFunc(func(b *jen.Group) {
		newLaunch(b, k)
		g.writeFill(b, k, "View")
		b.Return(jen.Id("l"))
	})
	name, doc, node := "SingleTask", "SingleTask launches the kernel once.", "NodeTask"
	var params, args []jen.Code
	if typ != "" {
		name, doc, node = "ParallelFor", "ParallelFor launches the kernel for every work-item of r.", "Node"+suffix
		params = append(params, jen.Id("r").Qual(runtimePath, typ))
		args = append(args, jen.Id("r"))
	}
	params = append(params, jen.Id("opts").Op("...").Qual(runtimePath, "LaunchOption"))
	args = append(args, jen.Id("opts"))
	queue := []jen.Code{jen.Id("q").Op("*").Qual(runtimePath, "Queue")}
	g.docComment("%s", doc)
	g.file.Add(receiver()).Id(name).Params(append(queue, params...)...).
		Params(jen.Qual(runtimePath, "Event"), jen.Error()).
		Block(jen.Return(jen.Id("k").Dot("launch").Call().Dot(name + suffix).Call(append([]jen.Code{jen.Id("q")}, args...)...)))
	if !g.p.Bare {
		g.docComment("Run%s, and waits. If ctx ends first, the", strings.TrimSuffix(strings.TrimPrefix(doc, name), "."))
		g.docComment("launch ends with ctx, as by [runtime.WithContext].")
		run := []jen.Code{jen.Id("ctx").Qual("context", "Context")}
		node := jen.Id("k").Dot("Node").Call(append(args[:len(args)-1:len(args)-1], jen.Id("opts").Op("..."))...)
		g.file.Add(receiver()).Id("Run").Params(append(append(run, queue...), params...)...).Error().
			Block(jen.Return(jen.Qual(implPath, "Run").Call(jen.Id("ctx"), jen.Id("q"), node)))
	}
	g.docComment("Node returns such a launch as a value, for a graph.")
	g.file.Add(receiver()).Id("Node").Params(params...).Qual(runtimePath, "Command").
		Block(jen.Return(jen.Id("k").Dot("launch").Call().Dot(node).Call(args...)))
}

// writeRun writes the Run function, which runs the kernel on the caller's slices.
func (g *generator) writeRun(k *Kernel) {
	name := k.ABI.Name
	suffix, typ := rangeOf(k.ABI)
	params := []jen.Code{jen.Id("ctx").Qual("context", "Context"), jen.Id("dev").Op("*").Qual(runtimePath, "Device"),
		jen.Id("k").Qual(g.p.Path, name)}
	args := []jen.Code{jen.Id("ctx"), jen.Id("dev")}
	doc := fmt.Sprintf("Run%s runs the kernel once on k's own slices, and waits.", name)
	method := "RunTask"
	if typ != "" {
		method = "Run" + suffix
		doc = fmt.Sprintf("Run%s runs the kernel for every work-item of r on k's own slices, and waits.", name)
		params = append(params, jen.Id("r").Qual(runtimePath, typ))
		args = append(args, jen.Id("r"))
	}
	params = append(params, jen.Id("opts").Op("...").Qual(runtimePath, "LaunchOption"))
	g.file.Comment(doc)
	g.file.Func().Id("Run" + name).Params(params...).Error().BlockFunc(func(b *jen.Group) {
		newLaunch(b, k)
		g.writeFill(b, k, "Slice")
		b.Return(jen.Id("l").Dot(method).Call(append(args, jen.Id("opts"))...))
	})
}

// groupImports moves the imports of the standard library into a separate group, because the library
// jennifer writes all imports in one group.
func groupImports(src []byte) []byte {
	head, rest, ok := bytes.Cut(src, []byte("import (\n"))
	list, tail, ok2 := bytes.Cut(rest, []byte(")\n"))
	if !ok || !ok2 {
		return src
	}
	var std, other []byte
	for line := range bytes.Lines(list) {
		_, path, _ := bytes.Cut(line, []byte{'"'})
		first, _, _ := bytes.Cut(path, []byte{'/'})
		if bytes.Contains(first, []byte{'.'}) {
			other = append(other, line...)
		} else {
			std = append(std, line...)
		}
	}
	if std != nil {
		std = append(std, '\n')
	}
	return slices.Concat(head, []byte("import (\n"), std, other, []byte(")\n"), tail)
}

// firstSentence returns the first sentence of a doc comment, on one line.
func firstSentence(text string) string {
	return strings.Join(strings.Fields(new(doc.Package).Synopsis(text)), " ")
}

// FormType returns the name of the type that implements a kernel's host form. The function that
// allocates the host form of a kernel A has the name newAHost. For a kernel NewA, the name of the
// type would also be newAHost, so FormType returns new_AHost.
func FormType(name string) string {
	typ := lowerFirst(name) + "Host"
	if rest, ok := strings.CutPrefix(typ, "new"); ok {
		return "new_" + rest
	}
	return typ
}

func kernelVar(name string) string { return lowerFirst(name) + "Kernel" }
func dataVar(name string) string   { return lowerFirst(name) + "Data" }
func irVar(name string) string     { return lowerFirst(name) + "IR" }
func spirvVar(name string) string  { return lowerFirst(name) + "SPIRV" }

// variantVar returns the name of the variable for the module of a kernel's variant i, and
// variantFile returns the name of the module's file.
func variantVar(k *abi.Kernel, i int) string {
	v := k.Variants[i].Name
	return lowerFirst(k.Name) + strings.ToUpper(v[:1]) + v[1:]
}

func variantFile(k *abi.Kernel, i int) string { return k.Name + "." + k.Variants[i].Name + ".spv" }

// lowerFirst changes a name's leading capitals to lower case. For example, SAXPY becomes saxpy,
// MatMul becomes matMul, and FFTStep becomes fftStep.
func lowerFirst(name string) string {
	r := []rune(name)
	for i := range r {
		if i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) || !unicode.IsUpper(r[i]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}

func isIdent(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

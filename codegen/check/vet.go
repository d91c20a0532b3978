package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
)

// Analyzers returns an analyzer for each rule, for go vet -vettool and other drivers. In the
// package of a kernel, the analyzers report the findings of Check, at the same positions. The
// analysis of a package exports an analysis fact for each function with a finding. If a kernel of
// another package calls a function with a finding, the analyzers report the finding at the call.
func Analyzers(known func(fullName string) bool) []*analysis.Analyzer {
	reach := &analysis.Analyzer{
		Name:       "kgenreach",
		Doc:        "find what kernels must not reach",
		Run:        func(pass *analysis.Pass) (any, error) { return Findings(analyseReach(pass, known)), nil },
		ResultType: reflect.TypeFor[Findings](),
		FactTypes:  []analysis.Fact{new(hostFact)},
	}
	var all []*analysis.Analyzer
	for _, r := range rules {
		all = append(all, &analysis.Analyzer{
			Name:     "kgen" + r.name,
			Doc:      fmt.Sprintf("report %s in kernels (%v)\n\n%s", r.doc, r.code, diag.Summary(r.code)),
			Requires: []*analysis.Analyzer{reach},
			Run: func(pass *analysis.Pass) (any, error) {
				for _, f := range pass.ResultOf[reach].(Findings) {
					if f.rule == r.name {
						pass.Report(f.toDiagnostic())
					}
				}
				return nil, nil
			},
		})
	}
	return all
}

// Findings holds all violations of the rules in a package.
type Findings []finding

// At reports whether there is a finding with the given code at position p. If call is true, p is
// the position of a call of another package's function, and At accepts any finding in the line of
// p.
func (fs Findings) At(p token.Position, code diag.Code, call bool, fset *token.FileSet) bool {
	return slices.ContainsFunc(fs, func(f finding) bool {
		q := fset.Position(f.pos)
		return f.code == code && q.Filename == p.Filename && q.Line == p.Line && (call || q.Column == p.Column)
	})
}

// toDiagnostic converts a finding to a diagnostic for drivers. Drivers print only one line of a
// diagnostic, so the message contains the hint.
func (f finding) toDiagnostic() analysis.Diagnostic {
	d := analysis.Diagnostic{Pos: f.pos, Category: f.code.String(), Message: fmt.Sprintf("%v: %s", f.code, f.message)}
	if f.hint != "" {
		d.Message += "; " + f.hint
	}
	for _, h := range f.via {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: h.at, Message: h.String()})
	}
	return d
}

// hostFact is the analysis fact that a function cannot be compiled into a kernel. A hostFact contains the reasons why
// the function cannot be compiled.
type hostFact struct {
	Wrong []foreignFound
}

func (*hostFact) AFact() {}

// String returns a short text, which tests compare with the expected text.
func (f *hostFact) String() string { return fmt.Sprintf("not for kernels: %v", f.Wrong[0].Code) }

// foreignFound is a finding in a function of another package.
type foreignFound struct {
	Rule    string
	Code    diag.Code
	Message string
	Hint    string
	Pos     string // package path, file, line and column of the finding
}

// noBodies lists the packages from which kernels can call only intrinsics. An intrinsic is a function that is compiled
// without its body.
var noBodies = map[string]bool{
	"sync/atomic":                        true,
	"github.com/kgen-go/kgen/dsl":        true,
	"github.com/kgen-go/kgen/properties": true,
}

// maxForeign is the largest number of findings in an analysis fact.
const maxForeign = 4

// analyseReach analyses one package. analyseReach exports analysis facts for the package's
// functions, and returns the findings in the package's kernels.
func analyseReach(pass *analysis.Pass, known func(string) bool) []finding {
	path := pass.Pkg.Path()
	std := isStd(path)
	if hostOnly(path) || noBodies[path] || std && !load.DeviceStd(path) || usesC(pass.Files) || otherFiles(pass, std) {
		return nil
	}
	prog := ssa.NewProgram(pass.Fset, ssa.InstantiateGenerics)
	created := map[*types.Package]bool{}
	var create func(ps []*types.Package)
	create = func(ps []*types.Package) {
		for _, p := range ps {
			if !created[p] {
				created[p] = true
				prog.CreatePackage(p, nil, nil, true)
				create(p.Imports())
			}
		}
	}
	create(pass.Pkg.Imports())
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()

	s := &ruleScanner{known: known}
	s.foreignFindings = func(fn *ssa.Function) ([]violation, bool) {
		obj, _ := origin(fn).Object().(*types.Func)
		if obj == nil || obj.Pkg() == nil {
			return nil, true
		}
		if from := obj.Pkg().Path(); obj.Pkg() == pass.Pkg {
			return nil, std || load.OtherBody(obj, pass.Fset) // result `ok` is true if the function has a body in the files that kgen compiles
		} else if noBodies[from] || isStd(from) && !load.DeviceStd(from) {
			return nil, false
		}
		var fact hostFact
		pass.ImportObjectFact(obj, &fact)
		var wrong []violation
		for _, f := range fact.Wrong {
			wrong = append(wrong, violation{rule: f.Rule, code: f.Code, hint: f.Hint, abroad: &f,
				message: fmt.Sprintf("%s cannot run on a device: %s (%s)", load.FuncText(origin(fn)), f.Message, f.Pos)})
		}
		return wrong, true
	}
	if pass.Pkg.Name() != "main" {
		for _, fn := range declaredFuncs(pass, prog) {
			if known(fn.RelString(nil)) || load.HasOtherCode(fn) {
				continue
			}
			c := newChecker(s)
			c.checkKernel(fn)
			if fact := factOf(pass, c.findings); fact != nil {
				pass.ExportObjectFact(fn.Object(), fact)
			}
		}
	}
	var all []finding
	load.CheckDeclarations(pass.Pkg, func(code diag.Code, pos token.Pos, hint, message string) {
		all = append(all, finding{violation: violation{rule: ruleKernel, code: code, pos: pos, hint: hint, message: message}})
	})
	reported := map[reportKey]bool{}
	for _, sel := range load.KernelMethods(pass.Pkg) {
		fn := prog.MethodValue(sel)
		if fn == nil {
			continue
		}
		c := newChecker(s)
		c.checkKernel(fn)
		for _, f := range c.findings {
			if key := (reportKey{f.pos, f.code}); !reported[key] {
				reported[key] = true
				all = append(all, f)
			}
		}
	}
	usesHalf := false
	for p := range created {
		usesHalf = usesHalf || p.Path() == halfPath
	}
	if usesHalf {
		for _, f := range halfEverywhere(pkg, declaredFuncs(pass, prog)) {
			if key := (reportKey{f.pos, f.code}); !reported[key] {
				reported[key] = true
				all = append(all, f)
			}
		}
	}
	return all
}

// otherFiles reports whether the files that kgen compiles differ from the files that the driver has
// loaded. If otherFiles returns true, the rules report nothing in the package, and the analyzer
// kgencompile reports the diagnostics of kgen.
func otherFiles(pass *analysis.Pass, std bool) bool {
	var files []string
	for _, f := range pass.Files {
		files = append(files, pass.Fset.File(f.FileStart).Name())
	}
	return load.OtherFiles(pass.Pkg, files, std, pass.Module == nil || pass.Module.Version == "")
}

// usesC reports whether a package uses cgo. In a package that uses cgo, the compiled files are
// generated files.
func usesC(files []*ast.File) bool {
	for _, f := range files {
		for _, spec := range f.Imports {
			if spec.Path.Value == `"C"` {
				return true
			}
		}
	}
	return false
}

// declaredFuncs returns the functions and methods that a package declares.
func declaredFuncs(pass *analysis.Pass, prog *ssa.Program) []*ssa.Function {
	var all []*ssa.Function
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name != "_" {
				if obj, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					if fn := prog.FuncValue(obj); fn != nil {
						all = append(all, fn)
					}
				}
			}
		}
	}
	return all
}

// factOf returns the analysis fact for a function with the given findings. The analysis fact
// contains only one finding for each diagnostic code.
func factOf(pass *analysis.Pass, findings []finding) *hostFact {
	var fact hostFact
	seen := map[diag.Code]bool{}
	for _, f := range findings {
		if seen[f.code] || len(fact.Wrong) == maxForeign {
			continue
		}
		seen[f.code] = true
		if f.abroad != nil {
			fact.Wrong = append(fact.Wrong, *f.abroad) // f.abroad already contains the position of the finding
			continue
		}
		at := pass.Fset.Position(f.pos)
		place := fmt.Sprintf("%s:%d:%d", path.Join(pass.Pkg.Path(), filepath.Base(at.Filename)), at.Line, at.Column)
		fact.Wrong = append(fact.Wrong, foreignFound{f.rule, f.code, f.message, f.hint, place})
	}
	if len(fact.Wrong) == 0 {
		return nil
	}
	return &fact
}

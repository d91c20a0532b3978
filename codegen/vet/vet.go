// Package vet provides kgen's rules about kernels as analyzers, for the command kgenvet and other
// drivers of golang.org/x/tools/go/analysis.
package vet

import (
	"bytes"
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/check"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
)

// Analyzers returns an analyzer for each rule of package check, and four more analyzers:
//
//   - The analyzer kgencompile compiles the kernels to find all other errors. It reports kgen's
//     diagnostics about code in a kernel's package, with the same positions and codes.
//   - The analyzer kgenstale compares the code with the code that kgen compiled.
//   - The analyzer kgenshared reports elements of slices that every work-item changes, because the
//     changes are a data race.
//   - The analyzer kgenproperties reports methods that the author probably intended as a kernel's
//     Properties method.
func Analyzers() []*analysis.Analyzer {
	rules := check.Analyzers(lower.Known)
	compiles := &analysis.Analyzer{
		Name: "kgencompile",
		Doc: "report what kgen finds when it compiles kernels\n\n" +
			"Which values there are, and which work-items come where, shows only then: pointers to several variables, " +
			"functions that are not known, barriers in flow that is not uniform.",
		Requires: rules[0].Requires,
	}
	// The analyzers need a flag for build tags, because drivers do not pass their own build tags to analyzers.
	tags := compiles.Flags.String("tags", "", "build tags to compile kernels with, with commas")
	compiles.Run = func(pass *analysis.Pass) (any, error) {
		chosen := strings.FieldsFunc(*tags, func(r rune) bool { return r == ',' || r == ' ' })
		return nil, reportStages(pass, pass.ResultOf[rules[0].Requires[0]].(check.Findings), chosen)
	}
	return append(rules, staleAnalyzer(), sharedAnalyzer(), misnamedAnalyzer(), compiles)
}

// reportStages reports the diagnostics of kgen's stages. reportStages omits diagnostics that the rules have already
// reported.
func reportStages(pass *analysis.Pass, found check.Findings, tags []string) error {
	if len(load.KernelMethods(pass.Pkg)) == 0 || pass.Pkg.Name() == "main" {
		return nil
	}
	files := map[string]*token.File{}
	overlay := map[string][]byte{}
	for _, f := range pass.Files {
		tf := pass.Fset.File(f.FileStart)
		// The function pass.ReadFile also returns texts that an editor has not saved yet.
		read := pass.ReadFile
		if read == nil {
			read = os.ReadFile // old drivers do not set pass.ReadFile
		}
		shown, err := read(tf.Name())
		if err != nil {
			return err
		}
		if saved, err := os.ReadFile(tf.Name()); err != nil || !bytes.Equal(shown, saved) {
			overlay[tf.Name()] = shown
		}
		files[tf.Name()] = tf
	}
	dir := filepath.Dir(pass.Fset.File(pass.Files[0].FileStart).Name())
	diags, err := codegen.Diagnose(context.Background(), codegen.Config{Dir: dir, Patterns: []string{"."}, Tags: tags, Overlay: overlay})
	if err != nil {
		return err
	}
	at := func(p diag.Pos) token.Pos {
		name := p.File
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		tf := files[name]
		if tf == nil || p.Line < 1 || p.Line > tf.LineCount() {
			return token.NoPos
		}
		return tf.LineStart(p.Line) + token.Pos(max(p.Col-1, 0))
	}
	for _, d := range diags {
		if d.Code == diag.Load {
			continue // go vet reports this error
		}
		report := analysis.Diagnostic{Pos: at(d.Pos), Category: d.Code.String(), Message: fmt.Sprintf("%v: %s", d.Code, d.Message)}
		if d.Hint != "" {
			report.Message += "; " + d.Hint
		}
		elsewhere := report.Pos == token.NoPos
		for _, r := range d.Related {
			p := at(r.Pos)
			// A diagnostic about another package's code is reported in this package. The reported position
			// is the call or embedding that uses the other package's code.
			if report.Pos == token.NoPos && p != token.NoPos && (strings.HasPrefix(r.Message, "called here") || strings.HasPrefix(r.Message, load.OfKernel)) {
				report.Pos = p
				report.Message += fmt.Sprintf(" (at %v)", d.Pos)
			}
			if p != token.NoPos {
				report.Related = append(report.Related, analysis.RelatedInformation{Pos: p, Message: r.Message})
			}
		}
		if report.Pos != token.NoPos && !found.At(pass.Fset.Position(report.Pos), d.Code, elsewhere, pass.Fset) {
			pass.Report(report)
		}
	}
	return nil
}

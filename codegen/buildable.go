package codegen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/codegen/gohost"
	"github.com/kgen-go/kgen/codegen/gostub"
	"github.com/kgen-go/kgen/codegen/load"
)

// This file checks that gc accepts the generated code. A host form (the code of a kernel for the
// CPU) that does not compile is omitted, and the kernel's Go code runs instead. If stubs do not
// compile, kgen fails with an error. If generated code does not compile, kgen has a bug.

// stubFiles returns the files of a stub package, after type-checking the Go code in the files.
func (w *stubWriter) stubFiles(out *stubOutput, pkg *gostub.Package, importPath string) ([]gostub.File, error) {
	files, wrong, err := w.renderStub(out, pkg, importPath)
	if err != nil || len(wrong) == 0 {
		return files, err
	}
	dropped, err := w.dropForms(out, importPath)
	if err != nil {
		return nil, err
	}
	if dropped {
		if files, wrong, err = w.renderStub(out, pkg, importPath); err != nil || len(wrong) == 0 {
			return files, err
		}
	}
	var all []error
	for _, e := range wrong {
		if e.Forbidden {
			return nil, e
		}
		all = append(all, e)
	}
	return nil, fmt.Errorf("internal error in package %s: its stubs would not compile, and nothing is written; please report it with the kernels' source: %w", out.pkg.PkgPath, errors.Join(all...))
}

// hostFile returns the name of the file with the host forms.
func (o *stubOutput) hostFile() string { return o.pkg.Name + "_host_kgen.go" }

// renderStub returns the files of a stub package, and the type errors in the Go code of the files.
func (w *stubWriter) renderStub(out *stubOutput, pkg *gostub.Package, importPath string) ([]gostub.File, []*load.TextError, error) {
	files, err := gostub.Files(pkg, importPath, w.names)
	if err != nil {
		return nil, nil, err
	}
	if len(out.forms) > 0 {
		code, err := w.hostText(out, out.forms)
		if err != nil {
			return files, []*load.TextError{{File: out.hostFile(), At: out.hostFile(), Msg: err.Error()}}, nil
		}
		files = append(files, gostub.File{Name: out.hostFile(), Data: code})
	}
	var texts []load.Text
	for i, f := range files {
		if strings.HasSuffix(f.Name, ".go") {
			if w.cfg.alterFile != nil {
				files[i].Data = w.cfg.alterFile(f.Name, f.Data)
			}
			texts = append(texts, load.Text{Name: f.Name, Data: files[i].Data})
		}
	}
	return files, w.check(out.pkg, importPath, texts), nil
}

// hostText returns the source text of the file with the given host forms.
func (w *stubWriter) hostText(out *stubOutput, forms []*gohost.Form) ([]byte, error) {
	pkg := &gostub.Package{Constraint: w.prog.Constraint(out.pkg)}
	return gohost.File(pkg.Header(), gostub.Name(out.pkg.Name), forms)
}

// dropForms compiles each host form alone, and removes host forms with errors. If each host form
// compiles alone, but the file with all host forms does not compile, dropForms removes all host
// forms. dropForms adds a warning for each removed host form, and reports whether any host form was
// removed.
func (w *stubWriter) dropForms(out *stubOutput, importPath string) (dropped bool, err error) {
	check := func(forms []*gohost.Form) error {
		code, err := w.hostText(out, forms)
		if err != nil {
			return err
		}
		if w.cfg.alterFile != nil {
			code = w.cfg.alterFile(out.hostFile(), code)
		}
		for _, e := range w.check(out.pkg, importPath, []load.Text{{Name: out.hostFile(), Data: code}}) {
			return e
		}
		return nil
	}
	why := map[*gohost.Form]error{}
	for _, f := range out.forms {
		if err := check([]*gohost.Form{f}); err != nil {
			why[f] = err
		}
	}
	if len(why) == 0 && len(out.forms) > 0 {
		if err := check(out.forms); err != nil {
			for _, f := range out.forms {
				why[f] = err
			}
		}
	}
	var errs []error
	for i := range out.kernels {
		k := &out.kernels[i]
		for f, err := range why {
			if k.Form != f.New() {
				continue
			}
			k.Form = ""
			text := fmt.Sprintf("the host form of %s.%s does not compile and is left out; please report it with the kernel's source: %v", out.pkg.PkgPath, k.ABI.Name, err)
			if w.cfg.Strict {
				errs = append(errs, errors.New(text))
			} else {
				w.res.Warnings = append(w.res.Warnings, text)
			}
		}
	}
	out.forms = slices.DeleteFunc(out.forms, func(f *gohost.Form) bool { return why[f] != nil })
	return len(why) > 0, errors.Join(errs...)
}

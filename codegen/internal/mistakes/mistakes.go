// Package mistakes contains a small piece of invalid code for each diagnostic about a body, a field
// or a property of a kernel. Tests combine pieces of invalid code into kernels with one or several
// errors, and check the diagnostics. A [File] collects kernels and returns the source of the
// kernels with the expected diagnostics.
package mistakes

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Mistake is a piece of invalid code. The character « in the text of a Mistake marks the position
// of the diagnostic. In each occurrence of a Mistake, a different number replaces the character @,
// for example in labels.
type Mistake struct {
	Name string
	Code string
	// Body is a list of statements, which may use the variables k (kernel), it (item) and i (id).
	Body string
	// Decls is the text of package-level declarations that the body needs.
	Decls string
	// Field is the declaration of a field in the kernel's type. Property is an element of the
	// kernel's list of properties.
	Field, Property string
	// Type is a prefix of the name of the kernel's type. Params are additional parameters of the
	// Kernel method. Result is the type of a result of the Kernel method. Method is a method that
	// the kernel has in addition to the Kernel method.
	Type, Params, Result, Method string
	// Form is the item type that the kernel must have, or "" if any item type is allowed.
	Form Form
	// Once is true if kgen reports only the first occurrence of the mistake in a kernel, for
	// example the first use of an aspect.
	Once bool
	// Slow is true if the compilation of the kernel takes long, because the kernel is large.
	Slow bool
	// Hides is the reason why kgen finds no other errors in a function with the mistake, or "" if
	// kgen finds other errors.
	Hides string
}

// Form is the item type of a kernel.
type Form string

// Range and Group are the item types that mistakes may need.
const (
	Range Form = "Item1"
	Group Form = "NDItem1"
)

// Use is one occurrence of a mistake in a kernel.
type Use struct {
	*Mistake
	Helper bool // whether the mistake is in a method that the kernel calls
}

var (
	imports = []string{"errors", "fmt", "math", "math/rand", "os", "sort", "strings", "sync", "sync/atomic", "unsafe",
		"github.com/kgen-go/kgen/dsl", "github.com/kgen-go/kgen/dsl/half", "github.com/kgen-go/kgen/properties"}
	mark = regexp.MustCompile(`«(KG\d+)»`)
)

// Imports returns the packages that kernels with mistakes may import.
func Imports() []string { return slices.Clone(imports) }

// File is a source file with kernels.
type File struct {
	decls, kernels []string
	uses           int
}

// textFor returns the text s, which belongs to mistake m, for one occurrence of the mistake.
// textFor adds the code of the diagnostic to each mark «, and replaces each character @.
func (f *File) textFor(m *Mistake, s string) string {
	f.uses++
	return strings.ReplaceAll(strings.ReplaceAll(s, "«", "«"+m.Code+"»"), "@", fmt.Sprint(f.uses))
}

// Fits returns "" if one kernel can contain all given mistakes. If one kernel cannot contain all
// mistakes, Fits returns the reason.
func Fits(uses ...Use) string {
	for i, u := range uses {
		for _, v := range uses[:i] {
			if u.Form != "" && v.Form != "" && u.Form != v.Form {
				return "one needs work-groups, one must not have any"
			}
			for _, p := range [][2]Use{{u, v}, {v, u}} {
				if p[0].Hides != "" && p[1].Body != "" && !p[0].Helper {
					return p[0].Hides // the mistake also hides errors in the functions that the kernel calls
				}
			}
			switch {
			case u.Mistake == v.Mistake && (u.Once || u.Body == "" && u.Property == ""):
				return "it is one field, variable or aspect, and reported once"
			case u.Slow || v.Slow:
				return "it takes long"
			case u.Code == "KG504" && v.Code == u.Code:
				return "an aspect is reported where the kernel first uses it"
			case u.Code == "KG401" && v.Code == u.Code && strings.Contains(u.Body, "dsl.LoadAccumulator") != strings.Contains(v.Body, "dsl.LoadAccumulator"):
				return "the uses of matrices are checked before the barriers"
			case u.Property != "" && u.Code == "KG504" && strings.Contains(v.Body, "SubGroup"), v.Property != "" && v.Code == "KG504" && strings.Contains(u.Body, "SubGroup"):
				return "sub-groups are an aspect, too"
			case strings.Contains(u.Property, ".DeviceHas") && strings.Contains(v.Property, ".DeviceHas"):
				return "a property given twice is another mistake"
			case u.Type != "" && v.Type != "", u.Method != "" && v.Method != "", u.Method+v.Method != "" && u.Property+v.Property != "", u.Result != "" && v.Result != "":
				return "a kernel has one of these"
			}
		}
	}
	return ""
}

// Kernel adds a kernel with the mistakes.
func (f *File) Kernel(name string, uses ...Use) {
	item, fields, list, body, helpers := Group, "", "", "", ""
	typ, params, result, end, methods := "", "", "", "", ""
	for i, u := range uses {
		if u.Form != "" {
			item = u.Form
		}
		typ += f.textFor(u.Mistake, u.Type)
		params += f.textFor(u.Mistake, u.Params)
		if u.Result != "" {
			result, end = u.Result, "\treturn\n"
		}
		if u.Method != "" {
			methods += "\nfunc (k NAME) " + f.textFor(u.Mistake, u.Method) + "\n"
		}
		if u.Field != "" {
			fields += "\t" + f.textFor(u.Mistake, u.Field) + "\n"
		}
		if u.Property != "" {
			list += "\t\t" + f.textFor(u.Mistake, u.Property) + ",\n"
		}
		for d := range strings.SplitSeq(strings.ReplaceAll(u.Decls, "«", "«"+u.Code+"»"), "\n\n") {
			if !slices.Contains(f.decls, d) {
				f.decls = append(f.decls, d)
			}
		}
		switch text := f.textFor(u.Mistake, u.Body); {
		case u.Body == "":
		case u.Helper:
			body += fmt.Sprintf("\tk.help%d(it)\n", i)
			helpers += fmt.Sprintf("\nfunc (k NAME) help%d(it dsl.ITEM) {\n\ti := it.GlobalID()\n\t_ = i\n%s\n}\n", i, text)
		default:
			body += "\t{\n" + text + "\n\t}\n"
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\ntype %s%s struct {\n\tX, Out []int32\n\tF []float32\n\tD []float64\n\tN int\n%s}\n", typ, name, fields)
	if list != "" {
		fmt.Fprintf(&b, "\nfunc (k NAME) Properties() properties.List {\n\treturn properties.List{\n%s\t}\n}\n", list)
	}
	start := ""
	for _, u := range uses {
		if u.Params+u.Result != "" {
			start += f.textFor(u.Mistake, "«")
		}
	}
	fmt.Fprintf(&b, "\nfunc (k NAME) %sKernel(it dsl.ITEM%s) %s {\n\ti := it.GlobalID()\n\tk.Out[i]++\n%s%s}\n%s%s", start, params, result, body, end, helpers, methods)
	typ = mark.ReplaceAllString(typ, "")
	f.kernels = append(f.kernels, strings.NewReplacer("ITEM", string(item), "NAME", typ+name).Replace(b.String()))
}

// Source returns the text of the file with the given package name. wantDiags lists the expected diagnostics as
// "line:col code".
func (f *File) Source(pkg string) (src string, wantDiags []string) {
	rest := strings.Join(f.decls, "\n") + "\n" + strings.Join(f.kernels, "")
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n", pkg)
	for _, p := range imports {
		if regexp.MustCompile(`(^|[^\w.])` + path.Base(p) + `\.`).MatchString(rest) {
			fmt.Fprintf(&b, "\t%q\n", p)
		}
	}
	b.WriteString(")\n\n" + rest)
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		for {
			at := mark.FindStringSubmatchIndex(lines[i])
			if at == nil {
				break
			}
			wantDiags = append(wantDiags, fmt.Sprintf("%d:%d %s", i+1, at[0]+1, lines[i][at[2]:at[3]]))
			lines[i] = lines[i][:at[0]] + lines[i][at[1]:]
		}
	}
	return strings.Join(lines, "\n"), wantDiags
}

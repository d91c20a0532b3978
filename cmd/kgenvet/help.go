package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// writeHelp prints the output of -h.
func writeHelp(w io.Writer, rules []*analysis.Analyzer) {
	io.WriteString(w, `kgenvet reports what no kernel may have, in kernels and in what they call, and generates nothing.

	kgenvet [flags] [packages]   look at packages; without any, at the one in this folder
	kgenvet lsp [-tags list]     be a language server for editors, on standard input and output
	kgenvet help [rule]          print this, as kgenvet -h does, or more on a rule

Packages are named as for the go command: . or ./... or a path. The status is 1 if anything is
found. go vet -vettool=$(which kgenvet) ./... does the same; build tags it takes twice:

	go vet -vettool=$(which kgenvet) -tags=T -kgencompile.tags=T ./...

Flags:
  -tags list       look at the packages as they build with these tags, with commas
  -json            print what is found as JSON
  -RULE=false      leave a rule out, as in -kgenmaps=false
  -RULE            look by this rule alone
and go vet's flags for building, such as -mod=mod, which go help build lists.

Rules; what is found has a code, of which kgen explain says more:
`)
	for _, r := range rules {
		about, _, _ := strings.Cut(r.Doc, "\n")
		fmt.Fprintf(w, "  %-16s %s\n", r.Name, about)
	}
}

// The lists `switches` and `valued` contain the flags of go vet and of the driver of the analyzers,
// without the flags of single rules. The list `switches` contains the boolean flags, and the list
// `valued` contains the flags of other types.
var (
	switches = strings.Fields("json fix diff a n race msan asan cover v work x linkshared modcacherw trimpath")
	valued   = strings.Fields("tags c p covermode coverpkg asmflags buildmode buildvcs compiler gccgoflags gcflags installsuffix ldflags mod modfile overlay pgo pkgdir toolexec")
)

// usageError returns a text about an error in a user's arguments, or "" if the arguments are correct. Without
// usageError, users would see messages about go vet instead of kgenvet.
func usageError(args []string, rules []*analysis.Analyzer) string {
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			for _, a := range args[i:] {
				if strings.HasPrefix(a, "-") {
					return fmt.Sprintf("the flag %s stands behind %s; flags of kgenvet come before it", a, args[i])
				}
			}
			return ""
		}
		name, _, assigned := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		rule, option, _ := strings.Cut(name, ".")
		known := slices.ContainsFunc(rules, func(r *analysis.Analyzer) bool {
			return r.Name == rule && (option == "" || r.Flags.Lookup(option) != nil)
		})
		if slices.Contains(valued, name) || known && option != "" {
			if !assigned {
				if i++; i == len(args) {
					return fmt.Sprintf("the flag -%s needs a value, as in kgenvet -%s=VALUE ./...", name, name)
				}
			}
			continue
		}
		if !known && !slices.Contains(switches, name) {
			return fmt.Sprintf("kgenvet has no flag -%s; kgenvet -h lists the flags", name)
		}
	}
	return ""
}

// Kgenvet reports constructs that kernels must not contain, as a tool for go vet:
//
//	go vet -vettool=$(which kgenvet) ./...
//
// If the arguments are packages, kgenvet runs go vet with kgenvet as the tool. With packages as
// arguments, kgenvet prints the findings on standard output, as editors expect from linters:
//
//	kgenvet ./...
//
// As a language server for an editor, kgenvet shows the same findings while the user types. The
// language server uses standard input and output, and editors run it in addition to gopls:
//
//	kgenvet lsp
//
// The flag -tags sets build tags for kgenvet and for kgenvet lsp. With go vet -vettool, the flag
// -kgencompile.tags is needed in addition to go vet's own flag -tags.
//
// go vet keeps findings in its cache until sources or flags change, so go vet -vettool may repeat an old finding about
// code that has changed since kgen compiled it (KG008). With packages as arguments, kgenvet gives go vet the flag
// -kgenstale.state, whose value changes with the generated files.
//
// Each rule is an analyzer, and can be disabled, for example by -kgenmaps=false. The command `kgenvet -h` lists the
// analyzers, and the command `kgenvet help kgenmaps` describes the analyzer kgenmaps. Each finding has a code such as
// KG203. The command `kgen explain KG203` describes the code. The analyzer kgencompile compiles the kernels, to find
// errors that only the compiler detects, such as barriers that not all work-items reach.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/kgen-go/kgen/codegen/vet"
	"github.com/kgen-go/kgen/codegen/vet/lsp"
)

func main() {
	args, rules := os.Args[1:], vet.Analyzers()
	if len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
		writeHelp(os.Stdout, rules)
		return
	}
	if tags, rest := tagsOf(args); len(rest) > 0 && rest[0] == "lsp" {
		if len(rest) > 1 {
			fmt.Fprintf(os.Stderr, "kgenvet: lsp takes no %s, only -tags; the editor tells it what to look at\n", rest[1])
			os.Exit(2)
		}
		if err := lsp.Serve(os.Stdin, os.Stdout, lsp.Pause, strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })...); err != nil {
			fmt.Fprintln(os.Stderr, "kgenvet lsp:", err)
			os.Exit(1)
		}
		return
	}
	if userArgs(args) {
		if text := usageError(args, rules); text != "" {
			fmt.Fprintln(os.Stderr, "kgenvet:", text)
			os.Exit(2)
		}
		os.Exit(runGoVet(args))
	}
	unitchecker.Main(rules...)
}

// userArgs reports whether a user, not go vet, has called kgenvet with these arguments. When `go
// vet` calls kgenvet, the argument is a flag for the version, a flag for the list of flags, or the
// configuration file of a package.
func userArgs(args []string) bool {
	if len(args) == 0 {
		return true
	}
	last := args[len(args)-1]
	return args[0] != "help" && last != "-V=full" && last != "-flags" && !strings.HasSuffix(last, ".cfg")
}

// tagsOf returns the build tags among the arguments, and the other arguments.
func tagsOf(args []string) (tags string, rest []string) {
	for i := 0; i < len(args); i++ {
		name, value, ok := strings.Cut(strings.TrimPrefix(args[i], "-"), "=")
		switch {
		case name != "-tags" && name != "tags" || !strings.HasPrefix(args[i], "-"):
			rest = append(rest, args[i])
		case ok:
			tags = value
		case i+1 < len(args):
			i++
			tags = args[i]
		}
	}
	return tags, rest
}

// runGoVet executes go vet with this program as its tool.
func runGoVet(args []string) int {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kgenvet:", err)
		return 2
	}
	vet := []string{"vet", "-vettool=" + self, "-kgenstale.state=" + generatedState()}
	if tags, _ := tagsOf(args); tags != "" {
		vet = append(vet, "-kgencompile.tags="+tags) // go vet does not pass its own flag -tags to the tool
	}
	cmd := exec.Command("go", append(vet, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintln(os.Stderr, "kgenvet:", err)
		return 2
	}
	return 0
}

// Kgenvet reports what no kernel may have, as a tool for go vet:
//
//	go vet -vettool=$(which kgenvet) ./...
//
// With packages as arguments it runs go vet on itself, and prints what is found
// on standard output, as editors want linters to:
//
//	kgenvet ./...
//
// As a language server it shows the same while one is typing, in editors that run it
// beside gopls, on standard input and output:
//
//	kgenvet lsp
//
// Each rule is an analyzer, which -kgenmaps=false turns off, for example; kgenvet
// help lists them. What is found bears the codes of kgen, which kgen explain
// explains. The analyzer kgencompile compiles the kernels for what shows only then,
// such as barriers that not all work-items reach; it takes the packages as they build
// by default.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/kgen-go/kgen/codegen/vet"
	"github.com/kgen-go/kgen/codegen/vet/lsp"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "lsp" {
		if err := lsp.Serve(os.Stdin, os.Stdout, lsp.Pause); err != nil {
			fmt.Fprintln(os.Stderr, "kgenvet lsp:", err)
			os.Exit(1)
		}
		return
	}
	if packages(os.Args[1:]) {
		os.Exit(run(os.Args[1:]))
	}
	unitchecker.Main(vet.Analyzers()...)
}

// packages reports whether the arguments are a user's and not those of go vet,
// which asks for the version, for the flags, or for a package by its file.
func packages(args []string) bool {
	if len(args) == 0 {
		return true
	}
	last := args[len(args)-1]
	return args[0] != "help" && !strings.HasPrefix(last, "-") && !strings.HasSuffix(last, ".cfg")
}

// run runs go vet with this program as its tool.
func run(args []string) int {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kgenvet:", err)
		return 2
	}
	cmd := exec.Command("go", append([]string{"vet", "-vettool=" + self}, args...)...)
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

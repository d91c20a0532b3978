package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/starter"
)

// initModule runs kgen init, which writes a first kernel and a program that launches the kernel.
func initModule(ctx context.Context, global *flag.FlagSet, stdout, stderr io.Writer) int {
	c := newCommand("init", initHelp)
	if done, code := c.parseFlags(global, stdout, stderr); done {
		return code
	}
	args, cfg := c.flags.Args(), codegen.Config{Dir: c.dir}
	if len(args) != 1 {
		fmt.Fprintf(stderr, "kgen: init takes one name, not %d: that of a package, which becomes a folder, as in kgen init saxpy\n", len(args))
		return 2
	}
	s, err := starter.New(ctx, cfg.Dir, args[0])
	if err == nil {
		err = s.Write()
	}
	if err != nil {
		fmt.Fprintln(stderr, "kgen init:", err)
		return 1
	}
	for _, name := range s.Files() {
		fmt.Fprintln(stdout, "wrote", name)
	}
	switch name, err := s.WriteAttributes(); {
	case err != nil:
		fmt.Fprintln(stderr, "kgen init:", err)
		return 1
	case name != "":
		fmt.Fprintln(stdout, "wrote", name)
	}
	cfg.Patterns = []string{s.Folder()}
	res, diags, err := codegen.Generate(ctx, cfg)
	for _, name := range res.Written {
		fmt.Fprintln(stdout, "wrote", name)
	}
	if err != nil || len(diags) > 0 {
		diags.WriteText(stderr)
		if err != nil {
			fmt.Fprintln(stderr, "kgen init:", err)
		}
		fmt.Fprintf(stderr, "then run %s %s\n", s.Command, s.Folder())
		return 1
	}
	fmt.Fprintf(stdout, `
Next:
	go mod tidy    # once: the program requires more modules than kgen does
	go run %s
	go test ./...
After each change of the kernel in %s/kernel.go:
	go generate ./...
`, s.Main(), s.Folder())
	return 0
}

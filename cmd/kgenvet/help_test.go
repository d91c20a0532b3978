package main

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/vet"
)

// TestCommandLine: help is kgenvet's own, and so is what is said of flags that there are none of.
func TestCommandLine(t *testing.T) {
	tool := built(t)
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{"-h", 0, []string{"kgenvet [flags] [packages]", "-tags list", "kgenvet lsp", "./...", "\n  kgenmaps         report maps in kernels (KG207)\n"}},
		{"--help", 0, []string{"kgenvet lsp"}},
		{"help", 0, []string{"kgenvet lsp"}},
		{"help kgenmaps", 0, []string{"kgenmaps: report maps in kernels"}},
		{"-bogus", 2, []string{"kgenvet: kgenvet has no flag -bogus; kgenvet -h lists the flags\n"}},
		{"-bogus=1 ./...", 2, []string{"kgenvet has no flag -bogus;"}},
		{"-kgenmaps.tags=x ./...", 2, []string{"kgenvet has no flag -kgenmaps.tags;"}},
		{"-tags", 2, []string{"the flag -tags needs a value"}},
		{"./... -json", 2, []string{"the flag -json stands behind ./...; flags of kgenvet come before it"}},
		{"lsp -nope", 2, []string{"lsp takes no -nope, only -tags"}},
	} {
		out, err := command(t, ".", tool, strings.Fields(c.args)...)
		code := 0
		if e, ok := err.(interface{ ExitCode() int }); ok {
			code = e.ExitCode()
		}
		if code != c.code {
			t.Errorf("%s: status %d", c.args, code)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", c.args, want, out)
			}
		}
		for line := range strings.Lines(out) {
			if len(line) > 110 && c.args == "-h" || strings.Contains(line, "go vet [") || strings.Contains(line, "unit.cfg") {
				t.Errorf("%s: %s", c.args, line)
			}
		}
	}
}

// TestWrong: flags that go vet takes are let through.
func TestWrong(t *testing.T) {
	for _, args := range []string{
		"", "./...", "-tags x ./...", "-tags=x,y .", "--tags x .", "-json .", "-kgenmaps .", "-kgenmaps=false -kgencompile.tags=x ./k",
		"-mod=mod ./...", "-mod mod ./...", "-v -x -c 3 .", "-gcflags -N .",
	} {
		if text := usageError(strings.Fields(args), vet.Analyzers()); text != "" {
			t.Errorf("%s: %s", args, text)
		}
	}
}

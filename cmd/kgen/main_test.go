package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

func TestCommandLine(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string
	}{
		{"unknown flag", []string{"-nope"}, 2, "", "kgen: kgen has no flag -nope; kgen -h lists"},
		{"help", []string{"-h"}, 0, "kgen compiles kernels", ""},
		{"version", []string{"-version"}, 0, "kgen ", ""},
		{"explain", []string{"explain", "KG203"}, 0, "KG203: A pointer or slice", ""},
		{"explain all", []string{"explain"}, 0, "KG504  ", ""},
		{"devices", []string{"-C", "../..", "devices", "./examples/quickstart/saxpy"}, 0, "saxpy.SAXPY              host\n", ""},
		{"devices as JSON", []string{"-C", "../..", "devices", "-json", "./examples/quickstart/saxpy"}, 0, `"variant": "host"`, ""},
		{"devices without kernels", []string{"-C", "../..", "devices", "./codegen/diag"}, 1, "", "kgen devices: kgen has written nothing for ./codegen/diag; run go generate ./... first"},
		{"devices, the host by name", []string{"-C", "../..", "devices", "./examples/quickstart/saxpy"}, 0, " or host\n", ""},
		{"devices without a package", []string{"devices", "./nowhere"}, 1, "", "kgen devices: go list: stat "},
		{"help on devices", []string{"devices", "-h"}, 0, "kgen devices [flags] [packages]", ""},
		{"help on init", []string{"init", "-h"}, 0, "kgen init name", ""},
		{"init with a flag", []string{"init", "-nope"}, 2, "", "kgen: kgen init has no flag -nope; kgen init -h says"},
		{"init of two", []string{"init", "a", "b"}, 2, "", "init takes one name, not 2"},
		{"help as a word", []string{"help"}, 0, "kgen compiles kernels", ""},
		{"no kernels here", nil, 1, "", "/cmd/kgen: KG006: no kernels in package github.com/kgen-go/kgen/cmd/kgen\n\ta kernel is an exported struct type with a method Kernel(dsl.Item1); ./... names the packages in the folders below, too\n"},
		{"no kernels below", []string{"-C", "../../codegen/diag", "./..."}, 1, "", "/codegen/diag: KG006: no kernels in the packages named (1)\n\ta kernel is an exported struct type with a method Kernel(dsl.Item1)\n"},
		{"devices with a flag", []string{"devices", "-nope"}, 2, "", "kgen: kgen devices has no flag -nope; kgen devices -h says"},
		{"devices with a flag of kgen's", []string{"devices", "-strict"}, 2, "", "kgen: -strict means nothing to kgen devices; kgen devices -h says"},
		{"devices with a flag that has a value", []string{"devices", "-out", "X"}, 2, "", "-out means nothing to kgen devices"},
		{"devices with reports", []string{"devices", "-explain", "bounds"}, 2, "", "-explain means nothing to kgen devices"},
		{"devices with a flag ahead", []string{"-check", "devices"}, 2, "", "-check means nothing to kgen devices"},
		{"devices with a flag behind", []string{"devices", "./p", "-json"}, 2, "", "the flag -json stands behind ./p; flags of kgen devices come before it"},
		{"devices as JSON, ahead", []string{"-C", "../..", "-json", "devices", "./examples/quickstart/saxpy"}, 0, `"variant": "host"`, ""},
		{"what JSON is to devices", []string{"devices", "-h"}, 0, "print the list as JSON", ""},
		{"init with a flag of kgen's", []string{"init", "-strict", "x"}, 2, "", "-strict means nothing to kgen init; kgen init -h says"},
		{"init with a flag ahead", []string{"-check", "init", "x"}, 2, "", "-check means nothing to kgen init"},
		{"help on explain", []string{"explain", "-h"}, 0, "kgen explain [codes]", ""},
		{"explain with a flag of kgen's", []string{"explain", "-json", "KG203"}, 2, "", "-json means nothing to kgen explain"},
		{"explain with a flag ahead", []string{"-check", "explain", "KG203"}, 2, "", "-check means nothing to kgen explain"},
		{"explain with a flag", []string{"explain", "-nope"}, 2, "", "kgen explain has no flag -nope; kgen explain -h says"},
		{"a flag behind packages", []string{".", "-check"}, 2, "", "the flag -check stands behind .; flags of kgen come before it"},
		{"help on a command by words", []string{"help", "view"}, 0, "kgen view [flags] [packages]", ""},
		{"help on nothing", []string{"help", "vew"}, 2, "", "there is no help on \"vew\"; there is on init, explain, view and devices"},
		{"explain nothing", []string{"explain", "KG999"}, 2, "", `no diagnostic has the code "KG999"`},
		{"explain passes", []string{"-C", "../..", "-explain", "bounds,narrow", "./examples/quickstart/saxpy"}, 0, "index: k.X[i]\n\t\tnothing on the way here relates i to len(k.X)", ""},
		{"explain fusion", []string{"-C", "../..", "-explain", "fusion", "./internal/tests/conformance/steps"}, 0, "In: read, any element: k.In[len(k.In)-1-i]: nothing says that this is the work-item's own\n", ""},
		{"explain as JSON", []string{"-C", "../..", "-explain=bounds", "-json", "./examples/quickstart/saxpy"}, 0, `"expr": "k.X[i]"`, ""},
		{"explain no pass", []string{"-explain=nope", "."}, 1, "", `no report on "nope"`},
		{"strict", []string{"-C", "../..", "-strict", "-modules", need.Dir(t), "./cmd/kgen/testdata/lacks"}, 1, "", "lacks.K has "},
		{"not strict", []string{"-C", "../..", "-modules", need.Dir(t), "./cmd/kgen/testdata/lacks"}, 0, "", ""},
		{"no kernels", []string{"."}, 1, "", "KG006"},
		{"help on codes", []string{"-C", "../../codegen/check/testdata", "./reject"}, 1, "", "\ngo tool kgen explain KG102 KG103 KG104 KG105 KG204 KG205 KG207 KG209 KG301 KG303 KG304 says more, with examples\n"},
		{"unknown dump", []string{"-dump", "nope", "."}, 1, "", "no form of kernels"},
		{"no such folder", []string{"-C", "/nonexistent"}, 1, "", "kgen: the folder /nonexistent: no such file or directory"},
		{"no folder", []string{"-C", "main.go"}, 1, "", "kgen: the folder main.go: it is none"},
		{"a file", []string{"-C", "../../examples/quickstart", "saxpy/kernel.go"}, 1, "", "kgen: saxpy/kernel.go is a file; name its package, ./saxpy"},
		{"no kernels in a folder", []string{"-C", "../..", "./codegen/diag"}, 1, "", "codegen/diag: KG006: no kernels in package"},
		{"no Go here", []string{"-C", "../.."}, 1, "", root + ": KG001: no Go files in "},
		{"no Go in a folder", []string{"-C", "../..", "./docs"}, 1, "", "docs: KG001: no Go files in "},
		{"no source", []string{".", "unsafe"}, 1, "", "KG006"},
		{"check and dump", []string{"-check", "-dump", "ssa", "."}, 2, "", "kgen: -check, -dump and -explain exclude each other"},
		{"explain and dump", []string{"-explain", "bounds", "-dump", "ssa", "."}, 2, "", "exclude each other"},
		{"disable and explain", []string{"-disable", "quirk/rotation", "-explain", "bounds", "."}, 2, "", "-disable changes nothing"},
		{"diff alone", []string{"-diff", "."}, 2, "", "kgen -check -diff ./..."},
		{"diff as JSON", []string{"-check", "-diff", "-json", "."}, 2, "", "-diff is for -check"},
		{"disable nothing known", []string{"-disable", "quirk/rotation,quirk/nope", "."}, 2, "", `called "quirk/nope"; there are quirk/one-bit, `},
		{"disable a limit", []string{"-disable", "quirk/nested-ifs", "."}, 2, "", "cannot be disabled"},
		{"dump", []string{"-C", "../..", "-dump", "ssa", "./examples/quickstart/saxpy"}, 0, "func (k SAXPY) Kernel", ""},
	} {
		if slices.Contains(test.args, "-C") && !sample.Has(test.name, 30) { // which load packages
			continue
		}
		var stdout, stderr bytes.Buffer
		code := runCommand(context.Background(), test.args, &stdout, &stderr)
		if code != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", test.name, code, &stdout, &stderr)
		}
	}
}

// TestDisable compiles with a workaround for a driver's bug and without.
func TestDisable(t *testing.T) {
	dump := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		if code := runCommand(context.Background(), append(args, "-C", "../..", "-dump", "quirks", "./examples/life/cells"), &stdout, &stderr); code != 0 {
			t.Fatal(code, &stderr)
		}
		return stdout.String()
	}
	all := dump()
	if all == dump("-disable", "quirk/joined-flag") {
		t.Error("it compiles alike without quirk/joined-flag")
	}
	if dump("-disable", "quirk/joined-flag,quirk/rotation") != dump("-disable", "quirk/rotation", "-disable", "quirk/joined-flag") {
		t.Error("names with commas are not what names one after the other are")
	}
	if all != dump("-disable", "quirk/unsigned-float") {
		t.Error("a row that the kernels have no use for changes them")
	}
}

func TestJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	runCommand(context.Background(), []string{"-json", "."}, &stdout, &stderr)
	if stderr.Len() > 0 {
		t.Errorf("JSON with text: %s", &stderr)
	}
	var list []struct {
		Code, Message string
	}
	if err := json.Unmarshal(stdout.Bytes(), &list); err != nil || len(list) != 1 || list[0].Code != "KG006" {
		t.Errorf("%v: %s", err, &stdout)
	}
}

// TestHelp: -h fits on a screen and has every flag, and words that are no command are told from
// packages.
func TestHelp(t *testing.T) {
	var out strings.Builder
	if code := runCommand(t.Context(), []string{"-h"}, &out, io.Discard); code != 0 {
		t.Errorf("kgen -h exits with %d", code)
	}
	text := out.String()
	for _, name := range []string{"-C", "-check", "-diff", "-disable", "-dump", "-explain", "-json", "-modules", "-out", "-strict", "-tags", "-v", "-version"} {
		if !strings.Contains(text, "\n  "+name+" ") {
			t.Errorf("-h has no %s", name)
		}
	}
	if n := strings.Count(text, "\n"); n > 48 {
		t.Errorf("-h has %d lines", n)
	}
	for line := range strings.Lines(text) {
		if len(line) > 96 {
			t.Errorf("-h has a line of %d bytes: %s", len(line), line)
		}
	}
	out.Reset()
	if code := runCommand(t.Context(), []string{"ini"}, io.Discard, &out); code != 2 || !strings.Contains(out.String(), `unknown command "ini"`) {
		t.Errorf("kgen ini exits with %d: %s", code, &out)
	}
	dir := need.Dir(t)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module ini\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if unknownCommand(dir, "ini") || !unknownCommand(dir, "other") || unknownCommand(dir, "./other") || unknownCommand(dir, "") {
		t.Error("packages and commands are mixed up")
	}
}

package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// helpGroups contains kgen's flags, grouped by purpose, in the order in which -h prints them.
var helpGroups = []struct {
	about string
	flags []string
}{
	{"Writing", []string{"out", "check", "diff", "strict", "v", "json"}},
	{"Looking inside; nothing is written", []string{"explain", "dump"}},
	{"Other", []string{"C", "tags", "disable", "modules", "version"}},
}

// helpText returns the output of -h.
func helpText(flags *flag.FlagSet) []byte {
	var b bytes.Buffer
	b.WriteString(`kgen compiles kernels written in Go to SPIR-V, and writes the Go packages that launch them.

	kgen [flags] [packages]     compile; without packages, the one in this folder
	kgen explain [codes]        say what diagnostics mean, and what to write instead
	kgen view [packages]        write a page that shows source, IR and SPIR-V; kgen view -h
	kgen devices [packages]     list devices, and which kernels run on them, and how
	kgen init name              write a first kernel, a program that runs it, and a test
	kgen help                   print this, as kgen -h does

Packages are named as for the go command: . or ./... or a path. What is written stands in the
folder generated of the module's root. In a package of kernels, this has go generate do it:

	//go:generate go tool kgen .
`)
	for _, g := range helpGroups {
		fmt.Fprintf(&b, "\n%s:\n", g.about)
		writeFlags(&b, flags, g.flags...)
	}
	return b.Bytes()
}

const devicesHelp = `kgen devices lists the devices of this machine, with drivers, memory, limits and aspects, what
KGEN_DEVICE may be to choose each, and which of the module's kernels run on it.

	kgen devices [flags] [packages]

Without packages, these are all kernels of the module. go generate ./... comes first: the list
has what it wrote, and says which kernels it lacks, and which have changed since.
`

const explainHelp = `kgen explain says what diagnostics mean, why devices are so, and what to write instead, with an
example that gives the diagnostic and one that does not.

	kgen explain [codes]

Codes are as kgen prints them, such as KG203. Without any, all are listed, a line for each. What
became of kernels' checks and integers says the flag -explain, as in kgen -explain=bounds ./...
`

const initHelp = `kgen init writes a first kernel to a folder of this module, with a program that runs it and a
test, generates what they need, and says what to run next. It overwrites nothing.

	kgen init name

The name is the package's and its folder's, in lower-case letters and digits, such as saxpy or
kernels/saxpy. The program is main.go, or cmd/NAME/main.go if this folder has Go files.
`

// writeFlags prints the purpose of each flag.
func writeFlags(w io.Writer, flags *flag.FlagSet, names ...string) {
	for _, name := range names {
		f := flags.Lookup(name)
		arg, usage := flag.UnquoteUsage(f)
		left := "-" + f.Name
		if arg != "" {
			left += " " + arg
		}
		fmt.Fprintf(w, "  %-16s %s\n", left, strings.Join(wrapText(usage, 74), "\n"+strings.Repeat(" ", 19)))
	}
}

// wrapText breaks a text into lines of at most n bytes. A line with a single long word may have
// more than n bytes.
func wrapText(text string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > n {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

var plainWord = regexp.MustCompile("^[a-z][a-z0-9-]*$")

// unknownCommand reports whether a word is probably a mistyped command. The word must not be a
// command. unknownCommand returns true if the word cannot be a package of kernels. A word without a
// dot or slash may be the path of the module in dir. Any other word without a dot or slash is a
// package of the standard library, which contains no kernels.
func unknownCommand(dir, word string) bool {
	return plainWord.MatchString(word) && word != "all" && word != modulePath(dir)
}

// commandLine returns the command line with which users run kgen in a folder. If the go.mod of the
// folder declares kgen as a tool, the result is "go tool kgen".
func commandLine(dir string) string {
	if regexp.MustCompile(`(?m)^(tool)?\s+"?github\.com/kgen-go/kgen/cmd/kgen"?\s*(//.*)?$`).Match(goMod(dir)) {
		return "go tool kgen"
	}
	return "kgen"
}

// modulePath returns the path of the module that contains a folder, or "" if no module contains the
// folder.
func modulePath(dir string) string {
	if m := regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`).FindSubmatch(goMod(dir)); m != nil {
		return string(m[1])
	}
	return ""
}

// goMod returns the text of the go.mod file in a folder or in the nearest parent folder, or nil if
// there is no such file.
func goMod(dir string) []byte {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			return text
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

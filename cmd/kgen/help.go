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

// helpGroups are the flags by what they are for, in the order in which -h has them.
var helpGroups = []struct {
	about string
	flags []string
}{
	{"Writing", []string{"out", "check", "diff", "strict", "v", "json"}},
	{"Looking inside; nothing is written", []string{"explain", "dump"}},
	{"Other", []string{"C", "tags", "disable", "modules", "version"}},
}

// help is what -h prints.
func help(flags *flag.FlagSet) []byte {
	var b bytes.Buffer
	b.WriteString(`kgen compiles kernels written in Go to SPIR-V, and writes the Go packages that launch them.

	kgen [flags] [packages]     compile; without packages, the one in this folder
	kgen explain [codes]        say what diagnostics mean, and what to write instead
	kgen view [packages]        write a page that shows source, IR and SPIR-V; kgen view -h
	kgen devices [packages]     list devices, and which kernels run on them, and how
	kgen init name              write a first kernel, a program that runs it, and a test

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

// writeFlags says what flags are for.
func writeFlags(w io.Writer, flags *flag.FlagSet, names ...string) {
	for _, name := range names {
		f := flags.Lookup(name)
		arg, usage := flag.UnquoteUsage(f)
		left := "-" + f.Name
		if arg != "" {
			left += " " + arg
		}
		fmt.Fprintf(w, "  %-16s %s\n", left, strings.Join(wrap(usage, 74), "\n"+strings.Repeat(" ", 19)))
	}
}

// wrap breaks a text into lines of at most n bytes, if its words are no longer.
func wrap(text string, n int) []string {
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

// unknownCommand reports whether a word is neither a command nor a package: no package outside
// of the standard library, which has no kernels, is called so, but the module in dir may be.
func unknownCommand(dir, word string) bool {
	return plainWord.MatchString(word) && word != "all" && word != modulePath(dir)
}

// modulePath returns the path of the module that a folder is in, or "".
func modulePath(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			if m := regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`).FindSubmatch(text); m != nil {
				return string(m[1])
			}
			return ""
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

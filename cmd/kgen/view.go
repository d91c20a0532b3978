package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/codegen"
)

// viewFile is the name of the file that kgen view writes if no flag sets another name.
const viewFile = "kgen-view.html"

const viewHelp = `kgen view writes an HTML page that shows kernels: their Go source beside kgen's
intermediate representation (IR) behind each pass and the SPIR-V, linked line by line, the
checks that are left, the integers that stay 64-bit, what is fused, and the size of each module.

	kgen view [flags] [packages]

The page is one file and loads nothing. Kernels that do not compile stand in it with what is
wrong with them; the exit status is 1 then.
`

// viewPages runs kgen view.
func viewPages(ctx context.Context, global *flag.FlagSet, stdout, stderr io.Writer) int {
	c := newCommand("view", viewHelp, "o", "http", "C", "tags")
	var tags tagList
	out := c.flags.String("o", "", "write the page to `file`, instead of "+viewFile+"; - is standard output")
	addr := c.flags.String("http", "", "serve the page at `address`, such as localhost:8080, and write none; where sources have changed, loading it again compiles them again")
	c.flags.Var(&tags, "tags", tagsUsage)
	if done, code := c.parseFlags(global, stdout, stderr); done {
		return code
	}
	dir := c.dir
	if *out != "" && *addr != "" {
		fmt.Fprintln(stderr, "kgen: -o and -http exclude each other")
		return 2
	}
	v := &pageMaker{cfg: codegen.Config{Dir: dir, Patterns: c.flags.Args(), Tags: tags}, stderr: stderr}
	if *addr != "" {
		return v.serveUntil(ctx, *addr)
	}
	// The compilation may take minutes, so the following code checks before the compilation that
	// the folder of the file exists.
	name := cmp.Or(*out, viewFile)
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	if info, err := os.Stat(filepath.Dir(name)); *out != "-" && (err != nil || !info.IsDir()) {
		fmt.Fprintf(stderr, "kgen: %s cannot be written: there is no folder %s; make it first, or name another one with -o\n", name, filepath.Dir(name))
		return 1
	}
	code := v.makePage(ctx)
	if v.text == nil {
		return code
	}
	if *out == "-" {
		if _, err := stdout.Write(v.text); err != nil {
			fmt.Fprintln(stderr, "kgen:", err)
			return 1
		}
		return code
	}
	if err := os.WriteFile(name, v.text, 0o666); err != nil {
		fmt.Fprintln(stderr, "kgen:", err)
		return 1
	}
	fmt.Fprintf(stderr, "wrote %s: %s\n", name, v.what)
	return code
}

// pageMaker makes the HTML page of some packages, and can make it again after the sources have
// changed.
type pageMaker struct {
	cfg    codegen.Config
	stderr io.Writer

	mu      sync.Mutex
	text    []byte   // HTML text of the page; nil if the packages contain no kernels
	fault   error    // error of the last attempt to make the page
	what    string   // summary of the page's contents
	folders []string // folders of the sources
	stamp   string   // stamp that the folders had before the compilation (see sourceStamp)
}

// makePage makes the page, prints the kernels' diagnostics, and returns the exit status.
func (v *pageMaker) makePage(ctx context.Context) int {
	before := sourceStamp(v.folders)
	page, folders, diags, err := codegen.View(ctx, v.cfg)
	diags.WriteText(v.stderr)
	diags.WriteHelp(v.stderr, commandLine(v.cfg.Dir))
	if err != nil {
		fmt.Fprintln(v.stderr, "kgen:", err)
	}
	if page == nil || ctx.Err() != nil {
		v.fault = cmp.Or(err, ctx.Err())
		return 1
	}
	v.fault = nil
	if len(folders) > 0 {
		if v.folders == nil {
			before = sourceStamp(folders)
		}
		v.folders = folders
	}
	v.stamp = before
	failed := 0
	for _, k := range page.Kernels {
		if k.Failed {
			failed++
		}
	}
	v.what = plural(len(page.Kernels), "kernel")
	if failed > 0 {
		v.what += fmt.Sprintf(", %d of them with errors", failed)
	}
	if len(page.Kernels) == 0 && v.text == nil {
		fmt.Fprintln(v.stderr, "kgen: there is no kernel to show, and no page is written")
		return 1
	}
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		fmt.Fprintln(v.stderr, "kgen:", err)
		v.fault = err
		return 1
	}
	v.text = b.Bytes()
	if err != nil || len(diags) > 0 {
		return 1
	}
	return 0
}

// serveUntil serves the page to browsers until ctx is done.
func (v *pageMaker) serveUntil(ctx context.Context, addr string) int {
	// The compilation may take minutes, so serveUntil checks before the compilation that the port
	// is free.
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Fprintf(v.stderr, "kgen: cannot serve at %s: %v; -http localhost:0 takes a port that is free\n", addr, errors.Unwrap(err))
		return 1
	}
	defer listener.Close()
	if v.makePage(ctx); v.text == nil {
		return 1
	}
	fmt.Fprintf(v.stderr, "%s at http://%s/; interrupt to end\n", v.what, listener.Addr())
	if err := v.servePage(ctx, listener); err != nil {
		fmt.Fprintln(v.stderr, "kgen:", err)
		return 1
	}
	return 0
}

// currentPage returns the page. If sources have changed, currentPage makes the page again. If the
// page cannot be made, currentPage returns the error.
func (v *pageMaker) currentPage(ctx context.Context) (text []byte, fault error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if sourceStamp(v.folders) != v.stamp {
		v.makePage(ctx)
	}
	return v.text, v.fault
}

// sourceStamp returns a text that changes when Go files in the folders change.
func sourceStamp(folders []string) string {
	var b strings.Builder
	for _, dir := range folders {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			if info, err := e.Info(); err == nil {
				fmt.Fprintln(&b, dir, e.Name(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

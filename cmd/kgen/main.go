// Kgen compiles kernels written in Go to SPIR-V, and writes the Go packages that
// launch them.
//
//	kgen [flags] [packages]
//	kgen explain [codes]
//	kgen view [flags] [packages]
//	kgen devices [flags] [packages]
//	kgen init name
//
// Packages are named as for the go command. Without a package name, kgen compiles the package in the current folder. If
// a package of kernels contains the following line, go generate runs kgen.
//
//	//go:generate go tool kgen .
//
// kgen writes the stubs for the package in folder a/b of a module to the folder generated/a/b in
// the module's root.
//
// The command `kgen explain KG203` prints the meaning of a diagnostic and how to change the code. Without a code, `kgen
// explain` lists all codes. For a package in a folder with the name `explain`, write ./explain.
//
// The command `kgen view ./...` writes an HTML page that shows each kernel's source, generated code and run-time
// checks. For a package in a folder with the name `view`, write ./view.
//
// The command `kgen devices` lists the devices of this machine, with drivers, memory, limits and
// aspects. For each device the command also lists the kernels that the device can run. The command
// examines the kernels of the named packages, or of the current module by default. If a kernel has
// several modules, the command names the module that the device uses. For a package in a folder
// with the name `devices`, write ./devices.
//
// The command `kgen init saxpy` writes a first kernel to the folder saxpy, with a test and a
// program that runs the kernel. The command `kgen init` also generates the stubs of the kernel.
//
// With -explain=bounds, kgen prints the run-time checks that remain in the kernels, and the reasons
// why they remain. With -explain=narrow, kgen prints the integers that are computed in 64 bits.
// With -explain=fusion, kgen prints which elements of a kernel's slices each work-item uses.
//
// The exit status is 1 if a kernel has errors or another error occurs, and 2 if the command line is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/report"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := runCommand(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// flagValues contains the values of kgen's own flags.
type flagValues struct {
	codegen.Config
	asJSON, verbose, version bool
	reports                  string
	tags                     tagList
}

// globalFlags returns kgen's own flags.
func globalFlags(o *flagValues) *flag.FlagSet {
	flags := newFlags("kgen")
	flags.BoolVar(&o.asJSON, "json", false, "print diagnostics, reports or devices as JSON on standard output")
	flags.BoolVar(&o.verbose, "v", false, "say what is written, and how long it takes")
	flags.StringVar(&o.reports, "explain", "", "write nothing; report on `what`: bounds (the checks that remain, and why), narrow (the integers that are computed in 64 bits, and why), fusion (which elements of slices a work-item uses: its own, its work-group's, or any), matrices (how known devices load and store those of sub-groups), or several, with commas")
	flags.BoolVar(&o.version, "version", false, "print the version")
	flags.StringVar(&o.Dir, "C", "", "change to `folder` first")
	flags.Var(&o.tags, "tags", tagsUsage)
	flags.StringVar(&o.Out, "out", "", "write below `folder` instead of the module's folder generated")
	flags.BoolVar(&o.Check, "check", false, "write nothing; fail if anything is out of date")
	flags.BoolVar(&o.Diff, "diff", false, "with -check: print what has changed in the cost of each kernel since what is written: checks, instructions, 64-bit operations, sizes of modules")
	flags.BoolVar(&o.Strict, "strict", false, "fail if a kernel lacks a variant or its host form")
	flags.StringVar(&o.Modules, "modules", "", "write below `folder` the modules that programs make (//kgen:variants load), and those of kgen's own tests (//kgen:bare), and without -check nothing else")
	flags.StringVar(&o.Dump, "dump", "", "print a `form` of the kernels and write nothing: ssa, built, spirv, host, all, a variant such as words, or the form after a pass; a wrong name lists them")
	flags.Func("disable", "compile without `names`, such as quirk/rotation, with commas: workarounds for drivers' bugs, to see whether a driver still needs them", func(names string) error {
		o.Disabled = append(o.Disabled, strings.Split(names, ",")...)
		return codegen.CheckDisabled(o.Disabled)
	})
	return flags
}

// runCommand executes the command line, and returns the exit status.
func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o flagValues
	flags := globalFlags(&o)
	if err := flags.Parse(args); err != nil {
		if err == flag.ErrHelp {
			stdout.Write(helpText(flags))
			return 0
		}
		fmt.Fprintf(stderr, "kgen: %s; kgen -h lists the flags\n", flagError("kgen", err))
		return 2
	}
	if o.version {
		fmt.Fprintln(stdout, versionText())
		return 0
	}
	word := flags.Arg(0)
	if run := commandTable[word]; run != nil {
		return run(ctx, flags, stdout, stderr)
	}
	if word == "help" {
		return helpOn(ctx, flags, stdout, stderr)
	}
	if unknownCommand(o.Dir, word) {
		fmt.Fprintf(stderr, "kgen: unknown command %q; there are kgen init, kgen explain, kgen view, kgen devices and kgen help, and a package in a folder is ./%s\n", word, word)
		return 2
	}
	if wrong := o.usageError(flags.Args()); wrong != "" {
		fmt.Fprintln(stderr, "kgen:", wrong)
		return 2
	}
	o.Patterns, o.Tags = flags.Args(), o.tags
	if os.Getenv("GOFILE") != "" && os.Getenv("GOLINE") != "" && o.Dir == "" {
		// The command go generate runs kgen in the package's folder. Users usually run go generate
		// in the module's root, so kgen prints positions relative to the root.
		o.Show = codegen.ModuleRoot(workingDir())
	}
	if o.reports != "" {
		return reportOn(ctx, o.Config, strings.Split(o.reports, ","), o.asJSON, stdout, stderr)
	}
	return generateCode(ctx, &o, stdout, stderr)
}

// usageError returns the text of an error if the combination of flags or a package name is invalid.
func (o *flagValues) usageError(patterns []string) string {
	modes := 0
	for _, on := range []bool{o.Check, o.Dump != "", o.reports != ""} {
		if on {
			modes++
		}
	}
	switch {
	case modes > 1:
		return "-check, -dump and -explain exclude each other"
	case o.Diff && (!o.Check || o.asJSON):
		return "-diff is for -check, without -json: kgen -check -diff ./..."
	case o.reports != "" && len(o.Disabled) > 0:
		return "-disable changes nothing that -explain reports on"
	}
	return trailingFlags("kgen", patterns)
}

// generateCode compiles kernels, and writes the code that launches them.
func generateCode(ctx context.Context, o *flagValues, stdout, stderr io.Writer) int {
	cfg := o.Config
	cfg.DumpTo = stdout
	res, diags, err := codegen.Generate(ctx, cfg)
	if o.asJSON {
		if err := diags.WriteJSON(stdout); err != nil {
			fmt.Fprintln(stderr, "kgen:", err)
			return 1
		}
	} else {
		diags.WriteText(stderr)
		diags.WriteHelp(stderr, commandLine(cfg.Dir))
	}
	if err := report.WriteCosts(stdout, res.Costs); err != nil {
		fmt.Fprintln(stderr, "kgen:", err)
		return 1
	}
	for _, s := range res.Warnings {
		fmt.Fprintln(stderr, "kgen: warning:", s)
	}
	for _, s := range res.Tagged {
		fmt.Fprintln(stderr, "kgen: note:", s)
	}
	for _, s := range res.Stale {
		fmt.Fprintln(stderr, s)
	}
	if err != nil {
		fmt.Fprintln(stderr, "kgen:", err)
	}
	if errors.Is(err, codegen.ErrStale) {
		fmt.Fprintln(stderr, "run go generate ./..., or this command without -check, to write them")
	}
	if o.verbose {
		printResult(stderr, res)
	}
	if err != nil || len(diags) > 0 {
		return 1
	}
	return 0
}

// workingDir returns the working directory, or "" after an error.
func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// reportOn prints the reports that flag -explain selects.
func reportOn(ctx context.Context, cfg codegen.Config, what []string, asJSON bool, stdout, stderr io.Writer) int {
	reports, diags, err := codegen.ExplainPasses(ctx, cfg, what...)
	diags.WriteText(stderr)
	diags.WriteHelp(stderr, commandLine(cfg.Dir))
	if err == nil {
		write := report.Write
		if asJSON {
			write = report.WriteJSON
		}
		err = write(stdout, reports)
	}
	if err != nil {
		fmt.Fprintln(stderr, "kgen:", err)
	}
	if err != nil || len(diags) > 0 {
		return 1
	}
	return 0
}

// printResult lists the written and removed files, the notes, and statistics of a run.
func printResult(w io.Writer, res *codegen.Result) {
	for _, f := range res.Written {
		fmt.Fprintln(w, "wrote", f)
	}
	for _, f := range res.Removed {
		fmt.Fprintln(w, "removed", f)
	}
	for _, s := range res.Notes {
		fmt.Fprintln(w, s)
	}
	fmt.Fprintf(w, "%s in %s\n", plural(res.Kernels, "kernel"), plural(res.Packages, "package"))
	fmt.Fprintf(w, "go list: %d, rounds: %d, from source: %s\n", res.Trace.GoList, res.Trace.Rounds, strings.Join(res.Trace.Sources, " "))
	for _, t := range res.Timings {
		fmt.Fprintf(w, "%-8s %v\n", t.Name, t.Took.Round(1e5))
	}
}

func versionText() string {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return fmt.Sprintf("kgen %s, ABI %d", version, abi.Version)
}

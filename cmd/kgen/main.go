// Kgen compiles kernels written in Go to SPIR-V, and writes the Go packages that
// launch them.
//
//	kgen [flags] [packages]
//	kgen explain [codes]
//	kgen view [flags] [packages]
//	kgen devices [-json] [packages]
//	kgen init name
//
// Packages are named as for the go command; without any, it is the one in the
// current folder. In a package of kernels,
//
//	//go:generate go tool kgen .
//
// makes go generate do it. The results stand in the folder generated of the
// module's root, under the path of the kernels' package.
//
// kgen explain KG203 says what a diagnostic means and what to write instead;
// without a code, explain lists them all. A folder of that name is ./explain.
//
// kgen view ./... writes an HTML page that shows what became of each kernel; a folder of that
// name is ./view.
//
// kgen devices lists the devices of this machine, with drivers, memory, limits and aspects, and which
// of the module's kernels run on each, and by which of their modules: those of the packages, or all.
// A folder of that name is ./devices.
//
// kgen init saxpy writes a first kernel to the folder saxpy, with a program that runs it
// and a test, and generates what they need.
//
// kgen -explain=bounds says which run-time checks remain in the kernels, and why;
// kgen -explain=narrow says which integers are computed in 64 bits;
// kgen -explain=fusion says which elements of its slices each work-item uses.
//
// The exit status is 1 if anything is wrong with the kernels or could not be
// done, and 2 if the command line is wrong.
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
	"github.com/kgen-go/kgen/codegen/devices"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main without the process.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("kgen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var (
		cfg     codegen.Config
		asJSON  = flags.Bool("json", false, "print diagnostics, reports or devices as JSON on standard output")
		verbose = flags.Bool("v", false, "say what is written, and how long it takes")
		reports = flags.String("explain", "", "write nothing; report on `what`: bounds (the checks that remain, and why), narrow (the integers that are computed in 64 bits, and why), fusion (which elements of slices a work-item uses: its own, or any), or several, with commas")
		version = flags.Bool("version", false, "print the version")
	)
	flags.StringVar(&cfg.Dir, "C", "", "change to `folder` first")
	flags.Func("tags", "load the packages with build `tags`, with commas, as go build does", func(tags string) error {
		cfg.Tags = append(cfg.Tags, strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })...)
		return nil
	})
	flags.StringVar(&cfg.Out, "out", "", "write below `folder` instead of the module's folder generated")
	flags.BoolVar(&cfg.Check, "check", false, "write nothing; fail if anything is out of date")
	flags.BoolVar(&cfg.Diff, "diff", false, "with -check: print what has changed in the cost of each kernel since what is written: checks, instructions, 64-bit operations, sizes of modules")
	flags.BoolVar(&cfg.Strict, "strict", false, "fail if a kernel lacks a variant or its host form")
	flags.StringVar(&cfg.Modules, "modules", "", "write the modules of packages with //kgen:bare, which are kgen's own tests, below `folder`, and without -check nothing else")
	flags.StringVar(&cfg.Dump, "dump", "", "print a `form` of the kernels and write nothing: ssa, built, spirv, host, all, a variant such as words, or the form after a pass; a wrong name lists them")
	flags.Func("disable", "compile without `names`, such as quirk/rotation, with commas: workarounds for drivers' bugs, to see whether a driver still needs them", func(names string) error {
		cfg.Disabled = append(cfg.Disabled, strings.Split(names, ",")...)
		return codegen.CheckDisabled(cfg.Disabled)
	})
	flags.Usage = func() {}
	if err := flags.Parse(args); err != nil {
		if err == flag.ErrHelp {
			stdout.Write(help(flags))
			return 0
		}
		fmt.Fprintln(stderr, "kgen -h lists the flags")
		return 2
	}
	if *version {
		fmt.Fprintln(stdout, versionText())
		return 0
	}
	if code, is := subcommand(ctx, flags, cfg, asJSON, stdout, stderr); is {
		return code
	}
	modes := 0
	for _, on := range []bool{cfg.Check, cfg.Dump != "", *reports != ""} {
		if on {
			modes++
		}
	}
	if modes > 1 {
		fmt.Fprintln(stderr, "kgen: -check, -dump and -explain exclude each other")
		return 2
	}
	if cfg.Diff && (!cfg.Check || *asJSON) {
		fmt.Fprintln(stderr, "kgen: -diff is for -check, without -json: kgen -check -diff ./...")
		return 2
	}
	if *reports != "" && len(cfg.Disabled) > 0 {
		fmt.Fprintln(stderr, "kgen: -disable changes nothing that -explain reports on")
		return 2
	}
	cfg.Patterns = flags.Args()
	if os.Getenv("GOFILE") != "" && os.Getenv("GOLINE") != "" && cfg.Dir == "" {
		// go generate runs kgen in the package's folder, and people mostly run go generate in
		// the module's, where they look for positions.
		cfg.Show = codegen.ModuleRoot(here())
	}
	if *reports != "" {
		return explain(ctx, cfg, strings.Split(*reports, ","), *asJSON, stdout, stderr)
	}
	return generate(ctx, cfg, *asJSON, *verbose, stdout, stderr)
}

// subcommand runs the command that the first argument names, if it names one. A word that is
// neither a command nor a package is an error. Flags behind devices may set asJSON.
func subcommand(ctx context.Context, flags *flag.FlagSet, cfg codegen.Config, asJSON *bool, stdout, stderr io.Writer) (code int, is bool) {
	if len(flags.Args()) == 1 && flags.Arg(0) == "help" {
		stdout.Write(help(flags))
		return 0, true
	}
	if flags.Arg(0) == "explain" {
		if err := codegen.Explain(stdout, flags.Args()[1:]...); err != nil {
			fmt.Fprintln(stderr, "kgen:", err)
			return 2, true
		}
		return 0, true
	}
	if flags.Arg(0) == "view" {
		return viewPages(ctx, flags, cfg.Dir, stdout, stderr), true
	}
	if flags.Arg(0) == "devices" {
		if err := flags.Parse(flags.Args()[1:]); err != nil {
			if err == flag.ErrHelp {
				io.WriteString(stdout, devicesHelp)
				writeFlags(stdout, flags, "json", "C")
				return 0, true
			}
			fmt.Fprintln(stderr, "kgen devices takes -json, -C and packages; kgen devices -h says more")
			return 2, true
		}
		err := devices.List(ctx, devices.Config{Dir: cfg.Dir, Patterns: flags.Args(), JSON: *asJSON}, stdout, stderr)
		if err != nil {
			fmt.Fprintln(stderr, "kgen devices:", err)
			return 1, true
		}
		return 0, true
	}
	if flags.Arg(0) == "init" {
		return initModule(ctx, cfg, flags.Args()[1:], stdout, stderr), true
	}
	if word := flags.Arg(0); unknownCommand(cfg.Dir, word) {
		fmt.Fprintf(stderr, "kgen: unknown command %q; there are kgen init, kgen explain, kgen view, kgen devices and kgen help, and a package in a folder is ./%s\n", word, word)
		return 2, true
	}
	return 0, false
}

// generate writes the stubs and modules, or does with them what cfg says, and prints how it went.
func generate(ctx context.Context, cfg codegen.Config, asJSON, verbose bool, stdout, stderr io.Writer) int {
	cfg.DumpTo = stdout
	res, diags, err := codegen.Generate(ctx, cfg)
	if asJSON {
		if err := diags.WriteJSON(stdout); err != nil {
			fmt.Fprintln(stderr, "kgen:", err)
			return 1
		}
	} else {
		diags.WriteText(stderr)
		diags.WriteHelp(stderr, self(cfg.Dir))
	}
	if err := codegen.WriteCosts(stdout, res.Costs); err != nil {
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
	if verbose {
		report(stderr, res)
	}
	if err != nil || len(diags) > 0 {
		return 1
	}
	return 0
}

// here returns the working directory, or "".
func here() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// explain prints reports on what the compiler did.
func explain(ctx context.Context, cfg codegen.Config, what []string, asJSON bool, stdout, stderr io.Writer) int {
	reports, diags, err := codegen.ExplainPasses(ctx, cfg, what...)
	diags.WriteText(stderr)
	diags.WriteHelp(stderr, self(cfg.Dir))
	if err == nil {
		write := codegen.WriteReports
		if asJSON {
			write = codegen.WriteReportsJSON
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

// report says what was done.
func report(w io.Writer, res *codegen.Result) {
	for _, f := range res.Written {
		fmt.Fprintln(w, "wrote", f)
	}
	for _, f := range res.Removed {
		fmt.Fprintln(w, "removed", f)
	}
	for _, s := range res.Notes {
		fmt.Fprintln(w, s)
	}
	fmt.Fprintf(w, "%d kernels in %d packages\n", res.Kernels, res.Packages)
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

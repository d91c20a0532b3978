package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/kgen-go/kgen/codegen/devices"
	"github.com/kgen-go/kgen/codegen/report"
)

// commandTable contains kgen's commands except help. The first word of a command line is the name of a command.
var commandTable map[string]func(ctx context.Context, global *flag.FlagSet, stdout, stderr io.Writer) int

func init() { // the declaration cannot set commandTable, because the function helpOn refers to commandTable
	commandTable = map[string]func(context.Context, *flag.FlagSet, io.Writer, io.Writer) int{
		"devices": listDevices,
		"explain": explainCodes,
		"init":    initModule,
		"view":    viewPages,
	}
}

const tagsUsage = "load the packages with build `tags`, with commas, as go build does"

// tagList is the value of the flag -tags, which users may give several times.
type tagList []string

func (l *tagList) String() string { return strings.Join(*l, ",") }

func (l *tagList) Set(tags string) error {
	*l = append(*l, strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })...)
	return nil
}

// newFlags returns a flag set that prints no errors or help.
func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags
}

// subcommand is a command of kgen with its own flags.
type subcommand struct {
	name  string
	about string        // text that -h prints before the flags
	flags *flag.FlagSet // flags of the command, including -C
	order []string      // names of the flags in the order in which -h prints them
	dir   string        // value of flag -C
}

// newCommand returns a command with the flag -C, which all commands have.
func newCommand(name, about string, order ...string) *subcommand {
	c := &subcommand{name: name, about: about, flags: newFlags("kgen " + name), order: order}
	c.flags.StringVar(&c.dir, "C", "", "change to `folder` first")
	return c
}

// parseFlags reads the flags after a command's name. parseFlags also accepts kgen's own flags
// before the command's name if the command has the same flags. If result `done` is false, the flags
// are set and the caller must run the command.
func (c *subcommand) parseFlags(global *flag.FlagSet, stdout, stderr io.Writer) (done bool, code int) {
	wrong := ""
	global.Visit(func(f *flag.Flag) {
		if c.flags.Lookup(f.Name) == nil {
			wrong = c.meansNothing(f.Name)
		} else if err := c.flags.Set(f.Name, f.Value.String()); err != nil {
			wrong = err.Error()
		}
	})
	if wrong == "" {
		switch err := c.flags.Parse(global.Args()[1:]); {
		case err == flag.ErrHelp:
			io.WriteString(stdout, c.about)
			if len(c.order) > 0 {
				fmt.Fprintln(stdout)
				writeFlags(stdout, c.flags, c.order...)
			}
			return true, 0
		case err != nil:
			wrong = flagError("kgen "+c.name, err) + "; " + c.asks()
			if name, ok := strings.CutPrefix(err.Error(), undefinedFlag); ok && global.Lookup(name) != nil {
				wrong = c.meansNothing(name)
			}
		default:
			wrong = trailingFlags("kgen "+c.name, c.flags.Args())
		}
	}
	if wrong != "" {
		fmt.Fprintln(stderr, "kgen:", wrong)
		return true, 2
	}
	return false, 0
}

func (c *subcommand) meansNothing(name string) string {
	return fmt.Sprintf("-%s means nothing to kgen %s; %s", name, c.name, c.asks())
}

func (c *subcommand) asks() string { return fmt.Sprintf("kgen %s -h says what it takes", c.name) }

// undefinedFlag is the beginning of package flag's error about an unknown flag. In the error, the
// flag's name follows undefinedFlag.
const undefinedFlag = "flag provided but not defined: -"

// flagError describes an error in a command's flags.
func flagError(command string, err error) string {
	if name, ok := strings.CutPrefix(err.Error(), undefinedFlag); ok {
		return command + " has no flag -" + name
	}
	return err.Error()
}

// trailingFlags returns an error text if a flag follows the arguments, or else "".
func trailingFlags(command string, args []string) string {
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			return fmt.Sprintf("the flag %s stands behind %s; flags of %s come before it", a, args[0], command)
		}
	}
	return ""
}

// helpOn prints help on kgen, or on one of kgen's commands.
func helpOn(ctx context.Context, global *flag.FlagSet, stdout, stderr io.Writer) int {
	switch run := commandTable[global.Arg(1)]; {
	case global.NArg() == 1:
		stdout.Write(helpText(global))
		return 0
	case run == nil || global.NArg() > 2:
		fmt.Fprintf(stderr, "kgen: there is no help on %q; there is on init, explain, view and devices, one at a time, as in kgen help view, and kgen explain is for diagnostics\n", strings.Join(global.Args()[1:], " "))
		return 2
	default:
		flags := globalFlags(&flagValues{})
		if err := flags.Parse([]string{global.Arg(1), "-h"}); err != nil {
			panic("BUG: " + err.Error())
		}
		return run(ctx, flags, stdout, stderr)
	}
}

// explainCodes runs kgen explain.
func explainCodes(_ context.Context, global *flag.FlagSet, stdout, stderr io.Writer) int {
	c := newCommand("explain", explainHelp)
	if done, code := c.parseFlags(global, stdout, stderr); done {
		return code
	}
	if err := report.Explain(stdout, c.flags.Args()...); err != nil {
		fmt.Fprintln(stderr, "kgen:", err)
		return 2
	}
	return 0
}

// listDevices runs kgen devices.
func listDevices(ctx context.Context, global *flag.FlagSet, stdout, stderr io.Writer) int {
	c := newCommand("devices", devicesHelp, "json", "C", "tags")
	var tags tagList
	asJSON := c.flags.Bool("json", false, "print the list as JSON on standard output")
	c.flags.Var(&tags, "tags", tagsUsage)
	if done, code := c.parseFlags(global, stdout, stderr); done {
		return code
	}
	err := devices.List(ctx, devices.Config{Dir: c.dir, Patterns: c.flags.Args(), Tags: tags, JSON: *asJSON}, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "kgen devices:", err)
		return 1
	}
	return 0
}

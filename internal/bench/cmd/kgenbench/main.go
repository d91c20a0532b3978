// Kgenbench runs the benchmark suite, package internal/bench, on a device:
//
//	make bench                       # on the device that runtime.Open chooses;
//	make bench KGEN_DEVICE=vulkan    # on another device.
//
// The command prints the table. With -out the command also writes bench.txt, bench.md, bench.json
// and bench.svg. With -from the command measures nothing. Instead it reads the bench.json of an
// earlier run, and prints and writes the results of that run.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/kgen-go/kgen/internal/bench"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/runtime"
)

var (
	device = flag.String("device", "", "the device, as KGEN_DEVICE names it")
	scale  = flag.String("scale", "", "how large the works are: tiny, small, medium, large; by default what is right for the device")
	rounds = flag.Int("rounds", 9, "how often each contestant is measured")
	round  = flag.Duration("round", 20*time.Millisecond, "how long such a measurement takes")
	only   = flag.String("run", "", "a regular expression for the names of rows")
	peers  = flag.String("peers", "all", "the peers to have, with commas between: CUDA, GLSL, Go, f32; or all, or none")
	from   = flag.String("from", "", "a bench.json to print, and to write again, in place of measuring")
	out    = flag.String("out", "", "a folder for bench.txt, bench.md, bench.json and bench.svg")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "kgenbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if *rounds < 1 || *round <= 0 || flag.NArg() > 0 {
		return fmt.Errorf("-rounds and -round are positive, and there are no arguments")
	}
	if *from != "" {
		return readAgain(*from)
	}
	if err := modules.Missing(); err != nil {
		return err
	}
	var opts []runtime.OpenOption
	if *device != "" {
		opts = append(opts, runtime.Select(*device))
	}
	dev, err := runtime.Open(opts...)
	if err != nil {
		return err
	}
	defer dev.Close()
	o := bench.Options{Scale: bench.ScaleOf(dev.Info()), Rounds: *rounds, Round: *round, Only: pattern.MatchString,
		Log: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	if *scale != "" {
		if o.Scale, err = bench.ParseScale(*scale); err != nil {
			return err
		}
	}
	if o.Peers, err = bench.ParsePeers(*peers); err != nil {
		return err
	}
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), "kgenfirst"); exists(beside) {
			o.First = beside
		}
	}
	report := bench.Run(ctx, dev, o)
	if len(report.Rows) == 0 && ctx.Err() == nil {
		var names []string
		for _, w := range bench.Works {
			names = append(names, w.Name)
		}
		return fmt.Errorf("no row matches -run; the rows are\n\t%s", strings.Join(names, "\n\t"))
	}
	if err := showReport(report); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if report.Failed() {
		return fmt.Errorf("rows have failed")
	}
	return nil
}

// readAgain reads the report in an earlier bench.json, and shows the report.
func readAgain(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var r bench.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%s: %w; -from takes the bench.json of a run", name, err)
	}
	if len(r.Rows) == 0 {
		return fmt.Errorf("%s has no rows; -from takes the bench.json of a run", name)
	}
	return showReport(&r)
}

// showReport prints the report, and writes it to files if -out is set.
func showReport(r *bench.Report) error {
	if err := r.WriteText(os.Stdout); err != nil || *out == "" {
		return err
	}
	return writeReport(r)
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }

// writeReport writes the report in all formats.
func writeReport(r *bench.Report) error {
	if err := os.MkdirAll(*out, 0o777); err != nil {
		return err
	}
	for _, form := range []struct {
		name  string
		write func(io.Writer) error
	}{{"bench.txt", r.WriteText}, {"bench.md", r.WriteMarkdown}, {"bench.json", r.WriteJSON}, {"bench.svg", r.WriteSVG}} {
		var b strings.Builder
		if err := form.write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(*out, form.name), []byte(b.String()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

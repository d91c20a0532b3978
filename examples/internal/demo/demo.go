// Package demo contains code for all example programs. The package opens the device, reports times,
// and has a progress bar and functions for pictures.
package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	_ "image/gif" // decodes GIFs for ReadPicture
	_ "image/jpeg"
	"image/png"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kgen-go/kgen/runtime"
)

var device = flag.String("device", "", `device: "host", "vulkan", or an index or a part of the name (default: a GPU if there is one, else the host)`)

// Main parses the flags, opens the device and runs the example. Main exits with status 1 if the
// example fails. An interrupt ends the context.
func Main(run func(ctx context.Context, dev *runtime.Device) error) {
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(flag.CommandLine.Output(), "%q is no flag\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}
	MainArgs(run)
}

// MainArgs is like Main, for examples that have arguments and have parsed the flags already.
func MainArgs(run func(ctx context.Context, dev *runtime.Device) error) {
	if err := start(run); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

func start(run func(ctx context.Context, dev *runtime.Device) error) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var opts []runtime.OpenOption
	if *device != "" {
		opts = append(opts, runtime.Select(*device))
	}
	dev, err := runtime.Open(opts...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	Line("device", "%v", dev)
	return run(ctx, dev)
}

// Int defines a flag whose value is a number from least to most.
func Int(name string, value, least, most int, usage string) *int {
	n := &number{value, least, most}
	flag.Var(n, name, fmt.Sprintf("%s, a `number` from %d to %d", usage, least, most))
	return &n.value
}

type number struct{ value, least, most int }

func (n *number) String() string { return strconv.Itoa(n.value) }

func (n *number) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < n.least || v > n.most {
		return fmt.Errorf("it is a number from %d to %d", n.least, n.most)
	}
	n.value = v
	return nil
}

// The function Line prints a line of the report.
func Line(label, format string, args ...any) {
	fmt.Printf("%-10s %s\n", label, fmt.Sprintf(format, args...))
}

// Rate prints the duration of some work, and the amount of work per second.
func Rate(label string, d time.Duration, work float64, unit string) {
	Line(label, "%10v  %s", d.Round(d/1000+1), PerSecond(work, d, unit))
}

// PerSecond returns an amount of work per second, with an SI prefix.
func PerSecond(work float64, d time.Duration, unit string) string {
	v := work / max(d.Seconds(), 1e-9)
	prefixes := " kMGTP"
	i := 0
	for v >= 1000 && i < len(prefixes)-1 {
		v, i = v/1000, i+1
	}
	return fmt.Sprintf("%6.4g %s/s", v, strings.TrimSpace(prefixes[i:i+1])+unit)
}

// Time returns how long f takes.
func Time(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// Best returns the shortest time of several runs of f.
func Best(runs int, f func() error) (best time.Duration, err error) {
	for i := range runs {
		d, err := Time(f)
		if err != nil {
			return 0, err
		}
		if i == 0 || d < best {
			best = d
		}
	}
	return best, nil
}

// Progress is a progress bar on the terminal. Progress prints nothing if the standard error is not
// a terminal.
type Progress struct {
	total int
	start time.Time
	shown time.Time
	quiet bool
}

// NewProgress starts a bar for a number of steps.
func NewProgress(total int) *Progress {
	info, err := os.Stderr.Stat()
	quiet := err != nil || info.Mode()&os.ModeCharDevice == 0
	return &Progress{total: total, start: time.Now(), quiet: quiet}
}

// Done records that n more steps are done. Done redraws the bar from time to time.
func (p *Progress) Done(n int) {
	if p.quiet || n < p.total && time.Since(p.shown) < 50*time.Millisecond {
		return
	}
	p.shown = time.Now()
	const width = 40
	full := width * n / max(p.total, 1)
	fmt.Fprintf(os.Stderr, "\r[%s%s] %d/%d  %s ", strings.Repeat("=", full), strings.Repeat(" ", width-full),
		n, p.total, PerSecond(float64(n), time.Since(p.start), "steps"))
	if n >= p.total {
		fmt.Fprintln(os.Stderr)
	}
}

// ReadPicture reads a PNG, JPEG or GIF, and returns the picture and its format.
func ReadPicture(name string) (img image.Image, format string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if img, format, err = image.Decode(f); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	return img, format, nil
}

// WritePNG writes a picture. The folder of the file must exist.
func WritePNG(name string, img image.Image) error {
	return WriteFile(name, func(w io.Writer) error { return png.Encode(w, img) })
}

// WriteFile writes a file with the output of function write. The folder of the file must exist.
func WriteFile(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s cannot be written: there is no folder %s; make it first, or name another one", name, filepath.Dir(name))
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

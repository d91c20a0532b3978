// Package bench is the benchmark suite: how far kernels are from what the device can do, and
// from what one would write instead.
//
// [Run] measures each of [Works] on one device, and beside it its peers, as far as they are to
// be had: CUDA programs (folder cuda, compiled by nvcc when the suite runs), shaders (folder
// glsl) that this runtime launches, and loops in Go on all processors. A row's contestants
// run by turns, so that what else the machine does hits all alike, and all of their results are
// checked. What a row comes to stands beside the ceilings, which other rows of the same run
// have measured.
//
// Command kgenbench prints the report; docs/performance.md says how to read it.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kgen-go/kgen/runtime"
)

// Scale says how large the works are.
type Scale int

const (
	Tiny   Scale = iota // for tests: results count, times do not
	Small               // for processors
	Medium              // for GPUs that share the processor's memory, or have little
	Large
)

var scales = []string{"tiny", "small", "medium", "large"}

func (s Scale) String() string { return scales[s] }

// ParseScale returns the scale of a name.
func ParseScale(name string) (Scale, error) {
	if i := slices.Index(scales, name); i >= 0 {
		return Scale(i), nil
	}
	return 0, fmt.Errorf("no scale is called %q: there are %v", name, scales)
}

// peerKinds are what Options.Peers may have: CUB, cuBLAS and cuFFT are in the CUDA program.
var peerKinds = []string{"CUDA", "GLSL", "Go", single}

// ParsePeers returns the peers of a list with commas, or of all or none.
func ParsePeers(list string) ([]string, error) {
	switch list {
	case "all":
		return nil, nil
	case "none":
		return []string{}, nil
	}
	peers := strings.Split(list, ",")
	for _, name := range peers {
		if !slices.Contains(peerKinds, name) {
			return nil, fmt.Errorf("no peers are called %q: there are %v, and CUB, cuBLAS and cuFFT come with CUDA", name, peerKinds)
		}
	}
	return peers, nil
}

// ScaleOf returns the scale for a device.
func ScaleOf(info runtime.DeviceInfo) Scale {
	switch {
	case info.Type == runtime.HostCPU || info.Type == runtime.VulkanCPU:
		return Small
	case info.Type == runtime.DiscreteGPU && info.Limits.DeviceMemory >= 16<<30:
		return Large
	}
	return Medium
}

// Unit is what the amount of a work is counted in.
type Unit string

const (
	Bytes    Unit = "B"    // that are read and written at least
	Flop     Unit = "FLOP" // floating-point operations
	Keys     Unit = "keys"
	Pixels   Unit = "pixels"
	Launches Unit = "launches" // one for each run, of which the time is told
)

// A Work is a row of the report, for any device.
type Work struct {
	Group, Name string
	Target      string // of a GPU: see Report.aim
	OnHost      string // the same on the host device, beside the loop in Go on all processors
	// Sizes are what Make is given at each Scale: elements, or rows of squares and cubes.
	Sizes [4]int
	Make  func(b *Bench, n int) (*Job, error)
}

// A Job is a work of one size on one device.
type Job struct {
	Size   string
	Amount float64
	Unit   Unit
	// Ceiling reports whether the row is one that ceilings are measured by.
	Ceiling     bool
	Contestants []Contestant // the first is kgen
	CUDA        []CUDAPeer
	// Runs is the number of runs that are measured together, if not 0.
	Runs int
	// Sum returns a checksum of what the last contestant has made, for CUDA peers, and of
	// its absolute values.
	Sum func() (sum, size float64, err error)
	// Measured, if not nil, returns the time of a run since it was called last, in place of
	// what the runs have taken on the clock, and what else there is to say.
	Measured func() (time.Duration, string)
	// Digits is how close checksums must be, relative to the sum of absolute values.
	Digits float64
}

// A Contestant does the work of a row.
type Contestant struct {
	Name  string
	Run   func(runs int) error // runs it so often, and waits
	Reset func() error         // fills what it writes with what is no result, and readies what it changes
	Check func() error         // checks the results of one run after Reset
}

// A CUDAPeer is a work of the CUDA program.
type CUDAPeer struct{ Name, Work string }

// Options say how to measure.
type Options struct {
	Scale  Scale
	Rounds int
	// Each round of a contestant takes as many runs as fit into this time.
	Round time.Duration
	// Peers are the contestants to have beside kgen; nil is all.
	Peers []string
	Only  func(name string) bool
	// First is the program that the row of process starts runs.
	First string
	Log   func(format string, args ...any)
}

// Bench has what works are made with.
type Bench struct {
	Options
	ctx     context.Context
	dev     *runtime.Device
	q       *runtime.Queue
	cpu     bool     // the device is the processor
	cuda    *program // nil without CUDA
	closers []func()
}

// has reports whether the contestant is wanted.
func (b *Bench) has(peer string) bool { return b.Peers == nil || slices.Contains(b.Peers, peer) }

func (b *Bench) close() {
	for _, f := range slices.Backward(b.closers) {
		f()
	}
	b.closers = nil
}

// Run runs the suite and reports it. A row that fails has its error in the report.
func Run(ctx context.Context, dev *runtime.Device, o Options) *Report {
	info := dev.Info()
	b := &Bench{Options: o, ctx: ctx, dev: dev, q: dev.DefaultQueue(), cpu: info.Type == runtime.HostCPU || info.Type == runtime.VulkanCPU}
	r := newReport(info, o)
	if b.has("CUDA") && !b.cpu {
		program, name, err := compileCUDA(ctx)
		if err != nil {
			r.Notes = append(r.Notes, "no CUDA: "+err.Error())
		} else {
			defer program.close()
			b.cuda = program
			r.Notes = append(r.Notes, "CUDA on "+name)
			r.Notes = append(r.Notes, program.notes...)
		}
	}
	for _, w := range Works {
		if o.Only != nil && !o.Only(w.Name) || ctx.Err() != nil {
			continue
		}
		begin := time.Now()
		row := b.row(w)
		b.close()
		r.Rows = append(r.Rows, row)
		o.Log("%-34s %s", w.Name, time.Since(begin).Round(time.Millisecond))
	}
	r.finish()
	return r
}

// row makes a row of the report.
func (b *Bench) row(w Work) Row {
	row := Row{Group: w.Group, Name: w.Name, n: w.Sizes[b.Scale]}
	job, err := w.Make(b, row.n)
	if err == nil {
		for _, peer := range job.CUDA {
			if !slices.Contains(peerNames, peer.Name) {
				panic("BUG: the report has no column for " + peer.Name)
			}
		}
		row.Size, row.Amount, row.Unit, row.Ceiling = job.Size, job.Amount, job.Unit, job.Ceiling
		err = b.measure(&row, job)
	}
	var skip skipped
	switch {
	case errors.As(err, &skip):
		row.Skipped = string(skip)
	case errors.Is(err, runtime.ErrKernelNotSupported):
		row.Skipped = err.Error()
	case err != nil:
		row.Error = err.Error()
	}
	return row
}

// skipped is an error that says why there is no row.
type skipped string

func (s skipped) Error() string { return string(s) }

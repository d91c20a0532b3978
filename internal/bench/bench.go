// Package bench is the benchmark suite. It compares kernels with the device's limits, and with
// hand-written alternatives.
//
// [Run] measures each of [Works] on one device, together with its peers, as far as these are
// available. Peers are CUDA programs (folder cuda, compiled by nvcc when the suite runs) and
// shaders (folder glsl) that this runtime launches. Others are loops in Go on all processors. A
// row's contestants run by turns, so that other load on the machine affects all of them, and all
// results are checked. The report shows each row's rate as a share of the ceilings, which other
// rows of the same run have measured.
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

// Scale is the size of the works.
type Scale int

const (
	Tiny   Scale = iota // for tests: only results matter, not times
	Small               // for processors
	Medium              // for GPUs that share the processor's memory, or have little memory
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

// peerKinds are the values that Options.Peers may have: CUB, cuBLAS, cuSPARSE and cuFFT are part of the CUDA
// program.
var peerKinds = []string{"CUDA", "GLSL", "Go", single}

// ParsePeers parses a list of peers separated by commas, or the word all or none.
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
			return nil, fmt.Errorf("no peers are called %q: there are %v, and CUB, cuBLAS, cuSPARSE and cuFFT come with CUDA", name, peerKinds)
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

// Unit is the unit of a work's amount.
type Unit string

const (
	Bytes    Unit = "B"    // least number of bytes that are read and written
	Flop     Unit = "FLOP" // floating-point operations
	Keys     Unit = "keys"
	Pixels   Unit = "pixels"
	Launches Unit = "launches" // one for each run; the report has the time of a launch
)

// A Work is a row of the report, for any device.
type Work struct {
	Group, Name string
	Target      string // aim on a GPU: see Report.aim
	OnHost      string // aim on the host device, relative to the loop in Go on all processors
	// Sizes are the arguments of Make at each Scale: numbers of elements, or of rows of squares and
	// cubes.
	Sizes [4]int
	Make  func(b *Bench, n int) (*Job, error)
}

// A Job is a work of one size on one device.
type Job struct {
	Size   string
	Amount float64
	Unit   Unit
	// Ceiling reports whether the row measures a ceiling.
	Ceiling     bool
	Contestants []Contestant // the first is kgen
	CUDA        []CUDAPeer
	// Runs is the number of runs that are measured together; 0 lets the suite choose.
	Runs int
	// Sum returns a checksum of the last contestant's results, and of their absolute values, for
	// CUDA peers.
	Sum func() (sum, size float64, err error)
	// Measured, if not nil, returns the time of a run since its last call, which replaces the time
	// on the clock. It also returns a remark.
	Measured func() (time.Duration, string)
	// Digits is the largest difference of checksums, relative to the sum of absolute values.
	Digits float64
}

// A Contestant does the work of a row.
type Contestant struct {
	Name  string
	Run   func(runs int) error // does the work runs times, and waits
	Reset func() error         // fills the output with values that no result has, and initializes memory that a run changes
	Check func() error         // checks the results of one run after Reset
}

// A CUDAPeer is a work of the CUDA program.
type CUDAPeer struct{ Name, Work string }

// Options are the options of Run.
type Options struct {
	Scale  Scale
	Rounds int
	// Each round of a contestant takes as many runs as fit into this time.
	Round time.Duration
	// Peers are the contestants besides kgen; nil means all.
	Peers []string
	Only  func(name string) bool
	// First is the program that the row for process starts runs.
	First string
	Log   func(format string, args ...any)
}

// Bench has the device and queue for which works are made.
type Bench struct {
	Options
	ctx     context.Context
	dev     *runtime.Device
	q       *runtime.Queue
	cpu     bool     // the device is the processor
	cuda    *program // nil without CUDA
	closers []func()
}

// has reports whether the options ask for the contestant.
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

// row measures a row of the report.
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

// skipped is an error that says why a row is missing.
type skipped string

func (s skipped) Error() string { return string(s) }

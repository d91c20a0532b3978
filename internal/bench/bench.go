// Package bench is the benchmark suite. The package compares kernels with the device's limits, and with
// hand-written alternatives.
//
// [Run] measures each of [Works] on one device, together with the work's available peers. Peers are CUDA
// programs (folder cuda, compiled by nvcc when the suite runs), shaders (folder glsl) that kgen's
// runtime launches, and loops in Go on all processors. The contestants of a row take turns, so that
// other load on the machine affects all of them. The suite checks the results of all contestants.
// The report shows the rate of each row as a share of the device's ceilings, which other rows of
// the same run measure.
//
// Command kgenbench prints the report. docs/performance.md explains the report.
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

// A Scale selects one of the four sizes of every work (row of the benchmark).
type Scale int

const (
	Tiny   Scale = iota // scale for tests, which check results but not times
	Small               // scale for processors
	Medium              // scale for GPUs that share the processor's memory, or have little memory
	Large
)

var scales = []string{"tiny", "small", "medium", "large"}

func (s Scale) String() string { return scales[s] }

// ParseScale returns the scale with the given name.
func ParseScale(name string) (Scale, error) {
	if i := slices.Index(scales, name); i >= 0 {
		return Scale(i), nil
	}
	return 0, fmt.Errorf("no scale is called %q: there are %v", name, scales)
}

// peerKinds are the values that Options.Peers may contain. CUB, cuBLAS, cuSPARSE and cuFFT belong to "CUDA", because
// the CUDA program calls them.
var peerKinds = []string{"CUDA", "GLSL", "Go", float32Peer}

// ParsePeers parses a list of peers separated by commas, or the word "all" or "none".
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

// ScaleOf returns the scale that suits a device.
func ScaleOf(info runtime.DeviceInfo) Scale {
	switch {
	case info.Type == runtime.HostCPU || info.Type == runtime.VulkanCPU:
		return Small
	case info.Type == runtime.DiscreteGPU && info.Limits.DeviceMemory >= 16<<30:
		return Large
	}
	return Medium
}

// A Unit is the unit of a row's amount, such as bytes or floating-point operations.
type Unit string

const (
	Bytes    Unit = "B"    // minimum number of bytes that a run reads and writes
	Flop     Unit = "FLOP" // floating-point operations
	Keys     Unit = "keys"
	Pixels   Unit = "pixels"
	Launches Unit = "launches" // one launch per run; the report shows the time of a launch
)

// A Work is a row of the report, for any device.
type Work struct {
	Group, Name string
	Target      string // aim on a GPU, in the syntax that Report.aim describes
	OnHost      string // aim on the host device, as a multiple of the speed of the loop in Go
	// Sizes are the arguments of Make at each Scale. For most works a size is a number of elements. For
	// squares and cubes the size is the number of rows.
	Sizes [4]int
	Make  func(b *Bench, n int) (*Job, error)
}

// A Job is a work (row of the benchmark) at one size on one device.
type Job struct {
	Size   string
	Amount float64
	Unit   Unit
	// Ceiling reports whether the row measures a ceiling, which is a limit of the device.
	Ceiling     bool
	Contestants []Contestant // contestants; the first is kgen
	CUDA        []CUDAPeer
	// Runs is the number of runs that are measured together. If Runs is 0, the suite chooses the number.
	Runs int
	// Sum returns a checksum of the last contestant's results, and the checksum of their absolute values. The suite
	// compares the two checksums with the checksums of CUDA peers.
	Sum func() (sum, size float64, err error)
	// Measured, if not nil, returns the time of a run. The report shows the time that Measured
	// returns instead of the time that the suite measures. The returned time covers the runs since
	// the last call of Measured. The second result of Measured is a remark for the report, which may be about
	// the runs of all rounds. The first call discards the times of runs that warm up.
	Measured func() (time.Duration, string)
	// Digits is the largest permitted difference of checksums, relative to the checksum of absolute values.
	Digits float64
}

// A Contestant does the work of a row.
type Contestant struct {
	Name  string
	Run   func(runs int) error // repeats the work the given number of times, and waits for the end
	Reset func() error         // fills the output with values that no result has, and initializes memory that a run changes
	Check func() error         // checks the results of one run after Reset
}

// A CUDAPeer names the CUDA program's implementation of a row.
type CUDAPeer struct{ Name, Work string }

// Options are the options of Run.
type Options struct {
	Scale  Scale
	Rounds int
	// Round is the duration of one measurement. A contestant repeats its work as often as the
	// duration allows.
	Round time.Duration
	// Peers are the kinds of contestants besides kgen. If Peers is nil, contestants of all kinds are measured.
	Peers []string
	Only  func(name string) bool
	// First is the path of the program that startWork runs.
	First string
	Log   func(format string, args ...any)
}

// Bench contains the device and the queue on which works run.
type Bench struct {
	Options
	ctx     context.Context
	dev     *runtime.Device
	q       *runtime.Queue
	cpu     bool         // whether the device is the processor
	cuda    *cudaProgram // compiled CUDA program; nil without CUDA
	closers []func()
}

// wantsPeer reports whether the options select contestants of kind peer.
func (b *Bench) wantsPeer(peer string) bool { return b.Peers == nil || slices.Contains(b.Peers, peer) }

func (b *Bench) close() {
	for _, f := range slices.Backward(b.closers) {
		f()
	}
	b.closers = nil
}

// Run runs the suite and returns the report. If a row fails, the report contains the row's error.
func Run(ctx context.Context, dev *runtime.Device, o Options) *Report {
	info := dev.Info()
	b := &Bench{Options: o, ctx: ctx, dev: dev, q: dev.DefaultQueue(), cpu: info.Type == runtime.HostCPU || info.Type == runtime.VulkanCPU}
	r := newReport(info, o)
	if b.wantsPeer("CUDA") && !b.cpu {
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
		row := b.measureRow(w)
		b.close()
		r.Rows = append(r.Rows, row)
		o.Log("%-34s %s", w.Name, time.Since(begin).Round(time.Millisecond))
	}
	r.computeShares()
	return r
}

// measureRow measures work w and returns its row of the report.
func (b *Bench) measureRow(w Work) Row {
	row := Row{Group: w.Group, Name: w.Name, n: w.Sizes[b.Scale]}
	job, err := w.Make(b, row.n)
	if err == nil {
		for _, peer := range job.CUDA {
			if !slices.Contains(peerNames, peer.Name) {
				panic("BUG: the report has no column for " + peer.Name)
			}
		}
		row.Size, row.Amount, row.Unit, row.Ceiling = job.Size, job.Amount, job.Unit, job.Ceiling
		err = b.measureJob(&row, job)
	}
	var skip skipReason
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

// skipReason is an error that gives the reason why a row is missing.
type skipReason string

func (s skipReason) Error() string { return string(s) }

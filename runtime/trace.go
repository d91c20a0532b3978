package runtime

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
	"github.com/kgen-go/kgen/runtime/internal/trace"
)

// Trace writes a trace of the device's work to w, in the trace format of Chrome. The pages
// https://ui.perfetto.dev and chrome://tracing show such traces. The trace has a row for each
// queue, and a row that shows when pipelines were made. The row of a queue shows its kernels,
// copies, host functions and graphs. For a kernel, the trace contains its range, the bytes that it
// may read and write, and its fault. Times are the times of Event.Profile, in microseconds since
// the program began. If the device has no clock, the trace shows each command from its submission
// to the moment when the runtime noticed its completion.
//
// The output is a JSON array, which Device.Close completes. The device writes complete lines, at
// most a tenth of a second late. Programs that show traces accept the array even if its end is
// missing. So a program that ends without Close loses at most the last tenth of a second. Only this
// device uses w, and only one goroutine at a time calls w.Write. Device.Close returns the errors of
// w.
//
// The environment variable KGEN_TRACE names a file for all devices of a program. The first call of Open creates the
// file. "%p" in the name becomes the number of the process. If w is nil, Open returns ErrInvalid.
func Trace(w io.Writer) OpenOption {
	return openFunc(func(o *openOptions) {
		if o.trace = w; w == nil {
			o.addError(errorf(ErrInvalid, "the writer of Trace is nil").advise("leave the option out for no trace"))
		}
	})
}

// startTrace begins the device's trace, if the options or the environment ask for a trace.
func (d *Device) startTrace(sink *trace.Sink) {
	if sink != nil {
		d.trace = trace.Start(sink, d.Name()+" ("+d.backend+")", d.stream.Poll)
	}
}

// sinkOf returns the destination of the trace that the options ask for, or nil.
func (o *openOptions) sinkOf() (*trace.Sink, error) {
	if o.trace != nil {
		return trace.To(o.trace), nil
	}
	name := env.Get(env.Trace)
	if name == "" {
		return nil, nil
	}
	s, err := trace.File(name)
	if err != nil {
		return nil, environmentError(&hal.EnvironmentError{Name: env.Trace, Err: err})
	}
	return s, nil
}

// traceCommand implements stream.Observer, for the trace.
func (d *Device) traceCommand(e *stream.Event, c *hal.Command, uses iter.Seq2[abi.Access, uint64]) {
	times, l := e.Times, e.Owner.(*pending)
	if times == nil {
		return
	}
	if len(times.Nodes) > 0 {
		times.Sum()
	}
	start, end := times.Start, times.End
	if start == 0 {
		if d.noClock == nil {
			return // the command did not run
		}
		start, end = times.Submitted, hal.Now()
	}
	row := "Run"
	if id := e.Front().ID; id > 0 {
		row = fmt.Sprint("queue ", id)
	}
	args := map[string]any{"queued": float64(times.Queued) / 1e3, "submitted": float64(times.Submitted) / 1e3}
	var read, written uint64
	for access, n := range uses {
		if access&abi.Read != 0 {
			read += n
		}
		if access&abi.Write != 0 {
			written += n
		}
	}
	if read > 0 {
		args["bytes read"] = read
	}
	if written > 0 {
		args["bytes written"] = written
	}
	if text := failureText(e); text != "" {
		args["error"] = text
	}
	out := trace.Span{Row: row, Start: start, End: end, Args: args}
	switch c.Op {
	case hal.OpLaunch:
		out.Name, out.Kind = l.kernel.Name(), "kernel"
		launchArgs(args, l.kernel, c, l.localRange())
	case hal.OpGraph:
		out.Name, out.Kind = "graph", "graph"
		if run, ok := times.About.(*exec.Sequence); ok {
			args["commands"] = len(run.Steps)
			d.addNodes(run, times, row+" graph")
		}
	case hal.OpHost:
		out.Name, out.Kind = "host function", "host"
	default:
		out.Name, out.Kind = copyNames[c.Op], "copy"
	}
	d.trace.Add(out)
}

var copyNames = map[hal.Op]string{hal.OpCopy: "copy", hal.OpFill: "fill", hal.OpWrite: "copy to the device", hal.OpRead: "copy from the device"}

// launchArgs adds the global range and the work-group size of a launch to args.
func launchArgs(args map[string]any, k *Kernel, c *hal.Command, local [3]int) {
	if rank := k.abi.Rank; rank > 0 {
		global := make([]uint32, rank)
		for i := range global {
			global[i] = c.Global[rank-1-i]
		}
		args["range"], args["work-group"] = global, local[:rank]
	}
}

// addNodes adds the commands of a graph to the trace, if they ran as one command.
func (d *Device) addNodes(run *exec.Sequence, times *hal.Times, row string) {
	for i := range times.Nodes {
		n := &times.Nodes[i]
		if n.Start == 0 || i >= len(run.Steps) {
			continue
		}
		s := run.Steps[i]
		out := trace.Span{Row: row, Name: s.Label, Kind: "copy", Start: max(n.Start, times.Submitted), Args: map[string]any{}}
		out.End = max(out.Start, n.End)
		if k := kernelOf(s); k != nil {
			out.Name, out.Kind = k.Name(), "kernel"
			launchArgs(out.Args, k, &run.Commands[i].Cmd, s.Plan.Local)
		}
		d.trace.Add(out)
	}
}

// failureText returns a text about a command's failure, or "" if the command did not fail. The caller
// must hold the stream's lock.
func failureText(e *stream.Event) string {
	err, from, parts := e.Outcome()
	for _, p := range parts {
		if text := failureText(p); text != "" {
			return text
		}
	}
	l := e.Owner.(*pending)
	switch {
	case err != nil && !errors.Is(err, stream.ErrEnded):
		return l.lostError(err).Error()
	case err != nil:
		return err.Error()
	case from != nil:
		return unwritten
	case e.Fault.Set && l.kernel != nil && e.Fault.Err == nil && len(e.Fault.Found) == 0:
		return newFault(l.kernel, e.Fault).Error()
	case e.Fault.Set:
		return "it failed in checked mode"
	}
	return ""
}

package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Trace has the device write what it does to w, in the trace format of Chrome, which
// https://ui.perfetto.dev and chrome://tracing show: a row for each queue, with each kernel, its
// range, the bytes that it may read and write and its fault, copies, host functions and graphs, and
// a row for the making of pipelines. Times are those of Event.Profile, in microseconds since the
// program began; where the device has no clock, a command lasts from its submission until it was
// seen to have completed.
//
// What is written is a JSON array, which Device.Close closes. It is written a tenth of a second
// late at most and in whole lines, and the programs that show it take it without the end, too:
// a program that ends without Close loses no more than that tenth. w is for this device alone,
// and is called by one goroutine at a time; its errors are returned by Close.
//
// The environment variable KGEN_TRACE names a file for all devices of a program, which is created
// when the first is opened; "%p" in the name becomes the number of the process. A nil w is ErrInvalid.
func Trace(w io.Writer) OpenOption {
	return openFunc(func(o *openOptions) {
		if o.trace = w; w == nil {
			o.fail(errorf(ErrInvalid, "the writer of Trace is nil").advise("leave the option out for no trace"))
		}
	})
}

// traceDelay is how long what a device has done waits to be written.
const traceDelay = 100 * time.Millisecond

// traceSink is where traces go: an array in JSON.
type traceSink struct {
	mu    sync.Mutex
	w     io.Writer
	file  *os.File // of KGEN_TRACE, or nil
	users int      // tracers
	began bool
	end   int64 // of the file, without the array's end
	err   error
}

// traceFiles are the sinks of KGEN_TRACE, by the files' names. They stay: what devices do that are
// opened later is added.
var traceFiles struct {
	sync.Mutex
	of map[string]*traceSink
}

// traceFile returns the sink of a file.
func traceFile(name string) (*traceSink, error) {
	name = strings.ReplaceAll(name, "%p", strconv.Itoa(os.Getpid()))
	traceFiles.Lock()
	defer traceFiles.Unlock()
	if s := traceFiles.of[name]; s != nil {
		return s, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if traceFiles.of == nil {
		traceFiles.of = map[string]*traceSink{}
	}
	s := &traceSink{w: f, file: f}
	traceFiles.of[name] = s
	return s, nil
}

// write appends values to the array.
func (s *traceSink) write(values [][]byte) {
	if len(values) == 0 {
		return
	}
	var b []byte
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		if s.began {
			b = append(b, ",\n"...)
		} else {
			b, s.began = append(b, "[\n"...), true
		}
		b = append(b, v...)
	}
	s.put(b)
	s.end += int64(len(b))
}

func (s *traceSink) put(b []byte) {
	if s.err != nil {
		return
	}
	if s.file != nil {
		_, s.err = s.file.WriteAt(b, s.end)
	} else {
		_, s.err = s.w.Write(b)
	}
}

// leave ends the array if nobody else writes to it, and returns what went wrong.
func (s *traceSink) leave() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		end := "\n]\n"
		if !s.began {
			end = "[" + end
		}
		s.put([]byte(end))
	}
	return s.err
}

// tracer writes what one device does.
type tracer struct {
	sink *traceSink
	dev  *Device
	pid  int

	mu      sync.Mutex
	pending []traced

	writing sync.Mutex // of the rest, which belongs to flush
	rows    map[string]*traceRow
	lanes   int

	stop chan struct{}
	done chan struct{}
}

// traced is something that the device has done.
type traced struct {
	row, name, kind string
	start, end      int64
	args            map[string]any
}

// traceRow is a row of the trace. What runs at the same time is on several lanes.
type traceRow struct{ lanes []traceLane }

type traceLane struct {
	id    int
	until int64 // when what it has last ends
}

// traceEvent is a value of the format; see "Trace Event Format" by Google.
type traceEvent struct {
	Name  string         `json:"name"`
	Kind  string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	Time  float64        `json:"ts"` // microseconds
	Took  *float64       `json:"dur,omitempty"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

var tracedDevices atomic.Int64

// startTrace begins the device's trace, if the options or the environment ask for one.
func (d *Device) startTrace(sink *traceSink) {
	if sink == nil {
		return
	}
	sink.mu.Lock()
	sink.users++
	sink.mu.Unlock()
	t := &tracer{sink: sink, dev: d, pid: int(tracedDevices.Add(1)), rows: map[string]*traceRow{},
		stop: make(chan struct{}), done: make(chan struct{})}
	d.trace = t
	t.sink.write([][]byte{t.encode(traceEvent{Name: "process_name", Phase: "M", Pid: t.pid,
		Args: map[string]any{"name": d.Name() + " (" + d.backend + ")"}})})
	go t.loop()
}

// sinkOf returns where the trace goes that the options ask for, or nil.
func (o *openOptions) sinkOf() (*traceSink, error) {
	if o.trace != nil {
		return &traceSink{w: o.trace}, nil
	}
	name := env.Get(env.Trace)
	if name == "" {
		return nil, nil
	}
	s, err := traceFile(name)
	if err != nil {
		return nil, environmentError(&hal.EnvironmentError{Name: env.Trace, Err: err})
	}
	return s, nil
}

// loop writes now and then, until close.
func (t *tracer) loop() {
	defer close(t.done)
	tick := time.NewTicker(traceDelay)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.dev.stream.Poll()
			t.flush()
		case <-t.stop:
			return
		}
	}
}

// close writes what is left, and returns why some of the trace could not be written.
func (t *tracer) close() error {
	if t == nil {
		return nil
	}
	close(t.stop)
	<-t.done
	t.flush()
	if err := t.sink.leave(); err != nil {
		return &Error{Class: ErrInvalid, Problem: "the trace could not be written", Err: err}
	}
	return nil
}

func (t *tracer) add(e traced) {
	t.mu.Lock()
	t.pending = append(t.pending, e)
	t.mu.Unlock()
}

// flush writes what is pending.
func (t *tracer) flush() {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	list := t.pending
	t.pending = nil
	t.mu.Unlock()
	var out [][]byte
	for i := range list {
		e := &list[i]
		id, isNew := t.lane(e)
		if isNew {
			out = append(out,
				t.encode(traceEvent{Name: "thread_name", Phase: "M", Pid: t.pid, Tid: id, Args: map[string]any{"name": e.row}}),
				t.encode(traceEvent{Name: "thread_sort_index", Phase: "M", Pid: t.pid, Tid: id, Args: map[string]any{"sort_index": id}}))
		}
		took := float64(e.end-e.start) / 1e3
		out = append(out, t.encode(traceEvent{Name: e.name, Kind: e.kind, Phase: "X", Time: float64(e.start) / 1e3, Took: &took,
			Pid: t.pid, Tid: id, Args: e.args}))
	}
	t.sink.write(out)
}

// lane returns the lane of its row that something goes to, and whether that is new.
func (t *tracer) lane(e *traced) (id int, isNew bool) {
	r := t.rows[e.row]
	if r == nil {
		r = &traceRow{}
		t.rows[e.row] = r
	}
	for i := range r.lanes {
		if l := &r.lanes[i]; l.until <= e.start {
			l.until = e.end
			return l.id, false
		}
	}
	t.lanes++
	r.lanes = append(r.lanes, traceLane{t.lanes, e.end})
	return t.lanes, true
}

func (*tracer) encode(e traceEvent) []byte {
	b, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("BUG: the trace has a value that JSON has not: %v", err))
	}
	return b
}

// observe implements stream.Observer.
func (t *tracer) observe(e *stream.Event, c *hal.Command, uses iter.Seq2[abi.Access, uint64]) {
	times, l := e.Times, e.Owner.(*pending)
	if times == nil {
		return
	}
	if len(times.Nodes) > 0 {
		times.Sum()
	}
	start, end := times.Start, times.End
	if start == 0 {
		if t.dev.noClock == nil {
			return // it did not run
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
	out := traced{row: row, start: start, end: end, args: args}
	switch c.Op {
	case hal.OpLaunch:
		out.name, out.kind = l.kernel.Name(), "kernel"
		launchArgs(args, l.kernel, c, l.localRange())
	case hal.OpGraph:
		out.name, out.kind = "graph", "graph"
		if run, ok := times.About.(*exec.Sequence); ok {
			args["commands"] = len(run.Steps)
			t.addNodes(run, times, row+" graph")
		}
	case hal.OpHost:
		out.name, out.kind = "host function", "host"
	default:
		out.name, out.kind = copyNames[c.Op], "copy"
	}
	t.add(out)
}

var copyNames = map[hal.Op]string{hal.OpCopy: "copy", hal.OpFill: "fill", hal.OpWrite: "copy to the device", hal.OpRead: "copy from the device"}

// launchArgs says what a launch was over.
func launchArgs(args map[string]any, k *Kernel, c *hal.Command, local [3]int) {
	if rank := k.abi.Rank; rank > 0 {
		global := make([]uint32, rank)
		for i := range global {
			global[i] = c.Global[rank-1-i]
		}
		args["range"], args["work-group"] = global, local[:rank]
	}
}

// addNodes adds the commands of a graph that ran as one.
func (t *tracer) addNodes(run *exec.Sequence, times *hal.Times, row string) {
	for i := range times.Nodes {
		n := &times.Nodes[i]
		if n.Start == 0 || i >= len(run.Steps) {
			continue
		}
		s := run.Steps[i]
		out := traced{row: row, name: s.Label, kind: "copy", start: max(n.Start, times.Submitted), args: map[string]any{}}
		out.end = max(out.start, n.End)
		if k := kernelOf(s); k != nil {
			out.name, out.kind = k.Name(), "kernel"
			launchArgs(out.args, k, &run.Commands[i].Cmd, s.Plan.Local)
		}
		t.add(out)
	}
}

// failureText says how a command failed, if it did. It is called under the stream's lock.
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
		return l.lost(err).Error()
	case err != nil:
		return err.Error()
	case from != nil:
		return "it read memory that an earlier command was to write, which did not run whole"
	case e.Fault.Set && l.kernel != nil && e.Fault.Err == nil && len(e.Fault.Found) == 0:
		return newFault(l.kernel, e.Fault).Error()
	case e.Fault.Set:
		return "it failed in checked mode"
	}
	return ""
}

// Package trace records the work of devices, and writes it in the trace format of Chrome.
package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The tracer collects spans for the duration `delay` before it writes them.
const delay = 100 * time.Millisecond

// Sink is the destination of traces. Sink contains a JSON array.
type Sink struct {
	mu    sync.Mutex
	w     io.Writer
	file  *os.File // file that KGEN_TRACE names, or nil
	users int      // number of tracers that write to the sink
	began bool
	end   int64 // offset at which the next write to the file begins
	err   error
}

// `files` maps the names of files in KGEN_TRACE to their sinks. A sink stays in the map, so that a
// device that is opened later adds its spans to the same file.
var files struct {
	sync.Mutex
	of map[string]*Sink
}

// File returns the sink for a file. The parameter name is the name of the file, in which "%p"
// stands for the number of the process.
func File(name string) (*Sink, error) {
	name = strings.ReplaceAll(name, "%p", strconv.Itoa(os.Getpid()))
	files.Lock()
	defer files.Unlock()
	if s := files.of[name]; s != nil {
		return s, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if files.of == nil {
		files.of = map[string]*Sink{}
	}
	s := &Sink{w: f, file: f}
	files.of[name] = s
	return s, nil
}

// `write` appends values to the JSON array of the sink.
func (s *Sink) write(values [][]byte) {
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

func (s *Sink) put(b []byte) {
	if s.err != nil {
		return
	}
	if s.file != nil {
		_, s.err = s.file.WriteAt(b, s.end)
	} else {
		_, s.err = s.w.Write(b)
	}
}

// leaveSink ends the JSON array if no other tracer writes to the sink. leaveSink
// returns the first error of the sink.
func (s *Sink) leaveSink() error {
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

// Tracer writes the spans of one device.
type Tracer struct {
	sink *Sink
	poll func() // function that makes the device process completed commands
	pid  int

	mu      sync.Mutex
	pending []Span

	writing sync.Mutex // guards rows and lanes, which only the method `flush` uses
	rows    map[string]*row
	lanes   int

	stop chan struct{}
	done chan struct{}
}

// Span is a piece of work of the device, with its start and end time.
type Span struct {
	Row, Name, Kind string
	Start, End      int64 // times in nanoseconds
	Args            map[string]any
}

// A row contains the lanes of one row of the trace. Spans of a row that overlap in time are on
// different lanes.
type row struct{ lanes []openLane }

type openLane struct {
	id    int
	until int64 // end time of the lane's last span
}

// traceEvent is a value of the trace format (see "Trace Event Format" by Google).
type traceEvent struct {
	Name  string         `json:"name"`
	Kind  string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	Time  float64        `json:"ts"` // start time in microseconds
	Took  *float64       `json:"dur,omitempty"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

var devices atomic.Int64

// To returns a sink that writes to w.
func To(w io.Writer) *Sink { return &Sink{w: w} }

// Start begins the trace of a device with the given name. From time to time the tracer calls poll,
// so that the device processes completed commands.
func Start(s *Sink, name string, poll func()) *Tracer {
	s.mu.Lock()
	s.users++
	s.mu.Unlock()
	t := &Tracer{sink: s, poll: poll, pid: int(devices.Add(1)), rows: map[string]*row{},
		stop: make(chan struct{}), done: make(chan struct{})}
	t.sink.write([][]byte{t.encode(traceEvent{Name: "process_name", Phase: "M", Pid: t.pid, Args: map[string]any{"name": name}})})
	go t.writeLoop()
	return t
}

// writeLoop writes pending spans from time to time, until Close is called.
func (t *Tracer) writeLoop() {
	defer close(t.done)
	tick := time.NewTicker(delay)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.poll()
			t.flushEvents()
		case <-t.stop:
			return
		}
	}
}

// Close writes the remaining spans. Close returns an error if some of the trace could not be
// written. For a nil Tracer, Close does nothing.
func (t *Tracer) Close() error {
	if t == nil {
		return nil
	}
	close(t.stop)
	<-t.done
	t.flushEvents()
	return t.sink.leaveSink()
}

// Add adds a span, which the tracer writes soon.
func (t *Tracer) Add(e Span) {
	t.mu.Lock()
	t.pending = append(t.pending, e)
	t.mu.Unlock()
}

// flushEvents writes the pending spans.
func (t *Tracer) flushEvents() {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	list := t.pending
	t.pending = nil
	t.mu.Unlock()
	var out [][]byte
	for i := range list {
		e := &list[i]
		id, isNew := t.laneFor(e)
		if isNew {
			out = append(out,
				t.encode(traceEvent{Name: "thread_name", Phase: "M", Pid: t.pid, Tid: id, Args: map[string]any{"name": e.Row}}),
				t.encode(traceEvent{Name: "thread_sort_index", Phase: "M", Pid: t.pid, Tid: id, Args: map[string]any{"sort_index": id}}))
		}
		took := float64(e.End-e.Start) / 1e3
		out = append(out, t.encode(traceEvent{Name: e.Name, Kind: e.Kind, Phase: "X", Time: float64(e.Start) / 1e3, Took: &took,
			Pid: t.pid, Tid: id, Args: e.Args}))
	}
	t.sink.write(out)
}

// laneFor finds a lane for the span in the span's row. laneFor returns the lane's id, and whether
// the lane is new.
func (t *Tracer) laneFor(e *Span) (id int, isNew bool) {
	r := t.rows[e.Row]
	if r == nil {
		r = &row{}
		t.rows[e.Row] = r
	}
	for i := range r.lanes {
		if l := &r.lanes[i]; l.until <= e.Start {
			l.until = e.End
			return l.id, false
		}
	}
	t.lanes++
	r.lanes = append(r.lanes, openLane{t.lanes, e.End})
	return t.lanes, true
}

func (*Tracer) encode(e traceEvent) []byte {
	b, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("BUG: the trace has a value that JSON has not: %v", err))
	}
	return b
}

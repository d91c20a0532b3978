package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// traceEvent is what a trace has, as the program that shows it reads it.
type traceEvent struct {
	Name, Cat, Ph string
	Ts, Dur       float64
	Pid, Tid      int
	Args          map[string]any
}

// safeBuffer is a writer that a test looks at while it is written to.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// parse reads a trace, and checks the properties of all traces.
func parse(t *testing.T, text string) (events []traceEvent, rows map[string]bool) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &events); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	type lane struct{ pid, tid int }
	names, until := map[lane]string{}, map[lane]float64{}
	rows = map[string]bool{}
	for _, e := range events {
		at := lane{e.Pid, e.Tid}
		switch {
		case e.Ph == "M" && e.Name == "thread_name":
			names[at] = e.Args["name"].(string)
		case e.Ph == "X":
			if names[at] == "" {
				t.Errorf("%s is in a row without a name", e.Name)
			}
			rows[names[at]] = true
			if e.Ts < until[at]-0.001 { // microseconds, of nanoseconds
				t.Errorf("%s begins at %v, when %v still has something", e.Name, e.Ts, at)
			}
			if e.Dur < 0 {
				t.Errorf("%s takes %v", e.Name, e.Dur)
			}
			until[at] = e.Ts + e.Dur
		}
	}
	return events, rows
}

// waitUntil waits until done is true, for as long as go test lets tests run, but for the seconds
// that a failure takes to be reported. not says what is wrong then.
func waitUntil(t *testing.T, done func() bool, not func() string) {
	t.Helper()
	for !done() {
		if end, ok := t.Deadline(); ok && time.Until(end) < 5*time.Second {
			t.Fatal(not())
		}
		time.Sleep(time.Millisecond)
	}
}

// TestTrace: a trace has what the device has done, in a row for each queue.
func TestTrace(t *testing.T) {
	var b *safeBuffer
	traced := func() []runtime.OpenOption { b = &safeBuffer{}; return []runtime.OpenOption{runtime.Trace(b)} }
	everywhere(t, traced, func(t *testing.T, dev *runtime.Device) {
		q, second := dev.DefaultQueue(), dev.NewQueue()
		x := must(runtime.NewBuffer[int32](dev, 128))
		must(stepsgen.Blur{W: 16, In: x.All(), Out: must(runtime.NewBuffer[int32](dev, 128)).All()}.ParallelFor(q, runtime.Range2{8, 16}))
		bad := must(stepsgen.Grow{By: 1, Out: x.Slice(0, 100)}.ParallelFor(second, 128))
		var f *runtime.Fault
		if err := bad.Wait(ctx); !errors.As(err, &f) {
			t.Fatal(err)
		}
		check(t, x.CopyTo(ctx, q, make([]int32, 128)))
		must(q.Enqueue(runtime.HostFunc(func(context.Context) error { return nil })))
		g := runtime.NewGraph(dev)
		for range 3 {
			must(g.Add(stepsgen.Grow{By: 1, Out: x.All()}.Node(128)))
		}
		ex := must(g.Finalize())
		for range 3 {
			must(q.Submit(ex))
		}
		check(t, q.Wait(ctx))

		// What is there before the end is an array without its end.
		waitUntil(t, func() bool { return strings.Contains(b.String(), "host function") },
			func() string { return "nothing is written before Close:\n" + b.String() })
		parse(t, b.String()+"\n]")
		check(t, dev.Close())
		events, rows := parse(t, b.String())
		for _, want := range []string{"queue 1", "queue 2", "compile"} {
			if !rows[want] {
				t.Errorf("no row %s in %v", want, rows)
			}
		}
		count := map[string]int{}
		for _, e := range events {
			count[e.Cat+" "+e.Name]++
			switch {
			case e.Cat == "kernel" && e.Name == "steps.Blur":
				if got := fmt.Sprint(e.Args["range"]); got != "[8 16]" {
					t.Errorf("its range is %s", got)
				}
				if e.Args["bytes read"] != 512.0 || e.Args["bytes written"] != 512.0 || e.Args["error"] != nil {
					t.Errorf("Blur has %v", e.Args)
				}
			case e.Cat == "kernel" && e.Args["error"] != nil:
				count["fault"]++
				if text := e.Args["error"].(string); !strings.Contains(text, f.Error()) {
					t.Errorf("the fault is %q, want %v", text, f)
				}
			case e.Ph == "M" && e.Name == "process_name":
				if !strings.Contains(e.Args["name"].(string), dev.Name()) {
					t.Errorf("the device is %v", e.Args)
				}
			}
		}
		for _, want := range []string{"kernel steps.Blur", "compile steps.Blur", "compile steps.Grow", "copy copy from the device", "host host function", "fault"} {
			if count[want] != 1 {
				t.Errorf("%d times %s in %v", count[want], want, count)
			}
		}
		if n := count["kernel steps.Grow"]; n != 1+9 {
			t.Errorf("steps.Grow ran %d times, want 1 and 9 in graphs", n)
		}
	})
}

// TestTraceFile: KGEN_TRACE names a file that all devices of the program write to, one after the
// other or at once.
func TestTraceFile(t *testing.T) {
	name := filepath.Join(need.Dir(t), "trace-%p.json")
	t.Setenv(env.Trace, name)
	name = strings.ReplaceAll(name, "%p", fmt.Sprint(os.Getpid()))
	text := func() string { return string(must(os.ReadFile(name))) }
	launch := func(dev *runtime.Device) {
		x := must(runtime.NewBuffer[int32](dev, 128))
		must(stepsgen.Grow{By: 1, Out: x.All()}.ParallelFor(dev.DefaultQueue(), 128))
	}
	kernels := func() (n, devices int) {
		events, _ := parse(t, text())
		pids := map[int]bool{}
		for _, e := range events {
			if e.Cat == "kernel" {
				n, pids[e.Pid] = n+1, true
			}
		}
		return n, len(pids)
	}
	a, b := openHost(t), openHost(t)
	launch(a)
	launch(b)
	check(t, a.Close())
	parse(t, text()+"]") // b writes on
	check(t, b.Close())
	if n, devices := kernels(); n != 2 || devices != 2 {
		t.Errorf("%d kernels of %d devices in\n%s", n, devices, text())
	}
	c := openHost(t)
	launch(c)
	check(t, c.Close())
	if n, devices := kernels(); n != 3 || devices != 3 {
		t.Errorf("%d kernels of %d devices in\n%s", n, devices, text())
	}
	t.Setenv(env.Trace, filepath.Join(need.Dir(t), "no", "such", "folder"))
	if _, err := runtime.Open(runtime.Select("host")); !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), env.Trace) {
		t.Errorf("a file that cannot be created: %v", err)
	}
}

// TestTraceEmpty: a trace in which nothing happens is an array, too.
func TestTraceEmpty(t *testing.T) {
	var b safeBuffer
	check(t, openHost(t, runtime.Trace(&b)).Close())
	parse(t, b.String())
}

// full is a writer that takes nothing.
type full struct{}

var errFull = errors.New("the disk is full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestTraceErrors: Close says that the trace could not be written.
func TestTraceErrors(t *testing.T) {
	dev := openHost(t, runtime.Trace(full{}))
	if err := dev.Close(); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if err := dev.Close(); !errors.Is(err, errFull) {
		t.Errorf("got %v the second time", err)
	}
}

// TestTraceWithoutClock: on a device that does not say when commands run, they last from their
// submission until they were seen to have completed.
func TestTraceWithoutClock(t *testing.T) {
	var b safeBuffer
	dev := runtime.OpenHALWith(null{must(host.New().Open(0))}, "test", runtime.Trace(&b))
	x := must(runtime.NewBuffer[int32](dev, 16))
	e := must(modelgen.Reverse{X: x.All()}.ParallelFor(dev.DefaultQueue(), runtime.NDRange1{Global: 16, Local: 16}))
	check(t, e.Wait(ctx))
	if _, err := e.Profile(); !errors.Is(err, runtime.ErrNoProfile) {
		t.Errorf("a profile without Profiling: %v", err)
	}
	check(t, dev.Close())
	events, _ := parse(t, b.String())
	for _, k := range events {
		if k.Cat == "kernel" {
			if k.Name != "model.Reverse" || k.Ts != k.Args["submitted"] || k.Ts < k.Args["queued"].(float64) {
				t.Errorf("got %+v", k)
			}
			return
		}
	}
	t.Errorf("no kernel in\n%s", &b)
}

package runtime_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/examples/median/filter"
	filtergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// everywhere runs a test on each device there is, opened with the options.
func everywhere(t *testing.T, options func() []runtime.OpenOption, f func(t *testing.T, dev *runtime.Device)) {
	for i, info := range runtime.Devices() {
		t.Run(info.Backend, func(t *testing.T) {
			dev := must(runtime.Open(append(options(), runtime.Select(strconv.Itoa(i)))...))
			t.Logf("device: %s", dev.Name())
			defer func() { check(t, dev.Close()) }()
			f(t, dev)
		})
	}
}

func profiling() []runtime.OpenOption { return []runtime.OpenOption{runtime.Profiling()} }

// ordered checks the promise of Profile, and that all of it lies between two times.
func ordered(t *testing.T, what string, p runtime.Profile, from, to time.Time) {
	t.Helper()
	last := from
	for i, at := range []time.Time{p.Queued, p.Submitted, p.Start, p.End, to} {
		if at.Before(last) {
			t.Errorf("%s: time %d (of queued, submitted, start, end, now) is %v before the one before: %+v", what, i, last.Sub(at), p)
		}
		last = at
	}
	if p.Duration() != p.End.Sub(p.Start) {
		t.Errorf("%s: Duration %v", what, p.Duration())
	}
}

// TestProfile: the times of launches and copies of all kinds are ordered, and those of commands
// that wait for each other do not overlap.
func TestProfile(t *testing.T) {
	everywhere(t, profiling, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		const n = 1 << 20
		x, y := must(runtime.NewBuffer[int32](dev, n)), must(runtime.NewBuffer[int32](dev, n))
		check(t, q.Wait(ctx))
		out := make([]int32, n)
		from := time.Now()
		names := []string{"upload", "first", "second", "copy", "fill", "third", "download"}
		events := []runtime.Event{
			must(q.Enqueue(runtime.Upload(x.All(), iota[int32](n)))),
			must(stepsgen.Grow{By: 1, Out: x.All()}.ParallelFor(q, n)),
			must(stepsgen.Grow{By: 1, Out: x.All()}.ParallelFor(q, n)),
			must(q.Enqueue(runtime.Copy(y.All(), x.All()))),
			must(q.Enqueue(runtime.Fill(x.All(), 7))),
			must(stepsgen.Sum{X: x.All(), Y: y.All(), Out: y.All()}.ParallelFor(q, n)),
			must(q.Enqueue(runtime.Download(out, y.All()))),
		}
		for _, e := range events {
			check(t, e.Wait(ctx))
		}
		to := time.Now()
		if out[5] != 6+2+7 {
			t.Errorf("out[5] = %d", out[5])
		}
		var last runtime.Profile
		for i, e := range events {
			p := must(e.Profile())
			ordered(t, names[i], p, from, to)
			if names[i] != "fill" && p.Start.Before(last.End.Add(-100*time.Microsecond)) {
				t.Errorf("%s began %v before what it waits for had ended", names[i], last.End.Sub(p.Start))
			}
			if last = p; p.Duration() <= 0 {
				t.Errorf("%s of %d elements took %v", names[i], n, p.Duration())
			}
		}
	})
}

// TestProfileBehind: what waits for a host function is submitted when that has returned, and both the
// wait and the function can be seen.
func TestProfileBehind(t *testing.T) {
	everywhere(t, profiling, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := must(runtime.NewBuffer[int32](dev, 16))
		began, hold := make(chan struct{}), make(chan struct{})
		from := time.Now()
		f := must(q.Enqueue(runtime.HostFunc(func(context.Context) error { close(began); <-hold; return nil })))
		e := must(stepsgen.Grow{Out: x.All()}.ParallelFor(q, 16))
		queued := time.Now()
		q.Flush()
		<-began
		started := time.Now()
		time.Sleep(time.Millisecond)
		released := time.Now()
		close(hold)
		check(t, e.Wait(ctx))
		of, behind := must(f.Profile()), must(e.Profile())
		ordered(t, "the function", of, from, time.Now())
		ordered(t, "the launch", behind, from, time.Now())
		if of.Start.After(started) || of.End.Before(released) {
			t.Errorf("the function ran from %v to %v, and was there from %v to %v", of.Start, of.End, started, released)
		}
		if behind.Queued.After(queued) || behind.Submitted.Before(released) {
			t.Errorf("the launch was queued at %v, before %v, and submitted at %v, after %v", behind.Queued, queued, behind.Submitted, released)
		}
	})
}

// TestProfileMany has more commands in a batch than a submission has queries, and copies in pieces.
func TestProfileMany(t *testing.T) {
	everywhere(t, profiling, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := must(runtime.NewBuffer[int32](dev, 24<<20/4))
		from := time.Now()
		var events []runtime.Event
		for range 700 {
			events = append(events, must(stepsgen.Grow{By: 1, Out: x.Slice(0, 1)}.ParallelFor(q, 1)))
		}
		events = append(events, must(q.Enqueue(runtime.Upload(x.All(), make([]int32, x.Len())))))
		check(t, q.Wait(ctx))
		to := time.Now()
		for i, e := range events {
			ordered(t, strconv.Itoa(i), must(e.Profile()), from, to)
		}
	})
}

// TestProfileGraph: the profile of a submitted graph is that of the run, whether its commands are
// encoded one by one or replayed.
func TestProfileGraph(t *testing.T) {
	everywhere(t, profiling, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := must(runtime.NewBuffer[int32](dev, 1<<16))
		g := runtime.NewGraph(dev)
		for range 4 {
			must(g.Add(stepsgen.Grow{By: 1, Out: x.All()}.Node(runtime.Range1(x.Len()))))
		}
		ex := must(g.Finalize())
		for run := range 4 {
			from := time.Now()
			e := must(q.Submit(ex))
			check(t, e.Wait(ctx))
			var wg sync.WaitGroup
			for range 2 { // at once, for the race detector
				wg.Go(func() { e.Profile() })
			}
			wg.Wait()
			p := must(e.Profile())
			ordered(t, strconv.Itoa(run), p, from, time.Now())
			one := must(stepsgen.Grow{By: 1, Out: x.All()}.ParallelFor(q, runtime.Range1(x.Len())))
			check(t, one.Wait(ctx))
			if p.Duration() <= 0 {
				t.Errorf("run %d took %v", run, p.Duration())
			}
		}
		// All of these may be in flight at once.
		var events []runtime.Event
		from := time.Now()
		for range 12 {
			events = append(events, must(q.Submit(ex)))
		}
		check(t, q.Wait(ctx))
		to := time.Now()
		for i, e := range events {
			ordered(t, "of many "+strconv.Itoa(i), must(e.Profile()), from, to)
		}
	})
}

// TestProfileLargeGraph has a graph with more commands than a submission has queries.
func TestProfileLargeGraph(t *testing.T) {
	everywhere(t, profiling, func(t *testing.T, dev *runtime.Device) {
		x := must(runtime.NewBuffer[int32](dev, 1))
		const nodes, runs = 600, 3
		ex, _ := growing(t, dev, x, nodes, 1)
		for run := range runs {
			from := time.Now()
			e := must(dev.DefaultQueue().Submit(ex))
			check(t, e.Wait(ctx))
			ordered(t, strconv.Itoa(run), must(e.Profile()), from, time.Now())
		}
		if got := firstOf(t, dev, x); got != nodes*runs {
			t.Errorf("got %d", got)
		}
	})
}

// TestProfileOfNothing: a command with nothing to do ends when the commands that it waits for have ended.
func TestProfileOfNothing(t *testing.T) {
	everywhere(t, profiling, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		x := must(runtime.NewBuffer[int32](dev, 16))
		from := time.Now()
		e := must(stepsgen.Grow{Out: x.All()}.ParallelFor(q, 0))
		ordered(t, "an empty range", must(e.Profile()), from, time.Now())
		first := must(stepsgen.Grow{Out: x.All()}.ParallelFor(q, 16))
		e = must(stepsgen.Grow{Out: x.All()}.ParallelFor(q, 0, runtime.DependsOn(first)))
		check(t, e.Wait(ctx))
		p := must(e.Profile())
		ordered(t, "an empty range that waits", p, from, time.Now())
		if p.End.Before(must(first.Profile()).End) {
			t.Error("it ended before what it waits for")
		}
		e = must(q.Enqueue(runtime.Command{}))
		check(t, e.Wait(ctx))
		ordered(t, "nothing", must(e.Profile()), from, time.Now())
	})
}

// TestProfileErrors: what has no times is an error that says why.
func TestProfileErrors(t *testing.T) {
	wants := func(e runtime.Event, class error, text string) {
		t.Helper()
		p, err := e.Profile()
		if !errors.Is(err, class) || !strings.Contains(err.Error(), text) || p != (runtime.Profile{}) {
			t.Errorf("got %v and %v, want %v with %q", p, err, class, text)
		}
	}
	wants(runtime.Event{}, runtime.ErrInvalid, "zero Event")

	dev := openHost(t)
	x := must(runtime.NewBuffer[int32](dev, 16))
	e := must(modelgen.Reverse{X: x.All()}.ParallelFor(dev.DefaultQueue(), runtime.NDRange1{Global: 16, Local: 16}))
	check(t, e.Wait(ctx))
	wants(e, runtime.ErrNoProfile, "open it with runtime.Profiling()")
	wants(e, runtime.ErrFeatureNotSupported, "")

	// A device without a clock.
	h := must(host.New().Open(0))
	dev = runtime.OpenHALWith(null{h}, "test", runtime.Profiling())
	defer dev.Close()
	x = must(runtime.NewBuffer[int32](dev, 16))
	e = must(modelgen.Reverse{X: x.All()}.ParallelFor(dev.DefaultQueue(), runtime.NDRange1{Global: 16, Local: 16}))
	check(t, e.Wait(ctx))
	wants(e, runtime.ErrNoProfile, "has no clock")

	dev = openHost(t, runtime.Profiling())
	q := dev.DefaultQueue()
	x = must(runtime.NewBuffer[int32](dev, 16))
	began, hold := make(chan struct{}), make(chan struct{})
	f := must(q.Enqueue(runtime.HostFunc(func(context.Context) error { close(began); <-hold; return errors.New("no") })))
	q.Flush()
	<-began
	wants(f, runtime.ErrInvalid, "has not completed yet")
	e = must(q.Enqueue(runtime.HostFunc(func(context.Context) error { return nil }), runtime.DependsOn(f)))
	close(hold)
	if err := f.Wait(ctx); !errors.Is(err, runtime.ErrHostFunc) {
		t.Errorf("the host function did not fail: %v", err)
	}
	ordered(t, "a host function", must(f.Profile()), time.Time{}, time.Now())
	if err := e.Wait(ctx); !errors.Is(err, runtime.ErrHostFunc) {
		t.Errorf("the next one was called: %v", err)
	}
	wants(e, runtime.ErrHostFunc, "it was not called")

	g := runtime.NewGraph(dev)
	check(t, q.BeginRecording(g))
	e = must(modelgen.Reverse{X: x.All()}.ParallelFor(q, runtime.NDRange1{Global: 16, Local: 16}))
	check(t, q.EndRecording())
	wants(e, runtime.ErrInvalid, "node of a graph")
}

// TestProfileOff: without Profiling, commands have nowhere to note times.
func TestProfileOff(t *testing.T) {
	if runtime.LaunchSize > 512 { // a size class of Go's allocator; the next one has 576
		t.Errorf("a launch takes %d bytes", runtime.LaunchSize)
	}
	everywhere(t, func() []runtime.OpenOption { return nil }, func(t *testing.T, dev *runtime.Device) {
		x := must(runtime.NewBuffer[int32](dev, 4))
		e := must(stepsgen.Grow{Out: x.All()}.ParallelFor(dev.DefaultQueue(), 4))
		check(t, e.Wait(ctx))
		if e.Timed() {
			t.Error("a launch is timed that nobody asked to be")
		}
	})
}

// TestLabels: samples of CPU profiles name the kernel, where its own code runs and where its host
// form does.
func TestLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("profiles take a while")
	}
	x, out := iota[int32](1<<14), make([]float32, 1<<14)
	for _, c := range []struct {
		form, kernel string
		run          func(dev *runtime.Device) error
	}{
		{"off", "model.Reverse", func(dev *runtime.Device) error { // on coroutines
			return modelgen.RunReverse(ctx, dev, model.Reverse{X: x}, runtime.NDRange1{Global: runtime.Range1(len(x)), Local: 16})
		}},
		{"on", "filter.Median", func(dev *runtime.Device) error {
			return filtergen.RunMedian(ctx, dev, filter.Median{In: out, Out: out}, runtime.Range2{128, 128})
		}},
	} {
		t.Setenv(env.HostForm, c.form)
		dev := openHost(t)
		found := ""
		for try := 0; found == "" && try < 50; try++ {
			var b bytes.Buffer
			check(t, pprof.StartCPUProfile(&b))
			for start := time.Now(); time.Since(start) < 200*time.Millisecond; {
				check(t, c.run(dev))
			}
			pprof.StopCPUProfile()
			// The table of strings has the labels of the samples, each behind its length.
			text := string(must(io.ReadAll(must(gzip.NewReader(&b)))))
			if strings.Contains(text, "\x06kernel") && strings.Contains(text, string(rune(len(c.kernel)))+c.kernel) {
				found = text
			}
		}
		if found == "" {
			t.Errorf("host form %s: no sample has the label %s", c.form, c.kernel)
		} else if strings.Contains(found, "_host_kgen.go") != (c.form == "on") {
			t.Errorf("host form %s: the host form runs, or does not", c.form)
		}
	}
}

// records keeps what is logged.
type records struct {
	slog.Handler
	level slog.Level
	mu    sync.Mutex
	text  strings.Builder
}

func newRecords(level slog.Level) *records {
	r := &records{level: level}
	r.Handler = slog.NewTextHandler(&r.text, &slog.HandlerOptions{Level: level})
	return r
}

func (r *records) Handle(ctx context.Context, s slog.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Handler.Handle(ctx, s)
}

func (r *records) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// TestLog: at debug level, a device says what was opened and which modules it took.
func TestLog(t *testing.T) {
	for i, info := range runtime.Devices() {
		for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo} {
			log := newRecords(level)
			dev := must(runtime.Open(runtime.Select(strconv.Itoa(i)), runtime.Logger(slog.New(log))))
			x := must(runtime.NewBuffer[int32](dev, 4))
			for range 3 {
				must(stepsgen.Grow{Out: x.All()}.ParallelFor(dev.DefaultQueue(), 4))
			}
			check(t, dev.Close())
			text := log.String()
			if level == slog.LevelInfo {
				if text != "" {
					t.Errorf("%s: logged above debug level:\n%s", info.Name, text)
				}
				continue
			}
			t.Log(text)
			if n := strings.Count(text, `msg="kgen: device opened"`); n != 1 || !strings.Contains(text, "backend="+info.Backend) {
				t.Errorf("%s: opened %d times in\n%s", info.Name, n, text)
			}
			if n := strings.Count(text, `msg="kgen: kernel compiled" kernel=steps.Grow`); n != 1 || !strings.Contains(text, "variant=") {
				t.Errorf("%s: compiled %d times in\n%s", info.Name, n, text)
			}
		}
	}
}

// TestLogRefused: a device that lacks what a kernel's own module uses says so, and takes another.
func TestLogRefused(t *testing.T) {
	log := newRecords(slog.LevelDebug)
	dev := devtest.Vulkan(t, runtime.Logger(slog.New(log)), runtime.MaskAspects(properties.Int64))
	x := must(runtime.NewBuffer[int32](dev, 4))
	check(t, must(stepsgen.Grow{Out: x.All()}.ParallelFor(dev.DefaultQueue(), 4)).Wait(ctx))
	for _, want := range []string{
		`msg="kgen: variant refused" kernel=steps.Grow variant=general`, "why=\"it uses the aspect int64, which the device lacks\"",
		`msg="kgen: kernel compiled" kernel=steps.Grow`, "variant=words",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in\n%s", want, log)
		}
	}
}

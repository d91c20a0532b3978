package natskgen

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	kgen "github.com/kgen-go/kgen/runtime"
)

// hostDevice opens the host device for a test.
func hostDevice(t *testing.T) *kgen.Device {
	t.Helper()
	dev, err := openHost()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// TestLarge: jobs of 16 MB and more, whose slices are objects. Those of the jobs are removed, those
// of the results stay.
func TestLarge(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[axpy, []float32](t, js, "large")
	serving(t, js, "large", onHost(hostDevice(t)), Parallel(2))
	const n, jobs = 2_000_000, 3 // two slices of 8 MB
	var waits sync.WaitGroup
	for i := range jobs {
		waits.Go(func() {
			job := newAxpy(i, n)
			want := job.want()
			got, err := c.Do(ctx, job, ID(fmt.Sprint("job", i)))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("job %d: %d elements, %v", i, len(got), err)
			}
		})
	}
	waits.Wait()
	empty(t, c)
	eventually(t, "objects of jobs are left", func() (bool, string) {
		names := objects(t, c)
		return len(names) == jobs && !slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(n, ".result.") }), fmt.Sprint(names)
	})
}

// TestInline: slices of up to MaxInline bytes are no objects, unless they are too many.
func TestInline(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	type job struct {
		X     [][]byte
		Texts []string
	}
	c := opened[job, job](t, js, "inline")
	echo := func(_ context.Context, j job) (job, error) { return j, nil }
	serving(t, js, "inline", echo)
	long := strings.Repeat("é", MaxInline/4)
	for _, tt := range []struct {
		job     job
		objects int
	}{
		{job{X: [][]byte{make([]byte, MaxInline-20)}}, 0},
		{job{X: [][]byte{make([]byte, MaxInline+1)}}, 1},
		{job{X: [][]byte{make([]byte, MaxInline), make([]byte, MaxInline)}}, 1},
		{job{Texts: []string{long, long, long}, X: [][]byte{{1}, make([]byte, 3<<20), {2}}}, 1},
	} {
		before := len(objects(t, c))
		got, err := c.Do(ctx, tt.job)
		if err != nil || !reflect.DeepEqual(got, tt.job) {
			t.Fatalf("another job came back, %v", err)
		}
		empty(t, c)
		eventually(t, "other objects", func() (bool, string) {
			n := len(objects(t, c)) - before
			return n == tt.objects, fmt.Sprintf("%d, want %d", n, tt.objects)
		})
	}
}

// TestFault: a kernel's fault arrives with all its parts at those who wait, and in the dead letter,
// after as many tries as the queue has.
func TestFault(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	dev := hostDevice(t)
	for _, n := range []int{10, 200_000} { // in the message, and as objects
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			ctx, name := within(t), fmt.Sprint("faults", n)
			c := opened[axpy, []float32](t, js, name, Tries(3))
			run := onHost(dev)
			var tries atomic.Int32
			var fault atomic.Pointer[kgen.Fault]
			serving(t, js, name, func(ctx context.Context, j axpy) ([]float32, error) {
				if i, ok := InfoOf(ctx); !ok || i != (Info{name, "bad", int(tries.Add(1))}) {
					t.Errorf("the info is %v, %v", i, ok)
				}
				y, err := run(ctx, j)
				var f *kgen.Fault
				if errors.As(err, &f) {
					fault.Store(f)
					err = fmt.Errorf("the tile 7: %w", err)
				}
				return y, err
			})
			job := newAxpy(1, n)
			job.X = job.X[:n-3]
			_, err := c.Do(ctx, job, ID("bad"))
			var failed *JobError
			var got *kgen.Fault
			if !errors.Is(err, ErrFailed) || !errors.As(err, &failed) || !errors.As(err, &got) {
				t.Fatalf("the error is %v", err)
			}
			if want := fault.Load(); !reflect.DeepEqual(got, want) {
				t.Errorf("the fault is %+v, want %+v", got, want)
			}
			if !strings.Contains(got.Pos, "saxpy/kernel.go:") || len(got.GlobalID) != 1 || got.GlobalID[0] < n-3 || got.A != int64(got.GlobalID[0]) || got.B != int64(n-3) {
				t.Errorf("the fault is %+v", got)
			}
			if failed.Tries != 3 || failed.Job != "bad" || tries.Load() != 3 || !strings.HasPrefix(failed.Text, "the tile 7: ") || !strings.Contains(err.Error(), "index out of range") {
				t.Errorf("%d runs: %v", tries.Load(), err)
			}
			buried(t, c, failed, job)
		})
	}
}

// buried tests the dead letter of a job, and discards it.
func buried(t *testing.T, c *Client[axpy, []float32], failed *JobError, job axpy) {
	ctx := t.Context()
	empty(t, c)
	letters, err := c.DeadLetters(ctx)
	if err != nil || len(letters) != 1 || !reflect.DeepEqual(letters[0].Err, failed) || letters[0].At.IsZero() {
		t.Fatalf("the dead letters are %v, %v", letters, err)
	}
	again, err := letters[0].Job(ctx)
	if err != nil || !reflect.DeepEqual(again, job) {
		t.Errorf("the dead letter's job is another one, %v", err)
	}
	for range 2 { // the second time it is not there
		if err := c.Discard(ctx, letters[0]); err != nil {
			t.Error(err)
		}
	}
	if letters, err := c.DeadLetters(ctx); err != nil || len(letters) > 0 {
		t.Errorf("discarded, but there are %v, %v", letters, err)
	}
	if names := objects(t, c); len(names) > 0 {
		t.Errorf("objects are left: %v", names)
	}
	if _, err := c.Wait(ctx, failed.Job); !errors.As(err, &failed) {
		t.Errorf("a wait after Discard: %v", err)
	}
	if len(job.X)*4 > MaxInline {
		if _, err := letters[0].Job(ctx); !errors.Is(err, ErrExpired) {
			t.Errorf("the job of a letter that was discarded: %v", err)
		}
	}
}

// TestFaultFields: the record keeps each field of a fault, also those that a later version adds.
func TestFaultFields(t *testing.T) {
	f := &kgen.Fault{}
	v := reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i); field.Kind() {
		case reflect.String:
			field.SetString("é\x01" + v.Type().Field(i).Name)
		case reflect.Slice:
			field.Set(reflect.ValueOf([]int{3, 1 << 30}))
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Int64:
			field.SetInt(-1 << 63)
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint:
			field.SetUint(3)
		case reflect.Int, reflect.Int32:
			field.SetInt(3)
		default:
			t.Fatalf("no value for the field %s", v.Type().Field(i).Name)
		}
	}
	b, err := (&record{Failure: failureOf(fmt.Errorf("with %w", f))}).marshal()
	if err != nil {
		t.Fatal(err)
	}
	r, err := unmarshalRecord(b)
	if err != nil || !reflect.DeepEqual(r.Failure.Fault, f) {
		t.Errorf("%+v, %v; want %+v", r.Failure, err, f)
	}
}

// TestHandlerFails: errors, panics and goroutines that end are tries that failed, and the worker
// goes on.
func TestHandlerFails(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[string, int](t, js, "fails", Tries(2))
	serving(t, js, "fails", func(ctx context.Context, how string) (int, error) {
		i, _ := InfoOf(ctx)
		switch how {
		case "error":
			return 0, errors.New("no luck")
		case "once":
			if i.Try == 1 {
				return 0, errors.New("no luck")
			}
			return 1, nil
		case "panic":
			panic("no sense")
		case "index":
			return []int{}[i.Try], nil
		case "fault":
			panic(&kgen.Fault{Kernel: "k.K", Pos: "k.go:1:2"})
		case "exit":
			runtime.Goexit()
		case "long":
			return 0, errors.New(strings.Repeat("x", 1<<21))
		}
		return len(how), nil
	})
	for _, tt := range []struct{ how, text, stack string }{
		{"error", "no luck", ""},
		{"panic", "the handler panicked: no sense", "TestHandlerFails"},
		{"index", "the handler panicked: runtime error: index out of range [2] with length 0", "TestHandlerFails"},
		{"fault", "the handler panicked: k.K: k.go:1:2", "TestHandlerFails"},
		{"exit", "the handler panicked: runtime.Goexit", ""},
		{"long", "xxx", ""},
		{"once", "", ""},
		{"fine", "", ""},
	} {
		_, err := c.Do(ctx, tt.how)
		if tt.text == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.how, err)
			}
			continue
		}
		var failed *JobError
		if !errors.As(err, &failed) || failed.Tries != 2 || !strings.HasPrefix(failed.Text, tt.text) || !strings.Contains(failed.Stack, tt.stack) {
			t.Errorf("%s: %v", tt.how, err)
		}
		var f *kgen.Fault
		if errors.As(err, &f) != (tt.how == "fault") {
			t.Errorf("%s: the fault is %v", tt.how, f)
		}
	}
	letters, err := c.DeadLetters(ctx)
	if err != nil || len(letters) != 6 {
		t.Errorf("%d dead letters, %v", len(letters), err)
	}
}

// TestResultFails: results that cannot be encoded or stored are tries that failed.
func TestResultFails(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[string, Text](t, js, "results", Tries(1))
	serving(t, js, "results", func(_ context.Context, text string) (Text, error) { return Text{text}, nil })
	if _, err := c.Do(ctx, "good"); err != nil {
		t.Error(err)
	}
	var failed *JobError
	if _, err := c.Do(ctx, "bad"); !errors.As(err, &failed) || !strings.Contains(failed.Text, "a bad text") {
		t.Error(err)
	}
	// A program whose decoding fails gets an error, not a value.
	for _, bad := range []string{"worse"} {
		if _, err := c.Do(ctx, bad); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), "a worse text") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestExtended: a handler that takes much longer than AckWait runs once, since the server hears of
// its worker. A busy machine may keep the worker silent for too long, so there are three attempts.
func TestExtended(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for seconds")
	}
	t.Parallel()
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	const wait = 500 * time.Millisecond
	c := opened[int, int](t, js, "extended", AckWait(wait))
	var runs atomic.Int32
	slow := func(ctx context.Context, n int) (int, error) {
		runs.Add(1)
		time.Sleep(5 * wait)
		return n, nil
	}
	serving(t, js, "extended", slow)
	serving(t, js, "extended", slow)
	for attempt := range 3 {
		runs.Store(0)
		if got, err := c.Do(ctx, attempt); err != nil || got != attempt {
			t.Fatal(got, err)
		}
		empty(t, c)
		if runs.Load() == 1 {
			return
		}
		t.Logf("attempt %d: %d runs", attempt, runs.Load())
	}
	t.Error("the job went to another worker each time")
}

// TestDuplicates: jobs with one id are one job, at once, later and when it has ended.
func TestDuplicates(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[[]float32, int](t, js, "same")
	var runs atomic.Int32
	count := func(_ context.Context, x []float32) (int, error) {
		runs.Add(1)
		return len(x), nil
	}
	long := make([]float32, 200_000)
	first, err := c.Submit(ctx, long, ID("one"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Submit(ctx, long, ID("one"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := c.Submit(ctx, long[:150_000], ID("one"))
	if err != nil {
		t.Fatal(err)
	}
	if names := objects(t, c); len(names) != 1 {
		t.Errorf("the objects are %v", names)
	}
	serving(t, js, "same", count)
	for _, w := range []*Submitted[int]{first, again} {
		if got, err := w.Wait(ctx); got != len(long) || err != nil || w.ID() != "one" {
			t.Error(got, err)
		}
	}
	if _, err := other.Wait(ctx); !errors.Is(err, ErrConflict) {
		t.Errorf("another job with the id: %v", err)
	}
	// When the server has forgotten the message's id, the record still has it.
	empty(t, c)
	shortMemory(t, c)
	eventually(t, "the message is still a duplicate", func() (bool, string) {
		late, err := c.Submit(ctx, long, ID("one"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := late.Wait(ctx); got != len(long) || err != nil {
			t.Fatal(got, err)
		}
		info, err := c.stream.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return info.State.LastSeq > 1, fmt.Sprint(info.State.LastSeq)
	})
	empty(t, c)
	if got, err := c.Wait(ctx, "one"); got != len(long) || err != nil {
		t.Error(got, err)
	}
	if have, made := records(t, c); have != 1 || made != 1 || runs.Load() != 1 {
		t.Errorf("%d runs, %d records, and %d were made", runs.Load(), have, made)
	}
	eventually(t, "objects are left", func() (bool, string) { n := objects(t, c); return len(n) == 0, fmt.Sprint(n) })
}

// TestSecondCompletion: of two workers that run a job at once, the first to finish has the result,
// and the second leaves nothing, whether it has a result or an error.
func TestSecondCompletion(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	for name, second := range map[string]int{"result": 6, "error": -1} {
		t.Run(name, func(t *testing.T) {
			ctx := within(t)
			c := opened[int, []int](t, js, name, Tries(1))
			shortMemory(t, c)
			var sub *Submitted[[]int]
			eventually(t, "there are no two messages", func() (bool, string) {
				var err error
				if sub, err = c.Submit(ctx, 1, ID("job")); err != nil {
					t.Fatal(err)
				}
				info, err := c.stream.Info(ctx)
				if err != nil {
					t.Fatal(err)
				}
				return info.State.Msgs == 2, fmt.Sprint(info.State.Msgs)
			})
			values := make(chan int)
			serving(t, js, name, func(context.Context, int) ([]int, error) {
				v := <-values
				if v < 0 {
					return nil, errors.New("no luck")
				}
				return slices.Repeat([]int{v}, 100_000), nil
			}, Parallel(2))
			for _, v := range []int{5, second} { // the second is sent when the first is the result
				values <- v
				if got, err := sub.Wait(ctx); err != nil || len(got) != 100_000 || got[0] != 5 {
					t.Errorf("%d elements, %v", len(got), err)
				}
			}
			empty(t, c)
			if have, made := records(t, c); have != 1 || made != 1 {
				t.Errorf("%d records, and %d were made", have, made)
			}
			if got, err := c.Wait(ctx, "job"); err != nil || got[0] != 5 {
				t.Error("another result came later", err)
			}
			if letters, err := c.DeadLetters(ctx); err != nil || len(letters) > 0 {
				t.Errorf("%d dead letters, %v", len(letters), err)
			}
			eventually(t, "other objects", func() (bool, string) { n := objects(t, c); return len(n) == 1, fmt.Sprint(n) })
		})
	}
}

// TestBuriedOnce: a job has one dead letter, the first, however often its burial is repeated.
func TestBuriedOnce(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[int, int](t, js, "once")
	for _, text := range []string{"first", "second"} {
		if err := c.bury(ctx, "job", &record{Tries: 1, Failure: &failure{Text: text}}, location{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if letters, err := c.DeadLetters(ctx); err != nil || len(letters) != 1 || letters[0].Err.Text != "first" {
		t.Errorf("%d dead letters, %v", len(letters), err)
	}
}

// shortMemory has the server forget the ids of messages soon.
func shortMemory[J, R any](t *testing.T, c *Client[J, R]) {
	t.Helper()
	cfg := c.stream.CachedInfo().Config
	cfg.Duplicates = 100 * time.Millisecond
	if _, err := c.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
}

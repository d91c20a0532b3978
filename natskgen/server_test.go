package natskgen

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func echo(_ context.Context, n int) (int, error) { return n, nil }

// TestWrong: calls that make no sense are errors of a class, before any job is taken.
func TestWrong(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	opened[int, int](t, js, "ints", AckWait(time.Minute), Tries(3))
	open := func(js jetstream.JetStream, name string, opts ...Option) error {
		c, err := Open[int, int](ctx, js, name, opts...)
		if err == nil {
			c.Close()
		}
		serve, cancel := context.WithCancel(ctx)
		cancel() // where nothing is wrong, Serve ends
		again := Serve(serve, js, name, echo, opts...)
		if err != nil && !errors.Is(again, context.Canceled) && (again == nil || again.Error() != err.Error()) {
			t.Errorf("Serve has another error: %v, not %v", again, err)
		}
		return err
	}
	type unexported struct{ a int }
	for _, c := range []struct {
		err   error
		class error
		says  string
	}{
		{open(nil, "ints"), ErrInvalid, "the JetStream is nil"},
		{open(js, ""), ErrInvalid, `"" is no name`},
		{open(js, "a.b"), ErrInvalid, `"a.b" is no name`},
		{open(js, strings.Repeat("x", 65)), ErrInvalid, "1 to 64"},
		{open(js, "ints", nil), ErrInvalid, "an option is nil"},
		{open(js, "ints", AckWait(time.Millisecond)), ErrInvalid, "AckWait(1ms)"},
		{open(js, "ints", Tries(0)), ErrInvalid, "Tries(0)"},
		{open(js, "ints", Retention(0)), ErrInvalid, "Retention(0s)"},
		{open(js, "ints", Replicas(6)), ErrInvalid, "Replicas(6)"},
		{open(js, "ints", Parallel(0)), ErrInvalid, "Parallel(0)"},
		{open(js, "ints", Logger(nil)), ErrInvalid, "logger"},
		{open(js, "ints", Tries(4)), ErrConfig, "its setting Tries is 3, and 4 was asked for"},
		{open(js, "ints", Memory()), ErrConfig, "Memory is false"},
		{open(js, "ints", AckWait(time.Minute), Tries(3), Parallel(2)), nil, ""},
		{open(js, "ints"), nil, ""},
		{Serve[int, int](ctx, js, "ints", nil), ErrInvalid, "the handler is nil"},
		{Serve(ctx, js, "ints", func(context.Context, string) (int, error) { return 0, nil }), ErrType, "its jobs are of the type int, and those of this program of string"},
		{Serve(ctx, js, "ints", func(context.Context, int) ([]int, error) { return nil, nil }), ErrType, "its results are of the type int"},
		{Serve(ctx, js, "other", func(context.Context, unexported) (int, error) { return 0, nil }), ErrType, "the field a"},
		{Serve(ctx, js, "other", func(context.Context, int) (map[int]int, error) { return nil, nil }), ErrType, "map[int]int"},
		{Remove(ctx, nil, "ints"), ErrInvalid, "the JetStream is nil"},
		{Remove(ctx, js, "a b"), ErrInvalid, "is no name"},
		{Remove(ctx, js, "nothing"), nil, ""},
	} {
		var own *Error
		if c.class == nil && c.err != nil || c.class != nil && (!errors.Is(c.err, c.class) || !errors.As(c.err, &own) || !strings.Contains(c.err.Error(), c.says)) {
			t.Errorf("%v; want %v: %s", c.err, c.class, c.says)
		}
	}
	// None of those has made a queue.
	if _, err := js.Stream(ctx, "KGEN_other_JOBS"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("a queue was made: %v", err)
	}
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "KGEN_foreign_JOBS", Subjects: []string{"foreign"}}); err != nil {
		t.Fatal(err)
	}
	if err := open(js, "foreign"); !errors.Is(err, ErrConfig) {
		t.Errorf("a stream of somebody else: %v", err)
	}
}

// TestClosedClient: the methods of a client that is closed return ErrInvalid, and so does a wait
// that goes on then.
func TestClosedClient(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[int, int](t, js, "closed")
	sub, err := c.Submit(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() {
		_, err := sub.Wait(ctx)
		waited <- err
	}()
	eventually(t, "nobody waits", func() (bool, string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.waiting) == 1, ""
	})
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	_, submit := c.Submit(ctx, 1)
	_, wait := c.Wait(ctx, "x")
	_, dead := c.DeadLetters(ctx)
	for i, err := range []error{<-waited, submit, wait, dead, c.Discard(ctx, nil)} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%d: %v", i, err)
		}
	}
	c = opened[int, int](t, js, "closed")
	_, none := c.Submit(ctx, 1, nil)
	_, id := c.Submit(ctx, 1, ID("a/b"))
	_, wait = c.Wait(ctx, "")
	for i, err := range []error{none, id, wait, c.Discard(ctx, nil), c.Discard(ctx, &DeadLetter[int]{})} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestContext: calls end with their contexts.
func TestContext(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	c := opened[[]float32, int](t, js, "context")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	cause := errors.New("enough")
	caused, stop := context.WithCancelCause(t.Context())
	stop(cause)
	over, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-over.Done()
	for _, ctx := range []context.Context{ended, caused, over} {
		_, open := Open[[]float32, int](ctx, js, "context")
		_, small := c.Submit(ctx, make([]float32, 1))
		_, large := c.Submit(ctx, make([]float32, 1<<20))
		_, wait := c.Wait(ctx, "nothing")
		_, dead := c.DeadLetters(ctx)
		serve := Serve(ctx, js, "context", func(context.Context, []float32) (int, error) { return 0, nil })
		for i, err := range []error{open, small, large, wait, dead, serve, Remove(ctx, js, "nothing")} {
			if !errors.Is(err, ctx.Err()) || errors.Is(err, cause) != (ctx == caused) {
				t.Errorf("%d: %v; want %v", i, err, context.Cause(ctx))
			}
		}
	}
	// A wait that has begun ends, too.
	ctx, cancel := context.WithCancel(t.Context())
	sub, err := c.Submit(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := sub.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestStop: a worker that stops gives its job to another one, which has it long before AckWait is
// over. A handler that ends well all the same has its result stored.
func TestStop(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[int, string](t, js, "stop", AckWait(time.Hour))
	started := make(chan bool)
	stop := serving(t, js, "stop", func(ctx context.Context, n int) (string, error) {
		started <- true
		<-ctx.Done()
		if n == 1 {
			return "", fmt.Errorf("not finished: %w", context.Cause(ctx))
		}
		return "finished", nil
	})
	var subs [2]*Submitted[string]
	for n := range subs {
		var err error
		if subs[n], err = c.Submit(ctx, n); err != nil {
			t.Fatal(err)
		}
	}
	<-started
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, err := subs[0].Wait(ctx); got != "finished" || err != nil {
		t.Error(got, err)
	}
	stop = serving(t, js, "stop", func(ctx context.Context, n int) (string, error) {
		started <- true
		<-ctx.Done()
		return "", ctx.Err()
	})
	<-started
	stop()
	// A message that is on its way when the context ends is given back, too.
	batch, err := c.consumer.Fetch(1, jetstream.FetchMaxWait(overall))
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	w := &worker{queue: c.queue, run: func(context.Context, reflect.Value) (*payload, error) {
		t.Error("a job runs that came too late")
		return nil, nil
	}}
	w.handle(ended, <-batch.Messages())
	serving(t, js, "stop", func(ctx context.Context, n int) (string, error) { return "by another", nil })
	if got, err := subs[1].Wait(ctx); got != "by another" || err != nil {
		t.Error(got, err)
	}
}

// TestStopLast: a worker that stops has used a try of its job, though its handler has not failed.
func TestStopLast(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[int, int](t, js, "last", AckWait(time.Hour), Tries(1))
	started := make(chan bool)
	stop := serving(t, js, "last", func(ctx context.Context, n int) (int, error) {
		started <- true
		<-ctx.Done()
		return 0, ctx.Err()
	})
	sub, err := c.Submit(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	<-started
	stop()
	serving(t, js, "last", echo)
	if _, err := sub.Wait(ctx); !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), "the workers died, or were stopped") {
		t.Error(err)
	}
}

// TestLost: without a server, calls end with ErrConnection: those that begin, and those that wait.
func TestLost(t *testing.T) {
	s := startServer(t)
	js, nc := s.connect(t, nats.NoReconnect())
	ctx := within(t)
	c := opened[[]float32, int](t, js, "lost")
	block := make(chan bool)
	defer close(block)
	sub, err := c.Submit(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	go func() {
		_, err := sub.Wait(ctx)
		errs <- err
	}()
	other, _ := s.connect(t)
	ready := opened[int, int](t, other, "served")
	go func() {
		log, _ := quiet(t)
		errs <- Serve(ctx, js, "served", echo, log)
	}()
	if _, err := ready.Do(ctx, 1); err != nil { // Serve runs
		t.Fatal(err)
	}
	s.stop()
	for range 2 {
		if err := <-errs; !errors.Is(err, ErrConnection) || !errors.Is(err, nats.ErrConnectionClosed) {
			t.Error(err)
		}
	}
	_, small := c.Submit(ctx, nil)
	_, large := c.Submit(ctx, make([]float32, 1<<20))
	_, wait := c.Wait(ctx, "x")
	_, dead := c.DeadLetters(ctx)
	_, open := Open[int, int](ctx, js, "lost")
	for i, err := range []error{small, large, wait, dead, open, Serve(ctx, js, "lost", echo), Remove(ctx, js, "lost")} {
		if !errors.Is(err, ErrConnection) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if !nc.IsClosed() {
		t.Error("the connection is not closed")
	}
}

// TestNoServer: a connection that was never made, and a server without JetStream.
func TestNoServer(t *testing.T) {
	ctx := within(t)
	nc, err := nats.Connect("nats://127.0.0.1:1", nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open[int, int](ctx, js, "none"); !errors.Is(err, ErrConnection) {
		t.Errorf("no server: %v", err)
	}
	s := startServer(t, func(o *server.Options) { o.JetStream = false })
	js, _ = s.connect(t)
	if err := Serve(ctx, js, "none", echo); !errors.Is(err, ErrConnection) {
		t.Errorf("no JetStream: %v", err)
	}
}

// TestRestart: when a server comes back, workers and waits go on, and no job is lost.
func TestRestart(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	ctx := within(t)
	c := opened[axpy, []float32](t, js, "restart", AckWait(2*time.Second), Tries(100))
	const jobs = 60
	var waits sync.WaitGroup
	for i := range jobs {
		n := 50
		if i%10 == 0 {
			n = 200_000
		}
		sub, err := c.Submit(ctx, newAxpy(i, n))
		if err != nil {
			t.Fatal(err)
		}
		waits.Go(func() {
			if got, err := sub.Wait(ctx); err != nil || !slices.Equal(got, newAxpy(i, n).want()) {
				t.Errorf("job %d: %v", i, err)
			}
		})
	}
	first := make(chan bool, jobs*100)
	run := onHost(hostDevice(t))
	serving(t, js, "restart", func(ctx context.Context, j axpy) ([]float32, error) {
		first <- true
		return run(ctx, j)
	}, Parallel(2))
	for range 10 {
		<-first
	}
	s.opts.Port = s.Addr().(*net.TCPAddr).Port
	s.stop()
	s.start(t)
	waits.Wait()
	empty(t, c)
	if have, made := records(t, c); have != jobs || made != jobs {
		t.Errorf("%d records, and %d were made", have, made)
	}
}

// TestRemoved: calls for a queue that is removed end with ErrRemoved. The name can be used anew,
// with other settings and types.
func TestRemoved(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[int, int](t, js, "removed")
	busy, leave := make(chan bool), make(chan bool)
	errs := make(chan error)
	go func() {
		log, _ := quiet(t)
		errs <- Serve(ctx, js, "removed", func(ctx context.Context, n int) (int, error) {
			busy <- true
			<-leave
			return n, nil
		}, log)
	}()
	go func() {
		_, err := c.Do(ctx, 1)
		errs <- err
	}()
	<-busy
	if err := Remove(ctx, js, "removed"); err != nil {
		t.Fatal(err)
	}
	if err := <-errs; !errors.Is(err, ErrRemoved) {
		t.Errorf("Wait: %v", err)
	}
	close(leave)
	if err := <-errs; !errors.Is(err, ErrRemoved) {
		t.Errorf("Serve: %v", err)
	}
	if err := Remove(ctx, js, "removed"); err != nil {
		t.Error(err)
	}
	now := opened[string, string](t, js, "removed", Memory(), Tries(1), Retention(time.Hour))
	want := Settings{AckWait: DefaultAckWait, Tries: 1, Retention: time.Hour, Replicas: 1, Memory: true, Job: "string", Result: "string"}
	if got := now.Settings(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	serving(t, js, "removed", func(_ context.Context, s string) (string, error) { return s + s, nil })
	if got, err := now.Do(ctx, "ab"); got != "abab" || err != nil {
		t.Error(got, err)
	}
}

// TestRetention: the server keeps nothing of a job after the retention, and its id is free then.
func TestRetention(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[[]float32, []float32](t, js, "retention", Retention(time.Second), Tries(1), AckWait(time.Second))
	long := make([]float32, 200_000)
	serving(t, js, "retention", func(_ context.Context, x []float32) ([]float32, error) {
		if len(x) == 1 {
			return nil, errors.New("no luck")
		}
		return x, nil
	})
	got, err := c.Do(ctx, long, ID("one"))
	if err != nil || !reflect.DeepEqual(got, long) {
		t.Fatal(err)
	}
	if _, err := c.Do(ctx, make([]float32, 1)); !errors.Is(err, ErrFailed) {
		t.Fatal(err)
	}
	eventually(t, "something is left", func() (bool, string) {
		names := objects(t, c)
		have, _ := records(t, c)
		letters, err := c.DeadLetters(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(names) == 0 && have == 0 && len(letters) == 0, fmt.Sprint(names, have, len(letters))
	})
	shortMemory(t, c)
}

// TestExpired: a job whose slices the server has no more is a dead letter that says so.
func TestExpired(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[[]float32, int](t, js, "expired", Tries(1))
	sub, err := c.Submit(ctx, make([]float32, 200_000))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range objects(t, c) {
		c.drop(name)
	}
	serving(t, js, "expired", func(_ context.Context, x []float32) (int, error) { return len(x), nil })
	var failed *JobError
	if _, err := sub.Wait(ctx); !errors.As(err, &failed) || !strings.Contains(failed.Text, "expired: the object "+sub.ID()+".job.") {
		t.Error(err)
	}
}

// TestDeaths: a job whose workers die each time is a dead letter, which no worker runs again.
func TestDeaths(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[axpy, []float32](t, js, "deaths", Tries(2), AckWait(500*time.Millisecond))
	sub, err := c.Submit(ctx, newAxpy(1, 10))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range 2 {
		own := filepath.Join(dir, fmt.Sprint(i)) // so that each worker dies
		if err := os.Mkdir(own, 0o777); err != nil {
			t.Fatal(err)
		}
		p := startWorker(t, s.ClientURL(), "deaths", envPoint+"=ran", envDir+"="+own)
		p.cmd.Wait() // it kills itself
	}
	serving(t, js, "deaths", func(context.Context, axpy) ([]float32, error) {
		t.Error("the job ran again")
		return nil, nil
	})
	var failed *JobError
	if _, err := sub.Wait(ctx); !errors.As(err, &failed) || failed.Tries != 2 || !strings.Contains(failed.Text, "delivered 2 times, and no worker has ended it") {
		t.Error(err)
	}
	empty(t, c)
	if letters, err := c.DeadLetters(ctx); err != nil || len(letters) != 1 {
		t.Errorf("%d dead letters, %v", len(letters), err)
	}
}

// lossy loses the first acknowledgement of a message.
type lossy struct {
	jetstream.JetStream
	lost bool
}

func (l *lossy) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	ack, err := l.JetStream.PublishMsg(ctx, m, opts...)
	if err == nil && !l.lost {
		l.lost = true
		return nil, context.DeadlineExceeded
	}
	return ack, err
}

// TestLostAck: a job whose acknowledgement is lost is submitted once, and keeps its slices.
func TestLostAck(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[[]float32, int](t, js, "ack")
	via := &lossy{JetStream: js}
	c.js = via
	sub, err := c.Submit(ctx, make([]float32, 200_000))
	if err != nil || !via.lost {
		t.Fatal(via.lost, err)
	}
	serving(t, js, "ack", func(_ context.Context, x []float32) (int, error) { return len(x), nil })
	if got, err := sub.Wait(ctx); got != 200_000 || err != nil {
		t.Error(got, err)
	}
	if _, made := records(t, c); made != 1 {
		t.Errorf("%d records were made", made)
	}
}

// TestForeign: messages that are no jobs are dropped or dead letters, and the worker goes on.
func TestForeign(t *testing.T) {
	s := startServer(t)
	js, _ := s.connect(t)
	ctx := within(t)
	c := opened[[]float32, int](t, js, "foreign", Tries(1))
	serving(t, js, "foreign", func(_ context.Context, x []float32) (int, error) { return len(x), nil })
	for _, m := range []struct {
		header nats.Header
		data   string
	}{
		{nats.Header{}, ""},
		{nats.Header{jetstream.MsgIDHeader: {"a b"}}, ""},
		{nats.Header{jetstream.MsgIDHeader: {"short"}}, "\x06\x00"},
		{nats.Header{jetstream.MsgIDHeader: {"text"}, headerText: {"x"}, headerObject: {"y"}}, ""},
	} {
		msg := nats.NewMsg(c.jobSubject())
		msg.Header, msg.Data = m.header, []byte(m.data)
		if _, err := js.PublishMsg(ctx, msg); err != nil {
			t.Fatal(err)
		}
	}
	for id, says := range map[string]string{"short": "ends too early", "text": "expired"} {
		if _, err := c.Wait(ctx, id); !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if got, err := c.Do(ctx, make([]float32, 3)); got != 3 || err != nil {
		t.Error(got, err)
	}
	empty(t, c)
}

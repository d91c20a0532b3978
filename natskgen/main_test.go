package natskgen

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/kgen-go/kgen/examples/quickstart/saxpy"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/runtime"
)

// overall is the time that a test may wait for a thing that has to happen. It is far more than any
// test takes, so that a busy machine makes none fail.
const overall = 4 * time.Minute

// A test binary with these variables is a worker.
const (
	envURL   = "NATSKGEN_TEST_URL"   // the server's
	envName  = "NATSKGEN_TEST_QUEUE" // the queue's
	envPoint = "NATSKGEN_TEST_POINT" // where the first worker kills itself; see passed
	envDir   = "NATSKGEN_TEST_DIR"   // folder for the files of all workers of a test
)

func TestMain(m *testing.M) {
	if os.Getenv(envURL) == "" {
		os.Exit(m.Run())
	}
	go func() { // the test that has started it is over
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if err := beWorker(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// axpy is a job: Y + A*X.
type axpy struct {
	A    float32
	X, Y []float32
}

// newAxpy returns a job of n elements whose result has no rounding.
func newAxpy(seed, n int) axpy {
	j := axpy{A: float32(seed%7 + 1), X: make([]float32, n), Y: make([]float32, n)}
	for i := range n {
		j.X[i], j.Y[i] = float32(i%1000+seed%100), float32(seed%1000)
	}
	return j
}

// want is the job's result by a plain loop.
func (j axpy) want() []float32 {
	y := slices.Clone(j.Y)
	for i, x := range j.X {
		y[i] += j.A * x
	}
	return y
}

// onHost is a handler of such jobs on a device.
func onHost(dev *runtime.Device) Handler[axpy, []float32] {
	return func(ctx context.Context, j axpy) ([]float32, error) {
		err := saxpygen.RunSAXPY(ctx, dev, saxpy.SAXPY{A: j.A, X: j.X, Y: j.Y}, runtime.Range1(len(j.Y)))
		return j.Y, err
	}
}

func openHost() (*runtime.Device, error) { return runtime.Open(runtime.Select("host")) }

// beWorker serves a queue until the process is killed. Each run of the handler is a line of the
// file runs.
func beWorker() error {
	point, dir := os.Getenv(envPoint), os.Getenv(envDir)
	passed = func(at, id string) {
		if at != point {
			return
		}
		f, err := os.OpenFile(filepath.Join(dir, "died"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil {
			return // another worker was here
		}
		f.Close()
		killed(os.Getpid())
	}
	dev, err := openHost()
	if err != nil {
		return err
	}
	nc, err := nats.Connect(os.Getenv(envURL), nats.MaxReconnects(-1))
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	run := onHost(dev)
	return Serve(context.Background(), js, os.Getenv(envName), func(ctx context.Context, j axpy) ([]float32, error) {
		if dir != "" {
			f, err := os.OpenFile(filepath.Join(dir, "runs"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
			if err != nil {
				return nil, err
			}
			i, _ := InfoOf(ctx)
			fmt.Fprintln(f, i.Job, i.Try)
			f.Close()
		}
		return run(ctx, j)
	})
}

// killed kills a process, and does not return if that is this one.
func killed(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
	if pid == os.Getpid() {
		select {}
	}
}

// process is a worker in a process of its own.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   bytes.Buffer
}

// startWorker starts a worker of a queue, which ends with the test at the latest.
func startWorker(t *testing.T, url, name string, env ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(exe)}
	p.cmd.Env = append(os.Environ(), envURL+"="+url, envName+"="+name)
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("worker %d: %s", p.cmd.Process.Pid, tail(p.out.String()))
		}
	})
	return p
}

// kill kills the worker, as by SIGKILL, and waits for its end.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

func tail(s string) string { return s[max(0, len(s)-4000):] }

// A testServer is a server on loopback, with its data in a folder of the test.
type testServer struct {
	*server.Server
	opts server.Options
}

func startServer(t *testing.T, change ...func(*server.Options)) *testServer {
	t.Helper()
	s := &testServer{opts: server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}}
	for _, f := range change {
		f(&s.opts)
	}
	s.start(t)
	t.Cleanup(func() { s.stop() })
	return s
}

func (s *testServer) start(t *testing.T) {
	t.Helper()
	var err error
	if s.Server, err = server.NewServer(&s.opts); err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(overall) {
		t.Fatal("the server does not start")
	}
}

func (s *testServer) stop() {
	s.Shutdown()
	s.WaitForShutdown()
}

// connect returns a JetStream on a connection that ends with the test.
func (s *testServer) connect(t *testing.T, opts ...nats.Option) (jetstream.JetStream, *nats.Conn) {
	t.Helper()
	nc, err := nats.Connect(s.ClientURL(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js, nc
}

// within returns a context that ends long after the test should have.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), overall)
	t.Cleanup(cancel)
	return ctx
}

// heard is a logger whose records are kept.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// quiet returns an option with a logger that the test shows if it fails.
func quiet(t *testing.T) (Option, *heard) {
	h := &heard{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(tail(h.String()))
		}
	})
	return Logger(slog.New(slog.NewTextHandler(h, nil))), h
}

// opened returns a client that is closed when the test ends.
func opened[J, R any](t *testing.T, js jetstream.JetStream, name string, opts ...Option) *Client[J, R] {
	t.Helper()
	log, _ := quiet(t)
	c, err := Open[J, R](within(t), js, name, append(opts, log)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil && !errors.Is(err, ErrConnection) {
			t.Error(err)
		}
	})
	return c
}

// serving starts Serve, and stops it when the test ends or the function is called, which returns
// the error of Serve.
func serving[J, R any](t *testing.T, js jetstream.JetStream, name string, h Handler[J, R], opts ...Option) (stop func() error) {
	t.Helper()
	log, _ := quiet(t)
	ctx, cancel := context.WithCancel(context.Background())
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = Serve(ctx, js, name, h, append(opts, log)...)
	}()
	stop = func() error {
		cancel()
		select {
		case <-done:
		case <-time.After(overall):
			t.Fatal("Serve does not end")
		}
		return err
	}
	t.Cleanup(func() {
		if err := stop(); err == nil {
			t.Error("Serve ended without an error")
		}
	})
	return stop
}

// eventually waits until the condition is met.
func eventually(t *testing.T, problem string, met func() (bool, string)) {
	t.Helper()
	text := ""
	for began := time.Now(); time.Since(began) < overall; time.Sleep(20 * time.Millisecond) {
		var ok bool
		if ok, text = met(); ok {
			return
		}
	}
	t.Fatalf("%s: %s", problem, text)
}

// empty waits until no message is in the stream of jobs.
func empty[J, R any](t *testing.T, c *Client[J, R]) {
	t.Helper()
	eventually(t, "jobs are left", func() (bool, string) {
		info, err := c.stream.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.State.Msgs == 0, fmt.Sprint(info.State.Msgs)
	})
}

// records returns how many records the server has, and how many were ever made.
func records[J, R any](t *testing.T, c *Client[J, R]) (have, made uint64) {
	t.Helper()
	s, err := c.js.Stream(t.Context(), "KV_"+c.bucketName())
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Msgs, info.State.LastSeq
}

// objects returns the names of the objects that the server has. ObjectStore.List is no help: it
// waits for ever if the last object goes while it asks.
func objects[J, R any](t *testing.T, c *Client[J, R]) (names []string) {
	t.Helper()
	s, err := c.js.Stream(t.Context(), "OBJ_"+c.bucketName())
	if err != nil {
		t.Fatal(err)
	}
	prefix := "$O." + c.bucketName() + ".M."
	info, err := s.Info(t.Context(), jetstream.WithSubjectFilter(prefix+">"))
	if err != nil {
		t.Fatal(err)
	}
	for subject := range info.State.Subjects {
		name, err := base64.URLEncoding.DecodeString(subject[len(prefix):])
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.queue.objects.GetInfo(t.Context(), string(name))
		if err == nil {
			names = append(names, string(name))
		} else if !errors.Is(err, jetstream.ErrObjectNotFound) {
			t.Fatal(err)
		}
	}
	return names
}

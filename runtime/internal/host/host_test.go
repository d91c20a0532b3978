package host

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

func TestSite(t *testing.T) {
	k := &abi.Kernel{Sites: []abi.Site{
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:2"},
		{Kind: abi.FaultDivide, Pos: "a/kernel.go:7:9"},
		{Kind: abi.FaultIndex, Pos: "b/kernel.go:7:5"},
		{Kind: abi.FaultIndex, Pos: "example.com/dep/x.go:3:1"},
	}}
	for _, c := range []struct {
		kind abi.FaultKind
		file string
		line int
		want string
	}{
		{abi.FaultIndex, "/src/m/a/kernel.go", 7, "a/kernel.go:7:2"},
		{abi.FaultDivide, "/src/m/a/kernel.go", 7, "a/kernel.go:7:9"},
		{abi.FaultIndex, "example.com/m/b/kernel.go", 7, "b/kernel.go:7:5"},
		{abi.FaultShift, "/src/m/b/kernel.go", 7, "b/kernel.go:7:5"},
		{abi.FaultIndex, "/pkg/mod/example.com/dep@v1.2.3/x.go", 3, "example.com/dep/x.go:3:1"},
		{abi.FaultIndex, "/src/m/a/kernel.go", 8, "kernel.go:8"},
	} {
		if got := sitePosition(k, nil, &hal.Fault{Kind: c.kind}, c.file, c.line); got != c.want {
			t.Errorf("%v at %s:%d: got %s, want %s", c.kind, c.file, c.line, got, c.want)
		}
	}
}

// TestSiteLimit tells sites of one line apart by their limits.
func TestSiteLimit(t *testing.T) {
	k := &abi.Kernel{Sites: []abi.Site{
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:2"},
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:9", Limit: -1},
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:15", Limit: -3},
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:20", Limit: 16},
		{Kind: abi.FaultIndex, Pos: "a/kernel.go:7:25", Limit: -2},
		{Kind: abi.FaultSliceLen, Pos: "a/kernel.go:7:30", Limit: -1},
	}}
	args := []hal.SliceArg{{Param: 0, Len: 5}, {Param: 2, Len: 8}} // 1 is a zero slice
	for _, c := range []struct {
		a, b int64
		want string
	}{
		{9, 5, "9"}, {9, 8, "15"}, {16, 16, "20"}, {0, 0, "25"}, {7, 7, "2"}, {-1, 0, "2"},
	} {
		f := &hal.Fault{Kind: abi.FaultIndex, A: c.a, B: c.b}
		if got := sitePosition(k, args, f, "/src/a/kernel.go", 7); got != "a/kernel.go:7:"+c.want {
			t.Errorf("%d of %d: got %s, want column %s", c.a, c.b, got, c.want)
		}
	}
}

// TestClassify has what cannot be provoked in a kernel; the rest is
// tested with kernels.
func TestClassify(t *testing.T) {
	var m map[string]int
	panics := func(f func()) (v any) {
		defer func() { v = recover() }()
		f()
		return nil
	}
	f := classifyPanic(panics(func() { m["x"] = 1 }))
	if f.Kind != abi.FaultPanic || f.Message == "" {
		t.Errorf("%+v", f)
	}
	i := uint64(1) << 63
	f = classifyPanic(panics(func() { _ = []int{1}[i] }))
	if f.Kind != abi.FaultIndex || uint64(f.A) != i || f.B != 1 || !f.Unsigned {
		t.Errorf("%+v", f)
	}
	if f = classifyPanic(42); f.Kind != abi.FaultPanic || f.Message != "42" {
		t.Errorf("%+v", f)
	}
}

// open opens the host device until the test ends.
func open(t *testing.T) *device {
	d := newDevice()
	t.Cleanup(func() { d.Close() })
	return d
}

// TestCancelledCopies: a copy whose end was asked for before it ran does not run, and of
// one that runs the caller's memory is left alone when Ask returns.
func TestCancelledCopies(t *testing.T) {
	d := open(t)
	const size = 8 << 20
	m, err := d.Alloc(size, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	host := make([]byte, size)
	for _, op := range []hal.Op{hal.OpRead, hal.OpWrite} {
		clear(host)
		clear(m.Bytes())
		for i := range 8 {
			var f hal.Fault
			c := hal.Command{Op: op, Src: m, Dst: m, Size: size, Host: host, Fault: &f, Cancel: new(hal.Cancel)}
			from, to := m.Bytes(), host
			if op == hal.OpWrite {
				from, to = host, m.Bytes()
			}
			copied := func() int { // how far
				if at := bytes.IndexByte(to, byte(i)); at >= 0 {
					return at
				}
				return size
			}
			copy(from, bytes.Repeat([]byte{byte(i + 1)}, size))
			taken := make(chan struct{})
			c.Taken = func() { close(taken) }
			if i == 0 {
				c.Cancel.Ask()
			}
			tk, err := d.Submit([]hal.Command{c})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(i) * 200 * time.Microsecond)
			c.Cancel.Ask()
			if op == hal.OpRead {
				at := copied()
				time.Sleep(time.Millisecond)
				if now := copied(); now != at || now < size && !bytes.Equal(host[now:], bytes.Repeat([]byte{byte(i)}, size-now)) {
					t.Fatalf("read %d goes on after Ask: %d bytes, then %d", i, at, now)
				}
			} else {
				clear(host) // the device gets a copy of this, which goes on
			}
			if err := tk.Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
			<-taken
			n := copied()
			if f.Set || f.Failed != nil || f.Cancelled != (n < size) || i == 0 && n > 0 || n%pieceSize != 0 {
				t.Errorf("operation %d, %d: %d of %d bytes were copied; %+v", op, i, n, size, f)
			}
			copy(to, bytes.Repeat([]byte{byte(i + 1)}, size)) // what the next round looks for
		}
	}
}

// TestAbandon: all tickets are done at once, and those who own them hear why; the kernel
// that does not end disturbs nobody.
func TestAbandon(t *testing.T) {
	d := newDevice()
	m, err := d.Alloc(64, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	running, release := make(chan struct{}), make(chan struct{})
	p, err := d.NewPipeline(&hal.PipelineDesc{Kernel: &abi.Kernel{Form: abi.Task}, Host: &Kernel{Func: func(*Args) any {
		return func(dsl.Task) {
			close(running)
			<-release
			panic("too late")
		}
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var faults [4]hal.Fault
	var taken atomic.Int32
	fill := func(f *hal.Fault) hal.Command {
		return hal.Command{Op: hal.OpWrite, Dst: m, Size: 4, Host: []byte{1, 2, 3, 4}, Fault: f, Taken: func() { taken.Add(1) }}
	}
	first, err1 := d.Submit([]hal.Command{fill(&faults[0]), {Op: hal.OpLaunch, Pipeline: p, Global: [3]uint32{1, 1, 1}, Groups: [3]uint32{1, 1, 1}, Fault: &faults[1]}, fill(&faults[2])})
	<-running
	second, err2 := d.Submit([]hal.Command{fill(&faults[3])})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	d.Abandon(hal.ErrAbandoned)
	if !first.Done() || !second.Done() || taken.Load() != 3 {
		t.Errorf("done: %v, %v; %d of 3 taken", first.Done(), second.Done(), taken.Load())
	}
	for i, f := range faults {
		if want := i > 0; (f.Failed == hal.ErrAbandoned) != want || f.Set {
			t.Errorf("command %d: %+v", i, f)
		}
	}
	if _, err := d.Submit([]hal.Command{fill(nil)}); err == nil {
		t.Error("Submit to an abandoned device succeeded")
	}
	d.Abandon(hal.ErrAbandoned)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	close(release)
	<-d.ended
	if faults[1].Set {
		t.Error("the kernel's fault came in the end")
	}
}

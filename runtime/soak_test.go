//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package runtime_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	gort "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

var soak = flag.Duration("soak", 0, "how long TestSoak runs; without it, some seconds")

// soaker is the state that the goroutines of TestSoak share.
type soaker struct {
	t      *testing.T
	stop   atomic.Bool
	inject bool
	name   string
	dev    atomic.Pointer[runtime.Device]
	lost   chan struct{} // the device is to be opened again

	good, failed, cancelled, opened atomic.Int64
	seen                            sync.Map // texts of unexpected errors, once each
}

// expected reports whether the error is of a class that what happens here can have.
func (s *soaker) expected(err error) {
	s.failed.Add(1)
	if errors.Is(err, runtime.ErrDeviceLost) {
		select {
		case s.lost <- struct{}{}:
		default:
		}
	}
	for _, class := range []error{runtime.ErrCanceled, runtime.ErrDeadline, runtime.ErrDeviceLost, runtime.ErrMemoryAllocation,
		runtime.ErrDriver, runtime.ErrBuild, runtime.ErrNoDevice} {
		if errors.Is(err, class) {
			if class == runtime.ErrCanceled || class == runtime.ErrDeadline {
				s.cancelled.Add(1)
			}
			return
		}
	}
	// Another goroutine has closed the device or, in a failure, the buffer with it.
	if errors.Is(err, runtime.ErrInvalid) || errors.Is(err, runtime.ErrKernelArgument) {
		return
	}
	if _, again := s.seen.LoadOrStore(err.Error(), true); !again {
		s.t.Errorf("an error without a class that fits: %v", err)
	}
}

// work does what programs do with one buffer of its own, again and again. Whatever
// returns no error must have done what it says.
func (s *soaker) work(seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	for !s.stop.Load() {
		dev := s.dev.Load()
		n := 1 << (4 + rnd.IntN(15))
		if err := s.life(rnd, dev, n); err != nil {
			s.expected(err)
		}
	}
}

// life is the life of one buffer.
func (s *soaker) life(rnd *rand.Rand, dev *runtime.Device, n int) (err error) {
	x, err := runtime.NewBuffer[uint32](dev, n)
	if err != nil {
		return err
	}
	defer x.Close()
	q := dev.DefaultQueue()
	if rnd.IntN(2) == 0 {
		q = dev.NewQueue()
	}
	want := uint32(0)
	got := make([]uint32, n)
	for range 1 + rnd.IntN(20) {
		ctx, cancel := ctx, context.CancelFunc(func() {})
		if rnd.IntN(4) == 0 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(rnd.IntN(2000))*time.Microsecond)
		}
		switch rnd.IntN(6) {
		case 0, 1, 2:
			launched, err := launchOn(q, increment, x.All(), runtime.WithContext(ctx))
			if err == nil && rnd.IntN(3) == 0 {
				err = launched.Wait(ctx)
			}
			if err != nil {
				cancel()
				return err // it may have run, or not
			}
			want++
		case 3:
			for i := range got {
				got[i] = uint32(seedOf(want))
			}
			if err := x.CopyFrom(ctx, q, got); err != nil {
				cancel()
				return err
			}
			want = seedOf(want)
		case 4:
			if err := x.CopyTo(ctx, q, got); err != nil {
				cancel()
				return err
			}
			s.same(got, want, "CopyTo")
		case 5:
			own := make([]uint32, min(n, 1<<12))
			l := kernelimpl.NewLaunch(increment)
			kernelimpl.Slice(l, 0, own)
			if err := l.Run1(ctx, dev, runtime.Range1(len(own)), nil); err != nil {
				s.expected(err)
			} else {
				s.same(own, 1, "Run")
			}
		}
		cancel()
	}
	if err := x.CopyTo(ctx, q, got); err != nil {
		return err
	}
	s.same(got, want, "the last CopyTo")
	return nil
}

func seedOf(v uint32) uint32 { return v*2654435761 + 12345 }

func (s *soaker) same(got []uint32, want uint32, what string) {
	for i, v := range got {
		if v != want {
			s.t.Errorf("%s without an error: word %d of %d is %d, want %d", what, i, len(got), v, want)
			s.stop.Store(true)
			return
		}
	}
	s.good.Add(1)
}

// open opens the device, which failures that are injected may prevent for a while.
func (s *soaker) open() *runtime.Device {
	for {
		dev, err := runtime.Open(runtime.Select(s.name), runtime.CloseTimeout(time.Minute))
		if err == nil {
			s.opened.Add(1)
			return dev
		}
		s.expected(err)
		time.Sleep(time.Millisecond)
	}
}

// reopen closes the device under the others' feet, and opens it again.
func (s *soaker) reopen(every time.Duration) {
	for !s.stop.Load() {
		select {
		case <-time.After(every):
		case <-s.lost:
		}
		old := s.dev.Swap(s.open())
		if err := old.Close(); err != nil {
			s.expected(err)
		}
	}
}

// fail injects failures of the driver.
func (s *soaker) fail() {
	rnd := rand.New(rand.NewPCG(99, 7))
	for !s.stop.Load() {
		vkx.Inject(int32(1+rnd.IntN(200)), []vkx.Result{vkx.ErrorOutOfDeviceMemory, vkx.ErrorOutOfHostMemory, vkx.ErrorInitializationFailed, vkx.ErrorDeviceLost}[rnd.IntN(4)])
		time.Sleep(time.Duration(rnd.IntN(20)) * time.Millisecond)
		vkx.Inject(0, 0)
		if rnd.IntN(3) == 0 {
			continue // a lost device is of no use until it is opened again
		}
		time.Sleep(time.Duration(rnd.IntN(50)) * time.Millisecond)
	}
}

// round runs for a while and leaves nothing behind.
func (s *soaker) round(seed uint64, d time.Duration) {
	s.stop.Store(false)
	s.dev.Store(s.open())
	var wg sync.WaitGroup
	for i := range uint64(64) {
		wg.Go(func() { s.work(seed<<8 + i) })
	}
	wg.Go(func() { s.reopen(max(d/20, 50*time.Millisecond)) })
	if s.inject {
		wg.Go(s.fail)
	}
	time.Sleep(d)
	s.stop.Store(true)
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(3 * time.Minute):
		buf := make([]byte, 1<<20)
		s.t.Fatalf("hangs\n%s", buf[:gort.Stack(buf, true)])
	}
	vkx.Inject(0, 0)
	if err := s.dev.Load().Close(); err != nil {
		s.expected(err)
	}
}

// TestSoak has 64 goroutines allocate, launch, copy, cancel and close, while the device
// is closed and opened under their feet and the driver's calls fail: no wrong value
// comes without an error, nothing hangs, and memory stays flat. For as long as one
// likes: -run TestSoak -soak 30m -timeout 1h.
func TestSoak(t *testing.T) {
	devtest.Vulkan(t)
	defer vkx.Inject(0, 0)
	rounds, each := 3, 400*time.Millisecond
	if *soak > 0 {
		rounds = max(6, int(*soak/(2*time.Minute)))
		each = *soak / time.Duration(2*rounds)
	}
	if testing.Short() {
		rounds = 1
	}
	for _, name := range []string{"vulkan", "host"} {
		t.Run(name, func(t *testing.T) {
			s := &soaker{t: t, name: name, inject: name == "vulkan", lost: make(chan struct{}, 1)}
			var first memory
			goroutines := 0
			for i := range rounds {
				s.round(uint64(i), each)
				time.Sleep(50 * time.Millisecond)
				m, g := measure(t), gort.NumGoroutine()
				t.Log(fmt.Sprintf("round %d: %d results right, %d calls failed (%d cancelled), %d devices; %d MB, of C %d MB, of Go %d MB, %d goroutines",
					i, s.good.Load(), s.failed.Load(), s.cancelled.Load(), s.opened.Load(), m.process>>20, m.c>>20, m.golang>>20, g))
				if i == rounds/3 {
					first, goroutines = m, g
				}
				if i > rounds/3 && (m.golang > first.golang+8<<20 || *soak > 0 && m.process > first.process+first.process/4+64<<20) {
					t.Errorf("memory grows: %+v after round %d, %+v after round %d", first, rounds/3, m, i)
				}
				if i > rounds/3 && g > goroutines+8 {
					t.Errorf("%d goroutines after round %d, %d after round %d", goroutines, rounds/3, g, i)
				}
			}
			if s.good.Load() == 0 {
				t.Error("nothing succeeded: the test shows nothing")
			}
		})
	}
}

package prims_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/memoryhook"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

// supply is the memory of devices: how much is in use, and how many allocations succeed before it
// is exhausted.
type supply struct{ used, left atomic.Int64 }

// plenty is more allocations than a test makes.
const plenty = 1 << 40

// supplied has devices that the test opens later take their memory from a supply.
func supplied(t *testing.T) *supply {
	s := &supply{}
	s.left.Store(plenty)
	memoryhook.Watch = func(bytes int64) bool {
		if bytes > 0 && s.left.Add(-1) < 0 {
			return false
		}
		s.used.Add(bytes)
		return true
	}
	t.Cleanup(func() { memoryhook.Watch = nil })
	return s
}

// inUse returns the bytes in use, once the device has freed all that it was told to free.
func (s *supply) inUse(t *testing.T, dev *runtime.Device) int64 {
	t.Helper()
	check(t, dev.DefaultQueue().Wait(t.Context()))
	used := s.used.Load()
	for same := 0; same < 3; same++ {
		time.Sleep(time.Millisecond)
		if now := s.used.Load(); now != used {
			used, same = now, 0
		}
	}
	return used
}

// exhaust calls a function with one allocation more each time, until it succeeds. A call that fails
// returns an error of its class, and leaves nothing in use that the call which succeeds does not.
func exhaust(t *testing.T, s *supply, open func(testing.TB, ...runtime.OpenOption) *runtime.Device, name string, call func(dev *runtime.Device) error) {
	t.Helper()
	whole := open(t)
	before := s.used.Load()
	check(t, call(whole))
	most := s.inUse(t, whole) - before // which the pool has
	check(t, call(whole))
	if again := s.inUse(t, whole) - before; again != most {
		t.Errorf("%s: leaves %d bytes in use, and when it is called again %d", name, most, again)
	}
	for n := int64(0); ; n++ {
		dev := whole
		if whole.Info().Backend == "host" { // whose pool has no memory yet
			dev = open(t)
		}
		before := s.used.Load()
		for try := range sample.Of(2, 1) {
			s.left.Store(n)
			err := call(dev)
			done := s.left.Load() >= 0
			s.left.Store(plenty)
			if done && try == 0 {
				check(t, err)
				return
			}
			if done && err == nil { // the pool kept the memory of the first try
				break
			}
			if !errors.Is(err, runtime.ErrMemoryAllocation) || !strings.Contains(fmt.Sprint(err), "bytes") {
				t.Errorf("%s, with %d allocations: %v", name, n, err)
			}
			if left := s.inUse(t, dev) - before; left > most {
				t.Errorf("%s, with %d allocations: leaves %d bytes in use, of %d that it may keep", name, n, left, most)
			}
		}
		check(t, call(dev))
		if left := s.inUse(t, dev) - before; left > most {
			t.Errorf("%s, after one with %d allocations: leaves %d bytes in use, of %d that it may keep", name, n, left, most)
		}
		if n > 50 {
			t.Fatalf("%s: takes more than 50 allocations", name)
		}
	}
}

// TestExhausted: functions on slices whose memory is exhausted.
func TestExhausted(t *testing.T) {
	s := supplied(t)
	for i, f := range onSlices {
		t.Run(f.name, func(t *testing.T) {
			call := func(dev *runtime.Device) error { return f.call(t.Context(), dev) }
			exhaust(t, s, devtest.Host, f.name, call)
			if i%sample.Of(1, 17) == 0 {
				exhaust(t, s, devtest.Vulkan, f.name, call)
			}
		})
	}
}

// TestScratchExhausted: functions on views whose memory between their launches is exhausted, launched and
// recorded. They write nothing, and the next call is right.
func TestScratchExhausted(t *testing.T) {
	s := supplied(t)
	failed := 0
	for _, f := range functions {
		first := devtest.Host(t)
		plain := &memory{t: t, home: first.DefaultQueue(), q: first.DefaultQueue(), wrong: -1}
		check(t, f.on(plain))
		want := plain.results()
		for _, recorded := range []bool{false, true} {
			dev := devtest.Host(t)
			q := dev.DefaultQueue()
			g := runtime.NewGraph(dev)
			record := func(on func(*runtime.Queue, *runtime.Graph) error) {
				if recorded {
					check(t, on(q, g))
				}
			}
			call := func(left int64) (*memory, error) {
				m := &memory{t: t, home: dev.NewQueue(), q: q, wrong: -1}
				record((*runtime.Queue).BeginRecording)
				s.left.Store(left)
				err := f.on(m)
				s.left.Store(plenty)
				record(func(q *runtime.Queue, _ *runtime.Graph) error { return q.EndRecording() })
				return m, err
			}
			m, err := call(int64(len(plain.views))) // as many as there are views
			if err != nil {
				failed++
				if !errors.Is(err, runtime.ErrMemoryAllocation) || !strings.Contains(fmt.Sprint(err), f.name+": ") {
					t.Errorf("%s, recorded %v: %v", f.name, recorded, err)
				}
				m.untouched()
				m, err = call(plenty)
				check(t, err)
			}
			if recorded {
				ex, err := g.Finalize()
				check(t, err)
				_, err = q.Submit(ex)
				check(t, err)
			}
			if got := m.results(); !slices.Equal(got, want) {
				t.Errorf("%s, recorded %v: after a call without memory: %.300q, want %.300q", f.name, recorded, got, want)
			}
		}
	}
	if failed < 40 {
		t.Errorf("only %d calls have failed", failed)
	}
}

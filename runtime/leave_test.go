package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/endless"
	"github.com/kgen-go/kgen/internal/tests/endless/endlessgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// endlessLaunches are launches that never end, of about n work-items, by their kernels.
var endlessLaunches = map[string]func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error){
	"Alone": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		return endlessgen.Alone{Seeds: endlessgen.Seeds{From: ones(dev, n), To: zeros(dev, n), Rounds: zeros(dev, n)}}.SingleTask(dev.DefaultQueue(), opt)
	},
	"Search": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		return endlessgen.Search{Seeds: endlessgen.Seeds{From: ones(dev, n), To: zeros(dev, n), Rounds: zeros(dev, n)}}.ParallelFor(dev.DefaultQueue(), runtime.Range1(n), opt)
	},
	"Count": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		return endlessgen.Count{N: 1 << 30, Out: rounds(dev, n)}.ParallelFor(dev.DefaultQueue(), runtime.Range2{n / 16, 16}, opt)
	},
	"Wait": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		to := make([]uint32, n)
		for i := range to {
			to[i] = uint32(i % 2) // what every other work-item begins with
		}
		return endlessgen.Wait{Seeds: endlessgen.Seeds{From: ones(dev, n), To: must(runtime.BufferOf(dev, to)).All(), Rounds: zeros(dev, n)}, Scratch: dsl.LocalLen[uint32](16)}.
			ParallelFor(dev.DefaultQueue(), runtime.NDRange1{Global: runtime.Range1(n), Local: runtime.Range1(16)}, opt)
	},
	"Meet": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		return endlessgen.Meet{N: -1, Values: zeros(dev, n), Scratch: dsl.LocalLen[uint32](16)}.
			ParallelFor(dev.DefaultQueue(), runtime.NDRange1{Global: runtime.Range1(n), Local: runtime.Range1(16)}, opt)
	},
}

func ones(dev *runtime.Device, n int) runtime.View[uint32] {
	s := make([]uint32, n)
	for i := range s {
		s[i] = 1
	}
	return must(runtime.BufferOf(dev, s)).All()
}

func zeros(dev *runtime.Device, n int) runtime.View[uint32] {
	return must(runtime.BufferOf(dev, make([]uint32, n))).All()
}

func rounds(dev *runtime.Device, n int) runtime.View[int32] {
	return must(runtime.BufferOf(dev, make([]int32, n))).All()
}

// leave starts the endless launch, and asks it to end.
func leave(t *testing.T, dev *runtime.Device, kernel string, n int) {
	ends, end := context.WithCancel(context.Background())
	defer end()
	ev := must(endlessLaunches[kernel](dev, n, runtime.WithContext(ends)))
	dev.DefaultQueue().Flush()
	time.Sleep(20 * time.Millisecond)
	if ev.Done() {
		t.Fatalf("it has ended: %+v", ev.Record())
	}
	end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := ev.Wait(ctx); !errors.Is(err, runtime.ErrCanceled) {
		t.Error(err)
	}
	if !ev.Done() {
		t.Fatal("it does not end")
	}
	if f := ev.Record(); !f.Cancelled || f.Set {
		t.Errorf("the record is %+v", f)
	}
	for _, k := range endlessgen.Kernels() {
		if strings.HasSuffix(k.Name(), "."+kernel) && !dev.Cancels(k) {
			t.Error("it is said not to end soon")
		}
	}
}

// TestNobodyAsks: launches that could be cancelled do what others do.
func TestNobodyAsks(t *testing.T) {
	for _, dev := range []*runtime.Device{devtest.Host(t), devtest.VulkanOrNone(t)} {
		for i, c := range endless.Cases() {
			if dev == nil || c.Endless {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s/%d", dev.Name(), c.Kernel, i), func(t *testing.T) {
				got := make([]uint32, len(c.Want))
				last := runCase(t, dev, c)
				check(t, last.CopyTo(context.Background(), dev.DefaultQueue(), got))
				if !slices.Equal(got, c.Want) {
					t.Errorf("got %d, want %d", got, c.Want)
				}
			})
		}
	}
}

// runCase launches a case, and returns its last slice.
func runCase(t *testing.T, dev *runtime.Device, c endless.Case) (last *runtime.Buffer[uint32]) {
	ends, end := context.WithCancel(context.Background())
	t.Cleanup(end)
	q, opt := dev.DefaultQueue(), runtime.WithContext(ends)
	nd := runtime.NDRange1{Global: runtime.Range1(c.Global), Local: runtime.Range1(max(c.Local, 1))}
	var of []runtime.View[uint32]
	for _, s := range c.Slices {
		last = must(runtime.BufferOf(dev, s))
		of = append(of, last.All())
	}
	var ev runtime.Event
	var err error
	switch c.Kernel {
	case "Alone":
		ev, err = endlessgen.Alone{Seeds: endlessgen.Seeds{From: of[0], To: of[1], Rounds: of[2]}}.SingleTask(q, opt)
	case "Search":
		ev, err = endlessgen.Search{Seeds: endlessgen.Seeds{From: of[0], To: of[1], Rounds: of[2]}}.ParallelFor(q, nd.Global, opt)
	case "Wait":
		k := endlessgen.Wait{Seeds: endlessgen.Seeds{From: of[0], To: of[1], Rounds: of[2]}, Scratch: dsl.LocalLen[uint32](c.Local)}
		ev, err = k.ParallelFor(q, nd, opt)
	case "Meet":
		ev, err = endlessgen.Meet{N: c.N, Values: of[0], Scratch: dsl.LocalLen[uint32](c.Local)}.ParallelFor(q, nd, opt)
	default:
		t.Fatal("no launch of " + c.Kernel)
	}
	check(t, err)
	check(t, ev.Wait(context.Background()))
	if f := ev.Record(); f.Cancelled {
		t.Errorf("the record is %+v", f)
	}
	return last
}

// TestLeaveBetween: without host forms launches end between work-items, and where these
// wait for others.
func TestLeaveBetween(t *testing.T) {
	t.Setenv("KGEN_HOST_FORM", "off")
	dev := devtest.Host(t)
	for name, launch := range map[string]func(opt runtime.LaunchOption) (runtime.Event, error){
		// Each work-item takes a millisecond, all of them minutes.
		"Count": func(opt runtime.LaunchOption) (runtime.Event, error) {
			return endlessgen.Count{N: 100, Out: rounds(dev, 1<<18)}.ParallelFor(dev.DefaultQueue(), runtime.Range2{1 << 9, 1 << 9}, opt)
		},
		"Meet": func(opt runtime.LaunchOption) (runtime.Event, error) { return endlessLaunches["Meet"](dev, 64, opt) },
	} {
		t.Run(name, func(t *testing.T) {
			ends, end := context.WithCancel(context.Background())
			defer end()
			ev := must(launch(runtime.WithContext(ends)))
			dev.DefaultQueue().Flush()
			time.Sleep(20 * time.Millisecond)
			end()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if _ = ev.Wait(ctx); !ev.Done() || !ev.Record().Cancelled {
				t.Fatalf("done %v, the record is %+v", ev.Done(), ev.Record())
			}
		})
	}
	for _, k := range endlessgen.Kernels() {
		if strings.HasSuffix(k.Name(), ".Count") && dev.Cancels(k) {
			t.Error("it is said to end soon, but work-items may take long")
		}
	}
}

func TestLeaveHost(t *testing.T) {
	if raceEnabled {
		t.Setenv("KGEN_HOST_FORM", "on")
	}
	dev := devtest.Host(t)
	for kernel := range endlessLaunches {
		t.Run(kernel, func(t *testing.T) { leave(t, dev, kernel, 1024) })
	}
}

func TestLeaveVulkan(t *testing.T) {
	dev := devtest.Vulkan(t)
	// It ends loops after 65,535 rounds: only large launches take long.
	lavapipe := strings.Contains(dev.Name(), "llvmpipe")
	for kernel := range endlessLaunches {
		n := 1 << 10
		if lavapipe && !sample.Has(kernel, 3) {
			continue
		}
		if lavapipe {
			n = 1 << 18
		}
		switch {
		case lavapipe && kernel == "Alone":
			continue
		case lavapipe && kernel == "Meet":
			n = 1 << 16
		}
		t.Run(kernel, func(t *testing.T) { leave(t, dev, kernel, n) })
	}
}

// TestStillRunning waits for launches that cannot be cancelled: the error says that the
// kernel is still running, and what to do.
func TestStillRunning(t *testing.T) {
	test := func(t *testing.T, dev *runtime.Device, n int, launch func(n int, opt runtime.LaunchOption) runtime.Event, remedy string) {
		for ; n < 1<<22; n *= 4 {
			ends, end := context.WithCancel(context.Background())
			ev := launch(n, runtime.WithContext(ends))
			dev.DefaultQueue().Flush()
			time.Sleep(10 * time.Millisecond) // what has not begun is cancelled
			end()
			ctx, stop := context.WithTimeout(context.Background(), 5*time.Millisecond)
			err := ev.Wait(ctx)
			stop()
			late := !ev.Done()
			ev.Wait(context.Background())
			if !late {
				continue // too fast
			}
			if !errors.Is(err, runtime.ErrDeadline) || !strings.Contains(err.Error(), "still running") || !strings.Contains(err.Error(), remedy) {
				t.Error(err)
			}
			return
		}
		t.Skip("the device is too fast to be late")
	}
	t.Run("vulkan", func(t *testing.T) {
		dev := devtest.Vulkan(t)
		i := slices.IndexFunc(endlessgen.Kernels(), func(k *runtime.Kernel) bool { return strings.HasSuffix(k.Name(), ".Search") })
		search := runtime.WithoutCancel(endlessgen.Kernels()[i])
		test(t, dev, 1<<8, func(n int, opt runtime.LaunchOption) runtime.Event {
			l := kernelimpl.NewLaunch(search)
			kernelimpl.View(l, 0, must(runtime.BufferOf(dev, reached(n))).All())
			kernelimpl.View(l, 1, ones(dev, n))
			kernelimpl.View(l, 2, zeros(dev, n))
			return must(l.ParallelFor1(dev.DefaultQueue(), runtime.Range1(n), []runtime.LaunchOption{opt}))
		}, "//kgen:cancel")
	})
	t.Run("host", func(t *testing.T) {
		t.Setenv("KGEN_HOST_FORM", "off")
		dev := devtest.Host(t)
		test(t, dev, 64, func(n int, opt runtime.LaunchOption) runtime.Event {
			return must(endlessgen.Count{N: n, Out: rounds(dev, 1)}.ParallelFor(dev.DefaultQueue(), runtime.Range2{1, 1}, opt))
		}, "KGEN_HOST_FORM")
	})
}

// reached returns n numbers from which searches come to 1 in 60,000 rounds.
func reached(n int) []uint32 {
	back := func(s uint32) uint32 { // the inverse of endless.Search's step
		s ^= s << 5
		s ^= s << 10
		s ^= s << 20
		s ^= s >> 17
		s ^= s << 13
		return s ^ s<<26
	}
	s := uint32(1)
	for range 60_000 {
		s = back(s)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = s
	}
	return out
}
